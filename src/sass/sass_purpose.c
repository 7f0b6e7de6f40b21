/* SPDX-License-Identifier: Apache-2.0
 * What each instruction is for: backward through the blocks, a register is for an address, for data
 * or for a decision, as those who read it use it. Knows the classes of instructions and their
 * operands; nothing of loops. */
#include "sass/sass_flow.h"

#include <stdlib.h>
#include <string.h>

/* The uses that a register's value has further on. */
enum { FOR_ADDRESS = 1, FOR_DATA = 2, FOR_CONTROL = 4 };

/* Places that hold values: registers, uniform registers, predicates, uniform predicates. */
enum {
    GENERAL = 0,
    UNIFORM = 256,
    PREDICATES = 512,
    UNIFORM_PREDICATES = 520,
    PLACES = 528,
    PREDICATE_ALWAYS = 7,
    REGISTER_ZERO = 255,
    UNIFORM_ZERO_OLD = 63,
    NO_REGISTER = 255
};

typedef enum work { WORK_SET_UP, WORK_USEFUL, WORK_RESULT, WORK_CONTROL } work;

static const struct {
    const char *text;
    bool is_load, is_store;
    work work;
} classes[] = {
#define CLASS(name, text, load, store, work) [IFL_SASS_##name] = {text, load, store, WORK_##work},
#include "sass/sass_class.def"
#undef CLASS
};

static const char *const purposes[] = {
    [IFL_SASS_SET_UP] = "set-up",
    [IFL_SASS_USEFUL] = "useful",
    [IFL_SASS_ADDRESS] = "address",
    [IFL_SASS_CONTROL] = "control",
};

const char *ifl_sass_class_text(ifl_sass_class sass_class)
{
    return (unsigned)sass_class < IFL_SASS_CLASSES ? classes[sass_class].text : "other";
}

const char *ifl_sass_purpose_text(ifl_sass_purpose purpose)
{
    return (unsigned)purpose < IFL_SASS_PURPOSES ? purposes[purpose] : "";
}

static bool writes_register(const ifl_sass_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const ifl_sass_operand *operand = &instruction->operand[i];
        if (operand->kind == IFL_SASS_REGISTER && operand->is_destination &&
            operand->index != REGISTER_ZERO)
            return true;
    }
    return false;
}

bool ifl_sass_is_long_load(const ifl_sass_instruction *instruction)
{
    if (instruction->sass_class == IFL_SASS_COPY_ASYNC)
        return true;
    return instruction->sass_class < IFL_SASS_CLASSES && classes[instruction->sass_class].is_load &&
           writes_register(instruction);
}

/* The ABI keeps the stack in R1; ptxas spills to it at fixed places. An array of the source's that
 * is only indexed by constants looks the same. */
bool ifl_sass_is_spill(const ifl_sass_instruction *instruction)
{
    enum { STACK_REGISTER = 1 };
    if (instruction->sass_class != IFL_SASS_LOAD_LOCAL &&
        instruction->sass_class != IFL_SASS_STORE_LOCAL)
        return false;
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operand[i].kind == IFL_SASS_MEMORY)
            return instruction->operand[i].base == STACK_REGISTER &&
                   instruction->operand[i].uniform == NO_REGISTER;
    return false;
}

/* ---- places ---------------------------------------------------------------------------------- */

typedef struct span {
    unsigned first, count;
} span;

static span places_of(const ifl_sass_operand *operand)
{
    const unsigned count = operand->count ? operand->count : 1, index = operand->index;
    const bool is_register = index + count <= REGISTER_ZERO;
    switch (operand->kind) {
    case IFL_SASS_REGISTER:
        return is_register ? (span){GENERAL + index, count} : (span){0, 0};
    case IFL_SASS_UNIFORM_REGISTER:
        return is_register && index != UNIFORM_ZERO_OLD ? (span){UNIFORM + index, count}
                                                        : (span){0, 0};
    case IFL_SASS_PREDICATE:
        return index < PREDICATE_ALWAYS ? (span){PREDICATES + index, 1} : (span){0, 0};
    case IFL_SASS_UNIFORM_PREDICATE:
        return index < PREDICATE_ALWAYS ? (span){UNIFORM_PREDICATES + index, 1} : (span){0, 0};
    default:
        return (span){0, 0};
    }
}

/* What each place's value is for further on, and under which guard all of that happens: a guarded
 * instruction's result is what those see that have the same guard. */
typedef struct outlook {
    uint8_t uses[PLACES];
    uint8_t guard[PLACES]; /* code of a guard; UNGUARDED, SEVERAL */
    uint8_t now;           /* of the instruction at hand */
    bool any_guard;        /* is there one but SEVERAL in `guard`? */
} outlook;

