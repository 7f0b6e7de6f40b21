/* SPDX-License-Identifier: Apache-2.0
 * Whether a launch's counts follow from its grid and arguments alone: where nothing that a kernel
 * loads gets into a guard, a branch, a barrier or an address, two launches with the same arguments
 * execute the same and access the same, whatever memory holds. Loads are taken to bring anything,
 * from shared and local memory too; a kernel with an instruction that is not known here is not
 * foreseeable. */
#include "sass/sass_lowerer.h"

/* Banks whose words a launch's arguments and the loading of its module fix: parameters and what the
 * driver puts before them; the compiler's constants; addresses of variables. Bank 3 has the
 * program's __constant__ variables. */
static bool is_fixed(const ifl_sass_operand *constant)
{
    enum { PARAMETERS = 0, COMPILERS = 2, ADDRESSES = 4 };
    return !constant->has_descriptor &&
           (constant->index == PARAMETERS || constant->index == COMPILERS ||
            constant->index == ADDRESSES);
}

static ifl_sass_lower_function *function_of(const ifl_sass_instruction *instruction)
{
    return ifl_sass_lower_table[instruction->op];
}

static bool is_understood(const ifl_sass_instruction *instruction)
{
    /* An atomic whose old value nobody gets. */
    return ifl_sass_names_all(instruction) || instruction->op == IFL_SASS_OP_RED ||
           instruction->op == IFL_SASS_OP_REDG ||
           function_of(instruction) == ifl_sass_lower_warpsync;
}

static bool begins(const void *user, uint32_t index)
{
    const ifl_sass_instruction *i = &((const ifl_sass_lowerer *)user)->instructions[index];
    bool loads = function_of(i) == ifl_sass_lower_load;
    for (unsigned o = 0; o < i->operand_count; o++)
        loads |= i->operand[o].kind == IFL_SASS_CONSTANT && !is_fixed(&i->operand[o]);
    return loads;
}

static bool holds(const uint64_t *held, unsigned reg)
{
    return held[reg / 64] >> reg % 64 & 1;
}

static bool holds_any(const uint64_t *held, unsigned first, unsigned index, unsigned words)
{
    bool does = false;
    for (unsigned w = 0; w < words && index + w < IFL_SASS_NO_REGISTER; w++)
        does |= holds(held, first + index + w);
    return does;
}

/* Of memory with addresses of 32 bits. */
static bool is_near(unsigned op)
{
    return op == IFL_SASS_OP_LDS || op == IFL_SASS_OP_STS || op == IFL_SASS_OP_LDL ||
           op == IFL_SASS_OP_STL;
}

static bool is_asked_for(const ifl_sass_operand *operand, unsigned words, const uint64_t *held)
{
    return (operand->kind == IFL_SASS_MEMORY || operand->kind == IFL_SASS_CONSTANT) &&
           (holds_any(held, IFL_SASS_FROM_R0, operand->base, words) ||
            holds_any(held, IFL_SASS_FROM_UR0, operand->uniform, words) ||
            (operand->has_descriptor &&
             holds_any(held, IFL_SASS_FROM_UR0, operand->descriptor, 2)));
}

static bool holds_guard(const ifl_sass_instruction *i, const uint64_t *held)
{
    const unsigned first = i->guard_uniform ? IFL_SASS_FROM_UP0 : IFL_SASS_FROM_P0;
    return i->guard < IFL_SASS_PREDICATES && holds(held, first + i->guard);
}

/* It computes, or moves values between registers, lanes and memory. Behind R2P the operands do not
 * say which predicates hold what. */
static bool only_computes(const ifl_sass_instruction *i)
{
    static ifl_sass_lower_function *const functions[] = {
        ifl_sass_lower_lane,          ifl_sass_lower_load,
        ifl_sass_lower_store,         ifl_sass_lower_atomic,
        ifl_sass_lower_constant_load, ifl_sass_lower_shuffle,
        ifl_sass_lower_vote,          ifl_sass_lower_to_uniform,
        ifl_sass_lower_reduce,        ifl_sass_lower_predicate_logic,
        ifl_sass_lower_special,       ifl_sass_lower_predicates_to_register,
    };
    bool is_one = false;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        is_one |= function_of(i) == functions[f];
    return is_one;
}

static bool matters(const void *user, uint32_t index, const uint64_t *held)
{
    const ifl_sass_instruction *i = &((const ifl_sass_lowerer *)user)->instructions[index];
    bool does = holds_guard(i, held) || !only_computes(i);
    for (unsigned o = 0; o < i->operand_count; o++)
        does |= is_asked_for(&i->operand[o], is_near(i->op) ? 1 : 2, held);
    return does;
}

static void visit(const void *user, uint32_t index, ifl_flow_see *see, void *to)
{
    ifl_sass_touch(user, index, see, to);
}

static bool is_guarded(const void *user, uint32_t index)
{
    const ifl_sass_instruction *i = &((const ifl_sass_lowerer *)user)->instructions[index];
    return i->guard < IFL_SASS_PREDICATES || i->guard_negated;
}

static uint32_t guard(const void *user, uint32_t index)
{
    const ifl_sass_instruction *i = &((const ifl_sass_lowerer *)user)->instructions[index];
    const unsigned first = i->guard_uniform ? IFL_SASS_FROM_UP0 : IFL_SASS_FROM_P0;
    return i->guard < IFL_SASS_PREDICATES ? ifl_flow_guard(first + i->guard, i->guard_negated) : 0;
}

bool ifl_sass_lower_foresee(ifl_sass_lowerer *l)
{
    const ifl_flow_touches touches = {
        .visit = visit, .is_guarded = is_guarded, .user = l, .registers = IFL_SASS_TOUCHED};
    const ifl_flow_question question = {begins, matters, guard};
    bool gets_there = false, is_known = l->part_count == 1 && ifl_sass_flow_is_known(l);
    for (uint32_t i = 0; i < l->count && is_known; i++)
        is_known = is_understood(&l->instructions[i]);
    if (is_known)
        l->status = ifl_flow_reaches(&l->flow, &touches, &question, &gets_there, l->error);
    l->image->demands.foreseeable = is_known && !gets_there;
    return l->status == IFL_OK;
}
