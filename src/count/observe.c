/* SPDX-License-Identifier: Apache-2.0
 * The list of observations. */
#include "count/observe.h"

const ifl_observation *const ifl_observations[] = {
    &ifl_observe_access,     &ifl_observe_pattern,    &ifl_observe_mix,
    &ifl_observe_divergence, &ifl_observe_block_work, &ifl_observe_busy_part,
};

const size_t ifl_observation_count = sizeof ifl_observations / sizeof *ifl_observations;
