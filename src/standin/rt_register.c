/* SPDX-License-Identifier: Apache-2.0
 * What nvcc's generated code calls before main, and around <<<>>>. */
#include "standin/binary.h"
#include "standin/launch_call.h"
#include "standin/served.h"

#include <stdlib.h>

IFL_SERVED void **__cudaRegisterFatBinary(void *wrapper)
{
    return (void **)ifl_binary_register(wrapper);
}

IFL_SERVED void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

IFL_SERVED void __cudaUnregisterFatBinary(void **handle)
{
    if (handle)
        ifl_binary_forget((ifl_binary *)handle);
}

static void no_memory(const char *name)
{
    ifl_state_tell("no memory to register %s", name);
}

IFL_SERVED void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                                       void *thread, void *block, void *block_size, void *grid_size, int *warp_size)
{
    (void)device, (void)limit, (void)thread, (void)block, (void)block_size, (void)grid_size, (void)warp_size;
    if (!ifl_function_register((ifl_binary *)handle, host, name))
        no_memory(name);
}

IFL_SERVED void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                                  size_t bytes, int constant, int global)
{
    (void)device, (void)is_extern, (void)constant, (void)global;
    if (!ifl_variable_register((ifl_binary *)handle, host, NULL, name, bytes))
        no_memory(name);
}

IFL_SERVED void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int is_extern,
                                         size_t bytes, int constant, int global)
{
    (void)device, (void)is_extern, (void)constant, (void)global;
    if (!ifl_variable_register((ifl_binary *)handle, host, host, name, bytes))
        no_memory(name);
}

/* Called before the first use of a managed variable. */
IFL_SERVED char __cudaInitModule(void **handle)
{
    ifl_session *session = ifl_state_enter();
    if (!session)
        return 0;
    const ifl_cuda_error code = ifl_binary_read_managed(session, (ifl_binary *)handle);
    ifl_state_leave();
    return code == ifl_cudaSuccess;
}

/* ---- <<<>>> ---------------------------------------------------------------------------------- */

typedef struct configuration {
    ifl_dim3 grid, block;
    size_t shared_bytes;
    void *stream;
    const void *from; /* the code that launches */
} configuration;

enum { MOST_PENDING = 64 };
static _Thread_local configuration pending[MOST_PENDING];
static _Thread_local unsigned pending_count;
static _Thread_local const void *popped_from;

IFL_SERVED unsigned __cudaPushCallConfiguration(ifl_dim3 grid, ifl_dim3 block, size_t shared_bytes, void *stream)
{
    if (pending_count == MOST_PENDING)
        return ifl_cudaErrorLaunchOutOfResources;
    pending[pending_count++] = (configuration){grid, block, shared_bytes, stream,
                                               __builtin_return_address(0)};
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error __cudaPopCallConfiguration(ifl_dim3 *grid, ifl_dim3 *block, size_t *shared_bytes, void *stream)
{
    if (!pending_count)
        return ifl_state_end(ifl_cudaErrorMissingConfiguration);
    const configuration *top = &pending[--pending_count];
    *grid = top->grid;
    *block = top->block;
    *shared_bytes = top->shared_bytes;
    *(void **)stream = top->stream;
    popped_from = top->from;
    return ifl_cudaSuccess;
}

const void *ifl_launch_place(const void *caller)
{
    const void *from = popped_from ? popped_from : caller;
    popped_from = NULL;
    return from;
}
