/* SPDX-License-Identifier: Apache-2.0
 * See stream.h. */
#include "standin/stream.h"

#include "standin/chosen_gpu.h"
#include "standin/graph.h"
#include "standin/handle.h"
#include "standin/later.h"

enum { LAST_DEFAULT = 2, FIRST_ID = 3 };

/* CUDA Runtime API: 0 and cudaStreamLegacy (1) are one stream, cudaStreamPerThread (2) is another;
 * each GPU has its own. */
static ifl_stream defaults[IFL_MOST_GPUS][LAST_DEFAULT + 1];

static ifl_stream *default_stream(int gpu, uintptr_t number)
{
    ifl_stream *stream = &defaults[gpu][number ? number : 1];
    stream->id = number ? number : 1;
    stream->gpu = gpu;
    return stream;
}

ifl_stream *ifl_stream_of(void *handle)
{
    if ((uintptr_t)handle <= LAST_DEFAULT)
        return default_stream(ifl_gpu_chosen(), (uintptr_t)handle);
    return ifl_handle_find(IFL_HANDLE_STREAM, handle);
}

ifl_event *ifl_event_of(void *handle)
{
    return ifl_handle_find(IFL_HANDLE_EVENT, handle);
}

/* ---- made and destroyed ---------------------------------------------------------------------- */

ifl_cuda_error ifl_stream_new(ifl_stream **out, unsigned flags, int priority)
{
    static uint64_t made;
    ifl_stream *stream = out ? calloc(1, sizeof *stream) : NULL;
    if (!out)
        return ifl_cudaErrorInvalidValue;
    *out = NULL;
    if (!stream || !ifl_handle_add(IFL_HANDLE_STREAM, stream)) {
        free(stream);
        return ifl_cudaErrorMemoryAllocation;
    }
    *stream = (ifl_stream){
        .flags = flags, .priority = priority, .id = FIRST_ID + made++, .gpu = ifl_gpu_chosen()};
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

ifl_cuda_error ifl_event_new(ifl_event **out, unsigned flags)
{
    ifl_event *event = out ? calloc(1, sizeof *event) : NULL;
    if (!out)
        return ifl_cudaErrorInvalidValue;
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

static void leave(ifl_stream *stream, const ifl_graph *graph)
{
    if (stream->capture != graph)
        return;
    stream->capture = NULL;
    stream->began_capture = stream->made_graph = false;
    stream->follows.count = 0;
}

static bool is_among(const ifl_node_list *list, const ifl_node *node)
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
        is_whole = is_among(to, nodes[i]) || ifl_vec_push(to, nodes[i]);
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
        graph->nodes.at[i]->is_joined = is_among(&stream->follows, graph->nodes.at[i]);
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
    for (int gpu = 0; gpu < ifl_gpu_count(); gpu++)
        is_all &= is_joined(stream, &defaults[gpu][LAST_DEFAULT]);
    for (size_t at = 0; (other = ifl_handle_next(IFL_HANDLE_STREAM, &at));)
        is_all &= is_joined(stream, other);
    return is_all;
}

void ifl_streams_leave(const ifl_graph *graph)
{
    ifl_stream *stream;
    ifl_event *event;
    for (int gpu = 0; gpu < ifl_gpu_count(); gpu++)
        leave(&defaults[gpu][LAST_DEFAULT], graph);
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
    for (int gpu = 0; gpu < ifl_gpu_count(); gpu++)
        forget(&defaults[gpu][LAST_DEFAULT].follows, node);
    for (size_t at = 0; (stream = ifl_handle_next(IFL_HANDLE_STREAM, &at));)
        forget(&stream->follows, node);
    for (size_t at = 0; (event = ifl_handle_next(IFL_HANDLE_EVENT, &at));)
        forget(&event->follows, node);
}

/* ---- giving them work ------------------------------------------------------------------------ */

void ifl_event_note(const ifl_session *session, ifl_event *event)
{
    if (!event)
        return;
    event->is_recorded = true;
    event->microseconds = ifl_session_clock(session);
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
    ifl_session_choose_gpu(session, (uint32_t)stream->gpu);
    if (!stream->capture)
        return ifl_later_give(session, stream, op);
    /* In a capture, events only order the nodes. */
    if (op->kind == IFL_DO_EVENT_RECORD || op->kind == IFL_DO_EVENT_WAIT)
        return ifl_cudaSuccess;
    ifl_node *node = ifl_graph_add(stream->capture, op);
    bool is_whole = node != NULL;
    for (size_t i = 0; is_whole && i < stream->follows.count; i++)
        is_whole = ifl_vec_push(&node->waits_for, stream->follows.at[i]);
    return is_whole && ifl_stream_follow(stream, &node, 1, true) ? ifl_cudaSuccess
                                                                 : ifl_cudaErrorMemoryAllocation;
}
