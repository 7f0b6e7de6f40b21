/* SPDX-License-Identifier: Apache-2.0
 * What was measured on a real GPU, kept beside the case as CASE.GPU.txt: `key = value` lines, a
 * `row` line before the figures of each row. A row counts only while its launch and kernel are
 * those that were measured (lab_hash.c). */
#include "lab.h"
#include "terminal.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATH = 4096 };

/* ---- writing --------------------------------------------------------------------------------- */

static ifl_status put_row(const ifl_cli_sheet *sheet, size_t row, const char *gpu, FILE *out,
                          ifl_error *error)
{
    const ifl_cli_row *r = &sheet->rows[row];
    uint64_t hash = 0;
    double value;
    if (!ifl_cli_sheet_get(sheet, row, IFL_CLI_MEASURED, gpu, "time_us", &value) ||
        r->verdict == IFL_CLI_WRONG)
        return IFL_OK; /* a wrong result's time is worth nothing */
    const ifl_status status = ifl_cli_lab_hash(sheet, row, &hash, error);
    if (status != IFL_OK)
        return status;
    fprintf(out, "\nrow = %s", ifl_lab_version_name(sheet->lab, r->version));
    for (size_t i = 0; i < r->setting_count; i++)
        fprintf(out, " %s=%.15g", r->settings[i].name, r->settings[i].value);
    fprintf(out, "\nlaunch = %016" PRIx64 "\n%s", hash,
            r->verdict == IFL_CLI_RIGHT ? "verified = 1\n" : "");
    for (size_t i = 0; i < sheet->figure_count; i++) {
        const ifl_cli_figure *f = &sheet->figures[i];
        if (f->row == row && f->source == IFL_CLI_MEASURED && strcmp(f->gpu, gpu) == 0 &&
            strcmp(f->metric, "speedup") != 0 && strcmp(f->metric, "useful_gb_per_s") != 0)
            fprintf(out, "%s = %.6g\n", f->metric, f->value);
    }
    return IFL_OK;
}

