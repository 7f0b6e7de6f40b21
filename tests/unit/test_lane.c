/* SPDX-License-Identifier: Apache-2.0
 * The arithmetic of one lane: the rows of isa/opcode.def and the functions of simt/lane.h against
 * definitions (PTX ISA pseudo-code, IEEE 754 in __float128) and against results recorded on a GPU
 * (lane_h200.def). */
#include "lane_rows.h"

/* ---- every row ------------------------------------------------------------------------------- */

static void take_all_edges(int row, const ifl_modifiers *m)
{
    uint64_t in[MAX_SOURCES] = {0};
    for (unsigned i = 0; i < 400; i++) {
        for (unsigned slot = 0; slot < MAX_SOURCES; slot++)
            in[slot] = sample((uint64_t)row, i, slot, slot < 3 ? 8 : 4);
        row_value(row, m, in);
    }
}

/* Rows are total: no input traps or is undefined (what the sanitizers see), under any modifier that
 * they accept. */
static void test_rows_are_total(void **state)
{
    (void)state;
    static const uint32_t flags[] = {0,
                                     IFL_FLAG_FTZ,
                                     IFL_FLAG_SAT,
                                     IFL_FLAG_FTZ | IFL_FLAG_SAT,
                                     IFL_FLAG_RELU,
                                     IFL_FLAG_SATFINITE,
                                     IFL_FLAG_APPROX,
                                     IFL_FLAG_APPROX | IFL_FLAG_FTZ,
                                     IFL_FLAG_NAN | IFL_FLAG_XORSIGN | IFL_FLAG_ABS};
    for (int row = 0; row < ROW_COUNT; row++) {
        unsigned taken = 0;
        for (unsigned i = 0; i < COUNT(flags) * 10 * 4; i++) {
            ifl_modifiers m = {.flags = flags[i % COUNT(flags)]};
            m.rounding = (uint8_t)(i / COUNT(flags) % 10);
            m.half = (uint8_t)(i / COUNT(flags) / 10);
            m.wrap = IFL_WRAP_WRAP;
            m.mode = shapes[row].opcode == IFL_OP_SHF ? IFL_MODE_LEFT + row % 2 : 0;
            if (shapes[row].opcode == IFL_OP_TESTP)
                m.mode = (uint8_t)(IFL_MODE_FINITE + i % 6);
            m.compare = (uint8_t)(1 + i % 14);
            if (row_holds(row, &m) && taken++ < 40)
                take_all_edges(row, &m);
        }
    }
}

/* PTX ISA 9.0's syntax, as ptxas 13.0 reads it. */
static void test_what_has_a_row(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int sources;
        bool allowed;
    } forms[] = {
        {"add.u16x2", 2, true},
        {"sub.u16x2", 2, false},
        {"add.sat.s32", 2, true},
        {"add.sat.u32", 2, false},
        {"add.cc.u32", 2, false},
        {"add.rn.u32", 2, false},
        {"add.rz.f16", 2, false},
        {"add.rn.bf16x2", 2, true},
        {"add.ftz.bf16", 2, false},
        {"add.rp.ftz.f32x2", 2, true},
        {"add.sat.f32x2", 2, false},
        {"add.rz.sat.f32.f16", 2, true},
        {"mul.u32", 2, false},
        {"mul.lo.u32", 2, true},
        {"mul.lo.f32", 2, false},
        {"mul.wide.u64", 2, false},
        {"mad.hi.sat.s32", 3, true},
        {"mad.lo.sat.s32", 3, false},
        {"fma.f32", 3, false},
        {"fma.rn.f32", 3, true},
        {"fma.rn.relu.f16x2", 3, true},
        {"fma.rn.relu.f32", 3, false},
        {"fma.rn.sat.relu.f16", 3, false},
        {"div.f32", 2, false},
        {"div.full.ftz.f32", 2, true},
        {"div.approx.f64", 2, false},
        {"rcp.approx.ftz.f64", 1, true},
        {"rcp.approx.f64", 1, false},
        {"sqrt.approx.f64", 1, false},
        {"rsqrt.approx.f64", 1, true},
        {"sin.f32", 1, false},
        {"ex2.approx.bf16", 1, false},
        {"ex2.approx.ftz.bf16", 1, true},
        {"tanh.approx.ftz.f32", 1, false},
        {"min.relu.s32", 2, true},
        {"min.relu.u32", 2, false},
        {"min.relu.s16x2", 2, true},
        {"max.xorsign.abs.f32", 2, true},
        {"max.abs.f32", 2, false},
        {"max.abs.f32", 3, true},
        {"max.xorsign.abs.f32", 3, false},
        {"min.ftz.bf16", 2, false},
        {"abs.u32", 1, false},
        {"neg.ftz.f16x2", 1, true},
        {"popc.u32", 1, false},
        {"setp.lt.b32", 2, false},
        {"setp.ne.b32", 2, true},
        {"setp.ltu.s32", 2, false},
        {"setp.ltu.ftz.f32", 2, true},
        {"setp.eq.ftz.f64", 2, false},
        {"and.u32", 2, false},
        {"shl.u32", 2, false},
        {"shr.u32", 2, true},
        {"slct.ftz.b64.f32", 3, true},
        {"slct.ftz.b64.s32", 3, false},
        {"cvt.sat.u8.s32", 1, true},
        {"cvt.sat.s32.u8", 1, false},
        {"cvt.s32.f32", 1, false},
        {"cvt.rzi.s32.f32", 1, true},
        {"cvt.rn.s32.f32", 1, false},
        {"cvt.rn.f32.s32", 1, true},
        {"cvt.f32.s32", 1, false},
        {"cvt.f64.f32", 1, true},
        {"cvt.f32.f64", 1, false},
        {"cvt.rni.f32.f64", 1, false},
        {"cvt.rni.f32.f32", 1, true},
        {"cvt.rna.tf32.f32", 1, true},
        {"cvt.rn.relu.satfinite.f16.f32", 1, true},
        {"cvt.rm.relu.f16.f32", 1, false},
        {"cvt.rn.satfinite.e4m3x2.f32", 2, true},
        {"cvt.rn.e4m3x2.f32", 2, false},
        {"cvt.rn.f16x2.e5m2x2", 1, true},
        {"cvt.rp.satfinite.ue8m0x2.f32", 2, true},
        {"cvt.rn.ue8m0x2.f32", 2, false},
        {"cvt.pack.sat.s8.s32.b32", 3, true},
    };
    for (size_t i = 0; i < COUNT(forms); i++)
        if (has_row(forms[i].name, forms[i].sources) != forms[i].allowed)
            fail_msg("%s, %d sources: row %s", forms[i].name, forms[i].sources,
                     forms[i].allowed ? "missing" : "found");
}

