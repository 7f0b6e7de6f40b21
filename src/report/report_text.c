/* SPDX-License-Identifier: Apache-2.0
 * The text report, for people; docs/report.md describes it. A verdict in one sentence, the traffic
 * by kind, what stands out in words, then the memory instructions, the most wasteful first. */
#include "report/writer.h"

#include "arch/units.h"
#include "base/figure.h"
#include "report/advice_part.h"
#include "report/cache_part.h"
#include "report/charts_part.h"
#include "report/code_part.h"
#include "report/gpu_part.h"
#include "report/listing_part.h"
#include "report/machine_part.h"
#include "report/models_part.h"
#include "report/page.h"
#include "report/stalls_part.h"
#include "report/verdict_part.h"

#include <inttypes.h>
#include <string.h>

enum {
    DEFAULT_LINES = 20,
    INDENT = 2,
    GOOD_PERCENT = 95,
    BAD_PERCENT = 50,
    LINES_WIDTH = 100, /* columns of a page that has room for lines as well as sectors, */
    FIGURES_WIDTH = 72 /* for all figures */
};

/* One launch, for the parts of its page. */
typedef struct sheet {
    ifl_page page;
    const ifl_outcome *outcome;
    const ifl_profile *profile;
    const char *default_for; /* the GPU's, where none was asked for; NULL */
    bool has_legend;
    size_t max_lines;
    uint64_t blocks, threads, warps; /* of the grid; a block; done */
} sheet;

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

/* A text that is only missing where memory is. */
static const char *must(sheet *s, const char *text)
{
    s->page.no_memory |= !text;
    return or_nothing(text);
}

static const char *keep(sheet *s, ifl_figure figure)
{
    return ifl_arena_text(&s->page.arena, figure.text, strlen(figure.text));
}

static ifl_style needed_style(uint64_t ideal, uint64_t actual)
{
    double percent = actual ? 100.0 * (double)ideal / (double)actual : 100.0;
    return percent >= GOOD_PERCENT  ? IFL_STYLE_PLAIN
           : percent >= BAD_PERCENT ? IFL_STYLE_WARN
                                    : IFL_STYLE_BAD;
}

/* ---- head ------------------------------------------------------------------------------------ */

/* "1 block", "8 warps", "2 launches" */
static const char *counted(sheet *s, uint64_t count, const char *what)
{
    return keep(s, ifl_figure_counted(count, what));
}

/* "4 of " 301 launches, "number 8 of " 11 launches */
static const char *part_of(sheet *s, const ifl_profile *p)
{
    if (p->launches == p->made)
        return "";
    if (p->launches == 1 && p->nth)
        return must(
            s, ifl_arena_printf(&s->page.arena, "number %s of ", ifl_figure_count(p->nth).text));
    return must(s, ifl_arena_printf(&s->page.arena, "%s of ", ifl_figure_count(p->launches).text));
}

/* "sm_90", "PTX for sm_80, assembled for sm_90": what ran. */
static const char *code_that_ran(sheet *s)
{
    const ifl_profile *p = s->profile;
    if (!p->machine.ran || !p->machine.sm)
        return or_nothing(p->target);
    const char *machine = must(s, ifl_arena_printf(&s->page.arena, "sm_%u", p->machine.sm));
    return !p->machine.assembled || strcmp(machine, or_nothing(p->target)) == 0
               ? machine
               : must(s, ifl_arena_printf(&s->page.arena, "PTX for %s, assembled for %s",
                                          or_nothing(p->target), machine));
}

static void print_launch(sheet *s)
{
    const ifl_profile *p = s->profile;
    ifl_arena *arena = &s->page.arena;
    const char *shared = p->shared_bytes
                             ? ifl_arena_printf(arena, "%s of shared memory",
                                                ifl_figure_counted(p->shared_bytes, "byte").text)
                             : "no shared memory";
    const char *clusters = p->cluster[0] ? ifl_arena_printf(arena, " in clusters of %s",
                                                            ifl_figure_size(p->cluster).text)
                                         : "";
    ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_PLAIN,
                       ifl_arena_printf(arena, "grid %s%s · block %s · %s",
                                        ifl_figure_size(p->grid).text, must(s, clusters),
                                        ifl_figure_size(p->block).text, must(s, shared)));
    const char *file = ifl_clean_line(arena, or_nothing(p->file));
    const char *blocks = counted(s, p->blocks_done, "block"), *warps = counted(s, s->warps, "warp");
    const char *threads = counted(s, p->blocks_done * s->threads, "thread");
    ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_PLAIN,
                       ifl_arena_printf(arena, "%s (%s), %s %s: %s, %s", must(s, file),
                                        code_that_ran(s), must(s, blocks),
                                        p->complete ? "run" : "finished", must(s, warps),
                                        must(s, threads)));
    if (p->launches)
        ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_PLAIN,
                           ifl_arena_printf(arena, "%s%s from %s", part_of(s, p),
                                            counted(s, p->made, "launch"), or_nothing(p->site)));
}

