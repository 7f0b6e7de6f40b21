/* SPDX-License-Identifier: Apache-2.0
 * Graphs that kernels launch and change (CUDA Runtime API, "Device Graph Launch" of
 * cuda_device_runtime_api.h). Compiled code calls these functions by their own names, and the driver
 * has them: cudaGraphLaunch(graph, stream), cudaGraphKernelNodeSetParam(node, offset, value, bytes),
 * cudaGraphKernelNodeSetEnabled(node, enabled), cudaGraphKernelNodeSetGridDim(node, grid),
 * cudaGraphKernelNodeUpdatesApply(updates, count), each with an error code. */
#include "exec/provided_call.h"

#include <string.h>

static const ifl_grapher *grapher_of(const ifl_provided_lane *call)
{
    const ifl_grapher *grapher = call->warp->worker->grid->launch->grapher;
    if (!grapher)
        ifl_fault_raise(call->warp, call->code, IFL_FAULT_UNSUPPORTED, call->lane,
                        "a kernel that launches or changes graphs is not run here");
    return grapher;
}

/* Bytes that need no alignment as a whole; NULL after a fault. */
static const void *read_at(const ifl_provided_lane *call, uint64_t address, uint64_t bytes)
{
    uint8_t space = IFL_SPACE_GENERIC;
    address = ifl_warp_place(call->warp, &space, address);
    return bytes ? ifl_warp_reach_run(call->warp, call->code, (ifl_space)space, call->lane, address,
                                      bytes, false)
                 : (const void *)"";
}

void ifl_graph_call_launch(const ifl_provided_lane *call)
{
    const ifl_grapher *grapher = grapher_of(call);
    const uint64_t graph = ifl_provided_argument(call, 0);
    uint32_t code = 0;
    if (grapher && !grapher->launch(grapher->user, graph, ifl_provided_argument(call, 1), &code))
        ifl_fault_raise(call->warp, call->code, IFL_FAULT_ADDRESS, call->lane,
                        "cudaGraphLaunch of 0x%llx, which is no graph that was instantiated with "
                        "cudaGraphInstantiateFlagDeviceLaunch",
                        (unsigned long long)graph);
    ifl_provided_result(call, code);
}

static void change(const ifl_provided_lane *call, const ifl_graph_change *change)
{
    const ifl_grapher *grapher = grapher_of(call);
    if (grapher)
        ifl_provided_result(call, grapher->change(grapher->user, change));
}

void ifl_graph_call_param(const ifl_provided_lane *call)
{
    const uint64_t bytes = ifl_provided_argument(call, 3);
    const void *value = read_at(call, ifl_provided_argument(call, 2), bytes);
    if (value)
        change(call, &(ifl_graph_change){.node = ifl_provided_argument(call, 0),
                                         .field = IFL_GRAPH_PARAM,
                                         .offset = ifl_provided_argument(call, 1),
                                         .bytes = bytes,
                                         .value = value});
}

void ifl_graph_call_enabled(const ifl_provided_lane *call)
{
    enum { BOOL_BITS = 0xff };
    change(call,
           &(ifl_graph_change){.node = ifl_provided_argument(call, 0),
                               .field = IFL_GRAPH_ENABLED,
                               .is_enabled = (ifl_provided_argument(call, 1) & BOOL_BITS) != 0});
}

void ifl_graph_call_grid(const ifl_provided_lane *call)
{
    ifl_graph_change grid = {.node = ifl_provided_argument(call, 0), .field = IFL_GRAPH_GRID};
    ifl_provided_words(call, 1, grid.grid, 3);
    change(call, &grid);
}

/* cudaGraphKernelNodeUpdate */
typedef struct update {
    uint64_t node;
    int32_t field, unused;
    union {
        uint32_t grid[3];
        struct {
            uint64_t value, offset, bytes;
        } param;
        uint32_t is_enabled;
    } of;
} update;

/* False: a fault, or no update. */
static bool take_update(const ifl_provided_lane *call, uint64_t address, ifl_graph_change *to)
{
    update u;
    const void *at = read_at(call, address, sizeof u);
    if (!at)
        return false;
    memcpy(&u, at, sizeof u);
    *to = (ifl_graph_change){.node = u.node, .field = (ifl_graph_field)u.field};
    if (u.field == IFL_GRAPH_GRID)
        memcpy(to->grid, u.of.grid, sizeof to->grid);
    if (u.field == IFL_GRAPH_ENABLED)
        to->is_enabled = u.of.is_enabled != 0;
    if (u.field != IFL_GRAPH_PARAM)
        return true;
    to->offset = u.of.param.offset;
    to->bytes = u.of.param.bytes;
    to->value = read_at(call, u.of.param.value, to->bytes);
    return to->value != NULL;
}

void ifl_graph_call_apply(const ifl_provided_lane *call)
{
    const ifl_grapher *grapher = grapher_of(call);
    const uint64_t first = ifl_provided_argument(call, 0), count = ifl_provided_argument(call, 1);
    ifl_graph_change one;
    uint32_t code = 0;
    for (uint64_t i = 0; grapher && i < count && !code; i++) {
        if (!take_update(call, first + i * sizeof(update), &one))
            return;
        code = grapher->change(grapher->user, &one);
    }
    ifl_provided_result(call, code);
}
