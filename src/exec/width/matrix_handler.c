/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices that a warp or a warp group multiplies (code/matrix.h): from registers and
 * shared memory to rows side by side (matrix_sums.h) and back. Compiled once for each vector width.
 * What is rare is left to ../matrix_product.c and ../group_product.c. */
#include "exec/lane.h"
#include "exec/matrix_product.h"
#include "exec/shared_matrix.h"
#include "exec/width/matrix_sums.h"
#include "exec/width/quad.h"

enum {
    PLACES = 4, /* lanes of a group */
    GROUPS = IFL_WARP_LANES / PLACES
};

/* ---- between lanes and rows ------------------------------------------------------------------ */

/* A register: the place p of group g goes to row `first` + g of column p * step, and back. */
IFL_INLINE void to_rows(const uint32_t *lanes, uint32_t (*column)[ROWS], unsigned step,
                        unsigned first)
{
    for (unsigned g = 0; g < GROUPS; g += 4) {
        ifl_quad q[4];
        memcpy(q, lanes + PLACES * g, sizeof q);
        ifl_transpose(q);
        for (unsigned p = 0; p < PLACES; p++)
            memcpy(&column[p * step][first + g], &q[p], sizeof q[p]);
    }
}

IFL_INLINE void to_lanes(uint32_t *lanes, const uint32_t (*column)[ROWS], unsigned step,
                         unsigned first)
{
    for (unsigned g = 0; g < GROUPS; g += 4) {
        ifl_quad q[4];
        for (unsigned p = 0; p < PLACES; p++)
            memcpy(&q[p], &column[p * step][first + g], sizeof q[p]);
        ifl_transpose(q);
        memcpy(lanes + PLACES * g, q, sizeof q);
    }
}

IFL_INLINE const uint32_t *words_of(const char *frame, uint32_t slot)
{
    return (const uint32_t *)(const void *)(frame + slot);
}

static void read_a(const uint32_t *slots, unsigned registers, unsigned m, const char *frame,
                   uint32_t (*a)[ROWS])
{
    if (m < ROWS)
        memset(a, 0, sizeof *a * WORDS);
    for (unsigned reg = 0; reg < registers; reg++) {
        const unsigned r = m == ROWS ? reg : 2 * reg;
        to_rows(words_of(frame, slots[reg]), &a[r / 2 * PLACES], 1, GROUPS * (r & 1));
    }
}

/* Columns one behind the other. */
static void read_b(const ifl_matrix_product *op, const char *frame, unsigned depth_words,
                   uint32_t *b)
{
    for (unsigned reg = 0; reg < depth_words / PLACES; reg++)
        for (unsigned column = 0; column < COLUMNS; column++)
            memcpy(b + column * depth_words + reg * PLACES,
                   words_of(frame, op->b[reg]) + column * PLACES, sizeof(ifl_quad));
}

static void read_c(const ifl_matrix_product *op, const uint32_t *slots, const char *frame,
                   uint32_t (*c)[ROWS])
{
    uint32_t pair[PLACES][ROWS] = {{0}};
    if (op->m < ROWS)
        memset(c, 0, sizeof *c * COLUMNS);
    if (op->c_type != IFL_MATRIX_F16) {
        for (unsigned r = 0; r < op->m / 4u; r++)
            to_rows(words_of(frame, slots[r]), c + (r & 1), 2, GROUPS * (r / 2));
        return;
    }
    for (unsigned r = 0; r < op->m / 8u; r++)
        to_rows(words_of(frame, slots[r]), pair, 1, GROUPS * r);
    for (unsigned p = 0; p < PLACES; p++)
        IFL_SIMD for (unsigned i = 0; i < ROWS; i++)
        {
            c[2 * p][i] = pair[p][i] & 0xffff;
            c[2 * p + 1][i] = pair[p][i] >> 16;
        }
}

