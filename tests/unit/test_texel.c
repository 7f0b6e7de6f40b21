/* SPDX-License-Identifier: Apache-2.0
 * Linear filtering of floats that leave nothing to scale by: zeros and denormals, which count as
 * zero. The sum of negative zeros is a negative zero (IEEE 754, 6.3). */
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
    const ifl_texture texture = {.rank = 1,
                                 .filters = true,
                                 .mode = {IFL_OUTSIDE_CLAMP, IFL_OUTSIDE_CLAMP, IFL_OUTSIDE_CLAMP},
                                 .texel = {IFL_TEXEL_FLOAT, 32, 1},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_that_counts_is_zero),
        cmocka_unit_test(what_counts_is_averaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
