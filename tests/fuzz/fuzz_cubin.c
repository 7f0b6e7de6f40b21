/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes cubins, and holds what is read of them to what others rely on. */
#include "sass/sass_facts.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_lines(const ifl_machine *machine, const ifl_machine_kernel *k)
{
    for (size_t i = 0; i < k->line_count; i++) {
        const ifl_machine_line *line = &k->lines[i];
        require(line->file < machine->file_count && line->inlined_at <= k->line_count);
        require(i == 0 || line->offset >= line[-1].offset);
        require(line->offset <= k->code_bytes);
        for (size_t steps = 0; line->inlined_at; line = &k->lines[line->inlined_at - 1])
            require(steps++ < k->line_count);
    }
}

static void check_kernel(const ifl_machine *machine, const ifl_machine_kernel *k)
{
    unsigned sum = 0;
    for (uint64_t i = 0; i < k->code_bytes; i++)
        sum += k->code[i];
    require(sum < UINT32_MAX);
    for (size_t i = 0; i < k->exit_count; i++)
        require(k->exits[i] < k->code_bytes);
    for (size_t i = 0; i < k->symbol_count; i++)
        require(k->symbols[i].offset + (uint64_t)k->symbols[i].bytes <= k->code_bytes);
    require(strlen(k->name) + strlen(k->demangled) < SIZE_MAX);
    check_lines(machine, k);
}

/* Blocks cover the code once, in order; what leads on leads to blocks; their counts add up. */
static void check_facts(const ifl_sass_facts *facts)
{
    const ifl_sass_kernel *k = &facts->kernel;
    uint64_t executed = 0;
    for (size_t b = 0; b < k->flow.block_count; b++) {
        const ifl_flow_block *block = &k->flow.blocks[b];
        require(block->first < block->last && block->last <= k->instruction_count);
        require(block->first == (b ? block[-1].last : 0));
        for (uint32_t s = 0; s < block->successor_count; s++)
            require(block->successor[s] < k->flow.block_count);
        require(block->loop < (int32_t)k->loop_count);
        executed += facts->executed[b] * (block->last - block->first);
    }
    require(executed == facts->all_executed && facts->reached <= k->instruction_count);
}

static void analyze(const ifl_machine *machine, size_t index)
{
    enum { MOST_BYTES = 1 << 16, INSTRUCTION_BYTES = 16 };
    static uint64_t issued[MOST_BYTES / INSTRUCTION_BYTES];
    for (size_t i = 0; i < sizeof issued / sizeof *issued; i++)
        issued[i] = 8;
    ifl_arena arena = {0};
    ifl_sass_facts facts;
    if (machine->kernels[index].code_bytes <= MOST_BYTES &&
        ifl_sass_facts_collect(machine, index, issued, &arena, &facts, NULL) == IFL_OK)
        check_facts(&facts);
    ifl_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ifl_error error;
    ifl_machine *machine = ifl_machine_new("fuzz.cubin");
    if (!machine)
        return 0;
    if (ifl_machine_read_cubin("fuzz.cubin", data, size, machine, &error) == IFL_OK)
        for (size_t i = 0; i < machine->kernel_count; i++)
            check_kernel(machine, &machine->kernels[i]), analyze(machine, i);
    ifl_machine_free(machine);
    return 0;
}
