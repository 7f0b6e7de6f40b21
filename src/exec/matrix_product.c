/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices whose elements lie in the registers of a warp: where they lie
 * (code/matrix.h), and what is added to what. How sums are made is in matrix_sum.c. */
#include "exec/matrix_product.h"
#include "exec/lane.h"
#include "exec/matrix_scale.h"
#include "exec/matrix_sparse.h"
#include "exec/matrix_sum.h"
#include "exec/warp.h"

#include <string.h>

enum { WORD_BITS = 32, HALF_DEPTH = IFL_MATRIX_DEPTH / 2 };

/* Rows of a and columns of b, one behind the other. */
typedef struct factors {
    ifl_number a[IFL_MATRIX_ROWS * IFL_MATRIX_DEPTH], b[IFL_MATRIX_COLUMNS * IFL_MATRIX_DEPTH];
    ifl_met met;      /* of a sparse matrix: which row of b an element of a meets */
    unsigned a_depth; /* of a sparse matrix half of b's */
    bool a_finite, b_finite;
    ifl_number a_scale[IFL_MATRIX_ROWS][IFL_MATRIX_SCALES],
        b_scale[IFL_MATRIX_COLUMNS][IFL_MATRIX_SCALES]; /* of scaled matrices */
    bool is_plain;                                      /* what follows is there */
    double a_value[IFL_MATRIX_ROWS * IFL_MATRIX_DEPTH],
        b_value[IFL_MATRIX_COLUMNS * IFL_MATRIX_DEPTH];
    int16_t a_exponent[IFL_MATRIX_ROWS * IFL_MATRIX_DEPTH],
        b_exponent[IFL_MATRIX_COLUMNS * IFL_MATRIX_DEPTH];
} factors;

/* ---- where elements lie ---------------------------------------------------------------------- */

typedef struct place {
    unsigned row, column;
} place;

static place place_of_a(const ifl_matrix_product *op, unsigned lane, unsigned reg,
                        unsigned per_register)
{
    const unsigned r = op->m == IFL_MATRIX_ROWS ? reg : 2 * reg;
    return (place){lane / 4 + 8 * (r & 1), (lane % 4 + 4 * (r / 2)) * per_register};
}

static place place_of_b(unsigned lane, unsigned reg, unsigned per_register)
{
    return (place){(lane % 4 + 4 * reg) * per_register, lane / 4};
}

/* Of the first element in a register of c or d; a second one is in the next column. */
static place place_of_c(unsigned lane, unsigned reg, unsigned per_register)
{
    const unsigned r = reg * per_register;
    return (place){lane / 4 + 8 * (r / 2), 2 * (lane % 4) + r % 2};
}

/* ---- reading registers ----------------------------------------------------------------------- */

/* The elements of a register; what is not finite among them. */
static unsigned split_word(ifl_matrix_type type, uint32_t word, ifl_number *to)
{
    const unsigned bits = ifl_matrix_format_of(type)->bits;
    word >>= ifl_matrix_low_bit(type);
    unsigned special = 0;
    for (unsigned i = 0; i < WORD_BITS / bits; i++) {
        to[i] = ifl_number_of(type, word >> (i * bits));
        special |= to[i].kind;
    }
    return special;
}

static void read_a(const ifl_matrix_product *op, const char *frame, factors *f)
{
    const unsigned per_register = WORD_BITS / ifl_matrix_format_of(op->a_type)->bits;
    const unsigned registers = ifl_matrix_register_count(op->a_type, op->m * f->a_depth);
    unsigned special = 0;
    for (unsigned reg = 0; reg < registers; reg++)
        for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++) {
            const place at = place_of_a(op, lane, reg, per_register);
            special |= split_word(op->a_type, ifl_lane_u32(frame, op->a[reg], lane),
                                  &f->a[at.row * f->a_depth + at.column]);
        }
    f->a_finite = special == 0;
}