static uint64_t name_seed(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325;
    while (*name)
        hash = (hash ^ (unsigned char)*name++) * 0x100000001b3;
    return hash;
}

static uint64_t hash_of_results(const char *name, int sources)
{
    ifl_modifiers m;
    int row = find_row(name, sources, &m);
    uint64_t hash = 0, in[MAX_SOURCES] = {0};
    if (row < 0)
        fail_msg("no row for %s", name);
    for (unsigned i = 0; i < SAMPLES; i++) {
        for (unsigned slot = 0; slot < (unsigned)sources; slot++)
            in[slot] = sample(name_seed(name), i, slot, shapes[row].bytes[slot]);
        hash = mix(hash ^ row_value(row, &m, in));
    }
    return hash;
}

static void test_same_as_hardware(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int sources;
        uint64_t hash;
    } recorded[] = {
#define HARDWARE(name, sources, hash) {name, sources, hash},
#include "lane_h200.def"
#undef HARDWARE
    };
    unsigned different = 0;
    for (size_t i = 0; i < COUNT(recorded); i++)
        if (hash_of_results(recorded[i].name, recorded[i].sources) != recorded[i].hash) {
            print_error("%s is not what the GPU gives\n", recorded[i].name);
            different++;
        }
    assert_int_equal(different, 0);
}

/* ---- one rounding, by definition ------------------------------------------------------------- */

typedef __float128 wide;

static wide wide_power(int exponent)
{
    wide x = 1, step = exponent < 0 ? 0.5 : 2;
    for (unsigned n = (unsigned)abs(exponent); n; n >>= 1, step *= step)
        if (n & 1)
            x *= step;
    return x;
}

static int wide_exponent(wide x)
{
    unsigned __int128 bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 112 & 0x7fff) - 16383;
}

/* x to `digits` binary digits, exponents from `lowest` on, largest finite value `max` (IEEE 754,
 * section 4.3). */
static wide rounded(wide x, int digits, int lowest, wide max, unsigned rounding)
{
    wide magnitude = x < 0 ? -x : x;
    if (magnitude == 0)
        return x;
    int exponent = wide_exponent(magnitude) < lowest ? lowest : wide_exponent(magnitude);
    wide step = wide_power(exponent - digits + 1);
    int64_t below = magnitude / step < 0x1p62Q ? (int64_t)(magnitude / step) : 0;
    wide rest = magnitude / step - below;
    bool up = rounding == IFL_ROUND_RN    ? rest > 0.5 || (rest == 0.5 && below % 2)
              : rounding == IFL_ROUND_RNA ? rest >= 0.5
              : rounding == IFL_ROUND_RP  ? rest > 0 && x > 0
              : rounding == IFL_ROUND_RM  ? rest > 0 && x < 0
                                          : false;
    magnitude = (below + up) * step;
    bool to_max = rounding == IFL_ROUND_RZ || rounding == (x < 0 ? IFL_ROUND_RP : IFL_ROUND_RM);
    if (magnitude > max)
        magnitude = to_max ? max : (wide)INFINITY;
    return x < 0 ? -magnitude : magnitude;
}

/* The sum; where __float128 cannot hold it, its neighbour with an odd last bit, which no format of
 * ours can hold: so rounding it to far fewer digits sees on which side of a boundary the sum is. */
static wide exact_sum(wide x, wide y)
{
    wide sum = x + y, part = sum - x, error = (x - (sum - part)) + (y - part);
    unsigned __int128 bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error != 0 && bits % 2 == 0)
        bits += (error > 0) == (sum > 0) ? 1 : -1;
    memcpy(&sum, &bits, sizeof bits);
    return sum;
}

static wide round_f32(wide x, unsigned rounding)
{
    return rounded(x, 24, -126, 0x1.fffffep127Q, rounding);
}

static wide round_f64(wide x, unsigned rounding)
{
    return rounded(x, 53, -1022, 0x1.fffffffffffffp1023Q, rounding);
}

static bool finite32(uint64_t bits)
{
    return (bits & 0x7f800000) != 0x7f800000;
}

static const char *const rounding_names[] = {"", "rn", "rz", "rm", "rp"};

static uint64_t run_rounded(const char *op, unsigned rounding, const char *type, int sources,
                            const uint64_t *in)
{
    char name[32];
    snprintf(name, sizeof name, "%s.%s.%s", op, rounding_names[rounding], type);
    return run(name, sources, in);
}

static void expect_f32(const char *op, unsigned rounding, int sources, const uint64_t *in,
                       wide exact)
{
    float got = ifl_bits_f32((uint32_t)run_rounded(op, rounding, "f32", sources, in));
    if (got != (float)round_f32(exact, rounding))
        fail_msg("%s.%s.f32 %08x %08x %08x gives %a", op, rounding_names[rounding], (unsigned)in[0],
                 (unsigned)in[1], (unsigned)in[2], (double)got);
}

