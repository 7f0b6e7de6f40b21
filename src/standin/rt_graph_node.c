/* SPDX-License-Identifier: Apache-2.0
 * Nodes of graphs, a kind at a time: added, told about, and changed in a graph or in one that was
 * instantiated. */
#include "standin/device_node.h"
#include "standin/graph_node.h"
#include "standin/graph_update.h"
#include "standin/launch_call.h"
#include "standin/served.h"

/* ---- operations ------------------------------------------------------------------------------ */

/* From CUDA 13 on the handle of a kernel may stand in the place of the host's address. What a
 * node's attributes say of the launch stays (cudaGraphKernelNodeSetAttribute). */
ifl_made_op ifl_make_kernel(ifl_session *session, const ifl_node *node,
                            const ifl_kernel_params *params, const void *from)
{
    ifl_made_op made = {.code = ifl_cudaErrorInvalidValue};
    if (!params)
        return made;
    ifl_launch_call call = {.grid = params->grid,
                            .block = params->block,
                            .arguments = params->arguments,
                            .shared_bytes = params->shared_bytes,
                            .from = from};
    if (node && node->op.kind == IFL_DO_KERNEL) {
        call.cluster = node->op.of.kernel.asked_cluster;
        call.cooperative = node->op.of.kernel.cooperative;
    }
    made.code = ifl_launch_op(session, ifl_function_find(params->function), &call, &made.op);
    if (made.code == ifl_cudaSuccess)
        made.op.of.kernel.function = params->function;
    return made;
}

ifl_made_op ifl_make_copy(const ifl_copy3d *box)
{
    ifl_made_op made;
    made.code = ifl_copy_box_op(box, &made.op);
    return made;
}

ifl_made_op ifl_make_set(const ifl_set_params *params)
{
    ifl_made_op made = {.code = ifl_cudaErrorInvalidValue};
    if (!params)
        return made;
    const ifl_op_set of = {.to = params->to,
                           .pitch = params->pitch,
                           .width = params->width,
                           .height = params->height,
                           .depth = 1,
                           .element_bytes = params->element_bytes,
                           .value = params->value};
    made.code = ifl_fill_op(&of, &made.op);
    return made;
}

ifl_made_op ifl_make_host(const ifl_host_params *params)
{
    if (!params || !params->call)
        return (ifl_made_op){.code = ifl_cudaErrorInvalidValue};
    return (ifl_made_op){
        .op = {.kind = IFL_DO_HOST, .of.host = {params->call, NULL, params->user, NULL}}};
}

ifl_made_op ifl_make_child(ifl_graph *child)
{
    if (!child || ifl_graph_has_conditions(child))
        return (ifl_made_op){.code = ifl_cudaErrorInvalidValue};
    if (child->is_moved || ifl_graph_has_device_nodes(child) || ifl_graph_has_memory(child))
        return (ifl_made_op){.code = ifl_cudaErrorNotSupported};
    return (ifl_made_op){.op = {.kind = IFL_DO_CHILD_GRAPH, .of.child = child}};
}

ifl_made_op ifl_make_event(ifl_op_kind kind, void *event)
{
    if (!ifl_event_of(event))
        return (ifl_made_op){.code = ifl_cudaErrorInvalidResourceHandle};
    return (ifl_made_op){.op = {.kind = kind, .of.event = event}};
}

static ifl_made_op make_line(void *to, const void *from, size_t bytes, int kind)
{
    return (ifl_made_op){.code = ifl_copy_kind_check(kind),
                         .op = ifl_copy_line_op(to, from, bytes, kind)};
}

static ifl_made_op make_to(ifl_session *session, const void *symbol, const void *from, size_t bytes,
                           size_t offset, int kind)
{
    ifl_made_op made;
    made.code = ifl_copy_to_symbol_op(session, symbol, from, bytes, offset, kind, &made.op);
    return made;
}

static ifl_made_op make_from(ifl_session *session, void *to, const void *symbol, size_t bytes,
                             size_t offset, int kind)
{
    ifl_made_op made;
    made.code = ifl_copy_from_symbol_op(session, to, symbol, bytes, offset, kind, &made.op);
    return made;
}

static ifl_cuda_error release(ifl_made_op *made, ifl_cuda_error code)
{
    if (made->code == ifl_cudaSuccess && made->op.kind == IFL_DO_KERNEL)
        ifl_op_clear(&made->op);
    return code;
}

ifl_cuda_error ifl_made_add(ifl_node **out, const void *graph, ifl_node *const *after, size_t count,
                            ifl_made_op made)
{
    const ifl_cuda_error code = made.code == ifl_cudaSuccess
                                    ? ifl_graph_add_after(out, graph, after, count, &made.op)
                                    : made.code;
    return release(&made, code);
}

