/* SPDX-License-Identifier: Apache-2.0
 * Lowering of control flow, barriers and warp-wide operations. */
#include "ptx/lower_internal.h"

#include <string.h>

/* ---- branches -------------------------------------------------------------------------------- */

static uint32_t block_at(const ifl_lowerer *l, const ifl_operand *label)
{
    return l->flow.block_of[label->value - l->function->first];
}

/* Targets and joins are block numbers until resolve() in lower.c. */
static uint32_t join_of(const ifl_lowerer *l)
{
    uint32_t at = (uint32_t)(l->instruction - l->input->program->instructions) - l->function->first;
    return l->flow.blocks[l->flow.block_of[at]].join;
}

void ifl_lower_bra(ifl_lowerer *l)
{
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_branch);
    code->value = block_at(l, l->slots.at[0]);
    code->d = join_of(l);
}

void ifl_lower_brx(ifl_lowerer *l)
{
    uint32_t count;
    const ifl_operand *label = ifl_slot_members(l->slots.at[1], &count);
    ifl_target_list *list = ifl_lower_allocate(l, sizeof *list);
    const ifl_code **target = ifl_lower_allocate(l, (count + 1) * sizeof *target);
    if (!list || !target)
        return;
    for (uint32_t i = 0; i < count; i++)
        target[i] = (const ifl_code *)(uintptr_t)block_at(l, &label[i]);
    *list = (ifl_target_list){count, target};
    uint32_t index = ifl_lower_source(l, l->slots.at[0], 32, false);
    ifl_code *code = ifl_lower_emit_stop(l, IFL_REASON_SWITCH);
    code->targets = list;
    code->a = index;
    code->d = join_of(l);
}

void ifl_lower_ret(ifl_lowerer *l)
{
    ifl_lower_emit_stop(l, l->function->is_kernel ? IFL_REASON_EXIT : IFL_REASON_RETURN);
}

void ifl_lower_exit(ifl_lowerer *l)
{
    ifl_lower_emit_stop(l, IFL_REASON_EXIT);
}

void ifl_lower_trap(ifl_lowerer *l)
{
    ifl_lower_emit(l, IFL_CODE_trap);
}

void ifl_lower_nanosleep(ifl_lowerer *l)
{
    ifl_lower_emit(l, IFL_CODE_nanosleep);
}

void ifl_lower_nothing(ifl_lowerer *l)
{
    ifl_lower_emit(l, IFL_CODE_nothing);
}

