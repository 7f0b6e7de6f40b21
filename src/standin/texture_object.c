/* SPDX-License-Identifier: Apache-2.0
 * See texture_object.h. The rules are those of the CUDA Runtime API reference, Texture Object
 * Management. */
#include "standin/texture_object.h"

#include "code/texel_format.h"

#include <string.h>

static IFL_VEC(ifl_texture_object) objects;

static ifl_texture_object *find(uint64_t handle, bool is_surface)
{
    for (size_t i = 0; i < objects.count; i++)
        if (objects.at[i].handle == handle && objects.at[i].is_surface == is_surface)
            return &objects.at[i];
    return NULL;
}

const ifl_texture_object *ifl_texture_object_of(uint64_t handle, bool is_surface)
{
    return find(handle, is_surface);
}

/* ---- what is read ---------------------------------------------------------------------------- */

static ifl_cuda_error take_array(const ifl_array *a, ifl_texture *t)
{
    if (!a)
        return ifl_cudaErrorInvalidResourceHandle;
    if (a->flags & IFL_ARRAY_VIDEO || (t->is_surface && a->texel.blocks))
        return ifl_cudaErrorInvalidValue; /* an H200, tools/gpu/texture_blocks.cu */
    t->texel = a->texel;
    t->is_layered = a->flags & IFL_ARRAY_LAYERED;
    t->is_cube = a->flags & IFL_ARRAY_CUBE;
    const bool has_layers = t->is_layered || t->is_cube;
    t->rank = a->depth && !has_layers ? 3 : a->height ? 2 : 1;
    t->size[0] = (uint32_t)a->width;
    t->size[1] = a->height ? (uint32_t)a->height : 1;
    t->size[2] = t->rank == 3 ? (uint32_t)a->depth : 1;
    t->is_blocks = true;
    t->layers = has_layers ? (uint32_t)a->depth : 1;
    t->address = a->address;
    t->pitch = a->pitch;
    t->slice = a->slice;
    t->bytes = a->bytes;
    return ifl_cudaSuccess;
}

static ifl_cuda_error take_levels(const ifl_mipmaps *m, ifl_texture *t)
{
    if (!m)
        return ifl_cudaErrorInvalidResourceHandle;
    const ifl_cuda_error code = take_array(&m->level[0], t);
    t->smaller = (uint8_t)(m->count - 1);
    for (unsigned i = 1; i < m->count; i++) {
        const ifl_array *a = &m->level[i];
        t->level[i - 1] =
            (ifl_texture_level){.size = {(uint32_t)a->width, a->height ? (uint32_t)a->height : 1,
                                         t->rank == 3 ? (uint32_t)a->depth : 1},
                                .offset = a->address - t->address,
                                .pitch = a->pitch,
                                .slice = a->slice};
        t->bytes += a->bytes;
    }
    return code;
}

/* How large linear memory is, CUDA does not check (convolutionFFT2D of its samples says too
 * much). */
static bool is_memory(ifl_session *session, const ifl_texture *t)
{
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), t->address);
    return a && !(a->flags & IFL_ALLOCATION_FREED) &&
           (t->is_linear || t->bytes <= a->bytes - (t->address - a->address)) &&
           t->address % ifl_texel_bytes(&t->texel) == 0;
}

static bool is_for_arrays(const ifl_texel *texel)
{
    return texel->blocks || texel->form == IFL_TEXEL_PLANES;
}

/* Elements in a row: as many as the table of technical specifications in the CUDA C++ Programming
 * Guide allows. */
