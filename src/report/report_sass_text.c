/* SPDX-License-Identifier: Apache-2.0
 * The text report on machine code: a table of the kernels where there are several, then each in
 * full: registers and memory, what its instructions are for, its loops, its opcodes. docs/sass.md
 * says how to read it. */
#include "report/report_sass.h"

#include "base/figure.h"
#include "base/short_name.h"
#include "report/code_part.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

enum { INDENT = 2, MOST_IN_FULL = 4, MOST_OPCODES = 16, MOST_LINES = 1000 };

typedef struct sheet {
    ifl_page page;
    const ifl_sass_report *report;
} sheet;

static const char *count(sheet *s, uint64_t value)
{
    const ifl_figure figure = ifl_figure_count(value);
    return ifl_arena_text(&s->page.arena, figure.text, strlen(figure.text));
}

/* What there is nothing of is a blank cell. */
static const char *count_or_blank(sheet *s, uint64_t value)
{
    return value ? count(s, value) : "";
}

/* "1 block", "8 blocks" */
static const char *counted(sheet *s, uint64_t value, const char *what)
{
    const char *text = ifl_arena_printf(&s->page.arena, "%s %s%s", ifl_figure_count(value).text,
                                        what, value == 1 ? "" : "s");
    s->page.no_memory |= !text;
    return text ? text : "";
}

static const char *counted_or(sheet *s, uint64_t value, const char *what, const char *none)
{
    return value ? counted(s, value, what) : none;
}

static const char *name_of(const ifl_machine_kernel *kernel)
{
    return kernel->demangled && *kernel->demangled ? kernel->demangled : kernel->name;
}

static bool is_blank(const ifl_table *table, size_t column)
{
    for (size_t i = 0; i < table->rows.count; i++)
        if (table->rows.at[i].cell[column] && *table->rows.at[i].cell[column])
            return false;
    return true;
}

/* Columns in which no row has anything are left out: names and accesses get their room. */
static void print_filled(sheet *s, ifl_table *table)
{
    ifl_column columns[IFL_TABLE_COLUMNS];
    memcpy(columns, table->columns, table->column_count * sizeof *columns);
    for (size_t i = 0; i < table->column_count; i++)
        if (is_blank(table, i))
            columns[i].page_width = INT_MAX;
    table->columns = columns;
    ifl_table_print(&s->page, table);
}

static void sentence(sheet *s, ifl_style style, const char *text)
{
    ifl_page_paragraph(&s->page, INDENT, 2 * INDENT, style, text);
}

/* ---- several kernels ------------------------------------------------------------------------- */

static const ifl_column summary_columns[] = {
    {{"", "target"}, false, 0, false},
    {{"", "registers"}, true, 0, false},
    {{"shared", "bytes"}, true, 0, false},
    {{"stack", "bytes"}, true, 0, false},
    {{"spilt", "bytes"}, true, 0, false},
    {{"", "instr."}, true, 0, false},
    {{"", "loops"}, true, 0, false},
    {{"in flight", "bytes"}, true, 0, false},
    {{"exposed,", "in loops"}, true, 0, false},
    {{"", "kernel"}, false, 0, true},
};

/* "8, 6": of the innermost loops, in order. */
static const char *exposed_text(sheet *s, const ifl_sass_kernel *kernel)
{
    enum { MOST = 4 };
    const char *text = "";
    int shown = 0;
    for (size_t l = 0; l < kernel->loop_count && text; l++) {
        if (!kernel->loops[l].at.is_innermost)
            continue;
        if (shown == MOST)
            return ifl_arena_printf(&s->page.arena, "%s, …", text);
        text = ifl_arena_printf(&s->page.arena, "%s%s%u", text, shown++ ? ", " : "",
                                kernel->loops[l].exposed_latencies);
    }
    return text;
}

