/* SPDX-License-Identifier: Apache-2.0
 * Sheets as JSON and CSV. */
#include "lab_write.h"

#include "outputs.h"
#include "terminal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const sources[] = {"published", "engine", "model", "measured"};
static const char *const verdicts[] = {"not run", "unchecked", "right", "wrong", "failed"};

/* ---- files ----------------------------------------------------------------------------------- */

typedef ifl_status put(const ifl_cli_sheet *sheets, size_t count, FILE *out, ifl_error *error);

typedef struct sheet_list {
    put *function;
    const ifl_cli_sheet *at;
    size_t count;
} sheet_list;

static ifl_status put_all(const void *user, FILE *out, ifl_error *error)
{
    const sheet_list *all = user;
    return all->function(all->at, all->count, out, error);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void set_text(json_t *to, const char *key, const char *text)
{
    if (text)
        json_object_set_new(to, key, json_string(text));
}

static json_t *number(double value)
{
    return value == (double)(json_int_t)value ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *object_in(json_t *parent, const char *key)
{
    json_t *inner = json_object_get(parent, key);
    if (inner)
        return inner;
    json_object_set_new(parent, key, json_object());
    return json_object_get(parent, key);
}

static json_t *figures_of(const ifl_cli_sheet *sheet, size_t row)
{
    json_t *all = json_object();
    for (size_t i = 0; i < sheet->figure_count; i++) {
        const ifl_cli_figure *f = &sheet->figures[i];
        if (f->row != row)
            continue;
        json_t *of_source = object_in(all, sources[f->source]);
        const char *term = strcmp(f->metric, "limiter") ? NULL : ifl_term_name((ifl_term)f->value);
        json_object_set_new(f->gpu ? object_in(of_source, f->gpu) : of_source, f->metric,
                            term ? json_string(term) : number(f->value));
    }
    return all;
}

static json_t *row_json(const ifl_cli_sheet *sheet, size_t row)
{
    const ifl_cli_row *r = &sheet->rows[row];
    json_t *out = json_object(), *settings = json_object();
    const char *role = ifl_lab_text(sheet->lab, r->version, "role");
    set_text(out, "version", ifl_lab_version_name(sheet->lab, r->version));
    set_text(out, "role", role ? role : "document");
    set_text(out, "note", ifl_lab_text(sheet->lab, r->version, "note"));
    set_text(out, "result", verdicts[r->verdict]);
    set_text(out, "sweep", r->sweep);
    for (size_t i = 0; i < r->setting_count; i++)
        json_object_set_new(settings, r->settings[i].name, number(r->settings[i].value));
    json_object_set_new(out, "settings", settings);
    json_object_set_new(out, "figures", figures_of(sheet, row));
    return out;
}

static json_t *case_json(const ifl_cli_sheet *sheet)
{
    json_t *out = json_object(), *rows = json_array(), *complaints = json_array(),
           *origins = json_object();
    set_text(out, "case", ifl_lab_name(sheet->lab));
    set_text(out, "title", ifl_lab_text(sheet->lab, IFL_LAB_COMMON, "title"));
    set_text(out, "document", ifl_lab_text(sheet->lab, IFL_LAB_COMMON, "document"));
    set_text(out, "shows", ifl_lab_text(sheet->lab, IFL_LAB_COMMON, "shows"));
    set_text(out, "size", sheet->reduced ? "reduced" : "full");
    for (size_t i = 0; i < sheet->row_count; i++)
        json_array_append_new(rows, row_json(sheet, i));
    for (size_t i = 0; i < sheet->complaint_count; i++)
        json_array_append_new(complaints, json_string(sheet->complaints[i]));
    for (size_t i = 0; i < sheet->origin_count; i++)
        set_text(origins, sheet->origins[i].gpu, sheet->origins[i].text);
    json_object_set_new(out, "rows", rows);
    json_object_set_new(out, "measured_on", origins);
    json_object_set_new(out, "complaints", complaints);
    return out;
}

static ifl_status put_json(const ifl_cli_sheet *sheets, size_t count, FILE *out, ifl_error *error)
{
    json_t *root = json_object(), *cases = json_array();
    set_text(root, "schema", "inflight-lab/1");
    for (size_t i = 0; i < count; i++)
        json_array_append_new(cases, case_json(&sheets[i]));
    json_object_set_new(root, "cases", cases);
    const bool whole = root && cases && json_array_size(cases) == count &&
                       json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0;
    json_decref(root);
    fputc('\n', out);
    return whole ? IFL_OK : ifl_cli_error(error, IFL_NO_MEMORY, "cannot make the JSON text");
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Names of cases, versions, variables, GPUs and metrics have no commas or quotes. */
static void put_settings(const ifl_cli_row *row, FILE *out)
{
    for (size_t i = 0; i < row->setting_count; i++)
        fprintf(out, "%s%s=%.15g", i ? " " : "", row->settings[i].name, row->settings[i].value);
}

static ifl_status put_csv(const ifl_cli_sheet *sheets, size_t count, FILE *out, ifl_error *error)
{
    (void)error;
    fputs("case,version,settings,result,source,gpu,metric,value\n", out);
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < sheets[s].figure_count; i++) {
            const ifl_cli_figure *f = &sheets[s].figures[i];
            const ifl_cli_row *row = &sheets[s].rows[f->row];
            fprintf(out, "%s,%s,", ifl_lab_name(sheets[s].lab),
                    ifl_lab_version_name(sheets[s].lab, row->version));
            put_settings(row, out);
            fprintf(out, ",%s,%s,%s,%s,%.15g\n", verdicts[row->verdict], sources[f->source],
                    f->gpu ? f->gpu : "", f->metric, f->value);
        }
    return IFL_OK;
}

ifl_status ifl_cli_lab_write_json(const ifl_cli_sheet *at, size_t count, const char *path,
                                  ifl_error *error)
{
    const sheet_list all = {put_json, at, count};
    return ifl_cli_output_write(path, put_all, &all, error);
}

ifl_status ifl_cli_lab_write_csv(const ifl_cli_sheet *at, size_t count, const char *path,
                                 ifl_error *error)
{
    const sheet_list all = {put_csv, at, count};
    return ifl_cli_output_write(path, put_all, &all, error);
}
