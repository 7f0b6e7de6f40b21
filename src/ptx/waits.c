/* SPDX-License-Identifier: Apache-2.0
 * Waits for loads by the order of the program. A compiler moves loads up within a basic block until
 * something holds them: an address that a load gives, a store that may change what is read, a
 * barrier. So a value's depth is the number of loads, one after the other, that must have come
 * before it is there; a block waits as often as the deepest value that it uses says. A value that
 * nothing in its block uses is pending, and whoever uses it first waits for it. */
#include "ptx/waits_internal.h"

#include "ptx/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 255, MOST_PASSES = 16 };

typedef enum role {
    ROLE_PLAIN,
    ROLE_MOVE,      /* names a value anew: the compiler needs no instruction for it */
    ROLE_LOAD,      /* from global memory, the order of stores matters */
    ROLE_FREE_LOAD, /* read-only data: may go before any store */
    ROLE_NEAR_LOAD, /* shared or local memory */
    ROLE_STORE,
    ROLE_BARRIER,
    ROLE_COPY_WAIT /* for asynchronous copies */
} role;

typedef struct depth {
    uint16_t load, near;
    uint16_t chain;
} depth;

typedef struct scan {
    const ifl_program *program;
    const ifl_function *function;
    ifl_flow flow;
    size_t words;
    uint64_t *
        /* block_count × words: registers that a load is yet to fill when the block begins */
        pending;
    uint64_t *near; /* the same of shared and local memory */
    depth *of;      /* by register, where stamp says so */
    uint32_t *stamp;
    uint32_t epoch;
    bool is_alone;   /* nothing is pending when the block begins */
    uint64_t *reads; /* pending registers that the block reads, a bit each */
    /* of the block at hand */
    uint32_t block;
    depth used, barrier; /* the deepest value used; what loads must stay behind */
    depth stores[2];     /* the same of stores to global memory, and to shared or local memory */
    uint16_t loads_at[MOST_DEPTH + 1];
    double copy_waits;
    depth sources; /* of the instruction at hand */
    depth result;
    bool is_guarded;
    ifl_waits *out;
} scan;

static depth deeper(depth a, depth b)
{
    return (depth){a.load > b.load ? a.load : b.load, a.near > b.near ? a.near : b.near,
                   a.chain > b.chain ? a.chain : b.chain};
}

static depth depth_of(const scan *s, uint32_t reg)
{
    if (s->stamp[reg] == s->epoch)
        return s->of[reg];
    const size_t at = s->block * s->words + reg / 64;
    const bool is_pending = !s->is_alone && s->pending[at] >> (reg % 64) & 1;
    return (depth){is_pending, s->near[at] >> (reg % 64) & 1, 0};
}

static void note_read(void *user, uint32_t reg, bool is_written)
{
    scan *s = user;
    if (is_written)
        return;
    s->sources = deeper(s->sources, depth_of(s, reg));
    if (s->stamp[reg] != s->epoch)
        s->reads[reg / 64] |= UINT64_C(1) << (reg % 64);
}

static void note_write(void *user, uint32_t reg, bool is_written)
{
    scan *s = user;
    if (!is_written)
        return;
    s->of[reg] = s->is_guarded ? deeper(s->result, depth_of(s, reg)) : s->result;
    s->stamp[reg] = s->epoch;
}

/* ---- what an instruction is to the order ----------------------------------------------------- */

static role role_of_load(const ifl_instruction *instruction)
{
    switch (instruction->modifiers.space) {
    case IFL_SPACE_SHARED:
    case IFL_SPACE_LOCAL:
        return ROLE_NEAR_LOAD;
    case IFL_SPACE_PARAM:
    case IFL_SPACE_CONST:
        return ROLE_PLAIN;
    default:
        return instruction->modifiers.flags & IFL_FLAG_NC ? ROLE_FREE_LOAD : ROLE_LOAD;
    }
}

static role role_of(const ifl_instruction *instruction)
{
    static const uint8_t roles[IFL_OP_COUNT] = {
        [IFL_OP_MOV] = ROLE_MOVE,
        [IFL_OP_ST] = ROLE_STORE,
        [IFL_OP_RED] = ROLE_STORE,
        [IFL_OP_MULTIMEM_ST] = ROLE_STORE,
        [IFL_OP_MULTIMEM_RED] = ROLE_STORE,
        [IFL_OP_WMMA_STORE] = ROLE_STORE,
        [IFL_OP_BAR_SYNC] = ROLE_BARRIER,
        [IFL_OP_BAR_CTA_SYNC] = ROLE_BARRIER,
        [IFL_OP_BARRIER_SYNC] = ROLE_BARRIER,
        [IFL_OP_BARRIER_CTA_SYNC] = ROLE_BARRIER,
        [IFL_OP_BAR_WARP_SYNC] = ROLE_BARRIER,
        [IFL_OP_MEMBAR] = ROLE_BARRIER,
        [IFL_OP_FENCE] = ROLE_BARRIER,
        [IFL_OP_CALL] = ROLE_BARRIER,
        [IFL_OP_CP_ASYNC_WAIT_GROUP] = ROLE_COPY_WAIT,
        [IFL_OP_CP_ASYNC_WAIT_ALL] = ROLE_COPY_WAIT,
    };
    const bool is_load = instruction->opcode == IFL_OP_LD || instruction->opcode == IFL_OP_LDU ||
                         instruction->opcode == IFL_OP_MULTIMEM_LD_REDUCE ||
                         instruction->opcode == IFL_OP_WMMA_LOAD_A ||
                         instruction->opcode == IFL_OP_WMMA_LOAD_B ||
                         instruction->opcode == IFL_OP_WMMA_LOAD_C;
    if (is_load)
        return role_of_load(instruction);
    if (instruction->opcode == IFL_OP_ATOM)
        return instruction->modifiers.space == IFL_SPACE_SHARED ? ROLE_NEAR_LOAD : ROLE_LOAD;
    return instruction->opcode < IFL_OP_COUNT ? (role)roles[instruction->opcode] : ROLE_PLAIN;
}

