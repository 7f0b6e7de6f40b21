/* SPDX-License-Identifier: Apache-2.0
 * See watch.h. The same observers and the same machine code as src/run/run_launch.c has, for a launch whose parameters
 * a program made. */
#include "host/watch.h"

#include "host/context_internal.h"
#include "observe/observe.h"
#include "run/machine_code.h"
#include "run/program_order.h"

#include <stdlib.h>
#include <string.h>

/* Behind the observers of ifl_observations. */
enum { ORDER, CACHES, EXTRA };

static ifl_status follow_caches(ifl_watch *watch, const ifl_host_launch *launch, ifl_error *error)
{
    const ifl_host_kernel *kernel = launch->kernel;
    const ifl_status status =
        ifl_cache_run_init(&watch->caches, &watch->device, 1, kernel->program, kernel->reached, error);
    if (status == IFL_OK)
        ifl_cache_run_shape(&watch->caches, launch->grid, launch->block);
    return status;
}

ifl_status ifl_watch_begin(ifl_watch *watch, ifl_watch_depth depth, const ifl_device *device,
                           const ifl_host_launch *launch, ifl_error *error)
{
    *watch = (ifl_watch){.depth = depth, .device = device};
    if (ifl_observation_count + EXTRA > IFL_WATCH_MOST)
        return ifl_fail(error, IFL_INTERNAL, "%zu observers are too many", ifl_observation_count);
    if (depth == IFL_WATCH_NOTHING)
        return IFL_OK;
    for (size_t i = 0; i < ifl_observation_count; i++)
        watch->observers[watch->count++] = ifl_observations[i]->observer;
    if (depth == IFL_WATCH_COUNTERS)
        return IFL_OK;
    watch->observers[ifl_observation_count + ORDER] = &ifl_order_observer;
    watch->observers[ifl_observation_count + CACHES] = &watch->caches.observer;
    watch->count += EXTRA;
    return follow_caches(watch, launch, error);
}

void ifl_watch_end(ifl_watch *watch)
{
    ifl_cache_run_free(&watch->caches);
}

/* ---- what the launch was given ----------------------------------------------------------------- */

static bool is_among(const ifl_allocation *a, const ifl_allocation *const *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i] == a)
            return true;
    return false;
}

/* A word of the parameters that is an address of an allocation is a pointer to it, also in the middle of a structure. */
static ifl_status find_buffers(const ifl_host_launch *launch, const ifl_memory *memory, uint64_t *bytes,
                               ifl_error *error)
{
    const size_t words = launch->kernel->function->param_bytes / sizeof(uint64_t);
    const ifl_allocation **found = calloc(words + 1, sizeof *found);
    size_t count = 0;
    if (!found)
        return ifl_fail_memory(error, words * sizeof *found);
    *bytes = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, launch->params + i * sizeof word, sizeof word);
        const ifl_allocation *a = ifl_memory_find(memory, word);
        if (!a || a->flags & IFL_ALLOCATION_FREED || is_among(a, found, count))
            continue;
        found[count++] = a;
        *bytes += a->bytes;
    }
    free(found);
    return IFL_OK;
}

ifl_status ifl_watch_report(const ifl_watch *watch, const ifl_host_launch *launch, const ifl_memory *memory,
                            void *const *states, ifl_profile *profile, ifl_error *error)
{
    const ifl_host_kernel *kernel = launch->kernel;
    const uint32_t function = (uint32_t)(kernel->function - kernel->program->functions);
    const void *order = states[ifl_observation_count + ORDER], *caches = states[ifl_observation_count + CACHES];
    ifl_status status = find_buffers(launch, memory, &profile->program.buffer_bytes, error);
    if (status == IFL_OK && order)
        status = ifl_order_report(order, kernel->program, function, &profile->program, error);
    if (status == IFL_OK && kernel->loaded->machine)
        status = ifl_machine_code_take(kernel->loaded->machine, kernel->program, kernel->function, profile, error);
    if (status == IFL_OK && caches)
        status = ifl_cache_run_report(&watch->caches, caches, profile, error);
    return status;
}
