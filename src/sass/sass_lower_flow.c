/* SPDX-License-Identifier: Apache-2.0
 * Which code belongs to a kernel, where its instructions lead, and which registers may be read
 * before they are written. */
#include "sass/sass_flow.h"
#include "sass/sass_lowerer.h"

#include <string.h>

/* ---- the code of a kernel -------------------------------------------------------------------- */

/* Calls by an address may lead into any function of the object. */
static bool calls_elsewhere(const ifl_object_text *text)
{
    ifl_sass_decoder decoder;
    ifl_sass_decoder_init(&decoder, text->kernel->sm);
    for (uint64_t at = 0; at + IFL_CODE_BYTES <= text->kernel->code_bytes; at += IFL_CODE_BYTES) {
        ifl_sass_instruction instruction;
        ifl_sass_decode(&decoder, text->code + at, (uint32_t)at, &instruction);
        if (instruction.op == IFL_SASS_OP_CALL &&
            (ifl_sass_value(&instruction, IFL_SASS_VALUE_RELATIVE) == IFL_SASS_WORD_ABS ||
             ifl_sass_operand_of(&instruction, IFL_SASS_ROLE_ADDRESS)))
            return true;
    }
    return false;
}

static bool choose_parts(ifl_sass_lowerer *l)
{
    const ifl_object *object = l->input->object;
    l->parts = ifl_arena_alloc(&l->scratch, (object->text_count + 1) * sizeof *l->parts);
    if (!l->parts)
        return false;
    l->parts[l->part_count++].text = l->input->kernel;
    for (size_t i = 0; calls_elsewhere(l->input->kernel) && i < object->text_count; i++)
        if (!object->texts[i].kernel->is_kernel && &object->texts[i] != l->input->kernel &&
            object->texts[i].kernel->sm == l->input->kernel->kernel->sm)
            l->parts[l->part_count++].text = &object->texts[i];
    return true;
}

static void decode_part(ifl_sass_lowerer *l, ifl_sass_part *part)
{
    ifl_sass_decoder decoder;
    ifl_sass_decoder_init(&decoder, part->text->kernel->sm);
    part->first = l->count;
    part->count = (uint32_t)(part->text->kernel->code_bytes / IFL_CODE_BYTES);
    for (uint32_t i = 0; i < part->count; i++)
        ifl_sass_decode(&decoder, part->text->code + (uint64_t)i * IFL_CODE_BYTES,
                        i * IFL_CODE_BYTES, &l->instructions[l->count++]);
}

bool ifl_sass_lower_decode(ifl_sass_lowerer *l)
{
    uint64_t bytes = 0;
    const bool has_parts = choose_parts(l);
    for (size_t p = 0; has_parts && p < l->part_count; p++)
        bytes += l->parts[p].text->kernel->code_bytes;
    if (has_parts && (!bytes || bytes / IFL_CODE_BYTES > UINT32_MAX / 2)) {
        l->status =
            ifl_fail(l->error, IFL_BAD_INPUT, "'%s' has no code", l->input->kernel->kernel->name);
        return false;
    }
    if (has_parts)
        l->instructions =
            ifl_arena_alloc(&l->scratch, (bytes / IFL_CODE_BYTES + 1) * sizeof *l->instructions);
    if (!l->instructions) {
        l->status = ifl_fail_memory(l->error, bytes);
        return false;
    }
    for (size_t p = 0; p < l->part_count; p++) {
        decode_part(l, &l->parts[p]);
        l->image->demands.calls |= l->parts[p].text->calls;
    }
    l->image->demands.ordered |= ifl_provided_any_outside(l->image->demands.calls);
    return true;
}

/* ---- flow ------------------------------------------------------------------------------------ */

uint32_t ifl_sass_target_of(const ifl_sass_lowerer *l, const ifl_sass_operand *target)
{
    if (!target || target->kind != IFL_SASS_TARGET || target->value < 0 ||
        target->value % IFL_CODE_BYTES || target->value / IFL_CODE_BYTES >= l->part->count)
        return UINT32_MAX;
    return l->part->first + (uint32_t)(target->value / IFL_CODE_BYTES);
}

