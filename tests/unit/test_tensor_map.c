/* SPDX-License-Identifier: Apache-2.0
 * Descriptions of tensors: those that NVIDIA's libraries make are read as what was asked of the
 * libraries, and what is written is read as it was. */
#include "code/tensor_map.h"
#include "code/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

enum { WORDS = IFL_TENSOR_MAP_BYTES / sizeof(uint32_t) };

static bool read_words(const uint32_t words[WORDS], ifl_tensor_map *out)
{
    uint8_t bytes[IFL_TENSOR_MAP_BYTES];
    memcpy(bytes, words, sizeof bytes);
    return ifl_tensor_map_read(bytes, out);
}

/* cuBLAS 13.0: cublasGemmEx of f16, 64 x 64 times 64 x 64, first matrix; its kernel's name has the
 * tile 64 x 16. */
static void tiles_of_cublas(void **state)
{
    static const uint32_t words[WORDS] = {
        0x08000000, 0x10, 0x46322, 8, 0, 0, 0x10000000, 0, 63, 63, 0, 0, 0, 0x3f000000, 0xf};
    ifl_tensor_map map;
    (void)state;
    assert_true(read_words(words, &map));
    assert_int_equal(map.rank, 3);
    assert_int_equal(map.type, IFL_TYPE_F16);
    assert_int_equal(map.swizzle, IFL_TENSOR_SWIZZLE_128);
    assert_false(map.is_image);
    assert_true(map.address == 0x1008000000);
    assert_int_equal(map.stride[0], 128);
    assert_int_equal(map.size[0], 64);
    assert_int_equal(map.size[1], 64);
    assert_int_equal(map.size[2], 1);
    assert_int_equal(map.box[0], 64);
    assert_int_equal(map.box[1], 16);
    assert_int_equal(map.element_stride[1], 1);
}

/* cuDNN 9.26: 64 channels of 20 x 16 pixels, a filter of 3 x 5 (width first) that moves by 2, with
 * 1 and 2 pixels around. */
static void image_of_cudnn(void **state)
{
    static const uint32_t words[WORDS] = {0,  0x10, 0x44543, 8, 0xa0, 0xa00,      0xa00,      0,
                                          63, 19,   15,      0, 0,    0x1f000048, 0x03df03df, 127};
    ifl_tensor_map map;
    (void)state;
    assert_true(read_words(words, &map));
    assert_int_equal(map.rank, 5);
    assert_int_equal(map.element_bytes, 2);
    assert_int_equal(map.swizzle, IFL_TENSOR_SWIZZLE_64);
    assert_true(map.is_image);
    assert_int_equal(map.stride[0], 64 * 2);
    assert_int_equal(map.stride[1], 20 * 64 * 2);
    assert_int_equal(map.stride[2], 16 * 20 * 64 * 2);
    assert_int_equal(map.size[1], 20);
    assert_int_equal(map.size[2], 16);
    assert_int_equal(map.element_stride[1], 2);
    assert_int_equal(map.element_stride[2], 2);
    assert_int_equal(map.element_stride[3], 1);
    assert_int_equal(map.image.channels, 32);
    assert_int_equal(map.image.pixels, 128);
    assert_int_equal(map.image.lower[0], -1); /* what lies around */
    assert_int_equal(map.image.lower[1], -2);
    assert_int_equal(map.image.lower[2], 0);
    assert_int_equal(map.image.upper[0], 1 - 2); /* less the filter's size - 1 */
    assert_int_equal(map.image.upper[1], 2 - 4);
}

static void written_and_read(void **state)
{
    uint8_t bytes[IFL_TENSOR_MAP_BYTES];
    (void)state;
    for (uint8_t rank = 1; rank <= IFL_TENSOR_RANKS; rank++)
        for (int is_image = 0; is_image < (rank > 2 ? 2 : 1); is_image++) {
            ifl_tensor_map map = {.rank = rank,
                                  .type = IFL_TYPE_TF32,
                                  .element_bytes = 4,
                                  .swizzle = 1,
                                  .fills_nan = true,
                                  .is_image = is_image,
                                  .address = 0x7fff12345670},
                           found;
            for (unsigned i = 0; i < rank; i++) {
                map.size[i] = UINT32_MAX - i;
                map.element_stride[i] = 8 - i;
                map.box[i] = is_image ? 0 : (uint16_t)(256 - i);
            }
            for (unsigned i = 0; i + 1 < rank; i++)
                map.stride[i] = (UINT64_C(1) << 40) - 16 * (i + 1);
            if (is_image) {
                map.image.channels = 256, map.image.pixels = 1024;
                for (unsigned i = 0; i + 2 < rank; i++)
                    map.image.lower[i] = (int16_t)(rank == 3   ? -32768
                                                   : rank == 4 ? -128 + (int)i
                                                               : -16 + (int)i),
                    map.image.upper[i] = (int16_t)(rank == 3   ? 32767
                                                   : rank == 4 ? 127 - (int)i
                                                               : 15 - (int)i);
            }
            ifl_tensor_map_write(&map, bytes);
            assert_true(ifl_tensor_map_read(bytes, &found));
            assert_memory_equal(&map.size, &found.size, sizeof map.size);
            assert_memory_equal(&map.stride, &found.stride, sizeof map.stride);
            assert_memory_equal(&map.element_stride, &found.element_stride,
                                sizeof map.element_stride);
            assert_memory_equal(&map.box, &found.box, sizeof map.box);
            assert_memory_equal(&map.image, &found.image, sizeof map.image);
            assert_int_equal(found.type, IFL_TYPE_TF32);
            assert_true(found.address == map.address && found.fills_nan &&
                        found.is_image == is_image);
        }
}