/* ---- one block ------------------------------------------------------------------------------- */

static uint16_t next(uint16_t at)
{
    return (uint16_t)(at < MOST_DEPTH ? at + 1 : at);
}

/* `wait_group n` leaves n groups in flight: its copies were asked for n + 1 waits before, so that
 * each wait stands for that part of a latency. */
static void wait_for_copies(scan *s, const ifl_instruction *instruction)
{
    const ifl_operand *operand = s->program->operands + instruction->first_operand;
    double in_flight = 1;
    if (instruction->operand_count && operand->kind == IFL_OPERAND_IMMEDIATE && operand->value > 0)
        in_flight += (double)operand->value;
    s->copy_waits += 1 / in_flight;
}

static void place_load(scan *s, role what, depth at)
{
    depth first = deeper(at, s->barrier);
    if (what != ROLE_FREE_LOAD)
        first = deeper(first, s->stores[what == ROLE_NEAR_LOAD]);
    s->result = first;
    if (what == ROLE_NEAR_LOAD) {
        s->result.near = next(first.near);
    } else {
        s->result.load = next(first.load);
        s->loads_at[s->result.load] += s->loads_at[s->result.load] < UINT16_MAX;
    }
}

/* A store holds the loads of memory that it may change. */
static void place_store(scan *s, const ifl_instruction *instruction)
{
    const depth at = {s->sources.load, s->sources.near, 0};
    const uint8_t space = instruction->modifiers.space;
    const bool is_near = space == IFL_SPACE_SHARED || space == IFL_SPACE_LOCAL;
    if (!is_near)
        s->stores[false] = deeper(s->stores[false], at);
    if (is_near || space == IFL_SPACE_GENERIC)
        s->stores[true] = deeper(s->stores[true], at);
}

static void place(scan *s, const ifl_instruction *instruction, role what)
{
    depth sources = s->sources;
    sources.chain = (uint16_t)(sources.chain + (sources.chain < UINT16_MAX));
    s->result = sources;
    if (what == ROLE_LOAD || what == ROLE_FREE_LOAD || what == ROLE_NEAR_LOAD)
        place_load(s, what, sources);
    if (what == ROLE_STORE || instruction->opcode == IFL_OP_ATOM)
        place_store(s, instruction);
    if (what == ROLE_COPY_WAIT)
        wait_for_copies(s, instruction);
    s->used = deeper(s->used, sources);
    if (what == ROLE_BARRIER)
        s->barrier = (depth){s->used.load, s->used.near, 0};
}

static void scan_instruction(scan *s, const ifl_instruction *instruction)
{
    const role what = role_of(instruction);
    s->is_guarded = instruction->guard != IFL_NO_GUARD;
    s->sources = (depth){0};
    ifl_instruction_registers(s->program, instruction, note_read, s);
    if (what == ROLE_MOVE)
        s->result = s->sources;
    else
        place(s, instruction, what);
    /* A load comes when those before it that it needs are there, anything else when what it uses
     * is. */
    const uint32_t index = (uint32_t)(instruction - s->program->instructions) - s->function->first;
    const bool is_load = what == ROLE_LOAD || what == ROLE_FREE_LOAD;
    const uint32_t before = is_load ? s->result.load - 1u : s->sources.load;
    const uint32_t most = (1u << IFL_TURN_BITS) - 1;
    s->out[index].turn =
        s->flow.blocks[s->block].first << IFL_TURN_BITS | (before < most ? before : most);
    ifl_instruction_registers(s->program, instruction, note_write, s);
}

static void scan_block(scan *s, uint32_t block)
{
    s->block = block;
    s->epoch++;
    s->used = s->barrier = s->stores[0] = s->stores[1] = (depth){0};
    s->copy_waits = 0;
    memset(s->loads_at, 0, sizeof s->loads_at);
    memset(s->reads, 0, s->words * sizeof *s->reads);
    for (uint32_t i = s->flow.blocks[block].first; i < s->flow.blocks[block].last; i++)
        scan_instruction(s, &s->program->instructions[s->function->first + i]);
}

