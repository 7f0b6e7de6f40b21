/* SPDX-License-Identifier: Apache-2.0
 * Memory of the GPU, of the host as the GPU reaches it, and of both. Host memory that kernels may
 * reach stands at its own address on the GPU too, as with unified addressing. */
#include "standin/chosen_gpu.h"
#include "standin/graph.h"
#include "standin/host_block.h"
#include "standin/managed_range.h"
#include "standin/pool.h"
#include "standin/recapture.h"
#include "standin/served.h"
#include "standin/shared_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const origin_names[] = {"cudaMalloc", "cudaMallocManaged", "cudaHostAlloc",
                                           "cudaHostRegister"};

static void label(char *to, size_t size, ifl_block_origin o, uint64_t bytes, const void *from)
{
    char site[64];
    ifl_state_site(from, site, sizeof site);
    snprintf(to, size, "%s(%llu) of %s", origin_names[o], (unsigned long long)bytes, site);
}

/* ---- the GPU's own --------------------------------------------------------------------------- */

static ifl_cuda_error allocate(ifl_session *session, void **out, uint64_t bytes, const void *from)
{
    char text[112];
    ifl_allocation *a;
    ifl_error error = {0};
    if (!out)
        return ifl_cudaErrorInvalidValue;
    *out = NULL;
    if (!bytes)
        return ifl_cudaSuccess;
    label(text, sizeof text, BY_MALLOC, bytes, from);
    const ifl_status status = ifl_memory_allocate(ifl_session_memory(session), bytes, 0,
                                                  IFL_ALLOCATION_UNWRITTEN, text, &a, &error);
    if (status == IFL_OK) {
        a->gpu = (uint32_t)ifl_gpu_chosen();
        *out = (void *)(uintptr_t)a->address;
    } else {
        ifl_state_tell_error(&error);
    }
    return status == IFL_OK ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}

IFL_SERVED ifl_cuda_error cudaMalloc(void **out, size_t bytes)
{
    SERVE_UNSAFE(allocate(session, out, bytes, __builtin_return_address(0)));
}

/* In a recapture it is the memory that the node has. */
static ifl_cuda_error allocate_again(ifl_session *session, void **out, uint64_t bytes, void *handle)
{
    void *at = ifl_recapture_memory(ifl_stream_of(handle)->capture, bytes);
    const ifl_op op = {.kind = IFL_DO_ALLOCATE, .of.memory = {at, bytes}};
    if (!out)
        return ifl_cudaErrorInvalidValue;
    *out = at;
    return ifl_serve_op(session, handle, op);
}

/* What captures say to allocating or freeing in a stream. */
static ifl_cuda_error allow_in(const ifl_stream *stream)
{
    const ifl_cuda_error code = stream->capture ? ifl_cudaSuccess : ifl_stream_check_idle(stream);
    return code == ifl_cudaSuccess && !stream->capture ? ifl_capture_allow_unsafe() : code;
}

/* In a capture, a node of the graph. */
static ifl_cuda_error allocate_in(ifl_session *session, void **out, uint64_t bytes, void *handle,
                                  const void *from)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    ifl_cuda_error code = allow_in(stream);
    if (stream->capture && stream->capture->recapture)
        return allocate_again(session, out, bytes, handle);
    if (code == ifl_cudaSuccess)
        code = allocate(session, out, bytes, from);
    if (code != ifl_cudaSuccess)
        return code;
    if (!stream->capture) {
        ifl_pool_hold(ifl_pool_current(ifl_gpu_chosen()), (uintptr_t)*out, bytes);
        return code;
    }
    if (!ifl_graph_memory_keep((uintptr_t)*out, bytes))
        return ifl_cudaErrorMemoryAllocation;
    return ifl_serve_op(session, handle,
                        (ifl_op){.kind = IFL_DO_ALLOCATE, .of.memory = {*out, bytes}});
}

