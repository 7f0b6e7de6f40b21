/* SPDX-License-Identifier: Apache-2.0
 * The session: its GPU, its memory, its modules and their kernels, and running one. The ledger is
 * in ledger.c. */
#include "session/session_internal.h"

#include "base/shared.h"
#include "device/block_places.h"
#include "ptx/lower.h"
#include "sass/constant_header.h"
#include "sass/sass_lower.h"
#include "session/kernel_name.h"
#include "session/machine_code.h"
#include "session/variables.h"

#include <stdlib.h>
#include <string.h>

static const char default_gpu[] = "h200";

ifl_status ifl_session_new(const ifl_session_options *options, ifl_session **out, ifl_error *error)
{
    ifl_session *session = calloc(1, sizeof *session);
    if (!session)
        return ifl_fail_memory(error, sizeof *session);
    session->options = *options;
    ifl_status status =
        options->observed_kernel ? ifl_kernel_check(options->observed_kernel, error) : IFL_OK;
    if (status == IFL_OK)
        status =
            ifl_device_open(options->gpu ? options->gpu : default_gpu, &session->device, error);
    if (status == IFL_OK)
        status = ifl_memory_new(&session->memory, error);
    if (status == IFL_OK && options->check_reads && !ifl_memory_track(session->memory))
        status = ifl_fail(error, IFL_NO_MEMORY, "no memory to keep track of what was written");
    if (status != IFL_OK) {
        ifl_session_free(session);
        return status;
    }
    *out = session;
    return IFL_OK;
}

IFL_SHARED const ifl_device *ifl_session_device(const ifl_session *session)
{
    return session->device;
}

IFL_SHARED ifl_memory *ifl_session_memory(ifl_session *session)
{
    return session->memory;
}

IFL_SHARED ifl_textures *ifl_session_textures(ifl_session *session)
{
    return &session->textures;
}

/* ---- modules --------------------------------------------------------------------------------- */

uint32_t ifl_session_target(const ifl_device *device)
{
    return (uint32_t)(device->value[IFL_DEVICE_compute_capability] * 10 + 0.5);
}

/* PTX and machine code of a module have the same variables. What those of the machine code begin
 * with is its own: addresses of functions differ. */
static ifl_status place(ifl_session *session, ifl_loaded *loaded, size_t program, ifl_error *error)
{
    const ifl_program *of = loaded->module->programs.at[program];
    uint64_t *address = calloc(of->variable_count + 1, sizeof *address), bytes;
    if (!address)
        return ifl_fail_memory(error, of->variable_count);
    loaded->variable_address[program] = address;
    for (size_t v = 0; v < of->variable_count; v++) {
        const uint64_t shared =
            ifl_objects_variable(&loaded->objects, of->variables[v].name, &bytes);
        address[v] =
            shared && bytes == of->variables[v].bytes && of->variables[v].function < 0 ? shared : 0;
    }
    const ifl_status status = ifl_variables_place(of, session->memory, address, error);
    ifl_objects_reset(&loaded->objects, session->memory);
    return status;
}

static ifl_status place_all(ifl_session *session, ifl_loaded *loaded, ifl_error *error)
{
    const size_t programs = loaded->module->programs.count, kernels = loaded->module->kernels.count;
    loaded->variable_address = calloc(programs + 1, sizeof *loaded->variable_address);
    loaded->kernels = calloc(kernels + 1, sizeof *loaded->kernels);
    ifl_status status = loaded->variable_address && loaded->kernels
                            ? IFL_OK
                            : ifl_fail_memory(error, programs * sizeof *loaded->variable_address);
    for (size_t i = 0; i < programs && status == IFL_OK; i++)
        status = place(session, loaded, i, error);
    return status;
}

static uint32_t machine_target(const ifl_session *session)
{
    return session->options.sm ? session->options.sm : ifl_session_target(session->device);
}

/* Machine code that the GPU does not run is none, where there is PTX; where it is all there is, or
 * was asked for, it is an error. */
