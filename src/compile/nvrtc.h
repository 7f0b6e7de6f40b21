/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA's run-time compiler, found with dlopen where a CUDA toolkit or its redistributable
 * library is installed. */
#ifndef IFL_COMPILE_NVRTC_H
#define IFL_COMPILE_NVRTC_H

#include "base/error.h"

typedef struct ifl_nvrtc ifl_nvrtc;

/* NULL when the library is not found. */
ifl_nvrtc *ifl_nvrtc_open(void);
void ifl_nvrtc_close(ifl_nvrtc *nvrtc);

/* Compiles `source`, called `path`, for an architecture ("90", "90a"); *ptx is of malloc. The
 * error of a failed compilation holds the compiler's log. */
ifl_status ifl_nvrtc_compile(const ifl_nvrtc *nvrtc, const char *path, const char *source,
                             const char *arch, char **ptx, size_t *bytes, ifl_error *error);

#endif
