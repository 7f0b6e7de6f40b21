/* SPDX-License-Identifier: Apache-2.0
 * See graph.h. */
#include "standin/graph.h"

#include <stdlib.h>
#include <string.h>

ifl_graph *ifl_graph_new(void)
{
    return calloc(1, sizeof(ifl_graph));
}

void ifl_graph_free(ifl_graph *graph)
{
    for (size_t i = 0; graph && i < graph->nodes.count; i++) {
        ifl_op_clear(&graph->nodes.at[i]->op);
        ifl_vec_free(&graph->nodes.at[i]->waits_for);
        free(graph->nodes.at[i]);
    }
    if (graph)
        ifl_vec_free(&graph->nodes);
    free(graph);
}

ifl_node *ifl_graph_add(ifl_graph *graph, const ifl_op *op)
{
    ifl_node *node = calloc(1, sizeof *node);
    if (node && ifl_op_copy_of(op, &node->op)) {
        if (ifl_vec_push(&graph->nodes, node))
            return node;
        ifl_op_clear(&node->op);
    }
    free(node);
    return NULL;
}

static size_t index_of(const ifl_graph *graph, const ifl_node *node)
{
    size_t i = 0;
    while (i < graph->nodes.count && graph->nodes.at[i] != node)
        i++;
    return i;
}

static bool may_run(const ifl_graph *graph, const ifl_node *node, const bool *done)
{
    for (size_t i = 0; i < node->waits_for.count; i++) {
        const size_t before = index_of(graph, node->waits_for.at[i]);
        if (before < graph->nodes.count && !done[before])
            return false;
    }
    return true;
}

/* One pass over the nodes; *ran counts those that ran. */
static ifl_cuda_error pass(ifl_context *context, const ifl_graph *graph, bool *done, size_t *ran)
{
    ifl_cuda_error code = ifl_cudaSuccess;
    for (size_t i = 0; i < graph->nodes.count && code == ifl_cudaSuccess; i++) {
        const ifl_node *node = graph->nodes.at[i];
        if (done[i] || !may_run(graph, node, done))
            continue;
        done[i] = true;
        (*ran)++;
        if (!node->is_disabled)
            code = ifl_op_run(context, &node->op);
    }
    return code;
}

ifl_cuda_error ifl_graph_run(ifl_context *context, const ifl_graph *graph)
{
    bool *done = calloc(graph->nodes.count + 1, sizeof *done);
    ifl_cuda_error code = done ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
    size_t ran = 0, before;
    do {
        before = ran;
        if (done)
            code = pass(context, graph, done, &ran);
    } while (code == ifl_cudaSuccess && ran > before && ran < graph->nodes.count);
    free(done);
    return code;
}
