/* SPDX-License-Identifier: Apache-2.0
 * What the compiler made of a launched kernel: a paragraph, and the source lines in which machine
 * code and PTX differ. */
#include "report/machine_part.h"

#include "base/figure.h"

#include <string.h>

enum { INDENT = 2, MOST_LINES = 20 };

/* ---- text ------------------------------------------------------------------------------------ */

static const char *counted(ifl_page *page, uint64_t value, const char *what)
{
    const char *text = ifl_arena_printf(&page->arena, "%s %s%s", ifl_figure_count(value).text, what,
                                        value == 1 ? "" : "s");
    page->no_memory |= !text;
    return text ? text : "";
}

static void print_spills(ifl_page *page, const ifl_machine_facts *facts)
{
    const ifl_machine_spills *s = &facts->spills;
    const char *text =
        ifl_arena_printf(&page->arena,
                         "Spills to local memory: the code stores %s per thread and loads %u, "
                         "counting each instruction once.",
                         counted(page, facts->spill_store_bytes, "byte"), facts->spill_load_bytes);
    if (text && s->known)
        text = ifl_arena_printf(&page->arena,
                                "%s The launch makes %s for the stores and %s for the loads.", text,
                                counted(page, (uint64_t)s->store_requests, "request"),
                                counted(page, (uint64_t)s->load_requests, "request"));
    ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_BAD, text);
}

static void print_resources(ifl_page *page, const ifl_machine_facts *facts)
{
    const char *registers = facts->registers ? counted(page, facts->registers, "register")
                                             : "an unknown number of registers";
    const char *text = ifl_arena_printf(
        &page->arena, "%s per thread; %s, of which %u do work that the source asks for.", registers,
        counted(page, facts->instructions, "instruction"), facts->useful);
    if (text && facts->bytes_in_flight)
        text =
            ifl_arena_printf(&page->arena, "%s A waiting warp has at most %s of loads in flight.",
                             text, counted(page, facts->bytes_in_flight, "byte"));
    ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_PLAIN, text);
    if (facts->spill_load_bytes || facts->spill_store_bytes)
        print_spills(page, facts);
    if (facts->unknown)
        ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_WARN,
                           ifl_arena_printf(&page->arena, "%s could not be decoded.",
                                            counted(page, facts->unknown, "instruction")));
}

static bool says_the_same(const ifl_machine_loop *a, const ifl_machine_loop *b)
{
    return a->is_innermost == b->is_innermost && strcmp(a->file, b->file) == 0 &&
           a->first_line == b->first_line && a->last_line == b->last_line &&
           a->instructions == b->instructions && a->exposed_latencies == b->exposed_latencies &&
           a->register_reuses == b->register_reuses && !a->spills == !b->spills;
}

/* How many loops like this one there are from it on; 0: an earlier one is. Templates have the same
 * wait for a barrier in many places. */
static unsigned count_alike(const ifl_machine_facts *facts, size_t at)
{
    unsigned count = 0;
    for (size_t l = 0; l < facts->loops.count; l++) {
        const bool is_alike = says_the_same(&facts->loops.at[l], &facts->loops.at[at]);
        if (is_alike && l < at)
            return 0;
        count += is_alike;
    }
    return count;
}

/* "Loop at saxpy.cu:12-15, 2 times in the code" */
static const char *loop_place(ifl_page *page, const ifl_machine_loop *loop, unsigned count)
{
    const char *file = ifl_clean_line(&page->arena, loop->file);
    const char *where =
        !file               ? NULL
        : !loop->first_line ? "Innermost loop"
        : loop->first_line == loop->last_line
            ? ifl_arena_printf(&page->arena, "Loop at %s:%u", file, loop->first_line)
            : ifl_arena_printf(&page->arena, "Loop at %s:%u-%u", file, loop->first_line,
                               loop->last_line);
    return where && count > 1
               ? ifl_arena_printf(&page->arena, "%s, %u times in the code", where, count)
               : where;
}

/* ", waits for its own loads twice and ...": what does not occur is not said. */
static const char *loop_waits(ifl_page *page, const ifl_machine_loop *loop)
{
    const bool waits = loop->exposed_latencies, reuses = loop->register_reuses;
    const char *one = waits ? ifl_arena_printf(&page->arena, "%swaits for its own loads %s",
                                               reuses ? ", " : " and ",
                                               ifl_figure_times(loop->exposed_latencies).text)
                            : "",
               *other = reuses ? ifl_arena_printf(&page->arena,
                                                  "%s reuses the destination register of a load %s",
                                                  waits ? ", and" : " and",
                                                  ifl_figure_times(loop->register_reuses).text)
                               : "";
    return one && other ? ifl_arena_printf(&page->arena, "%s%s", one, other) : NULL;
}