static void write_d(const ifl_matrix_product *op, const uint32_t *slots, char *frame,
                    const uint32_t (*d)[ROWS])
{
    uint32_t pair[PLACES][ROWS];
    if (op->c_type != IFL_MATRIX_F16) {
        for (unsigned r = 0; r < op->m / 4u; r++)
            to_lanes(ifl_slot(frame, slots[r]), d + (r & 1), 2, GROUPS * (r / 2));
        return;
    }
    for (unsigned p = 0; p < PLACES; p++)
        IFL_SIMD for (unsigned i = 0; i < ROWS; i++) pair[p][i] = d[2 * p][i] | d[2 * p + 1][i]
                                                                                    << 16;
    for (unsigned r = 0; r < op->m / 8u; r++)
        to_lanes(ifl_slot(frame, slots[r]), (const uint32_t(*)[ROWS])pair, 1, GROUPS * r);
}

static bool multiply(const ifl_matrix_product *op, char *frame)
{
    uint32_t a[WORDS][ROWS], b[B_WORDS], c[COLUMNS][ROWS];
    factors f;
    if (!SUMS_NAME(can)(op))
        return false;
    read_a(op->a, ifl_matrix_register_count(op->a_type, (unsigned)op->m * op->k), op->m, frame, a);
    SUMS_NAME(take_a)(op, (const uint32_t(*)[ROWS])a, &f);
    read_b(op, frame, f.words, b);
    SUMS_NAME(take_b)(op, b, &f);
    read_c(op, op->c, frame, c);
    if (!SUMS_NAME(add)(op, &f, c))
        return false;
    write_d(op, op->d, frame, (const uint32_t(*)[ROWS])c);
    return true;
}

/* ---- doubles --------------------------------------------------------------------------------- */

enum { MOST_DEPTH = 32 };

typedef struct doubles {
    double a[MOST_DEPTH][ROWS], b[COLUMNS][MOST_DEPTH], c[COLUMNS][ROWS];
} doubles;

IFL_INLINE void read_doubles(const ifl_matrix_product *op, const char *frame, uint32_t slot,
                             double to[IFL_WARP_LANES])
{
    const uint32_t *low = words_of(frame, slot), *high = words_of(frame, slot + IFL_PLANE);
    if (!op->is_planes)
        memcpy(to, frame + slot, IFL_WARP_LANES * sizeof *to);
    else
        IFL_SIMD IFL_EACH_LANE(i) to[i] = ifl_bits_f64(low[i] | (uint64_t)high[i] << 32);
}

static void put_doubles(const ifl_matrix_product *op, char *frame, uint32_t slot, uint32_t mask,
                        const double from[IFL_WARP_LANES])
{
    uint32_t *low = ifl_slot(frame, slot), *high = ifl_slot(frame, slot + IFL_PLANE);
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        const uint64_t bits = ifl_f64_bits(from[lane]);
        if (op->is_planes)
            low[lane] = (uint32_t)bits, high[lane] = (uint32_t)(bits >> 32);
        else
            memcpy(frame + slot + lane * sizeof bits, &bits, sizeof bits);
    }
}

static void read_all_doubles(const ifl_matrix_product *op, const char *frame, doubles *f)
{
    double lanes[IFL_WARP_LANES];
    for (unsigned reg = 0; reg < (unsigned)op->m * op->k / IFL_WARP_LANES; reg++) {
        const unsigned r = op->m == ROWS ? reg : 2 * reg;
        read_doubles(op, frame, op->a[reg], lanes);
        IFL_EACH_LANE(i)
        f->a[r / 2 * PLACES + i % PLACES][GROUPS * (r & 1) + i / PLACES] = lanes[i];
    }
    for (unsigned reg = 0; reg < op->k / (unsigned)PLACES; reg++) {
        read_doubles(op, frame, op->b[reg], lanes);
        IFL_EACH_LANE(i) f->b[i / PLACES][reg * PLACES + i % PLACES] = lanes[i];
    }
    for (unsigned r = 0; r < op->m / 4u; r++) {
        read_doubles(op, frame, op->c[r], lanes);
        IFL_EACH_LANE(i) f->c[i % PLACES * 2 + (r & 1)][GROUPS * (r / 2) + i / PLACES] = lanes[i];
    }
}

