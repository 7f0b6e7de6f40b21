/* SPDX-License-Identifier: Apache-2.0
 * Asynchronous copies by lanes (cp.async). A copy is done when it is issued: one of the orders that
 * the hardware allows, so that groups and waits have nothing left to do. */
#include "exec/warp.h"

#include <string.h>

/* ---- copies ---------------------------------------------------------------------------------- */

static void tell_side(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t, uint32_t mask,
                      const uint64_t *address)
{
    uint8_t space[IFL_WARP_LANES];
    memset(space, t->space, sizeof space);
    ifl_warp_tell_lanes(warp, code, t, mask, address, space);
}

/* PTX ISA, cp.async: of cp-size bytes the first src-size are read, the others become zeros. */
static bool copy_lane(ifl_warp *warp, const ifl_code *code, const ifl_copy_op *op,
                      const char *frame, uint32_t lane, uint64_t to, uint64_t from, bool ignore)
{
    uint32_t size = op->to.bytes, wanted = op->size ? ifl_lane_u32(frame, op->size, lane) : size;
    if (op->fills) {
        wanted = size - (uint32_t)(from & (size - 1));
        from &= ~(uint64_t)(size - 1);
    }
    wanted = ignore ? 0 : wanted > size ? size : wanted;
    uint8_t *target = ifl_warp_reach_in(warp, code, IFL_SPACE_SHARED, lane, to, size, true);
    if (!target)
        return false;
    if (wanted && from % size) {
        ifl_fault_access(warp, code, IFL_SPACE_GLOBAL, lane, from, size, false);
        return false;
    }
    uint8_t *source =
        wanted ? ifl_warp_reach_in(warp, code, IFL_SPACE_GLOBAL, lane, from, wanted, false) : NULL;
    if (wanted && !source)
        return false;
    memset(target, 0, size);
    if (wanted)
        memcpy(target, source, wanted);
    return true;
}

ifl_reason ifl_slow_copy(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                         uint32_t active)
{
    (void)active;
    const ifl_copy_op *op = code->extra;
    uint64_t to[IFL_WARP_LANES], from[IFL_WARP_LANES];
    uint8_t space[IFL_WARP_LANES];
    uint32_t ignored = op->has_ignore ? ifl_predicate(frame, op->ignore) ^ op->ignore_flip : 0,
             reads = 0;
    ifl_lane_addresses(&op->to, frame, to);
    ifl_lane_addresses(&op->from, frame, from);
    ifl_warp_split_spaces(warp, &op->to, mask, to, space);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        bool ignore = ignored >> lane & 1;
        if (!copy_lane(warp, code, op, frame, lane, to[lane], from[lane], ignore))
            return IFL_REASON_FAULT;
        bool is_empty = ignore || (op->size && ifl_lane_u32(frame, op->size, lane) == 0);
        reads |= is_empty ? 0 : m & -m;
    }
    for (uint32_t lane = 0; op->fills && lane < IFL_WARP_LANES; lane++)
        from[lane] &= ~(uint64_t)(op->to.bytes - 1);
    warp->changed |= mask != 0;
    tell_side(warp, code, &op->from, reads, from);
    tell_side(warp, code, &op->to, mask, to);
    return IFL_REASON_NONE;
}