static void add_summary(sheet *s, ifl_table *table, const ifl_sass_facts *facts, const char *name)
{
    const ifl_sass_kernel *k = &facts->kernel;
    const ifl_machine_kernel *m = k->kernel;
    ifl_row row = {
        .cell = {ifl_arena_printf(&s->page.arena, "sm_%u", m->sm), count_or_blank(s, m->registers),
                 count_or_blank(s, m->static_shared_bytes), count_or_blank(s, m->frame_bytes),
                 count_or_blank(s, (uint64_t)k->spill_load_bytes + k->spill_store_bytes),
                 count(s, facts->reached), count_or_blank(s, k->loop_count),
                 count_or_blank(s, k->bytes_in_flight), exposed_text(s, k),
                 ifl_clean_line(&s->page.arena, name)}};
    row.style[4] = IFL_STYLE_BAD;
    ifl_table_add(&s->page, table, &row);
}

/* Without analysis: the code is not at hand, or not known here. */
static void add_unread(sheet *s, ifl_table *table, const ifl_machine_kernel *m, const char *name)
{
    const ifl_row row = {
        .cell = {ifl_arena_printf(&s->page.arena, "sm_%u", m->sm), count_or_blank(s, m->registers),
                 count_or_blank(s, m->static_shared_bytes), count_or_blank(s, m->frame_bytes), "",
                 "", "", "", "", ifl_clean_line(&s->page.arena, name)}};
    ifl_table_add(&s->page, table, &row);
}

static const ifl_column list_columns[] = {
    {{"", "target"}, false, 0, false},     {{"", "registers"}, true, 0, false},
    {{"shared", "bytes"}, true, 0, false}, {{"stack", "bytes"}, true, 0, false},
    {{"code", "bytes"}, true, 0, false},   {{"", "kernel"}, false, 0, true},
};

/* Of a file with much code, what its kernels' own figures tell. */
static void print_list(sheet *s)
{
    ifl_table table = {.columns = list_columns,
                       .column_count = sizeof list_columns / sizeof *list_columns,
                       .indent = INDENT};
    for (size_t i = 0; i < s->report->chosen_count; i++) {
        const ifl_machine_kernel *m = &s->report->machine->kernels[s->report->chosen[i]];
        const ifl_row row = {.cell = {ifl_arena_printf(&s->page.arena, "sm_%u", m->sm),
                                      count_or_blank(s, m->registers),
                                      count_or_blank(s, m->static_shared_bytes),
                                      count_or_blank(s, m->frame_bytes), count(s, m->code_bytes),
                                      ifl_clean_line(&s->page.arena, name_of(m))}};
        ifl_table_add(&s->page, &table, &row);
    }
    ifl_table_print(&s->page, &table);
    ifl_page_text(&s->page, IFL_STYLE_DIM,
                  "\nThe file holds much code, so kernels are only listed. -k KERNEL analyses one "
                  "in full, --arch "
                  "selects one target.\n");
}

/* As short as -k takes them; NULL without memory. */
static const char **names_of(sheet *s)
{
    const ifl_sass_report *report = s->report;
    const size_t count = report->chosen_count;
    const char **names = ifl_arena_alloc(&s->page.arena, 2 * (count + 1) * sizeof *names);
    const char **whole = names + count;
    for (size_t i = 0; names && i < count; i++)
        whole[i] = name_of(&report->machine->kernels[report->chosen[i]]);
    if (!names || !ifl_short_names(&s->page.arena, whole, count, names))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (strchr(names[i], '~') || strstr(names[i], "…"))
            names[i] = whole[i];
    return names;
}

static ifl_status print_summary(sheet *s, ifl_error *error)
{
    const ifl_sass_report *report = s->report;
    const char **names = names_of(s);
    if (!names)
        return ifl_fail_memory(error, report->chosen_count * sizeof *names);
    ifl_table table = {.columns = summary_columns,
                       .column_count = sizeof summary_columns / sizeof *summary_columns,
                       .indent = INDENT};
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < report->chosen_count && status == IFL_OK; i++) {
        ifl_arena arena = {0};
        ifl_sass_facts facts;
        const ifl_machine_kernel *m = &report->machine->kernels[report->chosen[i]];
        if (!ifl_sass_supports(m->sm)) {
            add_unread(s, &table, m, names[i]);
            continue;
        }
        status =
            ifl_sass_facts_collect(report->machine, report->chosen[i], NULL, &arena, &facts, error);
        if (status == IFL_OK)
            add_summary(s, &table, &facts, names[i]);
        ifl_arena_free(&arena);
    }
    print_filled(s, &table);
    return status;
}

