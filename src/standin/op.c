/* SPDX-License-Identifier: Apache-2.0
 * Doing what a stream is asked to. Device memory is memory of this process, so copies are copies;
 * what is checked is that they stay inside of allocations. */
#include "standin/op.h"

#include "standin/graph.h"
#include "standin/kernel_run.h"
#include "standin/stream.h"

#include <stdlib.h>
#include <string.h>

/* ---- addresses ------------------------------------------------------------------------------- */

/* The bytes behind an address of either side: the allocation's, or the host's own. NULL where
 * `bytes` reach past the end of an allocation or of all addresses, where nothing can lie, or where
 * the kind of copy says that the address is on the GPU and it is not. */
static uint8_t *bytes_at(ifl_session *session, const void *address, uint64_t bytes,
                         bool must_be_device)
{
    enum { LOWEST = 65536 }; /* Linux maps nothing below (vm.mmap_min_addr): an offset from NULL */
    const uintptr_t start = (uintptr_t)address;
    const ifl_memory *memory = ifl_session_memory(session);
    const ifl_allocation *a = ifl_memory_find(memory, start);
    if (!a) {
        const bool is_host =
            start >= LOWEST && bytes <= UINTPTR_MAX - start && !ifl_memory_spans(memory, start);
        return is_host && !must_be_device ? (uint8_t *)start : NULL;
    }
    const uint64_t at = start - a->address;
    const bool is_inside =
        bytes <= a->bytes - at && !(a->flags & (IFL_ALLOCATION_FREED | IFL_ALLOCATION_MULTICAST));
    return is_inside ? a->host + at : NULL;
}

/* From the first byte of the first row to the last of the last; false where no number holds
 * that. */
static bool span(size_t pitch, size_t slice, const ifl_extent *box, uint64_t *bytes)
{
    uint64_t rows, slices;
    return !__builtin_mul_overflow(box->height - 1, pitch, &rows) &&
           !__builtin_mul_overflow(box->depth - 1, slice, &slices) &&
           !__builtin_add_overflow(rows, slices, bytes) &&
           !__builtin_add_overflow(*bytes, box->width, bytes);
}

/* One side's bytes as bytes_at finds them: all lie in the allocation that the side's start lies
 * in. */
static uint8_t *box_at(ifl_session *session, const void *start, size_t offset, size_t pitch,
                       size_t slice, const ifl_extent *box, bool must_be_device)
{
    uint64_t bytes;
    const bool is_size =
        span(pitch, slice, box, &bytes) && !__builtin_add_overflow(bytes, offset, &bytes);
    uint8_t *at = is_size ? bytes_at(session, start, bytes, must_be_device) : NULL;
    return at ? at + offset : NULL;
}

/* Memory of the GPU has another version then, and its bytes are written; that of the host has
 * neither. The box is one that box_at found. */
static void note_written(ifl_session *session, const void *start, size_t offset, size_t pitch,
                         size_t slice, const ifl_extent *box)
{
    ifl_memory *memory = ifl_session_memory(session);
    ifl_allocation *a = ifl_memory_find(memory, (uintptr_t)start);
    if (!a)
        return;
    ifl_memory_changed(memory, a);
    const uint64_t first = (uintptr_t)start - a->address + offset;
    for (size_t z = 0; z < box->depth; z++)
        for (size_t y = 0; y < box->height; y++)
            ifl_memory_note_written(a, first + z * slice + y * pitch, box->width);
}

/* CUDA Driver API, cuMemcpy3D: the pitch holds x and the width, the rows of a slice hold y and the
 * height. */
static bool is_within(const ifl_box_side *side, const ifl_extent *box)
{
    const bool is_row = box->height <= 1 && box->depth <= 1;
    const bool is_in_pitch = box->width <= side->pitch && side->x <= side->pitch - box->width;
    const bool is_in_rows = box->height <= side->rows && side->y <= side->rows - box->height;
    return (is_row || is_in_pitch) && (box->depth <= 1 || is_in_rows);
}

