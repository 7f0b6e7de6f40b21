/* SPDX-License-Identifier: Apache-2.0
 * See later.h. One list, in the order of the calls: an operation may begin when none is left before
 * it that it follows. Kernels that wait take turns in that order. */
#include "standin/later.h"

#include "base/vec.h"
#include "standin/condition.h"
#include "standin/device_node.h"
#include "standin/graph_run.h"
#include "standin/kernel_run.h"
#include "standin/signals.h"
#include "standin/stream.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { NON_BLOCKING = 1 }; /* of cudaStreamCreateWithFlags */

/* Of the stream, which may be gone when the operation runs. */
typedef struct place {
    uint64_t stream;
    int gpu;
    bool is_legacy, is_blocking;
} place;

typedef IFL_VEC(size_t) number_list;

typedef struct later {
    place at;
    ifl_op op;
    ifl_kept *runs; /* a kernel that has begun, and waits; NULL: it has not begun */
    uint64_t graph; /* the launch of a graph that it is a node of; 0: none */
    uint64_t run;   /* the same of the graph itself, which a kernel of that one may have
                          launched (graph_run.h) */
    uint64_t device_number;
    bool is_off;       /* a disabled node, which a kernel may enable */
    size_t number;     /* of the node, in the list */
    number_list after; /* the numbers of those that it waits for there */
    bool has_chosen;   /* a conditional node, whose condition was asked */
    void *staged;      /* what a copy reads; NULL: its source */
} later;

static struct {
    IFL_VEC(later *) list;
    bool has_thread;
    uint64_t graphs; /* that were launched */
    size_t nodes;    /* of graphs, that were put into the list */
    bool is_moving;  /* a thread gives each its turn: it has let the lock go where that is a host
                        function's */
} all;

/* The host function that this thread is in, if any: it makes no calls that wait, and what it gives
 * does not follow it. */
static _Thread_local const later *inside;

static place place_of(const ifl_stream *stream)
{
    const bool is_legacy = ifl_stream_is_legacy(stream);
    return (place){stream->id, stream->gpu, is_legacy,
                   !is_legacy && !(stream->flags & NON_BLOCKING)};
}

/* CUDA C++ Programming Guide, "Default Stream": the legacy default stream waits for all blocking
 * streams of its GPU, and they for it. */
static bool is_before(const place *a, const place *b)
{
    if (a->gpu != b->gpu)
        return false;
    return a->stream == b->stream || (a->is_legacy && b->is_blocking) ||
           (a->is_blocking && b->is_legacy);
}

static bool records(const ifl_op *op, const void *event)
{
    return op->kind == IFL_DO_EVENT_RECORD && op->of.event == event;
}

/* The event is recorded anew. What waits for it already waits for its record before, which is nobody
 * else's any more: of no event, the entry in place of its handle (CUDA Runtime API,
 * cudaEventRecord). */
static void retire(const ifl_op *op)
{
    size_t at = 0;
    if (op->kind != IFL_DO_EVENT_RECORD)
        return;
    while (at < all.list.count && !records(&all.list.at[at]->op, op->of.event))
        at++;
    if (at == all.list.count)
        return;
    later *before = all.list.at[at];
    before->op.of.event = before;
    for (size_t i = at + 1; i < all.list.count; i++) {
        ifl_op *other = &all.list.at[i]->op;
        if (other->kind == IFL_DO_EVENT_WAIT && other->of.event == op->of.event)
            other->of.event = before;
    }
}

static bool waits_for(const later *one, const later *other)
{
    for (size_t i = 0; i < one->after.count; i++)
        if (one->after.at[i] == other->number)
            return true;
    return false;
}

/* Whether one of the first `count` is to be done before the operation. */
static bool follows(size_t count, const place *at, const ifl_op *op)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        const later *other = all.list.at[i];
        found = other != inside &&
                (is_before(&other->at, at) ||
                 (op && op->kind == IFL_DO_EVENT_WAIT && records(&other->op, op->of.event)));
    }
    return found;
}