IFL_SERVED ifl_cuda_error cudaMallocAsync(void **out, size_t bytes, void *stream)
{
    SERVE(allocate_in(session, out, bytes, stream, __builtin_return_address(0)));
}
ALSO_OF_THREAD(cudaMallocAsync_ptsz, cudaMallocAsync);

/* Rows start at multiples of 512 bytes, as a GPU's pitch is chosen. */
enum { PITCH_BYTES = 512 };

static ifl_cuda_error allocate_rows(ifl_session *session, void **out, size_t *pitch, size_t width,
                                    size_t rows, const void *from)
{
    size_t bytes;
    if (!pitch || !out)
        return ifl_cudaErrorInvalidValue;
    if (width > SIZE_MAX - PITCH_BYTES)
        return ifl_cudaErrorMemoryAllocation;
    *pitch = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    if (__builtin_mul_overflow(*pitch, rows, &bytes))
        return ifl_cudaErrorMemoryAllocation;
    return allocate(session, out, bytes, from);
}

IFL_SERVED ifl_cuda_error cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    SERVE_UNSAFE(allocate_rows(session, out, pitch, width, height, __builtin_return_address(0)));
}

static ifl_cuda_error allocate_box(ifl_session *session, ifl_pitched *out, ifl_extent extent,
                                   const void *from)
{
    if (!out)
        return ifl_cudaErrorInvalidValue;
    out->width = extent.width;
    out->height = extent.height;
    if (extent.depth && extent.height > SIZE_MAX / extent.depth)
        return ifl_cudaErrorMemoryAllocation;
    return allocate_rows(session, &out->at, &out->pitch, extent.width, extent.height * extent.depth,
                         from);
}

IFL_SERVED ifl_cuda_error cudaMalloc3D(ifl_pitched *out, ifl_extent extent)
{
    SERVE_UNSAFE(allocate_box(session, out, extent, __builtin_return_address(0)));
}

/* ---- of graphs ------------------------------------------------------------------------------- */

/* cudaMemAllocNodeParams: first the properties of a pool, all of which say "on this GPU". */
typedef struct memory_node {
    char pool[88];
    const void *access;
    size_t access_count, bytes;
    void *address;
} memory_node;

/* cudaGraphChildGraphOwnershipMove: a graph that was moved gets no more of these nodes. */
static ifl_cuda_error takes_memory(const ifl_graph *graph)
{
    if (!graph)
        return ifl_cudaErrorInvalidValue;
    return graph->is_moved ? ifl_cudaErrorNotSupported : ifl_cudaSuccess;
}

static ifl_cuda_error add_memory(ifl_session *session, ifl_node **out, const void *graph,
                                 ifl_node *const *after, size_t count, memory_node *params,
                                 const void *from)
{
    if (!out || !params || !params->bytes)
        return ifl_cudaErrorInvalidValue;
    ifl_cuda_error code = takes_memory(ifl_graph_of(graph));
    if (code == ifl_cudaSuccess)
        code = allocate(session, &params->address, params->bytes, from);
    if (code != ifl_cudaSuccess)
        return code;
    if (!ifl_graph_memory_keep((uintptr_t)params->address, params->bytes))
        return ifl_cudaErrorMemoryAllocation;
    const ifl_op op = {.kind = IFL_DO_ALLOCATE, .of.memory = {params->address, params->bytes}};
    return ifl_graph_add_after(out, graph, after, count, &op);
}

IFL_SERVED ifl_cuda_error cudaGraphAddMemAllocNode(ifl_node **out, const void *graph,
                                                   ifl_node *const *after, size_t count,
                                                   memory_node *params)
{
    SERVE(add_memory(session, out, graph, after, count, params, __builtin_return_address(0)));
}

/* What a node of the kind allocates or frees; NULL: it is none. */
static const ifl_op_memory *memory_of(const void *handle, ifl_op_kind kind)
{
    const ifl_node *node = ifl_node_of(handle);
    return node && node->op.kind == kind ? &node->op.of.memory : NULL;
}

