/* SPDX-License-Identifier: Apache-2.0
 * The constants of the model's form as values, and docs/facts.md, which shows them beside the facts
 * of compute capabilities. */
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
    "Made from `src/arch/fact.def` and `src/model/constant.def`. What is one GPU's own stands in "
    "`devices/`, with its\n"
    "source: `inflight devices NAME`. [model.md](model.md) says how they are used.\n"
    "\n"
    "## What a compute capability fixes\n"
    "\n"
    "A value holds from the compute capability on that stands beside it. What was fitted on one "
    "GPU is taken for all.\n"
    "\n"
    "| fact | from | value | unit | what it is | source |\n"
    "|---|---|---|---|---|---|\n";

static const char constants_head[] =
    "\n## The form of the model\n\n"
    "| constant | value | unit | what it is and where it comes from |\n"
    "|---|---|---|---|\n";

void ifl_facts_document(FILE *out)
{
    ifl_arch_row row;
    fputs(introduction, out);
    for (size_t i = 0; ifl_arch_row_at(i, &row); i++)
        fprintf(out, "| `%s` | %.1f | %g | %s | %s | %s |\n", row.name, row.since, row.value,
                row.unit, row.doc, row.source);
    fputs(constants_head, out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(out, "| `%s` | %g | %s | %s |\n", rows[i].name, rows[i].value, rows[i].unit,
                rows[i].doc);
}
