/* SPDX-License-Identifier: Apache-2.0
 * The counters of a profile by kind of access: the same questions to each row of
 * code/access.def. */
#ifndef IFL_PROFILE_TRAFFIC_H
#define IFL_PROFILE_TRAFFIC_H

#include "profile/profile.h"

/* The counters that accesses of one kind have; IFL_COUNTER_COUNT where there is none. */
typedef struct ifl_traffic_counters {
    ifl_counter requests, sectors, sectors_ideal, lines, lines_ideal;
    ifl_counter wavefronts, wavefronts_ideal, useful_bytes, serial;
    ifl_counter passed_sectors; /* of each pass of lanes that meet; `sectors` has each once */
} ifl_traffic_counters;

/* What the accesses of one kind asked for; a counter that is not known reads 0 and `known` is
 * false. */
typedef struct ifl_traffic {
    uint64_t requests;
    uint64_t sectors, sectors_ideal;
    uint64_t lines, lines_ideal;
    uint64_t wavefronts, wavefronts_ideal;
    uint64_t useful_bytes;
    uint64_t serial;
    bool known; /* requests and sectors (on chip: wavefronts) with their ideals are known */
} ifl_traffic;

ifl_traffic_counters ifl_traffic_counters_of(ifl_traffic_kind kind);
ifl_traffic ifl_traffic_get(const ifl_counters *counters, ifl_traffic_kind kind);
void ifl_traffic_add(ifl_traffic *to, const ifl_traffic *from);
/* Of global or local memory, by the LSU, as textures or in bulk: what the caches see as this kind.
 */
bool ifl_traffic_is_off_chip(ifl_traffic_kind traffic, ifl_access_kind plain);
/* What all of them ask for. */
ifl_traffic ifl_traffic_off_chip(const ifl_counters *counters, ifl_access_kind plain);
/* What was spent beyond the ideal: bytes off chip, wavefronts on chip. */
uint64_t ifl_traffic_excess(const ifl_traffic *traffic, ifl_traffic_kind kind);

/* A request of irregular addresses on more lines than these asks the DRAM for random places, and so does
 * one whose lanes are more than a line apart. An H100 reads a word of each line in 23 ps, of every second
 * line in 27, of lines at random in 31, and pieces of 32 bytes at random in as long
 * (tools/gpu/pattern_probe.cu and scatter_probe.cu). */
enum { IFL_RANDOM_LINES = 3 };
/* The share of sectors that such instructions ask for. Stores to other places are not counted: they
 * do not make the reads beside them less random. */
double ifl_traffic_random_share(const ifl_profile *profile);

#endif
