/* SPDX-License-Identifier: Apache-2.0
 * inflight sass: what the compiler made of the kernels of a file, from their machine code. */
#include "commands.h"
#include "outputs.h"
#include "setters.h"
#include "terminal.h"

#include <string.h>

typedef struct request {
    const char *kernel, *arch, *json, *with, *code;
    bool listing, color;
} request;

/* ---- options --------------------------------------------------------------------------------- */

TEXT_OPTION(request, kernel)
TEXT_OPTION(request, arch)
TEXT_OPTION(request, json)
TEXT_OPTION(request, with)
TEXT_OPTION(request, code)
FLAG_OPTION(request, listing)
COLOR_OPTION(request, color)

static const ifl_cli_option options[] = {
    {IFL_CLI_OPTION_kernel, "it is shown in full, for every target in the file", set_kernel},
    {IFL_CLI_OPTION_arch, "machine code for it only", set_arch},
    {IFL_CLI_OPTION_listing, NULL, set_listing},
    {IFL_CLI_OPTION_with, NULL, set_with},
    {IFL_CLI_OPTION_code,
     "of --with: the counts that are shown are the machine code's; with both, also where the "
     "launch's PTX differs",
     set_code},
    {IFL_CLI_OPTION_json, NULL, set_json},
    {IFL_CLI_OPTION_color, NULL, set_color},
};

/* ---- the report ------------------------------------------------------------------------------ */

static ifl_status write_report(const request *r, const ifl_machine *machine, ifl_error *error)
{
    const ifl_machine_options shown = {.kernel = r->kernel,
                                       .listing = r->listing,
                                       .profile = r->with,
                                       .code = r->code,
                                       .color = r->color,
                                       .width = ifl_cli_width()};
    const bool json_only = ifl_cli_is_dash(r->json);
    const ifl_report_format format = json_only ? IFL_REPORT_JSON : IFL_REPORT_TEXT;
    const ifl_status status = ifl_machine_write(machine, format, &shown, stdout, error);
    if (status != IFL_OK || !r->json || json_only)
        return status;
    return ifl_machine_save(machine, IFL_REPORT_JSON, &shown, r->json, error);
}

static ifl_status check_operands(int count, char **operands, ifl_error *error)
{
    if (count < 1)
        return ifl_cli_error(
            error, IFL_USAGE,
            "no file is given: inflight sass FILE\n'inflight help sass' says more");
    if (count > 1)
        return ifl_cli_error(error, IFL_USAGE, "'%s' is one file too many: inflight sass FILE",
                             operands[1]);
    return IFL_OK;
}

static ifl_status check_output(const request *r, const char *path, ifl_error *error)
{
    const ifl_cli_output json = {"--json", r->json};
    ifl_status status = ifl_cli_outputs_check(&json, 1, error);
    if (status == IFL_OK)
        status = ifl_cli_outputs_spare(&json, 1, path, error);
    return status == IFL_OK ? ifl_cli_outputs_spare(&json, 1, r->with, error) : status;
}

static ifl_status show_file(const request *r, const char *path, ifl_error *error)
{
    ifl_machine *machine;
    ifl_status status = check_output(r, path, error);
    if (status == IFL_OK)
        status = ifl_machine_open(path, r->arch, &machine, error);
    if (status != IFL_OK)
        return status;
    status = write_report(r, machine, error);
    ifl_machine_close(machine);
    return status;
}

static int run(int word_count, char **words)
{
    request r = {0};
    ifl_error error = {0};
    int first = 0;
    bool help = false;
    ifl_cli_color("auto", &r.color);
    ifl_status status = ifl_cli_parse(&ifl_cli_sass, word_count, words, &r, &first, &help, &error);
    if (status == IFL_OK && help)
        return 0;
    if (status == IFL_OK)
        status = check_operands(word_count - first, words + first, &error);
    if (status == IFL_OK)
        status = show_file(&r, words[first], &error);
    return status == IFL_OK ? 0 : ifl_cli_fail(&error);
}

const ifl_cli_command ifl_cli_sass = {
    .name = "sass",
    .usage = {"FILE [OPTION]...", NULL},
    .summary =
        "show what the compiler made of a kernel: registers, loads in flight, exposed latencies",
    .text =
        "FILE is a cubin, or an executable, object, shared library or fat binary that holds "
        "machine "
        "code. Neither a GPU nor a CUDA toolkit is needed.\n"
        "Several kernels get a table with one row each; up to four, and those named with -k, are "
        "shown in full: the "
        "purpose of their instructions, one iteration of each loop with its exposed latencies and "
        "its bytes in "
        "flight, and their opcodes.\n"
        "The document \"Machine code\" (sass.md) explains each figure and how it is determined.",
    .examples = {"inflight sass axpy.sm_90.cubin", "inflight sass program -k axpy --listing",
                 "inflight sass axpy.sm_90.cubin -k axpy --with axpy.json --code both --listing",
                 NULL},
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .narrower = {IFL_CLI_OPTION_code, "machine both"},
    .run = run,
};
