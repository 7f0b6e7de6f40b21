/* SPDX-License-Identifier: Apache-2.0
 * The list of observations. */
#include "count/observe.h"

#include "base/digest.h"

#include <stdlib.h>

const ifl_observation *const ifl_observations[] = {
    &ifl_observe_access,      &ifl_observe_pattern,       &ifl_observe_mix,
    &ifl_observe_divergence,  &ifl_observe_block_work,    &ifl_observe_busy_part,
    &ifl_observe_host_memory, &ifl_observe_remote_memory, &ifl_observe_past_loads,
};

const size_t ifl_observation_count = sizeof ifl_observations / sizeof *ifl_observations;

uint64_t ifl_observations_digest(void *const *states)
{
    uint64_t hash = IFL_HASH_BASIS;
    for (size_t i = 0; i < ifl_observation_count; i++)
        if (ifl_observations[i]->digest && states[i]) {
            const uint64_t one = ifl_observations[i]->digest(states[i]);
            hash = ifl_hash_words(hash, &one, 1);
        }
    return hash;
}

void ifl_observations_free(void **states)
{
    for (size_t i = 0; states && i < ifl_observation_count; i++)
        ifl_observer_free(ifl_observations[i]->observer, states[i]);
    free(states);
}
