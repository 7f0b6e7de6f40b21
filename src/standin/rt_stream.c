/* SPDX-License-Identifier: Apache-2.0
 * Streams, events and host functions. */
#include "standin/chosen_gpu.h"
#include "standin/launch_call.h"
#include "standin/served.h"

#include <string.h>

/* ---- streams --------------------------------------------------------------------------------- */

IFL_SERVED ifl_cuda_error cudaStreamCreate(ifl_stream **out)
{
    SERVE(ifl_stream_new(out, 0, 0));
}

IFL_SERVED ifl_cuda_error cudaStreamCreateWithFlags(ifl_stream **out, unsigned flags)
{
    SERVE(ifl_stream_new(out, flags, 0));
}

IFL_SERVED ifl_cuda_error cudaStreamCreateWithPriority(ifl_stream **out, unsigned flags,
                                                       int priority)
{
    SERVE(ifl_stream_new(out, flags, priority));
}

/* To ask, or to wait, for all that the stream was given. */
static ifl_cuda_error check_wait(const ifl_stream *stream)
{
    const ifl_cuda_error code = ifl_stream_check_idle(stream);
    return code == ifl_cudaSuccess ? ifl_capture_allow_unsafe() : code;
}

static ifl_cuda_error query(void *handle)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    const ifl_cuda_error code = check_wait(stream);
    return code == ifl_cudaSuccess && ifl_later_holds(stream) ? ifl_cudaErrorNotReady : code;
}

IFL_SERVED ifl_cuda_error cudaStreamDestroy(void *stream)
{
    SERVE(ifl_stream_destroy(stream));
}

/* The host's clock goes on to the GPU's. */
static ifl_cuda_error wait_for_gpu(ifl_session *session, int gpu)
{
    ifl_session_choose_gpu(session, (uint32_t)gpu);
    ifl_session_host_waits(session);
    return ifl_cudaSuccess;
}

static ifl_cuda_error wait_for_stream(ifl_session *session, const ifl_stream *stream)
{
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    const ifl_cuda_error code = check_wait(stream);
    if (code != ifl_cudaSuccess)
        return code;
    ifl_later_finish(session, stream);
    return ifl_wait_code(wait_for_gpu(session, stream->gpu));
}

IFL_SERVED ifl_cuda_error cudaStreamSynchronize(void *stream)
{
    SERVE(wait_for_stream(session, ifl_stream_of(stream)));
}
ALSO_OF_THREAD(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);

IFL_SERVED ifl_cuda_error cudaStreamQuery(void *stream)
{
    SERVE(query(stream));
}
ALSO_OF_THREAD(cudaStreamQuery_ptsz, cudaStreamQuery);

