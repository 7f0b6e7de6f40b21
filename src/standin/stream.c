/* SPDX-License-Identifier: Apache-2.0
 * See stream.h. */
#include "standin/stream.h"

#include "standin/capture_rule.h"
#include "standin/chosen_gpu.h"
#include "standin/graph.h"
#include "standin/green.h"
#include "standin/handle.h"
#include "standin/later.h"
#include "standin/recapture.h"

enum { LEGACY = 1, PER_THREAD = 2, FIRST_ID = 3 };

static uint64_t streams_made;

ifl_event *ifl_event_of(void *handle)
{
    return ifl_handle_find(IFL_HANDLE_EVENT, handle);
}

/* ---- made and destroyed ---------------------------------------------------------------------- */

ifl_cuda_error ifl_stream_new(ifl_stream **out, unsigned flags, int priority)
{
    ifl_stream *stream = out ? calloc(1, sizeof *stream) : NULL;
    if (!out)
        return ifl_cudaErrorInvalidValue;
    *out = NULL;
    if (!stream || !ifl_handle_add(IFL_HANDLE_STREAM, stream)) {
        free(stream);
        return ifl_cudaErrorMemoryAllocation;
    }
    *stream = (ifl_stream){.flags = flags,
                           .priority = priority > IFL_LEAST_PRIORITY      ? IFL_LEAST_PRIORITY
                                       : priority < IFL_GREATEST_PRIORITY ? IFL_GREATEST_PRIORITY
                                                                          : priority,
                           .id = FIRST_ID + streams_made++,
                           .gpu = ifl_gpu_chosen(),
                           .green = ifl_green_current()};
    *out = stream;
    return ifl_cudaSuccess;
}

/* The graph of a capture that nobody can end any more. */
static void drop_capture(const ifl_stream *stream)
{
    struct ifl_graph *graph = stream->capture;
    const bool is_own = stream->made_graph;
    if (!stream->began_capture)
        return;
    ifl_recapture_end(graph);
    ifl_streams_leave(graph);
    if (is_own)
        ifl_graph_free(graph);
}

ifl_cuda_error ifl_stream_destroy(void *handle)
{
    ifl_stream *stream = ifl_handle_find(IFL_HANDLE_STREAM, handle);
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    drop_capture(stream);
    ifl_vec_free(&stream->follows);
    ifl_handle_remove(stream);
    free(stream);
    return ifl_cudaSuccess;
}

/* ---- of each thread -------------------------------------------------------------------------- */

/* CUDA Runtime API, "Stream synchronization behavior": cudaStreamPerThread (2) is another stream in
 * each thread, and of each GPU. */
static _Thread_local ifl_stream *own[IFL_MOST_GPUS];
static IFL_VEC(ifl_stream *) owned; /* by threads that there are */
static pthread_key_t key;

/* What it was given is done all the same. */
static void end_thread(void *streams)
{
    ifl_stream **mine = streams;
    ifl_state_lock();
    for (int gpu = 0; gpu < IFL_MOST_GPUS; gpu++) {
        if (!mine[gpu])
            continue;
        drop_capture(mine[gpu]);
        size_t kept = 0;
        for (size_t i = 0; i < owned.count; i++)
            if (owned.at[i] != mine[gpu])
                owned.at[kept++] = owned.at[i];
        owned.count = kept;
        ifl_vec_free(&mine[gpu]->follows);
        free(mine[gpu]);
    }
    ifl_state_unlock();
}

static void make_key(void)
{
    pthread_key_create(&key, end_thread);
}

/* NULL without memory. */
static ifl_stream *own_stream(int gpu)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (own[gpu])
        return own[gpu];
    pthread_once(&once, make_key);
    ifl_stream *stream = calloc(1, sizeof *stream);
    if (!stream || pthread_setspecific(key, own) != 0 || !ifl_vec_push(&owned, stream)) {
        free(stream);
        return NULL;
    }
    stream->id = FIRST_ID + streams_made++;
    stream->gpu = gpu;
    own[gpu] = stream;
    return stream;
}

bool ifl_stream_is_legacy(const ifl_stream *stream)
{
    return stream->id == LEGACY;
}

bool ifl_stream_is_default(const void *handle)
{
    return (uintptr_t)handle <= PER_THREAD;
}

/* CUDA Runtime API: 0 and cudaStreamLegacy (1) are one stream, of which each GPU has its own; 0 is
 * the thread's own stream in calls that say so. */
