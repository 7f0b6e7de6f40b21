/* SPDX-License-Identifier: Apache-2.0
 * inflight lab: the case studies, listed, run, and shown beside what their documents published. */
#include "lab.h"
#include "commands.h"
#include "interrupt.h"
#include "lab_find.h"
#include "lab_write.h"
#include "outputs.h"
#include "setters.h"
#include "terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- options --------------------------------------------------------------------------------- */

#define LIST_OPTION(name, field, count, most)                                                      \
    static ifl_status set_##name(void *user, const char *value, ifl_error *error)                  \
    {                                                                                              \
        ifl_cli_lab_request *r = user;                                                             \
        if (r->count == most)                                                                      \
            return ifl_cli_error(error, IFL_USAGE, "--" #name " at most %d times", most);          \
        r->field[r->count++] = value;                                                              \
        return IFL_OK;                                                                             \
    }

TEXT_OPTION(ifl_cli_lab_request, sweep)
TEXT_OPTION(ifl_cli_lab_request, json)
TEXT_OPTION(ifl_cli_lab_request, csv)
TEXT_OPTION(ifl_cli_lab_request, metric)
TEXT_OPTION(ifl_cli_lab_request, launches)
TEXT_OPTION(ifl_cli_lab_request, capture)
WORD_OPTION(ifl_cli_lab_request, code)
FLAG_OPTION(ifl_cli_lab_request, list)
SWITCH_OPTION(ifl_cli_lab_request, full, reduced, false)
FLAG_OPTION(ifl_cli_lab_request, reduced)
FLAG_OPTION(ifl_cli_lab_request, check)
FLAG_OPTION(ifl_cli_lab_request, sweeps)
FLAG_OPTION(ifl_cli_lab_request, no_run)
FLAG_OPTION(ifl_cli_lab_request, markdown)
LIST_OPTION(gpu, gpus, gpu_count, IFL_CLI_MOST_GPUS)
LIST_OPTION(version, versions, version_count, IFL_CLI_MOST_WORDS)

static ifl_status set_threads(void *user, const char *value, ifl_error *error)
{
    return ifl_cli_number("--threads", value, 1, 4096, &((ifl_cli_lab_request *)user)->threads,
                          error);
}

static ifl_status set_samples(void *user, const char *value, ifl_error *error)
{
    return ifl_cli_number("--samples", value, 1, 1000, &((ifl_cli_lab_request *)user)->samples,
                          error);
}

static ifl_status set_on(void *user, const char *value, ifl_error *error)
{
    const bool gpu = strcmp(value, "gpu") == 0;
    if (!gpu && strcmp(value, "engine") != 0)
        return ifl_cli_error(error, IFL_USAGE, "--on takes engine or gpu, not '%s'", value);
    ((ifl_cli_lab_request *)user)->on_gpu = gpu;
    return IFL_OK;
}

static const ifl_cli_option options[] = {
    {IFL_CLI_OPTION_list, NULL, set_list},
    {IFL_CLI_OPTION_version, NULL, set_version},
    {IFL_CLI_OPTION_sweep, NULL, set_sweep},
    {IFL_CLI_OPTION_sweeps, NULL, set_sweeps},
    {IFL_CLI_OPTION_metric, NULL, set_metric},
    {IFL_CLI_OPTION_gpu,
     "predictions for it are added to those of the documents; may be given several times", set_gpu},
    {IFL_CLI_OPTION_code,
     "with both, the results of both are checked, and the figures are those of the machine code "
     "(the case's cubin if it has one, else PTX)",
     set_code},
    {IFL_CLI_OPTION_on, "with gpu, the results are checked and times measured", set_on},
    {IFL_CLI_OPTION_capture, NULL, set_capture},
    {IFL_CLI_OPTION_samples, NULL, set_samples},
    {IFL_CLI_OPTION_full, NULL, set_full},
    {IFL_CLI_OPTION_reduced, NULL, set_reduced},
    {IFL_CLI_OPTION_check, NULL, set_check},
    {IFL_CLI_OPTION_no_run, NULL, set_no_run},
    {IFL_CLI_OPTION_markdown, NULL, set_markdown},
    {IFL_CLI_OPTION_json, NULL, set_json},
    {IFL_CLI_OPTION_csv, NULL, set_csv},
    {IFL_CLI_OPTION_write_launches, NULL, set_launches},
    {IFL_CLI_OPTION_threads, NULL, set_threads},
};

/* ---- listing --------------------------------------------------------------------------------- */

static void list_sweep(const ifl_lab_sweep *sweep)
{
    char number[40];
    printf("  sweep %s:", sweep->name);
    for (size_t a = 0; a < sweep->axis_count; a++) {
        printf(" %s =", sweep->axes[a].variable);
        for (size_t k = 0; k < sweep->axes[a].count; k++)
            printf(" %s", ifl_cli_lab_number(sweep->axes[a].values[k], number, sizeof number));
        fputs(a + 1 < sweep->axis_count ? "," : "\n", stdout);
    }
}

/* Does a version before this one have a sweep of that name? */
static bool is_listed(const ifl_lab *lab, size_t version, const char *name)
{
    ifl_lab_sweep sweep;
    bool found = true;
    for (size_t v = 0; v < version; v++)
        for (size_t i = 0; ifl_lab_sweep_at(lab, v, i, &sweep, &found, NULL) == IFL_OK && found;
             i++)
            if (strcmp(sweep.name, name) == 0)
                return true;
    return false;
}

/* Each name once, with the values of the first version that has it. Those of versions for the tests
 * stay out. */
static ifl_status list_sweeps(const ifl_lab *lab, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t v = 0; v < ifl_lab_version_count(lab) && status == IFL_OK; v++) {
        const char *role = ifl_lab_text(lab, v, "role");
        bool found = !role || strcmp(role, "check") != 0;
        for (size_t i = 0; found && status == IFL_OK; i++) {
            ifl_lab_sweep sweep;
            status = ifl_lab_sweep_at(lab, v, i, &sweep, &found, error);
            if (status == IFL_OK && found && !is_listed(lab, v, sweep.name))
                list_sweep(&sweep);
        }
    }
    return status;
}