static ifl_status load_objects(ifl_session *session, const ifl_machine_source *source,
                               uint32_t target, bool is_named, ifl_loaded *loaded, ifl_error *error)
{
    ifl_error own = {0};
    if (session->options.code == IFL_CHOOSE_PTX)
        return IFL_OK;
    const ifl_status status =
        ifl_objects_load(source, target, session->memory, &loaded->objects, &own);
    const bool is_needed = session->options.code == IFL_CHOOSE_MACHINE ||
                           !loaded->module->programs.count || is_named || status == IFL_NO_MEMORY;
    if (status == IFL_OK || !is_needed)
        return IFL_OK;
    if (error)
        *error = own;
    return status;
}

static ifl_loaded *add_loaded(ifl_session *session)
{
    ifl_loaded *loaded = calloc(1, sizeof *loaded);
    if (loaded && ifl_vec_push(&session->loaded, loaded))
        return loaded;
    free(loaded);
    return NULL;
}

/* Where a module's machine code is: what was assembled of its PTX, else what it was opened from. */
static ifl_machine_source machine_source(const ifl_loaded *loaded, const ifl_machine_source *opened)
{
    const ifl_assembled *own = &loaded->module->assembled;
    const ifl_assembled *assembled = loaded->assembled.cubin ? &loaded->assembled : own;
    return assembled->cubin ? (ifl_machine_source){opened->name, (const uint8_t *)assembled->cubin,
                                                   assembled->bytes}
                            : *opened;
}

/* Machine code that a file names, that is kept with the PTX, for whose target it was made, or the
 * module's own. */
static ifl_status take_objects(ifl_session *session, const char *machine, ifl_loaded *loaded,
                               ifl_error *error)
{
    const ifl_module *module = loaded->module;
    const ifl_code_choice code = session->options.code;
    const bool is_kept = code != IFL_CHOOSE_PTX && !machine && module->described_by.name;
    const uint32_t target = is_kept ? module->programs.at[0]->sm : machine_target(session);
    const ifl_machine_source named =
        is_kept ? module->described_by : (ifl_machine_source){.name = machine};
    ifl_status status = IFL_OK;
    loaded->needs_machine = code == IFL_CHOOSE_MACHINE || (machine && code != IFL_CHOOSE_PTX);
    if (named.name)
        return load_objects(session, &named, target, true, loaded, error);
    if (code != IFL_CHOOSE_PTX)
        status = ifl_module_assemble(module, target, code == IFL_CHOOSE_MACHINE, &loaded->assembled,
                                     error);
    const ifl_machine_source own =
        machine_source(loaded, &(ifl_machine_source){.name = module->path});
    if (status == IFL_OK && (module->has_machine || own.bytes))
        return load_objects(session, &own, target, false, loaded, error);
    if (status == IFL_OK && code == IFL_CHOOSE_MACHINE)
        return ifl_fail(error, IFL_USAGE,
                        "'%s' holds no machine code%s%s: `machine` names a file that does",
                        module->path, loaded->assembled.why_not.text[0] ? ", and " : "",
                        loaded->assembled.why_not.text);
    return status;
}

/* What the compiler made of the PTX that runs: registers, stack, spills. What cannot be read is none,
 * unless it was named. */
static ifl_status take_beside(const ifl_session *session, const ifl_machine_source *source,
                              bool is_named, ifl_loaded *loaded, ifl_error *error)
{
    if (loaded->objects.list.count || !source->name)
        return IFL_OK;
    ifl_error own = {0};
    const ifl_status status =
        ifl_machine_read_best(source, machine_target(session), true, &loaded->machine, &own);
    if (status == IFL_OK || (!is_named && status != IFL_NO_MEMORY))
        return IFL_OK;
    if (error)
        *error = own;
    return status;
}

