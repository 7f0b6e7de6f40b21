/* SPDX-License-Identifier: Apache-2.0
 * Matrices between shared memory and the registers of a warp, and their transposition in registers
 * (code/matrix.h). */
#include "code/build.h"
#include "code/matrix.h"
#include "exec/race.h"
#include "exec/warp.h"

#include <string.h>

enum { ROWS = 8, ROW_BYTES = 16, WORD = 4, HALF = 2 };

/* A matrix as rows, and as the words that lanes hold. */
typedef uint8_t matrix[ROWS][ROW_BYTES];

static void words_of_rows(matrix rows, bool transposes, uint32_t word[IFL_WARP_LANES])
{
    for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++) {
        const unsigned line = lane / 4, first = 2 * (lane % 4);
        if (!transposes) {
            memcpy(&word[lane], &rows[line][HALF * first], WORD);
            continue;
        }
        uint16_t low, high;
        memcpy(&low, &rows[first][HALF * line], HALF);
        memcpy(&high, &rows[first + 1][HALF * line], HALF);
        word[lane] = low | (uint32_t)high << 16;
    }
}

static void rows_of_words(const uint32_t word[IFL_WARP_LANES], bool transposes, matrix rows)
{
    for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++) {
        const unsigned line = lane / 4, first = 2 * (lane % 4);
        if (!transposes) {
            memcpy(&rows[line][HALF * first], &word[lane], WORD);
            continue;
        }
        const uint16_t low = (uint16_t)word[lane], high = (uint16_t)(word[lane] >> 16);
        memcpy(&rows[first][HALF * line], &low, HALF);
        memcpy(&rows[first + 1][HALF * line], &high, HALF);
    }
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Elements of fewer bits become bytes. */
static void unpack_row(unsigned bits, const uint8_t *from, uint8_t *to)
{
    uint64_t words[2];
    memcpy(words, from, sizeof words);
    for (unsigned i = 0; i < ROW_BYTES; i++) {
        const unsigned at = i * bits, word = at / 64, low = at % 64;
        uint64_t element = words[word] >> low;
        if (low + bits > 64)
            element |= words[word + 1] << (64 - low);
        to[i] = (uint8_t)(element & ((1u << bits) - 1));
    }
}

/* Where byte v of lane's register is, of transposed bytes. `part`: of loads, which of two. */
static unsigned row_of_byte(bool loads, unsigned part, unsigned lane, unsigned v)
{
    return loads ? 4 * (lane % 4) + 2 * part + v % 2 : 2 * (lane % 4) + v % 2;
}

static unsigned column_of_byte(unsigned lane, unsigned v)
{
    return lane / 4 + 8 * (v / 2);
}

/* ---- places ---------------------------------------------------------------------------------- */

ifl_reason ifl_slow_matrix_places(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                  uint32_t active)
{
    (void)warp, (void)mask, (void)active;
    const ifl_matrix_places *places = code->extra;
    const uint64_t *base = (const uint64_t *)ifl_slot(frame, code->a);
    uint64_t *d = ifl_slot(frame, code->d);
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++) {
        const uint64_t line = places->line[lane] * (uint64_t)ifl_lane_u32(frame, code->b, lane);
        d[lane] = base[lane] + (line + places->along[lane]) * places->bits / 8;
    }
    return IFL_REASON_NONE;
}

/* ---- in memory ------------------------------------------------------------------------------- */

/* Lanes that give the addresses of rows. */
static uint32_t address_lanes(const ifl_matrix_move *op)
{
    return op->count * ROWS == IFL_WARP_LANES ? UINT32_MAX : (1u << op->count * ROWS) - 1;
}

static bool reach_rows(ifl_warp *warp, const ifl_code *code, const ifl_matrix_move *op,
                       uint8_t *rows[IFL_WARP_LANES])
{
    uint8_t space[IFL_WARP_LANES];
    const uint32_t lanes = address_lanes(op);
    ifl_warp_split_spaces(warp, &op->at, lanes, warp->address, space);
    for (uint32_t m = lanes; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (space[lane] != IFL_SPACE_SHARED) {
            ifl_fault_raise(warp, code, IFL_FAULT_ADDRESS, lane,
                            "a row of a matrix lies outside of shared memory");
            return false;
        }
        rows[lane] = ifl_warp_reach_in(warp, code, IFL_SPACE_SHARED, lane, warp->address[lane],
                                       ROW_BYTES, op->at.kind == IFL_ACCESS_STORE);
        if (!rows[lane])
            return false;
        (op->at.kind == IFL_ACCESS_STORE ? ifl_race_write : ifl_race_read)(
            warp, code, lane, warp->address[lane], ROW_BYTES);
    }
    ifl_warp_tell_lanes(warp, code, &op->at, lanes, warp->address, space);
    return true;
}

static ifl_reason refuse_part(ifl_warp *warp, const ifl_code *code, uint32_t mask)
{
    return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, (uint32_t)__builtin_ctz(mask),
                           "only the lanes 0x%08x of a warp move matrices that 0x%08x hold", mask,
                           warp->live);
}

