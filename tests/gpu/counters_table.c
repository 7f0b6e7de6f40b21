/* SPDX-License-Identifier: Apache-2.0
 * See counters_table.h. */
#include "counters_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 64, LINE_BYTES = 4096 };

typedef struct reading {
    char heading[LINE_BYTES]; /* the names are words of it */
    char *names[MOST_NAMES];
    size_t name_count;
    bool (*visit)(void *user, const gpu_counter *counter);
    void *user;
} reading;

static bool read_names(reading *r, const char *text)
{
    char *state = NULL;
    snprintf(r->heading, sizeof r->heading, "%s", text);
    r->name_count = 0;
    for (char *word = strtok_r(r->heading, " \n", &state); word;
         word = strtok_r(NULL, " \n", &state)) {
        if (r->name_count == MOST_NAMES)
            return false;
        r->names[r->name_count++] = word;
    }
    return r->name_count > 0;
}

static bool read_values(reading *r, char *text, int line)
{
    char *state = NULL;
    const char *file = strtok_r(text, " \n", &state), *index = strtok_r(NULL, " \n", &state);
    gpu_counter c = {.line = line, .file = file, .kernel = strtok_r(NULL, " \n", &state)};
    if (!c.kernel || sscanf(index, "%zu", &c.index) != 1)
        return false;
    for (size_t i = 0; i < r->name_count; i++) {
        int end = 0;
        const char *word = strtok_r(NULL, " \n", &state);
        c.name = r->names[i];
        if (!word)
            return false;
        if (strcmp(word, "-") == 0)
            continue;
        if (sscanf(word, "%" SCNu64 "%n", &c.value, &end) != 1 || word[end] ||
            !r->visit(r->user, &c))
            return false;
    }
    return !strtok_r(NULL, " \n", &state);
}

int gpu_counters_read(const char *path, bool (*visit)(void *user, const gpu_counter *counter),
                      void *user)
{
    static const char names[] = "names ";
    char text[LINE_BYTES];
    reading r = {.visit = visit, .user = user};
    FILE *in = fopen(path, "r");
    int bad = in ? 0 : 1;
    for (int line = 1; !bad && fgets(text, sizeof text, in); line++) {
        if (text[0] == '#' || text[0] == '\n')
            continue;
        const bool is_names = strncmp(text, names, strlen(names)) == 0;
        if (!(is_names ? read_names(&r, text + strlen(names)) : read_values(&r, text, line)))
            bad = line;
    }
    if (in)
        fclose(in);
    return bad;
}
