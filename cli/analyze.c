/* SPDX-License-Identifier: Apache-2.0
 * inflight analyze: one launch of one kernel on the engine, and its report. */
#include "analyze.h"
#include "commands.h"
#include "interrupt.h"
#include "outputs.h"
#include "setters.h"
#include "terminal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

#define NUMBER_OPTION(field, name, least, most)                                                    \
    static ifl_status set_##field(void *user, const char *value, ifl_error *error)                 \
    {                                                                                              \
        ifl_cli_request *request = user;                                                           \
        return ifl_cli_number("--" name, value, least, most, &request->field, error);              \
    }

TEXT_OPTION(ifl_cli_request, kernel)
TEXT_OPTION(ifl_cli_request, grid)
TEXT_OPTION(ifl_cli_request, block)
TEXT_OPTION(ifl_cli_request, cluster)
TEXT_OPTION(ifl_cli_request, shared)
TEXT_OPTION(ifl_cli_request, arch)
TEXT_OPTION(ifl_cli_request, machine)
WORD_OPTION(ifl_cli_request, code)
TEXT_OPTION(ifl_cli_request, json)
TEXT_OPTION(ifl_cli_request, html)
WORD_OPTION(ifl_cli_request, dump)
WORD_OPTION(ifl_cli_request, vector_width)
NUMBER_OPTION(threads, "threads", 1, 4096)
NUMBER_OPTION(resident, "resident", 1, INT_MAX)
NUMBER_OPTION(quantum, "quantum", 1, INT_MAX)
NUMBER_OPTION(lines, "lines", 1, INT_MAX)
NUMBER_OPTION(samples, "samples", 1, 1000)
NUMBER_OPTION(carveout, "carveout", 0, 100)
NUMBER_OPTION(device, "device", 0, 255)

FLAG_OPTION(ifl_cli_request, check_reads)
FLAG_OPTION(ifl_cli_request, check_races)
FLAG_OPTION(ifl_cli_request, no_check)
FLAG_OPTION(ifl_cli_request, no_timing)
FLAG_OPTION(ifl_cli_request, counters)
FLAG_OPTION(ifl_cli_request, subtract_floor)
COLOR_OPTION(ifl_cli_request, color)

static ifl_status set_on(void *user, const char *value, ifl_error *error)
{
    const bool gpu = strcmp(value, "gpu") == 0;
    if (!gpu && strcmp(value, "engine") != 0)
        return ifl_cli_error(error, IFL_USAGE, "--on takes engine or gpu, not '%s'", value);
    ((ifl_cli_request *)user)->on_gpu = gpu;
    return IFL_OK;
}

static ifl_status set_between(void *user, const char *value, ifl_error *error)
{
    static const char *const names[] = {[IFL_BETWEEN_ROTATE] = "rotate",
                                        [IFL_BETWEEN_FLUSH] = "flush",
                                        [IFL_BETWEEN_WARM] = "warm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(value, names[i]) == 0) {
            ((ifl_cli_request *)user)->between = (ifl_between)i;
            return IFL_OK;
        }
    return ifl_cli_error(error, IFL_USAGE, "--between takes rotate, flush or warm, not '%s'",
                         value);
}

static ifl_status set_save(void *user, const char *value, ifl_error *error)
{
    ifl_cli_request *request = user;
    char *end;
    unsigned long index = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '=' || !end[1] || index > INT_MAX)
        return ifl_cli_error(
            error, IFL_USAGE,
            "--save takes N=FILE, N the number of an argument counted from 0, not '%s'", value);
    ifl_cli_save *grown = realloc(request->saves, (request->save_count + 1) * sizeof *grown);
    if (!grown)
        return ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    request->saves = grown;
    request->saves[request->save_count++] = (ifl_cli_save){index, end + 1};
    return IFL_OK;
}