ifl_cuda_error ifl_box_find(const ifl_box_side *side, const ifl_extent *box, size_t *offset,
                            size_t *slice)
{
    uint64_t slices, rows;
    const bool is_whole = !__builtin_mul_overflow(side->pitch, side->rows, slice) &&
                          !__builtin_mul_overflow(side->z, *slice, &slices) &&
                          !__builtin_mul_overflow(side->y, side->pitch, &rows) &&
                          !__builtin_add_overflow(slices, rows, offset) &&
                          !__builtin_add_overflow(*offset, side->x, offset);
    return is_whole && side->pitch <= IFL_MOST_PITCH && is_within(side, box)
               ? ifl_cudaSuccess
               : ifl_cudaErrorInvalidValue;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static const ifl_allocation *on_gpu(ifl_session *session, const void *address)
{
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), (uintptr_t)address);
    return a && !(a->flags & IFL_ALLOCATION_ADOPTED) ? a : NULL;
}

static ifl_copy_route transfer_of(ifl_session *session, const ifl_op_copy *c)
{
    const ifl_allocation *to = on_gpu(session, c->to), *from = on_gpu(session, c->from);
    return to && from && to->gpu == from->gpu ? IFL_COPY_WITHIN
           : to || from                       ? IFL_COPY_LINK
                                              : IFL_COPY_HOST;
}

static ifl_cuda_error run_copy(ifl_session *session, const ifl_op_copy *c)
{
    const ifl_extent box = {c->width, c->height, c->depth};
    if (!c->width || !c->height || !c->depth)
        return ifl_cudaSuccess;
    const bool to_device = c->kind == IFL_HOST_TO_DEVICE || c->kind == IFL_DEVICE_TO_DEVICE;
    const bool from_device = c->kind == IFL_DEVICE_TO_HOST || c->kind == IFL_DEVICE_TO_DEVICE;
    uint8_t *to = box_at(session, c->to, c->to_offset, c->to_pitch, c->to_slice, &box, to_device);
    const uint8_t *from =
        box_at(session, c->from, c->from_offset, c->from_pitch, c->from_slice, &box, from_device);
    if (!to || !from)
        return ifl_cudaErrorInvalidValue;
    note_written(session, c->to, c->to_offset, c->to_pitch, c->to_slice, &box);
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            memmove(to + z * c->to_slice + y * c->to_pitch,
                    from + z * c->from_slice + y * c->from_pitch, c->width);
    ifl_session_copied(session, transfer_of(session, c), (uint64_t)c->width * c->height * c->depth);
    return ifl_cudaSuccess;
}

/* ---- fills ----------------------------------------------------------------------------------- */

ifl_cuda_error ifl_fill_op(const ifl_op_set *fill, ifl_op *op)
{
    const unsigned bytes = fill->element_bytes;
    const bool is_size = bytes == 1 || bytes == 2 || bytes == 4;
    if (!is_size || fill->width > SIZE_MAX / bytes || (uintptr_t)fill->to % bytes)
        return ifl_cudaErrorInvalidValue;
    const bool is_row = fill->height <= 1 && fill->depth <= 1;
    if (!is_row && (fill->pitch < fill->width * bytes || fill->pitch % bytes))
        return ifl_cudaErrorInvalidValue;
    if (fill->depth > 1 && fill->height && fill->slice / fill->height < fill->pitch)
        return ifl_cudaErrorInvalidValue;
    *op = (ifl_op){.kind = IFL_DO_SET, .of.set = *fill};
    return ifl_cudaSuccess;
}

static bool is_one_byte(const ifl_op_set *s)
{
    enum { BYTE = 0xff };
    for (unsigned i = 1; i < s->element_bytes; i++)
        if ((s->value >> 8 * i & BYTE) != (s->value & BYTE))
            return false;
    return true;
}

/* What is written already is copied behind itself, in steps that a cache holds. */
static void set_row(uint8_t *to, const ifl_op_set *s)
{
    enum { STEP = 1 << 15 };
    const size_t bytes = s->width * s->element_bytes;
    if (is_one_byte(s)) {
        memset(to, (int)(s->value & 0xff), bytes);
        return;
    }
    memcpy(to, &s->value, s->element_bytes);
    for (size_t done = s->element_bytes, step; done < bytes; done += step) {
        step = done < STEP ? done : STEP;
        step = step < bytes - done ? step : bytes - done;
        memcpy(to + done, to, step);
    }
}

