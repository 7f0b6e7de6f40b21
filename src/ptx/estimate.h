/* SPDX-License-Identifier: Apache-2.0
 * What the order of a kernel's PTX says of its time: how often its warps wait for loads one after
 * the other, and how many registers it needs. Estimates, for where machine code is not at hand. */
#ifndef IFL_PTX_ESTIMATE_H
#define IFL_PTX_ESTIMATE_H

#include "code/code.h"
#include "ptx/program.h"

/* Sums over all warps of the launch. */
typedef struct ifl_ptx_estimate {
    uint32_t registers;  /* of a thread: values that live at once, 32 bits each */
    double load_waits;   /* times that a warp waits for loads or atomics of global memory */
    double load_spread;  /* over those: the sum of log2 of how many loads each waits for */
    double shared_waits; /* the same of shared or local memory */
    double chain;        /* instructions that wait for each other's results */
} ifl_ptx_estimate;

/* `image` was lowered from `program`; `warps` has one entry a site: how often warps issued it. */
ifl_status ifl_ptx_estimate_find(const ifl_program *program, const ifl_image *image,
                                 const uint64_t *warps, ifl_ptx_estimate *out, ifl_error *error);

#endif
