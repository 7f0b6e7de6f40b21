/* SPDX-License-Identifier: Apache-2.0
 * A real GPU as a backend: loads a launch's code, runs it once, brings the results back, and takes
 * what the driver says of both. Times are run_gpu_time.c's. */
#include "session/run_gpu.h"

#include "base/file.h"
#include "gpu/blas.h"
#include "sass/elf_image.h"
#include "session/watch.h"

#include <stdlib.h>
#include <string.h>

/* ---- the profile ----------------------------------------------------------------------------- */

static const char *keep_text(ifl_gpu_run *r, const char *text)
{
    return ifl_profile_copy_text(r->of.profile, text);
}

static uint32_t function_fact(const ifl_gpu_run *r, int attribute)
{
    int value = 0;
    return r->gpu->cu.function_get(&value, attribute, r->to.function) == 0 && value > 0
               ? (uint32_t)value
               : 0;
}

static uint32_t blocks_per_sm(const ifl_gpu_run *r)
{
    int blocks = 0;
    const uint32_t *b = r->to.block;
    return r->gpu->cu.max_blocks(&blocks, r->to.function, (int)(b[0] * b[1] * b[2]),
                                 r->to.shared_bytes) == 0 &&
                   blocks > 0
               ? (uint32_t)blocks
               : 0;
}

static void describe_code(const ifl_gpu_run *r, ifl_gpu_facts *facts)
{
    facts->code = r->call       ? "a library's"
                  : r->is_cubin ? "the file's machine code"
                                : "PTX, compiled by the driver";
    if (r->call)
        return;
    facts->registers = function_fact(r, IFL_FUNCTION_REGISTERS);
    facts->local_bytes = function_fact(r, IFL_FUNCTION_LOCAL_BYTES);
    facts->static_shared_bytes = function_fact(r, IFL_FUNCTION_SHARED_BYTES);
    facts->blocks_per_sm = blocks_per_sm(r);
}

static ifl_status describe_gpu(ifl_gpu_run *r)
{
    char driver[32];
    ifl_gpu_facts *facts = &r->of.profile->gpu;
    snprintf(driver, sizeof driver, "%d.%d", r->gpu->driver / 1000, r->gpu->driver % 1000 / 10);
    *facts = (ifl_gpu_facts){.known = true,
                             .name = keep_text(r, r->gpu->name),
                             .driver = keep_text(r, driver),
                             .sm = (uint32_t)r->gpu->sm};
    describe_code(r, facts);
    return facts->name && facts->driver ? IFL_OK : ifl_fail_memory(r->of.error, sizeof driver);
}

/* ---- code ------------------------------------------------------------------------------------ */

static ifl_status check_target(const ifl_gpu_run *r)
{
    const ifl_program *program = r->of.launch->of->program;
    if (!program || !program->text)
        return ifl_fail(r->of.error, IFL_UNSUPPORTED, "'%s' holds no PTX for the driver to compile",
                        r->of.launch->module->path);
    if (program->sm <= (uint32_t)r->gpu->sm)
        return IFL_OK;
    return ifl_fail(r->of.error, IFL_UNSUPPORTED,
                    "the PTX is for %s; %s is sm_%d\ncompile for it, or pick other PTX with --arch",
                    program->target, r->gpu->name, r->gpu->sm);
}

enum { MOST_CUBIN_BYTES = 1 << 28, ELF_MACHINE_AT = 18, ELF_MACHINE_CUDA = 190 };

/* A file that is a cubin: its machine code is what the compiler that made it wants run. */
static bool is_cubin(const char *image, size_t bytes)
{
    return bytes > ELF_MACHINE_AT + 1 && memcmp(image, "\177ELF", 4) == 0 &&
           (uint8_t)image[ELF_MACHINE_AT] == ELF_MACHINE_CUDA && !image[ELF_MACHINE_AT + 1];
}

/* Has it variables that launches can change? A launch begins with their initial values. */
static bool program_has_variables(const ifl_program *program)
{
    for (size_t i = 0; program && i < program->variable_count; i++)
        if (program->variables[i].space == IFL_SPACE_GLOBAL)
            return true;
    return false;
}

