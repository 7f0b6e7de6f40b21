/* SPDX-License-Identifier: Apache-2.0
 * A launch on a real GPU, between its parts: the buffers there, and the times. */
#ifndef IFL_SESSION_RUN_GPU_H
#define IFL_SESSION_RUN_GPU_H

#include "gpu/gpu_timing.h"
#include "session/backend.h"

/* A texture on the GPU: the driver's number for it, and the array with its elements unless they lie
 * in memory. */
typedef struct ifl_gpu_texture {
    void *array;
    uint64_t object;
} ifl_gpu_texture;

/* Of `texture`, whose rows lie at `address` on the GPU and at `host` here; its number goes to `out`. */
ifl_status ifl_gpu_texture_make(const ifl_gpu *gpu, const ifl_texture *texture, uint64_t address,
                                const void *host, ifl_gpu_texture *made, uint8_t *out,
                                ifl_error *error);
/* A zeroed one is none. */
void ifl_gpu_texture_free(const ifl_gpu *gpu, ifl_gpu_texture *made);

/* The buffers of a launch on the GPU: `sets` copies that runs take in turn, and one that keeps what
 * they held at first. Set 0 is the one that the host's buffers are copied to and read back from. */
typedef struct ifl_gpu_buffers {
    const ifl_gpu *gpu;
    ifl_launch *launch;
    unsigned sets; /* made */
    bool has_kept;
    uint64_t bytes; /* of a set */
    uint64_t *made; /* addresses of allocations: [set][argument], the kept set last; 0: none */
    ifl_gpu_texture *textures; /* [set][argument] */
    uint8_t **params;          /* a parameter block for each set */
    void **pointers;           /* [set][parameter]: what a launch takes */
} ifl_gpu_buffers;

/* Makes set 0 and fills it as the engine's buffers are. The launch must be prepared. */
ifl_status ifl_gpu_buffers_make(ifl_gpu_buffers *buffers, const ifl_gpu *gpu, ifl_launch *launch,
                                ifl_error *error);
/* Keeps what set 0 holds, and adds sets until there are `sets`, or memory ends. */
ifl_status ifl_gpu_buffers_add(ifl_gpu_buffers *buffers, unsigned sets, ifl_error *error);
/* Brings all sets back to what was kept: copies in the GPU's stream. */
ifl_status ifl_gpu_buffers_restore(ifl_gpu_buffers *buffers, ifl_error *error);
/* Copies set 0 into the launch's own buffers. */
ifl_status ifl_gpu_buffers_read(ifl_gpu_buffers *buffers, ifl_error *error);
void ifl_gpu_buffers_free(ifl_gpu_buffers *buffers);

typedef struct ifl_gpu_run {
    ifl_backend_state of;
    ifl_gpu *gpu;
    const ifl_gpu_options *options;
    const char *call; /* of a vendor's library, in the kernel's place; NULL: the kernel */
    void *module;
    bool is_kept;  /* the GPU keeps it for other launches */
    bool is_cubin; /* the file's own machine code was loaded, not its PTX */
    ifl_gpu_launch to;
    ifl_gpu_buffers buffers;
} ifl_gpu_run;

/* As ifl_launch_run_on; `call` is one of ifl_gpu_blas_put, or NULL. */
ifl_status ifl_launch_call_on(ifl_launch *launch, ifl_gpu *gpu, const ifl_gpu_options *options,
                              const char *call, ifl_profile **out, ifl_error *error);

/* Puts one run on the buffers of set `set` into the GPU's stream. */
ifl_status ifl_gpu_run_put(const ifl_gpu_run *run, unsigned set, ifl_error *error);
/* Takes the times of a launch that has run once, into the profile. */
ifl_status ifl_gpu_run_time(ifl_gpu_run *run);

enum { IFL_MOST_SETS = 64 };

#endif
