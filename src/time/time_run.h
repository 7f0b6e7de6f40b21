/* SPDX-License-Identifier: Apache-2.0
 * The time of a launch on the devices of a run: what to record while it runs, and one SM's schedule
 * afterwards. Joins the observer to launches and devices. */
#ifndef IFL_TIME_TIME_RUN_H
#define IFL_TIME_TIME_RUN_H

#include "cache/cache_run.h"
#include "device/device.h"
#include "profile/profile.h"
#include "time/time_trace.h"

typedef struct ifl_time_run {
    const ifl_device *const *devices;
    size_t device_count;
    size_t scope_of[IFL_TIME_SCOPES]; /* by device */
    ifl_time_plan plan;
    ifl_observer observer; /* to run with; it points to the plan */
    int threads;           /* that answer what-ifs; 0: one a core */
} ifl_time_run;

/* Follows at most IFL_TIME_SCOPES devices: those that come after them get no time. */
void ifl_time_run_init(ifl_time_run *run, const ifl_device *const *devices, size_t count);
/* The launch's shape; before the run. */
void ifl_time_run_shape(ifl_time_run *run, const ifl_grid_demand *shape);

/* Adds to profile->sm_times what `state`, the observer's, makes of each device. The profile has its
 * counters, its registers and what the caches' simulation says. Nothing for code without control
 * words; a device that cannot hold a block is left out. */
ifl_status ifl_time_run_report(const ifl_time_run *run, const void *state, const ifl_sites *sites,
                               ifl_profile *profile, ifl_error *error);

#endif