static bool cubin_has_variables(const char *image, size_t bytes)
{
    ifl_arena arena = {0};
    ifl_elf_image elf;
    bool found =
        ifl_elf_open("a cubin", (const uint8_t *)image, bytes, &arena, &elf, NULL) != IFL_OK;
    for (size_t i = 0; !found && i < elf.section_count; i++)
        found = ifl_elf_name_after(&elf.sections[i], ".nv.global") != NULL;
    ifl_arena_free(&arena);
    return found;
}

/* What can be used once more is loaded once; a share of the L1 is kept with the function. */
static ifl_status load_image(ifl_gpu_run *r, const void *image, size_t bytes, const char *name,
                             bool has_variables, ifl_error *error)
{
    r->is_kept = !has_variables && !r->options->carveout_given;
    const ifl_status status = r->is_kept
                                  ? ifl_gpu_load_once(r->gpu, image, bytes, name, &r->module, error)
                                  : ifl_gpu_load(r->gpu, image, name, &r->module, error);
    if (status != IFL_OK)
        r->module = NULL;
    return status;
}

/* The launch's machine code, else the file's. Where the cubin is for another GPU the driver refuses
 * it, and the PTX is compiled; so it is where PTX was asked for and the file that is named has
 * machine code only to tell of it. */
static void load_cubin(ifl_gpu_run *r)
{
    char *image = NULL;
    size_t bytes = 0;
    const bool names_it = r->of.launch->machine && r->of.launch->code != IFL_CHOOSE_PTX;
    const char *path = names_it ? r->of.launch->machine : r->of.launch->module->path;
    if (ifl_file_read(path, MOST_CUBIN_BYTES, &image, &bytes, NULL) == IFL_OK &&
        is_cubin(image, bytes))
        load_image(r, image, bytes, path, cubin_has_variables(image, bytes), NULL);
    free(image);
}

static ifl_status load(ifl_gpu_run *r)
{
    const ifl_program *program = r->of.launch->of->program;
    const char *kernel = r->of.launch->of->name;
    load_cubin(r);
    r->is_cubin = r->module != NULL;
    ifl_status status = r->is_cubin ? IFL_OK : check_target(r);
    if (status == IFL_OK && !r->is_cubin)
        status = load_image(r, program->text, strlen(program->text), program->file,
                            program_has_variables(program), r->of.error);
    if (status == IFL_OK)
        status = ifl_gpu_function(r->gpu, r->module, kernel, &r->to.function, r->of.error);
    return status;
}

/* What a call takes: v a value of 4 bytes, the first of which is n, b a buffer of n or n * n
 * elements. */
static const struct {
    const char *call, *arguments, *words;
    uint64_t element_bytes;
    bool is_square;
} shapes[] = {
    {"saxpy", "vvbb", "n, alpha, x and y, of n floats each", 4, false},
    {"haxpy", "vvbb", "n, alpha, x and y, of n bfloat16 each", 2, false},
    {"dtranspose", "vbb", "n, in and out, of n * n doubles each", 8, true},
};

static bool fits(const ifl_argument *a, char kind, uint64_t bytes)
{
    return kind == 'v' ? a->kind == IFL_ARGUMENT_VALUE && a->value_bytes == 4
                       : a->kind == IFL_ARGUMENT_BUFFER && a->count * a->element->bytes >= bytes;
}

static bool all_fit(const ifl_launch *launch, size_t shape)
{
    const char *kinds = shapes[shape].arguments;
    int32_t n = 0;
    bool good = launch->arguments.count == strlen(kinds) && fits(&launch->arguments.at[0], 'v', 0);
    if (good)
        memcpy(&n, launch->arguments.at[0].value, sizeof n);
    const uint64_t count = n < 0 ? 0 : (uint64_t)n;
    const uint64_t elements = shapes[shape].is_square ? count * count : count;
    for (size_t i = 0; good && i < launch->arguments.count; i++)
        good = fits(&launch->arguments.at[i], kinds[i], elements * shapes[shape].element_bytes);
    return good;
}

static ifl_status check_call(const ifl_gpu_run *r)
{
    size_t i = 0;
    while (i < sizeof shapes / sizeof *shapes && strcmp(shapes[i].call, r->call) != 0)
        i++;
    if (i == sizeof shapes / sizeof *shapes)
        return ifl_fail(r->of.error, IFL_USAGE, "there is no call '%s'", r->call);
    return all_fit(r->of.launch, i)
               ? IFL_OK
               : ifl_fail(r->of.error, IFL_USAGE, "%s takes %s", shapes[i].call, shapes[i].words);
}

