/* SPDX-License-Identifier: Apache-2.0
 * A launch's buffers on the GPU, in as many sets as times need. They are filled by copying what the
 * engine's fills made, so both backends begin with the same bytes. */
#include "session/run_gpu.h"

#include <string.h>

static const ifl_argument *argument_at(const ifl_gpu_buffers *b, size_t index)
{
    return &b->launch->arguments.at[index];
}

static size_t argument_count(const ifl_gpu_buffers *b)
{
    return b->launch->arguments.count;
}

/* Of set `set`; the kept one stands behind the last. */
static uint64_t *made_at(const ifl_gpu_buffers *b, unsigned set, size_t argument)
{
    return &b->made[set * argument_count(b) + argument];
}

static uint64_t bytes_of(const ifl_argument *argument)
{
    return argument->count * argument->element->bytes;
}

static void release_set(ifl_gpu_buffers *b, unsigned set)
{
    for (size_t i = 0; i < argument_count(b); i++) {
        ifl_gpu_texture_free(b->gpu, &b->textures[set * argument_count(b) + i]);
        ifl_gpu_release(b->gpu, *made_at(b, set, i));
        *made_at(b, set, i) = 0;
    }
}

/* cuMemAlloc aligns to 256 bytes or more, as the engine's memory does. */
static ifl_status allocate_set(ifl_gpu_buffers *b, unsigned set, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < argument_count(b) && status == IFL_OK; i++) {
        const ifl_argument *a = argument_at(b, i);
        if (a->kind == IFL_ARGUMENT_BUFFER)
            status = ifl_gpu_allocate(b->gpu, bytes_of(a) + a->misalign, made_at(b, set, i), error);
    }
    if (status != IFL_OK)
        release_set(b, set);
    return status;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static uint64_t address_of(const ifl_gpu_buffers *b, unsigned set, size_t index)
{
    const ifl_argument *a = argument_at(b, index);
    const size_t owner = a->kind == IFL_ARGUMENT_SAME ? a->same : index;
    return *made_at(b, set, owner) + argument_at(b, owner)->misalign;
}

/* CUtensorMapDataType. */
static int cuda_type(const ifl_tensor_map *map)
{
    static const uint8_t types[] = {IFL_TYPE_U8,  IFL_TYPE_U16, IFL_TYPE_U32, IFL_TYPE_S32,
                                    IFL_TYPE_U64, IFL_TYPE_S64, IFL_TYPE_F16, IFL_TYPE_F32,
                                    IFL_TYPE_F64, IFL_TYPE_BF16};
    int i = 0;
    while (i + 1 < (int)sizeof types && types[i] != map->type)
        i++;
    return i;
}

static ifl_status write_tensor(const ifl_gpu_buffers *b, const ifl_tensor_map *map,
                               uint64_t address, uint8_t *out, ifl_error *error)
{
    _Alignas(64) uint8_t made[IFL_TENSOR_MAP_BYTES];
    uint64_t size[IFL_TENSOR_RANKS];
    uint32_t box[IFL_TENSOR_RANKS];
    if (!b->gpu->cu.tensor_tiled)
        return ifl_fail(error, IFL_UNSUPPORTED, "tensor maps need a driver of CUDA 12 or later");
    for (unsigned i = 0; i < map->rank; i++) {
        size[i] = map->size[i];
        box[i] = map->box[i];
    }
    const int result = b->gpu->cu.tensor_tiled(
        made, cuda_type(map), map->rank, (void *)(uintptr_t)address, size, map->stride, box,
        map->element_stride, 0, map->swizzle, 0, map->fills_nan);
    memcpy(out, made, sizeof made);
    return ifl_gpu_check(b->gpu, result, error, "describing a tensor");
}

/* The engine's parameter block with this set's addresses in it. */
static ifl_status write_params(ifl_gpu_buffers *b, unsigned set, ifl_error *error)
{
    ifl_status status = IFL_OK;
    const ifl_kernel *kernel = b->launch->of;
    uint8_t *block = b->params[set];
    memcpy(block, b->launch->params, kernel->param_bytes);
    for (size_t i = 0; i < argument_count(b) && status == IFL_OK; i++) {
        const size_t parameter = argument_at(b, i)->parameter;
        uint8_t *at = block + kernel->parameters[parameter].offset;
        b->pointers[set * kernel->parameter_count + parameter] = at;
        at += argument_at(b, i)->offset;
        if (argument_at(b, i)->kind == IFL_ARGUMENT_VALUE)
            continue;
        const uint64_t address = address_of(b, set, i);
        if (argument_at(b, i)->tensor)
            status = write_tensor(b, argument_at(b, i)->tensor, address, at, error);
        else if (argument_at(b, i)->texture)
            status = ifl_gpu_texture_make(b->gpu, argument_at(b, i)->texture, address,
                                          b->launch->buffers[i]->host,
                                          &b->textures[set * argument_count(b) + i], at, error);
        else
            memcpy(at, &address, sizeof address);
    }
    return status;
}