static void list_versions(const ifl_lab *lab)
{
    for (size_t v = 0; v < ifl_lab_version_count(lab); v++) {
        const char *note = ifl_lab_text(lab, v, "note"), *role = ifl_lab_text(lab, v, "role");
        printf("  %-24s %s%s%s%s%s\n", ifl_lab_version_name(lab, v), note ? note : "",
               note && role ? " " : "", role ? "(" : "", role ? role : "", role ? ")" : "");
    }
}

static int list_case(const char *path, bool in_full)
{
    ifl_lab *lab;
    ifl_error error = {0};
    ifl_status status = ifl_lab_open(path, &lab, &error);
    if (status != IFL_OK)
        return ifl_cli_fail(&error);
    const int name = printf("%-20s ", ifl_lab_name(lab));
    ifl_cli_print_wrapped(ifl_lab_text(lab, IFL_LAB_COMMON, "title"), name, name, stdout);
    if (in_full) {
        list_versions(lab);
        status = list_sweeps(lab, &error);
    }
    ifl_lab_close(lab);
    return status == IFL_OK ? 0 : ifl_cli_fail(&error);
}

/* ---- launch files ---------------------------------------------------------------------------- */

/* FOLDER/CASE-VERSION[-VALUE...][.KERNEL].launch */
static ifl_status write_launch(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet,
                               size_t row, size_t kernel, bool only, ifl_error *error)
{
    char path[4096];
    const ifl_cli_row *r = &sheet->rows[row];
    const ifl_lab_point point = ifl_cli_sheet_point(sheet, row);
    size_t used =
        (size_t)snprintf(path, sizeof path, "%.3000s/%s-%s", request->launches,
                         ifl_lab_name(sheet->lab), ifl_lab_version_name(sheet->lab, r->version));
    for (size_t i = 0; i < r->setting_count && used < sizeof path; i++)
        used += (size_t)snprintf(path + used, sizeof path - used, "-%s%.15g", r->settings[i].name,
                                 r->settings[i].value);
    if (used < sizeof path && !only)
        used += (size_t)snprintf(path + used, sizeof path - used, ".%zu", kernel + 1);
    if (used < sizeof path)
        used += (size_t)snprintf(path + used, sizeof path - used, ".launch");
    if (used >= sizeof path)
        return ifl_cli_error(error, IFL_NO_FILE, "cannot write '%.300s': its name is too long",
                             path);
    FILE *out;
    ifl_output *file;
    ifl_status status = ifl_output_create(path, &file, &out, error);
    if (status != IFL_OK)
        return status;
    status = ifl_lab_launch_write(sheet->lab, &point, kernel, request->code, out, error);
    if (status == IFL_OK)
        return ifl_output_finish(file, error);
    ifl_output_abandon(file);
    return status;
}

