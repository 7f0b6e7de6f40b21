/* SPDX-License-Identifier: Apache-2.0
 * machine_lane.h, whose functions run side by side over lanes, against the functions of one lane at
 * a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exec/machine_lane.h"

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

/* ---- comparisons of halves ------------------------------------------------------------------- */

/* By the bits of a relation: less 1, equal 2, greater 4, unordered 8 */
static const uint8_t compares[] = {0,
                                   IFL_COMPARE_LT,
                                   IFL_COMPARE_EQ,
                                   IFL_COMPARE_LE,
                                   IFL_COMPARE_GT,
                                   IFL_COMPARE_NE,
                                   IFL_COMPARE_GE,
                                   IFL_COMPARE_NUM,
                                   IFL_COMPARE_NAN,
                                   IFL_COMPARE_LTU,
                                   IFL_COMPARE_EQU,
                                   IFL_COMPARE_LEU,
                                   IFL_COMPARE_GTU,
                                   IFL_COMPARE_NEU,
                                   IFL_COMPARE_GEU};

/* Zeros, subnormal numbers, ones, the largest, infinities and NaNs of both formats */
static const uint16_t halves[] = {0x0000, 0x0001, 0x007f, 0x0080, 0x03ff, 0x0400,
                                  0x3c00, 0x3c01, 0x3f80, 0x7bff, 0x7c00, 0x7c01,
                                  0x7e00, 0x7f7f, 0x7f80, 0x7f81, 0x7fff};
enum { HALVES = sizeof halves / sizeof *halves };

static uint32_t half_at(unsigned i)
{
    return halves[i % HALVES] | (i / HALVES ? 0x8000u : 0);
}

static void check_set(const ifl_format *f, uint32_t a, uint32_t b)
{
    for (uint8_t relation = 1; relation < sizeof compares; relation++)
        for (unsigned flushes = 0; flushes < 2; flushes++) {
            const ifl_modifiers m = {.flags = flushes ? IFL_FLAG_FTZ : 0,
                                     .compare = compares[relation]};
            ifl_lane_options o = {.relation = relation, .number = 0x3c00, .m = m};
            const uint32_t wanted = ifl_half_set2(f, &m, a, b, 0x3c00);
            o.m.combine = IFL_COMBINE_AND;
            assert_int_equal(ifl_set_halves(f, &o, a, b, 1), wanted);
            assert_int_equal(ifl_set_halves(f, &o, a, b, 0), 0);
            o.m.combine = IFL_COMBINE_OR;
            assert_int_equal(ifl_set_halves(f, &o, a, b, 1), 0x3c003c00);
            o.m.combine = IFL_COMBINE_XOR;
            assert_int_equal(ifl_set_halves(f, &o, a, b, 1), wanted ^ 0x3c003c00);
            assert_int_equal(ifl_half_relates(f, &o, a & 0xffff, b & 0xffff),
                             (wanted & 0xffff) != 0);
        }
}

static void halves_are_compared_with_every_relation(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 2 * HALVES; a++)
        for (unsigned b = 0; b < 2 * HALVES; b++) {
            check_set(&ifl_f16, half_at(a) << 16 | half_at(b), half_at(b) << 16 | half_at(a));
            check_set(&ifl_bf16, half_at(a) << 16 | half_at(b), half_at(b) << 16 | half_at(a));
        }
    for (uint32_t i = 0; i < 20000; i++) {
        check_set(&ifl_f16, mixed(2 * i), mixed(2 * i + 1));
        check_set(&ifl_bf16, mixed(2 * i), mixed(2 * i + 1));
    }
}

static void halves_are_widened_with_and_without_ftz(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x10000; code++)
        for (unsigned i = 0; i < 4; i++) {
            const ifl_format *f = i & 1 ? &ifl_bf16 : &ifl_f16;
            const ifl_modifiers m = {.flags = i & 2 ? IFL_FLAG_FTZ : 0};
            const uint32_t found = ifl_f32_bits(ifl_half_value(f, &m, code));
            assert_int_equal(found, ifl_f32_bits(ifl_half_in(f, &m, (uint16_t)code)));
        }
}

/* ---- f32 with .SAT --------------------------------------------------------------------------- */

static const uint32_t floats[] = {
    0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x00800001, 0x1a000000, 0x3effffff, 0x3f000000,
    0x3f7fffff, 0x3f800000, 0x3f800001, 0x40000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fffffff};
enum { FLOATS = sizeof floats / sizeof *floats };

static uint32_t float_at(unsigned i)
{
    return floats[i % FLOATS] | (i / FLOATS ? 0x80000000 : 0);
}

static void check_float(float found, float wanted)
{
    if (wanted != wanted)
        assert_true(found != found);
    else
        assert_int_equal(ifl_f32_bits(found), ifl_f32_bits(wanted));
}

