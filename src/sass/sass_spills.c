/* SPDX-License-Identifier: Apache-2.0
 * What registers leave on the stack: how many bytes, and how many of them at once. ptxas gives each value that it ever
 * spills a place of its own, so that the frame does not tell how many registers were lacking; which places hold a value
 * that is loaded later does. */
#include "sass/sass_flow.h"

#include "base/arena.h"

#include <string.h>

enum { WORD_BYTES = 4, WORD_BITS = 64 };

/* Places of the stack, a bit each. */
typedef struct places {
    uint64_t *live_in; /* of each block, `words` long */
    uint64_t *now;
    size_t words, count;
} places;

static const ifl_sass_operand *stack_operand(const ifl_sass_instruction *instruction)
{
    for (unsigned i = 0; ifl_sass_is_spill(instruction) && i < instruction->operand_count; i++)
        if (instruction->operand[i].kind == IFL_SASS_MEMORY)
            return &instruction->operand[i];
    return NULL;
}

static void set_bits(places *p, const ifl_sass_instruction *instruction, int64_t offset, bool live)
{
    for (int64_t at = offset; at < offset + instruction->memory_bytes; at += WORD_BYTES) {
        const size_t bit = (size_t)(at / WORD_BYTES);
        const uint64_t mask = UINT64_C(1) << bit % WORD_BITS;
        if (at < 0 || bit >= p->count)
            continue;
        p->now[bit / WORD_BITS] =
            live ? p->now[bit / WORD_BITS] | mask : p->now[bit / WORD_BITS] & ~mask;
    }
}

/* Before the instruction a place is live that it loads, and not one that it surely overwrites. */
static void step_back(places *p, const ifl_sass_instruction *instruction)
{
    const ifl_sass_operand *at = stack_operand(instruction);
    if (!at)
        return;
    if (instruction->sass_class == IFL_SASS_LOAD_LOCAL)
        set_bits(p, instruction, at->value, true);
    else if (!ifl_sass_is_guarded(instruction))
        set_bits(p, instruction, at->value, false);
}

static uint32_t count_live(const places *p)
{
    uint32_t count = 0;
    for (size_t w = 0; w < p->words; w++)
        count += (uint32_t)__builtin_popcountll(p->now[w]);
    return count;
}

static void begin_at_end(const ifl_sass_kernel *kernel, places *p, const ifl_sass_block *block)
{
    memset(p->now, 0, p->words * sizeof *p->now);
    for (int s = 0; s < 2; s++)
        for (size_t w = 0; block->successor[s] < kernel->block_count && w < p->words; w++)
            p->now[w] |= p->live_in[block->successor[s] * p->words + w];
}

/* Whether something was added to what is live at its start. */
static bool pass_back(const ifl_sass_kernel *kernel, places *p, size_t b, uint32_t *most)
{
    const ifl_sass_block *block = &kernel->blocks[b];
    uint64_t *in = &p->live_in[b * p->words];
    begin_at_end(kernel, p, block);
    for (size_t i = block->last; i-- > block->first;) {
        step_back(p, &kernel->instructions[i]);
        const uint32_t live = stack_operand(&kernel->instructions[i]) ? count_live(p) : 0;
        *most = live > *most ? live : *most;
    }
    const bool grew = memcmp(in, p->now, p->words * sizeof *in) != 0;
    memcpy(in, p->now, p->words * sizeof *in);
    return grew;
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
    places p = {.count = (frame < MOST_FRAME ? frame : MOST_FRAME) / WORD_BYTES};
    p.words = (p.count + WORD_BITS - 1) / WORD_BITS;
    count_bytes(kernel);
    if (!kernel->spill_load_bytes || !p.count)
        return IFL_OK;
    const size_t bytes = (kernel->block_count + 1) * p.words * sizeof *p.live_in;
    p.live_in = ifl_arena_alloc(arena, bytes);
    if (!p.live_in)
        return ifl_fail_memory(error, bytes);
    memset(p.live_in, 0, bytes);
    p.now = p.live_in + kernel->block_count * p.words;
    uint32_t most = 0;
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t b = kernel->block_count; b-- > 0;)
            grew |= pass_back(kernel, &p, b, &most);
    }
    kernel->spilled_at_once_bytes = most * WORD_BYTES;
    return IFL_OK;
}
