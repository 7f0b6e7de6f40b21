/* SPDX-License-Identifier: Apache-2.0
 * cuBLAS, if it is installed: a vendor's library that does a kernel's work. Found at run time like
 * the driver; it knows nothing of launches and profiles. */
#ifndef IFL_GPU_BLAS_H
#define IFL_GPU_BLAS_H

#include "gpu/gpu.h"

/* Is there a library that does `call`, "saxpy", "haxpy" (bfloat16, added up in float) or
 * "dtranspose"? */
bool ifl_gpu_blas_has(ifl_gpu *gpu, const char *call);
/* Puts y = alpha * x + y into the GPU's stream. `params` as a kernel's: where n (an int), alpha (a
 * float) and the addresses of x and y are; for the transpose of n by n doubles n and the addresses
 * of both matrices. IFL_UNSUPPORTED where ifl_gpu_blas_has says no. */
ifl_status ifl_gpu_blas_put(ifl_gpu *gpu, const char *call, void *const *params, ifl_error *error);
void ifl_gpu_blas_close(ifl_gpu *gpu);

#endif