/* For an address that is not known here. */
static bool leaves(ifl_sass_way way)
{
    return way == IFL_SASS_JUMPS || way == IFL_SASS_EXITS || way == IFL_SASS_RETURNS ||
           way == IFL_SASS_REJOINS;
}

bool ifl_sass_flow_is_known(const ifl_sass_lowerer *l)
{
    bool is_known = true;
    for (uint32_t i = 0; i < l->count; i++) {
        const ifl_sass_way way = ifl_sass_way_of(l->instructions[i].op);
        is_known &= way != IFL_SASS_CALLS && (!leaves(way) || way == IFL_SASS_EXITS);
    }
    return is_known;
}

/* Nothing keeps all lanes from leaving. */
static bool leaves_always(const ifl_sass_instruction *instruction)
{
    return !ifl_sass_is_guarded(instruction) &&
           ifl_sass_is_true(ifl_sass_operand_of(instruction, IFL_SASS_ROLE_PREDICATE_IN)) &&
           ifl_sass_is_true(ifl_sass_operand_of(instruction, IFL_SASS_ROLE_PREDICATE_IN2)) &&
           !ifl_sass_operand_of(instruction, IFL_SASS_ROLE_MASK);
}

/* Lanes that part at an instruction, or meet there, issue it again: it is a block of its own. */
static bool is_issued_again(const ifl_sass_instruction *instruction)
{
    return instruction->op == IFL_SASS_OP_WARPSYNC || instruction->op == IFL_SASS_OP_BSYNC;
}

static bool describe_step(ifl_sass_lowerer *l, uint32_t index, ifl_flow_step *step)
{
    const ifl_sass_instruction *instruction = &l->instructions[index];
    const ifl_sass_way way = ifl_sass_way_of(instruction->op);
    const uint32_t target =
        ifl_sass_target_of(l, ifl_sass_operand_of(instruction, IFL_SASS_ROLE_TARGET));
    step->ends = way != IFL_SASS_GOES_ON || instruction->op == IFL_SASS_OP_UNKNOWN ||
                 (index + 1 < l->count && is_issued_again(instruction + 1));
    step->leaves = leaves(way);
    step->falls = !((leaves(way) || way == IFL_SASS_BRANCHES) && leaves_always(instruction));
    if ((way != IFL_SASS_BRANCHES && way != IFL_SASS_CALLS && way != IFL_SASS_POINTS) ||
        target == UINT32_MAX)
        return true;
    uint32_t *targets = ifl_arena_alloc(&l->scratch, sizeof *targets);
    if (!targets)
        return false;
    *targets = target;
    step->targets = targets;
    step->target_count = 1;
    return true;
}

/* Where lanes that part meet again: behind their BSYNC. */
static void add_named(const ifl_sass_lowerer *l, ifl_flow_step *steps)
{
    for (uint32_t i = l->part->first; i < l->part->first + l->part->count; i++) {
        const uint32_t target =
            ifl_sass_target_of(l, ifl_sass_operand_of(&l->instructions[i], IFL_SASS_ROLE_TARGET));
        if (ifl_sass_way_of(l->instructions[i].op) == IFL_SASS_NAMES && target != UINT32_MAX &&
            target != l->part->first)
            steps[target - 1].ends = true;
    }
}

