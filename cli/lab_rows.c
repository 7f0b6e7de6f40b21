/* SPDX-License-Identifier: Apache-2.0
 * Which rows a case's sheet has: its versions at the case's sizes, and the points of its sweeps. */
#include "lab.h"
#include "terminal.h"

#include <string.h>

typedef struct rows {
    const ifl_cli_lab_request *request;
    ifl_cli_sheet *sheet;
    size_t version;
    const ifl_lab_sweep *sweep;
} rows;

static bool has_role(const ifl_cli_sheet *sheet, size_t version, const char *role)
{
    const char *own = ifl_lab_text(sheet->lab, version, "role");
    return own && strcmp(own, role) == 0;
}

static bool is_wanted(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet,
                      size_t version)
{
    const char *name = ifl_lab_version_name(sheet->lab, version);
    for (size_t i = 0; i < request->version_count; i++)
        if (strcmp(request->versions[i], name) == 0)
            return true;
    return !request->version_count && (request->check || !has_role(sheet, version, "check"));
}

static ifl_status add_row(const rows *r, const ifl_lab_setting *settings, size_t count,
                          ifl_error *error)
{
    ifl_cli_row row = {.version = r->version, .setting_count = count};
    if (ifl_cli_sheet_find_row(r->sheet, r->version, settings, count) < r->sheet->row_count)
        return IFL_OK;
    row.sweep = r->sweep ? ifl_cli_sheet_text(r->sheet, r->sweep->name) : NULL;
    for (size_t i = 0; i < count; i++) {
        row.settings[i] = settings[i];
        row.settings[i].name = ifl_cli_sheet_text(r->sheet, settings[i].name);
        if (!row.settings[i].name)
            return ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    }
    return ifl_cli_sheet_add_row(r->sheet, &row, error);
}

/* At the reduced size a sweep over a size stays at that size. */
static bool is_fixed(const rows *r, const ifl_lab_axis *axis)
{
    char key[80];
    snprintf(key, sizeof key, "reduced.%s", axis->variable);
    return r->sheet->reduced && ifl_lab_text(r->sheet->lab, r->version, key);
}

static ifl_status add_points(const rows *r, ifl_lab_setting *settings, size_t count, size_t axis,
                             ifl_error *error)
{
    if (axis == r->sweep->axis_count)
        return count ? add_row(r, settings, count, error) : IFL_OK;
    const ifl_lab_axis *a = &r->sweep->axes[axis];
    if (is_fixed(r, a))
        return add_points(r, settings, count, axis + 1, error);
    ifl_status status = IFL_OK;
    settings[count].name = a->variable;
    for (size_t i = 0; i < a->count && status == IFL_OK; i++) {
        settings[count].value = a->values[i];
        status = add_points(r, settings, count + 1, axis + 1, error);
    }
    return status;
}

static ifl_status add_sweeps(rows *r, bool *any, ifl_error *error)
{
    ifl_status status = IFL_OK;
    bool found = true;
    for (size_t i = 0; found && status == IFL_OK; i++) {
        ifl_lab_sweep sweep;
        ifl_lab_setting settings[IFL_LAB_MOST_AXES];
        status = ifl_lab_sweep_at(r->sheet->lab, r->version, i, &sweep, &found, error);
        if (status != IFL_OK || !found ||
            (r->request->sweep && strcmp(r->request->sweep, sweep.name) != 0))
            continue;
        *any = true;
        r->sweep = &sweep;
        status = add_points(r, settings, 0, 0, error);
        r->sweep = NULL;
    }
    return status;
}

static const char *version_name(const void *user, size_t index)
{
    return index < ifl_lab_version_count(user) ? ifl_lab_version_name(user, index) : NULL;
}

static ifl_status check_versions(const ifl_cli_lab_request *request, const ifl_lab *lab,
                                 ifl_error *error)
{
    for (size_t i = 0; i < request->version_count; i++) {
        const char *name = request->versions[i], *close;
        if (ifl_lab_version_find(lab, name) != IFL_LAB_COMMON)
            continue;
        close = ifl_cli_closest(name, version_name, lab);
        if (close)
            return ifl_cli_error(error, IFL_USAGE,
                                 "the case '%s' has no version '%s'; did you mean '%s'?",
                                 ifl_lab_name(lab), name, close);
        return ifl_cli_error(
            error, IFL_USAGE,
            "the case '%s' has no version '%s'\n'inflight lab --list %s' lists them",
            ifl_lab_name(lab), name, ifl_lab_name(lab));
    }
    return IFL_OK;
}

ifl_status ifl_cli_lab_rows(const ifl_cli_lab_request *request, ifl_cli_sheet *sheet,
                            ifl_error *error)
{
    ifl_status status = IFL_OK;
    bool any_sweep = false;
    for (size_t v = 0; v < ifl_lab_version_count(sheet->lab) && status == IFL_OK; v++) {
        rows r = {request, sheet, v, NULL};
        if (!is_wanted(request, sheet, v))
            continue;
        if (!request->sweep)
            status = add_row(&r, NULL, 0, error);
        if (status == IFL_OK && (request->sweep || request->sweeps || request->check))
            status = add_sweeps(&r, &any_sweep, error);
    }
    if (status == IFL_OK && request->sweep && !any_sweep)
        status =
            ifl_cli_error(error, IFL_USAGE,
                          "the case '%s' has no sweep '%s'\n'inflight lab --list %s' lists them",
                          ifl_lab_name(sheet->lab), request->sweep, ifl_lab_name(sheet->lab));
    if (status == IFL_OK)
        status = check_versions(request, sheet->lab, error);
    return status;
}
