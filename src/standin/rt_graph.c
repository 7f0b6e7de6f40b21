/* SPDX-License-Identifier: Apache-2.0
 * Graphs: captured from streams, or made node by node, and launched. */
#include "standin/graph.h"
#include "standin/graph_node.h"
#include "standin/launch_call.h"
#include "standin/served.h"

#include <stdlib.h>
#include <string.h>

/* cudaStreamCaptureStatus */
enum { NOT_CAPTURING, CAPTURING };

/* ---- capturing ------------------------------------------------------------------------------- */

/* cudaStreamCaptureMode: global, of the thread, relaxed. */
static bool is_mode(int mode)
{
    enum { MOST = 2 };
    return mode >= 0 && mode <= MOST;
}

/* `into` NULL: a graph of its own. */
static ifl_cuda_error begin(void *handle, int mode, ifl_graph *into)
{
    ifl_stream *stream = ifl_stream_of(handle);
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    if (!is_mode(mode))
        return ifl_cudaErrorInvalidValue;
    if ((uintptr_t)handle <= 1)
        return ifl_cudaErrorStreamCaptureUnsupported;
    if (stream->capture)
        return ifl_cudaErrorIllegalState;
    stream->capture = into ? into : ifl_graph_new(IFL_HANDLE_GRAPH);
    stream->began_capture = stream->capture != NULL;
    stream->made_graph = stream->capture && !into;
    stream->capture_mode = mode;
    return stream->capture ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
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
    SERVE(((void)session, begin(stream, mode, NULL)));
}
ALSO(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);

IFL_SERVED ifl_cuda_error cudaStreamBeginCaptureToGraph(void *stream, const void *graph,
                                                        ifl_node *const *after, const void *edges,
                                                        size_t count, int mode)
{
    (void)edges;
    SERVE(((void)session, begin_into(stream, mode, graph, after, count)));
}
ALSO(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);

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
    ifl_graph *graph = stream->capture;
    const bool is_own = stream->made_graph, is_joined = ifl_stream_joins_all(stream);
    ifl_streams_leave(graph);
    if (!is_joined && is_own)
        ifl_graph_free(graph);
    if (!is_joined)
        return ifl_cudaErrorStreamCaptureUnjoined;
    if (out)
        *out = graph;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaStreamEndCapture(void *stream, ifl_graph **out)
{
    SERVE(((void)session, end(stream, out)));
}
ALSO(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

static ifl_cuda_error is_capturing(void *handle, int *status)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    if (!stream || !status)
        return stream ? ifl_cudaErrorInvalidValue : ifl_cudaErrorInvalidResourceHandle;
    *status = stream->capture ? CAPTURING : NOT_CAPTURING;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaStreamIsCapturing(void *stream, int *status)
{
    SERVE(((void)session, is_capturing(stream, status)));
}
ALSO(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

static ifl_cuda_error capture_info(void *handle, int *status, unsigned long long *id,
                                   ifl_graph **graph, const ifl_node *const **nodes, size_t *count)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    if (!stream || !status)
        return stream ? ifl_cudaErrorInvalidValue : ifl_cudaErrorInvalidResourceHandle;
    *status = stream->capture ? CAPTURING : NOT_CAPTURING;
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
    SERVE(((void)session, capture_info(stream, status, id, graph, nodes, count)));
}
ALSO(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);
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
    SERVE(((void)session, capture_info(stream, status, id, graph, nodes, count)));
}
ALSO(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3);
#endif
IFL_SERVED ifl_cuda_error cudaStreamGetCaptureInfo_v2(void *stream, int *status,
                                                      unsigned long long *id, ifl_graph **graph,
                                                      const ifl_node *const **nodes, size_t *count)
{
    SERVE(((void)session, capture_info(stream, status, id, graph, nodes, count)));
}
ALSO(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);
#if IFL_CUDART == 12
ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v2);
ALSO(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo_v2);
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
    SERVE(((void)session, update_dependencies(stream, nodes, count, flags)));
}
#endif
#if IFL_CUDART >= 13
ALSO(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_v2);
#else
IFL_SERVED ifl_cuda_error cudaStreamUpdateCaptureDependencies(void *stream, ifl_node *const *nodes,
                                                              size_t count, unsigned flags)
{
    SERVE(((void)session, update_dependencies(stream, nodes, count, flags)));
}
#endif

