/* SPDX-License-Identifier: Apache-2.0
 * Gathering, joining and ranking of the memory instructions of a profile. */
#include "profile/place.h"

#include "base/figure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *ifl_place_name(ifl_arena *arena, const char *file, uint32_t line)
{
    const char *slash = strrchr(file, '/');
    const char *name = ifl_clean_line(arena, slash && slash[1] ? slash + 1 : file);
    return name && line ? ifl_arena_printf(arena, "%s:%" PRIu32, name, line) : name;
}

bool ifl_place_same_line(const ifl_profile_line *a, const ifl_profile_line *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

static bool makes_requests(const ifl_profile_line *line)
{
    for (ifl_traffic_kind kind = 0; kind < IFL_TRAFFIC_COUNT; kind++)
        if (ifl_traffic_get(&line->counters, kind).requests)
            return true;
    return false;
}

static bool add_line(const ifl_profile *profile, size_t index, bool on_chip, ifl_places *out)
{
    const ifl_profile_line *line = &profile->lines.at[index];
    for (ifl_traffic_kind kind = 0; kind < IFL_TRAFFIC_COUNT; kind++) {
        if (ifl_traffic_info_get(kind)->on_chip != on_chip)
            continue;
        ifl_place_row row = {.line = line, .order = index, .kind = kind, .instructions = 1};
        row.traffic = ifl_traffic_get(&line->counters, kind);
        row.excess = ifl_traffic_excess(&row.traffic, kind);
        if (row.traffic.requests && !ifl_vec_push(&out->rows, row))
            return false;
    }
    return true;
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const ifl_profile_line *a, const ifl_profile_line *b)
{
    int file = strcmp(a->file, b->file);
    return file ? file : compare_u64(a->line, b->line);
}

/* Rows that compare equal here are alike: shown as one. */
static int compare_likeness(const ifl_place_row *a, const ifl_place_row *b)
{
    int order = compare_places(a->line, b->line);
    if (!order)
        order = (int)a->kind - (int)b->kind;
    if (!order)
        order = strcmp(a->line->op, b->line->op);
    if (!order)
        order = strcmp(a->line->inlined_from, b->line->inlined_from);
    if (!order)
        order = (int)a->line->pattern.kind - (int)b->line->pattern.kind;
    if (!order)
        order = (a->line->pattern.stride_words > b->line->pattern.stride_words) -
                (a->line->pattern.stride_words < b->line->pattern.stride_words);
    return order ? order
                 : compare_u64(a->line->pattern.region_bytes, b->line->pattern.region_bytes);
}

static int by_likeness(const void *left, const void *right)
{
    const ifl_place_row *a = left, *b = right;
    int order = compare_likeness(a, b);
    return order ? order : compare_u64(a->order, b->order);
}

static void join_alike(ifl_places *places)
{
    size_t kept = 0;
    for (size_t i = 0; i < places->rows.count; i++) {
        ifl_place_row *row = &places->rows.at[i], *last = kept ? &places->rows.at[kept - 1] : NULL;
        if (!last || compare_likeness(last, row) != 0) {
            places->rows.at[kept++] = *row;
            continue;
        }
        ifl_traffic_add(&last->traffic, &row->traffic);
        last->excess += row->excess;
        last->instructions += row->instructions;
    }
    places->rows.count = kept;
}

/* A source line's rows in one array, so that lines can be sorted as a whole. */
typedef struct group {
    size_t first, count, order;
    uint64_t excess;
} group;

static int by_excess(const void *left, const void *right)
{
    const ifl_place_row *a = left, *b = right;
    return a->excess != b->excess ? -compare_u64(a->excess, b->excess)
                                  : compare_u64(a->order, b->order);
}

static int groups_by_excess(const void *left, const void *right)
{
    const group *a = left, *b = right;
    return a->excess != b->excess ? -compare_u64(a->excess, b->excess)
                                  : compare_u64(a->order, b->order);
}

static group group_at(ifl_places *places, size_t first)
{
    group found = {.first = first, .order = SIZE_MAX};
    const ifl_place_row *rows = places->rows.at;
    for (size_t i = first;
         i < places->rows.count && ifl_place_same_line(rows[first].line, rows[i].line); i++) {
        found.count++;
        found.excess += rows[i].excess;
        found.order = rows[i].order < found.order ? rows[i].order : found.order;
    }
    qsort(places->rows.at + first, found.count, sizeof *places->rows.at, by_excess);
    return found;
}

static ifl_status rank(ifl_places *places, ifl_error *error)
{
    size_t count = places->rows.count, groups = 0, at = 0;
    ifl_place_row *sorted = malloc(count * sizeof *sorted);
    group *group_of = malloc(count * sizeof *group_of);
    if (sorted && group_of) {
        for (size_t first = 0; first < count; first += group_of[groups++].count)
            group_of[groups] = group_at(places, first);
        qsort(group_of, groups, sizeof *group_of, groups_by_excess);
        for (size_t i = 0; i < groups; at += group_of[i++].count)
            memcpy(sorted + at, places->rows.at + group_of[i].first,
                   group_of[i].count * sizeof *sorted);
        memcpy(places->rows.at, sorted, count * sizeof *sorted);
    }
    ifl_status status =
        sorted && group_of ? IFL_OK : ifl_fail_memory(error, count * sizeof *sorted);
    free(sorted);
    free(group_of);
    return status;
}

ifl_status ifl_places_gather(const ifl_profile *profile, bool on_chip, ifl_places *out,
                             ifl_error *error)
{
    *out = (ifl_places){0};
    for (size_t i = 0; i < profile->lines.count; i++) {
        out->idle += !makes_requests(&profile->lines.at[i]);
        if (!add_line(profile, i, on_chip, out)) {
            ifl_places_free(out);
            return ifl_fail_memory(error, sizeof *out->rows.at);
        }
    }
    if (!out->rows.count)
        return IFL_OK;
    qsort(out->rows.at, out->rows.count, sizeof *out->rows.at, by_likeness);
    join_alike(out);
    ifl_status status = rank(out, error);
    if (status != IFL_OK)
        ifl_places_free(out);
    return status;
}

void ifl_places_free(ifl_places *places)
{
    ifl_vec_free(&places->rows);
}
