/* SPDX-License-Identifier: Apache-2.0
 * The constants of the model's form as values, and docs/facts.md, which shows them beside the facts
 * of compute capabilities. */
#include "base/figure.h"
#include "model/model.h"

const ifl_model_values ifl_model_constants = {
#define CONSTANT(name, value, unit, doc) .name = (value),
#include "model/constant.def"
#undef CONSTANT
};

static const struct {
    const char *name;
    double value;
    const char *unit, *doc;
} rows[] = {
#define CONSTANT(name, value, unit, doc) {#name, value, unit, doc},
#include "model/constant.def"
#undef CONSTANT
};

static const char introduction[] =
    "# Facts and constants of the model\n"
    "\n"
    "Made from `src/arch/fact.def`, `src/model/constant.def` and `src/model/range.def`. Figures of "
    "a single GPU are in "
    "`devices/`, with their\n"
    "source: `inflight devices NAME`. [The model](model.md) says how all of them are used.\n"
    "What was chosen for the form of the schedule of an SM is in `src/time/sm_constant.def`.\n"
    "\n"
    "## What a compute capability fixes\n"
    "\n"
    "A value applies from the compute capability beside it on. Values that were fitted on one GPU "
    "are used for all.\n"
    "\n"
    "| fact | from | value | unit | what it is | source |\n"
    "|---|---|---|---|---|---|\n";

static const char constants_head[] =
    "\n## The form of the model\n\n"
    "| constant | value | unit | what it is and where it comes from |\n"
    "|---|---|---|---|\n";

static const char ranges_head[] =
    "\n## How far off a time may be\n\n"
    "Nine in ten of the measured times are between these multiples of the predicted ones.\n\n"
    "| times | from | to | of which launches |\n"
    "|---|---|---|---|\n";

/* 0.66, 290, 8,000,000,000 */
static ifl_figure value_text(double value)
{
    ifl_figure text;
    if (value >= 1000 && value < 1e19)
        return ifl_figure_count((uint64_t)value);
    snprintf(text.text, sizeof text.text, "%g", value);
    return text;
}

void ifl_facts_document(FILE *out)
{
    ifl_arch_row row;
    fputs(introduction, out);
    for (size_t i = 0; ifl_arch_row_at(i, &row); i++)
        fprintf(out, "| `%s` | %.1f | %s | %s | %s | %s |\n", row.name, row.since,
                value_text(row.value).text, row.unit, row.doc, row.source);
    fputs(constants_head, out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(out, "| `%s` | %s | %s | %s |\n", rows[i].name, value_text(rows[i].value).text,
                rows[i].unit, rows[i].doc);
    fputs(ranges_head, out);
    for (size_t i = 0; i < ifl_range_count; i++)
        fprintf(out, "| `%s` | %s | %s | %s |\n", ifl_ranges[i].name,
                value_text(ifl_ranges[i].range.low).text, value_text(ifl_ranges[i].range.high).text,
                ifl_ranges[i].doc);
}
