/* SPDX-License-Identifier: Apache-2.0
 * What a kernel can reach: the functions it can call, and the shared memory they name. */
#ifndef IFL_RUN_REACH_H
#define IFL_RUN_REACH_H

#include "isa/program.h"

/* Sets reached[f] for every function that `kernel` can execute; `reached` has function_count
 * entries. Where a call goes through a register, every function whose address is taken anywhere
 * counts. */
ifl_status ifl_reach(const ifl_program *program, uint32_t kernel, bool *reached, ifl_error *error);

/* The bytes of static shared memory that the reached functions declare or name. */
uint64_t ifl_reach_shared_bytes(const ifl_program *program, const bool *reached);

#endif
