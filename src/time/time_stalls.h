/* SPDX-License-Identifier: Apache-2.0
 * Where the followed warps stood still, for the profile: by instruction and by source line. */
#ifndef IFL_TIME_TIME_STALLS_H
#define IFL_TIME_TIME_STALLS_H

#include "time/time_sm.h"

/* Sums of all reasons, and the places that matter. False without memory. */
bool ifl_time_stalls_take(const ifl_sites *sites, const ifl_sm_outcome *outcome,
                          ifl_profile *profile, ifl_time_facts *to);

#endif
