/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes what `inflight check` reads: a budget, a baseline and a report, with lines "---" between
 * them, are judged, and the verdict is written in every form. Nothing runs. */
#include "check/judge.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct part {
    int file;
    char path[64];
} part;

/* A file without a name, which the readers open by its number. */
static part make_part(const char *text, size_t bytes)
{
    part made = {.file = memfd_create("part", 0)};
    if (made.file < 0 || write(made.file, text, bytes) != (ssize_t)bytes)
        abort();
    snprintf(made.path, sizeof made.path, "/proc/self/fd/%d", made.file);
    return made;
}

static void write_all(const ifl_verdict *verdict)
{
    ifl_error error;
    char *text = NULL;
    size_t bytes = 0;
    for (size_t i = 0; ifl_verdict_format(i); i++) {
        FILE *out = open_memstream(&text, &bytes);
        if (!out)
            return;
        if (ifl_verdict_write(verdict, ifl_verdict_format(i), out, &error) != IFL_OK)
            abort();
        fclose(out);
        free(text);
    }
}

static void judge(ifl_budget *budget, const ifl_baseline *baseline, json_t *report, bool update)
{
    ifl_error error;
    ifl_subjects subjects = {0};
    ifl_baseline made = {0};
    ifl_verdict *verdict = calloc(1, sizeof *verdict);
    if (!verdict)
        return;
    ifl_judge all = {.budget = budget,
                     .subjects = &subjects,
                     .baseline = update ? NULL : baseline,
                     .update = update ? &made : NULL,
                     .verdict = verdict};
    ifl_status status =
        ifl_subjects_add(&subjects, &budget->arena, &budget->runs.at[0], report, &error);
    if (status == IFL_OK)
        status = ifl_judge_fault(&all, &budget->runs.at[0], "a.cu:7:3: error: a fault\n", &error);
    if (status == IFL_OK)
        status = ifl_judge_all(&all, &error);
    if (status == IFL_INTERNAL)
        abort();
    ifl_verdict_sort(verdict);
    write_all(verdict);
    ifl_verdict_free(verdict);
    ifl_subjects_free(&subjects);
    ifl_baseline_free(&made);
}

static void read_all(const part *budget_file, const part *baseline_file, json_t *report)
{
    ifl_budget budget;
    ifl_baseline baseline = {0};
    ifl_error error;
    if (ifl_budget_read(budget_file->path, &budget, &error) != IFL_OK)
        return;
    budget.folder = "/nonexistent"; /* no file of this machine is looked at */
    const bool has_baseline = ifl_baseline_read(baseline_file->path, &baseline, &error) == IFL_OK;
    if (report)
        judge(&budget, has_baseline ? &baseline : NULL, report, false);
    if (report)
        judge(&budget, NULL, report, true);
    ifl_baseline_free(&baseline);
    ifl_budget_free(&budget);
}

/* What stands before the next "---" line; *rest follows it. */
static size_t cut(const char *text, const char **rest)
{
    const char *line = strstr(text, "\n---\n");
    *rest = line ? line + strlen("\n---\n") : text + strlen(text);
    return line ? (size_t)(line + 1 - text) : strlen(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    const char *baseline_text, *report_text, *end;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    const size_t budget_bytes = cut(text, &baseline_text),
                 baseline_bytes = cut(baseline_text, &report_text);
    const size_t report_bytes = cut(report_text, &end);
    const part budget = make_part(text, budget_bytes),
               baseline = make_part(baseline_text, baseline_bytes);
    json_t *report = json_loadb(report_text, report_bytes, 0, NULL);
    read_all(&budget, &baseline, report);
    json_decref(report);
    close(budget.file);
    close(baseline.file);
    free(text);
    return 0;
}
