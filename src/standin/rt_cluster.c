/* SPDX-License-Identifier: Apache-2.0
 * Clusters of a launch: which it has, whether they are allowed, and how many fit. */
#include "device/block_places.h"
#include "standin/binary.h"
#include "standin/launch_call.h"
#include "standin/served.h"
#include "standin/stream.h"

#include <string.h>

/* CUDA C++ Programming Guide, "Thread Block Clusters": 8 blocks everywhere; more where the function
 * allows what is not portable. */
enum { PORTABLE_BLOCKS = 8, FIRST_WITH_CLUSTERS = 9 };

static uint32_t most_blocks(const ifl_function_record *function)
{
    const uint32_t given = function->kernel->image.demands.max_cluster_blocks,
                   most = function->non_portable ? IFL_MOST_CLUSTER_BLOCKS : PORTABLE_BLOCKS;
    return given && given < most ? given : most;
}

/* What the kernel was compiled for, or what the program asked for once for all launches; zeros:
 * nothing. */
static void required(const ifl_function_record *function, uint32_t cluster[3])
{
    const uint32_t *compiled = function->kernel->image.demands.cluster;
    for (unsigned i = 0; i < 3; i++)
        cluster[i] = compiled[0] ? compiled[i] : (uint32_t)function->cluster[i];
}

static const char *fault_of(const ifl_session *session, const ifl_function_record *function,
                            const ifl_launch_call *call, const uint32_t cluster[3])
{
    const uint32_t grid[3] = {call->grid.x, call->grid.y, call->grid.z};
    const uint64_t blocks = (uint64_t)cluster[0] * cluster[1] * cluster[2];
    for (unsigned i = 0; i < 3; i++)
        if (!cluster[i] || cluster[i] > IFL_MOST_CLUSTER_BLOCKS)
            return "no cluster has such a size";
        else if (grid[i] % cluster[i])
            return "the grid is no multiple of its clusters";
    if (blocks > most_blocks(function))
        return "clusters of more blocks than are allowed";
    return blocks > 1 && ifl_session_device(session)->value[IFL_DEVICE_compute_capability] <
                             FIRST_WITH_CLUSTERS
               ? "the GPU has no clusters"
               : NULL;
}

static bool is_given(const uint32_t cluster[3])
{
    return cluster[0] || cluster[1] || cluster[2];
}

/* `*why` NULL: the clusters can be. */
static void choose_cluster(const ifl_session *session, const ifl_function_record *function,
                           const ifl_launch_call *call, uint32_t cluster[3], const char **why)
{
    const uint32_t asked[3] = {call->cluster.x, call->cluster.y, call->cluster.z};
    uint32_t kernel[3];
    required(function, kernel);
    memcpy(cluster, is_given(asked) ? asked : kernel, sizeof kernel);
    *why = NULL;
    if (!is_given(cluster) && !function->kernel->image.demands.needs_cluster)
        return;
    const bool differs =
        is_given(asked) && is_given(kernel) && memcmp(asked, kernel, sizeof kernel) != 0;
    *why = differs ? "the kernel is for clusters of another size"
                   : fault_of(session, function, call, cluster);
}

