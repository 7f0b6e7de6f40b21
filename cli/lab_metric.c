/* SPDX-License-Identifier: Apache-2.0
 * The metrics of the lab: what follows from counters, from times, and how each is shown. It knows
 * the names of counters only. */
#include "lab.h"
#include "lab_grid.h"
#include "terminal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- what follows from counters -------------------------------------------------------------- */

/* Loads and stores together. */
static const struct {
    const char *name, *of_loads, *of_stores;
} sums[] = {
    {"shared_requests", "shared_load_requests", "shared_store_requests"},
    {"shared_wavefronts", "shared_load_wavefronts", "shared_store_wavefronts"},
    {"shared_wavefronts_ideal", "shared_load_wavefronts_ideal", "shared_store_wavefronts_ideal"},
};

/* (above - less) * factor / below; absent where any of them is not known or nothing is below. */
static const struct {
    const char *name, *above, *less, *below;
    double factor;
} ratios[] = {
    {"sectors_per_load", "global_load_sectors", NULL, "global_load_requests", 1},
    {"sectors_per_store", "global_store_sectors", NULL, "global_store_requests", 1},
    {"lines_per_load", "global_load_lines", NULL, "global_load_requests", 1},
    {"lines_per_store", "global_store_lines", NULL, "global_store_requests", 1},
    {"load_efficiency", "global_load_useful_bytes", NULL, "global_load_sectors", 1.0 / 32},
    {"store_efficiency", "global_store_useful_bytes", NULL, "global_store_sectors", 1.0 / 32},
    {"load_line_efficiency", "global_load_useful_bytes", NULL, "global_load_lines", 1.0 / 128},
    {"store_line_efficiency", "global_store_useful_bytes", NULL, "global_store_lines", 1.0 / 128},
    {"wavefronts_per_shared_load", "shared_load_wavefronts", NULL, "shared_load_requests", 1},
    {"wavefronts_per_shared_store", "shared_store_wavefronts", NULL, "shared_store_requests", 1},
    {"replays_per_shared_load", "shared_load_wavefronts", "shared_load_wavefronts_ideal",
     "shared_load_requests", 1},
    {"replays_per_shared_store", "shared_store_wavefronts", "shared_store_wavefronts_ideal",
     "shared_store_requests", 1},
    {"replays_per_shared_request", "shared_wavefronts", "shared_wavefronts_ideal",
     "shared_requests", 1},
};

/* Names of counters come from the page of counters that the library writes; those the lab shows and
 * expects are these. */
static const char *const counters[] = {
#define OFF_CHIP(kind)                                                                             \
    kind "_requests", kind "_sectors", kind "_sectors_ideal", kind "_lines", kind "_lines_ideal",  \
        kind "_wavefronts", kind "_wavefronts_ideal", kind "_useful_bytes"
#define COPIED(kind)                                                                               \
    kind "_requests", kind "_sectors", kind "_sectors_ideal", kind "_lines", kind "_lines_ideal",  \
        kind "_useful_bytes"
#define ON_CHIP(kind)                                                                              \
    kind "_requests", kind "_wavefronts", kind "_wavefronts_ideal", kind "_useful_bytes"
    "ptx_instructions",       "instructions",
    "thread_instructions",    OFF_CHIP("global_load"),
    OFF_CHIP("global_store"), OFF_CHIP("global_atomic"),
    OFF_CHIP("local_load"),   OFF_CHIP("local_store"),
    COPIED("texture_load"),   COPIED("bulk_load"),
    COPIED("bulk_store"),     COPIED("bulk_reduction"),
    ON_CHIP("shared_load"),   ON_CHIP("shared_store"),
    ON_CHIP("shared_atomic"), "global_atomic_serial",
    "shared_atomic_serial",   "branches",
    "divergent_branches",     "barriers",
#undef OFF_CHIP
#undef COPIED
#undef ON_CHIP
};

/* The sum over the kernels of a version; unknown where one does not know it. */
static bool sum_counter(ifl_profile *const *profiles, size_t count, const char *name, double *sum)
{
    *sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        if (!ifl_profile_counter(profiles[i], name, &value))
            return false;
        *sum += (double)value;
    }
    return count > 0;
}

static ifl_status add_sum(ifl_cli_sheet *sheet, size_t row, size_t index, ifl_error *error)
{
    double loads, stores;
    if (!ifl_cli_sheet_get(sheet, row, IFL_CLI_ENGINE, NULL, sums[index].of_loads, &loads) ||
        !ifl_cli_sheet_get(sheet, row, IFL_CLI_ENGINE, NULL, sums[index].of_stores, &stores))
        return IFL_OK;
    return ifl_cli_sheet_add(sheet, row, IFL_CLI_ENGINE, NULL, sums[index].name, loads + stores,
                             error);
}

