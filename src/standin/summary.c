/* SPDX-License-Identifier: Apache-2.0
 * See summary.h. One table of all places that launched kernels, the costliest first; then the sheets of the worst. */
#include "standin/summary.h"

#include "report/figure.h"
#include "report/finding.h"
#include "report/page.h"
#include "standin/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST_SHEETS = 3, MOST_ROWS = 40, MOST_LEAKS = 20 };

/* One entry and what ranks it. */
typedef struct site {
    const ifl_ledger_entry *entry;
    size_t order; /* among the entries */
    ifl_traffic traffic; /* off chip, all kinds */
    uint64_t excess;     /* bytes, of the launches that were observed */
    const char *worst;   /* the line that spends most for nothing; "" where nothing is */
    bool has_finding;
} site;

typedef struct sites {
    IFL_VEC(site) list;
    ifl_page page;
} sites;

/* ---- what is told ---------------------------------------------------------------------------- */

static bool is_wanted(const ifl_ledger_entry *entry, const ifl_standin_options *options)
{
    return entry->profile && (!options->kernel || strstr(entry->signature, options->kernel));
}

static ifl_status look_for_findings(site *s, const ifl_places *off_chip, ifl_arena *arena, ifl_error *error)
{
    ifl_places on_chip;
    ifl_findings findings;
    ifl_status status = ifl_places_gather(s->entry->profile, true, &on_chip, error);
    if (status != IFL_OK)
        return status;
    status = ifl_findings_collect(s->entry->profile, off_chip, &on_chip, arena, &findings, error);
    ifl_places_free(&on_chip);
    if (status != IFL_OK)
        return status;
    s->has_finding = findings.list.count > 0;
    ifl_findings_free(&findings);
    return IFL_OK;
}

static ifl_status weigh(site *s, ifl_arena *arena, ifl_error *error)
{
    ifl_places off_chip;
    ifl_status status = ifl_places_gather(s->entry->profile, false, &off_chip, error);
    if (status != IFL_OK)
        return status;
    for (size_t i = 0; i < off_chip.rows.count; i++) {
        ifl_traffic_add(&s->traffic, &off_chip.rows.at[i].traffic);
        s->excess += off_chip.rows.at[i].excess;
    }
    s->worst = off_chip.rows.count && off_chip.rows.at[0].excess ? ifl_place_name(arena, off_chip.rows.at[0].line) : "";
    status = look_for_findings(s, &off_chip, arena, error);
    ifl_places_free(&off_chip);
    return status == IFL_OK && !s->worst ? ifl_fail_memory(error, 1) : status;
}

/* Repeats that were not observed weigh like those that were. */
static double weight(const site *s)
{
    return (double)s->excess * (double)s->entry->launches / (double)s->entry->observed;
}

