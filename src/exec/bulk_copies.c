/* SPDX-License-Identifier: Apache-2.0
 * Bulk copies: begun here, kept with the block, done when somebody waits for them (bulk_copies.h). How a box of a tensor is copied is
 * in tensor_copy.c. */
#include "exec/bulk_copies.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { ALL_LANES_KEY = 0 };

/* A copy that has begun. */
typedef struct bulk_copy {
    const ifl_code *code;
    ifl_warp *warp;
    uint32_t lane;
    uint64_t to, from;
    uint32_t bytes;
    uint8_t *object; /* the barrier that counts it; NULL: a group does */
    uint32_t group;  /* of the lane: the number of its group; 0: still open */
    ifl_box box;
} bulk_copy;

/* What a block has begun, in order. */
struct ifl_bulk_queue {
    IFL_VEC(bulk_copy) copies;
    uint32_t *groups; /* by thread: groups closed so far */
};

static struct ifl_bulk_queue *queue_of(ifl_block *block)
{
    if (block->bulk)
        return block->bulk;
    struct ifl_bulk_queue *queue = calloc(1, sizeof *queue);
    if (queue)
        queue->groups = calloc((size_t)block->warp_count * IFL_WARP_LANES, sizeof *queue->groups);
    if (!queue || !queue->groups) {
        free(queue);
        return NULL;
    }
    block->bulk = queue;
    return queue;
}

void ifl_bulk_free(ifl_block *block)
{
    if (!block->bulk)
        return;
    ifl_vec_free(&block->bulk->copies);
    free(block->bulk->groups);
    free(block->bulk);
    block->bulk = NULL;
}

static ifl_reason fail_memory(ifl_warp *warp, const ifl_code *code, uint32_t lane)
{
    return ifl_fault_raise(warp, code, IFL_FAULT_NO_MEMORY, lane, "out of memory for a bulk copy");
}

/* ---- doing one --------------------------------------------------------------------------------------------------- */

static bool copy_bytes(const bulk_copy *c, const ifl_bulk_op *op)
{
    const uint8_t *from =
        ifl_warp_reach_in(c->warp, c->code, op->from.space, c->lane, c->from, c->bytes, false);
    uint8_t *to =
        from ? ifl_warp_reach_in(c->warp, c->code, op->to.space, c->lane, c->to, c->bytes, true)
             : NULL;
    if (!to)
        return false;
    if (op->operation)
        ifl_reduce_bytes(op->operation, op->type, to, from, c->bytes);
    else
        memmove(to, from, c->bytes);
    return true;
}

static bool finish(const bulk_copy *c)
{
    const ifl_bulk_op *op = c->code->extra;
    if (op->kind == IFL_BULK_BOX ? !ifl_box_copy(c->warp, c->code, c->lane, &c->box)
                                 : c->bytes && !copy_bytes(c, op))
        return false;
    if (c->object)
        ifl_mbarrier_complete(c->object, c->bytes);
    return true;
}

/* Does the copies that `wanted` says, in order, and forgets them. */
typedef bool wanted_copy(const bulk_copy *copy, const void *of);

static bool finish_some(struct ifl_bulk_queue *queue, wanted_copy *wanted, const void *of)
{
    size_t kept = 0;
    bool is_right = true;
    for (size_t i = 0; queue && i < queue->copies.count; i++) {
        const bulk_copy copy = queue->copies.at[i];
        if (is_right && wanted(&copy, of))
            is_right = finish(&copy);
        else
            queue->copies.at[kept++] = copy;
    }
    if (queue)
        queue->copies.count = kept;
    return is_right;
}

static bool is_counted_by(const bulk_copy *copy, const void *of)
{
    return copy->object == of;
}

bool ifl_bulk_finish_counted(ifl_warp *warp, const uint8_t *object)
{
    return finish_some(warp->block->bulk, is_counted_by, object);
}

static bool is_any(const bulk_copy *copy, const void *of)
{
    (void)copy, (void)of;
    return true;
}