static void test_f32_roundings(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 6000; i++) {
        uint64_t in[3] = {some32(mix(i)), some32(mix(i + 10000)), some32(mix(i + 20000))};
        if (!finite32(in[0]) || !finite32(in[1]) || !finite32(in[2]))
            continue;
        wide a = ifl_bits_f32((uint32_t)in[0]), b = ifl_bits_f32((uint32_t)in[1]),
             c = ifl_bits_f32((uint32_t)in[2]);
        unsigned rounding = 1 + i % 4;
        expect_f32("add", rounding, 2, in, exact_sum(a, b));
        expect_f32("sub", rounding, 2, in, exact_sum(a, -b));
        expect_f32("mul", rounding, 2, in, a * b);
        expect_f32("fma", rounding, 3, in, exact_sum(a * b, c));
        if (b != 0)
            expect_f32("div", rounding, 2, in, a / b);
        if (a != 0)
            expect_f32("rcp", rounding, 1, in, 1 / a);
    }
}

/* r is the square root of a rounded so: its neighbour on the other side is past the root. */
static void test_sqrt_roundings(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4000; i++) {
        uint64_t in[1] = {some32(mix(i)) & 0x7fffffff};
        wide a = ifl_bits_f32((uint32_t)in[0]);
        if (!finite32(in[0]) || a == 0)
            continue;
        float down = ifl_bits_f32((uint32_t)run_rounded("sqrt", IFL_ROUND_RM, "f32", 1, in));
        float up = ifl_bits_f32((uint32_t)run_rounded("sqrt", IFL_ROUND_RP, "f32", 1, in));
        float near = ifl_bits_f32((uint32_t)run_rounded("sqrt", IFL_ROUND_RN, "f32", 1, in));
        wide low = down, high = up, middle = (low + high) / 2;
        assert_true(low * low <= a && a <= high * high);
        assert_true(down == up || nextafterf(down, INFINITY) == up);
        assert_true(near == (middle * middle > a ? down : up));
    }
}

static void test_f64_roundings(void **state)
{
    (void)state;
    static const char *const ops[] = {"add", "mul", "fma", "div"};
    for (unsigned i = 0; i < 16000; i++) {
        uint64_t in[3] = {some64(mix(i)), some64(mix(i + 20000)), some64(mix(i + 40000))};
        double a = ifl_bits_f64(in[0]), b = ifl_bits_f64(in[1]), c = ifl_bits_f64(in[2]);
        unsigned rounding = 1 + i % 4, op = i / 4 % 4;
        if (!isfinite(a) || !isfinite(b) || !isfinite(c) || b == 0)
            continue;
        wide exact = op == 0   ? exact_sum(a, b)
                     : op == 1 ? (wide)a * b
                     : op == 2 ? exact_sum((wide)a * b, c)
                               : (wide)a / b;
        double got = ifl_bits_f64(run_rounded(ops[op], rounding, "f64", op == 2 ? 3 : 2, in));
        if (got != (double)round_f64(exact, rounding))
            fail_msg("%s.%s.f64 %a %a %a gives %a", ops[op], rounding_names[rounding], a, b, c,
                     got);
    }
}

/* ---- small formats --------------------------------------------------------------------------- */

typedef struct small {
    const char *name;
    const ifl_format *format;
    int exponent_bits, mantissa_bits, bias;
    int specials; /* 2: infinity and NaN as IEEE; 1: all ones is NaN; 0: every code is a number */
} small;

static const small smalls[] = {
    {"f16", &ifl_f16, 5, 10, 15, 2},  {"bf16", &ifl_bf16, 8, 7, 127, 2},
    {"e5m2", &ifl_e5m2, 5, 2, 15, 2}, {"e4m3", &ifl_e4m3, 4, 3, 7, 1},
    {"e2m3", &ifl_e2m3, 2, 3, 1, 0},  {"e3m2", &ifl_e3m2, 3, 2, 3, 0},
    {"e2m1", &ifl_e2m1, 2, 1, 1, 0},
};

/* The value of a magnitude by the definition of the format; INFINITY and NAN for the special
 * codes. */
static double value_of(const small *s, unsigned code)
{
    int exponent = (int)(code >> s->mantissa_bits),
        fraction = (int)(code & ((1u << s->mantissa_bits) - 1));
    unsigned last = (1u << (s->exponent_bits + s->mantissa_bits)) - 1;
    if (s->specials == 2 && exponent == (1 << s->exponent_bits) - 1)
        return fraction ? (double)NAN : (double)INFINITY;
    if (s->specials == 1 && code == last)
        return NAN;
    return exponent
               ? ldexp((1 << s->mantissa_bits) + fraction, exponent - s->bias - s->mantissa_bits)
               : ldexp(fraction, 1 - s->bias - s->mantissa_bits);
}

static unsigned code_count(const small *s)
{
    return 1u << (s->exponent_bits + s->mantissa_bits);
}

static void test_widen_every_code(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(smalls); f++)
        for (unsigned code = 0; code < code_count(&smalls[f]); code++) {
            double value = value_of(&smalls[f], code), got = ifl_widen(smalls[f].format, code);
            assert_true(value != value ? got != got : got == value);
            got = ifl_widen(smalls[f].format, code | code_count(&smalls[f]));
            assert_true(value != value ? got != got : got == -value && signbit(got));
        }
}

