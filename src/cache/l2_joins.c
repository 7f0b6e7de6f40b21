/* SPDX-License-Identifier: Apache-2.0
 * A table of the last read of each line by a GPC, of which a new one takes the place of an old
 * one. */
#include "cache/l2_joins.h"

#include "cache/line.h"
#include "cache/trace_index.h"

enum { MOST_ENTRIES = 1 << 16, LEAST_ENTRIES = 1 << 8, ENTRIES_A_LINE = 8, MOST_GPCS = 64 };

/* Of a small launch it is small: each launch clears it. */
static uint32_t entries_for(uint32_t lines)
{
    uint32_t entries = LEAST_ENTRIES;
    while (entries < MOST_ENTRIES && entries / ENTRIES_A_LINE < lines)
        entries *= 2;
    return entries;
}

bool ifl_l2_joins_open(ifl_l2_joins *j, uint32_t most, uint32_t lines)
{
    const uint32_t entries = entries_for(lines);
    j->most = most;
    j->mask = entries - 1;
    j->at = most ? ifl_room_take_zeroed(&j->room, entries, sizeof *j->at) : NULL;
    return j->at || !most;
}

void ifl_l2_joins_free(ifl_l2_joins *j)
{
    ifl_room_free(&j->room);
    *j = (ifl_l2_joins){0};
}

/* SMs that share a line keep together, since who is ahead waits for the L2 and who is behind does
 * not: on an H200 two SMs with eight warps each, of which one begins 1,000 cycles later, join nearly
 * as many as two that begin together (0.39 of their sectors for 0.37). In the order of steps a turn
 * is as near as that. */
bool ifl_l2_joins_read(ifl_l2_joins *j, uint32_t line, uint8_t sectors, uint32_t gpc, uint64_t now)
{
    enum { ALONE = 4 /* behind one for other sectors, chosen on hot_load_probe's two lines */ };
    const uint64_t key = (uint64_t)line * MOST_GPCS + gpc;
    ifl_join_entry *e = &j->at[ifl_line_hash(key) & j->mask];
    const uint64_t apart = now > e->at ? now - e->at : e->at - now;
    const bool is_known = e->count && e->key == key && apart <= IFL_TURN_TIME,
               differs = is_known && e->sectors != sectors;
    if (is_known && !differs && !e->alone && e->count < j->most) {
        e->count++;
        return true;
    }
    const uint8_t alone = differs ? ALONE : is_known && e->alone ? e->alone - 1 : 0;
    *e = (ifl_join_entry){key, now, 1, sectors, alone};
    return false;
}