ifl_cuda_error ifl_launch_cluster(ifl_session *session, const ifl_function_record *function,
                                  const ifl_launch_call *call, uint32_t cluster[3])
{
    const char *why;
    choose_cluster(session, function, call, cluster, &why);
    if (!why)
        return ifl_cudaSuccess;
    ifl_state_tell("%s cannot be launched with grid %u,%u,%u in clusters of %u,%u,%u: %s",
                   function->kernel->signature, call->grid.x, call->grid.y, call->grid.z,
                   cluster[0], cluster[1], cluster[2], why);
    return ifl_cudaErrorInvalidClusterSize;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

static ifl_cuda_error read_call(ifl_session *session, const void *host,
                                const ifl_launch_configuration *configuration,
                                ifl_function_record **function, ifl_launch_call *call)
{
    *function = ifl_function_find(host);
    if (!*function)
        return ifl_cudaErrorInvalidDeviceFunction;
    const ifl_cuda_error code = ifl_function_resolve(session, *function);
    if (code != ifl_cudaSuccess || !configuration)
        return code != ifl_cudaSuccess ? code : ifl_cudaErrorInvalidValue;
    if (!ifl_stream_of(configuration->stream))
        return ifl_cudaErrorInvalidResourceHandle;
    *call = (ifl_launch_call){.grid = configuration->grid,
                              .block = configuration->block,
                              .shared_bytes = configuration->shared_bytes};
    return ifl_launch_take(call, configuration->attributes, configuration->attribute_count);
}

/* The kernel's own bound of threads is not asked for: CUTLASS's DSL asks with 128 about a kernel that
 * is compiled for one, and launches what it learns. */
static ifl_cuda_error blocks_on_sm(ifl_session *session, const ifl_function_record *function,
                                   const ifl_launch_call *call, uint32_t *per_sm)
{
    const uint64_t threads = (uint64_t)call->block.x * call->block.y * call->block.z;
    *per_sm = 0;
    if (!threads)
        return ifl_cudaErrorInvalidValue;
    ifl_ready_blocks_per_sm(function->kernel, ifl_session_device(session), threads,
                            call->shared_bytes, per_sm, NULL);
    return ifl_cudaSuccess;
}

/* What is asked about, and how many blocks of it an SM holds. */
static ifl_cuda_error read_question(ifl_session *session, const void *host,
                                    const ifl_launch_configuration *configuration,
                                    ifl_function_record **function, ifl_launch_call *call,
                                    uint32_t *per_sm)
{
    const ifl_cuda_error code = read_call(session, host, configuration, function, call);
    return code == ifl_cudaSuccess ? blocks_on_sm(session, *function, call, per_sm) : code;
}

static uint32_t sms_of(const ifl_session *session)
{
    return (uint32_t)ifl_session_device(session)->value[IFL_DEVICE_sms];
}

/* Of clusters that cannot be launched none are active, which is no error: cuBLAS asks about sizes up
 * to 32 and leaves the last error as it is. */
static ifl_cuda_error active(ifl_session *session, int *clusters, const void *host,
                             const ifl_launch_configuration *configuration)
{
    ifl_function_record *function;
    ifl_launch_call call;
    uint32_t cluster[3] = {0}, per_sm = 0;
    ifl_cuda_error code = read_question(session, host, configuration, &function, &call, &per_sm);
    const char *why = NULL;
    if (code == ifl_cudaSuccess)
        choose_cluster(session, function, &call, cluster, &why);
    if (code != ifl_cudaSuccess || !clusters)
        return code != ifl_cudaSuccess ? code : ifl_cudaErrorInvalidValue;
    const uint32_t size = is_given(cluster) ? cluster[0] * cluster[1] * cluster[2] : 1;
    *clusters = why ? 0 : (int)ifl_place_clusters(sms_of(session), per_sm, size);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaOccupancyMaxActiveClusters(
    int *clusters, const void *host, const ifl_launch_configuration *configuration)
{
    SERVE(active(session, clusters, host, configuration));
}

static ifl_cuda_error potential(ifl_session *session, int *size, const void *host,
                                const ifl_launch_configuration *configuration)
{
    ifl_function_record *function;
    ifl_launch_call call;
    uint32_t per_sm = 0;
    const ifl_cuda_error code =
        read_question(session, host, configuration, &function, &call, &per_sm);
    if (code != ifl_cudaSuccess || !size)
        return code != ifl_cudaSuccess ? code : ifl_cudaErrorInvalidValue;
    const uint64_t blocks = (uint64_t)per_sm * sms_of(session);
    *size = (int)(blocks < most_blocks(function) ? blocks : most_blocks(function));
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaOccupancyMaxPotentialClusterSize(
    int *size, const void *host, const ifl_launch_configuration *configuration)
{
    SERVE(potential(session, size, host, configuration));
}
