/* SPDX-License-Identifier: Apache-2.0
 * Describing a launch: its kernel, its properties word by word, and its arguments in memory. It
 * does not run it. */
#include "session/launch.h"

#include "device/block_places.h"
#include "session/npy.h"
#include "session/number.h"
#include "session/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a launch that cannot be is: wrong usage, or bad input where it was read from a file. */
static ifl_status status_of_fault(const ifl_launch *launch)
{
    return launch->file ? IFL_BAD_INPUT : IFL_USAGE;
}

/* With the file's name, if it was read from one. */
static ifl_status fail(const ifl_launch *launch, ifl_error *error, const char *format, ...)
    IFL_PRINTF(3, 4);
static ifl_status fail(const ifl_launch *launch, ifl_error *error, const char *format, ...)
{
    const ifl_place place = {.file = launch->file};
    va_list list;
    va_start(list, format);
    const ifl_status status = ifl_fail_list(error, status_of_fault(launch), &place, format, list);
    va_end(list);
    return status;
}

static const char *signature_of(const ifl_launch *launch)
{
    return launch->module->names.at[launch->kernel].signature;
}

ifl_status ifl_launch_new(const ifl_module *module, const char *kernel, ifl_launch **out,
                          ifl_error *error)
{
    size_t index;
    *out = NULL;
    const ifl_status status = ifl_module_find(module, kernel, &index, error);
    if (status != IFL_OK)
        return status;
    ifl_launch *launch = calloc(1, sizeof *launch);
    if (!launch)
        return ifl_fail_memory(error, sizeof *launch);
    launch->module = module;
    launch->kernel = index;
    launch->of = &module->kernels.at[index];
    *out = launch;
    return IFL_OK;
}

static void discard_session(ifl_launch *launch)
{
    ifl_session_free(launch->session);
    free(launch->buffers);
    free(launch->params);
    launch->session = NULL;
    launch->ready = NULL;
    launch->of = &launch->module->kernels.at[launch->kernel];
    launch->buffers = NULL;
    launch->params = NULL;
    launch->is_filled = false;
}

void ifl_launch_free(ifl_launch *launch)
{
    if (!launch)
        return;
    discard_session(launch);
    ifl_vec_free(&launch->arguments);
    ifl_vec_free(&launch->gpus);
    ifl_arena_free(&launch->arena);
    free(launch);
}

/* ---- properties ------------------------------------------------------------------------------ */

static IFL_PRINTF(5, 6) ifl_status fail_value(const char *key, const char *value, const char *at,
                                              ifl_error *error, const char *format, ...)
{
    const ifl_place place = {key, 1, (int)(at - value) + 1, value};
    va_list list;
    va_start(list, format);
    ifl_fail_list(error, IFL_USAGE, &place, format, list);
    va_end(list);
    return IFL_USAGE;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* "X[,Y[,Z]]" or "XxYxZ", each from 1 to its limit; what is left out is 1. */
static ifl_status read_dimensions(const char *key, const char *value, const uint64_t limit[3],
                                  uint32_t out[3], ifl_error *error)
{
    static const char axes[] = "xyz";
    const char *at = skip_blanks(value);
    uint32_t read[3] = {1, 1, 1};
    for (int i = 0; i < 3; i++) {
        const char *start = at;
        uint64_t number;
        const char *problem = ifl_number_read(&at, &number);
        if (problem)
            return fail_value(key, value, at, error, "%s", problem);
        if (number < 1 || number > limit[i])
            return fail_value(key, value, start, error,
                              "%s.%c is %" PRIu64 "; it can be 1 to %" PRIu64, key, axes[i], number,
                              limit[i]);
        read[i] = (uint32_t)number;
        at = skip_blanks(at);
        if ((*at != ',' && *at != 'x') || i == 2)
            break;
        at = skip_blanks(at + 1);
    }
    if (*at)
        return fail_value(key, value, at, error, "expected at most three numbers: X,Y,Z");
    memcpy(out, read, sizeof read);
    return IFL_OK;
}

/* The limits are those of every compute capability from 3.0 on: CUDA C++ Programming Guide. */
static ifl_status set_grid(ifl_launch *launch, const char *value, ifl_error *error)
{
    static const uint64_t limit[3] = {INT32_MAX, 65535, 65535};
    return read_dimensions("grid", value, limit, launch->grid, error);
}

static ifl_status set_block(ifl_launch *launch, const char *value, ifl_error *error)
{
    static const uint64_t limit[3] = {1024, 1024, 64};
    uint32_t block[3] = {0};
    const ifl_status status = read_dimensions("block", value, limit, block, error);
    if (status != IFL_OK)
        return status;
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads > IFL_MAX_BLOCK_THREADS)
        return fail_value("block", value, value, error,
                          "a block of %" PRIu64 " threads; the limit is %d", threads,
                          IFL_MAX_BLOCK_THREADS);
    memcpy(launch->block, block, sizeof block);
    return IFL_OK;
}

