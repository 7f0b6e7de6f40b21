/* SPDX-License-Identifier: Apache-2.0
 * See repeat.h. What a launch reads and writes is known by allocation (src/exec/access.c:
 * ifl_warp_note_use). A launch is looked at when it comes a second time, and memory is kept when it
 * comes a third time, so that programs that repeat nothing pay nothing. */
#include "session/repeat.h"

#include "count/observe.h"
#include "device/block_places.h"
#include "exec/memory.h"
#include "session/foreseen.h"
#include "session/session_internal.h"

#include <stdlib.h>
#include <string.h>

static bool can_repeat(const ifl_session *session, const ifl_session_launch *launch)
{
    const ifl_demands *demands = &launch->kernel->image.demands;
    const ifl_session_options *options = &session->options;
    return !options->every_launch && options->code != IFL_CHOOSE_BOTH && !options->check_reads &&
           !options->check_races && !demands->reads_clock && !demands->reads_graph &&
           !ifl_provided_any_outside(demands->calls) && !demands->cooperative &&
           !ifl_memory_has_copies(session->memory);
}

static bool is_of(const ifl_repeat *repeat, const ifl_session_launch *launch)
{
    return repeat->params && repeat->stack_bytes == launch->stack_bytes &&
           memcmp(repeat->params, launch->params, launch->kernel->image.demands.param_bytes) == 0;
}

static ifl_repeat *seen_before(ifl_repeat_list *list, const ifl_session_launch *launch)
{
    for (size_t i = 0; i < IFL_REPEATS; i++)
        if (is_of(&list->at[i], launch))
            return &list->at[i];
    return NULL;
}

/* ---- memory as it was ------------------------------------------------------------------------ */

/* It holds what the launch left there, which the launch does not look at. */
static bool is_left(const ifl_allocation *a, const ifl_repeat_use *use)
{
    return a->version == use->after && !(use->is_read && use->is_changed);
}

/* Equal bytes make its version one that stands for them. */
static bool is_as_before(const ifl_allocation *a, ifl_repeat_use *use)
{
    if (!use->is_kept_whole)
        return false;
    if (a->version != use->before && memcmp(a->host, use->kept, use->bytes) == 0)
        use->before = a->version;
    return a->version == use->before;
}

static bool is_unchanged(const ifl_memory *memory, ifl_repeat_use *use)
{
    const ifl_allocation *a = ifl_memory_find(memory, use->address);
    return a && !(a->flags & IFL_ALLOCATION_FREED) && a->address == use->address &&
           a->bytes == use->bytes && (is_left(a, use) || is_as_before(a, use));
}

/* What it only reads is asked first: that costs nothing. */
static bool are_unchanged(const ifl_memory *memory, const ifl_repeat *repeat)
{
    bool is_same = repeat->uses.count != 0;
    for (int changed = 0; changed < 2; changed++)
        for (size_t i = 0; is_same && i < repeat->uses.count; i++)
            if (repeat->uses.at[i].is_changed == (changed == 1))
                is_same = is_unchanged(memory, &repeat->uses.at[i]);
    return is_same;
}

const ifl_repeat *ifl_repeat_take(ifl_session *session, ifl_repeat_list *list,
                                  const ifl_session_launch *launch, ifl_watch_depth depth)
{
    ifl_repeat *repeat = can_repeat(session, launch) ? seen_before(list, launch) : NULL;
    if (!repeat || repeat->depth < depth || !are_unchanged(session->memory, repeat))
        return NULL;
    for (size_t i = 0; i < repeat->uses.count; i++) {
        const ifl_repeat_use *use = &repeat->uses.at[i];
        ifl_allocation *a = ifl_memory_find(session->memory, use->address);
        if (!use->is_changed || is_left(a, use))
            continue;
        memcpy(a->host, use->kept + use->bytes, use->bytes);
        a->version = use->after;
    }
    repeat->misses = 0;
    repeat->last_used = ifl_memory_launch(session->memory);
    return repeat;
}

/* ---- keeping it ------------------------------------------------------------------------------ */

/* Of all launches together; and for each thread of one, so that keeping costs less than running. */
enum { MOST_KEPT = 256 << 20, MOST_KEPT_PER_THREAD = 64 };

/* Whose input is another each time, as an iteration's is, is not looked at for ever. */
enum { MOST_MISSES = 4 };

static uint64_t kept_bytes(const ifl_repeat *repeat)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < repeat->uses.count; i++)
        bytes += repeat->uses.at[i].kept ? 2 * repeat->uses.at[i].bytes : 0;
    return bytes;
}

static uint64_t changed_bytes(const ifl_repeat *repeat)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < repeat->uses.count; i++)
        bytes += repeat->uses.at[i].is_changed ? repeat->uses.at[i].bytes : 0;
    return bytes;
}

static void drop_kept(ifl_repeat *repeat)
{
    for (size_t i = 0; i < repeat->uses.count; i++) {
        free(repeat->uses.at[i].kept);
        repeat->uses.at[i].kept = NULL;
        repeat->uses.at[i].is_kept_whole = false;
    }
}