enum { UNGUARDED = 0, SEVERAL = 255 };

static uint8_t guard_code(const ifl_sass_instruction *instruction)
{
    if (!ifl_sass_is_guarded(instruction))
        return UNGUARDED;
    return (uint8_t)(1 + instruction->guard * 4 + instruction->guard_negated * 2 +
                     instruction->guard_uniform);
}

/* Guards on a predicate are others before the instruction that sets it. */
static void forget_guards(outlook *o, unsigned place)
{
    if (!o->any_guard)
        return;
    const bool uniform = place >= UNIFORM_PREDICATES;
    const unsigned predicate = place - (uniform ? UNIFORM_PREDICATES : PREDICATES);
    for (size_t p = 0; p < PLACES; p++) {
        const unsigned code = o->guard[p] - 1u;
        if (o->guard[p] != UNGUARDED && o->guard[p] != SEVERAL && code / 4 == predicate &&
            (code & 1) == uniform)
            o->guard[p] = SEVERAL;
    }
}

static void add(outlook *o, span places, unsigned use)
{
    for (unsigned p = places.first; use && p < places.first + places.count; p++) {
        o->any_guard |= o->now != UNGUARDED;
        if (!o->uses[p])
            o->guard[p] = o->now;
        else if (o->guard[p] != o->now)
            o->guard[p] = SEVERAL;
        o->uses[p] |= (uint8_t)use;
    }
}

/* ---- one instruction ------------------------------------------------------------------------- */

static work work_of(const ifl_sass_instruction *instruction)
{
    return instruction->op && instruction->sass_class < IFL_SASS_CLASSES
               ? classes[instruction->sass_class].work
               : WORK_SET_UP;
}

/* Opcodes that only bring a value to another place, whatever their class. */
static bool is_move(const ifl_sass_instruction *instruction)
{
    static const bool moves[IFL_SASS_OPS] = {
        [IFL_SASS_OP_MOV] = true,   [IFL_SASS_OP_UMOV] = true,  [IFL_SASS_OP_LDC] = true,
        [IFL_SASS_OP_ULDC] = true,  [IFL_SASS_OP_LDCU] = true,  [IFL_SASS_OP_S2R] = true,
        [IFL_SASS_OP_S2UR] = true,  [IFL_SASS_OP_CS2R] = true,  [IFL_SASS_OP_R2UR] = true,
        [IFL_SASS_OP_UR2UP] = true, [IFL_SASS_OP_CS2UR] = true,
    };
    return (instruction->op < IFL_SASS_OPS && moves[instruction->op]) ||
           ifl_sass_product_of(instruction) == IFL_SASS_PRODUCT_MOVES;
}

/* HFMA2 R5, -RZ, RZ, 0, 0 is how ptxas makes a constant in a pipe that is free. */
static bool makes_constant(const ifl_sass_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const ifl_sass_operand *operand = &instruction->operand[i];
        if (!operand->is_destination &&
            (places_of(operand).count || operand->kind == IFL_SASS_CONSTANT))
            return false;
    }
    return true;
}

static unsigned uses_of_result(const ifl_sass_instruction *instruction, const uint8_t *uses)
{
    unsigned found = 0;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        if (!instruction->operand[i].is_destination)
            continue;
        const span places = places_of(&instruction->operand[i]);
        for (unsigned p = 0; p < places.count; p++)
            found |= uses[places.first + p];
    }
    return found;
}

/* Under another guard the value from before may stay. */
static void forget_results(const ifl_sass_instruction *instruction, outlook *o)
{
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const span places = places_of(&instruction->operand[i]);
        if (!instruction->operand[i].is_destination)
            continue;
        for (unsigned p = places.first; p < places.first + places.count; p++) {
            if (o->now == UNGUARDED || o->guard[p] == o->now)
                o->uses[p] = 0;
            if (p >= PREDICATES)
                forget_guards(o, p);
        }
    }
}

/* What an instruction's register operands are for: what its result is for, and more where it does
 * something itself. */
static unsigned use_of_sources(const ifl_sass_instruction *instruction, unsigned result)
{
    switch (work_of(instruction)) {
    case WORK_CONTROL:
        return FOR_CONTROL;
    case WORK_USEFUL:
        return FOR_DATA;
    default:
        return instruction->sass_class < IFL_SASS_CLASSES &&
                       classes[instruction->sass_class].is_store
                   ? FOR_DATA
                   : result;
    }
}