/* Each product is fused with the sum before it, in the order of k. */
static void multiply_doubles(const ifl_matrix_product *op, char *frame, uint32_t mask)
{
    doubles f = {0};
    double lanes[IFL_WARP_LANES];
    read_all_doubles(op, frame, &f);
    for (unsigned j = 0; j < COLUMNS; j++)
        for (unsigned k = 0; k < op->k; k++) {
            const double b = f.b[j][k], *a = f.a[k];
            double *c = f.c[j];
            if (op->rounding <= IFL_ROUND_RN) {
                IFL_SIMD for (int i = 0; i < ROWS; i++) c[i] =
                    ifl_nan3(fma(a[i], b, c[i]), a[i], b, c[i]);
            } else {
                for (int i = 0; i < ROWS; i++)
                    c[i] = ifl_nan3(ifl_round_fma_f64(op->rounding, a[i], b, c[i]), a[i], b, c[i]);
            }
        }
    for (unsigned r = 0; r < op->m / 4u; r++) {
        IFL_EACH_LANE(i) lanes[i] = f.c[i % PLACES * 2 + (r & 1)][GROUPS * (r / 2) + i / PLACES];
        put_doubles(op, frame, op->d[r], mask, lanes);
    }
}

/* ---- products of a warp group ---------------------------------------------------------------- */

/* Lines of k, each its words, from pieces of 16 bytes; transposed a piece has eight lines, halves. */
enum { PIECE = 16, PIECE_LINES = 8, HALF_BITS = 16, FAULTED = IFL_GROUP_COLUMNS + 1 };

static bool read_pieces(ifl_warp *warp, const ifl_code *code, const ifl_shared_matrix *m,
                        uint32_t *to)
{
    for (unsigned line = 0; line < m->count; line++)
        for (unsigned piece = 0; piece < WORDS * 4 / PIECE; piece++) {
            const uint8_t *at = ifl_shared_matrix_piece(warp, code, 0, m, m->first + line, piece);
            if (!at)
                return false;
            memcpy(to + line * WORDS + piece * (PIECE / 4), at, PIECE);
        }
    return true;
}

static bool read_transposed(ifl_warp *warp, const ifl_code *code, const ifl_shared_matrix *m,
                            uint32_t *to)
{
    uint16_t half[2][PIECE_LINES];
    for (unsigned line = 0; line < m->count; line += PIECE_LINES)
        for (unsigned k = 0; k < 2 * WORDS; k++) {
            const uint8_t *at =
                ifl_shared_matrix_piece(warp, code, 0, m, k, (m->first + line) / PIECE_LINES);
            if (!at)
                return false;
            memcpy(half[k & 1], at, PIECE);
            for (unsigned i = 0; i < PIECE_LINES && (k & 1); i++)
                to[(line + i) * WORDS + k / 2] = half[0][i] | (uint32_t)half[1][i] << HALF_BITS;
        }
    return true;
}

static bool read_lines(ifl_warp *warp, const ifl_code *code, const ifl_shared_matrix *m,
                       bool negates, uint32_t *to)
{
    const uint32_t sign = m->bits == HALF_BITS  ? 0x80008000
                          : m->bits < HALF_BITS ? 0x80808080
                                                : 0x80000000;
    if (!(m->transposes ? read_transposed : read_pieces)(warp, code, m, to))
        return false;
    for (unsigned i = 0; negates && i < m->count * WORDS; i++)
        to[i] ^= sign;
    return true;
}