static ifl_status set_gpu(void *user, const char *value, ifl_error *error)
{
    ifl_cli_request *request = user;
    const size_t count = request->device_count + 1;
    for (size_t i = 0; i < request->device_count; i++)
        if (strcmp(request->device_words[i], value) == 0)
            return IFL_OK;
    ifl_device **grown = realloc(request->devices, count * sizeof *grown);
    const char **words = realloc(request->device_words, count * sizeof *words);
    request->devices = grown ? grown : request->devices;
    request->device_words = words ? words : request->device_words;
    if (!grown || !words)
        return ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    words[count - 1] = value;
    ifl_status status = ifl_device_open(value, &grown[request->device_count], error);
    request->device_count += status == IFL_OK;
    return status;
}

/* A word for the compiler of a .cu file, which takes them from the environment; folders as seen
 * from anywhere. */
static ifl_status add_compiler_word(char letter, const char *value, ifl_error *error)
{
    char whole[PATH_MAX], words[3 * PATH_MAX];
    const char *before = getenv("INFLIGHT_CUDA_OPTIONS");
    const char *word = letter == 'I' && realpath(value, whole) ? whole : value;
    const int length = snprintf(words, sizeof words, "%s%s-%c%s", before ? before : "",
                                before && *before ? "\n" : "", letter, word);
    if (length < 0 || (size_t)length >= sizeof words ||
        setenv("INFLIGHT_CUDA_OPTIONS", words, 1) != 0)
        return ifl_cli_error(error, IFL_USAGE, "-%c: too many options for the compiler", letter);
    return IFL_OK;
}

static ifl_status set_include(void *user, const char *value, ifl_error *error)
{
    (void)user;
    return add_compiler_word('I', value, error);
}

static ifl_status set_define(void *user, const char *value, ifl_error *error)
{
    (void)user;
    return add_compiler_word('D', value, error);
}

static const ifl_cli_option options[] = {
    {IFL_CLI_OPTION_kernel, "not needed if the file has only one", set_kernel},
    {IFL_CLI_OPTION_grid, NULL, set_grid},
    {IFL_CLI_OPTION_block, NULL, set_block},
    {IFL_CLI_OPTION_cluster, "not needed if the kernel says so (__cluster_dims__)", set_cluster},
    {IFL_CLI_OPTION_shared, "the dynamic part (0)", set_shared},
    {IFL_CLI_OPTION_arch,
     "which PTX to use from a file with several, and what a .cu file is compiled for", set_arch},
    {IFL_CLI_OPTION_include, NULL, set_include},
    {IFL_CLI_OPTION_define, NULL, set_define},
    {IFL_CLI_OPTION_machine, NULL, set_machine},
    {IFL_CLI_OPTION_code,
     "with both, one runs after the other, and the report says where they differ (machine code if "
     "the file has some for the GPU, else PTX)",
     set_code},
    {IFL_CLI_OPTION_json, NULL, set_json},
    {IFL_CLI_OPTION_html, NULL, set_html},
    {IFL_CLI_OPTION_save, NULL, set_save},
    {IFL_CLI_OPTION_gpu,
     "the launch is modelled on it; may be given several times (the most common data-centre GPU of "
     "the code's architecture)",
     set_gpu},
    {IFL_CLI_OPTION_lines, NULL, set_lines},
    {IFL_CLI_OPTION_check_reads, NULL, set_check_reads},
    {IFL_CLI_OPTION_check_races, NULL, set_check_races},
    {IFL_CLI_OPTION_on, "with gpu, times are measured, and the results compared with the engine's",
     set_on},
    {IFL_CLI_OPTION_no_timing, NULL, set_no_timing},
    {IFL_CLI_OPTION_no_check, NULL, set_no_check},
    {IFL_CLI_OPTION_between, NULL, set_between},
    {IFL_CLI_OPTION_samples, NULL, set_samples},
    {IFL_CLI_OPTION_subtract_floor, NULL, set_subtract_floor},
    {IFL_CLI_OPTION_carveout, NULL, set_carveout},
    {IFL_CLI_OPTION_device, NULL, set_device},
    {IFL_CLI_OPTION_counters, NULL, set_counters},
    {IFL_CLI_OPTION_color, NULL, set_color},
    {IFL_CLI_OPTION_dump, NULL, set_dump},
    {IFL_CLI_OPTION_threads, "the counts do not depend on it", set_threads},
    {IFL_CLI_OPTION_resident, NULL, set_resident},
    {IFL_CLI_OPTION_quantum, NULL, set_quantum},
    {IFL_CLI_OPTION_vector_width, NULL, set_vector_width},
};

