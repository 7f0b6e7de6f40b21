/* SPDX-License-Identifier: Apache-2.0
 * Lowering of wmma to what ptxas makes of it: loads and stores of pieces, ldmatrix, transpositions,
 * products of 16 or 8 rows and 8 columns. */
#include "code/matrix.h"
#include "ptx/fragment.h"
#include "ptx/lower_internal.h"

#include <string.h>

enum { MOST_REGISTERS = 8, TILE_LINES = 8, QUAD = 4, BLOCK_LINES = 16 };

/* ---- operands -------------------------------------------------------------------------------- */

typedef struct holding {
    ifl_ptx_fragment fragment;
    const ifl_operand *member;
    uint32_t written; /* registers in the text; those of halves may be copies of others */
    uint32_t count;   /* that differ */
    unsigned bits;    /* of a register */
    uint32_t slot[MOST_REGISTERS];
} holding;

static bool find_holding(ifl_lowerer *l, unsigned slot, unsigned fragment_slot, holding *h)
{
    const bool is_known = ifl_fragment_of(l->instruction, fragment_slot, &h->fragment);
    if (!is_known) {
        ifl_lower_unsupported(l, "of this shape, these layouts and types");
        return false;
    }
    const ifl_ptx_fragment *f = &h->fragment;
    h->member = ifl_slot_members(l->slots.at[slot], &h->written);
    h->count = ifl_fragment_registers(f);
    h->bits = f->bits == 64 ? 64 : 32;
    const bool has_copies = !f->is_result && f->bits == 16 && h->written == MOST_REGISTERS;
    if (h->count > MOST_REGISTERS || (h->written != h->count && !has_copies)) {
        ifl_lower_unsupported(l, "with this number of registers");
        return false;
    }
    return true;
}

static bool read_holding(ifl_lowerer *l, unsigned slot, holding *h)
{
    if (!find_holding(l, slot, slot, h))
        return false;
    for (uint32_t i = 0; i < h->count; i++)
        h->slot[i] = ifl_lower_source(l, &h->member[i], h->bits, false);
    return true;
}

/* Apart from the registers: what is written may be read by what follows. */
static void make_room(ifl_lowerer *l, holding *h)
{
    for (uint32_t i = 0; i < h->count; i++)
        h->slot[i] = ifl_lower_temporary(l);
}

static void write_holding(ifl_lowerer *l, const holding *h)
{
    for (uint32_t i = 0; i < h->written; i++)
        ifl_lower_finish(l, &h->member[i], h->slot[i % h->count], h->bits, false);
}

/* ---- places ---------------------------------------------------------------------------------- */

typedef struct mover {
    ifl_lowerer *l;
    holding *h;
    ifl_fragment_way way;
    uint8_t space, kind;
    uint32_t base, stride; /* slots: 64 bits; 32 bits, in elements */
    uint32_t address;      /* of a piece */
} mover;

/* The length of a line in memory, where the text gives none. */
static uint32_t stride_of(ifl_lowerer *l, unsigned slot, const ifl_ptx_fragment *f)
{
    if (ifl_lower_has(l, slot))
        return ifl_lower_source(l, l->slots.at[slot], 32, false);
    return ifl_lower_constant(l, f->is_across ? f->lines : f->along, 32);
}

static void find_piece(const mover *mv, const ifl_matrix_places *places)
{
    ifl_matrix_places *kept = ifl_lower_allocate(mv->l, sizeof *kept);
    if (!kept)
        return;
    *kept = *places;
    kept->bits = mv->h->fragment.bits;
    ifl_code *code = ifl_lower_emit(mv->l, IFL_CODE_matrix_places);
    code->a = mv->base, code->b = mv->stride, code->d = mv->address;
    code->extra = kept;
}

/* One load or store of every lane at the piece's places. */
static void move_piece(const mover *mv, const uint32_t *slot, unsigned count, unsigned slot_bytes,
                       unsigned bytes)
{
    ifl_transfer *t = ifl_lower_allocate(mv->l, sizeof *t);
    if (!t)
        return;
    t->space = mv->space;
    t->kind = mv->kind;
    t->bytes = (uint8_t)bytes;
    t->elements = (uint8_t)count;
    t->element_bytes = (uint8_t)(bytes / count);
    t->slot_bytes = (uint8_t)slot_bytes;
    t->address = mv->address;
    t->form = IFL_ADDRESS_64;
    for (unsigned i = 0; i < count; i++)
        t->data[i] = slot[i];
    ifl_lower_emit(mv->l, ifl_transfer_operation(t))->transfer = t;
}

