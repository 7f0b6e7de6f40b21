/* SPDX-License-Identifier: Apache-2.0
 * The plots of a launch on one GPU. Rooflines are those of floating-point operations (Williams,
 * Waterman and Patterson, Roofline, 2009) and of instructions (Ding and Williams, An Instruction
 * Roofline Model for GPUs, 2019): a kernel that is limited by memory may compute little, but it
 * issues instructions. Occupancy comes from the same function as the model's. */
#include "report/charts_part.h"

#include "base/figure.h"
#include "device/shared_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- roofline -------------------------------------------------------------------------------- */

/* 0.01, 1, 1,000, 10⁴: short, as a narrow page has little room between ticks. */
static const char *power_text(ifl_page *page, int power)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const int size = abs(power);
    if (size > 3)
        return ifl_arena_printf(&page->arena, "10%s%s%s", power < 0 ? "⁻" : "",
                                size > 9 ? digits[size / 10 % 10] : "", digits[size % 10]);
    return power < 0 ? ifl_arena_printf(&page->arena, "%.*f", size, pow(10, power))
                     : ifl_arena_printf(&page->arena, "%s",
                                        ifl_figure_count((uint64_t)(pow(10, power) + 0.5)).text);
}

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
        axis->ticks[axis->tick_count++] = (ifl_tick){pow(10, power), power_text(page, power)};
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

/* What a launch does beside the bytes that it moves: how much, how much of it the GPU could do in a
 * second, and the words for it. */
typedef struct roofline {
    double done, most_per_s;
    const char *title, *unit, *sentence, *limit;
} roofline;

static void print_roofline(ifl_page *page, const ifl_outcome_gpu *gpu, const roofline *r)
{
    const ifl_model *m = &gpu->model;
    if (!(r->done > 0) || !(r->most_per_s > 0) || !(m->dram_bytes > 0) || !(m->time_us.mid > 0))
        return;
    /* In 10^9 of them and of bytes a second. */
    const double bytes = 1e-9 * gpu->device->value[IFL_DEVICE_dram_bytes_per_s],
                 most = 1e-9 * r->most_per_s;
    const double x = r->done / m->dram_bytes, y = 1e-3 * r->done / m->time_us.mid;
    const double share = y / fmin(x * bytes, most);
    const char *id = ifl_page_kept(page, ifl_clean_line(&page->arena, gpu->device->id));
    ifl_plot plot = {
        .title = ifl_arena_printf(&page->arena, "%s: roofline of %s", id, r->title),
        .summary = ifl_arena_printf(
            &page->arena,
            "%s %s %s per byte of DRAM traffic, %s billion a second: %s of what DRAM's "
            "peak and %s allow there.",
            r->sentence, ifl_figure_real(x).text, r->unit, ifl_figure_real(y).text,
            ifl_figure_share(share).text, r->limit),
        .x = {.label = ifl_arena_printf(&page->arena, "%s per byte of DRAM traffic", r->unit)},
        .y = {.label = ifl_arena_printf(&page->arena, "10⁹ %s per s", r->unit)},
        .mark = {x, y},
        .mark_text = ifl_arena_printf(&page->arena, "%s of the roof", ifl_figure_share(share).text),
    };
    set_log_axis(page, &plot.x, fmin(x, most / bytes) / 3, fmax(x, most / bytes) * 3);
    set_log_axis(page, &plot.y, fmin(y, most) / 3, most * 1.5);
    add_roof(page, &plot, bytes, most);
    ifl_page_plot(page, &plot);
}

static double known(const ifl_profile *profile, ifl_counter counter)
{
    return profile->counters.known[counter] ? (double)profile->counters.value[counter] : 0;
}

/* ---- of operations --------------------------------------------------------------------------- */

/* What a launch computes in one way, and how much of it the GPU could do in a second; 0: not
 * known. */
typedef struct computed {
    double done, most_per_s;
    const char *peak, *left_out;
} computed;
enum { WAYS = 4 };

static bool is_of_floats(const ifl_matrix_work *work)
{
    return work->kind >= IFL_MATRIX_KIND_HALVES && work->kind <= IFL_MATRIX_KIND_FOURS;
}