ifl_stream *ifl_stream_of(void *handle)
{
    const int gpu = ifl_gpu_chosen();
    const uintptr_t number = (uintptr_t)handle;
    if (number == PER_THREAD || (number == 0 && ifl_state_is_default_own()))
        return own_stream(gpu);
    if (number <= LEGACY) {
        static ifl_stream streams[IFL_MOST_GPUS];
        streams[gpu].id = LEGACY;
        streams[gpu].gpu = gpu;
        return &streams[gpu];
    }
    return ifl_handle_find(IFL_HANDLE_STREAM, handle);
}

void ifl_streams_visit(void (*visit)(void *user, ifl_stream *stream), void *user)
{
    ifl_stream *stream;
    for (size_t i = 0; i < owned.count; i++)
        visit(user, owned.at[i]);
    for (size_t at = 0; (stream = ifl_handle_next(IFL_HANDLE_STREAM, &at));)
        visit(user, stream);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* An H200 refuses what has no meaning, and events for other processes that keep times. */
static bool are_event_flags(unsigned flags)
{
    enum { ALL = 7 };
    return flags <= ALL && (!(flags & IFL_EVENT_INTERPROCESS) || flags & IFL_EVENT_NO_TIMING);
}

ifl_cuda_error ifl_event_new(ifl_event **out, unsigned flags)
{
    if (!out || !are_event_flags(flags))
        return ifl_cudaErrorInvalidValue;
    ifl_event *event = calloc(1, sizeof *event);
    *out = NULL;
    if (!event || !ifl_handle_add(IFL_HANDLE_EVENT, event)) {
        free(event);
        return ifl_cudaErrorMemoryAllocation;
    }
    event->flags = flags;
    event->gpu = ifl_gpu_chosen();
    *out = event;
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_event_destroy(void *handle)
{
    ifl_event *event = ifl_event_of(handle);
    if (!event)
        return ifl_cudaErrorInvalidResourceHandle;
    ifl_handle_remove(event);
    ifl_vec_free(&event->follows);
    free(event);
    return ifl_cudaSuccess;
}

/* ---- captures -------------------------------------------------------------------------------- */

static size_t captures; /* that have begun and not ended */

void ifl_stream_begin(ifl_stream *stream, ifl_graph *graph)
{
    stream->capture = graph;
    stream->began_capture = true;
    captures++;
}

bool ifl_streams_are_captured(void)
{
    return captures != 0;
}

static void leave(ifl_stream *stream, const ifl_graph *graph)
{
    if (stream->capture != graph)
        return;
    captures -= stream->began_capture;
    stream->capture = NULL;
    stream->began_capture = stream->made_graph = false;
    stream->follows.count = 0;
}

bool ifl_node_is_among(const ifl_node_list *list, const ifl_node *node)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i] == node)
            return true;
    return false;
}

static bool add_all(ifl_node_list *to, ifl_node *const *nodes, size_t count)
{
    bool is_whole = true;
    for (size_t i = 0; i < count && is_whole; i++)
        is_whole = ifl_node_is_among(to, nodes[i]) || ifl_vec_push(to, nodes[i]);
    return is_whole;
}

bool ifl_stream_follow(ifl_stream *stream, ifl_node *const *nodes, size_t count, bool replaces)
{
    if (replaces)
        stream->follows.count = 0;
    return add_all(&stream->follows, nodes, count);
}

bool ifl_event_capture(ifl_event *event, const ifl_stream *stream)
{
    event->capture = stream->capture;
    event->follows.count = 0;
    return !event->capture || add_all(&event->follows, stream->follows.at, stream->follows.count);
}

/* The stream's nodes, and all that they wait for: earlier ones. */
static void mark_joined(const ifl_stream *stream)
{
    const ifl_graph *graph = stream->capture;
    for (size_t i = 0; i < graph->nodes.count; i++)
        graph->nodes.at[i]->is_joined = ifl_node_is_among(&stream->follows, graph->nodes.at[i]);
    for (size_t i = graph->nodes.count; i-- > 0;)
        for (size_t w = 0; graph->nodes.at[i]->is_joined && w < graph->nodes.at[i]->waits_for.count;
             w++)
            graph->nodes.at[i]->waits_for.at[w]->is_joined = true;
}

static bool is_joined(const ifl_stream *by, const ifl_stream *other)
{
    bool is_all = true;
    for (size_t i = 0; other->capture == by->capture && i < other->follows.count; i++)
        is_all &= other->follows.at[i]->is_joined;
    return is_all;
}

bool ifl_stream_joins_all(const ifl_stream *stream)
{
    const ifl_stream *other;
    bool is_all = true;
    mark_joined(stream);
    for (size_t i = 0; i < owned.count; i++)
        is_all &= is_joined(stream, owned.at[i]);
    for (size_t at = 0; (other = ifl_handle_next(IFL_HANDLE_STREAM, &at));)
        is_all &= is_joined(stream, other);
    return is_all;
}

