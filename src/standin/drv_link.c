/* SPDX-License-Identifier: Apache-2.0
 * The driver's linker. One PTX text comes out as it went in, and a module is loaded from it;
 * anything else is linked by nvJitLink for the chosen GPU, where that library is found. */
#include "standin/chosen_gpu.h"
#include "standin/driver_served.h"
#include "standin/handle.h"
#include "standin/image.h"

#include "base/vec.h"
#include "compile/nvjitlink.h"

#include <stdlib.h>

enum { INPUT_PTX = 1, INPUTS = 6 }; /* CUjitInputType */

typedef struct link_state {
    IFL_VEC(ifl_link_input) inputs;
    char *linked; /* by nvJitLink */
} link_state;

static link_state *state_of(const void *handle)
{
    return ifl_handle_find(IFL_HANDLE_LINK, handle);
}

static ifl_cuda_error create(link_state **out)
{
    link_state *state = calloc(1, sizeof *state);
    if (!state || !ifl_handle_add(IFL_HANDLE_LINK, state)) {
        free(state);
        return ifl_cudaErrorMemoryAllocation;
    }
    *out = state;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuLinkCreate_v2(unsigned count, int *options, void **values,
                                          link_state **out)
{
    (void)count, (void)options, (void)values;
    DRIVE(out ? create(out) : ifl_cudaErrorInvalidValue);
}
ALSO(cuLinkCreate, cuLinkCreate_v2);

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Takes the bytes over, which have a 0 behind them. A text ends at its first 0, whatever its size
 * is said to be. */
static ifl_cuda_error keep(link_state *state, int type, char *bytes, size_t size)
{
    const size_t whole = type == INPUT_PTX ? strlen(bytes) + 1 : size;
    if (ifl_vec_push(&state->inputs,
                     ((ifl_link_input){type, bytes, whole, "an input of the linker"})))
        return ifl_cudaSuccess;
    free(bytes);
    return ifl_cudaErrorMemoryAllocation;
}

static ifl_cuda_error add(link_state *state, int type, const char *data, size_t bytes)
{
    if (!state || !data || type < 0 || type >= INPUTS)
        return state ? ifl_cudaErrorInvalidValue : (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    char *copy = bytes < SIZE_MAX ? calloc(1, bytes + 1) : NULL;
    if (!copy)
        return ifl_cudaErrorMemoryAllocation;
    memcpy(copy, data, bytes);
    return keep(state, type, copy, bytes);
}

IFL_SERVED ifl_cuda_error cuLinkAddData_v2(const void *state, int type, const void *data,
                                           size_t bytes, const char *name, unsigned count,
                                           int *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values;
    DRIVE(add(state_of(state), type, data, bytes));
}
ALSO(cuLinkAddData, cuLinkAddData_v2);

static ifl_cuda_error add_file(link_state *state, int type, const char *path)
{
    if (!state || !path || type < 0 || type >= INPUTS)
        return state ? ifl_cudaErrorInvalidValue : (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    size_t size;
    FILE *file = fopen(path, "rb");
    if (!file)
        return (ifl_cuda_error)IFL_CUDA_FILE_NOT_FOUND;
    char *bytes = ifl_image_read(file, &size);
    fclose(file);
    return bytes ? keep(state, type, bytes, size) : ifl_cudaErrorMemoryAllocation;
}

IFL_SERVED ifl_cuda_error cuLinkAddFile_v2(const void *state, int type, const char *path,
                                           unsigned count, int *options, void **values)
{
    (void)count, (void)options, (void)values;
    DRIVE(add_file(state_of(state), type, path));
}
ALSO(cuLinkAddFile, cuLinkAddFile_v2);

/* ---- the result ------------------------------------------------------------------------------ */

static ifl_cuda_error link_inputs(link_state *state, void **out, size_t *bytes)
{
    enum { MAJOR = 75, MINOR = 76 };
    char arch[16];
    int major = 0, minor = 0;
    ifl_error error = {0};
    cudaDeviceGetAttribute(&major, MAJOR, ifl_gpu_chosen());
    cudaDeviceGetAttribute(&minor, MINOR, ifl_gpu_chosen());
    snprintf(arch, sizeof arch, "%d%d", major, minor);
    free(state->linked);
    state->linked = NULL;
    const ifl_status status =
        ifl_nvjitlink(arch, state->inputs.at, state->inputs.count, &state->linked, bytes, &error);
    *out = state->linked;
    if (status == IFL_OK)
        return ifl_cudaSuccess;
    ifl_state_tell_error(&error);
    return status == IFL_UNSUPPORTED ? ifl_cudaErrorNotSupported
                                     : (ifl_cuda_error)IFL_CUDA_INVALID_IMAGE;
}

static ifl_cuda_error complete(link_state *state, void **out, size_t *bytes)
{
    size_t unused;
    if (!state)
        return (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    if (!state->inputs.count || !out)
        return ifl_cudaErrorInvalidValue;
    const ifl_link_input *first = state->inputs.at;
    if (state->inputs.count > 1 || first->type != INPUT_PTX)
        return link_inputs(state, out, bytes ? bytes : &unused);
    *out = first->bytes;
    if (bytes)
        *bytes = first->size;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuLinkComplete(const void *state, void **out, size_t *bytes)
{
    DRIVE(complete(state_of(state), out, bytes));
}

static ifl_cuda_error destroy(link_state *state)
{
    if (!state)
        return (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    ifl_handle_remove(state);
    for (size_t i = 0; i < state->inputs.count; i++)
        free(state->inputs.at[i].bytes);
    ifl_vec_free(&state->inputs);
    free(state->linked);
    free(state);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuLinkDestroy(const void *state)
{
    DRIVE(destroy(state_of(state)));
}
