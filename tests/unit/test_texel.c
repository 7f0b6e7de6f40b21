/* SPDX-License-Identifier: Apache-2.0
 * Linear filtering of floats that leave nothing to scale by: zeros and denormals, which count as
 * zero. The sum of negative zeros is a negative zero (IEEE 754, 6.3). And the handles of textures. */
#include "exec/texel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* In the middle of a row of two elements. */
static uint32_t between(float first, float second)
{
    const float row[2] = {first, second};
    const ifl_texture texture = {
        .rank = 1,
        .filters = true,
        .mode = {IFL_OUTSIDE_CLAMP, IFL_OUTSIDE_CLAMP, IFL_OUTSIDE_CLAMP},
        .texel = {IFL_TEXEL_FLOAT, 32, 1, IFL_TEXEL_PLAIN, 0, false, false},
        .size = {2, 1, 1},
        .layers = 1,
        .pitch = sizeof row,
        .slice = sizeof row,
        .bytes = sizeof row};
    const ifl_texture_op op = {.use = IFL_TEXTURE_SAMPLE, .rank = 1, .wanted = 1};
    const ifl_texture_view view = {&texture, (const uint8_t *)row};
    const ifl_texture_query query = {.op = &op, .at = {bits_of(1.0f)}};
    ifl_texture_answer answer;
    ifl_texture_ask(&view, &query, &answer);
    return answer.channel[0];
}

static void nothing_that_counts_is_zero(void **state)
{
    (void)state;
    assert_int_equal(between(0.0f, 0.0f), bits_of(0.0f));
    assert_int_equal(between(1e-40f, 1e-42f), bits_of(0.0f));
    assert_int_equal(between(-0.0f, 1e-40f), bits_of(0.0f));
    assert_int_equal(between(-0.0f, -0.0f), bits_of(-0.0f));
    assert_int_equal(between(-1e-40f, -0.0f), bits_of(-0.0f));
}

static void what_counts_is_averaged(void **state)
{
    (void)state;
    assert_int_equal(between(1.0f, 4.0f), bits_of(2.5f));
    assert_int_equal(between(3.0f, -3.0f), bits_of(0.0f));
    assert_int_equal(between(1e-40f, 4.0f), bits_of(2.0f));
}

/* Signed bytes as fractions: what an H200 gives at the third place of 2d/s8x2n/linear/clamp/normalized
 * (tests/gpu/h200/textures.txt), where -128 is among the four. A fetch of it alone gives -1. */
static uint32_t of_signed_bytes(float x, float y, bool filters)
{
    const int8_t rows[2][2] = {{-42, -128}, {-96, -32}};
    const ifl_texture texture = {
        .rank = 2,
        .filters = filters,
        .reads_normalized = true,
        .mode = {IFL_OUTSIDE_CLAMP, IFL_OUTSIDE_CLAMP, IFL_OUTSIDE_CLAMP},
        .texel = {IFL_TEXEL_SIGNED, 8, 1, IFL_TEXEL_PLAIN, 0, false, false},
        .size = {2, 2, 1},
        .layers = 1,
        .pitch = sizeof rows[0],
        .slice = sizeof rows,
        .bytes = sizeof rows};
    const ifl_texture_op op = {.use = IFL_TEXTURE_SAMPLE, .rank = 2, .wanted = 1};
    const ifl_texture_view view = {&texture, (const uint8_t *)rows};
    const ifl_texture_query query = {.op = &op, .at = {bits_of(x), bits_of(y)}};
    ifl_texture_answer answer;
    ifl_texture_ask(&view, &query, &answer);
    return answer.channel[0];
}

static void the_least_number_counts_in_full_under_a_filter(void **state)
{
    (void)state;
    assert_int_equal(of_signed_bytes(0.5f + 14 / 256.0f, 0.5f + 191 / 256.0f, true), 0xbf238b47);
    assert_int_equal(of_signed_bytes(1.5f, 0.5f, true), bits_of(-1.0f));
    assert_int_equal(of_signed_bytes(1.5f, 0.5f, false), bits_of(-1.0f));
}

/* A destroyed texture's handle is none, unless the same texture is made again. */
static void handles_name_their_texture(void **state)
{
    (void)state;
    ifl_textures table = {{0}};
    ifl_texture first, second;
    memset(&first, 0, sizeof first);
    first.address = 4096;
    second = first;
    second.address = 8192;
    const uint32_t one = ifl_textures_add(&table, &first);
    assert_int_equal(ifl_textures_find(&table, one)->address, 4096);
    ifl_textures_remove(&table, one);
    assert_null(ifl_textures_find(&table, one));
    assert_int_equal(ifl_textures_add(&table, &first), one);
    ifl_textures_remove(&table, one);
    const uint32_t other = ifl_textures_add(&table, &second);
    assert_int_not_equal(other, one);
    assert_null(ifl_textures_find(&table, one));
    assert_int_equal(ifl_textures_find(&table, other)->address, 8192);
    assert_int_not_equal(ifl_textures_add(&table, &second), other); /* two that are alike */
    ifl_textures_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_that_counts_is_zero),
        cmocka_unit_test(what_counts_is_averaged),
        cmocka_unit_test(the_least_number_counts_in_full_under_a_filter),
        cmocka_unit_test(handles_name_their_texture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
