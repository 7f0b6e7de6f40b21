/* SPDX-License-Identifier: Apache-2.0
 * Joins the memory instructions of two runs of one launch, of its PTX and of its machine code.
 * Knows profiles only. */
#include "profile/code_difference.h"

#include "base/file.h"
#include "profile/profile.h"
#include "profile/traffic.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text, *sentence;
} changes[IFL_CHANGES] = {
#define CHANGE(name, text, sentence) [IFL_CHANGE_##name] = {text, sentence},
#include "profile/code_difference.def"
};

const char *ifl_code_change_text(ifl_code_change change)
{
    return changes[change].text;
}

ifl_code_change ifl_code_change_named(const char *text)
{
    int change = 0;
    while (change < IFL_CHANGES && strcmp(changes[change].text, text) != 0)
        change++;
    return (ifl_code_change)change;
}

const char *ifl_code_change_sentence(ifl_code_change change)
{
    return changes[change].sentence;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Without line information PTX is its own source, and machine code has none. */
static bool has_source(const ifl_profile *profile, const ifl_profile_line *line)
{
    const bool is_ptx =
        line->line == line->ptx_line &&
        strcmp(ifl_file_last_name(line->file), ifl_file_last_name(profile->file)) == 0;
    return line->line && !is_ptx;
}

static bool has_lines(const ifl_profile *profile)
{
    for (size_t i = 0; i < profile->lines.count; i++)
        if (has_source(profile, &profile->lines.at[i]))
            return true;
    return false;
}

static ifl_code_side side_of(const ifl_profile_line *line, ifl_traffic_kind traffic)
{
    const ifl_traffic t = ifl_traffic_get(&line->counters, traffic);
    return (ifl_code_side){.instructions = 1,
                           .requests = t.requests,
                           .bytes = t.useful_bytes,
                           .moved =
                               ifl_traffic_info_get(traffic)->on_chip ? t.wavefronts : t.sectors};
}

/* Those that ran, with a place each; returns how many there are. */
static size_t list_side(const ifl_profile *profile, bool with_lines, bool is_machine,
                        ifl_code_difference *list)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->lines.count; i++) {
        const ifl_profile_line *line = &profile->lines.at[i];
        const ifl_traffic_kind traffic = ifl_traffic_find(line->space, line->kind);
        if (traffic == IFL_TRAFFIC_COUNT || !ifl_traffic_get(&line->counters, traffic).requests)
            continue;
        ifl_code_difference *d = &list[count++];
        *d = (ifl_code_difference){.traffic = traffic};
        d->file = with_lines ? ifl_file_last_name(line->file) : NULL;
        d->line = with_lines ? line->line : 0;
        *(is_machine ? &d->machine : &d->ptx) = side_of(line, traffic);
    }
    return count;
}

static int by_place(const void *x, const void *y)
{
    const ifl_code_difference *a = x, *b = y;
    const int file = a->file && b->file ? strcmp(a->file, b->file) : 0;
    if (file || a->line != b->line)
        return file ? file : a->line < b->line ? -1 : 1;
    return (int)a->traffic - (int)b->traffic;
}

static void add_side(ifl_code_side *to, const ifl_code_side *from)
{
    to->instructions += from->instructions;
    to->requests += from->requests;
    to->bytes += from->bytes;
    to->moved += from->moved;
}

/* Adds up what stands in one place; the list is in order. Returns how many are left. */
static size_t join(ifl_code_difference *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!kept || by_place(&list[kept - 1], &list[i]) != 0) {
            list[kept++] = list[i];
            continue;
        }
        add_side(&list[kept - 1].ptx, &list[i].ptx);
        add_side(&list[kept - 1].machine, &list[i].machine);
    }
    return kept;
}

/* ---- what became of them --------------------------------------------------------------------- */

static ifl_code_change judge(const ifl_code_difference *d)
{
    if (!d->machine.instructions)
        return IFL_CHANGE_REMOVED;
    if (!d->ptx.instructions)
        return ifl_traffic_info_get(d->traffic)->space == IFL_SPACE_LOCAL ? IFL_CHANGE_SPILLED
                                                                          : IFL_CHANGE_ADDED;
    if (d->machine.bytes != d->ptx.bytes)
        return d->machine.bytes < d->ptx.bytes ? IFL_CHANGE_FEWER : IFL_CHANGE_MORE;
    if (d->machine.requests != d->ptx.requests)
        return d->machine.requests < d->ptx.requests ? IFL_CHANGE_MERGED : IFL_CHANGE_SPLIT;
    return d->machine.instructions == d->ptx.instructions  ? IFL_CHANGE_SAME
           : d->machine.instructions > d->ptx.instructions ? IFL_CHANGE_UNROLLED
                                                           : IFL_CHANGE_JOINED;
}

static bool keep(ifl_profile *profile, ifl_code_difference d)
{
    d.change = judge(&d);
    if (d.change == IFL_CHANGE_SAME)
        return true;
    if (d.file && !(d.file = ifl_arena_text(&profile->arena, d.file, strlen(d.file))))
        return false;
    return ifl_vec_push(&profile->ptx.differences, d);
}

ifl_status ifl_profile_compare_code(ifl_profile *profile, const ifl_profile *ptx, ifl_error *error)
{
    const size_t most = profile->lines.count + ptx->lines.count;
    const bool with_lines = has_lines(profile) && has_lines(ptx);
    ifl_code_difference *list = calloc(most + 1, sizeof *list);
    if (!list)
        return ifl_fail_memory(error, most * sizeof *list);
    size_t count = list_side(ptx, with_lines, false, list);
    count += list_side(profile, with_lines, true, list + count);
    qsort(list, count, sizeof *list, by_place);
    count = join(list, count);
    ifl_vec_free(&profile->ptx.differences);
    profile->ptx.known = true;
    profile->ptx.has_lines = with_lines;
    profile->ptx.counters = ptx->counters;
    bool kept = true;
    for (size_t i = 0; i < count && kept; i++)
        kept = keep(profile, list[i]);
    free(list);
    return kept ? IFL_OK : ifl_fail_memory(error, sizeof *list);
}