static bool read_group_a(ifl_warp *warp, const ifl_code *code, const char *frame,
                         const ifl_shared_matrix *m, uint32_t (*a)[ROWS])
{
    const ifl_group_product *op = code->extra;
    uint32_t lines[ROWS][WORDS];
    if (op->is_a_in_registers) {
        read_a(op->a, IFL_GROUP_A_REGISTERS, ROWS, frame, a);
        return true;
    }
    if (!read_lines(warp, code, m, op->negates_a, lines[0]))
        return false;
    for (unsigned w = 0; w < WORDS; w++)
        for (unsigned row = 0; row < ROWS; row++)
            a[w][row] = lines[row][w];
    return true;
}

static bool can_multiply_group(const ifl_group_product *op)
{
    const bool is_half = ifl_matrix_format_of(op->one.a_type)->bits == HALF_BITS;
    return SUMS_NAME(can)(&op->one) && (is_half || (!op->transposes_a && !op->transposes_b)) &&
           !(op->is_a_in_registers && op->negates_a);
}

/* The columns, eight by eight; how many are done, or more than there are after a fault. */
static unsigned multiply_group(ifl_warp *warp, const ifl_code *code, char *frame)
{
    const ifl_group_product *op = code->extra;
    const ifl_matrix_product *one = &op->one;
    const uint32_t accumulates = ifl_predicate(frame, op->accumulates) ^ op->flip;
    const unsigned registers = ifl_matrix_register_count(one->c_type, ROWS * COLUMNS);
    uint32_t a[WORDS][ROWS], b[B_WORDS], c[COLUMNS][ROWS];
    factors f;
    ifl_shared_matrix of_a, of_b;
    if (!can_multiply_group(op) || (accumulates && accumulates != IFL_ALL_LANES))
        return 0;
    ifl_group_matrices(warp, op, frame, &of_a, &of_b);
    if (!read_group_a(warp, code, frame, &of_a, a))
        return FAULTED;
    SUMS_NAME(take_a)(one, (const uint32_t(*)[ROWS])a, &f);
    of_b.count = COLUMNS;
    for (; of_b.first < one->n; of_b.first += COLUMNS) {
        const unsigned at = of_b.first / COLUMNS * registers;
        if (!read_lines(warp, code, &of_b, op->negates_b, b))
            return FAULTED;
        SUMS_NAME(take_b)(one, b, &f);
        if (accumulates)
            read_c(one, op->c + at, frame, c);
        else
            memset(c, 0, sizeof c);
        if (!SUMS_NAME(add)(one, &f, c))
            break;
        write_d(one, op->d + at, frame, (const uint32_t(*)[ROWS])c);
    }
    return of_b.first;
}

/* ---- the operations -------------------------------------------------------------------------- */

IFL_OPERATION(matrix_product)
{
    const ifl_matrix_product *op = code->extra;
    const uint32_t mask = IFL_EXECUTING;
    if (op->a_type == IFL_MATRIX_F64 && mask == warp->live) {
        multiply_doubles(op, frame, mask);
        IFL_NEXT;
    }
    if (mask == IFL_ALL_LANES && multiply(op, frame))
        IFL_NEXT;
    const ifl_reason reason = ifl_matrix_product_any(warp, code, frame, mask, active);
    if (reason != IFL_REASON_NONE)
        IFL_STOP(reason, code);
    IFL_NEXT;
}

IFL_OPERATION(group_product)
{
    const ifl_group_product *op = code->extra;
    const uint32_t mask = IFL_EXECUTING;
    const unsigned done = mask == IFL_ALL_LANES ? multiply_group(warp, code, frame) : 0;
    const ifl_reason reason = done == FAULTED ? IFL_REASON_FAULT
                              : done == op->one.n
                                  ? IFL_REASON_NONE
                                  : ifl_group_product_any(warp, code, frame, mask, done);
    if (reason != IFL_REASON_NONE)
        IFL_STOP(reason, code);
    if (mask)
        warp->group_steps++;
    IFL_NEXT;
}
