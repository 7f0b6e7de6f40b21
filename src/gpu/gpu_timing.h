/* SPDX-License-Identifier: Apache-2.0
 * Times on a GPU: events around replayed graphs or single launches. It times any work that is put
 * into the stream; what the work is, and what the times mean, is decided elsewhere. docs/gpu.md
 * says how times are taken and why. */
#ifndef IFL_GPU_GPU_TIMING_H
#define IFL_GPU_GPU_TIMING_H

#include "gpu/gpu.h"

enum { IFL_MOST_SAMPLES = 1000 };

/* What is timed. */
typedef struct ifl_gpu_task {
    /* Puts one run, on the buffers of set `set`, into the stream. */
    ifl_status (*put)(void *user, unsigned set, ifl_error *error);
    /* Brings all sets back to what they were, in the stream; NULL: nothing changes. */
    ifl_status (*restore)(void *user, ifl_error *error);
    void *user;
    unsigned sets; /* runs take them in turn; 1 or more */
} ifl_gpu_task;

typedef struct ifl_gpu_series {
    unsigned samples;         /* wanted; fewer where one takes long */
    unsigned batch;           /* runs a sample; 0: as many as take a millisecond */
    bool flush;               /* read the L2 full of other data before each sample */
    double most_s;            /* the whole series; 0: 5 seconds */
    const volatile int *stop; /* may be NULL */
} ifl_gpu_series;

typedef struct ifl_gpu_times {
    double second[IFL_MOST_SAMPLES]; /* a run's */
    unsigned count, batch;
    bool is_graph;      /* the runs of a sample were one graph */
    double clock_hz[3]; /* of an SM before, amid and after; 0 unknown */
} ifl_gpu_times;

/* IFL_INTERRUPTED when *stop is set. */
ifl_status ifl_gpu_time(ifl_gpu *gpu, const ifl_gpu_task *task, const ifl_gpu_series *series,
                        ifl_gpu_times *out, ifl_error *error);

/* Seconds of one launch of an empty kernel, timed in batches of the same size. */
ifl_status ifl_gpu_time_empty(ifl_gpu *gpu, unsigned batch, double *seconds, ifl_error *error);
/* Seconds of one copy of `bytes` (a multiple of 16) from device memory to device memory, timed the
 * same way: the driver's or that of a kernel of ours, whichever is faster. (On an H200 the driver's
 * copies of 1 GiB, put into a graph, reached 2.77 TB/s, those of the kernel 4.28.) */
ifl_status ifl_gpu_time_copy(ifl_gpu *gpu, uint64_t bytes, const ifl_gpu_series *series,
                             double *seconds, ifl_error *error);
/* The clock of an SM now, by its own counters. */
ifl_status ifl_gpu_clock(ifl_gpu *gpu, double *hz, ifl_error *error);
/* Reads the L2 full of data that nothing else uses; what it held before is written back. */
ifl_status ifl_gpu_flush(ifl_gpu *gpu, ifl_error *error);

#endif