ifl_status ifl_session_take(ifl_session *session, const ifl_module *module, const char *machine,
                            ifl_loaded **out, ifl_error *error)
{
    ifl_loaded *loaded = add_loaded(session);
    if (!loaded)
        return ifl_fail_memory(error, sizeof *loaded);
    loaded->module = module;
    const char *own = module->has_machine ? module->path : NULL;
    const ifl_machine_source beside = !machine && module->described_by.name
                                          ? module->described_by
                                          : (ifl_machine_source){.name = machine ? machine : own};
    ifl_status status = take_objects(session, machine, loaded, error);
    if (status == IFL_OK)
        status = take_beside(session, &beside, machine != NULL, loaded, error);
    if (status == IFL_OK)
        status = place_all(session, loaded, error);
    if (status == IFL_OK)
        *out = loaded;
    return status;
}

/* A program holds both, one, or neither; a driver that may take only one kind finds no kernel image
 * in the other. */
static ifl_status check_choice(const ifl_session *session, const char *name,
                               const ifl_module *module, ifl_error *error)
{
    const ifl_code_choice code = session->options.code;
    const bool has_it = code == IFL_CHOOSE_PTX       ? module->programs.count > 0
                        : code == IFL_CHOOSE_MACHINE ? module->has_machine
                                                     : true;
    return has_it ? IFL_OK
                  : ifl_fail(error, IFL_UNSUPPORTED, "%s holds no %s, and --code asks for it", name,
                             code == IFL_CHOOSE_PTX ? "PTX that the GPU compiles" : "machine code");
}

ifl_status ifl_session_load(ifl_session *session, const char *name, const void *image, size_t bytes,
                            ifl_loaded **out, ifl_error *error)
{
    ifl_loaded *loaded = add_loaded(session);
    if (!loaded)
        return ifl_fail_memory(error, sizeof *loaded);
    ifl_status status = ifl_module_open_bytes(
        name, image, bytes, ifl_session_target(session->device),
        session->options.code == IFL_CHOOSE_AS_DRIVER || session->options.code == IFL_CHOOSE_BOTH,
        &loaded->owned, error);
    loaded->module = loaded->owned;
    loaded->needs_machine = session->options.code == IFL_CHOOSE_MACHINE;
    if (status == IFL_OK)
        status = check_choice(session, name, loaded->module, error);
    if (status == IFL_OK && loaded->module->has_machine) {
        const ifl_machine_source source =
            machine_source(loaded, &(ifl_machine_source){name, image, bytes});
        status = load_objects(session, &source, machine_target(session), false, loaded, error);
    }
    for (size_t i = 0; status == IFL_OK && i < loaded->objects.list.count; i++)
        status = ifl_module_add_machine(loaded->owned, loaded->objects.list.at[i].object->machine,
                                        error);
    if (status == IFL_OK)
        status = place_all(session, loaded, error);
    if (status == IFL_OK && loaded->module->has_machine)
        status =
            take_beside(session, &(ifl_machine_source){name, image, bytes}, false, loaded, error);
    if (status == IFL_OK)
        *out = loaded;
    else
        ifl_session_unload(session, loaded);
    return status;
}

/* The programs stay: the report needs their lines. */
void ifl_session_unload(ifl_session *session, ifl_loaded *loaded)
{
    ifl_objects_drop(&loaded->objects, session->memory);
    for (size_t i = 0; loaded->variable_address && i < loaded->module->programs.count; i++) {
        const ifl_program *program = loaded->module->programs.at[i];
        for (size_t v = 0; loaded->variable_address[i] && v < program->variable_count; v++) {
            const uint64_t address = loaded->variable_address[i][v];
            ifl_allocation *a = address ? ifl_memory_find(session->memory, address) : NULL;
            if (a && !(a->flags & IFL_ALLOCATION_FREED))
                ifl_memory_drop(session->memory, a);
            loaded->variable_address[i][v] = 0;
        }
    }
}

static const uint64_t *addresses_of(const ifl_loaded *loaded, const ifl_program *program)
{
    size_t i = 0;
    while (loaded->module->programs.at[i] != program)
        i++;
    return loaded->variable_address[i];
}

static bool find_variable(const ifl_program *program, const char *name, size_t *index)
{
    for (size_t v = 0; v < program->variable_count; v++)
        if (program->variables[v].function < 0 && !program->variables[v].is_extern &&
            strcmp(program->variables[v].name, name) == 0) {
            *index = v;
            return true;
        }
    return false;
}

