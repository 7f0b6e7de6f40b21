/* SPDX-License-Identifier: Apache-2.0
 * See array.h. */
#include "standin/array.h"

#include "code/texel_format.h"
#include "standin/chosen_gpu.h"
#include "standin/handle.h"

#include <stdlib.h>

enum { BLOCK_BYTES = 64, BLOCK_ROWS = 8 };

/* ---- channels -------------------------------------------------------------------------------- */

ifl_cuda_error ifl_texel_of_channels(const ifl_channels *channels, ifl_texel *texel)
{
    return ifl_texel_of_kind(channels->kind, channels->bits, texel)
               ? ifl_cudaSuccess
               : ifl_cudaErrorInvalidChannelDescriptor;
}

ifl_channels ifl_channels_of_texel(const ifl_texel *texel)
{
    ifl_channels channels = {.kind = 0};
    ifl_kind_of_texel(texel, &channels.kind, channels.bits);
    return channels;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The largest of each kind: CUDA C++ Programming Guide, technical specifications, compute
 * capability 6.0 and newer. */
typedef struct limit {
    size_t width, height, depth;
} limit;

static limit limit_of(const ifl_array *a)
{
    static const limit cube = {32768, 32768, 6}, cubes = {32768, 32768, 2046}, row = {131072, 0, 0},
                       rows = {32768, 0, 2048}, plane = {131072, 65536, 0},
                       planes = {32768, 32768, 2048}, box = {16384, 16384, 16384};
    const bool is_layered = a->flags & IFL_ARRAY_LAYERED;
    if (a->flags & IFL_ARRAY_CUBE)
        return is_layered ? cubes : cube;
    if (is_layered)
        return a->height ? planes : rows;
    return a->depth ? box : a->height ? plane : row;
}

static bool has_planes(const ifl_array *a)
{
    return a->texel.form == IFL_TEXEL_PLANES;
}

static bool is_right(const ifl_array *a)
{
    const limit most = limit_of(a);
    /* As an H200 has it (tools/gpu/texture_blocks.cu): of videos alone, in whole pairs of rows
     * and columns. */
    if (has_planes(a))
        return a->width && a->height && !a->depth && a->width % 2 == 0 && a->height % 2 == 0 &&
               a->width <= limit_of(a).width && a->height <= limit_of(a).height &&
               a->flags == IFL_ARRAY_VIDEO;
    if (a->texel.blocks && !a->height)
        return false;
    const bool is_layered = a->flags & IFL_ARRAY_LAYERED, is_cube = a->flags & IFL_ARRAY_CUBE;
    const bool is_faces =
        a->width == a->height && a->depth &&
        (is_layered ? a->depth % IFL_CUBE_FACES == 0 : a->depth == IFL_CUBE_FACES);
    const bool is_deep = a->depth && !is_layered && !is_cube;
    return a->width && a->width <= most.width && a->height <= most.height &&
           a->depth <= most.depth && !(a->flags & ~(unsigned)IFL_ARRAY_FLAGS) &&
           (!is_cube || is_faces) && (!is_layered || a->depth) && (!is_deep || a->height);
}

/* An H200 has no surfaces of compressed elements. */
static ifl_cuda_error check(const ifl_array *asked)
{
    if (asked->texel.blocks && asked->flags & IFL_ARRAY_SURFACE)
        return ifl_cudaErrorNotSupported;
    return is_right(asked) ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

static size_t up_to(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* The limits keep all but the last product far from overflow. */
static bool lay_out(ifl_array *a)
{
    const size_t rows = up_to(ifl_texel_units(&a->texel, a->height ? a->height : 1), BLOCK_ROWS);
    a->pitch =
        up_to(ifl_texel_units(&a->texel, a->width) * ifl_texel_bytes(&a->texel), BLOCK_BYTES);
    a->slice = a->pitch * rows;
    return !__builtin_mul_overflow(a->slice, a->depth ? a->depth : 1, &a->bytes);
}

/* CUDA Runtime API, cudaArrayGetPlane. False: too large, or no memory for it. */
static bool lay_out_planes(ifl_array *a)
{
    static const ifl_texel texels[IFL_ARRAY_PLANES] = {{IFL_TEXEL_UNSIGNED, 8, 1, .blocks = 0},
                                                       {IFL_TEXEL_UNSIGNED, 8, 2, .blocks = 0}};
    a->plane = calloc(IFL_ARRAY_PLANES, sizeof *a->plane);
    a->bytes = 0;
    for (unsigned i = 0; a->plane && i < IFL_ARRAY_PLANES; i++) {
        ifl_array *plane = &a->plane[i];
        *plane = (ifl_array){.texel = texels[i],
                             .width = a->width >> i,
                             .height = a->height >> i,
                             .flags = a->flags,
                             .is_part = true,
                             .address = a->bytes};
        if (!lay_out(plane) || __builtin_add_overflow(a->bytes, plane->bytes, &a->bytes))
            return false;
    }
    a->slice = a->bytes;
    a->pitch = a->plane ? a->plane->pitch : 0;
    return a->plane != NULL;
}

static void label(char *to, size_t size, const ifl_array *a, const char *call, const void *from)
{
    char site[64];
    ifl_state_site(from, site, sizeof site);
    snprintf(to, size, "%s(%zux%zux%zu) of %s", call, a->width, a->height, a->depth, site);
}

/* The array's handle and its planes'. */
static bool add_array(ifl_array *a)
{
    bool is_added = ifl_handle_add(IFL_HANDLE_ARRAY, a);
    for (unsigned i = 0; a->plane && i < IFL_ARRAY_PLANES; i++) {
        a->plane[i].address += a->address;
        is_added = is_added && ifl_handle_add(IFL_HANDLE_ARRAY, &a->plane[i]);
    }
    return is_added;
}

static void remove_array(ifl_array *a)
{
    for (unsigned i = 0; a->plane && i < IFL_ARRAY_PLANES; i++)
        ifl_handle_remove(&a->plane[i]);
    ifl_handle_remove(a);
}

static void free_array(ifl_array *a)
{
    free(a->plane);
    free(a);
}

ifl_cuda_error ifl_array_make(ifl_session *session, const ifl_array *asked, const char *call,
                              const void *from, ifl_array **out)
{
    char text[112];
    ifl_allocation *memory;
    ifl_error error = {0};
    const ifl_cuda_error code = check(asked);
    if (code != ifl_cudaSuccess)
        return code;
    ifl_array *array = malloc(sizeof *array);
    if (!array)
        return ifl_cudaErrorMemoryAllocation;
    *array = *asked;
    label(text, sizeof text, array, call, from);
    if (!(has_planes(array) ? lay_out_planes(array) : lay_out(array)) ||
        ifl_memory_allocate(ifl_session_memory(session), array->bytes, 0, IFL_ALLOCATION_UNWRITTEN,
                            text, &memory, &error) != IFL_OK) {
        free_array(array);
        return ifl_cudaErrorMemoryAllocation;
    }
    memory->gpu = (uint32_t)ifl_gpu_chosen();
    array->address = memory->address;
    *out = array;
    if (add_array(array))
        return ifl_cudaSuccess;
    remove_array(array);
    ifl_memory_drop(ifl_session_memory(session), memory);
    free_array(array);
    return ifl_cudaErrorMemoryAllocation;
}

ifl_array *ifl_array_of(const void *handle)
{
    return ifl_handle_find(IFL_HANDLE_ARRAY, handle);
}

void ifl_array_drop(ifl_session *session, ifl_array *array)
{
    ifl_allocation *memory = ifl_memory_find(ifl_session_memory(session), array->address);
    remove_array(array);
    if (memory)
        ifl_memory_drop(ifl_session_memory(session), memory);
    free_array(array);
}

/* ---- levels of detail ------------------------------------------------------------------------ */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool is_deep(const ifl_array *a)
{
    return !(a->flags & (IFL_ARRAY_LAYERED | IFL_ARRAY_CUBE));
}

static unsigned most_levels(const ifl_array *a)
{
    size_t size = larger(a->width, larger(a->height, is_deep(a) ? a->depth : 1));
    unsigned levels = 0;
    for (; size; size /= 2)
        levels++;
    return levels;
}

static size_t halved(size_t size, unsigned level)
{
    return size ? larger(size >> level, 1) : 0;
}

/* Of all levels: where they begin, from the first one on. False: too large. */
static bool lay_out_levels(ifl_mipmaps *m, const ifl_array *asked, size_t *bytes)
{
    *bytes = 0;
    for (unsigned i = 0; i < m->count; i++) {
        ifl_array *level = &m->level[i];
        *level = *asked;
        level->is_part = true;
        level->width = halved(asked->width, i);
        level->height = halved(asked->height, i);
        level->depth = is_deep(asked) ? halved(asked->depth, i) : asked->depth;
        level->address = *bytes;
        if (!lay_out(level) || __builtin_add_overflow(*bytes, level->bytes, bytes))
            return false;
    }
    return true;
}

static bool add_handles(ifl_mipmaps *m)
{
    bool is_added = ifl_handle_add(IFL_HANDLE_MIPMAPS, m);
    unsigned added = 0;
    while (is_added && added < m->count) {
        is_added = ifl_handle_add(IFL_HANDLE_ARRAY, &m->level[added]);
        added += is_added;
    }
    if (is_added)
        return true;
    while (added)
        ifl_handle_remove(&m->level[--added]);
    ifl_handle_remove(m);
    return false;
}

ifl_cuda_error ifl_mipmaps_make(ifl_session *session, const ifl_array *asked, unsigned levels,
                                const char *call, const void *from, ifl_mipmaps **out)
{
    char text[112];
    size_t bytes;
    ifl_allocation *memory;
    ifl_error error = {0};
    const unsigned most = most_levels(asked);
    const ifl_cuda_error code = has_planes(asked) ? ifl_cudaErrorInvalidValue : check(asked);
    if (code != ifl_cudaSuccess)
        return code;
    ifl_mipmaps *m = calloc(1, sizeof *m);
    if (!m)
        return ifl_cudaErrorMemoryAllocation;
    m->count = levels > most ? most : levels ? levels : 1;
    label(text, sizeof text, asked, call, from);
    if (!lay_out_levels(m, asked, &bytes) ||
        ifl_memory_allocate(ifl_session_memory(session), bytes, 0, IFL_ALLOCATION_UNWRITTEN, text,
                            &memory, &error) != IFL_OK) {
        free(m);
        return ifl_cudaErrorMemoryAllocation;
    }
    memory->gpu = (uint32_t)ifl_gpu_chosen();
    for (unsigned i = 0; i < m->count; i++)
        m->level[i].address += memory->address;
    *out = m;
    if (add_handles(m))
        return ifl_cudaSuccess;
    ifl_memory_drop(ifl_session_memory(session), memory);
    free(m);
    return ifl_cudaErrorMemoryAllocation;
}

ifl_mipmaps *ifl_mipmaps_of(const void *handle)
{
    return ifl_handle_find(IFL_HANDLE_MIPMAPS, handle);
}

void ifl_mipmaps_drop(ifl_session *session, ifl_mipmaps *m)
{
    ifl_allocation *memory = ifl_memory_find(ifl_session_memory(session), m->level[0].address);
    for (unsigned i = 0; i < m->count; i++)
        ifl_handle_remove(&m->level[i]);
    ifl_handle_remove(m);
    if (memory)
        ifl_memory_drop(ifl_session_memory(session), memory);
    free(m);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool is_between(size_t at, size_t count, size_t size)
{
    return count <= size && at <= size - count;
}

ifl_cuda_error ifl_array_find(const ifl_array *array, const ifl_position *at, const ifl_extent *box,
                              ifl_array_side *out)
{
    const size_t element = ifl_texel_bytes(&array->texel),
                 width = ifl_texel_units(&array->texel, array->width) * element,
                 height = ifl_texel_units(&array->texel, array->height ? array->height : 1);
    const bool is_inside = !array->plane && is_between(at->x, box->width, width) &&
                           is_between(at->y, box->height, height) &&
                           is_between(at->z, box->depth, array->depth ? array->depth : 1);
    if (!is_inside || at->x % element || box->width % element)
        return ifl_cudaErrorInvalidValue;
    *out = (ifl_array_side){.start = (void *)(uintptr_t)array->address,
                            .offset = at->z * array->slice + at->y * array->pitch + at->x,
                            .pitch = array->pitch,
                            .slice = array->slice,
                            .array = (void *)(uintptr_t)array};
    return ifl_cudaSuccess;
}
