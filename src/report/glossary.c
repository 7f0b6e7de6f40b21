/* SPDX-License-Identifier: Apache-2.0
 * What one word of a report means: from the glossary, or from the table that the word comes
 * from. */
#include "advice/cause.h"
#include "base/error.h"
#include "profile/profile.h"
#include "profile/time_facts.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *spellings, *meaning;
} words[] = {
#define WORD(spellings, meaning) {spellings, meaning},
#include "report/glossary.def"
};

/* Letters compare without their case, and blanks do not count: the heads of columns have two lines. */
static bool is_same(const char *word, const char *spelling, size_t bytes)
{
    const char *end = spelling + bytes;
    while (true) {
        word += strspn(word, " ");
        while (spelling < end && *spelling == ' ')
            spelling++;
        if (!*word || spelling == end)
            return !*word && spelling == end;
        if (tolower((unsigned char)*word++) != tolower((unsigned char)*spelling++))
            return false;
    }
}

static const char *of_glossary(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *at = words[i].spellings; *at; at += *at == '|') {
            const size_t bytes = strcspn(at, "|");
            if (is_same(word, at, bytes))
                return words[i].meaning;
            at += bytes;
        }
    return NULL;
}

static const char *of_stalls(const char *word)
{
    for (int s = 0; s < IFL_STALLS; s++)
        if (is_same(word, ifl_stall_name((ifl_stall)s), strlen(ifl_stall_name((ifl_stall)s))))
            return ifl_stall_text((ifl_stall)s);
    return NULL;
}

static const ifl_counter_info *of_counters(const char *word)
{
    for (int c = 0; c < IFL_COUNTER_COUNT; c++)
        if (strcmp(ifl_counter_get((ifl_counter)c)->name, word) == 0)
            return ifl_counter_get((ifl_counter)c);
    return NULL;
}

static const ifl_cause_row *of_causes(const char *word)
{
    for (int c = 0; c < IFL_CAUSES; c++)
        if (strcmp(ifl_cause_get((ifl_cause)c)->name, word) == 0)
            return ifl_cause_get((ifl_cause)c);
    return NULL;
}

static const ifl_rule_row *of_rules(const char *word)
{
    for (int r = 0; r < IFL_RULES; r++)
        if (strcmp(ifl_rule_get((ifl_rule)r)->name, word) == 0)
            return ifl_rule_get((ifl_rule)r);
    return NULL;
}

ifl_status ifl_explain(const char *word, FILE *out, ifl_error *error)
{
    const char *meaning = of_glossary(word), *stall = of_stalls(word);
    const ifl_counter_info *counter = of_counters(word);
    const ifl_cause_row *cause = of_causes(word);
    const ifl_rule_row *rule = of_rules(word);
    if (meaning)
        fprintf(out, "%s: %s.\n", word, meaning);
    if (stall)
        fprintf(out, "%s: a stall reason of Nsight Compute. The warp waits for %s.\n", word, stall);
    if (counter)
        fprintf(out, "%s: a counter, in %s. It counts %s.\n", word, counter->unit, counter->doc);
    if (cause && *cause->why)
        fprintf(out, "%s: a finding. %s Usually helps: %s\n", word, cause->why, cause->helps);
    if (rule)
        fprintf(out, "%s: a remedy: %s.\nSymptom: %s.\nCosts: %s.\n", word, rule->remedy,
                rule->symptom, rule->cost);
    return meaning || stall || counter || cause || rule
               ? IFL_OK
               : ifl_fail(error, IFL_USAGE, "no report has the word '%.100s'", word);
}
