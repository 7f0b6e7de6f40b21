/* SPDX-License-Identifier: Apache-2.0
 * Moves between registers and tensor memory. A load gives its registers at once: ptxas makes who
 * reads them wait. A store is done when its warp waits for it. */
#include "exec/tensor_memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    WARP_LANES = 32,
    WORD_BITS = 32,
    HALF_BITS = 16,
    HALF_MASK = 0xffff,
    PARTS = IFL_TENSOR_LANES / WARP_LANES
};

/* ---- where ----------------------------------------------------------------------------------- */

static uint32_t column_span(const ifl_tensor_move *op)
{
    uint32_t most = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        const uint32_t column =
            ifl_tensor_place_of((ifl_tensor_shape)op->shape, lane, op->registers - 1u).column;
        most = column > most ? column : most;
    }
    return (most + 1) << op->packs;
}

/* A warp reaches a quarter of the lanes, by its number in its warp group (PTX ISA 9.0, "Access
 * restrictions"). An address of lane 0 means the warp's first lane: programs leave the lane out. */
static bool find_lane(ifl_warp *warp, const ifl_code *code, const ifl_tensor_move *op,
                      uint32_t address, uint32_t *first)
{
    const uint32_t lane = address >> IFL_TENSOR_LANE_SHIFT, part = warp->index % PARTS;
    const uint32_t within = lane % WARP_LANES;
    const bool is_half = op->shape != IFL_TENSOR_32X32 && within == WARP_LANES / 2;
    *first = part * WARP_LANES + within;
    if ((lane / WARP_LANES == part || lane < WARP_LANES) && (!within || is_half))
        return true;
    ifl_fault_raise(warp, code, IFL_FAULT_ADDRESS, 0,
                    "lane %u of tensor memory: warp %u reaches the lanes %u to %u%s", lane,
                    warp->index, part * WARP_LANES, part * WARP_LANES + WARP_LANES - 1,
                    op->shape == IFL_TENSOR_32X32 ? ", from the first on"
                                                  : ", from the first or the 17th on");
    return false;
}

/* The columns of both halves of a warp are there. */
static bool is_there(ifl_warp *warp, const ifl_code *code, const ifl_tensor_move *op,
                     uint32_t address)
{
    const uint32_t first = address & HALF_MASK, columns = column_span(op);
    const char *what = op->stores ? "a store" : "a load";
    return ifl_tensor_has(warp, code, warp->block, 0, first, columns, what) &&
           (op->shape != IFL_TENSOR_16X32X2 ||
            ifl_tensor_has(warp, code, warp->block, WARP_LANES / 2, first + (uint32_t)op->split,
                           columns, what));
}

/* The word of a register: its lane, and its first column. */
typedef struct word_place {
    uint32_t lane, column;
    bool is_there; /* the lane moves something */
} word_place;

static word_place place_of(const ifl_tensor_move *op, uint32_t address, uint32_t first_lane,
                           unsigned lane, unsigned reg)
{
    const ifl_tensor_place at = ifl_tensor_place_of((ifl_tensor_shape)op->shape, lane, reg);
    const bool is_upper = lane >= WARP_LANES / 2;
    word_place place = {.lane = first_lane + at.lane,
                        .column = (address & HALF_MASK) + ((uint32_t)at.column << op->packs),
                        .is_there = true};
    if (op->shape == IFL_TENSOR_16X32X2 && is_upper)
        place.column += (uint32_t)op->split;
    if (op->shape == IFL_TENSOR_16X32_LOW || op->shape == IFL_TENSOR_16X32_HIGH)
        place.is_there = is_upper == (op->shape == IFL_TENSOR_16X32_HIGH);
    return place;
}

/* ---- loads ----------------------------------------------------------------------------------- */

static uint32_t read_word(const struct ifl_tensor_memory *memory, const ifl_tensor_move *op,
                          word_place at)
{
    const uint32_t word = memory->words[at.column][at.lane];
    return op->packs ? (word & HALF_MASK) | memory->words[at.column + 1][at.lane] << HALF_BITS
                     : word;
}

static void load(const struct ifl_tensor_memory *memory, const ifl_tensor_move *op, char *frame,
                 uint32_t address, uint32_t first_lane)
{
    for (unsigned reg = 0; reg < op->registers; reg++)
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            const word_place at = place_of(op, address, first_lane, lane, reg);
            if (at.is_there)
                ((uint32_t *)ifl_slot(frame, op->data[reg]))[lane] = read_word(memory, op, at);
        }
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Of a float's bits: a number that grows with it. */
static uint32_t rank_of(uint32_t bits)
{
    const uint32_t sign = UINT32_C(1) << (WORD_BITS - 1);
    return bits & sign ? ~bits : bits | sign;
}

static bool is_less(uint8_t type, uint32_t a, uint32_t b)
{
    return type == IFL_TYPE_U32   ? a < b
           : type == IFL_TYPE_S32 ? (int32_t)a < (int32_t)b
                                  : rank_of(a) < rank_of(b);
}

