/* SPDX-License-Identifier: Apache-2.0
 * What a GPU did with a launch, as text and JSON. It knows the profile's facts, not how they were
 * taken. */
#include "report/gpu_part.h"

#include "base/figure.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { INDENT = 2 };

/* ---- figures --------------------------------------------------------------------------------- */

static ifl_figure time_figure(double seconds)
{
    return ifl_figure_time(1e6 * seconds, IFL_MEASURED_DIGITS);
}

static ifl_figure rate_figure(double bytes_per_s)
{
    ifl_figure figure;
    const double gb = 1e-9 * bytes_per_s;
    if (gb >= 100)
        snprintf(figure.text, sizeof figure.text, "%.30s GB/s",
                 ifl_figure_count((uint64_t)(gb + 0.5)).text);
    else
        snprintf(figure.text, sizeof figure.text, "%.3g GB/s", gb);
    return figure;
}

static ifl_figure share_figure(double share)
{
    ifl_figure figure;
    const double percent = 100 * share;
    snprintf(figure.text, sizeof figure.text, "%.*f %%", percent < 9.95 ? 1 : 0, percent);
    return figure;
}

/* A device is "NVIDIA H200 (sm_90, driver for CUDA 13.0)". */
static void print_gpu(ifl_page *page, const ifl_gpu_facts *gpu)
{
    ifl_arena *arena = &page->arena;
    const char *name = ifl_clean_line(arena, gpu->name ? gpu->name : "");
    ifl_page_paragraph(page, INDENT, 2 * INDENT, IFL_STYLE_PLAIN,
                       ifl_arena_printf(arena, "run on %s (sm_%" PRIu32 ", driver for CUDA %s)",
                                        name ? name : "", gpu->sm,
                                        gpu->driver ? gpu->driver : "?"));
    const char *blocks =
        gpu->blocks_per_sm
            ? ifl_arena_printf(arena, ", %" PRIu32 " block%s per SM at once", gpu->blocks_per_sm,
                               gpu->blocks_per_sm == 1 ? "" : "s")
            : "";
    ifl_page_paragraph(page, INDENT, 2 * INDENT, IFL_STYLE_PLAIN,
                       ifl_arena_printf(arena, "code: %s; %s, %s of local memory per thread%s",
                                        gpu->code ? gpu->code : "",
                                        ifl_figure_counted(gpu->registers, "register").text,
                                        ifl_figure_counted(gpu->local_bytes, "byte").text,
                                        blocks ? blocks : ""));
}

/* ---- times ----------------------------------------------------------------------------------- */

static bool known(const ifl_times *t, ifl_times_field field)
{
    return t->known[field];
}

static double get(const ifl_times *t, ifl_times_field field)
{
    return t->value[field];
}

static const struct {
    const char *name, *text;
} betweens[] = {
    {"rotate", "runs take several sets of buffers in turn"},
    {"flush", "before each run the L2 is read full of other data"},
    {"warm", "the caches hold what the run before left"},
};

static const char *between_text(const char *name)
{
    for (size_t i = 0; i < sizeof betweens / sizeof *betweens; i++)
        if (strcmp(betweens[i].name, name) == 0)
            return betweens[i].text;
    return "";
}

static void print_median(ifl_page *page, const ifl_times *t)
{
    ifl_page_paragraph(
        page, INDENT, 2 * INDENT, IFL_STYLE_STRONG,
        ifl_arena_printf(
            &page->arena,
            "%s per run: median of %.0f samples of %.0f run%s; %s to %s from the 10th to the 90th "
            "percentile%s",
            time_figure(get(t, IFL_TIMING_median_s)).text, get(t, IFL_TIMING_samples),
            get(t, IFL_TIMING_runs_per_sample), get(t, IFL_TIMING_runs_per_sample) == 1 ? "" : "s",
            time_figure(get(t, IFL_TIMING_low_s)).text, time_figure(get(t, IFL_TIMING_high_s)).text,
            t->floor_subtracted ? "; the cost of an empty kernel is subtracted" : ""));
}

