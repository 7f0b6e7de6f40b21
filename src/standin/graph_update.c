/* SPDX-License-Identifier: Apache-2.0
 * See graph_update.h. */
#include "standin/graph_update.h"

#include "standin/device_node.h"

/* ---- operations ------------------------------------------------------------------------------ */

/* The GPU whose memory it is; -1: the host's; -2: memory of both. */
static int home_of(ifl_session *session, const void *address)
{
    enum { HOST = -1, BOTH = -2 };
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), (uintptr_t)address);
    return !a ? HOST : a->flags & IFL_ALLOCATION_ADOPTED ? BOTH : (int)a->gpu;
}

static bool is_same_home(ifl_session *session, const void *a, const void *b)
{
    const int one = home_of(session, a), other = home_of(session, b);
    return one == other || one < -1 || other < -1;
}

static bool may_copy(ifl_session *session, const ifl_op_copy *a, const ifl_op_copy *b)
{
    return !a->to_array == !b->to_array && !a->from_array == !b->from_array &&
           is_same_home(session, a->to, b->to) && is_same_home(session, a->from, b->from);
}

/* Of several rows the address and the value may change, of one its length too. */
static bool may_set(ifl_session *session, const ifl_op_set *a, const ifl_op_set *b)
{
    const bool is_same =
        a->width == b->width && a->pitch == b->pitch && a->element_bytes == b->element_bytes;
    return a->height == b->height && (a->height <= 1 || is_same) &&
           is_same_home(session, a->to, b->to);
}

/* CUDA Driver API, cuGraphExecBatchMemOpNodeSetParams: addresses, values and ways of comparing may
 * change. */
static bool may_write(const ifl_op_words *a, const ifl_op_words *b)
{
    bool is_same = a->count == b->count && a->context == b->context;
    for (unsigned i = 0; is_same && i < a->count; i++)
        is_same = a->steps[i].operation == b->steps[i].operation;
    return is_same;
}

static ifl_update_result change_of(ifl_session *session, const ifl_op *a, const ifl_op *b)
{
    if (a->kind != b->kind)
        return IFL_UPDATE_KIND;
    switch (a->kind) {
    case IFL_DO_KERNEL:
        return a->of.kernel.cooperative == b->of.kernel.cooperative ? IFL_UPDATE_DONE
                                                                    : IFL_UPDATE_ATTRIBUTES;
    case IFL_DO_COPY:
        return may_copy(session, &a->of.copy, &b->of.copy) ? IFL_UPDATE_DONE
                                                           : IFL_UPDATE_PARAMETERS;
    case IFL_DO_SET:
        return may_set(session, &a->of.set, &b->of.set) ? IFL_UPDATE_DONE : IFL_UPDATE_PARAMETERS;
    case IFL_DO_WORDS:
        return may_write(&a->of.words, &b->of.words) ? IFL_UPDATE_DONE : IFL_UPDATE_PARAMETERS;
    case IFL_DO_CONDITION:
        return a->of.condition.type == b->of.condition.type &&
                       a->of.condition.count == b->of.condition.count
                   ? IFL_UPDATE_DONE
                   : IFL_UPDATE_PARAMETERS;
    default:
        return IFL_UPDATE_DONE;
    }
}

bool ifl_op_may_become(ifl_session *session, const ifl_op *op, const ifl_op *other)
{
    return change_of(session, op, other) == IFL_UPDATE_DONE;
}

static bool is_line(const ifl_op_copy *c)
{
    return c->width && c->height == 1 && c->depth == 1;
}

/* CUDA Runtime API, cudaGraphExecMemcpyNodeSetParams and cudaGraphExecMemsetNodeSetParams: copies
 * are of one row, and none is of nothing. */
ifl_cuda_error ifl_exec_replace(ifl_session *session, ifl_node *node, const ifl_op *op)
{
    const bool is_allowed =
        node && change_of(session, &node->op, op) == IFL_UPDATE_DONE &&
        (op->kind != IFL_DO_COPY || (is_line(&node->op.of.copy) && is_line(&op->of.copy))) &&
        (op->kind != IFL_DO_SET || (op->of.set.width && op->of.set.height));
    return is_allowed ? ifl_node_replace(node, op) : ifl_cudaErrorInvalidValue;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static bool fail(ifl_update_info *info, ifl_update_result result, ifl_node *node, ifl_node *from)
{
    *info = (ifl_update_info){result, node, from};
    return false;
}

static bool may_become(ifl_session *session, const ifl_graph *exec, const ifl_graph *from,
                       ifl_update_info *info);

static bool may_node(ifl_session *session, const ifl_node *node, ifl_node *from,
                     ifl_update_info *info)
{
    const ifl_update_result result = change_of(session, &node->op, &from->op);
    const ifl_graph *inner;
    if (result != IFL_UPDATE_DONE)
        return fail(info, result, from, NULL);
    bool is_all = true;
    for (unsigned n = 0; is_all && (inner = ifl_node_inner(node, n)); n++)
        is_all = may_become(session, inner, ifl_node_inner(from, n), info);
    return is_all;
}

/* How many nodes are waited for by none, and the first of them, in a graph with numbers. */
static size_t count_exits(const ifl_graph *graph, ifl_node **first)
{
    size_t count = 0;
    *first = NULL;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        ifl_node *node = graph->nodes.at[i];
        if (!node->is_waited_for && !count++)
            *first = node;
    }
    return count;
}