void ifl_bulk_finish_all(ifl_block *block)
{
    finish_some(block->bulk, is_any, NULL);
    if (block->bulk)
        memset(block->bulk->groups, 0,
               (size_t)block->warp_count * IFL_WARP_LANES * sizeof *block->bulk->groups);
}

/* ---- beginning one ----------------------------------------------------------------------------------------------- */

static uint64_t in_space(uint8_t space, uint64_t address)
{
    return space == IFL_SPACE_SHARED && ifl_space_of(address) == IFL_SPACE_SHARED
               ? address - IFL_SHARED_WINDOW
               : address;
}

/* A bulk copy is told as the 16-byte accesses of whole warps that it stands for. */
static void tell_bulk(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t, uint64_t start,
                      uint64_t size)
{
    uint64_t address[IFL_WARP_LANES];
    uint8_t space[IFL_WARP_LANES];
    memset(space, t->space, sizeof space);
    for (uint64_t at = 0; at < size; at += sizeof address * 2) {
        uint32_t mask = 0;
        for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++) {
            address[lane] = start + at + lane * UINT64_C(16);
            mask |= (uint32_t)(at + lane * UINT64_C(16) < size) << lane;
        }
        ifl_warp_tell_lanes(warp, code, t, mask, address, space);
    }
}

/* Both ends must be there now, so that a wrong address is known by the copy's place. */
static bool begin_bytes(bulk_copy *c, const ifl_bulk_op *op, const char *frame)
{
    c->to = in_space(op->to.space, ifl_lane_address(&op->to, frame, c->lane));
    c->from = in_space(op->from.space, ifl_lane_address(&op->from, frame, c->lane));
    c->bytes = (ifl_lane_u32(frame, op->size, c->lane) & op->size_mask) << op->size_shift;
    if (c->bytes % 16 || c->to % 16 || c->from % 16) {
        ifl_fault_raise(
            c->warp, c->code, IFL_FAULT_OTHER, c->lane,
            "a bulk copy of %u bytes from 0x%llx to 0x%llx: all three must be multiples of 16",
            c->bytes, (unsigned long long)c->from, (unsigned long long)c->to);
        return false;
    }
    if (!c->bytes)
        return true;
    if (!ifl_warp_has(c->warp, c->code, op->from.space, c->lane, c->from, c->bytes, false) ||
        !ifl_warp_has(c->warp, c->code, op->to.space, c->lane, c->to, c->bytes, true))
        return false;
    tell_bulk(c->warp, c->code, &op->from, c->from, c->bytes);
    tell_bulk(c->warp, c->code, &op->to, c->to, c->bytes);
    return true;
}

static uint16_t packed_offset(const ifl_bulk_op *op, const char *frame, uint32_t lane, unsigned i)
{
    if (!op->packed_bits)
        return (uint16_t)ifl_lane_u32(frame, op->offsets[i], lane);
    const uint32_t packed = (uint16_t)ifl_lane_u32(frame, op->offsets[0], lane);
    return (uint16_t)(packed >> (op->packed_bits * i) & ((1u << op->packed_bits) - 1));
}

static bool begin_box(bulk_copy *c, const ifl_bulk_op *op, const char *frame)
{
    const bool loads = op->to.space == IFL_SPACE_SHARED;
    const ifl_transfer *shared = loads ? &op->to : &op->from, *global = loads ? &op->from : &op->to;
    c->box.shared = in_space(IFL_SPACE_SHARED, ifl_lane_address(shared, frame, c->lane));
    c->box.description = ifl_lane_address(global, frame, c->lane);
    for (unsigned i = 0; i < op->rank; i++)
        c->box.coordinates[i] = (int32_t)ifl_lane_u32(frame, op->coordinates[i], c->lane);
    for (unsigned i = 0; op->is_image && i + 2 < op->rank; i++)
        c->box.offsets[i] = packed_offset(op, frame, c->lane, i);
    if (!ifl_box_bytes(c->warp, c->code, c->lane, &c->box, &c->bytes))
        return false;
    tell_bulk(c->warp, c->code, shared, c->box.shared, c->bytes);
    return true;
}

