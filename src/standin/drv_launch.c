/* SPDX-License-Identifier: Apache-2.0
 * Launches by the driver's calls: parameters come one by one, as the whole block, or, as before
 * CUDA 4, by calls of their own. */
#include "standin/driver_served.h"

#include <stdlib.h>
#include <string.h>

/* The words that `extra` is made of. */
#define EXTRA_END ((void *)0)
#define EXTRA_POINTER ((void *)1)
#define EXTRA_SIZE ((void *)2)

typedef struct packed {
    uint8_t *at;
    size_t bytes;
} packed;

static packed read_extra(void **extra)
{
    packed block = {0};
    for (; *extra != EXTRA_END; extra += 2) {
        if (*extra == EXTRA_POINTER)
            block.at = extra[1];
        else if (*extra == EXTRA_SIZE && extra[1])
            block.bytes = *(const size_t *)extra[1];
        else
            return (packed){0};
    }
    return block.bytes ? block : (packed){0};
}

/* Pointers into a copy of the block, as kernelParams would have been; of malloc, the copy behind them. The
 * block may end before the parameters do, the rest of which are zeros: a driver takes any but an empty one (an
 * H200's, 580.159.04), and NCCL gives less than its kernels declare. NULL: there is none, or no memory. */
static void **unpack(const ifl_ready_kernel *kernel, packed block)
{
    const ifl_kernel *of = kernel->kernel;
    const size_t pointers = (of->parameter_count + 1) * sizeof(void *),
                 given = block.bytes < of->param_bytes ? block.bytes : of->param_bytes;
    void **arguments = block.at ? calloc(1, pointers + of->param_bytes) : NULL;
    if (!arguments)
        return NULL;
    char *copy = (char *)arguments + pointers;
    memcpy(copy, block.at, given);
    for (uint32_t i = 0; i < of->parameter_count; i++)
        arguments[i] = copy + of->parameters[i].offset;
    return arguments;
}

static ifl_cuda_error launch_packed(ifl_session *session, ifl_function_record *function,
                                    ifl_launch_call *call, packed block)
{
    const ifl_cuda_error code = ifl_function_resolve(session, function);
    if (code != ifl_cudaSuccess)
        return code;
    call->arguments = unpack(function->kernel, block);
    const ifl_cuda_error done =
        call->arguments ? ifl_launch_serve(session, function, call) : ifl_cudaErrorInvalidValue;
    free(call->arguments);
    return done;
}

static ifl_cuda_error launch_function(ifl_session *session, void *handle, ifl_launch_call *call,
                                      void **extra)
{
    ifl_function_record *function = ifl_function_of(handle);
    if (!function)
        return (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    if (call->arguments && extra)
        return ifl_cudaErrorInvalidValue;
    if (extra)
        return launch_packed(session, function, call, read_extra(extra));
    const ifl_cuda_error code = ifl_function_resolve(session, function);
    if (code == ifl_cudaSuccess && !call->arguments && function->kernel->kernel->parameter_count)
        return ifl_cudaErrorInvalidValue;
    return code == ifl_cudaSuccess ? ifl_launch_serve(session, function, call) : code;
}

static ifl_cuda_error launch(void *handle, ifl_launch_call call, void **extra)
{
    SERVE(launch_function(session, handle, &call, extra));
}

IFL_SERVED ifl_cuda_error cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y,
                                         unsigned grid_z, unsigned block_x, unsigned block_y,
                                         unsigned block_z, unsigned shared_bytes, void *stream,
                                         void **params, void **extra)
{
    const ifl_launch_call call = {.grid = {grid_x, grid_y, grid_z},
                                  .block = {block_x, block_y, block_z},
                                  .arguments = params,
                                  .shared_bytes = shared_bytes,
                                  .stream = stream,
                                  .from = __builtin_return_address(0)};
    DRIVE(launch(function, call, extra));
}
ALSO_OF_THREAD(cuLaunchKernel_ptsz, cuLaunchKernel);