/* PTX ISA, .reqnctapercluster; 16 blocks where a function allows what is not portable, else 8. */
static ifl_status set_cluster(ifl_launch *launch, const char *value, ifl_error *error)
{
    static const uint64_t limit[3] = {IFL_MOST_CLUSTER_BLOCKS, IFL_MOST_CLUSTER_BLOCKS,
                                      IFL_MOST_CLUSTER_BLOCKS};
    uint32_t cluster[3] = {0};
    const ifl_status status = read_dimensions("cluster", value, limit, cluster, error);
    if (status != IFL_OK)
        return status;
    if (cluster[0] * cluster[1] * cluster[2] > IFL_MOST_CLUSTER_BLOCKS)
        return fail_value("cluster", value, value, error, "a cluster of %u blocks; the limit is %d",
                          cluster[0] * cluster[1] * cluster[2], IFL_MOST_CLUSTER_BLOCKS);
    memcpy(launch->cluster, cluster, sizeof cluster);
    launch->cluster_text = ifl_arena_text(&launch->arena, value, strlen(value));
    return launch->cluster_text ? IFL_OK : ifl_fail_memory(error, strlen(value));
}

static ifl_status set_shared(ifl_launch *launch, const char *value, ifl_error *error)
{
    const char *at = skip_blanks(value);
    uint64_t bytes;
    const char *problem = ifl_number_read(&at, &bytes);
    if (!problem && *at == 'B' && at > value && at[-1] == 'i') /* 48KiB */
        at++;
    if (problem || *skip_blanks(at))
        return fail_value("shared", value, at, error, "%s",
                          problem ? problem : "expected a number of bytes: 49152, 48Ki or 48KiB");
    if (bytes > IFL_MAX_SHARED_BYTES)
        return fail_value("shared", value, value, error,
                          "%" PRIu64 " bytes of shared memory; the limit is %d", bytes,
                          IFL_MAX_SHARED_BYTES);
    launch->dynamic_shared_bytes = bytes;
    return IFL_OK;
}

static ifl_status set_machine(ifl_launch *launch, const char *value, ifl_error *error)
{
    launch->machine = ifl_path_join(&launch->arena, launch->directory, value);
    return launch->machine ? IFL_OK : ifl_fail_memory(error, strlen(value));
}

static ifl_status set_code(ifl_launch *launch, const char *value, ifl_error *error)
{
    const bool is_ptx = strcmp(value, "ptx") == 0;
    if (!is_ptx && strcmp(value, "machine") != 0)
        return fail_value("code", value, value, error,
                          "expected ptx or machine (and on the command line of analyze, both)");
    launch->code = is_ptx ? IFL_CHOOSE_PTX : IFL_CHOOSE_MACHINE;
    return IFL_OK;
}