bool ifl_session_variable(ifl_session *session, const ifl_loaded *loaded, const char *name,
                          ifl_placed_variable *out)
{
    *out = (ifl_placed_variable){0};
    out->address = ifl_objects_variable(&loaded->objects, name, &out->bytes);
    for (size_t i = 0; i < loaded->module->programs.count && !out->address; i++) {
        size_t v;
        if (!find_variable(loaded->module->programs.at[i], name, &v))
            continue;
        out->address = loaded->variable_address[i][v];
        out->bytes = loaded->module->programs.at[i]->variables[v].bytes;
    }
    const ifl_allocation *in = out->address ? ifl_memory_find(session->memory, out->address) : NULL;
    out->host = in && in->host ? in->host + (out->address - in->address) : NULL;
    out->is_managed = in && in->flags & IFL_ALLOCATION_MANAGED;
    return in != NULL;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void take_resources(ifl_ready_kernel *kernel, const ifl_machine_kernel *code)
{
    kernel->registers = code->registers;
    kernel->local_bytes = code->frame_bytes;
    kernel->barriers = code->barriers;
    kernel->machine_sm = code->sm;
}

static bool takes_same(const ifl_kernel *kernel, const ifl_machine_kernel *code)
{
    for (size_t i = 0; i < code->parameter_count; i++)
        if (kernel->parameters[i].offset != code->parameters[i].offset)
            return false;
    return true;
}

/* PTX counts a parameter's alignment from the first one, ptxas from the start of the constant
 * bank. */
static ifl_status take_places(ifl_ready_kernel *kernel, const ifl_machine_kernel *code,
                              ifl_error *error)
{
    const ifl_kernel *of = kernel->kernel;
    if (of->parameter_count != code->parameter_count || takes_same(of, code))
        return IFL_OK;
    const size_t bytes = of->parameter_count * sizeof *of->parameters;
    kernel->as_machine = *of;
    kernel->as_machine.param_bytes = ifl_sass_param_bytes(code);
    kernel->as_machine.parameters = malloc(bytes);
    if (!kernel->as_machine.parameters)
        return ifl_fail_memory(error, bytes);
    memcpy(kernel->as_machine.parameters, of->parameters, bytes);
    for (uint32_t i = 0; i < of->parameter_count; i++)
        kernel->as_machine.parameters[i].offset = code->parameters[i].offset;
    kernel->kernel = &kernel->as_machine;
    return IFL_OK;
}

static ifl_status take_machine(ifl_ready_kernel *kernel, ifl_error *error)
{
    const ifl_machine_kernel *code = kernel->text->kernel;
    take_resources(kernel, code);
    kernel->ptx_sm = code->ptx_sm ? code->ptx_sm : code->sm;
    kernel->image.demands = ifl_sass_declared(code);
    return take_places(kernel, code, error);
}

ifl_status ifl_ready_lower(ifl_ready_kernel *kernel, ifl_error *error)
{
    if (kernel->is_lowered)
        return IFL_OK;
    const ifl_sass_lowering lowering = {.object = kernel->object->object, .kernel = kernel->text};
    const ifl_status status = ifl_sass_lower(&lowering, &kernel->image, error);
    kernel->is_lowered = status == IFL_OK;
    if (status != IFL_OK)
        kernel->image = (ifl_image){.demands = ifl_sass_declared(kernel->text->kernel)};
    return status;
}

static ifl_status lower_ptx(ifl_loaded *loaded, ifl_ready_kernel *kernel, ifl_error *error)
{
    const ifl_kernel *of = kernel->kernel;
    if (!of->program)
        return ifl_fail(error, IFL_UNSUPPORTED,
                        "'%s' has no PTX of the kernel '%s', only machine code",
                        loaded->module->path, kernel->signature);
    const ifl_machine_kernel *code =
        loaded->machine ? ifl_machine_find(loaded->machine, of->name) : NULL;
    if (code)
        take_resources(kernel, code);
    kernel->ptx_sm = of->program->sm;
    const ifl_ptx_lowering lowering = {.program = of->program,
                                       .function = of->function,
                                       .variable_address = addresses_of(loaded, of->program)};
    const ifl_status status = ifl_ptx_lower(&lowering, &kernel->image, error);
    kernel->is_lowered = status == IFL_OK;
    return status;
}

static void free_ready(ifl_ready_kernel *kernel)
{
    if (!kernel)
        return;
    free_ready(kernel->beside);
    ifl_analysed_free(kernel->analysed);
    ifl_image_free(&kernel->image);
    free(kernel->as_machine.parameters);
    free(kernel);
}

/* Machine code was asked for, and there is none of this kernel. */
static ifl_status fail_absent(const ifl_loaded *loaded, const ifl_ready_kernel *kernel,
                              ifl_error *error)
{
    const ifl_objects *objects = &loaded->objects;
    return ifl_fail(error, IFL_UNSUPPORTED,
                    "'%.300s' has no machine code of the kernel '%.300s', only other kernels'",
                    objects->list.count ? objects->list.at[0].object->machine->file
                                        : loaded->module->path,
                    kernel->signature);
}

static ifl_status make_ready(ifl_loaded *loaded, size_t index, bool may_be_machine,
                             ifl_ready_kernel **out, ifl_error *error)
{
    const ifl_kernel *of = &loaded->module->kernels.at[index];
    ifl_ready_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return ifl_fail_memory(error, sizeof *kernel);
    *kernel = (ifl_ready_kernel){.loaded = loaded,
                                 .module = loaded->module,
                                 .kernel = of,
                                 .signature = loaded->module->names.at[index].signature,
                                 .index = index};
    if (may_be_machine)
        kernel->object = ifl_objects_find(&loaded->objects, of->name, &kernel->text);
    const bool is_absent = may_be_machine && !kernel->object && loaded->needs_machine;
    const ifl_status status = is_absent        ? fail_absent(loaded, kernel, error)
                              : kernel->object ? take_machine(kernel, error)
                                               : lower_ptx(loaded, kernel, error);
    if (status == IFL_OK)
        *out = kernel;
    else
        free_ready(kernel);
    return status;
}

static ifl_status look_up(ifl_loaded *loaded, size_t index, ifl_ready_kernel **out,
                          ifl_error *error)
{
    const ifl_status status = loaded->kernels[index]
                                  ? IFL_OK
                                  : make_ready(loaded, index, true, &loaded->kernels[index], error);
    *out = loaded->kernels[index];
    return status;
}

ifl_status ifl_session_ready(ifl_session *session, ifl_loaded *loaded, size_t index,
                             ifl_ready_kernel **out, ifl_error *error)
{
    (void)session;
    const ifl_status status = look_up(loaded, index, out, error);
    return status == IFL_OK ? ifl_ready_lower(*out, error) : status;
}

ifl_status ifl_session_ready_beside(ifl_ready_kernel *kernel, ifl_ready_kernel **out,
                                    ifl_error *error)
{
    ifl_status status = IFL_OK;
    if (!kernel->beside) {
        status = make_ready(kernel->loaded, kernel->index, false, &kernel->beside, error);
        if (status == IFL_OK)
            take_resources(kernel->beside, kernel->text->kernel);
    }
    *out = kernel->beside;
    return status;
}

ifl_status ifl_session_find(ifl_session *session, ifl_loaded *loaded, const char *name,
                            ifl_ready_kernel **out, ifl_error *error)
{
    const ifl_status status = ifl_session_look_up(session, loaded, name, out, error);
    return status == IFL_OK ? ifl_ready_lower(*out, error) : status;
}

ifl_status ifl_session_look_up(ifl_session *session, ifl_loaded *loaded, const char *name,
                               ifl_ready_kernel **out, ifl_error *error)
{
    const ifl_module *module = loaded->module;
    (void)session;
    for (size_t i = 0; i < module->names.count; i++)
        if (strcmp(module->names.at[i].mangled, name) == 0)
            return look_up(loaded, i, out, error);
    if (module->unread_count && error)
        *error = module->unread;
    return module->unread_count
               ? module->unread.status
               : ifl_fail(error, IFL_USAGE, "%s has no kernel '%.300s'", module->path, name);
}

const char *ifl_session_kernel_name(const ifl_loaded *loaded, size_t index)
{
    return ifl_module_kernel_name(loaded->module, index);
}

void ifl_session_reset(const ifl_session *session, const ifl_ready_kernel *kernel)
{
    const ifl_program *program = kernel->kernel->program;
    if (program)
        ifl_variables_reset(program, session->memory, addresses_of(kernel->loaded, program));
    ifl_objects_reset(&kernel->loaded->objects, session->memory);
}

/* ---- running --------------------------------------------------------------------------------- */

IFL_SHARED ifl_status ifl_ready_blocks_per_sm(const ifl_ready_kernel *kernel,
                                              const ifl_device *device, uint64_t threads,
                                              uint64_t dynamic_shared_bytes, uint32_t *blocks,
                                              ifl_error *error)
{
    ifl_occupancy occupancy = {0};
    const uint64_t shared = kernel->image.demands.declared_shared + dynamic_shared_bytes;
    *blocks = 0;
    if (!threads || threads > INT32_MAX || shared > INT32_MAX)
        return ifl_fail(error, IFL_USAGE,
                        "no GPU has blocks of %llu threads with %llu bytes of shared memory",
                        (unsigned long long)threads, (unsigned long long)shared);
    const ifl_occupancy_request request = {.threads = (int)threads,
                                           .registers = (int)kernel->registers,
                                           .shared_bytes = (int)shared,
                                           .barriers = (int)kernel->barriers};
    const ifl_status status = ifl_occupancy_compute(device, &request, &occupancy, error);
    if (status == IFL_OK)
        *blocks = (uint32_t)occupancy.blocks_per_sm;
    return status;
}

/* The engine of the width that is asked for: kept until another is. */
static ifl_status choose_engine(ifl_session *session, const char *width, ifl_error *error)
{
    const bool is_same = width && session->vector_width ? strcmp(width, session->vector_width) == 0
                                                        : width == session->vector_width;
    if (session->engine && is_same)
        return IFL_OK;
    char *name = width ? strdup(width) : NULL;
    if (width && !name)
        return ifl_fail_memory(error, strlen(width));
    ifl_engine_free(session->engine);
    free(session->vector_width);
    session->vector_width = name;
    return ifl_engine_new(width, &session->engine, error);
}

/* Of machine code: what code/code.h says of each. */
static void set_banks(const ifl_ready_kernel *kernel, ifl_exec_launch *to)
{
    enum { OWN_CONSTANTS = 2, VARIABLES = 3, ADDRESSES = 4 };
    if (!kernel->object)
        return;
    const ifl_object *object = kernel->object->object;
    to->banks[OWN_CONSTANTS] = (ifl_bank){kernel->text->constants, kernel->text->constant_bytes};
    if (kernel->object->constants)
        to->banks[VARIABLES] = (ifl_bank){kernel->object->constants->host, object->constant_bytes};
    to->banks[ADDRESSES] = (ifl_bank){object->addresses, object->address_bytes};
}

static uint32_t cluster_blocks(const ifl_session_launch *launch)
{
    return ifl_cluster_size(launch->cluster[0] ? launch->cluster
                                               : launch->kernel->image.demands.cluster);
}

static ifl_exec_launch describe(ifl_session *session, const ifl_session_launch *launch,
                                const ifl_session_way *way)
{
    ifl_ready_kernel *kernel = launch->kernel;
    const ifl_device *device = way->device ? way->device : session->device;
    const uint32_t sms = (uint32_t)device->value[IFL_DEVICE_sms];
    uint32_t per_sm = 0;
    ifl_exec_launch to = {
        .image = &kernel->image,
        .kernel_name = kernel->signature,
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .banks = {{launch->params, kernel->image.demands.param_bytes}},
        .memory = session->memory,
        .textures = &session->textures,
        .sms = sms,
        .threads = way->threads,
        .resident = way->resident,
        .quantum = way->quantum,
        .check_reads = way->check_reads,
        .only_followed = way->only_followed,
        .check_races = way->check_races,
        .may_wait = way->may_wait,
        .stack_bytes = launch->stack_bytes,
        .grapher = launch->grapher,
        .current_graph = launch->current_graph,
        .stop = way->stop,
        .progress = way->progress,
        .progress_user = way->progress_user,
        .print = way->print,
        .print_user = way->print_user,
    };
    set_banks(kernel, &to);
    memcpy(to.grid, launch->grid, sizeof to.grid);
    memcpy(to.block, launch->block, sizeof to.block);
    memcpy(to.cluster, launch->cluster, sizeof to.cluster);
    if ((kernel->image.demands.cooperative || kernel->image.demands.ordered) &&
        ifl_ready_blocks_per_sm(kernel, device, ifl_place_count(launch->block),
                                launch->dynamic_shared_bytes, &per_sm, NULL) == IFL_OK)
        to.most_resident = ifl_place_held(sms, per_sm, cluster_blocks(launch));
    return to;
}

ifl_status ifl_session_begin(ifl_session *session, const ifl_session_launch *launch,
                             const ifl_session_way *way, const ifl_observer *const *observers,
                             size_t count, ifl_session_result *out, ifl_error *error)
{
    *out = (ifl_session_result){.ran = describe(session, launch, way)};
    out->ran.observers = observers;
    out->ran.observer_count = count;
    out->ran.parted = &out->parted;
    ifl_status status = choose_engine(session, way->vector_width, error);
    if (status != IFL_OK)
        return status;
    out->ran.nester = ifl_nested_begin(session, launch);
    status = ifl_engine_begin(session->engine, &out->ran, &out->run, error);
    if (status != IFL_OK)
        ifl_nested_end(session, false, NULL);
    return status;
}

ifl_status ifl_session_finish(ifl_session *session, ifl_session_result *out, ifl_error *error)
{
    const ifl_status status = ifl_engine_end(out->run, &out->result, error);
    ifl_parted_warn(&out->ran.image->sites, &out->parted, &out->result);
    const ifl_status kept = ifl_nested_end(session, status == IFL_OK, error);
    out->run = NULL;
    return status == IFL_OK ? kept : status;
}

ifl_status ifl_session_run(ifl_session *session, const ifl_session_launch *launch,
                           const ifl_session_way *way, const ifl_observer *const *observers,
                           size_t count, ifl_session_result *out, ifl_error *error)
{
    const ifl_status status = ifl_session_begin(session, launch, way, observers, count, out, error);
    if (status != IFL_OK)
        return status;
    while (ifl_engine_go_on(out->run) != IFL_RUN_IS_OVER)
        continue;
    return ifl_session_finish(session, out, error);
}

void ifl_session_end(ifl_session_result *result)
{
    ifl_exec_result_free(&result->ran, &result->result);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void free_loaded(ifl_loaded *loaded)
{
    for (size_t i = 0; loaded->kernels && i < loaded->module->kernels.count; i++)
        free_ready(loaded->kernels[i]);
    for (size_t i = 0; loaded->variable_address && i < loaded->module->programs.count; i++)
        free(loaded->variable_address[i]);
    if (loaded->machine)
        ifl_machine_free(loaded->machine);
    ifl_objects_free(&loaded->objects);
    free(loaded->kernels);
    free(loaded->variable_address);
    free(loaded->assembled.cubin);
    ifl_module_close(loaded->owned);
    free(loaded);
}

void ifl_session_free(ifl_session *session)
{
    if (!session)
        return;
    ifl_ledger_free(&session->ledger);
    ifl_nested_free(&session->nested);
    for (size_t i = 0; i < session->loaded.count; i++)
        free_loaded(session->loaded.at[i]);
    ifl_vec_free(&session->loaded);
    ifl_engine_free(session->engine);
    free(session->vector_width);
    ifl_memory_free(session->memory);
    ifl_textures_free(&session->textures);
    ifl_device_close(session->device);
    ifl_cache_workspace_free(&session->workspace);
    free(session);
}
