/* SPDX-License-Identifier: Apache-2.0
 * rounded_lane.h against other ways to the same results: f16 against sums that a double holds
 * exactly or rounded to odd, f32 against the host in each of its rounding modes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fenv.h>

#include "exec/rounded_lane.h"

static const ifl_modifiers none = {0};

static const uint16_t halves[] = {0x0000, 0x0001, 0x0002, 0x0003, 0x03ff, 0x0400, 0x0401, 0x07ff,
                                  0x0800, 0x13ff, 0x1400, 0x2bff, 0x3555, 0x37ff, 0x3800, 0x3801,
                                  0x3bff, 0x3c00, 0x3c01, 0x3c02, 0x3fff, 0x4000, 0x5bff, 0x6bff,
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
    for (uint32_t i = 0; i < 200000; i++)
        check_halves((uint16_t)mixed(3 * i), (uint16_t)mixed(3 * i + 1),
                     (uint16_t)mixed(3 * i + 2));
}

/* ---- f16 and bf16 with their modifiers ------------------------------------------------------- */

static const uint32_t cuts[] = {0, IFL_FLAG_SAT, IFL_FLAG_RELU, IFL_FLAG_SAT | IFL_FLAG_RELU};

static void check_code(uint32_t found, uint32_t wanted, const char *what, uint32_t flags,
                       uint16_t a, uint16_t b, uint16_t c)
{
    if (found != wanted)
        fail_msg("%s, flags 0x%x, 0x%04x 0x%04x 0x%04x: 0x%04x, not 0x%04x", what, flags, a, b, c,
                 found, wanted);
}

static void check_cuts(uint16_t a, uint16_t b, uint16_t c)
{
    for (unsigned i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        const ifl_modifiers m = {.flags = cuts[i]};
        check_code(ifl_cut_f16_add(&m, a, b), ifl_half_add(&ifl_f16, &m, a, b), "f16 a + b",
                   m.flags, a, b, 0);
        check_code(ifl_cut_f16_mul(&m, a, b), ifl_half_mul(&ifl_f16, &m, a, b), "f16 a * b",
                   m.flags, a, b, 0);
        check_code(ifl_cut_f16_fma(&m, a, b, c), ifl_half_fma(&ifl_f16, &m, a, b, c),
                   "f16 a * b + c", m.flags, a, b, c);
        check_code(ifl_cut_bf16_add(&m, a, b), ifl_half_add(&ifl_bf16, &m, a, b), "bf16 a + b",
                   m.flags, a, b, 0);
        check_code(ifl_cut_bf16_mul(&m, a, b), ifl_half_mul(&ifl_bf16, &m, a, b), "bf16 a * b",
                   m.flags, a, b, 0);
        check_code(ifl_cut_bf16_fma(&m, a, b, c), ifl_half_fma(&ifl_bf16, &m, a, b, c),
                   "bf16 a * b + c", m.flags, a, b, c);
    }
}

static const uint16_t bfloats[] = {0x0000, 0x0001, 0x0002, 0x0003, 0x007f, 0x0080, 0x0081,
                                   0x00ff, 0x1a00, 0x1fff, 0x2000, 0x337f, 0x3380, 0x3f00,
                                   0x3f7f, 0x3f80, 0x3f81, 0x3fff, 0x4b7f, 0x5f80, 0x5fff,
                                   0x7e7f, 0x7f00, 0x7f7e, 0x7f7f, 0x7f80, 0x7f81, 0x7fff};
enum { BFLOATS = sizeof bfloats / sizeof *bfloats };

static uint16_t bfloat_at(unsigned i)
{
    return (uint16_t)(bfloats[i % BFLOATS] | (i / BFLOATS ? 0x8000 : 0));
}

