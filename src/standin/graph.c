/* SPDX-License-Identifier: Apache-2.0
 * See graph.h. */
#include "standin/graph.h"

#include "standin/stream.h"
#include "standin/user_object.h"

#include <stdlib.h>
#include <string.h>

ifl_graph *ifl_graph_new(ifl_handle_kind kind)
{
    static unsigned graphs_made;
    ifl_graph *graph = calloc(1, sizeof *graph);
    if (!graph || (kind && !ifl_handle_add(kind, graph))) {
        free(graph);
        return NULL;
    }
    graph->kind = kind;
    graph->number = ++graphs_made;
    return graph;
}

static void free_node(ifl_node *node)
{
    if (!node)
        return;
    ifl_handle_remove(node);
    ifl_op_clear(&node->op);
    ifl_vec_free(&node->waits_for);
    ifl_vec_free(&node->edges);
    ifl_vec_free(&node->attributes);
    free(node);
}

void ifl_graph_free(ifl_graph *graph)
{
    if (!graph)
        return;
    ifl_handle_remove(graph);
    for (size_t i = 0; i < graph->nodes.count; i++)
        free_node(graph->nodes.at[i]);
    ifl_vec_free(&graph->nodes);
    ifl_graph_let_all_go(graph);
    free(graph->recapture);
    free(graph);
}

ifl_graph *ifl_graph_of(const void *handle)
{
    return ifl_handle_find(IFL_HANDLE_GRAPH, handle);
}

ifl_graph *ifl_exec_of(const void *handle)
{
    return ifl_handle_find(IFL_HANDLE_EXEC, handle);
}

ifl_node *ifl_node_of(const void *handle)
{
    return ifl_handle_find(IFL_HANDLE_NODE, handle);
}

ifl_node_type ifl_node_type_of(const ifl_node *node)
{
    static const ifl_node_type types[] = {
        [IFL_DO_KERNEL] = IFL_NODE_KERNEL,
        [IFL_DO_COPY] = IFL_NODE_COPY,
        [IFL_DO_SET] = IFL_NODE_SET,
        [IFL_DO_HOST] = IFL_NODE_HOST,
        [IFL_DO_CHILD_GRAPH] = IFL_NODE_GRAPH,
        [IFL_DO_EMPTY_NODE] = IFL_NODE_EMPTY,
        [IFL_DO_EVENT_WAIT] = IFL_NODE_EVENT_WAIT,
        [IFL_DO_EVENT_RECORD] = IFL_NODE_EVENT_RECORD,
        [IFL_DO_ALLOCATE] = IFL_NODE_ALLOCATE,
        [IFL_DO_RELEASE] = IFL_NODE_RELEASE,
        [IFL_DO_WRITE_VALUE] = IFL_NODE_WORDS,
        [IFL_DO_WAIT_VALUE] = IFL_NODE_WORDS,
        [IFL_DO_WORDS] = IFL_NODE_WORDS,
        [IFL_DO_CONDITION] = IFL_NODE_CONDITION,
    };
    return types[node->op.kind];
}

ifl_node *ifl_graph_add(ifl_graph *graph, const ifl_op *op)
{
    ifl_node *node = calloc(1, sizeof *node);
    if (!node || !ifl_op_copy_of(op, &node->op, graph->kind)) {
        free(node);
        return NULL;
    }
    node->graph = graph;
    const bool is_handle = graph->kind != IFL_HANDLE_GRAPH || ifl_handle_add(IFL_HANDLE_NODE, node);
    if (!is_handle || !ifl_vec_push(&graph->nodes, node)) {
        free_node(node);
        return NULL;
    }
    node->number = graph->numbers++;
    return node;
}

static bool clone_node(ifl_graph *copy, const ifl_node *node)
{
    ifl_node *twin = ifl_graph_add(copy, &node->op);
    if (!twin)
        return false;
    twin->is_disabled = node->is_disabled;
    twin->device_number = node->device_number;
    twin->made_from = node;
    bool is_whole = true;
    for (size_t i = 0; is_whole && i < node->attributes.count; i++)
        is_whole = ifl_vec_push(&twin->attributes, node->attributes.at[i]);
    return is_whole;
}

static bool clone_edges(ifl_graph *copy, const ifl_node *node)
{
    ifl_node *twin = ifl_graph_twin(copy, node);
    for (size_t i = 0; i < node->waits_for.count; i++)
        if (!ifl_node_wait(twin, ifl_graph_twin(copy, node->waits_for.at[i]), node->edges.at[i]))
            return false;
    return true;
}

