/* SPDX-License-Identifier: Apache-2.0
 * What the user gives the compiler of a .cu file besides: -IFOLDER and -DNAME[=VALUE]. */
#ifndef IFL_COMPILE_CUDA_OPTIONS_H
#define IFL_COMPILE_CUDA_OPTIONS_H

#include "base/error.h"

enum { IFL_MOST_CUDA_OPTIONS = 64, IFL_CUDA_OPTION_BYTES = 8192 };

typedef struct ifl_cuda_options {
    char text[IFL_CUDA_OPTION_BYTES]; /* the words, each with its NUL */
    const char *words[IFL_MOST_CUDA_OPTIONS];
    size_t count;
} ifl_cuda_options;

/* Of the environment variable INFLIGHT_CUDA_OPTIONS, one a line. IFL_USAGE for any that is neither
 * -I nor -D, and, since compilers hand their options to shells, for one with a character that means
 * something there. */
ifl_status ifl_cuda_options_read(ifl_cuda_options *options, ifl_error *error);

#endif