static ifl_status set_gpu(ifl_launch *launch, const char *value, ifl_error *error)
{
    const char *copy = ifl_arena_text(&launch->arena, value, strlen(value));
    return copy && ifl_vec_push(&launch->gpus, copy) ? IFL_OK
                                                     : ifl_fail_memory(error, strlen(value));
}

const char *ifl_launch_gpu(const ifl_launch *launch, size_t index)
{
    return index < launch->gpus.count ? launch->gpus.at[index] : NULL;
}

/* The architecture of the machine code that the launch names; 0: it names none, or none that can be
 * read, as running it says. */
static uint32_t architecture_named(const ifl_launch *launch)
{
    ifl_machine *machine;
    ifl_error ignored;
    if (!launch->machine || launch->code == IFL_CHOOSE_PTX ||
        ifl_machine_open(launch->machine, NULL, &machine, &ignored) != IFL_OK)
        return 0;
    const uint32_t sm = machine->kernel_count ? machine->kernels[0].sm : 0;
    ifl_machine_close(machine);
    return sm;
}

const char *ifl_launch_default_gpu(const ifl_launch *launch)
{
    const uint32_t named = architecture_named(launch);
    if (named)
        return ifl_device_common(named);
    const char *target = launch->of->target,
               *digits = target ? strpbrk(target, "0123456789") : NULL;
    return digits ? ifl_device_common((uint32_t)strtoul(digits, NULL, 10)) : NULL;
}

/* "kernel 'saxpy' takes 4 parameters (u32, f32, u64, u64), 3 given". */
static ifl_status fail_count(const ifl_launch *launch, size_t given, ifl_error *error)
{
    char types[400] = "";
    const uint32_t count = launch->of->parameter_count;
    for (uint32_t i = 0; i < count; i++) {
        char one[32];
        const size_t used = strlen(types);
        snprintf(types + used, sizeof types - used, "%s%s", i ? ", " : " (",
                 ifl_param_text(&launch->of->parameters[i], one, sizeof one));
    }
    return fail(launch, error, "kernel '%.200s' takes %u parameter%s%s%s, %zu given",
                signature_of(launch), count, count == 1 ? "" : "s", types, count ? ")" : "", given);
}

static ifl_status set_arg(ifl_launch *launch, const char *value, ifl_error *error)
{
    const size_t index = launch->arguments.count, parameter = launch->given;
    if (launch->session)
        return ifl_fail(error, IFL_USAGE,
                        "the arguments are laid out in memory already: make a new launch");
    if (parameter >= launch->of->parameter_count)
        return fail_count(launch, parameter + 1, error);
    const ifl_argument_context context = {&launch->of->parameters[parameter], parameter, index,
                                          launch->arguments.at, launch->directory};
    ifl_argument argument;
    ifl_status status;
    if (ifl_argument_is_structure(value)) {
        status = ifl_argument_parse_structure(&launch->arena, &context, value, &launch->arguments,
                                              error);
    } else {
        status = ifl_argument_parse(&launch->arena, &context, value, &argument, error);
        if (status == IFL_OK && !ifl_vec_push(&launch->arguments, argument))
            status = ifl_fail_memory(error, sizeof argument);
    }
    launch->given += status == IFL_OK;
    return status;
}

static const struct {
    const char *key;
    ifl_status (*set)(ifl_launch *launch, const char *value, ifl_error *error);
} properties[] = {
    {"grid", set_grid}, {"block", set_block}, {"cluster", set_cluster}, {"shared", set_shared},
    {"arg", set_arg},   {"gpu", set_gpu},     {"machine", set_machine}, {"code", set_code},
};

ifl_status ifl_launch_set(ifl_launch *launch, const char *key, const char *value, ifl_error *error)
{
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (strcmp(properties[i].key, key) == 0)
            return properties[i].set(launch, value, error);
    return ifl_fail(error, IFL_USAGE,
                    "a launch has no '%.40s'; its keys are grid, block, cluster, shared, arg, gpu, "
                    "machine and code",
                    key);
}

/* ---- arguments in memory --------------------------------------------------------------------- */