/* The same for one of the list. Nodes of a graph, of which there are none before others that they
 * wait for, have their edges; the launch as a whole follows as its stream does. */
static bool is_to_follow(size_t index)
{
    const later *one = all.list.at[index];
    size_t begin = index;
    while (one->graph && begin && all.list.at[begin - 1]->graph == one->graph)
        if (waits_for(one, all.list.at[--begin]))
            return true;
    return follows(begin, &one->at, &one->op);
}

bool ifl_later_holds(const ifl_stream *stream)
{
    const place at = place_of(stream);
    return follows(all.list.count, &at, NULL);
}

bool ifl_later_records(const void *event)
{
    bool found = false;
    for (size_t i = 0; i < all.list.count; i++)
        found |= records(&all.list.at[i]->op, event);
    return found;
}

bool ifl_later_is_any(void)
{
    return all.list.count != 0;
}

/* What fails here fails after its call, as a kernel's fault does. */
static void note_failure(ifl_cuda_error code)
{
    if (code != ifl_cudaSuccess && ifl_state_broken() == ifl_cudaSuccess)
        ifl_state_break(code);
}

/* ---- nodes of graphs ------------------------------------------------------------------------- */

/* What is put into the list for a graph. */
typedef struct putting {
    place at;
    size_t where;   /* in the list, of the next one */
    uint64_t graph; /* the launch */
    uint64_t run;
    const number_list *after; /* those that a root waits for; NULL: for none */
    number_list made;         /* in this graph */
} putting;

static bool add_all(number_list *to, const number_list *from)
{
    bool is_whole = true;
    for (size_t i = 0; from && i < from->count && is_whole; i++)
        is_whole = ifl_vec_push(to, from->at[i]);
    return is_whole;
}

static bool insert(size_t where, later *one)
{
    if (!ifl_vec_push(&all.list, one))
        return false;
    memmove(&all.list.at[where + 1], &all.list.at[where],
            (all.list.count - 1 - where) * sizeof(later *));
    all.list.at[where] = one;
    return true;
}

/* It has a number of its own then, the newest. `node` may be NULL. */
static bool put_as(putting *p, const ifl_node *node, const ifl_op *op, const number_list *after)
{
    later *one = calloc(1, sizeof *one);
    if (!one || !ifl_op_copy_of(op, &one->op, IFL_HANDLE_NONE)) {
        free(one);
        return false;
    }
    one->at = p->at;
    one->graph = p->graph;
    one->run = p->run;
    one->device_number = node ? node->device_number : 0;
    one->is_off = node && node->is_disabled;
    one->number = ++all.nodes;
    retire(&one->op);
    if (add_all(&one->after, after) && insert(p->where, one)) {
        p->where++;
        ifl_graph_run_more(p->run);
        return true;
    }
    ifl_op_clear(&one->op);
    ifl_vec_free(&one->after);
    free(one);
    return false;
}

static bool put(putting *p, const ifl_op *op, const number_list *after)
{
    return put_as(p, NULL, op, after);
}

static bool put_node(void *user, ifl_node *node);

/* Each step waits for the one before it. */
static bool put_words(putting *p, const ifl_op_words *words, const number_list *after)
{
    size_t before;
    ifl_op step;
    bool is_whole = put(p, &(ifl_op){.kind = IFL_DO_EMPTY_NODE}, after);
    for (unsigned i = 0; i < words->count && is_whole; i++) {
        before = all.nodes;
        is_whole = ifl_word_step_op(&words->steps[i], &step) &&
                   put(p, &step, &(number_list){.at = &before, .count = 1});
    }
    return is_whole;
}

static bool put_one(putting *p, ifl_node *node, const number_list *after)
{
    if (node->op.kind == IFL_DO_CHILD_GRAPH) {
        /* The nodes of the graph in it come before a node that does nothing but wait for all of
         * them. */
        putting inner = {
            .at = p->at, .where = p->where, .graph = p->graph, .run = p->run, .after = after};
        const bool is_whole = ifl_graph_walk(node->op.of.child, put_node, &inner) &&
                              put(&inner, &(ifl_op){.kind = IFL_DO_EMPTY_NODE},
                                  inner.made.count ? &inner.made : after);
        p->where = inner.where;
        ifl_vec_free(&inner.made);
        return is_whole;
    }
    if (node->op.kind == IFL_DO_WORDS)
        return put_words(p, &node->op.of.words, after);
    return put_as(p, node, &node->op, after);
}

