/* SPDX-License-Identifier: Apache-2.0
 * Words of memory that streams write and wait for (CUDA Driver API, "Stream Memory Operations").
 * The forms before CUDA 11.7 do the same. */
#include "standin/driver_served.h"
#include "standin/graph_update.h"
#include "standin/served.h"

static ifl_cuda_error check(ifl_session *session, const ifl_op_value *v)
{
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), v->address);
    const bool is_there =
        a && !(a->flags & IFL_ALLOCATION_FREED) && v->bytes <= a->bytes - (v->address - a->address);
    return is_there && v->address % v->bytes == 0 ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

static ifl_cuda_error give_checked(ifl_session *session, void *stream, const ifl_op *op)
{
    const ifl_cuda_error code = check(session, &op->of.value);
    return code == ifl_cudaSuccess ? ifl_stream_give(session, stream, op) : code;
}

/* ---- one -------------------------------------------------------------------------------------- */

enum { WAIT_32 = 1, WRITE_32 = 2, WAIT_64 = 4, WRITE_64 = 5 };

static ifl_cuda_error serve_steps(void *stream, unsigned count, const ifl_word_step *steps,
                                  unsigned flags);

static ifl_cuda_error give(void *stream, int operation, uintptr_t at, uint64_t value,
                           unsigned flags)
{
    const ifl_word_step step = {
        .operation = operation, .address = at, .value = value, .flags = flags};
    return serve_steps(stream, 1, &step, 0);
}

