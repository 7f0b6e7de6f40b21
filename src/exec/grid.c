/* SPDX-License-Identifier: Apache-2.0
 * One launch: spreads blocks over workers, merges what was seen. */
#include "base/cache_lines.h"
#include "base/crew.h"
#include "base/figure.h"
#include "exec/bind.h"
#include "exec/race.h"
#include "exec/spare.h"
#include "exec/warp.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the grid -------------------------------------------------------------------------------- */

struct ifl_engine {
    ifl_binding binding;
    ifl_spare spare;
    uint64_t clock; /* readings of clocks in all launches: time goes on between them */
};

ifl_status ifl_engine_new(const char *vector_width, ifl_engine **out, ifl_error *error)
{
    const ifl_width *width = vector_width ? ifl_width_find(vector_width) : ifl_width_best();
    *out = NULL;
    if (!width)
        return ifl_fail(error, IFL_UNSUPPORTED,
                        "vector width '%s': this build or this processor does not have it",
                        vector_width);
    ifl_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return ifl_fail_memory(error, sizeof *engine);
    const ifl_status status = ifl_binding_init(&engine->binding, width, error);
    if (status == IFL_OK)
        *out = engine;
    else
        ifl_engine_free(engine);
    return status;
}

void ifl_engine_free(ifl_engine *engine)
{
    if (!engine)
        return;
    ifl_spare_free(&engine->spare);
    ifl_binding_free(&engine->binding);
    free(engine);
}

/* Only what the kernel names counts: another kernel of the file may have more. Dynamic shared
 * memory begins where the reader put the unsized array, or behind the rest. */
static uint64_t shared_bytes(const ifl_exec_launch *launch, const ifl_demands *demands)
{
    const uint64_t start = demands->static_shared > demands->dynamic_shared
                               ? demands->static_shared
                               : demands->dynamic_shared;
    return start + launch->dynamic_shared_bytes;
}

static ifl_status fill_grid(ifl_grid *grid, const ifl_exec_launch *launch, ifl_error *error)
{
    grid->launch = launch;
    grid->image = launch->image;
    grid->blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    grid->fault_block = UINT64_MAX;
    grid->threads_per_block = launch->block[0] * launch->block[1] * launch->block[2];
    grid->warps_per_block = (grid->threads_per_block + IFL_WARP_LANES - 1) / IFL_WARP_LANES;
    grid->own_shared = shared_bytes(launch, &launch->image->demands);
    grid->shared_bytes = grid->own_shared;
    grid->reserved_first = launch->image->demands.reserved_first;
    if (launch->image->demands.reserves_shared) {
        grid->shared_bytes = ifl_reserved_shared_at(grid) + IFL_RESERVED_SHARED;
    }
    grid->launch_number = ifl_memory_launch(launch->memory);
    grid->may_widen = launch->image->demands.ordered;
    const ifl_status status = ifl_clusters_shape(grid, launch, error);
    if (status != IFL_OK)
        return status;
    const uint32_t blocks = launch->resident > 0 ? (uint32_t)launch->resident : 1;
    grid->resident = (blocks + grid->cluster_blocks - 1) / grid->cluster_blocks;
    if (grid->resident > grid->clusters)
        grid->resident = (uint32_t)grid->clusters;
    grid->looks_only = grid->keeps_pace =
        launch->image->demands.looks_first && launch->observer_count && grid->clusters > 1;
    return IFL_OK;
}

/* Grid-wide synchronisation needs every block at once. */
static ifl_status make_cooperative(ifl_grid *grid, ifl_allocation **workspace, ifl_error *error)
{
    const ifl_exec_launch *launch = grid->launch;
    if (grid->blocks > launch->most_resident)
        return ifl_fail(error, IFL_BAD_INPUT,
                        "a grid of %llu blocks does not fit at once, which grid-wide "
                        "synchronisation needs: this GPU "
                        "holds %llu of them on %u multiprocessors",
                        (unsigned long long)grid->blocks, (unsigned long long)launch->most_resident,
                        launch->sms);
    ifl_status status = ifl_memory_allocate(launch->memory, 4096, 0, 0, "the grid barrier's memory",
                                            workspace, error);
    if (status != IFL_OK)
        return status;
    grid->workspace = (*workspace)->address;
    grid->resident = (uint32_t)grid->clusters;
    return IFL_OK;
}

/* ---- workers --------------------------------------------------------------------------------- */