static bool put_node(void *user, ifl_node *node)
{
    putting *p = user;
    number_list after = {0};
    bool is_whole = node->waits_for.count || add_all(&after, p->after);
    for (size_t i = 0; i < node->waits_for.count && is_whole; i++)
        is_whole = ifl_vec_push(&after, node->waits_for.at[i]->place);
    is_whole = is_whole && put_one(p, node, &after);
    node->place = all.nodes;
    ifl_vec_free(&after);
    return is_whole && ifl_vec_push(&p->made, node->place);
}

/* CUDA Runtime API, cudaGraphConditionalHandleCreate: defaults apply at the beginning of each
 * execution of the graph, and not again where a loop in it goes round. */
static bool put_defaults(putting *p, const ifl_graph *graph)
{
    const ifl_graph *inner;
    bool is_whole = true;
    for (size_t i = 0; i < graph->nodes.count && is_whole; i++) {
        const ifl_op *op = &graph->nodes.at[i]->op;
        if (op->kind == IFL_DO_CONDITION && op->of.condition.resets) {
            const ifl_op set = ifl_condition_default(&op->of.condition);
            is_whole = put(p, &set, NULL) && ifl_vec_push(&p->made, all.nodes);
        }
        for (unsigned n = 0; is_whole && (inner = ifl_node_inner(graph->nodes.at[i], n)); n++)
            is_whole = put_defaults(p, inner);
    }
    return is_whole;
}

/* A conditional node whose turn it is: the nodes of the body that it chooses come before itself,
 * and it waits for them. A loop is asked again behind them. False: it is done. */
static bool put_chosen(ifl_session *session, size_t *index)
{
    later *one = all.list.at[*index];
    const ifl_op_condition *of = &one->op.of.condition;
    const bool is_over = one->has_chosen && of->type != IFL_CONDITION_WHILE;
    const ifl_graph *body = is_over ? NULL : ifl_condition_body(session, of);
    if (*ifl_signals_stop())
        exit(ifl_signals_exit_status());
    if (!body)
        return false;
    putting p = {.at = one->at, .where = *index, .graph = one->graph, .run = one->run};
    if (!ifl_graph_walk(body, put_node, &p))
        note_failure(ifl_cudaErrorMemoryAllocation);
    ifl_vec_free(&one->after);
    one->after = p.made;
    one->has_chosen = true;
    *index = p.where;
    return true;
}

/* ---- going on -------------------------------------------------------------------------------- */

static void drop(ifl_session *session, later *one)
{
    if (one->runs)
        ifl_session_drop(session, one->runs);
    ifl_op_clear(&one->op);
    ifl_vec_free(&one->after);
    free(one->staged);
    free(one);
}

static void drop_all(ifl_session *session)
{
    for (size_t i = 0; i < all.list.count; i++)
        drop(session, all.list.at[i]);
    ifl_vec_free(&all.list);
    ifl_graph_runs_forget();
}

/* A word that a stream waits for and that is not there yet. */
static bool is_unmet(ifl_session *session, const ifl_op *op)
{
    return op->kind == IFL_DO_WAIT_VALUE && !ifl_op_is_met(session, &op->of.value);
}

static ifl_cuda_error run_other(ifl_session *session, const later *one)
{
    inside = one->op.kind == IFL_DO_HOST ? one : NULL;
    const ifl_cuda_error code = ifl_op_run(session, &one->op);
    inside = NULL;
    return code;
}

