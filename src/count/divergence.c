/* SPDX-License-Identifier: Apache-2.0
 * Branches that split a warp. Knows events and the profile's counters. */
#include "count/observe.h"

typedef struct state {
    const ifl_sites *sites;
    uint64_t splits, beside_branches; /* of the splits, those at other instructions */
} state;

static bool begin(void *self, const ifl_sites *sites, const void *settings)
{
    (void)settings;
    ((state *)self)->sites = sites;
    return true;
}

/* In machine code what splits a warp and is no branch is WARPSYNC.EXCLUSIVE. An H200 counts a branch
 * where lanes part at it, and none where they stay together (tests/machine/groups_that_part: 40
 * branches, of which 32 are BRA). */
static bool is_beside_branches(const state *s, uint32_t site)
{
    if (site >= s->sites->count || !s->sites->at[site].function)
        return false;
    return s->sites->at[site].role != IFL_SITE_BRANCH;
}

static void divergence_event(void *self, const ifl_divergence *divergence)
{
    state *s = self;
    s->splits++;
    s->beside_branches += is_beside_branches(s, divergence->site);
}

static void merge(void *self, const void *other)
{
    state *s = self;
    const state *o = other;
    s->splits += o->splits;
    s->beside_branches += o->beside_branches;
}

static ifl_status report(const void *self, const ifl_sites *sites, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    (void)sites, (void)line_of, (void)error;
    const state *s = self;
    ifl_counters_add(&profile->counters, IFL_COUNTER_divergent_branches, s->splits);
    ifl_counters_add(&profile->counters, IFL_COUNTER_branches, s->beside_branches);
    return IFL_OK;
}

static const ifl_observer observer = {
    .name = "divergence",
    .state_bytes = sizeof(state),
    .begin = begin,
    .divergence = divergence_event,
    .merge = merge,
};

const ifl_observation ifl_observe_divergence = {&observer, report, NULL};
