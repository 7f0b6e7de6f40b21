/* SPDX-License-Identifier: Apache-2.0
 * Graphs: made, looked at, instantiated, changed as a whole, and launched. */
#include "standin/graph_dot.h"
#include "standin/graph_update.h"
#include "standin/served.h"

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
    if (!graph || graph->is_inner)
        return ifl_cudaErrorInvalidValue;
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

/* The runtime has no name for words that a stream writes or waits for: an H200 (driver 580) gives
 * this error. */
static ifl_cuda_error type_of(const ifl_node *node, int *type)
{
    if (!node || !type)
        return ifl_cudaErrorInvalidValue;
    *type = ifl_node_type_of(node);
    return *type == IFL_NODE_WORDS ? ifl_cudaErrorUnknown : ifl_cudaSuccess;
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

/* cudaGraphInstantiateFlags */
enum { FREES_ON_LAUNCH = 1, UPLOADS = 2, FROM_DEVICE = 4, BY_PRIORITY = 8, ALL_FLAGS = 15 };

/* cudaGraphInstantiateParams, and cudaGraphInstantiateResult */
typedef struct instantiation {
    unsigned long long flags;
    void *upload_stream;
    ifl_node *bad;
    int result;
} instantiation;
enum { DONE, FAILED, INVALID_STRUCTURE, NODE_NOT_SUPPORTED };

/* CUDA C++ Programming Guide, "Device Graph Requirements". */
static ifl_node *not_of_device(const ifl_graph *graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const ifl_op_kind kind = graph->nodes.at[i]->op.kind;
        if (kind != IFL_DO_KERNEL && kind != IFL_DO_COPY && kind != IFL_DO_SET &&
            kind != IFL_DO_CHILD_GRAPH)
            return graph->nodes.at[i];
    }
    return NULL;
}

/* CUDA Runtime API, cudaGraphExecGetFlags: uploads are not told; priorities are not by an H100
 * (driver 580) either. */
static ifl_cuda_error instantiate(ifl_graph **out, const ifl_graph *graph, instantiation *how)
{
    how->result = FAILED;
    how->bad = NULL;
    if (!out || !graph || how->flags & ~(unsigned long long)ALL_FLAGS ||
        (how->flags & FROM_DEVICE && how->flags & FREES_ON_LAUNCH))
        return ifl_cudaErrorInvalidValue;
    how->bad = ifl_graph_cycle(graph);
    how->result = how->bad ? INVALID_STRUCTURE : DONE;
    if (!how->bad && how->flags & FROM_DEVICE && (how->bad = not_of_device(graph)))
        how->result = NODE_NOT_SUPPORTED;
    if (how->bad)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = copy(out, graph, IFL_HANDLE_EXEC);
    if (code == ifl_cudaSuccess)
        (*out)->flags = how->flags & ~(unsigned long long)(UPLOADS | BY_PRIORITY);
    return code;
}

IFL_SERVED ifl_cuda_error cudaGraphInstantiateWithFlags(ifl_graph **out, const void *graph,
                                                        unsigned long long flags)
{
    instantiation how = {.flags = flags};
    SERVE_UNSAFE(((void)session, instantiate(out, ifl_graph_of(graph), &how)));
}

IFL_SERVED ifl_cuda_error cudaGraphInstantiateWithParams(ifl_graph **out, const void *graph,
                                                         instantiation *how)
{
    SERVE_UNSAFE(((void)session,
                  how ? instantiate(out, ifl_graph_of(graph), how) : ifl_cudaErrorInvalidValue));
}
ALSO_OF_THREAD(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);

#if IFL_CUDART >= 12
ALSO(cudaGraphInstantiate, cudaGraphInstantiateWithFlags);
#else
static ifl_cuda_error instantiate_into(ifl_graph **out, const ifl_graph *graph, ifl_node **bad)
{
    instantiation how = {.flags = 0};
    const ifl_cuda_error code = instantiate(out, graph, &how);
    if (bad)
        *bad = how.bad;
    return code;
}

IFL_SERVED ifl_cuda_error cudaGraphInstantiate(ifl_graph **out, const void *graph, ifl_node **bad,
                                               char *log, size_t log_bytes)
{
    if (log && log_bytes)
        *log = '\0';
    SERVE_UNSAFE(((void)session, instantiate_into(out, ifl_graph_of(graph), bad)));
}
#endif

