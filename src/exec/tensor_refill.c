/* SPDX-License-Identifier: Apache-2.0
 * Copies from shared to tensor memory (tcgen05.cp, UTCCP): rows of 16 or 32 bytes, as a descriptor
 * says, to lanes. And rows of tensor memory that move by one (tcgen05.shift, UTCSHIFT). */
#include "exec/tensor_queue.h"

#include <string.h>

enum { ROW_PIECE = 16, PIECE_COLUMNS = 4, PART = 32 };

/* Pieces of 16 bytes of a row; and the row that a lane gets (PTX ISA 9.0, "tcgen05.cp"). Of four rows a
 * lane of each quarter has one, the first where the address has lane 0, as a published emulator has
 * it that was held against a B200 (github.com/mlc-ai/TIRx-harness,
 * tools/tests/numsim/microtests/test_tcgen05_transfer.py). */
typedef struct copied_shape {
    uint8_t pieces;
    bool is_row_a_quarter;
    uint8_t part_of_quarter[4]; /* of 32 rows */
} copied_shape;

static const copied_shape shapes[] = {
    [IFL_TENSOR_128X256] = {2, false, {0, 1, 2, 3}},
    [IFL_TENSOR_128X128] = {1, false, {0, 1, 2, 3}},
    [IFL_TENSOR_64X128_02_13] = {1, false, {0, 1, 0, 1}},
    [IFL_TENSOR_64X128_01_23] = {1, false, {0, 0, 1, 1}},
    [IFL_TENSOR_32X128] = {1, false, {0, 0, 0, 0}},
    [IFL_TENSOR_4X256] = {2, true, {0}},
};

/* The first 8 or 12 of 16 bytes are 16 elements, the first one lowest, which become bytes: those of 4
 * bits stand in its middle, as products read them (code/matrix.h). */
static void widen(unsigned bits, const uint8_t *from, uint8_t *to)
{
    enum { BYTE_BITS = 8, FOUR = 4, MIDDLE = 2 };
    for (unsigned i = 0; i < ROW_PIECE; i++) {
        const unsigned at = i * bits, first = at / BYTE_BITS;
        const unsigned word = from[first] | (unsigned)from[first + 1] << BYTE_BITS,
                       element = word >> at % BYTE_BITS & ((1u << bits) - 1);
        to[i] = (uint8_t)(element << (bits == FOUR ? MIDDLE : 0));
    }
}

static bool copy_to(const ifl_tensor_task *task, ifl_block *block, const ifl_matrix_place *place)
{
    const ifl_tensor_copy *op = task->code->extra;
    const copied_shape *shape = &shapes[op->shape];
    uint64_t origin;
    const uint8_t space = ifl_tensor_shared_of(task->warp, block, &origin);
    const unsigned first = task->d >> IFL_TENSOR_LANE_SHIFT;
    for (unsigned lane = first; lane < IFL_TENSOR_LANES; lane += shape->is_row_a_quarter ? PART : 1)
        for (unsigned piece = 0; piece < shape->pieces; piece++) {
            const unsigned row = shape->is_row_a_quarter
                                     ? lane / PART
                                     : shape->part_of_quarter[lane / PART] * PART + lane % PART;
            uint8_t wide[ROW_PIECE];
            const uint64_t at = ifl_matrix_piece_at(place, false, row, piece);
            const uint8_t *from = ifl_warp_reach_in(task->warp, task->code, (ifl_space)space,
                                                    task->lane, origin + at, ROW_PIECE, false);
            if (!from)
                return false;
            if (op->bits) {
                widen(op->bits, from, wide);
                from = wide;
            }
            for (unsigned c = 0; c < PIECE_COLUMNS; c++)
                memcpy(
                    &block->tensor->words[(task->d & UINT16_MAX) + piece * PIECE_COLUMNS + c][lane],
                    from + c * sizeof(uint32_t), sizeof(uint32_t));
        }
    return true;
}

static bool are_there(const ifl_tensor_task *task, const ifl_tensor_blocks *blocks)
{
    const ifl_tensor_copy *op = task->code->extra;
    bool is_right = true;
    for (unsigned b = 0; b < blocks->count && is_right; b++)
        is_right =
            ifl_tensor_has(task->warp, task->code, blocks->at[b], task->lane, task->d & UINT16_MAX,
                           shapes[op->shape].pieces * PIECE_COLUMNS, "a copy");
    return is_right;
}

bool ifl_tensor_copy_run(const ifl_tensor_task *task)
{
    const ifl_tensor_copy *op = task->code->extra;
    ifl_tensor_blocks blocks;
    ifl_matrix_place place;
    bool is_right = ifl_tensor_blocks_of(task->warp, task->code, op->blocks, &blocks) &&
                    are_there(task, &blocks) && ifl_tensor_matrix_place(task, task->a, &place);
    for (unsigned b = 0; is_right && b < blocks.count; b++)
        is_right = copy_to(task, blocks.at[b], &place);
    return is_right;
}

