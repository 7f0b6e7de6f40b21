/* SPDX-License-Identifier: Apache-2.0
 * The plots of a launch on one GPU. The roofline is that of instructions (Ding and Williams, An
 * Instruction Roofline Model for GPUs, 2019): a kernel that is limited by memory has few
 * floating-point operations to count, but it issues instructions. Occupancy comes from the same
 * function as the model's. */
#include "report/charts_part.h"

#include "base/figure.h"
#include "device/shared_size.h"

#include <math.h>
#include <string.h>

/* ---- roofline -------------------------------------------------------------------------------- */

/* A tick a power of ten, at most as many as an axis has; the ends are powers. */
static void set_log_axis(ifl_page *page, ifl_axis *axis, double low, double high)
{
    const int first = (int)floor(log10(low)), last = (int)ceil(log10(high));
    const int step = (last - first) / IFL_AXIS_TICKS + 1;
    axis->is_log = true;
    axis->low = pow(10, first);
    axis->high = pow(10, last > first ? last : first + 1);
    for (int power = first;
         pow(10, power) <= axis->high * 1.001 && axis->tick_count < IFL_AXIS_TICKS; power += step)
        axis->ticks[axis->tick_count++] =
            (ifl_tick){pow(10, power), ifl_arena_printf(&page->arena, "%g", pow(10, power))};
}

static void add_point(ifl_page *page, ifl_plot *plot, double x, double y)
{
    page->no_memory |= !ifl_vec_push(&plot->curve, ((ifl_point){x, y}));
}

/* From where the slope enters the plot to the ridge, and on at the height of the issue rate. */
static void add_roof(ifl_page *page, ifl_plot *plot, double bytes, double issue)
{
    const double ridge = issue / bytes, start = fmax(plot->x.low, plot->y.low / bytes);
    add_point(page, plot, start, start * bytes);
    add_point(page, plot, ridge, issue);
    add_point(page, plot, plot->x.high, issue);
}

void ifl_plots_part_roofline(ifl_page *page, const ifl_profile *profile, const ifl_outcome_gpu *gpu)
{
    const ifl_model *m = &gpu->model;
    const bool is_known = profile->counters.known[IFL_COUNTER_instructions];
    ifl_rates rates;
    if (!is_known || !(m->dram_bytes > 0) || !(m->time_us.mid > 0))
        return;
    ifl_rates_find(gpu->device, &rates);
    /* In 10^9 instructions and bytes a second. */
    const double instructions = (double)profile->counters.value[IFL_COUNTER_instructions];
    const double bytes = 1e-9 * gpu->device->value[IFL_DEVICE_dram_bytes_per_s],
                 issue = 1e-9 * rates.issue_per_s;
    const double x = instructions / m->dram_bytes, y = 1e-3 * instructions / m->time_us.mid;
    if (!(x > 0))
        return;
    const double share = y / fmin(x * bytes, issue);
    const char *id = ifl_page_kept(page, ifl_clean_line(&page->arena, gpu->device->id));
    ifl_plot plot = {
        .title = ifl_arena_printf(&page->arena, "%s: roofline of instructions", id),
        .summary = ifl_arena_printf(
            &page->arena,
            "The launch issues %.3g instructions per byte of DRAM traffic, %.3g billion a "
            "second: %.0f %% of what DRAM's peak and the issue rate allow there.",
            x, y, 100 * share),
        .x = {.label = "warp instructions per byte of DRAM traffic"},
        .y = {.label = "10⁹ warp instructions per s"},
        .mark = {x, y},
        .mark_text = ifl_arena_printf(&page->arena, "%.0f %% of the roof", 100 * share),
    };
    set_log_axis(page, &plot.x, fmin(x, issue / bytes) / 3, fmax(x, issue / bytes) * 3);
    set_log_axis(page, &plot.y, fmin(y, issue) / 3, issue * 1.5);
    add_roof(page, &plot, bytes, issue);
    ifl_page_plot(page, &plot);
}

/* ---- occupancy ------------------------------------------------------------------------------- */

/* One resource that is varied; the others stay what they are. */
typedef struct resource {
    const char *title, *label, *unit;
    size_t field; /* an int of the request */
    int step, most;
    int tick;
    double per_label; /* units of the request that one of the label is */
} resource;