void ifl_streams_leave(const ifl_graph *graph)
{
    ifl_stream *stream;
    ifl_event *event;
    for (size_t i = 0; i < owned.count; i++)
        leave(owned.at[i], graph);
    for (size_t at = 0; (stream = ifl_handle_next(IFL_HANDLE_STREAM, &at));)
        leave(stream, graph);
    for (size_t at = 0; (event = ifl_handle_next(IFL_HANDLE_EVENT, &at));)
        if (event->capture == graph)
            event->capture = NULL;
}

static void forget(ifl_node_list *list, const ifl_node *node)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i] != node)
            list->at[kept++] = list->at[i];
    list->count = kept;
}

void ifl_streams_forget(const ifl_node *node)
{
    ifl_stream *stream;
    ifl_event *event;
    for (size_t i = 0; i < owned.count; i++)
        forget(&owned.at[i]->follows, node);
    for (size_t at = 0; (stream = ifl_handle_next(IFL_HANDLE_STREAM, &at));)
        forget(&stream->follows, node);
    for (size_t at = 0; (event = ifl_handle_next(IFL_HANDLE_EVENT, &at));)
        forget(&event->follows, node);
}

/* CUDA C++ Programming Guide, "Prohibited and Unhandled Operations", "Invalidation". */
ifl_cuda_error ifl_stream_check_idle(const ifl_stream *stream)
{
    if (!stream->capture)
        return ifl_stream_is_legacy(stream) ? ifl_capture_allow_legacy(stream->gpu)
                                            : ifl_cudaSuccess;
    const bool was_spoilt = stream->capture->is_spoilt;
    stream->capture->is_spoilt = true;
    return was_spoilt ? ifl_cudaErrorStreamCaptureInvalidated
                      : ifl_cudaErrorStreamCaptureUnsupported;
}

/* ---- giving them work ------------------------------------------------------------------------ */

void ifl_event_note(const ifl_session *session, ifl_event *event)
{
    if (!event)
        return;
    event->is_recorded = true;
    event->microseconds = ifl_session_clock(session);
}

/* CUDA C++ Programming Guide, "Programmatic Dependent Launch", "Use in CUDA Graphs". */
static ifl_edge_data edge_to(const ifl_node *before, const ifl_op *op)
{
    enum { PORT_PROGRAMMATIC = 1, PROGRAMMATIC = 1 };
    const bool is_early = op->kind == IFL_DO_KERNEL && op->of.kernel.is_programmatic &&
                          before->op.kind == IFL_DO_KERNEL;
    return is_early ? (ifl_edge_data){.from_port = PORT_PROGRAMMATIC, .type = PROGRAMMATIC}
                    : (ifl_edge_data){0};
}

ifl_cuda_error ifl_stream_give(ifl_session *session, void *handle, const ifl_op *op)
{
    ifl_stream *stream = ifl_stream_of(handle);
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    /* CUDA C++ Programming Guide, "Multi-Device System": a kernel goes to a stream of the chosen
     * GPU only. */
    if (op->kind == IFL_DO_KERNEL && stream->gpu != op->of.kernel.gpu)
        return ifl_cudaErrorInvalidResourceHandle;
    const ifl_cuda_error code =
        ifl_stream_is_legacy(stream) ? ifl_capture_allow_legacy(stream->gpu) : ifl_cudaSuccess;
    if (code != ifl_cudaSuccess)
        return code;
    ifl_session_choose_gpu(session, (uint32_t)stream->gpu);
    if (!stream->capture)
        return ifl_later_give(session, stream, op);
    if (stream->capture->is_spoilt)
        return ifl_cudaErrorStreamCaptureInvalidated;
    /* In a capture, events only order the nodes. */
    if ((op->kind == IFL_DO_EVENT_RECORD || op->kind == IFL_DO_EVENT_WAIT) && !op->is_external)
        return ifl_cudaSuccess;
    if (stream->capture->recapture)
        return ifl_recapture_give(session, stream, op);
    ifl_node *node = ifl_graph_add(stream->capture, op);
    bool is_whole = node != NULL;
    for (size_t i = 0; is_whole && i < stream->follows.count; i++)
        is_whole = ifl_node_wait(node, stream->follows.at[i], edge_to(stream->follows.at[i], op));
    return is_whole && ifl_stream_follow(stream, &node, 1, true) ? ifl_cudaSuccess
                                                                 : ifl_cudaErrorMemoryAllocation;
}