static void print_arguments(sheet *s)
{
    for (size_t i = 0; i < s->profile->arguments.count; i++) {
        const char *clean = ifl_clean_line(&s->page.arena, s->profile->arguments.at[i]);
        const char *text =
            clean ? ifl_arena_printf(&s->page.arena, "argument %zu: %s", i, clean) : NULL;
        ifl_page_paragraph(&s->page, INDENT, 2 * INDENT, IFL_STYLE_DIM, text);
    }
}

static void print_warnings(sheet *s)
{
    if (s->profile->warnings.count)
        ifl_page_heading(&s->page, "Warnings");
    for (size_t i = 0; i < s->profile->warnings.count; i++)
        ifl_page_paragraph(&s->page, INDENT, 2 * INDENT, IFL_STYLE_WARN,
                           ifl_clean_line(&s->page.arena, s->profile->warnings.at[i]));
}

/* Of a launch of which no block ended there is nothing to predict. */
static bool has_ran(const sheet *s)
{
    return s->profile->complete || s->profile->blocks_done;
}

static void print_head(sheet *s)
{
    const ifl_profile *p = s->profile;
    const char *name = p->signature && *p->signature ? p->signature : or_nothing(p->kernel);
    ifl_page_title(&s->page, ifl_clean_line(&s->page.arena, name));
    if (!p->complete)
        ifl_page_paragraph(
            &s->page, INDENT, INDENT, IFL_STYLE_BAD,
            ifl_arena_printf(
                &s->page.arena,
                "STOPPED EARLY after %s of %s: every count below covers only what ran.",
                ifl_figure_count(p->blocks_done).text,
                ifl_figure_counted(s->blocks, "block").text));
    /* Beside a page of text stands the error itself. */
    if (s->profile->fault && ifl_page_has_charts(&s->page))
        ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_BAD,
                           ifl_clean_line(&s->page.arena, s->profile->fault));
    if (has_ran(s))
        ifl_verdict_part_print(&s->page, s->outcome, s->default_for);
    print_launch(s);
    print_arguments(s);
    print_warnings(s);
}

/* ---- verdict and summary --------------------------------------------------------------------- */

typedef struct total {
    ifl_traffic traffic;
    uint64_t excess;
} total;

static total total_of(const ifl_profile *profile, bool on_chip)
{
    total sum = {.traffic = {.known = true}};
    for (ifl_traffic_kind kind = 0; kind < IFL_TRAFFIC_COUNT; kind++) {
        ifl_traffic t = ifl_traffic_get(&profile->counters, kind);
        if (ifl_traffic_info_get(kind)->on_chip != on_chip || !t.requests)
            continue;
        ifl_traffic_add(&sum.traffic, &t);
        sum.excess += ifl_traffic_excess(&t, kind);
    }
    return sum;
}

static void verdict_off_chip(sheet *s, const total *sum)
{
    uint64_t moved = sum->traffic.sectors * IFL_SECTOR_BYTES;
    const char *text;
    if (!sum->traffic.requests)
        text = s->profile->complete ? "No requests to global or local memory."
                                    : "No requests to global or local memory were counted.";
    else if (!sum->excess)
        text =
            ifl_arena_printf(&s->page.arena, "Global and local memory: %s moved, all of it needed.",
                             ifl_figure_bytes(moved).text);
    else
        text = ifl_arena_printf(
            &s->page.arena, "Global and local memory: %s moved, of which %s (%s) is not needed.",
            ifl_figure_bytes(moved).text, ifl_figure_bytes(sum->excess).text,
            ifl_figure_percent(sum->excess, moved).text);
    ifl_page_paragraph(&s->page, 0, INDENT,
                       sum->excess            ? IFL_STYLE_STRONG
                       : s->profile->complete ? IFL_STYLE_GOOD
                                              : IFL_STYLE_PLAIN,
                       text);
}

