/* SPDX-License-Identifier: Apache-2.0
 * What nodes of a graph wait for, as a program asks for it. Edges have no data here: all are
 * zero. */
#include "standin/graph.h"
#include "standin/served.h"

#include <string.h>

/* cudaGraphEdgeData */
typedef struct edge_data {
    uint8_t from_port, to_port, type, reserved[5];
} edge_data;

/* Where edges are told, or one end of them: any may be NULL. */
typedef struct list {
    ifl_node **from, **to;
    edge_data *data;
    size_t most, found;
} list;

static void add(list *to, ifl_node *first, ifl_node *second)
{
    const size_t i = to->found;
    if ((to->from || to->to) && i == to->most)
        return;
    if (to->from)
        to->from[i] = first;
    if (to->to)
        to->to[i] = second;
    if (to->data)
        memset(&to->data[i], 0, sizeof *to->data);
    to->found++;
}

/* CUDA Runtime API, cudaGraphGetEdges: room that is not needed is filled with NULL. */
static ifl_cuda_error end(list *to, size_t *count)
{
    for (size_t i = to->found; i < to->most; i++) {
        if (to->from)
            to->from[i] = NULL;
        if (to->to)
            to->to[i] = NULL;
    }
    *count = to->found;
    return ifl_cudaSuccess;
}

static ifl_cuda_error list_edges(const ifl_graph *graph, ifl_node **from, ifl_node **to,
                                 edge_data *data, size_t *count)
{
    if (!graph || !count || !from != !to || (data && !from))
        return ifl_cudaErrorInvalidValue;
    list edges = {from, to, data, from ? *count : 0, 0};
    for (size_t i = 0; i < graph->nodes.count; i++) {
        ifl_node *node = graph->nodes.at[i];
        for (size_t w = 0; w < node->waits_for.count; w++)
            add(&edges, node->waits_for.at[w], node);
    }
    return end(&edges, count);
}

static ifl_cuda_error list_before(ifl_node *node, ifl_node **out, edge_data *data, size_t *count)
{
    if (!node || !count || (data && !out))
        return ifl_cudaErrorInvalidValue;
    list nodes = {.from = out, .data = data, .most = out ? *count : 0};
    for (size_t w = 0; w < node->waits_for.count; w++)
        add(&nodes, node->waits_for.at[w], node);
    return end(&nodes, count);
}

static ifl_cuda_error list_behind(ifl_node *node, ifl_node **out, edge_data *data, size_t *count)
{
    if (!node || !count || (data && !out))
        return ifl_cudaErrorInvalidValue;
    list nodes = {.to = out, .data = data, .most = out ? *count : 0};
    for (size_t i = 0; i < node->graph->nodes.count; i++) {
        ifl_node *other = node->graph->nodes.at[i];
        for (size_t w = 0; w < other->waits_for.count; w++)
            if (other->waits_for.at[w] == node)
                add(&nodes, node, other);
    }
    return end(&nodes, count);
}

#if IFL_CUDART >= 13
#define WITH_DATA(name) name
#else
#define WITH_DATA(name) name##_v2
IFL_SERVED ifl_cuda_error cudaGraphGetEdges(const void *graph, ifl_node **from, ifl_node **to,
                                            size_t *count)
{
    SERVE(((void)session, list_edges(ifl_graph_of(graph), from, to, NULL, count)));
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetDependencies(const void *node, ifl_node **out,
                                                       size_t *count)
{
    SERVE(((void)session, list_before(ifl_node_of(node), out, NULL, count)));
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetDependentNodes(const void *node, ifl_node **out,
                                                         size_t *count)
{
    SERVE(((void)session, list_behind(ifl_node_of(node), out, NULL, count)));
}
#endif

#if IFL_CUDART >= 12
IFL_SERVED ifl_cuda_error WITH_DATA(cudaGraphGetEdges)(const void *graph, ifl_node **from,
                                                       ifl_node **to, edge_data *data,
                                                       size_t *count)
{
    SERVE(((void)session, list_edges(ifl_graph_of(graph), from, to, data, count)));
}

IFL_SERVED ifl_cuda_error WITH_DATA(cudaGraphNodeGetDependencies)(const void *node, ifl_node **out,
                                                                  edge_data *data, size_t *count)
{
    SERVE(((void)session, list_before(ifl_node_of(node), out, data, count)));
}

IFL_SERVED ifl_cuda_error WITH_DATA(cudaGraphNodeGetDependentNodes)(const void *node,
                                                                    ifl_node **out, edge_data *data,
                                                                    size_t *count)
{
    SERVE(((void)session, list_behind(ifl_node_of(node), out, data, count)));
}
#endif

/* ---- changing them --------------------------------------------------------------------------- */

#if IFL_CUDART < 13
#define CHANGE(name, change)                                                                       \
    IFL_SERVED ifl_cuda_error name(const void *graph, ifl_node *const *from, ifl_node *const *to,  \
                                   size_t count)                                                   \
    {                                                                                              \
        SERVE(((void)session, change(graph, from, to, count)));                                    \
    }
CHANGE(cudaGraphAddDependencies, ifl_graph_depend)
CHANGE(cudaGraphRemoveDependencies, ifl_graph_undepend)
#endif

#if IFL_CUDART >= 12
#define CHANGE_WITH(name, change)                                                                  \
    IFL_SERVED ifl_cuda_error name(const void *graph, ifl_node *const *from, ifl_node *const *to,  \
                                   const edge_data *data, size_t count)                            \
    {                                                                                              \
        (void)data;                                                                                \
        SERVE(((void)session, change(graph, from, to, count)));                                    \
    }
CHANGE_WITH(WITH_DATA(cudaGraphAddDependencies), ifl_graph_depend)
CHANGE_WITH(WITH_DATA(cudaGraphRemoveDependencies), ifl_graph_undepend)
#endif

IFL_SERVED ifl_cuda_error cudaGraphDestroyNode(const void *node)
{
    SERVE(((void)session, ifl_node_destroy(ifl_node_of(node))));
}
