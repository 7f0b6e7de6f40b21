/* SPDX-License-Identifier: Apache-2.0
 * Asks every rule, runs the model again with what the remedy changes, and ranks by gain. */
#include "advice/advice.h"

#include "advice/cause.h"
#include "advice/situation.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ifl_rule_function *const functions[IFL_RULES] = {
#define REMEDY(name, ...) [IFL_RULE_##name] = ifl_rule_##name,
#include "advice/remedy.def"
};

static const double least_gain = 1.05; /* what gives less is within the model's noise */

bool ifl_advice_is_free(const ifl_advice *advice)
{
    return strcmp(advice->cost, "none") == 0;
}

static double blocks_per_sm(const ifl_situation *s)
{
    return s->model.occupancy.blocks_per_sm;
}

static double seconds_of(const ifl_situation *s, const ifl_work *work, double blocks)
{
    ifl_timing timing;
    ifl_timing_find(&s->rates, work, blocks, &timing);
    return timing.total;
}

static ifl_situation situation_of(const ifl_profile *profile, const ifl_device *device,
                                  const ifl_modelled *modelled, ifl_arena *arena)
{
    const double idle = 0.85, near = 0.5;
    ifl_situation s = {.profile = profile,
                       .device = device,
                       .arena = arena,
                       .modelled = modelled,
                       .model = modelled->model,
                       .rates = modelled->rates,
                       .work = modelled->work};
    const double total = seconds_of(&s, &s.work, blocks_per_sm(&s));
    s.warps = s.work.blocks * s.work.warps_per_block;
    s.busy = s.work.dram_bytes / total / s.rates.dram_bytes_per_s[s.work.writes];
    s.waits = s.busy < idle && s.model.term_us[IFL_TERM_LATENCY] > near * total * 1e6;
    return s;
}

/* What the rule changes with `share` of its effect; false: it does not apply. */
static bool ask(const ifl_situation *s, ifl_rule rule, double share, ifl_remedy *to)
{
    *to = (ifl_remedy){.share = share, .work = s->work, .blocks_per_sm = blocks_per_sm(s)};
    return functions[rule](s, to);
}

typedef struct gains {
    double half, all;
} gains;

/* Changes are whole for the schedule: what half of the effect is of all of it, the formula says. */
static gains gains_of(const ifl_situation *s, const ifl_remedy *half, const ifl_remedy *all,
                      double seconds)
{
    const double even = 0.5, now = s->model.time_us.mid * 1e-6, gain = now / seconds;
    const double formula_now = seconds_of(s, &s->work, blocks_per_sm(s)),
                 formula_half = formula_now / seconds_of(s, &half->work, half->blocks_per_sm),
                 formula_all = formula_now / seconds_of(s, &all->work, all->blocks_per_sm);
    const double part = formula_half > 1 && formula_all > formula_half
                            ? log(formula_half) / log(formula_all)
                            : even;
    return (gains){pow(gain, part), gain};
}

/* A rule that applies. */
typedef struct applied {
    ifl_rule rule;
    ifl_remedy half, all;
} applied;

static size_t ask_all(const ifl_situation *s, applied *to)
{
    size_t count = 0;
    for (ifl_rule rule = 0; rule < IFL_RULES; rule++) {
        to[count].rule = rule;
        count += ask(s, rule, 1, &to[count].all) && ask(s, rule, 0.5, &to[count].half);
    }
    return count;
}

static ifl_status advise(const ifl_situation *s, const applied *one, double seconds,
                         ifl_advices *out, ifl_error *error)
{
    const ifl_rule_row *row = ifl_rule_get(one->rule);
    const ifl_remedy *all = &one->all;
    const gains g = gains_of(s, &one->half, all, seconds);
    if (!(g.all >= 1) || g.all * g.half < 1) /* what would rather lose is no advice */
        return IFL_OK;
    const ifl_advice advice = {
        .rule = row->name,
        .remedy = all->remedy ? all->remedy : row->remedy,
        .symptom = all->symptom,
        .cost = row->cost,
        .document = row->document,
        .file = all->line ? all->line->file : NULL,
        .line = all->line ? all->line->line : 0,
        .gain_low = fmin(g.half, g.all),
        .gain_high = fmax(g.half, g.all),
        .gain = g.all,
        .gain_is_open = all->change.at_least,
    };
    if (g.all < least_gain && !ifl_advice_is_free(&advice))
        return IFL_OK;
    if (!advice.symptom || !ifl_vec_push(&out->list, advice))
        return ifl_fail_memory(error, sizeof advice);
    return IFL_OK;
}

static ifl_status advise_all(const ifl_situation *s, ifl_advices *out, ifl_error *error)
{
    static_assert((int)IFL_RULES <= (int)IFL_WHAT_IFS, "each rule asks what if, once");
    applied *rules = malloc(IFL_RULES * sizeof *rules);
    ifl_what_if_work *with = malloc(IFL_RULES * sizeof *with);
    double seconds[IFL_RULES];
    ifl_status status = rules && with ? IFL_OK : ifl_fail_memory(error, IFL_RULES * sizeof *rules);
    const size_t count = status == IFL_OK ? ask_all(s, rules) : 0;
    for (size_t i = 0; i < count; i++)
        with[i] =
            (ifl_what_if_work){rules[i].all.work, rules[i].all.blocks_per_sm, rules[i].all.change};
    if (count)
        ifl_model_seconds_with(s->profile, s->device, s->modelled, with, count, seconds);
    for (size_t i = 0; i < count && status == IFL_OK; i++)
        status = advise(s, &rules[i], seconds[i], out, error);
    free(rules);
    free(with);
    return status;
}