/* ---- sets ------------------------------------------------------------------------------------ */

static ifl_status make_tables(ifl_gpu_buffers *b, ifl_error *error)
{
    const size_t most_sets = IFL_MOST_SETS;
    const ifl_launch *launch = b->launch;
    const size_t count = argument_count(b), bytes = launch->of->param_bytes;
    b->made = calloc((most_sets + 1) * (count + 1), sizeof *b->made);
    b->pointers = calloc(most_sets * (launch->of->parameter_count + 1), sizeof *b->pointers);
    b->params = calloc(most_sets, sizeof *b->params);
    b->textures = calloc((most_sets + 1) * (count + 1), sizeof *b->textures);
    if (!b->made || !b->pointers || !b->params || !b->textures)
        return ifl_fail_memory(error, count * sizeof *b->made);
    b->params[0] = calloc(most_sets, bytes + 1);
    if (!b->params[0])
        return ifl_fail_memory(error, bytes);
    for (size_t i = 1; i < most_sets; i++)
        b->params[i] = b->params[0] + i * (bytes + 1);
    return IFL_OK;
}

static ifl_status fill_first(ifl_gpu_buffers *b, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < argument_count(b) && status == IFL_OK; i++)
        if (argument_at(b, i)->kind == IFL_ARGUMENT_BUFFER)
            status = ifl_gpu_write(b->gpu, address_of(b, 0, i), b->launch->buffers[i]->host,
                                   bytes_of(argument_at(b, i)), error);
    return status;
}

ifl_status ifl_gpu_buffers_make(ifl_gpu_buffers *b, const ifl_gpu *gpu, ifl_launch *launch,
                                ifl_error *error)
{
    *b = (ifl_gpu_buffers){.gpu = gpu, .launch = launch};
    for (size_t i = 0; i < argument_count(b); i++)
        if (argument_at(b, i)->kind == IFL_ARGUMENT_BUFFER)
            b->bytes += bytes_of(argument_at(b, i));
    ifl_status status = make_tables(b, error);
    if (status == IFL_OK)
        status = allocate_set(b, 0, error);
    if (status != IFL_OK)
        return status;
    b->sets = 1;
    status = write_params(b, 0, error);
    return status == IFL_OK ? fill_first(b, error) : status;
}

static ifl_status copy_set(const ifl_gpu_buffers *b, const uint64_t *to, const uint64_t *from,
                           ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < argument_count(b) && status == IFL_OK; i++) {
        const ifl_argument *a = argument_at(b, i);
        if (a->kind == IFL_ARGUMENT_BUFFER)
            status = ifl_gpu_check(b->gpu,
                                   b->gpu->cu.copy(to[i] + a->misalign, from[i] + a->misalign,
                                                   bytes_of(a), b->gpu->stream),
                                   error, "copying on the GPU");
    }
    return status;
}

/* The kept set takes the row behind those that there can be at most. */
ifl_status ifl_gpu_buffers_add(ifl_gpu_buffers *b, unsigned sets, ifl_error *error)
{
    const uint64_t half = ifl_gpu_free_bytes(b->gpu) / 2;
    const uint64_t room = b->bytes ? half / b->bytes : 0;
    if (room == 0)
        return IFL_OK;
    uint64_t *const last = made_at(b, IFL_MOST_SETS, 0);
    ifl_status status = allocate_set(b, IFL_MOST_SETS, error);
    if (status == IFL_NO_MEMORY)
        return IFL_OK;
    if (status == IFL_OK)
        status = copy_set(b, last, made_at(b, 0, 0), error);
    b->has_kept = status == IFL_OK;
    while (status == IFL_OK && b->sets < sets && b->sets < room && b->sets < IFL_MOST_SETS) {
        status = allocate_set(b, b->sets, error);
        if (status == IFL_NO_MEMORY)
            return IFL_OK;
        if (status == IFL_OK)
            status = write_params(b, b->sets++, error);
    }
    return status;
}

ifl_status ifl_gpu_buffers_restore(ifl_gpu_buffers *b, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (unsigned set = 0; set < b->sets && b->has_kept && status == IFL_OK; set++)
        status = copy_set(b, made_at(b, set, 0), made_at(b, IFL_MOST_SETS, 0), error);
    return status;
}

ifl_status ifl_gpu_buffers_read(ifl_gpu_buffers *b, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < argument_count(b) && status == IFL_OK; i++)
        if (argument_at(b, i)->kind == IFL_ARGUMENT_BUFFER)
            status = ifl_gpu_read(b->gpu, b->launch->buffers[i]->host, address_of(b, 0, i),
                                  bytes_of(argument_at(b, i)), error);
    return status;
}

void ifl_gpu_buffers_free(ifl_gpu_buffers *b)
{
    for (unsigned set = 0; b->made && b->textures && set <= IFL_MOST_SETS; set++)
        release_set(b, set);
    if (b->params)
        free(b->params[0]);
    free(b->params);
    free(b->pointers);
    free(b->made);
    free(b->textures);
    *b = (ifl_gpu_buffers){0};
}
