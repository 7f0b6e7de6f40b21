/* SPDX-License-Identifier: Apache-2.0
 * Products of a block, or of a pair of blocks, on tensor memory (tcgen05.mma, UTCHMMA and kin):
 * reads a and b, whose scales and metadata, and adds row by row. How sums are made is in
 * matrix_sum.c. Of a pair each block has its rows of a and d, and half of the columns of b. */
#include "exec/lane.h"
#include "exec/matrix_scale.h"
#include "exec/tensor_queue.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 32, PART = 32, BYTE_BITS = 8, MOST_DEPTH = 128, DEEP = 96, GROUP = 16 };
enum { FOUR_BITS = 4, MIDDLE = 2 }; /* floats of 4 bits in a byte of tensor memory */

/* What the products of one instruction share. */
typedef struct work {
    const ifl_tensor_task *task;
    const ifl_tensor_product *op;
    const ifl_tensor_description *of;
    ifl_matrix_product one; /* types and rule */
    unsigned rows;          /* of a block */
    unsigned first_lane;    /* of d, and of half of the lanes of a and metadata too */
    unsigned columns;       /* of b that are left out: the product begins behind them */
    unsigned a_depth;       /* elements of a's lines that are stored */
    unsigned a_lines;
    ifl_matrix_lines a, b;
    void *memory;
} work;

static bool fail(const ifl_tensor_task *task, const char *why)
{
    ifl_fault_raise(task->warp, task->code, IFL_FAULT_OTHER, task->lane, "%s", why);
    return false;
}

/* ---- room ------------------------------------------------------------------------------------ */

static ifl_matrix_lines lines_at(uint8_t **at, size_t lines, unsigned depth)
{
    const size_t count = lines * depth;
    ifl_matrix_lines made = {.depth = depth};
    made.plain.value = (double *)(void *)*at;
    *at += count * sizeof *made.plain.value;
    made.at = (ifl_number *)(void *)*at;
    *at += count * sizeof *made.at;
    made.plain.exponent = (int16_t *)(void *)*at;
    *at += (count * sizeof *made.plain.exponent + 7) / 8 * 8;
    return made;
}

