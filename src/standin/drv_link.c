/* SPDX-License-Identifier: Apache-2.0
 * The driver's linker, as far as nothing has to be linked: one PTX text in, the same text out, which a module is then
 * loaded from. */
#include "standin/driver_served.h"
#include "standin/handle.h"

#include <stdlib.h>

enum { INPUT_PTX = 1 }; /* CUjitInputType */

typedef struct link_state {
    char *text; /* NULL: nothing was added yet */
    size_t bytes;
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

IFL_SERVED ifl_cuda_error cuLinkCreate_v2(unsigned count, int *options, void **values, link_state **out)
{
    (void)count, (void)options, (void)values;
    DRIVE(out ? create(out) : ifl_cudaErrorInvalidValue);
}

static ifl_cuda_error add(link_state *state, int type, const char *data, size_t bytes)
{
    if (!state || !data)
        return state ? ifl_cudaErrorInvalidValue : (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    if (type != INPUT_PTX || state->text) {
        ifl_state_tell("cuLinkAddData: %s is not linked here",
                       state->text ? "a second input" : "anything but PTX");
        return ifl_cudaErrorNotSupported;
    }
    state->text = bytes < SIZE_MAX ? calloc(1, bytes + 1) : NULL;
    if (!state->text)
        return ifl_cudaErrorMemoryAllocation;
    memcpy(state->text, data, bytes);
    state->bytes = strlen(state->text) + 1;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuLinkAddData_v2(const void *state, int type, const void *data, size_t bytes,
                                           const char *name, unsigned count, int *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values;
    DRIVE(add(state_of(state), type, data, bytes));
}

static ifl_cuda_error complete(const link_state *state, void **out, size_t *bytes)
{
    if (!state)
        return (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    if (!state->text || !out)
        return ifl_cudaErrorInvalidValue;
    *out = state->text;
    if (bytes)
        *bytes = state->bytes;
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
    free(state->text);
    free(state);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuLinkDestroy(const void *state)
{
    DRIVE(destroy(state_of(state)));
}
