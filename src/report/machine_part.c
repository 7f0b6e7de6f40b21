/* SPDX-License-Identifier: Apache-2.0
 * What the compiler made of a launched kernel. */
#include "report/machine_part.h"

#include "base/figure.h"

#include <string.h>

enum { INDENT = 2 };

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
    const char *text =
        ifl_arena_printf(&page->arena,
                         "Spills to local memory: the code stores %s per thread and loads %u, "
                         "counting each instruction once.",
                         counted(page, facts->spill_store_bytes, "byte"), facts->spill_load_bytes);
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
    if (profile->counters.known[IFL_COUNTER_instructions])
        ifl_page_paragraph(
            page, INDENT, INDENT, IFL_STYLE_PLAIN,
            ifl_arena_printf(&page->arena, "The launch issues %s in all.",
                             counted(page, profile->counters.value[IFL_COUNTER_instructions],
                                     "machine instruction")));
    for (size_t l = 0; l < facts->loops.count; l++)
        if (facts->loops.at[l].is_innermost && count_alike(facts, l))
            print_loop(page, &facts->loops.at[l], count_alike(facts, l));
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

static void put_lists(ifl_tree *tree, json_t *object, const ifl_machine_facts *facts)
{
    json_t *opcodes = json_object(), *useful = json_object(), *loops = json_array();
    for (size_t i = 0; i < facts->opcodes.count; i++) {
        ifl_tree_put_count(tree, opcodes, facts->opcodes.at[i].name, facts->opcodes.at[i].count);
        if (facts->opcodes.at[i].useful)
            ifl_tree_put_count(tree, useful, facts->opcodes.at[i].name,
                               facts->opcodes.at[i].useful);
    }
    for (size_t i = 0; i < facts->loops.count; i++)
        ifl_tree_append(tree, loops, loop_of(tree, &facts->loops.at[i]));
    ifl_tree_put(tree, object, "opcodes", opcodes);
    ifl_tree_put(tree, object, "useful_opcodes", useful);
    ifl_tree_put(tree, object, "loops", loops);
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
    ifl_tree_put_count(tree, object, "instructions", facts->instructions);
    ifl_tree_put_count(tree, object, "useful_instructions", facts->useful);
    ifl_tree_put_count(tree, object, "unknown_instructions", facts->unknown);
    ifl_tree_put_count(tree, object, "bytes_in_flight", facts->bytes_in_flight);
    put_lists(tree, object, facts);
    return object;
}
