/* SPDX-License-Identifier: Apache-2.0
 * Launches of kernels, old and new ways. */
#include "device/block_places.h"
#include "device/shared_size.h"
#include "standin/chosen_gpu.h"
#include "standin/device_node.h"
#include "standin/green.h"
#include "standin/launch_call.h"
#include "standin/served.h"

#include <stdlib.h>
#include <string.h>

/* A runtime of 13.0 on an H200 says so; older ones call it an invalid configuration. */
#define INVALID_SIZE                                                                               \
    (IFL_CUDART >= 13 ? ifl_cudaErrorInvalidValue : ifl_cudaErrorInvalidConfiguration)

static uint32_t limit(const ifl_device *device, ifl_device_field field)
{
    return (uint32_t)device->value[field];
}

/* NULL: nothing. CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". */
static const char *wrong_size(const ifl_device *device, ifl_dim3 grid, ifl_dim3 block)
{
    const uint64_t most_y = 65535,
                   most_x = device->value[IFL_DEVICE_compute_capability] < 3 ? 65535 : 2147483647;
    const uint32_t most = limit(device, IFL_DEVICE_max_threads_per_block);
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    return !grid.x || !grid.y || !grid.z ? "a grid without blocks"
           : !threads                    ? "a block without threads"
           : grid.x > most_x || grid.y > most_y || grid.z > most_y
               ? "more blocks than a grid may have in that direction"
           : block.x > most || block.y > most || block.z > 64
               ? "more threads than a block may have in that direction"
           : threads > most ? "more threads than a block may have"
                            : NULL;
}

/* CUDA Programming Guide, "Shared Memory": more than this must be asked for, by
 * cudaFuncSetAttribute. */
enum { WITHOUT_ASKING = 48 * 1024 };

static bool is_shared_allowed(const ifl_function_record *function, uint64_t dynamic_bytes)
{
    const uint64_t asked = (uint64_t)function->max_dynamic_shared;
    return asked > WITHOUT_ASKING
               ? dynamic_bytes <= asked
               : function->kernel->image.demands.declared_shared + dynamic_bytes <= WITHOUT_ASKING;
}

static bool is_bound_kept(const ifl_function_record *function, uint64_t threads)
{
    const uint32_t *most = function->kernel->image.demands.max_threads;
    return !most[0] || threads <= (uint64_t)most[0] * most[1] * most[2];
}

/* Too many threads for the registers of each are cudaErrorLaunchOutOfResources (CUDA Runtime API).
 * Code for another architecture tells nothing of this: the GPU's driver makes its own of PTX. */
static bool is_room_for_registers(ifl_session *session, ifl_function_record *function,
                                  uint64_t threads)
{
    const ifl_ready_kernel *kernel = function->kernel;
    const uint32_t major = limit(ifl_session_device(session), IFL_DEVICE_compute_capability);
    int blocks = 0;
    const bool is_room =
        threads <= function->room_for || !kernel->registers || kernel->machine_sm / 10 != major ||
        ifl_launch_blocks_per_sm(session, kernel, (int)threads, 0, &blocks) != ifl_cudaSuccess ||
        blocks;
    if (is_room && threads > function->room_for)
        function->room_for = threads;
    return is_room;
}

static ifl_cuda_error check(ifl_session *session, ifl_function_record *function,
                            const ifl_launch_call *call)
{
    const ifl_dim3 grid = call->grid, block = call->block;
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const char *size = wrong_size(ifl_session_device(session), grid, block);
    const char *wrong =
        size                                               ? size
        : !is_shared_allowed(function, call->shared_bytes) ? "more shared memory than is allowed"
        : !is_bound_kept(function, threads) ? "more threads than its __launch_bounds__"
                                            : NULL;
    const bool is_crowded = !wrong && !is_room_for_registers(session, function, threads);
    if (is_crowded)
        wrong = "more threads than an SM has registers for";
    if (!wrong)
        return ifl_cudaSuccess;
    ifl_state_tell("%s cannot be launched with grid %u,%u,%u, block %u,%u,%u, %llu bytes of "
                   "dynamic shared memory: %s",
                   function->kernel->signature, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                   (unsigned long long)call->shared_bytes, wrong);
    return is_crowded ? ifl_cudaErrorLaunchOutOfResources
           : size     ? INVALID_SIZE
                      : ifl_cudaErrorInvalidValue;
}

/* All blocks of a cooperative launch must be on the GPU at once. */
static ifl_cuda_error check_cooperative(ifl_session *session, const ifl_ready_kernel *kernel,
                                        const ifl_launch_call *call, const uint32_t cluster[3])
{
    const uint64_t blocks = (uint64_t)call->grid.x * call->grid.y * call->grid.z;
    const int threads = (int)(call->block.x * call->block.y * call->block.z);
    int at_once = 0;
    const ifl_cuda_error code =
        ifl_launch_blocks_per_sm(session, kernel, threads, call->shared_bytes, &at_once);
    const uint64_t most = ifl_place_held(ifl_green_sms(session, call->stream), (uint32_t)at_once,
                                         ifl_cluster_size(cluster));
    if (code != ifl_cudaSuccess || blocks <= most)
        return code;
    ifl_state_tell(
        "a cooperative launch of %llu blocks: at most %llu are on the GPU at once, %d per SM",
        (unsigned long long)blocks, (unsigned long long)most, at_once);
    return ifl_cudaErrorCooperativeLaunchTooLarge;
}

