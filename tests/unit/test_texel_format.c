/* SPDX-License-Identifier: Apache-2.0
 * Elements of arrays: CUDA's own names for them, there and back, and what is read of fractions. */
#include "code/texel_format.h"
#include "exec/texel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* CUDA Driver API, CUarray_format; CUDA Runtime API, cudaChannelFormatKind. */
static const struct {
    int format;
    unsigned channels;
    int kind, bits[IFL_TEXEL_CHANNELS];
    uint32_t bytes;
} known[] = {
    {0x01, 4, 1, {8, 8, 8, 8}, 4},      /* UNSIGNED_INT8 */
    {0x09, 2, 0, {16, 16, 0, 0}, 4},    /* SIGNED_INT16 */
    {0x10, 1, 2, {16, 0, 0, 0}, 2},     /* HALF */
    {0x20, 4, 2, {32, 32, 32, 32}, 16}, /* FLOAT */
    {0xc0, 1, 5, {8, 0, 0, 0}, 1},      /* UNORM_INT8X1 */
    {0xc1, 2, 6, {8, 8, 0, 0}, 2},      /* UNORM_INT8X2 */
    {0xc2, 4, 7, {8, 8, 8, 8}, 4},      /* UNORM_INT8X4 */
    {0xc3, 1, 8, {16, 0, 0, 0}, 2},     /* UNORM_INT16X1 */
    {0xc4, 2, 9, {16, 16, 0, 0}, 4},    /* UNORM_INT16X2 */
    {0xc5, 4, 10, {16, 16, 16, 16}, 8}, /* UNORM_INT16X4 */
    {0xc6, 1, 11, {8, 0, 0, 0}, 1},     /* SNORM_INT8X1 */
    {0xc7, 2, 12, {8, 8, 0, 0}, 2},     /* SNORM_INT8X2 */
    {0xc8, 4, 13, {8, 8, 8, 8}, 4},     /* SNORM_INT8X4 */
    {0xc9, 1, 14, {16, 0, 0, 0}, 2},    /* SNORM_INT16X1 */
    {0xca, 2, 15, {16, 16, 0, 0}, 4},   /* SNORM_INT16X2 */
    {0xcb, 4, 16, {16, 16, 16, 16}, 8}, /* SNORM_INT16X4 */
    {0x50, 4, 31, {10, 10, 10, 2}, 4},  /* UNORM_INT_101010_2 */
    {0x91, 4, 17, {8, 8, 8, 8}, 8},     /* BC1_UNORM: of blocks */
    {0x92, 4, 18, {8, 8, 8, 8}, 8},     /* BC1_UNORM_SRGB */
    {0x94, 4, 20, {8, 8, 8, 8}, 16},    /* BC2_UNORM_SRGB */
    {0x95, 4, 21, {8, 8, 8, 8}, 16},    /* BC3_UNORM */
    {0x97, 1, 23, {8, 0, 0, 0}, 8},     /* BC4_UNORM */
    {0x98, 1, 24, {8, 0, 0, 0}, 8},     /* BC4_SNORM */
    {0x9a, 2, 26, {8, 8, 0, 0}, 16},    /* BC5_SNORM */
    {0x9b, 3, 27, {16, 16, 16, 0}, 16}, /* BC6H_UF16 */
    {0x9c, 3, 28, {16, 16, 16, 0}, 16}, /* BC6H_SF16 */
    {0x9e, 4, 30, {8, 8, 8, 8}, 16},    /* BC7_UNORM_SRGB */
};

static void test_names(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ifl_texel by_format, by_kind;
        int kind, bits[IFL_TEXEL_CHANNELS];
        assert_true(ifl_texel_of_format(known[i].format, known[i].channels, &by_format));
        assert_true(ifl_texel_of_kind(known[i].kind, known[i].bits, &by_kind));
        assert_memory_equal(&by_format, &by_kind, sizeof by_kind);
        assert_int_equal(ifl_format_of_texel(&by_kind), known[i].format);
        ifl_kind_of_texel(&by_kind, &kind, bits);
        assert_int_equal(kind, known[i].kind);
        assert_memory_equal(bits, known[i].bits, sizeof bits);
        assert_int_equal(ifl_texel_bytes(&by_kind), known[i].bytes);
    }
}

static void test_refused(void **unused)
{
    static const int formats[][2] = {{0xc0, 2}, {0xc2, 1}, {0x50, 1}, {0x01, 3}, {0x91, 1}, {0, 1}};
    static const int kinds[][5] = {{5, 8, 8, 0, 0},  {7, 8, 8, 0, 0},  {31, 10, 10, 10, 10},
                                   {2, 8, 0, 0, 0},  {1, 8, 8, 8, 0},  {1, 8, 0, 8, 0},
                                   {17, 8, 8, 8, 0}, {-1, 8, 0, 0, 0}, {0, 0, 0, 0, 0}};
    ifl_texel texel;
    (void)unused;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        assert_false(ifl_texel_of_format(formats[i][0], (unsigned)formats[i][1], &texel));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        assert_false(ifl_texel_of_kind(kinds[i][0], kinds[i] + 1, &texel));
}

static void read_as(int format, unsigned channels, const void *element, const float *wanted)
{
    ifl_texture texture = {.reads_normalized = true};
    uint32_t words[IFL_TEXEL_CHANNELS] = {0};
    float values[IFL_TEXEL_CHANNELS];
    assert_true(ifl_texel_of_format(format, channels, &texture.texel));
    ifl_texel_read(&texture, element, 0, 0xf, words);
    memcpy(values, words, sizeof values);
    for (unsigned c = 0; c < IFL_TEXEL_CHANNELS; c++)
        assert_true(values[c] == wanted[c]);
}

/* CUDA C++ Programming Guide, "Texture Object API": the full range of an integer stands for 0 to 1, or
 * -1 to 1; the least number counts in full here, as filters have it (test_texel.c: a fetch gives -1). The
 * word is 3 of 3, 511 of 1,023, 1,023 and 1. */
static void test_fractions(void **unused)
{
    const uint8_t bytes[] = {0, 51, 0x80, 0xff};
    const uint16_t halves[] = {0x8000, 0x7fff};
    const uint32_t word = 3u << 30 | 511u << 20 | 1023u << 10 | 1;
    (void)unused;
    read_as(0xc2, 4, bytes, (float[]){0, 0.2f, (float)(128.0 / 255), 1});
    read_as(0xc8, 4, bytes,
            (float[]){0, (float)(51.0 / 127), (float)(-128.0 / 127), (float)(-1.0 / 127)});
    read_as(0xca, 2, halves, (float[]){(float)(-32768.0 / 32767), 1, 0, 0});
    read_as(0x50, 4, &word, (float[]){(float)(1.0 / 1023), 1, (float)(511.0 / 1023), 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_fractions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