/* ptxas 13.0, tensormap.replace with the elemtypes 12 (tf32 with denormals flushed: f32's number 8) and
 * 13 to 15: these bits of the third word. */
static void numbers_of_types(void **state)
{
    static const struct {
        uint32_t type, bits;
    } made[] = {{7, 0x380}, {11, 0x10380}, {12, 0x10400}, {13, 0x580}, {14, 0x600}, {15, 0x680}};
    (void)state;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        uint8_t bytes[IFL_TENSOR_MAP_BYTES] = {0};
        uint32_t word;
        ifl_tensor_map_replace(bytes, IFL_TENSOR_MAP_TYPE, 0, made[i].type);
        memcpy(&word, bytes + 2 * sizeof word, sizeof word);
        assert_int_equal(word, made[i].bits);
    }
}

/* A row of 128 elements has 64 or 96 bytes of global memory, and 64 or 128 of shared memory. */
static void packed_elements(void **state)
{
    static const struct {
        ifl_tensor_packing packing;
        uint8_t bytes;
        bool fits_64, fits_128;
    } kinds[] = {{IFL_TENSOR_FOURS, 1, true, true},
                 {IFL_TENSOR_FOURS_APART, 8, false, true},
                 {IFL_TENSOR_SIXES_APART, 12, false, true}};
    uint8_t bytes[IFL_TENSOR_MAP_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const ifl_tensor_map map = {.rank = 1,
                                    .type = IFL_TYPE_U8,
                                    .packing = (uint8_t)kinds[i].packing,
                                    .swizzle = IFL_TENSOR_SWIZZLE_64,
                                    .size = {256},
                                    .element_stride = {1},
                                    .box = {128}};
        ifl_tensor_map found;
        ifl_tensor_map_write(&map, bytes);
        assert_true(ifl_tensor_map_read(bytes, &found));
        assert_int_equal(found.packing, kinds[i].packing);
        assert_int_equal(found.element_bytes, kinds[i].bytes);
        assert_int_equal(found.size[0], 256);
        assert_int_equal(ifl_tensor_map_takes_row(&found, 128), kinds[i].fits_64);
        found.swizzle = IFL_TENSOR_SWIZZLE_128;
        assert_int_equal(ifl_tensor_map_takes_row(&found, 128), kinds[i].fits_128);
    }
}

/* Slices are what is counted; the fields of ptxas's tensormap.replace (interleave_layout: bits 11 and 12), of types
 * with denormals flushed number 8. */
static void slices(void **state)
{
    static const struct {
        uint8_t type, interleave, swizzle, bytes;
        bool flushes;
        uint32_t form;
    } kinds[] = {{IFL_TYPE_F16, IFL_TENSOR_SLICES_16, IFL_TENSOR_SWIZZLE_NONE, 16, false, 0xb20},
                 {IFL_TYPE_F16, IFL_TENSOR_SLICES_32, IFL_TENSOR_SWIZZLE_32, 32, false, 0x3320},
                 {IFL_TYPE_U8, IFL_TENSOR_SLICES_16, IFL_TENSOR_SWIZZLE_128, 16, false, 0x6820},
                 {IFL_TYPE_F32, IFL_TENSOR_NOT_INTERLEAVED, 0, 4, true, 0x420},
                 {IFL_TYPE_TF32, IFL_TENSOR_NOT_INTERLEAVED, 0, 4, true, 0x10420}};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const ifl_tensor_map map = {.rank = 3,
                                    .type = kinds[i].type,
                                    .interleave = kinds[i].interleave,
                                    .swizzle = kinds[i].swizzle,
                                    .flushes = kinds[i].flushes,
                                    .size = {7, 3, UINT64_C(1) << 32},
                                    .element_stride = {2, 1, 1},
                                    .stride = {128, 512},
                                    .box = {5, 1, 4}};
        uint8_t bytes[IFL_TENSOR_MAP_BYTES];
        uint32_t form;
        ifl_tensor_map found;
        ifl_tensor_map_write(&map, bytes);
        memcpy(&form, bytes + 2 * sizeof form, sizeof form);
        assert_int_equal(form, kinds[i].form);
        assert_true(ifl_tensor_map_read(bytes, &found));
        assert_int_equal(found.element_bytes, kinds[i].bytes);
        assert_int_equal(found.interleave, kinds[i].interleave);
        assert_int_equal(found.flushes, kinds[i].flushes);
        assert_int_equal(found.type, kinds[i].type);
        assert_true(found.size[2] == map.size[2] && found.element_stride[0] == 2);
        assert_int_equal(ifl_tensor_unit_of(&found).shared_bytes, kinds[i].bytes);
        assert_false(ifl_tensor_map_takes_row(&found, 1));
        assert_true(ifl_tensor_map_takes_row(&found, 16 / (ifl_type_bits(kinds[i].type) / 8)));
    }
}

/* Rank 6, type 14, slices in a tensor of one dimension, slices of no kind,
 * an address that is no multiple of 16, elements of 6 bits of which a box has 1. */
static void refused(void **state)
{
    static const uint32_t words[][WORDS] = {{[2] = 5 << 4},
                                            {[2] = 14 << 7},
                                            {[2] = 1 << 11},
                                            {[2] = 3 << 11 | 2 << 4},
                                            {8},
                                            {[2] = 13 << 7, [8] = 127}};
    ifl_tensor_map map;
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_false(read_words(words[i], &map));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_of_cublas),  cmocka_unit_test(image_of_cudnn),
        cmocka_unit_test(written_and_read), cmocka_unit_test(numbers_of_types),
        cmocka_unit_test(packed_elements),  cmocka_unit_test(slices),
        cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
