/* SPDX-License-Identifier: Apache-2.0
 * See capture_rule.h. */
#include "standin/capture_rule.h"

#include "standin/graph.h"
#include "standin/later.h"

enum { NON_BLOCKING = 1 }; /* of cudaStreamCreateWithFlags */

static _Thread_local int own_mode = IFL_CAPTURE_GLOBAL;

int ifl_capture_exchange_mode(int mode)
{
    const int before = own_mode;
    own_mode = mode;
    return before;
}

/* Which captures, and whether there is one. */
typedef struct search {
    bool (*forbids)(const ifl_stream *stream, int gpu);
    int gpu;
    bool spoils, found;
} search;

static void look_at(void *user, ifl_stream *stream)
{
    search *s = user;
    if (!stream->capture || !s->forbids(stream, s->gpu))
        return;
    s->found = true;
    stream->capture->is_spoilt |= s->spoils;
}

static bool find(bool (*forbids)(const ifl_stream *stream, int gpu), int gpu, bool spoils)
{
    search s = {forbids, gpu, spoils, false};
    if (ifl_streams_are_captured())
        ifl_streams_visit(look_at, &s);
    return s.found;
}

static bool forbids_unsafe(const ifl_stream *stream, int unused)
{
    (void)unused;
    const bool is_own = pthread_equal(stream->capture_thread, pthread_self()) != 0;
    if (!stream->began_capture || own_mode == IFL_CAPTURE_RELAXED)
        return false;
    return is_own ? stream->capture_mode != IFL_CAPTURE_RELAXED
                  : own_mode == IFL_CAPTURE_GLOBAL && stream->capture_mode == IFL_CAPTURE_GLOBAL;
}

ifl_cuda_error ifl_capture_allow_unsafe(void)
{
    return find(forbids_unsafe, 0, true) ? ifl_cudaErrorStreamCaptureUnsupported : ifl_cudaSuccess;
}

static bool is_of_gpu(const ifl_stream *stream, int gpu)
{
    return stream->gpu == gpu;
}

ifl_cuda_error ifl_capture_allow_wait(int gpu)
{
    return find(is_of_gpu, gpu, true) ? ifl_cudaErrorStreamCaptureUnsupported : ifl_cudaSuccess;
}

static bool is_blocking(const ifl_stream *stream, int gpu)
{
    return stream->gpu == gpu && !(stream->flags & NON_BLOCKING);
}

ifl_cuda_error ifl_capture_allow_legacy(int gpu)
{
    return find(is_blocking, gpu, true) ? ifl_cudaErrorStreamCaptureImplicit : ifl_cudaSuccess;
}

bool ifl_capture_forbids_legacy(int gpu)
{
    return find(is_blocking, gpu, false);
}

ifl_cuda_error ifl_capture_allow_event(const ifl_event *event)
{
    if (!event->capture)
        return ifl_cudaSuccess;
    event->capture->is_spoilt = true;
    return ifl_cudaErrorCapturedEvent;
}

/* An event that was never recorded stands for nothing. */
ifl_cuda_error ifl_capture_allow_dependency(const ifl_stream *stream, const ifl_event *event)
{
    const bool stands =
        event->capture || event->is_recorded || (stream->capture && ifl_later_records(event));
    if (!stream->capture || event->capture == stream->capture || !stands)
        return ifl_cudaSuccess;
    stream->capture->is_spoilt = true;
    if (!event->capture)
        return ifl_cudaErrorStreamCaptureIsolation;
    event->capture->is_spoilt = true;
    return ifl_cudaErrorStreamCaptureMerge;
}
