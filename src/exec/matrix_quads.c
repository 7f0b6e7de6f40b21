/* SPDX-License-Identifier: Apache-2.0
 * Products of 8 by 8 by 4 halves, of which a warp makes four at once, each in lanes 4 q to 4 q + 3 and 16
 * further on (PTX ISA 9.0, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type"). */
#include "exec/lane.h"
#include "exec/matrix_product.h"
#include "exec/matrix_sum.h"
#include "exec/slow.h"
#include "exec/warp.h"

enum { DEPTH = IFL_QUAD_DEPTH, QUAD = 4, UPPER_LANES = 16 };

/* ---- where elements lie ---------------------------------------------------------------------- */

/* Of 8 lines of 4 elements: a lane has the line n % 4, of the lines from the fifth on one of the upper
 * lanes; across, it has the element `at` of four lines. Halves, two in a register. */
static uint16_t element(const char *frame, const uint32_t *slot, bool is_across, unsigned lane,
                        unsigned line, unsigned at)
{
    const unsigned from = (lane & (UPPER_LANES - QUAD)) + (line >= QUAD ? UPPER_LANES : 0) +
                          (is_across ? at : line % QUAD),
                   half = is_across ? line % QUAD : at;
    return (uint16_t)(ifl_lane_u32(frame, slot[half / 2], from) >> 16 * (half & 1));
}

typedef struct place {
    unsigned row, column;
} place;

/* The element i that a lane has of c and d. */
static place place_of(ifl_matrix_type type, unsigned lane, unsigned i)
{
    const unsigned upper = lane & UPPER_LANES ? QUAD : 0;
    return type == IFL_MATRIX_F16
               ? (place){upper + lane % QUAD, i}
               : (place){upper + (lane & 1) + (i & 2), (i & 4) + (lane & 2) + (i & 1)};
}

/* c's element that belongs to the element i of d, as bits of d's type: halves that become floats lie
 * in other lanes. */
static uint32_t addend(const ifl_quad_product *op, const char *frame, unsigned lane, unsigned i)
{
    if (op->c_type == IFL_MATRIX_F32)
        return ifl_lane_u32(frame, op->c[i], lane);
    const place at = place_of(op->d_type, lane, i);
    const unsigned from =
        (lane & (UPPER_LANES - QUAD)) + at.row % QUAD + (at.row >= QUAD ? UPPER_LANES : 0);
    const uint16_t half =
        (uint16_t)(ifl_lane_u32(frame, op->c[at.column / 2], from) >> 16 * (at.column & 1));
    return op->d_type == IFL_MATRIX_F16 ? half : ifl_f32_bits(ifl_widen(&ifl_f16, half));
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* As a tensor core of sm_70 and sm_75. */
static uint32_t cut_sum(const ifl_quad_product *op, const uint16_t *a, const uint16_t *b,
                        uint32_t c)
{
    enum { MANTISSA = 10 };
    ifl_number row[DEPTH], column[DEPTH];
    bool are_finite = true;
    for (unsigned k = 0; k < DEPTH; k++) {
        row[k] = ifl_number_of(IFL_MATRIX_F16, a[k]);
        column[k] = ifl_number_of(IFL_MATRIX_F16, b[k]);
        are_finite &= !row[k].kind && !column[k].kind;
    }
    const ifl_numbers x = {.at = row, .mantissa_bits = MANTISSA, .are_finite = are_finite},
                      y = {.at = column, .mantissa_bits = MANTISSA, .are_finite = are_finite};
    return ifl_matrix_sum(&op->rule, &x, &y, DEPTH, op->d_type, c);
}

/* As the function that ptxas puts in its place from sm_80 on, of fused products and sums of floats: to
 * f32 the four products and then c; to f16 c, the first two products, the last two. */
static uint32_t plain_sum(const ifl_quad_product *op, const uint16_t *a, const uint16_t *b,
                          uint32_t c)
{
    float x[DEPTH], y[DEPTH];
    for (unsigned k = 0; k < DEPTH; k++)
        x[k] = ifl_widen(&ifl_f16, a[k]), y[k] = ifl_widen(&ifl_f16, b[k]);
    if (op->d_type == IFL_MATRIX_F16) {
        const float first = ifl_fma_f32(x[1], y[1], x[0] * y[0]),
                    last = ifl_fma_f32(x[3], y[3], x[2] * y[2]);
        return ifl_narrow(&ifl_f16, ifl_widen(&ifl_f16, c) + first + last, IFL_ROUND_RN, false);
    }
    float sum = 0;
    for (unsigned k = 0; k < DEPTH; k++)
        sum = ifl_fma_f32(x[k], y[k], sum);
    sum += ifl_bits_f32(c);
    return sum != sum ? ifl_f32.nan : ifl_f32_bits(sum);
}

static uint32_t sum_at(const ifl_quad_product *op, const char *frame, unsigned lane, unsigned i)
{
    const place at = place_of(op->d_type, lane, i);
    uint16_t a[DEPTH], b[DEPTH];
    for (unsigned k = 0; k < DEPTH; k++) {
        a[k] = element(frame, op->a, op->is_a_across, lane, at.row, k);
        b[k] = element(frame, op->b, op->is_b_across, lane, at.column, k);
    }
    const uint32_t c = addend(op, frame, lane, i);
    return op->is_plain ? plain_sum(op, a, b, c) : cut_sum(op, a, b, c);
}

/* ---- the operation --------------------------------------------------------------------------- */

ifl_reason ifl_slow_quad_product(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                 uint32_t active)
{
    (void)active;
    const ifl_quad_product *op = code->extra;
    const bool is_half = op->d_type == IFL_MATRIX_F16;
    uint32_t result[IFL_QUAD_ELEMENTS][IFL_WARP_LANES];
    if (!mask)
        return IFL_REASON_NONE;
    if (mask != warp->live)
        return ifl_matrix_refuse(warp, code, mask);
    for (unsigned i = 0; i < op->count; i++)
        for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++)
            result[i][lane] = sum_at(op, frame, lane, op->first + i);
    for (unsigned i = 0; i < op->count; i += is_half ? 2 : 1)
        for (uint32_t m = mask; m; m &= m - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(m);
            ((uint32_t *)ifl_slot(frame, op->d[(op->first + i) / (is_half ? 2 : 1)]))[lane] =
                is_half ? IFL_PAIR(result[i + 1][lane], result[i][lane]) : result[i][lane];
        }
    return IFL_REASON_NONE;
}
