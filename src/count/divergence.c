/* SPDX-License-Identifier: Apache-2.0
 * Branches that split a warp. Knows events and the profile's counters. */
#include "count/observe.h"

typedef struct state {
    uint64_t branches;
} state;

static void *create(const ifl_sites *sites)
{
    (void)sites;
    return calloc(1, sizeof(state));
}

static void divergence_event(void *self, const ifl_divergence *divergence)
{
    (void)divergence;
    ((state *)self)->branches++;
}

static void merge(void *self, const void *other)
{
    ((state *)self)->branches += ((const state *)other)->branches;
}

static ifl_status report(const void *self, const ifl_sites *sites, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    (void)sites, (void)line_of, (void)error;
    ifl_counters_add(&profile->counters, IFL_COUNTER_divergent_branches,
                     ((const state *)self)->branches);
    return IFL_OK;
}

static const ifl_observer observer = {
    .name = "divergence",
    .create = create,
    .divergence = divergence_event,
    .merge = merge,
    .destroy = free,
};

const ifl_observation ifl_observe_divergence = {&observer, report, NULL};
