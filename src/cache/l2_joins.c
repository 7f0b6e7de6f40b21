/* SPDX-License-Identifier: Apache-2.0
 * A table of the last read of each line by a GPC, of which a new one takes the place of an old
 * one. */
#include "cache/l2_joins.h"

#include "cache/line.h"
#include "cache/trace_index.h"

enum { ENTRIES = 1 << 16, MOST_GPCS = 64 };

bool ifl_l2_joins_open(ifl_l2_joins *j, uint32_t most)
{
    j->most = most;
    j->at = most ? ifl_room_take_zeroed(&j->room, ENTRIES, sizeof *j->at) : NULL;
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
bool ifl_l2_joins_read(ifl_l2_joins *j, uint32_t line, uint32_t gpc, uint64_t now)
{
    const uint64_t key = (uint64_t)line * MOST_GPCS + gpc;
    ifl_join_entry *e = &j->at[ifl_line_hash(key) % ENTRIES];
    const uint64_t apart = now > e->at ? now - e->at : e->at - now;
    if (e->count && e->count < j->most && e->key == key && apart <= IFL_TURN_TIME) {
        e->count++;
        return true;
    }
    *e = (ifl_join_entry){key, now, 1};
    return false;
}