/* ---- one kernel ------------------------------------------------------------------------------ */

static uint64_t most_threads(const ifl_machine_kernel *kernel)
{
    return (uint64_t)kernel->max_threads[0] * kernel->max_threads[1] * kernel->max_threads[2];
}

static void print_resources(sheet *s, const ifl_sass_facts *facts)
{
    const ifl_machine_kernel *m = facts->kernel.kernel;
    const ifl_sass_kernel *k = &facts->kernel;
    ifl_arena *arena = &s->page.arena;
    const char *text =
        ifl_arena_printf(arena, "%s per thread · static shared memory: %s · stack: %s",
                         counted_or(s, m->registers, "register", "an unknown number of registers"),
                         counted_or(s, m->static_shared_bytes, "byte", "none"),
                         counted_or(s, m->frame_bytes, "byte", "none"));
    if (text && most_threads(m))
        text = ifl_arena_printf(arena, "%s · at most %s per block", text,
                                counted(s, most_threads(m), "thread"));
    sentence(s, IFL_STYLE_PLAIN, text);
    if (k->spill_load_bytes || k->spill_store_bytes)
        sentence(
            s, IFL_STYLE_BAD,
            ifl_arena_printf(arena,
                             "Stack accesses at fixed places, as for spills: %s loaded, %s stored "
                             "per thread, counting each instruction once.",
                             counted(s, k->spill_load_bytes, "byte"),
                             counted(s, k->spill_store_bytes, "byte")));
}

static void print_work(sheet *s, const ifl_sass_facts *facts)
{
    const ifl_sass_kernel *k = &facts->kernel;
    const uint32_t *purpose = facts->purpose;
    sentence(s, IFL_STYLE_PLAIN,
             ifl_arena_printf(&s->page.arena,
                              "%s, %s: %u useful (what the source asks for), %u for addresses, "
                              "%u for decisions, %u set-up.",
                              counted(s, facts->reached, "instruction"),
                              counted_or(s, k->loop_count, "loop", "no loop"),
                              purpose[IFL_SASS_USEFUL], purpose[IFL_SASS_ADDRESS],
                              purpose[IFL_SASS_CONTROL], purpose[IFL_SASS_SET_UP]));
}

static void print_flight(sheet *s, const ifl_sass_facts *facts)
{
    const ifl_sass_kernel *k = &facts->kernel;
    ifl_arena *arena = &s->page.arena;
    if (k->bytes_in_flight)
        sentence(s, IFL_STYLE_PLAIN,
                 ifl_arena_printf(arena,
                                  "A waiting warp has at most %s of loads in flight. Outside of "
                                  "loops it waits for loads %s.",
                                  counted(s, k->bytes_in_flight, "byte"),
                                  ifl_figure_times(k->exposed_latencies).text));
    if (k->unknown)
        sentence(s, IFL_STYLE_WARN,
                 ifl_arena_printf(arena, "%s could not be decoded and %s left out of the counts.",
                                  counted(s, k->unknown, "instruction"),
                                  k->unknown == 1 ? "is" : "are"));
}

static void print_executed(sheet *s, const ifl_sass_facts *facts)
{
    if (facts->executed)
        sentence(s, IFL_STYLE_PLAIN,
                 ifl_arena_printf(&s->page.arena, "Executed: %s warp instructions.",
                                  ifl_figure_count(facts->all_executed).text));
}

/* ---- loops ----------------------------------------------------------------------------------- */

