/* SPDX-License-Identifier: Apache-2.0
 * Running a program under Nsight Compute for its counters. What cannot be had is said in the
 * profile's warnings, and the profile stays as good as it was. */
#include "session/ncu.h"

#include "base/file.h"
#include "base/process.h"
#include "session/watch.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 256, MOST_LOG = 1 << 26, METRICS_BYTES = 4096, TRIES = 4, OWN_WORDS = 16 };

typedef struct counting {
    ifl_profile *profile;
    const char *const *command;
    char ncu[IFL_PATH_BYTES], page[IFL_PATH_BYTES], log[IFL_PATH_BYTES];
    bool dropped[IFL_COUNTER_COUNT]; /* this version or GPU does not know it */
    ifl_error *error;
} counting;

static void list_metrics(const counting *c, char to[METRICS_BYTES])
{
    size_t used = 0;
    *to = '\0';
    for (ifl_counter i = 0; i < IFL_COUNTER_COUNT; i++)
        if (ifl_ncu_can_fill(i) && !c->dropped[i] && used < METRICS_BYTES)
            used += (size_t)snprintf(to + used, METRICS_BYTES - used, "%s%s", used ? "," : "",
                                     ifl_counter_get(i)->ncu);
}

/* Clocks as they are: counts do not depend on them, and locking them needs permission. Caches are
 * emptied before the launch, as ncu does by itself. */
static ifl_status run_ncu(counting *c, int *code)
{
    char metrics[METRICS_BYTES];
    list_metrics(c, metrics);
    const char *words[MOST_WORDS] = {c->ncu,
                                     "--csv",
                                     "--page",
                                     "raw",
                                     "--print-units",
                                     "base",
                                     "--clock-control",
                                     "none",
                                     "--target-processes",
                                     "all",
                                     "--log-file",
                                     c->page,
                                     "--force-overwrite",
                                     "--metrics",
                                     metrics};
    size_t used = OWN_WORDS - 1;
    for (size_t i = 0; c->command[i] && used + 1 < MOST_WORDS; i++)
        words[used++] = c->command[i];
    const ifl_process process = {.words = words, .log = c->log};
    return ifl_process_run(&process, code, c->error);
}

/* "==ERROR== Failed to find metric smsp__..." : the names that this version does not know. */
static bool drop_unknown(counting *c, const char *page)
{
    bool any = false;
    for (const char *line = page; (line = strstr(line, "ailed to find metric")); line++) {
        const size_t length = strcspn(line, "\n");
        for (ifl_counter i = 0; i < IFL_COUNTER_COUNT; i++) {
            const char *name = ifl_counter_get(i)->ncu;
            const char *found = *name && !c->dropped[i] ? strstr(line, name) : NULL;
            if (found && found < line + length)
                c->dropped[i] = any = true;
        }
    }
    return any;
}

static bool is_denied(const char *page)
{
    return strstr(page, "ERR_NVGPUCTRPERM") || strstr(page, "does not have permission");
}

static ifl_status take_page(counting *c, const char *page, int code, bool *again)
{
    char why[300];
    ifl_error own = {0};
    *again = false;
    if (ifl_ncu_read(page, &c->profile->counters, &own) == IFL_OK)
        return IFL_OK;
    if (is_denied(page))
        return ifl_profile_warn(
            c->profile, c->error,
            "no counters: Nsight Compute may not read them here (ERR_NVGPUCTRPERM); "
            "docs/gpu.md says who can permit it");
    if (drop_unknown(c, page)) {
        *again = true;
        return IFL_OK;
    }
    /* The last line that says error, for people. */
    const char *last = NULL;
    for (const char *line = page; (line = strstr(line, "==ERROR==")); line++)
        last = line;
    snprintf(why, sizeof why, "%.*s", last ? (int)strcspn(last, "\n") : 0, last ? last : "");
    return ifl_profile_warn(c->profile, c->error, "no counters: Nsight Compute ended with %d: %s",
                            code, *why ? why : own.text);
}

static ifl_status count_once(counting *c, bool *again)
{
    int code = 0;
    char *page = NULL, *log = NULL;
    size_t bytes;
    *again = false;
    ifl_status status = run_ncu(c, &code);
    if (status != IFL_OK)
        return status == IFL_NO_MEMORY
                   ? status
                   : ifl_profile_warn(c->profile, c->error, "no counters: %s", c->ncu);
    status = ifl_file_read(c->page, MOST_LOG, &page, &bytes, NULL);
    if (status == IFL_OK)
        status = take_page(c, page, code, again);
    else if (status != IFL_NO_MEMORY &&
             ifl_file_read(c->log, MOST_LOG, &log, &bytes, NULL) == IFL_OK)
        status = take_page(c, log, code, again);
    free(page);
    free(log);
    return status;
}

static ifl_status count_all(counting *c)
{
    bool again = true;
    ifl_status status = IFL_OK;
    for (int i = 0; i < TRIES && again && status == IFL_OK; i++)
        status = count_once(c, &again);
    return status;
}

ifl_status ifl_profile_count(ifl_profile *profile, const char *const *command, ifl_error *error)
{
    counting c = {.profile = profile, .command = command, .error = error};
    ifl_scratch scratch;
    size_t words = 0;
    while (command[words])
        words++;
    if (words + OWN_WORDS > MOST_WORDS)
        return ifl_fail(error, IFL_USAGE, "a command of more than %d words",
                        MOST_WORDS - OWN_WORDS);
    if (!ifl_program_find("ncu", "/usr/local/cuda/bin", c.ncu))
        return ifl_profile_warn(profile, error,
                                "no counters: Nsight Compute (ncu) is not on the PATH");
    ifl_status status = ifl_scratch_make(&scratch, error);
    if (status != IFL_OK)
        return status;
    if (ifl_scratch_path(&scratch, "page.csv", c.page) &&
        ifl_scratch_path(&scratch, "log.txt", c.log))
        status = count_all(&c);
    ifl_scratch_remove(&scratch);
    return status;
}
