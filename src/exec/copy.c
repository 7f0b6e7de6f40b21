/* SPDX-License-Identifier: Apache-2.0
 * Asynchronous copies by lanes (cp.async). The source is read when the copy is issued; shared memory
 * changes when the warp waits for the copy's group, so that whoever does not wait finds it as it was
 * before. Groups are the warp's, as the scoreboard of the hardware is: of those that a lane of PTX
 * has closed, none is done later than PTX allows. */
#include "base/vec.h"
#include "exec/race.h"
#include "exec/warp.h"

#include <string.h>

enum { WIDEST = 16, OPEN = 0 };

/* What the lanes of one instruction copy. */
typedef struct lane_copy {
    const ifl_code *code;
    uint64_t group; /* OPEN: not closed yet */
    uint32_t lanes;
    ifl_race_order issue;
    uint64_t to[IFL_WARP_LANES];
    uint8_t value[IFL_WARP_LANES][WIDEST];
} lane_copy;

/* A warp's, in the order of their issue: those before `first` are done. */
struct ifl_lane_copies {
    IFL_VEC(lane_copy) all;
    size_t first;
    uint64_t groups; /* closed so far */
};

static struct ifl_lane_copies *copies_of(ifl_warp *warp)
{
    if (!warp->copies)
        warp->copies = calloc(1, sizeof *warp->copies);
    return warp->copies;
}

void ifl_copies_free(ifl_warp *warp)
{
    if (warp->copies)
        ifl_vec_free(&warp->copies->all);
    free(warp->copies);
    warp->copies = NULL;
}

void ifl_copies_start(ifl_warp *warp)
{
    if (warp->copies)
        warp->copies->all.count = warp->copies->first = warp->copies->groups = 0;
}

static ifl_reason fail_memory(ifl_warp *warp, const ifl_code *code)
{
    return ifl_fault_raise(warp, code, IFL_FAULT_NO_MEMORY, 0, "out of memory for a copy");
}

/* ---- when it is issued ----------------------------------------------------------------------- */

/* PTX ISA, cp.async: of cp-size bytes the first src-size are read, the others become zeros. */
static bool read_lane(ifl_warp *warp, const ifl_code *code, const char *frame, uint32_t lane,
                      uint64_t from, bool ignore, uint8_t value[WIDEST])
{
    const ifl_copy_op *op = code->extra;
    uint32_t size = op->to.bytes, wanted = op->size ? ifl_lane_u32(frame, op->size, lane) : size;
    if (op->fills) {
        wanted = size - (uint32_t)(from & (size - 1));
        from &= ~(uint64_t)(size - 1);
    }
    wanted = ignore ? 0 : wanted > size ? size : wanted;
    if (wanted && from % size) {
        ifl_fault_access(warp, code, IFL_SPACE_GLOBAL, lane, from, size, false);
        return false;
    }
    const uint8_t *source =
        wanted ? ifl_warp_reach_in(warp, code, IFL_SPACE_GLOBAL, lane, from, wanted, false) : NULL;
    memset(value, 0, size);
    if (source)
        memcpy(value, source, wanted);
    return source || !wanted;
}

/* Shared memory must be there now, so that a wrong address is known by the copy's place. */
static bool has_target(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t to)
{
    const ifl_copy_op *op = code->extra;
    if (to % op->to.bytes == 0)
        return ifl_warp_has(warp, code, IFL_SPACE_SHARED, lane, to, op->to.bytes, true);
    ifl_fault_access(warp, code, IFL_SPACE_SHARED, lane, to, op->to.bytes, true);
    return false;
}

/* A place at the end of the queue, of which what is done is taken out once it is most of it. */
static lane_copy *new_copy(ifl_warp *warp)
{
    struct ifl_lane_copies *copies = copies_of(warp);
    if (!copies)
        return NULL;
    const size_t left = copies->all.count - copies->first;
    if (copies->first > left) {
        memmove(copies->all.at, copies->all.at + copies->first, left * sizeof *copies->all.at);
        copies->all.count = left;
        copies->first = 0;
    }
    return ifl_vec_reserve(&copies->all, 1) ? &copies->all.at[copies->all.count] : NULL;
}