static ifl_status read_npy(const ifl_argument *argument, void *to, ifl_error *error)
{
    ifl_npy npy;
    ifl_status status = ifl_npy_open(argument->fill.path, argument->element, &npy, error);
    if (status != IFL_OK)
        return status;
    /* The file may have changed since the argument was read. */
    if (npy.count != argument->count)
        status =
            ifl_fail(error, IFL_BAD_INPUT, "'%s' changed while it was in use", argument->fill.path);
    else
        status = ifl_npy_read(&npy, argument->fill.path, to, error);
    ifl_npy_close(&npy);
    return status;
}

/* How buffers are filled. */
typedef struct filling {
    int threads;
    const volatile int *stop;
} filling;

static ifl_status fill_buffer(const ifl_launch *launch, size_t index, filling how, ifl_error *error)
{
    const ifl_argument *argument = &launch->arguments.at[index];
    if (argument->kind != IFL_ARGUMENT_BUFFER)
        return IFL_OK;
    if (argument->fill.kind == IFL_FILL_FILE)
        return read_npy(argument, launch->buffers[index]->host, error);
    if (ifl_fill_run(&argument->fill, argument->element, launch->buffers[index]->host,
                     argument->count, how.threads, how.stop))
        return IFL_OK;
    return ifl_fail(error, IFL_INTERRUPTED, "interrupted while argument %zu was filled", index);
}

static ifl_status make_buffer(ifl_launch *launch, size_t index, ifl_error *error)
{
    const ifl_argument *argument = &launch->arguments.at[index];
    const char *name = ifl_param_name(&launch->of->parameters[argument->parameter]);
    char label[96];
    snprintf(label, sizeof label, "argument %zu, %s×%" PRIu64 "%s%.40s%s", index,
             argument->element->name, argument->count, name ? " (" : "", name ? name : "",
             name ? ")" : "");
    const uint32_t flags = argument->fill.kind == IFL_FILL_NONE ? IFL_ALLOCATION_UNWRITTEN : 0;
    return ifl_memory_allocate(ifl_session_memory(launch->session),
                               argument->count * argument->element->bytes, argument->misalign,
                               flags, label, &launch->buffers[index], error);
}

static ifl_status place_buffer(ifl_launch *launch, size_t index, ifl_error *error)
{
    const ifl_argument *argument = &launch->arguments.at[index];
    if (argument->kind == IFL_ARGUMENT_VALUE)
        return IFL_OK;
    if (argument->kind != IFL_ARGUMENT_SAME)
        return make_buffer(launch, index, error);
    launch->buffers[index] = launch->buffers[argument->same];
    return IFL_OK;
}

/* Parameters of 8 bytes; numbers of textures have 4. */
static ifl_status name_texture(ifl_launch *launch, size_t index, uint8_t *out, ifl_error *error)
{
    ifl_texture placed;
    memcpy(&placed, launch->arguments.at[index].texture, sizeof placed);
    placed.address = launch->buffers[index]->address;
    const uint64_t handle = ifl_textures_add(ifl_session_textures(launch->session), &placed);
    memcpy(out, &handle, sizeof handle);
    return handle ? IFL_OK : ifl_fail_memory(error, sizeof placed);
}

/* Where the code that runs has its parameters. */
static ifl_status lay_out(ifl_launch *launch, ifl_error *error)
{
    const ifl_kernel *of = launch->of = launch->ready->kernel;
    launch->params = calloc(1, of->param_bytes + 1);
    if (!launch->params)
        return ifl_fail_memory(error, of->param_bytes);
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < launch->arguments.count && status == IFL_OK; i++) {
        const ifl_argument *argument = &launch->arguments.at[i];
        uint8_t *param =
            launch->params + of->parameters[argument->parameter].offset + argument->offset;
        if (argument->kind == IFL_ARGUMENT_VALUE)
            memcpy(param, argument->value, argument->value_bytes);
        else if (argument->tensor) {
            ifl_tensor_map placed = *argument->tensor;
            placed.address = launch->buffers[i]->address;
            ifl_tensor_map_write(&placed, param);
        } else if (argument->texture)
            status = name_texture(launch, i, param, error);
        else
            memcpy(param, &launch->buffers[i]->address, sizeof launch->buffers[i]->address);
    }
    return status;
}

