/* SPDX-License-Identifier: Apache-2.0
 * From the counts of a simulation to figures with bounds. */
#ifndef IFL_CACHE_CACHE_ESTIMATES_H
#define IFL_CACHE_CACHE_ESTIMATES_H

#include "cache/cache_replay.h"
#include "profile/cache_facts.h"

/* Fills all of *out but the texts. */
void ifl_cache_estimate_all(const ifl_cache_case *of, const ifl_cache_outcomes *outcomes,
                            ifl_cache_facts *out);

#endif
