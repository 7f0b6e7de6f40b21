/* SPDX-License-Identifier: Apache-2.0
 * Which reads reach the L2 with another SM's: before the L2 the requests of a GPC's SMs for the same
 * line are joined, up to so many to one, while the first is on its way
 * (tools/gpu/shared_read_probe.cu), if they ask for the same sectors of it. Where requests for other
 * sectors of the line come between, hardly any are (hot_load_probe, H200: of words at random of one
 * line with 32 and of two lines with 16 lanes for each the L2 gets 0.25 and 0.43 of the requests, of four
 * lines with 8 lanes each 0.93, of one word of a line for each warp 0.99, of the same word 0.25). What
 * one SM asks for again past its L1 is joined likewise. Knows lines, GPCs and times; not caches. */
#ifndef IFL_CACHE_L2_JOINS_H
#define IFL_CACHE_L2_JOINS_H

#include "base/room.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ifl_join_entry {
    uint64_t key, at; /* line and GPC; when the first of those joined came */
    uint32_t count;   /* 0: none */
    uint8_t sectors;  /* a bit each */
    uint8_t alone;    /* so many more are not joined */
} ifl_join_entry;

typedef struct ifl_l2_joins {
    ifl_join_entry *at;
    uint32_t most; /* requests that become one; 0: none are joined */
    uint32_t mask; /* one less than there are entries */
    ifl_room room;
} ifl_l2_joins;

/* A zeroed one may be opened, and one that was opened again, with the memory that it has. `lines`:
 * that there are. False without memory. */
bool ifl_l2_joins_open(ifl_l2_joins *joins, uint32_t most, uint32_t lines);
void ifl_l2_joins_free(ifl_l2_joins *joins);

/* A read of sectors of a line by an SM of a GPC at a time (sm_order.h): does it come with one before
 * it? */
bool ifl_l2_joins_read(ifl_l2_joins *joins, uint32_t line, uint8_t sectors, uint32_t gpc,
                       uint64_t now);

#endif
