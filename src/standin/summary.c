/* SPDX-License-Identifier: Apache-2.0
 * See summary.h. Tables of the kernels by their time and of what they asked of memory, by place of
 * launch; then the sheets of those that took longest. JSON has the entries of the ledger as they
 * are; the tables and pages have a row for several where fold_rows.h has. */
#include "standin/summary.h"

#include "base/figure.h"
#include "base/short_name.h"
#include "outcome/outcome.h"
#include "report/page.h"
#include "session/kernel_name.h"
#include "standin/failed_call.h"
#include "standin/fold_rows.h"
#include "standin/state.h"
#include "standin/summary_time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    WIDE = 90,
    VERY_WIDE = 120,
    MOST_SHEETS = 3,
    MOST_ROWS = 40,
    MOST_LEAKS = 20,
    MOST_WARNINGS = 20
};

/* One entry, and what is told of it. */
typedef struct site {
    const ifl_ledger_entry *entry;
    size_t row;         /* the first site of the row that it is in */
    double total_us;    /* of all its launches */
    ifl_outcome *sum;   /* of all launches that were observed */
    ifl_outcome *alone; /* of the costliest, where that is not all of them; made when it is told */
} site;

/* Of one kernel, block and place of launch. */
typedef struct row {
    site *costliest; /* with the costliest launch */
    size_t first;    /* site, in the order of the entries */
    ifl_grid_span grids;
    uint64_t launches, observed;
    ifl_traffic traffic; /* off chip, all kinds */
    uint64_t excess;     /* bytes, of the launches that were observed */
    double total_us;
} row;

typedef struct sites {
    IFL_VEC(site) list; /* in the order of the entries */
    IFL_VEC(row) rows;  /* longest first */
    ifl_page page;
    const ifl_device *device;
    const char **warnings; /* calls that failed */
    size_t warning_count;
} sites;

/* ---- what is told ---------------------------------------------------------------------------- */

static bool is_wanted(const ifl_ledger_entry *entry, const ifl_standin_options *options)
{
    return entry->profile &&
           (!options->kernel || ifl_kernel_is(entry->kernel, entry->signature, options->kernel));
}

static ifl_status weigh(site *s, ifl_error *error)
{
    const ifl_status status = ifl_outcome_new(s->entry->profile, &s->sum, error);
    if (status != IFL_OK)
        return status;
    const ifl_profile *profile = s->entry->profile;
    s->total_us =
        ifl_summary_total(s->entry->signature, s->entry->site, profile->grid, profile->block);
    return IFL_OK;
}

static bool is_costlier(const site *a, const site *b)
{
    return a->entry->model_us != b->entry->model_us ? a->entry->model_us > b->entry->model_us
                                                    : a->total_us > b->total_us;
}

static void add_site(row *r, site *s)
{
    const ifl_grid_span grid = ifl_grid_span_of(s->entry->profile->grid);
    const ifl_places *off_chip = &s->sum->off_chip;
    ifl_grid_span_add(&r->grids, &grid);
    if (is_costlier(s, r->costliest))
        r->costliest = s;
    r->launches += s->entry->launches;
    r->observed += s->entry->observed;
    r->total_us += s->total_us;
    for (size_t i = 0; i < off_chip->rows.count; i++) {
        ifl_traffic_add(&r->traffic, &off_chip->rows.at[i].traffic);
        r->excess += off_chip->rows.at[i].excess;
    }
}

static int by_time(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->total_us != y->total_us)
        return x->total_us < y->total_us ? 1 : -1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* `row_of`: of sites that begin one. A row's first site comes before its others. */
static bool place_site(sites *all, size_t index, size_t *row_of)
{
    site *s = &all->list.at[index];
    if (s->row == index) {
        row_of[index] = all->rows.count;
        if (!ifl_vec_push(&all->rows, ((row){.costliest = s,
                                             .first = index,
                                             .grids = ifl_grid_span_of(s->entry->profile->grid)})))
            return false;
    }
    add_site(&all->rows.at[row_of[s->row]], s);
    return true;
}

