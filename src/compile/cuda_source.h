/* SPDX-License-Identifier: Apache-2.0
 * .cu files: compiled to PTX by nvcc, NVRTC or clang, whichever is found first. */
#ifndef IFL_COMPILE_CUDA_SOURCE_H
#define IFL_COMPILE_CUDA_SOURCE_H

#include "base/process.h"

/* `arch` is the number with its letter ("90", "90a"). *ptx is of malloc. The environment variable
 * INFLIGHT_CUDA_COMPILER names the one compiler to use: nvcc, nvrtc or clang. */
ifl_status ifl_cuda_compile(const char *path, const char *arch, char **ptx, size_t *bytes,
                            ifl_error *error);

/* "COMPILER cannot compile 'path':" and the log's first lines. */
ifl_status ifl_fail_compile(ifl_error *error, const char *compiler, const char *path,
                            const char *log);

#endif