/* Those that want each contiguous request first. */
static void list_listeners(ifl_worker *worker, const ifl_exec_launch *launch)
{
    for (int keen = 1; keen >= 0; keen--) {
        for (size_t i = 0; i < launch->observer_count; i++) {
            const ifl_observer *observer = launch->observers[i];
            if (observer->access && (observer->contiguous == NULL) == keen)
                worker->listeners[worker->listener_count++] =
                    (ifl_listener){observer->access, worker->states[i]};
        }
        if (keen)
            worker->keen_count = worker->listener_count;
    }
}

static bool make_states(ifl_worker *worker, const ifl_exec_launch *launch)
{
    worker->states = ifl_lines_new(launch->observer_count + 1, sizeof *worker->states);
    worker->listeners = ifl_lines_new(launch->observer_count + 1, sizeof *worker->listeners);
    if (!worker->states || !worker->listeners)
        return false;
    for (size_t i = 0; i < launch->observer_count; i++) {
        const ifl_observer *observer = launch->observers[i];
        const ifl_sites *sites = &launch->image->sites;
        worker->states[i] = ifl_observer_new(observer, sites, observer->settings);
        if (!worker->states[i])
            return false;
        worker->tells_ends |= launch->observers[i]->block_end != NULL;
        worker->follows |= launch->observers[i]->follows != NULL;
        worker->tells_barriers |= launch->observers[i]->barrier != NULL;
    }
    list_listeners(worker, launch);
    return true;
}

static bool make_worker(ifl_worker *worker, ifl_grid *grid)
{
    const ifl_exec_launch *launch = grid->launch;
    const size_t sites = launch->image->sites.count;
    worker->grid = grid;
    worker->counts = ifl_lines_new(grid->image->block_count + 1, sizeof *worker->counts);
    worker->hint = ifl_lines_new(sites + 1, sizeof *worker->hint);
    worker->likeness =
        launch->observer_count ? ifl_lines_new(sites + 1, sizeof *worker->likeness) : NULL;
    worker->contiguous =
        launch->observer_count ? ifl_lines_new(sites + 1, sizeof *worker->contiguous) : NULL;
    worker->tallies =
        grid->image->tallied ? ifl_lines_new(sites + 1, sizeof *worker->tallies) : NULL;
    /* What is checked takes the general way, where every access goes lane by lane. */
    const bool checks = launch->check_reads || launch->check_races;
    worker->unwritten = checks ? ifl_lines_new(sites + 1, sizeof *worker->unwritten) : NULL;
    worker->races = launch->check_races ? ifl_race_warnings_new(sites) : NULL;
    return worker->counts && worker->hint &&
           ((worker->likeness && worker->contiguous) || !launch->observer_count) &&
           (!grid->image->tallied || worker->tallies) && (!checks || worker->unwritten) &&
           (!launch->check_races || worker->races) && make_states(worker, launch);
}

static void free_worker(ifl_worker *worker)
{
    const ifl_exec_launch *launch = worker->grid ? worker->grid->launch : NULL;
    for (uint32_t b = 0; b < worker->block_count; b++)
        ifl_block_free(&worker->blocks[b]);
    for (size_t i = 0; launch && worker->states && i < launch->observer_count; i++)
        ifl_observer_free(launch->observers[i], worker->states[i]);
    free(worker->states);
    free(worker->listeners);
    free(worker->counts);
    free(worker->hint);
    ifl_likenesses_free(worker);
    ifl_contiguous_free(worker);
    free(worker->tallies);
    free(worker->unwritten);
    free(worker->races);
    free(worker->blocks);
}

static void *worker_main(void *user)
{
    ifl_worker_run(user);
    return NULL;
}

static unsigned worker_count(const ifl_exec_launch *launch, const ifl_grid *grid)
{
    uint64_t count = launch->threads > 0 ? (uint64_t)launch->threads : ifl_crew_cores();
    if (grid->image->demands.ordered || grid->image->demands.cooperative)
        count = 1;
    count = count > grid->clusters ? grid->clusters : count;
    return count < 1 ? 1 : count > 1024 ? 1024 : (unsigned)count;
}

/* ---- results --------------------------------------------------------------------------------- */

