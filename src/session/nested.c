/* SPDX-License-Identifier: Apache-2.0
 * See nested.h. Streams and events of a kernel only order its grids; to run them one after the
 * other, in the order of their launches, is an order that every one of them allows. Those of the
 * tail stream come after all others. */
#include "session/nested.h"

#include "sass/constant_header.h"
#include "session/session_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- while a kernel runs --------------------------------------------------------------------- */

static const ifl_object_text *kernel_at(const ifl_object *object, uint64_t address)
{
    for (size_t i = 0; i < object->text_count; i++)
        if (object->texts[i].address == address && object->texts[i].kernel->is_kernel)
            return &object->texts[i];
    return NULL;
}

static bool is_within(const uint32_t size[3], const uint64_t most[3])
{
    bool fits = true;
    for (int i = 0; i < 3; i++)
        fits &= size[i] && size[i] <= most[i];
    return fits;
}

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". */
static bool is_shape(const ifl_session *session, const ifl_nested_grid *grid)
{
    static const uint64_t most_blocks[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX},
                          most_threads[3] = {1024, 1024, 64};
    return is_within(grid->grid, most_blocks) && is_within(grid->block, most_threads) &&
           (uint64_t)grid->block[0] * grid->block[1] * grid->block[2] <=
               (uint64_t)session->device->value[IFL_DEVICE_max_threads_per_block] &&
           grid->dynamic_shared_bytes <=
               (uint64_t)session->device->value[IFL_DEVICE_shared_bytes_per_block];
}

static ifl_nested_status prepare(void *user, const ifl_nested_grid *grid, uint64_t *address)
{
    ifl_session *session = user;
    ifl_nested *nested = &session->nested;
    const ifl_session_launch *launch = nested->runs;
    ifl_nested_entry entry = {.by = launch->kernel,
                              .shape = *grid,
                              .stack_bytes = launch->stack_bytes,
                              .text = kernel_at(launch->kernel->object->object, grid->function)};
    if (!entry.text)
        return IFL_NESTED_BAD_VALUE;
    if (!is_shape(session, grid))
        return IFL_NESTED_BAD_SHAPE;
    const uint64_t bytes = ifl_sass_param_bytes(entry.text->kernel);
    if (ifl_memory_allocate(
            session->memory, bytes ? bytes : 1, 0, IFL_ALLOCATION_DEVICE | IFL_ALLOCATION_MODULE,
            "parameters of a kernel that a kernel launches", &entry.room, NULL) != IFL_OK)
        return IFL_NESTED_NO_MEMORY;
    *address = entry.room->address;
    return ifl_vec_push(&nested->prepared, entry) ? IFL_NESTED_OK : IFL_NESTED_NO_MEMORY;
}

static ifl_nested_status launch(void *user, uint64_t parameters, uint64_t stream)
{
    ifl_nested *nested = &((ifl_session *)user)->nested;
    size_t i = nested->prepared.count;
    while (i > 0 && nested->prepared.at[i - 1].room->address != parameters)
        i--;
    if (!i)
        return IFL_NESTED_BAD_VALUE;
    ifl_nested_entry entry = nested->prepared.at[i - 1];
    const uint64_t bytes = ifl_sass_param_bytes(entry.text->kernel);
    entry.stream = stream;
    entry.params = malloc(bytes + 1);
    if (!entry.params || !ifl_vec_push(&nested->launched, entry)) {
        free(entry.params);
        return IFL_NESTED_NO_MEMORY;
    }
    memcpy(entry.params, entry.room->host, bytes);
    nested->prepared.at[i - 1] = nested->prepared.at[--nested->prepared.count];
    return IFL_NESTED_OK;
}

const ifl_nester *ifl_nested_begin(ifl_session *session, const ifl_session_launch *of)
{
    ifl_nested *nested = &session->nested;
    nested->runs = of;
    nested->nester = (ifl_nester){session, prepare, launch};
    return of->kernel->object ? &nested->nester : NULL;
}

/* ---- when it has ended ----------------------------------------------------------------------- */

static bool is_tail(const ifl_nested_entry *entry)
{
    enum { TAIL_STREAM = 3 /* cudaStreamTailLaunch */ };
    return entry->stream == TAIL_STREAM;
}

/* From the last to the first: the one that is pushed last runs first. */
static bool wait_all(ifl_nested *nested, bool tails)
{
    bool has_room = true;
    for (size_t i = nested->launched.count; i-- > 0 && has_room;)
        if (is_tail(&nested->launched.at[i]) == tails) {
            has_room = ifl_vec_push(&nested->waiting, nested->launched.at[i]);
            nested->launched.at[i].params = has_room ? NULL : nested->launched.at[i].params;
        }
    return has_room;
}

static void forget(ifl_nested_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(entries[i].params);
        entries[i].params = NULL;
    }
}

static void drop_rooms(ifl_session *session, ifl_nested_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ifl_memory_drop(session->memory, entries[i].room);
}

static void forget_waiting(ifl_nested *nested)
{
    forget(nested->waiting.at, nested->waiting.count);
    nested->waiting.count = 0;
}

ifl_status ifl_nested_end(ifl_session *session, bool is_complete, ifl_error *error)
{
    ifl_nested *nested = &session->nested;
    const bool has_room = !is_complete || (wait_all(nested, true) && wait_all(nested, false));
    drop_rooms(session, nested->prepared.at, nested->prepared.count);
    drop_rooms(session, nested->launched.at, nested->launched.count);
    forget(nested->launched.at, nested->launched.count);
    nested->prepared.count = nested->launched.count = 0;
    if (!is_complete || !has_room)
        forget_waiting(nested);
    return has_room ? IFL_OK : ifl_fail_memory(error, sizeof *nested->waiting.at);
}

ifl_status ifl_session_next(ifl_session *session, ifl_session_launch *next, ifl_error *error)
{
    ifl_nested *nested = &session->nested;
    forget(&nested->current, 1);
    *next = (ifl_session_launch){.kernel = NULL};
    if (!nested->waiting.count)
        return IFL_OK;
    nested->current = nested->waiting.at[--nested->waiting.count];
    const ifl_nested_entry *entry = &nested->current;
    snprintf(nested->site, sizeof nested->site, "kernel %s", entry->by->signature);
    *next = (ifl_session_launch){.dynamic_shared_bytes = entry->shape.dynamic_shared_bytes,
                                 .stack_bytes = entry->stack_bytes,
                                 .params = entry->params,
                                 .site = nested->site};
    memcpy(next->grid, entry->shape.grid, sizeof next->grid);
    memcpy(next->block, entry->shape.block, sizeof next->block);
    const ifl_status status = ifl_session_find(session, entry->by->loaded,
                                               entry->text->kernel->name, &next->kernel, error);
    if (status != IFL_OK)
        forget_waiting(nested);
    return status;
}

void ifl_nested_free(ifl_nested *nested)
{
    forget(&nested->current, 1);
    forget_waiting(nested);
    ifl_vec_free(&nested->prepared);
    ifl_vec_free(&nested->launched);
    ifl_vec_free(&nested->waiting);
}
