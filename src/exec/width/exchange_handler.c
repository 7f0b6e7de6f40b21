/* SPDX-License-Identifier: Apache-2.0
 * The handler of what the lanes of a warp do together. Compiled once for each vector width; lanes
 * that wait for others, or that are in several groups, are those of ../exchange.c. */
#include "exec/exchange_lanes.h"
#include "exec/width/dispatch.h"

/* The lanes that execute name one member mask, which has each of them and no lane that lives
 * elsewhere. */
IFL_INLINE bool are_one_group(const ifl_warp *warp, const ifl_exchange *op, const char *frame,
                              uint32_t mask, uint32_t active)
{
    const uint32_t *named = ifl_words(frame, op->members), members = named[__builtin_ctz(mask)];
    uint32_t others = 0;
    _Pragma("omp simd reduction(|:others)") IFL_EACH_LANE(i) others |=
        (uint32_t)(named[i] != members ? 1 : 0) << i;
    return !(others & mask) && !(mask & ~members) && !(members & warp->live & ~active);
}

IFL_OPERATION(exchange)
{
    const ifl_exchange *op = code->extra;
    const uint32_t mask = IFL_EXECUTING;
    if (!mask)
        IFL_NEXT;
    if (!op->members || are_one_group(warp, op, frame, mask, active)) {
        ifl_exchange_lanes(op, frame, mask, active);
        if (op->kind == IFL_EXCHANGE_MATCH_ANY)
            ifl_exchange_tell_values(warp, code, frame, mask);
        IFL_NEXT;
    }
    const ifl_reason reason = ifl_exchange_groups(warp, code, frame, mask, active);
    if (reason != IFL_REASON_NONE)
        IFL_STOP(reason, code);
    IFL_NEXT;
}
