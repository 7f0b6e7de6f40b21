/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes cubins, and holds what is read of them to what others rely on. */
#include "sass/sass.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ifl_error error;
    ifl_machine *machine = ifl_machine_new("fuzz.cubin");
    if (!machine)
        return 0;
    if (ifl_machine_read_cubin("fuzz.cubin", data, size, machine, &error) == IFL_OK)
        for (size_t i = 0; i < machine->kernel_count; i++)
            check_kernel(machine, &machine->kernels[i]);
    ifl_machine_free(machine);
    return 0;
}