/* ---- the ways -------------------------------------------------------------------------------- */

static void move_rows(const mover *mv)
{
    const ifl_ptx_fragment *f = &mv->h->fragment;
    const unsigned tiles = ifl_fragment_tiles(f),
                   blocks = f->lines > BLOCK_LINES ? f->lines / BLOCK_LINES : 1,
                   count = tiles / blocks;
    for (unsigned first = 0; first < tiles; first += count) {
        ifl_matrix_places places = {0};
        for (unsigned i = 0; i < count * TILE_LINES; i++) {
            unsigned line, along;
            ifl_fragment_tile(f, first + i / TILE_LINES, &line, &along);
            places.line[i] = (uint8_t)((f->is_across ? along : line) + i % TILE_LINES);
            places.along[i] = (uint8_t)(f->is_across ? line : along);
        }
        find_piece(mv, &places);
        ifl_matrix_move *op = ifl_lower_allocate(mv->l, sizeof *op);
        if (!op)
            return;
        op->bits = 16;
        op->at = (ifl_transfer){.space = IFL_SPACE_SHARED,
                                .kind = IFL_ACCESS_LOAD,
                                .address = mv->address,
                                .form = IFL_ADDRESS_64,
                                .bytes = 16,
                                .element_bytes = 16,
                                .elements = 1};
        op->count = (uint8_t)count;
        op->transposes = f->is_across;
        memcpy(op->data, &mv->h->slot[first], count * sizeof *op->data);
        ifl_lower_emit(mv->l, IFL_CODE_matrix_load)->extra = op;
    }
}

/* A lane's elements: `each` lines of the tile a lane of a quad, from `skip` on, or a line for each
 * quad. */
static ifl_matrix_places places_of(unsigned line, unsigned along, bool by_quads, unsigned each,
                                   unsigned skip)
{
    ifl_matrix_places places = {0};
    for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++) {
        const unsigned quad = lane / QUAD, in_quad = lane % QUAD * each + skip;
        places.line[lane] = (uint8_t)(line + (by_quads ? quad : in_quad));
        places.along[lane] = (uint8_t)(along + (by_quads ? in_quad : quad));
    }
    return places;
}

static void transpose(const mover *mv, uint32_t from, uint32_t to)
{
    ifl_code *code = ifl_lower_emit(mv->l, IFL_CODE_matrix_transpose);
    code->a = from, code->d = to;
}

static void move_turned(const mover *mv, unsigned tile, unsigned line, unsigned along)
{
    enum { HALVES = 2, WORD_BYTES = 4 };
    const ifl_matrix_places places = places_of(along, line, true, HALVES, 0);
    const uint32_t slot = mv->h->slot[tile], turned = ifl_lower_temporary(mv->l);
    const bool is_load = mv->kind == IFL_ACCESS_LOAD;
    find_piece(mv, &places);
    if (!is_load)
        transpose(mv, slot, turned);
    move_piece(mv, is_load ? &slot : &turned, 1, WORD_BYTES, WORD_BYTES);
    if (is_load)
        transpose(mv, slot, slot);
}

/* Bytes are put together in a register, wider elements have one each. */
static void move_single(const mover *mv, uint32_t slot, unsigned byte)
{
    const unsigned bytes = mv->h->fragment.bits / 8u;
    if (bytes > 1) {
        move_piece(mv, &slot, 1, bytes, bytes);
        return;
    }
    const uint32_t one = ifl_lower_temporary(mv->l);
    move_piece(mv, &one, 1, sizeof(uint16_t), bytes);
    ifl_code *code = ifl_lower_emit(mv->l, IFL_CODE_put_byte);
    code->a = one, code->d = slot, code->count = sizeof(uint32_t), code->value = byte;
}

static void move_tile(const mover *mv, unsigned tile)
{
    const ifl_ptx_fragment *f = &mv->h->fragment;
    const unsigned registers = mv->h->count / ifl_fragment_tiles(f);
    const uint32_t *slot = &mv->h->slot[tile * registers];
    unsigned line, along;
    ifl_fragment_tile(f, tile, &line, &along);
    if (mv->way == IFL_FRAGMENT_TURNED) {
        move_turned(mv, tile, line, along);
    } else if (mv->way == IFL_FRAGMENT_STEPS) {
        const ifl_matrix_places places = places_of(line, along, true, f->step, 0);
        find_piece(mv, &places);
        move_piece(mv, slot, registers, mv->h->bits / 8, ifl_fragment_bytes(f, mv->way));
    } else {
        for (unsigned i = 0; i < f->step; i++) {
            const ifl_matrix_places places = places_of(along, line, false, f->step, i);
            find_piece(mv, &places);
            move_single(mv, slot[registers > 1 ? i : 0], i);
        }
    }
}

