/* SPDX-License-Identifier: Apache-2.0
 * Doing what a stream is asked to. Device memory is memory of this process, so copies are copies; what is checked is
 * that they stay inside of allocations. */
#include "standin/op.h"

#include "standin/graph.h"
#include "standin/stream.h"

#include <stdlib.h>
#include <string.h>

/* ---- addresses ------------------------------------------------------------------------------- */

/* The bytes behind an address of either side: the allocation's, or the host's own. NULL where `bytes` reach past the
 * end of an allocation, or where the kind of copy says that the address is on the GPU and it is not. */
static uint8_t *bytes_at(ifl_session *session, const void *address, uint64_t bytes, bool must_be_device)
{
    ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), (uintptr_t)address);
    if (!a)
        return must_be_device ? NULL : (uint8_t *)(uintptr_t)address;
    const uint64_t at = (uintptr_t)address - a->address;
    const bool is_inside = bytes <= a->bytes - at && !(a->flags & IFL_ALLOCATION_FREED);
    return is_inside ? a->host + at : NULL;
}

/* From the first byte of the first row to the last of the last. */
static uint64_t span(size_t pitch, size_t slice, size_t width, size_t height, size_t depth)
{
    return (depth - 1) * (uint64_t)slice + (height - 1) * (uint64_t)pitch + width;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool is_on_gpu(ifl_session *session, const void *address)
{
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), (uintptr_t)address);
    return a && !(a->flags & IFL_ALLOCATION_ADOPTED);
}

static ifl_copy_route transfer_of(ifl_session *session, const ifl_op_copy *c)
{
    const bool to = is_on_gpu(session, c->to), from = is_on_gpu(session, c->from);
    return to && from ? IFL_COPY_WITHIN : to || from ? IFL_COPY_LINK : IFL_COPY_HOST;
}

static ifl_cuda_error run_copy(ifl_session *session, const ifl_op_copy *c)
{
    if (!c->width || !c->height || !c->depth)
        return ifl_cudaSuccess;
    const bool to_device = c->kind == IFL_HOST_TO_DEVICE || c->kind == IFL_DEVICE_TO_DEVICE;
    const bool from_device = c->kind == IFL_DEVICE_TO_HOST || c->kind == IFL_DEVICE_TO_DEVICE;
    uint8_t *to = bytes_at(session, c->to, span(c->to_pitch, c->to_slice, c->width, c->height, c->depth), to_device);
    const uint8_t *from = bytes_at(
        session, c->from, span(c->from_pitch, c->from_slice, c->width, c->height, c->depth), from_device);
    if (!to || !from)
        return ifl_cudaErrorInvalidValue;
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            memmove(to + z * c->to_slice + y * c->to_pitch, from + z * c->from_slice + y * c->from_pitch, c->width);
    ifl_session_copied(session, transfer_of(session, c), (uint64_t)c->width * c->height * c->depth);
    return ifl_cudaSuccess;
}

static void set_row(uint8_t *to, const ifl_op_set *s)
{
    if (s->element_bytes == 1) {
        memset(to, (int)s->value, s->width);
        return;
    }
    for (size_t x = 0; x < s->width; x++)
        memcpy(to + x * s->element_bytes, &s->value, s->element_bytes);
}

