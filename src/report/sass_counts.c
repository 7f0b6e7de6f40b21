/* SPDX-License-Identifier: Apache-2.0
 * How often a kernel's blocks ran, from the JSON report of a launch of it. The warps of the grid
 * enter the first block; a memory instruction's requests, found by its source line, tell of its
 * block; what follows from these is known, the rest is not. Knows the JSON report's shape:
 * docs/json.md. */
#include "report/report_sass.h"

#include "base/file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_REPORT = 1 << 30, NONE = IFL_SASS_OTHER };

typedef struct count_work {
    const ifl_sass_facts *facts;
    ifl_sass_counts *counts;
    json_t *lines;
    uint32_t *before; /* of each block: how many blocks lead to it */
} count_work;

/* The kinds of access that a line of the report and an instruction can have in common. */
static const struct {
    const char *space, *kind;
    const char *requests; /* the counter's name */
    uint8_t classes[2];
} accesses[] = {
    {"global", "load", "global_load_requests", {IFL_SASS_LOAD_GLOBAL, IFL_SASS_LOAD_GENERIC}},
    {"global", "store", "global_store_requests", {IFL_SASS_STORE_GLOBAL, IFL_SASS_STORE_GENERIC}},
    {"global", "atomic", "global_atomic_requests", {IFL_SASS_ATOMIC_GLOBAL, NONE}},
    {"shared", "load", "shared_load_requests", {IFL_SASS_LOAD_SHARED, NONE}},
    {"shared", "store", "shared_store_requests", {IFL_SASS_STORE_SHARED, NONE}},
    {"shared", "atomic", "shared_atomic_requests", {IFL_SASS_ATOMIC_SHARED, NONE}},
};

enum { ACCESSES = sizeof accesses / sizeof *accesses };

/* ---- what the report says of a line ---------------------------------------------------------- */

typedef struct line_count {
    uint64_t requests; /* of each of its PTX instructions */
    uint64_t bytes;    /* a lane, of all */
    bool same, any;    /* are the requests the same for all? */
} line_count;

static bool text_is(const json_t *object, const char *key, const char *wanted)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && strcmp(text, wanted) == 0;
}

static bool file_is(const json_t *line, const char *file)
{
    const char *path = json_string_value(json_object_get(line, "file"));
    const char *slash = path ? strrchr(path, '/') : NULL;
    return path && strcmp(slash ? slash + 1 : path, file) == 0;
}

/* What a generic address meets is counted as global: docs/counters.md. */
static bool space_is(const json_t *line, const char *space)
{
    return text_is(line, "space", space) ||
           (text_is(line, "space", "generic") && strcmp(space, "global") == 0);
}

static bool line_is(const json_t *line, size_t access, const char *file, uint32_t number)
{
    return json_integer_value(json_object_get(line, "line")) == number && file_is(line, file) &&
           space_is(line, accesses[access].space) && text_is(line, "kind", accesses[access].kind);
}

static line_count count_line(const count_work *w, size_t access, const char *file, uint32_t number)
{
    line_count found = {.same = true};
    size_t index;
    json_t *line;
    json_array_foreach(w->lines, index, line)
    {
        if (!line_is(line, access, file, number))
            continue;
        const json_t *counters = json_object_get(line, "counters");
        const json_int_t requests =
            json_integer_value(json_object_get(counters, accesses[access].requests));
        if (requests < 0 || (found.any && (uint64_t)requests != found.requests))
            found.same = false;
        found.any = true;
        found.requests = requests < 0 ? 0 : (uint64_t)requests;
        found.bytes += (uint64_t)json_integer_value(json_object_get(line, "access_bytes"));
    }
    return found;
}

/* ---- what the machine code has of the same line ---------------------------------------------- */

static bool is_access(const ifl_sass_instruction *instruction, size_t access)
{
    const uint8_t class = instruction->sass_class;
    return class != NONE &&
           (class == accesses[access].classes[0] || class == accesses[access].classes[1]);
}

