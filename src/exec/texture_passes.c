/* SPDX-License-Identifier: Apache-2.0
 * Elements that lanes touch -> requests and passes, as an H100 and an H200 count them
 * (tests/gpu/h100/texture_counts.txt, tests/gpu/h200/texture_counts.txt): the lanes of a request
 * look up their sectors together, each sector once; where a filter needs more than the unit can take
 * at once, in several passes, each of which looks its sectors up anew. */
#include "exec/texture_passes.h"

enum { WIDE = 16 }; /* bytes of an element */

/* ---- where elements lie ---------------------------------------------------------------------- */

/* Where a GPU keeps what the engine has at an offset: arrays in blocks of 64 bytes by 8 rows, in
 * which a sector is 16 bytes by 2 rows. */
static uint64_t placed(const ifl_texture *t, uint64_t offset)
{
    enum { ROWS = 8, ROW = 64, HALF = 256, PAIR = 64, SECTOR = 32, SECTOR_ROW = 16 };
    if (!t->is_blocks)
        return t->address + offset;
    const uint64_t slice = offset / t->slice, y = offset % t->slice / t->pitch,
                   x = offset % t->slice % t->pitch;
    const uint64_t block = y / ROWS * (t->pitch / ROW) + x / ROW;
    return t->address + slice * t->slice + block * ROWS * ROW + x % ROW / SECTOR * HALF +
           y % ROWS / 2 * PAIR + x % SECTOR / SECTOR_ROW * SECTOR + y % 2 * SECTOR_ROW +
           x % SECTOR_ROW;
}

void ifl_touched_note(ifl_touched *to, const ifl_texture *texture, unsigned level, uint32_t lane,
                      const uint64_t *offset, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to->address[level][lane][i] = placed(texture, offset[i]);
    to->count[level][lane] = (uint8_t)count;
}

/* ---- requests and passes --------------------------------------------------------------------- */

typedef struct teller {
    ifl_warp *warp;
    const ifl_code *code;
    const ifl_texture_op *op;
    const ifl_texture *texture;
    const ifl_touched *touched;
    uint32_t bytes; /* of an element that are moved */
    bool continues; /* some of the request has been told */
} teller;

static bool is_for_surfaces(const ifl_texture_op *op)
{
    return op->use == IFL_TEXTURE_LOAD || op->use == IFL_TEXTURE_STORE ||
           op->use == IFL_TEXTURE_REDUCE;
}

/* Lanes of which an H100 makes one request: eight of linear memory and of surfaces that have no
 * depth and layers, but of linear elements of 16 bytes and all others four. */
static unsigned request_lanes(const teller *t)
{
    enum { EIGHT = 8 };
    if (is_for_surfaces(t->op))
        return t->op->rank + t->op->is_layered > 2 ? IFL_TEXTURE_QUAD : EIGHT;
    return t->texture->is_linear && t->bytes < WIDE ? EIGHT : IFL_TEXTURE_QUAD;
}

/* Compressed elements are not wide, whatever their blocks are. */
static bool is_wide(const teller *t)
{
    return t->bytes >= WIDE && !t->texture->texel.blocks;
}

/* Two levels of detail are a filter too. In a box one is made wherever there could be one: also of
 * one level, if the texture filters between levels or derivatives tell the level. */
static bool is_filtered(const teller *t, uint32_t first)
{
    const ifl_texture *texture = t->texture;
    bool has_two = false;
    if (t->op->use != IFL_TEXTURE_SAMPLE)
        return false;
    for (uint32_t lane = first; lane < first + IFL_TEXTURE_QUAD; lane++)
        has_two = has_two || t->touched->count[1][lane];
    return texture->filters || has_two ||
           (texture->rank == 3 &&
            (texture->filters_levels || t->op->detail == IFL_TEXTURE_GRADIENT));
}

/* What one pass of a level takes: so many lanes, of each element one of so many parts. */
typedef struct pass {
    uint8_t lanes, parts;
} pass;

static pass pass_of(const teller *t, uint32_t first)
{
    static const pass of_filter[2][2] = {
        /* elements of up to 8 bytes, of 16 bytes */
        {{4, 1}, {2, 2}}, /* in a plane: four elements a lane */
        {{2, 1}, {1, 2}}, /* in a box: eight */
    };
    return is_filtered(t, first) ? of_filter[t->texture->rank == 3][is_wide(t)]
                                 : (pass){(uint8_t)request_lanes(t), 1};
}

