/* SPDX-License-Identifier: Apache-2.0
 * Streams, events and host functions. */
#include "standin/served.h"

#include <math.h>
#include <stdlib.h>

enum { STREAM_MAGIC = 0x49535452, EVENT_MAGIC = 0x49455654, FIRST_ID = 3 };

/* ---- streams --------------------------------------------------------------------------------- */

static ifl_cuda_error new_stream(ifl_stream **out, unsigned flags, int priority)
{
    static uint64_t made;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ifl_cudaErrorMemoryAllocation;
    **out = (ifl_stream){.magic = STREAM_MAGIC, .flags = flags, .priority = priority, .id = FIRST_ID + made++};
    if (ifl_stream_add(*out))
        return ifl_cudaSuccess;
    free(*out);
    return ifl_cudaErrorMemoryAllocation;
}

IFL_SERVED ifl_cuda_error cudaStreamCreate(ifl_stream **out)
{
    SERVE(((void)session, new_stream(out, 0, 0)));
}

IFL_SERVED ifl_cuda_error cudaStreamCreateWithFlags(ifl_stream **out, unsigned flags)
{
    SERVE(((void)session, new_stream(out, flags, 0)));
}

IFL_SERVED ifl_cuda_error cudaStreamCreateWithPriority(ifl_stream **out, unsigned flags, int priority)
{
    SERVE(((void)session, new_stream(out, flags, priority)));
}

static ifl_cuda_error check(void *handle)
{
    return ifl_stream_of(handle) ? ifl_cudaSuccess : ifl_cudaErrorInvalidResourceHandle;
}

static ifl_cuda_error destroy(ifl_stream *stream)
{
    const ifl_cuda_error code = check(stream);
    if (code == ifl_cudaSuccess && (uintptr_t)stream > 2) {
        stream->magic = 0;
        ifl_stream_remove(stream);
        free(stream);
    }
    return code;
}

IFL_SERVED ifl_cuda_error cudaStreamDestroy(ifl_stream *stream)
{
    SERVE(((void)session, destroy(stream)));
}

IFL_SERVED ifl_cuda_error cudaStreamSynchronize(void *stream)
{
    SERVE(((void)session, check(stream)));
}
ALSO(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);

IFL_SERVED ifl_cuda_error cudaStreamQuery(void *stream)
{
    SERVE(((void)session, check(stream)));
}
ALSO(cudaStreamQuery_ptsz, cudaStreamQuery);