IFL_SERVED ifl_cuda_error cudaThreadExchangeStreamCaptureMode(int *mode)
{
    static _Thread_local int own;
    if (!mode || !is_mode(*mode))
        return ifl_state_end(ifl_cudaErrorInvalidValue);
    const int before = own;
    own = *mode;
    *mode = before;
    return ifl_state_end(ifl_cudaSuccess);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* A graph for the program; NULL: there was no memory for it. */
static ifl_cuda_error give(ifl_graph **out, ifl_graph *graph)
{
    *out = graph;
    return graph ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}

IFL_SERVED ifl_cuda_error cudaGraphCreate(ifl_graph **out, unsigned flags)
{
    (void)flags;
    SERVE(((void)session,
           out ? give(out, ifl_graph_new(IFL_HANDLE_GRAPH)) : ifl_cudaErrorInvalidValue));
}

static ifl_cuda_error destroy(ifl_graph *graph)
{
    if (!graph || graph->is_body || graph->is_running)
        return graph && !graph->is_body ? ifl_cudaErrorNotPermitted : ifl_cudaErrorInvalidValue;
    ifl_streams_leave(graph);
    ifl_graph_free(graph);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphDestroy(const void *graph)
{
    SERVE(((void)session, destroy(ifl_graph_of(graph))));
}

/* A copy of `from`, which is a graph or NULL. One with conditional nodes is instantiated only
 * (cudaGraphNodeTypeConditional; the error is the one of driver 580.159.04). */
static ifl_cuda_error copy(ifl_graph **out, const ifl_graph *from, ifl_handle_kind kind)
{
    if (!out || !from)
        return ifl_cudaErrorInvalidValue;
    return kind == IFL_HANDLE_EXEC || !ifl_graph_has_conditions(from)
               ? give(out, ifl_graph_clone(from, kind))
               : ifl_cudaErrorNotSupported;
}

IFL_SERVED ifl_cuda_error cudaGraphClone(ifl_graph **out, const void *graph)
{
    SERVE(((void)session, copy(out, ifl_graph_of(graph), IFL_HANDLE_GRAPH)));
}

/* ---- making nodes ---------------------------------------------------------------------------- */

IFL_SERVED ifl_cuda_error cudaGraphAddEmptyNode(ifl_node **out, const void *graph,
                                                ifl_node *const *after, size_t count)
{
    SERVE(((void)session,
           ifl_graph_add_after(out, graph, after, count, &(ifl_op){.kind = IFL_DO_EMPTY_NODE})));
}

/* From CUDA 13 on the handle of a kernel may stand in the place of the host's address. */
static ifl_cuda_error kernel_op(ifl_session *session, const ifl_kernel_params *params,
                                const void *from, ifl_op *op)
{
    if (!params)
        return ifl_cudaErrorInvalidValue;
    const ifl_launch_call call = {.grid = params->grid,
                                  .block = params->block,
                                  .arguments = params->arguments,
                                  .shared_bytes = params->shared_bytes,
                                  .from = from};
    const ifl_cuda_error code =
        ifl_launch_op(session, ifl_function_find(params->function), &call, op);
    if (code == ifl_cudaSuccess)
        op->of.kernel.function = params->function;
    return code;
}

ifl_cuda_error ifl_graph_add_kernel(ifl_session *session, ifl_node **out, const void *graph,
                                    ifl_node *const *after, size_t count,
                                    const ifl_kernel_params *params, const void *from)
{
    ifl_op op;
    ifl_cuda_error code = kernel_op(session, params, from, &op);
    if (code != ifl_cudaSuccess)
        return code;
    code = ifl_graph_add_after(out, graph, after, count, &op);
    ifl_op_clear(&op);
    return code;
}

IFL_SERVED ifl_cuda_error cudaGraphAddKernelNode(ifl_node **out, const void *graph,
                                                 ifl_node *const *after, size_t count,
                                                 const ifl_kernel_params *params)
{
    SERVE(ifl_graph_add_kernel(session, out, graph, after, count, params,
                               __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cudaGraphAddMemcpyNode(ifl_node **out, const void *graph,
                                                 ifl_node *const *after, size_t count,
                                                 const ifl_copy3d *box)
{
    ifl_op op;
    const ifl_cuda_error made = ifl_copy_box_op(box, &op);
    SERVE(((void)session,
           made == ifl_cudaSuccess ? ifl_graph_add_after(out, graph, after, count, &op) : made));
}

IFL_SERVED ifl_cuda_error cudaGraphAddMemcpyNode1D(ifl_node **out, const void *graph,
                                                   ifl_node *const *after, size_t count, void *to,
                                                   const void *from, size_t bytes, int kind)
{
    const ifl_op op = ifl_copy_line_op(to, from, bytes, kind);
    SERVE(((void)session, ifl_graph_add_after(out, graph, after, count, &op)));
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

IFL_SERVED ifl_cuda_error cudaGraphAddMemsetNode(ifl_node **out, const void *graph,
                                                 ifl_node *const *after, size_t count,
                                                 const set_params *params)
{
    ifl_op op;
    const ifl_cuda_error made = params ? set_op(params, &op) : ifl_cudaErrorInvalidValue;
    SERVE(((void)session,
           made == ifl_cudaSuccess ? ifl_graph_add_after(out, graph, after, count, &op) : made));
}

typedef struct host_params {
    void (*call)(void *);
    void *user;
} host_params;

IFL_SERVED ifl_cuda_error cudaGraphAddHostNode(ifl_node **out, const void *graph,
                                               ifl_node *const *after, size_t count,
                                               const host_params *params)
{
    const bool is_call = params && params->call;
    const ifl_op op = {.kind = IFL_DO_HOST,
                       .of.host = is_call ? (ifl_op_host){params->call, NULL, params->user, NULL}
                                          : (ifl_op_host){0}};
    SERVE(((void)session, is_call ? ifl_graph_add_after(out, graph, after, count, &op)
                                  : ifl_cudaErrorInvalidValue));
}

static ifl_cuda_error add_child(ifl_node **out, const void *graph, ifl_node *const *after,
                                size_t count, ifl_graph *child)
{
    const ifl_op op = {.kind = IFL_DO_CHILD_GRAPH, .of.child = child};
    return child && !ifl_graph_has_conditions(child)
               ? ifl_graph_add_after(out, graph, after, count, &op)
               : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaGraphAddChildGraphNode(ifl_node **out, const void *graph,
                                                     ifl_node *const *after, size_t count,
                                                     const void *child)
{
    SERVE(((void)session, add_child(out, graph, after, count, ifl_graph_of(child))));
}

static ifl_cuda_error add_event(ifl_node **out, const void *graph, ifl_node *const *after,
                                size_t count, ifl_op_kind kind, void *event)
{
    const ifl_op op = {.kind = kind, .of.event = event};
    return ifl_event_of(event) ? ifl_graph_add_after(out, graph, after, count, &op)
                               : ifl_cudaErrorInvalidResourceHandle;
}

IFL_SERVED ifl_cuda_error cudaGraphAddEventRecordNode(ifl_node **out, const void *graph,
                                                      ifl_node *const *after, size_t count,
                                                      void *event)
{
    SERVE(((void)session, add_event(out, graph, after, count, IFL_DO_EVENT_RECORD, event)));
}

IFL_SERVED ifl_cuda_error cudaGraphAddEventWaitNode(ifl_node **out, const void *graph,
                                                    ifl_node *const *after, size_t count,
                                                    void *event)
{
    SERVE(((void)session, add_event(out, graph, after, count, IFL_DO_EVENT_WAIT, event)));
}

#if IFL_CUDART >= 13
IFL_SERVED ifl_cuda_error cudaGraphAddDependencies(const void *graph, ifl_node *const *from,
                                                   ifl_node *const *to, const void *edges,
                                                   size_t count)
{
    (void)edges;
    SERVE(((void)session, ifl_graph_depend(graph, from, to, count)));
}
#else
IFL_SERVED ifl_cuda_error cudaGraphAddDependencies(const void *graph, ifl_node *const *from,
                                                   ifl_node *const *to, size_t count)
{
    SERVE(((void)session, ifl_graph_depend(graph, from, to, count)));
}
#endif

/* ---- looking at them ------------------------------------------------------------------------- */

/* All nodes, or those that wait for none; without `nodes` their number only. */
static ifl_cuda_error list(const ifl_graph *graph, bool only_roots, ifl_node **nodes, size_t *count)
{
    size_t found = 0;
    if (!graph || !count)
        return ifl_cudaErrorInvalidValue;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (only_roots && graph->nodes.at[i]->waits_for.count)
            continue;
        if (nodes && found == *count)
            break;
        if (nodes)
            nodes[found] = graph->nodes.at[i];
        found++;
    }
    for (size_t i = found; nodes && i < *count; i++)
        nodes[i] = NULL;
    *count = found;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphGetNodes(const void *graph, ifl_node **nodes, size_t *count)
{
    SERVE(((void)session, list(ifl_graph_of(graph), false, nodes, count)));
}

IFL_SERVED ifl_cuda_error cudaGraphGetRootNodes(const void *graph, ifl_node **nodes, size_t *count)
{
    SERVE(((void)session, list(ifl_graph_of(graph), true, nodes, count)));
}

static ifl_cuda_error type_of(const ifl_node *node, int *type)
{
    static const int types[] = {
        [IFL_DO_KERNEL] = 0,     [IFL_DO_COPY] = 1,         [IFL_DO_SET] = 2,
        [IFL_DO_HOST] = 3,       [IFL_DO_CHILD_GRAPH] = 4,  [IFL_DO_EMPTY_NODE] = 5,
        [IFL_DO_EVENT_WAIT] = 6, [IFL_DO_EVENT_RECORD] = 7, [IFL_DO_ALLOCATE] = 10,
        [IFL_DO_RELEASE] = 11,   [IFL_DO_CONDITION] = 13,   [IFL_DO_WRITE_VALUE] = 12,
        [IFL_DO_WAIT_VALUE] = 12};
    if (!node || !type)
        return ifl_cudaErrorInvalidValue;
    *type = types[node->op.kind];
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetType(const void *node, int *type)
{
    SERVE(((void)session, type_of(ifl_node_of(node), type)));
}

static ifl_cuda_error find_in_clone(ifl_node **out, const ifl_node *node, ifl_graph *clone)
{
    if (!out || !node || !clone)
        return ifl_cudaErrorInvalidValue;
    *out = ifl_graph_twin(clone, node);
    return *out ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaGraphNodeFindInClone(ifl_node **out, const void *node,
                                                   const void *clone)
{
    SERVE(((void)session, find_in_clone(out, ifl_node_of(node), ifl_graph_of(clone))));
}

/* ---- running them ---------------------------------------------------------------------------- */

IFL_SERVED ifl_cuda_error cudaGraphInstantiateWithFlags(ifl_graph **out, const void *graph,
                                                        unsigned long long flags)
{
    (void)flags;
    SERVE(((void)session, copy(out, ifl_graph_of(graph), IFL_HANDLE_EXEC)));
}

#if IFL_CUDART >= 12
ALSO(cudaGraphInstantiate, cudaGraphInstantiateWithFlags);
#else
IFL_SERVED ifl_cuda_error cudaGraphInstantiate(ifl_graph **out, const void *graph, ifl_node **bad,
                                               char *log, size_t log_bytes)
{
    if (bad)
        *bad = NULL;
    if (log && log_bytes)
        *log = '\0';
    SERVE(((void)session, copy(out, ifl_graph_of(graph), IFL_HANDLE_EXEC)));
}
#endif

static ifl_cuda_error check_stream(void *stream)
{
    return ifl_stream_of(stream) ? ifl_cudaSuccess : ifl_cudaErrorInvalidResourceHandle;
}

IFL_SERVED ifl_cuda_error cudaGraphUpload(const void *exec, void *stream)
{
    SERVE(((void)session, ifl_exec_of(exec) ? check_stream(stream) : ifl_cudaErrorInvalidValue));
}
ALSO(cudaGraphUpload_ptsz, cudaGraphUpload);

static ifl_cuda_error launch(ifl_session *session, ifl_graph *exec, void *stream)
{
    if (!exec)
        return ifl_cudaErrorInvalidValue;
    const ifl_stream *s = ifl_stream_of(stream);
    if (!s)
        return ifl_cudaErrorInvalidResourceHandle;
    if (!s->capture) {
        ifl_later_finish(session, s);
        return ifl_wait_code(ifl_graph_run(session, exec));
    }
    return ifl_serve_op(session, stream, (ifl_op){.kind = IFL_DO_CHILD_GRAPH, .of.child = exec});
}

IFL_SERVED ifl_cuda_error cudaGraphLaunch(const void *exec, void *stream)
{
    SERVE(launch(session, ifl_exec_of(exec), stream));
}
ALSO(cudaGraphLaunch_ptsz, cudaGraphLaunch);

IFL_SERVED ifl_cuda_error cudaGraphExecDestroy(const void *exec)
{
    SERVE(((void)session, destroy(ifl_exec_of(exec))));
}

/* ---- changing them --------------------------------------------------------------------------- */

static ifl_cuda_error replace(ifl_node *node, const ifl_op *op)
{
    ifl_op copied;
    if (!node || node->op.kind != op->kind)
        return ifl_cudaErrorInvalidValue;
    if (node->graph->is_running)
        return ifl_cudaErrorNotPermitted;
    if (!ifl_op_copy_of(op, &copied))
        return ifl_cudaErrorMemoryAllocation;
    ifl_op_clear(&node->op);
    node->op = copied;
    return ifl_cudaSuccess;
}

static ifl_cuda_error set_kernel(ifl_session *session, ifl_node *node,
                                 const ifl_kernel_params *params, const void *from)
{
    ifl_op op;
    ifl_cuda_error code = kernel_op(session, params, from, &op);
    if (code != ifl_cudaSuccess)
        return code;
    code = replace(node, &op);
    ifl_op_clear(&op);
    return code;
}

/* The node of an instantiated graph that was made from `node`, which may be gone itself. NULL:
 * there is none. */
static ifl_node *twin(const void *exec, const ifl_node *node)
{
    return ifl_graph_twin(ifl_exec_of(exec), node);
}

static ifl_cuda_error get_kernel(const ifl_node *node, ifl_kernel_params *out)
{
    if (!node || !out || node->op.kind != IFL_DO_KERNEL)
        return ifl_cudaErrorInvalidValue;
    const ifl_op_kernel *k = &node->op.of.kernel;
    *out = (ifl_kernel_params){.function = (void *)(uintptr_t)k->function,
                               .grid = {k->grid[0], k->grid[1], k->grid[2]},
                               .block = {k->block[0], k->block[1], k->block[2]},
                               .shared_bytes = (unsigned)k->shared_bytes,
                               .arguments = ifl_op_arguments(k)};
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphKernelNodeGetParams(const void *node, ifl_kernel_params *out)
{
    SERVE(((void)session, get_kernel(ifl_node_of(node), out)));
}

IFL_SERVED ifl_cuda_error cudaGraphKernelNodeSetParams(const void *node,
                                                       const ifl_kernel_params *params)
{
    SERVE(set_kernel(session, ifl_node_of(node), params, __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cudaGraphExecKernelNodeSetParams(const void *exec, const void *node,
                                                           const ifl_kernel_params *params)
{
    SERVE(set_kernel(session, twin(exec, node), params, __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cudaGraphExecMemcpyNodeSetParams1D(const void *exec, const void *node,
                                                             void *to, const void *from,
                                                             size_t bytes, int kind)
{
    const ifl_op op = ifl_copy_line_op(to, from, bytes, kind);
    SERVE(((void)session, replace(twin(exec, node), &op)));
}

static ifl_cuda_error enable(ifl_node *node, unsigned enabled)
{
    if (node)
        node->is_disabled = !enabled;
    return node ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaGraphNodeSetEnabled(const void *exec, const void *node,
                                                  unsigned enabled)
{
    SERVE(((void)session, enable(twin(exec, node), enabled)));
}

static ifl_cuda_error tell_enabled(const ifl_node *node, unsigned *enabled)
{
    if (!node || !enabled)
        return ifl_cudaErrorInvalidValue;
    *enabled = !node->is_disabled;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetEnabled(const void *exec, const void *node,
                                                  unsigned *enabled)
{
    SERVE(((void)session, tell_enabled(twin(exec, node), enabled)));
}

/* Node by node, where both have the same kinds in the same order. */
static ifl_cuda_error update(const void *exec_handle, const void *graph_handle)
{
    ifl_graph *exec = ifl_exec_of(exec_handle);
    const ifl_graph *from = ifl_graph_of(graph_handle);
    if (!exec || !from)
        return ifl_cudaErrorInvalidValue;
    if (exec->nodes.count != from->nodes.count)
        return ifl_cudaErrorGraphExecUpdateFailure;
    for (size_t i = 0; i < from->nodes.count; i++)
        if (exec->nodes.at[i]->op.kind != from->nodes.at[i]->op.kind)
            return ifl_cudaErrorGraphExecUpdateFailure;
    ifl_cuda_error code = ifl_cudaSuccess;
    for (size_t i = 0; i < from->nodes.count && code == ifl_cudaSuccess; i++) {
        code = replace(exec->nodes.at[i], &from->nodes.at[i]->op);
        exec->nodes.at[i]->made_from = from->nodes.at[i];
    }
    return code;
}

/* cudaGraphExecUpdateResultInfo: a result (0 done, 1 failed), and the nodes at fault. */
typedef struct update_result {
    int result;
    ifl_node *node, *from;
} update_result;

#if IFL_CUDART >= 12
static ifl_cuda_error update_into(const void *exec, const void *graph, update_result *result)
{
    if (!result)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = update(exec, graph);
    *result = (update_result){.result = code != ifl_cudaSuccess};
    return code;
}

IFL_SERVED ifl_cuda_error cudaGraphExecUpdate(const void *exec, const void *graph,
                                              update_result *result)
{
    SERVE(((void)session, update_into(exec, graph, result)));
}
#else
static ifl_cuda_error update_into(const void *exec, const void *graph, ifl_node **bad, int *result)
{
    if (!bad || !result)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = update(exec, graph);
    *bad = NULL;
    *result = code != ifl_cudaSuccess;
    return code;
}

IFL_SERVED ifl_cuda_error cudaGraphExecUpdate(const void *exec, const void *graph, ifl_node **bad,
                                              int *result)
{
    SERVE(((void)session, update_into(exec, graph, bad, result)));
}
#endif
