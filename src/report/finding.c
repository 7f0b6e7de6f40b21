/* SPDX-License-Identifier: Apache-2.0
 * What stands out in a profile, in words. The address patterns, their causes and remedies are the
 * four categories of the source document on memory access ("offset", "large stride", "contiguous
 * region", "irregular"). */
#include "report/finding.h"

#include "arch/units.h"
#include "report/figure.h"

#include <inttypes.h>
#include <string.h>

enum {
    MOST_FINDINGS = 5, /* of one kind */
    OWN_PERCENT = 5,   /* a row stands out when it spends this share of its own cost for nothing, */
    WHOLE_PERCENT = 1, /* and this share of the launch's; what is less does not repay a change */
    LANES_PERCENT = 90,
    DIVERGENT_PERCENT = 5
};

static bool at_least(uint64_t part, unsigned percent, uint64_t whole)
{
    return whole && (double)part * 100.0 >= (double)percent * (double)whole;
}

/* ---- words for patterns ---------------------------------------------------------------------- */

typedef struct pattern_words {
    const char *why;
    const char *helps;
} pattern_words;

/* Where a row's requests are mostly fine, the others are to blame. */
#define MOSTLY_FINE                                                                                \
    {                                                                                              \
        "Most of its requests move no more than they need; the others do.",                        \
            "looking at the warps at the edges, and at conditions that leave few lanes active."    \
    }

static const pattern_words off_chip_words[IFL_PATTERN_COUNT] = {
    [IFL_PATTERN_NONE] = {"", ""},
    [IFL_PATTERN_COALESCED] = MOSTLY_FINE,
    [IFL_PATTERN_BROADCAST] = MOSTLY_FINE,
    [IFL_PATTERN_OFFSET] =
        {"Neighbouring threads take neighbouring words, but a warp does not begin at a multiple of "
         "32 bytes, so that it reaches into one sector more than it needs.",
         "padding rows, or moving where the data begins, so that each warp begins at a multiple of "
         "128 bytes."},
    [IFL_PATTERN_STRIDED] =
        {"Neighbouring threads are more than a word apart, so a sector that moves serves few of "
         "them.",
         "a layout in which neighbouring threads take neighbouring words, or turning the data "
         "around in shared memory."},
    [IFL_PATTERN_CONTIGUOUS] =
        {"Each thread walks a region of its own, so the lanes of a request are far apart. Later "
         "requests may find the rest of a sector in a cache, or may not.",
         "structures of arrays in place of arrays of structures, several threads a region, or "
         "wider loads."},
    [IFL_PATTERN_IRREGULAR] =
        {"The addresses of a warp follow no rule.",
         "sorting or grouping the indexes, more compact elements, or several lanes that "
         "fetch one element together."},
};

/* A stencil's neighbours cannot all be aligned. */
static const pattern_words neighbour_words = {
    "Neighbouring threads take neighbouring words beside those of an aligned access of the same "
    "line; a warp then reaches into one sector more than it needs.",
    "nothing, where the L1 has the sector from the access beside it; else neighbours passed in "
    "registers, by shuffles or through shared memory."};

static const char local_why[] =
    "The threads of a warp are at different places of their own arrays, so that their "
    "words do not stand side by side.";
static const char local_helps[] =
    "the same index in all threads of a warp, or an array in shared memory.";

static const char on_chip_why[] =
    "Lanes of a request take different words of the same bank, and a bank serves one word at a "
    "time.";
static const char on_chip_helps[] =
    "one word of padding a row, so that the lanes fall into different banks, or another order of "
    "the data.";
/* Padding moves rows; it does nothing for indexes that depend on the data. */
static const char on_chip_irregular_helps[] =
    "several copies of the table, so that fewer lanes share one, or indexes sorted or grouped so "
    "that neighbouring lanes take neighbouring words.";

static bool pattern_is_of(const ifl_place_row *row)
{
    return ifl_traffic_info_get(row->kind)->space == row->line->space;
}