/* What an H100's texture unit takes (tools/gpu/texture_probe.cu, `rates`): a cycle a pass, two where
 * elements of 16 bytes are not filtered, but for linear memory. What it takes of surfaces is no
 * whole number. */
static uint8_t cycles_of(const teller *t, pass p)
{
    if (is_for_surfaces(t->op))
        return 0;
    return is_wide(t) && p.parts == 1 && !t->texture->is_linear ? 2 : 1;
}

static ifl_access_kind kind_of(const ifl_texture_op *op)
{
    return op->use == IFL_TEXTURE_LOAD     ? IFL_ACCESS_SURFACE_LOAD
           : op->use == IFL_TEXTURE_STORE  ? IFL_ACCESS_SURFACE_STORE
           : op->use == IFL_TEXTURE_REDUCE ? IFL_ACCESS_SURFACE_REDUCTION
                                           : IFL_ACCESS_TEXTURE_LOAD;
}

/* Its elements are the access's lanes. */
static void tell_pass(teller *t, const uint64_t *address, uint32_t count, pass p)
{
    ifl_access access = {.site = t->code->site,
                         .kind = (uint8_t)kind_of(t->op),
                         .space = IFL_SPACE_GLOBAL,
                         .bytes = (uint8_t)(t->bytes / p.parts),
                         .shape = count ? IFL_SHAPE_ANY : IFL_SHAPE_UNIFORM,
                         .mask = count ? UINT32_MAX >> (IFL_WARP_LANES - count) : 0,
                         .block = t->warp->block->index,
                         .warp = t->warp->index,
                         .cycles = cycles_of(t, p),
                         .continues = t->continues,
                         .address = address};
    ifl_warp_tell(t->warp, &access);
    t->continues = true;
}

/* A reduction takes a lane of each element at a time. */
static bool is_for_later(const teller *t, const uint64_t *address, uint32_t count, uint64_t at)
{
    for (uint32_t i = 0; t->op->use == IFL_TEXTURE_REDUCE && i < count; i++)
        if (address[i] == at)
            return true;
    return false;
}

/* Returns the lanes that are left for later. */
static uint32_t tell_lanes(teller *t, unsigned level, uint32_t lanes, unsigned part, pass p)
{
    uint64_t address[IFL_WARP_LANES];
    uint32_t count = 0, later = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t *at = t->touched->address[level][lane];
        if (is_for_later(t, address, count, *at)) {
            later |= UINT32_C(1) << lane;
            continue;
        }
        for (uint32_t i = 0; i < t->touched->count[level][lane]; i++)
            address[count++] = at[i] + part * (t->bytes / p.parts);
    }
    if (count)
        tell_pass(t, address, count, p);
    return later;
}

static uint32_t lanes_from(uint32_t first, unsigned count)
{
    return (UINT32_MAX >> (IFL_WARP_LANES - count)) << first;
}

/* Lanes of the pass that begins so many lanes behind the request's first. */
static uint32_t lanes_of(const teller *t, uint32_t first, uint32_t behind, pass p)
{
    enum { COLUMN = 1 | 1 << 2 };
    if (p.lanes == 2 && t->touched->crossed >> first / IFL_TEXTURE_QUAD & 1)
        return (uint32_t)COLUMN << (first + behind / 2);
    return lanes_from(first + behind, p.lanes);
}

static uint32_t touching(const teller *t, unsigned level, uint32_t lanes)
{
    uint32_t found = 0;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        found |= (uint32_t)(t->touched->count[level][lane] != 0) << lane;
    }
    return found;
}

/* Level after level, lanes after lanes. One that touches nothing is a request of no sectors. */
static void tell_request(teller *t, uint32_t first, unsigned lanes)
{
    const pass p = pass_of(t, first);
    t->continues = false;
    for (unsigned level = 0; level < 2; level++)
        for (uint32_t behind = 0; behind < lanes; behind += p.lanes)
            for (unsigned part = 0; part < p.parts; part++)
                for (uint32_t left = touching(t, level, lanes_of(t, first, behind, p)); left;)
                    left = tell_lanes(t, level, left, part, p);
    if (!t->continues)
        tell_pass(t, NULL, 0, p);
}

void ifl_touched_tell(ifl_warp *warp, const ifl_code *code, const ifl_texture *texture,
                      uint32_t bytes, const ifl_touched *touched)
{
    teller t = {warp, code, code->extra, texture, touched, bytes, false};
    const unsigned lanes = request_lanes(&t);
    for (uint32_t first = 0; first < IFL_WARP_LANES; first += lanes)
        if (touched->asked & lanes_from(first, lanes))
            tell_request(&t, first, lanes);
}