/* That was not used for longest, of all launches; NULL: none keeps anything. */
static ifl_repeat *oldest_kept(ifl_ledger *ledger, uint64_t *all_bytes)
{
    ifl_repeat *oldest = NULL;
    *all_bytes = 0;
    for (size_t r = 0; r < ledger->rows.count; r++)
        for (size_t i = 0; i < IFL_REPEATS; i++) {
            ifl_repeat *repeat = &ledger->rows.at[r].repeats.at[i];
            const uint64_t bytes = kept_bytes(repeat);
            *all_bytes += bytes;
            if (bytes && (!oldest || repeat->last_used < oldest->last_used))
                oldest = repeat;
        }
    return oldest;
}

static bool make_room(ifl_ledger *ledger, uint64_t bytes)
{
    uint64_t all;
    if (bytes > MOST_KEPT)
        return false;
    for (ifl_repeat *oldest; (oldest = oldest_kept(ledger, &all)) && all + bytes > MOST_KEPT;)
        drop_kept(oldest);
    return true;
}

static void keep_before(const ifl_memory *memory, ifl_repeat_use *use)
{
    const ifl_allocation *a = ifl_memory_find(memory, use->address);
    if (!use->is_changed || !a || a->flags & IFL_ALLOCATION_FREED || a->address != use->address ||
        a->bytes != use->bytes)
        return;
    use->kept = malloc(2 * use->bytes);
    use->before = a->version;
    if (use->kept)
        memcpy(use->kept, a->host, use->bytes);
}

void ifl_repeat_begin(ifl_session *session, ifl_repeat_list *list, const ifl_session_launch *launch)
{
    ifl_repeat *repeat = can_repeat(session, launch) ? seen_before(list, launch) : NULL;
    if (!repeat)
        return;
    drop_kept(repeat);
    const uint64_t bytes = changed_bytes(repeat),
                   threads = ifl_place_count(launch->grid) * ifl_place_count(launch->block);
    if (repeat->misses >= MOST_MISSES || !bytes || bytes / MOST_KEPT_PER_THREAD > threads ||
        !make_room(&session->ledger, 2 * bytes))
        return;
    for (size_t i = 0; i < repeat->uses.count; i++)
        keep_before(session->memory, &repeat->uses.at[i]);
    repeat->last_used = ifl_memory_launch(session->memory);
}

/* ---- what it was ----------------------------------------------------------------------------- */

static void forget(ifl_repeat *repeat)
{
    drop_kept(repeat);
    ifl_vec_free(&repeat->uses);
    ifl_observations_free(repeat->states);
    repeat->states = NULL;
}

/* What was kept of an allocation before this launch, and what it holds now. */
static void keep_after(ifl_repeat *earlier, const ifl_allocation *a, ifl_repeat_use *use)
{
    for (size_t i = 0; use->is_changed && i < earlier->uses.count; i++) {
        ifl_repeat_use *was = &earlier->uses.at[i];
        if (was->address != use->address || was->bytes != use->bytes || !was->kept)
            continue;
        use->kept = was->kept;
        use->before = was->before;
        use->is_kept_whole = true;
        was->kept = NULL;
        memcpy(use->kept + use->bytes, a->host, use->bytes);
    }
}

/* The bytes of the program itself, which no call tells of, make it impossible to say what a launch
 * would do. */
static bool add_use(ifl_repeat *repeat, ifl_repeat *earlier, const ifl_allocation *a,
                    uint64_t number)
{
    ifl_repeat_use use = {.address = a->address,
                          .bytes = a->bytes,
                          .is_read = a->read_by == number,
                          .is_changed = a->changed_by == number,
                          .before = a->version,
                          .after = a->version};
    if (!use.is_read && !use.is_changed)
        return true;
    if (a->flags & (IFL_ALLOCATION_ADOPTED | IFL_ALLOCATION_HOST))
        return false;
    keep_after(earlier, a, &use);
    if (ifl_vec_push(&repeat->uses, use))
        return true;
    free(use.kept);
    return false;
}

/* Machine code reads its module's constants without looking for where they are. */
static bool add_constants(ifl_repeat *repeat, const ifl_ready_kernel *kernel)
{
    const ifl_allocation *constants = kernel->object ? kernel->object->constants : NULL;
    return !constants ||
           ifl_vec_push(&repeat->uses, ((ifl_repeat_use){.address = constants->address,
                                                         .bytes = constants->bytes,
                                                         .is_read = true,
                                                         .before = constants->version,
                                                         .after = constants->version}));
}

static bool take_uses(ifl_repeat *repeat, ifl_repeat *earlier, const ifl_memory *memory,
                      const ifl_ready_kernel *kernel)
{
    bool is_done = add_constants(repeat, kernel);
    const uint64_t number = ifl_memory_launch(memory);
    for (size_t i = 0; is_done && i < ifl_memory_count(memory); i++)
        is_done = add_use(repeat, earlier, ifl_memory_at(memory, i), number);
    return is_done;
}

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
    ifl_repeat earlier = *repeat;
    memset(&repeat->uses, 0, sizeof repeat->uses);
    repeat->states = NULL;
    const bool is_known = take_uses(repeat, &earlier, session->memory, launch->kernel);
    forget(&earlier);
    if (!is_known) {
        forget(repeat);
        return;
    }
    repeat->depth = depth;
    repeat->blocks_done = figures->blocks_done;
    repeat->model_us = figures->model_us;
    repeat->seconds = figures->seconds;
    repeat->states =
        depth == IFL_WATCH_NOTHING ? NULL : ifl_states_copy(&launch->kernel->image.sites, states);
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
