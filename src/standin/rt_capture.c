/* SPDX-License-Identifier: Apache-2.0
 * Capturing what streams are given into graphs. */
#include "standin/graph_node.h"
#include "standin/recapture.h"
#include "standin/served.h"

#include <string.h>

/* cudaStreamCaptureStatus */
enum { NOT_CAPTURING, CAPTURING, INVALIDATED };

static int status_of(const ifl_stream *stream)
{
    return !stream->capture ? NOT_CAPTURING : stream->capture->is_spoilt ? INVALIDATED : CAPTURING;
}

static bool is_mode(int mode)
{
    return mode >= 0 && mode < IFL_CAPTURE_MODES;
}

/* `into` NULL: a graph of its own. */
static ifl_cuda_error begin(void *handle, int mode, ifl_graph *into)
{
    ifl_stream *stream = ifl_stream_of(handle);
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    if (!is_mode(mode))
        return ifl_cudaErrorInvalidValue;
    if (ifl_stream_is_legacy(stream))
        return ifl_cudaErrorStreamCaptureUnsupported;
    if (stream->capture)
        return ifl_cudaErrorIllegalState;
    ifl_graph *graph = into ? into : ifl_graph_new(IFL_HANDLE_GRAPH);
    if (!graph)
        return ifl_cudaErrorMemoryAllocation;
    ifl_stream_begin(stream, graph);
    stream->made_graph = !into;
    stream->capture_mode = mode;
    stream->capture_thread = pthread_self();
    return ifl_cudaSuccess;
}

static ifl_cuda_error check_nodes(const ifl_graph *graph, ifl_node *const *nodes, size_t count)
{
    if (count && !nodes)
        return ifl_cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        const ifl_node *node = ifl_node_of(nodes[i]);
        if (!node || node->graph != graph)
            return ifl_cudaErrorInvalidValue;
    }
    return ifl_cudaSuccess;
}

static ifl_cuda_error follow(ifl_stream *stream, ifl_node *const *nodes, size_t count,
                             bool replaces)
{
    const ifl_cuda_error code = check_nodes(stream->capture, nodes, count);
    if (code != ifl_cudaSuccess)
        return code;
    return ifl_stream_follow(stream, nodes, count, replaces) ? ifl_cudaSuccess
                                                             : ifl_cudaErrorMemoryAllocation;
}

static ifl_cuda_error begin_into(void *stream, int mode, const void *graph, ifl_node *const *after,
                                 size_t count)
{
    ifl_graph *into = ifl_graph_of(graph);
    ifl_cuda_error code = into ? check_nodes(into, after, count) : ifl_cudaErrorInvalidValue;
    if (code == ifl_cudaSuccess)
        code = begin(stream, mode, into);
    return code == ifl_cudaSuccess ? follow(ifl_stream_of(stream), after, count, true) : code;
}

IFL_SERVED ifl_cuda_error cudaStreamBeginCapture(void *stream, int mode)
{
    SERVE(begin(stream, mode, NULL));
}
ALSO_OF_THREAD(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);

IFL_SERVED ifl_cuda_error cudaStreamBeginCaptureToGraph(void *stream, const void *graph,
                                                        ifl_node *const *after, const void *edges,
                                                        size_t count, int mode)
{
    (void)edges;
    SERVE(begin_into(stream, mode, graph, after, count));
}
ALSO_OF_THREAD(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);

#if IFL_CUDART >= 13
/* cudaGraphRecaptureCallbackData */
typedef ifl_cuda_error recapture_call(void *user, ifl_node *node, const ifl_node_params *before,
                                      const ifl_node_params *after, int status);
typedef struct recapture_data {
    recapture_call *call;
    void *user;
} recapture_data;

extern ifl_cuda_error cudaGraphNodeGetParams(const void *node, ifl_node_params *out);