ifl_reason ifl_slow_tensor_copy(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                uint32_t active)
{
    (void)active;
    const ifl_tensor_copy *op = code->extra;
    for (uint32_t m = op->is_once ? mask & -mask : mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m),
                       to = ifl_tensor_address_of(&op->to, frame, lane);
        const ifl_tensor_task task = {
            .code = code,
            .warp = warp,
            .lane = lane,
            .a = ifl_tensor_descriptor(frame, op->from, op->are_planes, lane),
            .d = to};
        ifl_tensor_blocks blocks;
        ifl_matrix_place place;
        if (to >> IFL_TENSOR_LANE_SHIFT >= (shapes[op->shape].is_row_a_quarter ? PART : 1))
            return ifl_fault_raise(warp, code, IFL_FAULT_ADDRESS, lane,
                                   "a copy to lane %u of tensor memory: it must begin at lane 0%s",
                                   to >> IFL_TENSOR_LANE_SHIFT,
                                   shapes[op->shape].is_row_a_quarter ? " to 31" : "");
        if (!ifl_tensor_blocks_of(warp, code, op->blocks, &blocks) || !are_there(&task, &blocks) ||
            !ifl_tensor_matrix_place(&task, task.a, &place))
            return IFL_REASON_FAULT;
        if (place.is_leading_absolute)
            return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                                   "a copy's leading dimension is a distance, not an address");
        if (!ifl_tensor_begin(&task))
            return IFL_REASON_FAULT;
    }
    return IFL_REASON_NONE;
}

/* ---- rows that move -------------------------------------------------------------------------- */

enum { MOVED_COLUMNS = 8 }; /* PTX ISA 9.0, "Data Movement Shape": .31x256b */

static bool is_place_right(const ifl_tensor_task *task, const ifl_tensor_blocks *blocks)
{
    bool is_right = true;
    for (unsigned b = 0; b < blocks->count && is_right; b++)
        is_right = ifl_tensor_has(task->warp, task->code, blocks->at[b], task->lane,
                                  task->d & UINT16_MAX, MOVED_COLUMNS, "rows that move");
    return is_right;
}

/* Rows go down as values do of shfl.down: to the lane before, and the last lane keeps its own. PTX ISA
 * 9.0 says "downwards across all the rows, except the last, by one row", of 31 rows of 32 bytes; that
 * the row which is free then is the last follows from what stands elsewhere in it: tcgen05.cp of four
 * rows is in order behind a shift ("Pipelined tcgen05 instructions"), and a tensor copy
 * (im2col::w::128) brings the rows behind every 32. No Blackwell GPU was asked. */
bool ifl_tensor_shift_run(const ifl_tensor_task *task)
{
    const ifl_tensor_shift *op = task->code->extra;
    const unsigned column = task->d & UINT16_MAX, first = task->d >> IFL_TENSOR_LANE_SHIFT;
    ifl_tensor_blocks blocks;
    if (!ifl_tensor_blocks_of(task->warp, task->code, op->blocks, &blocks) ||
        !is_place_right(task, &blocks))
        return false;
    for (unsigned b = 0; b < blocks.count; b++)
        for (unsigned c = column; c < column + MOVED_COLUMNS; c++) {
            uint32_t *lanes = &blocks.at[b]->tensor->words[c][first];
            memmove(lanes, lanes + 1, (PART - 1) * sizeof *lanes);
        }
    return true;
}

ifl_reason ifl_slow_tensor_shift(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                 uint32_t active)
{
    (void)active;
    const ifl_tensor_shift *op = code->extra;
    for (uint32_t m = op->is_once ? mask & -mask : mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        const ifl_tensor_task task = {.code = code,
                                      .warp = warp,
                                      .lane = lane,
                                      .d = ifl_tensor_address_of(&op->at, frame, lane)};
        const uint32_t first = task.d >> IFL_TENSOR_LANE_SHIFT;
        ifl_tensor_blocks blocks;
        if (first % PART || first >= IFL_TENSOR_LANES)
            return ifl_fault_raise(warp, code, IFL_FAULT_ADDRESS, lane,
                                   "rows from lane %u of tensor memory on move: they must begin at "
                                   "lane 0, 32, 64 or 96",
                                   first);
        if (!ifl_tensor_blocks_of(warp, code, op->blocks, &blocks) ||
            !is_place_right(&task, &blocks) || !ifl_tensor_begin(&task))
            return IFL_REASON_FAULT;
    }
    return IFL_REASON_NONE;
}
