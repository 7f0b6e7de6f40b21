/* SPDX-License-Identifier: Apache-2.0
 * How often a kernel's instructions were issued, and where its warps stood still, from the JSON report
 * of a launch (docs/json.md). */
#include "report/report_sass.h"

#include "base/file.h"
#include "code/code.h"
#include "profile/report_file.h"
#include "profile/time_facts.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_REPORT = 1 << 30 };

typedef struct reading {
    const char *path, *kernel;
    ifl_arena *arena;
    ifl_error *error;
} reading;

const char *ifl_sass_counts_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* False where the key is missing, or is no count. */
bool ifl_sass_counts_count(const json_t *object, const char *key, uint64_t *count)
{
    const json_t *value = json_object_get(object, key);
    const json_int_t number = json_integer_value(value);
    *count = number > 0 ? (uint64_t)number : 0;
    return json_is_integer(value) && number >= 0;
}

/* ---- the launch ------------------------------------------------------------------------------ */

static const json_t *find_launch(const json_t *root, const char *kernel)
{
    const json_t *launches = json_object_get(root, "launches");
    for (size_t i = 0; i < json_array_size(launches); i++)
        if (strcmp(ifl_sass_counts_text(json_array_get(launches, i), "kernel"), kernel) == 0)
            return json_array_get(launches, i);
    return NULL;
}

/* False where the object is no run of instructions of the kernel's own code. */
static bool run_of(const json_t *object, size_t count, uint64_t *first, uint64_t *last,
                   uint64_t *warps)
{
    return !json_object_get(object, "function") && ifl_sass_counts_count(object, "first", first) &&
           ifl_sass_counts_count(object, "last", last) &&
           ifl_sass_counts_count(object, "warps", warps) && *first <= *last &&
           *last / IFL_CODE_BYTES < count;
}

static ifl_status read_issued(const reading *r, const json_t *runs, size_t count,
                              const uint64_t **out)
{
    uint64_t *issued = ifl_arena_alloc(r->arena, (count + 1) * sizeof *issued), first, last, warps;
    if (!issued)
        return ifl_fail_memory(r->error, count * sizeof *issued);
    memset(issued, 0, (count + 1) * sizeof *issued);
    for (size_t i = 0; i < json_array_size(runs); i++)
        if (run_of(json_array_get(runs, i), count, &first, &last, &warps))
            for (uint64_t at = first / IFL_CODE_BYTES; at <= last / IFL_CODE_BYTES; at++)
                issued[at] = warps;
    *out = issued;
    return IFL_OK;
}

static ifl_status read_report(const reading *r, const json_t *launch, size_t instructions,
                              const uint64_t **out)
{
    const json_t *runs = json_object_get(launch, "issued");
    if (!json_array_size(runs))
        return ifl_fail(r->error, IFL_BAD_INPUT,
                        "'%.300s' is of a launch that ran PTX; analyze the machine code instead "
                        "(--code machine)",
                        r->path);
    if (!json_is_true(json_object_get(launch, "complete")))
        return ifl_fail(r->error, IFL_BAD_INPUT, "'%.300s': the launch did not run to its end",
                        r->path);
    return read_issued(r, runs, instructions, out);
}

static ifl_status load(const char *path, json_t **root, ifl_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    ifl_status status = ifl_file_read(path, LARGEST_REPORT, &text, &bytes, error);
    if (status == IFL_OK)
        status = ifl_report_parse(path, text, bytes, root, error);
    free(text);
    return status;
}

ifl_status ifl_sass_counts_names(const char *path, ifl_arena *arena, const char ***names,
                                 size_t *count, ifl_error *error)
{
    json_t *root;
    const ifl_status status = load(path, &root, error);
    if (status != IFL_OK)
        return status;
    const json_t *launches = json_object_get(root, "launches");
    const size_t number = json_array_size(launches);
    *names = ifl_arena_alloc(arena, (number + 1) * sizeof **names);
    bool whole = *names != NULL;
    for (*count = 0; whole && *count < number; ++*count) {
        const char *name = ifl_sass_counts_text(json_array_get(launches, *count), "kernel");
        (*names)[*count] = ifl_arena_text(arena, name, strlen(name));
        whole = (*names)[*count] != NULL;
    }
    json_decref(root);
    return whole ? IFL_OK : ifl_fail_memory(error, number * sizeof **names);
}

ifl_status ifl_sass_counts_launch(const char *path, const char *kernel, json_t **root,
                                  const json_t **launch, ifl_error *error)
{
    const ifl_status status = load(path, root, error);
    if (status != IFL_OK)
        return status;
    *launch = find_launch(*root, kernel);
    if (*launch)
        return IFL_OK;
    json_decref(*root);
    return ifl_fail(error, IFL_BAD_INPUT,
                    "'%.300s' is not the JSON report of a launch of kernel '%.200s'", path, kernel);
}

/* ---- where its warps stood still ------------------------------------------------------------- */

/* Of the first GPU whose SM was followed; NULL: of none. */
static const json_t *find_sites(const json_t *launch)
{
    const json_t *models = json_object_get(launch, "models");
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *sites = json_object_get(json_array_get(models, i), "stall_sites");
        if (json_array_size(sites))
            return sites;
    }
    return NULL;
}

static const char *largest_reason(const json_t *site)
{
    const char *name, *found = NULL;
    json_t *value;
    double most = 0;
    json_object_foreach(json_object_get(site, "stalls"), name, value)
    {
        if (strcmp(name, ifl_stall_name(IFL_STALL_selected)) != 0 &&
            json_number_value(value) > most) {
            most = json_number_value(value);
            found = name;
        }
    }
    return found;
}

static bool read_stall(const reading *r, const json_t *site, size_t count, ifl_sass_stall *to)
{
    uint64_t address;
    const double share = json_number_value(json_object_get(site, "share"));
    const char *reason = largest_reason(site);
    if (strcmp(ifl_sass_counts_text(site, "function"), r->kernel) != 0 || !reason ||
        !ifl_sass_counts_count(site, "address", &address) || address / IFL_CODE_BYTES >= count)
        return true;
    to += address / IFL_CODE_BYTES;
    to->share = share > 0 && share <= 1 ? share : 0;
    to->reason = ifl_arena_text(r->arena, reason, strlen(reason));
    return to->reason != NULL;
}

static ifl_status read_stalls(const reading *r, const json_t *sites, size_t count,
                              const ifl_sass_stall **out)
{
    const size_t bytes = (count + 1) * sizeof(ifl_sass_stall);
    ifl_sass_stall *stalls = ifl_arena_alloc(r->arena, bytes);
    bool whole = stalls != NULL;
    if (stalls)
        memset(stalls, 0, bytes);
    for (size_t i = 0; i < json_array_size(sites) && whole; i++)
        whole = read_stall(r, json_array_get(sites, i), count, stalls);
    *out = stalls;
    return whole ? IFL_OK : ifl_fail_memory(r->error, bytes);
}

ifl_status ifl_sass_counts_read(const char *path, const char *kernel, size_t instructions,
                                ifl_arena *arena, const uint64_t **issued,
                                const ifl_sass_stall **stalls, ifl_error *error)
{
    const reading r = {path, kernel, arena, error};
    const json_t *launch;
    json_t *root;
    *stalls = NULL;
    ifl_status status = ifl_sass_counts_launch(path, kernel, &root, &launch, error);
    if (status != IFL_OK)
        return status;
    status = read_report(&r, launch, instructions, issued);
    const json_t *sites = find_sites(launch);
    if (status == IFL_OK && sites)
        status = read_stalls(&r, sites, instructions, stalls);
    json_decref(root);
    return status;
}
