/* SPDX-License-Identifier: Apache-2.0
 * What a warp has in flight where it waits, and what one trip of a loop does: the scoreboards of
 * the control words followed along the blocks. Knows blocks, loops and purposes. */
#include "sass/sass_flow.h"

#include <stdlib.h>

/* ---- scoreboards ----------------------------------------------------------------------------- */

/* The loads that a warp has outstanding, by the scoreboard that tells of their arrival. */
typedef struct flight {
    uint64_t bytes[IFL_SASS_SCOREBOARDS]; /* of a warp */
    uint32_t count[IFL_SASS_SCOREBOARDS];
    uint64_t uncommitted; /* copies to shared memory that no LDGDEPBAR has put on a scoreboard */
} flight;

static uint64_t bytes_of(const flight *f)
{
    uint64_t bytes = f->uncommitted;
    for (int s = 0; s < IFL_SASS_SCOREBOARDS; s++)
        bytes += f->bytes[s];
    return bytes;
}

/* All but `left` of a scoreboard's loads have arrived. Where some may be left, they are groups of
 * asynchronous copies, which are of one size in a loop. */
static bool wait_for(flight *f, int scoreboard, uint32_t left)
{
    const uint32_t count = f->count[scoreboard];
    if (count <= left)
        return false;
    f->bytes[scoreboard] = f->bytes[scoreboard] / count * left;
    f->count[scoreboard] = left;
    return true;
}

/* DEPBAR.LE SB0, 0x1 waits until at most one is outstanding. */
static bool wait_explicitly(flight *f, const ifl_sass_instruction *instruction)
{
    int scoreboard = IFL_SASS_SCOREBOARDS;
    int64_t left = 0;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const ifl_sass_operand *operand = &instruction->operand[i];
        if (operand->kind == IFL_SASS_SCOREBOARD && scoreboard == IFL_SASS_SCOREBOARDS)
            scoreboard = operand->index;
        else if (operand->kind == IFL_SASS_IMMEDIATE)
            left = operand->value;
    }
    return scoreboard < IFL_SASS_SCOREBOARDS && left >= 0 && left < UINT32_MAX &&
           wait_for(f, scoreboard, (uint32_t)left);
}

static void issue(flight *f, const ifl_sass_instruction *instruction)
{
    const uint64_t bytes = (uint64_t)instruction->memory_bytes * IFL_SASS_WARP_LANES;
    const uint8_t scoreboard = instruction->write_barrier;
    if (instruction->op == IFL_SASS_OP_LDGDEPBAR) { /* always SB0 */
        f->bytes[0] += f->uncommitted;
        f->count[0]++;
        f->uncommitted = 0;
    } else if (instruction->sass_class == IFL_SASS_COPY_ASYNC) {
        f->uncommitted += bytes;
    } else if (ifl_sass_is_long_load(instruction) && scoreboard < IFL_SASS_SCOREBOARDS) {
        f->bytes[scoreboard] += bytes;
        f->count[scoreboard]++;
    }
}

/* Goes past one instruction. False where it does not wait for loads; else the bytes in flight
 * before. */
static bool pass(flight *f, const ifl_sass_instruction *instruction, uint32_t *bytes)
{
    const uint64_t before = bytes_of(f);
    bool waits = false;
    for (int s = 0; s < IFL_SASS_SCOREBOARDS; s++)
        if (instruction->wait_mask >> s & 1)
            waits |= wait_for(f, s, 0);
    if (instruction->op == IFL_SASS_OP_DEPBAR)
        waits |= wait_explicitly(f, instruction);
    issue(f, instruction);
    *bytes = before < UINT32_MAX ? (uint32_t)before : UINT32_MAX;
    return waits && before;
}

static void raise_to(uint32_t *most, uint32_t value)
{
    if (value > *most)
        *most = value;
}

/* ---- a trip of a loop ------------------------------------------------------------------------ */

static unsigned width_of(const ifl_sass_instruction *instruction)
{
    unsigned width = 0;
    while (width + 1 < IFL_SASS_WIDTHS && (1u << width) < instruction->memory_bytes)
        width++;
    return width;
}

static void count_instruction(const ifl_sass_kernel *kernel, size_t i, ifl_sass_loop *loop)
{
    const ifl_sass_instruction *instruction = &kernel->instructions[i];
    const uint8_t class = instruction->sass_class;
    loop->instructions++;
    loop->useful += kernel->purpose[i] == IFL_SASS_USEFUL;
    loop->address_arithmetic += kernel->purpose[i] == IFL_SASS_ADDRESS;
    if (class < IFL_SASS_CLASSES) {
        loop->loads[class]++;
        if (instruction->memory_bytes)
            loop->width_count[class][width_of(instruction)]++;
    }
    if (ifl_sass_is_spill(instruction))
        ++*(class == IFL_SASS_LOAD_LOCAL ? &loop->spill_loads : &loop->spill_stores);
}

/* A load whose landing place was one in this trip before: the value that lay there had to be used
 * first. */
static void count_reuse(const ifl_sass_instruction *instruction, bool *landed, ifl_sass_loop *loop)
{
    bool again = false;
    for (unsigned o = 0; ifl_sass_is_long_load(instruction) && o < instruction->operand_count;
         o++) {
        const ifl_sass_operand *operand = &instruction->operand[o];
        const unsigned count = operand->count ? operand->count : 1;
        if (operand->kind != IFL_SASS_REGISTER || !operand->is_destination)
            continue;
        for (unsigned r = operand->index; r < operand->index + count && r < UINT8_MAX; r++) {
            again |= landed[r];
            landed[r] = true;
        }
    }
    loop->register_reuses += again;
}

