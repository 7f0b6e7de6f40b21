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

void ifl_event_note(ifl_event *event)
{
    event->is_recorded = true;
    event->microseconds = ifl_state_clock();
}

ifl_cuda_error ifl_stream_give(ifl_context *context, void *handle, const ifl_op *op)
{
    ifl_stream *stream = ifl_stream_of(handle);
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    if (!stream->capture)
        return ifl_op_run(context, op);
    return ifl_graph_add(stream->capture, op) ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}