/* One row of zeros in the GPU's memory. */
static bool clear_row(ifl_session *session, const ifl_op_set *s, uint64_t bytes)
{
    const uint64_t address = (uintptr_t)s->to;
    ifl_allocation *in = s->height == 1 && s->depth == 1 && !s->value
                             ? ifl_memory_find(ifl_session_memory(session), address)
                             : NULL;
    if (!in || in->flags & IFL_ALLOCATION_ADOPTED)
        return false;
    ifl_memory_clear(in, address - in->address, bytes);
    return true;
}

static ifl_cuda_error run_set(ifl_session *session, const ifl_op_set *s)
{
    const ifl_extent box = {s->width * s->element_bytes, s->height, s->depth};
    if (!s->width || !s->height || !s->depth)
        return ifl_cudaSuccess;
    uint8_t *to = box_at(session, s->to, 0, s->pitch, s->slice, &box, true);
    if (!to)
        return ifl_cudaErrorInvalidValue;
    note_written(session, s->to, 0, s->pitch, s->slice, &box);
    const bool is_cleared = clear_row(session, s, box.width);
    for (size_t z = 0; z < s->depth && !is_cleared; z++)
        for (size_t y = 0; y < s->height; y++)
            set_row(to + z * s->slice + y * s->pitch, s);
    ifl_session_copied(session, IFL_COPY_FILL, (uint64_t)box.width * s->height * s->depth);
    return ifl_cudaSuccess;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void *word_at(ifl_session *session, const ifl_op_value *v)
{
    return bytes_at(session, (const void *)v->address, v->bytes, true);
}

static uint64_t read_word(const void *at, unsigned bytes)
{
    return bytes == sizeof(uint32_t) ? __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE)
                                     : __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
}

bool ifl_op_is_met(ifl_session *session, const ifl_op_value *wait)
{
    const void *at = word_at(session, wait);
    const uint64_t ones = wait->bytes == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX,
                   word = at ? read_word(at, wait->bytes) : 0, value = wait->value & ones;
    const bool is_met[] = {
        [IFL_VALUE_AT_LEAST] = ((word - value) & (ones / 2 + 1)) == 0,
        [IFL_VALUE_EQUAL] = word == value,
        [IFL_VALUE_AND] = (word & value) != 0,
        [IFL_VALUE_NOR] = (~(word | value) & ones) != 0,
    };
    return !at || is_met[wait->test];
}

static ifl_cuda_error write_word(ifl_session *session, const ifl_op_value *v)
{
    void *at = word_at(session, v);
    if (!at)
        return ifl_cudaErrorInvalidValue;
    note_written(session, (const void *)v->address, 0, 0, 0, &(ifl_extent){v->bytes, 1, 1});
    if (v->bytes == sizeof(uint32_t))
        __atomic_store_n((uint32_t *)at, (uint32_t)v->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint64_t *)at, v->value, __ATOMIC_RELEASE);
    return ifl_cudaSuccess;
}

enum { STEP_WAIT_32 = 1, STEP_WRITE_32, STEP_FLUSH, STEP_WAIT_64, STEP_WRITE_64, STEP_BARRIER };

bool ifl_word_step_op(const ifl_word_step *step, ifl_op *op)
{
    enum { OF_TEST = 3, FLUSH = 1 << 30, WITHOUT_BARRIER = 1 };
    static const struct {
        ifl_op_kind kind;
        unsigned bytes, flags;
    } steps[] = {
        [STEP_WAIT_32] = {IFL_DO_WAIT_VALUE, sizeof(uint32_t), OF_TEST | FLUSH},
        [STEP_WAIT_64] = {IFL_DO_WAIT_VALUE, sizeof(uint64_t), OF_TEST | FLUSH},
        [STEP_WRITE_32] = {IFL_DO_WRITE_VALUE, sizeof(uint32_t), WITHOUT_BARRIER},
        [STEP_WRITE_64] = {IFL_DO_WRITE_VALUE, sizeof(uint64_t), WITHOUT_BARRIER},
        [STEP_FLUSH] = {.kind = IFL_DO_EMPTY_NODE},
        [STEP_BARRIER] = {.kind = IFL_DO_EMPTY_NODE},
    };
    const int kind = step->operation;
    if (kind < STEP_WAIT_32 || kind > STEP_BARRIER)
        return false;
    *op = (ifl_op){.kind = steps[kind].kind};
    if (!steps[kind].bytes)
        return true;
    op->of.value = (ifl_op_value){.address = step->address,
                                  .value = step->value,
                                  .bytes = steps[kind].bytes,
                                  .test = (ifl_value_test)(step->flags & OF_TEST)};
    return step->address % steps[kind].bytes == 0 && !(step->flags & ~steps[kind].flags);
}