/* Each value, the middle to the next one, and both sides of the middle, in every rounding. */
static void test_narrow_around_every_code(void **state)
{
    (void)state;
    static const double part[] = {0, 0x1p-20, 0.5 - 0x1p-20, 0.5, 0.5 + 0x1p-20, 1 - 0x1p-20};
    for (size_t f = 0; f < COUNT(smalls); f++) {
        const small *s = &smalls[f];
        for (unsigned code = 0; code + 1 < code_count(s); code++) {
            double low = value_of(s, code), high = value_of(s, code + 1);
            if (!isfinite(low) || !isfinite(high))
                break;
            for (size_t k = 0; k < COUNT(part); k++) {
                double x = low + (high - low) * part[k];
                bool nearest_up = part[k] > 0.5 || (part[k] == 0.5 && code % 2),
                     above = part[k] > 0;
                uint32_t sign = code_count(s);
                assert_int_equal(ifl_narrow(s->format, x, IFL_ROUND_RN, false), code + nearest_up);
                assert_int_equal(ifl_narrow(s->format, -x, IFL_ROUND_RN, false),
                                 (code + nearest_up) | sign);
                assert_int_equal(ifl_narrow(s->format, x, IFL_ROUND_RNA, false),
                                 code + (part[k] >= 0.5));
                assert_int_equal(ifl_narrow(s->format, -x, IFL_ROUND_RZ, false), code | sign);
                assert_int_equal(ifl_narrow(s->format, x, IFL_ROUND_RP, false), code + above);
                assert_int_equal(ifl_narrow(s->format, -x, IFL_ROUND_RP, false), code | sign);
                assert_int_equal(ifl_narrow(s->format, x, IFL_ROUND_RM, false), code);
                assert_int_equal(ifl_narrow(s->format, -x, IFL_ROUND_RM, false),
                                 (code + above) | sign);
            }
        }
    }
}

static void test_narrow_past_the_end(void **state)
{
    (void)state;
    assert_int_equal(ifl_narrow(&ifl_f16, 65519.99, IFL_ROUND_RN, false), 0x7bff);
    assert_int_equal(ifl_narrow(&ifl_f16, 65520, IFL_ROUND_RN, false), 0x7c00);
    assert_int_equal(ifl_narrow(&ifl_f16, 65520, IFL_ROUND_RN, true), 0x7bff);
    assert_int_equal(ifl_narrow(&ifl_f16, 1e30, IFL_ROUND_RZ, false), 0x7bff);
    assert_int_equal(ifl_narrow(&ifl_f16, -1e30, IFL_ROUND_RP, false), 0xfbff);
    assert_int_equal(ifl_narrow(&ifl_f16, -1e30, IFL_ROUND_RM, false), 0xfc00);
    assert_int_equal(ifl_narrow(&ifl_f16, INFINITY, IFL_ROUND_RZ, false), 0x7c00);
    assert_int_equal(ifl_narrow(&ifl_f16, -INFINITY, IFL_ROUND_RN, true), 0xfbff);
    assert_int_equal(ifl_narrow(&ifl_f16, (double)NAN, IFL_ROUND_RN, true), 0x7fff);
    /* OCP 8-bit formats: e4m3 ends at 448, e5m2 at 57344; fp6 at 7.5 and 28, fp4 at 6 */
    assert_int_equal(RUN("cvt.rn.satfinite.e4m3x2.f32", ifl_f32_bits(448), ifl_f32_bits(-1000)),
                     0x7efe);
    assert_int_equal(RUN("cvt.rn.satfinite.e5m2x2.f32", ifl_f32_bits(57344), ifl_f32_bits(NAN)),
                     0x7b7f);
    assert_int_equal(RUN("cvt.rn.satfinite.e2m3x2.f32", ifl_f32_bits(7.5f), ifl_f32_bits(-9)),
                     0x1f3f);
    assert_int_equal(RUN("cvt.rn.satfinite.e3m2x2.f32", ifl_f32_bits(28), ifl_f32_bits(NAN)),
                     0x1f1f);
    assert_int_equal(RUN("cvt.rn.satfinite.e2m1x2.f32", ifl_f32_bits(6), ifl_f32_bits(-2.5f)),
                     0x7c);
    assert_int_equal(RUN("cvt.rn.relu.satfinite.e2m1x2.f32", ifl_f32_bits(-6), ifl_f32_bits(0.5f)),
                     0x01);
    assert_int_equal(RUN("cvt.rp.ue8m0x2.f32", ifl_f32_bits(1.5f), ifl_f32_bits(INFINITY)), 0x80ff);
    assert_int_equal(
        RUN("cvt.rz.satfinite.ue8m0x2.f32", ifl_f32_bits(-1.5f), ifl_f32_bits(INFINITY)), 0x7ffe);
    assert_int_equal(RUN("cvt.rn.bf16x2.ue8m0x2", 0xff00), 0x7fff0040);
}

/* Every pair of a set of f16 that holds all exponents: sums and products are exact in f64, so one
 * rounding follows. */
static void test_half_arithmetic(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 1u << 16; i += 37)
        for (unsigned j = i % 101; j < 1u << 16; j += 101) {
            double a = ifl_widen(&ifl_f16, i), b = ifl_widen(&ifl_f16, j);
            uint32_t sum = ifl_narrow(&ifl_f16, a + b, IFL_ROUND_RN, false);
            uint32_t product = ifl_narrow(&ifl_f16, a * b, IFL_ROUND_RN, false);
            uint16_t x = (uint16_t)i, y = (uint16_t)j;
            assert_int_equal(ifl_half_add(&ifl_f16, &ifl_unmodified, x, y), sum);
            assert_int_equal(ifl_half_mul(&ifl_f16, &ifl_unmodified, x, y), product);
        }
}

static void expect_half_fma(const char *name, const ifl_format *f, int digits, int lowest,
                            const uint64_t *in)
{
    wide a = ifl_widen(f, (uint32_t)in[0]), b = ifl_widen(f, (uint32_t)in[1]),
         c = ifl_widen(f, (uint32_t)in[2]);
    if (a - a != 0 || b - b != 0 || c - c != 0)
        return;
    wide exact = rounded(exact_sum(a * b, c), digits, lowest, ifl_widen(f, f->max), IFL_ROUND_RN);
    float got = ifl_widen(f, (uint32_t)run(name, 3, in));
    if (got != (float)exact)
        fail_msg("%s %x %x %x gives %a", name, (unsigned)in[0], (unsigned)in[1], (unsigned)in[2],
                 (double)got);
}

