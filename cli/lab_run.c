/* SPDX-License-Identifier: Apache-2.0
 * Runs the rows of a sheet: every kernel of the version in turn on the same buffers, checked
 * against the reference, its figures into the sheet. */
#include "interrupt.h"
#include "lab.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 16 };

typedef struct work {
    const ifl_cli_lab_request *request;
    const ifl_cli_lab_devices *devices;
    const ifl_cli_lab_gpu *gpu; /* NULL: the engine */
    ifl_cli_sheet *sheet;
    size_t row;
    ifl_lab_point point;
    const char *code;   /* "ptx" or "machine"; NULL: the machine code kept with it, else PTX */
    ifl_launch *launch; /* of the kernel that ran last */
    ifl_cli_expected *expected;
    ifl_profile *profiles[MOST_KERNELS];
    size_t profile_count;
    ifl_cli_progress progress;
} work;

/* The next kernel goes on with what the one before it left in the buffers. */
static ifl_status hand_over(ifl_launch *from, ifl_launch *to, ifl_error *error)
{
    const size_t count = ifl_launch_argument_count(from);
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < count && status == IFL_OK; i++) {
        ifl_launch_argument_info old, fresh;
        status = ifl_launch_argument_at(from, i, &old, error);
        if (status == IFL_OK)
            status = ifl_launch_argument_at(to, i, &fresh, error);
        if (status == IFL_OK && old.is_buffer != fresh.is_buffer)
            status = ifl_cli_error(error, IFL_BAD_INPUT,
                                   "the kernels of a version take the same arguments");
        if (status == IFL_OK && old.is_buffer && old.bytes == fresh.bytes)
            memcpy(fresh.data, old.data, old.bytes);
    }
    return status;
}

static ifl_status run_on_engine(work *w, ifl_launch *launch, ifl_profile **out, ifl_error *error)
{
    const ifl_run_options run = {
        .threads = w->request->threads,
        .stop = ifl_cli_catch_signals(),
        .progress = ifl_cli_progress_update,
        .progress_user = &w->progress,
        .devices = (const ifl_device *const *)w->devices->devices,
        .device_count = w->devices->count,
        .repeated = true, /* as `lab` measures */
    };
    ifl_cli_progress_start(&w->progress);
    const ifl_status status = ifl_launch_run(launch, &run, out, error);
    ifl_cli_progress_erase(&w->progress);
    return status;
}

/* A library's call that the version stands for; NULL: it is kernels. */
static const char *call_of(const work *w)
{
    return ifl_lab_text(w->sheet->lab, w->point.version, "call");
}

static ifl_status run_launch(work *w, ifl_launch *launch, ifl_error *error)
{
    ifl_profile *profile = NULL;
    const ifl_status status =
        w->gpu ? ifl_cli_lab_gpu_run(w->request, w->gpu, w->sheet, w->row, launch, &profile, error)
               : run_on_engine(w, launch, &profile, error);
    if (status == IFL_OK)
        w->profiles[w->profile_count++] = profile;
    else
        ifl_profile_free(profile);
    return status;
}

static ifl_status run_kernel(work *w, size_t kernel, ifl_error *error)
{
    ifl_launch *launch = NULL;
    ifl_status status = ifl_lab_launch(w->sheet->lab, &w->point, kernel, &launch, error);
    if (status != IFL_OK)
        return status;
    if (w->code)
        status = ifl_launch_set(launch, "code", w->code, error);
    if (status != IFL_OK) {
        ifl_launch_free(launch);
        return status;
    }
    if (w->launch)
        status = hand_over(w->launch, launch, error);
    else
        status = ifl_cli_lab_expect(w->sheet->lab, &w->point, launch, &w->expected, error);
    ifl_launch_free(w->launch);
    w->launch = launch;
    return status == IFL_OK ? run_launch(w, launch, error) : status;
}

static ifl_status check_result(work *w, ifl_error *error)
{
    char text[300], label[200];
    bool right;
    ifl_cli_row *row = &w->sheet->rows[w->row];
    row->verdict = IFL_CLI_UNCHECKED;
    if (!w->expected)
        return IFL_OK;
    const ifl_status status = ifl_cli_lab_compare(w->sheet->lab, &w->point, w->expected, w->launch,
                                                  &right, text, sizeof text, error);
    if (status != IFL_OK)
        return status;
    row->verdict = right ? IFL_CLI_RIGHT : IFL_CLI_WRONG;
    ifl_cli_sheet_label(w->sheet, w->row, label, sizeof label);
    return right ? IFL_OK : ifl_cli_sheet_complain(w->sheet, error, "%s: %s", label, text);
}

