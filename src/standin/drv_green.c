/* SPDX-License-Identifier: Apache-2.0
 * Green contexts (CUDA Driver API, "Green Contexts"): SMs are split, described, and given to a
 * context. Its kernels run as all others do; what there are less SMs for is told and checked. */
#include "device/block_places.h"
#include "standin/chosen_gpu.h"
#include "standin/device_resource.h"
#include "standin/driver_served.h"
#include "standin/handle.h"

#include <stdlib.h>

/* CUdevSmResourceSplit_flags and CUgreenCtxCreate_flags. */
enum { SINGLE_SMS = 1, LARGEST_CLUSTERS = 2, DEFAULT_STREAM = 1, NON_BLOCKING = 1 };
/* Without regard to which SMs run a cluster's blocks together, they come in pairs. */
enum { PAIR = 2 };

#define LEGACY ((void *)1)

/* What a descriptor stands for. CUDA has no call that ends one. */
typedef struct description {
    int gpu;
    unsigned sms;
} description;

/* ---- SMs are split --------------------------------------------------------------------------- */

/* SMs of each part that is to have `least` of them. */
static unsigned part_size(const ifl_device_resource *all, unsigned flags, unsigned least)
{
    const unsigned unit = flags & SINGLE_SMS ? PAIR : all->aligned_to;
    const unsigned smallest = flags & SINGLE_SMS ? PAIR : all->least_part;
    const unsigned wanted = least > smallest ? least : smallest;
    const unsigned size = (wanted + unit - 1) / unit * unit;
    return size < all->sms ? size : all->sms;
}

/* The smallest parts lie in a GPC each, as clusters of as many blocks do: an H200 makes 15 of 8 of
 * its 132 SMs, and 16 where SMs are single, but 8 of 16, 5 of 24 and 4 of 32. */
static unsigned most_parts(const ifl_device_resource *all, unsigned flags, unsigned size)
{
    const unsigned most = all->sms / size;
    if (flags & SINGLE_SMS || size > all->least_part)
        return most;
    const unsigned in_gpcs = ifl_place_clusters(all->sms, 1, size);
    return in_gpcs < most ? in_gpcs : most;
}

static ifl_device_resource part_of(const ifl_device_resource *all, uint64_t split, unsigned sms)
{
    if (!sms)
        return (ifl_device_resource){0};
    return (ifl_device_resource){
        .type = IFL_RESOURCE_SMS, .gpu = all->gpu, .split = split, .sms = sms};
}