static void tell_issues(ifl_worker *worker)
{
    const ifl_grid *grid = worker->grid;
    for (size_t b = 0; b < grid->image->block_count; b++) {
        const ifl_block_count *count = &worker->counts[b];
        const ifl_block_range *range = &grid->image->blocks[b];
        for (uint32_t i = range->first; i < range->last && count->warps; i++) {
            const bool is_tallied = grid->image->tallied && grid->image->tallied[i];
            ifl_issue issue = {.site = i,
                               .warps = count->warps,
                               .threads = count->threads,
                               .executing = is_tallied ? worker->tallies[i] : count->threads};
            for (size_t o = 0; o < grid->launch->observer_count; o++)
                if (grid->launch->observers[o]->issue)
                    grid->launch->observers[o]->issue(worker->states[o], &issue);
        }
    }
}

static void merge_workers(ifl_worker *workers, unsigned count, ifl_exec_result *result)
{
    const ifl_exec_launch *launch = workers[0].grid->launch;
    for (unsigned w = 0; w < count; w++) {
        tell_issues(&workers[w]);
        ifl_contiguous_tell(&workers[w]);
        result->blocks_done += workers[w].done;
        result->remote_requests += workers[w].remote_requests;
        result->prints += workers[w].prints;
        result->heap_calls += workers[w].heap_calls;
        result->uses_host |= workers[w].uses_host;
        for (size_t o = 0; o < launch->observer_count && w; o++)
            launch->observers[o]->merge(workers[0].states[o], workers[w].states[o]);
    }
    result->states = workers[0].states;
    workers[0].states = NULL;
}

static const ifl_worker *lowest_fault(const ifl_worker *workers, unsigned count)
{
    const ifl_worker *found = NULL;
    for (unsigned w = 0; w < count; w++)
        if (workers[w].fault.is_set && (!found || workers[w].fault.block < found->fault.block))
            found = &workers[w];
    return found;
}

/* Where inlined code was called from: "\ninlined at k.cu:71". */
static void append_calls(const ifl_sites *sites, const ifl_source *source, char *to, size_t size)
{
    enum { MOST_CALLS = 8 };
    for (int depth = 0; source->inlined_at && depth < MOST_CALLS; depth++) {
        const size_t used = strlen(to);
        source = &sites->places[source->inlined_at];
        snprintf(to + used, size - used, "\ninlined at %s:%u", sites->files[source->file],
                 source->line);
    }
}

/* Faults name the source line where it is known, else the line of the text that was read. */
static ifl_status report_fault(const ifl_sites *sites, const ifl_fault *fault, ifl_error *error)
{
    const ifl_status status = fault->kind == IFL_FAULT_NO_MEMORY     ? IFL_NO_MEMORY
                              : fault->kind == IFL_FAULT_UNSUPPORTED ? IFL_UNSUPPORTED
                                                                     : IFL_FINDING;
    if (fault->site >= sites->count)
        return ifl_fail(error, status, "%s", fault->text);
    const ifl_place place = ifl_site_place(sites, fault->site);
    const ifl_source *source = ifl_site_source(sites, fault->site);
    char calls[600] = "";
    if (!source && sites->at[fault->site].function)
        return ifl_fail_at(error, status, &place, "%s\nmachine code: %s+0x%x", fault->text,
                           sites->at[fault->site].function, sites->at[fault->site].address);
    if (!source)
        return ifl_fail_at(error, status, &place, "%s", fault->text);
    append_calls(sites, source, calls, sizeof calls);
    const ifl_place at = {.file = sites->files[source->file],
                          .line = (int)source->line,
                          .column = (int)source->column};
    if (sites->at[fault->site].function)
        return ifl_fail_at(error, status, &at, "%s%s\nmachine code: %s+0x%x", fault->text, calls,
                           sites->at[fault->site].function, sites->at[fault->site].address);
    return ifl_fail_at(error, status, &at, "%s%s\nPTX: %s:%d", fault->text, calls, place.file,
                       place.line);
}

bool ifl_exec_warn(ifl_exec_result *result, const char *text)
{
    char **warnings = realloc(result->warnings, (result->warning_count + 1) * sizeof *warnings);
    if (!warnings)
        return false;
    result->warnings = warnings;
    result->warnings[result->warning_count] = strdup(text);
    return result->warnings[result->warning_count] && ++result->warning_count;
}