static void halves_are_cut_and_rounded_once(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 2 * HALVES; a++)
        for (unsigned b = 0; b < 2 * HALVES; b++)
            for (unsigned c = 0; c < 2 * HALVES; c++)
                check_cuts(half_at(a), half_at(b), half_at(c));
    for (unsigned a = 0; a < 2 * BFLOATS; a++)
        for (unsigned b = 0; b < 2 * BFLOATS; b++)
            for (unsigned c = 0; c < 2 * BFLOATS; c++)
                check_cuts(bfloat_at(a), bfloat_at(b), bfloat_at(c));
    for (uint32_t i = 0; i < 100000; i++)
        check_cuts((uint16_t)mixed(3 * i), (uint16_t)mixed(3 * i + 1), (uint16_t)mixed(3 * i + 2));
}

static void check_picks(const ifl_format *f, uint16_t a, uint16_t b)
{
    static const uint32_t each[] = {IFL_FLAG_FTZ, IFL_FLAG_SAT,     IFL_FLAG_RELU,
                                    IFL_FLAG_NAN, IFL_FLAG_XORSIGN, IFL_FLAG_ABS};
    for (unsigned set = 0; set < 1u << sizeof each / sizeof *each; set++) {
        ifl_modifiers m = {0};
        for (unsigned k = 0; k < sizeof each / sizeof *each; k++)
            m.flags |= set >> k & 1 ? each[k] : 0;
        check_code(ifl_half_pick(f, &m, a, b, false), ifl_half_min(f, &m, a, b), "minimum", m.flags,
                   a, b, 0);
        check_code(ifl_half_pick(f, &m, a, b, true), ifl_half_max(f, &m, a, b), "maximum", m.flags,
                   a, b, 0);
    }
}

static void halves_are_picked_with_every_modifier(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 2 * HALVES; a++)
        for (unsigned b = 0; b < 2 * HALVES; b++)
            check_picks(&ifl_f16, half_at(a), half_at(b));
    for (unsigned a = 0; a < 2 * BFLOATS; a++)
        for (unsigned b = 0; b < 2 * BFLOATS; b++)
            check_picks(&ifl_bf16, bfloat_at(a), bfloat_at(b));
    for (uint32_t i = 0; i < 10000; i++) {
        check_picks(&ifl_f16, (uint16_t)mixed(2 * i), (uint16_t)mixed(2 * i + 1));
        check_picks(&ifl_bf16, (uint16_t)mixed(2 * i), (uint16_t)mixed(2 * i + 1));
    }
}

/* ---- f32 ------------------------------------------------------------------------------------- */

static const uint32_t floats[] = {
    0x00000000, 0x00000001, 0x00000003, 0x007fffff, 0x00800000, 0x00800001, 0x1a000000,
    0x33800000, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000,
    0x4b000001, 0x4b7fffff, 0x5effffff, 0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000};
enum { FLOATS = sizeof floats / sizeof *floats };

static const struct {
    unsigned rounding;
    int host;
} modes[] = {{IFL_ROUND_RN, FE_TONEAREST},
             {IFL_ROUND_RZ, FE_TOWARDZERO},
             {IFL_ROUND_RM, FE_DOWNWARD},
             {IFL_ROUND_RP, FE_UPWARD}};

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
    const bool are_same =
        wanted != wanted ? found != found : ifl_f32_bits(found) == ifl_f32_bits(wanted);
    if (!are_same)
        fail_msg("mode %u, 0x%08x, 0x%08x: 0x%08x, not 0x%08x", mode, a, b, ifl_f32_bits(found),
                 ifl_f32_bits(wanted));
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

static void check_picked(uint32_t a, uint32_t b)
{
    static const uint32_t flags[] = {0, IFL_FLAG_NAN, IFL_FLAG_ABS, IFL_FLAG_XORSIGN | IFL_FLAG_ABS,
                                     IFL_FLAG_XORSIGN | IFL_FLAG_ABS | IFL_FLAG_NAN};
    const float x = ifl_bits_f32(a), y = ifl_bits_f32(b);
    for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
        const ifl_modifiers m = {.flags = flags[i]};
        check_same(ifl_pick_f32(&m, x, y, false), ifl_pick(&m, x, y, false), i, a, b);
        check_same(ifl_pick_f32(&m, x, y, true), ifl_pick(&m, x, y, true), i, a, b);
    }
}

