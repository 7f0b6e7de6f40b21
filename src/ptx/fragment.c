/* SPDX-License-Identifier: Apache-2.0
 * See fragment.h. */
#include "ptx/fragment.h"

enum { TILE_LINES = 8, BLOCK_LINES = 16, QUAD = 4, WORD_BITS = 32 };

/* The shapes and types of PTX ISA 9.0, "Matrix Shape" and "Matrix Data-types" of wmma. */
static const struct {
    uint8_t m, n, k, type;
} known[] = {
#define THREE_SHAPES(type)                                                                         \
    {16, 16, 16, IFL_TYPE_##type}, {8, 32, 16, IFL_TYPE_##type}, {32, 8, 16, IFL_TYPE_##type},
    THREE_SHAPES(F16) THREE_SHAPES(BF16) THREE_SHAPES(S8) THREE_SHAPES(U8)
#undef THREE_SHAPES
        {16, 16, 8, IFL_TYPE_TF32},
    {8, 8, 4, IFL_TYPE_F64},
    {8, 8, 32, IFL_TYPE_S4},
    {8, 8, 32, IFL_TYPE_U4},
    {8, 8, 128, IFL_TYPE_B1},
};

static bool is_result_type(uint8_t type, uint8_t factor)
{
    switch (factor) {
    case IFL_TYPE_F16:
        return type == IFL_TYPE_F16 || type == IFL_TYPE_F32;
    case IFL_TYPE_BF16:
    case IFL_TYPE_TF32:
        return type == IFL_TYPE_F32;
    case IFL_TYPE_F64:
        return type == IFL_TYPE_F64;
    default:
        return type == IFL_TYPE_S32;
    }
}

static bool is_known(const uint16_t shape[3], uint8_t type, bool is_result)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].m == shape[0] && known[i].n == shape[1] && known[i].k == shape[2] &&
            (is_result ? is_result_type(type, known[i].type) : known[i].type == type))
            return true;
    return false;
}

/* ---- which matrix ---------------------------------------------------------------------------- */

enum { D, A, B, C };

static unsigned slot_of(const ifl_instruction *instruction, unsigned slot)
{
    switch (instruction->opcode) {
    case IFL_OP_WMMA_LOAD_A:
        return A;
    case IFL_OP_WMMA_LOAD_B:
        return B;
    case IFL_OP_WMMA_LOAD_C:
        return C;
    case IFL_OP_WMMA_STORE:
        return D;
    default:
        return slot;
    }
}

/* Of halves only the types of the results are written: .dtype.ctype. */
static uint8_t type_of(const ifl_instruction *instruction, unsigned slot)
{
    const bool is_product = instruction->opcode == IFL_OP_WMMA_MMA;
    const bool is_of_halves = instruction->type_count == 2;
    if (!is_product)
        return instruction->type[0];
    if (is_of_halves)
        return slot == D   ? instruction->type[0]
               : slot == C ? instruction->type[1]
                           : (uint8_t)IFL_TYPE_F16;
    return instruction->type[slot];
}

bool ifl_fragment_of(const ifl_instruction *instruction, unsigned slot, ifl_ptx_fragment *out)
{
    const ifl_modifiers *m = &instruction->modifiers;
    const unsigned which = slot_of(instruction, slot);
    const uint8_t type = type_of(instruction, which);
    const bool is_result = which == C || which == D, is_swapped = m->shape[1] > BLOCK_LINES;
    const uint8_t layout =
        instruction->opcode == IFL_OP_WMMA_MMA && which == B ? m->layout2 : m->layout;
    const bool is_by_rows = which == A || (is_result && !is_swapped);
    if (!is_known(m->shape, type, is_result))
        return false;
    const unsigned bits = ifl_type_bits(type), lines = m->shape[is_by_rows ? 0 : 1],
                   along = !is_result ? m->shape[2] : m->shape[is_swapped ? 0 : 1];
    *out = (ifl_ptx_fragment){.lines = (uint8_t)lines,
                              .along = (uint8_t)along,
                              .bits = (uint8_t)bits,
                              .step = (uint8_t)(is_result          ? 2
                                                : bits < WORD_BITS ? WORD_BITS / bits
                                                                   : 1),
                              .is_result = is_result,
                              .is_second = !is_result && (which == A) == is_swapped,
                              .is_across = (layout == IFL_LAYOUT_ROW) != is_by_rows};
    return layout && (bits >= 8 || !out->is_across);
}

/* ---- its tiles ------------------------------------------------------------------------------- */

static unsigned tiles_along(const ifl_ptx_fragment *f)
{
    return f->along / (QUAD * f->step);
}

unsigned ifl_fragment_tiles(const ifl_ptx_fragment *f)
{
    return f->lines / TILE_LINES * tiles_along(f);
}

unsigned ifl_fragment_registers(const ifl_ptx_fragment *f)
{
    const bool is_two = f->is_result && f->bits >= WORD_BITS;
    return ifl_fragment_tiles(f) * (is_two ? 2 : 1);
}

void ifl_fragment_tile(const ifl_ptx_fragment *f, unsigned tile, unsigned *line, unsigned *along)
{
    const unsigned count = tiles_along(f), halves = f->lines >= BLOCK_LINES ? 2 : 1;
    const unsigned block = tile / (count * halves), in_block = tile % (count * halves);
    const unsigned tile_line = f->is_second ? tile / count : block * halves + in_block % halves,
                   tile_along = f->is_second ? tile % count : in_block / halves;
    *line = tile_line * TILE_LINES;
    *along = tile_along * QUAD * f->step;
}

/* ---- how it is moved ------------------------------------------------------------------------- */

ifl_fragment_way ifl_fragment_moved(const ifl_ptx_fragment *f, ifl_space space)
{
    const bool fits_rows = f->bits == 16 || (f->bits < 16 && !f->is_across);
    if (space == IFL_SPACE_SHARED && !f->is_result && fits_rows)
        return IFL_FRAGMENT_ROWS;
    if (!f->is_across)
        return IFL_FRAGMENT_STEPS;
    return f->bits == 16 ? IFL_FRAGMENT_TURNED : IFL_FRAGMENT_SINGLES;
}

unsigned ifl_fragment_bytes(const ifl_ptx_fragment *f, ifl_fragment_way way)
{
    enum { ROW_BYTES = 16, WORD_BYTES = 4 };
    switch (way) {
    case IFL_FRAGMENT_ROWS:
        return ROW_BYTES;
    case IFL_FRAGMENT_TURNED:
        return WORD_BYTES;
    case IFL_FRAGMENT_SINGLES:
        return f->bits / 8u;
    default:
        return (unsigned)f->step * f->bits / 8u;
    }
}