static bool make_rows(sites *all)
{
    const size_t count = all->list.count;
    ifl_fold_item *items = ifl_arena_alloc(&all->page.arena, (count + 1) * sizeof *items);
    size_t *first = ifl_arena_alloc(&all->page.arena, (count + 1) * sizeof *first);
    size_t *row_of = ifl_arena_alloc(&all->page.arena, (count + 1) * sizeof *row_of);
    bool has_memory = items && first && row_of;
    for (size_t i = 0; has_memory && i < count; i++) {
        const ifl_ledger_entry *entry = all->list.at[i].entry;
        items[i] = (ifl_fold_item){.signature = entry->signature,
                                   .site = entry->site,
                                   .grid = entry->profile->grid,
                                   .block = entry->profile->block,
                                   .index = i};
    }
    if (has_memory)
        ifl_fold_rows(items, count, first);
    for (size_t i = 0; has_memory && i < count; i++) {
        all->list.at[i].row = first[i];
        has_memory = place_site(all, i, row_of);
    }
    if (has_memory && all->rows.count)
        qsort(all->rows.at, all->rows.count, sizeof(row), by_time);
    return has_memory;
}

static ifl_status gather(const ifl_ledger_entry *entries, size_t count,
                         const ifl_standin_options *options, sites *out, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < count && status == IFL_OK; i++) {
        site s = {.entry = &entries[i]};
        if (!is_wanted(&entries[i], options))
            continue;
        status = weigh(&s, error);
        if (status == IFL_OK && !ifl_vec_push(&out->list, s))
            status = ifl_fail_memory(error, sizeof s);
        if (status != IFL_OK)
            ifl_outcome_free(s.sum);
    }
    return status != IFL_OK || make_rows(out) ? status : ifl_fail_memory(error, sizeof(row));
}

/* ---- the table ------------------------------------------------------------------------------- */

enum { SITE = 1 };
static const ifl_column columns[] = {
    {.head = {"kernel", NULL}},
    [SITE] = {.head = {"launched from", NULL}},
    {.head = {"grid", NULL}, .right = true, .page_width = WIDE},
    {.head = {"block", NULL}, .right = true, .page_width = WIDE},
    {.head = {"launches", NULL}, .right = true},
    {.head = {"requests", NULL}, .right = true, .page_width = VERY_WIDE},
    {.head = {"sectors/", "request"}, .right = true},
    {.head = {"not needed", NULL}, .right = true},
    {.head = {"most of it at", NULL}},
};

/* "301", or "4 of 301" where that many were observed. */
static const char *launches_of(ifl_arena *arena, const row *r)
{
    const ifl_figure all = ifl_figure_count(r->launches);
    return r->observed == r->launches
               ? ifl_arena_printf(arena, "%s", all.text)
               : ifl_arena_printf(arena, "%s of %s", ifl_figure_count(r->observed).text, all.text);
}

/* What a line spends for nothing. */
typedef struct waste {
    const ifl_profile_line *line;
    uint64_t excess;
} waste;

typedef struct wastes {
    IFL_VEC(waste) list;
} wastes;

static bool add_waste(wastes *found, const ifl_profile_line *line, uint64_t excess)
{
    for (size_t i = 0; i < found->list.count; i++) {
        waste *p = &found->list.at[i];
        if (ifl_place_same_line(p->line, line)) {
            p->excess += excess;
            return true;
        }
    }
    return ifl_vec_push(&found->list, ((waste){line, excess}));
}

static bool find_wastes(const sites *all, const row *r, wastes *found)
{
    for (size_t i = r->first; i < all->list.count; i++) {
        const ifl_places *off_chip = &all->list.at[i].sum->off_chip;
        for (size_t k = 0; all->list.at[i].row == r->first && k < off_chip->rows.count; k++)
            if (!add_waste(found, off_chip->rows.at[k].line, off_chip->rows.at[k].excess))
                return false;
    }
    return true;
}