static void floats_are_picked_with_every_modifier(void **state)
{
    static const uint32_t nans[] = {0x7f800001, 0x7fc00000, 0x7fffffff, 0xff800001, 0xffffffff};
    (void)state;
    for (unsigned a = 0; a < 2 * FLOATS; a++) {
        for (unsigned b = 0; b < 2 * FLOATS; b++)
            check_picked(float_at(a), float_at(b));
        for (unsigned n = 0; n < sizeof nans / sizeof *nans; n++) {
            check_picked(float_at(a), nans[n]);
            check_picked(nans[n], float_at(a));
            check_picked(nans[n], nans[4 - n]);
        }
    }
    for (uint32_t i = 0; i < 100000; i++)
        check_picked(mixed(2 * i), mixed(2 * i + 1));
}

/* ---- conversions ----------------------------------------------------------------------------- */

static const ifl_format *const formats[] = {&ifl_f16,  &ifl_bf16, &ifl_tf32, &ifl_e4m3,
                                            &ifl_e5m2, &ifl_e2m3, &ifl_e3m2};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Each of the flags with the four roundings. */
#define ROUNDINGS(bits)                                                                            \
    {.flags = bits, .rounding = IFL_ROUND_RN}, {.flags = bits, .rounding = IFL_ROUND_RN + 1},      \
        {.flags = bits, .rounding = IFL_ROUND_RN + 2},                                             \
    {                                                                                              \
        .flags = bits, .rounding = IFL_ROUND_RN + 3                                                \
    }

static const ifl_modifiers narrowings[] = {
    ROUNDINGS(0),
    ROUNDINGS(IFL_FLAG_SAT),
    ROUNDINGS(IFL_FLAG_RELU),
    ROUNDINGS(IFL_FLAG_SATFINITE),
    ROUNDINGS(IFL_FLAG_RELU | IFL_FLAG_SATFINITE),
    ROUNDINGS(IFL_FLAG_SAT | IFL_FLAG_RELU | IFL_FLAG_SATFINITE)};
enum { NARROWINGS = sizeof narrowings / sizeof *narrowings };

static void check_narrow_to(const ifl_format *f, uint32_t bits)
{
    const float x = ifl_bits_f32(bits);
    for (unsigned i = 0; i < NARROWINGS; i++) {
        const ifl_modifiers *m = &narrowings[i];
        const uint32_t found = ifl_code_of(f, m, x), wanted = ifl_narrow_to(f, m, (double)x);
        if (found != wanted)
            fail_msg("infinity 0x%x, flags 0x%x, rounding %u, 0x%08x: 0x%x, not 0x%x", f->infinity,
                     m->flags, m->rounding, bits, found, wanted);
    }
}

static void check_narrow(uint32_t bits)
{
    for (unsigned k = 0; k < FORMATS; k++)
        check_narrow_to(formats[k], bits);
}

/* What lies between the codes of a format, in the middle and beside it, past the largest code
 * too. To the other formats these are floats like any: each thirteenth is narrowed to them too. Under the
 * sanitizers nothing but each thirteenth code, of the formats that have many. */
static void check_between_codes(const ifl_format *f)
{
    enum { EACH = 13 };
    const uint32_t step = (f->sign > 0x8000 ? 7 : 1) * (IS_SANITIZED && f->sign > 0x80 ? EACH : 1);
    for (uint32_t code = 0, n = 0; code <= f->infinity; code += step, n++) {
        const uint32_t cut = (uint32_t)(22 - f->mantissa), bits = ifl_f32_bits(ifl_widen(f, code)),
                       half = UINT32_C(1) << cut;
        const uint32_t at[] = {bits,        bits - 1,        bits + 1,   bits + half - 1,
                               bits + half, bits + half + 1, bits - half};
        for (unsigned i = 0; i < 2 * sizeof at / sizeof *at; i++) {
            const uint32_t signed_bits = (at[i / 2] & INT32_MAX) | (i % 2 ? 0x80000000 : 0);
            if (f->sign <= 0x80 || n % EACH == 0)
                check_narrow(signed_bits);
            else
                check_narrow_to(f, signed_bits);
        }
    }
}