static void check_saturated(uint32_t a, uint32_t b, uint32_t c)
{
    const ifl_modifiers saturates = {.flags = IFL_FLAG_SAT, .rounding = IFL_ROUND_RN},
                        flushes = {.flags = IFL_FLAG_SAT | IFL_FLAG_FTZ, .rounding = IFL_ROUND_RN};
    const float x = ifl_bits_f32(a), y = ifl_bits_f32(b), z = ifl_bits_f32(c);
    check_float(ifl_out(&saturates, x * y), ifl_any_mul_f32(&saturates, x, y));
    check_float(ifl_out(&flushes, ifl_mul_ftz(x, y)), ifl_any_mul_f32(&flushes, x, y));
    check_float(ifl_out(&saturates, ifl_fma_f32(x, y, z)), ifl_any_fma_f32(&saturates, x, y, z));
    check_float(ifl_out(&flushes, ifl_fma_ftz(x, y, z)), ifl_any_fma_f32(&flushes, x, y, z));
}

static void products_and_sums_are_saturated(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 2 * FLOATS; a++)
        for (unsigned b = 0; b < 2 * FLOATS; b++)
            for (unsigned c = 0; c < 2 * FLOATS; c++)
                check_saturated(float_at(a), float_at(b), float_at(c));
    for (uint32_t i = 0; i < 100000; i++)
        check_saturated(mixed(3 * i), mixed(3 * i + 1), mixed(3 * i + 2));
}

/* ---- pairs of f32 ---------------------------------------------------------------------------- */

static void check_pairs(uint64_t a, uint64_t b, uint64_t c)
{
    static const uint32_t flags[] = {0, IFL_FLAG_FTZ, IFL_FLAG_SAT, IFL_FLAG_FTZ | IFL_FLAG_SAT};
    for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
        const ifl_modifiers m = {.flags = flags[i], .rounding = IFL_ROUND_RN};
        assert_true(IFL_PAIRS2(ifl_near_add, &m, a, b) == ifl_x2_add(&m, a, b, false));
        assert_true(IFL_PAIRS2(ifl_near_mul, &m, a, b) == ifl_x2_mul(&m, a, b));
        assert_true(IFL_PAIRS3(ifl_near_fma, &m, a, b, c) == ifl_x2_fma(&m, a, b, c));
    }
}

static void pairs_are_as_one_after_another(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 2 * FLOATS; a++)
        for (unsigned b = 0; b < 2 * FLOATS; b++)
            for (unsigned c = 0; c < 2 * FLOATS; c++)
                check_pairs((uint64_t)float_at(a) << 32 | float_at(c),
                            (uint64_t)float_at(b) << 32 | float_at(a),
                            (uint64_t)float_at(c) << 32 | float_at(b));
    for (uint32_t i = 0; i < 100000; i++)
        check_pairs((uint64_t)mixed(6 * i) << 32 | mixed(6 * i + 1),
                    (uint64_t)mixed(6 * i + 2) << 32 | mixed(6 * i + 3),
                    (uint64_t)mixed(6 * i + 4) << 32 | mixed(6 * i + 5));
}

/* ---- NaNs of f64, permuted bytes ------------------------------------------------------------- */

static const uint64_t doubles[] = {0x0000000000000000, 0x8000000000000001, 0x3ff0000000000000,
                                   0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001,
                                   0xfff7123456789abc, 0x7ff8000000000002, 0xffffffffffffffff};
enum { DOUBLES = sizeof doubles / sizeof *doubles };

static bool is_nan(uint64_t bits)
{
    return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

/* b before c before a, made quiet */
static void nans_of_f64_are_the_operands(void **state)
{
    (void)state;
    for (unsigned i = 0; i < DOUBLES * DOUBLES * DOUBLES; i++) {
        const uint64_t a = doubles[i % DOUBLES], b = doubles[i / DOUBLES % DOUBLES],
                       c = doubles[i / DOUBLES / DOUBLES], quiet = UINT64_C(1) << 51,
                       other = 0x7ff800000000000f;
        const double x = ifl_bits_f64(a), y = ifl_bits_f64(b), z = ifl_bits_f64(c),
                     result = ifl_bits_f64(other);
        const uint64_t of_two = is_nan(b)   ? b | quiet
                                : is_nan(a) ? a | quiet
                                            : other,
                       of_three = is_nan(b)   ? b | quiet
                                  : is_nan(c) ? c | quiet
                                  : is_nan(a) ? a | quiet
                                              : other;
        assert_true(ifl_f64_bits(ifl_nan2(result, x, y)) == of_two);
        assert_true(ifl_f64_bits(ifl_nan3(result, x, y, z)) == of_three);
    }
}

static void bytes_are_permuted(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 0x20000; i++) {
        const uint32_t a = mixed(2 * i), b = mixed(2 * i + 1),
                       selectors = i & 0x10000 ? mixed(i) : i;
        const uint64_t bytes = (uint64_t)b << 32 | a;
        uint32_t wanted = 0;
        for (unsigned k = 0; k < 4; k++) {
            const uint32_t selector = selectors >> 4 * k & 15,
                           byte = (uint32_t)(bytes >> 8 * (selector & 7)) & 0xff;
            wanted |= (selector < 8 ? byte : byte & 0x80 ? 0xff : 0) << 8 * k;
        }
        assert_int_equal(ifl_prmt(a, b, selectors), wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_are_compared_with_every_relation),
        cmocka_unit_test(halves_are_widened_with_and_without_ftz),
        cmocka_unit_test(products_and_sums_are_saturated),
        cmocka_unit_test(pairs_are_as_one_after_another),
        cmocka_unit_test(nans_of_f64_are_the_operands),
        cmocka_unit_test(bytes_are_permuted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