static void verdict_on_chip(sheet *s, const total *sum)
{
    if (!sum->traffic.requests)
        return;
    const char *text = "Shared memory: no bank conflicts.";
    if (sum->excess)
        text = ifl_arena_printf(
            &s->page.arena,
            "Shared memory: %s of %s wavefronts (%s) are replays because of bank conflicts.",
            ifl_figure_count(sum->excess).text, ifl_figure_count(sum->traffic.wavefronts).text,
            ifl_figure_percent(sum->excess, sum->traffic.wavefronts).text);
    ifl_page_paragraph(&s->page, 0, INDENT, sum->excess ? IFL_STYLE_STRONG : IFL_STYLE_GOOD, text);
}

static void add_off_chip_summary(sheet *s, ifl_table *table, ifl_traffic_kind kind,
                                 const ifl_traffic *t)
{
    ifl_row row = {.cell = {ifl_traffic_info_get(kind)->many,
                            keep(s, ifl_figure_count(t->requests)),
                            keep(s, ifl_figure_count(t->sectors)),
                            keep(s, ifl_figure_bytes(t->sectors * IFL_SECTOR_BYTES)),
                            keep(s, ifl_figure_bytes(t->sectors_ideal * IFL_SECTOR_BYTES)),
                            keep(s, ifl_figure_bytes(t->useful_bytes)),
                            keep(s, ifl_figure_percent(t->sectors_ideal, t->sectors))}};
    row.style[6] = needed_style(t->sectors_ideal, t->sectors);
    ifl_table_add(&s->page, table, &row);
}

static void add_on_chip_summary(sheet *s, ifl_table *table, ifl_traffic_kind kind,
                                const ifl_traffic *t)
{
    ifl_row row = {.cell = {ifl_traffic_info_get(kind)->many,
                            keep(s, ifl_figure_count(t->requests)),
                            keep(s, ifl_figure_count(t->wavefronts)),
                            keep(s, ifl_figure_count(t->wavefronts_ideal)),
                            keep(s, ifl_figure_bytes(t->useful_bytes)),
                            keep(s, ifl_figure_percent(t->wavefronts_ideal, t->wavefronts))}};
    row.style[5] = needed_style(t->wavefronts_ideal, t->wavefronts);
    ifl_table_add(&s->page, table, &row);
}

static const ifl_column off_chip_summary[] = {
    {{"", ""}, false, 0, false},
    {{"requests", ""}, true, FIGURES_WIDTH, false},
    {{"sectors", ""}, true, FIGURES_WIDTH, false},
    {{"moved", ""}, true, 0, false},
    {{"at best", ""}, true, FIGURES_WIDTH, false},
    {{"asked for", ""}, true, FIGURES_WIDTH, false},
    {{"needed", ""}, true, 0, false},
};
static const ifl_column on_chip_summary[] = {
    {{"", ""}, false, 0, false},
    {{"requests", ""}, true, FIGURES_WIDTH, false},
    {{"wavefronts", ""}, true, 0, false},
    {{"at best", ""}, true, FIGURES_WIDTH, false},
    {{"asked for", ""}, true, FIGURES_WIDTH, false},
    {{"needed", ""}, true, 0, false},
};

static void print_summary(sheet *s, bool on_chip)
{
    ifl_table table = {.columns = on_chip ? on_chip_summary : off_chip_summary,
                       .column_count = on_chip ? 6 : 7,
                       .indent = INDENT};
    for (ifl_traffic_kind kind = 0; kind < IFL_TRAFFIC_COUNT; kind++) {
        ifl_traffic t = ifl_traffic_get(&s->profile->counters, kind);
        if (ifl_traffic_info_get(kind)->on_chip != on_chip || !t.requests)
            continue;
        (on_chip ? add_on_chip_summary : add_off_chip_summary)(s, &table, kind, &t);
    }
    if (table.rows.count) {
        ifl_page_gap(&s->page);
        ifl_table_print(&s->page, &table);
    }
}