IFL_SERVED ifl_cuda_error cuLaunchCooperativeKernel(void *function, unsigned grid_x,
                                                    unsigned grid_y, unsigned grid_z,
                                                    unsigned block_x, unsigned block_y,
                                                    unsigned block_z, unsigned shared_bytes,
                                                    void *stream, void **params)
{
    const ifl_launch_call call = {.grid = {grid_x, grid_y, grid_z},
                                  .block = {block_x, block_y, block_z},
                                  .arguments = params,
                                  .shared_bytes = shared_bytes,
                                  .stream = stream,
                                  .cooperative = true,
                                  .from = __builtin_return_address(0)};
    DRIVE(launch(function, call, NULL));
}
ALSO_OF_THREAD(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel);

/* ---- with attributes ------------------------------------------------------------------------- */

typedef struct configuration {
    ifl_dim3 grid, block;
    unsigned shared_bytes;
    void *stream;
    const ifl_launch_attribute *attributes;
    unsigned attribute_count;
} configuration;

static ifl_cuda_error launch_with(const configuration *c, void *function, void **params,
                                  void **extra, const void *from)
{
    ifl_launch_call call = {.grid = c->grid,
                            .block = c->block,
                            .arguments = params,
                            .shared_bytes = c->shared_bytes,
                            .stream = c->stream,
                            .from = from};
    const ifl_cuda_error code = ifl_launch_take(&call, c->attributes, c->attribute_count);
    return code == ifl_cudaSuccess ? launch(function, call, extra) : code;
}

IFL_SERVED ifl_cuda_error cuLaunchKernelEx(const configuration *c, void *function, void **params,
                                           void **extra)
{
    DRIVE(c ? launch_with(c, function, params, extra, __builtin_return_address(0))
            : ifl_cudaErrorInvalidValue);
}
ALSO_OF_THREAD(cuLaunchKernelEx_ptsz, cuLaunchKernelEx);

/* ---- as before CUDA 4 ------------------------------------------------------------------------ */

/* Kept with the function, as 4,096 bytes of parameters were the most then. */
struct ifl_old_launch {
    ifl_dim3 block;
    unsigned shared_bytes, bytes;
    _Alignas(16) uint8_t parameters[4096];
};

