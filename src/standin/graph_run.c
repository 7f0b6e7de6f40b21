/* SPDX-License-Identifier: Apache-2.0
 * See graph_run.h. */
#include "standin/graph_run.h"

#include "standin/device_node.h"

#include <string.h>

typedef IFL_VEC(const ifl_graph *) graph_list;

typedef struct run {
    uint64_t number;
    uint64_t parent;       /* the run in whose environment it is; 0: the stream's */
    const ifl_graph *exec; /* which may be gone */
    uint64_t left;         /* nodes, and runs that it is the parent of */
    bool is_begun;
    graph_list tails; /* that its kernels launched */
    graph_list rest;  /* tails of those whose place it has, which come after its own */
} run;

static IFL_VEC(run) runs;
static uint64_t runs_made, entered;

static run *find(uint64_t number)
{
    for (size_t i = 0; number && i < runs.count; i++)
        if (runs.at[i].number == number)
            return &runs.at[i];
    return NULL;
}

static run *add(const ifl_graph *exec, uint64_t parent)
{
    const run one = {.number = ++runs_made, .parent = parent, .exec = exec, .left = 1};
    return ifl_vec_push(&runs, one) ? &runs.at[runs.count - 1] : NULL;
}

uint64_t ifl_graph_run_begin(const ifl_graph *exec)
{
    run *root = add(exec, 0);
    if (root)
        root->is_begun = true;
    return root ? root->number : 0;
}

void ifl_graph_run_more(uint64_t number)
{
    run *r = find(number);
    if (r)
        r->left++;
}

static void drop(run *r)
{
    ifl_vec_free(&r->tails);
    ifl_vec_free(&r->rest);
    *r = runs.at[--runs.count];
}

static const ifl_graph *take_first(graph_list *list)
{
    const ifl_graph *first = list->at[0];
    memmove(list->at, list->at + 1, --list->count * sizeof *list->at);
    return first;
}

/* The next of its tails has its place, and launches tails before the others of them. False: there is
 * none. */
static bool pass_on(run *r)
{
    bool is_whole = true;
    for (size_t i = 0; i < r->rest.count && is_whole; i++)
        is_whole = ifl_vec_push(&r->tails, r->rest.at[i]);
    if (!is_whole || !r->tails.count)
        return false;
    r->exec = take_first(&r->tails);
    ifl_vec_free(&r->rest);
    r->rest = r->tails;
    r->tails = (graph_list){0};
    r->number = ++runs_made;
    r->left = 1;
    r->is_begun = false;
    return true;
}

void ifl_graph_run_less(uint64_t number)
{
    run *r = find(number);
    while (r && !--r->left && !pass_on(r)) {
        const uint64_t parent = r->parent;
        drop(r);
        r = find(parent);
    }
}

uint64_t ifl_graph_run_next(const ifl_graph **exec)
{
    for (size_t i = 0; i < runs.count; i++) {
        run *r = &runs.at[i];
        if (r->is_begun)
            continue;
        r->is_begun = true;
        *exec = ifl_exec_of(r->exec);
        return r->number;
    }
    return 0;
}

void ifl_graph_runs_forget(void)
{
    while (runs.count)
        drop(&runs.at[0]);
    entered = 0;
}

/* ---- what kernels ask for -------------------------------------------------------------------- */

void ifl_graph_run_enter(uint64_t number)
{
    entered = number;
}

/* An H200 (driver 580) tells it in graphs that kernels may launch only. */
uint64_t ifl_graph_run_current(void)
{
    const run *r = find(entered);
    const ifl_graph *exec = r ? ifl_exec_of(r->exec) : NULL;
    return exec && exec->flags & IFL_GRAPH_FROM_DEVICE ? (uintptr_t)exec : 0;
}

static bool is_among(const graph_list *list, const ifl_graph *exec)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i] == exec)
            return true;
    return false;
}

/* One run of a graph at a time: another is an error while it runs, or is to run. A graph may launch
 * itself once, as a tail. */
static bool is_busy(const ifl_graph *exec, const run *by, bool is_tail)
{
    bool found = false;
    for (size_t i = 0; i < runs.count; i++) {
        const run *r = &runs.at[i];
        const bool is_self = is_tail && r == by;
        found |=
            (r->exec == exec && !is_self) || is_among(&r->tails, exec) || is_among(&r->rest, exec);
    }
    return found;
}

typedef enum how { AS_TAIL = 1, AS_CHILD = 2, AS_SIBLING = 3 } how;

/* cudaStreamGraphTailLaunch ...: the highest byte; 0: none of them. */
static how how_of(uint64_t stream)
{
    enum { SHIFT = 56 };
    const uint64_t kind = stream >> SHIFT;
    return stream == kind << SHIFT && kind >= AS_TAIL && kind <= AS_SIBLING ? (how)kind : (how)0;
}

static uint32_t start(const ifl_graph *exec, run *by, how kind)
{
    if (kind == AS_TAIL)
        return ifl_vec_push(&by->tails, exec) ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
    const uint64_t parent = kind == AS_CHILD ? by->number : by->parent;
    if (!add(exec, parent))
        return ifl_cudaErrorMemoryAllocation;
    ifl_graph_run_more(parent);
    return ifl_cudaSuccess;
}

/* The codes are an H200's (driver 580), and so is the fault. */
static bool launch(void *unused, uint64_t graph, uint64_t stream, uint32_t *code)
{
    (void)unused;
    const ifl_graph *exec = ifl_exec_of((const void *)(uintptr_t)graph);
    const how kind = how_of(stream);
    run *by = find(entered);
    if (graph && !(exec && exec->flags & IFL_GRAPH_FROM_DEVICE))
        return false;
    const bool is_right =
        exec && by && kind && exec->is_uploaded && !is_busy(exec, by, kind == AS_TAIL);
    *code = is_right ? start(exec, by, kind) : ifl_cudaErrorInvalidValue;
    return true;
}

static uint32_t change(void *unused, const ifl_graph_change *change)
{
    (void)unused;
    return ifl_device_node_change(change);
}

const ifl_grapher *ifl_graph_run_grapher(void)
{
    static const ifl_grapher grapher = {NULL, launch, change};
    return &grapher;
}

bool ifl_op_launches_graphs(const ifl_op *op)
{
    return op->kind == IFL_DO_KERNEL &&
           op->of.kernel.kernel->image.demands.calls & ifl_provided_bit(IFL_PROVIDED_GRAPH_LAUNCH);
}