static void print_loop(ifl_page *page, const ifl_machine_loop *loop, unsigned count)
{
    const char *where = loop_place(page, loop, count), *waits = loop_waits(page, loop);
    ifl_page_paragraph(page, INDENT, 2 * INDENT, loop->spills ? IFL_STYLE_BAD : IFL_STYLE_PLAIN,
                       where && waits
                           ? ifl_arena_printf(&page->arena, "%s: an iteration has %s%s%s.", where,
                                              counted(page, loop->instructions, "instruction"),
                                              waits, loop->spills ? "; it spills" : "")
                           : NULL);
}

static const ifl_column columns[] = {
    {{"line", ""}, false, 0, false},
    {{"access", ""}, false, 0, false},
    {{"PTX asks for", ""}, false, 0, false},
    {{"machine code does", ""}, false, 0, false},
    {{"", ""}, false, 0, false},
};

static const char *share_text(ifl_page *page, uint32_t count, uint32_t bytes)
{
    if (!count)
        return "nothing";
    return bytes % count ? ifl_arena_printf(&page->arena, "%u, %u B in all", count, bytes)
                         : ifl_arena_printf(&page->arena, "%u×%u B", count, bytes / count);
}

static void add_access(ifl_page *page, ifl_table *table, const ifl_machine_access *a)
{
    const char *file = ifl_clean_line(&page->arena, a->file);
    const ifl_row row = {
        .cell = {file ? ifl_arena_printf(&page->arena, "%s:%u", file, a->line) : NULL,
                 ifl_arena_printf(&page->arena, "%s %s", ifl_space_text(a->space),
                                  ifl_access_kind_text(a->kind)),
                 share_text(page, a->ptx_count, a->ptx_bytes),
                 share_text(page, a->machine_count, a->machine_bytes),
                 ifl_machine_verdict_text(a->verdict)}};
    ifl_table_add(page, table, &row);
}

static void print_accesses(ifl_page *page, const ifl_machine_facts *facts)
{
    ifl_table table = {
        .columns = columns, .column_count = sizeof columns / sizeof *columns, .indent = INDENT};
    size_t different = 0;
    for (size_t i = 0; i < facts->accesses.count; i++)
        if (facts->accesses.at[i].verdict != IFL_MACHINE_SAME && different++ < MOST_LINES)
            add_access(page, &table, &facts->accesses.at[i]);
    if (!different) {
        ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_PLAIN,
                           "Its accesses are the same as those of the PTX, line by line.");
        return;
    }
    ifl_page_paragraph(
        page, INDENT, INDENT, IFL_STYLE_PLAIN,
        "Its accesses differ from those of the PTX, on which the counts above are based:");
    ifl_table_print(page, &table);
    if (different > MOST_LINES)
        ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_DIM,
                           ifl_arena_printf(&page->arena, "and %zu more", different - MOST_LINES));
}

/* Where the counter is known, all of it ran or none of it is told. */
static void print_executed(ifl_page *page, const ifl_profile *profile)
{
    const ifl_counters *counters = &profile->counters;
    if (counters->known[IFL_COUNTER_instructions])
        ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_PLAIN,
                           ifl_arena_printf(&page->arena, "The launch issues %s in all.",
                                            counted(page, counters->value[IFL_COUNTER_instructions],
                                                    "machine instruction")));
}

