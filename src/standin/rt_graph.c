/* SPDX-License-Identifier: Apache-2.0
 * Graphs: made, looked at, instantiated, changed as a whole, and launched. */
#include "standin/device_node.h"
#include "standin/graph_dot.h"
#include "standin/graph_run.h"
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
    SERVE(out ? give(out, ifl_graph_new(IFL_HANDLE_GRAPH)) : ifl_cudaErrorInvalidValue);
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
    SERVE(destroy(ifl_graph_of(graph)));
}

static bool has_ring(const ifl_graph *graph)
{
    const ifl_graph *inner;
    bool found = false;
    for (size_t i = 0; i < graph->nodes.count && !found; i++) {
        const ifl_node *node = graph->nodes.at[i];
        found = node->op.kind == IFL_DO_CHILD_GRAPH && node->op.of.child->is_ring;
        for (unsigned n = 0; !found && (inner = ifl_node_inner(node, n)); n++)
            found = has_ring(inner);
    }
    return found;
}

/* One with conditional nodes is instantiated only (cudaGraphNodeTypeConditional), and one whose
 * nodes allocate memory too (CUDA C++ Programming Guide, "Graph Memory Nodes"). The error is the
 * one of driver 580.159.04. */
static bool may_be_cloned(const ifl_graph *graph)
{
    return !ifl_graph_has_conditions(graph) && !ifl_graph_has_device_nodes(graph) &&
           !ifl_graph_has_memory(graph) && !has_ring(graph);
}

/* A copy of `from`, which is a graph or NULL. */
static ifl_cuda_error copy(ifl_graph **out, const ifl_graph *from, ifl_handle_kind kind)
{
    if (!out || !from)
        return ifl_cudaErrorInvalidValue;
    return kind == IFL_HANDLE_EXEC || may_be_cloned(from) ? give(out, ifl_graph_clone(from, kind))
                                                          : ifl_cudaErrorNotSupported;
}

IFL_SERVED ifl_cuda_error cudaGraphClone(ifl_graph **out, const void *graph)
{
    SERVE(copy(out, ifl_graph_of(graph), IFL_HANDLE_GRAPH));
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
    SERVE(list(ifl_graph_of(graph), false, nodes, count));
}

IFL_SERVED ifl_cuda_error cudaGraphGetRootNodes(const void *graph, ifl_node **nodes, size_t *count)
{
    SERVE(list(ifl_graph_of(graph), true, nodes, count));
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
    SERVE(type_of(ifl_node_of(node), type));
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
    SERVE(find_in_clone(out, ifl_node_of(node), ifl_graph_of(clone)));
}

/* ---- running them ---------------------------------------------------------------------------- */

/* cudaGraphInstantiateFlags */
enum { FREES_ON_LAUNCH = 1, UPLOADS = 2, BY_PRIORITY = 8, ALL_FLAGS = 15 };

/* cudaGraphInstantiateParams, and cudaGraphInstantiateResult */
typedef struct instantiation {
    unsigned long long flags;
    void *upload_stream;
    ifl_node *bad;
    int result;
} instantiation;
enum { DONE, FAILED, INVALID_STRUCTURE, NODE_NOT_SUPPORTED };

/* Memory that a kernel's launch can copy from and to: the GPU's, and the host's that it reaches. */
static bool is_of_device(ifl_session *session, const ifl_op_copy *c)
{
    const ifl_memory *memory = ifl_session_memory(session);
    return !c->to_array && !c->from_array && ifl_memory_find(memory, (uintptr_t)c->to) &&
           ifl_memory_find(memory, (uintptr_t)c->from);
}

/* CUDA C++ Programming Guide, "Device Graph Requirements": the first node that breaks them. */
static ifl_node *not_of_device(ifl_session *session, const ifl_graph *graph)
{
    ifl_node *found = NULL;
    for (size_t i = 0; i < graph->nodes.count && !found; i++) {
        ifl_node *node = graph->nodes.at[i];
        const ifl_op *op = &node->op;
        const bool is_right = op->kind == IFL_DO_KERNEL || op->kind == IFL_DO_SET ||
                              op->kind == IFL_DO_CHILD_GRAPH ||
                              (op->kind == IFL_DO_COPY && is_of_device(session, &op->of.copy));
        found = !is_right                        ? node
                : op->kind == IFL_DO_CHILD_GRAPH ? not_of_device(session, op->of.child)
                                                 : NULL;
    }
    return found;
}

static bool is_instantiated(const ifl_graph *graph)
{
    const ifl_graph *exec;
    for (size_t at = 0; (exec = ifl_handle_next(IFL_HANDLE_EXEC, &at));)
        if (exec->instance_of == graph->number)
            return true;
    return false;
}

/* Memory has one instance at a time (CUDA C++ Programming Guide, "Graph Memory Nodes"), nodes that
 * kernels change have one ever, and a graph that was moved into a node has none: the codes are an
 * H200's (driver 580). */