ifl_reason ifl_slow_copy(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                         uint32_t active)
{
    (void)active;
    const ifl_copy_op *op = code->extra;
    uint64_t from[IFL_WARP_LANES];
    uint8_t space[IFL_WARP_LANES];
    uint32_t ignored = op->has_ignore ? ifl_predicate(frame, op->ignore) ^ op->ignore_flip : 0,
             reads = 0;
    lane_copy *copy = new_copy(warp);
    if (!copy)
        return fail_memory(warp, code);
    copy->code = code;
    copy->group = OPEN;
    copy->lanes = mask;
    ifl_race_issue(warp, &copy->issue);
    ifl_lane_addresses(&op->to, frame, copy->to);
    ifl_lane_addresses(&op->from, frame, from);
    ifl_warp_split_spaces(warp, &op->to, mask, copy->to, space);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        bool ignore = ignored >> lane & 1;
        if (!has_target(warp, code, lane, copy->to[lane]) ||
            !read_lane(warp, code, frame, lane, from[lane], ignore, copy->value[lane]))
            return IFL_REASON_FAULT;
        bool is_empty = ignore || (op->size && ifl_lane_u32(frame, op->size, lane) == 0);
        reads |= is_empty ? 0 : m & -m;
    }
    warp->copies->all.count += mask != 0;
    for (uint32_t lane = 0; op->fills && lane < IFL_WARP_LANES; lane++)
        from[lane] &= ~(uint64_t)(op->to.bytes - 1);
    warp->changed |= mask != 0;
    const bool is_whole = reads == mask;
    ifl_warp_tell_side(warp, code, &op->from, reads, from, is_whole ? copy->to : NULL);
    ifl_warp_tell_side(warp, code, &op->to, mask, copy->to, is_whole ? from : NULL);
    return IFL_REASON_NONE;
}

/* ---- when it is waited for ------------------------------------------------------------------- */

static bool finish(ifl_warp *warp, const lane_copy *copy)
{
    const ifl_copy_op *op = copy->code->extra;
    const uint32_t bytes = op->to.bytes;
    for (uint32_t m = copy->lanes; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        const uint64_t address = copy->to[lane];
        uint8_t *to =
            ifl_warp_reach_in(warp, copy->code, IFL_SPACE_SHARED, lane, address, bytes, true);
        if (!to)
            return false;
        if (memcmp(to, copy->value[lane], bytes) != 0)
            ifl_race_copy(warp, copy->code, lane, address, bytes, &copy->issue);
        memcpy(to, copy->value[lane], bytes);
    }
    return true;
}

/* Those of the groups up to `last`; OPEN: all that were issued. */
static bool finish_some(ifl_warp *warp, uint64_t last)
{
    struct ifl_lane_copies *copies = warp->copies;
    bool is_right = true;
    while (is_right && copies && copies->first < copies->all.count) {
        const lane_copy *next = &copies->all.at[copies->first];
        if (last != OPEN && (next->group == OPEN || next->group > last))
            break;
        is_right = finish(warp, next);
        copies->first++;
        warp->changed = true;
    }
    return is_right;
}

bool ifl_copies_finish(ifl_warp *warp)
{
    return finish_some(warp, OPEN);
}

/* A group may be empty. */
ifl_reason ifl_slow_copy_commit(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                uint32_t active)
{
    (void)frame, (void)active;
    struct ifl_lane_copies *copies = mask ? copies_of(warp) : NULL;
    if (!mask)
        return IFL_REASON_NONE;
    if (!copies)
        return fail_memory(warp, code);
    copies->groups++;
    for (size_t i = copies->all.count; i > copies->first && copies->all.at[i - 1].group == OPEN;
         i--)
        copies->all.at[i - 1].group = copies->groups;
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_copy_wait(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                              uint32_t active)
{
    (void)frame, (void)active;
    const struct ifl_lane_copies *copies = warp->copies;
    if (!mask || !copies || (!code->value && copies->groups <= code->count))
        return IFL_REASON_NONE;
    return finish_some(warp, code->value ? OPEN : copies->groups - code->count) ? IFL_REASON_NONE
                                                                                : IFL_REASON_FAULT;
}