/* ---- the run --------------------------------------------------------------------------------- */

ifl_status ifl_gpu_run_put(const ifl_gpu_run *r, unsigned set, ifl_error *error)
{
    ifl_gpu_launch to = r->to;
    to.params = r->buffers.pointers + set * r->of.launch->of->parameter_count;
    return r->call ? ifl_gpu_blas_put(r->gpu, r->call, to.params, error)
                   : ifl_gpu_launch_put(r->gpu, &to, error);
}

static ifl_status run_once(ifl_gpu_run *r)
{
    ifl_status status = IFL_OK;
    if (!r->call)
        status = ifl_gpu_launch_prepare(r->gpu, &r->to, r->of.error);
    if (status == IFL_OK)
        status = describe_gpu(r);
    if (status == IFL_OK)
        status = ifl_gpu_run_put(r, 0, r->of.error);
    if (status == IFL_OK)
        status = ifl_gpu_wait(r->gpu, "running the kernel", r->of.error);
    return status;
}

static ifl_status begin(ifl_backend_state *state)
{
    ifl_gpu_run *r = (ifl_gpu_run *)state;
    const ifl_launch *launch = r->of.launch;
    r->to.name = launch->module->names.at[launch->kernel].signature;
    memcpy(r->to.grid, launch->grid, sizeof r->to.grid);
    memcpy(r->to.block, launch->block, sizeof r->to.block);
    memcpy(r->to.cluster, launch->cluster, sizeof r->to.cluster);
    r->to.shared_bytes = (uint32_t)launch->dynamic_shared_bytes;
    r->to.cooperative = r->of.launch->ready->image.demands.cooperative;
    r->to.carveout = r->options->carveout_given ? r->options->carveout_percent : -1;
    return r->call ? check_call(r) : load(r);
}

/* Sets beyond the first are made before the run: they keep what the buffers held. */
static ifl_status execute(ifl_backend_state *state)
{
    ifl_gpu_run *r = (ifl_gpu_run *)state;
    const uint32_t *grid = state->launch->grid;
    ifl_status status = ifl_gpu_buffers_make(&r->buffers, r->gpu, state->launch, state->error);
    const uint64_t bytes = r->buffers.bytes ? r->buffers.bytes : 1;
    const uint64_t wanted = 4 * r->gpu->l2_bytes / bytes + 1;
    const bool rotates = r->options->between == IFL_BETWEEN_ROTATE;
    const unsigned sets = rotates && wanted < IFL_MOST_SETS ? (unsigned)wanted : IFL_MOST_SETS;
    if (status == IFL_OK && r->options->time)
        status = ifl_gpu_buffers_add(&r->buffers, rotates ? sets : 1, state->error);
    if (status == IFL_OK)
        status = run_once(r);
    if (status == IFL_OK)
        status = ifl_gpu_buffers_read(&r->buffers, state->error);
    if (status == IFL_OK && r->options->time)
        status = ifl_gpu_run_time(r);
    state->profile->complete = true;
    state->profile->blocks_done = (uint64_t)grid[0] * grid[1] * grid[2];
    return status;
}

static void end(ifl_backend_state *state)
{
    ifl_gpu_run *r = (ifl_gpu_run *)state;
    ifl_gpu_buffers_free(&r->buffers);
    if (!r->is_kept)
        ifl_gpu_unload(r->gpu, r->module);
}

static const ifl_backend gpu_backend = {
    .name = "gpu", .begin = begin, .execute = execute, .end = end};

ifl_status ifl_launch_call_on(ifl_launch *launch, ifl_gpu *gpu, const ifl_gpu_options *options,
                              const char *call, ifl_profile **out, ifl_error *error)
{
    static const ifl_gpu_options plain;
    options = options ? options : &plain;
    ifl_gpu_run r = {.of = {launch, options->threads, options->stop, NULL, error},
                     .gpu = gpu,
                     .options = options,
                     .call = call};
    return ifl_backend_run(&gpu_backend, &r.of, out);
}

ifl_status ifl_launch_run_on(ifl_launch *launch, ifl_gpu *gpu, const ifl_gpu_options *options,
                             ifl_profile **out, ifl_error *error)
{
    return ifl_launch_call_on(launch, gpu, options, NULL, out, error);
}