void ifl_lower_fence(ifl_lowerer *l)
{
    const unsigned scope = l->instruction->modifiers.scope;
    const bool is_far = scope == IFL_SCOPE_GPU || scope == IFL_SCOPE_SYS;
    ifl_lower_emit(l, IFL_CODE_fence)->count = is_far;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* One value of a call: in PARAM variables on both sides, or a register on the caller's. */
static void fill_value(ifl_lowerer *l, const ifl_operand *mine, const ifl_variable *theirs,
                       ifl_call_value *value, uint32_t *next, bool is_result)
{
    const ifl_variable *own =
        mine->kind == IFL_OPERAND_VARIABLE ? &l->input->program->variables[mine->index] : NULL;
    if (own && own->space == IFL_SPACE_PARAM) {
        value->from = (uint32_t)own->offset;
        value->bytes = (uint32_t)own->bytes;
    } else if (mine->kind == IFL_OPERAND_REGISTER && theirs) {
        value->slot_bytes = (uint8_t)(ifl_lower_register_bits(l, mine) / 8);
        value->from = l->slot_of[mine->index];
        value->bytes = (uint32_t)theirs->bytes;
    } else if (theirs && !is_result) {
        value->slot_bytes = theirs->bytes > 4 ? 8 : theirs->bytes > 2 ? 4 : 2;
        value->from = ifl_lower_source(l, mine, value->slot_bytes * 8u, false);
        value->bytes = (uint32_t)theirs->bytes;
    } else {
        ifl_lower_unsupported(l, "an argument of this kind");
    }
    if (value->slot_bytes == 1 || value->slot_bytes > 8)
        ifl_lower_unsupported(l, "a register of this width as an argument");
    if (value->slot_bytes && value->bytes > value->slot_bytes)
        value->bytes = value->slot_bytes;
    /* Without a declaration (an indirect call) parameters follow each other, naturally aligned. */
    uint32_t align = own && own->align ? own->align : value->bytes ? value->bytes : 1;
    uint32_t at = (*next + align - 1) / align * align;
    value->to = theirs ? (uint32_t)theirs->offset : at;
    if (theirs && value->bytes > theirs->bytes)
        value->bytes = (uint32_t)theirs->bytes;
    *next = at + value->bytes;
}

static ifl_call_value *fill_values(ifl_lowerer *l, const ifl_operand *slot, const uint32_t *list,
                                   uint32_t list_count, uint32_t *count, bool is_result)
{
    *count = 0;
    if (!slot || slot->kind == IFL_OPERAND_NONE)
        return NULL;
    const ifl_operand *member = ifl_slot_members(slot, count);
    ifl_call_value *values = ifl_lower_allocate(l, (*count + 1) * sizeof *values);
    uint32_t next = 0;
    for (uint32_t i = 0; values && i < *count; i++)
        fill_value(l, &member[i], i < list_count ? &l->input->program->variables[list[i]] : NULL,
                   &values[i], &next, is_result);
    return values;
}

/* What libcudadevrt defines, by its headers (cuda_device_runtime_api.h): it has no PTX. */
static bool is_of_device_runtime(const char *name)
{
    static const char *const beginnings[] = {"__cudaCDP2", "cudaGetParameterBuffer",
                                             "cudaLaunchDevice", "cudaCG"};
    bool is_one = false;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        is_one |= strncmp(name, beginnings[i], strlen(beginnings[i])) == 0;
    return is_one;
}

static void refuse_call(ifl_lowerer *l, const char *name)
{
    ifl_lower_fail(
        l, IFL_UNSUPPORTED,
        is_of_device_runtime(name)
            ? "call of '%s', of CUDA's device runtime, which has no PTX: kernels that launch "
              "kernels or "
              "synchronize the grid with it need machine code (nvcc -rdc=true, without --code ptx)"
            : "call of '%s', which is not defined here: link the device code first (nvcc -dlink)",
        name);
}

/* The kernel's own malloc, free and printf happen in the order of blocks. */
static void note_call(ifl_lowerer *l, const ifl_function *function)
{
    const ifl_provided provided = ifl_provided_find(function->name);
    if (function->is_extern && !(provided && ifl_provided_is_for_ptx(provided)))
        refuse_call(l, function->name);
    l->image->demands.ordered |= function->is_extern;
    l->image->demands.calls |= function->is_extern ? ifl_provided_bit(provided) : 0;
}

void ifl_lower_call(ifl_lowerer *l)
{
    ifl_call_op *op = ifl_lower_allocate(l, sizeof *op);
    const ifl_operand *target = l->slots.at[1];
    if (!op)
        return;
    const ifl_function *function = NULL;
    op->function = -1;
    if (target->kind == IFL_OPERAND_FUNCTION) {
        op->function = (int32_t)target->index;
        function = &l->input->program->functions[target->index];
        l->is_needed[target->index] = true;
        op->provided =
            function->is_extern ? (uint8_t)ifl_provided_find(function->name) : IFL_PROVIDED_NONE;
        note_call(l, function);
    } else {
        l->calls_indirectly = true;
        op->target = ifl_lower_source(l, target, 64, false);
    }
    op->results = fill_values(l, l->slots.at[0], function ? function->returns : NULL,
                              function ? function->return_count : 0, &op->result_count, true);
    op->arguments = fill_values(l, l->slots.count > 2 ? l->slots.at[2] : NULL,
                                function ? function->params : NULL,
                                function ? function->param_count : 0, &op->argument_count, false);
    ifl_lower_emit_stop(l, IFL_REASON_CALL)->extra = op;
}

/* ---- barriers -------------------------------------------------------------------------------- */

static bool arrives_only(uint16_t opcode)
{
    return opcode == IFL_OP_BAR_ARRIVE || opcode == IFL_OP_BAR_CTA_ARRIVE ||
           opcode == IFL_OP_BARRIER_ARRIVE || opcode == IFL_OP_BARRIER_CTA_ARRIVE;
}

/* PTX ISA, bar: bar.sync is barrier.sync.aligned. */
static bool is_aligned(const ifl_instruction *instruction)
{
    const uint16_t opcode = instruction->opcode;
    return opcode == IFL_OP_BAR_SYNC || opcode == IFL_OP_BAR_CTA_SYNC || opcode == IFL_OP_BAR_RED ||
           opcode == IFL_OP_BAR_CTA_RED || instruction->modifiers.flags & IFL_FLAG_ALIGNED;
}

void ifl_lower_barrier(ifl_lowerer *l)
{
    ifl_barrier_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->waits = !arrives_only(l->instruction->opcode);
    op->is_aligned = is_aligned(l->instruction);
    op->operation = l->instruction->modifiers.operation;
    unsigned values = 0;
    for (unsigned s = 0; s < l->slots.count; s++) {
        if (!ifl_lower_has(l, s))
            continue;
        if (l->slots.letter[s] == 'p') {
            op->predicate = ifl_lower_predicate(l, l->slots.at[s], &op->flip);
        } else if (l->slots.letter[s] == 'd') {
            op->to_predicate = ifl_lower_register_bits(l, l->slots.at[s]) == 1;
            op->result = l->slot_of[l->slots.at[s]->index];
        } else {
            *(values++ ? &op->count : &op->id) = ifl_lower_source(l, l->slots.at[s], 32, false);
        }
    }
    ifl_lower_emit_stop(l, IFL_REASON_BARRIER)->extra = op;
}

void ifl_lower_cluster_barrier(ifl_lowerer *l)
{
    ifl_barrier_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->is_cluster = true;
    op->waits = l->instruction->opcode == IFL_OP_BARRIER_CLUSTER_WAIT;
    ifl_lower_emit_stop(l, IFL_REASON_BARRIER)->extra = op;
}

/* ---- warp-wide operations -------------------------------------------------------------------- */

/* Slots of the signature that hold the member mask, 0: none. */
static const uint8_t member_slots[IFL_OP_COUNT] = {
    [IFL_OP_SHFL] = 5,  [IFL_OP_VOTE] = 2,  [IFL_OP_MATCH] = 3,
    [IFL_OP_REDUX] = 2, [IFL_OP_ELECT] = 2,
};

static ifl_exchange_kind exchange_kind(const ifl_instruction *instruction)
{
    static const struct {
        uint16_t opcode;
        uint8_t mode, kind;
    } table[] = {
        {IFL_OP_SHFL, IFL_MODE_UP, IFL_EXCHANGE_SHUFFLE_UP},
        {IFL_OP_SHFL, IFL_MODE_DOWN, IFL_EXCHANGE_SHUFFLE_DOWN},
        {IFL_OP_SHFL, IFL_MODE_BFLY, IFL_EXCHANGE_SHUFFLE_BUTTERFLY},
        {IFL_OP_SHFL, IFL_MODE_IDX, IFL_EXCHANGE_SHUFFLE_INDEX},
        {IFL_OP_VOTE, IFL_MODE_ALL, IFL_EXCHANGE_VOTE_ALL},
        {IFL_OP_VOTE, IFL_MODE_ANY, IFL_EXCHANGE_VOTE_ANY},
        {IFL_OP_VOTE, IFL_MODE_UNI, IFL_EXCHANGE_VOTE_UNIFORM},
        {IFL_OP_VOTE, IFL_MODE_BALLOT, IFL_EXCHANGE_VOTE_BALLOT},
        {IFL_OP_MATCH, IFL_MODE_ANY, IFL_EXCHANGE_MATCH_ANY},
        {IFL_OP_MATCH, IFL_MODE_ALL, IFL_EXCHANGE_MATCH_ALL},
        {IFL_OP_REDUX, 0, IFL_EXCHANGE_REDUCE},
        {IFL_OP_ACTIVEMASK, 0, IFL_EXCHANGE_ACTIVE_MASK},
        {IFL_OP_ELECT, 0, IFL_EXCHANGE_ELECT},
        {IFL_OP_BAR_WARP_SYNC, 0, IFL_EXCHANGE_MEET},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].opcode == instruction->opcode && table[i].mode == instruction->modifiers.mode)
            return table[i].kind;
    return IFL_EXCHANGES;
}