static bool always_runs(const ifl_sass_instruction *instruction)
{
    enum { ALWAYS = 7 };
    return instruction->guard == ALWAYS && !instruction->guard_negated;
}

/* Sums the bytes of a lane in all such instructions of the line. False where they are in several
 * blocks, or where some may be passed over. */
static bool same_block(const count_work *w, size_t access, uint32_t block,
                       const ifl_machine_line *at, uint64_t *bytes)
{
    const ifl_sass_kernel *kernel = &w->facts->kernel;
    for (uint32_t b = 0; b < kernel->block_count; b++)
        for (size_t i = kernel->blocks[b].first; i < kernel->blocks[b].last; i++) {
            const ifl_sass_instruction *instruction = &kernel->instructions[i];
            if (!is_access(instruction, access))
                continue;
            const ifl_machine_line *line = ifl_machine_line_at(kernel->kernel, instruction->offset);
            if (!line || line->file != at->file || line->line != at->line)
                continue;
            if (b != block || !always_runs(instruction))
                return false;
            *bytes += instruction->memory_bytes;
        }
    return true;
}

static void know(ifl_sass_counts *counts, uint32_t block, uint64_t count)
{
    counts->known[block] = true;
    counts->block[block] = count;
}

/* The accesses of a line are those of the PTX, none unrolled further or removed, where a lane's
 * bytes are the same; joined into wider ones they run as often as each did. */
static void learn_from(count_work *w, uint32_t block, size_t i)
{
    const ifl_sass_kernel *kernel = &w->facts->kernel;
    const ifl_sass_instruction *instruction = &kernel->instructions[i];
    const ifl_machine_line *at = ifl_machine_line_at(kernel->kernel, instruction->offset);
    for (size_t access = 0; at && access < ACCESSES; access++) {
        uint64_t bytes = 0;
        if (!is_access(instruction, access))
            continue;
        const line_count line =
            count_line(w, access, ifl_sass_file_of(w->facts->machine, at), at->line);
        if (line.any && line.same && same_block(w, access, block, at, &bytes) &&
            bytes == line.bytes)
            know(w->counts, block, line.requests);
    }
}

static void learn_blocks(count_work *w)
{
    const ifl_sass_kernel *kernel = &w->facts->kernel;
    for (uint32_t b = 0; b < kernel->block_count; b++)
        for (size_t i = kernel->blocks[b].first; kernel->reached[b] && i < kernel->blocks[b].last;
             i++)
            if (!w->counts->known[b])
                learn_from(w, b, i);
}

/* ---- what follows ---------------------------------------------------------------------------- */

/* The one block that a block leads to; UINT32_MAX: none, or not for all of its warps. */
static uint32_t only_successor(const ifl_sass_kernel *kernel, const ifl_sass_block *block)
{
    const uint32_t a = block->successor[0], b = block->successor[1];
    if (kernel->instructions[block->last - 1].sass_class == IFL_SASS_EXIT_CLASS)
        return UINT32_MAX;
    return a == UINT32_MAX ? b : b == UINT32_MAX ? a : UINT32_MAX;
}

/* A block that only leads to another, to which nothing else leads, runs as often as that one. */
static bool follow(count_work *w, uint32_t b)
{
    const ifl_sass_kernel *kernel = &w->facts->kernel;
    const uint32_t to = only_successor(kernel, &kernel->blocks[b]);
    if (to == UINT32_MAX || to == 0 || w->before[to] != 1 ||
        w->counts->known[b] == w->counts->known[to])
        return false;
    if (w->counts->known[b])
        know(w->counts, to, w->counts->block[b]);
    else
        know(w->counts, b, w->counts->block[to]);
    return true;
}

static void sum_up(count_work *w)
{
    const ifl_sass_kernel *kernel = &w->facts->kernel;
    w->counts->all = true;
    for (uint32_t b = 0; b < kernel->block_count; b++) {
        if (!kernel->reached[b])
            continue;
        w->counts->all &= w->counts->known[b];
        if (w->counts->known[b])
            w->counts->executed +=
                w->counts->block[b] * (kernel->blocks[b].last - kernel->blocks[b].first);
    }
}

