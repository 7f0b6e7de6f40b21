/* SPDX-License-Identifier: Apache-2.0
 * The public functions on machine code: opening a file, and the report on its kernels. Joins the
 * readers, the names of kernels, the texts of sources and the report; does none of their work. */
#include "base/file.h"
#include "report/report_sass.h"
#include "session/kernel_name.h"
#include "session/source_text.h"

#include <stdlib.h>
#include <string.h>

/* "sm_90", "90", "sm_90a" -> 90; NULL -> 0. */
static ifl_status read_arch(const char *arch, uint32_t *sm, ifl_error *error)
{
    *sm = 0;
    if (!arch)
        return IFL_OK;
    const char *at = arch + (strncmp(arch, "sm_", 3) == 0 ? 3 : 0);
    const size_t digits = strspn(at, "0123456789"), letters = strspn(at + digits, "af");
    if (digits < 2 || digits > 3 || letters > 1 || at[digits + letters])
        return ifl_fail(error, IFL_USAGE, "'%.40s' is not an architecture; write sm_90", arch);
    *sm = (uint32_t)strtoul(at, NULL, 10);
    return IFL_OK;
}

/* As much as is decoded in some seconds, and held in memory with ease. */
enum { MOST_CODE_BYTES = 64 << 20 };

/* Files with more are listed; the kernels that are asked for by name are read then. */
static ifl_status open_file(const char *path, uint32_t sm, ifl_machine **out, ifl_error *error)
{
    const ifl_status status = ifl_machine_list(path, sm, out, error);
    uint64_t bytes = 0;
    for (size_t k = 0; status == IFL_OK && k < (*out)->kernel_count; k++)
        bytes += (*out)->kernels[k].code_bytes;
    if (status != IFL_OK || bytes > MOST_CODE_BYTES)
        return status;
    ifl_machine_free(*out);
    return ifl_machine_read(path, sm, out, error);
}

ifl_status ifl_machine_open(const char *path, const char *arch, ifl_machine **out, ifl_error *error)
{
    uint32_t sm;
    *out = NULL;
    if (!path)
        return ifl_fail(error, IFL_USAGE, "no file is given");
    const ifl_status status = read_arch(arch, &sm, error);
    return status == IFL_OK ? open_file(path, sm, out, error) : status;
}

void ifl_machine_close(ifl_machine *machine)
{
    ifl_machine_free(machine);
}

size_t ifl_machine_kernel_count(const ifl_machine *machine)
{
    return machine->kernel_count;
}

const char *ifl_machine_kernel_name(const ifl_machine *machine, size_t index)
{
    return index < machine->kernel_count ? machine->kernels[index].name : NULL;
}

/* ---- which kernels --------------------------------------------------------------------------- */

static ifl_status find_name(const ifl_machine *machine, const char *wanted, const char **name,
                            ifl_error *error)
{
    ifl_kernel_name *names = calloc(machine->kernel_count + 1, sizeof *names);
    size_t index;
    if (!names)
        return ifl_fail_memory(error, machine->kernel_count * sizeof *names);
    for (size_t i = 0; i < machine->kernel_count; i++) {
        const ifl_machine_kernel *kernel = &machine->kernels[i];
        names[i] = (ifl_kernel_name){kernel->name, kernel->demangled && *kernel->demangled
                                                       ? kernel->demangled
                                                       : kernel->name};
    }
    const ifl_status status =
        ifl_kernel_find(names, machine->kernel_count, wanted, machine->file, &index, error);
    if (status == IFL_OK)
        *name = names[index].mangled;
    free(names);
    return status;
}

/* Without a name, a profile says which kernels are meant. */
static ifl_status choose_profiled(const ifl_machine *machine, const char *profile, size_t *chosen,
                                  size_t *count, ifl_error *error)
{
    ifl_arena arena = {0};
    const char **names;
    size_t name_count;
    ifl_status status = ifl_sass_counts_names(profile, &arena, &names, &name_count, error);
    *count = 0;
    for (size_t i = 0; status == IFL_OK && i < machine->kernel_count; i++) {
        size_t n = 0;
        while (n < name_count && strcmp(machine->kernels[i].name, names[n]) != 0)
            n++;
        if (n < name_count)
            chosen[(*count)++] = i;
    }
    ifl_arena_free(&arena);
    if (status == IFL_OK && !*count)
        status = ifl_fail(error, IFL_BAD_INPUT,
                          "'%.300s' is not the JSON report of a launch of a kernel in '%.300s'",
                          profile, machine->file);
    return status;
}

