/* SPDX-License-Identifier: Apache-2.0
 * Who has which columns of tensor memory. Blocks that share an SM on a GPU have the whole of it
 * here: they run one after the other. What has not been written is all ones, a NaN. */
#include "exec/bulk_copies.h"
#include "exec/tensor_queue.h"

#include <stdlib.h>
#include <string.h>

/* Takes in a row that find no room before it is said that none will come. */
enum { MOST_REFUSALS = 4096, LEAST_COLUMNS = 32 };

struct ifl_tensor_memory *ifl_tensor_memory_of(ifl_warp *warp, const ifl_code *code,
                                               ifl_block *block)
{
    if (!block->tensor) {
        block->tensor = calloc(1, sizeof *block->tensor);
        if (!block->tensor) {
            ifl_fault_raise(warp, code, IFL_FAULT_NO_MEMORY, 0, "out of memory for tensor memory");
            return NULL;
        }
        memset(block->tensor->words, 0xff, sizeof block->tensor->words);
    }
    return block->tensor;
}

void ifl_tensor_free(ifl_block *block)
{
    if (!block->tensor)
        return;
    for (size_t i = 0; i < block->tensor->stores.count; i++)
        free(block->tensor->stores.at[i].values);
    block->tensor->stores.count = 0;
    ifl_vec_free(&block->tensor->stores);
    ifl_vec_free(&block->tensor->tasks);
    ifl_vec_free(&block->tensor->pairs);
    free(block->tensor);
    block->tensor = NULL;
}

/* ptxas's code for tcgen05.alloc with .cta_group::2 waits at a barrier object that it never makes,
 * 0x48 bytes into what the system reserves, for the phase of a parity that is 0 at 0x50. So the
 * block of even rank, which takes the columns, finds the phase over, and the other, which waits for
 * word of it, does not. */
void ifl_tensor_start(ifl_block *block, const ifl_grid *grid)
{
    enum { OBJECT_AT = 0x48, OBJECT_END = 0x50 };
    const ifl_demands *demands = &grid->image->demands;
    if (demands->takes_in_pairs && demands->reserved_first >= OBJECT_END)
        ifl_mbarrier_make(block->shared + OBJECT_AT, 1, !(block->rank & 1));
}

void ifl_tensor_end(ifl_block *block)
{
    const struct ifl_tensor_memory *memory = block->tensor;
    if (ifl_tensor_finish_all(block) && memory && memory->taken)
        ifl_fault_raise(memory->taking_warp, memory->taker, IFL_FAULT_OTHER, 0,
                        "%u columns of tensor memory that were taken here were not given back "
                        "(tcgen05.dealloc) when the block ended",
                        IFL_TENSOR_UNIT * (unsigned)__builtin_popcount(memory->taken));
    ifl_tensor_free(block);
}

ifl_block *ifl_tensor_peer(ifl_warp *warp, const ifl_code *code)
{
    ifl_block *peer = ifl_cluster_block(warp, warp->block->rank ^ 1);
    if (!peer || !peer->is_running)
        ifl_fault_raise(warp, code, IFL_FAULT_OTHER, 0,
                        "cta_group::2 in a block of rank %u whose cluster has no running block of "
                        "rank %u",
                        warp->block->rank, warp->block->rank ^ 1);
    return peer && peer->is_running ? peer : NULL;
}

bool ifl_tensor_has(ifl_warp *warp, const ifl_code *code, const ifl_block *block, uint32_t lane,
                    uint32_t first, uint32_t columns, const char *what)
{
    const struct ifl_tensor_memory *memory = block->tensor;
    for (uint32_t c = first; c < first + columns; c += IFL_TENSOR_UNIT - c % IFL_TENSOR_UNIT)
        if (c >= IFL_TENSOR_COLUMNS || !memory || !(memory->taken >> (c / IFL_TENSOR_UNIT) & 1)) {
            ifl_fault_raise(warp, code, IFL_FAULT_ADDRESS, lane,
                            "%s in columns %u to %u of tensor memory: column %u is not allocated",
                            what, first, first + columns - 1, c);
            return false;
        }
    return true;
}

/* ---- taking columns -------------------------------------------------------------------------- */

static uint32_t bits_of(uint32_t first, uint32_t units)
{
    return ((1u << units) - 1) << first;
}

/* The first place, at a multiple of the number; IFL_TENSOR_UNITS: none. */
static uint32_t find_room(uint32_t taken, uint32_t units)
{
    uint32_t first = 0;
    while (first + units <= IFL_TENSOR_UNITS && taken & bits_of(first, units))
        first += units;
    return first + units <= IFL_TENSOR_UNITS ? first : IFL_TENSOR_UNITS;
}

