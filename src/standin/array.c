/* SPDX-License-Identifier: Apache-2.0
 * See array.h. */
#include "standin/array.h"

#include "code/texel_format.h"
#include "standin/chosen_gpu.h"
#include "standin/handle.h"

#include <stdlib.h>

enum { BLOCK_BYTES = 64, BLOCK_ROWS = 8 };

/* ---- channels -------------------------------------------------------------------------------- */

/* CUDA takes them, and they are told of by name: two planes of one picture (NV12), and elements that
 * are compressed in blocks of 4 by 4. */
static bool is_left_out(int kind)
{
    enum { NV12 = 4, FIRST_COMPRESSED = 17, LAST_COMPRESSED = 30 };
    return kind == NV12 || (kind >= FIRST_COMPRESSED && kind <= LAST_COMPRESSED);
}

ifl_cuda_error ifl_texel_of_channels(const ifl_channels *channels, ifl_texel *texel)
{
    if (ifl_texel_of_kind(channels->kind, channels->bits, texel))
        return ifl_cudaSuccess;
    if (!is_left_out(channels->kind))
        return ifl_cudaErrorInvalidChannelDescriptor;
    ifl_state_tell(
        "error: arrays of planes (NV12) and of block-compressed elements (BC1 to BC7) are "
        "not served");
    return ifl_cudaErrorNotSupported;
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

static bool is_right(const ifl_array *a)
{
    const limit most = limit_of(a);
    const bool is_layered = a->flags & IFL_ARRAY_LAYERED, is_cube = a->flags & IFL_ARRAY_CUBE;
    const bool is_faces =
        a->width == a->height && a->depth &&
        (is_layered ? a->depth % IFL_CUBE_FACES == 0 : a->depth == IFL_CUBE_FACES);
    const bool is_deep = a->depth && !is_layered && !is_cube;
    return a->width && a->width <= most.width && a->height <= most.height &&
           a->depth <= most.depth && !(a->flags & ~(unsigned)IFL_ARRAY_FLAGS) &&
           (!is_cube || is_faces) && (!is_layered || a->depth) && (!is_deep || a->height);
}

static size_t up_to(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* The limits keep all but the last product far from overflow. */
static bool lay_out(ifl_array *a)
{
    const size_t rows = up_to(a->height ? a->height : 1, BLOCK_ROWS);
    a->pitch = up_to(a->width * ifl_texel_bytes(&a->texel), BLOCK_BYTES);
    a->slice = a->pitch * rows;
    return !__builtin_mul_overflow(a->slice, a->depth ? a->depth : 1, &a->bytes);
}

static void label(char *to, size_t size, const ifl_array *a, const char *call, const void *from)
{
    char site[64];
    ifl_state_site(from, site, sizeof site);
    snprintf(to, size, "%s(%zux%zux%zu) of %s", call, a->width, a->height, a->depth, site);
}

ifl_cuda_error ifl_array_make(ifl_session *session, const ifl_array *asked, const char *call,
                              const void *from, ifl_array **out)
{
    char text[112];
    ifl_allocation *memory;
    ifl_error error = {0};
    if (!is_right(asked))
        return ifl_cudaErrorInvalidValue;
    ifl_array *array = malloc(sizeof *array);
    if (!array)
        return ifl_cudaErrorMemoryAllocation;
    *array = *asked;
    label(text, sizeof text, array, call, from);
    if (!lay_out(array) ||
        ifl_memory_allocate(ifl_session_memory(session), array->bytes, 0, IFL_ALLOCATION_UNWRITTEN,
                            text, &memory, &error) != IFL_OK) {
        free(array);
        return ifl_cudaErrorMemoryAllocation;
    }
    memory->gpu = (uint32_t)ifl_gpu_chosen();
    array->address = memory->address;
    *out = array;
    if (ifl_handle_add(IFL_HANDLE_ARRAY, array))
        return ifl_cudaSuccess;
    ifl_memory_drop(ifl_session_memory(session), memory);
    free(array);
    return ifl_cudaErrorMemoryAllocation;
}

ifl_array *ifl_array_of(const void *handle)
{
    return ifl_handle_find(IFL_HANDLE_ARRAY, handle);
}

void ifl_array_drop(ifl_session *session, ifl_array *array)
{
    ifl_allocation *memory = ifl_memory_find(ifl_session_memory(session), array->address);
    ifl_handle_remove(array);
    if (memory)
        ifl_memory_drop(ifl_session_memory(session), memory);
    free(array);
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
        level->is_level = true;
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
    if (!is_right(asked))
        return ifl_cudaErrorInvalidValue;
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
    const size_t element = ifl_texel_bytes(&array->texel);
    const bool is_inside = is_between(at->x, box->width, array->width * element) &&
                           is_between(at->y, box->height, array->height ? array->height : 1) &&
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
