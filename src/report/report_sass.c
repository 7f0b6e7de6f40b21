/* SPDX-License-Identifier: Apache-2.0
 * The report on machine code: chooses a format, and gathers the facts about a kernel. */
#include "report/report_sass.h"

#include "code/code.h"
#include "report/writer.h"

#include <errno.h>
#include <string.h>

static ifl_status check_code(const ifl_machine_options *options, ifl_error *error)
{
    const char *code = options->code;
    if (!code)
        return IFL_OK;
    if (strcmp(code, "ptx") == 0)
        return ifl_fail(
            error, IFL_USAGE,
            "the instructions are those of the machine code; --code both adds where the "
            "PTX differs");
    if (strcmp(code, "machine") != 0 && strcmp(code, "both") != 0)
        return ifl_fail(error, IFL_USAGE, "--code takes machine or both, not '%.40s'", code);
    return options->profile
               ? IFL_OK
               : ifl_fail(
                     error, IFL_USAGE,
                     "--code says which counts of a launch's report are shown: --with names it");
}

ifl_status ifl_sass_report_write(const ifl_sass_report *report, ifl_report_format format, FILE *out,
                                 ifl_error *error)
{
    static ifl_status (*const writers[])(const ifl_sass_report *, FILE *, ifl_error *) = {
        [IFL_REPORT_TEXT] = ifl_sass_write_text,
        [IFL_REPORT_JSON] = ifl_sass_write_json,
    };
    if ((unsigned)format >= sizeof writers / sizeof *writers)
        return ifl_fail(error, IFL_USAGE, "there is no report format %d", (int)format);
    const ifl_status checked = check_code(report->options, error);
    if (checked != IFL_OK)
        return checked;
    bool any = report->machine->is_list;
    for (size_t i = 0; i < report->chosen_count; i++)
        any |= ifl_sass_supports(report->machine->kernels[report->chosen[i]].sm);
    if (!any)
        return ifl_fail(error, IFL_UNSUPPORTED, "'%.300s': machine code for sm_%u is not supported",
                        report->machine->file, report->machine->kernels[report->chosen[0]].sm);
    errno = 0;
    const ifl_status status = writers[format](report, out, error);
    if (status == IFL_OK && (fflush(out) != 0 || ferror(out)))
        return ifl_report_fail_stream("report", error);
    return status;
}

ifl_status ifl_sass_report_facts(const ifl_sass_report *report, size_t index, ifl_arena *arena,
                                 ifl_sass_facts *out, ifl_error *error)
{
    const char *profile = report->options->profile;
    const ifl_machine_kernel *kernel = &report->machine->kernels[index];
    const size_t count = kernel->code_bytes / IFL_CODE_BYTES;
    const uint64_t *issued = NULL;
    const ifl_sass_stall *stalls = NULL;
    ifl_status status = IFL_OK;
    if (profile)
        status = ifl_sass_counts_read(profile, kernel->name, count, arena, &issued, &stalls, error);
    if (status == IFL_OK)
        status = ifl_sass_facts_collect(report->machine, index, issued, arena, out, error);
    out->stalls = stalls;
    return status;
}

ifl_status ifl_sass_report_beside(const ifl_sass_report *report, size_t index, ifl_profile **out,
                                  ifl_error *error)
{
    const ifl_machine_options *options = report->options;
    *out = NULL;
    return options->code && strcmp(options->code, "both") == 0
               ? ifl_sass_beside_read(options->profile, report->machine->kernels[index].name, out,
                                      error)
               : IFL_OK;
}
