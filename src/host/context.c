/* SPDX-License-Identifier: Apache-2.0
 * The context: its GPU, its memory, its modules and their kernels. Launches are in ledger.c. */
#include "host/context_internal.h"

#include "base/shared.h"
#include "run/reach.h"

#include <stdlib.h>
#include <string.h>

ifl_status ifl_context_new(const ifl_context_options *options, ifl_context **out, ifl_error *error)
{
    ifl_context *context = calloc(1, sizeof *context);
    if (!context)
        return ifl_fail_memory(error, sizeof *context);
    context->options = *options;
    ifl_status status = ifl_device_open(options->gpu, &context->device, error);
    if (status == IFL_OK)
        status = ifl_memory_new(&context->memory, error);
    if (status != IFL_OK) {
        ifl_context_free(context);
        return status;
    }
    *out = context;
    return IFL_OK;
}

IFL_SHARED const ifl_device *ifl_context_device(const ifl_context *context)
{
    return context->device;
}

IFL_SHARED ifl_memory *ifl_context_memory(ifl_context *context)
{
    return context->memory;
}

/* ---- modules --------------------------------------------------------------------------------- */

/* 9.0 -> 90 */
static uint32_t target_of(const ifl_device *device)
{
    return (uint32_t)(device->value[IFL_DEVICE_compute_capability] * 10 + 0.5);
}

static ifl_status place(ifl_context *context, ifl_loaded *loaded, size_t program, ifl_error *error)
{
    const ifl_program *of = loaded->module->programs.at[program];
    uint64_t *address = calloc(of->variable_count + 1, sizeof *address);
    if (!address)
        return ifl_fail_memory(error, of->variable_count);
    loaded->variable_address[program] = address;
    return ifl_simt_place(of, context->memory, address, error);
}

static ifl_status place_all(ifl_context *context, ifl_loaded *loaded, ifl_error *error)
{
    const size_t programs = loaded->module->programs.count, kernels = loaded->module->kernels.count;
    loaded->variable_address = calloc(programs + 1, sizeof *loaded->variable_address);
    loaded->kernels = calloc(kernels + 1, sizeof *loaded->kernels);
    ifl_status status = loaded->variable_address && loaded->kernels
                            ? IFL_OK
                            : ifl_fail_memory(error, programs * sizeof *loaded->variable_address);
    for (size_t i = 0; i < programs && status == IFL_OK; i++)
        status = place(context, loaded, i, error);
    return status;
}

ifl_status ifl_context_load(ifl_context *context, const char *name, const void *image, size_t bytes,
                            ifl_loaded **out, ifl_error *error)
{
    ifl_loaded *loaded = calloc(1, sizeof *loaded);
    if (!loaded || !ifl_vec_push(&context->loaded, loaded)) {
        free(loaded);
        return ifl_fail_memory(error, sizeof *loaded);
    }
    ifl_status status =
        ifl_module_open_bytes(name, image, bytes, target_of(context->device), &loaded->module, error);
    if (status == IFL_OK)
        status = place_all(context, loaded, error);
    if (status == IFL_OK)
        loaded->machine = ifl_host_machine_read(name, image, bytes, target_of(context->device));
    if (status == IFL_OK)
        *out = loaded;
    else
        ifl_context_unload(context, loaded);
    return status;
}

/* The programs stay: the report needs their lines. */
void ifl_context_unload(ifl_context *context, ifl_loaded *loaded)
{
    for (size_t i = 0; loaded->variable_address && i < loaded->module->programs.count; i++) {
        const ifl_program *program = loaded->module->programs.at[i];
        for (size_t v = 0; loaded->variable_address[i] && v < program->variable_count; v++) {
            const uint64_t address = loaded->variable_address[i][v];
            ifl_allocation *a = address ? ifl_memory_find(context->memory, address) : NULL;
            if (a && !(a->flags & IFL_ALLOCATION_FREED))
                ifl_memory_drop(context->memory, a);
            loaded->variable_address[i][v] = 0;
        }
    }
}

static size_t program_index(const ifl_loaded *loaded, const ifl_program *program)
{
    size_t i = 0;
    while (i < loaded->module->programs.count && loaded->module->programs.at[i] != program)
        i++;
    return i;
}

