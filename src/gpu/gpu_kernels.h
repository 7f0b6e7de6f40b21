/* SPDX-License-Identifier: Apache-2.0
 * The text of src/gpu/kernels.ptx, made part of the library by the build. */
#ifndef IFL_GPU_GPU_KERNELS_H
#define IFL_GPU_GPU_KERNELS_H

extern const char ifl_gpu_kernels[];

#endif
