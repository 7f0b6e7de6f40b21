/* SPDX-License-Identifier: Apache-2.0
 * What one pass through a block costs a warp that has the SM to itself: waits for loads one after
 * the other, and the cycles between issues. Loads that were on their way when a warp waited have
 * arrived with the one it waited for, so that only a load issued since the last wait is waited for
 * anew. Knows blocks, loops and control words. */
#include "sass/sass_flow.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_GROUPS = 32, WARM_TRIPS = 16, COUNTED_TRIPS = 16 };

/* Far: global memory and the like. Near: shared and local memory. */
typedef enum distance { FAR, NEAR, DISTANCES } distance;

/* A load's turn is the number of waits before it, plus 1; 0: none is outstanding. */
typedef struct journey {
    uint32_t turn[DISTANCES];
    uint32_t newest[DISTANCES][IFL_SASS_SCOREBOARDS];
    uint32_t since;              /* far loads issued in this turn */
    uint32_t group[MOST_GROUPS]; /* turns of committed asynchronous copies, the oldest first */
    uint32_t group_count;
} journey;

/* ---- one instruction ------------------------------------------------------------------------- */

static void wait_far(journey *j, ifl_sass_turn *cost)
{
    cost->load_waits++;
    cost->load_spread += j->since > 1 ? log2(j->since) : 0;
    j->since = 0;
    j->turn[FAR]++;
    j->turn[NEAR]++; /* what is near has long arrived */
}

static void wait_for(journey *j, int scoreboard, ifl_sass_turn *cost)
{
    if (j->newest[FAR][scoreboard] == j->turn[FAR] + 1)
        wait_far(j, cost);
    if (j->newest[NEAR][scoreboard] == j->turn[NEAR] + 1) {
        cost->shared_waits++;
        j->turn[NEAR]++;
    }
    j->newest[FAR][scoreboard] = j->newest[NEAR][scoreboard] = 0;
}

/* DEPBAR.LE SB0, 0x1: all groups of copies but one have arrived. */
static void wait_for_groups(journey *j, const ifl_sass_instruction *instruction,
                            ifl_sass_turn *cost)
{
    uint32_t left = 0;
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operand[i].kind == IFL_SASS_IMMEDIATE &&
            instruction->operand[i].value >= 0 && instruction->operand[i].value < MOST_GROUPS)
            left = (uint32_t)instruction->operand[i].value;
    if (j->group_count <= left)
        return;
    const uint32_t gone = j->group_count - left;
    if (j->group[gone - 1] == j->turn[FAR] + 1)
        wait_far(j, cost);
    for (uint32_t i = gone; i < j->group_count; i++)
        j->group[i - gone] = j->group[i];
    j->group_count = left;
}

static void issue(journey *j, const ifl_sass_instruction *instruction)
{
    const uint8_t scoreboard = instruction->write_barrier;
    if (instruction->op == IFL_SASS_OP_LDGDEPBAR) {
        if (j->group_count < MOST_GROUPS)
            j->group[j->group_count++] = j->turn[FAR] + 1;
    }
    if (instruction->sass_class == IFL_SASS_COPY_ASYNC)
        j->since++;
    if (scoreboard >= IFL_SASS_SCOREBOARDS)
        return;
    /* Local memory is in the L1 for the most part. */
    const bool is_close = instruction->sass_class == IFL_SASS_LOAD_SHARED ||
                          instruction->sass_class == IFL_SASS_ATOMIC_SHARED ||
                          instruction->sass_class == IFL_SASS_LOAD_LOCAL;
    if (is_close) {
        j->newest[NEAR][scoreboard] = j->turn[NEAR] + 1;
    } else if (ifl_sass_is_long_load(instruction)) {
        j->since++;
        j->newest[FAR][scoreboard] = j->turn[FAR] + 1;
    }
}

static void pass(journey *j, const ifl_sass_instruction *instruction, ifl_sass_turn *cost)
{
    for (int s = 0; s < IFL_SASS_SCOREBOARDS; s++)
        if (instruction->wait_mask >> s & 1)
            wait_for(j, s, cost);
    if (instruction->op == IFL_SASS_OP_DEPBAR)
        wait_for_groups(j, instruction, cost);
    cost->cycles += instruction->stall ? instruction->stall : 1;
    issue(j, instruction);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static uint32_t depth_of(const ifl_sass_kernel *kernel, uint32_t block)
{
    const int32_t loop = kernel->flow.blocks[block].loop;
    return loop < 0 ? 0 : kernel->loops[loop].at.depth;
}

/* What is on its way when a loop begins is waited for in there, once. */
static bool enters_loop(const ifl_sass_kernel *kernel, uint32_t b)
{
    const ifl_flow_block *block = &kernel->flow.blocks[b];
    for (uint32_t s = 0; s < block->successor_count; s++)
        if (depth_of(kernel, block->successor[s]) > depth_of(kernel, b))
            return true;
    return false;
}

static void pass_block(const ifl_sass_kernel *kernel, uint32_t b, journey *j, ifl_sass_turn *cost)
{
    for (uint32_t i = kernel->flow.blocks[b].first; i < kernel->flow.blocks[b].last; i++)
        pass(j, &kernel->instructions[i], cost);
    if (enters_loop(kernel, b))
        for (int s = 0; s < IFL_SASS_SCOREBOARDS; s++)
            wait_for(j, s, cost);
}

/* The loop's own blocks by address, again and again; -1: what lies in no loop, once. */
static void pass_loop(ifl_sass_kernel *kernel, int32_t loop)
{
    const int trips = loop < 0 ? 1 : WARM_TRIPS + COUNTED_TRIPS, warm = loop < 0 ? 0 : WARM_TRIPS;
    journey j = {.since = 0};
    for (int trip = 0; trip < trips; trip++)
        for (uint32_t b = 0; b < kernel->flow.block_count; b++) {
            ifl_sass_turn unused = {0};
            if (kernel->reached[b] && kernel->flow.blocks[b].loop == loop)
                pass_block(kernel, b, &j, trip < warm ? &unused : &kernel->turns[b]);
        }
}

ifl_status ifl_sass_find_turns(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error)
{
    const size_t bytes = kernel->flow.block_count * sizeof *kernel->turns;
    if (!kernel->flow.block_count)
        return IFL_OK;
    kernel->turns = ifl_arena_alloc(arena, bytes);
    if (!kernel->turns)
        return ifl_fail_memory(error, bytes);
    for (int32_t loop = -1; loop < (int32_t)kernel->loop_count; loop++)
        pass_loop(kernel, loop);
    for (size_t b = 0; b < kernel->flow.block_count; b++)
        if (kernel->flow.blocks[b].loop >= 0) {
            kernel->turns[b].load_waits /= COUNTED_TRIPS;
            kernel->turns[b].load_spread /= COUNTED_TRIPS;
            kernel->turns[b].shared_waits /= COUNTED_TRIPS;
            kernel->turns[b].cycles /= COUNTED_TRIPS;
        }
    return IFL_OK;
}