/* A NaN is left out, or with .NaN becomes the result (PTX ISA 9.0, "min", "max"). */
static uint32_t reduced(const ifl_tensor_move *op, uint32_t so_far, uint32_t value)
{
    const uint32_t infinity = 0x7f800000, nan = 0x7fffffff;
    const bool is_float = op->type == IFL_TYPE_F32,
               was_nan = is_float && (so_far & INT32_MAX) > infinity,
               is_nan = is_float && (value & INT32_MAX) > infinity;
    if (was_nan || is_nan)
        return op->keeps_nan || (was_nan && is_nan) ? nan : was_nan ? value : so_far;
    return is_less(op->type, value, so_far) == (op->operation == IFL_OPERATION_MIN) ? value
                                                                                    : so_far;
}

/* "Across columns in each lane": of all registers that a thread gets (PTX ISA 9.0, "tcgen05.ld"). */
static void reduce(const ifl_tensor_move *op, char *frame, const uint32_t (*loaded)[WARP_LANES],
                   const bool *is_there)
{
    const uint32_t keeps = op->is_absolute ? INT32_MAX : UINT32_MAX;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        uint32_t result = loaded[0][lane] & keeps;
        for (unsigned reg = 1; reg < op->registers; reg++)
            result = reduced(op, result, loaded[reg][lane] & keeps);
        if (is_there[lane])
            ((uint32_t *)ifl_slot(frame, op->result))[lane] = result;
    }
}

static void load_reduced(const struct ifl_tensor_memory *memory, const ifl_tensor_move *op,
                         char *frame, uint32_t address, uint32_t first_lane)
{
    uint32_t loaded[IFL_TENSOR_MOST_REGISTERS][WARP_LANES] = {{0}};
    bool is_there[WARP_LANES] = {false};
    for (unsigned reg = 0; reg < op->registers; reg++)
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            const word_place at = place_of(op, address, first_lane, lane, reg);
            is_there[lane] = at.is_there;
            if (at.is_there)
                loaded[reg][lane] = read_word(memory, op, at);
        }
    reduce(op, frame, loaded, is_there);
}

/* ---- stores ---------------------------------------------------------------------------------- */

static bool keep_store(ifl_warp *warp, const ifl_code *code, const char *frame, uint32_t address)
{
    const ifl_tensor_move *op = code->extra;
    const size_t row = WARP_LANES * sizeof(uint32_t);
    ifl_tensor_store store = {code, warp, address, malloc(op->registers * row)};
    for (unsigned reg = 0; store.values && reg < op->registers; reg++)
        memcpy(store.values + (size_t)reg * WARP_LANES, frame + op->data[reg], row);
    if (store.values && ifl_vec_push(&warp->block->tensor->stores, store))
        return true;
    free(store.values);
    ifl_fault_raise(warp, code, IFL_FAULT_NO_MEMORY, 0, "out of memory for a store");
    return false;
}

static void finish_store(struct ifl_tensor_memory *memory, const ifl_tensor_store *store)
{
    const ifl_tensor_move *op = store->code->extra;
    const uint32_t first_lane = store->warp->index % PARTS * WARP_LANES +
                                (store->address >> IFL_TENSOR_LANE_SHIFT) % WARP_LANES;
    for (unsigned reg = 0; reg < op->registers; reg++)
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            const word_place at = place_of(op, store->address, first_lane, lane, reg);
            const uint32_t value = store->values[reg * WARP_LANES + lane];
            if (!at.is_there)
                continue;
            memory->words[at.column][at.lane] = op->packs ? value & HALF_MASK : value;
            if (op->packs)
                memory->words[at.column + 1][at.lane] = value >> HALF_BITS;
        }
    free(store->values);
}

/* ---- the operations -------------------------------------------------------------------------- */

ifl_reason ifl_slow_tensor_move(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                uint32_t active)
{
    (void)active;
    const ifl_tensor_move *op = code->extra;
    uint32_t first_lane;
    if (!mask)
        return IFL_REASON_NONE;
    if (mask != UINT32_MAX)
        return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, (uint32_t)__builtin_ctz(mask),
                               "only the lanes 0x%08x of a warp execute it: all must", mask);
    const uint32_t address = ifl_tensor_address_of(&op->at, frame, 0);
    if (!find_lane(warp, code, op, address, &first_lane) || !is_there(warp, code, op, address))
        return IFL_REASON_FAULT;
    warp->changed = true;
    if (op->stores)
        return keep_store(warp, code, frame, address) ? IFL_REASON_NONE : IFL_REASON_FAULT;
    if (op->operation)
        load_reduced(warp->block->tensor, op, frame, address, first_lane);
    load(warp->block->tensor, op, frame, address, first_lane);
    return IFL_REASON_NONE;
}

/* Of the warp's stores. */
ifl_reason ifl_slow_tensor_wait(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                uint32_t active)
{
    (void)code, (void)frame, (void)active;
    struct ifl_tensor_memory *memory = warp->block->tensor;
    size_t kept = 0;
    for (size_t i = 0; mask && memory && i < memory->stores.count; i++) {
        if (memory->stores.at[i].warp == warp)
            finish_store(memory, &memory->stores.at[i]);
        else
            memory->stores.at[kept++] = memory->stores.at[i];
    }
    if (mask && memory)
        memory->stores.count = kept;
    return IFL_REASON_NONE;
}
