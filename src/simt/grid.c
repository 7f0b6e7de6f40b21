/* SPDX-License-Identifier: Apache-2.0
 * One launch: places the module's variables, lowers the kernel, spreads blocks over workers, merges what was seen. */
#include "simt/simt.h"

#include "simt/warp.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- module variables ---------------------------------------------------------------------------------------------- */

static bool is_placed(const ifl_variable *variable)
{
    return (variable->space == IFL_SPACE_GLOBAL || variable->space == IFL_SPACE_CONST) && variable->function < 0;
}

static ifl_status place_variable(const ifl_program *program, ifl_memory *memory, size_t index, ifl_allocation **out,
                                 ifl_error *error)
{
    const ifl_variable *variable = &program->variables[index];
    char label[112];
    snprintf(label, sizeof label, "%s variable %s (%llu bytes)", ifl_space_text(variable->space), variable->name,
             (unsigned long long)variable->bytes);
    /* Constant memory becomes read-only once its initialiser is in. */
    ifl_status status =
        ifl_memory_allocate(memory, variable->bytes, 0, IFL_ALLOCATION_MODULE, label, out, error);
    if (status == IFL_OK && variable->data)
        memcpy((*out)->host, variable->data, variable->bytes);
    return status;
}

static void relocate(const ifl_variable *variable, uint8_t *host, const uint64_t *address)
{
    for (size_t r = 0; r < variable->relocation_count; r++) {
        const ifl_relocation *reloc = &variable->relocations[r];
        uint64_t base = reloc->is_function ? IFL_CODE_WINDOW + 16 * (uint64_t)reloc->index : address[reloc->index];
        uint64_t value = (base + (uint64_t)reloc->addend) >> reloc->shift;
        if (reloc->bytes <= 8 && reloc->offset + reloc->bytes <= variable->bytes)
            memcpy(host + reloc->offset, &value, reloc->bytes);
    }
}

ifl_status ifl_simt_place(const ifl_program *program, ifl_memory *memory, uint64_t *address, ifl_error *error)
{
    ifl_allocation **at = calloc(program->variable_count + 1, sizeof *at);
    ifl_status status = at ? IFL_OK : ifl_fail_memory(error, program->variable_count);
    for (size_t v = 0; v < program->variable_count && status == IFL_OK; v++)
        if (is_placed(&program->variables[v])) {
            status = place_variable(program, memory, v, &at[v], error);
            if (status == IFL_OK)
                address[v] = at[v]->address;
        }
    for (size_t v = 0; v < program->variable_count && status == IFL_OK; v++)
        if (at[v]) {
            relocate(&program->variables[v], at[v]->host, address);
            at[v]->flags |= program->variables[v].space == IFL_SPACE_CONST ? IFL_ALLOCATION_READ_ONLY : 0;
        }
    free(at);
    return status;
}

/* ---- the grid ------------------------------------------------------------------------------------------------------- */

/* Only what the kernel names counts: another kernel of the file may have more. Dynamic shared memory begins where the
 * reader put the unsized array, or behind the rest. */
static uint64_t shared_bytes(const ifl_simt_launch *launch, const ifl_image *image)
{
    uint64_t start = image->static_shared > image->dynamic_shared ? image->static_shared : image->dynamic_shared;
    return start + launch->dynamic_shared_bytes;
}

static void fill_grid(ifl_grid *grid, const ifl_simt_launch *launch, const ifl_image *image)
{
    grid->launch = launch;
    grid->image = image;
    grid->blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    grid->fault_block = UINT64_MAX;
    grid->threads_per_block = launch->block[0] * launch->block[1] * launch->block[2];
    grid->warps_per_block = (grid->threads_per_block + IFL_WARP_LANES - 1) / IFL_WARP_LANES;
    grid->own_shared = shared_bytes(launch, image);
    grid->shared_bytes = grid->own_shared;
    if (image->reserves_shared)
        grid->shared_bytes = ifl_reserved_shared_at(grid) + IFL_RESERVED_SHARED;
    grid->resident = launch->resident > 0 ? (uint32_t)launch->resident : 1;
    grid->may_widen = image->ordered;
}