/* A kernel that is named is taken for each target that the file has it for. */
static ifl_status choose(const ifl_machine *machine, const ifl_machine_options *options,
                         size_t *chosen, size_t *count, ifl_error *error)
{
    const char *name = NULL, *wanted = options->kernel;
    if (!wanted && options->profile)
        return choose_profiled(machine, options->profile, chosen, count, error);
    const ifl_status status = wanted ? find_name(machine, wanted, &name, error) : IFL_OK;
    if (status != IFL_OK)
        return status;
    *count = 0;
    for (size_t i = 0; i < machine->kernel_count; i++)
        if (!name || strcmp(machine->kernels[i].name, name) == 0)
            chosen[(*count)++] = i;
    if (!*count)
        return ifl_fail(error, IFL_BAD_INPUT, "'%.300s' holds no kernel", machine->file);
    return IFL_OK;
}

/* ---- the report ------------------------------------------------------------------------------ */

static const char *source_line(void *user, ifl_arena *arena, const char *file, uint32_t line)
{
    return ifl_source_line(user, arena, file, line);
}

static ifl_status write_whole(const ifl_machine *machine, ifl_report_format format,
                              const ifl_machine_options *options, FILE *out, ifl_error *error)
{
    ifl_source_texts sources = {.module_path = machine->file};
    size_t *chosen = calloc(machine->kernel_count + 1, sizeof *chosen);
    if (!chosen)
        return ifl_fail_memory(error, machine->kernel_count * sizeof *chosen);
    ifl_sass_report report = {.machine = machine,
                              .chosen = chosen,
                              .options = options,
                              .source_line = source_line,
                              .user = &sources};
    ifl_status status = choose(machine, report.options, chosen, &report.chosen_count, error);
    if (status == IFL_OK)
        status = ifl_sass_report_write(&report, format, out, error);
    ifl_source_texts_free(&sources);
    free(chosen);
    return status;
}

/* Of a list: reads the cubins that hold the kernels which are meant. */
static ifl_status write_named(const ifl_machine *list, ifl_report_format format,
                              const ifl_machine_options *options, FILE *out, ifl_error *error)
{
    ifl_machine *machine = NULL;
    ifl_machine_options exact = *options;
    ifl_arena arena = {0};
    const char **names = &exact.kernel;
    size_t count = 1;
    ifl_status status =
        options->kernel ? find_name(list, options->kernel, &exact.kernel, error)
                        : ifl_sass_counts_names(options->profile, &arena, &names, &count, error);
    if (status == IFL_OK)
        status = ifl_machine_read_named(list->file, list->sm, names, count, &machine, error);
    if (status == IFL_OK)
        status = write_whole(machine, format, &exact, out, error);
    ifl_machine_free(machine);
    ifl_arena_free(&arena);
    return status;
}

ifl_status ifl_machine_write(const ifl_machine *machine, ifl_report_format format,
                             const ifl_machine_options *options, FILE *out, ifl_error *error)
{
    static const ifl_machine_options plain;
    const ifl_machine_options *shown = options ? options : &plain;
    if (machine->is_list && (shown->kernel || shown->profile))
        return write_named(machine, format, shown, out, error);
    return write_whole(machine, format, shown, out, error);
}

ifl_status ifl_machine_save(const ifl_machine *machine, ifl_report_format format,
                            const ifl_machine_options *options, const char *path, ifl_error *error)
{
    ifl_file file;
    ifl_status status = ifl_file_create(&file, path, error);
    if (status != IFL_OK)
        return status;
    status = ifl_machine_write(machine, format, options, file.stream, error);
    if (status == IFL_OK)
        return ifl_file_commit(&file, error);
    ifl_file_abandon(&file);
    return status;
}
