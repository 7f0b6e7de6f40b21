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
    /* In a capture, events only order the nodes; and a node follows all that came before it. */
    if (op->kind == IFL_DO_EVENT_RECORD || op->kind == IFL_DO_EVENT_WAIT)
        return ifl_cudaSuccess;
    const size_t before = stream->capture->nodes.count;
    ifl_node *node = ifl_graph_add(stream->capture, op);
    const bool is_whole =
        node && (!before || ifl_vec_push(&node->waits_for, stream->capture->nodes.at[before - 1]));
    return is_whole ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}