static void move_all(ifl_lowerer *l, holding *h, const ifl_operand *memory, unsigned stride_slot,
                     uint8_t kind)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    const uint8_t space = m->space_written ? ifl_lower_space(l) : (uint8_t)IFL_SPACE_GENERIC;
    const mover mv = {.l = l,
                      .h = h,
                      .way = ifl_fragment_moved(&h->fragment, space),
                      .space = space,
                      .kind = kind,
                      .base = ifl_lower_address(l, memory, space),
                      .stride = stride_of(l, stride_slot, &h->fragment),
                      .address = ifl_lower_temporary(l)};
    const unsigned used = l->temporaries_used;
    if (mv.way == IFL_FRAGMENT_ROWS)
        move_rows(&mv);
    for (unsigned tile = 0; mv.way != IFL_FRAGMENT_ROWS && tile < ifl_fragment_tiles(&h->fragment);
         tile++) {
        move_tile(&mv, tile);
        l->temporaries_used = used;
    }
}

void ifl_lower_wmma_load(ifl_lowerer *l)
{
    holding h;
    if (!find_holding(l, 0, 0, &h))
        return;
    make_room(l, &h);
    move_all(l, &h, l->slots.at[1], 2, IFL_ACCESS_LOAD);
    write_holding(l, &h);
}

void ifl_lower_wmma_store(ifl_lowerer *l)
{
    holding h;
    if (!find_holding(l, 1, 0, &h))
        return;
    for (uint32_t i = 0; i < h.count; i++)
        h.slot[i] = ifl_lower_source(l, &h.member[i], h.bits, false);
    move_all(l, &h, l->slots.at[0], 2, IFL_ACCESS_STORE);
}

/* ---- products -------------------------------------------------------------------------------- */

/* Halves and floats of the same result. */
static const ifl_modifiers plain = {0}, nearest = {.rounding = IFL_ROUND_RN};

static const ifl_ptx_row *conversion(ifl_lowerer *l, uint8_t to, uint8_t from, unsigned sources,
                                     const ifl_modifiers *how)
{
    const ifl_ptx_row *row = ifl_ptx_row_find(IFL_OP_CVT, to, from, sources, how);
    if (!row)
        ifl_lower_unsupported(l, "its results cannot be converted");
    return row;
}

static void widen(ifl_lowerer *l, holding *h)
{
    const ifl_ptx_row *row = conversion(l, IFL_TYPE_F32, IFL_TYPE_F16, 1, &plain);
    const uint32_t half = ifl_lower_temporary(l);
    holding wide = *h;
    wide.count = 2 * h->count;
    make_room(l, &wide);
    for (uint32_t i = 0; row && i < wide.count; i++) {
        ifl_lower_resize(l, h->slot[i / 2], 32, half, 16, false, i % 2 * 16);
        ifl_code *code = ifl_lower_emit_row(l, row);
        code->a = half, code->d = wide.slot[i], code->m = &plain;
    }
    *h = wide;
}

static void narrow(ifl_lowerer *l, const holding *from, const holding *to)
{
    const ifl_ptx_row *row = conversion(l, IFL_TYPE_F16X2, IFL_TYPE_F32, 2, &nearest);
    for (uint32_t i = 0; row && i < to->count; i++) {
        ifl_code *code = ifl_lower_emit_row(l, row);
        code->a = from->slot[2 * i + 1], code->b = from->slot[2 * i], code->d = to->slot[i];
        code->m = &nearest;
    }
}

typedef struct factors {
    const holding *first, *second, *c, *d;
    unsigned m, k;          /* of one product */
    unsigned rows, columns; /* products */
    unsigned steps;         /* along k */
} factors;

static void emit_product(ifl_lowerer *l, const ifl_matrix_product *kind, const factors *f,
                         unsigned row, unsigned column, unsigned step)
{
    ifl_matrix_product *op = ifl_lower_allocate(l, sizeof *op);
    const unsigned products = f->rows * f->columns, of_first = f->first->count / f->rows / f->steps,
                   of_second = f->second->count / f->columns / f->steps,
                   of_result = f->d->count / products;
    const unsigned at = (row * f->columns + column) * of_result;
    if (!op)
        return;
    *op = *kind;
    memcpy(op->a, &f->first->slot[(row * f->steps + step) * of_first], of_first * sizeof *op->a);
    memcpy(op->b, &f->second->slot[(column * f->steps + step) * of_second],
           of_second * sizeof *op->b);
    memcpy(op->c, step ? &f->d->slot[at] : &f->c->slot[at], of_result * sizeof *op->c);
    memcpy(op->d, &f->d->slot[at], of_result * sizeof *op->d);
    ifl_lower_emit(l, IFL_CODE_matrix_product)->extra = op;
}

