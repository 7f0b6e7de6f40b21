/* SPDX-License-Identifier: Apache-2.0
 * What a program may ask of its kernels: attributes, and how many blocks of them an SM holds. */
#include "standin/binary.h"
#include "standin/chosen_gpu.h"
#include "standin/failed_call.h"
#include "standin/launch_call.h"
#include "standin/served.h"

#include <string.h>

/* cudaFuncAttribute; those before are read-only, those after are not CUDA 13.0's. */
enum {
    MAX_DYNAMIC_SHARED = 8,
    PREFERRED_CARVEOUT = 9,
    REQUIRED_CLUSTER_WIDTH = 11,
    REQUIRED_CLUSTER_DEPTH = 13,
    NON_PORTABLE_CLUSTER = 14,
    CLUSTER_POLICY = 15,
    LAST_ATTRIBUTE = CLUSTER_POLICY
};

enum { WITHOUT_ASKING = 48 * 1024 };

/* By the host's address or, from CUDA 13 on, a kernel's handle. */
static ifl_cuda_error find(ifl_session *session, const void *host, ifl_function_record **out)
{
    *out = ifl_function_find(host);
    return *out ? ifl_function_resolve(session, *out) : ifl_cudaErrorInvalidDeviceFunction;
}

static uint32_t most_threads(ifl_session *session, const ifl_ready_kernel *kernel)
{
    const uint32_t *bound = kernel->image.demands.max_threads;
    const ifl_device *device = ifl_session_device(session);
    const uint32_t most = (uint32_t)device->value[IFL_DEVICE_max_threads_per_block];
    const uint32_t by_registers =
        kernel->registers
            ? (uint32_t)device->value[IFL_DEVICE_registers_per_block] / kernel->registers / 32 * 32
            : most;
    const uint32_t allowed = bound[0] ? bound[0] * bound[1] * bound[2] : most;
    return allowed < by_registers ? allowed : by_registers;
}

/* What CUDA 11 does not tell: its structure ends before. */
static void describe_clusters(const ifl_function_record *function, ifl_function_attributes *out)
{
#if IFL_CUDART >= 12
    const ifl_demands *demands = &function->kernel->image.demands;
    const bool is_compiled = demands->cluster[0] != 0;
    out->cluster_must_be_set = is_compiled || demands->needs_cluster;
    out->cluster_width = is_compiled ? (int)demands->cluster[0] : function->cluster[0];
    out->cluster_height = is_compiled ? (int)demands->cluster[1] : function->cluster[1];
    out->cluster_depth = is_compiled ? (int)demands->cluster[2] : function->cluster[2];
    out->cluster_policy = function->cluster_policy;
    out->non_portable = function->non_portable;
#else
    (void)function, (void)out;
#endif
}

/* Without cudaFuncSetAttribute 48 KiB, with what the kernel declares. */
static int most_dynamic_shared(const ifl_function_record *function)
{
    const int declared = (int)function->kernel->image.demands.declared_shared;
    return function->max_dynamic_shared ? function->max_dynamic_shared : WITHOUT_ASKING - declared;
}