static ifl_status write_launches(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet,
                                 ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t row = 0; row < sheet->row_count && status == IFL_OK; row++) {
        const ifl_lab_point point = ifl_cli_sheet_point(sheet, row);
        size_t kernels = 0;
        if (ifl_lab_text(sheet->lab, point.version, "call"))
            continue;
        status = ifl_lab_kernel_count(sheet->lab, &point, &kernels, error);
        for (size_t i = 0; i < kernels && status == IFL_OK; i++)
            status = write_launch(request, sheet, row, i, kernels == 1, error);
    }
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Where there is no GPU, what was measured on one before stands beside the model. */
static ifl_status add_captured(const ifl_cli_lab_request *request, const char *path,
                               ifl_cli_sheet *sheet, ifl_error *error)
{
    const bool wanted = !request->on_gpu && !request->reduced && !request->check;
    return wanted ? ifl_cli_lab_captured(sheet, path, error) : IFL_OK;
}

static ifl_status run_sheet(const ifl_cli_lab_request *request, const ifl_cli_lab_gpu *gpu,
                            const char *path, ifl_cli_sheet *sheet, ifl_error *error)
{
    ifl_status status = ifl_cli_lab_rows(request, sheet, error);
    if (status == IFL_OK && request->launches)
        return write_launches(request, sheet, error);
    if (status == IFL_OK)
        status = add_captured(request, path, sheet, error);
    if (status == IFL_OK && !request->no_run)
        status = ifl_cli_lab_run(request, gpu, sheet, error);
    const ifl_status run = status;
    if (status == IFL_OK || status == IFL_INTERRUPTED) {
        ifl_error later = {0};
        status = ifl_cli_lab_derive(sheet, &later);
        if (status == IFL_OK && gpu && request->capture)
            status = ifl_cli_lab_capture(sheet, gpu, request->capture, &later);
        if (status != IFL_OK)
            *error = later;
    }
    return run == IFL_OK ? status : run;
}

static void print_complaints(const ifl_cli_sheet *sheet)
{
    fflush(stdout);
    for (size_t i = 0; i < sheet->complaint_count; i++)
        fprintf(stderr, "inflight lab: %s: %s\n", ifl_lab_name(sheet->lab), sheet->complaints[i]);
}

static bool writes_to_stdout(const ifl_cli_lab_request *request)
{
    return ifl_cli_is_dash(request->json) || ifl_cli_is_dash(request->csv);
}

static void print_sheet(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet)
{
    const bool file_only = request->launches || writes_to_stdout(request);
    if (request->check && !file_only)
        printf("%s: %zu runs, %zu not as expected\n", ifl_lab_name(sheet->lab), sheet->row_count,
               sheet->complaint_count);
    else if (!file_only)
        ifl_cli_lab_print(request, sheet, stdout);
}

static ifl_status no_metric(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet,
                            ifl_error *error)
{
    const char *name = ifl_lab_name(sheet->lab);
    return ifl_cli_error(error, IFL_USAGE,
                         "the case '%s' has no figure '%s'\n'inflight lab %s --reduced --csv -' "
                         "names them",
                         name, request->metric, name);
}