static const ifl_column loop_columns[] = {
    {{"", "loop"}, false, 0, false},           {{"", "instr."}, true, 0, false},
    {{"", "useful"}, true, 0, false},          {{"for", "addresses"}, true, 0, false},
    {{"in flight", "bytes"}, true, 0, false},  {{"exposed", "latencies"}, true, 0, false},
    {{"registers", "reused"}, true, 0, false}, {{"spill", "accesses"}, true, 0, false},
    {{"", "memory, a trip"}, false, 0, true},
};

static const char *loop_name(sheet *s, const ifl_sass_facts *facts, size_t l)
{
    enum { DEEPEST = 8 };
    const char *file;
    uint32_t first, last;
    ifl_arena *arena = &s->page.arena;
    const uint32_t depth = facts->kernel.loops[l].at.depth;
    const int indent = 2 * (int)(depth < DEEPEST ? depth - 1 : DEEPEST);
    if (!ifl_sass_loop_lines(facts, l, &file, &first, &last))
        return ifl_arena_printf(arena, "%*s%zu", indent, "", l + 1);
    file = ifl_clean_line(arena, file);
    if (!file || first == last)
        return file ? ifl_arena_printf(arena, "%*s%zu  %s:%u", indent, "", l + 1, file, first)
                    : NULL;
    return ifl_arena_printf(arena, "%*s%zu  %s:%u-%u", indent, "", l + 1, file, first, last);
}

/* "global loads 4×16 B, shared stores 1×4 B" */
static const char *accesses_text(sheet *s, const ifl_sass_loop *loop)
{
    const char *text = "";
    for (ifl_sass_class c = 0; c < IFL_SASS_CLASSES && text; c++) {
        bool first = true;
        for (int width = IFL_SASS_WIDTHS - 1; width >= 0 && text; width--) {
            const uint32_t n = c == IFL_SASS_LOAD_CONSTANT ? 0 : loop->width_count[c][width];
            if (!n)
                continue;
            text = ifl_arena_printf(&s->page.arena, "%s%s%s%s%u×%u B", text, *text ? ", " : "",
                                    first ? ifl_sass_class_text(c) : "", first ? " " : "", n,
                                    1u << width);
            first = false;
        }
    }
    return text;
}

static void print_loops(sheet *s, const ifl_sass_facts *facts)
{
    ifl_table table = {.columns = loop_columns,
                       .column_count = sizeof loop_columns / sizeof *loop_columns,
                       .indent = INDENT};
    if (!facts->kernel.loop_count)
        return;
    ifl_page_heading(&s->page, "Loops: one iteration, without inner loops");
    for (size_t l = 0; l < facts->kernel.loop_count; l++) {
        const ifl_sass_loop *loop = &facts->kernel.loops[l];
        ifl_row row = {.cell = {loop_name(s, facts, l), count(s, loop->instructions),
                                count(s, loop->useful), count(s, loop->address_arithmetic),
                                count_or_blank(s, loop->load_bytes_in_flight),
                                count(s, loop->exposed_latencies), count(s, loop->register_reuses),
                                count_or_blank(s, (uint64_t)loop->spill_loads + loop->spill_stores),
                                accesses_text(s, loop)}};
        row.style[0] = loop->at.is_innermost ? IFL_STYLE_STRONG : IFL_STYLE_PLAIN;
        row.style[7] = IFL_STYLE_BAD;
        ifl_table_add(&s->page, &table, &row);
    }
    print_filled(s, &table);
}

/* ---- opcodes --------------------------------------------------------------------------------- */

static const ifl_column opcode_columns[] = {
    {{"", "opcode"}, false, 0, false},         {{"", "instructions"}, true, 0, false},
    {{"", "useful"}, true, 0, false},          {{"", "executed"}, true, 0, false},
    {{"executed,", "useful"}, true, 0, false},
};

static void add_opcode(sheet *s, ifl_table *table, const ifl_sass_opcode *opcode)
{
    ifl_row row = {.cell = {opcode->name, count(s, opcode->count),
                            count_or_blank(s, opcode->useful), count(s, opcode->executed),
                            opcode->useful ? count(s, opcode->executed_useful) : ""}};
    row.style[0] = row.style[2] = row.style[4] = opcode->useful ? IFL_STYLE_GOOD : IFL_STYLE_PLAIN;
    ifl_table_add(&s->page, table, &row);
}

