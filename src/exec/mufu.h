/* SPDX-License-Identifier: Apache-2.0
 * The special function unit (MUFU), bit for bit: what its instructions give on compute capability
 * 9.0 for every input. Numbers are the bits of an f32. Subnormal inputs count as 0 and subnormal
 * results are 0, except of tanh; a NaN is 0x7fffffff. */
#ifndef IFL_EXEC_MUFU_H
#define IFL_EXEC_MUFU_H

#include <stdint.h>

uint32_t ifl_mufu_rcp(uint32_t x);
uint32_t ifl_mufu_rsq(uint32_t x);
uint32_t ifl_mufu_sqrt(uint32_t x);
uint32_t ifl_mufu_lg2(uint32_t x);
uint32_t ifl_mufu_ex2(uint32_t x);
uint32_t ifl_mufu_sin(uint32_t turns);
uint32_t ifl_mufu_cos(uint32_t turns);
uint32_t ifl_mufu_tanh(uint32_t x);

/* Of the upper word of an f64; the lower word of the result is 0. */
uint32_t ifl_mufu_rcp64h(uint32_t high);
uint32_t ifl_mufu_rsq64h(uint32_t high);

/* A result as an f16 or a bf16: the bits beyond it are cut off. */
uint16_t ifl_mufu_cut_to_f16(uint32_t result);
uint16_t ifl_mufu_cut_to_bf16(uint32_t result);

#endif