#define ASK(name, type, member)                                                                                        \
    IFL_SERVED ifl_cuda_error name(void *handle, type *out)                                                            \
    {                                                                                                                  \
        const ifl_stream *stream = ifl_stream_of(handle);                                                              \
        if (stream)                                                                                                    \
            *out = stream->member;                                                                                     \
        return ifl_state_end(stream ? ifl_cudaSuccess : ifl_cudaErrorInvalidResourceHandle);                           \
    }                                                                                                                  \
    ALSO(name##_ptsz, name)
ASK(cudaStreamGetFlags, unsigned, flags);
ASK(cudaStreamGetPriority, int, priority);
ASK(cudaStreamGetId, unsigned long long, id);

IFL_SERVED ifl_cuda_error cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    enum { GREATEST = -5 };
    *least = 0;
    *greatest = GREATEST;
    return ifl_state_end(ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaStreamAttachMemAsync(void *stream, void *at, size_t bytes, unsigned flags)
{
    (void)at, (void)bytes, (void)flags;
    SERVE(((void)session, check(stream)));
}
ALSO(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

/* ---- events ---------------------------------------------------------------------------------- */

static ifl_cuda_error new_event(ifl_event **out, unsigned flags)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ifl_cudaErrorMemoryAllocation;
    **out = (ifl_event){.magic = EVENT_MAGIC, .flags = flags};
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaEventCreate(ifl_event **out)
{
    SERVE(((void)session, new_event(out, 0)));
}

IFL_SERVED ifl_cuda_error cudaEventCreateWithFlags(ifl_event **out, unsigned flags)
{
    SERVE(((void)session, new_event(out, flags)));
}

static ifl_cuda_error destroy_event(ifl_event *event)
{
    if (!ifl_event_of(event))
        return ifl_cudaErrorInvalidResourceHandle;
    event->magic = 0;
    free(event);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaEventDestroy(ifl_event *event)
{
    SERVE(((void)session, destroy_event(event)));
}

static ifl_cuda_error record(ifl_session *session, void *event, void *stream)
{
    ifl_event *e = ifl_event_of(event);
    const ifl_stream *s = ifl_stream_of(stream);
    if (!e || !s)
        return ifl_cudaErrorInvalidResourceHandle;
    e->capture = s->capture;
    return ifl_serve_op(session, stream, (ifl_op){.kind = IFL_DO_EVENT_RECORD, .of.event = e});
}

IFL_SERVED ifl_cuda_error cudaEventRecord(void *event, void *stream)
{
    SERVE(record(session, event, stream));
}
ALSO(cudaEventRecord_ptsz, cudaEventRecord);

IFL_SERVED ifl_cuda_error cudaEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    (void)flags;
    SERVE(record(session, event, stream));
}
ALSO(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

static ifl_cuda_error check_event(void *event)
{
    return ifl_event_of(event) ? ifl_cudaSuccess : ifl_cudaErrorInvalidResourceHandle;
}

IFL_SERVED ifl_cuda_error cudaEventSynchronize(void *event)
{
    SERVE(((void)session, check_event(event)));
}

IFL_SERVED ifl_cuda_error cudaEventQuery(void *event)
{
    SERVE(((void)session, check_event(event)));
}

/* A stream that waits for an event of a stream that is being captured joins that capture. */
static ifl_cuda_error wait_event(ifl_session *session, void *stream, void *event)
{
    ifl_event *e = ifl_event_of(event);
    ifl_stream *s = ifl_stream_of(stream);
    if (!e || !s)
        return ifl_cudaErrorInvalidResourceHandle;
    if (e->capture && !s->capture)
        s->capture = e->capture;
    return ifl_serve_op(session, stream, (ifl_op){.kind = IFL_DO_EVENT_WAIT, .of.event = e});
}

IFL_SERVED ifl_cuda_error cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    (void)flags;
    SERVE(wait_event(session, stream, event));
}
ALSO(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

static ifl_cuda_error elapsed(float *milliseconds, void *start, void *end)
{
    enum { NO_TIMING = 2 };
    const ifl_event *a = ifl_event_of(start), *b = ifl_event_of(end);
    if (!a || !b || !a->is_recorded || !b->is_recorded || (a->flags | b->flags) & NO_TIMING)
        return ifl_cudaErrorInvalidResourceHandle;
    *milliseconds = (float)((b->microseconds - a->microseconds) / 1000);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaEventElapsedTime(float *milliseconds, void *start, void *end)
{
    SERVE(((void)session, elapsed(milliseconds, start, end)));
}
#if IFL_CUDART == 12
ALSO(cudaEventElapsedTime_v2, cudaEventElapsedTime);
#endif

/* ---- host functions -------------------------------------------------------------------------- */

IFL_SERVED ifl_cuda_error cudaLaunchHostFunc(void *stream, void (*call)(void *), void *user)
{
    SERVE(ifl_serve_op(session, stream, (ifl_op){.kind = IFL_DO_HOST, .of.host = {.call = call, .user = user}}));
}
ALSO(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

IFL_SERVED ifl_cuda_error cudaStreamAddCallback(void *stream, void (*callback)(void *, ifl_cuda_error, void *),
                                                void *user, unsigned flags)
{
    (void)flags;
    SERVE(ifl_serve_op(
        session, stream,
        (ifl_op){.kind = IFL_DO_HOST, .of.host = {.callback = callback, .user = user, .stream = stream}}));
}
ALSO(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);