static bool are_arguments(const ifl_ready_kernel *kernel, void **arguments)
{
    for (uint32_t i = 0; i < kernel->kernel->parameter_count; i++)
        if (!arguments || !arguments[i])
            return false;
    return true;
}

static uint8_t *gather(const ifl_ready_kernel *kernel, void **arguments)
{
    const ifl_kernel *of = kernel->kernel;
    uint8_t *params = ifl_op_params_new(kernel);
    for (uint32_t i = 0; params && i < of->parameter_count; i++) {
        const ifl_parameter *param = &of->parameters[i];
        memcpy(params + param->offset, arguments[i], param->bytes);
    }
    return params;
}

/* Of several GPUs the report says which one a launch went to. */
static void describe_place(const void *from, char *to, size_t size)
{
    ifl_state_site(from, to, size);
    const size_t length = strlen(to);
    if (ifl_gpu_count() > 1)
        snprintf(to + length, size - length, ", GPU %d", ifl_gpu_chosen());
}

/* The function's own wish comes before the device's (CUDA C++ Programming Guide,
 * cudaDeviceSetCacheConfig). */
static int preference_of(const ifl_function_record *function)
{
    static const int of_config[] = {IFL_SHARED_DEFAULT, IFL_SHARED_MOST, IFL_SHARED_LEAST,
                                    IFL_SHARED_EQUAL};
    const unsigned config =
        (unsigned)(function->cache_config ? function->cache_config : ifl_state_cache_config());
    if (function->carveout >= 0)
        return 1 + function->carveout;
    return config < sizeof of_config / sizeof *of_config ? of_config[config] : IFL_SHARED_DEFAULT;
}

ifl_cuda_error ifl_launch_op(ifl_session *session, ifl_function_record *function,
                             const ifl_launch_call *call, ifl_op *op)
{
    ifl_cuda_error code =
        function ? ifl_function_ready(session, function) : ifl_cudaErrorInvalidDeviceFunction;
    if (code == ifl_cudaErrorNotSupported)
        ifl_state_break_unsupported();
    if (code == ifl_cudaSuccess)
        code = check(session, function, call);
    uint32_t cluster[3] = {0};
    if (code == ifl_cudaSuccess)
        code = ifl_launch_cluster(session, function, call, cluster);
    if (code == ifl_cudaSuccess && call->cooperative)
        code = check_cooperative(session, function->kernel, call, cluster);
    if (code == ifl_cudaSuccess && !are_arguments(function->kernel, call->arguments))
        code = ifl_cudaErrorInvalidValue;
    if (code != ifl_cudaSuccess)
        return code;
    *op = (ifl_op){.kind = IFL_DO_KERNEL,
                   .of.kernel = {.kernel = function->kernel,
                                 .gpu = ifl_gpu_chosen(),
                                 .function = function->host ? function->host : function,
                                 .grid = {call->grid.x, call->grid.y, call->grid.z},
                                 .block = {call->block.x, call->block.y, call->block.z},
                                 .shared_bytes = call->shared_bytes,
                                 .shared_preference = preference_of(function),
                                 .params = gather(function->kernel, call->arguments)}};
    memcpy(op->of.kernel.cluster, cluster, sizeof cluster);
    op->of.kernel.asked_cluster = call->cluster;
    op->of.kernel.cooperative = call->cooperative;
    op->of.kernel.is_programmatic = call->is_programmatic;
    describe_place(call->from, op->of.kernel.site, sizeof op->of.kernel.site);
    return op->of.kernel.params ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}

/* Kernels change nodes only: a launch outside of a capture makes none. */
static ifl_cuda_error give_updatable(ifl_session *session, void *handle, const ifl_op *op,
                                     ifl_updatable *updatable)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    if (stream && !stream->capture)
        return ifl_cudaErrorNotSupported;
    const ifl_cuda_error code = ifl_stream_give(session, handle, op);
    return code == ifl_cudaSuccess ? ifl_device_node_set(stream->follows.at[0], updatable) : code;
}

ifl_cuda_error ifl_launch_serve(ifl_session *session, ifl_function_record *function,
                                const ifl_launch_call *call)
{
    ifl_op op;
    const bool is_updatable = call->updatable && call->updatable->is_updatable;
    ifl_cuda_error code = ifl_launch_op(session, function, call, &op);
    if (code != ifl_cudaSuccess)
        return code;
    code = is_updatable ? give_updatable(session, call->stream, &op, call->updatable)
                        : ifl_stream_give(session, call->stream, &op);
    ifl_op_clear(&op);
    return code == ifl_cudaSuccess && call->event
               ? ifl_event_give(session, call->event, call->stream, 0)
               : code;
}