const uint64_t *ifl_loaded_addresses(const ifl_loaded *loaded, const ifl_program *program)
{
    return loaded->variable_address[program_index(loaded, program)];
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

bool ifl_context_variable(ifl_context *context, const ifl_loaded *loaded, const char *name, ifl_allocation **out)
{
    for (size_t i = 0; i < loaded->module->programs.count; i++) {
        size_t v;
        if (!find_variable(loaded->module->programs.at[i], name, &v) || !loaded->variable_address[i][v])
            continue;
        *out = ifl_memory_find(context->memory, loaded->variable_address[i][v]);
        return *out != NULL;
    }
    return false;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static ifl_status prepare(ifl_host_kernel *kernel, ifl_error *error)
{
    const ifl_program *program = kernel->program;
    const uint32_t function = (uint32_t)(kernel->function - program->functions);
    kernel->reached = calloc(program->function_count + 1, sizeof *kernel->reached);
    if (!kernel->reached)
        return ifl_fail_memory(error, program->function_count);
    ifl_status status = ifl_reach(program, function, kernel->reached, error);
    if (status == IFL_OK)
        status = ifl_simt_check(program, function, error);
    kernel->static_shared_bytes = ifl_reach_shared_bytes(program, kernel->reached);
    return status;
}

static void take_machine(ifl_host_kernel *kernel, const ifl_machine *machine)
{
    for (size_t i = 0; machine && i < machine->kernel_count; i++) {
        const ifl_machine_kernel *code = &machine->kernels[i];
        if (strcmp(code->name, kernel->function->name) != 0)
            continue;
        kernel->registers = code->registers;
        kernel->local_bytes = code->frame_bytes;
        kernel->barriers = code->barriers;
        kernel->machine_sm = code->sm;
    }
}

static ifl_status make_kernel(ifl_loaded *loaded, size_t index, ifl_error *error)
{
    const ifl_kernel *of = &loaded->module->kernels.at[index];
    ifl_host_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return ifl_fail_memory(error, sizeof *kernel);
    *kernel = (ifl_host_kernel){.loaded = loaded,
                                .index = index,
                                .program = of->program,
                                .function = &of->program->functions[of->function],
                                .signature = loaded->module->names.at[index].signature};
    take_machine(kernel, loaded->machine);
    const ifl_status status = prepare(kernel, error);
    if (status == IFL_OK)
        loaded->kernels[index] = kernel;
    else
        ifl_host_kernel_free(kernel);
    return status;
}

void ifl_host_kernel_free(ifl_host_kernel *kernel)
{
    if (!kernel)
        return;
    free(kernel->reached);
    free(kernel);
}

ifl_status ifl_context_kernel(ifl_loaded *loaded, const char *name, const ifl_host_kernel **out, ifl_error *error)
{
    const ifl_module *module = loaded->module;
    for (size_t i = 0; i < module->names.count; i++) {
        if (strcmp(module->names.at[i].mangled, name) != 0)
            continue;
        const ifl_status status = loaded->kernels[i] ? IFL_OK : make_kernel(loaded, i, error);
        *out = loaded->kernels[i];
        return status;
    }
    if (module->unread_count && error)
        *error = module->unread;
    return module->unread_count ? module->unread.status
                                : ifl_fail(error, IFL_USAGE, "%s has no kernel '%.300s'", module->path, name);
}

static void free_loaded(ifl_loaded *loaded)
{
    if (loaded->module) {
        for (size_t i = 0; loaded->kernels && i < loaded->module->kernels.count; i++)
            ifl_host_kernel_free(loaded->kernels[i]);
        for (size_t i = 0; loaded->variable_address && i < loaded->module->programs.count; i++)
            free(loaded->variable_address[i]);
    }
    if (loaded->machine)
        ifl_machine_free(loaded->machine);
    free(loaded->kernels);
    free(loaded->variable_address);
    ifl_module_close(loaded->module);
    free(loaded);
}

void ifl_context_free(ifl_context *context)
{
    if (!context)
        return;
    ifl_ledger_free(&context->ledger);
    for (size_t i = 0; i < context->loaded.count; i++)
        free_loaded(context->loaded.at[i]);
    ifl_vec_free(&context->loaded);
    ifl_memory_free(context->memory);
    ifl_device_close(context->device);
    free(context);
}