static int by_weight(const void *a, const void *b)
{
    const site *x = a, *y = b;
    const double of_x = weight(x), of_y = weight(y);
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static ifl_status gather(const ifl_ledger_entry *entries, size_t count, const ifl_standin_options *options, sites *out,
                         ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < count && status == IFL_OK; i++) {
        site s = {.entry = &entries[i], .order = i};
        if (!is_wanted(&entries[i], options))
            continue;
        status = weigh(&s, &out->page.arena, error);
        if (status == IFL_OK && !ifl_vec_push(&out->list, s))
            status = ifl_fail_memory(error, sizeof s);
    }
    if (status == IFL_OK && out->list.count)
        qsort(out->list.at, out->list.count, sizeof(site), by_weight);
    return status;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const ifl_column columns[] = {
    {.head = {"kernel", NULL}},
    {.head = {"launched from", NULL}},
    {.head = {"launches", NULL}, .right = true},
    {.head = {"longest", "(model)"}, .right = true},
    {.head = {"requests", NULL}, .right = true},
    {.head = {"sectors", "a request"}, .right = true},
    {.head = {"for nothing", NULL}, .right = true},
    {.head = {"most of it at", NULL}},
};

/* The name without the parameters: "void scale<float>". */
static const char *short_name(ifl_arena *arena, const char *signature)
{
    const char *end = strchr(signature, '(');
    return ifl_arena_text(arena, signature, end ? (size_t)(end - signature) : strlen(signature));
}

/* "301", or "4 of 301" where that many were observed. */
static const char *launches_of(ifl_arena *arena, const ifl_ledger_entry *e)
{
    const ifl_figure all = ifl_figure_count(e->launches);
    return e->observed == e->launches
               ? ifl_arena_printf(arena, "%s", all.text)
               : ifl_arena_printf(arena, "%s of %s", ifl_figure_count(e->observed).text, all.text);
}

static const char *time_of(ifl_arena *arena, double us)
{
    enum { MILLISECOND = 1000 };
    if (!(us > 0))
        return "";
    return us < MILLISECOND ? ifl_arena_printf(arena, "%.1f µs", us)
                            : ifl_arena_printf(arena, "%.2f ms", us / MILLISECOND);
}

static void add_row(ifl_page *page, ifl_table *table, const site *s)
{
    ifl_arena *arena = &page->arena;
    ifl_row row = {.cell = {short_name(arena, s->entry->signature), s->entry->site, launches_of(arena, s->entry),
                            time_of(arena, s->entry->model_us),
                            ifl_arena_printf(arena, "%s", ifl_figure_count(s->traffic.requests).text),
                            ifl_arena_printf(arena, "%s",
                                             ifl_figure_ratio(s->traffic.sectors, s->traffic.requests).text),
                            ifl_arena_printf(arena, "%s", ifl_figure_bytes(s->excess).text), s->worst}};
    if (s->excess)
        row.style[6] = IFL_STYLE_WARN;
    ifl_table_add(page, table, &row);
}

static void print_table(sites *all)
{
    ifl_page *page = &all->page;
    ifl_table table = {.columns = columns, .column_count = sizeof columns / sizeof *columns, .indent = 2};
    uint64_t launches = 0, observed = 0;
    for (size_t i = 0; i < all->list.count; i++) {
        launches += all->list.at[i].entry->launches;
        observed += all->list.at[i].entry->observed;
    }
    ifl_page_heading(page, ifl_arena_printf(&page->arena, "%s launch%s of kernels from %zu place%s",
                                            ifl_figure_count(launches).text, launches == 1 ? "" : "es",
                                            all->list.count, all->list.count == 1 ? "" : "s"));
    for (size_t i = 0; i < all->list.count && i < MOST_ROWS; i++)
        add_row(page, &table, &all->list.at[i]);
    ifl_table_print(page, &table);
    if (all->list.count > MOST_ROWS)
        fprintf(page->out, "  and %zu more places, which spend less for nothing\n", all->list.count - MOST_ROWS);
    if (observed < launches)
        fputs("  Counts are of the launches that were observed; repeats with the same arguments are run and checked only.\n",
              page->out);
    fputc('\n', page->out);
}

/* ---- sheets ---------------------------------------------------------------------------------- */

/* The costliest launch, which has a time. */
static const ifl_profile *page_of(const ifl_ledger_entry *entry)
{
    return entry->worst ? entry->worst : entry->profile;
}

static ifl_status print_sheets(sites *all, const ifl_report_options *how, ifl_error *error)
{
    const ifl_profile *worst[MOST_SHEETS];
    size_t count = 0;
    while (count < all->list.count && count < MOST_SHEETS) {
        worst[count] = page_of(all->list.at[count].entry);
        count++;
    }
    const ifl_status status = ifl_report_write(worst, count, IFL_REPORT_TEXT, how, all->page.out, error);
    if (status == IFL_OK && count < all->list.count)
        fprintf(all->page.out, "\n%zu more not shown: --kernel TEXT chooses, --json FILE has them all\n",
                all->list.count - count);
    return status;
}

static ifl_status print_text(sites *all, const ifl_device *device, ifl_error *error)
{
    struct winsize window;
    const bool is_terminal = isatty(STDERR_FILENO);
    all->page.out = stderr;
    all->page.color = is_terminal && !getenv("NO_COLOR");
    if (is_terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0)
        all->page.width = window.ws_col;
    const ifl_report_options how = {
        .color = all->page.color, .width = all->page.width, .devices = &device, .device_count = 1};
    print_table(all);
    return all->page.no_memory ? ifl_fail_memory(error, 1) : print_sheets(all, &how, error);
}

/* In the order of the first launches; nothing where no path is given. JSON has the sums, pages the costliest launches. */
static ifl_status save(const sites *all, size_t entries, const ifl_device *device, ifl_report_format format,
                       const char *path, ifl_error *error)
{
    const ifl_report_options how = {.devices = &device, .device_count = 1};
    if (!path)
        return IFL_OK;
    const ifl_profile **profiles = calloc(entries + 1, sizeof *profiles);
    size_t count = 0;
    if (!profiles)
        return ifl_fail_memory(error, entries * sizeof *profiles);
    for (size_t i = 0; i < all->list.count; i++)
        profiles[all->list.at[i].order] =
            format == IFL_REPORT_JSON ? all->list.at[i].entry->profile : page_of(all->list.at[i].entry);
    for (size_t i = 0; i < entries; i++)
        if (profiles[i])
            profiles[count++] = profiles[i];
    const ifl_status status = ifl_report_save(profiles, count, format, &how, path, error);
    free(profiles);
    return status;
}

/* ---- memory that was never freed ------------------------------------------------------------- */

static void tell_leaks(ifl_session *session)
{
    const ifl_memory *memory = ifl_session_memory(session);
    const uint32_t others = IFL_ALLOCATION_FREED | IFL_ALLOCATION_MODULE | IFL_ALLOCATION_DEVICE;
    uint64_t bytes = 0, count = 0;
    for (size_t i = 0; i < ifl_memory_count(memory); i++) {
        const ifl_allocation *a = ifl_memory_at(memory, i);
        if (a->flags & others)
            continue;
        bytes += a->bytes;
        if (count++ < MOST_LEAKS)
            ifl_state_tell("never freed: %s", a->label);
    }
    ifl_state_tell("%" PRIu64 " allocations, %s, were never freed", count, ifl_figure_bytes(bytes).text);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool has_finding(const sites *all)
{
    for (size_t i = 0; i < all->list.count; i++)
        if (all->list.at[i].has_finding)
            return true;
    return false;
}

int ifl_standin_summary(ifl_session *session, const ifl_standin_options *options)
{
    const ifl_device *device = ifl_session_device(session);
    ifl_error error = {0};
    const ifl_ledger_entry *entries;
    size_t count;
    sites all = {0};
    ifl_status status = ifl_session_entries(session, &entries, &count, &error);
    fflush(stdout);
    if (status == IFL_OK)
        status = gather(entries, count, options, &all, &error);
    if (status == IFL_OK)
        status = save(&all, count, device, IFL_REPORT_JSON, options->json, &error);
    if (status == IFL_OK)
        status = save(&all, count, device, IFL_REPORT_HTML, options->html, &error);
    if (status == IFL_OK && all.list.count)
        status = print_text(&all, device, &error);
    if (options->leaks)
        tell_leaks(session);
    if (status != IFL_OK)
        ifl_state_tell_error(&error);
    const bool fails = options->fail && has_finding(&all);
    ifl_vec_free(&all.list);
    ifl_arena_free(&all.page.arena);
    return fails;
}
