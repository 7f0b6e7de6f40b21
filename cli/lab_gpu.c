/* SPDX-License-Identifier: Apache-2.0
 * The lab on a real GPU: runs and times one launch, and says under which name its figures go into
 * the sheet. What is timed, and how, is the library's business (docs/gpu.md). */
#include "interrupt.h"
#include "lab.h"
#include "terminal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* "NVIDIA H200" is devices/h200, "NVIDIA RTX PRO 6000 ..." becomes a word of the same kind. */
static void gpu_id(const char *name, char *to, size_t size)
{
    static const char vendor[] = "NVIDIA ";
    size_t used = 0;
    if (strncmp(name, vendor, strlen(vendor)) == 0)
        name += strlen(vendor);
    for (; *name && used + 1 < size; name++) {
        const bool plain = isalnum((unsigned char)*name);
        if (plain || (used && to[used - 1] != '-'))
            to[used++] = plain ? (char)tolower((unsigned char)*name) : '-';
    }
    to[used] = '\0';
}

/* The kernel driver's version, where Linux tells it: the first word of digits and dots. */
static void driver_version(char *to, size_t size)
{
    char line[256] = "", *state = NULL;
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    snprintf(to, size, "unknown");
    if (!file)
        return;
    if (fgets(line, sizeof line, file))
        for (char *word = strtok_r(line, " \t", &state); word; word = strtok_r(NULL, " \t", &state))
            if (isdigit((unsigned char)word[0]) && strchr(word, '.')) {
                snprintf(to, size, "%s", word);
                break;
            }
    fclose(file);
}

ifl_status ifl_cli_lab_gpu_open(ifl_cli_lab_gpu *gpu, ifl_error *error)
{
    char driver[64], date[32] = "";
    const time_t now = time(NULL);
    struct tm day;
    *gpu = (ifl_cli_lab_gpu){0};
    const ifl_status status = ifl_gpu_open(0, &gpu->gpu, error);
    if (status != IFL_OK)
        return status;
    gpu_id(ifl_gpu_name(gpu->gpu), gpu->id, sizeof gpu->id);
    driver_version(driver, sizeof driver);
    if (gmtime_r(&now, &day))
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    const int cuda = ifl_gpu_cuda(gpu->gpu);
    snprintf(gpu->origin, sizeof gpu->origin, "%s, driver %s, CUDA %d.%d, %s",
             ifl_gpu_name(gpu->gpu), driver, cuda / 1000, cuda % 1000 / 10, date);
    return IFL_OK;
}

void ifl_cli_lab_gpu_close(ifl_cli_lab_gpu *gpu)
{
    if (gpu->gpu)
        ifl_gpu_close(gpu->gpu);
    *gpu = (ifl_cli_lab_gpu){0};
}

ifl_status ifl_cli_lab_gpu_can(const ifl_cli_lab_gpu *gpu, const ifl_lab *lab,
                               const ifl_lab_point *point, bool *can, ifl_error *error)
{
    double needs = 0;
    bool found;
    const char *call = ifl_lab_text(lab, point->version, "call");
    const ifl_status status = ifl_lab_number(lab, point, "needs", &needs, &found, error);
    *can = (!found || ifl_gpu_sm(gpu->gpu) >= (int)(needs * 10 + 0.5)) &&
           (!call || ifl_lab_can_call(gpu->gpu, call));
    return status;
}

ifl_status ifl_cli_lab_gpu_run(const ifl_cli_lab_request *request, const ifl_cli_lab_gpu *gpu,
                               const ifl_cli_sheet *sheet, size_t row, ifl_launch *launch,
                               ifl_profile **out, ifl_error *error)
{
    const ifl_gpu_options options = {.time = !request->check,
                                     .no_copy = sheet->rows[row].setting_count > 0,
                                     .threads = request->threads,
                                     .samples = request->samples,
                                     .stop = ifl_cli_catch_signals()};
    const char *call = ifl_lab_text(sheet->lab, sheet->rows[row].version, "call");
    return call ? ifl_lab_run_call(launch, gpu->gpu, &options, call, out, error)
                : ifl_launch_run_on(launch, gpu->gpu, &options, out, error);
}

/* A version's time is the sum of its kernels'; its spread that of the worst. */
ifl_status ifl_cli_lab_gpu_figures(ifl_cli_sheet *sheet, size_t row, const ifl_cli_lab_gpu *gpu,
                                   ifl_profile *const *profiles, size_t count, ifl_error *error)
{
    double seconds = 0, spread = 0, copy = 0;
    for (size_t i = 0; i < count; i++) {
        double median, own_spread = 0;
        if (!ifl_profile_timing(profiles[i], "median_s", &median))
            return IFL_OK;
        seconds += median;
        if (ifl_profile_timing(profiles[i], "spread", &own_spread) && own_spread > spread)
            spread = own_spread;
        ifl_profile_timing(profiles[i], "copy_bytes_per_s", &copy);
    }
    ifl_status status =
        ifl_cli_sheet_add(sheet, row, IFL_CLI_MEASURED, gpu->id, "time_us", 1e6 * seconds, error);
    if (status == IFL_OK)
        status = ifl_cli_sheet_add(sheet, row, IFL_CLI_MEASURED, gpu->id, "spread", spread, error);
    if (status == IFL_OK && copy > 0)
        status = ifl_cli_sheet_add(sheet, row, IFL_CLI_MEASURED, gpu->id, "copy_gb_per_s",
                                   1e-9 * copy, error);
    return status;
}
