/* SPDX-License-Identifier: Apache-2.0
 * What a program asks of graphs and nodes of any kind, from CUDA 13.1 on: numbers by which tools and
 * pictures (cudaGraphDebugDotPrint) name them, and a node's parameters. */
#include "standin/graph_node.h"
#include "standin/served.h"

#include <string.h>

#if IFL_CUDART >= 13

/* ---- numbers --------------------------------------------------------------------------------- */

static ifl_cuda_error number_of(const ifl_graph *graph, unsigned *out)
{
    if (!graph || !out)
        return ifl_cudaErrorInvalidValue;
    *out = graph->number;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphGetId(const void *graph, unsigned *out)
{
    SERVE(number_of(ifl_graph_of(graph), out));
}

IFL_SERVED ifl_cuda_error cudaGraphExecGetId(const void *exec, unsigned *out)
{
    SERVE(number_of(ifl_exec_of(exec), out));
}

static ifl_cuda_error local_number(const ifl_node *node, unsigned *out)
{
    if (!node || !out)
        return ifl_cudaErrorInvalidValue;
    *out = node->number;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetLocalId(const void *node, unsigned *out)
{
    SERVE(local_number(ifl_node_of(node), out));
}

/* CUDA Runtime API, cudaGraphNodeGetLocalId: the graph's number and the node's name it together. */
static ifl_cuda_error whole_number(const ifl_node *node, unsigned long long *out)
{
    if (!node || !out)
        return ifl_cudaErrorInvalidValue;
    *out = (unsigned long long)node->graph->number << 32 | node->number;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetToolsId(const void *node, unsigned long long *out)
{
    SERVE(whole_number(ifl_node_of(node), out));
}

static ifl_cuda_error graph_with(const ifl_node *node, ifl_graph **out)
{
    if (!node || !out)
        return ifl_cudaErrorInvalidValue;
    *out = node->graph;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetContainingGraph(const void *node, ifl_graph **out)
{
    SERVE(graph_with(ifl_node_of(node), out));
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Calls that tell of one kind: the structure of ifl_node_params begins as theirs does. */
typedef ifl_cuda_error tell_call(const void *node, void *out);
extern tell_call cudaGraphKernelNodeGetParams, cudaGraphMemcpyNodeGetParams,
    cudaGraphMemsetNodeGetParams, cudaGraphHostNodeGetParams, cudaGraphChildGraphNodeGetGraph,
    cudaGraphEventWaitNodeGetEvent, cudaGraphEventRecordNodeGetEvent,
    cudaGraphMemAllocNodeGetParams, cudaGraphMemFreeNodeGetParams;

static ifl_cuda_error tell_condition(const void *node, void *out)
{
    const ifl_op_condition *c = &((const ifl_node *)node)->op.of.condition;
    *(ifl_condition_params *)out = (ifl_condition_params){c->handle, c->type, c->count, c->bodies};
    return ifl_cudaSuccess;
}

static ifl_cuda_error tell_nothing(const void *node, void *out)
{
    (void)node, (void)out;
    return ifl_cudaSuccess;
}

/* The runtime has no structure for words that a stream writes or waits for. */
static ifl_cuda_error tell(const ifl_node *node, ifl_node_params *out)
{
    static tell_call *const by_type[] = {
        [IFL_NODE_KERNEL] = cudaGraphKernelNodeGetParams,
        [IFL_NODE_COPY] = cudaGraphMemcpyNodeGetParams,
        [IFL_NODE_SET] = cudaGraphMemsetNodeGetParams,
        [IFL_NODE_HOST] = cudaGraphHostNodeGetParams,
        [IFL_NODE_GRAPH] = cudaGraphChildGraphNodeGetGraph,
        [IFL_NODE_EMPTY] = tell_nothing,
        [IFL_NODE_EVENT_WAIT] = cudaGraphEventWaitNodeGetEvent,
        [IFL_NODE_EVENT_RECORD] = cudaGraphEventRecordNodeGetEvent,
        [IFL_NODE_ALLOCATE] = cudaGraphMemAllocNodeGetParams,
        [IFL_NODE_RELEASE] = cudaGraphMemFreeNodeGetParams,
        [IFL_NODE_CONDITION] = tell_condition,
    };
    if (!node || !out)
        return ifl_cudaErrorInvalidValue;
    const ifl_node_type type = ifl_node_type_of(node);
    if (!by_type[type])
        return ifl_cudaErrorNotSupported;
    memset(out, 0, sizeof *out);
    out->type = type;
    return by_type[type](node, type == IFL_NODE_COPY ? (void *)&out->of.copy.box : &out->of);
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetParams(const void *node, ifl_node_params *out)
{
    SERVE(tell(ifl_node_of(node), out));
}

#endif
