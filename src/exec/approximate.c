/* SPDX-License-Identifier: Apache-2.0
 * The instructions that ptxas (CUDA 13.0, sm_90) writes for each: an instruction of the special
 * function unit, and around it the scaling that keeps subnormal numbers, which the unit takes for
 * 0. */
#include "exec/approximate.h"

#include <math.h>

#include "exec/mufu.h"
#include "exec/rounded_lane.h"

#define SPECIAL(f, x) ifl_bits_f32(ifl_mufu_##f(ifl_f32_bits(x)))

static bool is_subnormal_for(const ifl_modifiers *m, float a)
{
    return !(m->flags & IFL_FLAG_FTZ) && fabsf(a) < 0x1p-126f;
}

/* ---- quotients ------------------------------------------------------------------------------- */

float ifl_rcp_approx(const ifl_modifiers *m, float a)
{
    if (m->flags & IFL_FLAG_FTZ)
        return SPECIAL(rcp, a);
    const float scale = (fabsf(a) < 0x1p-126f ? 0x1p24f : 1) * (fabsf(a) > 0x1p126f ? 0.25f : 1);
    return scale * SPECIAL(rcp, a * scale);
}

static float quotient(const ifl_modifiers *m, float a, float b)
{
    return ifl_out(m, ifl_in(m, a) * SPECIAL(rcp, b));
}

float ifl_div_approx(const ifl_modifiers *m, float a, float b)
{
    return is_subnormal_for(m, b) ? quotient(m, a * 0x1p24f, b * 0x1p24f) : quotient(m, a, b);
}

float ifl_div_full(const ifl_modifiers *m, float a, float b)
{
    if (fabsf(b) > 0x1p126f)
        return quotient(m, ifl_out(m, ifl_in(m, a) * 0.25f), b * 0.25f);
    return ifl_div_approx(m, a, b);
}

/* ---- roots and powers ------------------------------------------------------------------------ */

float ifl_sqrt_approx(const ifl_modifiers *m, float a)
{
    return is_subnormal_for(m, a) ? SPECIAL(sqrt, a * 0x1p24f) * 0x1p-12f : SPECIAL(sqrt, a);
}

float ifl_rsqrt_approx(const ifl_modifiers *m, float a)
{
    return is_subnormal_for(m, a) ? SPECIAL(rsq, a * 0x1p24f) * 0x1p12f : SPECIAL(rsq, a);
}

float ifl_lg2_approx(const ifl_modifiers *m, float a)
{
    return is_subnormal_for(m, a) ? SPECIAL(lg2, a * 0x1p24f) - 24 : SPECIAL(lg2, a);
}

float ifl_ex2_approx(const ifl_modifiers *m, float a)
{
    if (m->flags & IFL_FLAG_FTZ || !(a < -126))
        return SPECIAL(ex2, a);
    const float root = SPECIAL(ex2, a * 0.5f);
    return root * root;
}

/* ---- angles ---------------------------------------------------------------------------------- */

static float turns(float radians)
{
    return ifl_round_mul_f32(IFL_ROUND_RZ, radians, 0x1.45f306p-3f);
}

float ifl_sin_approx(float a)
{
    return SPECIAL(sin, turns(a));
}

float ifl_cos_approx(float a)
{
    return SPECIAL(cos, turns(a));
}

float ifl_tanh_approx(float a)
{
    return SPECIAL(tanh, a);
}

/* ---- f64 ------------------------------------------------------------------------------------- */

static uint32_t upper_word(double a)
{
    return (uint32_t)(ifl_f64_bits(a) >> 32);
}

static double of_upper_word(uint32_t word)
{
    return ifl_bits_f64((uint64_t)word << 32);
}

double ifl_rcp_approx_ftz_f64(double a)
{
    return of_upper_word(ifl_mufu_rcp64h(upper_word(a)));
}

double ifl_rsqrt_approx_ftz_f64(double a)
{
    return of_upper_word(ifl_mufu_rsq64h(upper_word(a)));
}

/* One step towards the root, of third order */
static double refined_root(double a)
{
    const double y = ifl_rsqrt_approx_ftz_f64(a), e = fma(a, -(y * y), 1);
    return fma(fma(e, 0.375, 0.5), y * e, y);
}

double ifl_rsqrt_approx_f64(double a)
{
    if (a >= 0x1p-1022 && a <= 0x1.fffffffffffffp1023)
        return refined_root(a);
    if (a == 0)
        return copysign(INFINITY, a);
    if (isnan(a))
        return a + a;
    if (signbit(a))
        return ifl_bits_f64(UINT64_C(0xfff8000000000000));
    return isinf(a) ? 0 : refined_root(a * 0x1p54) * 0x1p27;
}

/* ---- halves ---------------------------------------------------------------------------------- */

static uint32_t wide_f16(uint16_t a)
{
    return ifl_f32_bits(ifl_widen(&ifl_f16, a));
}

uint16_t ifl_ex2_approx_f16(uint16_t a)
{
    return ifl_mufu_cut_to_f16(ifl_mufu_ex2(wide_f16(a)));
}

uint16_t ifl_ex2_approx_bf16(uint16_t a)
{
    return ifl_mufu_cut_to_bf16(ifl_mufu_ex2((uint32_t)a << 16));
}

uint16_t ifl_tanh_approx_f16(uint16_t a)
{
    return ifl_mufu_cut_to_f16(ifl_mufu_tanh(wide_f16(a)));
}

uint16_t ifl_tanh_approx_bf16(uint16_t a)
{
    return ifl_mufu_cut_to_bf16(ifl_mufu_tanh((uint32_t)a << 16));
}
