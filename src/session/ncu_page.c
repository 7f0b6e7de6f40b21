/* SPDX-License-Identifier: Apache-2.0
 * Reads Nsight Compute's raw page as CSV: a row of names, a row of units, a row a launch. */
#include "session/ncu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 512 };

bool ifl_ncu_can_fill(ifl_counter counter)
{
    static const char source_page[] = "memory_";
    const char *name = ifl_counter_get(counter)->ncu;
    if (!*name || strncmp(name, source_page, sizeof source_page - 1) == 0)
        return false;
    for (ifl_counter i = 0; i < IFL_COUNTER_COUNT; i++)
        if (i != counter && strcmp(ifl_counter_get(i)->ncu, name) == 0)
            return false;
    return true;
}

typedef struct field {
    const char *at;
    size_t length;
} field;

/* The fields of a line, quoted or not; a quote inside a quoted field is doubled, and stays so.
 * Fields past the last that is kept are dropped. */
static size_t split(const char *line, size_t length, field fields[MOST_COLUMNS])
{
    size_t count = 0, at = 0;
    while (at <= length && count < MOST_COLUMNS) {
        const bool quoted = at < length && line[at] == '"';
        const size_t start = at + quoted;
        for (at = start; at < length; at++) {
            if (quoted && line[at] == '"' && at + 1 < length && line[at + 1] == '"')
                at++;
            else if (line[at] == (quoted ? '"' : ','))
                break;
        }
        fields[count++] = (field){line + start, (at < length ? at : length) - start};
        while (at < length && line[at] != ',')
            at++;
        at++;
    }
    return count;
}

static ifl_counter counter_of(field name)
{
    for (ifl_counter i = 0; i < IFL_COUNTER_COUNT; i++) {
        const char *ncu = ifl_counter_get(i)->ncu;
        if (strlen(ncu) == name.length && memcmp(ncu, name.at, name.length) == 0 &&
            ifl_ncu_can_fill(i))
            return i;
    }
    return IFL_COUNTER_COUNT;
}

/* "19,922,944", "4,352 (1; 2)": the sum stands first. An empty field or "n/a" is not known. */
static bool take_value(field from, ifl_counter counter, ifl_counters *out)
{
    char digits[32];
    size_t used = 0;
    for (size_t i = 0; i < from.length && used + 1 < sizeof digits && from.at[i] != ' '; i++)
        if (from.at[i] != ',')
            digits[used++] = from.at[i];
    digits[used] = '\0';
    if (!used || strcmp(digits, "n/a") == 0)
        return true;
    char *end;
    const double value = strtod(digits, &end);
    if (*end || !(value >= 0) || value >= 0x1p63)
        return false;
    ifl_counters_set(out, counter, (uint64_t)llround(value));
    return true;
}

static ifl_status take_row(const field *names, size_t name_count, const field *values,
                           size_t value_count, ifl_counters *out, ifl_error *error)
{
    for (size_t i = 0; i < name_count && i < value_count; i++) {
        const ifl_counter counter = counter_of(names[i]);
        if (counter != IFL_COUNTER_COUNT && !take_value(values[i], counter, out))
            return ifl_fail(error, IFL_BAD_INPUT, "Nsight Compute says '%.*s' of %s",
                            (int)(values[i].length < 40 ? values[i].length : 40), values[i].at,
                            ifl_counter_get(counter)->ncu);
    }
    return IFL_OK;
}

/* The row of names is the first whose first field is "ID". */
ifl_status ifl_ncu_read(const char *text, ifl_counters *out, ifl_error *error)
{
    field names[MOST_COLUMNS], values[MOST_COLUMNS];
    size_t name_count = 0, rows = 0;
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\r\n");
        if (!name_count && length > 4 && strncmp(line, "\"ID\"", 4) == 0)
            name_count = split(line, length, names);
        else if (name_count && *line == '"' && ++rows == 2)
            return take_row(names, name_count, values, split(line, length, values), out, error);
        line += length;
        line += strspn(line, "\r\n");
    }
    return ifl_fail(error, IFL_BAD_INPUT, "Nsight Compute's page shows no launch");
}