static ifl_status add_ratio(ifl_cli_sheet *sheet, size_t row, size_t index, ifl_error *error)
{
    double above, less = 0, below;
    if (!ifl_cli_sheet_get(sheet, row, IFL_CLI_ENGINE, NULL, ratios[index].above, &above) ||
        !ifl_cli_sheet_get(sheet, row, IFL_CLI_ENGINE, NULL, ratios[index].below, &below) ||
        (ratios[index].less &&
         !ifl_cli_sheet_get(sheet, row, IFL_CLI_ENGINE, NULL, ratios[index].less, &less)) ||
        below <= 0)
        return IFL_OK;
    return ifl_cli_sheet_add(sheet, row, IFL_CLI_ENGINE, NULL, ratios[index].name,
                             (above - less) * ratios[index].factor / below, error);
}

static const char useful_bytes[] = "useful_bytes";

static ifl_status add_useful(ifl_cli_sheet *sheet, size_t row, ifl_error *error)
{
    const ifl_lab_point point = ifl_cli_sheet_point(sheet, row);
    double bytes = 0, loads = 0, stores = 0;
    bool found;
    ifl_status status = ifl_lab_number(sheet->lab, &point, useful_bytes, &bytes, &found, error);
    if (status != IFL_OK)
        return status;
    if (!found &&
        ifl_cli_sheet_get(sheet, row, IFL_CLI_ENGINE, NULL, "global_load_useful_bytes", &loads) &&
        ifl_cli_sheet_get(sheet, row, IFL_CLI_ENGINE, NULL, "global_store_useful_bytes", &stores)) {
        bytes = loads + stores;
        found = true;
    }
    return found ? ifl_cli_sheet_add(sheet, row, IFL_CLI_ENGINE, NULL, useful_bytes, bytes, error)
                 : IFL_OK;
}

ifl_status ifl_cli_lab_count(ifl_cli_sheet *sheet, size_t row, ifl_profile *const *profiles,
                             size_t count, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < sizeof counters / sizeof *counters && status == IFL_OK; i++) {
        double sum;
        if (sum_counter(profiles, count, counters[i], &sum))
            status = ifl_cli_sheet_add(sheet, row, IFL_CLI_ENGINE, NULL, counters[i], sum, error);
    }
    for (size_t i = 0; i < sizeof sums / sizeof *sums && status == IFL_OK; i++)
        status = add_sum(sheet, row, i, error);
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios && status == IFL_OK; i++)
        status = add_ratio(sheet, row, i, error);
    return status;
}

/* ---- what follows from times ----------------------------------------------------------------- */

/* The row that a row's speedup is against: the same settings, the baseline's version. */
static size_t baseline_row(const ifl_cli_sheet *sheet, size_t row)
{
    const ifl_cli_row *r = &sheet->rows[row];
    const char *name = ifl_lab_text(sheet->lab, r->version, "baseline");
    size_t version = name ? ifl_lab_version_find(sheet->lab, name) : 0;
    return ifl_cli_sheet_find_row(sheet, version, r->settings, r->setting_count);
}

static ifl_status derive_from_time(ifl_cli_sheet *sheet, const ifl_cli_figure *figure,
                                   ifl_error *error)
{
    const ifl_cli_figure f = *figure; /* adding may move the table */
    double bytes, base_us;
    const size_t base = baseline_row(sheet, f.row);
    ifl_status status = IFL_OK;
    if (f.value <= 0)
        return IFL_OK;
    if (ifl_cli_sheet_get(sheet, f.row, IFL_CLI_ENGINE, NULL, "useful_bytes", &bytes) &&
        !ifl_cli_sheet_get(sheet, f.row, f.source, f.gpu, "useful_gb_per_s", &base_us))
        status = ifl_cli_sheet_add(sheet, f.row, f.source, f.gpu, "useful_gb_per_s",
                                   bytes / f.value / 1e3, error);
    if (status == IFL_OK && base < sheet->row_count &&
        ifl_cli_sheet_get(sheet, base, f.source, f.gpu, "time_us", &base_us) &&
        !ifl_cli_sheet_get(sheet, f.row, f.source, f.gpu, "speedup", &bytes))
        status =
            ifl_cli_sheet_add(sheet, f.row, f.source, f.gpu, "speedup", base_us / f.value, error);
    return status;
}

