/* SPDX-License-Identifier: Apache-2.0
 * What one launch is watched with: nothing; the observers whose sums the report shows; or, for the 1st, 2nd, 4th ... of an entry of the
 * ledger, all that `inflight analyze --gpu` watches with, which the model needs. */
#ifndef IFL_HOST_WATCH_H
#define IFL_HOST_WATCH_H

#include "host/context.h"
#include "run/cache_run.h"

typedef enum ifl_watch_depth { IFL_WATCH_NOTHING, IFL_WATCH_COUNTERS, IFL_WATCH_MODEL } ifl_watch_depth;

enum { IFL_WATCH_MOST = 16 };

typedef struct ifl_watch {
    ifl_watch_depth depth;
    const ifl_observer *observers[IFL_WATCH_MOST]; /* those of ifl_observations come first */
    size_t count;
    const ifl_device *device;
    ifl_cache_run caches;
} ifl_watch;

/* `watch` stays where it is until ifl_watch_end, which follows in every case. */
ifl_status ifl_watch_begin(ifl_watch *watch, ifl_watch_depth depth, const ifl_device *device,
                           const ifl_host_launch *launch, ifl_error *error);
/* Adds what a launch watched for the model shows beyond its counters, which the profile has already. */
ifl_status ifl_watch_report(const ifl_watch *watch, const ifl_host_launch *launch, const ifl_memory *memory,
                            void *const *states, ifl_profile *profile, ifl_error *error);
void ifl_watch_end(ifl_watch *watch);

#endif