static void test_half_fma(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 30000; i++) {
        uint64_t in[3] = {some16(mix(i)), some16(mix(i + 100000)), some16(mix(i + 200000))};
        expect_half_fma("fma.rn.f16", &ifl_f16, 11, -14, in);
        expect_half_fma("fma.rn.bf16", &ifl_bf16, 8, -126, in);
    }
    /* 1.0078125 * 1.5 is halfway between two bf16: a c far below it decides */
    assert_int_equal(RUN("fma.rn.bf16", 0x3f81, 0x3fc0, 0x0001), 0x3fc2);
    assert_int_equal(RUN("fma.rn.bf16", 0x3f81, 0x3fc0, 0x8001), 0x3fc1);
}

/* ---- flags of floating-point instructions ---------------------------------------------------- */

static void test_flush_to_zero(void **state)
{
    (void)state;
    assert_int_equal(RUN("add.ftz.f32", 0x807fffff, 0), 0);
    assert_int_equal(RUN("add.ftz.f32", 0x807fffff, 0x80000000), 0x80000000);
    assert_int_equal(RUN("sub.ftz.f32", 0x00800001, 0x00800000), 0);
    assert_int_equal(RUN("abs.ftz.f32", 0x80000001), 0);
    /* (1 - 2^-24) 2^-126 rounds to the smallest normal as a subnormal, not as a normal: flushed
     * (H200) */
    assert_int_equal(RUN("cvt.rn.f32.f64", 0x380fffffee000000), 0x00800000);
    assert_int_equal(RUN("cvt.rn.ftz.f32.f64", 0x380fffffee000000), 0);
    assert_int_equal(RUN("cvt.rn.ftz.f32.f64", 0x380ffffff0000000), 0x00800000);
    assert_int_equal(RUN("mul.rn.f32", 0x2072f605, 0x1f86de8f), 0x00800000);
    assert_int_equal(RUN("mul.ftz.f32", 0x2072f605, 0x1f86de8f), 0);
    assert_int_equal(RUN("mul.rn.f16", 0x3bff, 0x0400), 0x0400);
    assert_int_equal(RUN("mul.rn.ftz.f16", 0x3bff, 0x0400), 0);
}

static void test_saturation(void **state)
{
    (void)state;
    assert_int_equal(RUN("add.sat.f32", 0x3f800000, 0x3f800000), 0x3f800000);
    assert_int_equal(RUN("add.sat.f32", 0xbf800000, 0), 0);
    assert_int_equal(RUN("add.sat.f32", 0x7fc00000, 0), 0);
    assert_int_equal(RUN("mul.sat.f16", 0xbc00, 0x0000), 0);
    assert_int_equal(RUN("fma.rn.relu.f16", 0xbc00, 0x3c00, 0), 0);
    assert_int_equal(RUN("fma.rn.relu.bf16", 0x7fc0, 0, 0), 0x7fff);
    assert_int_equal(RUN("add.sat.s32", 0x7fffffff, 1), 0x7fffffff);
    assert_int_equal(RUN("sub.sat.s32", 0x80000000, 1), 0x80000000);
    assert_int_equal(RUN("mad.hi.sat.s32", 0x7fffffff, 0x7fffffff, 0x7fffffff), 0x7fffffff);
}

/* PTX ISA, min and max: the number wins over a NaN, .NaN turns that around, -0 is below +0. */
static void test_min_max(void **state)
{
    (void)state;
    assert_int_equal(RUN("min.f32", 0x7fc00000, 0x3f800000), 0x3f800000);
    assert_int_equal(RUN("max.f32", 0x3f800000, 0xffc00000), 0x3f800000);
    assert_int_equal(RUN("min.f32", 0x7fc00001, 0xffc00000), 0x7fffffff);
    assert_int_equal(RUN("min.NaN.f32", 0x7fc00000, 0x3f800000), 0x7fffffff);
    assert_int_equal(RUN("min.f32", 0, 0x80000000), 0x80000000);
    assert_int_equal(RUN("max.f32", 0x80000000, 0), 0);
    assert_int_equal(RUN("max.xorsign.abs.f32", 0xc0000000, 0x3f800000), 0xc0000000);
    assert_int_equal(RUN("min.xorsign.abs.f32", 0xc0000000, 0xbf800000), 0x3f800000);
    assert_int_equal(RUN("max.abs.f32", 0xc0400000, 0x3f800000, 0x40000000), 0x40400000);
    assert_int_equal(RUN("min.f32", 0x40400000, 0x7fc00000, 0x40000000), 0x40000000);
    assert_int_equal(RUN("min.NaN.bf16x2", 0x7fc03f80, 0x3f804000), 0x7fff3f80);
    assert_int_equal(RUN("min.relu.s16x2", 0xffff0005, 0x00050003), 0x00000003);
    assert_int_equal(RUN("max.u16x2", 0xffff0005, 0x00050003), 0xffff0005);
}

/* PTX ISA, table "Floating-Point Operators": which of less, equal, greater, unordered makes it
 * true. */
static void test_comparisons(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *truth;
    } table[] = {{"eq", "0100"},  {"ne", "1010"},  {"lt", "1000"},  {"le", "1100"},
                 {"gt", "0010"},  {"ge", "0110"},  {"equ", "0101"}, {"neu", "1011"},
                 {"ltu", "1001"}, {"leu", "1101"}, {"gtu", "0011"}, {"geu", "0111"},
                 {"num", "1110"}, {"nan", "0001"}};
    static const uint32_t other[] = {0x40000000, 0x3f800000, 0x80000000, 0x7fc00000};
    char name[32];
    for (size_t i = 0; i < COUNT(table); i++)
        for (unsigned relation = 0; relation < 4; relation++) {
            snprintf(name, sizeof name, "setp.%s.f32", table[i].name);
            assert_int_equal(RUN(name, 0x3f800000, other[relation]),
                             table[i].truth[relation] == '1');
            snprintf(name, sizeof name, "set.%s.u32.f16", table[i].name);
            assert_int_equal(RUN(name, 0x3f80, other[relation] >> 16),
                             table[i].truth[relation] == '1');
        }
    assert_int_equal(RUN("setp.lt.s32", 0xffffffff, 0), 1);
    assert_int_equal(RUN("setp.lt.u32", 0xffffffff, 0), 0);
    assert_int_equal(RUN("setp.eq.ftz.f32", 1, 0x80000000), 1);
    assert_int_equal(RUN("testp.normal.f32", 0x80000000), 1);
    assert_int_equal(RUN("testp.subnormal.f64", 1), 1);
    assert_int_equal(RUN("testp.notanumber.f32", 0x7f800001), 1);
}