/* What a table of a jump names; all instructions where there is a jump without one. */
static bool add_jump_targets(ifl_sass_lowerer *l, ifl_flow_step *steps)
{
    const ifl_machine_kernel *kernel = l->part->text->kernel;
    bool jumps = false;
    for (uint32_t i = 0; i < l->part->count; i++)
        jumps |= ifl_sass_way_of(l->instructions[l->part->first + i].op) == IFL_SASS_JUMPS;
    for (uint32_t i = 0; i < l->part->count && jumps && !kernel->jump_target_count; i++)
        steps[l->part->first + i].ends = true;
    for (size_t t = 0; t < kernel->jump_target_count; t++) {
        const uint32_t target = kernel->jump_targets[t] / IFL_CODE_BYTES;
        if (target && target < l->part->count)
            steps[l->part->first + target - 1].ends = true;
    }
    /* Functions inside of the code may be called through pointers. */
    for (size_t s = 0; s < kernel->symbol_count; s++) {
        const uint32_t start = kernel->symbols[s].offset / IFL_CODE_BYTES;
        if (start && start < l->part->count)
            steps[l->part->first + start - 1].ends = true;
    }
    return true;
}

bool ifl_sass_lower_find_flow(ifl_sass_lowerer *l)
{
    ifl_flow_step *steps = ifl_arena_alloc(&l->scratch, ((size_t)l->count + 1) * sizeof *steps);
    bool is_done = steps != NULL;
    for (size_t p = 0; is_done && p < l->part_count; p++) {
        l->part = &l->parts[p];
        for (uint32_t i = 0; is_done && i < l->part->count; i++)
            is_done = describe_step(l, l->part->first + i, &steps[l->part->first + i]);
        if (is_done && l->part->count) {
            add_jump_targets(l, steps);
            add_named(l, steps);
            steps[l->part->first + l->part->count - 1].ends = true;
        }
    }
    l->status = is_done ? ifl_flow_build(steps, l->count, l->arena, &l->flow, l->error)
                        : ifl_fail_memory(l->error, l->count * sizeof *steps);
    return l->status == IFL_OK;
}

/* ---- registers ------------------------------------------------------------------------------- */

static void see_words(ifl_flow_see *see, void *to, unsigned first, unsigned index, unsigned count,
                      bool is_written)
{
    for (unsigned i = 0; i < count && index + i < IFL_SASS_NO_REGISTER; i++)
        see(to, first + index + i, is_written);
}

static void see_predicate(ifl_flow_see *see, void *to, unsigned first, unsigned index,
                          bool is_written)
{
    if (index < IFL_SASS_PREDICATES)
        see(to, first + index, is_written);
}

/* What is known of an operand is not read from its registers. */
static void see_operand(const ifl_sass_operand *operand, ifl_sass_known known, ifl_flow_see *see,
                        void *to)
{
    const unsigned count = operand->count ? operand->count : 1;
    switch (operand->kind) {
    case IFL_SASS_REGISTER:
        if (!known.slot)
            see_words(see, to, IFL_SASS_FROM_R0, operand->index, count, operand->is_destination);
        break;
    case IFL_SASS_UNIFORM_REGISTER:
        if (!known.slot)
            see_words(see, to, IFL_SASS_FROM_UR0, operand->index, count, operand->is_destination);
        break;
    case IFL_SASS_PREDICATE:
        see_predicate(see, to, IFL_SASS_FROM_P0, operand->index, operand->is_destination);
        break;
    case IFL_SASS_UNIFORM_PREDICATE:
        see_predicate(see, to, IFL_SASS_FROM_UP0, operand->index, operand->is_destination);
        break;
    case IFL_SASS_MEMORY:
    case IFL_SASS_CONSTANT:
        if (!known.slot)
            see_words(see, to, IFL_SASS_FROM_R0, operand->base, 2, false);
        if (!known.uniform)
            see_words(see, to, IFL_SASS_FROM_UR0, operand->uniform, 2, false);
        break;
    default:
        break;
    }
}

