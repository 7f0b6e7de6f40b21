/* SPDX-License-Identifier: Apache-2.0
 * See watch.h. */
#include "session/watch.h"

#include "base/utf8.h"
#include "count/observe.h"
#include "device/block_places.h"
#include "ptx/estimate.h"
#include "session/lines.h"
#include "session/machine_code.h"
#include "session/session_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- what watches ---------------------------------------------------------------------------- */

/* As the engine takes them: what the launch says, else what the kernel is made for. Clusters of one
 * block are none. */
static void find_cluster(const ifl_session_launch *launch, uint32_t cluster[3])
{
    const uint32_t *given =
        launch->cluster[0] ? launch->cluster : launch->kernel->image.demands.cluster;
    const bool has_some = ifl_cluster_size(given) > 1;
    for (int i = 0; i < 3; i++)
        cluster[i] = has_some ? given[i] : 0;
}

ifl_grid_demand ifl_launch_demand(const ifl_session_launch *launch)
{
    const ifl_ready_kernel *kernel = launch->kernel;
    ifl_grid_demand demand = {.grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                              .block = {launch->block[0], launch->block[1], launch->block[2]},
                              .registers = kernel->registers,
                              .shared_bytes = kernel->image.demands.declared_shared +
                                              launch->dynamic_shared_bytes,
                              .shared_preference = launch->shared_preference};
    find_cluster(launch, demand.cluster);
    return demand;
}

static ifl_status follow_caches(ifl_watch *watch, const ifl_device *const *devices, size_t count,
                                const ifl_session_launch *launch, ifl_error *error)
{
    const ifl_status status = ifl_cache_run_init(&watch->caches, devices, count, error);
    if (status != IFL_OK)
        return status;
    const ifl_grid_demand shape = ifl_launch_demand(launch);
    ifl_cache_run_shape(&watch->caches, &shape);
    watch->observers[watch->count++] = &watch->caches.observer;
    return IFL_OK;
}

/* PTX has no control words. */
static void follow_warps(ifl_watch *watch, const ifl_device *const *devices, size_t count,
                         const ifl_session_launch *launch)
{
    if (!launch->kernel->object)
        return;
    const ifl_grid_demand shape = ifl_launch_demand(launch);
    ifl_time_run_init(&watch->time, devices, count);
    ifl_time_run_shape(&watch->time, &shape);
    watch->time_at = watch->count;
    watch->observers[watch->count++] = &watch->time.observer;
}

static ifl_status follow(ifl_watch *watch, const ifl_device *const *devices, size_t count,
                         const ifl_session_launch *launch, ifl_error *error)
{
    const ifl_status status = follow_caches(watch, devices, count, launch, error);
    if (status == IFL_OK)
        follow_warps(watch, devices, count, launch);
    return status;
}

ifl_status ifl_watch_begin(ifl_watch *watch, ifl_watch_depth depth, ifl_session *session,
                           const ifl_device *const *devices, size_t device_count,
                           const ifl_session_launch *launch, ifl_error *error)
{
    *watch = (ifl_watch){.depth = depth, .workspace = &session->workspace};
    if (ifl_observation_count + 2 > IFL_WATCH_MOST)
        return ifl_fail(error, IFL_INTERNAL, "%zu observers are too many", ifl_observation_count);
    for (size_t i = 0; depth != IFL_WATCH_NOTHING && i < ifl_observation_count; i++)
        watch->observers[watch->count++] = ifl_observations[i]->observer;
    return depth == IFL_WATCH_MODEL && device_count
               ? follow(watch, devices, device_count, launch, error)
               : IFL_OK;
}

void ifl_watch_end(ifl_watch *watch)
{
    ifl_cache_run_free(&watch->caches);
}

/* ---- profiles -------------------------------------------------------------------------------- */

const char *ifl_profile_copy_text(ifl_profile *profile, const char *text)
{
    char *copy = ifl_arena_text(&profile->arena, text, strlen(text));
    if (copy)
        ifl_utf8_clean(copy);
    return copy;
}

