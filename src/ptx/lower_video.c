/* SPDX-License-Identifier: Apache-2.0
 * Lowering of video instructions: vadd and the like, vmad, vset, and the forms with two or four
 * parts. */
#include "code/video.h"
#include "ptx/lower_internal.h"

enum { WORD_BITS = 32 };

static const struct {
    uint8_t operation, parts;
} rows[IFL_OP_COUNT] = {
#define EACH(name, operation)                                                                      \
    [IFL_OP_##name] = {operation, 1}, [IFL_OP_##name##2] = {operation, 2},                         \
    [IFL_OP_##name##4] = {operation, 4}
    EACH(VADD, IFL_VIDEO_ADD),
    EACH(VSUB, IFL_VIDEO_SUBTRACT),
    EACH(VABSDIFF, IFL_VIDEO_ABS_DIFFERENCE),
    EACH(VMIN, IFL_VIDEO_MIN),
    EACH(VMAX, IFL_VIDEO_MAX),
    EACH(VSET, IFL_VIDEO_SET),
#undef EACH
    [IFL_OP_VAVRG2] = {IFL_VIDEO_AVERAGE, 2},
    [IFL_OP_VAVRG4] = {IFL_VIDEO_AVERAGE, 4},
    [IFL_OP_VSHL] = {IFL_VIDEO_SHIFT_LEFT, 1},
    [IFL_OP_VSHR] = {IFL_VIDEO_SHIFT_RIGHT, 1},
    [IFL_OP_VMAD] = {IFL_VIDEO_MULTIPLY_ADD, 1},
};

/* Of a selector, from the right: 0, 1, 2, 3 of .b3210. */
static unsigned digit(const ifl_operand *operand, unsigned index)
{
    return (unsigned)(operand->value >> 4 * index) & 0xf;
}

static bool is_selected(const ifl_operand *operand)
{
    return operand->kind == IFL_OPERAND_REGISTER && operand->element;
}

static unsigned selected_bits(const ifl_operand *operand)
{
    return operand->element & IFL_SELECTS_BYTES ? 8 : 16;
}

static unsigned selected_count(const ifl_operand *operand)
{
    return operand->element & IFL_SELECTS_COUNT;
}

/* ---- which parts ----------------------------------------------------------------------------- */

static void set_single(ifl_lowerer *l, const ifl_operand *operand, ifl_video_part *part)
{
    *part = (ifl_video_part){WORD_BITS, 0};
    if (!is_selected(operand))
        return;
    const unsigned bits = selected_bits(operand);
    *part = (ifl_video_part){(uint8_t)bits, (uint8_t)digit(operand, 0)};
    if (selected_count(operand) != 1 || digit(operand, 0) >= WORD_BITS / bits)
        ifl_lower_unsupported(l, "with this part of a register");
}

static void set_several(ifl_lowerer *l, const ifl_operand *operand, unsigned parts, bool is_b,
                        ifl_video_part *part)
{
    const uint8_t bits = (uint8_t)(WORD_BITS / parts);
    for (unsigned i = 0; i < parts; i++)
        part[i] = (ifl_video_part){
            bits, (uint8_t)(is_selected(operand) ? digit(operand, i) : i + (is_b ? parts : 0))};
    for (unsigned i = 0; i < parts; i++)
        if (part[i].index >= 2 * parts)
            ifl_lower_unsupported(l, "with this part of a register");
    if (is_selected(operand) &&
        (selected_count(operand) != parts || selected_bits(operand) != bits))
        ifl_lower_unsupported(l, "with these parts of a register");
}

static uint8_t mask_of(ifl_lowerer *l, const ifl_operand *operand, unsigned parts)
{
    uint8_t mask = 0;
    if (!is_selected(operand))
        return (uint8_t)((1u << parts) - 1);
    for (unsigned i = 0; i < selected_count(operand); i++)
        mask |= (uint8_t)(1u << digit(operand, i));
    if (mask >> parts || selected_bits(operand) != WORD_BITS / parts)
        ifl_lower_unsupported(l, "with this mask");
    return mask;
}

/* ---- the instruction ------------------------------------------------------------------------- */

enum { D, A, B, C };

static void describe(ifl_lowerer *l, ifl_video_op *op)
{
    const ifl_instruction *in = l->instruction;
    const ifl_modifiers *m = &in->modifiers;
    const bool is_set = rows[in->opcode].operation == IFL_VIDEO_SET;
    const unsigned first = is_set ? 0 : 1;
    *op = (ifl_video_op){.operation = rows[in->opcode].operation,
                         .parts = rows[in->opcode].parts,
                         .is_signed_d = !is_set && ifl_type_class(in->type[0]) == 'S',
                         .is_signed_a = ifl_type_class(in->type[first]) == 'S',
                         .is_signed_b = ifl_type_class(in->type[first + 1]) == 'S',
                         .saturates = m->flags & IFL_FLAG_SAT,
                         .wraps = m->wrap == IFL_WRAP_WRAP,
                         .adds_one = m->increment,
                         .secondary = m->operation,
                         .compare = m->compare,
                         .shift = m->mode == IFL_MODE_SHR7    ? 7
                                  : m->mode == IFL_MODE_SHR15 ? 15
                                                              : 0};
    for (unsigned i = 0; i < in->type_count; i++)
        if (ifl_type_bits(in->type[i]) != WORD_BITS || ifl_type_class(in->type[i]) == 'F')
            ifl_lower_unsupported(l, "of these types");
    if (in->type_count != first + 2 || (is_set && !op->compare))
        ifl_lower_unsupported(l, "with this number of types");
}

/* Forms of one part in which the code of ptxas 13.0 does other than the PTX ISA says: which of them a
 * GPU does is not known. */
static bool is_disputed(const ifl_video_op *op)
{
    const bool is_product = op->operation == IFL_VIDEO_MULTIPLY_ADD,
               is_signed = op->is_signed_a && op->is_signed_b;
    if (op->parts > 1)
        return false;
    if (is_product)
        return !is_signed && (op->saturates || op->shift);
    return op->saturates || op->d.bits == 16 ||
           (op->secondary && op->secondary != IFL_OPERATION_ADD);
}

static void set_parts(ifl_lowerer *l, ifl_video_op *op)
{
    const ifl_operand *const *at = l->slots.at;
    op->negates_a = at[A]->negated, op->negates_b = at[B]->negated;
    op->negates_c = ifl_lower_has(l, C) && at[C]->negated;
    if (op->parts == 1) {
        set_single(l, at[A], &op->a[0]);
        set_single(l, at[B], &op->b[0]);
        set_single(l, at[D], &op->d);
        return;
    }
    set_several(l, at[A], op->parts, false, op->a);
    set_several(l, at[B], op->parts, true, op->b);
    op->mask = mask_of(l, at[D], op->parts);
}

void ifl_lower_video(ifl_lowerer *l)
{
    ifl_video_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    describe(l, op);
    set_parts(l, op);
    if (is_disputed(op))
        ifl_lower_unsupported(l, "compilers and the PTX ISA differ in what this form does");
    const uint32_t a = ifl_lower_source(l, l->slots.at[A], WORD_BITS, false),
                   b = ifl_lower_source(l, l->slots.at[B], WORD_BITS, false),
                   c = ifl_lower_has(l, C) ? ifl_lower_source(l, l->slots.at[C], WORD_BITS, false)
                                           : ifl_lower_constant(l, 0, WORD_BITS),
                   d = ifl_lower_destination(l, l->slots.at[D], WORD_BITS);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_video);
    code->a = a, code->b = b, code->c = c, code->d = d, code->extra = op;
    ifl_lower_finish(l, l->slots.at[D], d, WORD_BITS, false);
}
