/* SPDX-License-Identifier: Apache-2.0
 * What stands out in a profile, in words. The address patterns, their causes and remedies are the
 * four categories of the source document on memory access ("offset", "large stride", "contiguous
 * region", "irregular"). */
#include "advice/finding.h"

#include "advice/cause.h"
#include "advice/lanes.h"
#include "advice/local_memory.h"
#include "advice/merging.h"
#include "arch/units.h"
#include "base/figure.h"

#include <inttypes.h>
#include <string.h>

enum {
    MOST_FINDINGS = 5, /* of one kind */
    OWN_PERCENT = 5,   /* a row stands out when it spends this share of its own cost for nothing, */
    WHOLE_PERCENT = 1, /* and this share of the launch's; what is less does not repay a change */
    LANES_PERCENT = 90,
    DIVERGENT_PERCENT = 5,
    LONE_PERCENT = 20
};

static bool at_least(uint64_t part, unsigned percent, uint64_t whole)
{
    return whole && (double)part * 100.0 >= (double)percent * (double)whole;
}

/* ---- causes ---------------------------------------------------------------------------------- */

static const ifl_cause cause_of_pattern[IFL_PATTERN_COUNT] = {
    [IFL_PATTERN_NONE] = IFL_CAUSE_excess,         [IFL_PATTERN_COALESCED] = IFL_CAUSE_edges,
    [IFL_PATTERN_BROADCAST] = IFL_CAUSE_edges,     [IFL_PATTERN_OFFSET] = IFL_CAUSE_offset,
    [IFL_PATTERN_STRIDED] = IFL_CAUSE_strided,     [IFL_PATTERN_CONTIGUOUS] = IFL_CAUSE_contiguous,
    [IFL_PATTERN_IRREGULAR] = IFL_CAUSE_irregular, [IFL_PATTERN_ROWS] = IFL_CAUSE_rows,
};

typedef struct collector {
    const ifl_profile *profile;
    ifl_arena *arena;
    ifl_findings *out;
    uint64_t moved_bytes; /* of the launch, off chip */
    uint64_t wavefronts;  /* of the launch, shared */
    uint64_t requests, off_chip_requests;
    bool no_memory;
} collector;

/* A line's pattern is that of the space which the line names. */
static ifl_cause cause_off_chip(const collector *c, const ifl_place_row *row)
{
    const ifl_traffic_info *info = ifl_traffic_info_get(row->kind);
    const ifl_pattern_kind pattern = row->line->pattern.kind;
    if (info->space == IFL_SPACE_LOCAL)
        return IFL_CAUSE_local_order;
    if (info->space != row->line->space)
        return IFL_CAUSE_excess;
    if (pattern == IFL_PATTERN_OFFSET && ifl_profile_has_aligned(c->profile, row->line))
        return IFL_CAUSE_neighbours;
    return cause_of_pattern[pattern];
}

/* ---- findings -------------------------------------------------------------------------------- */

static ifl_finding finding_of(const collector *c, ifl_cause cause)
{
    const ifl_cause_row *row = ifl_cause_get(cause);
    return (ifl_finding){.rule = row->name,
                         .remedies = ifl_cause_remedies(c->arena, cause),
                         .source = "",
                         .figures = "",
                         .why = row->why,
                         .helps = row->helps};
}

static void add(collector *c, const ifl_finding *f)
{
    const bool whole = f->remedies && f->title && f->source && f->figures && f->why;
    if (!whole || !ifl_vec_push(&c->out->list, *f))
        c->no_memory = true;
}

/* "saxpy.cu:14, global store (×4): 32.0 sectors per request where 8.00 would do" */
static const char *title_of(const collector *c, const ifl_place_row *row, const char *headline)
{
    const char *name = ifl_place_name(c->arena, row->line->file, row->line->line);
    const char *one = ifl_traffic_info_get(row->kind)->one;
    if (!name || !headline)
        return NULL;
    if (row->instructions == 1)
        return ifl_arena_printf(c->arena, "%s, %s: %s", name, one, headline);
    return ifl_arena_printf(c->arena, "%s, %s (×%u): %s", name, one, row->instructions, headline);
}

static ifl_finding finding_at(const collector *c, ifl_cause cause, const ifl_place_row *row,
                              const char *headline)
{
    const ifl_traffic_info *info = ifl_traffic_info_get(row->kind);
    ifl_finding f = finding_of(c, cause);
    f.title = title_of(c, row, headline);
    f.file = row->line->file;
    f.line = row->line->line;
    f.space = ifl_space_text(info->space);
    f.kind = ifl_access_kind_text(info->kind);
    f.instructions = row->instructions;
    f.source = ifl_clean_line(c->arena, row->line->text);
    return f;
}