/* Goes back past an instruction; returns the uses of its result. */
static unsigned pass(const ifl_sass_instruction *instruction, outlook *o)
{
    o->now = guard_code(instruction);
    const unsigned result = uses_of_result(instruction, o->uses);
    const unsigned use = use_of_sources(instruction, result);
    forget_results(instruction, o);
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const ifl_sass_operand *operand = &instruction->operand[i];
        if (operand->kind == IFL_SASS_MEMORY) {
            /* Addresses are pairs of registers, the lower one named. */
            if (operand->base < REGISTER_ZERO - 1)
                add(o, (span){GENERAL + operand->base, 2}, FOR_ADDRESS);
            if (operand->uniform < REGISTER_ZERO - 1 && operand->uniform != UNIFORM_ZERO_OLD)
                add(o, (span){UNIFORM + operand->uniform, 2}, FOR_ADDRESS);
        } else if (operand->kind == IFL_SASS_CONSTANT && operand->base < REGISTER_ZERO)
            add(o, (span){GENERAL + operand->base, 1}, FOR_ADDRESS);
        else if (!operand->is_destination)
            add(o, places_of(operand), use);
    }
    const unsigned guards = instruction->guard_uniform ? UNIFORM_PREDICATES : PREDICATES;
    if (instruction->guard < PREDICATE_ALWAYS)
        add(o, (span){guards + instruction->guard, 1}, FOR_CONTROL);
    return result;
}

static ifl_sass_purpose purpose_of_result(unsigned result)
{
    return result & FOR_DATA      ? IFL_SASS_USEFUL
           : result & FOR_ADDRESS ? IFL_SASS_ADDRESS
           : result & FOR_CONTROL ? IFL_SASS_CONTROL
                                  : IFL_SASS_SET_UP;
}

static ifl_sass_purpose purpose_of(const ifl_sass_instruction *instruction, unsigned result)
{
    if (is_move(instruction) ||
        (instruction->sass_class == IFL_SASS_HALF && makes_constant(instruction)))
        return IFL_SASS_SET_UP;
    switch (work_of(instruction)) {
    case WORK_CONTROL:
        return IFL_SASS_CONTROL;
    case WORK_USEFUL:
        return IFL_SASS_USEFUL;
    case WORK_RESULT:
        return purpose_of_result(result);
    default:
        return IFL_SASS_SET_UP;
    }
}

/* ---- all blocks ------------------------------------------------------------------------------ */

/* Eight places at a time. */
static void add_uses(uint8_t *to, const uint8_t *from)
{
    _Static_assert(PLACES % sizeof(uint64_t) == 0, "whole words");
    for (size_t p = 0; p < PLACES; p += sizeof(uint64_t)) {
        uint64_t a, b;
        memcpy(&a, to + p, sizeof a);
        memcpy(&b, from + p, sizeof b);
        a |= b;
        memcpy(to + p, &a, sizeof a);
    }
}

/* `before` has what each block's places are for where it begins. */
static void gather(const ifl_sass_kernel *kernel, size_t block, const uint8_t *before, outlook *o)
{
    memset(o->uses, 0, PLACES);
    memset(o->guard, SEVERAL, PLACES);
    o->any_guard = false;
    const ifl_flow_block *at = &kernel->flow.blocks[block];
    for (uint32_t s = 0; s < at->successor_count; s++)
        add_uses(o->uses, before + (size_t)at->successor[s] * PLACES);
}

static bool pass_block(ifl_sass_kernel *kernel, size_t block, uint8_t *before)
{
    outlook o;
    gather(kernel, block, before, &o);
    for (size_t i = kernel->flow.blocks[block].last; i-- > kernel->flow.blocks[block].first;) {
        const ifl_sass_instruction *instruction = &kernel->instructions[i];
        kernel->purpose[i] = (uint8_t)purpose_of(instruction, pass(instruction, &o));
    }
    if (memcmp(before + block * PLACES, o.uses, PLACES) == 0)
        return false;
    memcpy(before + block * PLACES, o.uses, PLACES);
    return true;
}

ifl_status ifl_sass_find_purposes(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error)
{
    if (!kernel->instruction_count)
        return IFL_OK;
    kernel->purpose = ifl_arena_alloc(arena, kernel->instruction_count);
    uint8_t *before = calloc(kernel->flow.block_count, PLACES);
    if (!kernel->purpose || !before) {
        free(before);
        return ifl_fail_memory(error, kernel->flow.block_count * PLACES);
    }
    for (bool changed = true; changed;) { /* uses only grow from pass to pass */
        changed = false;
        for (size_t b = kernel->flow.block_count; b-- > 0;)
            changed |= pass_block(kernel, b, before);
    }
    free(before);
    return IFL_OK;
}