static void fill_members(ifl_lowerer *l, ifl_exchange *op)
{
    const bool meets = op->kind == IFL_EXCHANGE_MEET;
    const uint8_t slot = meets ? 0 : member_slots[l->instruction->opcode];
    if (!meets && (!slot || !ifl_lower_has(l, slot)))
        return;
    const ifl_operand *mask = l->slots.at[slot];
    op->members = ifl_lower_source(l, mask, 32, false);
    op->is_checked = meets || mask->kind != IFL_OPERAND_IMMEDIATE; /* ifl_membership */
}

static void fill_sources(ifl_lowerer *l, ifl_exchange *op)
{
    uint32_t *to[] = {&op->a, &op->b, &op->c};
    const unsigned member_slot = member_slots[l->instruction->opcode];
    unsigned n = 0;
    for (unsigned s = 1; s < l->slots.count && n < 3; s++)
        if (l->slots.letter[s] == 's' && ifl_lower_has(l, s) && s != member_slot) {
            *to[n] = ifl_lower_source(l, l->slots.at[s], n ? 32 : op->bytes * 8u, false);
            n++;
        }
}

/* A vote's result is a predicate, but for a ballot; a barrier has none. */
static void fill_results(ifl_lowerer *l, ifl_exchange *op)
{
    const bool gives_predicate = op->kind == IFL_EXCHANGE_VOTE_ALL ||
                                 op->kind == IFL_EXCHANGE_VOTE_ANY ||
                                 op->kind == IFL_EXCHANGE_VOTE_UNIFORM;
    const ifl_operand *d = l->slots.at[0];
    op->p = IFL_PREDICATE_SINK;
    if (l->slots.count > 1 && l->slots.letter[1] == 'q')
        op->p = ifl_lower_predicate_destination(l, l->slots.at[1]);
    op->d =
        gives_predicate ? ifl_lower_predicate_destination(l, d) : ifl_lower_destination(l, d, 32);
    ifl_lower_emit(l, IFL_CODE_exchange)->extra = op;
    if (!gives_predicate)
        ifl_lower_finish(l, d, op->d, 32, false);
}

void ifl_lower_warp_op(ifl_lowerer *l)
{
    const ifl_instruction *instruction = l->instruction;
    const ifl_modifiers *m = &instruction->modifiers;
    ifl_exchange *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->kind = (uint8_t)exchange_kind(instruction);
    op->operation = m->operation;
    op->type = instruction->type[0];
    op->absolute = m->flags & IFL_FLAG_ABS;
    op->keeps_nan = m->flags & IFL_FLAG_NAN;
    op->bytes = ifl_type_bits(op->type) == 64 ? 8 : 4;
    if (op->kind == IFL_EXCHANGES)
        ifl_lower_unsupported(l, "of this mode");
    fill_members(l, op);
    if (instruction->opcode == IFL_OP_VOTE)
        op->a = ifl_lower_predicate(l, l->slots.at[1], &op->flip);
    else
        fill_sources(l, op);
    if (op->kind == IFL_EXCHANGE_MEET)
        ifl_lower_emit(l, IFL_CODE_exchange)->extra = op;
    else
        fill_results(l, op);
}
