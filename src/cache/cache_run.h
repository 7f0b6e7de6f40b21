/* SPDX-License-Identifier: Apache-2.0
 * The caches of the devices of a run: what to record while it runs, and the estimates afterwards.
 * Joins the observer to launches and devices. */
#ifndef IFL_CACHE_CACHE_RUN_H
#define IFL_CACHE_CACHE_RUN_H

#include "cache/cache_replay.h"
#include "cache/cache_trace.h"
#include "profile/profile.h"

/* What is made of the traces of one launch, and kept to be used for the next: zeroed at first. */
typedef struct ifl_cache_workspace {
    ifl_trace_index whole, part, sm;
    ifl_cache_space space;
} ifl_cache_workspace;

void ifl_cache_workspace_free(ifl_cache_workspace *workspace);

/* What decides where the blocks of a launch run. */
typedef struct ifl_grid_demand {
    uint32_t grid[3], block[3], cluster[3]; /* cluster: 0 where there are none */
    uint32_t registers;                     /* of a thread; 0: not known */
    uint64_t shared_bytes;
    int shared_preference; /* device/shared_size.h */
} ifl_grid_demand;

/* Traces of two SMs of a device: one of those in the middle, and that of the first block. */
typedef struct ifl_cache_sm_scopes {
    size_t middle, first;
} ifl_cache_sm_scopes;

typedef struct ifl_cache_run {
    const ifl_device *const *devices;
    size_t device_count;
    ifl_cache_sm_scopes *scope_of; /* by device */
    ifl_trace_scope scopes[IFL_TRACE_SCOPES];
    ifl_trace_plan plan;
    ifl_observer observer; /* to run with; it points to the plan */
} ifl_cache_run;

/* IFL_USAGE for more devices than can be followed. Freed by ifl_cache_run_free in every case. */
ifl_status ifl_cache_run_init(ifl_cache_run *run, const ifl_device *const *devices, size_t count,
                              ifl_error *error);
/* Before the run. */
void ifl_cache_run_shape(ifl_cache_run *run, const ifl_grid_demand *shape);
void ifl_cache_run_free(ifl_cache_run *run);

/* How many blocks of the launch an SM holds; 0 where it is not known, or none. */
uint32_t ifl_cache_blocks_per_sm(const ifl_device *device, const ifl_profile *profile);
ifl_placing ifl_cache_placing(const ifl_device *device, const ifl_grid_demand *shape);

/* Adds to profile->caches what `state`, the observer's, makes of each device. The profile has
 * its counters, and its registers where they are known. A device that no rules are known of, or
 * that cannot hold a block, is left out. */
ifl_status ifl_cache_run_report(const ifl_cache_run *run, const void *state,
                                ifl_cache_workspace *workspace, ifl_profile *profile,
                                ifl_error *error);

#endif