/* Arguments come first in memory: their addresses are then the same for every kernel that takes
 * them. */
static ifl_status make_session(ifl_launch *launch, ifl_error *error)
{
    const ifl_session_options options = {.gpu = launch->gpus.count ? launch->gpus.at[0] : NULL,
                                         .sm = launch->sm,
                                         .code = launch->code};
    ifl_loaded *loaded;
    const size_t count = launch->arguments.count;
    if (launch->given != launch->of->parameter_count)
        return fail_count(launch, launch->given, error);
    launch->buffers = calloc(count + 1, sizeof(ifl_allocation *));
    ifl_status status = launch->buffers ? ifl_session_new(&options, &launch->session, error)
                                        : ifl_fail_memory(error, count * sizeof(ifl_allocation *));
    for (size_t i = 0; i < count && status == IFL_OK; i++)
        status = place_buffer(launch, i, error);
    if (status == IFL_OK)
        status = ifl_session_take(launch->session, launch->module, launch->machine, &loaded, error);
    if (status == IFL_OK)
        status = ifl_session_ready(launch->session, loaded, launch->kernel, &launch->ready, error);
    if (status == IFL_OK)
        status = lay_out(launch, error);
    if (status != IFL_OK)
        discard_session(launch);
    return status;
}

ifl_status ifl_launch_prepare(ifl_launch *launch, int threads, const volatile int *stop,
                              ifl_error *error)
{
    ifl_status status = launch->session ? IFL_OK : make_session(launch, error);
    for (size_t i = 0; i < launch->arguments.count && status == IFL_OK && !launch->is_filled; i++)
        status = fill_buffer(launch, i, (filling){threads, stop}, error);
    launch->is_filled |= status == IFL_OK;
    return status;
}

/* ---- what the kernel allows ------------------------------------------------------------------ */

static ifl_status check_threads(const ifl_launch *launch, ifl_error *error)
{
    const ifl_demands *demands = &launch->ready->image.demands;
    const uint32_t *required = demands->required_threads, *most = demands->max_threads;
    if (required[0] && memcmp(required, launch->block, sizeof launch->block) != 0)
        return fail(launch, error,
                    "kernel '%.200s' requires blocks of %u,%u,%u threads (.reqntid), not "
                    "%u,%u,%u",
                    launch->of->name, required[0], required[1], required[2], launch->block[0],
                    launch->block[1], launch->block[2]);
    /* PTX ISA, .maxntid: the limit is the product of the extents. */
    if (most[0] && ifl_place_count(launch->block) > ifl_place_count(most))
        return fail(launch, error,
                    "kernel '%.200s' allows %" PRIu64 " threads per block (.maxntid), not %" PRIu64,
                    launch->of->name, ifl_place_count(most), ifl_place_count(launch->block));
    return IFL_OK;
}

static ifl_status check_shared(const ifl_launch *launch, ifl_error *error)
{
    const uint64_t dynamic = launch->dynamic_shared_bytes;
    const uint64_t declared = launch->ready->image.demands.declared_shared;
    if (declared + dynamic <= IFL_MAX_SHARED_BYTES)
        return IFL_OK;
    return fail(launch, error,
                "a block needs %" PRIu64 " bytes of shared memory (%" PRIu64 " static, %" PRIu64
                " dynamic); the limit is %d",
                declared + dynamic, declared, dynamic, IFL_MAX_SHARED_BYTES);
}

