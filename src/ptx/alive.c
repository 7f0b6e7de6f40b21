/* SPDX-License-Identifier: Apache-2.0
 * The registers that a function needs, by which values are still needed at each instruction. PTX
 * names as many as it likes; the compiler gives a register to each value that lives. */
#include "ptx/shape.h"
#include "ptx/waits.h"

#include <string.h>

typedef struct alive {
    const ifl_function *function;
    uint64_t *set;
    uint32_t count; /* 32-bit registers in the set */
    bool writes, is_guarded;
} alive;

static uint32_t registers_of(const ifl_function *function, uint32_t reg)
{
    const unsigned bits = function->registers[reg].bits;
    return bits == 1 ? 0 : (bits + 31) / 32; /* predicates have a file of their own */
}

static void set_alive(alive *a, uint32_t reg, bool lives)
{
    uint64_t *word = &a->set[reg / 64], bit = UINT64_C(1) << (reg % 64);
    const bool lived = *word & bit;
    if (lived == lives)
        return;
    *word ^= bit;
    if (lives)
        a->count += registers_of(a->function, reg);
    else
        a->count -= registers_of(a->function, reg);
}

static void see(void *user, uint32_t reg, bool is_written)
{
    alive *a = user;
    if (a->writes && is_written && !a->is_guarded)
        set_alive(a, reg, false);
    if (!a->writes && !is_written)
        set_alive(a, reg, true);
}

/* From the end of the block to its start; the most that live behind an instruction, its results
 * counted. */
static uint32_t most_in_block(const ifl_ptx_part *part, const ifl_flow_block *block, alive *a)
{
    uint32_t most = a->count;
    for (uint32_t i = block->last; i-- > block->first;) {
        const ifl_instruction *instruction = ifl_ptx_instruction(part, i);
        a->is_guarded = instruction->guard != IFL_NO_GUARD;
        a->writes = true;
        ifl_instruction_registers(part->program, instruction, see, a);
        a->writes = false;
        ifl_instruction_registers(part->program, instruction, see, a);
        most = a->count > most ? a->count : most;
    }
    return most;
}

static void start_at_end(const ifl_flow_block *block, const uint64_t *live, size_t words, alive *a)
{
    memset(a->set, 0, words * sizeof *a->set);
    a->count = 0;
    for (uint32_t i = 0; i < block->successor_count; i++)
        for (size_t w = 0; w < words; w++)
            a->set[w] |= live[block->successor[i] * words + w];
    for (uint32_t r = 0; r < a->function->register_count; r++)
        if (a->set[r / 64] >> (r % 64) & 1)
            a->count += registers_of(a->function, r);
}

static ifl_status find(const ifl_ptx_part *part, ifl_arena *arena, uint32_t *out, ifl_error *error)
{
    const ifl_flow_touches touches = ifl_ptx_touches(part);
    ifl_flow flow;
    uint64_t *live = NULL;
    size_t words = 0;
    ifl_status status = ifl_ptx_flow(part, arena, &flow, error);
    if (status == IFL_OK)
        status = ifl_flow_live(&flow, &touches, arena, &live, &words, error);
    if (status != IFL_OK)
        return status;
    alive a = {.function = part->function, .set = ifl_arena_alloc(arena, words * sizeof *a.set)};
    if (!a.set)
        return ifl_fail_memory(error, words * sizeof *a.set);
    for (uint32_t b = 0; b < flow.block_count; b++) {
        start_at_end(&flow.blocks[b], live, words, &a);
        const uint32_t most = most_in_block(part, &flow.blocks[b], &a);
        *out = most > *out ? most : *out;
    }
    return IFL_OK;
}

ifl_status ifl_registers_alive(const ifl_program *program, const ifl_function *function,
                               uint32_t *out, ifl_error *error)
{
    ifl_arena arena = {0};
    *out = 0;
    const ifl_ptx_part part = {program, function};
    const ifl_status status = function->count ? find(&part, &arena, out, error) : IFL_OK;
    ifl_arena_free(&arena);
    return status;
}