static ifl_waits waits_of(const scan *s)
{
    ifl_waits waits = {
        .loads = s->used.load + s->copy_waits, .shared = s->used.near, .chain = s->used.chain};
    for (int d = 1; d <= s->used.load && d <= MOST_DEPTH; d++)
        waits.spread += s->loads_at[d] > 1 ? log2(s->loads_at[d]) : 0;
    return waits;
}

/* ---- what is pending between blocks ---------------------------------------------------------- */

/* A register is still pending at the end of the block when its load lies deeper than what the block
 * waited for. */
static bool hand_on(scan *s, uint32_t to)
{
    bool changed = false;
    for (uint32_t r = 0; r < s->function->register_count; r++) {
        const depth d = depth_of(s, r);
        const uint64_t bit = UINT64_C(1) << (r % 64);
        const size_t at = to * s->words + r / 64;
        const uint64_t load = d.load > s->used.load ? bit : 0,
                       near = d.near > s->used.near ? bit : 0;
        changed |= (load & ~s->pending[at]) || (near & ~s->near[at]);
        s->pending[at] |= load;
        s->near[at] |= near;
    }
    return changed;
}

static bool pass(scan *s)
{
    bool changed = false;
    for (uint32_t b = 0; b < s->flow.block_count; b++) {
        const ifl_flow_block *block = &s->flow.blocks[b];
        scan_block(s, b);
        for (uint32_t i = 0; i < block->successor_count; i++)
            changed |= hand_on(s, block->successor[i]);
    }
    return changed;
}

/* ---- how often what is pending is waited for ------------------------------------------------- */

static ifl_handing handing_of(const scan *s, uint32_t reg, uint32_t waits)
{
    const bool reads = s->reads[reg / 64] >> (reg % 64) & 1;
    if (s->stamp[reg] != s->epoch)
        return (ifl_handing){.reads = reads, .is_written = waits > 0};
    return (ifl_handing){
        .reads = reads, .is_written = true, .brings = s->of[reg].load > s->used.load};
}

/* What the block does to the values that are pending somewhere, and what it waits for: by itself,
 * and where all of them are still on their way. */
static void sum_up_block(scan *s, uint32_t block, ifl_waits *first, ifl_pending *pending)
{
    const uint32_t turn = first->turn;
    s->is_alone = true;
    scan_block(s, block);
    const uint32_t alone = s->used.load;
    s->is_alone = false;
    scan_block(s, block);
    *first = waits_of(s);
    first->turn = turn;
    pending->more[block] = s->used.load > alone ? (double)(s->used.load - alone) : 0;
    for (size_t k = 0; k < pending->count; k++)
        pending->of[block * pending->count + k] = handing_of(s, pending->reg[k], alone);
}

static ifl_status run(scan *s, ifl_waits *of, ifl_pending *pending, ifl_arena *arena,
                      ifl_error *error)
{
    for (uint32_t b = 0; b < s->flow.block_count; b++)
        sum_up_block(s, b, &of[s->flow.blocks[b].first], pending);
    const ifl_status status = ifl_pending_settle(pending, &s->flow, arena, error);
    for (uint32_t b = 0; b < s->flow.block_count && status == IFL_OK; b++)
        of[s->flow.blocks[b].first].loads -= ifl_pending_spared(pending, b);
    return status;
}

static ifl_status allocate(scan *s, ifl_arena *arena, ifl_error *error)
{
    const size_t registers = s->function->register_count + 1,
                 bytes = s->flow.block_count * s->words * sizeof(uint64_t);
    s->pending = ifl_arena_alloc(arena, bytes);
    s->near = ifl_arena_alloc(arena, bytes);
    s->reads = ifl_arena_alloc(arena, s->words * sizeof *s->reads);
    s->of = ifl_arena_alloc(arena, registers * sizeof *s->of);
    s->stamp = ifl_arena_alloc(arena, registers * sizeof *s->stamp);
    return s->pending && s->near && s->reads && s->of && s->stamp ? IFL_OK
                                                                  : ifl_fail_memory(error, bytes);
}

ifl_status ifl_waits_find(const ifl_program *program, const ifl_function *function,
                          const uint64_t *times, ifl_waits *of, ifl_error *error)
{
    ifl_arena arena = {0};
    ifl_pending pending = {.times = times};
    scan s = {.program = program,
              .function = function,
              .words = function->register_count / 64 + 1,
              .out = of};
    memset(of, 0, function->count * sizeof *of);
    if (!function->count)
        return IFL_OK;
    ifl_status status = ifl_ptx_flow(&(ifl_ptx_part){program, function}, &arena, &s.flow, error);
    if (status == IFL_OK)
        status = allocate(&s, &arena, error);
    for (int i = 0; status == IFL_OK && i < MOST_PASSES && pass(&s); i++) {
    }
    if (status == IFL_OK)
        status = ifl_pending_list(&pending, s.pending, s.flow.block_count, s.words, &arena, error);
    if (status == IFL_OK)
        status = run(&s, of, &pending, &arena, error);
    ifl_arena_free(&arena);
    return status;
}
