/* SPDX-License-Identifier: Apache-2.0
 * See merging.h. */
#include "advice/merging.h"

static double of(const ifl_profile *profile, ifl_counter which)
{
    return profile->counters.known[which] ? (double)profile->counters.value[which] : 0;
}

/* A sector of an atomic request takes two passes in its 512 bytes of the L2: where each block has one
 * there at least, all of them update the same place. */
bool ifl_blocks_merge(const ifl_profile *profile)
{
    const double passes = 2, nearly_all = 0.9, meet = 1.2;
    const double blocks = (double)profile->grid[0] * profile->grid[1] * profile->grid[2],
                 requests = of(profile, IFL_COUNTER_global_atomic_requests);
    const double gathered = of(profile, IFL_COUNTER_shared_load_requests);
    return requests > 0 && gathered >= requests && of(profile, IFL_COUNTER_barriers) > 0 &&
           of(profile, IFL_COUNTER_global_atomic_serial) < meet * requests &&
           of(profile, IFL_COUNTER_global_atomic_busiest_part) >= nearly_all * passes * blocks;
}
