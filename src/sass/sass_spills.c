/* SPDX-License-Identifier: Apache-2.0
 * What registers leave on the stack: how many bytes, and how many of them at once. ptxas gives each value that it ever
 * spills a place of its own, so that the frame does not tell how many registers were lacking; which places hold a value
 * that is loaded later does. */
#include "sass/sass_flow.h"

enum { WORD_BYTES = 4 };

typedef struct stack {
    const ifl_sass_kernel *kernel;
    uint32_t words; /* its places */
} stack;

/* A load reads places of the stack, a store writes them. */
static void touch(const void *user, uint32_t index, ifl_flow_see *see, void *to)
{
    const stack *s = user;
    const ifl_sass_instruction *instruction = &s->kernel->instructions[index];
    const bool is_written = instruction->sass_class != IFL_SASS_LOAD_LOCAL;
    if (!ifl_sass_is_spill(instruction))
        return;
    const ifl_sass_operand *at = instruction->operand;
    while (at->kind != IFL_SASS_MEMORY)
        at++;
    for (int64_t byte = at->value; byte < at->value + instruction->memory_bytes; byte += WORD_BYTES)
        if (byte >= 0 && byte / WORD_BYTES < s->words)
            see(to, (uint32_t)(byte / WORD_BYTES), is_written);
}

static bool is_guarded(const void *user, uint32_t index)
{
    return ifl_sass_is_guarded(&((const stack *)user)->kernel->instructions[index]);
}

static void count_bytes(ifl_sass_kernel *kernel)
{
    for (size_t i = 0; i < kernel->instruction_count; i++) {
        const ifl_sass_instruction *instruction = &kernel->instructions[i];
        if (!ifl_sass_is_spill(instruction))
            continue;
        if (instruction->sass_class == IFL_SASS_LOAD_LOCAL)
            kernel->spill_load_bytes += instruction->memory_bytes;
        else
            kernel->spill_store_bytes += instruction->memory_bytes;
    }
}

ifl_status ifl_sass_measure_spills(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error)
{
    enum { MOST_FRAME = 1 << 16 };
    const uint32_t frame = kernel->kernel ? kernel->kernel->frame_bytes : 0;
    const stack s = {kernel, (frame < MOST_FRAME ? frame : MOST_FRAME) / WORD_BYTES};
    const ifl_flow_touches touches = {
        .visit = touch, .is_guarded = is_guarded, .user = &s, .registers = s.words};
    uint32_t most = 0;
    (void)arena;
    count_bytes(kernel);
    const ifl_status status = kernel->spill_load_bytes && s.words
                                  ? ifl_flow_most_alive(&kernel->flow, &touches, NULL, &most, error)
                                  : IFL_OK;
    kernel->spilled_at_once_bytes = most * WORD_BYTES;
    return status;
}
