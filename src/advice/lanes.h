/* SPDX-License-Identifier: Apache-2.0
 * How the lanes of a launch's instructions are used. Knows profiles. */
#ifndef IFL_ADVICE_LANES_H
#define IFL_ADVICE_LANES_H

#include "profile/traffic.h"

/* The share of the instructions issued, 0..1, that one or two lanes of a full warp execute. Of PTX only the
 * average is known: it counts if it is low and a block splits hardly any of its warps. */
double ifl_lanes_lone_share(const ifl_profile *profile);

/* By site, whether its instruction is one of those; NULL where that is not known, or without memory. */
const uint8_t *ifl_lanes_lone_sites(const ifl_profile *profile, ifl_arena *arena, size_t *count);

/* The lanes that race for one word of shared memory by compare-and-swap, as those of an atomicAdd of floats do there: each
 * try lets one of them through. 0: none do, or it is not known (PTX). */
double ifl_lanes_racing(const ifl_profile *profile, const ifl_profile_line *line);

/* How many instructions those are together that were issued so often at least, each. */
double ifl_lanes_issued_often(const ifl_profile *profile, double least);

/* Of a row of shared accesses in a block that meets at barriers: do few lanes take part in a request,
 * which fewer warps could make between the same barriers? *lanes: of a request, on average. */
bool ifl_lanes_are_scattered(const ifl_profile *profile, const ifl_traffic *traffic,
                             uint32_t access_bytes, uint32_t instructions, double *lanes);

/* Do these bank conflicts come from addresses that follow no pattern, as those that data decide? Lanes at random places
 * meet now and then; where most of them meet in a bank each time, the length of a row is behind it. */
bool ifl_banks_are_random(const ifl_profile_line *line);

/* Do they come from the rows of a block that a warp has several of? */
bool ifl_banks_are_of_rows(const ifl_profile *profile, const ifl_profile_line *line);

#endif