/* Register i of 16 rows each two. */
static void load_bytes(const ifl_matrix_move *op, char *frame, uint8_t *const *rows, unsigned i,
                       uint32_t mask)
{
    enum { TALL = 2 * ROWS };
    uint8_t held[TALL][ROW_BYTES];
    uint8_t *const *first = rows + (size_t)i / 2 * TALL;
    for (unsigned r = 0; r < TALL; r++)
        if (op->bits < 8)
            unpack_row(op->bits, first[r], held[r]);
        else
            memcpy(held[r], first[r], ROW_BYTES);
    for (uint32_t m = mask; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        uint8_t *to = (uint8_t *)ifl_slot(frame, op->data[i]) + (size_t)lane * WORD;
        for (unsigned v = 0; v < WORD; v++)
            to[v] = held[row_of_byte(true, i % 2, lane, v)][column_of_byte(lane, v)];
    }
}

static void store_bytes(const ifl_matrix_move *op, const char *frame, uint8_t *const rows[ROWS],
                        unsigned i)
{
    for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++)
        for (unsigned v = 0; v < WORD; v++)
            rows[row_of_byte(false, 0, lane, v)][column_of_byte(lane, v)] =
                ((const uint8_t *)frame)[op->data[i] + lane * WORD + v];
}

static void load_matrix(const ifl_matrix_move *op, char *frame, uint8_t *const rows[ROWS],
                        uint32_t slot, uint32_t mask)
{
    matrix held;
    uint32_t word[IFL_WARP_LANES];
    for (unsigned r = 0; r < ROWS; r++)
        if (op->bits < 8)
            unpack_row(op->bits, rows[r], held[r]);
        else
            memcpy(held[r], rows[r], ROW_BYTES);
    words_of_rows(held, op->transposes, word);
    for (uint32_t m = mask; m; m &= m - 1)
        ((uint32_t *)ifl_slot(frame, slot))[__builtin_ctz(m)] = word[__builtin_ctz(m)];
}

static void store_matrix(const ifl_matrix_move *op, const char *frame, uint8_t *const rows[ROWS],
                         uint32_t slot)
{
    matrix held;
    uint32_t word[IFL_WARP_LANES];
    memcpy(word, frame + slot, sizeof word);
    rows_of_words(word, op->transposes, held);
    for (unsigned r = 0; r < ROWS; r++)
        memcpy(rows[r], held[r], ROW_BYTES);
}

/* One operation for both directions: matrix_load, matrix_store. */
static ifl_reason move_matrices(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask)
{
    const ifl_matrix_move *op = code->extra;
    uint8_t *rows[IFL_WARP_LANES];
    if (!mask)
        return IFL_REASON_NONE;
    if (mask != warp->live)
        return refuse_part(warp, code, mask);
    ifl_lane_addresses(&op->at, frame, warp->address);
    if (!reach_rows(warp, code, op, rows))
        return IFL_REASON_FAULT;
    const bool are_bytes = op->transposes && op->bits < 16,
               stores = op->at.kind == IFL_ACCESS_STORE;
    for (unsigned i = 0; i < op->count; i++)
        if (are_bytes && stores)
            store_bytes(op, frame, &rows[i * ROWS], i);
        else if (are_bytes)
            load_bytes(op, frame, rows, i, mask);
        else if (stores)
            store_matrix(op, frame, &rows[i * ROWS], op->data[i]);
        else
            load_matrix(op, frame, &rows[i * ROWS], op->data[i], mask);
    warp->changed |= op->at.kind == IFL_ACCESS_STORE;
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_matrix_load(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                uint32_t active)
{
    (void)active;
    return move_matrices(warp, code, frame, mask);
}

ifl_reason ifl_slow_matrix_store(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                 uint32_t active)
{
    (void)active;
    return move_matrices(warp, code, frame, mask);
}

/* d = a, as bytes: four lanes hold a row, 8 nibbles each; of the bytes, 4 of its first half and 4 of its
 * second. */
ifl_reason ifl_slow_matrix_widen(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                 uint32_t active)
{
    enum { NIBBLES = 8, BYTES = 4, HALF_ROW = 16 };
    (void)active;
    uint32_t word[IFL_WARP_LANES];
    if (!mask)
        return IFL_REASON_NONE;
    if (mask != warp->live)
        return refuse_part(warp, code, mask);
    memcpy(word, frame + code->a, sizeof word);
    for (uint32_t m = mask; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m), row = lane / 4 * 4;
        for (unsigned i = 0; i < 2; i++) {
            uint32_t bytes = 0;
            for (unsigned v = 0; v < BYTES; v++) {
                const unsigned column = HALF_ROW * i + BYTES * (lane % 4) + v;
                bytes |= (word[row + column / NIBBLES] >> 4 * (column % NIBBLES) & 0xf) << 8 * v;
            }
            ((uint32_t *)ifl_slot(frame, code->d + i * IFL_PLANE_BYTES))[lane] = bytes;
        }
    }
    return IFL_REASON_NONE;
}

/* d = a, transposed: elements of 16 bits. */
ifl_reason ifl_slow_matrix_transpose(ifl_warp *warp, const ifl_code *code, char *frame,
                                     uint32_t mask, uint32_t active)
{
    (void)active;
    matrix held;
    uint32_t word[IFL_WARP_LANES], turned[IFL_WARP_LANES];
    if (!mask)
        return IFL_REASON_NONE;
    if (mask != warp->live)
        return refuse_part(warp, code, mask);
    memcpy(word, frame + code->a, sizeof word);
    rows_of_words(word, false, held);
    words_of_rows(held, true, turned);
    for (uint32_t m = mask; m; m &= m - 1)
        ((uint32_t *)ifl_slot(frame, code->d))[__builtin_ctz(m)] = turned[__builtin_ctz(m)];
    return IFL_REASON_NONE;
}