void ifl_machine_part_print(ifl_page *page, const ifl_profile *profile)
{
    const ifl_machine_facts *facts = &profile->machine;
    if (!facts->known)
        return;
    ifl_page_heading(page,
                     ifl_arena_printf(&page->arena, "Machine code (sm_%u, %s%s)%s", facts->sm,
                                      facts->assembled ? "assembled from PTX, " : "",
                                      ifl_clean_line(&page->arena, facts->file),
                                      facts->ran ? ": it ran, and all counts refer to it" : ""));
    print_resources(page, facts);
    print_executed(page, profile);
    for (size_t l = 0; l < facts->loops.count; l++)
        if (facts->loops.at[l].is_innermost && count_alike(facts, l))
            print_loop(page, &facts->loops.at[l], count_alike(facts, l));
    if (facts->lines_known)
        print_accesses(page, facts);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *loop_of(ifl_tree *tree, const ifl_machine_loop *loop)
{
    json_t *object = json_object();
    if (loop->first_line) {
        ifl_tree_put_text(tree, object, "file", loop->file);
        ifl_tree_put_count(tree, object, "first_line", loop->first_line);
        ifl_tree_put_count(tree, object, "last_line", loop->last_line);
    }
    ifl_tree_put_count(tree, object, "depth", loop->depth);
    ifl_tree_put_flag(tree, object, "innermost", loop->is_innermost);
    ifl_tree_put_count(tree, object, "instructions", loop->instructions);
    ifl_tree_put_count(tree, object, "useful", loop->useful);
    ifl_tree_put_count(tree, object, "exposed_latencies", loop->exposed_latencies);
    ifl_tree_put_count(tree, object, "register_reuses", loop->register_reuses);
    ifl_tree_put_count(tree, object, "bytes_in_flight", loop->bytes_in_flight);
    ifl_tree_put_count(tree, object, "spills", loop->spills);
    return object;
}

static json_t *access_of(ifl_tree *tree, const ifl_machine_access *a)
{
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "file", a->file);
    ifl_tree_put_count(tree, object, "line", a->line);
    ifl_tree_put_text(tree, object, "space", ifl_space_text(a->space));
    ifl_tree_put_text(tree, object, "kind", ifl_access_kind_text(a->kind));
    ifl_tree_put_count(tree, object, "ptx_instructions", a->ptx_count);
    ifl_tree_put_count(tree, object, "ptx_bytes", a->ptx_bytes);
    ifl_tree_put_count(tree, object, "machine_instructions", a->machine_count);
    ifl_tree_put_count(tree, object, "machine_bytes", a->machine_bytes);
    ifl_tree_put_text(tree, object, "verdict", ifl_machine_verdict_text(a->verdict));
    return object;
}

static void put_lists(ifl_tree *tree, json_t *object, const ifl_machine_facts *facts)
{
    json_t *opcodes = json_object(), *useful = json_object(), *loops = json_array();
    json_t *accesses = json_array();
    for (size_t i = 0; i < facts->opcodes.count; i++) {
        ifl_tree_put_count(tree, opcodes, facts->opcodes.at[i].name, facts->opcodes.at[i].count);
        if (facts->opcodes.at[i].useful)
            ifl_tree_put_count(tree, useful, facts->opcodes.at[i].name,
                               facts->opcodes.at[i].useful);
    }
    for (size_t i = 0; i < facts->loops.count; i++)
        ifl_tree_append(tree, loops, loop_of(tree, &facts->loops.at[i]));
    for (size_t i = 0; i < facts->accesses.count; i++)
        ifl_tree_append(tree, accesses, access_of(tree, &facts->accesses.at[i]));
    ifl_tree_put(tree, object, "opcodes", opcodes);
    ifl_tree_put(tree, object, "useful_opcodes", useful);
    ifl_tree_put(tree, object, "loops", loops);
    ifl_tree_put(tree, object, "accesses", accesses);
    if (!facts->lines_known)
        json_object_del(object, "accesses");
}

json_t *ifl_machine_part_json(ifl_tree *tree, const ifl_machine_facts *facts)
{
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "file", facts->file);
    ifl_tree_put_count(tree, object, "sm", facts->sm);
    ifl_tree_put_flag(tree, object, "ran", facts->ran);
    if (facts->assembled)
        ifl_tree_put_flag(tree, object, "assembled", true);
    ifl_tree_put_flag(tree, object, "debug", facts->is_debug);
    if (facts->registers)
        ifl_tree_put_count(tree, object, "registers", facts->registers);
    ifl_tree_put_count(tree, object, "static_shared_bytes", facts->static_shared_bytes);
    ifl_tree_put_count(tree, object, "stack_bytes", facts->stack_bytes);
    ifl_tree_put_count(tree, object, "spill_load_bytes", facts->spill_load_bytes);
    ifl_tree_put_count(tree, object, "spill_store_bytes", facts->spill_store_bytes);
    if (facts->spills.known) {
        ifl_tree_put_count(tree, object, "spill_load_requests",
                           (uint64_t)facts->spills.load_requests);
        ifl_tree_put_count(tree, object, "spill_store_requests",
                           (uint64_t)facts->spills.store_requests);
    }
    ifl_tree_put_count(tree, object, "instructions", facts->instructions);
    ifl_tree_put_count(tree, object, "useful_instructions", facts->useful);
    ifl_tree_put_count(tree, object, "unknown_instructions", facts->unknown);
    ifl_tree_put_count(tree, object, "bytes_in_flight", facts->bytes_in_flight);
    put_lists(tree, object, facts);
    return object;
}
