/* SPDX-License-Identifier: Apache-2.0
 * One of our own kernels (kernels.ptx), to be launched and timed. */
#ifndef IFL_GPU_PROBE_SHOT_H
#define IFL_GPU_PROBE_SHOT_H

#include "gpu/gpu.h"

typedef struct ifl_shot {
    ifl_gpu *gpu;
    ifl_gpu_launch launch;
} ifl_shot;

ifl_status ifl_shot_make(ifl_gpu *gpu, const char *name, uint64_t grid, uint32_t block,
                         void **params, ifl_shot *out, ifl_error *error);
ifl_status ifl_shot_put(const ifl_shot *shot, ifl_error *error);
/* Seconds of a launch, the best of nine samples: a rate that was reached. */
ifl_status ifl_shot_time(ifl_shot *shot, double *seconds, ifl_error *error);

#endif