static const char *pattern_detail(ifl_arena *arena, const ifl_pattern *pattern)
{
    if (pattern->kind == IFL_PATTERN_STRIDED && pattern->stride_words) {
        uint64_t words =
            (uint64_t)(pattern->stride_words < 0 ? -pattern->stride_words : pattern->stride_words);
        return ifl_arena_printf(arena, ", %s%s words", pattern->stride_words < 0 ? "-" : "",
                                ifl_figure_count(words).text);
    }
    if (pattern->kind == IFL_PATTERN_CONTIGUOUS && pattern->region_bytes)
        return ifl_arena_printf(arena, ", %s bytes", ifl_figure_count(pattern->region_bytes).text);
    return "";
}

static const char *share_text(ifl_arena *arena, double share)
{
    if (!(share > 0 && share < 1))
        return "";
    return ifl_arena_printf(arena, " (%s)",
                            ifl_figure_percent((uint64_t)(share * 1e6), 1000000).text);
}

static const char *pattern_name(ifl_pattern_kind kind)
{
    return kind == IFL_PATTERN_CONTIGUOUS ? "contiguous per thread" : ifl_pattern_text(kind);
}

const char *ifl_place_pattern(ifl_arena *arena, const ifl_place_row *row)
{
    const ifl_pattern *pattern = &row->line->pattern;
    if (!pattern_is_of(row) || pattern->kind == IFL_PATTERN_NONE)
        return "";
    const char *detail = pattern_detail(arena, pattern), *share = share_text(arena, pattern->share);
    if (!detail || !share)
        return NULL;
    return ifl_arena_printf(arena, "%s%s%s", pattern_name(pattern->kind), detail, share);
}

const char *ifl_place_name(ifl_arena *arena, const ifl_profile_line *line)
{
    const char *slash = strrchr(line->file, '/');
    const char *file = ifl_clean_line(arena, slash && slash[1] ? slash + 1 : line->file);
    if (!file)
        return NULL;
    return line->line ? ifl_arena_printf(arena, "%s:%" PRIu32, file, line->line) : file;
}

/* ---- findings -------------------------------------------------------------------------------- */

typedef struct collector {
    const ifl_profile *profile;
    ifl_arena *arena;
    ifl_findings *out;
    uint64_t moved_bytes; /* of the launch, off chip */
    uint64_t wavefronts;  /* of the launch, shared */
    uint64_t requests;
    bool no_memory;
} collector;

static void add(collector *c, const ifl_finding *finding)
{
    bool whole =
        finding->where && finding->source && finding->what && finding->why && finding->helps;
    if (!whole || !ifl_vec_push(&c->out->list, *finding))
        c->no_memory = true;
}

static const char *where_text(const collector *c, const ifl_place_row *row, const char *headline)
{
    const char *name = ifl_place_name(c->arena, row->line);
    const char *one = ifl_traffic_info_get(row->kind)->one;
    if (!name || !headline)
        return NULL;
    if (row->instructions == 1)
        return ifl_arena_printf(c->arena, "%s, %s: %s", name, one, headline);
    return ifl_arena_printf(c->arena, "%s, %s (%u alike): %s", name, one, row->instructions,
                            headline);
}

/* "32.0 sectors a request where 8.00 would do" */
static const char *headline_text(const collector *c, const ifl_place_row *row)
{
    const ifl_traffic *t = &row->traffic;
    bool on_chip = ifl_traffic_info_get(row->kind)->on_chip;
    return ifl_arena_printf(
        c->arena, "%s %s a request where %s would do",
        ifl_figure_ratio(on_chip ? t->wavefronts : t->sectors, t->requests).text,
        on_chip ? "wavefronts" : "sectors",
        ifl_figure_ratio(on_chip ? t->wavefronts_ideal : t->sectors_ideal, t->requests).text);
}

static const char *source_text(const collector *c, const ifl_place_row *row)
{
    return ifl_clean_line(c->arena, row->line->text);
}

static const char *off_chip_figures(const collector *c, const ifl_place_row *row)
{
    uint64_t moved = row->traffic.sectors * IFL_SECTOR_BYTES;
    return ifl_arena_printf(c->arena, "%s of the %s moved is not needed (%s).",
                            ifl_figure_bytes(row->excess).text, ifl_figure_bytes(moved).text,
                            ifl_figure_percent(row->excess, moved).text);
}