ifl_graph *ifl_graph_clone(const ifl_graph *graph, ifl_handle_kind kind)
{
    ifl_graph *copy = ifl_graph_new(kind);
    bool is_whole = copy != NULL;
    for (size_t i = 0; is_whole && i < graph->nodes.count; i++)
        is_whole = clone_node(copy, graph->nodes.at[i]);
    for (size_t i = 0; is_whole && i < graph->nodes.count; i++)
        is_whole = clone_edges(copy, graph->nodes.at[i]);
    for (size_t i = 0; is_whole && i < graph->holds.count; i++)
        is_whole = ifl_graph_hold(copy, graph->holds.at[i].object, graph->holds.at[i].count);
    if (is_whole)
        return copy;
    ifl_graph_free(copy);
    return NULL;
}

ifl_node *ifl_graph_twin(ifl_graph *graph, const ifl_node *node)
{
    for (size_t i = 0; graph && i < graph->nodes.count; i++)
        if (graph->nodes.at[i] == node || graph->nodes.at[i]->made_from == node)
            return graph->nodes.at[i];
    return NULL;
}

void ifl_graph_number(const ifl_graph *graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        graph->nodes.at[i]->place = i;
        graph->nodes.at[i]->is_waited_for = false;
    }
    for (size_t i = 0; i < graph->nodes.count; i++)
        for (size_t w = 0; w < graph->nodes.at[i]->waits_for.count; w++)
            graph->nodes.at[i]->waits_for.at[w]->is_waited_for = true;
}

ifl_graph *ifl_node_inner(const ifl_node *node, unsigned number)
{
    const ifl_op *op = &node->op;
    if (op->kind == IFL_DO_CHILD_GRAPH)
        return number || op->of.child->is_ring ? NULL : op->of.child;
    const bool is_body =
        op->kind == IFL_DO_CONDITION && op->of.condition.bodies && number < op->of.condition.count;
    return is_body ? op->of.condition.bodies[number] : NULL;
}

static ifl_node *twin_within(ifl_graph *graph, const void *node)
{
    ifl_node *twin = ifl_graph_twin(graph, node);
    for (size_t i = 0; graph && !twin && i < graph->nodes.count; i++) {
        ifl_graph *inner;
        for (unsigned n = 0; !twin && (inner = ifl_node_inner(graph->nodes.at[i], n)); n++)
            twin = twin_within(inner, node);
    }
    return twin;
}

ifl_node *ifl_exec_twin(const void *exec, const void *node)
{
    return node ? twin_within(ifl_exec_of(exec), node) : NULL;
}

/* ---- running them ---------------------------------------------------------------------------- */

static bool may_run(const ifl_node *node)
{
    for (size_t i = 0; i < node->waits_for.count; i++)
        if (!node->waits_for.at[i]->is_done)
            return false;
    return !node->is_done;
}

bool ifl_graph_walk(const ifl_graph *graph, bool (*visit)(void *user, ifl_node *node), void *user)
{
    bool goes_on = true, finds = true;
    for (size_t i = 0; i < graph->nodes.count; i++)
        graph->nodes.at[i]->is_done = false;
    while (goes_on && finds) {
        finds = false;
        for (size_t i = 0; i < graph->nodes.count && goes_on; i++) {
            ifl_node *node = graph->nodes.at[i];
            if (!may_run(node))
                continue;
            finds = node->is_done = true;
            goes_on = visit(user, node);
        }
    }
    return goes_on;
}

typedef struct run {
    ifl_session *session;
    ifl_cuda_error code;
} run;

static bool run_node(void *user, ifl_node *node)
{
    run *r = user;
    if (!node->is_disabled)
        r->code = ifl_op_run(r->session, &node->op);
    return r->code == ifl_cudaSuccess && ifl_state_broken() == ifl_cudaSuccess;
}

ifl_cuda_error ifl_graph_run(ifl_session *session, const ifl_graph *graph)
{
    run r = {session, ifl_cudaSuccess};
    ifl_graph_walk(graph, run_node, &r);
    return r.code;
}

static bool pass(void *unused, ifl_node *node)
{
    (void)unused, (void)node;
    return true;
}

ifl_node *ifl_graph_cycle(const ifl_graph *graph)
{
    const ifl_graph *inner;
    ifl_node *found = NULL;
    ifl_graph_walk(graph, pass, NULL);
    for (size_t i = 0; i < graph->nodes.count && !found; i++) {
        found = graph->nodes.at[i]->is_done ? NULL : graph->nodes.at[i];
        for (unsigned n = 0; !found && (inner = ifl_node_inner(graph->nodes.at[i], n)); n++)
            found = ifl_graph_cycle(inner);
    }
    return found;
}

bool ifl_graph_has_conditions(const ifl_graph *graph)
{
    for (size_t i = 0; graph && i < graph->nodes.count; i++)
        if (graph->nodes.at[i]->op.kind == IFL_DO_CONDITION)
            return true;
    return false;
}

