/* SPDX-License-Identifier: Apache-2.0
 * The observers of one launch and how each writes what it saw into a profile. Observers know events
 * and profiles; they never see the engine. */
#ifndef IFL_COUNT_OBSERVE_H
#define IFL_COUNT_OBSERVE_H

#include "code/event.h"
#include "profile/profile.h"

typedef struct ifl_observation {
    const ifl_observer *observer;
    /* Fills the profile's counters, and those of its lines. profile->lines has one entry for each
     * memory instruction of the kernel that can execute; line_of[site] is its index or -1. */
    ifl_status (*report)(const void *state, const ifl_sites *sites, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error);
    /* A number that is the same for launches of a kernel that this cannot tell apart; NULL: what
     * the others see says as much. */
    uint64_t (*digest)(const void *state);
} ifl_observation;

extern const ifl_observation
    ifl_observe_access; /* requests, sectors, lines, wavefronts, useful bytes */
extern const ifl_observation
    ifl_observe_pattern;                      /* the address pattern of each memory instruction */
extern const ifl_observation ifl_observe_mix; /* instructions, opcodes, branches, barriers */
/* How often warps issued each site, of the state of ifl_observe_mix: adds to `warps`, one entry a
 * site. */
void ifl_mix_issued(const void *state, uint64_t *warps);
extern const ifl_observation ifl_observe_divergence; /* divergent branches */
extern const ifl_observation ifl_observe_block_work; /* how much each block did */
extern const ifl_observation
    ifl_observe_past_loads; /* turns of the busiest slice for loads past the L1 */
extern const ifl_observation ifl_observe_busy_part; /* passes of atomics on the busiest 512 bytes */
extern const ifl_observation ifl_observe_host_memory;   /* sectors of the host's memory */
extern const ifl_observation ifl_observe_remote_memory; /* of other blocks of the cluster */

/* All of them. */
extern const ifl_observation *const ifl_observations[];
extern const size_t ifl_observation_count;
/* Frees their states, and the list of them. */
void ifl_observations_free(void **states);
/* Of their states. */
uint64_t ifl_observations_digest(void *const *states);

#endif
