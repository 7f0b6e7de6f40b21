/* SPDX-License-Identifier: Apache-2.0
 * What `inflight run` asks of the stand-in libraries, passed through the environment. */
#ifndef IFL_STANDIN_OPTIONS_H
#define IFL_STANDIN_OPTIONS_H

#include "base/error.h"

/* Names of the environment variables; the command sets them (cli/run.c has the same table, through this file). */
#define IFL_RUN_VARIABLES(X)                                                                                           \
    X(gpu, "INFLIGHT_RUN_GPU")                                                                                         \
    X(json, "INFLIGHT_RUN_JSON")                                                                                       \
    X(kernel, "INFLIGHT_RUN_KERNEL")                                                                                   \
    X(launches, "INFLIGHT_RUN_LAUNCHES")                                                                               \
    X(threads, "INFLIGHT_RUN_THREADS")                                                                                 \
    X(analysis, "INFLIGHT_RUN_ANALYSIS")                                                                               \
    X(leaks, "INFLIGHT_RUN_LEAKS")                                                                                     \
    X(fail, "INFLIGHT_RUN_FAIL")

typedef struct ifl_standin_options {
    const char *gpu;    /* "h200" */
    const char *json;   /* where the report goes as JSON; NULL: nowhere */
    const char *kernel; /* observe and report only kernels whose signature holds this text; NULL: all */
    unsigned long launches; /* report only so many; 0: all */
    int threads;
    bool analysis, leaks, fail;
} ifl_standin_options;

ifl_status ifl_standin_options_read(ifl_standin_options *options, ifl_error *error);

#endif