/* Both sets of parameters point to what the operations own, so the old one goes last. */
static ifl_cuda_error tell_change(void *user, ifl_node *node, const ifl_op *to, bool is_eligible)
{
    const ifl_recapture *r = node->graph->recapture;
    ifl_node_params before = {0}, after = {0};
    ifl_op fresh, old = node->op;
    recapture_call *call;
    memcpy(&call, &r->call, sizeof call);
    if (!ifl_op_copy_of(to, &fresh, node->graph->kind))
        return ifl_cudaErrorMemoryAllocation;
    cudaGraphNodeGetParams(node, &before);
    node->op = fresh;
    cudaGraphNodeGetParams(node, &after);
    const ifl_cuda_error code = call(user, node, &before, &after, !is_eligible);
    ifl_op_clear(&old);
    return code;
}

static ifl_cuda_error begin_again(void *handle, int mode, ifl_graph *into,
                                  const recapture_data *data)
{
    void *call = NULL;
    ifl_cuda_error code =
        into && !into->recapture ? begin(handle, mode, into) : ifl_cudaErrorInvalidValue;
    if (code != ifl_cudaSuccess)
        return code;
    if (data && data->call)
        memcpy(&call, &data->call, sizeof call);
    if (ifl_recapture_begin(into, call ? tell_change : NULL, call, data ? data->user : NULL))
        return ifl_cudaSuccess;
    ifl_streams_leave(into);
    return ifl_cudaErrorMemoryAllocation;
}

IFL_SERVED ifl_cuda_error cudaStreamBeginRecaptureToGraph(void *stream, int mode, const void *graph,
                                                          const recapture_data *data)
{
    SERVE(begin_again(stream, mode, ifl_graph_of(graph), data));
}
ALSO_OF_THREAD(cudaStreamBeginRecaptureToGraph_ptsz, cudaStreamBeginRecaptureToGraph);
#endif

