/* SPDX-License-Identifier: Apache-2.0
 * See probe_shot.h. */
#include "gpu/probe_shot.h"

#include "base/statistics.h"
#include "gpu/gpu_timing.h"

enum { SAMPLES = 9 };

ifl_status ifl_shot_make(ifl_gpu *gpu, const char *name, uint64_t grid, uint32_t block,
                         void **params, ifl_shot *out, ifl_error *error)
{
    *out = (ifl_shot){.gpu = gpu,
                      .launch = {.name = name,
                                 .grid = {(uint32_t)grid, 1, 1},
                                 .block = {block, 1, 1},
                                 .carveout = -1,
                                 .params = params}};
    return ifl_gpu_kernel(gpu, name, &out->launch.function, error);
}

ifl_status ifl_shot_put(const ifl_shot *shot, ifl_error *error)
{
    return ifl_gpu_launch_put(shot->gpu, &shot->launch, error);
}

static ifl_status put_task(void *user, unsigned set, ifl_error *error)
{
    (void)set;
    return ifl_shot_put(user, error);
}

ifl_status ifl_shot_time(ifl_shot *shot, double *seconds, ifl_error *error)
{
    const ifl_gpu_task task = {.put = put_task, .user = shot, .sets = 1};
    const ifl_gpu_series how = {.samples = SAMPLES, .most_s = 0.3};
    ifl_gpu_times times;
    double scratch[IFL_MOST_SAMPLES];
    const ifl_status status = ifl_gpu_time(shot->gpu, &task, &how, &times, error);
    *seconds = status == IFL_OK ? ifl_quantile(times.second, times.count, 0, scratch) : 0;
    return status;
}