/* A cluster here is one block, whose bit is the lowest. */
static bool is_for_this_block(const bulk_copy *c, const ifl_bulk_op *op, const char *frame)
{
    const uint32_t blocks =
        op->multicast ? ifl_lane_u32(frame, op->multicast, c->lane) >> op->multicast_shift & UINT16_MAX : 1;
    if (blocks != 1)
        ifl_fault_raise(c->warp, c->code, IFL_FAULT_UNSUPPORTED, c->lane,
                        "a copy to the blocks 0x%x of a cluster: clusters of more than one block are not supported", blocks);
    return blocks == 1;
}

static ifl_reason begin(ifl_warp *warp, const ifl_code *code, const char *frame, uint32_t lane)
{
    const ifl_bulk_op *op = code->extra;
    struct ifl_bulk_queue *queue = queue_of(warp->block);
    bulk_copy copy = {.code = code, .warp = warp, .lane = lane};
    if (!is_for_this_block(&copy, op, frame))
        return IFL_REASON_FAULT;
    if (!(op->kind == IFL_BULK_BOX ? begin_box(&copy, op, frame) : begin_bytes(&copy, op, frame)))
        return IFL_REASON_FAULT;
    if (op->has_barrier && !(copy.object = ifl_mbarrier_at(warp, code, &op->barrier, frame, lane)))
        return IFL_REASON_FAULT;
    if (op->is_once)
        copy.lane = ALL_LANES_KEY;
    return queue && ifl_vec_push(&queue->copies, copy) ? IFL_REASON_NONE
                                                       : fail_memory(warp, code, lane);
}

ifl_reason ifl_slow_bulk_copy(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                              uint32_t active)
{
    (void)active;
    const ifl_bulk_op *op = code->extra;
    for (uint32_t m = op->is_once ? mask & -mask : mask; m; m &= m - 1) {
        const ifl_reason reason = begin(warp, code, frame, (uint32_t)__builtin_ctz(m));
        if (reason != IFL_REASON_NONE)
            return reason;
    }
    warp->changed = true;
    return IFL_REASON_NONE;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static uint32_t *groups_of(const ifl_warp *warp, uint32_t lane)
{
    return &warp->block->bulk->groups[warp->index * IFL_WARP_LANES + lane];
}

/* A group may be empty. */
ifl_reason ifl_slow_bulk_commit(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                uint32_t active)
{
    (void)frame, (void)active;
    struct ifl_bulk_queue *queue = mask ? queue_of(warp->block) : NULL;
    if (mask && !queue)
        return fail_memory(warp, code, 0);
    for (uint32_t m = code->value && mask ? 1u << ALL_LANES_KEY : mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m), group = ++*groups_of(warp, lane);
        for (size_t i = 0; i < queue->copies.count; i++) {
            bulk_copy *c = &queue->copies.at[i];
            if (c->warp == warp && c->lane == lane && !c->object && !c->group)
                c->group = group;
        }
    }
    return IFL_REASON_NONE;
}

typedef struct group_limit {
    const ifl_warp *warp;
    uint32_t lane, last; /* groups up to this one */
} group_limit;

static bool is_in_groups(const bulk_copy *copy, const void *of)
{
    const group_limit *limit = of;
    return copy->warp == limit->warp && copy->lane == limit->lane && copy->group &&
           copy->group <= limit->last;
}

ifl_reason ifl_slow_bulk_wait(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                              uint32_t active)
{
    (void)frame, (void)active;
    struct ifl_bulk_queue *queue = warp->block->bulk;
    for (uint32_t m = code->value && mask ? 1u << ALL_LANES_KEY : mask;
         m && queue && queue->copies.count; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m), groups = *groups_of(warp, lane);
        const group_limit limit = {warp, lane, groups > code->count ? groups - code->count : 0};
        if (!finish_some(queue, is_in_groups, &limit))
            return IFL_REASON_FAULT;
        warp->changed = true;
    }
    return IFL_REASON_NONE;
}