static int warps_of(const ifl_device *device, const ifl_occupancy_request *request)
{
    ifl_occupancy o;
    return ifl_occupancy_compute(device, request, &o, NULL) == IFL_OK ? o.warps_per_sm : 0;
}

static int *value_of(ifl_occupancy_request *request, const resource *r)
{
    return (int *)(void *)((char *)request + r->field);
}

/* What a value gives holds from the one before it: resources are handed out in whole units, threads
 * in warps. */
static void add_steps(ifl_page *page, ifl_plot *plot, const ifl_device *device,
                      ifl_occupancy_request request, const resource *r)
{
    int before = -1;
    for (int value = r->step; value <= r->most; value += r->step) {
        *value_of(&request, r) = value;
        const int warps = warps_of(device, &request);
        if (before >= 0 && warps != before)
            add_point(page, plot, (value - r->step) / r->per_label, before);
        if (warps != before)
            add_point(page, plot, (value - r->step) / r->per_label, warps);
        before = warps;
    }
    add_point(page, plot, r->most / r->per_label, before);
}

static void set_axes(ifl_page *page, ifl_plot *plot, const resource *r, int most_warps)
{
    plot->x = (ifl_axis){.label = r->label, .high = r->most / r->per_label};
    for (int at = 0; at <= r->most && plot->x.tick_count < IFL_AXIS_TICKS; at += r->tick)
        plot->x.ticks[plot->x.tick_count++] =
            (ifl_tick){at / r->per_label, ifl_arena_printf(&page->arena, "%g", at / r->per_label)};
    plot->y = (ifl_axis){.label = "warps per SM", .high = most_warps};
    for (int at = 0; at <= 4; at++)
        plot->y.ticks[plot->y.tick_count++] = (ifl_tick){
            most_warps * at / 4.0, ifl_arena_printf(&page->arena, "%g", most_warps * at / 4.0)};
}

static void print_steps(ifl_page *page, const ifl_outcome_gpu *gpu,
                        const ifl_occupancy_request *request, const resource *r)
{
    ifl_occupancy_request now = *request;
    const ifl_occupancy *o = &gpu->model.occupancy;
    const char *id = ifl_page_kept(page, ifl_clean_line(&page->arena, gpu->device->id));
    const double value = *value_of(&now, r) / r->per_label;
    if (*value_of(&now, r) <= 0 || *value_of(&now, r) > r->most)
        return;
    ifl_plot plot = {
        .title = ifl_arena_printf(&page->arena, "%s: occupancy by %s", id, r->title),
        .summary = ifl_arena_printf(
            &page->arena, "With %.4g %s an SM holds %d of %d warps; limited by %s.", value, r->unit,
            o->warps_per_sm, o->max_warps_per_sm, o->limiter),
        .mark = {value, o->warps_per_sm},
        .mark_text =
            ifl_arena_printf(&page->arena, "%.4g %s: %d warps", value, r->unit, o->warps_per_sm),
    };
    set_axes(page, &plot, r, o->max_warps_per_sm);
    add_steps(page, &plot, gpu->device, now, r);
    ifl_page_plot(page, &plot);
}

void ifl_plots_part_occupancy(ifl_page *page, const ifl_profile *profile,
                              const ifl_outcome_gpu *gpu)
{
    const double *limit = gpu->device->value;
    const resource resources[] = {
        {"registers", "registers per thread", "registers",
         offsetof(ifl_occupancy_request, registers), 1,
         (int)limit[IFL_DEVICE_max_registers_per_thread], 32, 1},
        {"block size", "threads per block", "threads", offsetof(ifl_occupancy_request, threads), 32,
         (int)limit[IFL_DEVICE_max_threads_per_block], 128, 1},
        {"shared memory", "KiB of shared memory per block", "KiB",
         offsetof(ifl_occupancy_request, shared_bytes), 128,
         (int)limit[IFL_DEVICE_shared_bytes_per_block], 32 * 1024, 1024},
    };
    const ifl_occupancy_request request = {
        .threads = (int)(profile->block[0] * profile->block[1] * profile->block[2]),
        .registers = gpu->model.registers,
        .shared_bytes = (int)profile->shared_bytes,
        .shared_limit =
            (int)ifl_shared_limit(gpu->device, profile->shared_preference, profile->shared_bytes),
    };
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
        print_steps(page, gpu, &request, &resources[i]);
}