static bool has_metric(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet)
{
    for (size_t i = 0; i < sheet->figure_count; i++)
        if (strcmp(sheet->figures[i].metric, request->metric) == 0)
            return true;
    return false;
}

/* A metric that no row has draws nothing. */
static ifl_status find_metric(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet,
                              ifl_error *error)
{
    const bool is_drawn = request->metric && !request->no_run && !request->launches;
    return is_drawn && !has_metric(request, sheet) ? no_metric(request, sheet, error) : IFL_OK;
}

/* Runs one case and prints it. What went wrong in it is told; returns the exit status. */
static int run_case(const ifl_cli_lab_request *request, const ifl_cli_lab_gpu *gpu,
                    const char *path, ifl_cli_sheet *sheet)
{
    ifl_error error = {0};
    *sheet = (ifl_cli_sheet){.reduced = request->reduced};
    if (ifl_lab_open(path, &sheet->lab, &error) != IFL_OK)
        return ifl_cli_fail(&error);
    ifl_status status = run_sheet(request, gpu, path, sheet, &error);
    if (status == IFL_OK)
        status = find_metric(request, sheet, &error);
    if (status == IFL_OK || status == IFL_INTERRUPTED) {
        print_sheet(request, sheet);
        print_complaints(sheet);
    }
    if (status != IFL_OK)
        return ifl_cli_fail(&error);
    return sheet->complaint_count ? ifl_status_exit_code(IFL_FINDING) : 0;
}

static int write_files(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheets,
                       size_t count)
{
    ifl_error error = {0};
    ifl_status status = IFL_OK;
    if (request->json)
        status = ifl_cli_lab_write_json(sheets, count, request->json, &error);
    if (status == IFL_OK && request->csv)
        status = ifl_cli_lab_write_csv(sheets, count, request->csv, &error);
    return status == IFL_OK ? 0 : ifl_cli_fail(&error);
}

static void print_page_head(void)
{
    fputs("<!-- made by `make docs` -->\n"
          "# The lab\n\n"
          "Every case of [lab/](../lab), with the figures that its document published and those "
          "measured on the GPUs at "
          "hand.\n"
          "`inflight lab CASE` adds what the engine counts and the model predicts. `--sweep NAME` "
          "shows the model's sweep "
          "beside the\n"
          "measured one ([Sweeps](sweeps.md) has the errors). Speedups are relative to the case's "
          "first version, or to the "
          "one that it\n"
          "names. GB/s count the bytes that the task needs. How many of the published ratios the "
          "model meets: "
          "[The model](model.md).\n\n",
          stdout);
}

static int run_cases(const ifl_cli_lab_request *request, const ifl_cli_lab_gpu *gpu,
                     const char *const *paths, size_t count)
{
    ifl_cli_sheet *sheets = calloc(count + 1, sizeof *sheets);
    int result = 0;
    size_t opened = 0;
    if (!sheets)
        return ifl_cli_fail(&(ifl_error){.status = IFL_NO_MEMORY});
    const volatile int *stop = ifl_cli_catch_signals();
    if (request->markdown)
        print_page_head();
    for (size_t i = 0; i < count && !*stop; i++) {
        const int own = run_case(request, gpu, paths[i], &sheets[opened]);
        result = result ? result : own;
        opened += sheets[opened].lab != NULL;
    }
    /* What a document published is of the full size. */
    if (opened && !request->reduced && !request->check && !request->launches &&
        !writes_to_stdout(request))
        ifl_cli_lab_print_ratios(request, sheets, opened, stdout);
    const int written = write_files(request, sheets, opened);
    for (size_t i = 0; i < opened; i++) {
        ifl_lab *lab = sheets[i].lab;
        ifl_cli_sheet_free(&sheets[i]);
        ifl_lab_close(lab);
    }
    free(sheets);
    return result ? result : written;
}

