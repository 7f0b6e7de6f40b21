/* SPDX-License-Identifier: Apache-2.0
 * Remedies, those with the most gain first. */
#include "report/advice_part.h"

#include "base/figure.h"

#include <math.h>
#include <string.h>

enum { INDENT = 2, MOST_SHOWN = 5 };

/* ---- text ------------------------------------------------------------------------------------ */

static void say(ifl_page *page, int first, int rest, ifl_style style, const char *text)
{
    page->no_memory |= !text;
    ifl_page_paragraph(page, first, rest, style, text ? text : "");
}

/* Three figures: 1.81, 18.9, 127. */
static const char *factor(ifl_page *page, double gain)
{
    return ifl_arena_printf(&page->arena, "%.*f", gain < 9.995 ? 2 : gain < 99.95 ? 1 : 0, gain);
}

const char *ifl_advice_gain(ifl_page *page, const ifl_advice *a)
{
    const char *low = factor(page, a->gain_low), *high = factor(page, a->gain_high);
    const char *more = a->gain_is_open ? " or more" : "";
    if (!low || !high)
        return NULL;
    return a->gain_high - a->gain_low < 0.05
               ? ifl_arena_printf(&page->arena, "%s×%s", high, more)
               : ifl_arena_printf(&page->arena, "%s to %s×%s", low, high, more);
}

static void print_one(ifl_page *page, size_t index, const ifl_advice *a)
{
    const char *gain = ifl_advice_gain(page, a),
               *place = a->file ? ifl_place_name(&page->arena, a->file, a->line) : "";
    if (!gain || !place) {
        page->no_memory = true;
        return;
    }
    say(page, INDENT, INDENT + 3, IFL_STYLE_STRONG,
        ifl_arena_printf(&page->arena, "%zu. %s: %s", index, gain, a->remedy));
    say(page, INDENT + 3, INDENT + 3, IFL_STYLE_PLAIN,
        ifl_arena_printf(&page->arena, "%s%s%s. Costs: %s. (%s%s%s)", place, *place ? ": " : "",
                         a->symptom, a->cost, a->rule, *a->document ? "; " : "", a->document));
}

static void print_gpu(ifl_page *page, const ifl_outcome_gpu *gpu)
{
    const char *id = gpu->device->id;
    const size_t count = gpu->advice.list.count, shown = count < MOST_SHOWN ? count : MOST_SHOWN;
    say(page, INDENT, INDENT, IFL_STYLE_PLAIN,
        count ? ifl_arena_printf(&page->arena, "%s:", id)
              : ifl_arena_printf(&page->arena, "%s: no known remedy would gain 5 %%.", id));
    for (size_t i = 0; i < shown; i++)
        print_one(page, i + 1, &gpu->advice.list.at[i]);
    if (count > shown)
        say(page, INDENT, INDENT, IFL_STYLE_DIM,
            ifl_arena_printf(&page->arena, "and %zu more with smaller gains", count - shown));
}

void ifl_advice_part_print(ifl_page *page, const ifl_outcome *outcome)
{
    bool has_heading = false;
    for (size_t i = 0; i < outcome->gpus.count; i++) {
        const ifl_outcome_gpu *gpu = &outcome->gpus.at[i];
        if (!gpu->has_model || ifl_profile_is_debug(outcome->profile)) /* as the page says */
            continue;
        if (!has_heading)
            ifl_page_heading(page, "What would help, with the predicted speedup (inflight advice)");
        has_heading = true;
        print_gpu(page, gpu);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *advice_of(ifl_tree *tree, const ifl_device *device, const ifl_advice *a)
{
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "gpu", device->id);
    ifl_tree_put_text(tree, object, "rule", a->rule);
    ifl_tree_put_real(tree, object, "gain_low", a->gain_low);
    ifl_tree_put_real(tree, object, "gain_high", a->gain_high);
    ifl_tree_put_real(tree, object, "gain", a->gain);
    if (a->gain_is_open)
        ifl_tree_put_flag(tree, object, "gain_is_open", true);
    ifl_tree_put_text(tree, object, "text", a->remedy);
    ifl_tree_put_text(tree, object, "symptom", a->symptom);
    ifl_tree_put_text(tree, object, "cost", a->cost);
    ifl_tree_put_text(tree, object, "document", a->document);
    if (a->file) {
        ifl_tree_put_text(tree, object, "file", a->file);
        ifl_tree_put_count(tree, object, "line", a->line);
    }
    return object;
}

json_t *ifl_advice_part_json(ifl_tree *tree, const ifl_outcome *outcome)
{
    json_t *array = json_array();
    for (size_t g = 0; g < outcome->gpus.count; g++) {
        const ifl_outcome_gpu *gpu = &outcome->gpus.at[g];
        for (size_t i = 0; i < gpu->advice.list.count; i++)
            ifl_tree_append(tree, array, advice_of(tree, gpu->device, &gpu->advice.list.at[i]));
    }
    return array;
}