static ifl_cuda_error take_linear(ifl_session *session, const ifl_resource *r, ifl_texture *t)
{
    const size_t most = (size_t)1 << 28, count = r->bytes / ifl_texel_bytes(&r->texel);
    if (!count || count > most || is_for_arrays(&r->texel))
        return ifl_cudaErrorInvalidValue;
    *t = (ifl_texture){.is_linear = true,
                       .rank = 1,
                       .texel = r->texel,
                       .size = {(uint32_t)count, 1, 1},
                       .layers = 1,
                       .address = (uintptr_t)r->address,
                       .bytes = count * ifl_texel_bytes(&r->texel)};
    return is_memory(session, t) ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

static ifl_cuda_error take_rows(ifl_session *session, const ifl_resource *r, ifl_texture *t)
{
    enum { MOST_WIDTH = 131072, MOST_HEIGHT = 65000, MOST_PITCH = 2097120, PITCH_UNIT = 32 };
    const size_t row = r->width <= MOST_WIDTH ? r->width * ifl_texel_bytes(&r->texel) : SIZE_MAX;
    if (is_for_arrays(&r->texel) || !r->width || !r->height || r->height > MOST_HEIGHT ||
        row > r->pitch || r->pitch > MOST_PITCH || r->pitch % PITCH_UNIT)
        return ifl_cudaErrorInvalidValue;
    *t = (ifl_texture){.rank = 2,
                       .texel = r->texel,
                       .size = {(uint32_t)r->width, (uint32_t)r->height, 1},
                       .layers = 1,
                       .address = (uintptr_t)r->address,
                       .pitch = r->pitch,
                       .slice = r->pitch * r->height,
                       .bytes = r->pitch * (r->height - 1) + row};
    return is_memory(session, t) ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

static ifl_cuda_error take_resource(ifl_session *session, const ifl_resource *r, bool is_surface,
                                    ifl_texture *t)
{
    if (r->type == IFL_RESOURCE_ARRAY)
        return take_array(ifl_array_of(r->array), t);
    if (is_surface || r->type < IFL_RESOURCE_ARRAY || r->type > IFL_RESOURCE_ROWS)
        return ifl_cudaErrorInvalidValue;
    if (r->type == IFL_RESOURCE_MIPMAPS)
        return take_levels(ifl_mipmaps_of(r->array), t);
    return r->type == IFL_RESOURCE_LINEAR ? take_linear(session, r, t) : take_rows(session, r, t);
}

/* ---- views ----------------------------------------------------------------------------------- */

/* cudaResourceViewFormat, whose formats come in threes: one channel, two and four. */
static bool texel_of_view(int format, ifl_texel *texel)
{
    static const struct {
        uint8_t of, bits;
    } formats[] = {{IFL_TEXEL_UNSIGNED, 8}, {IFL_TEXEL_SIGNED, 8},    {IFL_TEXEL_UNSIGNED, 16},
                   {IFL_TEXEL_SIGNED, 16},  {IFL_TEXEL_UNSIGNED, 32}, {IFL_TEXEL_SIGNED, 32},
                   {IFL_TEXEL_FLOAT, 16},   {IFL_TEXEL_FLOAT, 32}};
    static const uint8_t channels[] = {1, 2, 4};
    enum { THREES = 3 };
    const size_t place = (size_t)(format - 1);
    if (format < 1 || place / THREES >= sizeof formats / sizeof *formats)
        return false;
    *texel = (ifl_texel){.of = formats[place / THREES].of,
                         .bits = formats[place / THREES].bits,
                         .channels = channels[place % THREES]};
    return true;
}

enum { FIRST_BLOCK_VIEW = 0x19 };

static bool is_of_blocks(int format)
{
    return format >= FIRST_BLOCK_VIEW;
}

/* Blocks of elements: unsigned integers of 32 bits, two or four of them, each of which is one (CUDA
 * Driver API, cuTexObjectCreate). */
static bool view_blocks(int format, ifl_texture *t)
{
    static const struct {
        uint8_t format, channels;
    } formats[] = {{0x91, 4}, {0x93, 4}, {0x95, 4}, {0x97, 1}, {0x98, 1},
                   {0x99, 2}, {0x9a, 2}, {0x9b, 3}, {0x9c, 3}, {0x9d, 4}};
    const size_t place = (size_t)(format - FIRST_BLOCK_VIEW);
    const ifl_texel base = t->texel;
    if (place >= sizeof formats / sizeof *formats ||
        !ifl_texel_of_format(formats[place].format, formats[place].channels, &t->texel))
        return false;
    t->texel.is_opaque = false;
    for (unsigned d = 0; d < 2; d++) {
        t->size[d] *= IFL_TEXEL_BLOCK_SIDE;
        for (unsigned i = 0; i < t->smaller; i++)
            t->level[i].size[d] *= IFL_TEXEL_BLOCK_SIDE;
    }
    return base.of == IFL_TEXEL_UNSIGNED && base.bits == 32 && !base.blocks &&
           ifl_texel_bytes(&base) == ifl_texel_bytes(&t->texel);
}

/* Elements of the same size, so that the texture keeps its own. An H200 (driver 580) has refused a
 * view without a format (cudaResViewFormatNone, "use underlying resource format"). */
static bool view_format(int format, ifl_texture *t)
{
    ifl_texel texel;
    if (is_of_blocks(format))
        return view_blocks(format, t);
    if (t->texel.blocks || !texel_of_view(format, &texel) ||
        ifl_texel_bytes(&texel) != ifl_texel_bytes(&t->texel))
        return false;
    t->texel = texel;
    return true;
}

/* The first of these levels is the new one's first. An H200 (driver 580) accepts one behind the last
 * as the last. */
static bool view_levels(unsigned first, unsigned last, ifl_texture *t)
{
    if (t->smaller && last == t->smaller + 1U)
        last = t->smaller;
    if (first > last || last > t->smaller)
        return false;
    if (first) {
        const ifl_texture_level base = t->level[first - 1];
        memcpy(t->size, base.size, sizeof t->size);
        t->address += base.offset;
        t->bytes -= base.offset;
        t->pitch = base.pitch;
        t->slice = base.slice;
        for (unsigned i = first; i < last; i++) {
            t->level[i - first] = t->level[i];
            t->level[i - first].offset -= base.offset;
        }
    }
    t->smaller = (uint8_t)(last - first);
    return true;
}

/* All levels begin as many layers later. */
static bool view_layers(unsigned first, unsigned last, ifl_texture *t)
{
    if (!t->is_layered)
        return !first && !last;
    if (first > last || last >= t->layers)
        return false;
    const uint64_t start = first * t->slice;
    for (unsigned i = 0; i < t->smaller; i++)
        t->level[i].offset += first * t->level[i].slice - start;
    t->address += start;
    t->bytes -= start;
    t->layers = last - first + 1;
    return true;
}

/* CUDA Driver API, cuTexObjectCreate, CUDA_RESOURCE_VIEW_DESC. */
static ifl_cuda_error take_view(const ifl_resource *r, const ifl_resource_view *v, ifl_texture *t)
{
    static const unsigned zeros[sizeof v->reserved / sizeof *v->reserved];
    const bool is_array = r->type == IFL_RESOURCE_ARRAY || r->type == IFL_RESOURCE_MIPMAPS;
    if (!is_array || memcmp(v->reserved, zeros, sizeof zeros) != 0)
        return ifl_cudaErrorInvalidValue;
    const ifl_array *whole = r->type == IFL_RESOURCE_ARRAY ? ifl_array_of(r->array)
                                                           : &ifl_mipmaps_of(r->array)->level[0];
    const size_t scale = is_of_blocks(v->format) ? IFL_TEXEL_BLOCK_SIDE : 1;
    if (!view_format(v->format, t))
        return ifl_cudaErrorInvalidValue;
    if (t->is_cube && t->is_layered && (v->first_layer || v->last_layer)) {
        ifl_state_tell("error: views of layers of cubes are not served");
        return ifl_cudaErrorNotSupported;
    }
    const bool is_size = v->width == whole->width * scale && v->height == whole->height * scale &&
                         v->depth == whole->depth;
    return is_size && view_levels(v->first_level, v->last_level, t) &&
                   ((t->is_cube && t->is_layered) || view_layers(v->first_layer, v->last_layer, t))
               ? ifl_cudaSuccess
               : ifl_cudaErrorInvalidValue;
}

/* ---- how it is read -------------------------------------------------------------------------- */

static bool is_mode(int mode)
{
    return mode >= IFL_OUTSIDE_WRAP && mode <= IFL_OUTSIDE_BORDER;
}

/* Textures repeat only in normalized coordinates. */
static uint8_t mode_of(const ifl_sampler *s, const ifl_texture *t, unsigned dimension)
{
    if (t->is_cube && s->is_seamless)
        return IFL_OUTSIDE_FACE;
    const int mode = s->mode[dimension];
    const bool repeats = mode == IFL_OUTSIDE_WRAP || mode == IFL_OUTSIDE_MIRROR;
    return (uint8_t)(repeats && !s->is_normalized ? IFL_OUTSIDE_CLAMP : mode);
}

/* Of a view of blocks the array's own elements count, of which none but integers of 32 bits is right. */
static ifl_cuda_error check_block_view(const ifl_sampler *s, const ifl_texel *base)
{
    const bool is_wide = base->bits == 32;
    if (s->filter && base->of != IFL_TEXEL_FLOAT && (is_wide || !s->reads_normalized))
        return ifl_cudaErrorInvalidFilterSetting;
    return s->reads_normalized && is_wide ? ifl_cudaErrorInvalidNormSetting : ifl_cudaSuccess;
}

/* An H200 (tools/gpu/texture_formats.cu, texture_blocks.cu): fractions are asked for as such, those packed in a word are not;
 * what is of sRGB is asked for as such, too. */
static ifl_cuda_error check_fractions(const ifl_sampler *s, const ifl_texel *texel)
{
    if (s->reads_normalized == (texel->form == IFL_TEXEL_PACKED))
        return ifl_cudaErrorInvalidNormSetting;
    return texel->is_colour && !s->is_srgb ? ifl_cudaErrorInvalidValue : ifl_cudaSuccess;
}

/* BC4 and BC5 are of no colours. */
static bool can_be_colour(const ifl_texel *texel)
{
    enum { BC4 = 4, BC5 = 5 };
    return texel->of == IFL_TEXEL_UNSIGNED && texel->bits == 8 && texel->blocks != BC4 &&
           texel->blocks != BC5;
}

static ifl_cuda_error take_sampler(const ifl_sampler *s, bool is_block_view, ifl_texture *t)
{
    const bool is_float = t->texel.of == IFL_TEXEL_FLOAT;
    if (!is_mode(s->mode[0]) || !is_mode(s->mode[1]) || !is_mode(s->mode[2]) || s->filter < 0 ||
        s->filter > 1)
        return ifl_cudaErrorInvalidValue;
    if (s->level_filter < 0 || s->level_filter > 1)
        return ifl_cudaErrorInvalidValue;
    const bool is_fraction =
        t->texel.form == IFL_TEXEL_FRACTIONS || t->texel.form == IFL_TEXEL_PACKED;
    const ifl_cuda_error code =
        is_fraction && !is_block_view ? check_fractions(s, &t->texel) : ifl_cudaSuccess;
    if (code != ifl_cudaSuccess)
        return code;
    if (s->reads_normalized && (is_float ? t->texel.blocks != 0 : t->texel.bits == 32))
        return ifl_cudaErrorInvalidNormSetting;
    if (s->filter && !is_float && !s->reads_normalized && !is_fraction)
        return ifl_cudaErrorInvalidFilterSetting;
    t->filters = s->filter && !t->is_linear;
    t->is_normalized = s->is_normalized;
    t->reads_normalized = (s->reads_normalized || is_fraction) && !is_float;
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++)
        t->mode[d] = mode_of(s, t, d);
    t->is_srgb = s->is_srgb && can_be_colour(&t->texel);
    t->filters_levels = s->level_filter;
    t->is_anisotropic = s->anisotropy > 1 && t->filters;
    t->level_bias = s->level_bias;
    t->least_level = s->least_level;
    t->most_level = s->most_level;
    memcpy(t->border, s->border, sizeof t->border);
    /* the places of a cube's faces are computed from directions, whatever the program says of
     * coordinates */
    t->is_normalized |= t->is_cube;
    return ifl_cudaSuccess;
}

/* ---- objects --------------------------------------------------------------------------------- */

ifl_cuda_error ifl_texture_object_make(ifl_session *session, const ifl_resource *resource,
                                       const ifl_sampler *sampler, const ifl_resource_view *view,
                                       uint64_t *out)
{
    ifl_texture texture = {.is_surface = !sampler};
    ifl_cuda_error code = take_resource(session, resource, !sampler, &texture);
    texture.is_surface = !sampler;
    const bool is_block_view = view && is_of_blocks(view->format);
    if (code == ifl_cudaSuccess && is_block_view && sampler)
        code = check_block_view(sampler, &texture.texel);
    if (code == ifl_cudaSuccess && view)
        code = take_view(resource, view, &texture);
    if (code == ifl_cudaSuccess && sampler)
        code = take_sampler(sampler, is_block_view, &texture);
    if (code != ifl_cudaSuccess)
        return code;
    if (!ifl_vec_reserve(&objects, 1))
        return ifl_cudaErrorMemoryAllocation;
    const uint32_t handle = ifl_textures_add(ifl_session_textures(session), &texture);
    if (!handle)
        return ifl_cudaErrorMemoryAllocation;
    ifl_texture_object *object = &objects.at[objects.count++];
    *object = (ifl_texture_object){.handle = handle, .is_surface = !sampler, .resource = *resource};
    if (sampler)
        object->sampler = *sampler;
    if (view)
        object->view = *view;
    *out = handle;
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_texture_object_tell_view(uint64_t handle, ifl_resource_view *out)
{
    const ifl_texture_object *object = find(handle, false);
    if (!object || !out)
        return ifl_cudaErrorInvalidValue;
    *out = object->view;
    return ifl_cudaSuccess;
}

bool ifl_texture_object_drop(ifl_session *session, uint64_t handle, bool is_surface)
{
    ifl_texture_object *object = find(handle, is_surface);
    if (!object)
        return false;
    ifl_textures_remove(ifl_session_textures(session), object->handle);
    *object = objects.at[--objects.count];
    return true;
}
