/* SPDX-License-Identifier: Apache-2.0
 * How often a kernel's memory instructions ran, from the JSON report of a launch. Knows the JSON
 * report (docs/json.md); of machine code it knows the kinds of access only. */
#include "report/report_sass.h"

#include "base/file.h"
#include "base/utf8.h"
#include "code/code.h"
#include "profile/traffic.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_REPORT = 1 << 30 };

typedef struct reading {
    const char *path, *kernel;
    ifl_arena *arena;
    ifl_error *error;
} reading;

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* False where the key is missing, or is no count. */
static bool count_of(const json_t *object, const char *key, uint64_t *count)
{
    const json_t *value = json_object_get(object, key);
    const json_int_t number = json_integer_value(value);
    *count = number > 0 ? (uint64_t)number : 0;
    return json_is_integer(value) && number >= 0;
}

/* ---- a line ---------------------------------------------------------------------------------- */

static bool requests_of(const json_t *line, ifl_traffic_kind traffic, uint64_t *requests)
{
    const ifl_counter counter = ifl_traffic_counters_of(traffic).requests;
    return count_of(json_object_get(line, "counters"), ifl_counter_get(counter)->name, requests);
}

/* What a generic address meets is counted as global: docs/counters.md. */
static ifl_traffic_kind traffic_of(const json_t *line)
{
    const char *space = text_of(line, "space");
    const bool is_generic = strcmp(space, ifl_space_text(IFL_SPACE_GENERIC)) == 0;
    return ifl_traffic_named(is_generic ? ifl_space_text(IFL_SPACE_GLOBAL) : space,
                             text_of(line, "kind"));
}

/* False without memory. What is not a count of requests is left out. */
static bool add_line(const reading *r, const json_t *line, ifl_sass_launch *to)
{
    uint64_t bytes, number, requests, ptx_line;
    const ifl_traffic_kind traffic = traffic_of(line);
    if (traffic == IFL_TRAFFIC_COUNT || !requests_of(line, traffic, &requests) ||
        !count_of(line, "access_bytes", &bytes) || !count_of(line, "line", &number) ||
        bytes > UINT32_MAX || number > UINT32_MAX)
        return true;
    if (!count_of(line, "ptx_line", &ptx_line) || ptx_line > UINT32_MAX)
        ptx_line = 0;
    const char *file = text_of(line, "file");
    file = ifl_utf8_copy(r->arena, file);
    ((ifl_sass_request_count *)to->requests)[to->request_count++] = (ifl_sass_request_count){
        file, (uint32_t)number, (uint32_t)ptx_line, traffic, (uint32_t)bytes, requests};
    return file != NULL;
}

static ifl_status read_lines(const reading *r, const json_t *lines, ifl_sass_launch *out)
{
    const size_t count = json_array_size(lines);
    ifl_sass_request_count *requests =
        ifl_arena_alloc(r->arena, (count + 1) * sizeof *out->requests);
    bool whole = requests != NULL;
    out->requests = requests;
    for (size_t i = 0; i < count && whole; i++)
        whole = add_line(r, json_array_get(lines, i), out);
    return whole ? IFL_OK : ifl_fail_memory(r->error, count * sizeof *out->requests);
}

/* ---- the launch ------------------------------------------------------------------------------ */

static uint64_t product(const json_t *launch, const char *key)
{
    const json_t *size = json_object_get(launch, key);
    uint64_t all = json_array_size(size) == 3;
    for (size_t i = 0; i < 3 && all; i++) {
        const json_int_t extent = json_integer_value(json_array_get(size, i));
        all = extent < 0 || extent > INT32_MAX ? 0 : all * (uint64_t)extent;
        all = all > INT64_MAX / INT32_MAX ? 0 : all; /* more than a grid can have */
    }
    return all;
}