/* ---- integers, by the pseudo-code of PTX ISA 9.0 --------------------------------------------- */

static uint64_t bit(uint64_t x, unsigned position)
{
    return x >> position & 1;
}

static uint64_t bfe_by_bits(uint64_t a, uint32_t b, uint32_t c, unsigned width, bool is_signed)
{
    unsigned position = b & 255, length = c & 255, top = width - 1;
    uint64_t d = 0, sign = 0;
    if (is_signed && length)
        sign = bit(a, position + length - 1 < top ? position + length - 1 : top);
    for (unsigned i = 0; i < width; i++)
        d |= (i < length && position + i <= top ? bit(a, position + i) : sign) << i;
    return d;
}

static uint64_t bfi_by_bits(uint64_t a, uint64_t b, uint32_t c, uint32_t d, unsigned width)
{
    unsigned position = c & 255, length = d & 255;
    for (unsigned i = 0; i < length && position + i < width; i++)
        b = (b & ~(UINT64_C(1) << (position + i))) | bit(a, i) << (position + i);
    return b;
}

static uint32_t bfind_by_bits(uint64_t a, unsigned width, bool is_signed)
{
    if (is_signed && bit(a, width - 1))
        a = ~a;
    for (int i = (int)width - 1; i >= 0; i--)
        if (bit(a, (unsigned)i))
            return (uint32_t)i;
    return UINT32_MAX;
}

static uint32_t fns_by_bits(uint32_t mask, uint32_t base, int32_t offset)
{
    if (offset == 0)
        return base < 32 && bit(mask, base) ? base : UINT32_MAX;
    int64_t position = base, count = llabs((long long)offset) - 1;
    for (; position >= 0 && position<32; position += offset> 0 ? 1 : -1)
        if (bit(mask, (unsigned)position) && count-- == 0)
            return (uint32_t)position;
    return UINT32_MAX;
}

static uint32_t lop3_by_bits(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t d = 0;
    for (unsigned i = 0; i < 32; i++)
        d |= (uint32_t)bit(table, (unsigned)(bit(a, i) << 2 | bit(b, i) << 1 | bit(c, i))) << i;
    return d;
}

static void test_bit_fields(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t a = some64(mix(i)), b = some64(mix(i + 50000));
        uint32_t x = (uint32_t)mix(i + 1) % 80, y = (uint32_t)mix(i + 2) % 80, a32 = (uint32_t)a,
                 b32 = (uint32_t)b;
        assert_int_equal(RUN("bfe.u32", a32, x, y), bfe_by_bits(a32, x, y, 32, false));
        assert_int_equal(RUN("bfe.s32", a32, x, y), bfe_by_bits(a32, x, y, 32, true));
        assert_int_equal(RUN("bfe.u64", a, x, y), bfe_by_bits(a, x, y, 64, false));
        assert_int_equal(RUN("bfe.s64", a, x, y), bfe_by_bits(a, x, y, 64, true));
        assert_int_equal(RUN("bfi.b32", a32, b32, x, y), bfi_by_bits(a32, b32, x, y, 32));
        assert_int_equal(RUN("bfi.b64", a, b, x, y), bfi_by_bits(a, b, x, y, 64));
        assert_int_equal(RUN("bfind.u32", a32), bfind_by_bits(a32, 32, false));
        assert_int_equal(RUN("bfind.s64", a), bfind_by_bits(a, 64, true));
        assert_int_equal(RUN("lop3.b32", a32, b32, x, i & 255), lop3_by_bits(a32, b32, x, i & 255));
        int32_t offset = (int32_t)y - 40;
        assert_int_equal(RUN("fns.b32", a32, x, (uint32_t)offset), fns_by_bits(a32, x, offset));
    }
    assert_int_equal(RUN("bfind.shiftamt.u32", 1), 31);
    assert_int_equal(RUN("bfind.shiftamt.s32", 0xffffffff), 0xffffffff);
    assert_int_equal(RUN("clz.b64", 0), 64);
    assert_int_equal(RUN("popc.b64", UINT64_MAX), 64);
    assert_int_equal(RUN("brev.b32", 1), 0x80000000);
    assert_int_equal(RUN("szext.clamp.s32", 0x80, 8), 0xffffff80);
    assert_int_equal(RUN("szext.wrap.u32", 0xfff, 40), 0xff);
    assert_int_equal(RUN("bmsk.clamp.b32", 4, 8), 0xff0);
    assert_int_equal(RUN("bmsk.clamp.b32", 4, 40), 0xfffffff0);
}

static void test_shifts(void **state)
{
    (void)state;
    assert_int_equal(RUN("shl.b32", 1, 32), 0);
    assert_int_equal(RUN("shl.b16", 0xffff, 15), 0x8000);
    assert_int_equal(RUN("shl.b64", 1, 0xffffffff), 0);
    assert_int_equal(RUN("shr.s32", 0x80000000, 99), 0xffffffff);
    assert_int_equal(RUN("shr.u64", UINT64_MAX, 63), 1);
    assert_int_equal(RUN("shr.s16", 0x8000, 16), 0xffff);
    assert_int_equal(RUN("shf.l.clamp.b32", 0x12345678, 0x9abcdef0, 40), 0x12345678);
    assert_int_equal(RUN("shf.l.wrap.b32", 0x12345678, 0x9abcdef0, 40), 0xbcdef012);
    assert_int_equal(RUN("shf.r.clamp.b32", 0x12345678, 0x9abcdef0, 32), 0x9abcdef0);
    assert_int_equal(RUN("shf.r.wrap.b32", 0x12345678, 0x9abcdef0, 4), 0x01234567);
    assert_int_equal(RUN("prmt.b32", 0x33221100, 0x77665544, 0x7250), 0x77225500);
    assert_int_equal(RUN("prmt.b32", 0x00008000, 0, 0x0009), 0x000000ff);
    assert_int_equal(RUN("prmt.b32.f4e", 0x33221100, 0x77665544, 2), 0x55443322);
    assert_int_equal(RUN("prmt.b32.b4e", 0x33221100, 0x77665544, 1), 0x66770011);
    assert_int_equal(RUN("prmt.b32.ecl", 0x33221100, 0, 1), 0x33221111);
    assert_int_equal(RUN("prmt.b32.rc16", 0x33221100, 0, 3), 0x33223322);
}

