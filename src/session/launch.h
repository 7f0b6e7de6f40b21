/* SPDX-License-Identifier: Apache-2.0
 * A launch: one kernel with its grid, block, shared memory and arguments, and the memory they
 * live in. */
#ifndef IFL_SESSION_LAUNCH_H
#define IFL_SESSION_LAUNCH_H

#include "session/argument.h"
#include "session/session.h"

/* The most shared memory that a block of any GPU to compute capability 12 can have, of the 228
 * KiB of an SM: CUDA C++ Programming Guide, "Compute Capabilities". */
enum { IFL_MAX_SHARED_BYTES = 227 * 1024, IFL_MAX_BLOCK_THREADS = 1024 };

struct ifl_launch {
    const ifl_module *module;
    size_t kernel; /* of the module */
    const ifl_kernel *of;
    ifl_arena arena;
    const char *directory; /* what names of files are relative to; NULL: the working one */
    const char *file;      /* the launch file; NULL: none, and mistakes are those of the caller */
    uint32_t grid[3];      /* 0: not given */
    uint32_t block[3];
    uint32_t cluster[3];      /* 0: not given */
    const char *cluster_text; /* as it was given */
    uint64_t dynamic_shared_bytes;
    const char *machine; /* the file with its machine code; NULL: none was named */
    ifl_code_choice code;
    uint32_t sm; /* of the GPU whose machine code runs; 0: of the first of `gpus` */
    ifl_argument_list arguments;
    size_t given;               /* parameters of the kernel that have their arguments */
    IFL_VEC(const char *) gpus; /* kept for the models */
    ifl_session *session;       /* NULL until the launch is made ready */
    ifl_ready_kernel *ready;
    ifl_allocation **buffers; /* one an argument; NULL for a value */
    uint8_t *params;
    bool is_filled; /* the buffers hold what the arguments say */
};

/* Gives the arguments their memory, lowers the kernel, and checks that both allow the launch. Later
 * calls only check. */
ifl_status ifl_launch_ready(ifl_launch *launch, ifl_error *error);
/* The launch as a session takes it; it must be ready. */
ifl_session_launch ifl_launch_shaped(const ifl_launch *launch);
/* The head of its profile. `backend` must outlive the profile. */
ifl_status ifl_launch_describe(const ifl_launch *launch, const char *backend, ifl_profile *profile,
                               ifl_error *error);

/* Makes the launch ready and fills its buffers, once: later calls do nothing. IFL_INTERRUPTED when
 * *stop is set meanwhile (it may be NULL); the next call then fills anew. */
ifl_status ifl_launch_prepare(ifl_launch *launch, int threads, const volatile int *stop,
                              ifl_error *error);

/* What an argument is, for backends other than the engine and for tests. */
typedef struct ifl_argument_view {
    bool is_buffer;
    const ifl_element *element; /* NULL: plain bytes */
    void *data;                 /* of the buffer, or the value's bytes */
    size_t bytes;
    uint32_t misalign;
    size_t same; /* the argument whose buffer this is; its own index otherwise */
} ifl_argument_view;

/* Prepares the launch. */
ifl_status ifl_launch_argument(ifl_launch *launch, size_t index, ifl_argument_view *out,
                               ifl_error *error);

#endif