/* Where a document gives throughputs only, their ratio is the speedup. */
static ifl_status derive_from_rate(ifl_cli_sheet *sheet, const ifl_cli_figure *figure,
                                   ifl_error *error)
{
    const ifl_cli_figure f = *figure;
    double base_rate, known;
    const size_t base = baseline_row(sheet, f.row);
    if (base >= sheet->row_count ||
        !ifl_cli_sheet_get(sheet, base, f.source, f.gpu, "useful_gb_per_s", &base_rate) ||
        base_rate <= 0 || ifl_cli_sheet_get(sheet, f.row, f.source, f.gpu, "speedup", &known))
        return IFL_OK;
    return ifl_cli_sheet_add(sheet, f.row, f.source, f.gpu, "speedup", f.value / base_rate, error);
}

static ifl_status add_published(ifl_cli_sheet *sheet, size_t row, ifl_error *error)
{
    const ifl_lab_point point = ifl_cli_sheet_point(sheet, row);
    ifl_status status = IFL_OK;
    bool found = true;
    for (size_t i = 0; found && status == IFL_OK; i++) {
        ifl_lab_figure figure;
        status =
            ifl_lab_figure_at(sheet->lab, &point, IFL_LAB_PUBLISHED, i, &figure, &found, error);
        if (status == IFL_OK && found)
            status = ifl_cli_sheet_add(sheet, row, IFL_CLI_PUBLISHED, figure.gpu, figure.metric,
                                       figure.value, error);
    }
    return status;
}

ifl_status ifl_cli_lab_derive(ifl_cli_sheet *sheet, ifl_error *error)
{
    ifl_status status = IFL_OK;
    /* What a document publishes, it publishes of its own sizes. */
    for (size_t i = 0; i < sheet->row_count && status == IFL_OK; i++) {
        if (!sheet->rows[i].setting_count && !sheet->reduced)
            status = add_published(sheet, i, error);
        if (status == IFL_OK)
            status = add_useful(sheet, i, error);
    }
    for (size_t i = 0; i < sheet->figure_count && status == IFL_OK; i++) {
        if (strcmp(sheet->figures[i].metric, "time_us") == 0)
            status = derive_from_time(sheet, &sheet->figures[i], error);
        else if (strcmp(sheet->figures[i].metric, "useful_gb_per_s") == 0)
            status = derive_from_rate(sheet, &sheet->figures[i], error);
    }
    return status;
}

/* ---- expectations ---------------------------------------------------------------------------- */

/* A case expects instructions of its PTX and of its machine code; those of the code that did not run
 * are not checked. */
static bool is_of_other_code(const ifl_cli_sheet *sheet, size_t row, const char *metric)
{
    static const char ptx[] = "ptx_instructions", machine[] = "instructions";
    const char *other = strcmp(metric, ptx) == 0       ? machine
                        : strcmp(metric, machine) == 0 ? ptx
                                                       : NULL;
    double counted;
    return other && ifl_cli_sheet_get(sheet, row, IFL_CLI_ENGINE, NULL, other, &counted);
}

static ifl_status hold_one(ifl_cli_sheet *sheet, size_t row, const ifl_lab_figure *figure,
                           ifl_error *error)
{
    char label[200];
    double got;
    const bool of_gpu = figure->gpu[0] != '\0';
    if (is_of_other_code(sheet, row, figure->metric))
        return IFL_OK;
    ifl_cli_sheet_label(sheet, row, label, sizeof label);
    if (!ifl_cli_sheet_get(sheet, row, of_gpu ? IFL_CLI_MODELLED : IFL_CLI_ENGINE,
                           of_gpu ? figure->gpu : NULL, figure->metric, &got))
        return ifl_cli_sheet_complain(
            sheet, error, "%s: %s%s%s is not known, expected %s (line %d)", label, figure->gpu,
            of_gpu ? " " : "", figure->metric, figure->text, figure->line);
    if (got >= figure->low && got <= figure->high)
        return IFL_OK;
    return ifl_cli_sheet_complain(sheet, error, "%s: %s%s%s is %.10g, expected %.10g (line %d: %s)",
                                  label, figure->gpu, of_gpu ? " " : "", figure->metric, got,
                                  figure->value, figure->line, figure->text);
}

ifl_status ifl_cli_lab_hold(ifl_cli_sheet *sheet, size_t row, ifl_error *error)
{
    const ifl_lab_point point = ifl_cli_sheet_point(sheet, row);
    ifl_status status = IFL_OK;
    bool found = true;
    for (size_t i = 0; found && status == IFL_OK; i++) {
        ifl_lab_figure figure;
        status = ifl_lab_figure_at(sheet->lab, &point, IFL_LAB_EXPECTED, i, &figure, &found, error);
        if (status == IFL_OK && found)
            status = hold_one(sheet, row, &figure, error);
    }
    return status;
}

