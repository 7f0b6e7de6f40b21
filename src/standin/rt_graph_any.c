/* SPDX-License-Identifier: Apache-2.0
 * Nodes of graphs by one call for all kinds, and conditional nodes, which that call alone makes. */
#include "standin/condition.h"
#include "standin/device_node.h"
#include "standin/graph_node.h"
#include "standin/graph_update.h"
#include "standin/served.h"

#if IFL_CUDART >= 12

/* Calls of the runtime that make one kind. */
extern ifl_cuda_error cudaGraphAddMemAllocNode(ifl_node **out, const void *graph,
                                               ifl_node *const *after, size_t count, void *params);
extern ifl_cuda_error cudaGraphAddMemFreeNode(ifl_node **out, const void *graph,
                                              ifl_node *const *after, size_t count, void *at);

/* ---- conditions ------------------------------------------------------------------------------ */

static ifl_cuda_error create(ifl_session *session, uint64_t *handle, const void *graph,
                             unsigned initial, unsigned flags)
{
    enum { ASSIGN_DEFAULT = 1 };
    if (!handle || !ifl_graph_of(graph) || flags > ASSIGN_DEFAULT)
        return ifl_cudaErrorInvalidValue;
    return ifl_condition_new(session, handle, initial, flags == ASSIGN_DEFAULT);
}

IFL_SERVED ifl_cuda_error cudaGraphConditionalHandleCreate(uint64_t *handle, const void *graph,
                                                           unsigned initial, unsigned flags)
{
    SERVE(create(session, handle, graph, initial, flags));
}

#if IFL_CUDART >= 13
/* No execution context is made here, so that NULL is the only one. */
IFL_SERVED ifl_cuda_error cudaGraphConditionalHandleCreate_v2(uint64_t *handle, const void *graph,
                                                              const void *context, unsigned initial,
                                                              unsigned flags)
{
    SERVE(context ? ifl_cudaErrorInvalidValue : create(session, handle, graph, initial, flags));
}
#endif

static bool is_count(int type, unsigned count)
{
    enum { MOST_BODIES = 65536 };
    return type == IFL_CONDITION_IF ? count == 1 || count == 2
           : type == IFL_CONDITION_WHILE
               ? count == 1
               : type == IFL_CONDITION_SWITCH && count && count <= MOST_BODIES;
}

static ifl_cuda_error add_condition(ifl_node **out, const void *graph, ifl_node *const *after,
                                    size_t count, ifl_condition_params *params)
{
    ifl_op op = {.kind = IFL_DO_CONDITION,
                 .of.condition = {.type = params->type, .count = params->count}};
    if (!out || !ifl_graph_of(graph) || !is_count(params->type, params->count) ||
        !ifl_condition_take(params->handle, &op.of.condition))
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = ifl_graph_add_after(out, graph, after, count, &op);
    if (code != ifl_cudaSuccess)
        ifl_condition_leave(params->handle);
    if (code != ifl_cudaSuccess)
        return code;
    if (!ifl_op_make_bodies(&(*out)->op.of.condition))
        return ifl_cudaErrorMemoryAllocation;
    params->bodies = (*out)->op.of.condition.bodies;
    return ifl_cudaSuccess;
}

/* ---- all kinds ------------------------------------------------------------------------------- */

/* Of the kinds that calls may change. */
static ifl_made_op make(ifl_session *session, const ifl_node *node, const ifl_node_params *params,
                        const void *from)
{
    switch (params->type) {
    case IFL_NODE_KERNEL:
        return ifl_make_kernel(session, node, &params->of.kernel, from);
    case IFL_NODE_COPY:
        return ifl_make_copy(&params->of.copy.box);
    case IFL_NODE_SET:
        return ifl_make_set(&params->of.set);
    case IFL_NODE_HOST:
        return ifl_make_host(&params->of.host);
    case IFL_NODE_GRAPH:
        return ifl_make_child(ifl_graph_of(params->of.pointer));
    case IFL_NODE_EVENT_WAIT:
        return ifl_make_event(IFL_DO_EVENT_WAIT, params->of.pointer);
    case IFL_NODE_EVENT_RECORD:
        return ifl_make_event(IFL_DO_EVENT_RECORD, params->of.pointer);
    default:
        return (ifl_made_op){.code = ifl_cudaErrorNotSupported};
    }
}

static bool contains(const ifl_graph *graph, const ifl_graph *other)
{
    const ifl_graph *inner;
    bool found = graph == other;
    for (size_t i = 0; i < graph->nodes.count && !found; i++)
        for (unsigned n = 0; !found && (inner = ifl_node_inner(graph->nodes.at[i], n)); n++)
            found = contains(inner, other);
    return found;
}

