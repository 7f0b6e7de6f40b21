/* SPDX-License-Identifier: Apache-2.0
 * Words of memory that streams write and wait for (CUDA Driver API, "Stream Memory Operations").
 * The forms before CUDA 11.7 do the same. */
#include "standin/driver_served.h"
#include "standin/served.h"

enum { OF_TEST = 3, FLUSH = 1 << 30 };

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

static ifl_cuda_error give(void *stream, ifl_op_kind kind, uintptr_t at, uint64_t value,
                           unsigned bytes, unsigned flags)
{
    const bool waits = kind == IFL_DO_WAIT_VALUE;
    const unsigned known = waits ? OF_TEST | FLUSH : 1;
    const ifl_op op = {.kind = kind,
                       .of.value = {at, value, bytes,
                                    waits ? (ifl_value_test)(flags & OF_TEST) : IFL_VALUE_EQUAL}};
    if (flags & ~known)
        return ifl_cudaErrorInvalidValue;
    SERVE(give_checked(session, stream, &op));
}

#define VALUE(name, kind, type, bits)                                                              \
    IFL_SERVED ifl_cuda_error name(void *stream, uintptr_t at, type value, unsigned flags)         \
    {                                                                                              \
        DRIVE(give(stream, kind, at, value, (bits) / 8, flags));                                   \
    }                                                                                              \
    ALSO_OF_THREAD(name##_ptsz, name);                                                             \
    ALSO(name##_v2, name);                                                                         \
    ALSO_OF_THREAD(name##_v2_ptsz, name)
VALUE(cuStreamWriteValue32, IFL_DO_WRITE_VALUE, uint32_t, 32);
VALUE(cuStreamWriteValue64, IFL_DO_WRITE_VALUE, uint64_t, 64);
VALUE(cuStreamWaitValue32, IFL_DO_WAIT_VALUE, uint32_t, 32);
VALUE(cuStreamWaitValue64, IFL_DO_WAIT_VALUE, uint64_t, 64);

/* CUstreamBatchMemOpParams */
typedef struct step {
    int operation;
    uintptr_t address;
    uint64_t value;
    unsigned flags;
    uint64_t unused[2];
} step;

enum { WAIT_32 = 1, WRITE_32 = 2, FLUSH_WRITES = 3, WAIT_64 = 4, WRITE_64 = 5, BARRIER = 6 };

static ifl_cuda_error give_step(void *stream, const step *s)
{
    const bool is_wide = s->operation == WAIT_64 || s->operation == WRITE_64;
    const unsigned bytes = is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    switch (s->operation) {
    case WAIT_32:
    case WAIT_64:
        return give(stream, IFL_DO_WAIT_VALUE, s->address, s->value, bytes, s->flags);
    case WRITE_32:
    case WRITE_64:
        return give(stream, IFL_DO_WRITE_VALUE, s->address, s->value, bytes, s->flags);
    case FLUSH_WRITES:
    case BARRIER:
        return ifl_cudaSuccess;
    default:
        return ifl_cudaErrorInvalidValue;
    }
}

static ifl_cuda_error give_steps(void *stream, unsigned count, const step *steps, unsigned flags)
{
    enum { MOST = 256 };
    ifl_cuda_error code =
        (count && !steps) || count > MOST || flags ? ifl_cudaErrorInvalidValue : ifl_cudaSuccess;
    for (unsigned i = 0; i < count && code == ifl_cudaSuccess; i++)
        code = give_step(stream, &steps[i]);
    return code;
}

IFL_SERVED ifl_cuda_error cuStreamBatchMemOp(void *stream, unsigned count, const step *steps,
                                             unsigned flags)
{
    DRIVE(give_steps(stream, count, steps, flags));
}
ALSO_OF_THREAD(cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp);
ALSO(cuStreamBatchMemOp_v2, cuStreamBatchMemOp);
ALSO_OF_THREAD(cuStreamBatchMemOp_v2_ptsz, cuStreamBatchMemOp);