/* ---- how they are shown ---------------------------------------------------------------------- */

static const ifl_cli_metric shown[] = {
    {"time_us", "time", 1, 2, "us"},
    {"speedup", "speedup", 1, 2, "x"},
    {"useful_gb_per_s", "useful", 1, 1, "GB/s"},
    {"dram_bytes_per_s", "DRAM", 1e-9, 0, "GB/s"},
    {"dram_utilization", "DRAM", 100, 2, "%"},
    {"dram_read_bytes", "DRAM read", 0x1p-20, 1, "MiB"},
    {"dram_write_bytes", "DRAM written", 0x1p-20, 1, "MiB"},
    {"instructions", "instructions", 1, 0, ""},
    {"spread", "spread", 100, 1, "%"},
    {"copy_gb_per_s", "a copy's", 1, 0, "GB/s"},
    {"registers", "registers", 1, 0, ""},
    {"limiter", "limited by", 1, 0, ""},
    {"exposed_latencies", "exposed waits", 1, 0, ""},
    {"blocks_per_sm", "blocks/SM", 1, 0, ""},
    {"occupancy_theoretical", "occupancy", 100, 1, "%"},
    {"occupancy_achieved", "achieved occupancy", 100, 1, "%"},
    {"warps_per_sm", "warps/SM", 1, 0, ""},
    {"bytes_in_flight_per_sm", "in flight/SM", 0x1p-10, 1, "KiB"},
    {"bytes_needed_per_sm", "needed/SM", 0x1p-10, 1, "KiB"},
    {"tail_efficiency", "tail", 100, 1, "%"},
    {"waves", "waves", 1, 2, ""},
    {"l1_hit_rate", "L1 hits", 100, 1, "%"},
    {"l2_hit_rate", "L2 hits", 100, 1, "%"},
    {"load_efficiency", "loads needed", 100, 1, "%"},
    {"store_efficiency", "stores needed", 100, 1, "%"},
    {"load_line_efficiency", "of lines loaded", 100, 1, "%"},
    {"store_line_efficiency", "of lines stored", 100, 1, "%"},
    {"sectors_per_load", "sectors/load", 1, 2, ""},
    {"sectors_per_store", "sectors/store", 1, 2, ""},
    {"lines_per_load", "lines/load", 1, 2, ""},
    {"lines_per_store", "lines/store", 1, 2, ""},
    {"wavefronts_per_shared_load", "wavefronts/sh.load", 1, 2, ""},
    {"wavefronts_per_shared_store", "wavefronts/sh.store", 1, 2, ""},
    {"replays_per_shared_load", "replays/sh.load", 1, 2, ""},
    {"replays_per_shared_store", "replays/sh.store", 1, 2, ""},
    {"replays_per_shared_request", "replays/sh.request", 1, 2, ""},
    {"global_load_requests", "loads", 1, 0, ""},
    {"global_store_requests", "stores", 1, 0, ""},
    {"ptx_instructions", "PTX instructions", 1, 0, ""},
};

const char *ifl_cli_lab_value_text(const ifl_cli_metric *metric, double value, char *to,
                                   size_t size)
{
    const char *name = strcmp(metric->name, "limiter") == 0 ? ifl_term_name((ifl_term)value) : NULL;
    if (name)
        snprintf(to, size, "%s", name);
    else
        ifl_cli_grid_number(value * metric->factor, metric->decimals, to, size);
    return to;
}

const char *ifl_cli_lab_metric_name(size_t index)
{
    enum {
        SHOWN = sizeof shown / sizeof *shown,
        COUNTERS = sizeof counters / sizeof *counters,
        SUMS = sizeof sums / sizeof *sums,
        RATIOS = sizeof ratios / sizeof *ratios
    };
    if (index < SHOWN)
        return shown[index].name;
    index -= SHOWN;
    if (index < COUNTERS)
        return counters[index];
    index -= COUNTERS;
    if (index < SUMS)
        return sums[index].name;
    index -= SUMS;
    if (index < RATIOS)
        return ratios[index].name;
    return index == RATIOS ? useful_bytes : NULL;
}

ifl_cli_metric ifl_cli_lab_metric(const char *name)
{
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (strcmp(shown[i].name, name) == 0)
            return shown[i];
    return (ifl_cli_metric){name, name, 1, 2, ""};
}