/* "" where nothing is spent for nothing, or the code has no lines; NULL without memory. */
static const char *worst_of(ifl_arena *arena, const sites *all, const row *r)
{
    wastes found = {0};
    const char *name = find_wastes(all, r, &found) ? "" : NULL;
    const waste *worst = NULL;
    for (size_t i = 0; i < found.list.count; i++)
        if (found.list.at[i].excess > (worst ? worst->excess : 0))
            worst = &found.list.at[i];
    if (name && worst && worst->line->line)
        name = ifl_place_name(arena, worst->line->file, worst->line->line);
    ifl_vec_free(&found.list);
    return name;
}

static void add_row(ifl_page *page, ifl_table *table, const sites *all, const row *r,
                    const char *name)
{
    ifl_arena *arena = &page->arena;
    const ifl_ledger_entry *entry = r->costliest->entry;
    ifl_row cells = {
        .cell = {
            name, ifl_summary_place(arena, entry->site), ifl_grid_span_text(arena, &r->grids),
            ifl_arena_printf(arena, "%s", ifl_figure_size(entry->profile->block).text),
            launches_of(arena, r),
            ifl_arena_printf(arena, "%s", ifl_figure_count(r->traffic.requests).text),
            r->traffic.requests
                ? ifl_arena_printf(arena, "%s",
                                   ifl_figure_ratio(r->traffic.sectors, r->traffic.requests).text)
                : "",
            ifl_arena_printf(arena, "%s", ifl_figure_bytes(r->excess).text),
            worst_of(arena, all, r)}};
    if (r->excess)
        cells.style[7] = IFL_STYLE_WARN;
    ifl_table_add(page, table, &cells);
}

/* The last column is left out where it is empty. */
static void leave_out_worst(ifl_table *table)
{
    for (size_t i = 0; i < table->rows.count; i++)
        if (*table->rows.at[i].cell[table->column_count - 1])
            return;
    table->column_count--;
}

static void add_rows(ifl_page *page, ifl_table *table, const sites *all)
{
    const char *signatures[MOST_ROWS], *names[MOST_ROWS];
    const size_t shown = all->rows.count < MOST_ROWS ? all->rows.count : MOST_ROWS;
    for (size_t i = 0; i < shown; i++)
        signatures[i] = all->rows.at[i].costliest->entry->signature;
    const bool is_named = ifl_short_names(&page->arena, signatures, shown, names);
    page->no_memory |= !is_named;
    for (size_t i = 0; is_named && i < shown; i++)
        add_row(page, table, all, &all->rows.at[i], names[i]);
    leave_out_worst(table);
}

static const char *signature_of(const site *s)
{
    return s->entry->signature;
}

static const char *place_of(const site *s)
{
    return s->entry->site;
}

static size_t distinct(const sites *all, const char *(*text_of)(const site *))
{
    size_t count = 0;
    for (size_t i = 0, k; i < all->rows.count; i++) {
        const char *text = text_of(all->rows.at[i].costliest);
        for (k = 0; k < i && strcmp(text_of(all->rows.at[k].costliest), text) != 0; k++)
            continue;
        count += k == i;
    }
    return count;
}

/* "process 1234 (app): " of a child. */
static const char *process_of(ifl_arena *arena, const ifl_standin_options *options)
{
    return options->child ? ifl_arena_printf(arena, "process %ld (%s): ", options->child,
                                             program_invocation_short_name)
                          : "";
}

static void print_repeated(ifl_page *page, uint64_t repeated)
{
    if (!repeated)
        return;
    ifl_page_paragraph(
        page, 2, 2, IFL_STYLE_PLAIN,
        ifl_arena_printf(
            &page->arena,
            "%s did not run: with the same arguments and the same bytes in memory as before, %s. "
            "The counts are those of the earlier %s (--every-launch runs all).",
            ifl_figure_counted(repeated, "launch").text,
            repeated == 1 ? "it would repeat an earlier one" : "each would repeat an earlier one",
            repeated == 1 ? "one" : "ones"));
    ifl_page_gap(page);
}

/* "11 launches of 3 kernels from 5 places" */
static void print_head(sites *all, const ifl_standin_options *options, uint64_t launches)
{
    ifl_page *page = &all->page;
    const ifl_figure made = ifl_figure_counted(launches, "launch"),
                     kernels = ifl_figure_counted(distinct(all, signature_of), "kernel"),
                     places = ifl_figure_counted(distinct(all, place_of), "place");
    ifl_page_heading(page, ifl_arena_printf(&page->arena, "%s%s of %s from %s",
                                            process_of(&page->arena, options), made.text,
                                            kernels.text, places.text));
}