static const json_t *find_launch(const json_t *root, const char *kernel)
{
    const json_t *launches = json_object_get(root, "launches");
    for (size_t i = 0; i < json_array_size(launches); i++)
        if (strcmp(text_of(json_array_get(launches, i), "kernel"), kernel) == 0)
            return json_array_get(launches, i);
    return NULL;
}

/* False where the object is no run of instructions of the kernel's own code. */
static bool run_of(const json_t *object, size_t count, uint64_t *first, uint64_t *last,
                   uint64_t *warps)
{
    return !json_object_get(object, "function") && count_of(object, "first", first) &&
           count_of(object, "last", last) && count_of(object, "warps", warps) && *first <= *last &&
           *last / IFL_CODE_BYTES < count;
}

/* How often each of the `count` instructions was issued, where machine code ran. */
static ifl_status read_issued(const reading *r, const json_t *runs, size_t count,
                              ifl_sass_launch *out)
{
    uint64_t *issued = ifl_arena_alloc(r->arena, (count + 1) * sizeof *issued), first, last, warps;
    if (!issued)
        return ifl_fail_memory(r->error, count * sizeof *issued);
    memset(issued, 0, (count + 1) * sizeof *issued);
    for (size_t i = 0; i < json_array_size(runs); i++)
        if (run_of(json_array_get(runs, i), count, &first, &last, &warps))
            for (uint64_t at = first / IFL_CODE_BYTES; at <= last / IFL_CODE_BYTES; at++)
                issued[at] = warps;
    out->issued = issued;
    return IFL_OK;
}

static ifl_status read_report(const reading *r, const json_t *root, size_t instructions,
                              ifl_sass_launch *out)
{
    const json_t *launch = find_launch(root, r->kernel);
    uint64_t parted;
    if (!launch)
        return ifl_fail(r->error, IFL_BAD_INPUT,
                        "'%.300s' is not the JSON report of a launch of kernel '%.200s'", r->path,
                        r->kernel);
    const uint64_t threads = product(launch, "block"), grid = product(launch, "grid");
    out->warps = grid * ((threads + IFL_SASS_WARP_LANES - 1) / IFL_SASS_WARP_LANES);
    if (!out->warps || !json_is_true(json_object_get(launch, "complete")))
        return ifl_fail(r->error, IFL_BAD_INPUT, "'%.300s': the launch did not run to its end",
                        r->path);
    const json_t *runs = json_object_get(launch, "issued");
    if (json_array_size(runs))
        return read_issued(r, runs, instructions, out);
    out->uniform =
        count_of(json_object_get(launch, "counters"), "divergent_branches", &parted) && !parted;
    return read_lines(r, json_object_get(launch, "lines"), out);
}

static ifl_status load(const char *path, json_t **root, ifl_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    json_error_t at;
    const ifl_status status = ifl_file_read(path, LARGEST_REPORT, &text, &bytes, error);
    if (status != IFL_OK)
        return status;
    *root = json_loadb(text, bytes, 0, &at);
    free(text);
    if (*root)
        return IFL_OK;
    const ifl_place place = {.file = path, .line = at.line, .column = at.column};
    return ifl_fail_at(error, IFL_BAD_INPUT, &place, "not JSON: %s", at.text);
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
        const char *name = text_of(json_array_get(launches, *count), "kernel");
        (*names)[*count] = ifl_arena_text(arena, name, strlen(name));
        whole = (*names)[*count] != NULL;
    }
    json_decref(root);
    return whole ? IFL_OK : ifl_fail_memory(error, number * sizeof **names);
}

ifl_status ifl_sass_counts_read(const char *path, const char *kernel, size_t instructions,
                                ifl_arena *arena, ifl_sass_launch *out, ifl_error *error)
{
    const reading r = {path, kernel, arena, error};
    json_t *root;
    *out = (ifl_sass_launch){0};
    ifl_status status = load(path, &root, error);
    if (status != IFL_OK)
        return status;
    status = read_report(&r, root, instructions, out);
    json_decref(root);
    return status;
}