/* cudaGraphChildGraphOwnershipMove: the node has the graph itself, which nobody else can have. Graphs
 * that are moved may allocate memory. An H200 (driver 580) moves a graph into one within it too, and
 * then instantiates neither. */
static ifl_cuda_error move(ifl_node **out, const void *graph, ifl_node *const *after, size_t count,
                           ifl_graph *child)
{
    const ifl_graph *to = ifl_graph_of(graph);
    if (child && (child->is_moved || ifl_graph_has_device_nodes(child)))
        return ifl_cudaErrorNotSupported;
    if (!child || !to || child == to || child->is_inner || ifl_graph_has_conditions(child))
        return ifl_cudaErrorInvalidValue;
    const ifl_op op = {.kind = IFL_DO_CHILD_GRAPH, .of.child = child};
    const bool is_ring = contains(child, to);
    const ifl_cuda_error code = ifl_graph_add_after(out, graph, after, count, &op);
    if (code != ifl_cudaSuccess)
        return code;
    ifl_graph_free((*out)->op.of.child);
    (*out)->op.of.child = child;
    child->is_inner = child->is_moved = true;
    child->is_ring = is_ring;
    return ifl_cudaSuccess;
}

static ifl_cuda_error add(ifl_session *session, ifl_node **out, const void *graph,
                          ifl_node *const *after, size_t count, ifl_node_params *params,
                          const void *from)
{
    enum { MOVES = 1 };
    if (!params)
        return ifl_cudaErrorInvalidValue;
    switch (params->type) {
    case IFL_NODE_GRAPH:
        if (params->of.child.ownership == MOVES)
            return move(out, graph, after, count, ifl_graph_of(params->of.child.graph));
        break;
    case IFL_NODE_EMPTY:
        return ifl_graph_add_after(out, graph, after, count, &(ifl_op){.kind = IFL_DO_EMPTY_NODE});
    case IFL_NODE_ALLOCATE:
        return cudaGraphAddMemAllocNode(out, graph, after, count, &params->of);
    case IFL_NODE_RELEASE:
        return cudaGraphAddMemFreeNode(out, graph, after, count, params->of.pointer);
    case IFL_NODE_CONDITION:
        return add_condition(out, graph, after, count, &params->of.condition);
    default:
        break;
    }
    return ifl_made_add(out, graph, after, count, make(session, NULL, params, from));
}

static ifl_cuda_error add_with(ifl_session *session, ifl_node **out, const void *graph,
                               ifl_node *const *after, const ifl_edge_data *edges, size_t count,
                               ifl_node_params *params, const void *from)
{
    ifl_cuda_error code = add(session, out, graph, after, count, params, from);
    if (code != ifl_cudaSuccess)
        return code;
    code = ifl_node_set_edges(*out, edges);
    if (code != ifl_cudaSuccess)
        ifl_node_destroy(*out);
    return code;
}

IFL_SERVED ifl_cuda_error cudaGraphAddNode_v2(ifl_node **out, const void *graph,
                                              ifl_node *const *after, const ifl_edge_data *edges,
                                              size_t count, ifl_node_params *params)
{
    const void *from = __builtin_return_address(0);
    SERVE(add_with(session, out, graph, after, edges, count, params, from));
}
#if IFL_CUDART >= 13
ALSO(cudaGraphAddNode, cudaGraphAddNode_v2);
#else
IFL_SERVED ifl_cuda_error cudaGraphAddNode(ifl_node **out, const void *graph,
                                           ifl_node *const *after, size_t count,
                                           ifl_node_params *params)
{
    SERVE(add(session, out, graph, after, count, params, __builtin_return_address(0)));
}
#endif

static ifl_cuda_error set(ifl_session *session, ifl_node *node, const ifl_node_params *params,
                          const void *from)
{
    return node && params ? ifl_made_set(node, make(session, node, params, from))
                          : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaGraphNodeSetParams(const void *node, const ifl_node_params *params)
{
    SERVE(set(session, ifl_node_of(node), params, __builtin_return_address(0)));
}

static ifl_cuda_error set_exec(ifl_session *session, ifl_node *node, const ifl_node_params *params,
                               const void *from)
{
    if (!node || !params)
        return ifl_cudaErrorInvalidValue;
    if (params->type == IFL_NODE_GRAPH)
        return ifl_set_exec_child(session, node, ifl_graph_of(params->of.pointer));
    return ifl_made_set_exec(session, node, make(session, node, params, from));
}

IFL_SERVED ifl_cuda_error cudaGraphExecNodeSetParams(const void *exec, const void *node,
                                                     const ifl_node_params *params)
{
    SERVE(set_exec(session, ifl_exec_twin(exec, node), params, __builtin_return_address(0)));
}

#endif