static void count_before(count_work *w)
{
    const ifl_sass_kernel *kernel = &w->facts->kernel;
    for (size_t b = 0; b < kernel->block_count; b++)
        for (int s = 0; kernel->reached[b] && s < 2; s++)
            if (kernel->blocks[b].successor[s] != UINT32_MAX)
                w->before[kernel->blocks[b].successor[s]]++;
}

static void derive(count_work *w, uint64_t warps)
{
    count_before(w);
    if (!w->before[0])
        know(w->counts, 0, warps);
    learn_blocks(w);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < w->facts->kernel.block_count; b++)
            changed |= follow(w, b);
    }
    sum_up(w);
}

/* ---- the file -------------------------------------------------------------------------------- */

static uint64_t product(const json_t *launch, const char *key)
{
    const json_t *size = json_object_get(launch, key);
    uint64_t all = json_array_size(size) == 3;
    for (size_t i = 0; i < 3 && all; i++)
        all *= (uint64_t)json_integer_value(json_array_get(size, i));
    return all;
}

static json_t *find_launch(json_t *root, const char *kernel)
{
    size_t index;
    json_t *launch;
    json_array_foreach(json_object_get(root, "launches"), index,
                       launch) if (text_is(launch, "kernel", kernel)) return launch;
    return NULL;
}

static ifl_status count_launch(count_work *w, json_t *launch, uint64_t warps, ifl_arena *arena,
                               ifl_error *error)
{
    const size_t blocks = w->facts->kernel.block_count;
    w->lines = json_object_get(launch, "lines");
    w->counts->block = ifl_arena_alloc(arena, blocks * sizeof *w->counts->block);
    w->counts->known = ifl_arena_alloc(arena, blocks * sizeof *w->counts->known);
    w->before = calloc(blocks + 1, sizeof *w->before);
    const bool whole = w->counts->block && w->counts->known && w->before;
    if (whole && blocks)
        derive(w, warps);
    free(w->before);
    return whole ? IFL_OK : ifl_fail_memory(error, blocks * sizeof *w->counts->block);
}

static ifl_status use_report(const ifl_sass_facts *facts, json_t *root, const char *path,
                             ifl_arena *arena, ifl_sass_counts *out, ifl_error *error)
{
    const char *kernel = facts->kernel.kernel->name;
    json_t *launch = find_launch(root, kernel);
    if (!launch)
        return ifl_fail(error, IFL_BAD_INPUT,
                        "'%.300s' is not the JSON report of a launch of kernel '%.200s'", path,
                        kernel);
    const uint64_t threads = product(launch, "block"), grid = product(launch, "grid");
    const uint64_t warps = grid * ((threads + IFL_SASS_WARP_LANES - 1) / IFL_SASS_WARP_LANES);
    if (!warps || !json_is_true(json_object_get(launch, "complete")))
        return ifl_fail(error, IFL_BAD_INPUT, "'%.300s': the launch did not run to its end", path);
    count_work w = {.facts = facts, .counts = out};
    return count_launch(&w, launch, warps, arena, error);
}

ifl_status ifl_sass_counts_read(const ifl_sass_facts *facts, const char *path, ifl_arena *arena,
                                ifl_sass_counts *out, ifl_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    json_error_t at;
    ifl_status status = ifl_file_read(path, LARGEST_REPORT, &text, &bytes, error);
    if (status != IFL_OK)
        return status;
    json_t *root = json_loadb(text, bytes, 0, &at);
    free(text);
    if (!root) {
        const ifl_place place = {.file = path, .line = at.line, .column = at.column};
        return ifl_fail_at(error, IFL_BAD_INPUT, &place, "not JSON: %s", at.text);
    }
    status = use_report(facts, root, path, arena, out, error);
    json_decref(root);
    return status;
}
