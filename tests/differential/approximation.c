/* SPDX-License-Identifier: Apache-2.0
 * See approximation.h. Errors: PTX ISA 9.0, at each instruction. rcp and rsqrt of f64 are called coarse there, with the
 * upper 32 bits of the result given: three units of their last place are allowed. */
#include "approximation.h"

#include <math.h>
#include <string.h>

static const approximation table[] = {
    {"ex2.approx.f32", 1, TYPE_F32, 0x1p-22, 0, RANGE_ALL},
    {"ex2.approx.ftz.f32", 1, TYPE_F32, 0x1p-22, 0, RANGE_ALL},
    {"ex2.approx.f16", 1, TYPE_F16, 0x1.13p-10, 0, RANGE_ALL},
    {"ex2.approx.f16x2", 1, TYPE_F16X2, 0x1.13p-10, 0, RANGE_ALL},
    {"ex2.approx.ftz.bf16", 1, TYPE_BF16, 0x1p-7, 0, RANGE_ALL},
    {"ex2.approx.ftz.bf16x2", 1, TYPE_BF16X2, 0x1p-7, 0, RANGE_ALL},
    {"lg2.approx.f32", 1, TYPE_F32, 0x1p-22, 0x1p-22, RANGE_ALL},
    {"lg2.approx.ftz.f32", 1, TYPE_F32, 0x1p-22, 0x1p-22, RANGE_ALL},
    {"sin.approx.f32", 1, TYPE_F32, 0, 0x1.6ap-21, RANGE_BOTH},
    {"sin.approx.ftz.f32", 1, TYPE_F32, 0, 0x1.6ap-21, RANGE_BOTH},
    {"cos.approx.f32", 1, TYPE_F32, 0, 0x1.6ap-21, RANGE_BOTH},
    {"cos.approx.ftz.f32", 1, TYPE_F32, 0, 0x1.6ap-21, RANGE_BOTH},
    {"tanh.approx.f32", 1, TYPE_F32, 0x1p-11, 0, RANGE_ALL},
    {"tanh.approx.f16", 1, TYPE_F16, 0, 0x1.02p-11, RANGE_ALL},
    {"tanh.approx.f16x2", 1, TYPE_F16X2, 0, 0x1.02p-11, RANGE_ALL},
    {"tanh.approx.bf16", 1, TYPE_BF16, 0, 0x1p-8, RANGE_ALL},
    {"tanh.approx.bf16x2", 1, TYPE_BF16X2, 0, 0x1p-8, RANGE_ALL},
    {"rcp.approx.f32", 1, TYPE_F32, 0x1p-23, 0, RANGE_ALL},
    {"rcp.approx.ftz.f32", 1, TYPE_F32, 0x1p-23, 0, RANGE_ALL},
    {"rcp.approx.ftz.f64", 1, TYPE_F64, 0x3p-20, 0, RANGE_ALL},
    {"sqrt.approx.f32", 1, TYPE_F32, 0x1p-23, 0, RANGE_ALL},
    {"sqrt.approx.ftz.f32", 1, TYPE_F32, 0x1p-23, 0, RANGE_ALL},
    {"rsqrt.approx.f32", 1, TYPE_F32, 0x1.12p-23, 0, RANGE_ALL},
    {"rsqrt.approx.ftz.f32", 1, TYPE_F32, 0x1.12p-23, 0, RANGE_ALL},
    {"rsqrt.approx.f64", 1, TYPE_F64, 0x3p-20, 0, RANGE_ALL},
    {"rsqrt.approx.ftz.f64", 1, TYPE_F64, 0x3p-20, 0, RANGE_ALL},
    {"div.approx.f32", 2, TYPE_F32, 0x1p-22, 0, RANGE_SECOND},
    {"div.approx.ftz.f32", 2, TYPE_F32, 0x1p-22, 0, RANGE_SECOND},
    {"div.full.f32", 2, TYPE_F32, 0x1p-22, 0, RANGE_ALL},
    {"div.full.ftz.f32", 2, TYPE_F32, 0x1p-22, 0, RANGE_ALL},
    {"cvt.rna.tf32.f32", 1, TYPE_F32, 0, 0, RANGE_ALL},
    {"cvt.rn.tf32.f32", 1, TYPE_F32, 0, 0, RANGE_ALL},
    {"cvt.rz.tf32.f32", 1, TYPE_F32, 0, 0, RANGE_ALL},
    {"cvt.rn.relu.tf32.f32", 1, TYPE_F32, 0, 0, RANGE_ALL},
    {"cvt.rz.relu.tf32.f32", 1, TYPE_F32, 0, 0, RANGE_ALL},
};

enum { COUNT = sizeof table / sizeof *table };

size_t approximation_count(void)
{
    return COUNT;
}

const approximation *approximation_at(size_t index)
{
    return index < COUNT ? &table[index] : NULL;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

/* Bits of a number, of its fraction, and how often it stands in a result. */
static const struct {
    unsigned bits, fraction, numbers;
} types[] = {[TYPE_F32] = {32, 23, 1}, [TYPE_F64] = {64, 52, 1},   [TYPE_F16] = {16, 10, 1},
             [TYPE_BF16] = {16, 7, 1}, [TYPE_F16X2] = {16, 10, 2}, [TYPE_BF16X2] = {16, 7, 2}};

static int bias_of(approximation_type type)
{
    return (1 << (types[type].bits - types[type].fraction - 2)) - 1;
}

static double number_of(approximation_type type, uint64_t bits)
{
    const unsigned fraction = types[type].fraction, exponents = types[type].bits - fraction - 1;
    const uint64_t significand = bits & ((UINT64_C(1) << fraction) - 1);
    const int exponent = (int)(bits >> fraction & ((1u << exponents) - 1));
    double size;
    if (exponent == (1 << exponents) - 1)
        size = significand ? (double)NAN : (double)INFINITY;
    else
        size = ldexp((double)significand + (exponent ? ldexp(1, (int)fraction) : 0),
                     (exponent ? exponent : 1) - bias_of(type) - (int)fraction);
    return bits >> (types[type].bits - 1) & 1 ? -size : size;
}

/* Half of the last place, or of the smallest number. Where subnormal numbers become 0 the smallest is the least normal. */
static double rounding(const approximation *a, double x)
{
    const double least = ldexp(1, 1 - bias_of(a->type)),
                 place = ldexp(1, -(int)types[a->type].fraction - 1);
    const bool flushes = strstr(a->text, ".ftz") != NULL;
    if (fabs(x) <= 2 * least)
        return flushes ? least : least * place;
    return fabs(x) * place;
}

static double share_of(const approximation *a, double engine, double gpu)
{
    if (engine == gpu || (isnan(engine) && isnan(gpu)))
        return 0;
    if (!isfinite(engine) || !isfinite(gpu) || a->relative + a->absolute <= 0)
        return INFINITY;
    return fabs(engine - gpu) /
           (fmax(a->relative * fabs(engine), a->absolute) + rounding(a, engine));
}

double approximation_share(const approximation *a, uint64_t engine, uint64_t gpu)
{
    const unsigned bits = types[a->type].bits;
    const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    double worst = 0;
    for (unsigned i = 0; i < types[a->type].numbers; i++)
        worst = fmax(worst, share_of(a, number_of(a->type, engine >> (i * bits) & mask),
                                     number_of(a->type, gpu >> (i * bits) & mask)));
    return worst;
}