static void describe_read(const ifl_grid *grid, const ifl_read_warning *warning, uint64_t times,
                          uint32_t site, char *to, size_t size)
{
    const ifl_sites *sites = &grid->image->sites;
    const ifl_allocation *a = ifl_memory_find(grid->launch->memory, warning->address);
    char where[160], place[192];
    ifl_site_where(sites, site, place, sizeof place);
    if (warning->space == IFL_SPACE_SHARED || warning->space == IFL_SPACE_LOCAL || !a)
        snprintf(where, sizeof where, "byte %llu of %s memory",
                 (unsigned long long)warning->address, ifl_space_text(warning->space));
    else
        snprintf(where, sizeof where, "byte %llu of %s",
                 (unsigned long long)(warning->address - a->address), a->label);
    snprintf(to, size,
             "%s: %s reads memory that was never written, %s; first block %llu, thread "
             "%u: %s",
             place, sites->at[site].name, ifl_figure_counted(times, "time").text,
             (unsigned long long)warning->block, warning->warp * IFL_WARP_LANES + warning->lane,
             where);
}

static bool is_before(const ifl_read_warning *a, const ifl_read_warning *b)
{
    return a->block != b->block ? a->block < b->block : a->warp < b->warp;
}

static void warn_reads(const ifl_worker *workers, unsigned count, ifl_exec_result *result)
{
    const ifl_grid *grid = workers[0].grid;
    for (uint32_t i = 0; grid->launch->check_reads && i < grid->image->sites.count; i++) {
        const ifl_read_warning *first = NULL;
        uint64_t times = 0;
        for (unsigned w = 0; w < count; w++) {
            const ifl_read_warning *warning = &workers[w].unwritten[i];
            times += warning->times;
            if (warning->is_set && (!first || is_before(warning, first)))
                first = warning;
        }
        char text[512];
        if (!first)
            continue;
        describe_read(grid, first, times, i, text, sizeof text);
        ifl_exec_warn(result, text);
    }
}

static void describe_low(const ifl_grid *grid, const ifl_noted_access *low, uint64_t times,
                         char *to, size_t size)
{
    const ifl_read_warning *first = &low->first;
    const ifl_sites *sites = &grid->image->sites;
    char place[192];
    ifl_site_where(sites, low->site, place, sizeof place);
    snprintf(
        to, size,
        "%s: %s %s shared memory below the kernel's own, %s; first block %llu, "
        "thread %u: %llu bytes before its start, in the 1 KiB that the system reserves. A GPU goes "
        "on with whatever lies there.",
        place, sites->at[low->site].name, low->is_write ? "writes" : "reads",
        ifl_figure_counted(times, "time").text, (unsigned long long)first->block,
        first->warp * IFL_WARP_LANES + first->lane,
        (unsigned long long)(grid->reserved_first - first->address));
}

/* Nothing says that a GPU waits for them: a later block can have the memory by then. */
static void describe_outstanding(const ifl_grid *grid, const ifl_noted_access *noted,
                                 uint64_t times, char *to, size_t size)
{
    const ifl_read_warning *first = &noted->first;
    const ifl_sites *sites = &grid->image->sites;
    char place[192];
    ifl_site_where(sites, noted->site, place, sizeof place);
    snprintf(to, size,
             "%s: %s was still on its way to the block's shared memory when the block ended, %s; "
             "first block %llu, thread %u: %llu bytes. Nothing waited for the barrier object that "
             "counts them.",
             place, sites->at[noted->site].name, ifl_figure_counted(times, "time").text,
             (unsigned long long)first->block, first->warp * IFL_WARP_LANES + first->lane,
             (unsigned long long)first->address);
}

typedef void describe_noted(const ifl_grid *grid, const ifl_noted_access *noted, uint64_t times,
                            char *to, size_t size);

/* `at`: where a worker has it. */
static void warn_noted(const ifl_worker *workers, unsigned count, size_t at,
                       describe_noted *describe, ifl_exec_result *result)
{
    const ifl_noted_access *noted = NULL;
    uint64_t times = 0;
    for (unsigned w = 0; w < count; w++) {
        const ifl_noted_access *one =
            (const ifl_noted_access *)(const void *)((const char *)&workers[w] + at);
        times += one->first.times;
        if (one->first.is_set && (!noted || is_before(&one->first, &noted->first)))
            noted = one;
    }
    char text[512];
    if (!noted)
        return;
    describe(workers[0].grid, noted, times, text, sizeof text);
    ifl_exec_warn(result, text);
}

static void warn_races(const ifl_worker *workers, unsigned count, ifl_exec_result *result)
{
    const ifl_grid *grid = workers[0].grid;
    char text[768];
    for (uint32_t i = 0; grid->launch->check_races && i < grid->image->sites.count; i++)
        if (ifl_race_describe(workers, count, i, text, sizeof text))
            ifl_exec_warn(result, text);
}