static bool describe(ifl_lowerer *l, const factors *f, bool is_swapped, ifl_matrix_product *op)
{
    const ifl_instruction *in = l->instruction;
    const bool is_of_halves = in->type_count == 2;
    const uint8_t a = is_of_halves ? (uint8_t)IFL_MATRIX_F16 : ifl_lower_matrix_type(in->type[1]),
                  b = is_of_halves ? (uint8_t)IFL_MATRIX_F16 : ifl_lower_matrix_type(in->type[2]);
    const bool is_of_floats = is_of_halves && f->d->count > MOST_REGISTERS / 2;
    *op = (ifl_matrix_product){.m = (uint16_t)f->m,
                               .n = IFL_MATRIX_COLUMNS,
                               .k = (uint16_t)f->k,
                               .a_type = is_swapped ? b : a,
                               .b_type = is_swapped ? a : b,
                               .c_type = is_of_floats ? (uint8_t)IFL_MATRIX_F32
                                                      : ifl_lower_matrix_type(in->type[0]),
                               .saturates = in->modifiers.flags & IFL_FLAG_SATFINITE,
                               .is_and = in->modifiers.combine == IFL_COMBINE_AND,
                               .rounding = in->modifiers.rounding};
    const bool rounds = in->modifiers.rounding && op->a_type != IFL_MATRIX_F64,
               saturates_floats = op->saturates && op->c_type != IFL_MATRIX_S32;
    return a == b && !rounds && !saturates_floats && ifl_matrix_product_fits(op) &&
           ifl_matrix_set_rule(op, IFL_MATRIX_UNIT_WARP, IFL_LOWER_PTX_SM);
}

void ifl_lower_wmma_mma(ifl_lowerer *l)
{
    enum { D, A, B, C };
    const ifl_instruction *in = l->instruction;
    const uint16_t *shape = in->modifiers.shape;
    const bool is_swapped = shape[1] > BLOCK_LINES;
    holding a, b, c, d, sums;
    ifl_matrix_product kind;
    if (in->type_count != 2 && in->type_count != IFL_MAX_TYPES) {
        ifl_lower_unsupported(l, "with this number of types");
        return;
    }
    if (!read_holding(l, A, &a) || !read_holding(l, B, &b) || !read_holding(l, C, &c) ||
        !find_holding(l, D, D, &d))
        return;
    sums = d;
    const bool differ = c.count != d.count;
    if (differ && c.count < d.count)
        widen(l, &c);
    if (differ)
        sums.count = c.count;
    make_room(l, &sums);
    const ifl_ptx_fragment *first = is_swapped ? &b.fragment : &a.fragment,
                           *second = is_swapped ? &a.fragment : &b.fragment;
    /* Of 16 by 16 by 8 single-precision factors sm_90 multiplies four at a time. */
    const unsigned m = first->lines < BLOCK_LINES ? first->lines : BLOCK_LINES,
                   steps = in->type[1] == IFL_TYPE_TF32 ? 2 : 1;
    const factors f = {.first = is_swapped ? &b : &a,
                       .second = is_swapped ? &a : &b,
                       .c = &c,
                       .d = &sums,
                       .m = m,
                       .k = shape[2] / steps,
                       .rows = first->lines / m,
                       .columns = second->lines / TILE_LINES,
                       .steps = steps};
    if (!describe(l, &f, is_swapped, &kind)) {
        ifl_lower_unsupported(l, "of this shape, these layouts and types");
        return;
    }
    for (unsigned row = 0; row < f.rows; row++)
        for (unsigned column = 0; column < f.columns; column++)
            for (unsigned step = 0; step < steps; step++)
                emit_product(l, &kind, &f, row, column, step);
    ifl_matrix_work work = ifl_matrix_work_of(&kind, IFL_MATRIX_UNIT_WARP);
    work.pieces = (uint8_t)(f.rows * f.columns * steps);
    work.products *= work.pieces;
    l->sites.at[ifl_lower_site(l, in)].matrix = work;
    if (sums.count != d.count) {
        make_room(l, &d);
        narrow(l, &sums, &d);
        write_holding(l, &d);
        return;
    }
    write_holding(l, &sums);
}