/* ---- nodes that wait ------------------------------------------------------------------------- */

static bool are_nodes(const ifl_graph *graph, ifl_node *const *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const ifl_node *node = nodes ? ifl_node_of(nodes[i]) : NULL;
        if (!node || node->graph != graph)
            return false;
    }
    return true;
}

static bool is_any_twice(ifl_node *const *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t other = 0; other < i; other++)
            if (nodes[i] == nodes[other])
                return true;
    return false;
}

bool ifl_node_wait(ifl_node *node, ifl_node *before, ifl_edge_data data)
{
    return ifl_vec_reserve(&node->edges, 1) && ifl_vec_push(&node->waits_for, before) &&
           ifl_vec_push(&node->edges, data);
}

static bool depend(ifl_node *node, ifl_node *const *after, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!ifl_node_wait(node, after[i], (ifl_edge_data){0}))
            return false;
    return true;
}

/* CUDA Runtime API, cudaGraphDependencyType and the ports of kernels' nodes: only kernels have other
 * ports, and let others begin before they have ended. */
static bool is_edge(const ifl_node *from, const ifl_node *to, const ifl_edge_data *data)
{
    enum { PROGRAMMATIC = 1, LAUNCHED = 2 };
    static const uint8_t zeros[sizeof data->reserved];
    const bool is_early = data->from_port || data->type;
    const bool are_kernels = from->op.kind == IFL_DO_KERNEL && to->op.kind == IFL_DO_KERNEL;
    return !data->to_port && data->from_port <= LAUNCHED && data->type <= PROGRAMMATIC &&
           !data->from_port == !data->type && (!is_early || are_kernels) &&
           !memcmp(data->reserved, zeros, sizeof zeros);
}

