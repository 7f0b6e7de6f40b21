/* SPDX-License-Identifier: Apache-2.0
 * See runtime_layout.h. */
#include "audit/runtime_layout.h"

#include <stdlib.h>

/* ---- search ---------------------------------------------------------------------------------- */

static const uint64_t FNV_START = 0xcbf29ce484222325, FNV_PRIME = 0x100000001b3;

static uint64_t add_to_hash(uint64_t hash, uint32_t word)
{
    for (int shift = 0; shift < 32; shift += 8)
        hash = (hash ^ (word >> shift & 0xff)) * FNV_PRIME;
    return hash;
}

uint64_t ifl_starts_hash(const uint32_t *distances, size_t count)
{
    uint64_t hash = FNV_START;
    for (size_t i = 0; i < count; i++)
        hash = add_to_hash(hash, distances[i]);
    return hash;
}

static uint32_t distance(const ifl_function_start *from, const ifl_function_start *to)
{
    return (uint32_t)to->start - (uint32_t)from->start;
}

static bool is_copy(const ifl_function_start *starts, const ifl_runtime_layout *layout)
{
    uint64_t hash = FNV_START;
    if (distance(starts, starts + layout->functions - 1) != layout->span)
        return false;
    for (size_t i = 0; i < layout->functions; i++)
        hash = add_to_hash(hash, distance(starts, starts + i));
    return hash == layout->starts;
}

bool ifl_layout_find(const ifl_object_file *file, const ifl_runtime_layout *layout, uint64_t *first,
                     uint64_t *before)
{
    size_t count = 0, found = 0;
    uint64_t table = 0;
    const ifl_function_start *starts = ifl_object_starts(file, &count, &table);
    for (size_t i = 0; starts && layout->functions && i + layout->functions <= count; i++)
        if (is_copy(starts + i, layout)) {
            *first = table + (uint64_t)(int64_t)starts[i].start;
            *before = i ? table + (uint64_t)(int64_t)starts[i - 1].start : 0;
            found++;
        }
    return found == 1;
}

/* ---- builds that are known ------------------------------------------------------------------- */

#define NOT_THERE UINT32_MAX
#define BEFORE IFL_LAYOUT_BEFORE

static const char *const names[] = {
#define BUILD(...)
#define PART(...)
#define CALL(name, ...) #name,
#include "audit/runtime_layout.def"
#undef CALL
#undef PART
#undef BUILD
};
static const ifl_runtime_layout builds[] = {
#define BUILD(functions, span, starts) {functions, span, starts, false, NULL, 0},
#define PART(functions, span, starts) {functions, span, starts, true, NULL, 0},
#define CALL(...)
#include "audit/runtime_layout.def"
#undef CALL
#undef PART
#undef BUILD
};
enum { NAMES = sizeof names / sizeof *names, BUILDS = sizeof builds / sizeof *builds };

static const uint32_t offsets[NAMES][BUILDS] = {
#define BUILD(...)
#define PART(...)
#define CALL(name, ...) {__VA_ARGS__},
#include "audit/runtime_layout.def"
#undef CALL
#undef PART
#undef BUILD
};

bool ifl_layout_known(size_t index, ifl_runtime_layout *out)
{
    if (index >= BUILDS)
        return false;
    *out = builds[index];
    out->calls = calloc(NAMES, sizeof *out->calls);
    for (size_t i = 0; i < NAMES && out->calls; i++)
        if (offsets[i][index] != NOT_THERE)
            out->calls[out->call_count++] = (ifl_layout_call){names[i], offsets[i][index]};
    return out->calls;
}