ifl_status ifl_profile_warn(ifl_profile *profile, ifl_error *error, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    text[strcspn(text, "\n")] = '\0';
    const char *copy = ifl_profile_copy_text(profile, text);
    return copy && ifl_vec_push(&profile->warnings, copy) ? IFL_OK
                                                          : ifl_fail_memory(error, sizeof text);
}

ifl_status ifl_profile_describe(const ifl_session_launch *launch, const char *backend,
                                ifl_profile *profile, ifl_error *error)
{
    const ifl_ready_kernel *kernel = launch->kernel;
    const char *const texts[] = {kernel->kernel->name, kernel->signature, kernel->module->path,
                                 kernel->kernel->target};
    const char **const to[] = {&profile->kernel, &profile->signature, &profile->file,
                               &profile->target};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        *to[i] = ifl_profile_copy_text(profile, texts[i]);
        if (!*to[i])
            return ifl_fail_memory(error, strlen(texts[i]));
    }
    memcpy(profile->grid, launch->grid, sizeof profile->grid);
    memcpy(profile->block, launch->block, sizeof profile->block);
    find_cluster(launch, profile->cluster);
    profile->shared_bytes = kernel->image.demands.declared_shared + launch->dynamic_shared_bytes;
    profile->shared_preference = launch->shared_preference;
    profile->reads_clock = kernel->image.demands.reads_clock;
    profile->program.is_debug =
        !kernel->object && kernel->kernel->program && kernel->kernel->program->is_debug;
    profile->backend = backend;
    return IFL_OK;
}

uint8_t ifl_left_out_by(const ifl_exec_result *result)
{
    return (uint8_t)((result->remote_requests ? IFL_LEFT_OUT_REMOTE : 0) |
                     (result->prints ? IFL_LEFT_OUT_PRINTS : 0) |
                     (result->heap_calls ? IFL_LEFT_OUT_HEAP : 0) |
                     (result->uses_host ? IFL_LEFT_OUT_HOST : 0));
}

ifl_status ifl_profile_warn_left_out(ifl_profile *profile, uint8_t left_out, ifl_error *error)
{
    static const struct {
        uint8_t what;
        const char *text;
    } rows[] = {
        {IFL_LEFT_OUT_REMOTE, "advice leaves out accesses to shared memory of other blocks of a "
                              "cluster (counters dshared_*), and so do times of PTX"},
        {IFL_LEFT_OUT_PRINTS, "printf is not counted: times leave it out (kernels that print took "
                              "30 to 560 µs on an H100)"},
        {IFL_LEFT_OUT_HEAP,
         "what malloc and free execute is not counted: times leave it out (on an H200 malloc and "
         "free took 13 and 12 µs for a thread by itself, 3,000 and 4,000 for 132 blocks of 256)"},
        {IFL_LEFT_OUT_HOST, "it uses memory of the host in place (cudaHostAlloc, "
                            "cudaHostRegister): counters of caches "
                            "leave that out, and times of PTX take it for the GPU's own"},
        {IFL_LEFT_OUT_WAITS,
         "it waited for memory that the host or another kernel changes: its counts "
         "and its time are those of the loops as they ran here"},
    };
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == IFL_OK; i++)
        if (left_out & rows[i].what)
            status = ifl_profile_warn(profile, error, "%s", rows[i].text);
    return status;
}

ifl_status ifl_profile_count_states(const ifl_ready_kernel *kernel, void *const *states,
                                    ifl_profile *profile, ifl_error *error)
{
    const ifl_sites *sites = &kernel->image.sites;
    int32_t *line_of = calloc(sites->count + 1, sizeof *line_of);
    if (!line_of)
        return ifl_fail_memory(error, sites->count * sizeof *line_of);
    ifl_status status =
        ifl_lines_build(&kernel->image, kernel->module->path, line_of, profile, error);
    for (size_t i = 0; i < ifl_observation_count && status == IFL_OK; i++)
        if (states[i])
            status = ifl_observations[i]->report(states[i], sites, line_of, profile, error);
    free(line_of);
    if (status == IFL_OK)
        ifl_lines_settle(profile);
    return status;
}

/* ---- for the models -------------------------------------------------------------------------- */