/* Nodes are paired in the order they were made, and so are their edges. CUDA Runtime API,
 * cudaGraphExecUpdate, says which node is told; of several exit nodes an H100 (driver 580) does not
 * tell the last. */
static bool are_edges(const ifl_graph *exec, const ifl_graph *from, ifl_update_info *info)
{
    ifl_node *told, *unused;
    ifl_graph_number(exec);
    ifl_graph_number(from);
    if (count_exits(from, &told) > count_exits(exec, &unused))
        return fail(info, IFL_UPDATE_TOPOLOGY, told, NULL);
    for (size_t i = 0; i < from->nodes.count; i++) {
        ifl_node *node = from->nodes.at[i];
        const ifl_node *pair = exec->nodes.at[i];
        if (node->waits_for.count != pair->waits_for.count)
            return fail(info, IFL_UPDATE_TOPOLOGY, node, NULL);
        for (size_t w = 0; w < node->waits_for.count; w++)
            if (pair->waits_for.at[w]->place != node->waits_for.at[w]->place)
                return fail(info, IFL_UPDATE_TOPOLOGY, node, node->waits_for.at[w]);
    }
    return true;
}

static bool may_become(ifl_session *session, const ifl_graph *exec, const ifl_graph *from,
                       ifl_update_info *info)
{
    if (exec->nodes.count != from->nodes.count)
        return fail(info, IFL_UPDATE_TOPOLOGY, NULL, NULL);
    bool is_all = are_edges(exec, from, info);
    for (size_t i = 0; is_all && i < from->nodes.count; i++)
        is_all = may_node(session, exec->nodes.at[i], from->nodes.at[i], info);
    return is_all;
}

static ifl_cuda_error become(ifl_graph *exec, const ifl_graph *from);

/* Graphs in a node stay, and their nodes change; its condition is the other's. */
static ifl_cuda_error become_node(ifl_node *node, const ifl_node *from)
{
    ifl_graph *inner;
    ifl_op *op = &node->op;
    const ifl_op *other = &from->op;
    ifl_cuda_error code = ifl_cudaSuccess;
    node->made_from = from;
    for (unsigned n = 0; code == ifl_cudaSuccess && (inner = ifl_node_inner(node, n)); n++)
        code = become(inner, ifl_node_inner(from, n));
    if (op->kind == IFL_DO_CONDITION) {
        op->of.condition.handle = other->of.condition.handle;
        op->of.condition.initial = other->of.condition.initial;
        op->of.condition.resets = other->of.condition.resets;
    } else if (op->kind != IFL_DO_CHILD_GRAPH) {
        code = ifl_node_replace(node, other);
    }
    return code;
}

static ifl_cuda_error become(ifl_graph *exec, const ifl_graph *from)
{
    ifl_cuda_error code = ifl_cudaSuccess;
    for (size_t i = 0; code == ifl_cudaSuccess && i < from->nodes.count; i++)
        code = become_node(exec->nodes.at[i], from->nodes.at[i]);
    return code;
}

ifl_cuda_error ifl_graph_update(ifl_session *session, ifl_graph *exec, const ifl_graph *from,
                                ifl_update_info *info)
{
    if (exec && from &&
        (from->is_moved || ifl_graph_has_device_nodes(exec) || ifl_graph_has_device_nodes(from)))
        return ifl_cudaErrorNotSupported;
    *info = (ifl_update_info){.result = IFL_UPDATE_ERROR};
    if (!exec || !from)
        return ifl_cudaErrorInvalidValue;
    if (!may_become(session, exec, from, info))
        return ifl_cudaErrorGraphExecUpdateFailure;
    const ifl_cuda_error code = become(exec, from);
    info->result = code == ifl_cudaSuccess ? IFL_UPDATE_DONE : IFL_UPDATE_ERROR;
    return code;
}

ifl_node *ifl_graph_update_told(const ifl_graph *from, const ifl_update_info *info)
{
    ifl_node *exit_node = info->node;
    if (from && !exit_node && info->result == IFL_UPDATE_TOPOLOGY) {
        ifl_graph_number(from);
        count_exits(from, &exit_node);
    }
    return exit_node;
}