static int run_somewhere(const ifl_cli_lab_request *request, const char *const *paths, size_t count)
{
    ifl_cli_lab_gpu gpu = {0};
    ifl_error error = {0};
    if (request->on_gpu && ifl_cli_lab_gpu_open(&gpu, &error) != IFL_OK)
        return ifl_cli_fail(&error);
    const int result = run_cases(request, request->on_gpu ? &gpu : NULL, paths, count);
    ifl_cli_lab_gpu_close(&gpu);
    return result;
}

/* ---- the command ----------------------------------------------------------------------------- */

static const char *case_name(const void *user, size_t index)
{
    const ifl_cli_cases *cases = user;
    return index < cases->count ? cases->names[index] : NULL;
}

static int no_case(const ifl_cli_cases *cases, const char *word)
{
    ifl_error error = {0};
    const char *close = ifl_cli_closest(word, case_name, cases);
    if (close)
        ifl_cli_error(&error, IFL_USAGE, "there is no case '%s'; did you mean '%s'?", word, close);
    else
        ifl_cli_error(&error, IFL_USAGE, "there is no case '%s'\n'inflight lab --list' lists them",
                      word);
    return ifl_cli_fail(&error);
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_published(const ifl_cli_sheet *sheet, size_t row, const char *metric)
{
    const ifl_lab_point point = ifl_cli_sheet_point(sheet, row);
    ifl_lab_figure figure;
    bool found = true;
    for (size_t i = 0; found; i++) {
        if (ifl_lab_figure_at(sheet->lab, &point, IFL_LAB_PUBLISHED, i, &figure, &found, NULL) !=
            IFL_OK)
            return false;
        if (found && strcmp(figure.metric, metric) == 0)
            return true;
    }
    return false;
}

/* Can any run give it, or a document or a GPU have given it? */
static ifl_status check_metric(const ifl_cli_lab_request *request, const char *path,
                               ifl_cli_sheet *sheet, ifl_error *error)
{
    for (size_t i = 0; ifl_cli_lab_metric_name(i); i++)
        if (strcmp(ifl_cli_lab_metric_name(i), request->metric) == 0)
            return IFL_OK;
    for (size_t row = 0; row < sheet->row_count; row++)
        if (is_published(sheet, row, request->metric))
            return IFL_OK;
    const ifl_status status = ifl_cli_lab_captured(sheet, path, error);
    return status == IFL_OK && !has_metric(request, sheet) ? no_metric(request, sheet, error)
                                                           : status;
}

static ifl_status check_case(const ifl_cli_lab_request *request, const char *path, ifl_error *error)
{
    ifl_cli_sheet sheet = {.reduced = request->reduced};
    ifl_status status = ifl_lab_open(path, &sheet.lab, error);
    if (status != IFL_OK)
        return status;
    status = ifl_cli_lab_rows(request, &sheet, error);
    if (status == IFL_OK && request->metric)
        status = check_metric(request, path, &sheet, error);
    ifl_lab *lab = sheet.lab;
    ifl_cli_sheet_free(&sheet);
    ifl_lab_close(lab);
    return status;
}

/* Before any case runs: those that follow take time. */
static int check_names(const ifl_cli_lab_request *request, const char *const *paths, size_t count)
{
    ifl_error error = {0};
    ifl_status status = IFL_OK;
    if (!request->version_count && !request->sweep && !request->metric)
        return 0;
    for (size_t i = 0; i < count && status == IFL_OK; i++)
        status = check_case(request, paths[i], &error);
    return status == IFL_OK ? 0 : ifl_cli_fail(&error);
}

/* Before anything runs; NULL: none is asked for. */
static ifl_status make_folder(const char *path, ifl_error *error)
{
    if (path && mkdir(path, 0777) != 0 && errno != EEXIST)
        return ifl_cli_error(error, IFL_NO_FILE, "cannot make the folder '%.300s': %s", path,
                             strerror(errno));
    return IFL_OK;
}

static int check_outputs(const ifl_cli_lab_request *request, const char *const *paths, size_t count)
{
    const ifl_cli_output outputs[] = {{"--json", request->json}, {"--csv", request->csv}};
    const size_t output_count = sizeof outputs / sizeof *outputs;
    ifl_error error = {0};
    ifl_status status = ifl_cli_outputs_check(outputs, output_count, &error);
    for (size_t i = 0; i < count && status == IFL_OK; i++)
        status = ifl_cli_outputs_spare(outputs, output_count, paths[i], &error);
    if (status == IFL_OK)
        status = make_folder(request->launches, &error);
    if (status == IFL_OK)
        status = make_folder(request->capture, &error);
    return status == IFL_OK ? 0 : ifl_cli_fail(&error);
}

static int run_words(const ifl_cli_lab_request *request, const ifl_cli_cases *cases, int count,
                     char **words)
{
    const size_t all = count ? (size_t)count : cases->count;
    const char **paths = calloc(all + 1, sizeof *paths);
    int result = paths ? 0 : ifl_cli_fail(&(ifl_error){.status = IFL_NO_MEMORY});
    for (size_t i = 0; paths && i < all && !result; i++) {
        paths[i] = count ? ifl_cli_cases_path(cases, words[i]) : cases->paths[i];
        if (!paths[i])
            result = no_case(cases, words[i]);
    }
    for (size_t i = 0; i < all && request->list && !result; i++)
        result = list_case(paths[i], count > 0);
    if (!request->list && !result)
        result = check_names(request, paths, all);
    if (!request->list && !result)
        result = check_outputs(request, paths, all);
    if (!request->list && !result)
        result = run_somewhere(request, paths, all);
    free(paths);
    return result;
}

static bool are_paths(int count, char **words)
{
    const ifl_cli_cases none = {0};
    for (int i = 0; i < count; i++)
        if (!ifl_cli_cases_path(&none, words[i]))
            return false;
    return true;
}

/* On a GPU its driver chooses the code; a launch file has one kind. */
static ifl_status check_code(const ifl_cli_lab_request *request, ifl_error *error)
{
    if (request->code && request->on_gpu)
        return ifl_cli_error(error, IFL_USAGE, "--code is the engine's; leave out --on gpu");
    if (request->code && request->launches && strcmp(request->code, "both") == 0)
        return ifl_cli_error(error, IFL_USAGE,
                             "a launch file names one kind of code: --code ptx or machine");
    return IFL_OK;
}

static int run(int word_count, char **words)
{
    ifl_cli_lab_request request = {0};
    ifl_cli_cases cases = {0};
    ifl_error error = {0};
    int first = 0, result;
    bool help = false;
    ifl_status status =
        ifl_cli_parse(&ifl_cli_lab, word_count, words, &request, &first, &help, &error);
    if (status == IFL_OK && help)
        return 0;
    if (status == IFL_OK)
        status = check_code(&request, &error);
    /* Files named by their paths need no folder of cases. */
    if (status == IFL_OK && (first == word_count || !are_paths(word_count - first, words + first)))
        status = ifl_cli_cases_find(&cases, &error);
    if (first == word_count && !request.check && !request.no_run && !request.markdown &&
        !request.list) {
        if (status == IFL_OK && word_count)
            status = ifl_cli_error(&error, IFL_USAGE,
                                   "no case is given\n'inflight lab --list' lists them");
        request.list = true;
    }
    result = status == IFL_OK ? run_words(&request, &cases, word_count - first, words + first)
                              : ifl_cli_fail(&error);
    ifl_cli_cases_free(&cases);
    return result;
}

const ifl_cli_command ifl_cli_lab = {
    .name = "lab",
    .usage = {"[--list [CASE...]]", "CASE... [OPTION]...", NULL},
    .summary = "run the case studies, and compare each remedy with what its document published",
    .text =
        "Every version runs on the engine. Its results are compared with a plain C reference, and "
        "its counts "
        "with the expected ones.\n"
        "$INFLIGHT_LAB names the folder of the cases if inflight does not find them. The document "
        "\"A case of the lab\" (lab-format.md) explains how a case is written.",
    .operands = ":cases",
    .examples = {"inflight lab --list", "inflight lab axpy", "inflight lab axpy --sweep block",
                 NULL},
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