static ifl_cuda_error check_flags(const ifl_graph *graph, unsigned long long flags)
{
    const bool is_for_device = flags & IFL_GRAPH_FROM_DEVICE;
    const bool is_right = graph && !(flags & ~(unsigned long long)ALL_FLAGS) &&
                          !(is_for_device && (flags & FREES_ON_LAUNCH || !graph->nodes.count));
    if (!is_right)
        return ifl_cudaErrorInvalidValue;
    const bool may = !graph->is_moved &&
                     !(graph->has_instance && ifl_graph_has_device_nodes(graph)) &&
                     !(ifl_graph_has_memory(graph) && is_instantiated(graph));
    return may ? ifl_cudaSuccess : ifl_cudaErrorNotSupported;
}

static ifl_cuda_error find_bad(ifl_session *session, const ifl_graph *graph, instantiation *how)
{
    how->bad = ifl_graph_cycle(graph);
    how->result = how->bad ? INVALID_STRUCTURE : DONE;
    if (!how->bad && how->flags & IFL_GRAPH_FROM_DEVICE &&
        (how->bad = not_of_device(session, graph)))
        how->result = NODE_NOT_SUPPORTED;
    return how->bad ? ifl_cudaErrorInvalidValue : ifl_cudaSuccess;
}

/* CUDA Runtime API, cudaGraphExecGetFlags: uploads are not told; priorities are not by an H100
 * (driver 580) either. */
static ifl_cuda_error instantiate(ifl_session *session, ifl_graph **out, ifl_graph *graph,
                                  instantiation *how)
{
    how->result = FAILED;
    how->bad = NULL;
    ifl_cuda_error code = out ? check_flags(graph, how->flags) : ifl_cudaErrorInvalidValue;
    if (code == ifl_cudaSuccess)
        code = find_bad(session, graph, how);
    if (code == ifl_cudaSuccess)
        code = copy(out, graph, IFL_HANDLE_EXEC);
    if (code != ifl_cudaSuccess)
        return code;
    graph->has_instance = true;
    (*out)->instance_of = graph->number;
    (*out)->flags = how->flags & ~(unsigned long long)(UPLOADS | BY_PRIORITY);
    (*out)->is_uploaded = how->flags & UPLOADS;
    return code;
}

IFL_SERVED ifl_cuda_error cudaGraphInstantiateWithFlags(ifl_graph **out, const void *graph,
                                                        unsigned long long flags)
{
    instantiation how = {.flags = flags};
    SERVE_UNSAFE(instantiate(session, out, ifl_graph_of(graph), &how));
}

IFL_SERVED ifl_cuda_error cudaGraphInstantiateWithParams(ifl_graph **out, const void *graph,
                                                         instantiation *how)
{
    SERVE_UNSAFE(how ? instantiate(session, out, ifl_graph_of(graph), how)
                     : ifl_cudaErrorInvalidValue);
}
ALSO_OF_THREAD(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);

#if IFL_CUDART >= 12
ALSO(cudaGraphInstantiate, cudaGraphInstantiateWithFlags);
#else
static ifl_cuda_error instantiate_into(ifl_session *session, ifl_graph **out, ifl_graph *graph,
                                       ifl_node **bad)
{
    instantiation how = {.flags = 0};
    const ifl_cuda_error code = instantiate(session, out, graph, &how);
    if (bad)
        *bad = how.bad;
    return code;
}

IFL_SERVED ifl_cuda_error cudaGraphInstantiate(ifl_graph **out, const void *graph, ifl_node **bad,
                                               char *log, size_t log_bytes)
{
    if (log && log_bytes)
        *log = '\0';
    SERVE_UNSAFE(instantiate_into(session, out, ifl_graph_of(graph), bad));
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
    SERVE(flags_of(ifl_exec_of(exec), flags));
}

/* A stream that is captured takes no graph that was instantiated. */
static ifl_cuda_error check_stream(void *handle)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    return stream ? ifl_stream_check_idle(stream) : ifl_cudaErrorInvalidResourceHandle;
}

/* It is where kernels find it from then on. */
static ifl_cuda_error upload(ifl_graph *exec, void *stream)
{
    const ifl_cuda_error code = exec ? check_stream(stream) : ifl_cudaErrorInvalidValue;
    if (code == ifl_cudaSuccess)
        exec->is_uploaded = true;
    return code;
}

IFL_SERVED ifl_cuda_error cudaGraphUpload(const void *exec, void *stream)
{
    SERVE(upload(ifl_exec_of(exec), stream));
}
ALSO_OF_THREAD(cudaGraphUpload_ptsz, cudaGraphUpload);

static ifl_cuda_error launch(ifl_session *session, ifl_graph *exec, void *stream)
{
    ifl_cuda_error code = upload(exec, stream);
    if (code == ifl_cudaSuccess && !ifl_graph_memory_launch(exec))
        code = ifl_cudaErrorInvalidValue;
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
    SERVE_UNSAFE(destroy(ifl_exec_of(exec)));
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
    SERVE(enable(ifl_exec_twin(exec, node), enabled));
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
    SERVE(tell_enabled(ifl_exec_twin(exec, node), enabled));
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
    SERVE(print(ifl_graph_of(graph), path, flags));
}