/* Answers and errors are those of an H200's driver (580.159.04, CUDA 13.0). */
static ifl_cuda_error split(ifl_device_resource *out, unsigned *count,
                            const ifl_device_resource *all, ifl_device_resource *rest,
                            unsigned flags, unsigned least)
{
    static uint64_t splits;
    if (!count || !all || (out && !*count) || flags == (SINGLE_SMS | LARGEST_CLUSTERS))
        return ifl_cudaErrorInvalidValue;
    if (all->type != IFL_RESOURCE_SMS)
        return ifl_cudaErrorInvalidResourceType;
    if (all->split || least > all->sms || !all->aligned_to)
        return ifl_cudaErrorInvalidResourceConfiguration;
    const ifl_device_resource whole = *all;
    const unsigned size = part_size(&whole, flags, least), most = most_parts(&whole, flags, size);
    const uint64_t number = __atomic_add_fetch(&splits, 1, __ATOMIC_RELAXED);
    *count = out && *count < most ? *count : most;
    for (unsigned i = 0; out && i < *count; i++)
        out[i] = part_of(&whole, number, size);
    if (rest)
        *rest = part_of(&whole, number, whole.sms - *count * size);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuDevSmResourceSplitByCount(ifl_device_resource *out, unsigned *count,
                                                      const ifl_device_resource *all,
                                                      ifl_device_resource *rest, unsigned flags,
                                                      unsigned least)
{
    DRIVE_EARLY(split(out, count, all, rest, flags, least));
}

static ifl_cuda_error describe(void **out, const ifl_device_resource *parts, unsigned count)
{
    description sum = {0};
    if (!out || !parts || !count)
        return ifl_cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        if (parts[i].type != IFL_RESOURCE_SMS)
            return ifl_cudaErrorInvalidResourceType;
        if (parts[i].gpu != parts[0].gpu || parts[i].split != parts[0].split)
            return ifl_cudaErrorInvalidResourceConfiguration;
        sum.gpu = parts[i].gpu;
        sum.sms += parts[i].sms;
    }
    description *made = malloc(sizeof *made);
    if (!made || !ifl_handle_add(IFL_HANDLE_RESOURCES, made)) {
        free(made);
        return ifl_cudaErrorMemoryAllocation;
    }
    *made = sum;
    *out = made;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuDevResourceGenerateDesc(void **out, const ifl_device_resource *parts,
                                                    unsigned count)
{
    DRIVE_EARLY(describe(out, parts, count));
}

/* ---- made and destroyed ---------------------------------------------------------------------- */

static ifl_green *green_of(void *handle)
{
    return ifl_handle_find(IFL_HANDLE_GREEN, handle);
}

static ifl_cuda_error create(void **out, void *descriptor, int device, unsigned flags)
{
    const description *of = ifl_handle_find(IFL_HANDLE_RESOURCES, descriptor);
    if (!out || !of || flags != DEFAULT_STREAM)
        return ifl_cudaErrorInvalidValue;
    if (!ifl_gpu_exists(device))
        return (ifl_cuda_error)IFL_CUDA_INVALID_DEVICE;
    if (of->gpu != device)
        return ifl_cudaErrorInvalidValue;
    ifl_green *green = malloc(sizeof *green);
    if (!green || !ifl_handle_add(IFL_HANDLE_GREEN, green)) {
        free(green);
        return ifl_cudaErrorMemoryAllocation;
    }
    *green = (ifl_green){.gpu = device, .sms = of->sms, .id = ifl_driver_next_id()};
    ifl_driver_use_primary(device, true);
    /* Once a process: the model knows whole GPUs. */
    static bool is_told;
    if (!__atomic_exchange_n(&is_told, true, __ATOMIC_RELAXED))
        ifl_state_tell("a green context has %u SMs; times are predicted for all of the GPU",
                       green->sms);
    *out = green;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuGreenCtxCreate(void **out, void *descriptor, int device, unsigned flags)
{
    DRIVE_EARLY(create(out, descriptor, device, flags));
}

/* Its streams stay, and are of the whole GPU from now on. */
static void leave(void *green, ifl_stream *stream)
{
    if (stream->green == green)
        stream->green = NULL;
}

static ifl_cuda_error destroy(ifl_green *green)
{
    if (!green)
        return (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT;
    ifl_driver_green_end(green);
    ifl_streams_visit(leave, green);
    ifl_driver_use_primary(green->gpu, false);
    ifl_handle_remove(green);
    free(green);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuGreenCtxDestroy(void *green)
{
    DRIVE_EARLY(destroy(green_of(green)));
}

static ifl_cuda_error convert(void **out, ifl_green *green)
{
    if (!out || !green)
        return out ? (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT : ifl_cudaErrorInvalidValue;
    *out = ifl_driver_green_context(green);
    return *out ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}

IFL_SERVED ifl_cuda_error cuCtxFromGreenCtx(void **out, void *green)
{
    DRIVE_EARLY(convert(out, green_of(green)));
}

/* ---- what they are asked --------------------------------------------------------------------- */

static ifl_cuda_error tell_id(const ifl_green *green, unsigned long long *out)
{
    if (!out || !green)
        return out ? (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT : ifl_cudaErrorInvalidValue;
    *out = green->id;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuGreenCtxGetId(void *green, unsigned long long *id)
{
    DRIVE_EARLY(tell_id(green ? green_of(green) : ifl_green_current(), id));
}

static ifl_cuda_error resource_of(const ifl_green *green, int gpu, ifl_device_resource *out,
                                  int type)
{
    const ifl_cuda_error code = cudaDeviceGetDevResource(green ? green->gpu : gpu, out, type);
    if (code == ifl_cudaSuccess && green)
        out->sms = green->sms;
    return code;
}

IFL_SERVED ifl_cuda_error cuGreenCtxGetDevResource(void *green, ifl_device_resource *out, int type)
{
    DRIVE_EARLY(green_of(green) ? resource_of(green_of(green), 0, out, type)
                                : (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT);
}

IFL_SERVED ifl_cuda_error cuCtxGetDevResource(void *context, ifl_device_resource *out, int type)
{
    DRIVE(ifl_driver_is_context(context)
              ? resource_of(ifl_driver_green_of(context), ifl_driver_gpu_of(context), out, type)
              : (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT);
}

/* ---- streams --------------------------------------------------------------------------------- */

static ifl_cuda_error create_stream(ifl_stream **out, const ifl_green *green, unsigned flags,
                                    int priority)
{
    if (!out || !green)
        return out ? (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT : ifl_cudaErrorInvalidValue;
    if (flags != NON_BLOCKING)
        return ifl_cudaErrorInvalidValue;
    const int chosen = ifl_gpu_chosen();
    ifl_gpu_choose(green->gpu);
    const ifl_cuda_error code = cudaStreamCreateWithPriority((void **)out, flags, priority);
    ifl_gpu_choose(chosen);
    if (code == ifl_cudaSuccess)
        (*out)->green = green;
    return code;
}

IFL_SERVED ifl_cuda_error cuGreenCtxStreamCreate(ifl_stream **out, void *green, unsigned flags,
                                                 int priority)
{
    DRIVE_EARLY(create_stream(out, green_of(green), flags, priority));
}

/* The context of a stream: where it is a green one, what stands for it or, in the newer call, the
 * primary one beside it. */
static ifl_cuda_error contexts_of(void *stream, void **context, void **green)
{
    if (!ifl_stream_of(stream))
        return (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    ifl_green *of = (ifl_green *)ifl_green_of_stream(stream);
    if (context)
        *context = !of     ? ifl_driver_current()
                   : green ? ifl_driver_primary(of->gpu)
                           : ifl_driver_green_context(of);
    if (green)
        *green = of;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuStreamGetCtx(void *stream, void **context)
{
    DRIVE(context ? contexts_of(stream, context, NULL) : ifl_cudaErrorInvalidValue);
}
ALSO_OF_THREAD(cuStreamGetCtx_ptsz, cuStreamGetCtx);

IFL_SERVED ifl_cuda_error cuStreamGetGreenCtx(void *stream, void **green)
{
    DRIVE(green ? contexts_of(stream, NULL, green) : ifl_cudaErrorInvalidValue);
}
ALSO_OF_THREAD(cuStreamGetGreenCtx_ptsz, cuStreamGetGreenCtx);

IFL_SERVED ifl_cuda_error cuStreamGetCtx_v2(void *stream, void **context, void **green)
{
    void *unused;
    DRIVE(context ? contexts_of(stream, context, green ? green : &unused)
                  : ifl_cudaErrorInvalidValue);
}
ALSO_OF_THREAD(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2);

/* ---- events ---------------------------------------------------------------------------------- */

/* What the context was given is waited for in the call, not behind it. */
static ifl_cuda_error record(int gpu, void *event)
{
    const int chosen = ifl_gpu_chosen();
    if (!ifl_event_of(event))
        return (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    ifl_gpu_choose(gpu);
    ifl_cuda_error code = cudaDeviceSynchronize();
    if (code == ifl_cudaSuccess)
        code = cudaEventRecord(event, LEGACY);
    ifl_gpu_choose(chosen);
    return code;
}

static ifl_cuda_error wait_for(void *event)
{
    return ifl_event_of(event) ? cudaEventSynchronize(event)
                               : (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
}

IFL_SERVED ifl_cuda_error cuGreenCtxRecordEvent(void *green, void *event)
{
    DRIVE_EARLY(green_of(green) ? record(green_of(green)->gpu, event)
                                : (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT);
}

IFL_SERVED ifl_cuda_error cuGreenCtxWaitEvent(void *green, void *event)
{
    DRIVE_EARLY(green_of(green) ? wait_for(event) : (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT);
}

IFL_SERVED ifl_cuda_error cuCtxRecordEvent(void *context, void *event)
{
    DRIVE_EARLY(ifl_driver_is_context(context) ? record(ifl_driver_gpu_of(context), event)
                                               : (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT);
}

IFL_SERVED ifl_cuda_error cuCtxWaitEvent(void *context, void *event)
{
    DRIVE_EARLY(ifl_driver_is_context(context) ? wait_for(event)
                                               : (ifl_cuda_error)IFL_CUDA_INVALID_CONTEXT);
}
