/* SPDX-License-Identifier: Apache-2.0
 * Models in a report: a table with a row a GPU, then for each GPU what limits the launch, by how
 * much, and what would change it. Knows what a model says, not how it comes to it. */
#include "report/models_part.h"

#include "base/figure.h"
#include "profile/registers.h"
#include "report/cache_part.h"
#include "report/stalls_part.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { INDENT = 2, WIDE = 90, MOST_RUNNERS = 3 };

/* ---- text ------------------------------------------------------------------------------------ */

/* printf into the page's arena; what is missing is missing for want of memory. */
static const char *say(ifl_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *say(ifl_page *page, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const char *kept = ifl_arena_text(&page->arena, text, strlen(text));
    page->no_memory |= !kept;
    return kept ? kept : "";
}

/* In the page's arena: 118, 97.6, 4.02. */
static const char *three_figures(ifl_page *page, double value)
{
    if (value < 0 || !isfinite(value))
        return "?";
    if (value >= 999.5 && value < 1e19)
        return say(page, "%s", ifl_figure_count((uint64_t)(value + 0.5)).text);
    if (value > 0 && value < 0.005)
        return "<0.01";
    return say(page, "%.*f", value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value);
}

static const char *time_text(ifl_page *page, double us)
{
    return say(page, "%s", ifl_figure_time(us, IFL_PREDICTED_DIGITS).text);
}

static const char *percent(ifl_page *page, double share)
{
    return say(page, "%s", ifl_figure_share(share).text);
}

bool ifl_models_part_is_estimated(const ifl_model *m, ifl_term term)
{
    const bool estimated[IFL_TERM_COUNT] = {[IFL_TERM_ISSUE] = m->issue_estimated,
                                            [IFL_TERM_ARITHMETIC] = m->arithmetic_estimated,
                                            [IFL_TERM_LATENCY] = m->waits_estimated};
    return estimated[term];
}

/* "17.1 µs", "17.1 µs (estimated)": what one term takes. */
static const char *term_text(ifl_page *page, const ifl_model *m, ifl_term term)
{
    return say(page, "%s%s", time_text(page, m->term_us[term]),
               ifl_models_part_is_estimated(m, term) ? " (estimated)" : "");
}

/* In a cell: "≈16.0"; "<0.01" is no more than an estimate anyway. */
static const char *marked(ifl_page *page, const char *figure, bool estimated)
{
    return estimated && figure[0] != '?' && figure[0] != '<' ? say(page, "≈%s", figure) : figure;
}

static const ifl_column columns[] = {
    {{"", "GPU"}, false, 0, false},
    {{"", "time"}, true, 0, false},
    {{"", "range"}, true, WIDE, false},
    {{"", "limited by"}, false, 0, false},
    {{"DRAM", "GB/s"}, true, 0, false},
    {{"of its", "peak"}, true, 0, false},
    {{"occu-", "pancy"}, true, WIDE, false},
    {{"", "waves"}, true, WIDE, false},
    {{"KiB in flight", "per SM"}, true, 0, false},
    {{"", "needed"}, true, 0, false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void add_row(ifl_page *page, ifl_table *table, const ifl_device *device, const ifl_model *m)
{
    const ifl_row row = {
        .cell = {
            device->id, time_text(page, m->time_us.mid),
            say(page, "%s",
                ifl_figure_time_range(m->time_us.low, m->time_us.high, m->time_us.mid).text),
            ifl_term_name(m->limiter),
            say(page, "%s", ifl_figure_count((uint64_t)(m->dram_bytes_per_s / 1e9 + 0.5)).text),
            percent(page, m->dram_utilization),
            marked(page, percent(page, m->occupancy_achieved), m->registers_estimated),
            marked(page, three_figures(page, m->waves.waves), m->registers_estimated),
            marked(page, three_figures(page, m->bytes_in_flight_per_sm / 1024), m->waits_estimated),
            three_figures(page, m->bytes_needed_per_sm / 1024)}};
    ifl_table_add(page, table, &row);
}

/* "DRAM 91.2 µs, issue 19.1 µs": the terms after the largest, in order, as far as they matter. */
static const char *runners_text(ifl_page *page, const ifl_model *m)
{
    const char *text = "";
    bool told[IFL_TERM_COUNT] = {false};
    told[m->limiter] = true;
    for (int n = 0; n < MOST_RUNNERS; n++) {
        int next = -1;
        for (int t = 0; t < IFL_TERM_COUNT; t++)
            if (!told[t] && m->term_us[t] > 0.05 * m->term_us[m->limiter] &&
                (next < 0 || m->term_us[t] > m->term_us[next]))
                next = t;
        if (next < 0)
            break;
        told[next] = true;
        text = say(page, "%s%s%s %s", text, *text ? ", " : "", ifl_term_name((ifl_term)next),
                   term_text(page, m, (ifl_term)next));
    }
    return text;
}

/* What a launch leaves in the L2 takes its time where it writes back as much of the one before it (ifl_run_options.repeated);
 * the rate beside is of what this launch reads and writes. */
static const char *left_text(ifl_page *page, const ifl_profile *profile, const ifl_device *device,
                             const ifl_model *m)
{
    const double worth = 0.1;
    const ifl_cache_facts *f = ifl_profile_caches(profile, device->id);
    if (m->limiter != IFL_TERM_DRAM || !f || f->dirty_bytes.value < worth * m->dram_bytes)
        return "";
    return say(page,
               profile->repeated ? " with the write-back of the %s left in the L2"
                                 : " (%s stay in the L2, to be written later)",
               ifl_figure_bytes((uint64_t)f->dirty_bytes.value).text);
}

/* " Products of matrices keep the tensor cores busy for 55 % of the time." */
static const char *products_text(ifl_page *page, const ifl_model *m)
{
    return m->tensor_utilization < 0
               ? ""
               : say(page,
                     " Products of matrices keep the tensor cores busy for %.0f %% of the time.",
                     100 * m->tensor_utilization);
}

static const char *limits_text(ifl_page *page, const ifl_profile *profile, const ifl_device *device,
                               const ifl_model *m)
{
    const char *runners = runners_text(page, m), *products = products_text(page, m);
    return say(page, "%s: limited by %s, which alone takes %s%s%s%s.%s", device->id,
               ifl_term_name(m->limiter), term_text(page, m, m->limiter),
               left_text(page, profile, device, m), *runners ? "; next " : "", runners, products);
}

/* ", registers limit them: with 32 instead of 40 another block fits": the nearest step up. */
static const char *cliff_text(ifl_page *page, const ifl_profile *profile, const ifl_model *m)
{
    const ifl_occupancy *o = &m->occupancy;
    if (strcmp(o->limiter, "registers") == 0 && o->registers_for_more > 0)
        return say(page,
                   "; limited by registers: one more block fits with %d instead of %d per thread",
                   o->registers_for_more, m->registers);
    if (strcmp(o->limiter, "shared memory") == 0 && o->shared_for_more >= 0)
        return say(
            page,
            "; limited by shared memory: one more block fits with %s bytes instead of %s per block",
            ifl_figure_count((uint64_t)o->shared_for_more).text,
            ifl_figure_count(profile->shared_bytes).text);
    return o->warps_per_sm == o->max_warps_per_sm ? "" : say(page, "; limited by %s", o->limiter);
}

/* Where no machine code tells: also what launch bounds leave of the registers that the PTX would take. */
static const char *estimate_text(ifl_page *page, const ifl_profile *profile, const ifl_model *m)
{
    const int wanted = ifl_profile_registers_wanted(profile);
    if (!m->registers || !m->registers_estimated)
        return "";
    if (wanted <= m->registers)
        return " (registers estimated from the PTX)";
    return say(page,
               " (a thread gets %d registers; the PTX needs about %d, so expect spills, "
               "which are in the machine code only)",
               m->registers, wanted);
}

static const char *held_text(ifl_page *page, const ifl_profile *profile, const ifl_model *m)
{
    const ifl_occupancy *o = &m->occupancy;
    const char *clusters = profile->cluster[0]
                               ? say(page, " The GPU holds %s of %s at once.",
                                     ifl_figure_counted(o->clusters, "cluster").text,
                                     ifl_figure_counted(m->waves.cluster, "block").text)
                               : "";
    return say(page, "An SM holds %d block%s, %d of %d warps%s%s.%s", o->blocks_per_sm,
               o->blocks_per_sm == 1 ? "" : "s", o->warps_per_sm, o->max_warps_per_sm,
               cliff_text(page, profile, m), estimate_text(page, profile, m), clusters);
}

static const char *flight_text(ifl_page *page, const ifl_profile *profile, const ifl_model *m)
{
    const char *held = held_text(page, profile, m);
    if (m->bytes_in_flight_per_sm < 0)
        return held;
    return say(
        page,
        "%s A warp waits for loads %s%s, with %s KiB in flight per SM%s; %s KiB would reach 95 %% "
        "of the DRAM bandwidth.",
        held, ifl_figure_times(m->waits_per_warp).text, m->waits_estimated ? " (estimated)" : "",
        three_figures(page, m->bytes_in_flight_per_sm / 1024),
        m->waits_estimated ? " (estimated)" : "",
        three_figures(page, m->bytes_needed_per_sm / 1024));
}

static const char *const lever_texts[IFL_LEVER_COUNT] = {
    [IFL_LEVER_LATENCY] = "if the L2 had all that is loaded",
    [IFL_LEVER_OCCUPANCY] = "with full occupancy",
    [IFL_LEVER_REQUESTS] = "with twice the loads before each wait",
    [IFL_LEVER_BYTES] = "with words twice as wide",
};

/* Levers that give less than two percent are left out. */
static const char *levers_text(ifl_page *page, const ifl_model *m)
{
    const char *text = "";
    for (int l = 0; l < IFL_LEVER_COUNT; l++)
        if (m->lever_us[l] > 0 && m->lever_us[l] < 0.98 * m->time_us.mid)
            text = say(page, "%s%s%s %s", text, *text ? ", " : "The launch would take ",
                       time_text(page, m->lever_us[l]), lever_texts[l]);
    return *text ? say(page, "%s.", text) : "More bytes in flight would not make it faster.";
}

/* Somebody held predictions to times of this very GPU. */
static bool is_compared(const ifl_device *device)
{
    return device->known[IFL_DEVICE_model_excess] &&
           !ifl_device_is_unmeasured(device, IFL_DEVICE_model_excess);
}

/* What the prediction does not stand on; NULL: nothing is missing. */
static const char *doubt_text(ifl_page *page, const ifl_device *device)
{
    ifl_device_field unmeasured[IFL_DEVICE_RATES];
    const size_t count = ifl_device_unmeasured(device, unmeasured);
    if (count)
        return say(page,
                   "%zu of the %d latencies and rates that this stands on %s not measured on this "
                   "GPU, but %s another one's (inflight devices): the range is wider for it.",
                   count, IFL_DEVICE_RATES, count == 1 ? "was" : "were", count == 1 ? "is" : "are");
    return is_compared(device)
               ? NULL
               : "No times of this GPU were compared with predictions: the range is wider for it.";
}

/* Does the launch's time stand on what such things cost? */
static bool uses(const ifl_profile *profile, const ifl_device *device, ifl_own_use use)
{
    const ifl_time_facts *sm = ifl_profile_sm_time(profile, device->id);
    const ifl_counters *counted = &profile->counters;
    switch (use) {
    case IFL_OWN_FENCES:
        return sm && sm->stalls[IFL_STALL_membar] > 0;
    case IFL_OWN_ATOMICS:
        return counted->known[IFL_COUNTER_global_atomic_requests] &&
               counted->value[IFL_COUNTER_global_atomic_requests] > 0;
    default:
        return false;
    }
}

/* Of the facts that the launch's time stands on, those that were not measured on this GPU. */
static size_t lacking(const ifl_profile *profile, const ifl_device *device, ifl_own_use use,
                      const char *names[IFL_DEVICE_FIELDS])
{
    return uses(profile, device, use) ? ifl_device_lacking(device, use, names, IFL_DEVICE_FIELDS)
                                      : 0;
}

static const char *lacking_text(ifl_page *page, const ifl_profile *profile,
                                const ifl_device *device)
{
    const char *names[IFL_DEVICE_FIELDS], *text = NULL;
    for (ifl_own_use use = 0; use < IFL_OWN_USES; use++)
        if (lacking(profile, device, use, names))
            text =
                text ? say(page, "%s and %s", text, ifl_own_use_text(use)) : ifl_own_use_text(use);
    return text ? say(page,
                      "What %s cost was not measured on this GPU, but is another one's (inflight "
                      "devices --fields).",
                      text)
                : NULL;
}

static void print_detail(ifl_page *page, const ifl_profile *profile, const ifl_device *device,
                         const ifl_model *m)
{
    const char *doubt = doubt_text(page, device), *others = lacking_text(page, profile, device);
    ifl_page_paragraph(page, INDENT, 2 * INDENT, IFL_STYLE_STRONG,
                       limits_text(page, profile, device, m));
    if (doubt)
        ifl_page_paragraph(page, 2 * INDENT, 2 * INDENT, IFL_STYLE_WARN, doubt);
    if (others)
        ifl_page_paragraph(page, 2 * INDENT, 2 * INDENT, IFL_STYLE_WARN, others);
    ifl_page_paragraph(page, 2 * INDENT, 2 * INDENT, IFL_STYLE_PLAIN,
                       flight_text(page, profile, m));
    if (m->waits_per_warp >= 0)
        ifl_page_paragraph(page, 2 * INDENT, 2 * INDENT, IFL_STYLE_PLAIN, levers_text(page, m));
    ifl_stalls_part_print(page, profile, device->id);
}

void ifl_models_part_print(ifl_page *page, const ifl_outcome *outcome)
{
    ifl_table table = {.columns = columns, .column_count = COLUMNS, .indent = INDENT};
    for (size_t i = 0; i < outcome->gpus.count; i++) {
        const ifl_outcome_gpu *gpu = &outcome->gpus.at[i];
        if (gpu->has_model)
            add_row(page, &table, gpu->device, &gpu->model);
        else
            ifl_table_add(page, &table,
                          &(ifl_row){.span = say(page, "%s: %s", gpu->device->id, gpu->why)});
    }
    if (table.rows.count) {
        ifl_page_heading(page, "Predicted for these GPUs (inflight help model)");
        ifl_table_print(page, &table);
    }
    for (size_t i = 0; i < outcome->gpus.count; i++) {
        const ifl_outcome_gpu *gpu = &outcome->gpus.at[i];
        if (gpu->has_model)
            print_detail(page, outcome->profile, gpu->device, &gpu->model);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* What is not known is negative in a model, and absent here. */
static void put_known(ifl_tree *tree, json_t *object, const char *key, double value)
{
    if (value >= 0)
        ifl_tree_put_real(tree, object, key, value);
}

static json_t *terms_json(ifl_tree *tree, const ifl_model *m)
{
    json_t *object = json_object();
    for (int t = 0; t < IFL_TERM_COUNT; t++)
        put_known(tree, object, ifl_term_name((ifl_term)t), m->term_us[t]);
    return object;
}

static json_t *levers_json(ifl_tree *tree, const ifl_model *m)
{
    static const char *const keys[IFL_LEVER_COUNT] = {
        [IFL_LEVER_LATENCY] = "latency",
        [IFL_LEVER_OCCUPANCY] = "occupancy",
        [IFL_LEVER_REQUESTS] = "requests",
        [IFL_LEVER_BYTES] = "bytes",
    };
    json_t *object = json_object();
    for (int l = 0; l < IFL_LEVER_COUNT; l++)
        put_known(tree, object, keys[l], m->lever_us[l]);
    return object;
}

static void put_occupancy(ifl_tree *tree, json_t *o, const ifl_model *m)
{
    put_known(tree, o, "occupancy_theoretical", m->occupancy.theoretical);
    put_known(tree, o, "occupancy_achieved", m->occupancy_achieved);
    ifl_tree_put_count(tree, o, "blocks_per_sm", (uint64_t)m->occupancy.blocks_per_sm);
    ifl_tree_put_count(tree, o, "warps_per_sm", (uint64_t)m->occupancy.warps_per_sm);
    ifl_tree_put_text(tree, o, "occupancy_limiter", m->occupancy.limiter);
    if (m->waves.cluster > 1)
        ifl_tree_put_count(tree, o, "clusters", m->occupancy.clusters);
    if (m->registers) {
        ifl_tree_put_count(tree, o, "registers", (uint64_t)m->registers);
        ifl_tree_put_flag(tree, o, "registers_estimated", m->registers_estimated);
    }
    put_known(tree, o, "waves", m->waves.waves);
    put_known(tree, o, "partial_wave", m->waves.partial_wave);
    put_known(tree, o, "tail_efficiency", m->waves.tail_efficiency);
}

/* The keys whose figures were inferred from the PTX. */
static void put_estimated(ifl_tree *tree, json_t *o, const ifl_model *m)
{
    const struct {
        const char *key;
        bool estimated;
    } keys[] = {
        {"registers", m->registers && m->registers_estimated},
        {"blocks_per_sm", m->registers_estimated},
        {"warps_per_sm", m->registers_estimated},
        {"occupancy_theoretical", m->registers_estimated},
        {"occupancy_achieved", m->registers_estimated},
        {"waves", m->registers_estimated},
        {"partial_wave", m->registers_estimated},
        {"tail_efficiency", m->registers_estimated},
        {"waits_per_warp", m->waits_estimated},
        {"bytes_in_flight_per_sm", m->waits_estimated},
        {"terms_us.latency", ifl_models_part_is_estimated(m, IFL_TERM_LATENCY)},
        {"terms_us.issue", ifl_models_part_is_estimated(m, IFL_TERM_ISSUE)},
        {"terms_us.arithmetic", ifl_models_part_is_estimated(m, IFL_TERM_ARITHMETIC)},
    };
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].estimated)
            ifl_tree_append_text(tree, array, keys[i].key);
    ifl_tree_put(tree, o, "estimated", array);
}

static void put_time(ifl_tree *tree, json_t *o, const ifl_model *m)
{
    put_known(tree, o, "bytes_in_flight_per_sm", m->bytes_in_flight_per_sm);
    put_known(tree, o, "bytes_needed_per_sm", m->bytes_needed_per_sm);
    put_known(tree, o, "waits_per_warp", m->waits_per_warp);
    put_known(tree, o, "latency_ns", m->latency_ns);
    ifl_tree_put_text(tree, o, "limiter", ifl_term_name(m->limiter));
    ifl_tree_put_text(tree, o, "runner_up", ifl_term_name(m->runner_up));
    put_known(tree, o, "time_us", m->time_us.mid);
    put_known(tree, o, "time_us_low", m->time_us.low);
    put_known(tree, o, "time_us_high", m->time_us.high);
    ifl_tree_put(tree, o, "terms_us", terms_json(tree, m));
    ifl_tree_put(tree, o, "levers_us", levers_json(tree, m));
    put_known(tree, o, "dram_bytes", m->dram_bytes);
    put_known(tree, o, "dram_bytes_per_s", m->dram_bytes_per_s);
    put_known(tree, o, "dram_utilization", m->dram_utilization);
    put_known(tree, o, "tensor_utilization", m->tensor_utilization);
    put_known(tree, o, "sm_time_us", m->sm_time_us);
    put_known(tree, o, "cycles", m->cycles);
    put_known(tree, o, "issue_active", m->issue_active);
}

static void put_doubts(ifl_tree *tree, json_t *o, const ifl_profile *profile,
                       const ifl_device *device)
{
    const char *names[IFL_DEVICE_FIELDS];
    ifl_device_field unmeasured[IFL_DEVICE_RATES];
    const size_t count = ifl_device_unmeasured(device, unmeasured);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        ifl_tree_append_text(tree, array, ifl_field_get(unmeasured[i])->name);
    for (ifl_own_use use = 0; use < IFL_OWN_USES; use++)
        for (size_t i = 0, own = lacking(profile, device, use, names); i < own; i++)
            ifl_tree_append_text(tree, array, names[i]);
    ifl_tree_put(tree, o, "unmeasured", array);
    ifl_tree_put_flag(tree, o, "compared", is_compared(device));
}

static json_t *model_json(ifl_tree *tree, const ifl_profile *profile, const ifl_outcome_gpu *gpu)
{
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "gpu", gpu->device->id);
    ifl_tree_put_text(tree, object, "name", gpu->device->name);
    if (!gpu->has_model) {
        ifl_tree_put_text(tree, object, "unsupported", gpu->why);
        return object;
    }
    put_occupancy(tree, object, &gpu->model);
    put_time(tree, object, &gpu->model);
    put_estimated(tree, object, &gpu->model);
    put_doubts(tree, object, profile, gpu->device);
    ifl_cache_part_put(tree, object, profile, gpu->device->id);
    ifl_stalls_part_put(tree, object, profile, gpu->device->id);
    return object;
}

json_t *ifl_models_part_json(ifl_tree *tree, const ifl_outcome *outcome)
{
    json_t *array = json_array();
    for (size_t i = 0; i < outcome->gpus.count; i++)
        ifl_tree_append(tree, array, model_json(tree, outcome->profile, &outcome->gpus.at[i]));
    return array;
}
