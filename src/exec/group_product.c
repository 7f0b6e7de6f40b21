/* SPDX-License-Identifier: Apache-2.0
 * Products of a warp group (wgmma, HGMMA and kin): matrices in shared memory by their descriptors,
 * sums in registers. Each warp computes its rows when it issues the product, one of the orders that
 * the hardware allows. The product is one of all four warps: who waits for it may write over its
 * matrices, so it waits until all four have computed their rows. */
#include "exec/lane.h"
#include "exec/matrix_sum.h"
#include "exec/warp.h"

#include <string.h>

enum { ROWS = 16, WARPS = 4, WORD_BITS = 32, CORE_ROWS = 8, CHUNK = 16, MOST_BYTES = 4 };

/* ---- descriptors ----------------------------------------------------------------------------- */

/* In bytes. */
typedef struct matrix_place {
    uint64_t start, leading, stride;
    unsigned swizzle; /* bits that are combined: 0, 1, 2, 3 */
    unsigned base;    /* offset of the pattern */
} matrix_place;

/* Bits 13-0 start, 29-16 leading dimension, 45-32 stride dimension, all in units of 16 bytes; 51-49
 * base offset; 63-62 mode: 1 swizzle of 128, 2 of 64, 3 of 32 bytes. */
static matrix_place place_of(uint64_t descriptor)
{
    enum { UNIT = 4, FIELD = 0x3fff };
    static const unsigned swizzles[] = {0, 3, 2, 1};
    return (matrix_place){.start = (descriptor & FIELD) << UNIT,
                          .leading = (descriptor >> 16 & FIELD) << UNIT,
                          .stride = (descriptor >> 32 & FIELD) << UNIT,
                          .swizzle = swizzles[descriptor >> 62],
                          .base = descriptor >> 49 & 7};
}

/* Pieces of 16 bytes. Rows along k: 8 rows stand together, a row as long as the swizzle; without
 * one pieces are 128 bytes apart by leading dimension. Columns along k: so many pieces stand side
 * by side as the swizzle has. */
static uint64_t piece_at(const matrix_place *p, bool transposes, unsigned line, unsigned piece)
{
    const unsigned side = 1u << p->swizzle; /* pieces of 16 bytes that stand side by side */
    if (!transposes)
        return p->start + line / CORE_ROWS * p->stride + line % CORE_ROWS * (uint64_t)side * CHUNK +
               (p->swizzle ? (uint64_t)piece * CHUNK : piece * p->leading);
    if (!p->swizzle)
        return p->start + piece * p->stride + line % CORE_ROWS * CHUNK +
               line / CORE_ROWS * p->leading;
    return p->start + piece / side * p->leading + piece % side * CHUNK +
           line % CORE_ROWS * (uint64_t)side * CHUNK + line / CORE_ROWS * p->stride;
}

