/* SPDX-License-Identifier: Apache-2.0
 * See device_node.h. The codes are an H200's (driver 580). */
#include "standin/device_node.h"

#include "standin/later.h"

#include <string.h>

ifl_cuda_error ifl_device_node_set(ifl_node *node, ifl_updatable *attribute)
{
    static uint64_t numbers;
    const bool is_already = node->device_number != 0;
    if (attribute->is_updatable == 0)
        return is_already ? ifl_cudaErrorNotSupported : ifl_cudaSuccess;
    if (attribute->is_updatable != 1 || is_already)
        return ifl_cudaErrorInvalidValue;
    attribute->node = node->device_number = ++numbers;
    return ifl_cudaSuccess;
}

bool ifl_graph_has_device_nodes(const ifl_graph *graph)
{
    bool found = false;
    for (size_t i = 0; i < graph->nodes.count; i++)
        found |= graph->nodes.at[i]->device_number != 0;
    return found;
}

static ifl_node *find(uint64_t number)
{
    ifl_graph *exec;
    for (size_t at = 0; number && (exec = ifl_handle_next(IFL_HANDLE_EXEC, &at));)
        for (size_t i = 0; i < exec->nodes.count; i++)
            if (exec->nodes.at[i]->device_number == number)
                return exec->nodes.at[i];
    return NULL;
}

static ifl_cuda_error set_param(ifl_op_kernel *k, const ifl_graph_change *change)
{
    const uint64_t bytes = k->kernel->image.demands.param_bytes;
    if (change->offset > bytes || change->bytes > bytes - change->offset)
        return ifl_cudaErrorInvalidValue;
    memcpy(k->params + change->offset, change->value, change->bytes);
    return ifl_cudaSuccess;
}

static ifl_cuda_error set_grid(ifl_op_kernel *k, const ifl_graph_change *change)
{
    static const uint32_t most[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
    for (int i = 0; i < 3; i++)
        if (!change->grid[i] || change->grid[i] > most[i])
            return ifl_cudaErrorInvalidValue;
    memcpy(k->grid, change->grid, sizeof k->grid);
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_device_op_change(ifl_op *op, bool *is_off, const ifl_graph_change *change)
{
    switch (change->field) {
    case IFL_GRAPH_GRID:
        return set_grid(&op->of.kernel, change);
    case IFL_GRAPH_PARAM:
        return set_param(&op->of.kernel, change);
    case IFL_GRAPH_ENABLED:
        *is_off = !change->is_enabled;
        return ifl_cudaSuccess;
    }
    return ifl_cudaErrorInvalidValue;
}

ifl_cuda_error ifl_device_node_change(const ifl_graph_change *change)
{
    ifl_node *node = find(change->node);
    if (!node)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = ifl_device_op_change(&node->op, &node->is_disabled, change);
    if (code == ifl_cudaSuccess)
        ifl_later_change_node(change);
    return code;
}