static void *state_of(const ifl_observation *wanted, void *const *states)
{
    for (size_t i = 0; i < ifl_observation_count; i++)
        if (ifl_observations[i] == wanted)
            return states[i];
    return NULL;
}

/* Warps that the launch bounds leave room for. */
static uint32_t bound_warps(const ifl_demands *demands)
{
    const uint32_t *bound =
        demands->required_threads[0] ? demands->required_threads : demands->max_threads;
    const uint64_t threads = (uint64_t)bound[0] * bound[1] * bound[2];
    const uint64_t blocks = demands->min_blocks ? demands->min_blocks : 1;
    return threads && threads <= 1024 && blocks <= 64 ? (uint32_t)((threads + 31) / 32 * blocks)
                                                      : 0;
}

/* What the order of the PTX says, where machine code does not. */
static ifl_status take_estimate(const ifl_ready_kernel *kernel, const void *mix,
                                ifl_profile *profile, ifl_error *error)
{
    ifl_ptx_estimate found;
    uint64_t *warps = calloc(kernel->image.sites.count + 1, sizeof *warps);
    if (!warps)
        return ifl_fail_memory(error, kernel->image.sites.count * sizeof *warps);
    ifl_mix_issued(mix, warps);
    const ifl_status status =
        ifl_ptx_estimate_find(kernel->kernel->program, &kernel->image, warps, &found, error);
    free(warps);
    if (status != IFL_OK)
        return status;
    ifl_program_facts *to = &profile->program;
    to->registers = found.registers;
    to->load_waits = found.load_waits;
    to->load_spread = found.load_spread;
    to->shared_waits = found.shared_waits;
    to->chain = found.chain;
    to->bound_warps = bound_warps(&kernel->image.demands);
    to->known = true;
    return IFL_OK;
}

/* What its own machine code says, with how often each instruction was issued. */
static ifl_status take_machine(ifl_ready_kernel *kernel, const void *mix, bool listed,
                               ifl_profile *profile, ifl_error *error)
{
    uint64_t *issued = calloc(kernel->image.sites.count + 1, sizeof *issued);
    if (!issued)
        return ifl_fail_memory(error, kernel->image.sites.count * sizeof *issued);
    ifl_mix_issued(mix, issued);
    const ifl_status status = ifl_machine_code_ran(kernel, issued, listed, profile, error);
    free(issued);
    return status;
}

/* Why its PTX runs although there is an assembler. */
static ifl_status take_unassembled(const ifl_ready_kernel *kernel, ifl_profile *profile,
                                   ifl_error *error)
{
    const ifl_error *own = &kernel->module->assembled.why_not;
    const ifl_error *why =
        kernel->loaded->assembled.why_not.text[0] ? &kernel->loaded->assembled.why_not : own;
    return kernel->object || !why->text[0]
               ? IFL_OK
               : ifl_profile_warn(profile, error, "the PTX ran instead of machine code: %s",
                                  why->text);
}

ifl_status ifl_watch_report(const ifl_watch *watch, const ifl_session_launch *launch,
                            void *const *states, uint64_t buffer_bytes, ifl_profile *profile,
                            ifl_error *error)
{
    ifl_ready_kernel *kernel = launch->kernel;
    const void *mix = state_of(&ifl_observe_mix, states);
    const bool has_caches = watch->count > ifl_observation_count;
    ifl_status status = take_unassembled(kernel, profile, error);
    profile->program.buffer_bytes = buffer_bytes;
    if (status == IFL_OK && mix)
        status = kernel->object ? take_machine(kernel, mix, watch->listed, profile, error)
                                : take_estimate(kernel, mix, profile, error);
    if (status == IFL_OK && !kernel->object)
        status = ifl_machine_code_beside(kernel, profile, error);
    if (status == IFL_OK && has_caches && states[ifl_observation_count])
        status = ifl_cache_run_report(&watch->caches, states[ifl_observation_count],
                                      watch->workspace, profile, error);
    if (status == IFL_OK && watch->time_at && states[watch->time_at])
        status = ifl_time_run_report(&watch->time, states[watch->time_at], &kernel->image.sites,
                                     profile, error);
    if (status == IFL_OK)
        status = ifl_lines_tell(kernel->module->path, profile, error);
    return status;
}