static void test_products_and_quotients(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t a = some64(mix(i)), b = some64(mix(i + 50000));
        uint32_t x = (uint32_t)a, y = i % 3 ? (uint32_t)b : (uint32_t)b % 1000;
        int64_t sa = (int32_t)x, sb = (int32_t)y;
        assert_int_equal(RUN("mul.hi.s64", a, b),
                         (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64));
        assert_int_equal(RUN("mul.hi.u64", a, b), (uint64_t)((unsigned __int128)a * b >> 64));
        assert_int_equal(RUN("mul.wide.s32", x, y), (uint64_t)(sa * sb));
        assert_int_equal(RUN("div.u32", x, y), y ? x / y : UINT32_MAX);
        assert_int_equal(RUN("rem.u32", x, y), y ? x % y : UINT32_MAX);
        assert_int_equal(RUN("div.s32", x, y), y ? (uint32_t)(sa / sb) : UINT32_MAX);
        assert_int_equal(RUN("rem.s32", x, y), y ? (uint32_t)(sa % sb) : UINT32_MAX);
    }
    assert_int_equal(RUN("div.u32", 0xffffffff, 0xffffffff), 1);
    assert_int_equal(RUN("div.u32", 0xfffffffe, 0xffffffff), 0);
    assert_int_equal(RUN("div.s64", UINT64_C(1) << 63, UINT64_MAX), UINT64_C(1) << 63);
    assert_int_equal(RUN("rem.s64", UINT64_C(1) << 63, UINT64_MAX), 0);
    assert_int_equal(RUN("abs.s32", 0x80000000), 0x80000000);
    assert_int_equal(RUN("sad.s16", 0x8000, 0x7fff, 1), 0);
    assert_int_equal(RUN("mul24.hi.s32", 0xffffff, 0x7fffff), 0xffffff80);
    assert_int_equal(RUN("mad24.lo.u32", 0xff000002, 3, 1), 7);
    assert_int_equal(RUN("dp4a.s32.u32", 0xff000001, 0x02000003, 10), 11);
    assert_int_equal(RUN("dp2a.hi.u32.s32", 0x00010002, 0xff030000, 0), 5);
}

/* ---- conversions ----------------------------------------------------------------------------- */

/* PTX ISA, cvt: float to integer clamps; NaN is 0, or the highest bit when the source is f64 or the
 * result has 64. */
static void test_float_to_integer(void **state)
{
    (void)state;
    const uint64_t nan32 = 0x7fc00000, nan64 = 0x7ff8000000000000;
    assert_int_equal(RUN("cvt.rzi.s32.f32", nan32), 0);
    assert_int_equal(RUN("cvt.rzi.s64.f32", nan32), UINT64_C(1) << 63);
    assert_int_equal(RUN("cvt.rzi.u64.f16", 0x7e00), UINT64_C(1) << 63);
    assert_int_equal(RUN("cvt.rzi.u32.f64", nan64), 0x80000000);
    assert_int_equal(RUN("cvt.rzi.u8.f64", nan64), 0x80);
    assert_int_equal(RUN("cvt.rzi.s8.f64", nan64), 0xff80);
    assert_int_equal(RUN("cvt.rzi.u32.f32", ifl_f32_bits(-1)), 0);
    assert_int_equal(RUN("cvt.rzi.u8.f32", ifl_f32_bits(300)), 255);
    assert_int_equal(RUN("cvt.rzi.s32.f32", ifl_f32_bits(3e9f)), 0x7fffffff);
    assert_int_equal(RUN("cvt.rzi.s64.f64", ifl_f64_bits(-1e19)), UINT64_C(1) << 63);
    assert_int_equal(RUN("cvt.rni.s32.f32", ifl_f32_bits(2.5f)), 2);
    assert_int_equal(RUN("cvt.rmi.s32.f32", ifl_f32_bits(-2.5f)), (uint32_t)-3);
    assert_int_equal(RUN("cvt.rpi.s32.f16", 0x4100), 3);
    assert_int_equal(RUN("cvt.rpi.ftz.s32.f32", 1), 0);
    assert_int_equal(RUN("cvt.rpi.s32.f32", 1), 1);
    assert_int_equal(RUN("cvt.rni.f32.f32", ifl_f32_bits(-0.5f)), 0x80000000);
}

static void test_integer_to_float(void **state)
{
    (void)state;
    char name[32];
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t x = some64(mix(i));
        unsigned rounding = 1 + i % 4;
        snprintf(name, sizeof name, "cvt.%s.f32.u64", rounding_names[rounding]);
        assert_true(ifl_bits_f32((uint32_t)RUN(name, x)) == (float)round_f32(x, rounding));
        snprintf(name, sizeof name, "cvt.%s.f32.s64", rounding_names[rounding]);
        assert_true(ifl_bits_f32((uint32_t)RUN(name, x)) == (float)round_f32((int64_t)x, rounding));
        snprintf(name, sizeof name, "cvt.%s.f64.u64", rounding_names[rounding]);
        assert_true(ifl_bits_f64(RUN(name, x)) == (double)round_f64(x, rounding));
        snprintf(name, sizeof name, "cvt.%s.f64.s64", rounding_names[rounding]);
        assert_true(ifl_bits_f64(RUN(name, x)) == (double)round_f64((int64_t)x, rounding));
        snprintf(name, sizeof name, "cvt.%s.bf16.s64", rounding_names[rounding]);
        wide expected = rounded((int64_t)x, 8, -126, 0x1.fep127Q, rounding);
        assert_true(ifl_widen(&ifl_bf16, (uint32_t)RUN(name, x)) == (float)expected);
        snprintf(name, sizeof name, "cvt.%s.f32.f64", rounding_names[rounding]);
        double d = ifl_bits_f64(x);
        if (isfinite(d))
            assert_true(ifl_bits_f32((uint32_t)RUN(name, x)) == (float)round_f32(d, rounding));
    }
}