/* Such requests have no ideal here: one paragraph for all of them. */
static void print_remote(sheet *s)
{
    static const struct {
        ifl_counter requests, sectors;
        const char *one, *many;
    } rows[] = {
        {IFL_COUNTER_dshared_load_requests, IFL_COUNTER_dshared_load_sectors, "load", "loads"},
        {IFL_COUNTER_dshared_store_requests, IFL_COUNTER_dshared_store_sectors, "store", "stores"},
        {IFL_COUNTER_dshared_atomic_requests, IFL_COUNTER_dshared_atomic_sectors, "atomic",
         "atomics"},
    };
    const ifl_counters *c = &s->profile->counters;
    const char *text = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t requests = c->value[rows[i].requests], sectors = c->value[rows[i].sectors];
        if (c->known[rows[i].requests] && requests)
            text = ifl_arena_printf(
                &s->page.arena, "%s%s%s %s of %s %s", text, *text ? ", " : "",
                ifl_figure_count(requests).text, requests == 1 ? rows[i].one : rows[i].many,
                ifl_figure_count(sectors).text, sectors == 1 ? "sector" : "sectors");
    }
    if (!*text)
        return;
    ifl_page_gap(&s->page);
    ifl_page_paragraph(&s->page, 0, INDENT, IFL_STYLE_PLAIN,
                       ifl_arena_printf(&s->page.arena,
                                        "Shared memory of other blocks of the cluster: %s.", text));
}

static void print_traffic(sheet *s)
{
    total off_chip = total_of(s->profile, false), on_chip = total_of(s->profile, true);
    ifl_page_gap(&s->page);
    verdict_off_chip(s, &off_chip);
    verdict_on_chip(s, &on_chip);
    print_summary(s, false);
    print_summary(s, true);
    print_remote(s);
}

/* ---- what stands out ------------------------------------------------------------------------- */

static void print_finding(sheet *s, size_t index, const ifl_finding *finding)
{
    ifl_page *page = &s->page;
    const int inner = INDENT + 3;
    ifl_page_paragraph(page, INDENT, inner, IFL_STYLE_STRONG,
                       ifl_arena_printf(&page->arena, "%zu. %s", index + 1, finding->title));
    if (*finding->source)
        ifl_page_paragraph(page, inner + INDENT, inner + 2 * INDENT, IFL_STYLE_DIM,
                           finding->source);
    ifl_page_paragraph(page, inner, inner, IFL_STYLE_PLAIN,
                       ifl_arena_printf(&page->arena, "%s%s%s", finding->figures,
                                        *finding->figures ? " " : "", finding->why));
    if (*finding->helps)
        ifl_page_paragraph(page, inner, inner, IFL_STYLE_PLAIN,
                           ifl_arena_printf(&page->arena, "Usually helps: %s", finding->helps));
}

static void print_nothing(sheet *s)
{
    total off_chip = total_of(s->profile, false), on_chip = total_of(s->profile, true);
    const char *text =
        "Nothing: the requests move so little excess data that a change would not pay off.";
    if (!off_chip.traffic.requests && !on_chip.traffic.requests)
        text = "Nothing: there were no requests to memory.";
    else if (!off_chip.excess && !on_chip.excess)
        text = "Nothing: every request moves only what it asks for.";
    ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_PLAIN, text);
}

static void print_findings(sheet *s)
{
    ifl_page_heading(&s->page, "What stands out in the requests");
    for (size_t i = 0; i < s->outcome->findings.list.count; i++)
        print_finding(s, i, &s->outcome->findings.list.at[i]);
    if (!s->outcome->findings.list.count)
        print_nothing(s);
    if (s->outcome->findings.left_out)
        ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_DIM,
                           ifl_arena_printf(&s->page.arena,
                                            "and %zu more of these kinds, in the table below",
                                            s->outcome->findings.left_out));
}

/* ---- memory instructions --------------------------------------------------------------------- */

static const ifl_column off_chip_columns[] = {
    {{"", "instruction"}, false, 0, false},
    {{"", "requests"}, true, FIGURES_WIDTH, false},
    {{"sectors/", "request"}, true, 0, false},
    {{"at", "best"}, true, FIGURES_WIDTH, false},
    {{"lines/", "request"}, true, LINES_WIDTH, false},
    {{"at", "best"}, true, LINES_WIDTH, false},
    {{"", "needed"}, true, 0, false},
    {{"excess", "bytes"}, true, 0, false},
    {{"", "addresses"}, false, 0, true},
};
static const ifl_column on_chip_columns[] = {
    {{"", "instruction"}, false, 0, false},
    {{"", "requests"}, true, FIGURES_WIDTH, false},
    {{"wavefronts/", "request"}, true, 0, false},
    {{"at", "best"}, true, FIGURES_WIDTH, false},
    {{"replays/", "request"}, true, LINES_WIDTH, false},
    {{"", "needed"}, true, 0, false},
    {{"", "replays"}, true, 0, false},
    {{"", "addresses"}, false, 0, true},
};

