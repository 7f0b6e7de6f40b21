/* SPDX-License-Identifier: Apache-2.0
 * Textures and surfaces as a warp asks for them: handles are looked up in the launch's table, never
 * followed. What a texture gives at a place is texture_sample.c's matter. */
#include "code/modifiers.h"
#include "exec/bulk_copies.h"
#include "exec/lane.h"
#include "exec/texel.h"
#include "exec/texture_calls.h"
#include "exec/texture_passes.h"
#include "exec/warp.h"

#include <math.h>
#include <string.h>

typedef struct request {
    ifl_warp *warp;
    const ifl_code *code;
    const ifl_texture_op *op;
    char *frame;
    uint32_t lane;
    uint32_t handle; /* of the view; 0: none yet */
    ifl_texture_view view;
    uint8_t *host;
    uint64_t room;  /* bytes from there to the end of the allocation */
    uint32_t place; /* where what is touched is noted: the lane's, or one of a quad's */
    float at[IFL_TEXTURE_QUAD][IFL_TEXTURE_RANKS]; /* of the quad's places, in elements */
    ifl_touched touched;
} request;

static bool is_for_surfaces(const ifl_texture_op *op)
{
    return op->use == IFL_TEXTURE_LOAD || op->use == IFL_TEXTURE_STORE ||
           op->use == IFL_TEXTURE_REDUCE || op->use == IFL_TEXTURE_SURFACE_QUERY;
}

static bool is_query(const ifl_texture_op *op)
{
    return op->use == IFL_TEXTURE_QUERY || op->use == IFL_TEXTURE_DIMENSIONS ||
           op->use == IFL_TEXTURE_SURFACE_QUERY;
}

static bool is_write(const ifl_texture_op *op)
{
    return op->use == IFL_TEXTURE_STORE || op->use == IFL_TEXTURE_REDUCE;
}

static bool fail(const request *r, ifl_fault_kind kind, const char *what)
{
    ifl_fault_raise(r->warp, r->code, kind, r->lane, "%s 0x%x %s",
                    is_for_surfaces(r->op) ? "the surface object" : "the texture object", r->handle,
                    what);
    return false;
}

/* ---- what a handle stands for ---------------------------------------------------------------- */

/* Linear memory may be said to be larger than it is, as convolutionFFT2D of NVIDIA's samples does;
 * it is not read there. */
static uint8_t *memory_of(request *r, const ifl_texture *t)
{
    ifl_allocation *a = ifl_memory_find(r->warp->worker->grid->launch->memory, t->address);
    const uint64_t at = a ? t->address - a->address : 0;
    r->room = a && !(a->flags & IFL_ALLOCATION_FREED) ? a->bytes - at : 0;
    const bool is_there = r->room && (t->is_linear || t->bytes <= r->room);
    if (is_there)
        ifl_warp_note_use(r->warp, a,
                          r->op->use == IFL_TEXTURE_REDUCE ? IFL_PURPOSE_CHANGES
                          : is_write(r->op)                ? IFL_PURPOSE_STORES
                                                           : IFL_PURPOSE_READS);
    return is_there ? a->host + at : NULL;
}

static bool is_of_shape(const ifl_texture_op *op, const ifl_texture *t)
{
    if (is_for_surfaces(op) || is_query(op))
        return true;
    const bool is_array = t->is_layered, is_cube = t->is_cube;
    const unsigned rank = is_cube ? 3 : t->rank;
    /* the compiler reads 1D textures as 2D ones, at row 0 */
    return op->is_layered == is_array && op->is_cube == is_cube &&
           (op->rank == rank || (rank == 1 && op->rank == 2));
}

static bool find(request *r)
{
    const ifl_textures *table = r->warp->worker->grid->launch->textures;
    const uint32_t handle = ifl_lane_u32(r->frame, r->op->handle, r->lane);
    if (r->handle == handle && handle)
        return true;
    r->handle = handle;
    const ifl_texture *t = table ? ifl_textures_find(table, handle) : NULL;
    const bool takes_both = r->op->use == IFL_TEXTURE_DIMENSIONS;
    if (!t || (t->is_surface != is_for_surfaces(r->op) && !takes_both))
        return fail(
            r, IFL_FAULT_OTHER,
            "does not exist: it was never made, it was destroyed, or it is of the other kind");
    if (t->is_linear && r->op->use != IFL_TEXTURE_FETCH && !is_query(r->op))
        return fail(r, IFL_FAULT_OTHER,
                    "is linear memory, whose elements can only be read by number");
    if (!is_of_shape(r->op, t))
        return fail(r, IFL_FAULT_OTHER, "has other dimensions than the instruction asks for");
    r->host = memory_of(r, t);
    r->view = (ifl_texture_view){t, r->host};
    return r->host || fail(r, IFL_FAULT_ADDRESS, "is of memory that has been freed");
}