static void print_rate(ifl_page *page, const ifl_times *t)
{
    ifl_arena *arena = &page->arena;
    const bool has_copy = known(t, IFL_TIMING_copy_bytes_per_s);
    const double copy = has_copy ? get(t, IFL_TIMING_copy_bytes_per_s) : NAN;
    if (known(t, IFL_TIMING_useful_bytes_per_s)) {
        const double rate = get(t, IFL_TIMING_useful_bytes_per_s);
        const char *against =
            has_copy ? ifl_arena_printf(arena, ", %s of a copy's", share_figure(rate / copy).text)
                     : "";
        ifl_page_paragraph(
            page, INDENT, 2 * INDENT, IFL_STYLE_STRONG,
            ifl_arena_printf(arena, "%s asked of global memory: %s%s",
                             ifl_figure_bytes((uint64_t)get(t, IFL_TIMING_useful_bytes)).text,
                             rate_figure(rate).text, against ? against : ""));
    }
    if (has_copy)
        ifl_page_paragraph(
            page, INDENT, 2 * INDENT, IFL_STYLE_PLAIN,
            ifl_arena_printf(arena, "a copy of %s, read and written, measured beside it: %s",
                             ifl_figure_bytes((uint64_t)get(t, IFL_TIMING_copy_bytes)).text,
                             rate_figure(copy).text));
}

static const char *clock_text(ifl_page *page, const ifl_times *t)
{
    if (!known(t, IFL_TIMING_clock_before_hz) || !known(t, IFL_TIMING_clock_after_hz))
        return "";
    return ifl_arena_printf(&page->arena, "; SM clock %.0f MHz before, %.0f after",
                            1e-6 * get(t, IFL_TIMING_clock_before_hz),
                            1e-6 * get(t, IFL_TIMING_clock_after_hz));
}

static void print_method(ifl_page *page, const ifl_times *t)
{
    ifl_arena *arena = &page->arena;
    const char *noise = known(t, IFL_TIMING_noise)
                            ? ifl_arena_printf(arena, "noise (A/A) %s; ",
                                               share_figure(get(t, IFL_TIMING_noise)).text)
                            : "";
    const char *floor_text = known(t, IFL_TIMING_floor_s)
                                 ? ifl_arena_printf(arena, "an empty kernel takes %s",
                                                    time_figure(get(t, IFL_TIMING_floor_s)).text)
                                 : "";
    const char *clock = clock_text(page, t);
    ifl_page_paragraph(page, INDENT, 2 * INDENT, IFL_STYLE_DIM,
                       ifl_arena_printf(arena, "%s (%s, %.0f of them); %s%s%s", t->between,
                                        between_text(t->between), get(t, IFL_TIMING_buffer_sets),
                                        noise ? noise : "", floor_text ? floor_text : "",
                                        clock ? clock : ""));
}

static void print_times(ifl_page *page, const ifl_times *t)
{
    if (!t->between || !known(t, IFL_TIMING_median_s))
        return;
    ifl_page_heading(page, "Time");
    print_median(page, t);
    print_rate(page, t);
    print_method(page, t);
}

/* ---- results --------------------------------------------------------------------------------- */

static void print_difference(ifl_page *page, ifl_output_sides sides, const ifl_compared_output *o)
{
    if (!o->different)
        return;
    const char *by =
        o->largest > 0 ? ifl_arena_printf(&page->arena, ", by at most %.2g", o->largest) : "";
    ifl_page_paragraph(
        page, 2 * INDENT, 3 * INDENT, IFL_STYLE_PLAIN,
        ifl_arena_printf(&page->arena, "%s of %s differ%s; element %" PRIu64 ": %s %s, %s %s",
                         ifl_figure_count(o->different).text,
                         ifl_figure_counted(o->elements, "element").text, by ? by : "", o->worst_at,
                         sides.reference, o->worst_reference, sides.own, o->worst_own));
}

/* "argument 3, f32×1000 y", or the program's memory. */
static const char *buffer_text(ifl_page *page, const ifl_compared_output *o)
{
    const char *text = ifl_clean_line(&page->arena, o->text);
    if (text && o->argument != IFL_NO_ARGUMENT)
        text = ifl_arena_printf(&page->arena, "argument %" PRIu32 ", %s", o->argument, text);
    return text ? text : "";
}

