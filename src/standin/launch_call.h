/* SPDX-License-Identifier: Apache-2.0
 * One launch as a program asks for it. */
#ifndef IFL_STANDIN_LAUNCH_CALL_H
#define IFL_STANDIN_LAUNCH_CALL_H

#include "standin/op.h"

typedef struct ifl_launch_call {
    ifl_dim3 grid, block;
    void **arguments; /* one pointer a parameter */
    uint64_t shared_bytes;
    void *stream;
    bool cooperative, is_programmatic;
    void *event;      /* that is recorded behind the launch, or within it; NULL: none */
    const void *from; /* an address in the code that asks */
    ifl_dim3 cluster; /* 0: not given */
    struct ifl_updatable *
        updatable; /* of a capture's node that kernels may change, which is told; NULL: it is none */
} ifl_launch_call;

/* cudaLaunchAttribute: the number, then a union of 64 bytes. */
typedef struct ifl_launch_attribute {
    int number;
    int unused;
    union {
        char bytes[64];
        int cooperative, programmatic;
        void *event; /* first in the structures of two attributes */
        ifl_dim3 cluster;
    } is;
} ifl_launch_attribute;

/* cudaLaunchConfig_t. */
typedef struct ifl_launch_configuration {
    ifl_dim3 grid, block;
    size_t shared_bytes;
    void *stream;
    const ifl_launch_attribute *attributes;
    unsigned attribute_count;
} ifl_launch_configuration;

/* Takes over what the engine honours. */
ifl_cuda_error ifl_launch_take(ifl_launch_call *call, const ifl_launch_attribute *attributes,
                               unsigned count);

/* rt_cluster.c: the clusters of a launch, zeros where it has none; cudaErrorInvalidClusterSize, and
 * told, where the grid or the kernel does not allow them. */
ifl_cuda_error ifl_launch_cluster(ifl_session *session, const ifl_function_record *function,
                                  const ifl_launch_call *call, uint32_t cluster[3]);

/* Checks it as CUDA does, and makes an operation of it, which the caller clears. */
ifl_cuda_error ifl_launch_op(ifl_session *session, ifl_function_record *function,
                             const ifl_launch_call *call, ifl_op *op);
/* The same, and gives it to the stream. `function` NULL: the program's function is not known. */
ifl_cuda_error ifl_launch_serve(ifl_session *session, ifl_function_record *function,
                                const ifl_launch_call *call);

/* rt_stream.c: records the event in the stream, with flags of cudaEventRecordWithFlags. */
ifl_cuda_error ifl_event_give(ifl_session *session, void *event, void *stream, unsigned flags);

/* How many blocks an SM holds at once; 0 where a block is too large. */
ifl_cuda_error ifl_launch_blocks_per_sm(ifl_session *session, const ifl_ready_kernel *kernel,
                                        int threads, uint64_t shared_bytes, int *blocks);

/* Where <<<>>> stands: nvcc calls from there before it calls the kernel's stub, whose address tells
 * nothing. The address of the caller where there was no <<<>>>. */
const void *ifl_launch_place(const void *caller);

#endif
