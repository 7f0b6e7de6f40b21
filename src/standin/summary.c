/* SPDX-License-Identifier: Apache-2.0
 * See summary.h. Tables of the kernels by their time and of what they asked of memory, by place of
 * launch; then the sheets of those that took longest. */
#include "standin/summary.h"

#include "base/figure.h"
#include "base/short_name.h"
#include "outcome/outcome.h"
#include "report/page.h"
#include "session/kernel_name.h"
#include "standin/failed_call.h"
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

/* One entry, what ranks it, and what is told of it. */
typedef struct site {
    const ifl_ledger_entry *entry;
    size_t order;        /* among the entries */
    ifl_traffic traffic; /* off chip, all kinds */
    uint64_t excess;     /* bytes, of the launches that were observed */
    double total_us;     /* of all its launches */
    const char *worst;   /* the line that spends most for nothing; "" where nothing is */
    ifl_outcome *sum;    /* of all launches that were observed */
    ifl_outcome *alone;  /* of the costliest, where that is not all of them; made when it is told */
} site;

typedef struct sites {
    IFL_VEC(site) list;
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

static ifl_status weigh(site *s, ifl_arena *arena, ifl_error *error)
{
    const ifl_status status = ifl_outcome_new(s->entry->profile, &s->sum, error);
    if (status != IFL_OK)
        return status;
    const ifl_profile *profile = s->entry->profile;
    s->total_us =
        ifl_summary_total(s->entry->signature, s->entry->site, profile->grid, profile->block);
    const ifl_places *off_chip = &s->sum->off_chip;
    for (size_t i = 0; i < off_chip->rows.count; i++) {
        ifl_traffic_add(&s->traffic, &off_chip->rows.at[i].traffic);
        s->excess += off_chip->rows.at[i].excess;
    }
    const ifl_profile_line *first = off_chip->rows.count ? off_chip->rows.at[0].line : NULL;
    s->worst =
        first && off_chip->rows.at[0].excess ? ifl_place_name(arena, first->file, first->line) : "";
    return s->worst ? IFL_OK : ifl_fail_memory(error, 1);
}

static int by_time(const void *a, const void *b)
{
    const site *x = a, *y = b;
    if (x->total_us != y->total_us)
        return x->total_us < y->total_us ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static ifl_status gather(const ifl_ledger_entry *entries, size_t count,
                         const ifl_standin_options *options, sites *out, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < count && status == IFL_OK; i++) {
        site s = {.entry = &entries[i], .order = i};
        if (!is_wanted(&entries[i], options))
            continue;
        status = weigh(&s, &out->page.arena, error);
        if (status == IFL_OK && !ifl_vec_push(&out->list, s))
            status = ifl_fail_memory(error, sizeof s);
        if (status != IFL_OK)
            ifl_outcome_free(s.sum);
    }
    if (status == IFL_OK && out->list.count)
        qsort(out->list.at, out->list.count, sizeof(site), by_time);
    return status;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const ifl_column columns[] = {
    {.head = {"kernel", NULL}},
    {.head = {"launched from", NULL}},
    {.head = {"grid", NULL}, .right = true, .page_width = WIDE},
    {.head = {"block", NULL}, .right = true, .page_width = WIDE},
    {.head = {"launches", NULL}, .right = true},
    {.head = {"requests", NULL}, .right = true, .page_width = VERY_WIDE},
    {.head = {"sectors/", "request"}, .right = true},
    {.head = {"not needed", NULL}, .right = true},
    {.head = {"most of it at", NULL}},
};

/* "301", or "4 of 301" where that many were observed. */
static const char *launches_of(ifl_arena *arena, const ifl_ledger_entry *e)
{
    const ifl_figure all = ifl_figure_count(e->launches);
    return e->observed == e->launches
               ? ifl_arena_printf(arena, "%s", all.text)
               : ifl_arena_printf(arena, "%s of %s", ifl_figure_count(e->observed).text, all.text);
}

static void add_row(ifl_page *page, ifl_table *table, const site *s, const char *name)
{
    ifl_arena *arena = &page->arena;
    ifl_row row = {
        .cell = {name, s->entry->site, ifl_summary_size(arena, s->entry->profile->grid),
                 ifl_summary_size(arena, s->entry->profile->block), launches_of(arena, s->entry),
                 ifl_arena_printf(arena, "%s", ifl_figure_count(s->traffic.requests).text),
                 ifl_arena_printf(arena, "%s",
                                  ifl_figure_ratio(s->traffic.sectors, s->traffic.requests).text),
                 ifl_arena_printf(arena, "%s", ifl_figure_bytes(s->excess).text), s->worst}};
    if (s->excess)
        row.style[7] = IFL_STYLE_WARN;
    ifl_table_add(page, table, &row);
}

static void add_rows(ifl_page *page, ifl_table *table, const sites *all)
{
    const char *signatures[MOST_ROWS], *names[MOST_ROWS];
    const size_t shown = all->list.count < MOST_ROWS ? all->list.count : MOST_ROWS;
    for (size_t i = 0; i < shown; i++)
        signatures[i] = all->list.at[i].entry->signature;
    const bool is_named = ifl_short_names(&page->arena, signatures, shown, names);
    page->no_memory |= !is_named;
    for (size_t i = 0; is_named && i < shown; i++)
        add_row(page, table, &all->list.at[i], names[i]);
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

static void print_table(sites *all, const ifl_standin_options *options)
{
    ifl_page *page = &all->page;
    ifl_table table = {
        .columns = columns, .column_count = sizeof columns / sizeof *columns, .indent = 2};
    uint64_t launches = 0, observed = 0, repeated = 0;
    for (size_t i = 0; i < all->list.count; i++) {
        launches += all->list.at[i].entry->launches;
        observed += all->list.at[i].entry->observed;
        repeated += all->list.at[i].entry->repeated;
    }
    ifl_page_heading(page,
                     ifl_arena_printf(&page->arena, "%s%s launch%s of kernels from %zu place%s",
                                      process_of(&page->arena, options),
                                      ifl_figure_count(launches).text, launches == 1 ? "" : "es",
                                      all->list.count, all->list.count == 1 ? "" : "s"));
    ifl_summary_kernels(page, options->kernel);
    print_repeated(page, repeated);
    add_rows(page, &table, all);
    ifl_table_print(page, &table);
    if (all->list.count > MOST_ROWS)
        fprintf(page->out, "  and %s, which take less time\n",
                ifl_figure_counted(all->list.count - MOST_ROWS, "further place").text);
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
    if (status == IFL_OK)
        outcome->program_us = s->total_us;
    *out = outcome;
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
    for (; count < all->list.count && count < MOST_SHEETS && status == IFL_OK; count++)
        status = alone_of(all, &all->list.at[count], &worst[count], error);
    if (status == IFL_OK)
        status = ifl_report_write(worst, count, IFL_REPORT_TEXT, how, all->page.out, error);
    if (status == IFL_OK && count < all->list.count)
        fprintf(all->page.out,
                "\n%zu more not shown: --kernel KERNEL selects, --json FILE has all of them\n",
                all->list.count - count);
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

/* In the order of the first launches; nothing where no path is given. JSON has the sums, pages the
 * costliest launches. */
static ifl_status save(sites *all, size_t entries, ifl_report_format format, const char *path,
                       const char *only, ifl_error *error)
{
    ifl_status status = IFL_OK;
    size_t count = 0;
    ifl_report_options how = {0};
    if (!path)
        return IFL_OK;
    const ifl_outcome **outcomes = calloc(entries + 1, sizeof *outcomes);
    if (!outcomes)
        return ifl_fail_memory(error, entries * sizeof *outcomes);
    for (size_t i = 0; i < all->list.count && status == IFL_OK; i++) {
        site *s = &all->list.at[i];
        status =
            (format == IFL_REPORT_JSON ? sum_of : alone_of)(all, s, &outcomes[s->order], error);
    }
    for (size_t i = 0; i < entries; i++)
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
    ifl_arena_free(&all->page.arena);
}

static ifl_status write_files(sites *all, size_t entries, const ifl_standin_options *options,
                              ifl_error *error)
{
    const ifl_status status =
        save(all, entries, IFL_REPORT_JSON, options->json, options->kernel, error);
    return status == IFL_OK
               ? save(all, entries, IFL_REPORT_HTML, options->html, options->kernel, error)
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
        status = save(&all, count, IFL_REPORT_JSON, path, NULL, error);
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
        status = written = write_files(&all, count, options, &error);
    if (status == IFL_OK && all.list.count)
        status = print_text(&all, options, &error);
    else if (status == IFL_OK && options->kernel)
        tell_kernels(entries, count, options->kernel);
    tell_warnings(&all);
    if (options->leaks)
        tell_leaks(session);
    if (status != IFL_OK)
        ifl_state_tell_error(&error);
    const bool fails = options->fail && (has_finding(&all) || has_warning(&all, options));
    free_sites(&all);
    return ifl_status_exit_code(written != IFL_OK ? written : fails ? IFL_FINDING : IFL_OK);
}