static const char *instruction_name(sheet *s, const ifl_place_row *row)
{
    if (row->instructions == 1)
        return row->line->op;
    return ifl_arena_printf(&s->page.arena, "%s ×%u", row->line->op, row->instructions);
}

static const char *pattern_detail(ifl_arena *arena, const ifl_pattern *pattern)
{
    if (pattern->kind == IFL_PATTERN_STRIDED && pattern->stride_words) {
        uint64_t words =
            (uint64_t)(pattern->stride_words < 0 ? -pattern->stride_words : pattern->stride_words);
        return ifl_arena_printf(arena, ", %s%s", pattern->stride_words < 0 ? "-" : "",
                                ifl_figure_counted(words, "word").text);
    }
    if (pattern->kind == IFL_PATTERN_CONTIGUOUS && pattern->region_bytes)
        return ifl_arena_printf(arena, ", %s",
                                ifl_figure_counted(pattern->region_bytes, "byte").text);
    return "";
}

static const char *share_text(ifl_arena *arena, double share)
{
    if (!(share > 0 && share < 1))
        return "";
    return ifl_arena_printf(arena, " (%s)",
                            ifl_figure_percent((uint64_t)(share * 1e6), 1000000).text);
}

/* "strided, 32 words (81 %)": a row's pattern in short; the share of its requests stands behind it
 * where it is not all of them. "" where the pattern is not of this kind of access. */
static const char *pattern_text(ifl_arena *arena, const ifl_place_row *row)
{
    const ifl_pattern *pattern = &row->line->pattern;
    if (ifl_traffic_info_get(row->kind)->space != row->line->space ||
        pattern->kind == IFL_PATTERN_NONE)
        return "";
    const char *detail = pattern_detail(arena, pattern), *share = share_text(arena, pattern->share);
    if (!detail || !share)
        return NULL;
    const char *name = pattern->kind == IFL_PATTERN_CONTIGUOUS ? "contiguous per thread"
                                                               : ifl_pattern_text(pattern->kind);
    return ifl_arena_printf(arena, "%s%s%s", name, detail, share);
}

static ifl_row off_chip_row(sheet *s, const ifl_place_row *from)
{
    const ifl_traffic *t = &from->traffic;
    ifl_arena *arena = &s->page.arena;
    ifl_row row = {.cell = {instruction_name(s, from), keep(s, ifl_figure_count(t->requests)),
                            keep(s, ifl_figure_ratio(t->sectors, t->requests)),
                            keep(s, ifl_figure_ratio(t->sectors_ideal, t->requests)),
                            keep(s, ifl_figure_ratio(t->lines, t->requests)),
                            keep(s, ifl_figure_ratio(t->lines_ideal, t->requests)),
                            keep(s, ifl_figure_percent(t->sectors_ideal, t->sectors)),
                            keep(s, ifl_figure_bytes(from->excess)), pattern_text(arena, from)}};
    row.style[6] = needed_style(t->sectors_ideal, t->sectors);
    return row;
}

static ifl_row on_chip_row(sheet *s, const ifl_place_row *from)
{
    const ifl_traffic *t = &from->traffic;
    ifl_arena *arena = &s->page.arena;
    ifl_row row = {.cell = {instruction_name(s, from), keep(s, ifl_figure_count(t->requests)),
                            keep(s, ifl_figure_ratio(t->wavefronts, t->requests)),
                            keep(s, ifl_figure_ratio(t->wavefronts_ideal, t->requests)),
                            keep(s, ifl_figure_ratio(from->excess, t->requests)),
                            keep(s, ifl_figure_percent(t->wavefronts_ideal, t->wavefronts)),
                            keep(s, ifl_figure_count(from->excess)), pattern_text(arena, from)}};
    row.style[5] = needed_style(t->wavefronts_ideal, t->wavefronts);
    return row;
}

