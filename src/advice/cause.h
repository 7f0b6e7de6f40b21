/* SPDX-License-Identifier: Apache-2.0
 * The rows of remedy.def as values: causes that stand out, remedies, and which treats which. */
#ifndef IFL_ADVICE_CAUSE_H
#define IFL_ADVICE_CAUSE_H

#include "base/arena.h"

typedef enum ifl_cause {
#define CAUSE(name, why, helps) IFL_CAUSE_##name,
#include "advice/remedy.def"
    IFL_CAUSES
} ifl_cause;

typedef struct ifl_cause_row {
    const char *name, *why, *helps;
} ifl_cause_row;

typedef enum ifl_rule {
#define REMEDY(name, ...) IFL_RULE_##name,
#include "advice/remedy.def"
    IFL_RULES
} ifl_rule;

typedef struct ifl_rule_row {
    const char *name, *document, *symptom, *remedy, *cost, *effect;
    unsigned treats; /* bits 1 << ifl_cause */
} ifl_rule_row;

/* What it gained on a GPU. */
typedef struct ifl_gained {
    ifl_rule rule;
    const char *gpu;
    double times;
    const char *folder, *kernel;
} ifl_gained;

const ifl_cause_row *ifl_cause_get(ifl_cause cause);
const ifl_rule_row *ifl_rule_get(ifl_rule rule);
const ifl_gained *ifl_gained_get(size_t index); /* NULL past the last */

/* The names of the remedies that treat it, ended by NULL, in the arena; NULL without memory. */
const char *const *ifl_cause_remedies(ifl_arena *arena, ifl_cause cause);

#endif