/* The distance between lanes makes the general sentence a particular one. */
static const char *off_chip_why(const collector *c, const ifl_place_row *row)
{
    const ifl_pattern *pattern = &row->line->pattern;
    const char *why = off_chip_words[pattern->kind].why;
    uint64_t width = row->line->access_bytes;
    uint64_t words =
        (uint64_t)(pattern->stride_words < 0 ? -pattern->stride_words : pattern->stride_words);
    if (pattern->kind == IFL_PATTERN_STRIDED && words)
        return ifl_arena_printf(c->arena,
                                "Neighbouring threads are %s words of %" PRIu64
                                " bytes apart, so a sector that moves "
                                "serves few of them.",
                                ifl_figure_count(words).text, width);
    if (pattern->kind == IFL_PATTERN_CONTIGUOUS && pattern->region_bytes)
        return ifl_arena_printf(c->arena, "%s A region has %s bytes.", why,
                                ifl_figure_count(pattern->region_bytes).text);
    return why;
}

static bool is_local(const ifl_place_row *row)
{
    return ifl_traffic_info_get(row->kind)->space == IFL_SPACE_LOCAL;
}

static bool is_neighbour(const collector *c, const ifl_place_row *row)
{
    return row->line->pattern.kind == IFL_PATTERN_OFFSET &&
           ifl_profile_has_aligned(c->profile, row->line);
}

static pattern_words words_for(const collector *c, const ifl_place_row *row)
{
    if (is_local(row))
        return (pattern_words){local_why, local_helps};
    if (!pattern_is_of(row))
        return (pattern_words){"", ""};
    if (is_neighbour(c, row))
        return neighbour_words;
    return (pattern_words){off_chip_why(c, row), off_chip_words[row->line->pattern.kind].helps};
}

static void add_off_chip(collector *c, const ifl_place_row *row)
{
    ifl_finding finding = {.where = where_text(c, row, headline_text(c, row)),
                           .source = source_text(c, row)};
    finding.what = off_chip_figures(c, row);
    const pattern_words words = words_for(c, row);
    finding.why = words.why;
    finding.helps = words.helps;
    add(c, &finding);
}

static bool off_chip_stands_out(const collector *c, const ifl_place_row *row)
{
    return at_least(row->excess, OWN_PERCENT, row->traffic.sectors * IFL_SECTOR_BYTES) &&
           at_least(row->excess, WHOLE_PERCENT, c->moved_bytes) && row->excess;
}

static void add_on_chip(collector *c, const ifl_place_row *row)
{
    ifl_finding finding = {.where = where_text(c, row, headline_text(c, row)),
                           .source = source_text(c, row)};
    finding.what = ifl_arena_printf(c->arena, "Bank conflicts: %s replays a request, %s in all.",
                                    ifl_figure_ratio(row->excess, row->traffic.requests).text,
                                    ifl_figure_count(row->excess).text);
    finding.why = on_chip_why;
    finding.helps =
        row->line->pattern.kind == IFL_PATTERN_IRREGULAR ? on_chip_irregular_helps : on_chip_helps;
    add(c, &finding);
}

static bool on_chip_stands_out(const collector *c, const ifl_place_row *row)
{
    return at_least(row->excess, OWN_PERCENT, row->traffic.wavefronts) &&
           at_least(row->excess, WHOLE_PERCENT, c->wavefronts) && row->excess;
}

static const char *busiest_kib_text(const collector *c, const ifl_place_row *row)
{
    const uint64_t most = c->profile->counters.value[IFL_COUNTER_global_atomic_busiest_kib];
    if (!most || ifl_traffic_info_get(row->kind)->on_chip)
        return "";
    return ifl_arena_printf(c->arena, " One KiB takes %s passes.",
                            ifl_figure_count(most).text);
}

static void add_atomic(collector *c, const ifl_place_row *row)
{
    const char *busiest = busiest_kib_text(c, row);
    const ifl_traffic *t = &row->traffic;
    ifl_finding finding = {.where = where_text(c, row, "serialised"),
                           .source = source_text(c, row)};
    finding.what =
        busiest ? ifl_arena_printf(c->arena, "On average %s lanes of a request meet on one address.%s",
                                   ifl_figure_ratio(t->serial, t->requests).text, busiest)
                : NULL;
    finding.why = "Lanes that meet are served one after the other, and so is what lies in the same KiB.";
    finding.helps = "reducing within the warp or the block first, then one atomic for all; or "
                    "several copies of the "
                    "target, summed at the end.";
    add(c, &finding);
}