static void add_place(sheet *s, ifl_table *table, const ifl_profile_line *line)
{
    ifl_arena *arena = &s->page.arena;
    const char *note = ifl_clean_line(arena, line->text);
    const char *from = ifl_clean_line(arena, line->inlined_from);
    if (note && from && *from)
        note = ifl_arena_printf(arena, "%s%s(inlined: %s)", note, *note ? "  " : "", from);
    ifl_row row = {.span = ifl_place_name(arena, line->file, line->line), .span_note = note};
    if (!row.span || !note || !from)
        s->page.no_memory = true;
    else
        ifl_table_add(&s->page, table, &row);
}

static const char *places_heading(const sheet *s, bool on_chip)
{
    bool excess = total_of(s->profile, on_chip).excess > 0;
    if (on_chip)
        return excess ? "Shared memory, by replays because of bank conflicts"
                      : "Shared memory, by source line";
    return excess ? "Global and local memory, by bytes moved without need"
                  : "Global and local memory, by source line";
}

static void print_places(sheet *s, const ifl_places *places, bool on_chip)
{
    ifl_table table = {.columns = on_chip ? on_chip_columns : off_chip_columns,
                       .column_count = on_chip ? 8 : 9,
                       .indent = 2 * INDENT};
    if (!places->rows.count)
        return;
    ifl_page_heading(&s->page, places_heading(s, on_chip));
    for (size_t i = 0; i < places->rows.count && i < s->max_lines; i++) {
        const ifl_place_row *from = &places->rows.at[i];
        if (i == 0 || !ifl_place_same_line(from[-1].line, from->line))
            add_place(s, &table, from->line);
        ifl_row row = on_chip ? on_chip_row(s, from) : off_chip_row(s, from);
        ifl_table_add(&s->page, &table, &row);
    }
    ifl_table_print(&s->page, &table);
    if (places->rows.count > s->max_lines)
        ifl_page_paragraph(
            &s->page, INDENT, INDENT, IFL_STYLE_DIM,
            ifl_arena_printf(&s->page.arena, "and %s more",
                             ifl_figure_count(places->rows.count - s->max_lines).text));
}

/* Machine code names source lines only where its compiler was asked to (nvcc -lineinfo). */
static void print_unplaced(sheet *s)
{
    const ifl_places *both[] = {&s->outcome->off_chip, &s->outcome->on_chip};
    bool any = false;
    for (size_t p = 0; p < 2 && s->profile->machine.ran; p++)
        for (size_t i = 0; i < both[p]->rows.count; i++)
            any |= !both[p]->rows.at[i].line->line;
    if (any)
        ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_DIM,
                           "Instructions without a source line: compile with -lineinfo.");
}

/* ---- instruction mix ------------------------------------------------------------------------- */

typedef enum work { WORK_LOAD, WORK_STORE, WORK_ATOMIC, WORK_FLOAT, WORK_OTHER, WORK_COUNT } work;

static const char *const work_names[WORK_COUNT] = {
    [WORK_LOAD] = "loads",           [WORK_STORE] = "stores", [WORK_ATOMIC] = "atomics",
    [WORK_FLOAT] = "floating point", [WORK_OTHER] = "others",
};

static const struct {
    const char *base;
    work work;
} work_of_base[] = {
    {"ld", WORK_LOAD},     {"ldu", WORK_LOAD},   {"cp.async", WORK_LOAD}, {"st", WORK_STORE},
    {"atom", WORK_ATOMIC}, {"red", WORK_ATOMIC}, {"add", WORK_FLOAT},     {"sub", WORK_FLOAT},
    {"mul", WORK_FLOAT},   {"mad", WORK_FLOAT},  {"fma", WORK_FLOAT},     {"div", WORK_FLOAT},
    {"min", WORK_FLOAT},   {"max", WORK_FLOAT},  {"abs", WORK_FLOAT},     {"neg", WORK_FLOAT},
    {"rcp", WORK_FLOAT},   {"sqrt", WORK_FLOAT}, {"rsqrt", WORK_FLOAT},   {"sin", WORK_FLOAT},
    {"cos", WORK_FLOAT},   {"lg2", WORK_FLOAT},  {"ex2", WORK_FLOAT},     {"tanh", WORK_FLOAT},
};

/* Types that begin with f and a digit, or bf16: an add of any other type is integer work. */
static bool has_float_type(const char *name)
{
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
        if ((dot[1] == 'f' && dot[2] >= '0' && dot[2] <= '9') || strncmp(dot + 1, "bf16", 4) == 0)
            return true;
    return false;
}