static void warn_pace(const ifl_grid *grid, ifl_exec_result *result)
{
    const char *name = grid->launch->kernel_name;
    char text[768];
    if (!grid->has_lost_pace)
        return;
    snprintf(
        text, sizeof text,
        "%.400s: its blocks looked %llu times at what others of them may store, and those that "
        "were left ran one after the other: where they wait for each other, counts and times are "
        "too small",
        name ? name : grid->image->name, (unsigned long long)grid->looks);
    ifl_exec_warn(result, text);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the launch ------------------------------------------------------------------------------ */

struct ifl_exec_run {
    ifl_engine *engine;
    ifl_grid grid;
    ifl_allocation *workspace, *parameters;
    ifl_worker *workers;
    pthread_t *threads; /* but for the first, which runs in the caller's */
    unsigned count, most;
    double began;
    bool has_waited;
    double seconds;
};

/* Kernels that take the address of their parameters find them in memory. */
static ifl_status place_parameters(ifl_grid *grid, ifl_allocation **out, ifl_error *error)
{
    const ifl_bank *bank = &grid->launch->banks[0];
    const ifl_status status = ifl_memory_allocate(
        grid->launch->memory, bank->bytes, grid->image->demands.parameter_misalign,
        IFL_ALLOCATION_READ_ONLY | IFL_ALLOCATION_MODULE, "the kernel's parameters", out, error);
    if (status != IFL_OK)
        return status;
    if (bank->bytes)
        memcpy((*out)->host, bank->data, bank->bytes);
    grid->parameters = (*out)->address;
    return IFL_OK;
}

static ifl_status make_first_worker(ifl_exec_run *run, ifl_error *error)
{
    run->most = worker_count(run->grid.launch, &run->grid);
    run->workers = ifl_lines_new(run->most, sizeof *run->workers);
    run->threads = calloc(run->most, sizeof *run->threads);
    run->count = 1;
    if (!run->workers || !run->threads || !make_worker(&run->workers[0], &run->grid))
        return ifl_fail_memory(error, run->most * sizeof *run->workers);
    run->workers[0].is_first = true;
    ifl_spare_take(&run->engine->spare, &run->workers[0]);
    run->grid.run = run;
    return IFL_OK;
}

/* A worker that cannot be made or started leaves its blocks to the others. */
static bool add_worker(ifl_exec_run *run)
{
    ifl_worker *worker = &run->workers[run->count];
    if (!make_worker(worker, &run->grid)) {
        free_worker(worker);
        *worker = (ifl_worker){0};
        return false;
    }
    if (pthread_create(&run->threads[run->count], NULL, worker_main, worker) != 0) {
        free_worker(worker);
        *worker = (ifl_worker){0};
        return false;
    }
    run->count++;
    return true;
}

/* A thread takes longer to start, and on a busy machine to be waited for, than most small launches
 * take in all. */
void ifl_worker_seek_help(ifl_worker *first)
{
    static const double alone = 1e-4;
    ifl_exec_run *run = first->grid->run;
    if (seconds_now() - run->began < alone)
        return;
    first->seeks_help = false;
    while (run->count < run->most &&
           __atomic_load_n(&first->grid->next, __ATOMIC_RELAXED) < first->grid->clusters &&
           add_worker(run))
        continue;
}

static void run_workers(ifl_exec_run *run)
{
    run->began = seconds_now();
    run->workers[0].seeks_help = run->most > 1;
    ifl_worker_run(&run->workers[0]);
    for (unsigned i = 1; i < run->count; i++)
        pthread_join(run->threads[i], NULL);
}

static void free_run(ifl_exec_run *run)
{
    ifl_memory *memory = run->grid.launch->memory;
    if (run->workers)
        ifl_spare_keep(&run->engine->spare, &run->workers[0]);
    for (unsigned w = 0; run->workers && w < run->count; w++)
        free_worker(&run->workers[w]);
    free(run->workers);
    free(run->threads);
    if (run->parameters)
        ifl_memory_forget(memory, run->parameters);
    if (run->workspace)
        ifl_memory_forget(memory, run->workspace);
    free(run);
}

static ifl_status prepare(ifl_exec_run *run, const ifl_exec_launch *launch, ifl_error *error)
{
    const ifl_demands *demands = &launch->image->demands;
    ifl_status status = fill_grid(&run->grid, launch, error);
    if (status == IFL_OK && launch->check_reads && !ifl_memory_track(launch->memory))
        status = ifl_fail(error, IFL_NO_MEMORY, "no memory to keep track of what was written");
    if (status == IFL_OK && demands->cooperative)
        status = make_cooperative(&run->grid, &run->workspace, error);
    if (status == IFL_OK && demands->takes_parameter_address)
        status = place_parameters(&run->grid, &run->parameters, error);
    return status == IFL_OK ? make_first_worker(run, error) : status;
}

ifl_status ifl_engine_begin(ifl_engine *engine, const ifl_exec_launch *launch, ifl_exec_run **out,
                            ifl_error *error)
{
    ifl_exec_run *run = ifl_lines_new(1, sizeof *run);
    *out = NULL;
    if (!run)
        return ifl_fail_memory(error, sizeof *run);
    run->engine = engine;
    run->grid.launch = launch;
    ifl_bind(&engine->binding, launch->image);
    ifl_memory_launch_begin(launch->memory);
    const ifl_status status = prepare(run, launch, error);
    if (status == IFL_OK)
        *out = run;
    else
        free_run(run);
    return status;
}

/* Launches in between have made it impossible to say what this one changed last. */
static void note_changes(ifl_exec_run *run, bool waits)
{
    ifl_memory *memory = run->grid.launch->memory;
    run->has_waited |= waits;
    if (run->has_waited)
        ifl_memory_changed_all(memory);
    else
        ifl_memory_launch_end(memory);
}

/* While a run waited, its allocations may have gone. */
static void forget_hints(ifl_exec_run *run)
{
    const size_t sites = run->grid.image->sites.count;
    for (unsigned i = 0; i < run->count; i++)
        memset(run->workers[i].hint, 0, sites * sizeof *run->workers[i].hint);
}

ifl_exec_pause ifl_engine_go_on(ifl_exec_run *run)
{
    const double start = seconds_now();
    ifl_worker *first = &run->workers[0];
    const bool had_waited = run->has_waited;
    first->waits = first->has_advanced = false;
    if (had_waited)
        forget_hints(run);
    /* A kernel that reads clocks has one worker (ifl_demands, ordered). */
    run->workers[0].clock = run->engine->clock;
    run_workers(run);
    run->engine->clock = run->workers[0].clock;
    run->seconds += seconds_now() - start;
    note_changes(run, first->waits);
    return !first->waits                        ? IFL_RUN_IS_OVER
           : had_waited && !first->has_advanced ? IFL_RUN_STILL_WAITS
                                                : IFL_RUN_WAITS;
}

ifl_status ifl_engine_end(ifl_exec_run *run, ifl_exec_result *result, ifl_error *error)
{
    const ifl_grid *grid = &run->grid;
    ifl_status status = IFL_OK;
    memset(result, 0, sizeof *result);
    result->seconds = run->seconds;
    merge_workers(run->workers, run->count, result);
    warn_noted(run->workers, run->count, offsetof(ifl_worker, low), describe_low, result);
    warn_noted(run->workers, run->count, offsetof(ifl_worker, outstanding), describe_outstanding,
               result);
    warn_reads(run->workers, run->count, result);
    warn_races(run->workers, run->count, result);
    warn_pace(run->workers[0].grid, result);
    const ifl_worker *faulted = lowest_fault(run->workers, run->count);
    result->complete = !faulted && result->blocks_done == grid->blocks;
    result->fault = faulted ? faulted->fault.kind : IFL_FAULT_NONE;
    if (faulted)
        status = report_fault(&grid->image->sites, &faulted->fault, error);
    else if (!result->complete)
        status = ifl_fail(error, IFL_INTERRUPTED, "interrupted after %s of %s",
                          ifl_figure_count(result->blocks_done).text,
                          ifl_figure_counted(grid->blocks, "block").text);
    free_run(run);
    return status;
}

void ifl_exec_result_free(const ifl_exec_launch *launch, ifl_exec_result *result)
{
    for (size_t i = 0; result->states && i < launch->observer_count; i++)
        ifl_observer_free(launch->observers[i], result->states[i]);
    for (size_t i = 0; i < result->warning_count; i++)
        free(result->warnings[i]);
    free(result->states);
    free(result->warnings);
    memset(result, 0, sizeof *result);
}
