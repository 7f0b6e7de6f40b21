/* SPDX-License-Identifier: Apache-2.0
 * The text of src/cuda/kernels.ptx, made part of the library by the build. */
#ifndef IFL_CUDA_GPU_KERNELS_H
#define IFL_CUDA_GPU_KERNELS_H

extern const char ifl_gpu_kernels[];

#endif