static ifl_cuda_error attributes(ifl_session *session, ifl_function_attributes *out,
                                 const void *host)
{
    ifl_function_record *function;
    const ifl_cuda_error code = find(session, host, &function);
    if (code != ifl_cudaSuccess || !out)
        return code != ifl_cudaSuccess ? code : ifl_cudaErrorInvalidValue;
    const ifl_ready_kernel *kernel = function->kernel;
    memset(out, 0, sizeof *out);
    out->shared_bytes = kernel->image.demands.declared_shared;
    out->local_bytes = kernel->local_bytes;
    out->max_threads = (int)most_threads(session, kernel);
    out->registers = (int)kernel->registers;
    out->ptx_version = (int)kernel->ptx_sm;
    out->binary_version = (int)(kernel->machine_sm ? kernel->machine_sm : kernel->ptx_sm);
    out->max_dynamic_shared = most_dynamic_shared(function);
    out->carveout = function->carveout;
    describe_clusters(function, out);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaFuncGetAttributes(ifl_function_attributes *out, const void *host)
{
    SERVE(attributes(session, out, host));
}

static ifl_cuda_error set_attribute(ifl_session *session, const void *host, int attribute,
                                    int value)
{
    ifl_function_record *function;
    const ifl_cuda_error code = find(session, host, &function);
    if (attribute > LAST_ATTRIBUTE) /* as Triton asks for oversized shared memory */
        ifl_failed_call_expect();
    if (code != ifl_cudaSuccess || attribute < MAX_DYNAMIC_SHARED || attribute > LAST_ATTRIBUTE)
        return code != ifl_cudaSuccess ? code : ifl_cudaErrorInvalidValue;
    const double most = ifl_session_device(session)->value[IFL_DEVICE_shared_bytes_per_block];
    if (attribute == MAX_DYNAMIC_SHARED) {
        if (value < 0 || value > most - (double)function->kernel->image.demands.declared_shared)
            return ifl_cudaErrorInvalidValue;
        function->max_dynamic_shared = value;
    } else if (attribute == PREFERRED_CARVEOUT) {
        if (value < -1 || value > 100)
            return ifl_cudaErrorInvalidValue;
        function->carveout = value;
    } else if (attribute >= REQUIRED_CLUSTER_WIDTH && attribute <= REQUIRED_CLUSTER_DEPTH) {
        /* CUDA driver API, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: what was said when it was
         * compiled stays; the code is that of CUDA 13.0. */
        if (function->kernel->image.demands.cluster[0] || value < 0)
            return ifl_cudaErrorInvalidValue;
        function->cluster[attribute - REQUIRED_CLUSTER_WIDTH] = value;
        return ifl_cudaSuccess;
    } else if (attribute == NON_PORTABLE_CLUSTER) {
        function->non_portable = value != 0;
    } else if (attribute == CLUSTER_POLICY) {
        function->cluster_policy = value;
    }
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaFuncSetAttribute(const void *host, int attribute, int value)
{
    SERVE(set_attribute(session, host, attribute, value));
}

/* What is set counts for all GPUs here. */
IFL_SERVED ifl_cuda_error cudaKernelSetAttributeForDevice(const void *kernel, int attribute,
                                                          int value, int device)
{
    SERVE(ifl_gpu_exists(device) ? set_attribute(session, kernel, attribute, value)
                                 : ifl_cudaErrorInvalidValue);
}

static ifl_cuda_error check(ifl_session *session, const void *host)
{
    ifl_function_record *function;
    return find(session, host, &function);
}

static ifl_cuda_error set_cache_config(ifl_session *session, const void *host, int config)
{
    ifl_function_record *function;
    const ifl_cuda_error code = find(session, host, &function);
    if (code == ifl_cudaSuccess)
        function->cache_config = config;
    return code;
}

IFL_SERVED ifl_cuda_error cudaFuncSetCacheConfig(const void *host, int config)
{
    SERVE(set_cache_config(session, host, config));
}

IFL_SERVED ifl_cuda_error cudaFuncSetSharedMemConfig(const void *host, int config)
{
    (void)config;
    SERVE(check(session, host));
}

static ifl_cuda_error name(ifl_session *session, const char **out, const void *host)
{
    ifl_function_record *function;
    const ifl_cuda_error code = find(session, host, &function);
    if (code != ifl_cudaSuccess || !out)
        return code != ifl_cudaSuccess ? code : ifl_cudaErrorInvalidValue;
    *out = function->name;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaFuncGetName(const char **out, const void *host)
{
    SERVE(name(session, out, host));
}

static ifl_cuda_error parameter(ifl_session *session, const void *host, size_t index,
                                size_t *offset, size_t *bytes)
{
    ifl_function_record *function;
    const ifl_cuda_error code = find(session, host, &function);
    if (code != ifl_cudaSuccess)
        return code;
    const ifl_kernel *of = function->kernel->kernel;
    if (index >= of->parameter_count || !offset)
        return ifl_cudaErrorInvalidValue;
    *offset = of->parameters[index].offset;
    if (bytes)
        *bytes = of->parameters[index].bytes;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset,
                                               size_t *bytes)
{
    SERVE(parameter(session, host, index, offset, bytes));
}

#if IFL_CUDART >= 13
static ifl_cuda_error parameters(ifl_session *session, const void *host, size_t *count)
{
    ifl_function_record *function;
    const ifl_cuda_error code = find(session, host, &function);
    if (code != ifl_cudaSuccess || !count)
        return code != ifl_cudaSuccess ? code : ifl_cudaErrorInvalidValue;
    *count = function->kernel->kernel->parameter_count;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaFuncGetParamCount(const void *host, size_t *count)
{
    SERVE(parameters(session, host, count));
}
#endif

/* ---- occupancy ------------------------------------------------------------------------------- */

ifl_cuda_error ifl_launch_blocks_per_sm(ifl_session *session, const ifl_ready_kernel *kernel,
                                        int threads, uint64_t shared_bytes, int *blocks)
{
    uint32_t found = 0;
    *blocks = 0;
    if (threads <= 0)
        return ifl_cudaErrorInvalidValue;
    if ((uint32_t)threads > most_threads(session, kernel))
        return ifl_cudaSuccess;
    ifl_ready_blocks_per_sm(kernel, ifl_session_device(session), (uint64_t)threads, shared_bytes,
                            &found, NULL);
    *blocks = (int)found;
    return ifl_cudaSuccess;
}

static ifl_cuda_error blocks_of(ifl_session *session, int *blocks, const void *host, int threads,
                                size_t shared_bytes)
{
    ifl_function_record *function;
    const ifl_cuda_error code = find(session, host, &function);
    if (code != ifl_cudaSuccess || !blocks)
        return code != ifl_cudaSuccess ? code : ifl_cudaErrorInvalidValue;
    return ifl_launch_blocks_per_sm(session, function->kernel, threads, shared_bytes, blocks);
}

IFL_SERVED ifl_cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                        const void *host,
                                                                        int threads,
                                                                        size_t shared_bytes)
{
    SERVE(blocks_of(session, blocks, host, threads, shared_bytes));
}

IFL_SERVED ifl_cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *host, int threads, size_t shared_bytes, unsigned flags)
{
    (void)flags;
    SERVE(blocks_of(session, blocks, host, threads, shared_bytes));
}

/* The most dynamic shared memory of a block with which so many blocks still fit, and that the
 * function may have (cuda_occupancy.h, cudaOccAvailableDynamicSMemPerBlock). */
static ifl_cuda_error available(ifl_session *session, size_t *bytes, const void *host, int wanted,
                                int threads)
{
    ifl_function_record *function;
    if (!bytes)
        return ifl_cudaErrorInvalidValue;
    ifl_cuda_error code = find(session, host, &function);
    size_t low = 0, high = code == ifl_cudaSuccess ? (size_t)most_dynamic_shared(function) + 1 : 0;
    while (low < high && code == ifl_cudaSuccess) {
        const size_t middle = (low + high) / 2;
        int blocks = 0;
        code = blocks_of(session, &blocks, host, threads, middle);
        if (blocks >= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    *bytes = low ? low - 1 : 0;
    return code;
}

IFL_SERVED ifl_cuda_error cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host,
                                                                    int blocks, int threads)
{
    SERVE(available(session, bytes, host, blocks, threads));
}