static void test_integer_conversions(void **state)
{
    (void)state;
    assert_int_equal(RUN("cvt.u8.s32", 0x1ff), 0xff);
    assert_int_equal(RUN("cvt.s8.s32", 0x1ff), 0xffff);
    assert_int_equal(RUN("cvt.s32.s8", 0x0180), 0xffffff80);
    assert_int_equal(RUN("cvt.sat.u8.s32", 0xffffffff), 0);
    assert_int_equal(RUN("cvt.sat.s8.u64", UINT64_MAX), 0x7f);
    assert_int_equal(RUN("cvt.sat.u64.s32", 0x80000000), 0);
    assert_int_equal(RUN("cvt.u64.s32", 0x80000000), 0xffffffff80000000);
    assert_int_equal(RUN("cvt.pack.sat.u16.s32", 70000, (uint32_t)-5), 0xffff0000);
    assert_int_equal(RUN("cvt.pack.sat.s8.s32.b32", 200, (uint32_t)-200, 0x1234abcd), 0xabcd7f80);
    assert_int_equal(RUN("slct.u32.s32", 1, 2, 0x80000000), 2);
    assert_int_equal(RUN("slct.u32.f32", 1, 2, 0x80000000), 1);
    assert_int_equal(RUN("slct.u32.f32", 1, 2, 0x7fc00000), 2);
}

/* ---- approximations: the error bounds of PTX ISA 9.0 ----------------------------------------- */

typedef struct approximation {
    const char *name;
    double (*exact)(double);
    double from, to; /* of |x|; negative too when `from` is negative */
    double relative, absolute;
} approximation;

static double reciprocal(double x)
{
    return 1 / x;
}

static double reciprocal_root(double x)
{
    return 1 / sqrt(x);
}

static void test_approximations(void **state)
{
    (void)state;
    static const approximation table[] = {
        {"rcp.approx.f32", reciprocal, 0x1p-100, 0x1p100, 0x1p-23, 0},
        {"sqrt.approx.f32", sqrt, 0x1p-100, 0x1p100, 0x1p-23, 0},
        {"rsqrt.approx.f32", reciprocal_root, 0x1p-100, 0x1p100, 0x1p-22, 0},
        {"sin.approx.f32", sin, -3.14159, 3.14159, 0, 0x1p-20},
        {"cos.approx.f32", cos, -3.14159, 3.14159, 0, 0x1p-20},
        {"ex2.approx.ftz.f32", exp2, -100, 100, 0x1p-22, 0},
        {"lg2.approx.f32", log2, 0.5, 2, 0, 0x1p-22},
        {"tanh.approx.f32", tanh, -10, 10, 0x1p-11, 0},
    };
    for (size_t i = 0; i < COUNT(table); i++)
        for (unsigned k = 0; k < 5000; k++) {
            double part = (double)(mix(k) >> 11) * 0x1p-53;
            float x = (float)(table[i].from + (table[i].to - table[i].from) * part);
            double exact = table[i].exact(x),
                   got = ifl_bits_f32((uint32_t)RUN(table[i].name, ifl_f32_bits(x)));
            if (fabs(got - exact) > table[i].relative * fabs(exact) + table[i].absolute)
                fail_msg("%s of %a gives %a, not %a", table[i].name, (double)x, got, exact);
        }
    assert_int_equal(RUN("rcp.approx.ftz.f32", 0x80000001), 0xff800000);
    assert_int_equal(RUN("lg2.approx.f32", 0x80000000), 0xff800000);
    assert_int_equal(RUN("lg2.approx.f32", 0xbf800000), 0x7fffffff);
    assert_int_equal(RUN("sin.approx.f32", 0x7f800000), 0x7fffffff);
    assert_int_equal(RUN("ex2.approx.f32", 0xff800000), 0);
    assert_int_equal(RUN("rsqrt.approx.f32", 0x80000000), 0xff800000);
    /* |b| above 2^126: 0, or NaN for an infinite a */
    assert_int_equal(RUN("div.approx.f32", 0x7f000000, 0x7f000000), 0);
    assert_int_equal(RUN("div.approx.f32", 0x7f800000, 0x7f000000), 0x7fffffff);
    assert_int_equal(RUN("div.full.f32", 0x7f000000, 0x7f000000), 0x3f800000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_total),
        cmocka_unit_test(test_what_has_a_row),
        cmocka_unit_test(test_same_as_hardware),
        cmocka_unit_test(test_f32_roundings),
        cmocka_unit_test(test_sqrt_roundings),
        cmocka_unit_test(test_f64_roundings),
        cmocka_unit_test(test_widen_every_code),
        cmocka_unit_test(test_narrow_around_every_code),
        cmocka_unit_test(test_narrow_past_the_end),
        cmocka_unit_test(test_half_arithmetic),
        cmocka_unit_test(test_half_fma),
        cmocka_unit_test(test_flush_to_zero),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_min_max),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_bit_fields),
        cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_products_and_quotients),
        cmocka_unit_test(test_float_to_integer),
        cmocka_unit_test(test_integer_to_float),
        cmocka_unit_test(test_integer_conversions),
        cmocka_unit_test(test_approximations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