static work work_of(const char *name)
{
    /* Parameters and constants cost no request; groups and waits copy nothing. */
    if (strstr(name, ".param") || strstr(name, ".const") || strstr(name, "_group") ||
        strstr(name, "wait_all"))
        return WORK_OTHER;
    for (size_t i = 0; i < sizeof work_of_base / sizeof *work_of_base; i++) {
        size_t length = strlen(work_of_base[i].base);
        if (strncmp(name, work_of_base[i].base, length) != 0 ||
            (name[length] && name[length] != '.'))
            continue;
        return work_of_base[i].work == WORK_FLOAT && !has_float_type(name) ? WORK_OTHER
                                                                           : work_of_base[i].work;
    }
    return WORK_OTHER;
}

/* Counts are shown a warp; where warps were stopped on their way, in all. */
static uint64_t shared_by(const sheet *s)
{
    return s->profile->complete ? s->warps : 1;
}

static const char *shared_text(const sheet *s)
{
    return s->profile->complete ? "per warp" : "in all";
}

static const char *mix_text(sheet *s, const uint64_t *count, uint64_t all)
{
    ifl_arena *arena = &s->page.arena;
    const char *text = ifl_arena_printf(
        arena, "%s PTX instructions %s:", ifl_figure_mean(all, shared_by(s)).text, shared_text(s));
    const char *separator = " ";
    for (work w = 0; w < WORK_COUNT && text; w++) {
        if (!count[w])
            continue;
        text = ifl_arena_printf(arena, "%s%s%s %s", text, separator, work_names[w],
                                ifl_figure_mean(count[w], shared_by(s)).text);
        separator = ", ";
    }
    return text;
}

static const char *opcodes_text(sheet *s, const ifl_opcode_list *list)
{
    enum { MOST = 8 };
    const char *text = ifl_arena_printf(&s->page.arena, "Most frequent, %s:", shared_text(s));
    for (size_t i = 0; i < list->count && i < MOST && text; i++) {
        const ifl_opcode_count *opcode = &list->at[i];
        text = ifl_arena_printf(&s->page.arena, "%s%s %s×%s", text, i ? "," : "", opcode->name,
                                ifl_figure_mean(opcode->count, shared_by(s)).text);
    }
    return text;
}

/* "19 machine instructions a warp: alu 6, fma 4, lsu 5, ..." */
static const char *pipes_text(sheet *s)
{
    static const struct {
        const char *name;
        ifl_counter counter;
    } pipes[] = {
#define PIPE(enum_name, counter_name, metric, what) {#counter_name, IFL_COUNTER_##counter_name},
#include "code/pipeline.def"
    };
    ifl_arena *arena = &s->page.arena;
    const uint64_t *value = s->profile->counters.value;
    const uint64_t issued = value[IFL_COUNTER_instructions];
    uint64_t rest = issued;
    const char *separator = " ";
    const char *text = ifl_arena_printf(arena, "%s machine instructions %s, by pipeline:",
                                        ifl_figure_mean(issued, shared_by(s)).text, shared_text(s));
    for (size_t i = 0; i < sizeof pipes / sizeof *pipes && text; i++) {
        const uint64_t count = value[pipes[i].counter];
        rest -= count;
        if (!count)
            continue;
        text =
            ifl_arena_printf(arena, "%s%s%s %s", text, separator, pipes[i].name + strlen("pipe_"),
                             ifl_figure_mean(count, shared_by(s)).text);
        separator = ", ";
    }
    return rest && text ? ifl_arena_printf(arena, "%s%snone %s", text, separator,
                                           ifl_figure_mean(rest, shared_by(s)).text)
                        : text;
}

/* How many lanes of a warp an instruction has, and how many of them its guard lets execute. */
static const char *lanes_text(sheet *s)
{
    const uint64_t *value = s->profile->counters.value;
    const double issued = (double)value[IFL_COUNTER_instructions];
    return ifl_arena_printf(
        &s->page.arena,
        "%.1f of 32 lanes are active in an instruction, %.1f of them with a true predicate.",
        (double)value[IFL_COUNTER_thread_instructions] / issued,
        (double)value[IFL_COUNTER_thread_instructions_on] / issued);
}

static void print_pipes(sheet *s)
{
    ifl_page_heading(&s->page, "Instructions");
    ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_PLAIN, pipes_text(s));
    ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_PLAIN, lanes_text(s));
    ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_DIM,
                       opcodes_text(s, &s->profile->opcodes));
}

