/* SPDX-License-Identifier: Apache-2.0
 * The registers that a function needs, by which values are still needed at each instruction. PTX
 * names as many as it likes; the compiler gives a register to each value that lives. */
#include "ptx/shape.h"
#include "ptx/waits.h"

/* Predicates have a file of their own. */
static uint32_t registers_of(const void *user, uint32_t reg)
{
    const unsigned bits = ((const ifl_ptx_part *)user)->function->registers[reg].bits;
    return bits == 1 ? 0 : (bits + 31) / 32;
}

ifl_status ifl_registers_alive(const ifl_program *program, const ifl_function *function,
                               uint32_t *out, ifl_error *error)
{
    ifl_arena arena = {0};
    ifl_flow flow;
    const ifl_ptx_part part = {program, function};
    const ifl_flow_touches touches = ifl_ptx_touches(&part);
    *out = 0;
    if (!function->count)
        return IFL_OK;
    ifl_status status = ifl_ptx_flow(&part, &arena, &flow, error);
    if (status == IFL_OK)
        status = ifl_flow_most_alive(&flow, &touches, registers_of, out, error);
    ifl_arena_free(&arena);
    return status;
}
