/* SPDX-License-Identifier: Apache-2.0
 * Simulates steps in the caches of a GPU: first in the L1s, which do not affect each other, then in
 * the L2, with the requests that the L1s send to it. Knows steps and caches; not the order of
 * steps, nor its reason. */
#ifndef IFL_CACHE_CACHE_PLAY_H
#define IFL_CACHE_CACHE_PLAY_H

#include "cache/cache_turns.h"
#include "cache/grid_order.h"
#include "cache/l1.h"
#include "cache/l2.h"
#include "cache/l2_joins.h"
#include "cache/line.h"
#include "profile/cache_facts.h"

typedef enum ifl_cache_tally {
    IFL_TALLY_L1_MISSES,    /* sectors */
    IFL_TALLY_GIVEN,        /* found in the L1, as stores in part left them */
    IFL_TALLY_FETCHED,      /* asked of the L2 by loads */
    IFL_TALLY_PIECES,       /* of two sectors that they lie in */
    IFL_TALLY_LOCAL_WRITES, /* of local memory, to the L2 */
    IFL_TALLY_LONE_MISSES,  /* pieces that the L2 lacks and of which one sector is asked */
    IFL_TALLY_L2_MISSES,
    IFL_TALLY_JOINED, /* of the sectors asked of the L2 by loads, those that come with another SM's */
    IFL_TALLY_ATOMIC_HITS,
    IFL_TALLY_ATOMIC_MISSES,
    IFL_TALLY_PREFETCHED, /* asked of the L2 by prefetches, and of those what it lacks */
    IFL_TALLY_PREFETCH_MISSES,
    IFL_TALLY_DRAM_READS,
    IFL_TALLY_DRAM_WRITES,
    IFL_TALLY_DRAM_PADDING,
    IFL_TALLY_DIRTY,
    IFL_CACHE_TALLIES
} ifl_cache_tally;

/* Sectors by what became of them, apart for groups of lines: how much the groups differ says how
 * far the sample can be off. */
typedef struct ifl_cache_sums {
    uint64_t of[IFL_CACHE_TALLIES][IFL_LINE_GROUPS];
} ifl_cache_sums;

/* What the L1s made of a touch, for the L2: the sectors that it is asked for, and marks. */
enum { IFL_ASKED_SECTORS = 0xf, IFL_ASKED_DRAM = 0x10, IFL_ASKED_BACK = 0x20 };

/* Lines that loads ask the L2 for, by when. */
typedef struct ifl_phase_lines {
    uint32_t asked, far, late, other; /* ifl_cache_phases */
} ifl_phase_lines;

typedef struct ifl_cache_player {
    const ifl_grid_order *order;
    const ifl_cache_rules *rules;
    ifl_l1 *l1;
    ifl_l2 *l2;
    /* By touch: what the L2 is asked for, see above; and of a line of local memory that was
     * written back for it the number << 4 and which sectors, NULL where there can be none. */
    uint8_t *asked;
    uint32_t *victims;
    bool only_reused; /* play_l1s leaves the touches of other lines to play_missed */
    ifl_l2_joins joins;
    uint8_t *near;     /* by block: the half of the L2 that its SM is at; NULL: there is one */
    uint64_t *brought; /* by line: 1 + when the DRAM was last asked for it; 0: never */
    ifl_phase_lines phases[IFL_CACHE_PHASES];
    ifl_cache_sums sums;
    ifl_room asked_room, victim_room, near_room, brought_room;
} ifl_cache_player;

/* A zeroed player may be begun, and one that was begun again, with the memory that it has. False
 * without memory; freed by ifl_cache_player_free in every case. The caches, the caller's, are
 * opened by the caller. */
bool ifl_cache_player_begin(ifl_cache_player *player, const ifl_grid_order *order,
                            const ifl_cache_rules *rules);
void ifl_cache_player_free(ifl_cache_player *player);

void ifl_cache_player_clear(ifl_cache_player *player); /* the sums */
/* Plays the steps by SM to an L1 each: the caller's, emptied in between. */
void ifl_cache_play_l1s(ifl_cache_player *player);
/* Plays the touches of all other lines, of which no L1 holds anything that is asked for. */
void ifl_cache_play_missed(ifl_cache_player *player);
/* Plays the steps of all to the L2. */
void ifl_cache_play_l2(ifl_cache_player *player);
/* What play_l2 met; not known where the steps have no order. */
ifl_cache_phases ifl_cache_play_phases(const ifl_cache_player *player);
/* Where the loads of each turn ended: after the L1s, or after the L2 too. */
ifl_turns ifl_cache_play_turns(const ifl_cache_player *player);

#endif
