/* SPDX-License-Identifier: Apache-2.0
 * Graphs: captured from streams, or made node by node, and launched. */
#include "standin/graph.h"
#include "standin/launch_call.h"
#include "standin/served.h"

#include <stdlib.h>
#include <string.h>

/* cudaStreamCaptureStatus */
enum { NOT_CAPTURING, CAPTURING };

/* ---- capturing ------------------------------------------------------------------------------- */

static ifl_cuda_error begin(void *handle, int mode, ifl_graph *into)
{
    ifl_stream *stream = ifl_stream_of(handle);
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    if ((uintptr_t)handle <= 1)
        return ifl_cudaErrorStreamCaptureUnsupported;
    if (stream->capture)
        return ifl_cudaErrorIllegalState;
    stream->capture = into ? into : ifl_graph_new();
    stream->began_capture = true;
    stream->capture_mode = mode;
    return stream->capture ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}

IFL_SERVED ifl_cuda_error cudaStreamBeginCapture(void *stream, int mode)
{
    SERVE(((void)session, begin(stream, mode, NULL)));
}
ALSO(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);

IFL_SERVED ifl_cuda_error cudaStreamBeginCaptureToGraph(void *stream, ifl_graph *graph, void *const *after,
                                                        const void *edges, size_t count, int mode)
{
    (void)after, (void)edges, (void)count;
    SERVE(((void)session, begin(stream, mode, graph)));
}
ALSO(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);

static ifl_cuda_error end(void *handle, ifl_graph **out)
{
    ifl_stream *stream = ifl_stream_of(handle);
    *out = NULL;
    if (!stream || !stream->capture)
        return ifl_cudaErrorIllegalState;
    if (!stream->began_capture)
        return ifl_cudaErrorStreamCaptureUnmatched;
    *out = stream->capture;
    ifl_streams_leave(stream->capture);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaStreamEndCapture(void *stream, ifl_graph **out)
{
    SERVE(((void)session, end(stream, out)));
}
ALSO(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

IFL_SERVED ifl_cuda_error cudaStreamIsCapturing(void *handle, int *status)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    if (stream)
        *status = stream->capture ? CAPTURING : NOT_CAPTURING;
    return ifl_state_end(stream ? ifl_cudaSuccess : ifl_cudaErrorInvalidResourceHandle);
}
ALSO(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

static ifl_cuda_error capture_info(void *handle, int *status, unsigned long long *id, ifl_graph **graph,
                                   const ifl_node *const **nodes, size_t *count)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    *status = stream->capture ? CAPTURING : NOT_CAPTURING;
    if (!stream->capture)
        return ifl_cudaSuccess;
    const size_t made = stream->capture->nodes.count;
    if (id)
        *id = (uintptr_t)stream->capture;
    if (graph)
        *graph = stream->capture;
    if (nodes)
        *nodes = made ? (const ifl_node *const *)&stream->capture->nodes.at[made - 1] : NULL;
    if (count)
        *count = made ? 1 : 0;
    return ifl_cudaSuccess;
}

#if IFL_CUDART >= 13
IFL_SERVED ifl_cuda_error cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id,
                                                   ifl_graph **graph, const ifl_node *const **nodes,
                                                   const void **edges, size_t *count)
{
    if (edges)
        *edges = NULL;
    SERVE(((void)session, capture_info(stream, status, id, graph, nodes, count)));
}
ALSO(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);
#else
IFL_SERVED ifl_cuda_error cudaStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id,
                                                      ifl_graph **graph, const ifl_node *const **nodes, size_t *count)
{
    SERVE(((void)session, capture_info(stream, status, id, graph, nodes, count)));
}
ALSO(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);
#if IFL_CUDART == 12
ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v2);
ALSO(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo_v2);
#endif
#endif

IFL_SERVED ifl_cuda_error cudaThreadExchangeStreamCaptureMode(int *mode)
{
    static _Thread_local int own;
    const int before = own;
    own = *mode;
    *mode = before;
    return ifl_state_end(ifl_cudaSuccess);
}

/* ---- making nodes ---------------------------------------------------------------------------- */

IFL_SERVED ifl_cuda_error cudaGraphCreate(ifl_graph **out, unsigned flags)
{
    (void)flags;
    *out = ifl_graph_new();
    return ifl_state_end(*out ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation);
}

