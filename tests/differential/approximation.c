/* SPDX-License-Identifier: Apache-2.0
 * See approximation.h. */
#include "approximation.h"

static const approximation table[] = {
    {"ex2.approx.f32", 1, TYPE_F32, RANGE_ALL},
    {"ex2.approx.ftz.f32", 1, TYPE_F32, RANGE_ALL},
    {"ex2.approx.f16", 1, TYPE_F16, RANGE_ALL},
    {"ex2.approx.f16x2", 1, TYPE_F16X2, RANGE_ALL},
    {"ex2.approx.ftz.bf16", 1, TYPE_BF16, RANGE_ALL},
    {"ex2.approx.ftz.bf16x2", 1, TYPE_BF16X2, RANGE_ALL},
    {"lg2.approx.f32", 1, TYPE_F32, RANGE_ALL},
    {"lg2.approx.ftz.f32", 1, TYPE_F32, RANGE_ALL},
    {"sin.approx.f32", 1, TYPE_F32, RANGE_BOTH},
    {"sin.approx.ftz.f32", 1, TYPE_F32, RANGE_BOTH},
    {"cos.approx.f32", 1, TYPE_F32, RANGE_BOTH},
    {"cos.approx.ftz.f32", 1, TYPE_F32, RANGE_BOTH},
    {"tanh.approx.f32", 1, TYPE_F32, RANGE_ALL},
    {"tanh.approx.f16", 1, TYPE_F16, RANGE_ALL},
    {"tanh.approx.f16x2", 1, TYPE_F16X2, RANGE_ALL},
    {"tanh.approx.bf16", 1, TYPE_BF16, RANGE_ALL},
    {"tanh.approx.bf16x2", 1, TYPE_BF16X2, RANGE_ALL},
    {"rcp.approx.f32", 1, TYPE_F32, RANGE_ALL},
    {"rcp.approx.ftz.f32", 1, TYPE_F32, RANGE_ALL},
    {"rcp.approx.ftz.f64", 1, TYPE_F64, RANGE_ALL},
    {"sqrt.approx.f32", 1, TYPE_F32, RANGE_ALL},
    {"sqrt.approx.ftz.f32", 1, TYPE_F32, RANGE_ALL},
    {"rsqrt.approx.f32", 1, TYPE_F32, RANGE_ALL},
    {"rsqrt.approx.ftz.f32", 1, TYPE_F32, RANGE_ALL},
    {"rsqrt.approx.f64", 1, TYPE_F64, RANGE_ALL},
    {"rsqrt.approx.ftz.f64", 1, TYPE_F64, RANGE_ALL},
    {"div.approx.f32", 2, TYPE_F32, RANGE_SECOND},
    {"div.approx.ftz.f32", 2, TYPE_F32, RANGE_SECOND},
    {"div.full.f32", 2, TYPE_F32, RANGE_ALL},
    {"div.full.ftz.f32", 2, TYPE_F32, RANGE_ALL},
    {"cvt.rna.tf32.f32", 1, TYPE_F32, RANGE_ALL},
    {"cvt.rn.tf32.f32", 1, TYPE_F32, RANGE_ALL},
    {"cvt.rz.tf32.f32", 1, TYPE_F32, RANGE_ALL},
    {"cvt.rn.relu.tf32.f32", 1, TYPE_F32, RANGE_ALL},
    {"cvt.rz.relu.tf32.f32", 1, TYPE_F32, RANGE_ALL},
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