/* ---- textures -------------------------------------------------------------------------------- */

/* Two wanted channels in a register each: the first one in its lower half. */
static void give_halves(const request *r, const uint32_t *words, unsigned count)
{
    const unsigned rounding =
        r->op->packs == IFL_TEXTURE_HALVES_TO_ZERO ? IFL_ROUND_RZ : IFL_ROUND_RN;
    uint32_t pair = 0;
    for (unsigned i = 0, n = 0; i < count; i++) {
        if (!(r->op->wanted >> i & 1))
            continue;
        const uint32_t half = ifl_narrow(&ifl_f16, ifl_bits_f32(words[i]), rounding, false);
        pair = n++ % 2 ? pair | half << 16 : half;
        memcpy(r->frame + r->op->data[i] + (size_t)r->lane * sizeof pair, &pair, sizeof pair);
    }
}

static void give(const request *r, const uint32_t *words, unsigned count)
{
    if (r->op->packs) {
        give_halves(r, words, count);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        if (r->op->wanted >> i & 1)
            memcpy(r->frame + r->op->data[i] + (size_t)r->lane * sizeof *words, &words[i],
                   sizeof *words);
}

/* Signed, of `offset_bits` bits. */
static int32_t offset_of(const request *r, unsigned dimension)
{
    const ifl_texture_op *op = r->op;
    const uint32_t word = ifl_lane_u32(r->frame, op->offset[dimension], r->lane) >>
                          op->offset_shift[dimension],
                   sign = UINT32_C(1) << (op->offset_bits - 1);
    return (int32_t)((word & (2 * sign - 1)) ^ sign) - (int32_t)sign;
}

static ifl_texture_query query_of(const request *r)
{
    ifl_texture_query q = {.op = r->op};
    if (r->op->is_layered)
        q.layer = ifl_lane_u32(r->frame, r->op->layer, r->lane) & UINT16_MAX;
    for (unsigned d = 0; d < r->op->rank; d++)
        q.at[d] = ifl_lane_u32(r->frame, r->op->at[d], r->lane);
    for (unsigned d = 0; r->op->offset_bits && d < r->op->rank; d++)
        q.offset[d] = offset_of(r, d);
    return q;
}

static bool is_behind_memory(const request *r, const ifl_texture_query *query)
{
    const ifl_texture *t = r->view.texture;
    return t->is_linear && query->at[0] < t->size[0] &&
           (query->at[0] + UINT64_C(1)) * ifl_texel_bytes(&t->texel) > r->room;
}

/* ---- what it asks of memory ------------------------------------------------------------------ */

/* A surface's bytes that are moved: of an element, or as many as the instruction says. */
static uint32_t moved_bytes(const request *r)
{
    return r->op->is_formatted ? ifl_texel_bytes(&r->view.texture->texel) : r->op->bytes;
}

static void note(request *r, const ifl_texture *t, unsigned level, const uint64_t *offset,
                 uint32_t count)
{
    ifl_touched_note(&r->touched, t, level, r->place, offset, count);
}

/* How far it is to another place of the quad, or what derivatives say of it: in a box by slices
 * alone. */
static float distance_to(const request *r, const float from[IFL_TEXTURE_RANKS],
                         const float to[IFL_TEXTURE_RANKS])
{
    const float x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
    return r->view.texture->rank == IFL_TEXTURE_RANKS ? fabsf(z) : x * x + y * y;
}

/* Filters that take two lanes at a time take those along the shorter way: lanes 0 and 1 unless it is
 * farther from 0 to 1 than to 2. */
static bool is_crossed(const request *r)
{
    return distance_to(r, r->at[0], r->at[1]) > distance_to(r, r->at[0], r->at[2]);
}

static void tell(request *r)
{
    const ifl_texture *t = r->view.texture;
    if (is_query(r->op) || !t)
        return;
    ifl_touched_tell(r->warp, r->code, t,
                     is_for_surfaces(r->op) ? moved_bytes(r) : ifl_texel_bytes(&t->texel),
                     &r->touched);
}

static ifl_texture_view view_of(const request *r, const ifl_texture *level)
{
    return (ifl_texture_view){level, r->view.host + (level->address - r->view.texture->address)};
}

static void ask(request *r, const ifl_texture_query *query, uint32_t level,
                ifl_texture_answer *answer)
{
    if (!level) {
        ifl_texture_ask(&r->view, query, answer);
        note(r, r->view.texture, 0, answer->offset, answer->count);
        return;
    }
    const ifl_texture at = ifl_texture_at_level(r->view.texture, level);
    const ifl_texture_view view = view_of(r, &at);
    ifl_texture_ask(&view, query, answer);
    note(r, &at, 0, answer->offset, answer->count);
}

static void ask_between(request *r, const ifl_texture_query *query, uint32_t level, uint32_t weight,
                        ifl_texture_answer *answer)
{
    const ifl_texture at[] = {ifl_texture_at_level(r->view.texture, level),
                              ifl_texture_at_level(r->view.texture, level + 1)};
    const ifl_texture_view view[] = {view_of(r, &at[0]), view_of(r, &at[1])};
    ifl_texture_answer both[2];
    ifl_texture_ask_between(view, weight, query, both);
    for (unsigned i = 0; i < 2; i++)
        note(r, &at[i], i, both[i].offset, both[i].count);
    *answer = both[0];
}

/* Parts of the level of detail that is asked for. */
static uint32_t level_of(const request *r)
{
    const ifl_texture *t = r->view.texture;
    const ifl_texture_op *op = r->op;
    float gradient[2][IFL_TEXTURE_RANKS] = {{0}}, direction[IFL_TEXTURE_RANKS] = {0};
    if (op->detail == IFL_TEXTURE_LEVEL)
        return ifl_texture_level_of(t, ifl_bits_f32(ifl_lane_u32(r->frame, op->level, r->lane)));
    for (unsigned d = 0; d < op->rank; d++)
        direction[d] = ifl_bits_f32(ifl_lane_u32(r->frame, op->at[d], r->lane));
    for (unsigned i = 0; i < 2 * op->rank; i++)
        gradient[i % 2][i / 2] =
            ifl_bits_f32(ifl_lane_u32(r->frame, op->gradient[i % 2][i / 2], r->lane));
    return ifl_texture_level_of(t, t->is_cube ? ifl_texture_cube_level(t, direction, gradient)
                                              : ifl_texture_gradient_level(t, gradient));
}

static void sample_levels(request *r, const ifl_texture_query *query, ifl_texture_answer *answer)
{
    const ifl_texture *t = r->view.texture;
    const uint32_t one = 1u << IFL_LEVEL_BITS, level = level_of(r), weight = level % one;
    if (!t->filters_levels)
        ask(r, query, (level + one / 2) / one, answer);
    else if (weight)
        ask_between(r, query, level / one, weight, answer);
    else
        ask(r, query, level / one, answer);
}

/* A level that the texture does not have is zero. */
static void fetch_level(request *r, const ifl_texture_query *query, ifl_texture_answer *answer)
{
    const uint32_t level = ifl_lane_u32(r->frame, r->op->level, r->lane);
    if (level <= r->view.texture->smaller)
        ask(r, query, level, answer);
    else
        memset(answer, 0, sizeof *answer);
}

static const char *missing(const request *r)
{
    const ifl_texture *t = r->view.texture;
    if (t->smaller && r->op->detail == IFL_TEXTURE_NO_DETAIL)
        return "has several levels of detail, and the instruction does not say which";
    if (t->is_anisotropic && r->op->detail == IFL_TEXTURE_GRADIENT)
        return "is filtered in a direction (maxAnisotropy), which is not served";
    return NULL;
}

/* Gathers are of the first level. */
static void answer_query(request *r, const ifl_texture_query *query, ifl_texture_answer *answer)
{
    if (r->op->use == IFL_TEXTURE_FETCH && r->op->detail == IFL_TEXTURE_LEVEL)
        fetch_level(r, query, answer);
    else if (!r->view.texture->smaller || r->op->use != IFL_TEXTURE_SAMPLE)
        ask(r, query, 0, answer);
    else
        sample_levels(r, query, answer);
}

/* For derivatives in boxes and on cubes code for sm_80 and later calls a function of the driver,
 * which samples for each lane that asks by a quad: at its place, and where the derivatives lead from
 * there, one of them or both. So do 900 launches of tools/gpu/texture_probe.cu on an H200. */
static bool samples_around(const ifl_texture_op *op)
{
    return op->detail == IFL_TEXTURE_GRADIENT && op->rank == IFL_TEXTURE_RANKS;
}

/* A place of the quad. Where it samples for its first lane, layers and offsets are those of the lanes
 * that sample. */
static ifl_texture_query query_beside(request *r, unsigned beside)
{
    const uint32_t asks = r->lane;
    r->lane = asks % IFL_TEXTURE_QUAD ? asks : asks + beside;
    ifl_texture_query q = query_of(r);
    r->lane = asks;
    for (unsigned d = 0; d < r->op->rank; d++) {
        float at = ifl_bits_f32(ifl_lane_u32(r->frame, r->op->at[d], r->lane));
        for (unsigned by = 0; by < 2; by++)
            if (beside >> by & 1)
                at += ifl_bits_f32(ifl_lane_u32(r->frame, r->op->gradient[by][d], r->lane));
        q.at[d] = ifl_f32_bits(at);
    }
    return q;
}

static void note_around(request *r)
{
    for (unsigned beside = 0; beside < IFL_TEXTURE_QUAD; beside++) {
        ifl_texture_answer unused;
        const ifl_texture_query query = query_beside(r, beside);
        r->place = (r->lane ^ beside) % IFL_TEXTURE_QUAD;
        ifl_texture_find_place(r->view.texture, &query, r->at[r->place]);
        if (beside)
            answer_query(r, &query, &unused);
    }
    r->touched.crossed = is_crossed(r);
}

/* Where the lanes of a quad are, those that do not ask too; of derivatives, where they lead from the
 * first one. */
static void find_quad(request *r, uint32_t first)
{
    const bool is_derived = r->op->detail == IFL_TEXTURE_GRADIENT;
    for (unsigned i = 0; i < IFL_TEXTURE_QUAD; i++) {
        r->lane = first + (is_derived ? 0 : i);
        const ifl_texture_query query = query_beside(r, is_derived ? i : 0);
        ifl_texture_find_place(r->view.texture, &query, r->at[i]);
    }
}

static bool takes_pairs(const request *r)
{
    enum { WIDE = 16 };
    const ifl_texture *t = r->view.texture;
    return r->op->use == IFL_TEXTURE_SAMPLE && (t->filters || t->filters_levels) &&
           (t->rank == IFL_TEXTURE_RANKS ||
            (ifl_texel_bytes(&t->texel) >= WIDE && !t->texel.blocks));
}

/* Before any lane of the quad has results, which may be written over coordinates. */
static void find_crossed(request *r)
{
    const uint32_t lane = r->lane, quad = lane / IFL_TEXTURE_QUAD,
                   before = (UINT32_C(1) << lane) - (UINT32_C(1) << quad * IFL_TEXTURE_QUAD);
    if (!takes_pairs(r) || r->touched.asked & before)
        return;
    find_quad(r, quad * IFL_TEXTURE_QUAD);
    r->lane = lane;
    r->touched.crossed |= (uint8_t)(is_crossed(r) << quad);
}

/* The results may be written over the coordinates of the same lane only. CUDA's textures have no
 * rule for a comparison of depths: an H100 gives the texel itself. */
static bool read_texture(request *r)
{
    ifl_texture_answer answer;
    const ifl_texture_query query = query_of(r);
    const char *what = missing(r);
    if (is_behind_memory(r, &query))
        return fail(r, IFL_FAULT_ADDRESS, "is larger than its memory and is read behind its end");
    if (what)
        return fail(r, IFL_FAULT_OTHER, what);
    answer_query(r, &query, &answer);
    if (samples_around(r->op))
        note_around(r);
    else
        find_crossed(r);
    give(r, answer.channel, IFL_TEXEL_CHANNELS);
    return true;
}

/* ---- surfaces -------------------------------------------------------------------------------- */

/* The first coordinate in bytes; what counts elements lies far outside where it is outside. A
 * reduction counts elements of its own type: an H100, tools/gpu/surface_reductions.cu. */
static uint32_t first_byte(const request *r, uint32_t x)
{
    const ifl_texture *t = r->view.texture;
    const uint32_t texel = ifl_texel_bytes(&t->texel),
                   unit = r->op->use == IFL_TEXTURE_REDUCE ? r->op->bytes : texel;
    if (!r->op->counts_elements)
        return x;
    if (x >= t->size[0] * (uint64_t)texel / unit)
        return (int32_t)x < 0 ? UINT32_MAX : INT32_MAX;
    return x * unit;
}

/* False: it lies outside and nothing is to be done; a trap raises a fault. */
static bool place_in_surface(const request *r, uint64_t *offset, bool *is_fault)
{
    const ifl_texture *t = r->view.texture;
    const uint32_t step = moved_bytes(r), row = t->size[0] * ifl_texel_bytes(&t->texel);
    const uint32_t limit[IFL_TEXTURE_RANKS] = {row, t->size[1], t->size[2]};
    uint32_t at[IFL_TEXTURE_RANKS] = {0}, layer = 0;
    bool is_outside = false;
    if (r->op->is_layered)
        layer = ifl_lane_u32(r->frame, r->op->layer, r->lane);
    for (unsigned d = 0; d < r->op->rank; d++) {
        const uint32_t asked = ifl_lane_u32(r->frame, r->op->at[d], r->lane);
        at[d] = d ? asked : first_byte(r, asked);
        const uint32_t last = limit[d] - (d ? 1 : step);
        const bool is_past = at[d] > last || (!d && step > row);
        is_outside = is_outside || is_past;
        if (is_past)
            at[d] = (int32_t)at[d] < 0 || (!d && step > row) ? 0 : last;
    }
    is_outside = is_outside || layer >= t->layers;
    *is_fault = is_outside && r->op->clamp == IFL_SURFACE_TRAP;
    layer = layer < t->layers ? layer : t->layers - 1;
    *offset = (uint64_t)(t->is_layered || t->is_cube ? layer : at[2]) * t->slice +
              (uint64_t)at[1] * t->pitch + at[0];
    return !is_outside || r->op->clamp == IFL_SURFACE_CLAMP;
}

static uint32_t extended(const ifl_texture_op *op, uint32_t word)
{
    if (!op->is_signed || op->bytes >= sizeof word)
        return word;
    return op->bytes == 1 ? (uint32_t)(int8_t)word : (uint32_t)(int16_t)word;
}

/* Of a type without a sign of its own the surface's tells. */
static uint8_t type_of_reduction(const request *r)
{
    const bool is_signed = r->view.texture->texel.of == IFL_TEXEL_SIGNED;
    const uint8_t type = r->op->type;
    return type == IFL_TYPE_B32   ? is_signed ? IFL_TYPE_S32 : IFL_TYPE_U32
           : type == IFL_TYPE_B64 ? is_signed ? IFL_TYPE_S64 : IFL_TYPE_U64
                                  : type;
}

static void move_element(const request *r, uint8_t *at)
{
    uint32_t words[IFL_TEXEL_CHANNELS] = {0};
    const unsigned count = (r->op->bytes + 3u) / 4;
    if (r->op->use == IFL_TEXTURE_LOAD) {
        if (at)
            memcpy(words, at, r->op->bytes);
        words[0] = extended(r->op, words[0]);
        give(r, words, count);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        words[i] = ifl_lane_u32(r->frame, r->op->data[i], r->lane);
    if (at && r->op->use == IFL_TEXTURE_REDUCE)
        ifl_reduce_bytes(r->op->operation, type_of_reduction(r), false, at, (const uint8_t *)words,
                         r->op->bytes);
    else if (at && r->op->is_formatted)
        ifl_texel_write(&r->view.texture->texel, words, count, at);
    else if (at)
        memcpy(at, words, r->op->bytes);
}

static bool move_surface(request *r)
{
    uint64_t offset;
    bool is_fault;
    const bool is_there = place_in_surface(r, &offset, &is_fault);
    if (is_fault)
        return fail(r, IFL_FAULT_OTHER, "ends before these coordinates, and they trap");
    if (r->op->is_formatted && r->view.texture->texel.form != IFL_TEXEL_PLAIN)
        return fail(r, IFL_FAULT_OTHER,
                    "has elements of fractions, in whose format nothing can be stored here");
    if (is_there && offset % moved_bytes(r))
        return fail(r, IFL_FAULT_MISALIGNED, "is asked for an element across its own alignment");
    note(r, r->view.texture, 0, &offset, is_there);
    move_element(r, is_there ? r->host + offset : NULL);
    r->warp->changed |= is_write(r->op);
    return true;
}

/* ---- queries --------------------------------------------------------------------------------- */

static uint32_t layers_of(const ifl_texture *t)
{
    return !t->is_layered ? 0 : t->is_cube ? t->layers / IFL_CUBE_FACES : t->layers;
}

/* PTX ISA, txq and suq. What a texture has not is 0. Layers follow the dimensions that there are:
 * so an H100 says it (tests/gpu/h100/texture_levels.txt). */
static uint32_t property_of(const ifl_texture *t, uint8_t query)
{
    switch (query) {
    case IFL_QUERY_WIDTH:
        return t->size[0];
    case IFL_QUERY_HEIGHT:
        return t->is_layered && t->rank == 1 ? layers_of(t) : t->size[1];
    case IFL_QUERY_DEPTH:
        return t->rank == 3 ? t->size[2] : t->rank == 2 ? layers_of(t) : 0;
    case IFL_QUERY_ARRAY_SIZE:
        return layers_of(t);
    case IFL_QUERY_NORMALIZED_COORDS:
        return t->is_normalized;
    case IFL_QUERY_NUM_MIPMAP_LEVELS:
        return t->smaller + UINT32_C(1);
    default: /* samples; a linear layout of a surface */
        return 0;
    }
}

static void tell_property(const request *r)
{
    static const uint8_t dimensions[] = {IFL_QUERY_WIDTH, IFL_QUERY_HEIGHT, IFL_QUERY_DEPTH,
                                         IFL_QUERY_NUM_MIPMAP_LEVELS};
    const bool has_level = r->op->detail == IFL_TEXTURE_LEVEL;
    const uint32_t level = has_level ? ifl_lane_u32(r->frame, r->op->level, r->lane) : 0;
    const bool is_there = level <= r->view.texture->smaller;
    const ifl_texture t = ifl_texture_at_level(r->view.texture, is_there ? level : 0);
    uint32_t words[IFL_TEXEL_CHANNELS] = {0};
    for (unsigned i = 0; is_there && i < IFL_TEXEL_CHANNELS; i++)
        words[i] =
            property_of(&t, r->op->use == IFL_TEXTURE_DIMENSIONS ? dimensions[i] : r->op->query);
    give(r, words, IFL_TEXEL_CHANNELS);
}

/* ---- the operation --------------------------------------------------------------------------- */

static bool serve(request *r)
{
    if (!find(r))
        return false;
    if (is_query(r->op)) {
        tell_property(r);
        return true;
    }
    return is_for_surfaces(r->op) ? move_surface(r) : read_texture(r);
}

/* Each lane by itself. */
static bool serve_around(request *r, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        r->lane = (uint32_t)__builtin_ctz(mask);
        r->place = r->lane % IFL_TEXTURE_QUAD;
        r->touched = (ifl_touched){.asked = 1};
        if (!serve(r))
            return false;
        tell(r);
    }
    return true;
}

static bool serve_lanes(request *r, uint32_t mask)
{
    r->touched.asked = mask;
    for (; mask; mask &= mask - 1) {
        r->lane = r->place = (uint32_t)__builtin_ctz(mask);
        if (!serve(r))
            return false;
    }
    tell(r);
    return true;
}

ifl_reason ifl_slow_texture(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                            uint32_t active)
{
    (void)active;
    request r = {.warp = warp, .code = code, .op = code->extra, .frame = frame};
    const bool is_served = samples_around(r.op) ? serve_around(&r, mask) : serve_lanes(&r, mask);
    return is_served ? IFL_REASON_NONE : IFL_REASON_FAULT;
}