static bool make_room(work *w)
{
    const size_t each = sizeof(double) + sizeof(ifl_number) + sizeof(int16_t);
    const size_t b_lines = w->of->n + w->columns;
    const size_t count = (size_t)w->a_lines * w->a_depth + b_lines * w->of->k;
    w->memory = malloc(count * each + 2 * sizeof(double));
    uint8_t *at = w->memory;
    if (!at) {
        ifl_fault_raise(w->task->warp, w->task->code, IFL_FAULT_NO_MEMORY, w->task->lane,
                        "out of memory for a product");
        return false;
    }
    w->a = lines_at(&at, w->a_lines, w->a_depth);
    w->b = lines_at(&at, b_lines, w->of->k);
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_shared(const work *w, const ifl_block *block, uint64_t descriptor, bool is_a,
                        unsigned count, ifl_matrix_lines *to)
{
    ifl_shared_matrix m = {.type = is_a ? w->of->a_type : w->of->b_type,
                           .bits = is_a ? w->of->a_bits : w->of->b_bits,
                           .each = is_a ? w->of->a_each : w->of->b_each,
                           .transposes = is_a ? w->of->transposes_a : w->of->transposes_b,
                           .count = count};
    if (!ifl_tensor_matrix_place(w->task, descriptor, &m.place))
        return false;
    m.space = ifl_tensor_shared_of(w->task->warp, block, &m.origin);
    if (m.place.is_leading_absolute && (m.transposes || w->of->k != DEEP))
        return fail(w->task, "a leading dimension that is an address needs a depth of 96");
    return ifl_shared_matrix_read(w->task->warp, w->task->code, w->task->lane, &m, to);
}

/* Bits of an element of a in tensor memory: those of 4 and 6 bits have a byte each, but where they are
 * packed (PTX ISA 9.0, "Packing formats of elements in Tensor and Shared memory"). In it they stand
 * as copies that widen them leave them (tensor_refill.c). */
static unsigned held_bits(const ifl_tensor_product *op, const ifl_tensor_description *of)
{
    return of->a_bits < BYTE_BITS && op->kind != IFL_TENSOR_MXF4 ? BYTE_BITS : of->a_bits;
}

/* Lane by lane: line l of a is what lane l holds, or where rows lie in part of the lanes, what the
 * lane of row l holds. Where sums are in parts each has a copy of a in its own lanes (CUTLASS 4,
 * UMMA::TmemAllocMode::Duplicated). */
static void read_held(work *w, const ifl_block *block)
{
    const unsigned bits = held_bits(w->op, w->of),
                   above = w->of->a_bits == FOUR_BITS && bits == BYTE_BITS ? MIDDLE : 0;
    for (unsigned line = 0; line < w->a_lines; line++) {
        const unsigned lane =
            w->a_lines == IFL_TENSOR_LANES
                ? line
                : ifl_tensor_sum_place(w->op, w->of, line, 0).lane + w->first_lane;
        for (unsigned k = 0; k < w->a_depth; k++) {
            const unsigned at = k * bits;
            const uint32_t word =
                block->tensor->words[(w->task->a_held & UINT16_MAX) + at / WORD_BITS][lane];
            const ifl_number number =
                ifl_number_of(w->of->a_type, bits == WORD_BITS ? word
                                                               : word >> (at % WORD_BITS + above) &
                                                                     ((1u << w->of->a_bits) - 1));
            w->a.at[line * w->a_depth + k] = number;
            w->a.special |= number.kind;
        }
    }
}

static void negate(ifl_matrix_lines *of, size_t count)
{
    for (size_t i = 0; i < count; i++)
        of->at[i].significand = -of->at[i].significand;
}

/* Of what stays where it is a descriptor says which columns of b are zeros (PTX ISA 9.0, "Zero-Column
 * Mask Descriptor"): spans of columns that are used and of such that are zeros take turns; of 64 or
 * 32 rows each half or quarter of the columns begins in its own one of them, and so far inside. */
static bool is_zero_column(const work *w, unsigned column)
{
    enum { FIRST_SPANS, IS_THERE = 7, ZEROS = 8, USED = 16 };
    const unsigned part = w->of->n / (IFL_TENSOR_LANES / w->of->m), which = column / part;
    const uint32_t starts = w->task->mask[0], spans = w->task->mask[1];
    const unsigned zeros = (spans >> ZEROS & UINT8_MAX) + 1, used = (spans >> USED & UINT8_MAX) + 1;
    const bool zeros_first = spans >> (FIRST_SPANS + which) & 1;
    const unsigned first = zeros_first ? zeros : used,
                   inside = starts >> which * BYTE_BITS & UINT8_MAX;
    const unsigned at = (column % part + (inside < first ? inside : first - 1)) % (zeros + used);
    return spans >> IS_THERE & 1 && (at < first) == zeros_first;
}

static void set_zero_columns(work *w)
{
    const ifl_number zero = ifl_number_of(w->of->b_type, 0);
    for (unsigned column = 0; column < w->of->n; column++)
        for (unsigned k = 0; is_zero_column(w, column) && k < w->b.depth; k++)
            w->b.at[(size_t)column * w->b.depth + k] = zero;
}

static bool read_b(work *w, const ifl_tensor_blocks *blocks)
{
    const unsigned part = w->of->n / blocks->count;
    for (unsigned b = 0; b < blocks->count; b++) {
        ifl_matrix_lines half = w->b;
        half.at += (size_t)b * part * half.depth;
        if (!read_shared(w, blocks->at[b], w->task->b, false, part + w->columns, &half))
            return false;
        w->b.special |= half.special;
    }
    w->b.at += (size_t)w->columns * w->b.depth;
    if (w->of->negates_b)
        negate(&w->b, (size_t)w->of->n * w->b.depth);
    if (w->op->keeps_weights && w->op->mask_words)
        set_zero_columns(w);
    return true;
}

static bool read_a(work *w, const ifl_block *block)
{
    w->a.special = 0;
    if (w->op->is_a_held)
        read_held(w, block);
    else if (!read_shared(w, block, w->task->a, true, w->rows, &w->a))
        return false;
    if (w->of->negates_a)
        negate(&w->a, (size_t)w->a_lines * w->a_depth);
    return true;
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* Scales of a, or of b. */
typedef struct scales_at {
    uint32_t address;
    unsigned id;   /* byte of the first one in its word */
    unsigned step; /* columns to a line's next word */
} scales_at;

/* Of each 128 lines the words stand in four columns, and behind those of all lines are the next
 * words of a line (CUTLASS 4, tmem_sf_frg: so its copies leave them). Of sums in two parts each half
 * of the lanes has its part of b. */
static scales_at scales_of_a(const ifl_tensor_task *task)
{
    enum { STEP = 4 };
    return (scales_at){task->scale_a, task->of.scale_a_id, STEP};
}

static scales_at scales_of_b(const ifl_tensor_task *task, unsigned parts)
{
    const unsigned unit = IFL_TENSOR_LANES;
    return (scales_at){task->scale_b, task->of.scale_b_id,
                       (task->of.n + unit - 1) / unit * (unit / PART) / parts};
}

/* Of the `which`-th part of a line: a quarter of the lanes has its own copy (PTX ISA 9.0, "Scale
 * factor layout"): 32 rows or columns side by side, four bytes of a line in a word. */
static ifl_number scale_at(const work *w, const ifl_block *block, const scales_at *at,
                           unsigned lane, unsigned line, unsigned which)
{
    enum { EACH = 4 };
    const unsigned byte = at->id + which,
                   column = (at->address & UINT16_MAX) + byte / EACH * at->step + line / PART;
    const uint32_t word = block->tensor->words[column][lane / PART * PART + line % PART];
    return ifl_matrix_scale_of(w->of->are_powers, word >> (BYTE_BITS * (byte % EACH)));
}

static ifl_matrix_scales scales_of(const work *w, const ifl_block *block, ifl_tensor_place at,
                                   unsigned row, unsigned column)
{
    const unsigned parts = IFL_TENSOR_LANES / w->rows;
    const scales_at of_a = scales_of_a(w->task), of_b = scales_of_b(w->task, parts);
    ifl_matrix_scales s;
    for (unsigned i = 0; i < w->of->scales; i++) {
        s.a[i] = scale_at(w, block, &of_a, at.lane, row, i);
        s.b[i] = scale_at(w, block, &of_b, at.lane, column % (w->of->n / parts), i);
    }
    return s;
}

/* ---- single elements of d -------------------------------------------------------------------- */

/* Of a row whose sum is in `lane`: metadata stand in the lanes of the sums of the 16 rows, so that
 * parts of the sums have a copy each (CUTLASS 4, tmem_e_frg and tmem_e_frg_ws; PTX ISA 9.0, "Data
 * Path Layout Organization": the same lanes for a, d and metadata where only half of them are used). */
typedef struct met_row {
    const ifl_block *block;
    unsigned row, lane;
} met_row;

static uint32_t metadata_bits(const work *w, const met_row *of, unsigned bit, unsigned count)
{
    enum { BAND = 16 };
    const ifl_tensor_bit at = ifl_tensor_metadata_place(w->of->a_type, w->of->a_bits, of->row, bit);
    const bool has_selector = w->of->a_type == IFL_MATRIX_TF32 || w->of->a_bits == 16;
    const uint32_t column =
        (w->task->metadata & UINT16_MAX) + at.column + (has_selector ? w->of->selector : 0u);
    const unsigned lane = of->lane - of->row % BAND + at.lane;
    return of->block->tensor->words[column][lane] >> at.bit & ((1u << count) - 1);
}

/* Which element of a line of b the i-th of a sparse line meets: of four (tf32: two) elements two
 * (one) are there; of elements that are packed by fours, two of four pairs. */
static unsigned met_by(const work *w, const met_row *of, unsigned i)
{
    if (w->of->a_type == IFL_MATRIX_TF32)
        return 2 * i + metadata_bits(w, of, 4 * i + 1, 1);
    if (w->op->kind == IFL_TENSOR_MXF4)
        return i / 4 * 8 + 2 * metadata_bits(w, of, i / 4 * 4 + 2 * (i / 2 % 2), 2) + i % 2;
    return i / 2 * 4 + metadata_bits(w, of, i / 2 * 4 + 2 * (i % 2), 2);
}

static void meet(const work *w, met_row of, uint8_t *met)
{
    for (unsigned i = 0; i < w->a_depth; i++)
        met[i] = (uint8_t)met_by(w, &of, i);
}

/* The line of b that a row meets. */
static void gather(const work *w, const uint8_t *met, const ifl_number *b, ifl_number *to)
{
    for (unsigned i = 0; i < w->a_depth; i++)
        to[i] = b[met[i]];
}

/* c * 2^-scale_d. */
static uint32_t divided(const work *w, uint32_t c)
{
    const ifl_number one = {.significand = 1, .exponent = (int16_t)-w->op->scale_d};
    const ifl_number number = ifl_number_of(w->of->d_type, c);
    const ifl_matrix_rule exact = {.products = 1, .fraction_bits = 24, .result_bits = 23};
    if (!w->op->scale_d)
        return c;
    const ifl_numbers a = {&number,
                           ifl_matrix_format_of(w->of->d_type)->mantissa_bits,
                           number.kind == IFL_NUMBER_FINITE,
                           {0}},
                      b = {&one, 0, true, {0}};
    return ifl_matrix_sum(&exact, &a, &b, 1, w->of->d_type, 0);
}

/* ---- the rows of a block --------------------------------------------------------------------- */

static bool is_masked(const work *w, unsigned block, unsigned lane)
{
    const unsigned bit = block * IFL_TENSOR_LANES + lane;
    return !w->op->keeps_weights && bit / WORD_BITS < w->op->mask_words &&
           w->task->mask[bit / WORD_BITS] >> bit % WORD_BITS & 1;
}

static uint32_t element(const work *w, const ifl_block *block, ifl_tensor_place at, unsigned row,
                        unsigned column, const ifl_numbers *a, const ifl_numbers *b, uint32_t c)
{
    if (!w->op->scales)
        return ifl_matrix_element(&w->one, a, b, w->a_depth, c);
    const ifl_matrix_scales s = scales_of(w, block, at, row, column);
    return ifl_matrix_scaled_element(&w->one, a, b, w->a_depth, &s, c);
}

static void compute_row(work *w, ifl_block *block, unsigned which, unsigned row, bool is_plain)
{
    const unsigned c_bits = ifl_matrix_format_of(w->of->d_type)->bits;
    const uint32_t keeps = c_bits == WORD_BITS ? UINT32_MAX : (1u << c_bits) - 1;
    ifl_numbers a = {.mantissa_bits = ifl_matrix_format_of(w->of->a_type)->mantissa_bits,
                     .are_finite = !w->a.special},
                b = {.mantissa_bits = ifl_matrix_format_of(w->of->b_type)->mantissa_bits,
                     .are_finite = !w->b.special};
    uint8_t met[MOST_DEPTH];
    ifl_number gathered[MOST_DEPTH];
    unsigned met_in = IFL_TENSOR_LANES; /* the lane whose part `met` is of */
    for (unsigned column = 0; column < w->of->n; column++) {
        ifl_tensor_place at = ifl_tensor_sum_place(w->op, w->of, row, column);
        at.lane = (uint8_t)(at.lane + w->first_lane);
        uint32_t *d = &block->tensor->words[(w->task->d & UINT16_MAX) + at.column][at.lane];
        if (is_masked(w, which, at.lane))
            continue;
        ifl_matrix_line_take(&w->a, w->a_lines == IFL_TENSOR_LANES ? at.lane : row, is_plain, &a);
        ifl_matrix_line_take(&w->b, column, is_plain, &b);
        if (w->of->is_sparse) {
            if (met_in != at.lane)
                meet(w, (met_row){block, row, at.lane}, met);
            met_in = at.lane;
            gather(w, met, b.at, gathered);
            b.at = gathered;
        }
        *d = element(w, block, at, row, column, &a, &b,
                     w->task->accumulates ? divided(w, *d & keeps) : 0);
    }
}

static bool compute_block(work *w, ifl_block *block, unsigned which)
{
    if (!read_a(w, block))
        return false;
    const bool is_plain = w->of->d_type != IFL_MATRIX_S32 && !w->a.special && !w->b.special &&
                          !w->of->is_sparse && !w->op->scales;
    if (is_plain) {
        ifl_matrix_lines_fill(&w->a, w->a_lines,
                              ifl_matrix_format_of(w->of->a_type)->mantissa_bits);
        ifl_matrix_lines_fill(&w->b, w->of->n, ifl_matrix_format_of(w->of->b_type)->mantissa_bits);
    }
    for (unsigned row = 0; row < w->rows; row++)
        compute_row(w, block, which, row, is_plain);
    return true;
}

static bool set_rule(work *w)
{
    const ifl_matrix_operands operands = w->op->kind == IFL_TENSOR_MXF4 ? IFL_MATRIX_OPERANDS_FOURS
                                         : w->of->a_type == IFL_MATRIX_TF32
                                             ? IFL_MATRIX_OPERANDS_TF32
                                         : w->of->a_bits == 16 ? IFL_MATRIX_OPERANDS_HALVES
                                                               : IFL_MATRIX_OPERANDS_BYTES;
    w->one = (ifl_matrix_product){.a_type = w->of->a_type,
                                  .b_type = w->of->b_type,
                                  .c_type = w->of->d_type,
                                  .scales = w->of->scales,
                                  .saturates = w->of->saturates};
    if (w->of->d_type == IFL_MATRIX_S32)
        return true;
    const bool is_known =
        ifl_matrix_rule_find(IFL_MATRIX_UNIT_TENSOR, operands, w->op->sm, &w->one.rule);
    if (w->of->k == DEEP) /* as many as the line has, as at a depth of 64; no work says it */
        w->one.rule.products = DEEP / GROUP;
    return is_known ||
           fail(w->task, "how this GPU's tensor cores add products of tensor memory is not known");
}

/* ---- what must be there ---------------------------------------------------------------------- */

static unsigned scale_columns(const ifl_tensor_task *task, scales_at at, unsigned lines)
{
    enum { EACH = 4 };
    const unsigned last = at.id + task->of.scales - 1;
    return task->of.scales ? last / EACH * at.step + (lines + PART - 1) / PART : 0;
}

static bool has(const ifl_tensor_task *task, const ifl_block *block, uint32_t address,
                unsigned columns, const char *what)
{
    return !columns || ifl_tensor_has(task->warp, task->code, block, task->lane,
                                      address & UINT16_MAX, columns, what);
}

/* Columns of d, of a, of scales and metadata, in each block. */
static bool are_there(const ifl_tensor_task *task, const ifl_tensor_blocks *blocks)
{
    const ifl_tensor_product *op = task->code->extra;
    const ifl_tensor_description *of = &task->of;
    const unsigned rows = of->m / op->blocks, parts = IFL_TENSOR_LANES / rows;
    const unsigned d_columns =
        ifl_tensor_takes_half(op, of) ? of->n : of->n / (IFL_TENSOR_LANES / rows);
    const unsigned a_columns =
        op->is_a_held ? (unsigned)of->k * held_bits(op, of) / WORD_BITS >> of->is_sparse : 0;
    const unsigned metadata = !of->is_sparse ? 0 : of->a_bits >= 16 ? 1u + of->selector : 2;
    bool is_right = true;
    for (unsigned b = 0; b < blocks->count && is_right; b++) {
        const ifl_block *block = blocks->at[b];
        is_right = has(task, block, task->d, d_columns, "sums") &&
                   has(task, block, task->a_held, a_columns, "a") &&
                   has(task, block, task->metadata, metadata, "metadata") &&
                   has(task, block, task->scale_a, scale_columns(task, scales_of_a(task), rows),
                       "scales of a") &&
                   has(task, block, task->scale_b,
                       scale_columns(task, scales_of_b(task, parts), of->n / parts), "scales of b");
    }
    return is_right;
}

/* Sums begin at lane 0, or those of 64 rows, which take half of each quarter, at lane 16; a and
 * metadata then too (PTX ISA 9.0, "Data Path Layout Organization"). */
static bool is_lane_right(const ifl_tensor_task *task)
{
    const ifl_tensor_product *op = task->code->extra;
    const uint32_t lane = task->d >> IFL_TENSOR_LANE_SHIFT;
    const bool takes_half = ifl_tensor_takes_half(op, &task->of);
    const bool is_same = (!op->is_a_held || task->a_held >> IFL_TENSOR_LANE_SHIFT == lane) &&
                         (!task->of.is_sparse || task->metadata >> IFL_TENSOR_LANE_SHIFT == lane);
    if (!lane || (takes_half && lane == PART / 2 && is_same))
        return true;
    ifl_fault_raise(task->warp, task->code, IFL_FAULT_ADDRESS, task->lane,
                    "sums from lane %u of tensor memory on: those of %u rows begin at lane 0%s",
                    lane, task->of.m, takes_half ? " or 16, and so do a and metadata there" : "");
    return false;
}

static void set_columns(ifl_tensor_task *task, uint64_t descriptor)
{
    task->mask[0] = (uint32_t)descriptor;
    task->mask[1] = (uint32_t)(descriptor >> WORD_BITS);
}

/* The product begins behind so many columns of b (PTX ISA 9.0, "Zero-Column Mask Descriptor"). */
static unsigned left_out(const ifl_tensor_task *task)
{
    enum { SHIFT = 24, FIELD = 63 };
    const ifl_tensor_product *op = task->code->extra;
    return op->keeps_weights && op->mask_words ? task->mask[1] >> SHIFT & FIELD : 0;
}

static bool are_columns_right(const ifl_tensor_task *task)
{
    const unsigned most = task->of.m == PART ? PART / 2 : PART;
    return left_out(task) <= most ||
           fail(task, "a product .ws begins behind at most 32 columns of b, of 32 rows 16");
}

/* ---- the operation --------------------------------------------------------------------------- */

bool ifl_tensor_product_run(const ifl_tensor_task *task)
{
    const ifl_tensor_product *op = task->code->extra;
    work w = {.task = task, .op = op, .of = &task->of};
    ifl_tensor_blocks blocks;
    if (!ifl_tensor_blocks_of(task->warp, task->code, op->blocks, &blocks) ||
        !are_there(task, &blocks) || !set_rule(&w))
        return false;
    w.rows = task->of.m / op->blocks;
    w.first_lane = task->d >> IFL_TENSOR_LANE_SHIFT;
    w.columns = left_out(task);
    w.a_depth = (unsigned)task->of.k >> task->of.is_sparse;
    w.a_lines = op->is_a_held && (op->blocks == 2 || op->keeps_weights) ? IFL_TENSOR_LANES : w.rows;
    bool is_right = make_room(&w) && read_b(&w, &blocks);
    for (unsigned b = 0; b < blocks.count && is_right; b++)
        is_right = compute_block(&w, blocks.at[b], b);
    free(w.memory);
    return is_right;
}

static ifl_matrix_kind kind_of(const ifl_tensor_task *task)
{
    const ifl_tensor_product *op = task->code->extra;
    switch (op->kind) {
    case IFL_TENSOR_I8:
        return IFL_MATRIX_KIND_S8;
    case IFL_TENSOR_MXF4:
        return IFL_MATRIX_KIND_FOURS;
    case IFL_TENSOR_F8F6F4:
    case IFL_TENSOR_MXF8F6F4:
        return IFL_MATRIX_KIND_BYTES;
    default:
        return task->of.a_type == IFL_MATRIX_TF32 ? IFL_MATRIX_KIND_TF32 : IFL_MATRIX_KIND_HALVES;
    }
}

/* Half of the data path may be used (PTX ISA 9.0, "Data Path Layout Organization", layouts C, F). */
static void tell(const ifl_tensor_task *task)
{
    const ifl_tensor_product *op = task->code->extra;
    const uint64_t rows =
        ifl_tensor_takes_half(op, &task->of) ? IFL_TENSOR_LANES * op->blocks : task->of.m;
    ifl_warp_tell_product(
        task->warp, &(ifl_product_event){task->code->site, (uint8_t)kind_of(task),
                                         rows * task->of.n * task->of.k >> task->of.is_sparse});
}

static bool describe(ifl_tensor_task *task, uint32_t bits)
{
    const ifl_tensor_product *op = task->code->extra;
    const char *wrong = ifl_tensor_describe(op, bits, &task->of);
    if (!wrong)
        return true;
    ifl_fault_raise(task->warp, task->code, IFL_FAULT_OTHER, task->lane,
                    "the instruction descriptor 0x%08x: %s", bits, wrong);
    return false;
}

static bool begin(ifl_warp *warp, const ifl_code *code, const char *frame, uint32_t lane)
{
    const ifl_tensor_product *op = code->extra;
    ifl_tensor_task task = {.code = code,
                            .warp = warp,
                            .lane = lane,
                            .b = ifl_tensor_descriptor(frame, op->b, op->are_planes, lane),
                            .d = ifl_tensor_address_of(&op->d, frame, lane),
                            .accumulates =
                                (ifl_predicate(frame, op->accumulates) ^ op->flip) >> lane & 1};
    if (op->is_a_held)
        task.a_held = ifl_tensor_address_of(&op->a_held, frame, lane);
    else
        task.a = ifl_tensor_descriptor(frame, op->a, op->are_planes, lane);
    for (unsigned i = 0; i < op->mask_words && !op->keeps_weights; i++)
        task.mask[i] = ifl_lane_u32(frame, op->mask[i], lane);
    if (op->mask_words && op->keeps_weights)
        set_columns(&task, ifl_tensor_descriptor(frame, op->mask[0], op->are_planes, lane));
    if (!describe(&task, ifl_lane_u32(frame, op->description, lane)))
        return false;
    if (task.of.is_sparse)
        task.metadata = ifl_tensor_address_of(&op->metadata, frame, lane);
    if (op->scales) {
        task.scale_a = ifl_tensor_address_of(&op->scale_a, frame, lane);
        task.scale_b = ifl_tensor_address_of(&op->scale_b, frame, lane);
    }
    ifl_tensor_blocks blocks;
    const bool is_right = is_lane_right(&task) && are_columns_right(&task) &&
                          ifl_tensor_blocks_of(warp, code, op->blocks, &blocks) &&
                          are_there(&task, &blocks) && ifl_tensor_begin(&task);
    if (is_right)
        tell(&task);
    return is_right;
}

ifl_reason ifl_slow_tensor_product(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                   uint32_t active)
{
    (void)active;
    const ifl_tensor_product *op = code->extra;
    bool is_right = true;
    for (uint32_t m = op->is_once ? mask & -mask : mask; m && is_right; m &= m - 1)
        is_right = begin(warp, code, frame, (uint32_t)__builtin_ctz(m));
    return is_right ? IFL_REASON_NONE : IFL_REASON_FAULT;
}