static ifl_status run_kernels(work *w, size_t count, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < count && i < MOST_KERNELS && status == IFL_OK; i++)
        status = run_kernel(w, i, error);
    return status == IFL_OK ? check_result(w, error) : status;
}

static void release(work *w)
{
    ifl_cli_lab_expected_free(w->expected);
    ifl_launch_free(w->launch);
    for (size_t i = 0; i < w->profile_count; i++)
        ifl_profile_free(w->profiles[i]);
    w->expected = NULL;
    w->launch = NULL;
    w->profile_count = 0;
}

/* --code both: the PTX runs and is checked, then the machine code in its place. */
static ifl_status run_ptx_first(const work *common, size_t kernels, bool *is_right,
                                ifl_error *error)
{
    work w = *common;
    w.code = "ptx";
    const ifl_status status = run_kernels(&w, kernels, error);
    release(&w);
    const ifl_cli_verdict verdict = w.sheet->rows[w.row].verdict;
    *is_right = verdict == IFL_CLI_RIGHT || verdict == IFL_CLI_UNCHECKED;
    return status;
}

static ifl_status run_version(work *w, ifl_error *error)
{
    size_t kernels = 0;
    bool can = w->gpu || !call_of(w);
    ifl_status status = ifl_lab_kernel_count(w->sheet->lab, &w->point, &kernels, error);
    if (status == IFL_OK && w->gpu)
        status = ifl_cli_lab_gpu_can(w->gpu, w->sheet->lab, &w->point, &can, error);
    if (status != IFL_OK || !can)
        return status;
    const char *code = w->request->code;
    const bool is_both = code && strcmp(code, "both") == 0;
    bool is_right = true;
    if (is_both)
        status = run_ptx_first(w, kernels, &is_right, error);
    w->code = is_both ? "machine" : code;
    if (status == IFL_OK)
        status = run_kernels(w, kernels, error);
    if (!is_right)
        w->sheet->rows[w->row].verdict = IFL_CLI_WRONG;
    if (status == IFL_OK && w->gpu)
        return ifl_cli_lab_gpu_figures(w->sheet, w->row, w->gpu, w->profiles, w->profile_count,
                                       error);
    if (status == IFL_OK)
        status = ifl_cli_lab_count(w->sheet, w->row, w->profiles, w->profile_count, error);
    if (status == IFL_OK)
        status =
            ifl_cli_lab_model(w->sheet, w->row, w->devices, w->profiles, w->profile_count, error);
    return status == IFL_OK ? ifl_cli_lab_hold(w->sheet, w->row, error) : status;
}

/* A fault of one version is told with its place; the others still run. */
static ifl_status note_failure(work *w, const ifl_error *own, ifl_error *error)
{
    char label[200], place[300] = "";
    w->sheet->rows[w->row].verdict = IFL_CLI_FAILED;
    if (own->file[0] && own->line)
        snprintf(place, sizeof place, " (%s:%d)", own->file, own->line);
    ifl_cli_sheet_label(w->sheet, w->row, label, sizeof label);
    return ifl_cli_sheet_complain(w->sheet, error, "%s: %.300s%s", label, own->text, place);
}

static ifl_status run_row(const work *common, size_t row, ifl_error *error)
{
    work w = *common;
    ifl_error own = {0};
    w.row = row;
    w.point = ifl_cli_sheet_point(w.sheet, row);
    const ifl_status status = run_version(&w, &own);
    release(&w);
    if (status == IFL_OK)
        return IFL_OK;
    if (status == IFL_INTERRUPTED || status == IFL_NO_MEMORY) {
        *error = own;
        return status;
    }
    return note_failure(&w, &own, error);
}

ifl_status ifl_cli_lab_run(const ifl_cli_lab_request *request, const ifl_cli_lab_gpu *gpu,
                           ifl_cli_sheet *sheet, ifl_error *error)
{
    ifl_cli_lab_devices devices = {0};
    const work common = {.request = request, .devices = &devices, .gpu = gpu, .sheet = sheet};
    ifl_status status = ifl_cli_lab_devices_open(request, sheet, &devices, error);
    for (size_t i = 0; i < sheet->row_count && status == IFL_OK; i++)
        if (sheet->rows[i].verdict == IFL_CLI_NOT_RUN)
            status = run_row(&common, i, error);
    ifl_cli_lab_devices_close(&devices);
    return status;
}
