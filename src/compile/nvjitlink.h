/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA's linker of device code, found with dlopen where a CUDA toolkit or its redistributable
 * library is installed. */
#ifndef IFL_COMPILE_NVJITLINK_H
#define IFL_COMPILE_NVJITLINK_H

#include "base/error.h"

typedef struct ifl_link_input {
    int type; /* CUjitInputType: cubin, PTX, fat binary, host object, host library, LTO-IR */
    char *bytes;
    size_t size;
    const char *name; /* for messages */
} ifl_link_input;

/* Machine code for an architecture ("90"); *image is of malloc. IFL_UNSUPPORTED: the library is not
 * found. */
ifl_status ifl_nvjitlink(const char *arch, const ifl_link_input *inputs, size_t count, char **image,
                         size_t *bytes, ifl_error *error);

#endif