/* An H200 (driver 580) ends the capture in a thread that may not do so too. */
static ifl_cuda_error end(void *handle, ifl_graph **out)
{
    ifl_stream *stream = ifl_stream_of(handle);
    if (!stream ||
        (!out && stream->made_graph)) /* a graph that the program had before it has already */
        return stream ? ifl_cudaErrorInvalidValue : ifl_cudaErrorInvalidResourceHandle;
    if (out)
        *out = NULL;
    if (!stream->capture)
        return ifl_cudaErrorIllegalState;
    if (!stream->began_capture)
        return ifl_cudaErrorStreamCaptureUnmatched;
    const bool is_wrong_thread = stream->capture_mode != IFL_CAPTURE_RELAXED &&
                                 !pthread_equal(stream->capture_thread, pthread_self());
    ifl_graph *graph = stream->capture;
    const bool is_own = stream->made_graph;
    const bool was_spoilt = graph->is_spoilt;
    ifl_cuda_error code = ifl_recapture_end(graph);
    if (code == ifl_cudaSuccess)
        code = is_wrong_thread                ? ifl_cudaErrorStreamCaptureWrongThread
               : was_spoilt                   ? ifl_cudaErrorStreamCaptureInvalidated
               : ifl_stream_joins_all(stream) ? ifl_cudaSuccess
                                              : ifl_cudaErrorStreamCaptureUnjoined;
    graph->is_spoilt = false;
    ifl_streams_leave(graph);
    if (code != ifl_cudaSuccess && is_own)
        ifl_graph_free(graph);
    if (code != ifl_cudaSuccess)
        return code;
    if (out)
        *out = graph;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaStreamEndCapture(void *stream, ifl_graph **out)
{
    SERVE(end(stream, out));
}
ALSO_OF_THREAD(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

/* CUDA Runtime API, cudaStreamIsCapturing: this error spoils no capture. */
static ifl_cuda_error check_asked(const ifl_stream *stream, const int *status)
{
    if (!stream || !status)
        return stream ? ifl_cudaErrorInvalidValue : ifl_cudaErrorInvalidResourceHandle;
    return ifl_stream_is_legacy(stream) && ifl_capture_forbids_legacy(stream->gpu)
               ? ifl_cudaErrorStreamCaptureImplicit
               : ifl_cudaSuccess;
}

static ifl_cuda_error is_capturing(void *handle, int *status)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    const ifl_cuda_error code = check_asked(stream, status);
    if (code != ifl_cudaSuccess)
        return code;
    *status = status_of(stream);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaStreamIsCapturing(void *stream, int *status)
{
    SERVE(is_capturing(stream, status));
}
ALSO_OF_THREAD(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

static ifl_cuda_error capture_info(void *handle, int *status, unsigned long long *id,
                                   ifl_graph **graph, const ifl_node *const **nodes, size_t *count)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    const ifl_cuda_error code = check_asked(stream, status);
    if (code != ifl_cudaSuccess)
        return code;
    *status = status_of(stream);
    if (!stream->capture)
        return ifl_cudaSuccess;
    if (id)
        *id = (uintptr_t)stream->capture;
    if (graph)
        *graph = stream->capture;
    if (nodes)
        *nodes = stream->follows.count ? (const ifl_node *const *)stream->follows.at : NULL;
    if (count)
        *count = stream->follows.count;
    return ifl_cudaSuccess;
}

#if IFL_CUDART >= 13
IFL_SERVED ifl_cuda_error cudaStreamGetCaptureInfo(void *stream, int *status,
                                                   unsigned long long *id, ifl_graph **graph,
                                                   const ifl_node *const **nodes,
                                                   const void **edges, size_t *count)
{
    if (edges)
        *edges = NULL;
    SERVE(capture_info(stream, status, id, graph, nodes, count));
}
ALSO_OF_THREAD(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);
#else
#if IFL_CUDART ==                                                                                  \
    12 /* from 12.3 on, with the edges' data; 13.0 gave it the name without a number */
IFL_SERVED ifl_cuda_error cudaStreamGetCaptureInfo_v3(void *stream, int *status,
                                                      unsigned long long *id, ifl_graph **graph,
                                                      const ifl_node *const **nodes,
                                                      const void **edges, size_t *count)
{
    if (edges)
        *edges = NULL;
    SERVE(capture_info(stream, status, id, graph, nodes, count));
}
ALSO_OF_THREAD(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3);
#endif
IFL_SERVED ifl_cuda_error cudaStreamGetCaptureInfo_v2(void *stream, int *status,
                                                      unsigned long long *id, ifl_graph **graph,
                                                      const ifl_node *const **nodes, size_t *count)
{
    SERVE(capture_info(stream, status, id, graph, nodes, count));
}
ALSO_OF_THREAD(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);
#if IFL_CUDART == 12
ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v2);
ALSO_OF_THREAD(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo_v2);
#endif
#endif

static ifl_cuda_error update_dependencies(void *handle, ifl_node *const *nodes, size_t count,
                                          unsigned flags)
{
    enum { SET = 1 };
    ifl_stream *stream = ifl_stream_of(handle);
    if (!stream || flags > SET)
        return stream ? ifl_cudaErrorInvalidValue : ifl_cudaErrorInvalidResourceHandle;
    return stream->capture ? follow(stream, nodes, count, flags == SET) : ifl_cudaErrorIllegalState;
}

#if IFL_CUDART >= 12
IFL_SERVED ifl_cuda_error cudaStreamUpdateCaptureDependencies_v2(void *stream,
                                                                 ifl_node *const *nodes,
                                                                 const void *edges, size_t count,
                                                                 unsigned flags)
{
    (void)edges;
    SERVE(update_dependencies(stream, nodes, count, flags));
}
#endif
#if IFL_CUDART >= 13
ALSO(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_v2);
#else
IFL_SERVED ifl_cuda_error cudaStreamUpdateCaptureDependencies(void *stream, ifl_node *const *nodes,
                                                              size_t count, unsigned flags)
{
    SERVE(update_dependencies(stream, nodes, count, flags));
}
#endif

IFL_SERVED ifl_cuda_error cudaThreadExchangeStreamCaptureMode(int *mode)
{
    if (!mode || !is_mode(*mode))
        return ifl_state_end(ifl_cudaErrorInvalidValue);
    *mode = ifl_capture_exchange_mode(*mode);
    return ifl_state_end(ifl_cudaSuccess);
}
