/* SPDX-License-Identifier: Apache-2.0
 * The model's figures for a version, on the GPUs of the case's published figures and on those given
 * with --gpu. A version of several kernels gets the sum of their times; figures that do not add up
 * are those of the longest kernel. */
#include "lab.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 16 };

/* ---- GPUs ------------------------------------------------------------------------------------ */

void ifl_cli_lab_devices_close(ifl_cli_lab_devices *devices)
{
    while (devices->count) {
        ifl_device_close(devices->devices[--devices->count]);
        free(devices->names[devices->count]);
    }
}

/* "gpu.b200 = b200@1155" says how the case's b200 was run. */
static const char *device_of(const ifl_lab *lab, const char *name)
{
    char key[80];
    snprintf(key, sizeof key, "gpu.%s", name);
    const char *told = ifl_lab_text(lab, IFL_LAB_COMMON, key);
    return told ? told : name;
}

static ifl_status add_device(ifl_cli_lab_devices *devices, const ifl_lab *lab, const char *name,
                             ifl_error *error)
{
    const size_t at = devices->count;
    for (size_t i = 0; i < at; i++)
        if (strcmp(devices->names[i], name) == 0)
            return IFL_OK;
    if (at == IFL_CLI_MOST_GPUS)
        return ifl_cli_error(error, IFL_USAGE, "more than %d GPUs", IFL_CLI_MOST_GPUS);
    const ifl_status status = ifl_device_open(device_of(lab, name), &devices->devices[at], error);
    if (status != IFL_OK)
        return status;
    devices->names[at] = strdup(name);
    if (!devices->names[at]) {
        ifl_device_close(devices->devices[at]);
        return ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    }
    devices->count++;
    return IFL_OK;
}

static ifl_status add_of_figures(ifl_cli_lab_devices *devices, const ifl_lab *lab, size_t version,
                                 ifl_lab_figure_kind kind, ifl_error *error)
{
    const ifl_lab_point point = {.version = version};
    ifl_status status = IFL_OK;
    bool found = true;
    for (size_t i = 0; found && status == IFL_OK; i++) {
        ifl_lab_figure figure;
        status = ifl_lab_figure_at(lab, &point, kind, i, &figure, &found, error);
        if (status == IFL_OK && found && figure.gpu[0])
            status = add_device(devices, lab, figure.gpu, error);
    }
    return status;
}

ifl_status ifl_cli_lab_devices_open(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet,
                                    ifl_cli_lab_devices *devices, ifl_error *error)
{
    const ifl_lab *lab = sheet->lab;
    ifl_status status = IFL_OK;
    for (size_t v = 0; v < ifl_lab_version_count(lab) && status == IFL_OK; v++) {
        /* A check looks at nothing but what is expected. */
        if (!request->check)
            status = add_of_figures(devices, lab, v, IFL_LAB_PUBLISHED, error);
        if (status == IFL_OK)
            status = add_of_figures(devices, lab, v, IFL_LAB_EXPECTED, error);
    }
    for (size_t i = 0; i < request->gpu_count && status == IFL_OK; i++)
        status = add_device(devices, lab, request->gpus[i], error);
    /* A GPU that was measured need not be one that is described. */
    for (size_t i = 0; i < sheet->origin_count && status == IFL_OK; i++) {
        ifl_error own = {0};
        if (add_device(devices, lab, sheet->origins[i].gpu, &own) == IFL_NO_MEMORY)
            status = ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    }
    return status;
}

/* ---- figures --------------------------------------------------------------------------------- */

typedef struct models {
    ifl_model of[MOST_KERNELS];
    size_t count, longest;
    double time_us, dram_bytes;
    ifl_profile *const *profiles;
    const ifl_device *device;
} models;

static ifl_status compute(models *m, ifl_profile *const *profiles, size_t count,
                          const ifl_device *device, ifl_error *error)
{
    ifl_status status = count && count <= MOST_KERNELS ? IFL_OK : IFL_UNSUPPORTED;
    for (size_t i = 0; i < count && status == IFL_OK; i++) {
        status = ifl_profile_model(profiles[i], device, &m->of[i], error);
        if (status != IFL_OK)
            break;
        m->count++;
        m->time_us += m->of[i].time_us.mid;
        m->dram_bytes += m->of[i].dram_bytes;
        if (m->of[i].time_us.mid > m->of[m->longest].time_us.mid)
            m->longest = i;
    }
    return status;
}

static bool sum_of(const models *m, const char *name, double *sum)
{
    *sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        double value;
        if (!ifl_profile_cache(m->profiles[i], m->device, name, &value))
            return false;
        *sum += value;
    }
    return m->count > 0;
}

/* Below 0: not known. */
static double hit_rate(const models *m, const char *hits, const char *sectors)
{
    double found, asked;
    return sum_of(m, hits, &found) && sum_of(m, sectors, &asked) && asked > 0 ? found / asked : -1;
}

typedef struct named {
    const char *name;
    double value;
} named;

static ifl_status add_figures(ifl_cli_sheet *sheet, size_t row, const char *gpu, const models *m,
                              ifl_error *error)
{
    const ifl_model *longest = &m->of[m->longest];
    const double share =
        m->count == 1 ? 1 : m->dram_bytes / longest->dram_bytes * longest->time_us.mid / m->time_us;
    const named all[] = {
        {"time_us", m->time_us},
        {"limiter", longest->limiter},
        {"dram_bytes_per_s", longest->dram_bytes_per_s * share},
        {"dram_utilization", longest->dram_utilization * share},
        {"occupancy_theoretical", longest->occupancy.theoretical},
        {"occupancy_achieved", longest->occupancy_achieved},
        {"blocks_per_sm", longest->occupancy.blocks_per_sm},
        {"warps_per_sm", longest->occupancy.warps_per_sm},
        {"registers",
         longest->registers && !longest->registers_estimated ? longest->registers : -1},
        {"waves", longest->waves.waves},
        {"tail_efficiency", longest->waves.tail_efficiency},
        {"bytes_in_flight_per_sm", longest->bytes_in_flight_per_sm},
        {"bytes_needed_per_sm", longest->bytes_needed_per_sm},
        {"l1_hit_rate", hit_rate(m, "l1_load_hits", "l1_load_sectors")},
        {"l2_hit_rate", hit_rate(m, "l2_read_hits", "l2_read_sectors")},
    };
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == IFL_OK; i++)
        if (all[i].value >= 0)
            status = ifl_cli_sheet_add(sheet, row, IFL_CLI_MODELLED, gpu, all[i].name, all[i].value,
                                       error);
    return status;
}

ifl_status ifl_cli_lab_model(ifl_cli_sheet *sheet, size_t row, const ifl_cli_lab_devices *devices,
                             ifl_profile *const *profiles, size_t count, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < devices->count && status == IFL_OK; i++) {
        models m = {.profiles = profiles, .device = devices->devices[i]};
        const ifl_status own = compute(&m, profiles, count, devices->devices[i], error);
        if (own == IFL_OK)
            status = add_figures(sheet, row, devices->names[i], &m, error);
        else if (own != IFL_UNSUPPORTED) /* the GPU cannot hold a block: no figures */
            status = own;
    }
    return status;
}