/* Grid-wide synchronisation needs every block at once: as many as fit a GPU of the H100 class by its limits of
 * threads, blocks and shared memory per SM (CUDA C++ Programming Guide, "Compute Capabilities", 9.0). */
static ifl_status make_cooperative(ifl_grid *grid, ifl_allocation **workspace, ifl_error *error)
{
    enum { SMS = 132, SM_THREADS = 2048, SM_BLOCKS = 32, SM_SHARED = 228 * 1024, BLOCK_RESERVED = 1024 };
    uint64_t by_threads = SM_THREADS / (grid->warps_per_block * IFL_WARP_LANES);
    uint64_t by_shared = SM_SHARED / (grid->shared_bytes + BLOCK_RESERVED), per_sm = SM_BLOCKS;
    per_sm = by_threads < per_sm ? by_threads : per_sm;
    per_sm = by_shared < per_sm ? by_shared : per_sm;
    if (grid->blocks > per_sm * SMS)
        return ifl_fail(error, IFL_BAD_INPUT,
                        "a grid of %llu blocks does not fit at once (%llu a multiprocessor on %d of them), which "
                        "grid-wide synchronisation needs",
                        (unsigned long long)grid->blocks, (unsigned long long)per_sm, SMS);
    ifl_status status =
        ifl_memory_allocate(grid->launch->memory, 4096, 0, 0, "the grid barrier's memory", workspace, error);
    if (status != IFL_OK)
        return status;
    grid->workspace = (*workspace)->address;
    grid->resident = (uint32_t)grid->blocks;
    return IFL_OK;
}

/* ---- workers ------------------------------------------------------------------------------------------------------------ */

static bool make_states(ifl_worker *worker, const ifl_simt_launch *launch)
{
    worker->states = calloc(launch->observer_count + 1, sizeof *worker->states);
    worker->listeners = calloc(launch->observer_count + 1, sizeof *worker->listeners);
    if (!worker->states || !worker->listeners)
        return false;
    for (size_t i = 0; i < launch->observer_count; i++) {
        const ifl_observer *observer = launch->observers[i];
        worker->states[i] = observer->create ? observer->create(launch->program)
                                             : observer->create_with(launch->program, observer->settings);
        if (!worker->states[i])
            return false;
        worker->tells_ends |= launch->observers[i]->block_end != NULL;
        if (launch->observers[i]->access)
            worker->listeners[worker->listener_count++] =
                (ifl_listener){launch->observers[i]->access, worker->states[i]};
    }
    return true;
}

static bool make_worker(ifl_worker *worker, ifl_grid *grid)
{
    const ifl_simt_launch *launch = grid->launch;
    size_t instructions = launch->program->instruction_count;
    worker->grid = grid;
    worker->counts = calloc(grid->image->block_count + 1, sizeof *worker->counts);
    worker->hint = calloc(instructions + 1, sizeof *worker->hint);
    worker->unwritten = launch->check_reads ? calloc(instructions + 1, sizeof *worker->unwritten) : NULL;
    return worker->counts && worker->hint && (!launch->check_reads || worker->unwritten) && make_states(worker, launch);
}

static void free_worker(ifl_worker *worker)
{
    const ifl_simt_launch *launch = worker->grid ? worker->grid->launch : NULL;
    for (uint32_t b = 0; b < worker->block_count; b++)
        ifl_block_free(&worker->blocks[b]);
    for (size_t i = 0; launch && worker->states && i < launch->observer_count; i++)
        if (worker->states[i])
            launch->observers[i]->destroy(worker->states[i]);
    free(worker->states);
    free(worker->listeners);
    free(worker->counts);
    free(worker->hint);
    free(worker->unwritten);
    free(worker->blocks);
}

