/* SPDX-License-Identifier: Apache-2.0
 * Bulk copies: begun here, kept with the block, done when somebody waits for them (bulk_copies.h).
 * How a box of a tensor is copied is in tensor_copy.c. */
#include "exec/bulk_copies.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { ALL_LANES_KEY = 0, WIDEST_VALUE = 16 };

/* Where a copy begins or ends. */
typedef struct end {
    uint8_t space;
    uint64_t address;
} end;

/* A copy that has begun. */
typedef struct bulk_copy {
    const ifl_code *code;
    ifl_warp *warp;
    uint32_t lane;
    end to, from;
    uint32_t bytes;
    uint16_t byte_mask; /* where the operation has one */
    uint8_t value[WIDEST_VALUE];
    uint8_t *object; /* the barrier that counts it; NULL: a group does */
    uint32_t group;  /* of the lane: the number of its group; 0: still open */
    uint64_t begun;  /* in this round of the worker's */
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

/* ---- doing one ------------------------------------------------------------------------------- */

static void change(const bulk_copy *c, const ifl_bulk_op *op, uint8_t *to, const uint8_t *from)
{
    for (uint32_t i = 0; op->has_byte_mask && i < c->bytes; i++)
        if (c->byte_mask >> i % 16 & 1)
            to[i] = from[i];
    if (op->has_byte_mask)
        return;
    if (op->operation) /* sums of f32 flush denormals (PTX ISA 9.0, "cp.reduce.async.bulk") */
        ifl_reduce_bytes(op->operation, op->type, op->type == IFL_TYPE_F32, to, from, c->bytes);
    else
        memmove(to, from, c->bytes);
}

/* An address that stands for the memory of several GPUs: that of each changes (PTX ISA 9.1,
 * "multimem.cp.async.bulk"; in machine code these are copies like others). */
static bool copy_bytes(const bulk_copy *c, const ifl_bulk_op *op)
{
    const ifl_allocation *many =
        c->to.space == IFL_SPACE_GLOBAL
            ? ifl_memory_copies(c->warp->worker->grid->launch->memory, c->to.address)
            : NULL;
    const uint8_t *from = op->kind == IFL_BULK_VALUE
                              ? c->value
                              : ifl_warp_reach_run(c->warp, c->code, (ifl_space)c->from.space,
                                                   c->lane, c->from.address, c->bytes, false);
    uint8_t *to = from ? ifl_warp_reach_each(c->warp, c->code, (ifl_space)c->to.space, c->lane,
                                             c->to.address, c->bytes)
                       : NULL;
    if (!to)
        return false;
    change(c, op, to, from);
    for (uint32_t i = 1; many && i < many->copy_count; i++)
        change(c, op, many->copies[i] + (c->to.address - many->address), from);
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

/* All warps have had their turn when two more rounds have begun. */
bool ifl_bulk_is_early(const ifl_warp *warp, const uint8_t *object)
{
    enum { ROUNDS = 2 };
    const ifl_block *first = ifl_cluster_first(warp->block);
    for (uint32_t b = 0; b < warp->worker->grid->cluster_blocks; b++) {
        const struct ifl_bulk_queue *queue = first[b].bulk;
        for (size_t i = 0; queue && i < queue->copies.count; i++)
            if (queue->copies.at[i].object == object &&
                queue->copies.at[i].begun + ROUNDS > warp->worker->rounds)
                return true;
    }
    return false;
}

/* Any block of the cluster may have begun it. */
bool ifl_bulk_finish_counted(ifl_warp *warp, const uint8_t *object)
{
    ifl_block *first = ifl_cluster_first(warp->block);
    bool is_right = true;
    for (uint32_t b = 0; b < warp->worker->grid->cluster_blocks && is_right; b++)
        is_right = finish_some(first[b].bulk, is_counted_by, object);
    return is_right;
}

static bool is_any(const bulk_copy *copy, const void *of)
{
    (void)copy, (void)of;
    return true;
}

/* Of what is counted by barrier objects of the block itself: that memory is another block's from now on. A
 * copy to another block of the cluster may go on, and of a group that only reads shared memory no
 * document says that a block may not end before it was read. */
static void warn_outstanding(const ifl_block *block)
{
    const struct ifl_bulk_queue *queue = block->bulk;
    for (size_t i = 0; queue && i < queue->copies.count; i++) {
        const bulk_copy *c = &queue->copies.at[i];
        const uint8_t *limit = block->shared + c->warp->worker->grid->shared_bytes;
        if (c->bytes && c->object >= block->shared && c->object < limit)
            ifl_warn_outstanding(c->warp, c->code, c->lane, c->bytes);
    }
}

void ifl_bulk_finish_all(ifl_block *block)
{
    warn_outstanding(block);
    finish_some(block->bulk, is_any, NULL);
    if (block->bulk)
        memset(block->bulk->groups, 0,
               (size_t)block->warp_count * IFL_WARP_LANES * sizeof *block->bulk->groups);
}

/* ---- beginning one --------------------------------------------------------------------------- */

static end end_at(const ifl_warp *warp, uint8_t space, uint64_t address)
{
    const bool is_shared = space == IFL_SPACE_SHARED || space == IFL_SPACE_CLUSTER;
    end e = {.space = space};
    e.address = ifl_warp_place(warp, &e.space,
                               is_shared && ifl_space_of(address) == IFL_SPACE_SHARED
                                   ? address - IFL_SHARED_WINDOW
                                   : address);
    return e;
}

/* A lane's. */
static void tell_value(const bulk_copy *c, const ifl_bulk_op *op)
{
    uint64_t address[IFL_WARP_LANES] = {0};
    uint8_t space[IFL_WARP_LANES] = {0};
    address[c->lane] = c->to.address;
    space[c->lane] = c->to.space;
    ifl_warp_tell_lanes(c->warp, c->code, &op->to, UINT32_C(1) << c->lane, address, space);
}

/* Both ends must be there now, so that a wrong address is known by the copy's place. */
static bool are_there(const bulk_copy *c)
{
    return ifl_warp_has(c->warp, c->code, (ifl_space)c->from.space, c->lane, c->from.address,
                        c->bytes, false) &&
           ifl_warp_has(c->warp, c->code, (ifl_space)c->to.space, c->lane, c->to.address, c->bytes,
                        true);
}

static bool begin_bytes(bulk_copy *c, const ifl_bulk_op *op, const char *frame)
{
    c->from = end_at(c->warp, op->from.space, ifl_lane_address(&op->from, frame, c->lane));
    c->bytes = (ifl_lane_u32(frame, op->size, c->lane) & op->size_mask) << op->size_shift;
    if (op->has_byte_mask)
        c->byte_mask =
            (uint16_t)(ifl_lane_u32(frame, op->byte_mask, c->lane) >> op->byte_mask_shift);
    if (c->bytes % 16 || c->to.address % 16 || c->from.address % 16) {
        ifl_fault_raise(
            c->warp, c->code, IFL_FAULT_OTHER, c->lane,
            "a bulk copy of %u bytes from 0x%llx to 0x%llx: all three must be multiples of 16",
            c->bytes, (unsigned long long)c->from.address, (unsigned long long)c->to.address);
        return false;
    }
    return !c->bytes || are_there(c);
}

static uint16_t packed_offset(const ifl_bulk_op *op, const char *frame, uint32_t lane, unsigned i)
{
    if (!op->packed_bits)
        return (uint16_t)ifl_lane_u32(frame, op->offsets[i], lane);
    const uint32_t packed = (uint16_t)ifl_lane_u32(frame, op->offsets[0], lane);
    return (uint16_t)(packed >> (op->packed_bits * i) & ((1u << op->packed_bits) - 1));
}

static bool is_load(const ifl_bulk_op *op)
{
    return op->to.space == IFL_SPACE_SHARED || op->to.space == IFL_SPACE_CLUSTER;
}

static bool begin_box(bulk_copy *c, const ifl_bulk_op *op, const char *frame)
{
    const ifl_transfer *shared = is_load(op) ? &op->to : &op->from,
                       *global = is_load(op) ? &op->from : &op->to;
    const end at = is_load(op)
                       ? c->to
                       : end_at(c->warp, shared->space, ifl_lane_address(shared, frame, c->lane));
    c->box.shared = at.address;
    c->box.space = at.space;
    c->box.description = ifl_lane_address(global, frame, c->lane);
    for (unsigned i = 0; i < op->rank + (op->are_lines ? IFL_BULK_LINES - 1u : 0); i++)
        c->box.coordinates[i] = (int32_t)ifl_lane_u32(frame, op->coordinates[i], c->lane);
    for (unsigned i = 0; op->is_image && i < (op->wide ? 2u : op->rank - 2u); i++)
        c->box.offsets[i] = packed_offset(op, frame, c->lane, i);
    return ifl_box_bytes(c->warp, c->code, c->lane, &c->box, &c->bytes);
}

/* Registers are read now, memory changes later. */
static bool begin_value(bulk_copy *c, const ifl_bulk_op *op, const char *frame)
{
    const ifl_transfer *t = &op->from;
    c->bytes = t->bytes;
    for (unsigned e = 0; e < t->elements; e++)
        memcpy(c->value + (size_t)e * t->element_bytes,
               frame + t->data[e] + (size_t)c->lane * t->slot_bytes, t->element_bytes);
    if (c->to.address % c->bytes)
        ifl_fault_access(c->warp, c->code, (ifl_space)c->to.space, c->lane, c->to.address, c->bytes,
                         true);
    return c->to.address % c->bytes == 0 && ifl_warp_has(c->warp, c->code, (ifl_space)c->to.space,
                                                         c->lane, c->to.address, c->bytes, true);
}

static bool begin_kind(bulk_copy *c, const ifl_bulk_op *op, const char *frame)
{
    static bool (*const kinds[])(bulk_copy *, const ifl_bulk_op *, const char *) = {
        [IFL_BULK_BYTES] = begin_bytes, [IFL_BULK_BOX] = begin_box, [IFL_BULK_VALUE] = begin_value};
    return kinds[op->kind](c, op, frame);
}

static ifl_access_kind kind_of(const ifl_bulk_op *op)
{
    return is_load(op)     ? IFL_ACCESS_COPY_LOAD
           : op->operation ? IFL_ACCESS_COPY_REDUCTION
                           : IFL_ACCESS_COPY_STORE;
}

/* The global side of a copy; what is read is told once, however many blocks get it. Shared memory
 * is reached without requests of the LSU, which the counters of shared memory are. */
static void tell(const bulk_copy *c, const ifl_bulk_op *op, bool is_first)
{
    const end *global = is_load(op) ? &c->from : &c->to;
    if (!c->bytes || !is_first)
        return;
    if (op->kind == IFL_BULK_VALUE)
        tell_value(c, op);
    else if (op->kind == IFL_BULK_BOX)
        ifl_box_tell(c->warp, c->code, c->lane, &c->box, kind_of(op));
    else if (global->space == IFL_SPACE_GLOBAL)
        ifl_bulk_tell(c->warp, c->code, kind_of(op), global->address, c->bytes);
}

/* ---- to one block, or to some of the cluster ------------------------------------------------- */

enum { NO_RANK = -1 };

/* PTX ISA, .multicast::cluster: the same offset in each block's shared memory, of the barrier
 * object too. */
static uint64_t at_rank(const ifl_warp *warp, uint64_t address, int rank)
{
    const uint64_t offset_bits = (UINT64_C(1) << IFL_RANK_SHIFT) - 1;
    return rank == NO_RANK || !warp->worker->grid->has_ranks
               ? address
               : (address & offset_bits) | (uint64_t)rank << IFL_RANK_SHIFT;
}

static bool find_object(bulk_copy *c, const ifl_bulk_op *op, const char *frame, int rank)
{
    if (!op->has_barrier)
        return true;
    const uint64_t address = ifl_lane_address(&op->barrier, frame, c->lane);
    /* .cta_group::2: the objects of all even or all odd blocks of the pairs count, as the given
     * one is in an even or an odd block (PTX ISA 9.0, "cp.async.bulk.tensor"). */
    const int wanted =
        op->is_pair && rank != NO_RANK ? (rank & ~1) | (int)(address >> IFL_RANK_SHIFT & 1) : rank;
    c->object = ifl_mbarrier_in(c->warp, c->code, op->barrier.space,
                                at_rank(c->warp, address, wanted), c->lane);
    return c->object != NULL;
}

static ifl_reason begin(ifl_warp *warp, const ifl_code *code, const char *frame, uint32_t lane,
                        int rank, bool is_first)
{
    const ifl_bulk_op *op = code->extra;
    struct ifl_bulk_queue *queue = queue_of(warp->block);
    bulk_copy copy = {.code = code, .warp = warp, .lane = lane, .begun = warp->worker->rounds};
    if (op->kind != IFL_BULK_BOX || is_load(op))
        copy.to =
            end_at(warp, op->to.space, at_rank(warp, ifl_lane_address(&op->to, frame, lane), rank));
    if (!begin_kind(&copy, op, frame) || !find_object(&copy, op, frame, rank))
        return IFL_REASON_FAULT;
    tell(&copy, op, is_first);
    if (copy.object)
        ifl_warp_tell_object(warp, code, IFL_OBJECT_COPY, copy.object, 0);
    if (op->is_once)
        copy.lane = ALL_LANES_KEY;
    return queue && ifl_vec_push(&queue->copies, copy) ? IFL_REASON_NONE
                                                       : fail_memory(warp, code, lane);
}

static ifl_reason begin_in_all(ifl_warp *warp, const ifl_code *code, const char *frame,
                               uint32_t lane)
{
    const ifl_bulk_op *op = code->extra;
    const uint32_t blocks = warp->worker->grid->cluster_blocks,
                   ranks = op->for_all
                               ? (UINT32_C(1) << blocks) - 1
                               : ifl_lane_u32(frame, op->multicast, lane) >> op->multicast_shift &
                                     UINT16_MAX;
    ifl_reason reason = IFL_REASON_NONE;
    if (ranks >> blocks)
        return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                               "a copy to the blocks 0x%x of a cluster that has %u", ranks, blocks);
    for (uint32_t m = ranks; m && reason == IFL_REASON_NONE; m &= m - 1)
        reason = begin(warp, code, frame, lane, __builtin_ctz(m), m == ranks);
    return reason;
}

ifl_reason ifl_slow_bulk_copy(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                              uint32_t active)
{
    (void)active;
    const ifl_bulk_op *op = code->extra;
    for (uint32_t m = op->is_once ? mask & -mask : mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        const ifl_reason reason = op->multicast || op->for_all
                                      ? begin_in_all(warp, code, frame, lane)
                                      : begin(warp, code, frame, lane, NO_RANK, true);
        if (reason != IFL_REASON_NONE)
            return reason;
    }
    warp->changed = true;
    return IFL_REASON_NONE;
}

/* ---- groups ---------------------------------------------------------------------------------- */

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
