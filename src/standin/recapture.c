/* SPDX-License-Identifier: Apache-2.0
 * See recapture.h. */
#include "standin/recapture.h"

#include "standin/graph_update.h"
#include "standin/user_object.h"

#include <stdlib.h>
#include <string.h>

ifl_recapture *ifl_recapture_begin(ifl_graph *graph, ifl_recapture_change *change, void *call,
                                   void *user)
{
    ifl_recapture *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (ifl_recapture){.change = change, .call = call, .user = user};
    ifl_graph_let_all_go(graph);
    graph->recapture = r;
    return r;
}

/* ---- what is the same ------------------------------------------------------------------------ */

static bool is_same_kernel(const ifl_op_kernel *a, const ifl_op_kernel *b)
{
    return a->kernel == b->kernel && !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block) &&
           !memcmp(a->cluster, b->cluster, sizeof a->cluster) &&
           a->shared_bytes == b->shared_bytes && a->cooperative == b->cooperative &&
           !memcmp(a->params, b->params, a->kernel->image.demands.param_bytes);
}

static bool is_same_copy(const ifl_op_copy *a, const ifl_op_copy *b)
{
    return a->to == b->to && a->from == b->from && a->to_offset == b->to_offset &&
           a->from_offset == b->from_offset && a->to_pitch == b->to_pitch &&
           a->to_slice == b->to_slice && a->from_pitch == b->from_pitch &&
           a->from_slice == b->from_slice && a->width == b->width && a->height == b->height &&
           a->depth == b->depth && a->kind == b->kind && a->to_array == b->to_array &&
           a->from_array == b->from_array;
}

static bool is_same_set(const ifl_op_set *a, const ifl_op_set *b)
{
    return a->to == b->to && a->pitch == b->pitch && a->slice == b->slice && a->width == b->width &&
           a->height == b->height && a->depth == b->depth && a->element_bytes == b->element_bytes &&
           a->value == b->value;
}

static bool is_same_words(const ifl_op_words *a, const ifl_op_words *b)
{
    bool is_same = a->count == b->count && a->context == b->context;
    for (unsigned i = 0; is_same && i < a->count; i++)
        is_same = a->steps[i].operation == b->steps[i].operation &&
                  a->steps[i].address == b->steps[i].address &&
                  a->steps[i].value == b->steps[i].value && a->steps[i].flags == b->steps[i].flags;
    return is_same;
}

/* Of one kind. */
static bool is_same(const ifl_op *a, const ifl_op *b)
{
    switch (a->kind) {
    case IFL_DO_KERNEL:
        return is_same_kernel(&a->of.kernel, &b->of.kernel);
    case IFL_DO_COPY:
        return is_same_copy(&a->of.copy, &b->of.copy);
    case IFL_DO_SET:
        return is_same_set(&a->of.set, &b->of.set);
    case IFL_DO_HOST:
        return a->of.host.call == b->of.host.call && a->of.host.user == b->of.host.user;
    case IFL_DO_EVENT_RECORD:
    case IFL_DO_EVENT_WAIT:
        return a->of.event == b->of.event;
    case IFL_DO_WORDS:
        return is_same_words(&a->of.words, &b->of.words);
    case IFL_DO_ALLOCATE:
    case IFL_DO_RELEASE:
        return a->of.memory.address == b->of.memory.address;
    default:
        return true;
    }
}

static bool has_edges_of(const ifl_node *node, const ifl_stream *stream)
{
    bool is_all = node->waits_for.count == stream->follows.count;
    for (size_t i = 0; is_all && i < node->waits_for.count; i++)
        is_all = ifl_node_is_among(&stream->follows, node->waits_for.at[i]);
    return is_all;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static ifl_cuda_error fail(ifl_graph *graph)
{
    graph->is_spoilt = graph->recapture->has_failed = true;
    return ifl_cudaErrorGraphRecaptureFailure;
}

/* Memory stays what it is. */
static ifl_cuda_error replace(ifl_session *session, ifl_node *node, const ifl_op *op)
{
    const ifl_recapture *r = node->graph->recapture;
    if (is_same(&node->op, op))
        return ifl_cudaSuccess;
    if (op->kind == IFL_DO_ALLOCATE || op->kind == IFL_DO_RELEASE)
        return fail(node->graph);
    const bool is_eligible = ifl_op_may_become(session, &node->op, op);
    const ifl_cuda_error code =
        r->change ? r->change(r->user, node, op, is_eligible) : ifl_node_replace(node, op);
    return code == ifl_cudaSuccess ? code : fail(node->graph);
}

ifl_cuda_error ifl_recapture_give(ifl_session *session, ifl_stream *stream, const ifl_op *op)
{
    ifl_graph *graph = stream->capture;
    ifl_recapture *r = graph->recapture;
    ifl_node *node = r->next < graph->nodes.count ? graph->nodes.at[r->next] : NULL;
    if (!node || node->op.kind != op->kind || !has_edges_of(node, stream))
        return fail(graph);
    r->next++;
    const ifl_cuda_error code = replace(session, node, op);
    if (code != ifl_cudaSuccess)
        return code;
    return ifl_stream_follow(stream, &node, 1, true) ? ifl_cudaSuccess
                                                     : ifl_cudaErrorMemoryAllocation;
}

void *ifl_recapture_memory(const ifl_graph *graph, uint64_t bytes)
{
    const ifl_recapture *r = graph->recapture;
    const ifl_node *node = r->next < graph->nodes.count ? graph->nodes.at[r->next] : NULL;
    const bool does = node && node->op.kind == IFL_DO_ALLOCATE && node->op.of.memory.bytes == bytes;
    return does ? node->op.of.memory.address : NULL;
}

ifl_cuda_error ifl_recapture_end(ifl_graph *graph)
{
    ifl_recapture *r = graph->recapture;
    const bool is_whole = !r || (!r->has_failed && r->next == graph->nodes.count);
    free(r);
    graph->recapture = NULL;
    return is_whole ? ifl_cudaSuccess : ifl_cudaErrorGraphRecaptureFailure;
}