static ifl_status check_clusters(const ifl_launch *launch, ifl_error *error)
{
    const uint32_t *kernel = launch->ready->image.demands.cluster, *grid = launch->grid,
                   *given = launch->cluster, *size = given[0] ? given : kernel;
    const ifl_place as_given = {"cluster", 0, 1, launch->cluster_text};
    if (kernel[0] && given[0] && memcmp(kernel, given, sizeof launch->cluster) != 0)
        return ifl_fail_at(
            error, status_of_fault(launch), &as_given,
            "kernel '%.200s' is made for clusters of %u,%u,%u blocks, not of %u,%u,%u",
            launch->of->name, kernel[0], kernel[1], kernel[2], given[0], given[1], given[2]);
    const bool divides = !size[0] || ifl_cluster_divides(size, grid);
    if (!divides && given[0])
        return ifl_fail_at(error, status_of_fault(launch), &as_given,
                           "the grid of %u,%u,%u blocks is no multiple of a cluster of %u,%u,%u",
                           grid[0], grid[1], grid[2], size[0], size[1], size[2]);
    return divides ? IFL_OK
                   : fail(launch, error,
                          "the grid of %u,%u,%u blocks is no multiple of the clusters of kernel "
                          "'%.200s', %u,%u,%u",
                          grid[0], grid[1], grid[2], launch->of->name, size[0], size[1], size[2]);
}

ifl_status ifl_launch_ready(ifl_launch *launch, ifl_error *error)
{
    if (!launch->grid[0] || !launch->block[0])
        return fail(launch, error, "the launch has no %s: give its size as X[,Y[,Z]]",
                    launch->grid[0] ? "block" : "grid");
    ifl_status status = launch->session ? IFL_OK : make_session(launch, error);
    if (status == IFL_OK)
        status = check_threads(launch, error);
    if (status == IFL_OK)
        status = check_clusters(launch, error);
    return status == IFL_OK ? check_shared(launch, error) : status;
}

ifl_session_launch ifl_launch_shaped(const ifl_launch *launch)
{
    ifl_session_launch shaped = {.kernel = launch->ready,
                                 .dynamic_shared_bytes = launch->dynamic_shared_bytes,
                                 .params = launch->params};
    memcpy(shaped.grid, launch->grid, sizeof shaped.grid);
    memcpy(shaped.block, launch->block, sizeof shaped.block);
    memcpy(shaped.cluster, launch->cluster, sizeof shaped.cluster);
    return shaped;
}

/* A buffer of other elements than the kernel's pointer leads to: of another size, or integers for
 * floating point. Bytes may be meant as anything. */
static bool is_of_other_type(const ifl_argument *argument, const char *type)
{
    const char *own = argument->element->name;
    const size_t length = strcspn(type, "*");
    const ifl_element *expected = type[length] == '*' ? ifl_element_find(type, length) : NULL;
    return expected && argument->kind == IFL_ARGUMENT_BUFFER && !argument->tensor &&
           argument->element->bytes > 1 && expected != argument->element &&
           (expected->bytes != argument->element->bytes || strchr(own, 'f') || strchr(type, 'f'));
}

static ifl_status warn_of_types(const ifl_launch *launch, ifl_profile *profile, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < launch->arguments.count && status == IFL_OK; i++) {
        const ifl_argument *argument = &launch->arguments.at[i];
        const char *type =
            argument->element && !argument->offset
                ? ifl_module_kernel_type(launch->module, launch->kernel, argument->parameter)
                : NULL;
        if (type && is_of_other_type(argument, type))
            status = ifl_profile_warn(profile, error,
                                      "argument %zu has elements of %s, where the kernel has %.*s",
                                      i, argument->element->name, (int)strcspn(type, "*"), type);
    }
    return status;
}

ifl_status ifl_launch_describe(const ifl_launch *launch, const char *backend, ifl_profile *profile,
                               ifl_error *error)
{
    const ifl_session_launch shaped = ifl_launch_shaped(launch);
    ifl_status status = ifl_profile_describe(&shaped, backend, profile, error);
    for (size_t i = 0; i < launch->arguments.count && status == IFL_OK; i++) {
        const char *text = ifl_profile_copy_text(profile, launch->arguments.at[i].text);
        if (!text || !ifl_vec_push(&profile->arguments, text))
            status = ifl_fail_memory(error, sizeof text);
    }
    return status == IFL_OK ? warn_of_types(launch, profile, error) : status;
}

