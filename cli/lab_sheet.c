/* SPDX-License-Identifier: Apache-2.0
 * The rows and figures of a case. */
#include "lab_sheet.h"
#include "terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static ifl_status no_memory(ifl_error *error)
{
    return ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
}

void ifl_cli_sheet_free(ifl_cli_sheet *sheet)
{
    for (size_t i = 0; i < sheet->text_count; i++)
        free(sheet->texts[i]);
    free(sheet->texts);
    free(sheet->rows);
    free(sheet->figures);
    free(sheet->complaints);
    free(sheet->origins);
    *sheet = (ifl_cli_sheet){0};
}

const char *ifl_cli_sheet_text(ifl_cli_sheet *sheet, const char *text)
{
    for (size_t i = 0; i < sheet->text_count; i++)
        if (strcmp(sheet->texts[i], text) == 0)
            return sheet->texts[i];
    char **grown = realloc(sheet->texts, (sheet->text_count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    sheet->texts = grown;
    grown[sheet->text_count] = strdup(text);
    return grown[sheet->text_count] ? grown[sheet->text_count++] : NULL;
}

ifl_status ifl_cli_sheet_add_row(ifl_cli_sheet *sheet, const ifl_cli_row *row, ifl_error *error)
{
    ifl_cli_row *grown = realloc(sheet->rows, (sheet->row_count + 1) * sizeof *grown);
    if (!grown)
        return no_memory(error);
    sheet->rows = grown;
    grown[sheet->row_count++] = *row;
    return IFL_OK;
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static ifl_cli_figure *find(const ifl_cli_sheet *sheet, size_t row, ifl_cli_source source,
                            const char *gpu, const char *metric)
{
    for (size_t i = sheet->rows[row].figures; i > 0; i = sheet->figures[i - 1].before) {
        ifl_cli_figure *f = &sheet->figures[i - 1];
        if (f->source == source && same(f->gpu, gpu) && strcmp(f->metric, metric) == 0)
            return f;
    }
    return NULL;
}

static ifl_status make_room(ifl_cli_sheet *sheet, ifl_error *error)
{
    if (sheet->figure_count < sheet->figure_capacity)
        return IFL_OK;
    const size_t capacity = 2 * sheet->figure_capacity + 64;
    ifl_cli_figure *grown = realloc(sheet->figures, capacity * sizeof *grown);
    if (!grown)
        return no_memory(error);
    sheet->figures = grown;
    sheet->figure_capacity = capacity;
    return IFL_OK;
}

ifl_status ifl_cli_sheet_add(ifl_cli_sheet *sheet, size_t row, ifl_cli_source source,
                             const char *gpu, const char *metric, double value, ifl_error *error)
{
    ifl_cli_figure *before = find(sheet, row, source, gpu, metric);
    if (before) {
        before->value = value;
        return IFL_OK;
    }
    const ifl_cli_figure figure = {row,
                                   source,
                                   gpu ? ifl_cli_sheet_text(sheet, gpu) : NULL,
                                   ifl_cli_sheet_text(sheet, metric),
                                   value,
                                   sheet->rows[row].figures};
    if (!figure.metric || (gpu && !figure.gpu))
        return no_memory(error);
    const ifl_status status = make_room(sheet, error);
    if (status != IFL_OK)
        return status;
    sheet->figures[sheet->figure_count++] = figure;
    sheet->rows[row].figures = sheet->figure_count;
    return IFL_OK;
}

bool ifl_cli_sheet_get(const ifl_cli_sheet *sheet, size_t row, ifl_cli_source source,
                       const char *gpu, const char *metric, double *value)
{
    const ifl_cli_figure *f = find(sheet, row, source, gpu, metric);
    if (f)
        *value = f->value;
    return f != NULL;
}

ifl_status ifl_cli_sheet_complain(ifl_cli_sheet *sheet, ifl_error *error, const char *format, ...)
{
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const char **grown = realloc(sheet->complaints, (sheet->complaint_count + 1) * sizeof *grown);
    if (!grown)
        return no_memory(error);
    sheet->complaints = grown;
    grown[sheet->complaint_count] = ifl_cli_sheet_text(sheet, text);
    if (!grown[sheet->complaint_count])
        return no_memory(error);
    sheet->complaint_count++;
    return IFL_OK;
}

ifl_lab_point ifl_cli_sheet_point(const ifl_cli_sheet *sheet, size_t row)
{
    const ifl_cli_row *r = &sheet->rows[row];
    return (ifl_lab_point){r->version, sheet->reduced, r->settings, r->setting_count};
}

size_t ifl_cli_sheet_find_row(const ifl_cli_sheet *sheet, size_t version,
                              const ifl_lab_setting *settings, size_t count)
{
    for (size_t i = 0; i < sheet->row_count; i++) {
        const ifl_cli_row *r = &sheet->rows[i];
        bool equal = r->version == version && r->setting_count == count;
        for (size_t k = 0; equal && k < count; k++)
            equal = strcmp(r->settings[k].name, settings[k].name) == 0 &&
                    r->settings[k].value == settings[k].value;
        if (equal)
            return i;
    }
    return sheet->row_count;
}

const char *ifl_cli_sheet_label(const ifl_cli_sheet *sheet, size_t row, char *to, size_t size)
{
    const ifl_cli_row *r = &sheet->rows[row];
    size_t used = (size_t)snprintf(to, size, "%s", ifl_lab_version_name(sheet->lab, r->version));
    for (size_t i = 0; i < r->setting_count && used < size; i++)
        used += (size_t)snprintf(to + used, size - used, ", %s = %.15g", r->settings[i].name,
                                 r->settings[i].value);
    return to;
}

const char *ifl_cli_sheet_gpu(const ifl_cli_sheet *sheet, size_t index)
{
    for (size_t i = 0; i < sheet->figure_count; i++) {
        const char *gpu = sheet->figures[i].gpu;
        bool before = !gpu;
        for (size_t k = 0; k < i && !before; k++)
            before = sheet->figures[k].gpu == gpu;
        if (!before && !index--)
            return gpu;
    }
    return NULL;
}