static uint64_t swizzled(const matrix_place *p, uint64_t address)
{
    enum { PIECE_AT = 4, LINE_AT = 7 };
    const uint64_t bits = (UINT64_C(1) << p->swizzle) - 1;
    return address ^ (((address >> LINE_AT) - p->base) & bits) << PIECE_AT;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Lines of numbers, `depth` each. */
typedef struct lines {
    ifl_number *at;
    unsigned depth, special;
    ifl_plain plain; /* room for as many */
} lines;

static uint64_t element_of(const uint8_t *bytes, unsigned bits, unsigned index)
{
    uint32_t value = 0;
    if (bits < 8)
        return bytes[index * bits / 8] >> (index * bits % 8) & ((1u << bits) - 1);
    memcpy(&value, bytes + (size_t)index * bits / 8, bits / 8);
    return value;
}

typedef struct shared_matrix {
    matrix_place place;
    ifl_matrix_type type;
    bool transposes;
    unsigned first, count; /* rows of a, columns of b */
} shared_matrix;

/* One piece: elements along k, or of neighbouring rows or columns. */
static void split_piece(const shared_matrix *m, const uint8_t *bytes, unsigned line, unsigned piece,
                        lines *to)
{
    const unsigned bits = ifl_matrix_format_of(m->type)->bits, each = 8 * CHUNK / bits;
    for (unsigned i = 0; i < each; i++) {
        const unsigned row = m->transposes ? piece * each + i - m->first : line - m->first;
        const unsigned k = m->transposes ? line : piece * each + i;
        if (row >= m->count || k >= to->depth)
            continue;
        const ifl_number number = ifl_number_of(m->type, element_of(bytes, bits, i));
        to->at[row * to->depth + k] = number;
        to->special |= number.kind;
    }
}

static bool read_shared(ifl_warp *warp, const ifl_code *code, const shared_matrix *m, lines *to)
{
    const unsigned each = 8 * CHUNK / ifl_matrix_format_of(m->type)->bits;
    const unsigned first_line = m->transposes ? 0 : m->first,
                   first_piece = m->transposes ? m->first / each : 0;
    const unsigned line_count = m->transposes ? to->depth : m->count;
    const unsigned pieces = (m->transposes ? m->count : to->depth) / each;
    for (unsigned line = first_line; line < first_line + line_count; line++)
        for (unsigned piece = first_piece; piece < first_piece + pieces; piece++) {
            const uint64_t address =
                swizzled(&m->place, piece_at(&m->place, m->transposes, line, piece));
            const uint8_t *bytes =
                ifl_warp_reach_in(warp, code, IFL_SPACE_SHARED, 0, address, CHUNK, false);
            if (!bytes)
                return false;
            split_piece(m, bytes, line, piece, to);
        }
    return true;
}

/* As of mma (code/matrix.h). */
static void read_registers(const ifl_group_product *op, const char *frame, lines *to)
{
    const unsigned bits = ifl_matrix_format_of(op->one.a_type)->bits, each = WORD_BITS / bits;
    for (unsigned reg = 0; reg < IFL_GROUP_A_REGISTERS; reg++)
        for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++) {
            const uint32_t word = ifl_lane_u32(frame, op->a[reg], lane);
            const unsigned row = lane / 4 + 8 * (reg & 1),
                           column = (lane % 4 + 4 * (reg / 2)) * each;
            for (unsigned i = 0; i < each; i++) {
                const ifl_number number = ifl_number_of(op->one.a_type, word >> (i * bits));
                to->at[row * to->depth + column + i] = number;
                to->special |= number.kind;
            }
        }
}

static void negate(lines *of, unsigned count)
{
    for (unsigned i = 0; i < count * of->depth; i++)
        of->at[i].significand = -of->at[i].significand;
}

static uint64_t read_descriptor(const ifl_group_product *op, const char *frame, uint32_t slot,
                                uint32_t lane)
{
    return op->are_planes ? ifl_lane_u32(frame, slot, lane) |
                                (uint64_t)ifl_lane_u32(frame, slot + IFL_PLANE, lane) << 32
                          : ifl_lane_u64(frame, slot, lane);
}

