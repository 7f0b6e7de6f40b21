/* SPDX-License-Identifier: Apache-2.0
 * The driver's linker, as far as nothing has to be linked: one PTX text in, the same text out, which a module is then
 * loaded from. */
#include "standin/driver_served.h"

#include <stdlib.h>

enum { INPUT_PTX = 1 }; /* CUjitInputType */

typedef struct link_state {
    char *text; /* NULL: nothing was added yet */
    size_t bytes;
} link_state;

static ifl_cuda_error create(link_state **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}

IFL_SERVED ifl_cuda_error cuLinkCreate_v2(unsigned count, int *options, void **values, link_state **out)
{
    (void)count, (void)options, (void)values;
    DRIVE(out ? create(out) : ifl_cudaErrorInvalidValue);
}

static ifl_cuda_error add(link_state *state, int type, const char *data, size_t bytes)
{
    if (type != INPUT_PTX || state->text) {
        ifl_state_tell("cuLinkAddData: %s is not linked here",
                       state->text ? "a second input" : "anything but PTX");
        return ifl_cudaErrorNotSupported;
    }
    state->text = calloc(1, bytes + 1);
    if (!state->text)
        return ifl_cudaErrorMemoryAllocation;
    memcpy(state->text, data, bytes);
    state->bytes = strlen(state->text) + 1;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuLinkAddData_v2(link_state *state, int type, const void *data, size_t bytes,
                                           const char *name, unsigned count, int *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values;
    DRIVE(state && data ? add(state, type, data, bytes) : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cuLinkComplete(const link_state *state, void **out, size_t *bytes)
{
    const bool is_whole = state && state->text && out;
    if (is_whole)
        *out = state->text;
    if (is_whole && bytes)
        *bytes = state->bytes;
    DRIVE(is_whole ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cuLinkDestroy(link_state *state)
{
    if (state)
        free(state->text);
    free(state);
    DRIVE(state ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}