/* "32.0 sectors a request where 8.00 would do" */
static const char *headline_text(const collector *c, const ifl_place_row *row)
{
    const ifl_traffic *t = &row->traffic;
    const bool on_chip = ifl_traffic_info_get(row->kind)->on_chip;
    return ifl_arena_printf(
        c->arena, "%s %s per request where %s would do",
        ifl_figure_ratio(on_chip ? t->wavefronts : t->sectors, t->requests).text,
        on_chip ? "wavefronts" : "sectors",
        ifl_figure_ratio(on_chip ? t->wavefronts_ideal : t->sectors_ideal, t->requests).text);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static const char *off_chip_figures(const collector *c, const ifl_place_row *row)
{
    const uint64_t moved = row->traffic.sectors * IFL_SECTOR_BYTES;
    return ifl_arena_printf(c->arena, "%s of the %s moved is not needed (%s).",
                            ifl_figure_bytes(row->excess).text, ifl_figure_bytes(moved).text,
                            ifl_figure_percent(row->excess, moved).text);
}

/* The distance between lanes makes the general sentence a particular one. */
static const char *particular_why(const collector *c, ifl_cause cause, const ifl_place_row *row)
{
    const ifl_pattern *pattern = &row->line->pattern;
    const char *why = ifl_cause_get(cause)->why;
    const uint64_t words =
        (uint64_t)(pattern->stride_words < 0 ? -pattern->stride_words : pattern->stride_words);
    if (cause == IFL_CAUSE_strided && words)
        return ifl_arena_printf(
            c->arena,
            "The addresses of neighbouring threads are %s of %s apart, so each sector that moves "
            "serves few threads.",
            ifl_figure_counted(words, "word").text,
            ifl_figure_counted(row->line->access_bytes, "byte").text);
    if (cause == IFL_CAUSE_contiguous && !pattern->region_bytes)
        return ifl_arena_printf(c->arena, "%s The regions are not evenly spaced.", why);
    if (cause == IFL_CAUSE_contiguous)
        return ifl_arena_printf(c->arena, "%s A region has %s.", why,
                                ifl_figure_counted(pattern->region_bytes, "byte").text);
    return why;
}

static void add_off_chip(collector *c, const ifl_place_row *row)
{
    const ifl_cause cause = cause_off_chip(c, row);
    ifl_finding f = finding_at(c, cause, row, headline_text(c, row));
    f.figures = off_chip_figures(c, row);
    f.why = particular_why(c, cause, row);
    add(c, &f);
}

static bool atomic_stands_out(const collector *c, const ifl_place_row *row);

/* Atomics whose lanes meet are named as such, once: another order of the addresses would not part
 * them. */
static bool off_chip_stands_out(const collector *c, const ifl_place_row *row)
{
    return !atomic_stands_out(c, row) &&
           at_least(row->excess, OWN_PERCENT, row->traffic.sectors * IFL_SECTOR_BYTES) &&
           at_least(row->excess, WHOLE_PERCENT, c->moved_bytes) && row->excess;
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void add_on_chip(collector *c, const ifl_place_row *row)
{
    const ifl_cause cause = ifl_banks_are_random(row->line) ? IFL_CAUSE_irregular_banks
                            : ifl_banks_are_of_rows(c->profile, row->line)
                                ? IFL_CAUSE_rows_banks
                                : IFL_CAUSE_bank_conflicts;
    ifl_finding f = finding_at(c, cause, row, headline_text(c, row));
    f.figures = ifl_arena_printf(c->arena, "Bank conflicts: %s replays per request, %s in all.",
                                 ifl_figure_ratio(row->excess, row->traffic.requests).text,
                                 ifl_figure_count(row->excess).text);
    add(c, &f);
}

/* Of atomics on one word each lane is a pass, which no padding takes away. */
static bool is_on_one_word(const ifl_place_row *row)
{
    return ifl_traffic_info_get(row->kind)->kind == IFL_ACCESS_ATOMIC &&
           at_least(row->traffic.serial, 50, row->traffic.wavefronts);
}

static bool on_chip_stands_out(const collector *c, const ifl_place_row *row)
{
    return !is_on_one_word(row) && at_least(row->excess, OWN_PERCENT, row->traffic.wavefronts) &&
           at_least(row->excess, WHOLE_PERCENT, c->wavefronts) && row->excess;
}

static const char *busiest_part_text(const collector *c, const ifl_place_row *row)
{
    const uint64_t most = c->profile->counters.value[IFL_COUNTER_global_atomic_busiest_part];
    if (!most || ifl_traffic_info_get(row->kind)->on_chip)
        return "";
    return ifl_arena_printf(c->arena,
                            "The busiest 512 bytes of the L2 take %s passes, one after the other.",
                            ifl_figure_count(most).text);
}

static void add_atomic(collector *c, const ifl_place_row *row)
{
    const ifl_traffic *t = &row->traffic;
    ifl_finding f =
        finding_at(c, IFL_CAUSE_serial_atomics, row,
                   ifl_arena_printf(c->arena, "%s lanes of a request update the same word",
                                    ifl_figure_ratio(t->serial, t->requests).text));
    f.figures = busiest_part_text(c, row);
    add(c, &f);
}

static bool race_stands_out(const collector *c, const ifl_place_row *row)
{
    enum { LANES = 4 };
    return ifl_lanes_racing(c->profile, row->line) >= LANES &&
           at_least(row->traffic.requests, WHOLE_PERCENT, c->requests);
}

static void add_race(collector *c, const ifl_place_row *row)
{
    ifl_finding f =
        finding_at(c, IFL_CAUSE_racing_lanes, row,
                   ifl_arena_printf(c->arena, "%s lanes race for one word, in %s tries",
                                    ifl_figure_real(ifl_lanes_racing(c->profile, row->line)).text,
                                    ifl_figure_count(row->traffic.requests).text));
    add(c, &f);
}

static bool atomic_stands_out(const collector *c, const ifl_place_row *row)
{
    const ifl_traffic *t = &row->traffic;
    return at_least(t->serial, 150, t->requests) && at_least(t->serial, WHOLE_PERCENT, c->requests);
}

/* Of the requests to global memory at least a tenth, so that merging is not the lesser part. */
static bool merge_stands_out(const collector *c, const ifl_place_row *row)
{
    enum { TENTH = 10 };
    const ifl_traffic_info *info = ifl_traffic_info_get(row->kind);
    return info->kind == IFL_ACCESS_ATOMIC && info->space == IFL_SPACE_GLOBAL &&
           !atomic_stands_out(c, row) && ifl_blocks_merge(c->profile) &&
           at_least(row->traffic.requests, TENTH, c->off_chip_requests);
}

static void add_merge(collector *c, const ifl_place_row *row)
{
    const uint32_t *grid = c->profile->grid;
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    ifl_finding f = finding_at(c, IFL_CAUSE_merging_blocks, row,
                               ifl_arena_printf(c->arena, "%s update the same places",
                                                ifl_figure_counted(blocks, "block").text));
    f.figures = busiest_part_text(c, row);
    add(c, &f);
}

static bool lanes_are_scattered(const collector *c, const ifl_place_row *row, double *lanes)
{
    const ifl_access_kind kind = ifl_traffic_info_get(row->kind)->kind;
    return kind != IFL_ACCESS_ATOMIC &&
           ifl_lanes_are_scattered(c->profile, &row->traffic, row->line->access_bytes,
                                   row->instructions, lanes);
}

static bool scatter_stands_out(const collector *c, const ifl_place_row *row)
{
    double lanes;
    return at_least(row->traffic.requests, OWN_PERCENT, c->requests) &&
           lanes_are_scattered(c, row, &lanes);
}

static void add_scatter(collector *c, const ifl_place_row *row)
{
    double lanes = 0;
    lanes_are_scattered(c, row, &lanes);
    ifl_finding f = finding_at(c, IFL_CAUSE_scattered_lanes, row,
                               ifl_arena_printf(c->arena, "%s of 32 lanes take part in a request",
                                                ifl_figure_real(lanes).text));
    add(c, &f);
}

/* ---- the whole kernel ------------------------------------------------------------------------ */

static void add_local(collector *c)
{
    ifl_traffic t = ifl_traffic_get(&c->profile->counters, IFL_TRAFFIC_local_load);
    const ifl_traffic stores = ifl_traffic_get(&c->profile->counters, IFL_TRAFFIC_local_store);
    ifl_traffic_add(&t, &stores);
    const ifl_local_use use = ifl_local_use_of(c->profile);
    if (use == IFL_LOCAL_NONE ||
        !at_least(t.sectors * IFL_SECTOR_BYTES, WHOLE_PERCENT, c->moved_bytes))
        return;
    const bool spills = use == IFL_LOCAL_SPILLS;
    ifl_finding f = finding_of(c, spills ? IFL_CAUSE_spills : IFL_CAUSE_local_memory);
    f.space = ifl_space_text(IFL_SPACE_LOCAL);
    f.title =
        ifl_arena_printf(c->arena, "%s: %s request%s moved %s", spills ? "spills" : "local memory",
                         ifl_figure_count(t.requests).text, t.requests == 1 ? "" : "s",
                         ifl_figure_bytes(t.sectors * IFL_SECTOR_BYTES).text);
    add(c, &f);
}

static bool counter(const collector *c, ifl_counter which, uint64_t *value)
{
    *value = c->profile->counters.value[which];
    return c->profile->counters.known[which];
}

static const char *divergence_figures(const collector *c, bool *stands_out, bool *splits)
{
    uint64_t warps = 0, lanes = 0, branches = 0, split = 0;
    bool know_lanes = (counter(c, IFL_COUNTER_ptx_instructions, &warps) ||
                       counter(c, IFL_COUNTER_instructions, &warps)) &&
                      counter(c, IFL_COUNTER_thread_instructions, &lanes) && warps;
    bool know_split = counter(c, IFL_COUNTER_branches, &branches) &&
                      counter(c, IFL_COUNTER_divergent_branches, &split) && branches;
    *splits = know_split && at_least(split, DIVERGENT_PERCENT, branches);
    *stands_out = know_lanes ? !at_least(lanes, LANES_PERCENT, warps * IFL_WARP_LANES) : *splits;
    const char *lane_text =
        know_lanes
            ? ifl_arena_printf(c->arena, "On average %s of 32 lanes are active in an instruction.",
                               ifl_figure_ratio(lanes, warps).text)
            : "";
    const char *split_text =
        know_split ? ifl_arena_printf(c->arena, "%s of %s branches split a warp (%s).",
                                      ifl_figure_count(split).text, ifl_figure_count(branches).text,
                                      ifl_figure_percent(split, branches).text)
                   : "";
    if (!lane_text || !split_text)
        return NULL;
    return ifl_arena_printf(c->arena, "%s%s%s", lane_text, *lane_text && *split_text ? " " : "",
                            split_text);
}

static void add_divergence(collector *c)
{
    const uint32_t *block = c->profile->block;
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    bool stands_out = false, splits = false;
    const char *figures = divergence_figures(c, &stands_out, &splits);
    const bool are_lone =
        at_least((uint64_t)(1000 * ifl_lanes_lone_share(c->profile)), LONE_PERCENT, 1000);
    ifl_finding f = finding_of(c, are_lone                   ? IFL_CAUSE_lone_lanes
                                  : splits                   ? IFL_CAUSE_split_warps
                                  : threads % IFL_WARP_LANES ? IFL_CAUSE_partial_warps
                                                             : IFL_CAUSE_idle_lanes);
    f.title = "idle lanes";
    f.figures = figures;
    if (stands_out)
        add(c, &f);
}

/* ---- all ------------------------------------------------------------------------------------- */

typedef struct rule {
    bool (*stands_out)(const collector *c, const ifl_place_row *row);
    void (*add)(collector *c, const ifl_place_row *row);
} rule;

static void walk(collector *c, const ifl_places *places, const rule *by)
{
    size_t found = 0;
    for (size_t i = 0; i < places->rows.count; i++) {
        if (!by->stands_out(c, &places->rows.at[i]))
            continue;
        if (found++ < MOST_FINDINGS)
            by->add(c, &places->rows.at[i]);
        else
            c->out->left_out++;
    }
}

static void total_up(collector *c)
{
    for (ifl_traffic_kind kind = 0; kind < IFL_TRAFFIC_COUNT; kind++) {
        ifl_traffic t = ifl_traffic_get(&c->profile->counters, kind);
        c->requests += t.requests;
        c->off_chip_requests += ifl_traffic_info_get(kind)->on_chip ? 0 : t.requests;
        c->moved_bytes += t.sectors * IFL_SECTOR_BYTES;
        c->wavefronts += ifl_traffic_info_get(kind)->on_chip ? t.wavefronts : 0;
    }
}

ifl_status ifl_findings_collect(const ifl_profile *profile, const ifl_places *off_chip,
                                const ifl_places *on_chip, ifl_arena *arena, ifl_findings *out,
                                ifl_error *error)
{
    static const rule bytes = {off_chip_stands_out, add_off_chip},
                      banks = {on_chip_stands_out, add_on_chip},
                      atomics = {atomic_stands_out, add_atomic},
                      merges = {merge_stands_out, add_merge}, races = {race_stands_out, add_race},
                      scatter = {scatter_stands_out, add_scatter};
    collector c = {.profile = profile, .arena = arena, .out = out};
    *out = (ifl_findings){0};
    total_up(&c);
    walk(&c, off_chip, &bytes);
    walk(&c, on_chip, &banks);
    walk(&c, off_chip, &atomics);
    walk(&c, on_chip, &atomics);
    walk(&c, off_chip, &merges);
    walk(&c, on_chip, &races);
    walk(&c, on_chip, &scatter);
    add_local(&c);
    add_divergence(&c);
    if (!c.no_memory)
        return IFL_OK;
    ifl_findings_free(out);
    return ifl_fail_memory(error, sizeof(ifl_finding));
}

void ifl_findings_free(ifl_findings *findings)
{
    ifl_vec_free(&findings->list);
}