/* Begins, or goes on. False: it waits, and nothing has changed for it. */
static bool advance_one(ifl_session *session, later *one)
{
    bool is_idle = false;
    ifl_cuda_error code;
    const bool is_kernel = one->op.kind == IFL_DO_KERNEL;
    const int gpu = is_kernel ? one->op.of.kernel.gpu : one->at.gpu;
    ifl_session_choose_gpu(session, (uint32_t)gpu);
    ifl_graph_run_enter(one->run);
    if (one->is_off)
        code = ifl_cudaSuccess;
    else if (one->runs)
        code = ifl_kernel_go_on(session, gpu, &one->runs, &is_idle);
    else if (is_kernel)
        code = ifl_kernel_run(session, &one->op.of.kernel, &one->runs);
    else
        code = run_other(session, one);
    ifl_graph_run_enter(0);
    note_failure(code);
    return !is_idle;
}

static void take_out(ifl_session *session, size_t index)
{
    later *one = all.list.at[index];
    const uint64_t run = one->run;
    memmove(&all.list.at[index], &all.list.at[index + 1],
            (--all.list.count - index) * sizeof(later *));
    drop(session, one);
    ifl_graph_run_less(run);
}

/* The graphs that kernels of the launch have launched, or that are next of those: their nodes stand
 * with its own, so that what the stream was given later follows them too. */
static void put_runs(size_t *index, const place *at, uint64_t graph)
{
    const ifl_graph *exec;
    putting p = {.at = *at, .where = *index, .graph = graph};
    while ((p.run = ifl_graph_run_next(&exec))) {
        if (exec && !ifl_graph_walk(exec, put_node, &p))
            note_failure(ifl_cudaErrorMemoryAllocation);
        ifl_vec_free(&p.made);
        p.made = (number_list){0};
        ifl_graph_run_less(p.run);
    }
    *index = p.where;
}

/* Every one that may has its turn, the nodes of a body from the next time on: a loop is asked once.
 * False: nothing has changed. */
static bool advance(ifl_session *session)
{
    bool has_changed = false;
    if (all.is_moving)
        return false;
    all.is_moving = true;
    for (size_t i = 0; i < all.list.count && ifl_state_broken() == ifl_cudaSuccess;) {
        later *one = all.list.at[i];
        if (!one->runs && (is_to_follow(i) || is_unmet(session, &one->op))) {
            i++;
            continue;
        }
        if (one->op.kind == IFL_DO_CONDITION && put_chosen(session, &i)) {
            has_changed = true;
            i++;
            continue;
        }
        const place at = one->at;
        const uint64_t graph = one->graph;
        has_changed |= advance_one(session, one);
        if (one->runs)
            i++;
        else
            take_out(session, i);
        put_runs(&i, &at, graph);
    }
    all.is_moving = false;
    if (ifl_state_broken() != ifl_cudaSuccess)
        drop_all(session);
    return has_changed;
}

/* ---- while the host does other things -------------------------------------------------------- */

enum { REST_US = 200 };

static void *go_on_alone(void *unused)
{
    ifl_session *session;
    while ((session = ifl_state_enter_if_any())) {
        if (!all.list.count)
            all.has_thread = false;
        const bool ends = !all.list.count, has_changed = !ends && advance(session);
        ifl_state_leave();
        if (ends)
            break;
        if (!has_changed)
            ifl_state_rest(REST_US);
    }
    return unused;
}

