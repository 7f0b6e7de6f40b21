/* SPDX-License-Identifier: Apache-2.0
 * What nodes of a graph wait for, as a program asks for it. */
#include "standin/graph.h"
#include "standin/served.h"

#include <string.h>

/* Where edges are told, or one end of them: any may be NULL. */
typedef struct list {
    ifl_node **from, **to;
    ifl_edge_data *data;
    size_t most, found;
    bool is_lossy; /* an edge has data, which nobody asked for */
} list;

/* The edge from the `w`th node that it waits for. */
static void add(list *to, ifl_node *node, size_t w)
{
    static const ifl_edge_data ordinary;
    ifl_node *first = node->waits_for.at[w], *second = node;
    const ifl_edge_data *data = &node->edges.at[w];
    const size_t i = to->found;
    if ((to->from || to->to) && i == to->most)
        return;
    if (to->from)
        to->from[i] = first;
    if (to->to)
        to->to[i] = second;
    if (to->data)
        to->data[i] = *data;
    else if (to->from || to->to)
        to->is_lossy |= memcmp(data, &ordinary, sizeof *data) != 0;
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
    return to->is_lossy ? ifl_cudaErrorLossyQuery : ifl_cudaSuccess;
}

static ifl_cuda_error list_edges(const ifl_graph *graph, ifl_node **from, ifl_node **to,
                                 ifl_edge_data *data, size_t *count)
{
    if (!graph || !count || !from != !to || (data && !from))
        return ifl_cudaErrorInvalidValue;
    list edges = {.from = from, .to = to, .data = data, .most = from ? *count : 0};
    for (size_t i = 0; i < graph->nodes.count; i++) {
        ifl_node *node = graph->nodes.at[i];
        for (size_t w = 0; w < node->waits_for.count; w++)
            add(&edges, node, w);
    }
    return end(&edges, count);
}

static ifl_cuda_error list_before(ifl_node *node, ifl_node **out, ifl_edge_data *data,
                                  size_t *count)
{
    if (!node || !count || (data && !out))
        return ifl_cudaErrorInvalidValue;
    list nodes = {.from = out, .data = data, .most = out ? *count : 0};
    for (size_t w = 0; w < node->waits_for.count; w++)
        add(&nodes, node, w);
    return end(&nodes, count);
}

static ifl_cuda_error list_behind(ifl_node *node, ifl_node **out, ifl_edge_data *data,
                                  size_t *count)
{
    if (!node || !count || (data && !out))
        return ifl_cudaErrorInvalidValue;
    list nodes = {.to = out, .data = data, .most = out ? *count : 0};
    for (size_t i = 0; i < node->graph->nodes.count; i++) {
        ifl_node *other = node->graph->nodes.at[i];
        for (size_t w = 0; w < other->waits_for.count; w++)
            if (other->waits_for.at[w] == node)
                add(&nodes, other, w);
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
    SERVE(list_edges(ifl_graph_of(graph), from, to, NULL, count));
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetDependencies(const void *node, ifl_node **out,
                                                       size_t *count)
{
    SERVE(list_before(ifl_node_of(node), out, NULL, count));
}

IFL_SERVED ifl_cuda_error cudaGraphNodeGetDependentNodes(const void *node, ifl_node **out,
                                                         size_t *count)
{
    SERVE(list_behind(ifl_node_of(node), out, NULL, count));
}
#endif

#if IFL_CUDART >= 12
IFL_SERVED ifl_cuda_error WITH_DATA(cudaGraphGetEdges)(const void *graph, ifl_node **from,
                                                       ifl_node **to, ifl_edge_data *data,
                                                       size_t *count)
{
    SERVE(list_edges(ifl_graph_of(graph), from, to, data, count));
}

IFL_SERVED ifl_cuda_error WITH_DATA(cudaGraphNodeGetDependencies)(const void *node, ifl_node **out,
                                                                  ifl_edge_data *data,
                                                                  size_t *count)
{
    SERVE(list_before(ifl_node_of(node), out, data, count));
}

IFL_SERVED ifl_cuda_error WITH_DATA(cudaGraphNodeGetDependentNodes)(const void *node,
                                                                    ifl_node **out,
                                                                    ifl_edge_data *data,
                                                                    size_t *count)
{
    SERVE(list_behind(ifl_node_of(node), out, data, count));
}
#endif

/* ---- changing them --------------------------------------------------------------------------- */

#if IFL_CUDART < 13
#define CHANGE(name, change)                                                                       \
    IFL_SERVED ifl_cuda_error name(const void *graph, ifl_node *const *from, ifl_node *const *to,  \
                                   size_t count)                                                   \
    {                                                                                              \
        SERVE(change(graph, from, to, NULL, count));                                               \
    }
CHANGE(cudaGraphAddDependencies, ifl_graph_depend)
CHANGE(cudaGraphRemoveDependencies, ifl_graph_undepend)
#endif

#if IFL_CUDART >= 12
#define CHANGE_WITH(name, change)                                                                  \
    IFL_SERVED ifl_cuda_error name(const void *graph, ifl_node *const *from, ifl_node *const *to,  \
                                   const ifl_edge_data *data, size_t count)                        \
    {                                                                                              \
        SERVE(change(graph, from, to, data, count));                                               \
    }
CHANGE_WITH(WITH_DATA(cudaGraphAddDependencies), ifl_graph_depend)
CHANGE_WITH(WITH_DATA(cudaGraphRemoveDependencies), ifl_graph_undepend)
#endif

IFL_SERVED ifl_cuda_error cudaGraphDestroyNode(const void *node)
{
    SERVE(ifl_node_destroy(ifl_node_of(node)));
}