/* In a graph: that of a stream is kept where it is not met (later.h). */
static ifl_cuda_error wait_for_word(ifl_session *session, const ifl_op_value *wait)
{
    enum { REST_US = 200 };
    while (!ifl_op_is_met(session, wait))
        ifl_state_rest(REST_US);
    return ifl_cudaSuccess;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Another call may have given it back before its turn. */
static ifl_cuda_error run_free(ifl_session *session, const ifl_op_memory *m)
{
    const uintptr_t address = (uintptr_t)m->address;
    ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), address);
    if (!a || a->address != address || a->flags & IFL_ALLOCATION_FREED)
        return ifl_cudaSuccess;
    ifl_memory_drop(ifl_session_memory(session), a);
    return ifl_cudaSuccess;
}

/* An event of another GPU's clock lies where it lies on this one's. */
static void wait_for(ifl_session *session, const ifl_event *event)
{
    if (event && event->is_recorded)
        ifl_session_gpu_waits(session, event->microseconds);
}

/* Without the lock: a thread may hold what the function waits for, and be in a call. */
static ifl_cuda_error run_host(const ifl_op_host *h)
{
    const ifl_cuda_error code = ifl_state_broken();
    const unsigned times = ifl_state_let_go();
    if (h->callback)
        h->callback(h->stream, code, h->user);
    else
        h->call(h->user);
    ifl_state_take_again(times);
    return ifl_cudaSuccess;
}

static ifl_cuda_error run_words(ifl_session *session, const ifl_op_words *words)
{
    ifl_cuda_error code = ifl_cudaSuccess;
    ifl_op step;
    for (unsigned i = 0; i < words->count && code == ifl_cudaSuccess; i++)
        code = ifl_word_step_op(&words->steps[i], &step) ? ifl_op_run(session, &step)
                                                         : ifl_cudaErrorInvalidValue;
    return code;
}

ifl_cuda_error ifl_op_run(ifl_session *session, const ifl_op *op)
{
    switch (op->kind) {
    case IFL_DO_KERNEL:
        return ifl_kernel_run(session, &op->of.kernel, NULL);
    case IFL_DO_COPY:
        return run_copy(session, &op->of.copy);
    case IFL_DO_SET:
        return run_set(session, &op->of.set);
    case IFL_DO_HOST:
        return run_host(&op->of.host);
    case IFL_DO_EVENT_RECORD:
        ifl_event_note(session, ifl_event_of(op->of.event));
        return ifl_cudaSuccess;
    case IFL_DO_EVENT_WAIT:
        wait_for(session, ifl_event_of(op->of.event));
        return ifl_cudaSuccess;
    case IFL_DO_WRITE_VALUE:
        return write_word(session, &op->of.value);
    case IFL_DO_WAIT_VALUE:
        return wait_for_word(session, &op->of.value);
    case IFL_DO_WORDS:
        return run_words(session, &op->of.words);
    case IFL_DO_FREE:
        return run_free(session, &op->of.memory);
    case IFL_DO_CHILD_GRAPH:
        return ifl_graph_run(session, op->of.child);
    default:
        return ifl_cudaSuccess;
    }
}