/* ---- looking at them ------------------------------------------------------------------------- */

size_t ifl_launch_argument_count(const ifl_launch *launch)
{
    return launch->arguments.count;
}

ifl_status ifl_launch_argument(ifl_launch *launch, size_t index, ifl_argument_view *out,
                               ifl_error *error)
{
    const ifl_status status = ifl_launch_prepare(launch, 0, NULL, error);
    if (status != IFL_OK)
        return status;
    if (index >= launch->arguments.count)
        return ifl_fail(error, IFL_USAGE, "no argument %zu: the launch has %zu, counted from 0",
                        index, launch->arguments.count);
    const ifl_argument *argument = &launch->arguments.at[index];
    const bool is_value = argument->kind == IFL_ARGUMENT_VALUE;
    const ifl_allocation *buffer = launch->buffers[index];
    *out = (ifl_argument_view){
        .is_buffer = !is_value,
        .element = argument->element,
        .data = is_value ? (void *)argument->value : buffer->host,
        .bytes = is_value ? argument->value_bytes : argument->count * argument->element->bytes,
        .misalign = argument->misalign,
        .same = argument->kind == IFL_ARGUMENT_SAME ? argument->same : index,
    };
    return IFL_OK;
}

ifl_status ifl_launch_argument_at(ifl_launch *launch, size_t index, ifl_launch_argument_info *out,
                                  ifl_error *error)
{
    ifl_argument_view view;
    *out = (ifl_launch_argument_info){0};
    const ifl_status status = ifl_launch_argument(launch, index, &view, error);
    if (status != IFL_OK)
        return status;
    *out = (ifl_launch_argument_info){view.is_buffer, view.element ? view.element->name : NULL,
                                      view.data, view.bytes, view.same};
    return IFL_OK;
}

void ifl_launch_shape(const ifl_launch *launch, uint32_t grid[3], uint32_t block[3])
{
    memcpy(grid, launch->grid, sizeof launch->grid);
    memcpy(block, launch->block, sizeof launch->block);
}

static ifl_status view_buffer(ifl_launch *launch, size_t index, ifl_argument_view *view,
                              ifl_error *error)
{
    const ifl_status status = ifl_launch_argument(launch, index, view, error);
    if (status != IFL_OK || view->is_buffer)
        return status;
    return ifl_fail(error, IFL_USAGE, "argument %zu is not a buffer: it is %s", index,
                    launch->arguments.at[index].text);
}

ifl_status ifl_launch_buffer(ifl_launch *launch, size_t index, void **data, size_t *bytes,
                             ifl_error *error)
{
    ifl_argument_view view;
    *data = NULL;
    *bytes = 0;
    const ifl_status status = view_buffer(launch, index, &view, error);
    if (status != IFL_OK)
        return status;
    *data = view.data;
    *bytes = view.bytes;
    return IFL_OK;
}

const char *ifl_launch_input(const ifl_launch *launch, size_t index)
{
    const char *const own[] = {launch->module->path, launch->file};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i] && index-- == 0)
            return own[i];
    for (size_t i = 0; i < launch->arguments.count; i++)
        if (launch->arguments.at[i].fill.kind == IFL_FILL_FILE && index-- == 0)
            return launch->arguments.at[i].fill.path;
    return NULL;
}

ifl_status ifl_launch_save(ifl_launch *launch, size_t index, const char *path, ifl_error *error)
{
    ifl_argument_view view;
    const ifl_status status = view_buffer(launch, index, &view, error);
    if (status != IFL_OK)
        return status;
    return ifl_npy_write(path, view.element, view.data, view.bytes / view.element->bytes, error);
}