static bool atomic_stands_out(const collector *c, const ifl_place_row *row)
{
    const ifl_traffic *t = &row->traffic;
    return at_least(t->serial, 150, t->requests) && at_least(t->serial, WHOLE_PERCENT, c->requests);
}

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

static void add_local(collector *c)
{
    ifl_traffic t = ifl_traffic_get(&c->profile->counters, IFL_TRAFFIC_local_load);
    ifl_traffic stores = ifl_traffic_get(&c->profile->counters, IFL_TRAFFIC_local_store);
    ifl_traffic_add(&t, &stores);
    const ifl_machine_facts *machine = &c->profile->machine;
    const bool is_gone = machine->known && !machine->stack_bytes; /* ptxas kept it in registers */
    if (is_gone || !at_least(t.sectors * IFL_SECTOR_BYTES, WHOLE_PERCENT, c->moved_bytes))
        return;
    ifl_finding finding = {.source = "", .what = ""};
    finding.where = ifl_arena_printf(c->arena, "local memory: %s request%s moved %s",
                                     ifl_figure_count(t.requests).text, t.requests == 1 ? "" : "s",
                                     ifl_figure_bytes(t.sectors * IFL_SECTOR_BYTES).text);
    finding.why = "Local memory is off chip. PTX uses it for arrays whose index is not known to "
                  "the compiler and for "
                  "variables whose address is taken. Registers that spill come later, in machine "
                  "code, and are not "
                  "counted here.";
    finding.helps =
        "loops unrolled so that every index is a constant, smaller arrays, or shared memory.";
    add(c, &finding);
}

static bool counter(const collector *c, ifl_counter which, uint64_t *value)
{
    *value = c->profile->counters.value[which];
    return c->profile->counters.known[which];
}

static const char *divergence_figures(const collector *c, bool *stands_out, bool *splits)
{
    uint64_t warps = 0, lanes = 0, branches = 0, split = 0;
    bool know_lanes = counter(c, IFL_COUNTER_ptx_instructions, &warps) &&
                      counter(c, IFL_COUNTER_thread_instructions, &lanes) && warps;
    bool know_split = counter(c, IFL_COUNTER_branches, &branches) &&
                      counter(c, IFL_COUNTER_divergent_branches, &split) && branches;
    *splits = know_split && at_least(split, DIVERGENT_PERCENT, branches);
    *stands_out = know_lanes ? !at_least(lanes, LANES_PERCENT, warps * IFL_WARP_LANES) : *splits;
    const char *lane_text =
        know_lanes ? ifl_arena_printf(c->arena, "%s of 32 lanes work in an average instruction.",
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
    bool stands_out = false, splits = false;
    ifl_finding finding = {.where = "idle lanes", .source = ""};
    finding.what = divergence_figures(c, &stands_out, &splits);
    uint64_t threads = (uint64_t)c->profile->block[0] * c->profile->block[1] * c->profile->block[2];
    finding.why = splits ? "A warp that splits runs both sides, one after the other, each with the "
                           "other's lanes idle."
                  : threads % IFL_WARP_LANES
                      ? "The block's size is not a multiple of 32, so its last warp is not full."
                      : "Lanes have left early or are switched off by predicates.";
    finding.helps = splits ? "conditions that are the same for the 32 threads of a warp, or work "
                             "sorted so that they are."
                    : threads % IFL_WARP_LANES ? "a block size that is a multiple of 32."
                                           : "work spread so that whole warps finish together.";
    if (stands_out)
        add(c, &finding);
}

static void total_up(collector *c)
{
    for (ifl_traffic_kind kind = 0; kind < IFL_TRAFFIC_COUNT; kind++) {
        ifl_traffic t = ifl_traffic_get(&c->profile->counters, kind);
        c->requests += t.requests;
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
                      atomics = {atomic_stands_out, add_atomic};
    collector c = {.profile = profile, .arena = arena, .out = out};
    *out = (ifl_findings){0};
    total_up(&c);
    walk(&c, off_chip, &bytes);
    walk(&c, on_chip, &banks);
    walk(&c, off_chip, &atomics);
    walk(&c, on_chip, &atomics);
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
