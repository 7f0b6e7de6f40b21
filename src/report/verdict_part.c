/* SPDX-License-Identifier: Apache-2.0
 * What limits a kernel and what would help most, in two sentences a GPU. The tables further down
 * have the figures. */
#include "report/verdict_part.h"

#include "base/figure.h"
#include "profile/traffic.h"
#include "report/advice_part.h"
#include "report/models_part.h"
#include "report/stalls_part.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, MOST_GPUS = 4 };

static const char *const limits[IFL_TERM_COUNT] = {
    [IFL_TERM_DRAM] = "DRAM bandwidth",
    [IFL_TERM_L2] = "L2 bandwidth",
    [IFL_TERM_L1] = "L1 throughput (LSU)",
    [IFL_TERM_SHARED] = "shared memory throughput",
    [IFL_TERM_ATOMICS] = "atomics",
    [IFL_TERM_ISSUE] = "instruction issue",
    [IFL_TERM_ARITHMETIC] = "arithmetic",
    [IFL_TERM_TENSOR] = "tensor cores",
    [IFL_TERM_HOST] = "the bus to the host's memory",
    [IFL_TERM_LATENCY] = "latency: too few bytes are in flight",
    [IFL_TERM_LAUNCH] = "the launch itself",
    [IFL_TERM_TAIL] = "the last wave of blocks",
};

/* "latency: the grid has 4 blocks for 132 SMs": where most SMs have nothing to do, that is what
 * limits. A grid that is resident at once has no last wave, but SMs may have unequal shares. */
static const char *limit_text(ifl_page *page, const ifl_profile *profile,
                              const ifl_outcome_gpu *gpu)
{
    const uint64_t blocks = (uint64_t)profile->grid[0] * profile->grid[1] * profile->grid[2];
    const double sms = gpu->device->value[IFL_DEVICE_sms];
    if (gpu->model.limiter == IFL_TERM_TAIL && gpu->model.waves.waves <= 1)
        return "uneven work: some SMs take longer than the others";
    if (gpu->model.limiter != IFL_TERM_LATENCY)
        return limits[gpu->model.limiter];
    if (!((double)blocks < sms)) {
        /* Of kernels that load nothing: there is nothing that could be in flight. */
        const char *longest = ifl_stalls_part_longest(profile, gpu->device->id);
        if (ifl_traffic_off_chip(&profile->counters, IFL_ACCESS_LOAD).requests)
            return limits[IFL_TERM_LATENCY];
        return longest
                   ? ifl_arena_printf(&page->arena, "latency: a warp waits longest for %s", longest)
                   : "latency, but not of loads";
    }
    return ifl_arena_printf(&page->arena, "latency: the grid has %s block%s for %.0f SMs",
                            ifl_figure_count(blocks).text, blocks == 1 ? "" : "s", sms);
}

/* The first of the advices that cost something or gain 5 %, and the first of the others; NULL:
 * none. */
static const ifl_advice *pick(const ifl_advices *advice, bool is_small)
{
    const double small = 1.05;
    for (size_t i = 0; i < advice->list.count; i++) {
        const ifl_advice *a = &advice->list.at[i];
        if ((ifl_advice_is_free(a) && a->gain < small) == is_small)
            return a;
    }
    return NULL;
}

/* "pad the rows (pad_shared; 1.91×)" */
static const char *advice_text(ifl_page *page, const ifl_advice *a)
{
    const char *gain = ifl_advice_gain(page, a);
    return gain ? ifl_arena_printf(&page->arena, "%s (%s; %s)", a->remedy, a->rule, gain) : NULL;
}

