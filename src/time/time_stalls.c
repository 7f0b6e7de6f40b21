/* SPDX-License-Identifier: Apache-2.0
 * See time_stalls.h. Knows sites and their lines, not why a warp stood there. */
#include "time/time_stalls.h"

#include "time/time_costs.h"

#include <stdlib.h>
#include <string.h>

/* ---- one instruction ------------------------------------------------------------------------- */

static uint64_t stalled(const ifl_site_stalls *s)
{
    uint64_t sum = 0;
    for (int i = 0; i < IFL_STALLS; i++)
        sum += i == IFL_STALL_selected ? 0 : s->cycles[i];
    return sum;
}

/* With the texts of the code, which are not the profile's yet. */
static ifl_stalled_site describe_site(const ifl_sites *sites, size_t i, const ifl_site_stalls *s,
                                      double issue_cycles)
{
    const ifl_site *site = &sites->at[i];
    const ifl_source *place = site->place && site->place < sites->place_count
                                  ? ifl_site_own_source(sites, &sites->places[site->place])
                                  : NULL;
    ifl_stalled_site one = {.op = site->name,
                            .function = site->function,
                            .address = site->address,
                            .space = site->access.space,
                            .kind = site->access.kind,
                            .issued = s->issued};
    if (place && place->line && place->file < sites->file_count) {
        one.file = sites->files[place->file];
        one.line = place->line;
    }
    for (int r = 0; r < IFL_STALLS && issue_cycles > 0; r++)
        one.stalls[r] = (double)s->cycles[r] / issue_cycles;
    return one;
}

/* Of all instructions before which warps stood still, whose count is returned. */
static size_t list_sites(const ifl_sites *sites, const ifl_sm_outcome *o, ifl_stalled_site *to)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < sites->count; i++)
        sum += (double)stalled(&o->sites[i]);
    for (size_t i = 0; i < sites->count; i++) {
        const double own = (double)stalled(&o->sites[i]);
        if (own <= 0)
            continue;
        to[count] = describe_site(sites, i, &o->sites[i], (double)o->issue_cycles);
        to[count++].share = own / sum;
    }
    return count;
}

/* ---- source lines ---------------------------------------------------------------------------- */

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_share(const void *a, const void *b)
{
    const ifl_stalled_site *x = a, *y = b;
    return x->share != y->share ? compare(y->share, x->share)
                                : (x->address > y->address) - (x->address < y->address);
}

static const char *file_of(const ifl_stalled_site *site)
{
    return site->file ? site->file : "";
}

/* Those without a line first; of a line, the instruction with most first. */
static int by_line(const void *a, const void *b)
{
    const ifl_stalled_site *x = a, *y = b;
    const int file = strcmp(file_of(x), file_of(y));
    return file                 ? file
           : x->line != y->line ? (x->line > y->line) - (x->line < y->line)
                                : by_share(a, b);
}

static bool is_same_line(const ifl_stalled_site *a, const ifl_stalled_site *b)
{
    return a->line && a->line == b->line && strcmp(a->file, b->file) == 0;
}

static void add(ifl_stalled_site *to, const ifl_stalled_site *from)
{
    to->issued += from->issued;
    to->share += from->share;
    for (int r = 0; r < IFL_STALLS; r++)
        to->stalls[r] += from->stalls[r];
}

/* The instructions of a line become one, the first of them. */
static size_t join_lines(ifl_stalled_site *at, size_t count)
{
    size_t kept = 0;
    qsort(at, count, sizeof *at, by_line);
    for (size_t i = 0; i < count; i++) {
        if (kept && is_same_line(&at[kept - 1], &at[i]))
            add(&at[kept - 1], &at[i]);
        else
            at[kept++] = at[i];
    }
    return kept;
}

/* ---- into the profile ------------------------------------------------------------------------ */

/* The text's copy; most have that of the one before. */
static const char *copied(ifl_profile *profile, const char *text, const char *before)
{
    if (!text || (before && strcmp(text, before) == 0))
        return text ? before : NULL;
    return ifl_arena_text(&profile->arena, text, strlen(text));
}

/* Those with enough of all, the worst first; NULL without memory. */
static ifl_stalled_site *keep(ifl_stalled_site *from, size_t count, ifl_profile *profile,
                              size_t *kept)
{
    ifl_stalled_site before = {0}, *to;
    if (count)
        qsort(from, count, sizeof *from, by_share);
    for (*kept = 0; *kept < count && from[*kept].share >= ifl_sm_constant.least_stalled; ++*kept)
        continue;
    to = ifl_arena_alloc(&profile->arena, (*kept + 1) * sizeof *to);
    for (size_t i = 0; to && i < *kept; i++) {
        to[i] = from[i];
        to[i].op = copied(profile, from[i].op, before.op);
        to[i].function = copied(profile, from[i].function, before.function);
        to[i].file = copied(profile, from[i].file, before.file);
        if (!to[i].op || !to[i].function || (from[i].file && !to[i].file))
            return NULL;
        before = to[i];
    }
    return to;
}

bool ifl_time_stalls_take(const ifl_sites *sites, const ifl_sm_outcome *outcome,
                          ifl_profile *profile, ifl_time_facts *to)
{
    ifl_stalled_site *all = calloc(sites->count + 1, sizeof *all);
    if (!all)
        return false;
    const size_t count = list_sites(sites, outcome, all);
    for (size_t i = 0; i < sites->count; i++)
        for (int r = 0; r < IFL_STALLS && outcome->issue_cycles; r++)
            to->stalls[r] += (double)outcome->sites[i].cycles[r] / (double)outcome->issue_cycles;
    to->sites = keep(all, count, profile, &to->site_count);
    to->lines = keep(all, join_lines(all, count), profile, &to->line_count);
    free(all);
    return to->sites && to->lines;
}
