/* SPDX-License-Identifier: Apache-2.0
 * Texels of compressed blocks: what an H200 gives (tools/gpu/texture_blocks.cu, `ends` and `random`; more of it is in
 * tests/gpu/h200/texture_blocks.txt), and that every block has values. */
#include "code/texel_format.h"
#include "exec/texel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK = 16, TEXELS = 16, ALL = 0xf };

static ifl_texture texture_of(int format, unsigned channels)
{
    ifl_texture texture = {.reads_normalized = true};
    assert_true(ifl_texel_of_format(format, channels, &texture.texel));
    return texture;
}

/* Two ends, and the codes 0 to 7 in two rows. */
static void read_ends(int format, int first, int second, uint32_t found[8])
{
    const uint8_t block[BLOCK] = {
        (uint8_t)first, (uint8_t)second, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa};
    const ifl_texture texture = texture_of(format, 1);
    for (unsigned place = 0; place < 8; place++) {
        uint32_t words[IFL_TEXEL_CHANNELS];
        ifl_texel_read(&texture, block, place, ALL, words);
        found[place] = words[0];
        assert_int_equal(words[1], 0);
        assert_int_equal(words[3], 0x3f800000);
    }
}

/* The least signed end counts as the one above it, and limits are there then, too. */
static void test_ends(void **unused)
{
    static const struct {
        int format, ends[2];
        uint32_t wanted[8];
    } cases[] = {
        {0x97,
         {200, 100},
         {0x3f48c8c9, 0x3ec8c8c9, 0x3f3ab8bb, 0x3f2ca8ad, 0x3f1ca49d, 0x3f108891, 0x3f008481,
          0x3ee4e8e5}},
        {0x97,
         {100, 200},
         {0x3ec8c8c9, 0x3f48c8c9, 0x3eee48ee, 0x3f09e48a, 0x3f2348a3, 0x3f3608b6, 0, 0x3f800000}},
        {0x98,
         {100, 0x80},
         {0x3f499393, 0xbf800000, 0x3f09bb13, 0x3e93c528, 0xbb1e013c, 0xbe5739ae, 0xbf004f01,
          0xbf402780}},
        {0x98,
         {0x81, 0x80},
         {0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000,
          0x3f800000}},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t found[8];
        read_ends(cases[i].format, cases[i].ends[0], cases[i].ends[1], found);
        assert_memory_equal(found, cases[i].wanted, sizeof found);
    }
}

/* Microsoft's BC7 and BC6H references: what is no mode is zero; BC6H has no fourth channel. */
static void test_reserved(void **unused)
{
    static const uint8_t zero[BLOCK], no_mode[BLOCK] = {0x13, 0xff, 0xff, 0xff};
    uint32_t words[IFL_TEXEL_CHANNELS];
    const uint32_t nothing[] = {0, 0, 0, 0}, black[] = {0, 0, 0, 0x3f800000};
    const ifl_texture bc7 = texture_of(0x9d, 4), bc6h = texture_of(0x9b, 3);
    (void)unused;
    ifl_texel_read(&bc7, zero, 0, ALL, words);
    assert_memory_equal(words, nothing, sizeof words);
    ifl_texel_read(&bc6h, no_mode, 5, ALL, words);
    assert_memory_equal(words, black, sizeof words);
}

/* Whatever a block's bytes are, fractions are none below -1 and above 1. */
static void test_any_block(void **unused)
{
    static const int formats[][2] = {{0x91, 4}, {0x92, 4}, {0x93, 4}, {0x94, 4}, {0x95, 4},
                                     {0x96, 4}, {0x97, 1}, {0x98, 1}, {0x99, 2}, {0x9a, 2},
                                     {0x9b, 3}, {0x9c, 3}, {0x9d, 4}, {0x9e, 4}};
    uint32_t state = 1;
    (void)unused;
    for (unsigned round = 0; round < 2000; round++) {
        uint8_t block[BLOCK];
        const int *format = formats[round % (sizeof formats / sizeof *formats)];
        const ifl_texture texture = texture_of(format[0], (unsigned)format[1]);
        for (unsigned i = 0; i < BLOCK; i++, state = state * 1664525 + 1013904223)
            block[i] = (uint8_t)(state >> 24);
        for (unsigned place = 0; place < TEXELS; place++) {
            float values[IFL_TEXEL_CHANNELS];
            uint32_t words[IFL_TEXEL_CHANNELS];
            ifl_texel_read(&texture, block, place, ALL, words);
            memcpy(values, words, sizeof values);
            for (unsigned c = 0; c < IFL_TEXEL_CHANNELS; c++)
                assert_true(texture.texel.blocks == 6 || (values[c] >= -1 && values[c] <= 1));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_reserved),
        cmocka_unit_test(test_any_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