static void *worker_main(void *user)
{
    ifl_worker_run(user);
    return NULL;
}

static unsigned worker_count(const ifl_simt_launch *launch, const ifl_grid *grid)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t count = launch->threads > 0 ? (uint64_t)launch->threads : cores > 0 ? (uint64_t)cores : 1;
    if (grid->image->ordered || grid->image->cooperative)
        count = 1;
    count = count > grid->blocks ? grid->blocks : count;
    return count < 1 ? 1 : count > 1024 ? 1024 : (unsigned)count;
}

/* A thread that cannot be started leaves its blocks to the others. */
static void run_workers(ifl_worker *workers, unsigned count)
{
    pthread_t *threads = calloc(count, sizeof *threads);
    unsigned started = 1;
    workers[0].is_first = true;
    for (; threads && started < count; started++)
        if (pthread_create(&threads[started], NULL, worker_main, &workers[started]) != 0)
            break;
    ifl_worker_run(&workers[0]);
    for (unsigned i = 1; i < started && threads; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

/* ---- results ----------------------------------------------------------------------------------------------------------------- */

static void tell_issues(ifl_worker *worker)
{
    const ifl_grid *grid = worker->grid;
    for (size_t b = 0; b < grid->image->block_count; b++) {
        const ifl_block_count *count = &worker->counts[b];
        const ifl_block_range *range = &grid->image->blocks[b];
        for (uint32_t i = range->first; i < range->last && count->warps; i++) {
            ifl_issue issue = {.instruction = i, .warps = count->warps, .threads = count->threads};
            for (size_t o = 0; o < grid->launch->observer_count; o++)
                if (grid->launch->observers[o]->issue)
                    grid->launch->observers[o]->issue(worker->states[o], &issue);
        }
    }
}

static void merge_workers(ifl_worker *workers, unsigned count, ifl_simt_result *result)
{
    const ifl_simt_launch *launch = workers[0].grid->launch;
    for (unsigned w = 0; w < count; w++) {
        tell_issues(&workers[w]);
        result->blocks_done += workers[w].done;
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
static void append_calls(const ifl_program *program, const ifl_source *source, char *to, size_t size)
{
    enum { MOST_CALLS = 8 };
    for (int depth = 0; source->inlined_at && depth < MOST_CALLS; depth++) {
        const size_t used = strlen(to);
        source = &program->places[source->inlined_at];
        snprintf(to + used, size - used, "\ninlined at %s:%u", program->files[source->file], source->line);
    }
}

/* Faults name the source line where it is known, else the line of the PTX text. */
static ifl_status report_fault(const ifl_program *program, const ifl_fault *fault, ifl_error *error)
{
    const ifl_status status = fault->kind == IFL_FAULT_NO_MEMORY ? IFL_NO_MEMORY : IFL_FINDING;
    if (fault->instruction >= program->instruction_count)
        return ifl_fail(error, status, "%s", fault->text);
    const ifl_instruction *instruction = &program->instructions[fault->instruction];
    ifl_place place = ifl_program_place(program, instruction);
    const ifl_source *source = instruction->place ? &program->places[instruction->place] : NULL;
    char calls[600] = "";
    if (!source)
        return ifl_fail_at(error, status, &place, "%s", fault->text);
    append_calls(program, source, calls, sizeof calls);
    ifl_place at = {.file = program->files[source->file], .line = (int)source->line, .column = (int)source->column};
    return ifl_fail_at(error, status, &at, "%s%s\nPTX: %s:%d", fault->text, calls, place.file, place.line);
}

static bool add_warning(ifl_simt_result *result, const char *text)
{
    char **warnings = realloc(result->warnings, (result->warning_count + 1) * sizeof *warnings);
    if (!warnings)
        return false;
    result->warnings = warnings;
    result->warnings[result->warning_count] = strdup(text);
    return result->warnings[result->warning_count] && ++result->warning_count;
}

static void describe_read(const ifl_grid *grid, const ifl_read_warning *warning, uint64_t times, uint32_t instruction,
                          char *to, size_t size)
{
    const ifl_program *program = grid->launch->program;
    const ifl_instruction *in = &program->instructions[instruction];
    const ifl_source *source = in->place ? &program->places[in->place] : NULL;
    const ifl_allocation *a = ifl_memory_find(grid->launch->memory, warning->address);
    char name[96], where[160];
    if (warning->space == IFL_SPACE_SHARED || warning->space == IFL_SPACE_LOCAL || !a)
        snprintf(where, sizeof where, "byte %llu of %s memory", (unsigned long long)warning->address,
                 ifl_space_text(warning->space));
    else
        snprintf(where, sizeof where, "byte %llu of %s", (unsigned long long)(warning->address - a->address), a->label);
    snprintf(to, size, "%s:%u: %s reads memory that nothing wrote, %llu times; first block %llu, thread %u: %s",
             source ? program->files[source->file] : program->file, source ? source->line : in->line,
             ifl_instruction_name(in, name, sizeof name), (unsigned long long)times, (unsigned long long)warning->block,
             warning->warp * IFL_WARP_LANES + warning->lane, where);
}

static bool is_before(const ifl_read_warning *a, const ifl_read_warning *b)
{
    return a->block != b->block ? a->block < b->block : a->warp < b->warp;
}

static void warn_reads(const ifl_worker *workers, unsigned count, ifl_simt_result *result)
{
    const ifl_grid *grid = workers[0].grid;
    for (uint32_t i = 0; grid->launch->check_reads && i < grid->launch->program->instruction_count; i++) {
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
        add_warning(result, text);
    }
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static ifl_status run_grid(ifl_grid *grid, ifl_simt_result *result, ifl_error *error)
{
    unsigned count = worker_count(grid->launch, grid);
    ifl_worker *workers = calloc(count, sizeof *workers);
    ifl_status status = workers ? IFL_OK : ifl_fail_memory(error, count);
    for (unsigned w = 0; w < count && status == IFL_OK; w++)
        if (!make_worker(&workers[w], grid))
            status = ifl_fail_memory(error, sizeof *workers);
    if (status == IFL_OK) {
        double start = seconds_now();
        run_workers(workers, count);
        result->seconds = seconds_now() - start;
        merge_workers(workers, count, result);
        warn_reads(workers, count, result);
        const ifl_worker *faulted = lowest_fault(workers, count);
        result->complete = !faulted && result->blocks_done == grid->blocks;
        result->fault = faulted ? faulted->fault.kind : IFL_FAULT_NONE;
        if (faulted)
            status = report_fault(grid->launch->program, &faulted->fault, error);
        else if (!result->complete)
            status = ifl_fail(error, IFL_INTERRUPTED, "interrupted after %llu of %llu blocks",
                              (unsigned long long)result->blocks_done, (unsigned long long)grid->blocks);
    }
    for (unsigned w = 0; workers && w < count; w++)
        free_worker(&workers[w]);
    free(workers);
    return status;
}

/* ---- the launch ------------------------------------------------------------------------------------------------------------ */

static ifl_status choose_width(const char *name, const ifl_width **out, ifl_error *error)
{
    *out = name ? ifl_width_find(name) : ifl_width_best();
    return *out ? IFL_OK
                : ifl_fail(error, IFL_UNSUPPORTED, "vector width '%s': this build or this processor does not have it", name);
}

static ifl_status place_params(const ifl_simt_launch *launch, ifl_allocation **params, ifl_error *error)
{
    const uint64_t bytes = launch->program->functions[launch->function].param_bytes;
    const ifl_status status =
        ifl_memory_allocate(launch->memory, bytes, 0, IFL_ALLOCATION_READ_ONLY | IFL_ALLOCATION_MODULE,
                            "the kernel's parameters", params, error);
    if (status == IFL_OK && bytes)
        memcpy((*params)->host, launch->params, bytes);
    return status;
}

static ifl_status run_image(const ifl_simt_launch *launch, const ifl_image *image, ifl_simt_result *result,
                            ifl_error *error)
{
    ifl_grid grid = {0};
    ifl_allocation *workspace = NULL;
    fill_grid(&grid, launch, image);
    if (launch->check_reads && !ifl_memory_track(launch->memory))
        return ifl_fail(error, IFL_NO_MEMORY, "no memory to keep track of what was written");
    ifl_status status = image->cooperative ? make_cooperative(&grid, &workspace, error) : IFL_OK;
    if (status == IFL_OK)
        status = run_grid(&grid, result, error);
    if (workspace)
        ifl_memory_forget(launch->memory, workspace);
    return status;
}

static ifl_status lower_and_run(const ifl_simt_launch *launch, ifl_lowering *lowering, ifl_simt_result *result,
                                ifl_error *error)
{
    ifl_image image;
    ifl_status status = choose_width(launch->vector_width, &lowering->width, error);
    if (status == IFL_OK)
        status = ifl_lower(lowering, &image, error);
    if (status != IFL_OK)
        return status;
    status = run_image(launch, &image, result, error);
    ifl_image_free(&image);
    return status;
}

ifl_status ifl_simt_run(const ifl_simt_launch *launch, ifl_simt_result *result, ifl_error *error)
{
    memset(result, 0, sizeof *result);
    const uint64_t *placed = launch->variable_address;
    uint64_t *address = calloc(launch->program->variable_count + 1, sizeof *address);
    ifl_allocation *params = NULL;
    ifl_status status = address ? IFL_OK : ifl_fail_memory(error, launch->program->variable_count);
    if (status == IFL_OK && placed)
        memcpy(address, placed, launch->program->variable_count * sizeof *address);
    else if (status == IFL_OK)
        status = ifl_simt_place(launch->program, launch->memory, address, error);
    if (status == IFL_OK)
        status = place_params(launch, &params, error);
    if (status == IFL_OK)
        status = lower_and_run(launch,
                               &(ifl_lowering){.program = launch->program,
                                               .function = launch->function,
                                               .variable_address = address,
                                               .param_address = params->address,
                                               .params = launch->params},
                               result, error);
    if (params)
        ifl_memory_forget(launch->memory, params);
    free(address);
    return status;
}

void ifl_simt_result_free(const ifl_simt_launch *launch, ifl_simt_result *result)
{
    for (size_t i = 0; result->states && i < launch->observer_count; i++)
        if (result->states[i])
            launch->observers[i]->destroy(result->states[i]);
    for (size_t i = 0; i < result->warning_count; i++)
        free(result->warnings[i]);
    free(result->states);
    free(result->warnings);
    memset(result, 0, sizeof *result);
}

/* ---- looking at a program ------------------------------------------------------------------------------------------------------ */

static ifl_status lower_alone(const ifl_program *program, uint32_t function, ifl_image *image, ifl_error *error)
{
    uint64_t *address = calloc(program->variable_count + 1, sizeof *address);
    ifl_lowering lowering = {
        .program = program, .function = function, .width = ifl_width_best(), .variable_address = address};
    ifl_status status = address ? ifl_lower(&lowering, image, error) : ifl_fail_memory(error, program->variable_count);
    free(address);
    return status;
}

ifl_status ifl_simt_check(const ifl_program *program, uint32_t function, ifl_error *error)
{
    ifl_image image;
    ifl_status status = lower_alone(program, function, &image, error);
    if (status == IFL_OK)
        ifl_image_free(&image);
    return status;
}

ifl_status ifl_simt_print_code(const ifl_program *program, uint32_t function, FILE *out, ifl_error *error)
{
    ifl_image image;
    ifl_status status = lower_alone(program, function, &image, error);
    if (status != IFL_OK)
        return status;
    ifl_image_print(&image, out);
    ifl_image_free(&image);
    return IFL_OK;
}
