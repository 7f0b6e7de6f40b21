/* SPDX-License-Identifier: Apache-2.0
 * Products of a warp group (wgmma, HGMMA and kin): matrices in shared memory by their descriptors,
 * sums in registers. Each warp computes its rows when it issues the product, one of the orders that
 * the hardware allows. The product is one of all four warps: who waits for it may write over its
 * matrices, so it waits until all four have computed their rows. */
#include "exec/lane.h"
#include "exec/matrix_product.h"
#include "exec/matrix_sparse.h"
#include "exec/shared_matrix.h"

enum { ROWS = 16, WARPS = 4, WORD_BITS = 32, MOST_BYTES = 4 };

/* ---- reading --------------------------------------------------------------------------------- */

/* Bits 63-62 of a descriptor: 1 swizzle of 128, 2 of 64, 3 of 32 bytes. */
static ifl_shared_matrix matrix_of(uint64_t descriptor, uint8_t type, bool transposes)
{
    enum { CHUNK_BITS = 128 };
    static const unsigned swizzles[] = {0, 3, 2, 1};
    const unsigned bits = ifl_matrix_format_of(type)->bits;
    ifl_shared_matrix m = {.place = ifl_matrix_place_of(descriptor),
                           .type = type,
                           .bits = bits,
                           .each = CHUNK_BITS / bits,
                           .transposes = transposes,
                           .space = IFL_SPACE_SHARED};
    m.place.swizzle = swizzles[descriptor >> 62];
    return m;
}

/* As of mma (code/matrix.h). */
static void read_registers(const ifl_group_product *op, const char *frame, ifl_matrix_lines *to)
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

static void negate(ifl_matrix_lines *of, unsigned count)
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

void ifl_group_matrices(const ifl_warp *warp, const ifl_group_product *op, const char *frame,
                        ifl_shared_matrix *a, ifl_shared_matrix *b)
{
    *a = matrix_of(read_descriptor(op, frame, op->a_descriptor, 0), op->one.a_type,
                   op->transposes_a);
    a->first = warp->index % WARPS * ROWS;
    a->count = ROWS;
    *b = matrix_of(read_descriptor(op, frame, op->b_descriptor, 0), op->one.b_type,
                   op->transposes_b);
    b->count = op->one.n;
}

static bool read_a(ifl_warp *warp, const ifl_code *code, const char *frame,
                   const ifl_shared_matrix *from, ifl_matrix_lines *a)
{
    const ifl_group_product *op = code->extra;
    if (op->is_a_in_registers)
        read_registers(op, frame, a);
    else if (!ifl_shared_matrix_read(warp, code, 0, from, a))
        return false;
    if (op->negates_a)
        negate(a, ROWS);
    return true;
}