static void read_b(const ifl_matrix_product *op, const char *frame, factors *f)
{
    const unsigned per_register = WORD_BITS / ifl_matrix_format_of(op->b_type)->bits;
    const unsigned registers = ifl_matrix_register_count(op->b_type, (unsigned)op->n * op->k);
    unsigned special = 0;
    for (unsigned reg = 0; reg < registers; reg++)
        for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++) {
            const place at = place_of_b(lane, reg, per_register);
            special |= split_word(op->b_type, ifl_lane_u32(frame, op->b[reg], lane),
                                  &f->b[at.column * op->k + at.row]);
        }
    f->b_finite = special == 0;
}

/* ---- which rows of b a sparse a meets -------------------------------------------------------- */

/* Four bits of metadata for each two elements of a: of bytes and halves two places among four, of
 * which an element of 4 bits and its neighbour are one; of TF32, whose elements count as two halves
 * each, 4 bits a element (PTX ISA 9.0, "Sparse matrix storage"). A unit of metadata is of the
 * elements in 16 bytes of a: 16 bits where elements have 16 bits or more, the lower ones in a lane
 * of row l / 4, the upper ones of the row 8 further on; 32 bits of smaller ones, where the lanes of
 * a group take turns. */
static uint32_t metadata_of(const ifl_matrix_product *op, const char *frame, unsigned row,
                            unsigned unit, bool is_small)
{
    const unsigned lane = row % 8 * 4, half = row / 8,
                   units = op->k / (is_small ? 256 / ifl_matrix_format_of(op->a_type)->bits
                                    : op->a_type == IFL_MATRIX_TF32 ? 8
                                                                    : 16);
    if (is_small)
        return ifl_lane_u32(frame, op->metadata,
                            lane + (2 * (unit + op->selector * units) + half) % 4);
    return ifl_lane_u32(frame, op->metadata, lane + (unit + op->selector * units) % 4) >>
               (16 * half) &
           0xffff;
}