/* The blocks of each loop, inner loops' left out: by address from the header on, then those that
 * lie before it. */
typedef struct loop_blocks {
    uint32_t *first; /* of each loop */
    uint32_t *next;  /* of each block; IFL_NO_BLOCK ends */
} loop_blocks;

static void link_blocks(const ifl_sass_kernel *kernel, loop_blocks *lists)
{
    for (size_t l = 0; l < kernel->loop_count; l++)
        lists->first[l] = IFL_NO_BLOCK;
    for (int before_header = 1; before_header >= 0; before_header--)
        for (size_t b = kernel->flow.block_count; b-- > 0;) {
            const int32_t l = kernel->flow.blocks[b].loop;
            if (l < 0 || (b < kernel->loops[l].at.header) != before_header)
                continue;
            lists->next[b] = lists->first[l];
            lists->first[l] = (uint32_t)b;
        }
}

/* `landed` is NULL in the trips before the one that counts. */
static void pass_loop_block(const ifl_sass_kernel *kernel, uint32_t b, flight *f, bool *landed,
                            ifl_sass_loop *loop)
{
    for (size_t i = kernel->flow.blocks[b].first; i < kernel->flow.blocks[b].last; i++) {
        uint32_t bytes;
        const bool waits = pass(f, &kernel->instructions[i], &bytes);
        if (!landed)
            continue;
        loop->exposed_latencies += waits;
        if (waits)
            raise_to(&loop->load_bytes_in_flight, bytes);
        count_reuse(&kernel->instructions[i], landed, loop);
        count_instruction(kernel, i, loop);
    }
}

/* Copies that may be left outstanding for some trips need as many trips before what a wait finds is
 * the same in each. */
enum { TRIPS = 9 };

static void measure_loop(ifl_sass_kernel *kernel, size_t l, const loop_blocks *lists)
{
    flight f = {0};
    bool landed[UINT8_MAX + 1] = {false};
    for (int trip = 1; trip <= TRIPS; trip++)
        for (uint32_t b = lists->first[l]; b != IFL_NO_BLOCK; b = lists->next[b])
            pass_loop_block(kernel, b, &f, trip == TRIPS ? landed : NULL, &kernel->loops[l]);
}

static ifl_status measure_loops(ifl_sass_kernel *kernel, ifl_error *error)
{
    loop_blocks lists = {.first = calloc(kernel->loop_count + 1, sizeof *lists.first),
                         .next = calloc(kernel->flow.block_count + 1, sizeof *lists.next)};
    const bool whole = lists.first && lists.next;
    if (whole)
        link_blocks(kernel, &lists);
    for (size_t l = 0; whole && l < kernel->loop_count; l++)
        measure_loop(kernel, l, &lists);
    free(lists.first);
    free(lists.next);
    return whole ? IFL_OK : ifl_fail_memory(error, kernel->flow.block_count * sizeof *lists.next);
}

/* ---- once through the kernel ----------------------------------------------------------------- */

/* A block begins with the most that a block before it leaves in flight. */
static void pass_block(ifl_sass_kernel *kernel, size_t b, flight *before)
{
    const ifl_flow_block *block = &kernel->flow.blocks[b];
    flight f = before[b];
    for (size_t i = block->first; i < block->last; i++) {
        uint32_t bytes;
        if (pass(&f, &kernel->instructions[i], &bytes))
            raise_to(&kernel->wait_bytes[i], bytes);
    }
    for (uint32_t s = block->successor_count; s-- > 0;) {
        const uint32_t to = block->successor[s];
        if (bytes_of(&f) > bytes_of(&before[to]))
            before[to] = f;
    }
}

/* Blocks by address, twice: the second time what a loop's end leaves in flight is known where it
 * begins. */
static ifl_status pass_all(ifl_sass_kernel *kernel, ifl_error *error)
{
    flight *before = calloc(kernel->flow.block_count, sizeof *before);
    if (!before)
        return ifl_fail_memory(error, kernel->flow.block_count * sizeof *before);
    for (int round = 0; round < 2; round++)
        for (size_t b = 0; b < kernel->flow.block_count; b++)
            if (kernel->reached[b])
                pass_block(kernel, b, before);
    free(before);
    return IFL_OK;
}

static void sum_up(ifl_sass_kernel *kernel)
{
    for (size_t b = 0; b < kernel->flow.block_count; b++)
        for (size_t i = kernel->flow.blocks[b].first; i < kernel->flow.blocks[b].last; i++) {
            raise_to(&kernel->bytes_in_flight, kernel->wait_bytes[i]);
            kernel->exposed_latencies += kernel->wait_bytes[i] && kernel->flow.blocks[b].loop < 0;
        }
    for (size_t l = 0; l < kernel->loop_count; l++)
        raise_to(&kernel->bytes_in_flight, kernel->loops[l].load_bytes_in_flight);
}

ifl_status ifl_sass_measure(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error)
{
    const size_t bytes = kernel->instruction_count * sizeof *kernel->wait_bytes;
    if (!kernel->instruction_count)
        return IFL_OK;
    kernel->wait_bytes = ifl_arena_alloc(arena, bytes);
    ifl_status status =
        kernel->wait_bytes ? measure_loops(kernel, error) : ifl_fail_memory(error, bytes);
    if (status == IFL_OK)
        status = pass_all(kernel, error);
    if (status != IFL_OK)
        return status;
    sum_up(kernel);
    return IFL_OK;
}
