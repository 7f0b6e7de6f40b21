/* SPDX-License-Identifier: Apache-2.0
 * Nodes of graphs by one call for all kinds, and conditional nodes, which that call alone makes. */
#include "standin/condition.h"
#include "standin/graph_node.h"
#include "standin/served.h"

#if IFL_CUDART >= 12

/* The calls of the runtime that make one kind. */
typedef ifl_cuda_error add_structure(ifl_node **out, const void *graph, ifl_node *const *after,
                                     size_t count, void *params);
extern add_structure cudaGraphAddMemcpyNode, cudaGraphAddMemsetNode, cudaGraphAddHostNode,
    cudaGraphAddMemAllocNode;
extern add_structure cudaGraphAddChildGraphNode, cudaGraphAddEventRecordNode,
    cudaGraphAddEventWaitNode,
    cudaGraphAddMemFreeNode; /* these take the one pointer that their structure holds */

/* cudaGraphNodeType. */
enum {
    NODE_KERNEL = 0,
    NODE_COPY = 1,
    NODE_SET = 2,
    NODE_HOST = 3,
    NODE_GRAPH = 4,
    NODE_EMPTY = 5,
    NODE_EVENT_WAIT = 6,
    NODE_EVENT_RECORD = 7,
    NODE_ALLOCATE = 10,
    NODE_RELEASE = 11,
    NODE_CONDITION = 13
};

/* cudaConditionalNodeParams. */
typedef struct condition_params {
    uint64_t handle;
    int type;
    unsigned count;
    ifl_graph **bodies; /* out */
} condition_params;

/* cudaGraphNodeParams: the second version of each kind's structure, which begins as the first one
 * does. */
typedef struct node_params {
    int type;
    int reserved[3];
    union {
        char bytes[232];
        ifl_kernel_params kernel;
        struct {
            int flags, reserved[3];
            ifl_copy3d box;
        } copy;
        void *pointer;
        condition_params condition;
    } of;
} node_params;

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

static bool is_count(int type, unsigned count)
{
    enum { MOST_BODIES = 65536 };
    return type == IFL_CONDITION_IF ? count == 1 || count == 2
           : type == IFL_CONDITION_WHILE
               ? count == 1
               : type == IFL_CONDITION_SWITCH && count && count <= MOST_BODIES;
}

static ifl_cuda_error add_condition(ifl_node **out, const void *graph, ifl_node *const *after,
                                    size_t count, condition_params *params)
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

static ifl_cuda_error add(ifl_session *session, ifl_node **out, const void *graph,
                          ifl_node *const *after, size_t count, node_params *params,
                          const void *from)
{
    if (!params)
        return ifl_cudaErrorInvalidValue;
    switch (params->type) {
    case NODE_KERNEL:
        return ifl_graph_add_kernel(session, out, graph, after, count, &params->of.kernel, from);
    case NODE_COPY:
        return cudaGraphAddMemcpyNode(out, graph, after, count, &params->of.copy.box);
    case NODE_SET:
        return cudaGraphAddMemsetNode(out, graph, after, count, &params->of);
    case NODE_HOST:
        return cudaGraphAddHostNode(out, graph, after, count, &params->of);
    case NODE_GRAPH:
        return cudaGraphAddChildGraphNode(out, graph, after, count, params->of.pointer);
    case NODE_EMPTY:
        return ifl_graph_add_after(out, graph, after, count, &(ifl_op){.kind = IFL_DO_EMPTY_NODE});
    case NODE_EVENT_WAIT:
        return cudaGraphAddEventWaitNode(out, graph, after, count, params->of.pointer);
    case NODE_EVENT_RECORD:
        return cudaGraphAddEventRecordNode(out, graph, after, count, params->of.pointer);
    case NODE_ALLOCATE:
        return cudaGraphAddMemAllocNode(out, graph, after, count, &params->of);
    case NODE_RELEASE:
        return cudaGraphAddMemFreeNode(out, graph, after, count, params->of.pointer);
    case NODE_CONDITION:
        return add_condition(out, graph, after, count, &params->of.condition);
    default:
        return ifl_cudaErrorNotSupported;
    }
}

IFL_SERVED ifl_cuda_error cudaGraphAddNode_v2(ifl_node **out, const void *graph,
                                              ifl_node *const *after, const void *edges,
                                              size_t count, node_params *params)
{
    (void)edges;
    SERVE(add(session, out, graph, after, count, params, __builtin_return_address(0)));
}
#if IFL_CUDART >= 13
ALSO(cudaGraphAddNode, cudaGraphAddNode_v2);
#else
IFL_SERVED ifl_cuda_error cudaGraphAddNode(ifl_node **out, const void *graph,
                                           ifl_node *const *after, size_t count,
                                           node_params *params)
{
    SERVE(add(session, out, graph, after, count, params, __builtin_return_address(0)));
}
#endif

#endif