#define VALUE(name, operation, type)                                                               \
    IFL_SERVED ifl_cuda_error name(void *stream, uintptr_t at, type value, unsigned flags)         \
    {                                                                                              \
        DRIVE(give(stream, operation, at, value, flags));                                          \
    }                                                                                              \
    ALSO_OF_THREAD(name##_ptsz, name);                                                             \
    ALSO(name##_v2, name);                                                                         \
    ALSO_OF_THREAD(name##_v2_ptsz, name)
VALUE(cuStreamWriteValue32, WRITE_32, uint32_t);
VALUE(cuStreamWriteValue64, WRITE_64, uint64_t);
VALUE(cuStreamWaitValue32, WAIT_32, uint32_t);
VALUE(cuStreamWaitValue64, WAIT_64, uint64_t);

/* ---- several --------------------------------------------------------------------------------- */

enum { MOST_STEPS = 256 };

/* Those of a graph's node are looked up when it runs. */
static ifl_cuda_error check_steps(unsigned count, const ifl_word_step *steps, unsigned flags)
{
    ifl_op op;
    bool are_steps = (!count || steps) && count <= MOST_STEPS && !flags;
    for (unsigned i = 0; i < count && are_steps; i++)
        are_steps = ifl_word_step_op(&steps[i], &op);
    return are_steps ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

static ifl_op batch_of(void *context, unsigned count, const ifl_word_step *steps)
{
    return (ifl_op){.kind = IFL_DO_WORDS,
                    .of.words = {context, count, 0, (ifl_word_step *)(uintptr_t)steps}};
}

static ifl_cuda_error give_step(ifl_session *session, void *stream, const ifl_word_step *step)
{
    ifl_op op;
    if (!ifl_word_step_op(step, &op))
        return ifl_cudaErrorInvalidValue;
    return op.kind == IFL_DO_EMPTY_NODE ? ifl_cudaSuccess : give_checked(session, stream, &op);
}

static ifl_cuda_error give_steps(ifl_session *session, void *handle, unsigned count,
                                 const ifl_word_step *steps, unsigned flags)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    ifl_cuda_error code = check_steps(count, steps, flags);
    if (code == ifl_cudaSuccess && stream && stream->capture)
        return ifl_serve_op(session, handle, batch_of(ifl_driver_current(), count, steps));
    for (unsigned i = 0; i < count && code == ifl_cudaSuccess; i++)
        code = give_step(session, handle, &steps[i]);
    return code;
}

static ifl_cuda_error serve_steps(void *stream, unsigned count, const ifl_word_step *steps,
                                  unsigned flags)
{
    SERVE(give_steps(session, stream, count, steps, flags));
}

IFL_SERVED ifl_cuda_error cuStreamBatchMemOp(void *stream, unsigned count,
                                             const ifl_word_step *steps, unsigned flags)
{
    DRIVE(serve_steps(stream, count, steps, flags));
}
ALSO_OF_THREAD(cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp);
ALSO(cuStreamBatchMemOp_v2, cuStreamBatchMemOp);
ALSO_OF_THREAD(cuStreamBatchMemOp_v2_ptsz, cuStreamBatchMemOp);

/* ---- as nodes of graphs ---------------------------------------------------------------------- */

/* CUDA_BATCH_MEM_OP_NODE_PARAMS */
typedef struct batch_params {
    void *context;
    unsigned count;
    ifl_word_step *steps;
    unsigned flags;
} batch_params;

static ifl_cuda_error batch(const batch_params *params, ifl_op *op)
{
    if (!params || !ifl_driver_is_context(params->context))
        return ifl_cudaErrorInvalidValue;
    *op = batch_of(params->context, params->count, params->steps);
    return check_steps(params->count, params->steps, params->flags);
}

static ifl_cuda_error add(ifl_node **out, const void *graph, ifl_node *const *after, size_t count,
                          const batch_params *params)
{
    ifl_op op;
    const ifl_cuda_error code = batch(params, &op);
    return code == ifl_cudaSuccess ? ifl_graph_add_after(out, graph, after, count, &op) : code;
}

IFL_SERVED ifl_cuda_error cuGraphAddBatchMemOpNode(ifl_node **out, const void *graph,
                                                   ifl_node *const *after, size_t count,
                                                   const batch_params *params)
{
    DRIVE(add(out, graph, after, count, params));
}

/* The steps told are the node's own, as long as it has them. */
static ifl_cuda_error tell(const ifl_node *node, batch_params *out)
{
    if (!node || node->op.kind != IFL_DO_WORDS || !out)
        return ifl_cudaErrorInvalidValue;
    const ifl_op_words *words = &node->op.of.words;
    *out = (batch_params){words->context, words->count, words->steps, words->flags};
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuGraphBatchMemOpNodeGetParams(const void *node, batch_params *out)
{
    DRIVE(tell(ifl_node_of(node), out));
}

static ifl_cuda_error set(ifl_node *node, const batch_params *params)
{
    ifl_op op;
    const ifl_cuda_error code = batch(params, &op);
    return code == ifl_cudaSuccess ? ifl_node_replace(node, &op) : code;
}

IFL_SERVED ifl_cuda_error cuGraphBatchMemOpNodeSetParams(const void *node,
                                                         const batch_params *params)
{
    DRIVE(set(ifl_node_of(node), params));
}

static ifl_cuda_error set_exec(ifl_session *session, ifl_node *node, const batch_params *params)
{
    ifl_op op;
    const ifl_cuda_error code = batch(params, &op);
    return code == ifl_cudaSuccess ? ifl_exec_replace(session, node, &op) : code;
}

static ifl_cuda_error serve_exec(const void *exec, const void *node, const batch_params *params)
{
    SERVE(set_exec(session, ifl_exec_twin(exec, node), params));
}

IFL_SERVED ifl_cuda_error cuGraphExecBatchMemOpNodeSetParams(const void *exec, const void *node,
                                                             const batch_params *params)
{
    DRIVE(serve_exec(exec, node, params));
}

static ifl_cuda_error type_of(const ifl_node *node, int *type)
{
    if (!node || !type)
        return ifl_cudaErrorInvalidValue;
    *type = ifl_node_type_of(node);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuGraphNodeGetType(const void *node, int *type)
{
    DRIVE(type_of(ifl_node_of(node), type));
}