/* Of these, an H200 (driver 580) allows the priority alone in a stream that is captured. */
#define ASK(name, type, member, is_allowed)                                                        \
    static ifl_cuda_error ask_##member(void *handle, type *out)                                    \
    {                                                                                              \
        const ifl_stream *stream = ifl_stream_of(handle);                                          \
        if (!stream || !out)                                                                       \
            return stream ? ifl_cudaErrorInvalidValue : ifl_cudaErrorInvalidResourceHandle;        \
        *out = stream->member;                                                                     \
        return stream->capture && !(is_allowed) ? ifl_stream_check_idle(stream) : ifl_cudaSuccess; \
    }                                                                                              \
    IFL_SERVED ifl_cuda_error name(void *handle, type *out)                                        \
    {                                                                                              \
        SERVE(ask_##member(handle, out));                                                          \
    }                                                                                              \
    ALSO_OF_THREAD(name##_ptsz, name)
ASK(cudaStreamGetFlags, unsigned, flags, false);
ASK(cudaStreamGetPriority, int, priority, true);
ASK(cudaStreamGetId, unsigned long long, id, false);
ASK(cudaStreamGetDevice, int, gpu, false);

/* cudaStreamAttrID: window of the L2, how to wait, priority, domain map, domain. 0: not of
 * streams. */
static size_t attribute_bytes(int attribute)
{
    static const uint8_t bytes[IFL_STREAM_ATTRIBUTES] = {
        [1] = 32, [3] = 4, [8] = 4, [9] = 2, [10] = 4};
    return attribute >= 0 && attribute < IFL_STREAM_ATTRIBUTES ? bytes[attribute] : 0;
}

static void *attribute_of(ifl_stream *stream, int attribute)
{
    enum { PRIORITY = 8 };
    return attribute == PRIORITY ? (void *)&stream->priority : stream->attribute[attribute];
}

static ifl_cuda_error set_attribute(void *handle, int attribute, const void *value)
{
    ifl_stream *stream = ifl_stream_of(handle);
    if (!stream || !value || !attribute_bytes(attribute))
        return stream ? ifl_cudaErrorInvalidValue : ifl_cudaErrorInvalidResourceHandle;
    memcpy(attribute_of(stream, attribute), value, attribute_bytes(attribute));
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaStreamSetAttribute(void *stream, int attribute, const void *value)
{
    SERVE(set_attribute(stream, attribute, value));
}
ALSO_OF_THREAD(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);

static ifl_cuda_error get_attribute(void *handle, int attribute, void *value)
{
    ifl_stream *stream = ifl_stream_of(handle);
    if (!stream || !value || !attribute_bytes(attribute))
        return stream ? ifl_cudaErrorInvalidValue : ifl_cudaErrorInvalidResourceHandle;
    memcpy(value, attribute_of(stream, attribute), attribute_bytes(attribute));
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaStreamGetAttribute(void *stream, int attribute, void *value)
{
    SERVE(get_attribute(stream, attribute, value));
}
ALSO_OF_THREAD(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);

static ifl_cuda_error copy_attributes(void *to_handle, void *from_handle)
{
    ifl_stream *to = ifl_stream_of(to_handle);
    const ifl_stream *from = ifl_stream_of(from_handle);
    if (!to || !from)
        return ifl_cudaErrorInvalidResourceHandle;
    to->priority = from->priority;
    memmove(to->attribute, from->attribute, sizeof to->attribute);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaStreamCopyAttributes(void *to, void *from)
{
    SERVE(copy_attributes(to, from));
}
ALSO_OF_THREAD(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);

IFL_SERVED ifl_cuda_error cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least) /* CUDA Runtime API: either may be NULL */
        *least = IFL_LEAST_PRIORITY;
    if (greatest)
        *greatest = IFL_GREATEST_PRIORITY;
    return ifl_state_end(ifl_cudaSuccess);
}

/* Memory of the host that kernels reach is attached to all streams already. */
static ifl_cuda_error attach(ifl_session *session, void *handle, const void *at)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), (uintptr_t)at);
    const bool is_managed = a && a->flags & IFL_ALLOCATION_ADOPTED;
    return !stream      ? ifl_cudaErrorInvalidResourceHandle
           : is_managed ? ifl_stream_check_idle(stream)
                        : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaStreamAttachMemAsync(void *stream, void *at, size_t bytes,
                                                   unsigned flags)
{
    (void)bytes, (void)flags;
    SERVE(attach(session, stream, at));
}
ALSO_OF_THREAD(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

/* ---- events ---------------------------------------------------------------------------------- */

IFL_SERVED ifl_cuda_error cudaEventCreate(ifl_event **out)
{
    SERVE(ifl_event_new(out, 0));
}

IFL_SERVED ifl_cuda_error cudaEventCreateWithFlags(ifl_event **out, unsigned flags)
{
    SERVE(ifl_event_new(out, flags));
}

IFL_SERVED ifl_cuda_error cudaEventDestroy(void *event)
{
    SERVE(ifl_event_destroy(event));
}

/* cudaEventRecordExternal, cudaEventWaitExternal: in a capture, a node of the graph. */
enum { EXTERNAL = 1 };

ifl_cuda_error ifl_event_give(ifl_session *session, void *event, void *stream, unsigned flags)
{
    ifl_event *e = ifl_event_of(event);
    const ifl_stream *s = ifl_stream_of(stream);
    if (!e || !s || e->gpu != s->gpu)
        return ifl_cudaErrorInvalidResourceHandle;
    const ifl_op op = {.kind = IFL_DO_EVENT_RECORD, .is_external = flags & EXTERNAL, .of.event = e};
    if (!op.is_external && !ifl_event_capture(e, s))
        return ifl_cudaErrorMemoryAllocation;
    return ifl_serve_op(session, stream, op);
}

IFL_SERVED ifl_cuda_error cudaEventRecord(void *event, void *stream)
{
    SERVE(ifl_event_give(session, event, stream, 0));
}
ALSO_OF_THREAD(cudaEventRecord_ptsz, cudaEventRecord);

IFL_SERVED ifl_cuda_error cudaEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    SERVE(ifl_event_give(session, event, stream, flags));
}
ALSO_OF_THREAD(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

static ifl_cuda_error check_event(const ifl_event *event)
{
    if (!event)
        return ifl_cudaErrorInvalidResourceHandle;
    const ifl_cuda_error code = ifl_capture_allow_event(event);
    return code == ifl_cudaSuccess ? ifl_capture_allow_unsafe() : code;
}

static ifl_cuda_error query_event(const ifl_event *event)
{
    const ifl_cuda_error code = check_event(event);
    return code == ifl_cudaSuccess && ifl_later_records(event) ? ifl_cudaErrorNotReady : code;
}

static ifl_cuda_error wait_for_event(ifl_session *session, const ifl_event *event)
{
    const ifl_cuda_error code = check_event(event);
    if (code != ifl_cudaSuccess)
        return code;
    ifl_later_finish_event(session, event);
    return ifl_wait_code(wait_for_gpu(session, event->gpu));
}

IFL_SERVED ifl_cuda_error cudaEventSynchronize(void *event)
{
    SERVE(wait_for_event(session, ifl_event_of(event)));
}

IFL_SERVED ifl_cuda_error cudaEventQuery(void *event)
{
    SERVE(query_event(ifl_event_of(event)));
}

/* A stream that waits for an event of a stream that is being captured joins that capture. */
static ifl_cuda_error wait_event(ifl_session *session, void *stream, void *event, unsigned flags)
{
    ifl_event *e = ifl_event_of(event);
    ifl_stream *s = ifl_stream_of(stream);
    if (!e || !s)
        return ifl_cudaErrorInvalidResourceHandle;
    const ifl_op op = {.kind = IFL_DO_EVENT_WAIT, .is_external = flags & EXTERNAL, .of.event = e};
    if (op.is_external)
        return ifl_serve_op(session, stream, op);
    if (e->capture && !s->capture && ifl_stream_is_legacy(s))
        return ifl_cudaErrorStreamCaptureImplicit;
    const ifl_cuda_error code = ifl_capture_allow_dependency(s, e);
    if (code != ifl_cudaSuccess)
        return code;
    if (e->capture && !s->capture)
        s->capture = e->capture;
    if (e->capture && e->capture == s->capture &&
        !ifl_stream_follow(s, e->follows.at, e->follows.count, false))
        return ifl_cudaErrorMemoryAllocation;
    return ifl_serve_op(session, stream, op);
}

IFL_SERVED ifl_cuda_error cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    SERVE(wait_event(session, stream, event, flags));
}
ALSO_OF_THREAD(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

static ifl_cuda_error elapsed(float *milliseconds, void *start, void *end)
{
    const ifl_event *a = ifl_event_of(start), *b = ifl_event_of(end);
    if (!milliseconds)
        return ifl_cudaErrorInvalidValue;
    if (!a || !b || a->gpu != b->gpu || (a->flags | b->flags) & IFL_EVENT_NO_TIMING)
        return ifl_cudaErrorInvalidResourceHandle;
    if (a->capture || b->capture)
        return ifl_cudaErrorCapturedEvent;
    if (ifl_later_records(a) || ifl_later_records(b))
        return ifl_cudaErrorNotReady;
    if (!a->is_recorded || !b->is_recorded)
        return ifl_cudaErrorInvalidResourceHandle;
    *milliseconds = (float)((b->microseconds - a->microseconds) / 1000);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaEventElapsedTime(float *milliseconds, void *start, void *end)
{
    SERVE(elapsed(milliseconds, start, end));
}
#if IFL_CUDART == 12
ALSO(cudaEventElapsedTime_v2, cudaEventElapsedTime);
#endif

/* ---- host functions -------------------------------------------------------------------------- */

static ifl_cuda_error launch_host(ifl_session *session, void *stream, ifl_op_host host)
{
    if (!host.call && !host.callback)
        return ifl_cudaErrorInvalidValue;
    return ifl_serve_op(session, stream, (ifl_op){.kind = IFL_DO_HOST, .of.host = host});
}

IFL_SERVED ifl_cuda_error cudaLaunchHostFunc(void *stream, void (*call)(void *), void *user)
{
    SERVE(launch_host(session, stream, (ifl_op_host){.call = call, .user = user}));
}
ALSO_OF_THREAD(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

#if IFL_CUDART >= 13
/* cudaHostTaskSyncMode: how the GPU's work waits for the function, which is no matter here. */
IFL_SERVED ifl_cuda_error cudaLaunchHostFunc_v2(void *stream, void (*call)(void *), void *user,
                                                unsigned mode)
{
    enum { SPINS = 1 };
    SERVE(mode > SPINS ? ifl_cudaErrorInvalidValue
                       : launch_host(session, stream, (ifl_op_host){.call = call, .user = user}));
}
ALSO_OF_THREAD(cudaLaunchHostFunc_v2_ptsz, cudaLaunchHostFunc_v2);
#endif

/* No capture takes it, unlike a host function. */
static ifl_cuda_error add_callback(ifl_session *session, void *handle, ifl_op_host host)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    const ifl_cuda_error code =
        stream ? ifl_stream_check_idle(stream) : ifl_cudaErrorInvalidResourceHandle;
    return code == ifl_cudaSuccess ? launch_host(session, handle, host) : code;
}

IFL_SERVED ifl_cuda_error cudaStreamAddCallback(void *stream,
                                                void (*callback)(void *, ifl_cuda_error, void *),
                                                void *user, unsigned flags)
{
    (void)flags;
    SERVE(add_callback(session, stream,
                       (ifl_op_host){.callback = callback, .user = user, .stream = stream}));
}
ALSO_OF_THREAD(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);