static ifl_cuda_error old_of(void *handle, struct ifl_old_launch **out)
{
    ifl_function_record *function = ifl_function_of(handle);
    if (!function)
        return (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    if (!function->old_launch)
        function->old_launch = calloc(1, sizeof *function->old_launch);
    *out = function->old_launch;
    return *out ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}

static ifl_cuda_error set_block(void *handle, ifl_dim3 block)
{
    struct ifl_old_launch *old;
    const ifl_cuda_error code = old_of(handle, &old);
    if (code == ifl_cudaSuccess)
        old->block = block;
    return code;
}

IFL_SERVED ifl_cuda_error cuFuncSetBlockShape(void *function, int x, int y, int z)
{
    const bool is_block = x > 0 && y > 0 && z > 0;
    DRIVE(is_block ? set_block(function, (ifl_dim3){(unsigned)x, (unsigned)y, (unsigned)z})
                   : ifl_cudaErrorInvalidValue);
}

static ifl_cuda_error set_shared(void *handle, unsigned bytes)
{
    struct ifl_old_launch *old;
    const ifl_cuda_error code = old_of(handle, &old);
    if (code == ifl_cudaSuccess)
        old->shared_bytes = bytes;
    return code;
}

IFL_SERVED ifl_cuda_error cuFuncSetSharedSize(void *function, unsigned bytes)
{
    DRIVE(set_shared(function, bytes));
}

static ifl_cuda_error set_size(void *handle, unsigned bytes)
{
    struct ifl_old_launch *old;
    const ifl_cuda_error code = old_of(handle, &old);
    if (code != ifl_cudaSuccess || bytes > sizeof old->parameters)
        return code != ifl_cudaSuccess ? code : ifl_cudaErrorInvalidValue;
    old->bytes = bytes;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuParamSetSize(void *function, unsigned bytes)
{
    DRIVE(set_size(function, bytes));
}

static ifl_cuda_error set_parameter(void *handle, int offset, const void *from, unsigned bytes)
{
    struct ifl_old_launch *old;
    const ifl_cuda_error code = old_of(handle, &old);
    if (code != ifl_cudaSuccess)
        return code;
    if (!from || offset < 0 || (size_t)offset > sizeof old->parameters ||
        bytes > sizeof old->parameters - (size_t)offset)
        return ifl_cudaErrorInvalidValue;
    memcpy(old->parameters + offset, from, bytes);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuParamSetv(void *function, int offset, const void *from, unsigned bytes)
{
    DRIVE(set_parameter(function, offset, from, bytes));
}

IFL_SERVED ifl_cuda_error cuParamSeti(void *function, int offset, unsigned value)
{
    DRIVE(set_parameter(function, offset, &value, sizeof value));
}

IFL_SERVED ifl_cuda_error cuParamSetf(void *function, int offset, float value)
{
    DRIVE(set_parameter(function, offset, &value, sizeof value));
}

static ifl_cuda_error launch_old_in(ifl_session *session, void *handle, ifl_launch_call *call)
{
    struct ifl_old_launch *old;
    const ifl_cuda_error code = old_of(handle, &old);
    if (code != ifl_cudaSuccess)
        return code;
    call->block = old->block;
    call->shared_bytes = old->shared_bytes;
    ifl_function_record *function = ifl_function_of(handle);
    const ifl_cuda_error found = ifl_function_resolve(session, function);
    if (found == ifl_cudaSuccess && old->bytes > function->kernel->kernel->param_bytes)
        return ifl_cudaErrorLaunchOutOfResources; /* so an H200's driver has it */
    return launch_packed(session, function, call, (packed){old->parameters, old->bytes});
}

static ifl_cuda_error launch_old(void *handle, int width, int height, void *stream,
                                 const void *from)
{
    if (width < 1 || height < 1)
        return ifl_cudaErrorInvalidValue;
    ifl_launch_call call = {
        .grid = {(unsigned)width, (unsigned)height, 1}, .stream = stream, .from = from};
    SERVE(launch_old_in(session, handle, &call));
}

IFL_SERVED ifl_cuda_error cuLaunch(void *function)
{
    DRIVE(launch_old(function, 1, 1, NULL, __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cuLaunchGrid(void *function, int width, int height)
{
    DRIVE(launch_old(function, width, height, NULL, __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cuLaunchGridAsync(void *function, int width, int height, void *stream)
{
    DRIVE(launch_old(function, width, height, stream, __builtin_return_address(0)));
}

/* ---- how many clusters fit ------------------------------------------------------------------- */

typedef ifl_cuda_error occupancy(int *out, const void *function,
                                 const ifl_launch_configuration *configuration);

static ifl_cuda_error ask(occupancy *of, int *out, const void *function, const configuration *c)
{
    if (!c)
        return ifl_cudaErrorInvalidValue;
    const ifl_launch_configuration same = {c->grid,   c->block,      c->shared_bytes,
                                           c->stream, c->attributes, c->attribute_count};
    return of(out, function, &same);
}

IFL_SERVED ifl_cuda_error cuOccupancyMaxActiveClusters(int *clusters, void *function,
                                                       const configuration *c)
{
    DRIVE(ask(cudaOccupancyMaxActiveClusters, clusters, function, c));
}

IFL_SERVED ifl_cuda_error cuOccupancyMaxPotentialClusterSize(int *size, void *function,
                                                             const configuration *c)
{
    DRIVE(ask(cudaOccupancyMaxPotentialClusterSize, size, function, c));
}