static size_t addresses_at(const ifl_ready_kernel *kernel)
{
    return (kernel->kernel->param_bytes + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
}

uint8_t *ifl_op_params_new(const ifl_ready_kernel *kernel)
{
    return calloc(1, addresses_at(kernel) + kernel->kernel->parameter_count * sizeof(void *) + 1);
}

void **ifl_op_arguments(const ifl_op_kernel *k)
{
    void **arguments = (void **)(void *)(k->params + addresses_at(k->kernel));
    for (uint32_t i = 0; i < k->kernel->kernel->parameter_count; i++)
        arguments[i] = k->params + k->kernel->kernel->parameters[i].offset;
    return arguments;
}

/* A graph in an operation: a program may have found it, and captured streams into it. */
static void free_inner(ifl_graph *graph)
{
    if (!graph || graph->is_ring)
        return;
    ifl_streams_leave(graph);
    ifl_graph_free(graph);
}

/* In the graphs of a program, graphs that it may look into, and not destroy. */
static ifl_graph *copy_inner(const ifl_graph *from, ifl_handle_kind owner)
{
    const ifl_handle_kind kind = owner == IFL_HANDLE_GRAPH ? IFL_HANDLE_GRAPH : IFL_HANDLE_NONE;
    ifl_graph *copy = from->is_ring ? NULL : ifl_graph_clone(from, kind);
    if (copy)
        copy->is_inner = true;
    return copy;
}

static void free_bodies(ifl_op_condition *condition)
{
    for (unsigned i = 0; condition->bodies && i < condition->count; i++)
        free_inner(condition->bodies[i]);
    free(condition->bodies);
    condition->bodies = NULL;
}

static bool copy_bodies(const ifl_op_condition *from, ifl_op_condition *to, ifl_handle_kind owner)
{
    if (!from->bodies)
        return true;
    to->bodies = calloc(from->count, sizeof(struct ifl_graph *));
    bool is_whole = to->bodies != NULL;
    for (unsigned i = 0; is_whole && i < from->count; i++)
        is_whole = (to->bodies[i] = copy_inner(from->bodies[i], owner)) != NULL;
    if (!is_whole)
        free_bodies(to);
    return is_whole;
}

bool ifl_op_make_bodies(ifl_op_condition *condition)
{
    condition->bodies = calloc(condition->count, sizeof(struct ifl_graph *));
    bool is_whole = condition->bodies != NULL;
    for (unsigned i = 0; is_whole && i < condition->count; i++) {
        condition->bodies[i] = ifl_graph_new(IFL_HANDLE_GRAPH);
        is_whole = condition->bodies[i] != NULL;
        if (is_whole)
            condition->bodies[i]->is_inner = true;
    }
    if (!is_whole)
        free_bodies(condition);
    return is_whole;
}

static bool copy_steps(const ifl_op_words *from, ifl_op_words *to)
{
    to->steps = calloc(from->count + 1, sizeof *to->steps);
    if (to->steps && from->count)
        memcpy(to->steps, from->steps, from->count * sizeof *to->steps);
    return to->steps != NULL;
}

bool ifl_op_copy_of(const ifl_op *from, ifl_op *to, ifl_handle_kind owner)
{
    *to = *from;
    if (from->kind == IFL_DO_CHILD_GRAPH)
        return (to->of.child = copy_inner(from->of.child, owner)) != NULL;
    if (from->kind == IFL_DO_CONDITION)
        return copy_bodies(&from->of.condition, &to->of.condition, owner);
    if (from->kind == IFL_DO_WORDS)
        return copy_steps(&from->of.words, &to->of.words);
    if (from->kind != IFL_DO_KERNEL)
        return true;
    to->of.kernel.params = ifl_op_params_new(from->of.kernel.kernel);
    if (to->of.kernel.params)
        memcpy(to->of.kernel.params, from->of.kernel.params,
               from->of.kernel.kernel->kernel->param_bytes);
    return to->of.kernel.params != NULL;
}

void ifl_op_clear(ifl_op *op)
{
    if (op->kind == IFL_DO_KERNEL)
        free(op->of.kernel.params);
    else if (op->kind == IFL_DO_CHILD_GRAPH)
        free_inner(op->of.child);
    else if (op->kind == IFL_DO_CONDITION)
        free_bodies(&op->of.condition);
    else if (op->kind == IFL_DO_WORDS)
        free(op->of.words.steps);
    op->kind = IFL_DO_EMPTY_NODE;
}