static void take(struct ifl_tensor_memory *memory, uint32_t first, uint32_t units, ifl_warp *warp,
                 const ifl_code *code)
{
    memory->taken |= bits_of(first, units);
    memory->starts |= 1u << first;
    memory->units[first] = units;
    memory->refusals = 0;
    memory->taker = code;
    memory->taking_warp = warp;
}

static bool refuse(ifl_warp *warp, const ifl_code *code, struct ifl_tensor_memory *memory,
                   uint32_t units)
{
    if (++memory->refusals <= MOST_REFUSALS)
        return true;
    ifl_fault_raise(warp, code, IFL_FAULT_OTHER, 0,
                    "%u columns of tensor memory are asked for, the block holds %u of %u, and "
                    "none of its warps gives any back",
                    units * IFL_TENSOR_UNIT,
                    IFL_TENSOR_UNIT * (unsigned)__builtin_popcount(memory->taken),
                    IFL_TENSOR_COLUMNS);
    return false;
}

/* Of the block, and with two of its peer at the same place. */
static uint32_t take_anywhere(ifl_warp *warp, const ifl_code *code, uint32_t units,
                              const ifl_tensor_alloc *op, bool *failed)
{
    struct ifl_tensor_memory *own = ifl_tensor_memory_of(warp, code, warp->block);
    ifl_block *peer = op->blocks == 2 ? ifl_tensor_peer(warp, code) : NULL;
    struct ifl_tensor_memory *other = peer ? ifl_tensor_memory_of(warp, code, peer) : NULL;
    *failed = !own || (op->blocks == 2 && !other);
    if (*failed)
        return IFL_TENSOR_UNITS;
    const uint32_t first = find_room(own->taken | (other ? other->taken : 0), units);
    if (first == IFL_TENSOR_UNITS) {
        *failed = !refuse(warp, code, own, units);
        return first;
    }
    take(own, first, units, warp, code);
    if (other)
        take(other, first, units, warp, code);
    return first;
}

/* ---- PTX ------------------------------------------------------------------------------------- */

static ifl_reason check_warp(ifl_warp *warp, const ifl_code *code, uint32_t mask)
{
    if (mask == warp->live)
        return IFL_REASON_NONE;
    return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, (uint32_t)__builtin_ctz(mask),
                           "only the lanes 0x%08x of a warp with 0x%08x execute it: all must", mask,
                           warp->live);
}

static bool is_count(uint32_t columns)
{
    return columns >= LEAST_COLUMNS && columns <= IFL_TENSOR_COLUMNS && !(columns & (columns - 1));
}

/* Of a pair the block of even rank takes the columns of both, and leaves word for the other. */
static uint32_t take_in_pair(ifl_warp *warp, const ifl_code *code, uint32_t units,
                             const ifl_tensor_alloc *op, bool *failed)
{
    if (!(warp->block->rank & 1)) {
        const uint32_t first = take_anywhere(warp, code, units, op, failed);
        ifl_block *peer = first < IFL_TENSOR_UNITS ? ifl_tensor_peer(warp, code) : NULL;
        if (peer && !ifl_vec_push(&peer->tensor->pairs, first))
            *failed = true;
        return first;
    }
    struct ifl_tensor_memory *own = ifl_tensor_memory_of(warp, code, warp->block);
    *failed = !own;
    if (!own || !own->pairs.count)
        return IFL_TENSOR_UNITS;
    const uint32_t first = own->pairs.at[0];
    memmove(own->pairs.at, own->pairs.at + 1, --own->pairs.count * sizeof *own->pairs.at);
    return first;
}

