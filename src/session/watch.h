/* SPDX-License-Identifier: Apache-2.0
 * What one launch is watched with, and the profile that comes of it: nothing; the observers whose
 * sums the report shows; or all that the models need too. */
#ifndef IFL_SESSION_WATCH_H
#define IFL_SESSION_WATCH_H

#include "cache/cache_run.h"
#include "session/session.h"
#include "time/time_run.h"

typedef enum ifl_watch_depth {
    IFL_WATCH_NOTHING,
    IFL_WATCH_COUNTERS,
    IFL_WATCH_MODEL
} ifl_watch_depth;

enum { IFL_WATCH_MOST = 16 };

typedef struct ifl_watch {
    ifl_watch_depth depth;
    const ifl_observer *observers[IFL_WATCH_MOST]; /* those of ifl_observations come first */
    size_t count;
    ifl_cache_run caches;
    size_t time_at; /* of `observers`: where machine code's warps are followed; 0: they are not */
    ifl_time_run time;
    ifl_cache_workspace *workspace; /* the session's */
    bool listed;                    /* the profile is to have the kernel's instructions */
} ifl_watch;

/* What decides where the blocks of a launch run. */
ifl_grid_demand ifl_launch_demand(const ifl_session_launch *launch);

/* Caches are followed for the devices, where there are any, and of machine code the warps of an SM.
 * `watch` stays where it is until ifl_watch_end, which follows in every case. */
ifl_status ifl_watch_begin(ifl_watch *watch, ifl_watch_depth depth, ifl_session *session,
                           const ifl_device *const *devices, size_t device_count,
                           const ifl_session_launch *launch, ifl_error *error);
void ifl_watch_end(ifl_watch *watch);

/* Names and sizes of the launch. */
ifl_status ifl_profile_describe(const ifl_session_launch *launch, const char *backend,
                                ifl_profile *profile, ifl_error *error);
/* The counters, and those of each line, that the states of ifl_observations hold. */
ifl_status ifl_profile_count_states(const ifl_ready_kernel *kernel, void *const *states,
                                    ifl_profile *profile, ifl_error *error);
/* What a launch watched for the models shows beyond its counters, which the profile has already. */
ifl_status ifl_watch_report(const ifl_watch *watch, const ifl_session_launch *launch,
                            void *const *states, uint64_t buffer_bytes, ifl_profile *profile,
                            ifl_error *error);

/* A valid UTF-8 copy in the profile; NULL without memory. */
const char *ifl_profile_copy_text(ifl_profile *profile, const char *text);
/* Adds a warning, of one line and at most a thousand bytes. */
ifl_status ifl_profile_warn(ifl_profile *profile, ifl_error *error, const char *format, ...)
    IFL_PRINTF(3, 4);

/* What a launch does that is in no counter, a bit each. */
enum {
    IFL_LEFT_OUT_REMOTE = 1 << 0, /* accesses to shared memory of other blocks */
    IFL_LEFT_OUT_PRINTS = 1 << 1,
    IFL_LEFT_OUT_HEAP = 1 << 2, /* malloc and free of kernels */
    IFL_LEFT_OUT_HOST = 1 << 3, /* that memory is the host's */
    IFL_LEFT_OUT_WAITS =
        1 << 4 /* nothing is: but the loops that wait are counted as they ran here */
};
uint8_t ifl_left_out_by(const ifl_exec_result *result);
/* Says so. */
ifl_status ifl_profile_warn_left_out(ifl_profile *profile, uint8_t left_out, ifl_error *error);

#endif
