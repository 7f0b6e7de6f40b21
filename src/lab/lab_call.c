/* SPDX-License-Identifier: Apache-2.0
 * A vendor's library in the place of a kernel. */
#include "gpu/blas.h"
#include "lab/lab_api.h"
#include "session/run_gpu.h"

bool ifl_lab_can_call(ifl_gpu *gpu, const char *call)
{
    return ifl_gpu_blas_has(gpu, call);
}

ifl_status ifl_lab_run_call(ifl_launch *launch, ifl_gpu *gpu, const ifl_gpu_options *options,
                            const char *call, ifl_profile **out, ifl_error *error)
{
    return ifl_launch_call_on(launch, gpu, options, call, out, error);
}
