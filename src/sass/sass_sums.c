/* SPDX-License-Identifier: Apache-2.0 */
#include "sass/sass_sums.h"

enum { WORD_BYTES = 4, BANK_BITS = 16, BANKS = 32, FIRST_SYMBOL = 1 + (BANKS << BANK_BITS) };

/* A word of a constant bank is the same whoever reads it. */
static ifl_sass_sum constant_at(const ifl_sass_operand *o, unsigned word)
{
    return (ifl_sass_sum){
        (uint32_t)(1 + (o->index << BANK_BITS) + (uint32_t)o->value + word * WORD_BYTES), 0};
}

static ifl_sass_sum fresh(ifl_sass_sums *sums)
{
    return (ifl_sass_sum){FIRST_SYMBOL + sums->symbols++, 0};
}

void ifl_sass_sums_begin(ifl_sass_sums *sums)
{
    sums->symbols = 0;
    for (unsigned i = 0; i <= IFL_SASS_NO_REGISTER; i++) {
        sums->general[i] = fresh(sums);
        sums->uniform[i] = fresh(sums);
    }
    sums->general[IFL_SASS_NO_REGISTER] = sums->uniform[IFL_SASS_NO_REGISTER] =
        (ifl_sass_sum){0, 0};
}

static bool is_fixed_constant(const ifl_sass_operand *o)
{
    return o->kind == IFL_SASS_CONSTANT && o->base == IFL_SASS_NO_REGISTER &&
           o->uniform == IFL_SASS_NO_REGISTER && !o->has_descriptor && o->index < BANKS &&
           o->value >= 0 && o->value < 1 << BANK_BITS;
}

static bool value_of(const ifl_sass_sums *sums, const ifl_sass_operand *o, ifl_sass_sum *value)
{
    if (o->negated || o->absolute || o->inverted || o->select || o->is_float)
        return false;
    switch (o->kind) {
    case IFL_SASS_REGISTER:
        *value = sums->general[o->index];
        return true;
    case IFL_SASS_UNIFORM_REGISTER:
        *value = sums->uniform[o->index];
        return true;
    case IFL_SASS_IMMEDIATE:
        *value = (ifl_sass_sum){0, (int32_t)o->value};
        return true;
    case IFL_SASS_CONSTANT:
        *value = constant_at(o, 0);
        return is_fixed_constant(o);
    default:
        return false;
    }
}

static bool is_sum(const ifl_sass_instruction *instruction)
{
    static const bool sums[IFL_SASS_OPS] = {
        [IFL_SASS_OP_MOV] = true,   [IFL_SASS_OP_UMOV] = true,   [IFL_SASS_OP_LDC] = true,
        [IFL_SASS_OP_ULDC] = true,  [IFL_SASS_OP_LDCU] = true,   [IFL_SASS_OP_IADD3] = true,
        [IFL_SASS_OP_VIADD] = true, [IFL_SASS_OP_UIADD3] = true, [IFL_SASS_OP_IMAD] = true};
    return sums[instruction->op] && instruction->guard == IFL_SASS_PREDICATES &&
           !instruction->guard_negated;
}

/* What it writes to its first destination: the sum of its sources, of which one may have a symbol; IMAD
 * moves its third if the product is nothing. */
static bool sum_of(const ifl_sass_sums *sums, const ifl_sass_instruction *instruction,
                   ifl_sass_sum *sum)
{
    bool is_product = instruction->op == IFL_SASS_OP_IMAD, is_nothing = false;
    unsigned sources = 0;
    *sum = (ifl_sass_sum){0, 0};
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const ifl_sass_operand *o = &instruction->operand[i];
        ifl_sass_sum value;
        if (o->is_destination)
            continue;
        if (!value_of(sums, o, &value))
            return false;
        if (is_product && sources++ < 2) {
            is_nothing |= !value.symbol && !value.added;
            continue;
        }
        if (value.symbol && sum->symbol)
            return false;
        sum->symbol |= value.symbol;
        sum->added += value.added;
    }
    return !is_product || is_nothing;
}

static const ifl_sass_operand *constant_of(const ifl_sass_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (is_fixed_constant(&instruction->operand[i]))
            return &instruction->operand[i];
    return NULL;
}

void ifl_sass_sums_note(ifl_sass_sums *sums, const ifl_sass_instruction *instruction)
{
    ifl_sass_sum sum = {0, 0};
    const bool is_known = is_sum(instruction) && sum_of(sums, instruction, &sum);
    const ifl_sass_operand *constant = is_known ? constant_of(instruction) : NULL;
    if (constant && (constant_at(constant, 0).symbol != sum.symbol || sum.added))
        constant = NULL;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const ifl_sass_operand *o = &instruction->operand[i];
        ifl_sass_sum *to = o->kind == IFL_SASS_REGISTER           ? sums->general
                           : o->kind == IFL_SASS_UNIFORM_REGISTER ? sums->uniform
                                                                  : NULL;
        for (unsigned word = 0; to && o->is_destination && word < o->count; word++)
            if (o->index + word < IFL_SASS_NO_REGISTER)
                to[o->index + word] = is_known && !word ? sum
                                      : constant        ? constant_at(constant, word)
                                                        : fresh(sums);
    }
}

bool ifl_sass_sums_address(const ifl_sass_sums *sums, const ifl_sass_instruction *instruction,
                           ifl_sass_sum *address)
{
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const ifl_sass_operand *o = &instruction->operand[i];
        if (o->kind != IFL_SASS_MEMORY || o->base == IFL_SASS_NO_REGISTER ||
            o->uniform != IFL_SASS_NO_REGISTER)
            continue;
        *address = sums->general[o->base];
        address->added += o->value;
        return address->symbol && address->added == (int32_t)address->added;
    }
    return false;
}
