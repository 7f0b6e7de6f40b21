/* SPDX-License-Identifier: Apache-2.0
 * rounded_lane.h against other ways to the same results: f16 against sums that a double holds exactly or rounded to odd, f32
 * against the host in each of its rounding modes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fenv.h>

#include "exec/rounded_lane.h"

static const ifl_modifiers none = {0};

static const uint16_t halves[] = {0x0000, 0x0001, 0x0002, 0x0003, 0x03ff, 0x0400, 0x0401, 0x07ff, 0x0800, 0x13ff, 0x1400, 0x2bff,
                                  0x3555, 0x37ff, 0x3800, 0x3801, 0x3bff, 0x3c00, 0x3c01, 0x3c02, 0x3fff, 0x4000, 0x5bff, 0x6bff,
                                  0x77ff, 0x7800, 0x7bfe, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff};
enum { HALVES = sizeof halves / sizeof *halves };

static uint16_t half_at(unsigned i)
{
    return (uint16_t)(halves[i % HALVES] | (i / HALVES ? 0x8000 : 0));
}

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

static void check_halves(uint16_t a, uint16_t b, uint16_t c)
{
    if (ifl_f16_add(a, b) != ifl_half_add(&ifl_f16, &none, a, b))
        fail_msg("0x%04x + 0x%04x = 0x%04x", a, b, ifl_f16_add(a, b));
    if (ifl_f16_mul(a, b) != ifl_half_mul(&ifl_f16, &none, a, b))
        fail_msg("0x%04x * 0x%04x = 0x%04x", a, b, ifl_f16_mul(a, b));
    if (ifl_f16_fma(a, b, c) != ifl_half_fma(&ifl_f16, &none, a, b, c))
        fail_msg("0x%04x * 0x%04x + 0x%04x = 0x%04x", a, b, c, ifl_f16_fma(a, b, c));
}

static void f16_by_f32_is_rounded_once(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 2 * HALVES; a++)
        for (unsigned b = 0; b < 2 * HALVES; b++)
            for (unsigned c = 0; c < 2 * HALVES; c++)
                check_halves(half_at(a), half_at(b), half_at(c));
    for (uint32_t i = 0; i < 1000000; i++)
        check_halves((uint16_t)mixed(3 * i), (uint16_t)mixed(3 * i + 1), (uint16_t)mixed(3 * i + 2));
}

/* ---- f32 --------------------------------------------------------------------------------------------------------- */

static const uint32_t floats[] = {0x00000000, 0x00000001, 0x00000003, 0x007fffff, 0x00800000, 0x00800001, 0x1a000000,
                                  0x33800000, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000,
                                  0x4b000001, 0x4b7fffff, 0x5effffff, 0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000};
enum { FLOATS = sizeof floats / sizeof *floats };

static const struct {
    unsigned rounding;
    int host;
} modes[] = {{IFL_ROUND_RN, FE_TONEAREST}, {IFL_ROUND_RZ, FE_TOWARDZERO}, {IFL_ROUND_RM, FE_DOWNWARD}, {IFL_ROUND_RP, FE_UPWARD}};

typedef struct results {
    float sum, product, fused, whole;
} results;

/* Volatile: no operation may leave its rounding mode. */
static results of_host(int mode, float a, float b, float c, int32_t n)
{
    volatile float x = a, y = b, z = c;
    volatile int32_t whole = n;
    fesetround(mode);
    volatile float sum = x + y, product = x * y, fused = fmaf(x, y, z), converted = (float)whole;
    fesetround(FE_TONEAREST);
    return (results){sum, product, fused, converted};
}

static void check_same(float found, float wanted, unsigned mode, uint32_t a, uint32_t b)
{
    const bool are_same = wanted != wanted ? found != found : ifl_f32_bits(found) == ifl_f32_bits(wanted);
    if (!are_same)
        fail_msg("mode %u, 0x%08x, 0x%08x: 0x%08x, not 0x%08x", mode, a, b, ifl_f32_bits(found), ifl_f32_bits(wanted));
}

static void check_floats(uint32_t a, uint32_t b, uint32_t c)
{
    const float x = ifl_bits_f32(a), y = ifl_bits_f32(b), z = ifl_bits_f32(c);
    for (unsigned m = 0; m < sizeof modes / sizeof *modes; m++) {
        const unsigned rounding = modes[m].rounding;
        const results wanted = of_host(modes[m].host, x, y, z, (int32_t)a);
        check_same(ifl_round_add_f32(rounding, x, y), wanted.sum, m, a, b);
        check_same(ifl_round_mul_f32(rounding, x, y), wanted.product, m, a, b);
        check_same(ifl_round_fma_f32(rounding, x, y, z), wanted.fused, m, a, b);
        check_same(ifl_f32_of_whole(rounding, (int32_t)a), wanted.whole, m, a, b);
    }
}

static uint32_t float_at(unsigned i)
{
    return floats[i % FLOATS] | (i / FLOATS ? 0x80000000 : 0);
}

static void f32_is_rounded_as_by_the_host(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 2 * FLOATS; a++)
        for (unsigned b = 0; b < 2 * FLOATS; b++)
            for (unsigned c = 0; c < 2 * FLOATS; c++)
                check_floats(float_at(a), float_at(b), float_at(c));
    for (uint32_t i = 0; i < 200000; i++)
        check_floats(mixed(3 * i), mixed(3 * i + 1), mixed(3 * i + 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f16_by_f32_is_rounded_once),
        cmocka_unit_test(f32_is_rounded_as_by_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
