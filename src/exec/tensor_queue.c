/* SPDX-License-Identifier: Apache-2.0
 * See tensor_queue.h. What is begun is done when somebody waits for a barrier at which a later
 * commit arrives, so that whoever does not wait finds tensor memory as it was. */
#include "exec/tensor_queue.h"

#include "exec/bulk_copies.h"

bool ifl_tensor_blocks_of(ifl_warp *warp, const ifl_code *code, unsigned count,
                          ifl_tensor_blocks *out)
{
    const bool is_even = !(warp->block->rank & 1);
    *out = (ifl_tensor_blocks){.at = {warp->block}, .count = count};
    if (count == 1)
        return true;
    ifl_block *peer = ifl_tensor_peer(warp, code);
    out->at[is_even] = peer;
    out->at[!is_even] = warp->block;
    return peer != NULL;
}

uint8_t ifl_tensor_shared_of(const ifl_warp *warp, const ifl_block *block, uint64_t *origin)
{
    *origin = block == warp->block ? 0 : (uint64_t)block->rank << IFL_RANK_SHIFT;
    return block == warp->block ? IFL_SPACE_SHARED : IFL_SPACE_CLUSTER;
}

/* Bits 63-61: the swizzle; 52: the leading dimension is an address, which goes
 * with a swizzle of 128 bytes ("Absolute address mode for K dimension being 48B"); 48-46 are 1 (PTX ISA 9.0,
 * "Shared memory descriptor"; older CUTLASS leaves them 0). */
bool ifl_tensor_matrix_place(const ifl_tensor_task *task, uint64_t descriptor,
                             ifl_matrix_place *out)
{
    enum { MODE_AT = 61, ABSOLUTE_AT = 52, NO_MODE = 8, OF_HALVES = 1, OF_LINES = 2 };
    static const uint8_t swizzles[] = {0, 3, 3, NO_MODE, 2, NO_MODE, 1, NO_MODE};
    const unsigned mode = (unsigned)(descriptor >> MODE_AT);
    const bool is_absolute = descriptor >> ABSOLUTE_AT & 1;
    *out = ifl_matrix_place_of(descriptor);
    out->swizzle = swizzles[mode];
    out->swizzles_halves = mode == OF_HALVES;
    out->is_leading_absolute = is_absolute;
    if (swizzles[mode] != NO_MODE && (!is_absolute || (mode == OF_LINES && !out->base)))
        return true;
    ifl_fault_raise(task->warp, task->code, IFL_FAULT_OTHER, task->lane,
                    is_absolute ? "the matrix descriptor 0x%llx: a leading dimension that is an "
                                  "address needs a swizzle of 128 bytes and no offset"
                                : "the matrix descriptor 0x%llx: its swizzle is not a valid one",
                    (unsigned long long)descriptor);
    return false;
}

bool ifl_tensor_begin(const ifl_tensor_task *task)
{
    struct ifl_tensor_memory *memory =
        ifl_tensor_memory_of(task->warp, task->code, task->warp->block);
    if (!memory)
        return false;
    task->warp->changed = true;
    if (ifl_vec_push(&memory->tasks, *task))
        return true;
    ifl_fault_raise(task->warp, task->code, IFL_FAULT_NO_MEMORY, task->lane,
                    "out of memory for a product");
    return false;
}

static bool run(const ifl_tensor_task *task)
{
    switch (task->code->operation) {
    case IFL_CODE_tensor_product:
        return ifl_tensor_product_run(task);
    case IFL_CODE_tensor_copy:
        return ifl_tensor_copy_run(task);
    case IFL_CODE_tensor_shift:
        return ifl_tensor_shift_run(task);
    default:
        ifl_mbarrier_arrive(task->object);
        return true;
    }
}

/* The first `count`, which are forgotten then. */
static bool run_first(struct ifl_tensor_memory *memory, size_t count)
{
    bool is_right = true;
    for (size_t i = 0; i < count && is_right; i++)
        is_right = run(&memory->tasks.at[i]);
    for (size_t i = count; i < memory->tasks.count; i++)
        memory->tasks.at[i - count] = memory->tasks.at[i];
    memory->tasks.count -= count;
    return is_right;
}

static size_t count_up_to(const struct ifl_tensor_memory *memory, const uint8_t *object)
{
    size_t count = memory->tasks.count;
    while (count && memory->tasks.at[count - 1].object != object)
        count--;
    return count;
}

bool ifl_tensor_finish_counted(ifl_warp *warp, const uint8_t *object)
{
    ifl_block *first = ifl_cluster_first(warp->block);
    bool is_right = true;
    for (uint32_t b = 0; b < warp->worker->grid->cluster_blocks && is_right; b++)
        if (first[b].tensor)
            is_right = run_first(first[b].tensor, count_up_to(first[b].tensor, object));
    return is_right;
}

bool ifl_tensor_finish_all(ifl_block *block)
{
    return !block->tensor || run_first(block->tensor, block->tensor->tasks.count);
}

/* ---- commits --------------------------------------------------------------------------------- */

/* PTX ISA, .multicast::cluster: the same offset in each block's shared memory. */
static uint64_t at_rank(const ifl_warp *warp, uint64_t address, unsigned rank)
{
    const uint64_t offsets = (UINT64_C(1) << IFL_RANK_SHIFT) - 1;
    return warp->worker->grid->has_ranks ? (address & offsets) | (uint64_t)rank << IFL_RANK_SHIFT
                                         : address;
}

static bool commit_at(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address)
{
    const ifl_tensor_commit *op = code->extra;
    const ifl_tensor_task task = {
        .code = code,
        .warp = warp,
        .lane = lane,
        .object = ifl_mbarrier_in(warp, code, op->barrier.space, address, lane)};
    if (!task.object || !ifl_tensor_begin(&task))
        return false;
    ifl_warp_tell_object(warp, code, IFL_OBJECT_COPY, task.object, 0);
    return true;
}

static bool commit(ifl_warp *warp, const ifl_code *code, const char *frame, uint32_t lane)
{
    const ifl_tensor_commit *op = code->extra;
    const uint64_t address = ifl_lane_address(&op->barrier, frame, lane);
    if (!op->multicast)
        return commit_at(warp, code, lane, address);
    const uint32_t ranks = ifl_lane_u32(frame, op->multicast, lane) & UINT16_MAX,
                   blocks = warp->worker->grid->cluster_blocks;
    bool is_right = !(ranks >> blocks);
    if (!is_right)
        ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                        "a commit to the blocks 0x%x of a cluster that has %u", ranks, blocks);
    for (uint32_t m = ranks; m && is_right; m &= m - 1)
        is_right = commit_at(warp, code, lane, at_rank(warp, address, (unsigned)__builtin_ctz(m)));
    return is_right;
}

ifl_reason ifl_slow_tensor_commit(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                  uint32_t active)
{
    (void)active;
    const ifl_tensor_commit *op = code->extra;
    bool is_right = true;
    for (uint32_t m = op->is_once ? mask & -mask : mask; m && is_right; m &= m - 1)
        is_right = commit(warp, code, frame, (uint32_t)__builtin_ctz(m));
    return is_right ? IFL_REASON_NONE : IFL_REASON_FAULT;
}
