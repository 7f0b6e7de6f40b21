/* SPDX-License-Identifier: Apache-2.0
 * See stream.h. */
#include "standin/stream.h"

#include "standin/graph.h"

enum { STREAM_MAGIC = 0x49535452, EVENT_MAGIC = 0x49455654, LAST_DEFAULT = 2 };

/* CUDA Runtime API: 0 and cudaStreamLegacy (1) are one stream, cudaStreamPerThread (2) is another. */
static ifl_stream defaults[LAST_DEFAULT + 1] = {
    {.magic = STREAM_MAGIC, .id = 1}, {.magic = STREAM_MAGIC, .id = 1}, {.magic = STREAM_MAGIC, .id = 2}};

ifl_stream *ifl_stream_of(void *handle)
{
    if ((uintptr_t)handle <= LAST_DEFAULT)
        return &defaults[(uintptr_t)handle ? (uintptr_t)handle : 1];
    ifl_stream *stream = handle;
    return stream->magic == STREAM_MAGIC ? stream : NULL;
}

ifl_event *ifl_event_of(void *handle)
{
    ifl_event *event = handle;
    return event && event->magic == EVENT_MAGIC ? event : NULL;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static IFL_VEC(ifl_stream *) made;

bool ifl_stream_add(ifl_stream *stream)
{
    return ifl_vec_push(&made, stream);
}

void ifl_stream_remove(ifl_stream *stream)
{
    for (size_t i = 0; i < made.count; i++)
        if (made.at[i] == stream) {
            made.at[i] = made.at[--made.count];
            return;
        }
}

static void leave(ifl_stream *stream, const ifl_graph *graph)
{
    if (stream->capture != graph)
        return;
    stream->capture = NULL;
    stream->began_capture = false;
}

void ifl_streams_leave(const ifl_graph *graph)
{
    leave(&defaults[LAST_DEFAULT], graph);
    for (size_t i = 0; i < made.count; i++)
        leave(made.at[i], graph);
}

/* ---- giving them work ------------------------------------------------------------------------ */

void ifl_event_note(const ifl_session *session, ifl_event *event)
{
    event->is_recorded = true;
    event->microseconds = ifl_session_clock(session);
}

ifl_cuda_error ifl_stream_give(ifl_session *session, void *handle, const ifl_op *op)
{
    ifl_stream *stream = ifl_stream_of(handle);
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    if (!stream->capture)
        return ifl_op_run(session, op);
    /* In a capture, events only order the nodes; and a node follows all that came before it. */
    if (op->kind == IFL_DO_EVENT_RECORD || op->kind == IFL_DO_EVENT_WAIT)
        return ifl_cudaSuccess;
    const size_t before = stream->capture->nodes.count;
    ifl_node *node = ifl_graph_add(stream->capture, op);
    const bool is_whole =
        node && (!before || ifl_vec_push(&node->waits_for, stream->capture->nodes.at[before - 1]));
    return is_whole ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}