static double middle(const ifl_advice *a)
{
    return sqrt(a->gain_low * a->gain_high);
}

/* The most gain first, by the middle of its range: a remedy that may give much or little does not stand before one that
 * is sure to give nearly as much. Equal ones stay in the order of the table. */
static void rank(ifl_advices *advices)
{
    ifl_advice *at = advices->list.at;
    for (size_t i = 1; i < advices->list.count; i++) {
        const ifl_advice moved = at[i];
        size_t to = i;
        for (; to > 0 && middle(&at[to - 1]) < middle(&moved); to--)
            at[to] = at[to - 1];
        at[to] = moved;
    }
}

/* A gain is a time over another: it may be off as far as they are. What is said to gain is not said to lose for that. */
static void allow_for_error(ifl_advices *advices, const ifl_estimate *time)
{
    const double off = time->high / time->mid;
    for (size_t i = 0; i < advices->list.count; i++) {
        ifl_advice *a = &advices->list.at[i];
        const double least = fmin(a->gain_low, 1);
        a->gain_low = fmax(fmin(a->gain_low, a->gain_high / off), least);
        a->gain_high *= off;
    }
}

ifl_status ifl_advice_find(const ifl_profile *profile, const ifl_device *device,
                           const ifl_modelled *modelled, ifl_arena *arena, ifl_advices *out,
                           ifl_error *error)
{
    const ifl_situation s = situation_of(profile, device, modelled, arena);
    *out = (ifl_advices){0};
    if (ifl_profile_is_debug(profile))
        return IFL_OK; /* what would help is to compile it for use: the report says so */
    const ifl_status status = advise_all(&s, out, error);
    if (status == IFL_OK) {
        rank(out);
        allow_for_error(out, &s.model.time_us);
    } else {
        ifl_advice_free(out);
    }
    return status;
}

void ifl_advice_free(ifl_advices *advices)
{
    ifl_vec_free(&advices->list);
}

/* ---- docs/advice.md -------------------------------------------------------------------------- */

static const char introduction[] =
    "# Advice\n\n"
    "Made from `src/advice/remedy.def` by `inflight advice`.\n\n"
    "## What stands out\n\n"
    "A *cause* shows in the counts of requests alone, on any GPU. A report lists the places under\n"
    "\"What stands out in the requests\"; its JSON has them in `findings`. The model says which of "
    "the\n"
    "remedies that treat a cause gain anything on a GPU. Sources are named by title\n"
    "([Sources](sources.md)).\n";

static const char remedies_head[] =
    "\n## Remedies\n\n"
    "A rule looks for a symptom in the profile and the model of a GPU. The model is then run "
    "again\n"
    "with half of the remedy's effect and with all of it: where an SM was followed, its schedule, "
    "with\n"
    "the traces changed ([The model](model.md), \"What-ifs by the schedule\"), else the formula. "
    "These\n"
    "are the ends of the range that a report shows, widened by as much as the predicted time may "
    "be\n"
    "off. `or more` stands behind gains of which a compiler may make more than the model knows:\n"
    "loads that can move ahead, arrays that need no filling, sums that fuse with products. "
    "Remedies that gain\n"
    "less than %.0f %% are not shown, unless they cost nothing, and the "
    "others are ranked by the middle of their range. Gains\n"
    "cannot be added up, since most remedies reduce the same waiting or "
    "the same bytes.\n";

static void print_cause(FILE *out, ifl_cause cause)
{
    const ifl_cause_row *row = ifl_cause_get(cause);
    fprintf(out, "\n### %s\n\n", row->name);
    if (*row->why)
        fprintf(out, "- Why: %s\n- Usually helps: %s\n", row->why, row->helps);
    else
        fputs("- More data moves than is needed; the addresses do not show why.\n", out);
    const char *separator = "- Remedies below: ";
    for (ifl_rule r = 0; r < IFL_RULES; r++) {
        if (!(ifl_rule_get(r)->treats >> cause & 1))
            continue;
        fprintf(out, "%s%s", separator, ifl_rule_get(r)->name);
        separator = ", ";
    }
    fputs(*separator == ',' ? ".\n" : "", out);
}

static void print_gained(FILE *out, ifl_rule rule)
{
    const char *separator = "- Measured: ";
    const ifl_gained *g;
    for (size_t i = 0; (g = ifl_gained_get(i)); i++) {
        if (g->rule != rule)
            continue;
        fprintf(out, "%s%.*f times on an %s (`%s`: %s)", separator,
                g->times < 10 ? 2 : g->times < 100, g->times, g->gpu, g->folder, g->kernel);
        separator = "; ";
    }
    fputs(*separator == ';' ? ".\n" : "- Measured: nowhere yet.\n", out);
}

static void print_remedy(FILE *out, ifl_rule rule)
{
    const ifl_rule_row *row = ifl_rule_get(rule);
    fprintf(out,
            "\n### %s\n\n- Symptom: %s.\n- Remedy: %s.\n- Cost: %s.\n- In the model: %s.\n"
            "- Source: %s.\n",
            row->name, row->symptom, row->remedy, row->cost, row->effect,
            *row->document ? row->document : "none; common practice");
    print_gained(out, rule);
}

void ifl_advice_document(FILE *out)
{
    fputs(introduction, out);
    for (ifl_cause cause = 0; cause < IFL_CAUSES; cause++)
        print_cause(out, cause);
    fprintf(out, remedies_head, 100 * (least_gain - 1));
    for (ifl_rule rule = 0; rule < IFL_RULES; rule++)
        print_remedy(out, rule);
}