/* ---- running --------------------------------------------------------------------------------- */

typedef struct console {
    ifl_cli_progress progress;
    FILE *out; /* where the kernel's own printf goes */
} console;

static void print_kernel_text(void *user, const char *text, size_t length)
{
    console *c = user;
    ifl_cli_progress_erase(&c->progress);
    fwrite(text, 1, length, c->out);
}

/* What goes to standard output. */
static ifl_report_format page_format(const ifl_cli_request *request)
{
    return ifl_cli_is_dash(request->json)   ? IFL_REPORT_JSON
           : ifl_cli_is_dash(request->html) ? IFL_REPORT_HTML
                                            : IFL_REPORT_TEXT;
}

ifl_status ifl_cli_run_engine(const ifl_cli_request *request, ifl_launch *launch,
                              ifl_profile **profile, ifl_error *error)
{
    console c = {.out = page_format(request) == IFL_REPORT_TEXT ? stdout : stderr};
    ifl_run_options run = {
        .threads = request->threads,
        .check_reads = request->check_reads,
        .check_races = request->check_races,
        .resident = request->resident,
        .quantum = request->quantum,
        .stop = ifl_cli_catch_signals(),
        .progress = ifl_cli_progress_update,
        .progress_user = &c.progress,
        .print = print_kernel_text,
        .print_user = &c,
        .vector_width = request->vector_width,
        .devices = (const ifl_device *const *)request->devices,
        .device_count = request->device_count,
        .repeated =
            request->on_gpu && !request->no_timing && request->between == IFL_BETWEEN_ROTATE,
        .listing = request->html != NULL,
    };
    ifl_cli_progress_start(&c.progress);
    ifl_status status = ifl_launch_run(launch, &run, profile, error);
    ifl_cli_progress_erase(&c.progress);
    return status;
}

/* The worse of two exit statuses is the first that is not 0: what came first explains the rest. */
static int first_of(int exit_status, int next)
{
    return exit_status ? exit_status : next;
}

/* What the profile shows, and what the launch would do on the GPUs asked for. */
static ifl_status find_outcome(const ifl_cli_request *request, const ifl_profile *profile,
                               ifl_outcome **out, ifl_error *error)
{
    ifl_status status = ifl_outcome_new(profile, out, error);
    for (size_t i = 0; i < request->device_count && status == IFL_OK; i++)
        status = ifl_outcome_add(*out, request->devices[i], error);
    return status;
}

static int write_reports(const ifl_cli_request *request, const ifl_outcome *const *outcomes,
                         size_t count, bool with_page)
{
    const ifl_report_options shown = {.color = request->color,
                                      .max_lines = request->lines,
                                      .width = ifl_cli_width(),
                                      .default_gpu = request->default_gpu};
    const struct {
        const char *path;
        ifl_report_format format;
    } files[] = {{request->json, IFL_REPORT_JSON}, {request->html, IFL_REPORT_HTML}};
    ifl_error error = {0};
    int result = 0;
    if (with_page &&
        ifl_report_write(outcomes, count, page_format(request), &shown, stdout, &error) != IFL_OK)
        result = ifl_cli_fail(&error);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i].path && !ifl_cli_is_dash(files[i].path) &&
            ifl_report_save(outcomes, count, files[i].format, &shown, files[i].path, &error) !=
                IFL_OK)
            result = first_of(result, ifl_cli_fail(&error));
    return result;
}