static void print_table(sites *all, const ifl_standin_options *options)
{
    ifl_page *page = &all->page;
    ifl_table table = {.columns = columns,
                       .column_count = sizeof columns / sizeof *columns,
                       .told_apart = 1u << SITE,
                       .indent = 2};
    uint64_t launches = 0, observed = 0, repeated = 0;
    for (size_t i = 0; i < all->list.count; i++) {
        launches += all->list.at[i].entry->launches;
        observed += all->list.at[i].entry->observed;
        repeated += all->list.at[i].entry->repeated;
    }
    print_head(all, options, launches);
    ifl_summary_kernels(page, options->kernel);
    print_repeated(page, repeated);
    add_rows(page, &table, all);
    ifl_table_print(page, &table);
    if (all->rows.count > MOST_ROWS)
        fprintf(page->out, "  and %s of less time\n",
                ifl_figure_counted(all->rows.count - MOST_ROWS, "further row").text);
    if (observed < launches)
        ifl_page_paragraph(
            page, 2, 2, IFL_STYLE_PLAIN,
            "Counts cover the observed launches; repeats with the same arguments only run and are "
            "checked.");
    ifl_summary_each(page, options->kernel);
    fputc('\n', page->out);
}

/* ---- sheets ---------------------------------------------------------------------------------- */

/* The model of the costliest launch was asked for when it ran. */
static ifl_status add_gpu(const sites *all, const ifl_ledger_entry *entry, ifl_outcome *outcome,
                          ifl_error *error)
{
    if (ifl_outcome_device(outcome, 0))
        return IFL_OK;
    return outcome->profile == entry->worst && entry->modelled
               ? ifl_outcome_add_modelled(outcome, all->device, entry->modelled, error)
               : ifl_outcome_add(outcome, all->device, error);
}

/* Of the costliest launch, which has a time. */
static ifl_status alone_of(const sites *all, site *s, const ifl_outcome **out, ifl_error *error)
{
    const bool is_sum = !s->entry->worst || s->entry->worst == s->entry->profile;
    ifl_status status = IFL_OK;
    if (!is_sum && !s->alone)
        status = ifl_outcome_new(s->entry->worst, &s->alone, error);
    ifl_outcome *outcome = is_sum ? s->sum : s->alone;
    if (status == IFL_OK)
        status = add_gpu(all, s->entry, outcome, error);
    if (status == IFL_OK) {
        outcome->program_us = s->total_us;
        outcome->program_launches = 0;
    }
    *out = outcome;
    return status;
}

/* The costliest launch of a row, with the figures of all. */
static ifl_status costliest_of(sites *all, const row *r, const ifl_outcome **out, ifl_error *error)
{
    const ifl_status status = alone_of(all, r->costliest, out, error);
    if (status == IFL_OK) {
        ifl_outcome *outcome = r->costliest->alone ? r->costliest->alone : r->costliest->sum;
        outcome->program_us = r->total_us;
        outcome->program_launches = r->launches;
        outcome->program_grids =
            ifl_page_kept(&all->page, ifl_grid_span_text(&all->page.arena, &r->grids));
    }
    return status;
}

/* Counters of all that were observed, and what the model says of the costliest. */
static ifl_status sum_of(const sites *all, site *s, const ifl_outcome **out, ifl_error *error)
{
    const ifl_outcome *alone;
    const ifl_status status = alone_of(all, s, &alone, error);
    s->sum->program_us = s->total_us;
    s->sum->costliest = alone;
    *out = s->sum;
    return status;
}

