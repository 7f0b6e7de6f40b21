/* SPDX-License-Identifier: Apache-2.0
 * Asks every rule, runs the model again with what the remedy changes, and ranks by gain. */
#include "advice/advice.h"

#include "advice/situation.h"

#include <stdlib.h>

static const struct rule {
    const char *name, *document, *symptom, *remedy, *cost, *effect;
    ifl_rule_function *applies;
} rules[] = {
#define ADVICE(name, document, symptom, remedy, cost, effect)                                      \
    {#name, document, symptom, remedy, cost, effect, ifl_rule_##name},
#include "advice/advice.def"
#undef ADVICE
};
enum { RULES = sizeof rules / sizeof *rules };

static const double least_gain = 1.05; /* what gives less is within the model's noise */

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

static ifl_status look(const ifl_profile *profile, const ifl_device *device, ifl_arena *arena,
                       ifl_situation *s, ifl_error *error)
{
    const double idle = 0.85, near = 0.5;
    *s = (ifl_situation){.profile = profile, .device = device, .arena = arena};
    ifl_status status = ifl_profile_model(profile, device, &s->model, error);
    if (status != IFL_OK)
        return status;
    ifl_rates_find(device, &s->rates);
    status = ifl_work_find(profile, device, &s->rates, &s->work, error);
    if (status != IFL_OK)
        return status;
    const double total = seconds_of(s, &s->work, blocks_per_sm(s));
    s->warps = s->work.blocks * s->work.warps_per_block;
    s->busy = s->work.dram_bytes / total / s->rates.dram_bytes_per_s[s->work.writes];
    s->waits = s->busy < idle && s->model.term_us[IFL_TERM_LATENCY] > near * total * 1e6;
    return IFL_OK;
}

/* Time now over time with `share` of the remedy's effect; 0: the rule does not apply. */
static double gain_of(const ifl_situation *s, const struct rule *rule, double share, ifl_remedy *to)
{
    *to = (ifl_remedy){.share = share, .work = s->work, .blocks_per_sm = blocks_per_sm(s)};
    if (!rule->applies(s, to))
        return 0;
    return seconds_of(s, &s->work, blocks_per_sm(s)) / seconds_of(s, &to->work, to->blocks_per_sm);
}

static ifl_status try_rule(const ifl_situation *s, const struct rule *rule, ifl_advices *out,
                           ifl_error *error)
{
    ifl_remedy half, all;
    const double high = gain_of(s, rule, 1, &all), low = gain_of(s, rule, 0.5, &half);
    if (!(high >= least_gain) || low * high < 1) /* what would rather lose is no advice */
        return IFL_OK;
    const ifl_advice advice = {
        .rule = rule->name,
        .remedy = all.remedy ? all.remedy : rule->remedy,
        .symptom = all.symptom,
        .cost = rule->cost,
        .document = rule->document,
        .line = all.line,
        .gain_low = low < high ? low : high,
        .gain_high = low < high ? high : low,
    };
    if (!advice.symptom || !ifl_vec_push(&out->list, advice))
        return ifl_fail_memory(error, sizeof advice);
    return IFL_OK;
}

/* Equal gains stand in the order of the table: pushed in that order, and told apart by their rules' names. */
static int compare(const void *a, const void *b)
{
    const ifl_advice *x = a, *y = b;
    if (x->gain_high != y->gain_high)
        return x->gain_high > y->gain_high ? -1 : 1;
    return x->rule < y->rule ? -1 : x->rule > y->rule;
}

ifl_status ifl_advice_find(const ifl_profile *profile, const ifl_device *device, ifl_arena *arena,
                           ifl_advices *out, ifl_error *error)
{
    ifl_situation s;
    *out = (ifl_advices){0};
    ifl_status status = look(profile, device, arena, &s, error);
    for (int r = 0; r < RULES && status == IFL_OK; r++)
        status = try_rule(&s, &rules[r], out, error);
    if (status == IFL_OK && out->list.count > 1)
        qsort(out->list.at, out->list.count, sizeof *out->list.at, compare);
    if (status != IFL_OK)
        ifl_advice_free(out);
    return status;
}

void ifl_advice_free(ifl_advices *advices)
{
    ifl_vec_free(&advices->list);
}

void ifl_advice_document(FILE *out)
{
    fprintf(out, "# Advice\n\n"
                 "Made from `src/advice/advice.def` by `inflight advice`. A rule looks for a symptom in the\n"
                 "profile and the model of a GPU; its remedy is put into the model, with half of its effect and with all of\n"
                 "it, and the model is run again: those are the two gains that a report shows. What gives less than %.0f %%\n"
                 "is not shown, and the remedies are ranked by what they give. They are not to be added up: most take\n"
                 "away from the same waiting or the same bytes.\n",
            100 * (least_gain - 1));
    for (int r = 0; r < RULES; r++)
        fprintf(out, "\n## %s\n\n- Symptom: %s.\n- Remedy: %s.\n- Cost: %s.\n- In the model: %s.\n- Document: %s.\n",
                rules[r].name, rules[r].symptom, rules[r].remedy, rules[r].cost, rules[r].effect,
                *rules[r].document ? rules[r].document : "none; common practice");
}