static void print_opcodes(sheet *s, const ifl_sass_facts *facts)
{
    const bool counts = facts->executed != NULL;
    ifl_table table = {.columns = opcode_columns, .column_count = counts ? 5 : 3, .indent = INDENT};
    ifl_page_heading(&s->page, counts ? "Opcodes, executed by warps" : "Opcodes");
    for (size_t i = 0; i < facts->opcode_count && i < MOST_OPCODES; i++)
        add_opcode(s, &table, &facts->opcodes[i]);
    ifl_table_print(&s->page, &table);
    if (facts->opcode_count > MOST_OPCODES)
        sentence(
            s, IFL_STYLE_DIM,
            ifl_arena_printf(&s->page.arena, "and %zu more", facts->opcode_count - MOST_OPCODES));
}

/* ---- the page -------------------------------------------------------------------------------- */

static void print_facts(sheet *s, const ifl_sass_facts *facts, const ifl_profile *beside)
{
    const ifl_machine_kernel *m = facts->kernel.kernel;
    ifl_page_text(&s->page, IFL_STYLE_STRONG, ifl_clean_line(&s->page.arena, name_of(m)));
    ifl_page_text(&s->page, IFL_STYLE_PLAIN,
                  ifl_arena_printf(&s->page.arena, " (sm_%u%s)\n", m->sm,
                                   m->is_kernel ? "" : ", a device function"));
    print_resources(s, facts);
    print_work(s, facts);
    print_flight(s, facts);
    print_executed(s, facts);
    print_loops(s, facts);
    print_opcodes(s, facts);
    if (beside)
        ifl_code_part_print(&s->page, beside, MOST_LINES);
    if (s->report->options->listing)
        ifl_sass_print_listing(s->report, facts, beside, &s->page);
}

static ifl_status print_kernel(sheet *s, size_t i, ifl_error *error)
{
    ifl_arena arena = {0};
    ifl_sass_facts facts;
    ifl_status status =
        ifl_sass_report_facts(s->report, s->report->chosen[i], &arena, &facts, error);
    ifl_profile *beside = NULL;
    if (status == IFL_OK)
        status = ifl_sass_report_beside(s->report, s->report->chosen[i], &beside, error);
    if (status == IFL_OK)
        print_facts(s, &facts, beside);
    if (beside)
        ifl_profile_destroy(beside);
    ifl_arena_free(&arena);
    return status;
}

static ifl_status print_all(sheet *s, ifl_error *error)
{
    const ifl_machine_options *options = s->report->options;
    const size_t number = s->report->chosen_count;
    const bool in_full = number <= MOST_IN_FULL || options->kernel || options->listing;
    if (s->report->machine->is_list) {
        print_list(s);
        return IFL_OK;
    }
    ifl_status status = number > 1 ? print_summary(s, error) : IFL_OK;
    for (size_t i = 0; in_full && i < number && status == IFL_OK; i++) {
        const uint32_t sm = s->report->machine->kernels[s->report->chosen[i]].sm;
        if (number > 1 && !ifl_sass_supports(sm))
            continue;
        if (number > 1)
            fputc('\n', s->page.out);
        status = print_kernel(s, i, error);
    }
    if (!in_full)
        ifl_page_text(&s->page, IFL_STYLE_DIM, "\n-k KERNEL shows one in full.\n");
    return status;
}

ifl_status ifl_sass_write_text(const ifl_sass_report *report, FILE *out, ifl_error *error)
{
    sheet s = {
        .page = {.out = out, .color = report->options->color, .width = report->options->width},
        .report = report};
    ifl_status status = print_all(&s, error);
    if (status == IFL_OK && s.page.no_memory)
        status = ifl_fail_memory(error, sizeof s);
    ifl_arena_free(&s.page.arena);
    return status;
}
