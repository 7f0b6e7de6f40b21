/* SPDX-License-Identifier: Apache-2.0
 * Reads matrices of shared memory piece by piece: 16 bytes, which swizzles move as a whole. */
#include "exec/shared_matrix.h"

#include <string.h>

enum { CORE_ROWS = 8, CHUNK = 16, HALF_CORE_ROWS = 4 };

ifl_matrix_place ifl_matrix_place_of(uint64_t descriptor)
{
    enum { UNIT = 4, FIELD = 0x3fff };
    return (ifl_matrix_place){.start = (descriptor & FIELD) << UNIT,
                              .leading = (descriptor >> 16 & FIELD) << UNIT,
                              .stride = (descriptor >> 32 & FIELD) << UNIT,
                              .base = descriptor >> 49 & 7};
}

/* Rows along k: 8 rows stand together, a row as long as the swizzle; without one pieces are 128
 * bytes apart by leading dimension. Columns along k: so many pieces stand side by side as the
 * swizzle has, 8 lines together, of pieces of 32 bytes 4. */
static uint64_t unswizzled(const ifl_matrix_place *p, bool transposes, unsigned line,
                           unsigned piece)
{
    const unsigned side = 1u << p->swizzle; /* pieces of 16 bytes that stand side by side */
    const unsigned together = p->swizzles_halves && transposes ? HALF_CORE_ROWS : CORE_ROWS;
    if (!transposes)
        return p->start + line / CORE_ROWS * p->stride + line % CORE_ROWS * (uint64_t)side * CHUNK +
               (p->swizzle ? (uint64_t)piece * CHUNK : piece * p->leading);
    if (!p->swizzle)
        return p->start + piece * p->stride + line % CORE_ROWS * CHUNK +
               line / CORE_ROWS * p->leading;
    return p->start + piece / side * p->leading + piece % side * CHUNK +
           line % together * (uint64_t)side * CHUNK + line / together * p->stride;
}

/* A line of 128 bytes goes on in the matrix that the leading dimension names, from its line's first
 * byte on. */
static uint64_t gone_on(const ifl_matrix_place *p, unsigned line, unsigned piece)
{
    enum { LINE = 128 };
    const uint64_t at = p->start % LINE + (uint64_t)piece * CHUNK,
                   begin = at < LINE ? p->start - p->start % LINE + at : p->leading + at - LINE;
    return begin + line / CORE_ROWS * p->stride + line % CORE_ROWS * (uint64_t)LINE;
}

static uint64_t swizzled(const ifl_matrix_place *p, uint64_t address)
{
    enum { PIECE_AT = 4, HALF_AT = 5, LINE_AT = 7, HALVES = 3 };
    const uint64_t line = (address >> LINE_AT) - p->base;
    return p->swizzles_halves ? address ^ (line & HALVES) << HALF_AT
                              : address ^ (line & ((UINT64_C(1) << p->swizzle) - 1)) << PIECE_AT;
}

uint64_t ifl_matrix_piece_at(const ifl_matrix_place *place, bool transposes, unsigned line,
                             unsigned piece)
{
    return swizzled(place, place->is_leading_absolute ? gone_on(place, line, piece)
                                                      : unswizzled(place, transposes, line, piece));
}

static uint64_t element_of(const uint8_t *bytes, unsigned bits, unsigned index)
{
    const unsigned at = index * bits, first = at / 8;
    uint64_t value = 0;
    memcpy(&value, bytes + first, CHUNK - first < sizeof value ? CHUNK - first : sizeof value);
    return value >> at % 8 & ((UINT64_C(1) << bits) - 1);
}

/* Elements along k, or of neighbouring rows or columns. */
static void split_piece(const ifl_shared_matrix *m, const uint8_t *bytes, unsigned line,
                        unsigned piece, ifl_matrix_lines *to)
{
    for (unsigned i = 0; i < m->each; i++) {
        const unsigned row = m->transposes ? piece * m->each + i - m->first : line - m->first;
        const unsigned k = m->transposes ? line : piece * m->each + i;
        if (row >= m->count || k >= to->depth)
            continue;
        const ifl_number number = ifl_number_of(m->type, element_of(bytes, m->bits, i));
        to->at[row * to->depth + k] = number;
        to->special |= number.kind;
    }
}

const uint8_t *ifl_shared_matrix_piece(ifl_warp *warp, const ifl_code *code, uint32_t lane,
                                       const ifl_shared_matrix *m, unsigned line, unsigned piece)
{
    const uint64_t address = ifl_matrix_piece_at(&m->place, m->transposes, line, piece);
    return ifl_warp_reach_in(warp, code, (ifl_space)m->space, lane, m->origin + address, CHUNK,
                             false);
}

bool ifl_shared_matrix_read(ifl_warp *warp, const ifl_code *code, uint32_t lane,
                            const ifl_shared_matrix *m, ifl_matrix_lines *to)
{
    const unsigned first_line = m->transposes ? 0 : m->first,
                   first_piece = m->transposes ? m->first / m->each : 0;
    const unsigned line_count = m->transposes ? to->depth : m->count;
    const unsigned pieces = ((m->transposes ? m->count : to->depth) + m->each - 1) / m->each;
    for (unsigned line = first_line; line < first_line + line_count; line++)
        for (unsigned piece = first_piece; piece < first_piece + pieces; piece++) {
            const uint8_t *bytes = ifl_shared_matrix_piece(warp, code, lane, m, line, piece);
            if (!bytes)
                return false;
            split_piece(m, bytes, line, piece, to);
        }
    return true;
}

void ifl_matrix_lines_fill(ifl_matrix_lines *lines, unsigned count, unsigned mantissa_bits)
{
    ifl_plain_fill(&lines->plain, lines->at, (size_t)count * lines->depth, mantissa_bits);
}

void ifl_matrix_line_take(const ifl_matrix_lines *of, unsigned line, bool is_plain, ifl_numbers *to)
{
    const size_t at = (size_t)line * of->depth;
    to->at = of->at + at;
    if (is_plain)
        to->plain = (ifl_plain){of->plain.value + at, of->plain.exponent + at};
}