ifl_status ifl_cli_lab_capture(const ifl_cli_sheet *sheet, const ifl_cli_lab_gpu *gpu,
                               const char *folder, ifl_error *error)
{
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%.3000s/%.500s.%s.txt", folder, ifl_lab_name(sheet->lab), gpu->id);
    FILE *out;
    ifl_output *file;
    ifl_status status = ifl_output_create(path, &file, &out, error);
    if (status != IFL_OK)
        return status;
    fprintf(out,
            "# SPDX-License-Identifier: Apache-2.0\n# inflight lab %s --on gpu --capture\n"
            "measured = %s\n",
            ifl_lab_name(sheet->lab), gpu->origin);
    for (size_t row = 0; row < sheet->row_count && status == IFL_OK; row++)
        status = put_row(sheet, row, gpu->id, out, error);
    if (status == IFL_OK)
        return ifl_output_finish(file, error);
    ifl_output_abandon(file);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reading {
    ifl_cli_sheet *sheet;
    const char *gpu, *path;
    int line;
    size_t row; /* row_count: none, or not this launch */
    size_t left_out;
} reading;

static ifl_status bad_line(const reading *r, const char *what, ifl_error *error)
{
    ifl_cli_error(error, IFL_BAD_INPUT, "%s", what);
    snprintf(error->file, sizeof error->file, "%s", r->path);
    error->line = r->line;
    return IFL_BAD_INPUT;
}

static size_t find_row(const reading *r, char *words)
{
    ifl_lab_setting settings[IFL_LAB_MOST_AXES];
    size_t count = 0;
    char *state = NULL, *version = strtok_r(words, " ", &state);
    for (char *word = strtok_r(NULL, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
        char *equals = strchr(word, '=');
        if (!equals || count == IFL_LAB_MOST_AXES)
            return r->sheet->row_count;
        *equals = '\0';
        settings[count++] = (ifl_lab_setting){word, strtod(equals + 1, NULL)};
    }
    const size_t index = version ? ifl_lab_version_find(r->sheet->lab, version) : IFL_LAB_COMMON;
    return index == IFL_LAB_COMMON ? r->sheet->row_count
                                   : ifl_cli_sheet_find_row(r->sheet, index, settings, count);
}

static ifl_status check_launch(reading *r, const char *text, ifl_error *error)
{
    uint64_t hash = 0;
    if (r->row == r->sheet->row_count)
        return IFL_OK;
    const ifl_status status = ifl_cli_lab_hash(r->sheet, r->row, &hash, error);
    if (status == IFL_OK && hash != strtoull(text, NULL, 16)) {
        r->row = r->sheet->row_count;
        r->left_out++;
    }
    return status;
}

static ifl_status note_origin(reading *r, const char *text, ifl_error *error)
{
    ifl_cli_sheet *sheet = r->sheet;
    ifl_cli_origin *grown = realloc(sheet->origins, (sheet->origin_count + 1) * sizeof *grown);
    if (!grown)
        return ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    sheet->origins = grown;
    grown[sheet->origin_count] =
        (ifl_cli_origin){ifl_cli_sheet_text(sheet, r->gpu), ifl_cli_sheet_text(sheet, text)};
    if (!grown[sheet->origin_count].gpu || !grown[sheet->origin_count].text)
        return ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    sheet->origin_count++;
    return IFL_OK;
}

static ifl_status take_line(reading *r, const char *key, char *value, ifl_error *error)
{
    char *end;
    if (strcmp(key, "measured") == 0)
        return note_origin(r, value, error);
    if (strcmp(key, "row") == 0) {
        r->row = find_row(r, value);
        return IFL_OK;
    }
    if (strcmp(key, "launch") == 0)
        return check_launch(r, value, error);
    const double number = strtod(value, &end);
    if (end == value || *end)
        return bad_line(r, "expected a number", error);
    return r->row == r->sheet->row_count
               ? IFL_OK
               : ifl_cli_sheet_add(r->sheet, r->row, IFL_CLI_MEASURED, r->gpu, key, number, error);
}

static ifl_status read_lines(reading *r, FILE *file, ifl_error *error)
{
    char line[512];
    ifl_status status = IFL_OK;
    while (status == IFL_OK && fgets(line, sizeof line, file)) {
        r->line++;
        line[strcspn(line, "\n")] = '\0';
        ifl_text_clean(line);
        char *equals = strstr(line, " = ");
        if (!line[0] || line[0] == '#')
            continue;
        if (!equals)
            return bad_line(r, "expected 'key = value'", error);
        *equals = '\0';
        status = take_line(r, line, equals + 3, error);
    }
    return status;
}

static ifl_status read_file(ifl_cli_sheet *sheet, const char *path, const char *gpu,
                            ifl_error *error)
{
    reading r = {.sheet = sheet, .gpu = gpu, .path = path, .row = sheet->row_count};
    FILE *file = fopen(path, "r");
    if (!file)
        return ifl_cli_error(error, IFL_NO_FILE, "cannot read '%.300s': %s", path, strerror(errno));
    const ifl_status status = read_lines(&r, file, error);
    fclose(file);
    if (status == IFL_OK && r.left_out)
        return ifl_cli_sheet_complain(
            sheet, error,
            "%zu rows of %s were measured with other launches or kernels; they "
            "are left out",
            r.left_out, path);
    return status;
}

ifl_status ifl_cli_lab_captured(ifl_cli_sheet *sheet, const char *path, ifl_error *error)
{
    char pattern[MOST_PATH];
    glob_t found = {0};
    const size_t stem = strlen(path) - strlen(".lab");
    ifl_status status = IFL_OK;
    if (snprintf(pattern, sizeof pattern, "%.*s.*.txt", (int)stem, path) >= (int)sizeof pattern ||
        glob(pattern, 0, NULL, &found) != 0)
        return IFL_OK;
    for (size_t i = 0; i < found.gl_pathc && status == IFL_OK; i++) {
        char gpu[64];
        const char *start = found.gl_pathv[i] + stem + 1;
        snprintf(gpu, sizeof gpu, "%.*s", (int)(strlen(start) - strlen(".txt")), start);
        status = read_file(sheet, found.gl_pathv[i], gpu, error);
    }
    globfree(&found);
    return status;
}
