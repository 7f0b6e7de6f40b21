/* SPDX-License-Identifier: Apache-2.0
 * What nvcc's generated code calls before main, and around <<<>>>. */
#include "standin/binary.h"
#include "standin/launch_call.h"
#include "standin/served.h"

#include <stdlib.h>

IFL_SERVED void **__cudaRegisterFatBinary(void *wrapper)
{
    return wrapper ? (void **)ifl_binary_register(wrapper, IFL_HANDLE_FATBIN) : NULL;
}

IFL_SERVED void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

IFL_SERVED void __cudaUnregisterFatBinary(void **handle)
{
    ifl_binary *binary = ifl_handle_find(IFL_HANDLE_FATBIN, handle);
    if (binary)
        ifl_binary_forget(binary);
}

static void register_variable(const void *handle, const char *host, void **managed,
                              const char *name, size_t bytes)
{
    if (!ifl_variable_register(handle, host, managed, name, bytes))
        ifl_state_tell("cannot register %s", name ? name : "a variable without a name");
}

IFL_SERVED void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                       const char *name, int limit, void *thread, void *block,
                                       void *block_size, void *grid_size, int *warp_size)
{
    (void)device, (void)limit, (void)thread, (void)block, (void)block_size, (void)grid_size,
        (void)warp_size;
    if (!ifl_function_register(handle, host, name))
        ifl_state_tell("cannot register %s", name ? name : "a kernel without a name");
}

IFL_SERVED void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                  int is_extern, size_t bytes, int constant, int global)
{
    (void)device, (void)is_extern, (void)constant, (void)global;
    register_variable(handle, host, NULL, name, bytes);
}

IFL_SERVED void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                         int is_extern, size_t bytes, int constant, int global)
{
    (void)device, (void)is_extern, (void)constant, (void)global;
    register_variable(handle, (const char *)host, host, name, bytes);
}

/* Called before the first use of a managed variable. */
IFL_SERVED char __cudaInitModule(void **handle)
{
    ifl_session *session = ifl_state_enter();
    if (!session)
        return 0;
    ifl_binary *binary = ifl_handle_find(IFL_HANDLE_FATBIN, handle);
    const ifl_cuda_error code =
        binary ? ifl_binary_read_managed(session, binary) : ifl_cudaErrorInvalidValue;
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

IFL_SERVED unsigned __cudaPushCallConfiguration(ifl_dim3 grid, ifl_dim3 block, size_t shared_bytes,
                                                void *stream)
{
    if (pending_count == MOST_PENDING)
        return ifl_cudaErrorLaunchOutOfResources;
    pending[pending_count++] =
        (configuration){grid, block, shared_bytes, stream, __builtin_return_address(0)};
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error __cudaPopCallConfiguration(ifl_dim3 *grid, ifl_dim3 *block,
                                                     size_t *shared_bytes, void *stream)
{
    if (!grid || !block || !shared_bytes || !stream)
        return ifl_state_end(ifl_cudaErrorInvalidValue);
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