static void halves_are_rounded_to_whole_numbers(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x10000; code++)
        for (unsigned i = 0; i < 8; i++) {
            const unsigned rounding = IFL_ROUND_RNI + i % 4;
            const float x = ifl_widen(formats[i / 4], code);
            check_same(ifl_round_f32(rounding, x), (float)ifl_round(rounding, (double)x), rounding,
                       code, 0);
        }
}

static const uint32_t not_numbers[] = {0x7f800000, 0xff800000, 0x7f800001, 0xffbfffff,
                                       0x7fc00000, 0xffc12345, 0x7fffffff};
enum { NOT_NUMBERS = sizeof not_numbers / sizeof *not_numbers };

static void floats_are_narrowed_in_every_rounding(void **state)
{
    (void)state;
    for (unsigned k = 0; k < FORMATS; k++)
        check_between_codes(formats[k]);
    for (unsigned i = 0; i < NOT_NUMBERS; i++)
        check_narrow(not_numbers[i]);
    for (uint32_t i = 0; i < 100000; i++)
        check_narrow(i < 100000 ? mixed(i) : (mixed(i) & 0x8fffffff) | 0x30000000);
}

static void check_double(uint64_t bits)
{
    static const uint32_t flags[] = {0, IFL_FLAG_FTZ, IFL_FLAG_SAT, IFL_FLAG_FTZ | IFL_FLAG_SAT};
    const double x = ifl_bits_f64(bits);
    for (unsigned i = 0; i < 16; i++) {
        const ifl_modifiers m = {.flags = flags[i / 4],
                                 .rounding = (uint8_t)(IFL_ROUND_RN + i % 4)};
        const uint32_t found = ifl_f32_bits(ifl_f32_of(&m, x)), wanted = ifl_f64_to_f32(&m, x);
        if (found != wanted)
            fail_msg("f32, flags 0x%x, rounding %u, %a: 0x%x, not 0x%x", m.flags, m.rounding, x,
                     found, wanted);
        for (unsigned k = 0; k < 2; k++) {
            const uint32_t half = ifl_half_of_f64(formats[k], &m, x),
                           right = ifl_f64_to_half(formats[k], &m, x);
            if (half != right)
                fail_msg("format %u, flags 0x%x, rounding %u, %a: 0x%x, not 0x%x", k, m.flags,
                         m.rounding, x, half, right);
        }
    }
}

static void check_doubles_beside(uint32_t bits)
{
    const uint64_t near = ifl_f64_bits((double)ifl_bits_f32(bits)), half = UINT64_C(1) << 28;
    const uint64_t at[] = {
        near, near + 1, near - 1, near + half, near + half - 1, near + half + 1, near - half};
    for (unsigned i = 0; i < sizeof at / sizeof *at; i++)
        check_double(at[i]);
}

static void doubles_are_narrowed_in_every_rounding(void **state)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x36a0000000000000,
                                     0x3690000000000001,
                                     0x47efffffe0000000,
                                     0x47effffff0000000,
                                     0x47f0000000000000,
                                     0x7fefffffffffffff,
                                     0x7ff0000000000000,
                                     0x7ff0000000000001,
                                     0x7ff8000000000000,
                                     0x7ff4567890abcdef,
                                     0x7fffffffffffffff};
    (void)state;
    for (unsigned i = 0; i < sizeof edges / sizeof *edges; i++) {
        check_double(edges[i]);
        check_double(edges[i] | UINT64_C(1) << 63);
    }
    for (uint32_t i = 0; i < 0x10000; i++)
        check_doubles_beside(i << 16);
    for (uint32_t i = 0; i < 0x8000; i++) /* what f16 and subnormal f32 are rounded from */
        check_doubles_beside(i & 1 ? mixed(i) & 0x807fffff
                                   : ifl_f32_bits(ifl_widen(&ifl_f16, i) * 1.00048828125f));
    for (uint32_t i = 0; i < 100000; i++)
        check_double((uint64_t)mixed(2 * i) << 32 | mixed(2 * i + 1));
}

