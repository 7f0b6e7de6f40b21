/* SPDX-License-Identifier: Apache-2.0
 * A launch's textures on the GPU, made by the driver: CUDA Driver API reference, Texture Object
 * Management. */
#include "session/run_gpu.h"

#include "code/texel_format.h"

#include <string.h>

static ifl_status fill_array(const ifl_gpu *gpu, const ifl_texture *t, const void *host,
                             ifl_gpu_texture *made, ifl_error *error)
{
    const ifl_cuda_array array = {t->size[0], t->size[1], ifl_format_of_texel(&t->texel),
                                  t->texel.channels};
    ifl_status status =
        ifl_gpu_check(gpu, gpu->cu.array_new(&made->array, &array), error, "making an array");
    if (status != IFL_OK)
        return status;
    const ifl_cuda_copy copy = {
        .from = {.type = IFL_CUDA_ON_HOST, .host = (uint8_t *)(uintptr_t)host, .pitch = t->pitch},
        .to = {.type = IFL_CUDA_IN_ARRAY, .array = made->array},
        .width = t->pitch,
        .height = t->size[1]};
    return ifl_gpu_check(gpu, gpu->cu.copy_rows(&copy), error, "filling an array");
}

ifl_status ifl_gpu_texture_make(const ifl_gpu *gpu, const ifl_texture *texture, uint64_t address,
                                const void *host, ifl_gpu_texture *made, uint8_t *out,
                                ifl_error *error)
{
    ifl_cuda_resource resource = {.type = IFL_RESOURCE_ROWS};
    ifl_cuda_sampler sampler = {.filter = texture->filters};
    const ifl_driver *cu = &gpu->cu;
    ifl_status status = IFL_OK;
    if (!cu->array_new || !cu->array_free || !cu->copy_rows || !cu->texture_new ||
        !cu->texture_free)
        return ifl_fail(error, IFL_UNSUPPORTED, "the driver has no textures");
    if (texture->is_blocks) {
        status = fill_array(gpu, texture, host, made, error);
        resource.type = IFL_RESOURCE_ARRAY;
        resource.of.array = made->array;
    } else {
        resource.of.rows.address = (void *)(uintptr_t)address;
        resource.of.rows.format = ifl_format_of_texel(&texture->texel);
        resource.of.rows.channels = texture->texel.channels;
        resource.of.rows.width = texture->size[0];
        resource.of.rows.height = texture->size[1];
        resource.of.rows.pitch = texture->pitch;
    }
    if (texture->texel.of != IFL_TEXEL_FLOAT)
        sampler.flags = IFL_CUDA_READ_AS_INTEGER;
    for (unsigned i = 0; i < IFL_TEXTURE_RANKS; i++)
        sampler.mode[i] = texture->mode[i];
    if (status == IFL_OK)
        status = ifl_gpu_check(gpu, gpu->cu.texture_new(&made->object, &resource, &sampler, NULL),
                               error, "making a texture");
    memcpy(out, &made->object, sizeof made->object);
    return status;
}

void ifl_gpu_texture_free(const ifl_gpu *gpu, ifl_gpu_texture *made)
{
    if (made->object)
        gpu->cu.texture_free(made->object);
    if (made->array)
        gpu->cu.array_free(made->array);
    *made = (ifl_gpu_texture){0};
}