static bool read_matrices(ifl_warp *warp, const ifl_code *code, const char *frame, lines *a,
                          lines *b)
{
    const ifl_group_product *op = code->extra;
    const shared_matrix of_b = {place_of(read_descriptor(op, frame, op->b_descriptor, 0)),
                                op->one.b_type, op->transposes_b, 0, op->one.n};
    if (op->is_a_in_registers) {
        read_registers(op, frame, a);
    } else {
        const shared_matrix of_a = {place_of(read_descriptor(op, frame, op->a_descriptor, 0)),
                                    op->one.a_type, op->transposes_a, warp->index % WARPS * ROWS,
                                    ROWS};
        if (!read_shared(warp, code, &of_a, a))
            return false;
    }
    if (!read_shared(warp, code, &of_b, b))
        return false;
    if (op->negates_a)
        negate(a, ROWS);
    if (op->negates_b)
        negate(b, op->one.n);
    return true;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void take_line(const lines *of, unsigned line, bool is_plain, ifl_numbers *to)
{
    const size_t at = (size_t)line * of->depth;
    to->at = of->at + at;
    if (is_plain)
        to->plain = (ifl_plain){of->plain.value + at, of->plain.exponent + at};
}

static void compute(const ifl_group_product *op, char *frame, lines *a, lines *b)
{
    const unsigned bits = ifl_matrix_format_of(op->one.c_type)->bits, each = WORD_BITS / bits;
    const unsigned registers =
        ifl_matrix_register_count(op->one.c_type, (unsigned)ROWS * op->one.n);
    const uint32_t accumulates = ifl_predicate(frame, op->accumulates) ^ op->flip;
    const bool is_plain = op->one.c_type != IFL_MATRIX_S32 && !a->special && !b->special;
    ifl_numbers row = {.mantissa_bits = ifl_matrix_format_of(op->one.a_type)->mantissa_bits,
                       .are_finite = !a->special};
    ifl_numbers column = {.mantissa_bits = ifl_matrix_format_of(op->one.b_type)->mantissa_bits,
                          .are_finite = !b->special};
    if (is_plain) {
        ifl_plain_fill(&a->plain, a->at, (size_t)ROWS * a->depth, row.mantissa_bits);
        ifl_plain_fill(&b->plain, b->at, (size_t)op->one.n * b->depth, column.mantissa_bits);
    }
    for (unsigned reg = 0; reg < registers; reg++)
        for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++) {
            const unsigned first = reg * each, line = lane / 4 + 8 * (first / 2 % 2);
            const uint32_t c = accumulates >> lane & 1 ? ifl_lane_u32(frame, op->c[reg], lane) : 0;
            uint32_t word = 0;
            for (unsigned i = 0; i < each; i++) {
                const unsigned at = first / 4 * 8 + 2 * (lane % 4) + (first + i) % 2;
                const uint32_t old = each == 1 ? c : c >> (i * bits) & ((1u << bits) - 1);
                take_line(a, line, is_plain, &row);
                take_line(b, at, is_plain, &column);
                word |= ifl_matrix_element(&op->one, &row, &column, a->depth, old) << (i * bits);
            }
            ((uint32_t *)ifl_slot(frame, op->d[reg]))[lane] = word;
        }
}

ifl_reason ifl_slow_group_product(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                  uint32_t active)
{
    (void)active;
    const ifl_group_product *op = code->extra;
    enum {
        A_NUMBERS = ROWS * IFL_MATRIX_DEPTH,
        B_NUMBERS = IFL_GROUP_COLUMNS * IFL_MATRIX_DEPTH / MOST_BYTES
    };
    ifl_number a_numbers[A_NUMBERS], b_numbers[B_NUMBERS];
    double a_values[A_NUMBERS], b_values[B_NUMBERS];
    int16_t a_exponents[A_NUMBERS], b_exponents[B_NUMBERS];
    lines a = {a_numbers, op->one.k, 0, {a_values, a_exponents}},
          b = {b_numbers, op->one.k, 0, {b_values, b_exponents}};
    if (!mask)
        return IFL_REASON_NONE;
    if (mask != UINT32_MAX)
        return ifl_fault_raise(
            warp, code, IFL_FAULT_OTHER, (uint32_t)__builtin_ctz(mask),
            "only the lanes 0x%08x of a warp take part in the product of a warp group", mask);
    if (!read_matrices(warp, code, frame, &a, &b))
        return IFL_REASON_FAULT;
    compute(op, frame, &a, &b);
    warp->group_products++;
    return IFL_REASON_NONE;
}

/* A warp that has ended, or waits at a barrier itself, is not waited for. */
static bool is_behind(const ifl_warp *other, const ifl_warp *warp)
{
    return other->group_products < warp->group_products && !ifl_warp_is_done(other) &&
           ifl_warp_has_ready(other);
}

ifl_reason ifl_slow_group_product_wait(ifl_warp *warp, const ifl_code *code, char *frame,
                                       uint32_t mask, uint32_t active)
{
    (void)code, (void)frame, (void)active;
    const ifl_block *block = warp->block;
    const uint32_t first = warp->index / WARPS * WARPS;
    for (uint32_t i = first; mask && i < first + WARPS && i < block->warp_count; i++)
        if (is_behind(block->warps[i], warp))
            return IFL_REASON_AGAIN;
    return IFL_REASON_NONE;
}