void ifl_outputs_print(ifl_page *page, const ifl_outputs *outputs)
{
    static const ifl_style styles[IFL_OUTPUT_VERDICTS] = {
        [IFL_OUTPUT_EQUAL] = IFL_STYLE_GOOD,
        [IFL_OUTPUT_WITHIN] = IFL_STYLE_GOOD,
        [IFL_OUTPUT_OPEN] = IFL_STYLE_WARN,
        [IFL_OUTPUT_DIFFERENT] = IFL_STYLE_BAD,
    };
    const ifl_output_sides sides = ifl_outputs_sides(outputs);
    if (!outputs->rule)
        return;
    ifl_page_heading(page,
                     ifl_arena_printf(&page->arena, "Results against the %s's", sides.reference));
    ifl_page_paragraph(page, INDENT, 2 * INDENT, IFL_STYLE_DIM, outputs->rule);
    for (size_t i = 0; i < outputs->list.count; i++) {
        const ifl_compared_output *o = &outputs->list.at[i];
        ifl_page_paragraph(page, INDENT, 2 * INDENT, styles[o->verdict],
                           ifl_arena_printf(&page->arena, "%s: %s", buffer_text(page, o),
                                            ifl_output_verdict_text(o->verdict)));
        print_difference(page, sides, o);
    }
}

void ifl_gpu_part_print(ifl_page *page, const ifl_profile *profile)
{
    if (!profile->gpu.known)
        return;
    print_gpu(page, &profile->gpu);
    print_times(page, &profile->timing);
    ifl_outputs_print(page, &profile->outputs);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

json_t *ifl_gpu_part_gpu_json(ifl_tree *tree, const ifl_profile *profile)
{
    const ifl_gpu_facts *g = &profile->gpu;
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "name", g->name);
    ifl_tree_put_count(tree, object, "sm", g->sm);
    ifl_tree_put_text(tree, object, "driver", g->driver);
    ifl_tree_put_text(tree, object, "code", g->code);
    ifl_tree_put_count(tree, object, "registers", g->registers);
    ifl_tree_put_count(tree, object, "local_bytes", g->local_bytes);
    ifl_tree_put_count(tree, object, "static_shared_bytes", g->static_shared_bytes);
    if (g->blocks_per_sm)
        ifl_tree_put_count(tree, object, "blocks_per_sm", g->blocks_per_sm);
    return object;
}

json_t *ifl_gpu_part_timing_json(ifl_tree *tree, const ifl_profile *profile)
{
    const ifl_times *t = &profile->timing;
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "between", t->between);
    ifl_tree_put_text(tree, object, "method", t->method);
    ifl_tree_put_flag(tree, object, "floor_subtracted", t->floor_subtracted);
    for (int i = 0; i < IFL_TIMING_COUNT; i++)
        if (t->known[i])
            ifl_tree_put_real(tree, object, ifl_times_get((ifl_times_field)i)->name, t->value[i]);
    return object;
}

static json_t *output_json(ifl_tree *tree, ifl_output_sides sides, const ifl_compared_output *o)
{
    json_t *object = json_object();
    if (o->argument != IFL_NO_ARGUMENT)
        ifl_tree_put_count(tree, object, "argument", o->argument);
    else
        ifl_tree_put_text(tree, object, "memory", o->text);
    ifl_tree_put_text(tree, object, "verdict", ifl_output_verdict_text(o->verdict));
    ifl_tree_put_count(tree, object, "elements", o->elements);
    ifl_tree_put_count(tree, object, "different", o->different);
    if (!o->different)
        return object;
    if (o->largest > 0)
        ifl_tree_put_real(tree, object, "largest", o->largest);
    ifl_tree_put_real(tree, object, "tolerance", o->tolerance);
    ifl_tree_put_count(tree, object, "element", o->worst_at);
    ifl_tree_put_text(tree, object, sides.reference_key, o->worst_reference);
    ifl_tree_put_text(tree, object, sides.own_key, o->worst_own);
    return object;
}

json_t *ifl_gpu_part_outputs_json(ifl_tree *tree, const ifl_profile *profile)
{
    json_t *object = json_object(), *list = json_array();
    ifl_tree_put_text(tree, object, "rule", profile->outputs.rule);
    for (size_t i = 0; i < profile->outputs.list.count; i++)
        ifl_tree_append(
            tree, list,
            output_json(tree, ifl_outputs_sides(&profile->outputs), &profile->outputs.list.at[i]));
    ifl_tree_put(tree, object, "arguments", list);
    return object;
}
