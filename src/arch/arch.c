/* SPDX-License-Identifier: Apache-2.0
 * Finds the facts of a compute capability in fact.def. */
#include "arch/arch.h"

#include <stdbool.h>

static const struct {
    const char *name, *unit, *doc;
} facts[] = {
#define FACT(name, unit, doc) {#name, unit, doc},
#include "arch/fact.def"
};

/* A fact's place in ifl_arch and in `facts`. */
enum {
#define FACT(name, unit, doc) FACT_##name,
#include "arch/fact.def"
    FACTS
};

static const struct {
    size_t fact;
    double since, value;
    const char *source;
} rows[] = {
#define SINCE(name, since, value, source) {FACT_##name, since, value, source},
#include "arch/fact.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

ifl_arch ifl_arch_of(double compute_capability)
{
    union {
        ifl_arch named;
        double value[FACTS];
    } found = {.value = {0}};
    _Static_assert(sizeof found.named == sizeof found.value, "ifl_arch holds nothing but facts");
    bool seen[FACTS] = {false};
    for (size_t i = 0; i < ROWS; i++) {
        if (seen[rows[i].fact] && rows[i].since > compute_capability)
            continue;
        found.value[rows[i].fact] = rows[i].value;
        seen[rows[i].fact] = true;
    }
    return found.named;
}

bool ifl_arch_row_at(size_t index, ifl_arch_row *out)
{
    if (index >= ROWS)
        return false;
    *out = (ifl_arch_row){facts[rows[index].fact].name,
                          facts[rows[index].fact].unit,
                          facts[rows[index].fact].doc,
                          rows[index].since,
                          rows[index].value,
                          rows[index].source};
    return true;
}

bool ifl_arch_fact_at(size_t index, double compute_capability, ifl_arch_row *out)
{
    bool seen = false;
    for (size_t i = 0; i < ROWS && index < FACTS; i++) {
        if (rows[i].fact != index || (seen && rows[i].since > compute_capability))
            continue;
        seen = ifl_arch_row_at(i, out);
    }
    return seen;
}
