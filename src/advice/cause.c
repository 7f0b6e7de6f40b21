/* SPDX-License-Identifier: Apache-2.0
 * The rows of remedy.def as tables. */
#include "advice/cause.h"

static const ifl_cause_row causes[IFL_CAUSES] = {
#define CAUSE(name, why, helps) [IFL_CAUSE_##name] = {#name, why, helps},
#include "advice/remedy.def"
};

#define C(cause) (1u << IFL_CAUSE_##cause)
static const ifl_rule_row rules[IFL_RULES] = {
#define REMEDY(name, document, treats, symptom, remedy, cost, effect)                              \
    [IFL_RULE_##name] = {#name, document, symptom, remedy, cost, effect, treats},
#include "advice/remedy.def"
};
_Static_assert(IFL_CAUSES <= 32, "each cause has a bit");

static const ifl_gained gained[] = {
#define GAINED(name, gpu, times, folder, kernel) {IFL_RULE_##name, gpu, times, folder, kernel},
#include "advice/gained.def"
};

const ifl_cause_row *ifl_cause_get(ifl_cause cause)
{
    return &causes[cause];
}

const ifl_rule_row *ifl_rule_get(ifl_rule rule)
{
    return &rules[rule];
}

const ifl_gained *ifl_gained_get(size_t index)
{
    return index < sizeof gained / sizeof *gained ? &gained[index] : NULL;
}

const char *const *ifl_cause_remedies(ifl_arena *arena, ifl_cause cause)
{
    const char **names = ifl_arena_alloc(arena, (IFL_RULES + 1) * sizeof *names);
    size_t count = 0;
    for (int r = 0; names && r < IFL_RULES; r++)
        if (rules[r].treats >> cause & 1)
            names[count++] = rules[r].name;
    if (names)
        names[count] = NULL;
    return names;
}