IFL_SERVED ifl_cuda_error cudaGraphDestroy(ifl_graph *graph)
{
    if (graph)
        ifl_graph_free(graph);
    return ifl_state_end(graph ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cudaGraphAddEmptyNode(ifl_node **out, ifl_graph *graph, ifl_node *const *after, size_t count)
{
    return ifl_state_end(ifl_graph_add_after(out, graph, after, count, &(ifl_op){.kind = IFL_DO_EMPTY_NODE}));
}

typedef struct kernel_params {
    void *function;
    ifl_dim3 grid, block;
    unsigned shared_bytes;
    void **arguments;
    void **extra;
} kernel_params;

static ifl_cuda_error kernel_op(ifl_session *session, const kernel_params *params, const void *from, ifl_op *op)
{
    ifl_function_record *function = ifl_function_find(params->function);
    const ifl_launch_call call = {.grid = params->grid,
                                  .block = params->block,
                                  .arguments = params->arguments,
                                  .shared_bytes = params->shared_bytes,
                                  .from = from};
    /* From CUDA 13 on the handle of a kernel may stand there too. */
    return ifl_launch_op(session, function ? function : params->function, &call, op);
}

static ifl_cuda_error add_kernel(ifl_session *session, ifl_node **out, ifl_graph *graph, ifl_node *const *after,
                                 size_t count, const kernel_params *params, const void *from)
{
    ifl_op op;
    ifl_cuda_error code = kernel_op(session, params, from, &op);
    if (code != ifl_cudaSuccess)
        return code;
    code = ifl_graph_add_after(out, graph, after, count, &op);
    ifl_op_clear(&op);
    return code;
}

IFL_SERVED ifl_cuda_error cudaGraphAddKernelNode(ifl_node **out, ifl_graph *graph, ifl_node *const *after,
                                                 size_t count, const kernel_params *params)
{
    SERVE(add_kernel(session, out, graph, after, count, params, __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cudaGraphAddMemcpyNode(ifl_node **out, ifl_graph *graph, ifl_node *const *after,
                                                 size_t count, const ifl_copy3d *box)
{
    ifl_op op;
    const ifl_cuda_error code = ifl_copy_box_op(box, &op);
    return ifl_state_end(code == ifl_cudaSuccess ? ifl_graph_add_after(out, graph, after, count, &op) : code);
}

IFL_SERVED ifl_cuda_error cudaGraphAddMemcpyNode1D(ifl_node **out, ifl_graph *graph, ifl_node *const *after,
                                                   size_t count, void *to, const void *from, size_t bytes, int kind)
{
    const ifl_op op = ifl_copy_line_op(to, from, bytes, kind);
    return ifl_state_end(ifl_graph_add_after(out, graph, after, count, &op));
}

typedef struct set_params {
    void *to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
} set_params;

static ifl_cuda_error set_op(const set_params *params, ifl_op *op)
{
    const ifl_op_set of = {.to = params->to,
                           .pitch = params->pitch,
                           .width = params->width,
                           .height = params->height,
                           .depth = 1,
                           .element_bytes = params->element_bytes,
                           .value = params->value};
    return ifl_fill_op(&of, op);
}

IFL_SERVED ifl_cuda_error cudaGraphAddMemsetNode(ifl_node **out, ifl_graph *graph, ifl_node *const *after,
                                                 size_t count, const set_params *params)
{
    ifl_op op;
    const ifl_cuda_error code = params ? set_op(params, &op) : ifl_cudaErrorInvalidValue;
    return ifl_state_end(code == ifl_cudaSuccess ? ifl_graph_add_after(out, graph, after, count, &op) : code);
}

typedef struct host_params {
    void (*call)(void *);
    void *user;
} host_params;

IFL_SERVED ifl_cuda_error cudaGraphAddHostNode(ifl_node **out, ifl_graph *graph, ifl_node *const *after, size_t count,
                                               const host_params *params)
{
    const ifl_op op = {.kind = IFL_DO_HOST, .of.host = {.call = params->call, .user = params->user}};
    return ifl_state_end(ifl_graph_add_after(out, graph, after, count, &op));
}

IFL_SERVED ifl_cuda_error cudaGraphAddChildGraphNode(ifl_node **out, ifl_graph *graph, ifl_node *const *after,
                                                     size_t count, ifl_graph *child)
{
    const ifl_op op = {.kind = IFL_DO_CHILD_GRAPH, .of.child = child};
    return ifl_state_end(child ? ifl_graph_add_after(out, graph, after, count, &op) : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cudaGraphAddEventRecordNode(ifl_node **out, ifl_graph *graph, ifl_node *const *after,
                                                      size_t count, void *event)
{
    const ifl_op op = {.kind = IFL_DO_EVENT_RECORD, .of.event = ifl_event_of(event)};
    return ifl_state_end(op.of.event ? ifl_graph_add_after(out, graph, after, count, &op) : ifl_cudaErrorInvalidResourceHandle);
}

IFL_SERVED ifl_cuda_error cudaGraphAddEventWaitNode(ifl_node **out, ifl_graph *graph, ifl_node *const *after,
                                                    size_t count, void *event)
{
    const ifl_op op = {.kind = IFL_DO_EVENT_WAIT, .of.event = ifl_event_of(event)};
    return ifl_state_end(op.of.event ? ifl_graph_add_after(out, graph, after, count, &op) : ifl_cudaErrorInvalidResourceHandle);
}

static ifl_cuda_error add_edges(ifl_node *const *from, ifl_node *const *to, size_t count)
{
    ifl_cuda_error code = ifl_cudaSuccess;
    for (size_t i = 0; i < count && code == ifl_cudaSuccess; i++)
        code = ifl_node_depend(to[i], &from[i], 1);
    return code;
}

#if IFL_CUDART >= 13
IFL_SERVED ifl_cuda_error cudaGraphAddDependencies(ifl_graph *graph, ifl_node *const *from, ifl_node *const *to,
                                                   const void *edges, size_t count)
{
    (void)graph, (void)edges;
    return ifl_state_end(add_edges(from, to, count));
}
#else
IFL_SERVED ifl_cuda_error cudaGraphAddDependencies(ifl_graph *graph, ifl_node *const *from, ifl_node *const *to,
                                                   size_t count)
{
    (void)graph;
    return ifl_state_end(add_edges(from, to, count));
}
#endif

/* ---- looking at them ------------------------------------------------------------------------- */

IFL_SERVED ifl_cuda_error cudaGraphGetNodes(ifl_graph *graph, ifl_node **nodes, size_t *count)
{
    const size_t room = nodes ? *count : 0;
    for (size_t i = 0; i < room && i < graph->nodes.count; i++)
        nodes[i] = graph->nodes.at[i];
    *count = nodes && room < graph->nodes.count ? room : graph->nodes.count;
    return ifl_state_end(ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaGraphGetRootNodes(ifl_graph *graph, ifl_node **nodes, size_t *count)
{
    size_t found = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (graph->nodes.at[i]->waits_for.count)
            continue;
        if (nodes && found < *count)
            nodes[found] = graph->nodes.at[i];
        found++;
    }
    *count = found;
    return ifl_state_end(ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetType(ifl_node *node, int *type)
{
    static const int types[] = {[IFL_DO_KERNEL] = 0,       [IFL_DO_COPY] = 1,       [IFL_DO_SET] = 2,
                                [IFL_DO_HOST] = 3,         [IFL_DO_CHILD_GRAPH] = 4, [IFL_DO_EMPTY_NODE] = 5,
                                [IFL_DO_EVENT_WAIT] = 6,   [IFL_DO_EVENT_RECORD] = 7, [IFL_DO_ALLOCATE] = 10,
                                [IFL_DO_RELEASE] = 11};
    *type = types[node->op.kind];
    return ifl_state_end(ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaGraphClone(ifl_graph **out, ifl_graph *graph)
{
    *out = ifl_graph_clone(graph);
    return ifl_state_end(*out ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation);
}

IFL_SERVED ifl_cuda_error cudaGraphNodeFindInClone(ifl_node **out, ifl_node *node, ifl_graph *clone)
{
    *out = ifl_graph_twin(clone, node);
    return ifl_state_end(*out ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}

/* ---- running them ---------------------------------------------------------------------------- */

static ifl_cuda_error instantiate(ifl_graph **out, const ifl_graph *graph)
{
    *out = graph ? ifl_graph_clone(graph) : NULL;
    return *out ? ifl_cudaSuccess : graph ? ifl_cudaErrorMemoryAllocation : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaGraphInstantiateWithFlags(ifl_graph **out, ifl_graph *graph, unsigned long long flags)
{
    (void)flags;
    return ifl_state_end(instantiate(out, graph));
}

#if IFL_CUDART >= 12
ALSO(cudaGraphInstantiate, cudaGraphInstantiateWithFlags);
#else
IFL_SERVED ifl_cuda_error cudaGraphInstantiate(ifl_graph **out, ifl_graph *graph, ifl_node **bad, char *log,
                                               size_t log_bytes)
{
    if (bad)
        *bad = NULL;
    if (log && log_bytes)
        *log = '\0';
    return ifl_state_end(instantiate(out, graph));
}
#endif

IFL_SERVED ifl_cuda_error cudaGraphUpload(ifl_graph *graph, void *stream)
{
    return ifl_state_end(graph && ifl_stream_of(stream) ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}
ALSO(cudaGraphUpload_ptsz, cudaGraphUpload);

static ifl_cuda_error launch(ifl_session *session, ifl_graph *graph, void *stream)
{
    if (!graph)
        return ifl_cudaErrorInvalidValue;
    const ifl_stream *s = ifl_stream_of(stream);
    if (!s || !s->capture)
        return s ? ifl_graph_run(session, graph) : ifl_cudaErrorInvalidResourceHandle;
    return ifl_serve_op(session, stream, (ifl_op){.kind = IFL_DO_CHILD_GRAPH, .of.child = graph});
}

IFL_SERVED ifl_cuda_error cudaGraphLaunch(ifl_graph *graph, void *stream)
{
    SERVE(launch(session, graph, stream));
}
ALSO(cudaGraphLaunch_ptsz, cudaGraphLaunch);

IFL_SERVED ifl_cuda_error cudaGraphExecDestroy(ifl_graph *graph)
{
    return cudaGraphDestroy(graph);
}

/* ---- changing them --------------------------------------------------------------------------- */

static ifl_cuda_error replace(ifl_node *node, const ifl_op *op)
{
    ifl_op copy;
    if (!node || node->op.kind != op->kind)
        return ifl_cudaErrorInvalidValue;
    if (!ifl_op_copy_of(op, &copy))
        return ifl_cudaErrorMemoryAllocation;
    ifl_op_clear(&node->op);
    node->op = copy;
    return ifl_cudaSuccess;
}

static ifl_cuda_error set_kernel(ifl_session *session, ifl_node *node, const kernel_params *params, const void *from)
{
    ifl_op op;
    ifl_cuda_error code = kernel_op(session, params, from, &op);
    if (code != ifl_cudaSuccess)
        return code;
    code = replace(node, &op);
    ifl_op_clear(&op);
    return code;
}

IFL_SERVED ifl_cuda_error cudaGraphKernelNodeSetParams(ifl_node *node, const kernel_params *params)
{
    SERVE(set_kernel(session, node, params, __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cudaGraphExecKernelNodeSetParams(ifl_graph *graph, ifl_node *node,
                                                           const kernel_params *params)
{
    SERVE(set_kernel(session, ifl_graph_twin(graph, node), params, __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cudaGraphExecMemcpyNodeSetParams1D(ifl_graph *graph, ifl_node *node, void *to,
                                                             const void *from, size_t bytes, int kind)
{
    const ifl_op op = ifl_copy_line_op(to, from, bytes, kind);
    return ifl_state_end(replace(ifl_graph_twin(graph, node), &op));
}

IFL_SERVED ifl_cuda_error cudaGraphNodeSetEnabled(ifl_graph *graph, ifl_node *node, unsigned enabled)
{
    ifl_node *twin = ifl_graph_twin(graph, node);
    if (twin)
        twin->is_disabled = !enabled;
    return ifl_state_end(twin ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetEnabled(ifl_graph *graph, ifl_node *node, unsigned *enabled)
{
    const ifl_node *twin = ifl_graph_twin(graph, node);
    if (twin)
        *enabled = !twin->is_disabled;
    return ifl_state_end(twin ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}

/* Node by node, where both have the same kinds in the same order. */
static ifl_cuda_error update(ifl_graph *graph, const ifl_graph *from)
{
    if (graph->nodes.count != from->nodes.count)
        return ifl_cudaErrorGraphExecUpdateFailure;
    for (size_t i = 0; i < from->nodes.count; i++)
        if (graph->nodes.at[i]->op.kind != from->nodes.at[i]->op.kind)
            return ifl_cudaErrorGraphExecUpdateFailure;
    ifl_cuda_error code = ifl_cudaSuccess;
    for (size_t i = 0; i < from->nodes.count && code == ifl_cudaSuccess; i++) {
        code = replace(graph->nodes.at[i], &from->nodes.at[i]->op);
        graph->nodes.at[i]->made_from = from->nodes.at[i];
    }
    return code;
}

/* cudaGraphExecUpdateResultInfo: a result (0 done, 1 failed), and the nodes at fault. */
typedef struct update_result {
    int result;
    ifl_node *node, *from;
} update_result;

#if IFL_CUDART >= 12
IFL_SERVED ifl_cuda_error cudaGraphExecUpdate(ifl_graph *graph, ifl_graph *from, update_result *result)
{
    const ifl_cuda_error code = update(graph, from);
    *result = (update_result){.result = code != ifl_cudaSuccess};
    return ifl_state_end(code);
}
#else
IFL_SERVED ifl_cuda_error cudaGraphExecUpdate(ifl_graph *graph, ifl_graph *from, ifl_node **bad, int *result)
{
    const ifl_cuda_error code = update(graph, from);
    *bad = NULL;
    *result = code != ifl_cudaSuccess;
    return ifl_state_end(code);
}
#endif
