/* SPDX-License-Identifier: Apache-2.0
 * The facts of one kernel, gathered from its analysis. */
#include "sass/sass_facts.h"

#include <stdlib.h>
#include <string.h>

/* ---- source lines ---------------------------------------------------------------------------- */

const char *ifl_sass_file_of(const ifl_machine *machine, const ifl_machine_line *line)
{
    if (!line || line->file >= machine->file_count)
        return "";
    const char *path = machine->files[line->file], *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void widen(const ifl_machine_line *line, uint32_t file, uint32_t *first, uint32_t *last)
{
    if (!line || line->file != file || !line->line)
        return;
    if (!*first || line->line < *first)
        *first = line->line;
    if (line->line > *last)
        *last = line->line;
}

bool ifl_sass_loop_lines(const ifl_sass_facts *facts, size_t loop, const char **file,
                         uint32_t *first, uint32_t *last)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    const ifl_flow_block *header = &kernel->flow.blocks[kernel->loops[loop].at.header];
    const ifl_machine_line *at =
        ifl_machine_line_at(kernel->kernel, kernel->instructions[header->first].offset);
    *first = *last = 0;
    for (size_t b = 0; at && b < kernel->flow.block_count; b++)
        for (size_t i = kernel->flow.blocks[b].first;
             kernel->flow.blocks[b].loop == (int32_t)loop && i < kernel->flow.blocks[b].last; i++)
            widen(ifl_machine_line_at(kernel->kernel, kernel->instructions[i].offset), at->file,
                  first, last);
    *file = ifl_sass_file_of(facts->machine, at);
    return *first != 0;
}

/* ---- opcodes --------------------------------------------------------------------------------- */

static const char unknown_opcode[] = "(unknown)";

typedef struct use {
    uint16_t op;
    uint32_t instruction, block;
} use;

static int by_op(const void *a, const void *b)
{
    const use *x = a, *y = b;
    return x->op != y->op ? (x->op > y->op) - (x->op < y->op)
                          : (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

static int most_first(const void *a, const void *b)
{
    const ifl_sass_opcode *x = a, *y = b;
    if (x->executed != y->executed)
        return x->executed < y->executed ? 1 : -1;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return strcmp(x->name, y->name);
}

static size_t list_uses(ifl_sass_facts *facts, use *uses)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    size_t count = 0;
    for (uint32_t b = 0; b < kernel->flow.block_count; b++)
        for (uint32_t i = kernel->flow.blocks[b].first;
             kernel->reached[b] && i < kernel->flow.blocks[b].last; i++) {
            uses[count++] = (use){kernel->instructions[i].op, i, b};
            facts->purpose[kernel->purpose[i]]++;
        }
    facts->reached = (uint32_t)count;
    return count;
}

static void count_use(const ifl_sass_facts *facts, const use *u, ifl_sass_opcode *opcode)
{
    const bool useful = facts->kernel.purpose[u->instruction] == IFL_SASS_USEFUL;
    opcode->count++;
    opcode->useful += useful;
    if (facts->executed) {
        opcode->executed += facts->executed[u->block];
        opcode->executed_useful += useful ? facts->executed[u->block] : 0;
    }
}

static ifl_status make_histogram(ifl_sass_facts *facts, use *uses, ifl_arena *arena,
                                 ifl_error *error)
{
    const size_t count = list_uses(facts, uses);
    size_t names = 0;
    qsort(uses, count, sizeof *uses, by_op);
    for (size_t i = 0; i < count; i++)
        names += i == 0 || uses[i].op != uses[i - 1].op;
    facts->opcodes = ifl_arena_alloc(arena, names * sizeof *facts->opcodes);
    if (!facts->opcodes)
        return ifl_fail_memory(error, names * sizeof *facts->opcodes);
    for (size_t i = 0; i < count; i++) {
        const char *name = ifl_sass_op_text(uses[i].op);
        if (i == 0 || uses[i].op != uses[i - 1].op)
            facts->opcodes[facts->opcode_count++] =
                (ifl_sass_opcode){.op = uses[i].op, .name = name ? name : unknown_opcode};
        count_use(facts, &uses[i], &facts->opcodes[facts->opcode_count - 1]);
    }
    qsort(facts->opcodes, facts->opcode_count, sizeof *facts->opcodes, most_first);
    return IFL_OK;
}

static ifl_status count_executed(ifl_sass_facts *facts, const uint64_t *issued, ifl_arena *arena,
                                 ifl_error *error)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    const size_t bytes = (kernel->flow.block_count + 1) * sizeof *facts->executed;
    uint64_t *executed = ifl_arena_alloc(arena, bytes);
    if (!executed)
        return ifl_fail_memory(error, bytes);
    for (size_t b = 0; b < kernel->flow.block_count; b++)
        executed[b] = issued[kernel->flow.blocks[b].first];
    for (size_t i = 0; i < kernel->instruction_count; i++)
        facts->all_executed += issued[i];
    facts->executed = executed;
    return IFL_OK;
}

ifl_status ifl_sass_facts_of(const ifl_machine *machine, const ifl_sass_kernel *kernel,
                             const uint64_t *issued, ifl_arena *arena, ifl_sass_facts *out,
                             ifl_error *error)
{
    *out = (ifl_sass_facts){.machine = machine, .kernel = *kernel};
    const ifl_status status = issued ? count_executed(out, issued, arena, error) : IFL_OK;
    if (status != IFL_OK)
        return status;
    use *uses = calloc(kernel->instruction_count + 1, sizeof *uses);
    if (!uses)
        return ifl_fail_memory(error, kernel->instruction_count * sizeof *uses);
    const ifl_status made = make_histogram(out, uses, arena, error);
    free(uses);
    return made;
}

ifl_status ifl_sass_facts_collect(const ifl_machine *machine, size_t index, const uint64_t *issued,
                                  ifl_arena *arena, ifl_sass_facts *out, ifl_error *error)
{
    ifl_sass_kernel kernel;
    const ifl_status status = ifl_sass_analyze(&machine->kernels[index], arena, &kernel, error);
    return status == IFL_OK ? ifl_sass_facts_of(machine, &kernel, issued, arena, out, error)
                            : status;
}