static ifl_reason alloc(ifl_warp *warp, const ifl_code *code, const char *frame)
{
    const ifl_tensor_alloc *op = code->extra;
    const uint32_t lane = (uint32_t)__builtin_ctz(warp->live),
                   columns = ifl_lane_u32(frame, op->count, lane);
    const struct ifl_tensor_memory *own = ifl_tensor_memory_of(warp, code, warp->block);
    bool failed;
    if (!own)
        return IFL_REASON_FAULT;
    if (!is_count(columns) || own->is_relinquished)
        return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                               own->is_relinquished
                                   ? "%u columns of tensor memory are asked for after the block "
                                     "gave up the right to (tcgen05.relinquish_alloc_permit)"
                                   : "%u columns of tensor memory are asked for: they must be 32, "
                                     "64, 128, 256 or 512",
                               columns);
    const uint32_t units = columns / IFL_TENSOR_UNIT,
                   first = op->blocks == 2 ? take_in_pair(warp, code, units, op, &failed)
                                           : take_anywhere(warp, code, units, op, &failed);
    if (failed)
        return IFL_REASON_FAULT;
    if (first == IFL_TENSOR_UNITS) {
        ifl_warp_observe(warp);
        return IFL_REASON_AGAIN;
    }
    const uint32_t address = first * IFL_TENSOR_UNIT;
    uint8_t space = op->at.space;
    const uint64_t at = ifl_warp_place(warp, &space, ifl_lane_address(&op->at, frame, lane));
    uint8_t *to = ifl_warp_reach_in(warp, code, (ifl_space)space, lane, at, sizeof address, true);
    if (!to)
        return IFL_REASON_FAULT;
    memcpy(to, &address, sizeof address);
    return IFL_REASON_NONE;
}

static ifl_reason dealloc(ifl_warp *warp, const ifl_code *code, const char *frame)
{
    const ifl_tensor_alloc *op = code->extra;
    const uint32_t lane = (uint32_t)__builtin_ctz(warp->live),
                   columns = ifl_lane_u32(frame, op->count, lane),
                   address = ifl_lane_u32(frame, op->address, lane),
                   first = address / IFL_TENSOR_UNIT;
    struct ifl_tensor_memory *memory = warp->block->tensor;
    if (!memory || address % IFL_TENSOR_UNIT || first >= IFL_TENSOR_UNITS ||
        !(memory->starts >> first & 1) || memory->units[first] * IFL_TENSOR_UNIT != columns)
        return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                               "%u columns of tensor memory are given back at 0x%x: that is not "
                               "what an alloc of this block took",
                               columns, address);
    memory->taken &= ~bits_of(first, memory->units[first]);
    memory->starts &= ~(1u << first);
    return IFL_REASON_NONE;
}

/* ---- machine code ---------------------------------------------------------------------------- */

static void set_all(char *frame, uint32_t slot, uint32_t value)
{
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        ((uint32_t *)ifl_slot(frame, slot))[lane] = value;
}

static ifl_reason find(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask)
{
    const ifl_tensor_alloc *op = code->extra;
    const uint32_t units = ifl_lane_u32(frame, op->count, (uint32_t)__builtin_ctz(mask));
    bool failed;
    if (!units || units > IFL_TENSOR_UNITS)
        return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, (uint32_t)__builtin_ctz(mask),
                               "%u times 32 columns of tensor memory are asked for", units);
    const uint32_t first = take_anywhere(warp, code, units, op, &failed);
    if (failed)
        return IFL_REASON_FAULT;
    set_all(frame, op->d, first);
    *(uint32_t *)ifl_slot(frame, op->done) = first < IFL_TENSOR_UNITS ? UINT32_MAX : 0;
    return IFL_REASON_NONE;
}

static ifl_reason combine(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask)
{
    const ifl_tensor_alloc *op = code->extra;
    const uint32_t units = ifl_lane_u32(frame, op->count, (uint32_t)__builtin_ctz(mask));
    struct ifl_tensor_memory *memory = ifl_tensor_memory_of(warp, code, warp->block);
    if (!memory)
        return IFL_REASON_FAULT;
    set_all(frame, op->d, memory->taken);
    memory->taken =
        op->kind == IFL_TENSOR_AND ? memory->taken & units : memory->taken | (units & UINT16_MAX);
    memory->starts &= memory->taken;
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_tensor_alloc(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                 uint32_t active)
{
    (void)active;
    const ifl_tensor_alloc *op = code->extra;
    if (!mask)
        return IFL_REASON_NONE;
    warp->changed = true;
    if (op->kind == IFL_TENSOR_FIND)
        return find(warp, code, frame, mask);
    if (op->kind == IFL_TENSOR_AND || op->kind == IFL_TENSOR_OR)
        return combine(warp, code, frame, mask);
    if (check_warp(warp, code, mask) != IFL_REASON_NONE)
        return IFL_REASON_FAULT;
    if (op->kind == IFL_TENSOR_ALLOC)
        return alloc(warp, code, frame);
    if (op->kind == IFL_TENSOR_DEALLOC)
        return dealloc(warp, code, frame);
    struct ifl_tensor_memory *memory = ifl_tensor_memory_of(warp, code, warp->block);
    if (memory)
        memory->is_relinquished = true;
    return memory ? IFL_REASON_NONE : IFL_REASON_FAULT;
}