static ifl_cuda_error tell_allocated(const ifl_op_memory *memory, memory_node *out)
{
    if (!memory || !out)
        return ifl_cudaErrorInvalidValue;
    *out = (memory_node){.bytes = memory->bytes, .address = memory->address};
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphMemAllocNodeGetParams(const void *node, memory_node *out)
{
    SERVE(tell_allocated(memory_of(node, IFL_DO_ALLOCATE), out));
}

static ifl_cuda_error add_free(ifl_node **out, const void *graph, ifl_node *const *after,
                               size_t count, void *at)
{
    const ifl_op op = {.kind = IFL_DO_RELEASE, .of.memory = {at, 0}};
    const ifl_cuda_error code = ifl_graph_memory_holds((uintptr_t)at)
                                    ? takes_memory(ifl_graph_of(graph))
                                    : ifl_cudaErrorInvalidValue;
    return code == ifl_cudaSuccess ? ifl_graph_add_after(out, graph, after, count, &op) : code;
}

IFL_SERVED ifl_cuda_error cudaGraphAddMemFreeNode(ifl_node **out, const void *graph,
                                                  ifl_node *const *after, size_t count, void *at)
{
    SERVE(add_free(out, graph, after, count, at));
}

static ifl_cuda_error tell_freed(const ifl_op_memory *memory, void **out)
{
    if (!memory || !out)
        return ifl_cudaErrorInvalidValue;
    *out = memory->address;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphMemFreeNodeGetParams(const void *node, void **out)
{
    SERVE(tell_freed(memory_of(node, IFL_DO_RELEASE), out));
}

/* All that graphs ever allocated is reserved and in use. */
IFL_SERVED ifl_cuda_error cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *out)
{
    enum { RESERVED_HIGH = 3 };
    const bool is_one = attribute >= 0 && attribute <= RESERVED_HIGH && out;
    const bool is_gpu = ifl_gpu_exists(device);
    if (is_gpu && is_one)
        *out = ifl_graph_memory_bytes();
    return ifl_state_end(!is_gpu  ? ifl_cudaErrorInvalidDevice
                         : is_one ? ifl_cudaSuccess
                                  : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cudaDeviceSetGraphMemAttribute(int device, int attribute, uint64_t *value)
{
    (void)attribute;
    return ifl_state_end(!ifl_gpu_exists(device) ? ifl_cudaErrorInvalidDevice
                         : value                 ? ifl_cudaSuccess
                                                 : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cudaDeviceGraphMemTrim(int device)
{
    return ifl_state_end(ifl_gpu_exists(device) ? ifl_cudaSuccess : ifl_cudaErrorInvalidDevice);
}

/* ---- the host's ------------------------------------------------------------------------------ */

static ifl_cuda_error adopt(ifl_session *session, void *host, uint64_t bytes, ifl_block_origin o,
                            unsigned flags, const void *from)
{
    char text[112];
    ifl_allocation *a;
    ifl_error error = {0};
    label(text, sizeof text, o, bytes, from);
    if (!ifl_block_reserve())
        return ifl_cudaErrorMemoryAllocation;
    const ifl_status status = ifl_memory_adopt(ifl_session_memory(session), (uintptr_t)host, host,
                                               bytes, text, &a, &error);
    if (status != IFL_OK)
        return o == BY_REGISTER ? ifl_cudaErrorHostMemoryAlreadyRegistered
                                : ifl_cudaErrorMemoryAllocation;
    a->gpu = (uint32_t)ifl_gpu_chosen();
    if (o != BY_MANAGED)
        ifl_memory_pin(ifl_session_memory(session), a);
    ifl_block_add((ifl_host_block){(uintptr_t)host, bytes, o, flags});
    return ifl_cudaSuccess;
}

static ifl_cuda_error allocate_host(ifl_session *session, void **out, uint64_t bytes,
                                    ifl_block_origin o, unsigned flags, const void *from)
{
    if (!out)
        return ifl_cudaErrorInvalidValue;
    *out = NULL;
    if (!bytes)
        return o == BY_MANAGED ? ifl_cudaErrorInvalidValue : ifl_cudaSuccess;
    void *host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (host == MAP_FAILED)
        return ifl_cudaErrorMemoryAllocation;
    const ifl_cuda_error code = adopt(session, host, bytes, o, flags, from);
    if (code != ifl_cudaSuccess)
        munmap(host, bytes);
    else
        *out = host;
    return code;
}

IFL_SERVED ifl_cuda_error cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    SERVE_UNSAFE(
        allocate_host(session, out, bytes, BY_MANAGED, flags, __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cudaMallocHost(void **out, size_t bytes)
{
    SERVE_UNSAFE(allocate_host(session, out, bytes, BY_HOST_ALLOC, 0, __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    SERVE_UNSAFE(
        allocate_host(session, out, bytes, BY_HOST_ALLOC, flags, __builtin_return_address(0)));
}

/* msync tells of pages that are not mapped, and does nothing else with MS_ASYNC. */
static bool is_mapped(const void *at, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)at / page * page;
    size_t length;
    return !__builtin_add_overflow(bytes, (uintptr_t)at - start, &length) &&
           msync((void *)start, length, MS_ASYNC) == 0;
}

IFL_SERVED ifl_cuda_error cudaHostRegister(void *at, size_t bytes, unsigned flags)
{
    SERVE_UNSAFE(!at || !bytes || !is_mapped(at, bytes)
                     ? ifl_cudaErrorInvalidValue
                     : adopt(session, at, bytes, BY_REGISTER, flags, __builtin_return_address(0)));
}

/* ---- giving back ----------------------------------------------------------------------------- */

static ifl_cuda_error release_block(ifl_session *session, ifl_host_block *b)
{
    ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), b->address);
    if (a)
        ifl_memory_drop(ifl_session_memory(session), a);
    ifl_managed_forget((void *)b->address, b->bytes);
    if (b->origin != BY_REGISTER)
        munmap((void *)b->address, b->bytes);
    ifl_block_remove(b);
    return ifl_cudaSuccess;
}

/* What a stream gives back in its turn. */
static bool is_allocated(ifl_session *session, const void *at)
{
    const uint32_t others = IFL_ALLOCATION_FREED | IFL_ALLOCATION_MODULE | IFL_ALLOCATION_DEVICE |
                            IFL_ALLOCATION_ADOPTED;
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), (uintptr_t)at);
    return a && a->address == (uintptr_t)at && !(a->flags & others);
}

static ifl_cuda_error release(ifl_session *session, void *at)
{
    ifl_host_block *b = ifl_block_find(at);
    ifl_graph_memory_freed((uintptr_t)at);
    if (!at || ifl_graph_memory_holds((uintptr_t)at))
        return ifl_cudaSuccess;
    ifl_later_finish_all(session);
    if (b)
        return b->origin == BY_MANAGED && b->address == (uintptr_t)at ? release_block(session, b)
                                                                      : ifl_cudaErrorInvalidValue;
    if (ifl_shared_close(session, at) == ifl_cudaSuccess)
        return ifl_cudaSuccess;
    ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), (uintptr_t)at);
    const uint32_t bad = IFL_ALLOCATION_FREED | IFL_ALLOCATION_MODULE | IFL_ALLOCATION_DEVICE;
    if (!a || a->address != (uintptr_t)at || a->flags & bad)
        return ifl_cudaErrorInvalidValue;
    ifl_pool_hold(NULL, (uintptr_t)at, 0);
    ifl_memory_drop(ifl_session_memory(session), a);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaFree(void *at)
{
    SERVE_UNSAFE(release(session, at));
}

/* CUDA Runtime API, cudaFreeAsync: behind what the stream was given; in a capture, a node, which
 * frees what a graph allocated. */
static ifl_cuda_error release_in(ifl_session *session, void *at, void *handle)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    const ifl_cuda_error code = allow_in(stream);
    if (code != ifl_cudaSuccess)
        return code;
    if (!stream->capture && (ifl_graph_memory_holds((uintptr_t)at) || !is_allocated(session, at)))
        return release(session, at);
    if (!stream->capture) {
        ifl_pool_hold(NULL, (uintptr_t)at,
                      0); /* its pool counts it as free now, as an H200's does */
        return ifl_serve_op(session, handle, (ifl_op){.kind = IFL_DO_FREE, .of.memory = {at, 0}});
    }
    return ifl_graph_memory_holds((uintptr_t)at)
               ? ifl_serve_op(session, handle,
                              (ifl_op){.kind = IFL_DO_RELEASE, .of.memory = {at, 0}})
               : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaFreeAsync(void *at, void *stream)
{
    SERVE(release_in(session, at, stream));
}
ALSO_OF_THREAD(cudaFreeAsync_ptsz, cudaFreeAsync);

static ifl_cuda_error release_host(ifl_session *session, void *at, ifl_block_origin o)
{
    ifl_host_block *b = ifl_block_find(at);
    if (!at && o != BY_REGISTER)
        return ifl_cudaSuccess;
    ifl_later_finish_all(session);
    if (!b || b->address != (uintptr_t)at || b->origin != o)
        return o == BY_REGISTER ? ifl_cudaErrorHostMemoryNotRegistered : ifl_cudaErrorInvalidValue;
    return release_block(session, b);
}

IFL_SERVED ifl_cuda_error cudaFreeHost(void *at)
{
    SERVE_UNSAFE(release_host(session, at, BY_HOST_ALLOC));
}

IFL_SERVED ifl_cuda_error cudaHostUnregister(void *at)
{
    SERVE_UNSAFE(release_host(session, at, BY_REGISTER));
}

/* ---- asking ---------------------------------------------------------------------------------- */

static ifl_cuda_error device_pointer(void **out, void *host)
{
    const ifl_host_block *b = ifl_block_find(host);
    if (out)
        *out = b ? host : NULL;
    return b && out ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaHostGetDevicePointer(void **out, void *host, unsigned flags)
{
    (void)flags;
    SERVE(device_pointer(out, host));
}

static ifl_cuda_error host_flags(unsigned *flags, void *host)
{
    const ifl_host_block *b = ifl_block_find(host);
    if (!b || !flags)
        return ifl_cudaErrorInvalidValue;
    *flags = b->flags;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaHostGetFlags(unsigned *flags, void *host)
{
    SERVE(host_flags(flags, host));
}

static ifl_cuda_error describe(ifl_session *session, ifl_pointer_attributes *out, const void *at)
{
    const ifl_host_block *b = ifl_block_find(at);
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), (uintptr_t)at);
    *out = (ifl_pointer_attributes){
        .type = IFL_MEMORY_UNREGISTERED, .device = -2, .host_pointer = (void *)at};
    if (!a || a->flags & IFL_ALLOCATION_FREED)
        return ifl_cudaSuccess;
    out->device = (int)a->gpu;
    out->device_pointer = (void *)at;
    const bool is_variable =
        a->flags & IFL_ALLOCATION_MODULE && a->flags & IFL_ALLOCATION_HOST; /* __managed__ */
    out->host_pointer = b || is_variable ? (void *)at : NULL;
    out->type = is_variable               ? IFL_MEMORY_MANAGED
                : !b                      ? IFL_MEMORY_DEVICE
                : b->origin == BY_MANAGED ? IFL_MEMORY_MANAGED
                                          : IFL_MEMORY_HOST;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaPointerGetAttributes(ifl_pointer_attributes *out, const void *at)
{
    SERVE(out ? describe(session, out, at) : ifl_cudaErrorInvalidValue);
}