ifl_cuda_error ifl_made_set(ifl_node *node, ifl_made_op made)
{
    const ifl_cuda_error code =
        made.code == ifl_cudaSuccess ? ifl_node_replace(node, &made.op) : made.code;
    return release(&made, code);
}

ifl_cuda_error ifl_made_set_exec(ifl_session *session, ifl_node *node, ifl_made_op made)
{
    const ifl_cuda_error code =
        made.code == ifl_cudaSuccess ? ifl_exec_replace(session, node, &made.op) : made.code;
    return release(&made, code);
}

/* ---- kernels --------------------------------------------------------------------------------- */

IFL_SERVED ifl_cuda_error cudaGraphAddKernelNode(ifl_node **out, const void *graph,
                                                 ifl_node *const *after, size_t count,
                                                 const ifl_kernel_params *params)
{
    const void *from = __builtin_return_address(0);
    SERVE(ifl_made_add(out, graph, after, count, ifl_make_kernel(session, NULL, params, from)));
}

static ifl_cuda_error set_kernel(ifl_session *session, ifl_node *node,
                                 const ifl_kernel_params *params, const void *from)
{
    return ifl_made_set(node, ifl_make_kernel(session, node, params, from));
}

IFL_SERVED ifl_cuda_error cudaGraphKernelNodeSetParams(const void *node,
                                                       const ifl_kernel_params *params)
{
    SERVE(set_kernel(session, ifl_node_of(node), params, __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cudaGraphExecKernelNodeSetParams(const void *exec, const void *node,
                                                           const ifl_kernel_params *params)
{
    SERVE(set_kernel(session, ifl_exec_twin(exec, node), params, __builtin_return_address(0)));
}

/* The operation of a node of the kind; NULL: it is none. */
static const ifl_op *op_of(const void *handle, ifl_op_kind kind, const void *out)
{
    const ifl_node *node = out ? ifl_node_of(handle) : NULL;
    return node && node->op.kind == kind ? &node->op : NULL;
}

static ifl_cuda_error tell_kernel(const ifl_op *op, ifl_kernel_params *out)
{
    if (!op)
        return ifl_cudaErrorInvalidValue;
    const ifl_op_kernel *k = &op->of.kernel;
    *out = (ifl_kernel_params){.function = (void *)(uintptr_t)k->function,
                               .grid = {k->grid[0], k->grid[1], k->grid[2]},
                               .block = {k->block[0], k->block[1], k->block[2]},
                               .shared_bytes = (unsigned)k->shared_bytes,
                               .arguments = ifl_op_arguments(k)};
    return ifl_cudaSuccess;
}

static ifl_cuda_error tell_copy(const ifl_op *op, ifl_copy3d *out)
{
    if (!op)
        return ifl_cudaErrorInvalidValue;
    const ifl_op_copy *c = &op->of.copy;
    ifl_copy_op_box(c, ifl_copy_unit(c->to_array, c->from_array), out);
    return ifl_cudaSuccess;
}

static ifl_cuda_error tell_set(const ifl_op *op, ifl_set_params *out)
{
    if (!op)
        return ifl_cudaErrorInvalidValue;
    const ifl_op_set *s = &op->of.set;
    *out = (ifl_set_params){s->to, s->pitch, s->value, s->element_bytes, s->width, s->height};
    return ifl_cudaSuccess;
}

static ifl_cuda_error tell_host(const ifl_op *op, ifl_host_params *out)
{
    if (!op)
        return ifl_cudaErrorInvalidValue;
    *out = (ifl_host_params){op->of.host.call, op->of.host.user};
    return ifl_cudaSuccess;
}

static ifl_cuda_error tell_event(const ifl_op *op, void **out)
{
    if (!op)
        return ifl_cudaErrorInvalidValue;
    *out = op->of.event;
    return ifl_cudaSuccess;
}

static ifl_cuda_error tell_child(const ifl_op *op, ifl_graph **out)
{
    if (!op)
        return ifl_cudaErrorInvalidValue;
    *out = op->of.child;
    return ifl_cudaSuccess;
}

/* ---- kinds whose structure tells all --------------------------------------------------------- */

#define TELL(name, type, kind, tell)                                                               \
    IFL_SERVED ifl_cuda_error name(const void *node, type *out)                                    \
    {                                                                                              \
        SERVE(tell(op_of(node, kind, out), out));                                                  \
    }
TELL(cudaGraphKernelNodeGetParams, ifl_kernel_params, IFL_DO_KERNEL, tell_kernel)
TELL(cudaGraphMemcpyNodeGetParams, ifl_copy3d, IFL_DO_COPY, tell_copy)
TELL(cudaGraphMemsetNodeGetParams, ifl_set_params, IFL_DO_SET, tell_set)
TELL(cudaGraphHostNodeGetParams, ifl_host_params, IFL_DO_HOST, tell_host)
TELL(cudaGraphEventRecordNodeGetEvent, void *, IFL_DO_EVENT_RECORD, tell_event)
TELL(cudaGraphEventWaitNodeGetEvent, void *, IFL_DO_EVENT_WAIT, tell_event)
TELL(cudaGraphChildGraphNodeGetGraph, ifl_graph *, IFL_DO_CHILD_GRAPH, tell_child)

/* `take`: the parameters in parentheses. */
#define CHANGE(add, set, set_exec, take, ...)                                                      \
    IFL_SERVED ifl_cuda_error add(ifl_node **out, const void *graph, ifl_node *const *after,       \
                                  size_t count, REST take)                                         \
    {                                                                                              \
        SERVE(ifl_made_add(out, graph, after, count, (__VA_ARGS__)));                              \
    }                                                                                              \
    IFL_SERVED ifl_cuda_error set(const void *node, REST take)                                     \
    {                                                                                              \
        SERVE(ifl_made_set(ifl_node_of(node), (__VA_ARGS__)));                                     \
    }                                                                                              \
    IFL_SERVED ifl_cuda_error set_exec(const void *exec, const void *node, REST take)              \
    {                                                                                              \
        SERVE(ifl_made_set_exec(session, ifl_exec_twin(exec, node), (__VA_ARGS__)));               \
    }
#define REST(...) __VA_ARGS__
CHANGE(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
       (const ifl_copy3d *params), ifl_make_copy(params))
CHANGE(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
       (const ifl_set_params *params), ifl_make_set(params))
CHANGE(cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams,
       (const ifl_host_params *params), ifl_make_host(params))
CHANGE(cudaGraphAddEventRecordNode, cudaGraphEventRecordNodeSetEvent,
       cudaGraphExecEventRecordNodeSetEvent, (void *params),
       ifl_make_event(IFL_DO_EVENT_RECORD, params))
CHANGE(cudaGraphAddEventWaitNode, cudaGraphEventWaitNodeSetEvent,
       cudaGraphExecEventWaitNodeSetEvent, (void *params),
       ifl_make_event(IFL_DO_EVENT_WAIT, params))

/* ---- child graphs, and nodes without anything ------------------------------------------------ */

IFL_SERVED ifl_cuda_error cudaGraphAddChildGraphNode(ifl_node **out, const void *graph,
                                                     ifl_node *const *after, size_t count,
                                                     const void *child)
{
    SERVE(ifl_made_add(out, graph, after, count, ifl_make_child(ifl_graph_of(child))));
}

ifl_cuda_error ifl_set_exec_child(ifl_session *session, ifl_node *node, const ifl_graph *child)
{
    ifl_update_info info;
    if (!node || node->op.kind != IFL_DO_CHILD_GRAPH || !child)
        return ifl_cudaErrorInvalidValue;
    return ifl_graph_update(session, node->op.of.child, child, &info);
}

IFL_SERVED ifl_cuda_error cudaGraphExecChildGraphNodeSetParams(const void *exec, const void *node,
                                                               const void *child)
{
    SERVE(ifl_set_exec_child(session, ifl_exec_twin(exec, node), ifl_graph_of(child)));
}

IFL_SERVED ifl_cuda_error cudaGraphAddEmptyNode(ifl_node **out, const void *graph,
                                                ifl_node *const *after, size_t count)
{
    SERVE(ifl_graph_add_after(out, graph, after, count, &(ifl_op){.kind = IFL_DO_EMPTY_NODE}));
}

/* ---- copies of one row, and of variables ----------------------------------------------------- */

CHANGE(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
       (void *to, const void *from, size_t bytes, int kind), make_line(to, from, bytes, kind))
CHANGE(cudaGraphAddMemcpyNodeToSymbol, cudaGraphMemcpyNodeSetParamsToSymbol,
       cudaGraphExecMemcpyNodeSetParamsToSymbol,
       (const void *symbol, const void *from, size_t bytes, size_t offset, int kind),
       make_to(session, symbol, from, bytes, offset, kind))
CHANGE(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol,
       cudaGraphExecMemcpyNodeSetParamsFromSymbol,
       (void *to, const void *symbol, size_t bytes, size_t offset, int kind),
       make_from(session, to, symbol, bytes, offset, kind))