ifl_cuda_error ifl_node_set_edges(ifl_node *node, const ifl_edge_data *data)
{
    for (size_t i = 0; data && i < node->waits_for.count; i++) {
        if (!is_edge(node->waits_for.at[i], node, &data[i]))
            return ifl_cudaErrorInvalidValue;
        node->edges.at[i] = data[i];
    }
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_graph_add_after(ifl_node **out, const void *handle, ifl_node *const *after,
                                   size_t count, const ifl_op *op)
{
    ifl_graph *graph = ifl_graph_of(handle);
    if (!graph || !out || !are_nodes(graph, after, count) || is_any_twice(after, count))
        return ifl_cudaErrorInvalidValue;
    ifl_node *node = ifl_graph_add(graph, op);
    if (!node || !depend(node, after, count))
        return ifl_cudaErrorMemoryAllocation;
    *out = node;
    return ifl_cudaSuccess;
}

/* Where the other is in the list; the count: nowhere. */
static size_t place_of(const ifl_node *node, const ifl_node *before)
{
    size_t at = 0;
    while (at < node->waits_for.count && node->waits_for.at[at] != before)
        at++;
    return at;
}

ifl_cuda_error ifl_graph_depend(const void *handle, ifl_node *const *from, ifl_node *const *to,
                                const ifl_edge_data *data, size_t count)
{
    const ifl_graph *graph = ifl_graph_of(handle);
    if (!graph || !are_nodes(graph, from, count) || !are_nodes(graph, to, count))
        return ifl_cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (from[i] == to[i] || place_of(to[i], from[i]) < to[i]->waits_for.count ||
            (data && !is_edge(from[i], to[i], &data[i])))
            return ifl_cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (!ifl_node_wait(to[i], from[i], data ? data[i] : (ifl_edge_data){0}))
            return ifl_cudaErrorMemoryAllocation;
    return ifl_cudaSuccess;
}

static void forget(ifl_node *node, const ifl_node *before)
{
    const size_t at = place_of(node, before);
    if (at == node->waits_for.count)
        return;
    node->waits_for.count--;
    node->edges.count--;
    memmove(&node->edges.at[at], &node->edges.at[at + 1],
            (node->edges.count - at) * sizeof *node->edges.at);
    memmove(&node->waits_for.at[at], &node->waits_for.at[at + 1],
            (node->waits_for.count - at) * sizeof(ifl_node *));
}

/* CUDA Runtime API, cudaGraphDestroyNode: nothing is removed from a graph with these. */
static bool has_memory(const ifl_graph *graph)
{
    bool found = false;
    for (size_t i = 0; i < graph->nodes.count; i++)
        found |= graph->nodes.at[i]->op.kind == IFL_DO_ALLOCATE ||
                 graph->nodes.at[i]->op.kind == IFL_DO_RELEASE;
    return found;
}

bool ifl_graph_has_memory(const ifl_graph *graph)
{
    const ifl_graph *inner;
    bool found = has_memory(graph);
    for (size_t i = 0; i < graph->nodes.count && !found; i++)
        for (unsigned n = 0; !found && (inner = ifl_node_inner(graph->nodes.at[i], n)); n++)
            found = ifl_graph_has_memory(inner);
    return found;
}

/* `data` NULL: an H200 (driver 580) removes an edge with any. */
static bool has_edge(const ifl_node *node, const ifl_node *before, const ifl_edge_data *data)
{
    const size_t at = place_of(node, before);
    return at < node->waits_for.count &&
           (!data || !memcmp(&node->edges.at[at], data, sizeof *data));
}

ifl_cuda_error ifl_graph_undepend(const void *handle, ifl_node *const *from, ifl_node *const *to,
                                  const ifl_edge_data *data, size_t count)
{
    const ifl_graph *graph = ifl_graph_of(handle);
    if (!graph || !are_nodes(graph, from, count) || !are_nodes(graph, to, count) ||
        (count && has_memory(graph)))
        return ifl_cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (!has_edge(to[i], from[i], data ? &data[i] : NULL))
            return ifl_cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        forget(to[i], from[i]);
    return ifl_cudaSuccess;
}

/* ---- changing nodes -------------------------------------------------------------------------- */

ifl_cuda_error ifl_node_replace(ifl_node *node, const ifl_op *op)
{
    ifl_op copied;
    if (!node || node->op.kind != op->kind)
        return ifl_cudaErrorInvalidValue;
    if (!ifl_op_copy_of(op, &copied, node->graph->kind))
        return ifl_cudaErrorMemoryAllocation;
    ifl_op_clear(&node->op);
    node->op = copied;
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_node_destroy(ifl_node *node)
{
    ifl_graph *graph = node ? node->graph : NULL;
    if (!graph || has_memory(graph))
        return ifl_cudaErrorInvalidValue;
    if (node->device_number)
        return ifl_cudaErrorNotSupported;
    size_t kept = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        forget(graph->nodes.at[i], node);
        if (graph->nodes.at[i] != node)
            graph->nodes.at[kept++] = graph->nodes.at[i];
    }
    graph->nodes.count = kept;
    ifl_streams_forget(node);
    free_node(node);
    return ifl_cudaSuccess;
}

/* ---- memory of graphs ------------------------------------------------------------------------ */

typedef struct kept_memory {
    uint64_t address, bytes;
    bool is_live; /* a launch allocated it, and nothing has freed it since */
} kept_memory;

static IFL_VEC(kept_memory) kept;

bool ifl_graph_memory_keep(uint64_t address, uint64_t bytes)
{
    return ifl_vec_push(&kept, ((kept_memory){address, bytes, false}));
}

static kept_memory *find_kept(uint64_t address)
{
    for (size_t i = 0; i < kept.count; i++)
        if (kept.at[i].address == address)
            return &kept.at[i];
    return NULL;
}

bool ifl_graph_memory_holds(uint64_t address)
{
    return find_kept(address) != NULL;
}

void ifl_graph_memory_freed(uint64_t address)
{
    kept_memory *memory = find_kept(address);
    if (memory)
        memory->is_live = false;
}

static bool is_any_live(const ifl_graph *graph)
{
    bool found = false;
    for (size_t i = 0; i < graph->nodes.count && !found; i++) {
        const ifl_op *op = &graph->nodes.at[i]->op;
        const kept_memory *memory =
            op->kind == IFL_DO_ALLOCATE ? find_kept((uintptr_t)op->of.memory.address) : NULL;
        found = (memory && memory->is_live) ||
                (op->kind == IFL_DO_CHILD_GRAPH && is_any_live(op->of.child));
    }
    return found;
}

static void note_live(const ifl_graph *graph, ifl_op_kind kind)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const ifl_op *op = &graph->nodes.at[i]->op;
        kept_memory *memory = op->kind == kind ? find_kept((uintptr_t)op->of.memory.address) : NULL;
        if (memory)
            memory->is_live = kind == IFL_DO_ALLOCATE;
        if (op->kind == IFL_DO_CHILD_GRAPH)
            note_live(op->of.child, kind);
    }
}

bool ifl_graph_memory_launch(const ifl_graph *exec)
{
    enum { FREES_ON_LAUNCH = 1 }; /* cudaGraphInstantiateFlagAutoFreeOnLaunch */
    if (!(exec->flags & FREES_ON_LAUNCH) && is_any_live(exec))
        return false;
    note_live(exec, IFL_DO_ALLOCATE);
    note_live(exec, IFL_DO_RELEASE);
    return true;
}

uint64_t ifl_graph_memory_bytes(void)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < kept.count; i++)
        bytes += kept.at[i].bytes;
    return bytes;
}