/* Without one, what waits goes on in the program's own calls. */
static void start_thread(void)
{
    pthread_t thread;
    sigset_t signals, before;
    if (all.has_thread)
        return;
    sigfillset(&signals);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    all.has_thread = pthread_create(&thread, NULL, go_on_alone, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (all.has_thread)
        pthread_detach(thread);
}

/* ---- giving ---------------------------------------------------------------------------------- */

static ifl_cuda_error keep(later *one)
{
    if (!ifl_vec_push(&all.list, one))
        return ifl_cudaErrorMemoryAllocation;
    start_thread();
    return ifl_cudaSuccess;
}

/* A host function is in the list while it runs: what other threads give its stream follows it. */
static ifl_cuda_error run_listed(ifl_session *session, later *one)
{
    if (!ifl_vec_push(&all.list, one)) {
        drop(session, one);
        return ifl_cudaErrorMemoryAllocation;
    }
    advance(session);
    if (all.list.count)
        start_thread();
    return ifl_cudaSuccess;
}

/* A kernel whose blocks run in order may wait: for that it has a copy of its operation. */
static ifl_cuda_error run_kernel(ifl_session *session, later *one)
{
    const ifl_cuda_error code = ifl_kernel_run(session, &one->op.of.kernel, &one->runs);
    if (code != ifl_cudaSuccess || !one->runs) {
        drop(session, one);
        return code;
    }
    const ifl_cuda_error kept = keep(one);
    if (kept != ifl_cudaSuccess)
        drop(session, one);
    return kept;
}

static bool is_on_gpu(const ifl_memory *memory, const void *address)
{
    return ifl_memory_find(memory, (uintptr_t)address) != NULL;
}

/* CUDA C++ Programming Guide, "Asynchronous Concurrent Execution": a copy of 64 KiB or less from the
 * host has read its source when the call returns, whether or not it is done. */
static bool is_to_stage(ifl_session *session, const place *at, const ifl_op *op)
{
    enum { MOST = 65536, LOWEST = 65536 }; /* the latter as in op.c */
    const ifl_memory *memory = ifl_session_memory(session);
    const ifl_op_copy *c = &op->of.copy;
    return op->kind == IFL_DO_COPY && !at->is_legacy && c->height == 1 && c->depth == 1 &&
           c->width <= MOST && is_on_gpu(memory, c->to) && !is_on_gpu(memory, c->from) &&
           (uintptr_t)c->from >= LOWEST && !ifl_memory_spans(memory, (uintptr_t)c->from);
}

static bool stage(later *one)
{
    ifl_op_copy *c = &one->op.of.copy;
    one->staged = malloc(c->width + 1);
    if (!one->staged)
        return false;
    memcpy(one->staged, (const uint8_t *)c->from + c->from_offset, c->width);
    c->from = one->staged;
    c->from_offset = 0;
    return true;
}

/* CUDA Runtime API, "API synchronization behavior": the call returns when the copy is done, or has
 * read its source, where one side is memory that CUDA does not know. Whether a copy of the legacy
 * stream was asked to be asynchronous is not known here. */
static bool must_wait(ifl_session *session, const place *at, const ifl_op *op)
{
    const ifl_memory *memory = ifl_session_memory(session);
    return op->kind == IFL_DO_COPY && (at->is_legacy || !is_on_gpu(memory, op->of.copy.to) ||
                                       !is_on_gpu(memory, op->of.copy.from));
}

static bool may_wait(const ifl_op *op)
{
    return op->kind == IFL_DO_KERNEL && op->of.kernel.kernel->image.demands.ordered;
}

ifl_cuda_error ifl_later_give(ifl_session *session, const ifl_stream *stream, const ifl_op *op)
{
    const place at = place_of(stream);
    const bool is_staged = is_to_stage(session, &at, op);
    if (ifl_op_launches_graphs(op))
        return ifl_cudaErrorNotSupported;
    retire(op);
    if (!is_staged && must_wait(session, &at, op))
        ifl_later_finish(session, stream);
    const bool is_later = follows(all.list.count, &at, op) || is_unmet(session, op);
    const bool is_host = op->kind == IFL_DO_HOST;
    if (!is_later && !is_host && !may_wait(op))
        return ifl_op_run(session, op);
    later *one = calloc(1, sizeof *one);
    if (!one || !ifl_op_copy_of(op, &one->op, IFL_HANDLE_NONE)) {
        free(one);
        return ifl_cudaErrorMemoryAllocation;
    }
    one->at = at;
    if (is_staged && !stage(one)) {
        drop(session, one);
        return ifl_cudaErrorMemoryAllocation;
    }
    return is_later ? keep(one) : is_host ? run_listed(session, one) : run_kernel(session, one);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* What is not all done at once, for other threads and streams: a loop may go round until the host does
 * something. */
static bool goes_by_nodes(const ifl_graph *graph)
{
    static const bool does[] = {
        [IFL_DO_HOST] = true,      [IFL_DO_EVENT_RECORD] = true, [IFL_DO_EVENT_WAIT] = true,
        [IFL_DO_CONDITION] = true, [IFL_DO_WAIT_VALUE] = true,   [IFL_DO_WORDS] = true};
    bool found = graph->flags & IFL_GRAPH_FROM_DEVICE;
    for (size_t i = 0; i < graph->nodes.count && !found; i++) {
        const ifl_op *op = &graph->nodes.at[i]->op;
        found = does[op->kind] || graph->nodes.at[i]->device_number || may_wait(op) ||
                (op->kind == IFL_DO_CHILD_GRAPH && goes_by_nodes(op->of.child));
    }
    return found;
}

static bool put_all(const ifl_stream *stream, const ifl_graph *graph)
{
    putting defaults = {.at = place_of(stream),
                        .where = all.list.count,
                        .graph = ++all.graphs,
                        .run = ifl_graph_run_begin(graph)};
    bool is_whole = defaults.run && put_defaults(&defaults, graph);
    putting p = {.at = defaults.at,
                 .where = defaults.where,
                 .graph = all.graphs,
                 .run = defaults.run,
                 .after = &defaults.made};
    is_whole = is_whole && ifl_graph_walk(graph, put_node, &p);
    ifl_graph_run_less(p.run);
    ifl_vec_free(&p.made);
    ifl_vec_free(&defaults.made);
    return is_whole;
}

/* A loop that ends by itself soon has then done so. */
static void begin(ifl_session *session)
{
    enum { ROUNDS = 256 };
    for (int i = 0; i < ROUNDS && advance(session); i++)
        ;
    if (all.list.count)
        start_thread();
}

ifl_cuda_error ifl_later_give_graph(ifl_session *session, const ifl_stream *stream,
                                    ifl_graph *graph)
{
    const ifl_op whole = {.kind = IFL_DO_CHILD_GRAPH, .of.child = graph};
    if (inside)
        return ifl_cudaErrorNotPermitted;
    if (!goes_by_nodes(graph))
        return ifl_later_give(session, stream, &whole);
    if (!put_all(stream, graph)) {
        /* Takes all back that was put for the last graph. */
        while (all.list.count && all.list.at[all.list.count - 1]->graph == all.graphs)
            take_out(session, all.list.count - 1);
        return ifl_cudaErrorMemoryAllocation;
    }
    begin(session);
    return ifl_cudaSuccess;
}

/* ---- waiting --------------------------------------------------------------------------------- */

typedef struct awaited {
    const ifl_stream *stream;
    const void *event; /* both NULL: everything */
} awaited;

static void finish(ifl_session *session, awaited what)
{
    while (!inside && (what.stream  ? ifl_later_holds(what.stream)
                       : what.event ? ifl_later_records(what.event)
                                    : ifl_later_is_any()))
        if (!advance(session))
            ifl_state_rest(REST_US);
}

void ifl_later_finish(ifl_session *session, const ifl_stream *stream)
{
    finish(session, (awaited){.stream = stream});
}

void ifl_later_finish_event(ifl_session *session, const void *event)
{
    finish(session, (awaited){.event = event});
}

void ifl_later_finish_all(ifl_session *session)
{
    finish(session, (awaited){NULL, NULL});
}

void ifl_later_change_node(const ifl_graph_change *change)
{
    for (size_t i = 0; i < all.list.count; i++) {
        later *one = all.list.at[i];
        if (one->device_number == change->node && !one->runs)
            ifl_device_op_change(&one->op, &one->is_off, change);
    }
}

void ifl_later_drop(ifl_session *session)
{
    for (size_t i = 0; i < all.list.count; i++) {
        const ifl_kept *runs = all.list.at[i]->runs;
        if (runs)
            ifl_state_tell("%s, launched from %s, waits for memory to change when the program ends",
                           ifl_kept_launch(runs)->kernel->signature, ifl_kept_launch(runs)->site);
    }
    drop_all(session);
}

void ifl_later_forget(void)
{
    memset(&all, 0, sizeof all);
}
