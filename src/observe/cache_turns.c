/* SPDX-License-Identifier: Apache-2.0
 * Loads counted by turn: cache_turns.h. */
#include "observe/cache_turns.h"

#include "observe/cache_levels.h"

static bool same_turn(const ifl_trace_record *a, const ifl_trace_record *b)
{
    return a->warp == b->warp &&
           a->position >> IFL_TRACE_SEQUENCE_BITS == b->position >> IFL_TRACE_SEQUENCE_BITS;
}

static void add_turn(ifl_turns *to, const size_t by_reach[])
{
    const double far = (double)by_reach[IFL_REACH_DRAM],
                 asked = far + (double)by_reach[IFL_REACH_L2];
    to->loading += asked > 0 || by_reach[IFL_REACH_L1] > 0;
    to->in_l1 += asked == 0 && by_reach[IFL_REACH_L1] > 0;
    to->asked += asked;
    to->far += far;
    to->far_beside += far > 0 ? far * (asked - 1) : 0;
    to->far_together += far > 0 ? far * (far - 1) : 0;
}

ifl_turns ifl_turns_count(const ifl_trace *trace, const ifl_keyed *records, const uint8_t *reach)
{
    ifl_turns sums = {0};
    for (size_t first = 0, at = 0; first < trace->records.count; first = at) {
        size_t by_reach[IFL_REACH_DRAM + 1] = {0};
        for (; at < trace->records.count && same_turn(records[at].record, records[first].record);
             at++)
            by_reach[reach[records[at].record - trace->records.at]]++;
        add_turn(&sums, by_reach);
    }
    return sums;
}

static bool goes_past(const ifl_trace_record *r)
{
    return r->kind == IFL_ACCESS_LOAD &&
           (r->path == IFL_PATH_PAST || r->path == IFL_PATH_NO_ALLOCATE);
}

/* Whether one of the records before `at`, of the warp's request before, waits for the same sectors. */
static bool finds_waiting(const ifl_trace *trace, const ifl_keyed *records, size_t at,
                          const uint8_t *reach)
{
    const ifl_trace_record *r = records[at].record;
    for (size_t i = at; i-- > 0;) {
        const ifl_trace_record *before = records[i].record;
        if (!same_turn(before, r) || before->position + 1 < r->position)
            return false;
        if (before->position + 1 == r->position && before->line == r->line)
            return goes_past(before) && !(r->sectors & ~before->sectors) &&
                   reach[before - trace->records.at] != IFL_REACH_JOINED;
    }
    return false;
}

bool ifl_turns_may_join(const ifl_trace *trace)
{
    for (size_t i = 0; i < trace->records.count; i++)
        if (goes_past(&trace->records.at[i]))
            return true;
    return false;
}

void ifl_turns_join(const ifl_trace *trace, const ifl_keyed *records, uint8_t *reach)
{
    for (size_t i = 0; i < trace->records.count; i++)
        if (goes_past(records[i].record) && finds_waiting(trace, records, i, reach))
            reach[records[i].record - trace->records.at] = IFL_REACH_JOINED;
}