void ifl_matrix_find_met(const ifl_matrix_product *op, const char *frame, ifl_met met)
{
    const unsigned bits = ifl_matrix_format_of(op->a_type)->bits,
                   together = bits < 8 ? 8 / bits : 1, in_unit = 128 / bits;
    const bool is_small = bits <= 8, is_tf32 = op->a_type == IFL_MATRIX_TF32;
    for (unsigned row = 0; row < op->m; row++)
        for (unsigned i = 0; i < op->k / 2u; i++) {
            const uint32_t meta = metadata_of(op, frame, row, i / in_unit, is_small);
            const unsigned at = i % in_unit / together, pair = i / together;
            const unsigned nth = is_tf32 ? 2 * i + (meta >> (4 * at + 1) & 1)
                                         : pair / 2 * 4 + (meta >> (2 * at) & 3);
            met[row][i] = (uint8_t)(nth * together + i % together);
        }
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* Of a line's parts, from the lane on that holds them. */
static void read_scale(const ifl_matrix_product *op, const char *frame, const ifl_matrix_scale *at,
                       unsigned lane, ifl_number to[IFL_MATRIX_SCALES])
{
    enum { BYTES = 4, BYTE_BITS = 8 };
    const unsigned first = ifl_lane_u32(frame, at->byte, lane) >> at->byte_at;
    const uint32_t word = ifl_lane_u32(frame, at->slot, lane);
    for (unsigned i = 0; i < op->scales; i++)
        to[i] = ifl_matrix_scale_of(op->are_powers, word >> ((first + i) % BYTES * BYTE_BITS));
}

static void read_scales(const ifl_matrix_product *op, const char *frame, factors *f)
{
    for (unsigned row = 0; row < op->m; row++) {
        const unsigned lane = row % 8 * 4,
                       pair =
                           ifl_lane_u32(frame, op->scale_a.lane, lane) >> op->scale_a.lane_at & 1;
        read_scale(op, frame, &op->scale_a, lane + 2 * pair + row / 8, f->a_scale[row]);
    }
    for (unsigned column = 0; column < op->n; column++) {
        const unsigned lane = column * 4,
                       one = ifl_lane_u32(frame, op->scale_b.lane, lane) >> op->scale_b.lane_at & 3;
        read_scale(op, frame, &op->scale_b, lane + one, f->b_scale[column]);
    }
}

static void make_plain(const ifl_matrix_product *op, factors *f)
{
    const ifl_matrix_format *a = ifl_matrix_format_of(op->a_type),
                            *b = ifl_matrix_format_of(op->b_type);
    f->is_plain = !op->is_sparse && !op->scales && !op->rule.in_halves &&
                  op->c_type != IFL_MATRIX_S32 && f->a_finite && f->b_finite;
    if (!f->is_plain)
        return;
    ifl_plain_fill(&(ifl_plain){f->a_value, f->a_exponent}, f->a, (size_t)op->m * f->a_depth,
                   a->mantissa_bits);
    ifl_plain_fill(&(ifl_plain){f->b_value, f->b_exponent}, f->b, (size_t)op->n * op->k,
                   b->mantissa_bits);
}

static void read_factors(const ifl_matrix_product *op, const char *frame, factors *f)
{
    f->a_depth = op->is_sparse ? op->k / 2u : op->k;
    read_a(op, frame, f);
    read_b(op, frame, f);
    if (op->is_sparse)
        ifl_matrix_find_met(op, frame, f->met);
    if (op->scales)
        read_scales(op, frame, f);
    make_plain(op, f);
}

/* ---- single elements of d -------------------------------------------------------------------- */

static uint32_t integer_sum(const ifl_matrix_product *op, const ifl_number *a, const ifl_number *b,
                            unsigned count, uint32_t c)
{
    int64_t sum = (int32_t)c;
    if (op->a_type == IFL_MATRIX_B1)
        for (unsigned i = 0; i < count; i++)
            sum += op->is_and ? a[i].significand & b[i].significand
                              : a[i].significand ^ b[i].significand;
    else
        for (unsigned i = 0; i < count; i++)
            sum += (int64_t)a[i].significand * b[i].significand;
    return (uint32_t)(op->saturates ? ifl_clamp(sum, INT32_MIN, INT32_MAX) : sum);
}

uint32_t ifl_matrix_element(const ifl_matrix_product *op, const ifl_numbers *row,
                            const ifl_numbers *column, unsigned count, uint32_t c)
{
    if (op->c_type == IFL_MATRIX_S32)
        return integer_sum(op, row->at, column->at, count, c);
    return ifl_matrix_sum(&op->rule, row, column, count, op->c_type, c);
}

static uint32_t sum_of(const ifl_matrix_product *op, const factors *f, const ifl_number *a,
                       const ifl_number *b, unsigned count, const ifl_matrix_scales *scales,
                       uint32_t c)
{
    ifl_numbers row = {.at = a,
                       .mantissa_bits = ifl_matrix_format_of(op->a_type)->mantissa_bits,
                       .are_finite = f->a_finite};
    ifl_numbers column = {.at = b,
                          .mantissa_bits = ifl_matrix_format_of(op->b_type)->mantissa_bits,
                          .are_finite = f->b_finite};
    if (f->is_plain) { /* then these are numbers of the factors themselves */
        row.plain =
            (ifl_plain){(double *)f->a_value + (a - f->a), (int16_t *)f->a_exponent + (a - f->a)};
        column.plain =
            (ifl_plain){(double *)f->b_value + (b - f->b), (int16_t *)f->b_exponent + (b - f->b)};
    }
    return scales ? ifl_matrix_scaled_element(op, &row, &column, count, scales, c)
                  : ifl_matrix_element(op, &row, &column, count, c);
}

/* A denormal byte is a normal half, whose exponent says so. */
static ifl_number as_half(ifl_number x, unsigned mantissa_bits)
{
    enum { LEAST = -14 };
    for (; x.kind == IFL_NUMBER_FINITE && x.significand && x.exponent > LEAST; x.exponent--) {
        if ((x.significand < 0 ? -x.significand : x.significand) >> mantissa_bits)
            break;
        x.significand *= 2;
    }
    return x;
}

/* Bytes that ptxas makes halves: first those in the lower half of each register, then those in the
 * upper one; their sum is added to c apart. */
static uint32_t sum_in_halves(const ifl_matrix_product *op, const factors *f, const ifl_number *a,
                              const ifl_number *b, uint32_t c)
{
    const unsigned a_bits = ifl_matrix_format_of(op->a_type)->mantissa_bits,
                   b_bits = ifl_matrix_format_of(op->b_type)->mantissa_bits;
    ifl_number a_half[HALF_DEPTH], b_half[HALF_DEPTH];
    uint32_t sum = 0;
    for (unsigned upper = 0; upper < 2; upper++) {
        unsigned count = 0;
        for (unsigned i = 2 * upper; i < f->a_depth; i += i & 1 ? 3 : 1, count++)
            a_half[count] = as_half(a[i], a_bits), b_half[count] = as_half(b[i], b_bits);
        sum = sum_of(op, f, a_half, b_half, count, NULL, sum);
    }
    return ifl_matrix_add(op->c_type, c, sum);
}

static uint32_t element_at(const ifl_matrix_product *op, const factors *f, place at, uint32_t c)
{
    const ifl_number *a = &f->a[at.row * f->a_depth], *b = &f->b[at.column * op->k];
    ifl_number met[HALF_DEPTH];
    for (unsigned i = 0; op->is_sparse && i < f->a_depth; i++)
        met[i] = b[f->met[at.row][i]];
    b = op->is_sparse ? met : b;
    if (op->rule.in_halves)
        return sum_in_halves(op, f, a, b, c);
    ifl_matrix_scales scales;
    if (op->scales) {
        memcpy(scales.a, f->a_scale[at.row], sizeof scales.a);
        memcpy(scales.b, f->b_scale[at.column], sizeof scales.b);
    }
    return sum_of(op, f, a, b, f->a_depth, op->scales ? &scales : NULL, c);
}

static void compute_words(const ifl_matrix_product *op, char *frame, const factors *f,
                          uint32_t mask)
{
    const unsigned bits = ifl_matrix_format_of(op->c_type)->bits, per_register = WORD_BITS / bits;
    const unsigned registers = ifl_matrix_register_count(op->c_type, (unsigned)op->m * op->n);
    uint32_t results[IFL_MATRIX_REGISTERS][IFL_WARP_LANES];
    for (unsigned reg = 0; reg < registers; reg++)
        for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++) {
            const place at = place_of_c(lane, reg, per_register);
            const uint32_t c = ifl_lane_u32(frame, op->c[reg], lane);
            uint32_t word = 0;
            for (unsigned i = 0; i < per_register; i++) {
                const uint32_t element =
                    c >> (i * bits) & (bits == WORD_BITS ? UINT32_MAX : (1u << bits) - 1);
                word |= element_at(op, f, (place){at.row, at.column + i}, element) << (i * bits);
            }
            results[reg][lane] = word;
        }
    for (unsigned reg = 0; reg < registers; reg++)
        for (uint32_t m = mask; m; m &= m - 1)
            ((uint32_t *)ifl_slot(frame, op->d[reg]))[__builtin_ctz(m)] =
                results[reg][__builtin_ctz(m)];
}

/* ---- the operation --------------------------------------------------------------------------- */

ifl_reason ifl_matrix_refuse(ifl_warp *warp, const ifl_code *code, uint32_t mask)
{
    return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, (uint32_t)__builtin_ctz(mask),
                           "only the lanes 0x%08x of a warp multiply matrices that 0x%08x hold",
                           mask, warp->live);
}

ifl_reason ifl_matrix_product_any(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                  uint32_t active)
{
    (void)active;
    const ifl_matrix_product *op = code->extra;
    if (!mask)
        return IFL_REASON_NONE;
    if (mask != warp->live)
        return ifl_matrix_refuse(warp, code, mask);
    factors f;
    read_factors(op, frame, &f);
    compute_words(op, frame, &f, mask);
    return IFL_REASON_NONE;
}