int ifl_cli_report(const ifl_cli_request *request, const ifl_profile *const *profiles, size_t count,
                   bool with_page)
{
    ifl_outcome *outcomes[IFL_CLI_MOST_PROFILES] = {NULL};
    ifl_error error = {0};
    ifl_status status = IFL_OK;
    if (!with_page && !request->json && !request->html)
        return 0;
    for (size_t i = 0; i < count && status == IFL_OK; i++)
        status = find_outcome(request, profiles[i], &outcomes[i], &error);
    const int result =
        status == IFL_OK
            ? write_reports(request, (const ifl_outcome *const *)outcomes, count, with_page)
            : ifl_cli_fail(&error);
    for (size_t i = 0; i < count; i++)
        ifl_outcome_free(outcomes[i]);
    return result;
}

int ifl_cli_save_buffers(const ifl_cli_request *request, ifl_launch *launch)
{
    int result = 0;
    for (size_t i = 0; i < request->save_count; i++) {
        ifl_error error = {0};
        if (ifl_launch_save(launch, request->saves[i].index, request->saves[i].path, &error) !=
            IFL_OK)
            result = first_of(result, ifl_cli_fail(&error));
    }
    return result;
}

/* All outputs, of malloc, with room for the words of each --save. */
static ifl_cli_output *list_outputs(const ifl_cli_request *request, size_t *count)
{
    ifl_cli_output *list = calloc(request->save_count + 2, sizeof *list);
    *count = 0;
    if (!list)
        return NULL;
    list[(*count)++] = (ifl_cli_output){"--json", request->json};
    list[(*count)++] = (ifl_cli_output){"--html", request->html};
    for (size_t i = 0; i < request->save_count; i++)
        list[(*count)++] = (ifl_cli_output){"--save", request->saves[i].path};
    return list;
}

static ifl_status spare_inputs(const ifl_cli_request *request, const ifl_launch *launch,
                               const ifl_cli_output *outputs, size_t count, ifl_error *error)
{
    ifl_status status = ifl_cli_outputs_spare(outputs, count, request->file, error);
    for (size_t i = 0; i < request->device_count && status == IFL_OK; i++)
        status = ifl_cli_outputs_spare(outputs, count, request->device_words[i], error);
    for (size_t i = 0; launch && ifl_launch_input(launch, i) && status == IFL_OK; i++)
        status = ifl_cli_outputs_spare(outputs, count, ifl_launch_input(launch, i), error);
    return status;
}

/* That all outputs can be written, and that none is a file that is read: what the launch is made of
 * too, where it is known (NULL: not yet). */
static ifl_status check_outputs(const ifl_cli_request *request, const ifl_launch *launch,
                                ifl_error *error)
{
    size_t count;
    ifl_cli_output *outputs = list_outputs(request, &count);
    if (!outputs)
        return ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    ifl_status status = launch ? IFL_OK : ifl_cli_outputs_check(outputs, count, error);
    if (status == IFL_OK)
        status = spare_inputs(request, launch, outputs, count, error);
    const size_t arguments = launch ? ifl_launch_argument_count(launch) : SIZE_MAX;
    for (size_t i = 0; i < request->save_count && status == IFL_OK; i++)
        if (request->saves[i].index >= arguments)
            status = ifl_cli_error(error, IFL_USAGE,
                                   "--save %zu: the launch has %zu arguments, counted from 0",
                                   request->saves[i].index, arguments);
    free(outputs);
    return status;
}

/* What a run that ended early counted is worth a page where some of it ran to its end, or where it
 * was asked for by Ctrl-C. A fault in the first blocks says all itself. */
static bool is_worth_a_page(const ifl_profile *profile, ifl_status status,
                            const ifl_cli_request *request)
{
    uint64_t issued = 0;
    const bool counted = (ifl_profile_counter(profile, "ptx_instructions", &issued) ||
                          ifl_profile_counter(profile, "instructions", &issued)) &&
                         issued;
    if (status == IFL_OK || page_format(request) != IFL_REPORT_TEXT)
        return true;
    return status == IFL_INTERRUPTED ? counted : ifl_profile_blocks_done(profile) > 0;
}