/* Each product takes its own time; 0: that of one of them is not known. */
static double peak_of_products(const ifl_profile *profile, const ifl_rates *rates)
{
    enum { SCHEDULERS = 4 };
    double done = 0, sum = 0;
    for (size_t i = 0; i < profile->opcodes.count; i++) {
        const ifl_opcode_count *o = &profile->opcodes.at[i];
        const double cycles = ifl_matrix_cycles(&rates->matrix, &o->matrix);
        if (!is_of_floats(&o->matrix))
            continue;
        if (!(cycles > 0))
            return 0;
        done += (double)o->count * o->matrix.products;
        sum += (double)o->count * cycles;
    }
    return sum > 0 ? 2 * done / sum * SCHEDULERS * rates->sms * rates->clock_hz : 0;
}

static void find_computed(const ifl_profile *profile, const ifl_rates *rates, computed to[WAYS])
{
    enum { OF_A_WARP = 2 * 32 }; /* of a fused multiply-add */
    const computed ways[WAYS] = {
        {known(profile, IFL_COUNTER_flops_f32), OF_A_WARP * rates->fp32_per_s, "single precision",
         "single precision"},
        {known(profile, IFL_COUNTER_flops_f64), OF_A_WARP * rates->fp64_per_s, "double precision",
         "double precision"},
        {known(profile, IFL_COUNTER_flops_f16), rates->fp16_flops_per_s, "halves", "halves"},
        {known(profile, IFL_COUNTER_flops_matrix), peak_of_products(profile, rates),
         "products of matrices", "products of matrices"},
    };
    memcpy(to, ways, sizeof ways);
}

/* "halves", "halves and products of matrices"; "" where all peaks are known. */
static const char *left_out(ifl_page *page, const computed ways[WAYS])
{
    const char *text = "";
    for (int w = 0; w < WAYS; w++)
        if (ways[w].done > 0 && !(ways[w].most_per_s > 0) && text)
            text = ifl_arena_printf(&page->arena, "%s%s%s", text, *text ? " and " : "",
                                    ways[w].left_out);
    return text ? text : "";
}

/* Each way has pipes of its own, which work side by side (halves share those of single precision on
 * some architectures: the roof is no lower then). The roof is that of the mix. */
static void print_operations(ifl_page *page, const ifl_profile *profile, const ifl_outcome_gpu *gpu,
                             const ifl_rates *rates)
{
    computed ways[WAYS];
    double done = 0, least_s = 0;
    int count = 0;
    const char *peak = "";
    find_computed(profile, rates, ways);
    for (int w = 0; w < WAYS; w++) {
        if (!(ways[w].done > 0) || !(ways[w].most_per_s > 0))
            continue;
        done += ways[w].done;
        least_s = fmax(least_s, ways[w].done / ways[w].most_per_s);
        peak = ways[w].peak;
        count++;
    }
    if (!count)
        return;
    const char *without = left_out(page, ways);
    const char *sentence = *without ? ifl_arena_printf(&page->arena,
                                                       "Without %s, whose peak is not known, the "
                                                       "launch computes",
                                                       without)
                                    : "The launch computes";
    const char *limit = count == 1 ? ifl_arena_printf(&page->arena, "the peak of %s", peak)
                                   : "the peaks of this mix of operations";
    page->no_memory |= !sentence || !limit;
    print_roofline(page, gpu,
                   &(roofline){.done = done,
                               .most_per_s = done / least_s,
                               .title = "floating-point operations",
                               .unit = "operations",
                               .sentence = sentence ? sentence : "",
                               .limit = limit ? limit : ""});
}

void ifl_plots_part_roofline(ifl_page *page, const ifl_profile *profile, const ifl_outcome_gpu *gpu)
{
    ifl_rates rates;
    ifl_rates_find(gpu->device, &rates);
    print_operations(page, profile, gpu, &rates);
    print_roofline(page, gpu,
                   &(roofline){.done = known(profile, IFL_COUNTER_instructions),
                               .most_per_s = rates.issue_per_s,
                               .title = "instructions",
                               .unit = "warp instructions",
                               .sentence = "The launch issues",
                               .limit = "the issue rate"});
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
        plot->x.ticks[plot->x.tick_count++] = (ifl_tick){
            at / r->per_label,
            ifl_arena_printf(&page->arena, "%s", ifl_figure_real(at / r->per_label).text)};
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