static const char *help_text(ifl_page *page, const ifl_advices *advice)
{
    const ifl_advice *best = pick(advice, false), *small = pick(advice, true);
    const char *first = best ? advice_text(page, best) : "", *free_one = "";
    if (small)
        free_one = advice_text(page, small);
    if (!first || !free_one)
        return NULL;
    first = best ? ifl_arena_printf(&page->arena, "What would help most: %s.", first)
                 : "No known remedy would gain 5 %.";
    if (!small || !first)
        return first;
    return ifl_arena_printf(&page->arena, "%s At no cost: %s.", first, free_one);
}

static void print_gpu(ifl_page *page, const ifl_profile *profile, const ifl_outcome_gpu *gpu)
{
    const ifl_model *m = &gpu->model;
    const char *help = ifl_profile_is_debug(profile) ? "" : help_text(page, &gpu->advice);
    const char *limit = limit_text(page, profile, gpu);
    const ifl_figure time = ifl_figure_time(m->time_us.mid, IFL_PREDICTED_DIGITS);
    const char *text =
        ifl_arena_printf(&page->arena, "%s: %s, limited by %s.%s%s", gpu->device->name, time.text,
                         limit ? limit : "", help && *help ? " " : "", help ? help : "");
    page->no_memory |= !text || !help || !limit;
    ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_STRONG, text ? text : "");
}

static uint32_t number_of(const char *target)
{
    return target && strncmp(target, "sm_", 3) == 0 ? (uint32_t)strtoul(target + 3, NULL, 10) : 0;
}

/* Machine code of one architecture says little of what the compiler makes for another. PTX runs on its target and on what
 * came after it (PTX ISA, .target). */
static void print_other_code(ifl_page *page, const ifl_profile *profile, const ifl_device *device)
{
    const uint32_t runs = (uint32_t)(device->value[IFL_DEVICE_compute_capability] * 10 + 0.5);
    const char *text;
    if (profile->machine.ran && profile->machine.sm != runs)
        text = ifl_arena_printf(
            &page->arena,
            "The counts are those of machine code for sm_%u. %s has sm_%u, for which the compiler "
            "may generate different code.",
            profile->machine.sm, device->name, runs);
    else if (!profile->machine.ran && number_of(profile->target) > runs)
        text = ifl_arena_printf(&page->arena,
                                "The PTX is for %s and later and does not load on %s (sm_%u); "
                                "code compiled for sm_%u may differ.",
                                profile->target, device->name, runs, runs);
    else
        return;
    page->no_memory |= !text;
    ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_WARN, text ? text : "");
}

static void print_default(ifl_page *page, const ifl_profile *profile, const char *target)
{
    const char *code = profile->machine.ran
                           ? ifl_arena_printf(&page->arena, "sm_%u", profile->machine.sm)
                           : target;
    const char *text = ifl_arena_printf(
        &page->arena, "No --gpu was given: this is the most common data-centre GPU for %s.",
        code ? code : target);
    page->no_memory |= !text;
    ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_DIM, text ? text : "");
}

void ifl_verdict_part_print(ifl_page *page, const ifl_outcome *outcome, const char *default_for)
{
    size_t shown = 0, left = 0;
    for (size_t i = 0; i < outcome->gpus.count; i++)
        if (outcome->gpus.at[i].has_model && shown == MOST_GPUS) {
            left++;
        } else if (outcome->gpus.at[i].has_model) {
            print_gpu(page, outcome->profile, &outcome->gpus.at[i]);
            print_other_code(page, outcome->profile, outcome->gpus.at[i].device);
            shown++;
        }
    if (left)
        ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_DIM,
                           ifl_arena_printf(&page->arena, "%s in the table below.",
                                            ifl_figure_counted(left, "more GPU").text));
    /* Such code keeps its variables in local memory and reloads them at each use. */
    static const char text[] = "The kernel was compiled for a debugger (-G), without "
                               "optimizations: its counts and times say little "
                               "of a release build. Compile with -lineinfo instead.";
    if (ifl_profile_is_debug(outcome->profile))
        ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_WARN, text);
    if (shown && default_for)
        print_default(page, outcome->profile, default_for);
}
