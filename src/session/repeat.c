/* SPDX-License-Identifier: Apache-2.0
 * See repeat.h. What a launch reads and writes is known by allocation (src/exec/access.c:
 * ifl_warp_note_use). A launch is looked at when it comes a second time, so that programs that
 * repeat nothing pay nothing. */
#include "session/repeat.h"

#include "count/observe.h"
#include "exec/memory.h"
#include "session/session_internal.h"

#include <stdlib.h>
#include <string.h>

static bool can_repeat(const ifl_session *session, const ifl_session_launch *launch)
{
    const ifl_demands *demands = &launch->kernel->image.demands;
    const ifl_session_options *options = &session->options;
    return !options->every_launch && !options->check_reads && !options->check_races &&
           !demands->reads_clock && !demands->calls_outside && !demands->cooperative;
}

static bool is_of(const ifl_repeat *repeat, const ifl_session_launch *launch)
{
    return repeat->params && repeat->stack_bytes == launch->stack_bytes &&
           memcmp(repeat->params, launch->params, launch->kernel->image.demands.param_bytes) == 0;
}

static bool is_unchanged(const ifl_memory *memory, const ifl_repeat *repeat)
{
    for (size_t i = 0; i < repeat->uses.count; i++) {
        const ifl_repeat_use *use = &repeat->uses.at[i];
        const ifl_allocation *a = ifl_memory_find(memory, use->address);
        if (!a || a->flags & IFL_ALLOCATION_FREED || a->version != use->version)
            return false;
    }
    return repeat->uses.count != 0;
}

const ifl_repeat *ifl_repeat_find(const ifl_session *session, const ifl_repeat_list *list,
                                  const ifl_session_launch *launch, ifl_watch_depth depth)
{
    if (!can_repeat(session, launch))
        return NULL;
    for (size_t i = 0; i < IFL_REPEATS; i++) {
        const ifl_repeat *repeat = &list->at[i];
        if (is_of(repeat, launch) && repeat->depth >= depth &&
            is_unchanged(session->memory, repeat))
            return repeat;
    }
    return NULL;
}

/* ---- what it was ----------------------------------------------------------------------------- */

static void free_states(void **states)
{
    for (size_t i = 0; states && i < ifl_observation_count; i++)
        if (states[i])
            ifl_observations[i]->observer->destroy(states[i]);
    free(states);
}

static void forget(ifl_repeat *repeat)
{
    ifl_vec_free(&repeat->uses);
    free_states(repeat->states);
    repeat->states = NULL;
}

static void **copy_states(const ifl_sites *sites, void *const *states)
{
    void **copy = calloc(ifl_observation_count, sizeof *copy);
    for (size_t i = 0; copy && i < ifl_observation_count; i++) {
        const ifl_observer *observer = ifl_observations[i]->observer;
        copy[i] = observer->create(sites);
        if (!copy[i] || !states[i]) {
            free_states(copy);
            return NULL;
        }
        observer->merge(copy[i], states[i]);
    }
    return copy;
}

/* The bytes of the program itself, which no call tells of, and bytes both read and written make it
 * impossible to say what a launch would do. */
static bool add_use(ifl_repeat *repeat, const ifl_allocation *a, uint64_t number)
{
    const bool is_read = a->read_by == number, is_changed = a->changed_by == number;
    if (!is_read && !is_changed)
        return true;
    if ((is_read && is_changed) || a->flags & (IFL_ALLOCATION_ADOPTED | IFL_ALLOCATION_HOST))
        return false;
    return ifl_vec_push(&repeat->uses, ((ifl_repeat_use){a->address, a->version}));
}

/* Machine code reads its module's constants without looking for where they are. */
static bool add_constants(ifl_repeat *repeat, const ifl_ready_kernel *kernel)
{
    const ifl_allocation *constants = kernel->object ? kernel->object->constants : NULL;
    return !constants ||
           ifl_vec_push(&repeat->uses, ((ifl_repeat_use){constants->address, constants->version}));
}

static bool take_uses(ifl_repeat *repeat, const ifl_memory *memory, const ifl_ready_kernel *kernel)
{
    bool is_done = add_constants(repeat, kernel);
    const uint64_t number = ifl_memory_launch(memory);
    for (size_t i = 0; is_done && i < ifl_memory_count(memory); i++)
        is_done = add_use(repeat, ifl_memory_at(memory, i), number);
    return is_done;
}

static ifl_repeat *seen_before(ifl_repeat_list *list, const ifl_session_launch *launch)
{
    for (size_t i = 0; i < IFL_REPEATS; i++)
        if (is_of(&list->at[i], launch))
            return &list->at[i];
    return NULL;
}

/* Whose input is another each time, as an iteration's is, is not looked at for ever. */
enum { MOST_MISSES = 4 };

/* For the next time: its arguments alone. */
static void see_first(ifl_repeat_list *list, const ifl_session_launch *launch)
{
    const size_t bytes = launch->kernel->image.demands.param_bytes;
    ifl_repeat *repeat = &list->at[list->next++ % IFL_REPEATS];
    forget(repeat);
    free(repeat->params);
    *repeat = (ifl_repeat){.params = malloc(bytes + 1), .stack_bytes = launch->stack_bytes};
    if (repeat->params)
        memcpy(repeat->params, launch->params, bytes);
}

void ifl_repeat_note(ifl_session *session, ifl_repeat_list *list, const ifl_session_launch *launch,
                     ifl_watch_depth depth, void *const *states, const ifl_repeat *figures)
{
    if (!can_repeat(session, launch))
        return;
    ifl_repeat *repeat = seen_before(list, launch);
    if (!repeat) {
        see_first(list, launch);
        return;
    }
    if (repeat->uses.count && ++repeat->misses > MOST_MISSES)
        return;
    forget(repeat);
    if (!take_uses(repeat, session->memory, launch->kernel)) {
        forget(repeat);
        return;
    }
    repeat->depth = depth;
    repeat->blocks_done = figures->blocks_done;
    repeat->model_us = figures->model_us;
    repeat->seconds = figures->seconds;
    repeat->states =
        depth == IFL_WATCH_NOTHING ? NULL : copy_states(&launch->kernel->image.sites, states);
    if (depth != IFL_WATCH_NOTHING && !repeat->states)
        forget(repeat);
}

void ifl_repeats_free(ifl_repeat_list *list)
{
    for (size_t i = 0; i < IFL_REPEATS; i++) {
        forget(&list->at[i]);
        free(list->at[i].params);
    }
}
