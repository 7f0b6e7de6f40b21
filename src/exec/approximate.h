/* SPDX-License-Identifier: Apache-2.0
 * PTX's approximate instructions, bit for bit as compute capability 9.0 gives them. */
#ifndef IFL_EXEC_APPROXIMATE_H
#define IFL_EXEC_APPROXIMATE_H

#include "exec/lane.h"

/* Of the modifiers only .ftz counts. */
float ifl_rcp_approx(const ifl_modifiers *m, float a);
float ifl_div_approx(const ifl_modifiers *m, float a, float b);
float ifl_div_full(const ifl_modifiers *m, float a, float b);
float ifl_sqrt_approx(const ifl_modifiers *m, float a);
float ifl_rsqrt_approx(const ifl_modifiers *m, float a);
float ifl_lg2_approx(const ifl_modifiers *m, float a);
float ifl_ex2_approx(const ifl_modifiers *m, float a);
float ifl_sin_approx(float a);
float ifl_cos_approx(float a);
float ifl_tanh_approx(float a);

double ifl_rcp_approx_ftz_f64(double a);
double ifl_rsqrt_approx_ftz_f64(double a);
double ifl_rsqrt_approx_f64(double a);

uint16_t ifl_ex2_approx_f16(uint16_t a);
uint16_t ifl_ex2_approx_bf16(uint16_t a);
uint16_t ifl_tanh_approx_f16(uint16_t a);
uint16_t ifl_tanh_approx_bf16(uint16_t a);

#endif