static void check_integer(uint64_t x)
{
    for (unsigned i = 0; i < 8; i++) {
        const ifl_modifiers m = {.flags = i / 4 ? IFL_FLAG_SAT : 0,
                                 .rounding = (uint8_t)(IFL_ROUND_RN + i % 4)};
        const double is_signed = ifl_s64_odd((int64_t)x), is_unsigned = ifl_u64_odd(x);
        assert_int_equal(ifl_f32_bits(ifl_f32_of(&m, is_signed)),
                         ifl_f32_bits(ifl_narrow_f32(&m, is_signed)));
        assert_int_equal(ifl_f32_bits(ifl_f32_of(&m, is_unsigned)),
                         ifl_f32_bits(ifl_narrow_f32(&m, is_unsigned)));
        if (m.rounding == IFL_ROUND_RN) {
            assert_int_equal(ifl_f32_bits(ifl_out(&m, (float)(int64_t)x)),
                             ifl_f32_bits(ifl_narrow_f32(&m, is_signed)));
            assert_int_equal(ifl_f32_bits(ifl_out(&m, (float)x)),
                             ifl_f32_bits(ifl_narrow_f32(&m, is_unsigned)));
        }
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(ifl_code_of(formats[k], &m, ifl_f32_odd(is_signed, 0)),
                             ifl_narrow_to(formats[k], &m, is_signed));
            assert_int_equal(ifl_code_of(formats[k], &m, ifl_f32_odd(is_unsigned, 0)),
                             ifl_narrow_to(formats[k], &m, is_unsigned));
        }
    }
}

static void integers_are_narrowed_in_every_rounding(void **state)
{
    (void)state;
    for (unsigned top = 0; top < 64; top++)
        for (int off = -3; off <= 3; off++) {
            check_integer((UINT64_C(1) << top) + (uint64_t)off);
            check_integer((UINT64_C(1) << top) + (UINT64_C(1) << top >> 24) + (uint64_t)off);
            check_integer((UINT64_C(1) << top) + 3 * (UINT64_C(1) << top >> 24) + (uint64_t)off);
            check_integer(0 - ((UINT64_C(1) << top) + (UINT64_C(1) << top >> 24)) + (uint64_t)off);
        }
    for (uint32_t i = 0; i < 100000; i++)
        check_integer(((uint64_t)mixed(2 * i) << 32 | mixed(2 * i + 1)) >> (i & 63));
}

static void check_scaled(uint32_t a, uint32_t b)
{
    static const double factors[] = {0.125, 0.5, 2, 8};
    for (unsigned i = 0; i < 64; i++) {
        const ifl_modifiers m = {.flags = (i & 4 ? IFL_FLAG_FTZ : 0u) | (i & 8 ? IFL_FLAG_SAT : 0u),
                                 .rounding = (uint8_t)(IFL_ROUND_RN + i % 4)};
        const float x = ifl_bits_f32(a), y = ifl_bits_f32(b);
        check_same(ifl_scaled_product(&m, x, y, factors[i / 16]),
                   ifl_scaled_mul_f32(&m, x, y, factors[i / 16]), i, a, b);
    }
}

static void products_are_scaled_in_every_rounding(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 2 * FLOATS; a++) {
        for (unsigned b = 0; b < 2 * FLOATS; b++)
            check_scaled(float_at(a), float_at(b));
        for (unsigned b = 0; b < NOT_NUMBERS; b++)
            check_scaled(float_at(a), not_numbers[b]);
    }
    for (uint32_t i = 0; i < 30000; i++)
        check_scaled(mixed(2 * i), mixed(2 * i + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f16_by_f32_is_rounded_once),
        cmocka_unit_test(halves_are_cut_and_rounded_once),
        cmocka_unit_test(halves_are_picked_with_every_modifier),
        cmocka_unit_test(f32_is_rounded_as_by_the_host),
        cmocka_unit_test(floats_are_picked_with_every_modifier),
        cmocka_unit_test(halves_are_rounded_to_whole_numbers),
        cmocka_unit_test(floats_are_narrowed_in_every_rounding),
        cmocka_unit_test(doubles_are_narrowed_in_every_rounding),
        cmocka_unit_test(integers_are_narrowed_in_every_rounding),
        cmocka_unit_test(products_are_scaled_in_every_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
