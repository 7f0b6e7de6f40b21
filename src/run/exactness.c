/* SPDX-License-Identifier: Apache-2.0
 * Reads a kernel's instructions for those whose result PTX does not fix to the bit. */
#include "run/exactness.h"

#include <math.h>
#include <string.h>

/* Errors that the PTX ISA states for one instruction, relative; sin and cos state theirs absolute, in [-pi, pi]. */
static const struct {
    ifl_opcode opcode;
    bool always; /* else only with .approx or .full */
    double error;
} approximations[] = {
    {IFL_OP_EX2, true, 0x1p-22},  {IFL_OP_LG2, true, 0x1p-22},   {IFL_OP_SIN, true, 0x1p-20},
    {IFL_OP_COS, true, 0x1p-20},  {IFL_OP_TANH, true, 0x1p-11},  {IFL_OP_RSQRT, true, 0x1p-22},
    {IFL_OP_RCP, false, 0x1p-23}, {IFL_OP_SQRT, false, 0x1p-23}, {IFL_OP_DIV, false, 0x1p-22},
};

/* Registers whose values belong to one run on one machine. */
static const ifl_special own[] = {
    IFL_SPECIAL_CLOCK,       IFL_SPECIAL_CLOCK_HI,       IFL_SPECIAL_CLOCK64,
    IFL_SPECIAL_GLOBALTIMER, IFL_SPECIAL_GLOBALTIMER_LO, IFL_SPECIAL_GLOBALTIMER_HI,
    IFL_SPECIAL_SMID,        IFL_SPECIAL_NSMID,          IFL_SPECIAL_GRIDID,
    IFL_SPECIAL_WARPID,
};

/* A few operations carry an error on: sums and products of results. */
static const double carried = 16;
static const double order_error_32 = 0x1p-14, order_error_64 = 0x1p-43;

typedef struct scan {
    const ifl_program *program;
    ifl_exactness *out;
    double approximate;
    bool products, sums, float_atomics, fetched, timed, waits;
    char example[64];
    uint32_t line;
} scan;

static void remember(scan *s, const ifl_instruction *i)
{
    if (!s->example[0]) {
        ifl_instruction_name(i, s->example, sizeof s->example);
        s->line = i->line;
    }
}

static void look_at_approximation(scan *s, const ifl_instruction *i)
{
    const bool is_asked = i->modifiers.flags & (IFL_FLAG_APPROX | IFL_FLAG_FULL);
    for (size_t k = 0; k < sizeof approximations / sizeof *approximations; k++) {
        if (approximations[k].opcode != i->opcode || !(approximations[k].always || is_asked))
            continue;
        remember(s, i);
        s->approximate = fmax(s->approximate, approximations[k].error);
    }
}

/* PTX ISA, mul, add and sub of floating-point types: without a rounding the compiler may contract
 * them. Packed and half types too. */
static void look_at_contraction(scan *s, const ifl_instruction *i)
{
    if (ifl_type_class((ifl_type)i->type[0]) != 'F' || i->modifiers.rounding)
        return;
    s->products |= i->opcode == IFL_OP_MUL;
    s->sums |= i->opcode == IFL_OP_ADD || i->opcode == IFL_OP_SUB;
}

static void look_at_order(scan *s, const ifl_instruction *i)
{
    const bool is_atom = i->opcode == IFL_OP_ATOM, is_red = i->opcode == IFL_OP_RED;
    const ifl_operand *first = &s->program->operands[i->first_operand];
    if ((is_atom || is_red) && ifl_type_class((ifl_type)i->type[0]) == 'F')
        s->float_atomics = true;
    s->fetched |= is_atom && i->operand_count && first->kind != IFL_OPERAND_NONE;
    s->waits |= !is_atom && !is_red && i->modifiers.order > IFL_ORDER_WEAK;
}

static void look_at_special(scan *s, const ifl_instruction *i)
{
    for (uint32_t k = 0; k < i->operand_count; k++) {
        const ifl_operand *o = &s->program->operands[i->first_operand + k];
        if (o->kind != IFL_OPERAND_SPECIAL)
            continue;
        s->out->cooperative |= o->index == IFL_SPECIAL_ENVREG1 || o->index == IFL_SPECIAL_ENVREG2;
        for (size_t r = 0; r < sizeof own / sizeof *own; r++)
            s->timed |= o->index == own[r];
    }
}

static void look_at(scan *s, const ifl_instruction *i)
{
    look_at_approximation(s, i);
    look_at_contraction(s, i);
    look_at_order(s, i);
    look_at_special(s, i);
}

static void conclude(scan *s)
{
    ifl_exactness *out = s->out;
    const bool contracts = s->products && s->sums;
    double error = fmax(s->approximate, contracts ? 0x1p-24 : 0);
    out->tolerance_32 = carried * error;
    out->tolerance_16 = error > 0 ? fmax(out->tolerance_32, 0x1p-7) : 0;
    out->tolerance_64 = s->approximate > 0 ? out->tolerance_32 : contracts ? carried * 0x1p-53 : 0;
    if (s->float_atomics) {
        out->tolerance_32 = fmax(out->tolerance_32, order_error_32);
        out->tolerance_64 = fmax(out->tolerance_64, order_error_64);
        out->tolerance_16 = fmax(out->tolerance_16, 0x1p-4);
    }
    out->is_open = s->fetched || s->timed || s->waits;
}

static void put_rule(scan *s)
{
    ifl_exactness *out = s->out;
    const char *open = s->timed     ? "it reads clocks, or where it runs"
                       : s->fetched ? "the values that its atomics return depend on the order"
                       : s->waits   ? "its threads wait for each other through memory"
                                    : NULL;
    if (open)
        snprintf(out->rule, sizeof out->rule, "the result may depend on the run: %s", open);
    else if (s->float_atomics)
        snprintf(out->rule, sizeof out->rule,
                 "floating-point atomics add in any order: %.1g of the largest value",
                 out->tolerance_32);
    else if (s->approximate > 0)
        snprintf(out->rule, sizeof out->rule,
                 "%s (line %u of the PTX) is approximate: to %.1g of the largest value", s->example,
                 s->line, out->tolerance_32);
    else if (s->products && s->sums)
        snprintf(out->rule, sizeof out->rule,
                 "products and sums without .rn may be fused: to %.1g (f32) or %.1g (f64) of the "
                 "largest value",
                 out->tolerance_32, out->tolerance_64);
    else
        snprintf(out->rule, sizeof out->rule, "bit for bit");
}

void ifl_exactness_find(const ifl_program *program, const bool *reached, ifl_exactness *out)
{
    *out = (ifl_exactness){0};
    scan s = {.program = program, .out = out};
    for (size_t f = 0; f < program->function_count; f++) {
        const ifl_function *function = &program->functions[f];
        for (uint32_t i = 0; reached[f] && i < function->count; i++)
            look_at(&s, &program->instructions[function->first + i]);
    }
    conclude(&s);
    put_rule(&s);
}