/* The columns that `from` names. */
static bool read_b(ifl_warp *warp, const ifl_code *code, const ifl_shared_matrix *from,
                   ifl_matrix_lines *b)
{
    const ifl_group_product *op = code->extra;
    b->special = 0;
    if (!ifl_shared_matrix_read(warp, code, 0, from, b))
        return false;
    if (op->negates_b)
        negate(b, from->count);
    return true;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The columns [first, last), which are all that b has. */
static void compute(const ifl_group_product *op, char *frame, unsigned first_column,
                    unsigned last_column, ifl_matrix_lines *a, ifl_matrix_lines *b)
{
    const unsigned bits = ifl_matrix_format_of(op->one.c_type)->bits, each = WORD_BITS / bits;
    const unsigned registers = ifl_matrix_register_count(op->one.c_type, ROWS * last_column);
    const uint32_t accumulates = ifl_predicate(frame, op->accumulates) ^ op->flip;
    const bool is_sparse = op->one.is_sparse, is_plain = op->one.c_type != IFL_MATRIX_S32 &&
                                                         !a->special && !b->special && !is_sparse;
    ifl_met met;
    ifl_number met_numbers[IFL_SPARSE_DEPTH];
    if (is_sparse)
        ifl_matrix_find_met(&op->one, frame, met);
    ifl_numbers row = {.mantissa_bits = ifl_matrix_format_of(op->one.a_type)->mantissa_bits,
                       .are_finite = !a->special};
    ifl_numbers column = {.mantissa_bits = ifl_matrix_format_of(op->one.b_type)->mantissa_bits,
                          .are_finite = !b->special};
    if (is_plain) {
        ifl_matrix_lines_fill(a, ROWS, row.mantissa_bits);
        ifl_matrix_lines_fill(b, last_column - first_column, column.mantissa_bits);
    }
    for (unsigned reg = ifl_matrix_register_count(op->one.c_type, ROWS * first_column);
         reg < registers; reg++)
        for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++) {
            const unsigned first = reg * each, line = lane / 4 + 8 * (first / 2 % 2);
            const uint32_t c = accumulates >> lane & 1 ? ifl_lane_u32(frame, op->c[reg], lane) : 0;
            uint32_t word = 0;
            for (unsigned i = 0; i < each; i++) {
                const unsigned at = first / 4 * 8 + 2 * (lane % 4) + (first + i) % 2;
                const uint32_t old = each == 1 ? c : c >> (i * bits) & ((1u << bits) - 1);
                ifl_matrix_line_take(a, line, is_plain, &row);
                ifl_matrix_line_take(b, at - first_column, is_plain, &column);
                for (unsigned k = 0; is_sparse && k < a->depth; k++)
                    met_numbers[k] = column.at[met[line][k]];
                column.at = is_sparse ? met_numbers : column.at;
                word |= ifl_matrix_element(&op->one, &row, &column, a->depth, old) << (i * bits);
            }
            ((uint32_t *)ifl_slot(frame, op->d[reg]))[lane] = word;
        }
}

ifl_reason ifl_group_product_any(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                 unsigned done)
{
    const ifl_group_product *op = code->extra;
    enum {
        A_NUMBERS = ROWS * IFL_MATRIX_DEPTH,
        B_NUMBERS = IFL_GROUP_COLUMNS * IFL_MATRIX_DEPTH / MOST_BYTES
    };
    ifl_number a_numbers[A_NUMBERS], b_numbers[B_NUMBERS];
    double a_values[A_NUMBERS], b_values[B_NUMBERS];
    int16_t a_exponents[A_NUMBERS], b_exponents[B_NUMBERS];
    ifl_matrix_lines a = {a_numbers,
                          (unsigned)op->one.k >> op->one.is_sparse,
                          0,
                          {a_values, a_exponents}},
                     b = {b_numbers, op->one.k, 0, {b_values, b_exponents}};
    if (!mask)
        return IFL_REASON_NONE;
    if (mask != UINT32_MAX)
        return ifl_fault_raise(
            warp, code, IFL_FAULT_OTHER, (uint32_t)__builtin_ctz(mask),
            "only the lanes 0x%08x of a warp take part in the product of a warp group", mask);
    ifl_shared_matrix of_a, of_b;
    ifl_group_matrices(warp, op, frame, &of_a, &of_b);
    if (!read_a(warp, code, frame, &of_a, &a))
        return IFL_REASON_FAULT;
    const unsigned most = B_NUMBERS / op->one.k;
    for (of_b.first = done; of_b.first < op->one.n; of_b.first += of_b.count) {
        of_b.count = op->one.n - of_b.first < most ? op->one.n - of_b.first : most;
        if (!read_b(warp, code, &of_b, &b))
            return IFL_REASON_FAULT;
        compute(op, frame, of_b.first, of_b.first + of_b.count, &a, &b);
    }
    return IFL_REASON_NONE;
}

/* A warp that has ended, or waits at a barrier itself, is not waited for. */
static bool is_behind(const ifl_warp *other, const ifl_warp *warp)
{
    return other->group_steps < warp->group_steps && !ifl_warp_is_done(other) &&
           ifl_warp_has_ready(other);
}

ifl_reason ifl_slow_group_arrive(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                 uint32_t active)
{
    (void)code, (void)frame, (void)active;
    warp->group_steps += mask != 0;
    return IFL_REASON_NONE;
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