static ifl_status print_sheets(sites *all, const ifl_report_options *how, ifl_error *error)
{
    const ifl_outcome *worst[MOST_SHEETS];
    ifl_status status = IFL_OK;
    size_t count = 0;
    for (; count < all->rows.count && count < MOST_SHEETS && status == IFL_OK; count++)
        status = costliest_of(all, &all->rows.at[count], &worst[count], error);
    if (status == IFL_OK)
        status = ifl_report_write(worst, count, IFL_REPORT_TEXT, how, all->page.out, error);
    if (status == IFL_OK && count < all->rows.count)
        fprintf(all->page.out,
                "\n%zu more not shown: --kernel KERNEL selects, --json FILE has all of them\n",
                all->rows.count - count);
    return status;
}

static ifl_status print_text(sites *all, const ifl_standin_options *options, ifl_error *error)
{
    struct winsize window;
    const bool is_terminal = isatty(STDERR_FILENO);
    all->page.out = stderr;
    all->page.color = is_terminal && !getenv("NO_COLOR");
    const char *width = getenv("COLUMNS");
    all->page.width = width ? atoi(width) : 0;
    if (all->page.width <= 0 && is_terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0)
        all->page.width = window.ws_col;
    const ifl_report_options how = {.color = all->page.color, .width = all->page.width};
    print_table(all, options);
    return all->page.no_memory ? ifl_fail_memory(error, 1) : print_sheets(all, &how, error);
}

static ifl_status add_sums(sites *all, const ifl_outcome **outcomes, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < all->list.count && status == IFL_OK; i++)
        status = sum_of(all, &all->list.at[i], &outcomes[i], error);
    return status;
}

static ifl_status add_costliest(sites *all, const ifl_outcome **outcomes, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < all->rows.count && status == IFL_OK; i++)
        status = costliest_of(all, &all->rows.at[i], &outcomes[all->rows.at[i].first], error);
    return status;
}

/* In the order of the first launches; nothing where no path is given. JSON has the sums of the
 * entries, pages the costliest launches of the rows. */
static ifl_status save(sites *all, ifl_report_format format, const char *path, const char *only,
                       ifl_error *error)
{
    size_t count = 0;
    ifl_report_options how = {0};
    if (!path)
        return IFL_OK;
    const ifl_outcome **outcomes = calloc(all->list.count + 1, sizeof *outcomes);
    if (!outcomes)
        return ifl_fail_memory(error, all->list.count * sizeof *outcomes);
    ifl_status status =
        (format == IFL_REPORT_JSON ? add_sums : add_costliest)(all, outcomes, error);
    for (size_t i = 0; i < all->list.count; i++)
        if (outcomes[i])
            outcomes[count++] = outcomes[i];
    how.each = ifl_summary_launches(&all->page, only, &how.each_count);
    how.warnings = all->warnings;
    how.warning_count = all->warning_count;
    if (status == IFL_OK && all->page.no_memory)
        status = ifl_fail_memory(error, 1);
    if (status == IFL_OK)
        status = ifl_report_save(outcomes, count, format, &how, path, error);
    free(outcomes);
    return status;
}

/* ---- calls that failed ----------------------------------------------------------------------- */

static ifl_status find_warnings(sites *all, ifl_error *error)
{
    all->warnings = ifl_failed_call_texts(&all->page.arena, &all->warning_count);
    return all->warnings ? IFL_OK : ifl_fail_memory(error, sizeof *all->warnings);
}

static void tell_warnings(const sites *all)
{
    const size_t told = all->warning_count < MOST_WARNINGS ? all->warning_count : MOST_WARNINGS;
    for (size_t i = 0; i < told; i++)
        ifl_state_tell("warning: %s", all->warnings[i]);
    if (told < all->warning_count)
        ifl_state_tell("warning: so did %s",
                       ifl_figure_counted(all->warning_count - told, "other call").text);
}

/* Where the program is checked beyond what always is. */
static bool has_warning(const sites *all, const ifl_standin_options *options)
{
    return all->warning_count && (options->races || options->reads);
}

/* ---- memory that was never freed ------------------------------------------------------------- */