/* A kernel that faults or is stopped still has a profile of what ran; its error comes last, where
 * it is seen. */
static int run_and_report(const ifl_cli_request *request, ifl_launch *launch)
{
    ifl_profile *profile = NULL;
    ifl_error error = {0};
    ifl_status status = ifl_cli_run_engine(request, launch, &profile, &error);
    int result = 0;
    if (profile) {
        const ifl_profile *const shown = profile;
        result = ifl_cli_report(request, &shown, 1, is_worth_a_page(profile, status, request));
        result = first_of(result, ifl_cli_save_buffers(request, launch));
    }
    ifl_profile_free(profile);
    return status == IFL_OK ? result : ifl_cli_fail(&error);
}

/* --code both: the launch's machine code, and its PTX beside it. */
static int run_both_codes(const ifl_cli_request *request, ifl_launch *launch, ifl_launch *reference)
{
    ifl_profile *machine = NULL, *ptx = NULL;
    ifl_error error = {0}, finding = {0};
    int result = 0;
    ifl_status status = ifl_cli_run_engine(request, launch, &machine, &error);
    if (status == IFL_OK)
        status = ifl_cli_run_engine(request, reference, &ptx, &error);
    if (status == IFL_OK)
        status = ifl_profile_compare_code(machine, ptx, &error);
    if (status == IFL_OK && ifl_launch_compare(launch, reference, machine, &finding) != IFL_OK &&
        (status = finding.status) != IFL_FINDING)
        error = finding;
    if (status == IFL_OK || status == IFL_FINDING) {
        const ifl_profile *const shown = machine;
        result = ifl_cli_report(request, &shown, 1, true);
        result = first_of(result, ifl_cli_save_buffers(request, launch));
    }
    ifl_profile_free(machine);
    ifl_profile_free(ptx);
    return status == IFL_OK ? result
                            : ifl_cli_fail(finding.status == IFL_FINDING ? &finding : &error);
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* The place of a mistake is in the word; a word is no file and has no line. */
static ifl_status set_one(ifl_launch *launch, const char *key, const char *value, ifl_error *error)
{
    ifl_status status = value ? ifl_launch_set(launch, key, value, error) : IFL_OK;
    if (status == IFL_USAGE)
        error->line = 0;
    return status;
}

/* A path of the command line is as seen from here, not from the launch file's folder. */
static ifl_status set_machine_file(ifl_launch *launch, const char *path, ifl_error *error)
{
    char whole[PATH_MAX];
    return set_one(launch, "machine", path && realpath(path, whole) ? whole : path, error);
}

static bool runs_both_codes(const ifl_cli_request *request)
{
    return request->code && strcmp(request->code, "both") == 0;
}

/* `code`: the one that this launch runs; NULL: as it says itself. */
static ifl_status set_launch(const ifl_cli_request *request, ifl_launch *launch, const char *code,
                             ifl_error *error)
{
    ifl_status status = set_one(launch, "grid", request->grid, error);
    if (status == IFL_OK)
        status = set_one(launch, "block", request->block, error);
    if (status == IFL_OK)
        status = set_one(launch, "cluster", request->cluster, error);
    if (status == IFL_OK)
        status = set_one(launch, "shared", request->shared, error);
    if (status == IFL_OK)
        status = set_machine_file(launch, request->machine, error);
    if (status == IFL_OK)
        status = set_one(launch, "code", code, error);
    for (int i = 0; i < request->argument_count && status == IFL_OK; i++)
        status = set_one(launch, "arg", request->arguments[i], error);
    return status;
}

/* On a GPU, and with both kinds of code, the same launch runs twice, each time from the buffers as
 * they are filled. */
static bool needs_reference(const ifl_cli_request *request)
{
    return (request->on_gpu && !request->no_check && !request->dump) || runs_both_codes(request);
}

/* What the launch runs, and what the one beside it does. */
static const char *code_of(const ifl_cli_request *request, bool is_reference)
{
    return !runs_both_codes(request) ? request->code : is_reference ? "ptx" : "machine";
}

/* Where no GPU is named, the report is for one that runs the code and that many have. */
static ifl_status choose_gpu(ifl_cli_request *request, const ifl_launch *launch, ifl_error *error)
{
    const char *common = ifl_launch_default_gpu(launch);
    if (request->device_count || request->on_gpu || !common)
        return IFL_OK;
    request->default_gpu = true;
    return set_gpu(request, common, error);
}

static int run_somewhere(ifl_cli_request *request, ifl_launch *launch, ifl_launch *reference)
{
    ifl_error error = {0};
    if (choose_gpu(request, launch, &error) != IFL_OK ||
        check_outputs(request, launch, &error) != IFL_OK)
        return ifl_cli_fail(&error);
    if (request->on_gpu)
        return ifl_cli_run_on_gpu(request, launch, reference);
    return runs_both_codes(request) ? run_both_codes(request, launch, reference)
                                    : run_and_report(request, launch);
}

static int run_kernel(ifl_cli_request *request, const ifl_module *module)
{
    ifl_launch *launch = NULL;
    ifl_error error = {0};
    ifl_status status = ifl_launch_new(module, request->kernel, &launch, &error);
    if (status == IFL_OK)
        status = set_launch(request, launch, code_of(request, false), &error);
    ifl_launch *reference = NULL;
    if (status == IFL_OK && needs_reference(request)) {
        status = ifl_launch_new(module, request->kernel, &reference, &error);
        if (status == IFL_OK)
            status = set_launch(request, reference, code_of(request, true), &error);
    }
    int result =
        status == IFL_OK ? run_somewhere(request, launch, reference) : ifl_cli_fail(&error);
    ifl_launch_free(reference);
    ifl_launch_free(launch);
    return result;
}

static int dump(const ifl_cli_request *request, const ifl_module *module)
{
    ifl_error error = {0};
    return ifl_module_dump(module, request->dump, request->kernel, stdout, &error) == IFL_OK
               ? 0
               : ifl_cli_fail(&error);
}

static int analyze_module(ifl_cli_request *request)
{
    ifl_module *module = NULL;
    ifl_error error = {0};
    if (ifl_module_open(request->file, request->arch, &module, &error) != IFL_OK)
        return ifl_cli_fail(&error);
    int result;
    if (request->dump)
        result = dump(request, module);
    else if (ifl_cli_can_run(request, module))
        result = run_kernel(request, module);
    else
        result = ifl_cli_say_what_is_missing(request, module);
    ifl_module_close(module);
    return result;
}

/* A launch file names its kernel and arguments; its grid, block and shared memory may be given
 * anew. */
static ifl_status check_launch_file(const ifl_cli_request *request, ifl_error *error)
{
    const char *what = request->kernel ? "--kernel" : request->arch ? "--arch" : NULL;
    if (what)
        return ifl_cli_error(error, IFL_USAGE,
                             "%s cannot be combined with a launch file, which sets it itself",
                             what);
    if (request->argument_count)
        return ifl_cli_error(error, IFL_USAGE,
                             "the launch file has the arguments: '%s' is one too many",
                             request->arguments[0]);
    return IFL_OK;
}

/* The GPUs that the launch file names, where the command line names none. */
static ifl_status take_gpus(ifl_cli_request *request, const ifl_launch *launch, ifl_error *error)
{
    ifl_status status = IFL_OK;
    if (request->device_count)
        return IFL_OK;
    for (size_t i = 0; ifl_launch_gpu(launch, i) && status == IFL_OK; i++)
        status = set_gpu(request, ifl_launch_gpu(launch, i), error);
    return status;
}

static ifl_status read_launch(const ifl_cli_request *request, bool is_reference,
                              ifl_module **module, ifl_launch **launch, ifl_error *error)
{
    const ifl_status status = ifl_launch_read(request->file, module, launch, error);
    return status == IFL_OK ? set_launch(request, *launch, code_of(request, is_reference), error)
                            : status;
}

static int analyze_launch_file(ifl_cli_request *request)
{
    ifl_module *module = NULL, *same = NULL;
    ifl_launch *launch = NULL, *reference = NULL;
    ifl_error error = {0};
    ifl_status status = check_launch_file(request, &error);
    if (status == IFL_OK)
        status = read_launch(request, false, &module, &launch, &error);
    if (status == IFL_OK)
        status = take_gpus(request, launch, &error);
    if (status == IFL_OK && needs_reference(request))
        status = read_launch(request, true, &same, &reference, &error);
    int result;
    if (status != IFL_OK)
        result = ifl_cli_fail(&error);
    else
        result = request->dump ? dump(request, module) : run_somewhere(request, launch, reference);
    ifl_launch_free(reference);
    ifl_launch_free(launch);
    ifl_module_close(same);
    ifl_module_close(module);
    return result;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static int analyze_file(ifl_cli_request *request, int count, char **operands)
{
    if (count < 1) {
        ifl_error error = {0};
        ifl_cli_error(&error, IFL_USAGE,
                      "no file is given: inflight analyze FILE, or inflight analyze CASE.launch\n"
                      "'inflight help analyze' says more");
        return ifl_cli_fail(&error);
    }
    request->file = operands[0];
    request->arguments = operands + 1;
    request->argument_count = count - 1;
    ifl_error error = {0};
    if (request->on_gpu && runs_both_codes(request)) {
        ifl_cli_error(&error, IFL_USAGE, "--code both runs on the engine; leave out --on gpu");
        return ifl_cli_fail(&error);
    }
    if (check_outputs(request, NULL, &error) != IFL_OK)
        return ifl_cli_fail(&error);
    return ends_with(request->file, ".launch") ? analyze_launch_file(request)
                                               : analyze_module(request);
}

static int run(int word_count, char **words)
{
    ifl_cli_request request = {.carveout = -1};
    ifl_error error = {0};
    int first = 0, result;
    bool help = false;
    ifl_cli_color("auto", &request.color);
    if (ifl_cli_parse(&ifl_cli_analyze, word_count, words, &request, &first, &help, &error) !=
        IFL_OK)
        result = ifl_cli_fail(&error);
    else
        result = help ? 0 : analyze_file(&request, word_count - first, words + first);
    free(request.saves);
    while (request.device_count)
        ifl_device_close(request.devices[--request.device_count]);
    free(request.devices);
    free(request.device_words);
    return result;
}

const ifl_cli_command ifl_cli_analyze = {
    .name = "analyze",
    .usage = {"FILE -k KERNEL -g X[,Y[,Z]] -b X[,Y[,Z]] [OPTION]... ARG...",
              "CASE.launch [OPTION]...", NULL},
    .summary = "run a kernel exactly, on the CPU, and report what its memory instructions request",
    .text = "FILE is PTX text, a cubin, an object or executable that contains PTX, or a .cu file "
            "if a CUDA compiler "
            "is installed. No GPU is needed.\n"
            "Each ARG is one argument of the kernel, in order: 'inflight help arguments'. A "
            "launch file holds the "
            "same launch as `key = value` lines: file, kernel, grid, block, cluster, shared, "
            "machine, code, gpu, arg.\n"
            "With FILE alone, inflight lists its kernels, with a command line to start from.\n"
            "Ctrl-C stops the run and reports what was counted so far; a second Ctrl-C ends the "
            "program at once.",
    .examples = {"inflight analyze saxpy.ptx -k saxpy -g 131072 -b 256 u32:2^25 f32:2 "
                 "f32x2^25=random f32x2^25=random",
                 "inflight analyze transpose.launch --json transpose.json", NULL},
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