static ifl_cuda_error run_set(ifl_session *session, const ifl_op_set *s)
{
    if (!s->width || !s->height || !s->depth)
        return ifl_cudaSuccess;
    const uint64_t bytes = span(s->pitch, s->slice, s->width * s->element_bytes, s->height, s->depth);
    uint8_t *to = bytes_at(session, s->to, bytes, true);
    if (!to)
        return ifl_cudaErrorInvalidValue;
    for (size_t z = 0; z < s->depth; z++)
        for (size_t y = 0; y < s->height; y++)
            set_row(to + z * s->slice + y * s->pitch, s);
    ifl_session_copied(session, IFL_COPY_FILL,
                         (uint64_t)s->width * s->element_bytes * s->height * s->depth);
    return ifl_cudaSuccess;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static ifl_cuda_error code_of_fault(ifl_fault_kind fault)
{
    static const ifl_cuda_error codes[] = {
        [IFL_FAULT_NONE] = ifl_cudaErrorUnknown,
        [IFL_FAULT_ADDRESS] = ifl_cudaErrorIllegalAddress,
        [IFL_FAULT_MISALIGNED] = ifl_cudaErrorMisalignedAddress,
        [IFL_FAULT_ASSERT] = ifl_cudaErrorAssert,
        [IFL_FAULT_TRAP] = ifl_cudaErrorLaunchFailure,
        [IFL_FAULT_OTHER] = ifl_cudaErrorLaunchFailure,
        [IFL_FAULT_NO_MEMORY] = ifl_cudaErrorMemoryAllocation,
    };
    return codes[fault];
}

static ifl_cuda_error run_kernel(ifl_session *session, const ifl_op_kernel *k)
{
    ifl_error error = {0};
    ifl_fault_kind fault;
    ifl_session_launch launch = {.kernel = k->function->kernel,
                              .dynamic_shared_bytes = k->shared_bytes,
                              .params = k->params,
                              .site = k->site};
    memcpy(launch.grid, k->grid, sizeof launch.grid);
    memcpy(launch.block, k->block, sizeof launch.block);
    const ifl_status status = ifl_session_keep(session, &launch, &fault, &error);
    if (status == IFL_OK)
        return ifl_cudaSuccess;
    ifl_state_tell_error(&error);
    if (status == IFL_INTERRUPTED)
        exit(ifl_status_exit_code(status));
    if (status == IFL_UNSUPPORTED)
        return ifl_cudaErrorNotSupported;
    if (status == IFL_BAD_INPUT) /* the grid of a cooperative kernel does not fit */
        return ifl_cudaErrorCooperativeLaunchTooLarge;
    ifl_state_tell("launched from %s", k->site);
    ifl_state_break(code_of_fault(fault));
    return ifl_cudaSuccess; /* launches are asynchronous: the next call tells */
}

/* ---- all ------------------------------------------------------------------------------------- */

static ifl_cuda_error run_host(const ifl_op_host *h)
{
    if (h->callback)
        h->callback(h->stream, ifl_state_broken(), h->user);
    else
        h->call(h->user);
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_op_run(ifl_session *session, const ifl_op *op)
{
    switch (op->kind) {
    case IFL_DO_KERNEL: return run_kernel(session, &op->of.kernel);
    case IFL_DO_COPY: return run_copy(session, &op->of.copy);
    case IFL_DO_SET: return run_set(session, &op->of.set);
    case IFL_DO_HOST: return run_host(&op->of.host);
    case IFL_DO_EVENT_RECORD: ifl_event_note(session, op->of.event); return ifl_cudaSuccess;
    case IFL_DO_CHILD_GRAPH: return ifl_graph_run(session, op->of.child);
    default: return ifl_cudaSuccess;
    }
}

bool ifl_op_copy_of(const ifl_op *from, ifl_op *to)
{
    *to = *from;
    if (from->kind == IFL_DO_CHILD_GRAPH)
        return (to->of.child = ifl_graph_clone(from->of.child)) != NULL;
    if (from->kind != IFL_DO_KERNEL)
        return true;
    const size_t bytes = from->of.kernel.function->kernel->kernel->param_bytes;
    to->of.kernel.params = malloc(bytes + 1);
    if (to->of.kernel.params)
        memcpy(to->of.kernel.params, from->of.kernel.params, bytes);
    return to->of.kernel.params != NULL;
}

void ifl_op_clear(ifl_op *op)
{
    if (op->kind == IFL_DO_KERNEL)
        free(op->of.kernel.params);
    else if (op->kind == IFL_DO_CHILD_GRAPH)
        ifl_graph_free(op->of.child);
    op->kind = IFL_DO_EMPTY_NODE;
}