static void tell_leaks(ifl_session *session)
{
    const ifl_memory *memory = ifl_session_memory(session);
    const uint32_t others = IFL_ALLOCATION_FREED | IFL_ALLOCATION_MODULE;
    uint64_t bytes = 0, count = 0;
    for (size_t i = 0; i < ifl_memory_count(memory); i++) {
        const ifl_allocation *a = ifl_memory_at(memory, i);
        if (a->flags & others)
            continue;
        bytes += a->bytes - (a->flags & IFL_ALLOCATION_DEVICE ? IFL_HEAP_FRONT : 0);
        if (count++ < MOST_LEAKS)
            ifl_state_tell("never freed: %s", a->label);
    }
    ifl_state_tell("%s, %s, %s never freed", ifl_figure_counted(count, "allocation").text,
                   ifl_figure_bytes(bytes).text, count == 1 ? "was" : "were");
}

/* ---- a kernel that the program does not launch --------------------------------------------------- */

static bool is_told(const ifl_ledger_entry *entries, size_t before, const char *signature)
{
    for (size_t i = 0; i < before; i++)
        if (entries[i].profile && strcmp(entries[i].signature, signature) == 0)
            return true;
    return false;
}

static void tell_kernels(const ifl_ledger_entry *entries, size_t count, const char *wanted)
{
    ifl_state_tell("no launch of a kernel '%s' was observed%s", wanted,
                   count ? "; others were:" : "");
    for (size_t i = 0; i < count; i++)
        if (entries[i].profile && !is_told(entries, i, entries[i].signature))
            ifl_state_tell("  %s", entries[i].signature);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool has_finding(const sites *all)
{
    for (size_t i = 0; i < all->list.count; i++)
        if (all->list.at[i].sum->findings.list.count)
            return true;
    return false;
}

static void free_sites(sites *all)
{
    for (size_t i = 0; i < all->list.count; i++) {
        ifl_outcome_free(all->list.at[i].sum);
        ifl_outcome_free(all->list.at[i].alone);
    }
    ifl_vec_free(&all->list);
    ifl_vec_free(&all->rows);
    ifl_arena_free(&all->page.arena);
}

static ifl_status write_files(sites *all, const ifl_standin_options *options, ifl_error *error)
{
    const ifl_status status = save(all, IFL_REPORT_JSON, options->json, options->kernel, error);
    return status == IFL_OK ? save(all, IFL_REPORT_HTML, options->html, options->kernel, error)
                            : status;
}

ifl_status ifl_standin_rows(ifl_session *session, const char *path, ifl_error *error)
{
    const ifl_standin_options options = {.json = path};
    const ifl_ledger_entry *entries;
    size_t count;
    sites all = {.device = ifl_session_device(session)};
    ifl_status status = ifl_session_entries(session, &entries, &count, error);
    if (status == IFL_OK)
        status = gather(entries, count, &options, &all, error);
    if (status == IFL_OK)
        status = save(&all, IFL_REPORT_JSON, path, NULL, error);
    free_sites(&all);
    return status;
}

/* The page on standard error may be cut off; a file that was asked for may not. */
int ifl_standin_summary(ifl_session *session, const ifl_standin_options *options)
{
    ifl_error error = {0};
    const ifl_ledger_entry *entries;
    size_t count;
    sites all = {.device = ifl_session_device(session)};
    ifl_status status = ifl_session_entries(session, &entries, &count, &error), written = IFL_OK;
    fflush(stdout);
    if (status == IFL_OK)
        status = gather(entries, count, options, &all, &error);
    if (status == IFL_OK)
        status = find_warnings(&all, &error);
    if (status == IFL_OK)
        status = written = write_files(&all, options, &error);
    if (status == IFL_OK && all.list.count)
        status = print_text(&all, options, &error);
    else if (status == IFL_OK && options->kernel)
        tell_kernels(entries, count, options->kernel);
    else if (status == IFL_OK && !count && options->analysis && ifl_standin_is_first())
        ifl_state_tell("no kernel was launched");
    tell_warnings(&all);
    if (options->leaks)
        tell_leaks(session);
    if (status != IFL_OK)
        ifl_state_tell_error(&error);
    const bool fails = options->fail && (has_finding(&all) || has_warning(&all, options));
    free_sites(&all);
    return ifl_status_exit_code(written != IFL_OK ? written : fails ? IFL_FINDING : IFL_OK);
}