void ifl_sass_touch(const ifl_sass_lowerer *l, uint32_t index, ifl_flow_see *see, void *to)
{
    static const ifl_sass_known nothing[IFL_SASS_OPERANDS];
    const ifl_sass_instruction *instruction = &l->instructions[index];
    const ifl_sass_known *known = l->known ? l->known + (size_t)index * IFL_SASS_OPERANDS : nothing;
    see_predicate(see, to, instruction->guard_uniform ? IFL_SASS_FROM_UP0 : IFL_SASS_FROM_P0,
                  instruction->guard, false);
    if (instruction->op == IFL_SASS_OP_P2R) {
        for (unsigned i = 0; i < IFL_SASS_PREDICATES; i++)
            see_predicate(see, to, IFL_SASS_FROM_P0, i, false);
    }
    for (unsigned o = 0; o < instruction->operand_count; o++)
        if (!instruction->operand[o].is_destination)
            see_operand(&instruction->operand[o], known[o], see, to);
    for (unsigned o = 0; o < instruction->operand_count; o++)
        if (instruction->operand[o].is_destination)
            see_operand(&instruction->operand[o], known[o], see, to);
}

static void touch(const void *user, uint32_t index, ifl_flow_see *see, void *to)
{
    ifl_sass_touch(user, index, see, to);
}

static bool is_guarded(const void *user, uint32_t index)
{
    return ifl_sass_is_guarded(&((const ifl_sass_lowerer *)user)->instructions[index]);
}

static bool stores_to_shared(const void *user, uint32_t index)
{
    return ((const ifl_sass_lowerer *)user)->instructions[index].op == IFL_SASS_OP_STS;
}

/* Is an atomic that does the same as the one at hand. */
static bool is_alike(const void *user, uint32_t index)
{
    const ifl_sass_lowerer *l = user;
    const ifl_sass_instruction *other = &l->instructions[index];
    const bool is_atomic = other->op == IFL_SASS_OP_ATOMG || other->op == IFL_SASS_OP_ATOM;
    return is_atomic && other->op == l->instruction->op &&
           ifl_sass_is(l, IFL_SASS_VALUE_OPERATION,
                       ifl_sass_value(other, IFL_SASS_VALUE_OPERATION));
}

bool ifl_sass_flow_decides(ifl_sass_lowerer *l)
{
    const ifl_flow_touches touches = {
        .visit = touch, .is_guarded = is_guarded, .user = l, .registers = IFL_SASS_TOUCHED};
    bool decides = false;
    if (l->status == IFL_OK)
        l->status = ifl_flow_decides(&l->flow, &touches, l->index, stores_to_shared, is_alike,
                                     &decides, l->error);
    return decides;
}

static uint32_t place_of(const ifl_sass_lowerer *l, unsigned reg, uint32_t *bytes)
{
    *bytes = reg < IFL_SASS_FROM_P0 ? IFL_PLANE_BYTES : 4;
    if (reg < IFL_SASS_FROM_UR0)
        return ifl_sass_register_slot(l, reg);
    if (reg < IFL_SASS_FROM_P0)
        return ifl_sass_uniform_slot(l, reg - IFL_SASS_FROM_UR0);
    return reg < IFL_SASS_FROM_UP0 ? l->predicates + 4 * (reg - IFL_SASS_FROM_P0)
                                   : l->uniform_predicates + 4 * (reg - IFL_SASS_FROM_UP0);
}

bool ifl_sass_lower_keep_undefined(ifl_sass_lowerer *l, ifl_routine *routine)
{
    const ifl_flow_touches touches = {
        .visit = touch, .is_guarded = is_guarded, .user = l, .registers = IFL_SASS_TOUCHED};
    uint64_t *live;
    size_t words;
    l->status = ifl_flow_live(&l->flow, &touches, &l->scratch, &live, &words, l->error);
    routine->undefined =
        l->status == IFL_OK
            ? ifl_sass_lower_allocate(l, 2 * IFL_SASS_TOUCHED * sizeof *routine->undefined)
            : NULL;
    if (!routine->undefined)
        return false;
    for (unsigned reg = 0; reg < IFL_SASS_TOUCHED; reg++) {
        uint32_t bytes;
        if (!(live[reg / 64] >> reg % 64 & 1))
            continue;
        const uint32_t place = place_of(l, reg, &bytes);
        routine->undefined[2 * routine->undefined_count] = place;
        routine->undefined[2 * routine->undefined_count++ + 1] = bytes;
    }
    return true;
}