static ifl_cuda_error flags_of(const ifl_graph *exec, unsigned long long *flags)
{
    if (!exec || !flags)
        return ifl_cudaErrorInvalidValue;
    *flags = exec->flags;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphExecGetFlags(const void *exec, unsigned long long *flags)
{
    SERVE(((void)session, flags_of(ifl_exec_of(exec), flags)));
}

/* A stream that is captured takes no graph that was instantiated. */
static ifl_cuda_error check_stream(void *handle)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    return stream ? ifl_stream_check_idle(stream) : ifl_cudaErrorInvalidResourceHandle;
}

IFL_SERVED ifl_cuda_error cudaGraphUpload(const void *exec, void *stream)
{
    SERVE(((void)session, ifl_exec_of(exec) ? check_stream(stream) : ifl_cudaErrorInvalidValue));
}
ALSO_OF_THREAD(cudaGraphUpload_ptsz, cudaGraphUpload);

static ifl_cuda_error launch(ifl_session *session, ifl_graph *exec, void *stream)
{
    if (!exec)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = check_stream(stream);
    return code == ifl_cudaSuccess ? ifl_later_give_graph(session, ifl_stream_of(stream), exec)
                                   : code;
}

IFL_SERVED ifl_cuda_error cudaGraphLaunch(const void *exec, void *stream)
{
    SERVE(launch(session, ifl_exec_of(exec), stream));
}
ALSO_OF_THREAD(cudaGraphLaunch_ptsz, cudaGraphLaunch);

IFL_SERVED ifl_cuda_error cudaGraphExecDestroy(const void *exec)
{
    SERVE(((void)session, destroy(ifl_exec_of(exec))));
}

/* ---- changing them --------------------------------------------------------------------------- */

#if IFL_CUDART >= 12
static ifl_cuda_error update(ifl_session *session, const void *exec, const void *graph,
                             ifl_update_info *info)
{
    return info ? ifl_graph_update(session, ifl_exec_of(exec), ifl_graph_of(graph), info)
                : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaGraphExecUpdate(const void *exec, const void *graph,
                                              ifl_update_info *info)
{
    SERVE(update(session, exec, graph, info));
}
#else
static ifl_cuda_error update(ifl_session *session, const void *exec, const void *graph,
                             ifl_node **bad, int *result)
{
    ifl_update_info info;
    if (!bad || !result)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code =
        ifl_graph_update(session, ifl_exec_of(exec), ifl_graph_of(graph), &info);
    *bad = ifl_graph_update_told(ifl_graph_of(graph), &info);
    *result = info.result;
    return code;
}

IFL_SERVED ifl_cuda_error cudaGraphExecUpdate(const void *exec, const void *graph, ifl_node **bad,
                                              int *result)
{
    SERVE(update(session, exec, graph, bad, result));
}
#endif

/* CUDA Runtime API, cudaGraphNodeSetEnabled: of the other kinds nodes are always enabled. */
static bool may_be_disabled(const ifl_node *node)
{
    return node && (node->op.kind == IFL_DO_KERNEL || node->op.kind == IFL_DO_COPY ||
                    node->op.kind == IFL_DO_SET);
}

static ifl_cuda_error enable(ifl_node *node, unsigned enabled)
{
    if (!may_be_disabled(node))
        return ifl_cudaErrorInvalidValue;
    node->is_disabled = !enabled;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphNodeSetEnabled(const void *exec, const void *node,
                                                  unsigned enabled)
{
    SERVE(((void)session, enable(ifl_exec_twin(exec, node), enabled)));
}

static ifl_cuda_error tell_enabled(const ifl_node *node, unsigned *enabled)
{
    if (!may_be_disabled(node) || !enabled)
        return ifl_cudaErrorInvalidValue;
    *enabled = !node->is_disabled;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetEnabled(const void *exec, const void *node,
                                                  unsigned *enabled)
{
    SERVE(((void)session, tell_enabled(ifl_exec_twin(exec, node), enabled)));
}

/* ---- showing them ---------------------------------------------------------------------------- */

static ifl_cuda_error print(const ifl_graph *graph, const char *path, unsigned flags)
{
    if (!graph || !path)
        return ifl_cudaErrorInvalidValue;
    return ifl_graph_print(graph, path, flags) ? ifl_cudaSuccess : ifl_cudaErrorOperatingSystem;
}

IFL_SERVED ifl_cuda_error cudaGraphDebugDotPrint(const void *graph, const char *path,
                                                 unsigned flags)
{
    SERVE(((void)session, print(ifl_graph_of(graph), path, flags)));
}