static void print_mix(sheet *s)
{
    if (s->profile->opcodes.count && s->profile->counters.value[IFL_COUNTER_instructions] &&
        shared_by(s)) {
        print_pipes(s);
        return;
    }
    uint64_t count[WORK_COUNT] = {0}, all = 0;
    for (size_t i = 0; i < s->profile->ptx_opcodes.count; i++) {
        count[work_of(s->profile->ptx_opcodes.at[i].name)] += s->profile->ptx_opcodes.at[i].count;
        all += s->profile->ptx_opcodes.at[i].count;
    }
    if (!all || !shared_by(s))
        return;
    ifl_page_heading(&s->page, "Instructions");
    ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_PLAIN, mix_text(s, count, all));
    ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_DIM,
                       opcodes_text(s, &s->profile->ptx_opcodes));
}

/* ---- the page -------------------------------------------------------------------------------- */

static void print_legend(ifl_page *page)
{
    ifl_page_gap(page);
    ifl_page_paragraph(
        page, 0, 0, IFL_STYLE_DIM,
        "A request is one memory instruction of one warp. It moves sectors of 32 bytes; four of "
        "them "
        "are a line. At best: the sectors that the bytes of its lanes would need if they were "
        "adjacent. All counts are taken before the caches. 1 MB is 10^6 bytes.");
}

static sheet sheet_of(const ifl_report_input *input, size_t index, const ifl_page *page)
{
    const ifl_profile *p = input->outcomes[index]->profile;
    sheet s = {.page = *page, .outcome = input->outcomes[index], .profile = p};
    s.default_for = input->options.default_gpu ? p->target : NULL;
    s.has_legend = index + 1 == input->count;
    s.max_lines = input->options.max_lines > 0 ? (size_t)input->options.max_lines : DEFAULT_LINES;
    s.blocks = (uint64_t)p->grid[0] * p->grid[1] * p->grid[2];
    s.threads = (uint64_t)p->block[0] * p->block[1] * p->block[2];
    s.warps = p->blocks_done * ((s.threads + IFL_WARP_LANES - 1) / IFL_WARP_LANES);
    return s;
}

static void print_sheet(sheet *s)
{
    print_head(s);
    ifl_gpu_part_print(&s->page, s->profile);
    if (s->profile->gpu.known)
        return;
    print_traffic(s);
    if (has_ran(s)) {
        ifl_charts_part_print(&s->page, s->outcome);
        ifl_models_part_print(&s->page, s->outcome);
        ifl_cache_part_print(&s->page, s->profile);
        ifl_advice_part_print(&s->page, s->outcome);
        ifl_stalls_part_lines(&s->page, s->profile, s->max_lines);
    }
    print_findings(s);
    print_places(s, &s->outcome->off_chip, false);
    print_places(s, &s->outcome->on_chip, true);
    print_unplaced(s);
    size_t idle = s->outcome->off_chip.idle;
    if (idle)
        ifl_page_paragraph(&s->page, INDENT, INDENT, IFL_STYLE_DIM,
                           ifl_arena_printf(&s->page.arena, "%s never ran.",
                                            ifl_figure_counted(idle, "memory instruction").text));
    print_mix(s);
    ifl_machine_part_print(&s->page, s->profile);
    ifl_code_part_print(&s->page, s->profile, s->max_lines);
    ifl_listing_part_print(&s->page, s->profile);
    if (s->has_legend)
        print_legend(&s->page);
}

ifl_status ifl_report_print_launch(const ifl_report_input *input, size_t index,
                                   const ifl_page *page, ifl_error *error)
{
    sheet s = sheet_of(input, index, page);
    print_sheet(&s);
    ifl_arena_free(&s.page.arena);
    return s.page.no_memory ? ifl_fail_memory(error, sizeof s) : IFL_OK;
}

ifl_status ifl_report_write_text(const ifl_report_input *input, FILE *out, ifl_error *error)
{
    const ifl_page page = {
        .out = out, .color = input->options.color, .width = input->options.width};
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < input->count && status == IFL_OK; i++) {
        if (input->count > 1)
            fprintf(out, "%s==== launch %zu of %zu ====\n", i ? "\n" : "", i + 1, input->count);
        status = ifl_report_print_launch(input, i, &page, error);
    }
    return status;
}
