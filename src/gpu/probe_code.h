/* SPDX-License-Identifier: Apache-2.0
 * Loops of so many instructions, which the driver compiles: up to what size one goes on at the same pace. */
#ifndef IFL_GPU_PROBE_CODE_H
#define IFL_GPU_PROBE_CODE_H

#include "gpu/gpu.h"

typedef struct ifl_code_sizes {
    double near_bytes, bytes; /* of the smaller cache of code and of the larger one; 0: not seen */
} ifl_code_sizes;

/* `to`: memory for two words. */
ifl_status ifl_probe_code(ifl_gpu *gpu, uint64_t to, ifl_code_sizes *out, ifl_error *error);

#endif
