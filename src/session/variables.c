/* SPDX-License-Identifier: Apache-2.0
 * See variables.h. */
#include "session/variables.h"

#include "code/code.h"

#include <stdlib.h>
#include <string.h>

static bool is_placed(const ifl_variable *variable)
{
    return (variable->space == IFL_SPACE_GLOBAL || variable->space == IFL_SPACE_CONST) &&
           variable->function < 0;
}

static ifl_status place_variable(const ifl_variable *variable, ifl_memory *memory,
                                 uint64_t *address, ifl_error *error)
{
    char label[112];
    ifl_allocation *at;
    snprintf(label, sizeof label, "%s variable %s (%llu bytes)", ifl_space_text(variable->space),
             variable->name, (unsigned long long)variable->bytes);
    const uint32_t kind = variable->space == IFL_SPACE_CONST ? IFL_ALLOCATION_CONSTANT
                          : variable->is_managed             ? IFL_ALLOCATION_MANAGED
                                                             : 0;
    const ifl_status status = ifl_memory_allocate(memory, variable->bytes, 0,
                                                  IFL_ALLOCATION_MODULE | kind, label, &at, error);
    if (status == IFL_OK)
        *address = at->address;
    return status;
}

/* Words of an initialiser that are addresses. */
static void relocate(const ifl_variable *variable, uint8_t *host, const uint64_t *address)
{
    for (size_t r = 0; r < variable->relocation_count; r++) {
        const ifl_relocation *reloc = &variable->relocations[r];
        uint64_t base = reloc->is_function ? IFL_CODE_WINDOW + 16 * (uint64_t)reloc->index
                                           : address[reloc->index];
        uint64_t value = (base + (uint64_t)reloc->addend) >> reloc->shift;
        if (reloc->bytes <= 8 && reloc->offset + reloc->bytes <= variable->bytes)
            memcpy(host + reloc->offset, &value, reloc->bytes);
    }
}

void ifl_variables_reset(const ifl_program *program, const ifl_memory *memory,
                         const uint64_t *address)
{
    for (size_t v = 0; v < program->variable_count; v++) {
        const ifl_variable *variable = &program->variables[v];
        const ifl_allocation *at = is_placed(variable) ? ifl_memory_find(memory, address[v]) : NULL;
        if (!at || !at->host)
            continue;
        uint8_t *host = at->host + (address[v] - at->address);
        if (variable->data)
            memcpy(host, variable->data, variable->bytes);
        else
            memset(host, 0, variable->bytes);
        relocate(variable, host, address);
    }
}

ifl_status ifl_variables_place(const ifl_program *program, ifl_memory *memory, uint64_t *address,
                               ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t v = 0; v < program->variable_count && status == IFL_OK; v++)
        if (is_placed(&program->variables[v]) && !address[v])
            status = place_variable(&program->variables[v], memory, &address[v], error);
    if (status == IFL_OK)
        ifl_variables_reset(program, memory, address);
    return status;
}
