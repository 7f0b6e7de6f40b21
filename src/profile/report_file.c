/* SPDX-License-Identifier: Apache-2.0
 * See report_file.h. */
#include "profile/report_file.h"

#include <string.h>

#define WHAT_WRITES_ONE "'inflight analyze --json FILE' and 'inflight run --json FILE' write one"

/* Commands whose JSON is not of launches, by its schema. */
static const struct {
    const char *schema, *command;
} others[] = {
    {"inflight-sass/1", "sass"},
    {"inflight-lab/1", "lab"},
    {"inflight-devices/1", "devices"},
    {"inflight-occupancy/1", "occupancy"},
    {"inflight-compare/1", "compare"},
    {"inflight-check/1", "check"},
    {"inflight-against/1", "check --against"},
};

static ifl_status fail_parse(const char *path, const json_error_t *where, ifl_error *error)
{
    const ifl_place place = {.file = path, .line = where->line, .column = where->column};
    if (json_error_code(where) == json_error_premature_end_of_input)
        return ifl_fail_at(error, IFL_BAD_INPUT, &place,
                           "the file ends in the middle of its JSON: it is not a whole report");
    return ifl_fail_at(error, IFL_BAD_INPUT, &place,
                       "not a report of inflight: this is not JSON\n" WHAT_WRITES_ONE);
}

static ifl_status check_schema(const char *path, const json_t *root, ifl_error *error)
{
    const ifl_place place = {.file = path};
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (schema && strcmp(schema, "inflight/1") == 0)
        return IFL_OK;
    for (size_t i = 0; schema && i < sizeof others / sizeof *others; i++)
        if (strcmp(schema, others[i].schema) == 0)
            return ifl_fail_at(
                error, IFL_BAD_INPUT, &place,
                "the JSON of 'inflight %s', not a report of launches\n" WHAT_WRITES_ONE,
                others[i].command);
    return ifl_fail_at(
        error, IFL_BAD_INPUT, &place,
        "not a report of inflight: its \"schema\" is not \"inflight/1\"\n" WHAT_WRITES_ONE);
}

ifl_status ifl_report_parse(const char *path, const char *text, size_t bytes, json_t **root,
                            ifl_error *error)
{
    const ifl_place place = {.file = path};
    json_error_t where;
    if (!bytes)
        return ifl_fail_at(error, IFL_BAD_INPUT, &place,
                           "not a report of inflight: the file is empty\n" WHAT_WRITES_ONE);
    *root = json_loadb(text, bytes, 0, &where);
    if (!*root)
        return fail_parse(path, &where, error);
    const ifl_status status = check_schema(path, *root, error);
    if (status != IFL_OK) {
        json_decref(*root);
        *root = NULL;
    }
    return status;
}