/* ---- by the host's address ------------------------------------------------------------------- */

/* Of the arguments that the three calls without attributes have. */
#define CALL(...)                                                                                  \
    {                                                                                              \
        .grid = grid, .block = block, .arguments = arguments, .shared_bytes = shared_bytes,        \
        .stream = stream, .from = ifl_launch_place(__builtin_return_address(0)), __VA_ARGS__       \
    }

IFL_SERVED ifl_cuda_error cudaLaunchKernel(const void *host, ifl_dim3 grid, ifl_dim3 block,
                                           void **arguments, size_t shared_bytes, void *stream)
{
    const ifl_launch_call call = CALL(.cooperative = false);
    SERVE(ifl_launch_serve(session, ifl_function_find(host), &call));
}
ALSO_OF_THREAD(cudaLaunchKernel_ptsz, cudaLaunchKernel);

IFL_SERVED ifl_cuda_error cudaLaunchCooperativeKernel(const void *host, ifl_dim3 grid,
                                                      ifl_dim3 block, void **arguments,
                                                      size_t shared_bytes, void *stream)
{
    const ifl_launch_call call = CALL(.cooperative = true);
    SERVE(ifl_launch_serve(session, ifl_function_find(host), &call));
}
ALSO_OF_THREAD(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);

/* ---- by a kernel's handle, from CUDA 13 on --------------------------------------------------- */

static ifl_cuda_error kernel_of(void **kernel, const void *host)
{
    if (!kernel)
        return ifl_cudaErrorInvalidValue;
    *kernel = ifl_function_find(host);
    return *kernel ? ifl_cudaSuccess : ifl_cudaErrorInvalidDeviceFunction;
}

IFL_SERVED ifl_cuda_error __cudaGetKernel(void **kernel, const void *host)
{
    SERVE(kernel_of(kernel, host));
}
ALSO(cudaGetKernel, __cudaGetKernel);

IFL_SERVED ifl_cuda_error __cudaLaunchKernel(void *kernel, ifl_dim3 grid, ifl_dim3 block,
                                             void **arguments, size_t shared_bytes, void *stream)
{
    const ifl_launch_call call = CALL(.cooperative = false);
    SERVE(ifl_launch_serve(session, ifl_function_of(kernel), &call));
}
ALSO_OF_THREAD(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);

/* ---- with attributes ------------------------------------------------------------------------- */

enum {
    ATTRIBUTE_COOPERATIVE = 2,
    ATTRIBUTE_CLUSTER = 4,
    ATTRIBUTE_PROGRAMMATIC = 6,
    ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
    ATTRIBUTE_COMPLETION_EVENT = 12
};

ifl_cuda_error ifl_launch_take(ifl_launch_call *call, const ifl_launch_attribute *attributes,
                               unsigned count)
{
    if (count && !attributes)
        return ifl_cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        const ifl_launch_attribute *attribute = &attributes[i];
        if (attribute->number == ATTRIBUTE_CLUSTER)
            call->cluster = attribute->is.cluster;
        if (attribute->number == ATTRIBUTE_PROGRAMMATIC_EVENT ||
            attribute->number == ATTRIBUTE_COMPLETION_EVENT)
            call->event = attribute->is.event;
        call->is_programmatic |=
            attribute->number == ATTRIBUTE_PROGRAMMATIC && attribute->is.programmatic;
        if (attribute->number == IFL_ATTRIBUTE_UPDATABLE)
            call->updatable = (ifl_updatable *)(uintptr_t)&attribute->is;
        call->cooperative |=
            attribute->number == ATTRIBUTE_COOPERATIVE && attribute->is.cooperative;
    }
    return ifl_cudaSuccess;
}

static ifl_cuda_error launch_with(ifl_session *session,
                                  const ifl_launch_configuration *configuration, const void *host,
                                  void **arguments, const void *from)
{
    if (!configuration)
        return ifl_cudaErrorInvalidValue;
    ifl_launch_call call = {.grid = configuration->grid,
                            .block = configuration->block,
                            .arguments = arguments,
                            .shared_bytes = configuration->shared_bytes,
                            .stream = configuration->stream,
                            .from = from};
    const ifl_cuda_error code =
        ifl_launch_take(&call, configuration->attributes, configuration->attribute_count);
    if (code != ifl_cudaSuccess)
        return code;
    return ifl_launch_serve(session, ifl_function_find(host), &call);
}

IFL_SERVED ifl_cuda_error cudaLaunchKernelExC(const ifl_launch_configuration *configuration,
                                              const void *host, void **arguments)
{
    SERVE(launch_with(session, configuration, host, arguments,
                      ifl_launch_place(__builtin_return_address(0))));
}
ALSO_OF_THREAD(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);
