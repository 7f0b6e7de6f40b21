/* SPDX-License-Identifier: Apache-2.0
 * Lowering of branches, calls, the meeting of lanes that parted, ends and pauses. */
#include "sass/sass_lowerer.h"

/* The predicates among its operands, beside the guard. */
static void guard_last(ifl_sass_lowerer *l, ifl_sass_role role)
{
    const ifl_sass_operand *operand = ifl_sass_lower_operand(l, role);
    uint32_t flip;
    if (ifl_sass_is_true(operand) || l->refused)
        return;
    const uint32_t predicate = ifl_sass_lower_predicate(l, operand, true, &flip);
    ifl_sass_guard_with(l, predicate, flip, &l->build.code.at[l->build.code.count - 1]);
}

static bool has_predicate(const ifl_sass_lowerer *l, ifl_sass_role role)
{
    return !ifl_sass_is_true(ifl_sass_lower_operand(l, role));
}

static uint32_t target(const ifl_sass_lowerer *l)
{
    return ifl_sass_target_of(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_TARGET));
}

/* ---- branches -------------------------------------------------------------------------------- */

/* Under a predicate in place of the instruction's guard. */
static void emit_branch_under(ifl_sass_lowerer *l, uint32_t predicate)
{
    ifl_sass_emit_branch(l, target(l));
    if (l->refused)
        return;
    ifl_code *branch = &l->build.code.at[l->build.code.count - 1];
    branch->guard = predicate;
    branch->guard_flip = 0;
}

/* BRA.U.ANY: all active lanes go where the guard holds for any of them. So ptxas loops over the
 * lanes of what takes its operands from uniform registers. */
static void branch_of_any(ifl_sass_lowerer *l)
{
    ifl_exchange *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_exchange);
    *op = (ifl_exchange){.kind = IFL_EXCHANGE_VOTE_ANY,
                         .bytes = 4,
                         .a = code->guard,
                         .flip = code->guard_flip,
                         .d = IFL_PREDICATE_CARRY,
                         .p = IFL_PREDICATE_SINK};
    code->extra = op;
    code->guard = IFL_PREDICATE_TRUE;
    code->guard_flip = 0;
    emit_branch_under(l, IFL_PREDICATE_CARRY);
}

/* BRA.DIV: where lanes of the mask do not execute it; BRA.CONV: where all do. All active lanes go,
 * those that the guard leaves out too: ptxas asks "@!P0 BRA.DIV" where P0 tells the lanes whose
 * mask is another one. */
static void branch_where_parted(ifl_sass_lowerer *l, bool parted)
{
    const ifl_sass_operand *mask = ifl_sass_lower_operand(l, IFL_SASS_ROLE_MASK);
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_parted);
    code->a = mask ? ifl_sass_uniform_slot(l, mask->index) : l->zeros;
    code->e = mask && mask->inverted ? UINT32_MAX : 0;
    code->d = IFL_PREDICATE_CARRY;
    code->value = !parted;
    code->b = code->guard;
    code->flip = code->guard_flip;
    code->guard = IFL_PREDICATE_TRUE;
    code->guard_flip = 0;
    if (!mask)
        code->e = UINT32_MAX;
    emit_branch_under(l, IFL_PREDICATE_CARRY);
    if (has_predicate(l, IFL_SASS_ROLE_PREDICATE_IN))
        ifl_sass_refuse(l, "with a predicate among its operands");
}

void ifl_sass_lower_branch(ifl_sass_lowerer *l)
{
    const ifl_sass_word when = ifl_sass_value(l->instruction, IFL_SASS_VALUE_CONDITION);
    const bool parts = when == IFL_SASS_WORD_DIV, meets = when == IFL_SASS_WORD_CONV;
    const bool is_any = ifl_sass_is(l, IFL_SASS_VALUE_ANY_LANE, IFL_SASS_WORD_ANY);
    const bool is_conditional = has_predicate(l, IFL_SASS_ROLE_PREDICATE_IN) ||
                                has_predicate(l, IFL_SASS_ROLE_PREDICATE_IN2);
    if ((is_any && (parts || meets || is_conditional)) ||
        ifl_sass_is(l, IFL_SASS_VALUE_NOT_TID0, IFL_SASS_WORD_NOT_TID0) ||
        (has_predicate(l, IFL_SASS_ROLE_PREDICATE_IN) &&
         has_predicate(l, IFL_SASS_ROLE_PREDICATE_IN2))) {
        ifl_sass_refuse(l, "with this condition");
        return;
    }
    if (is_any) {
        branch_of_any(l);
        return;
    }
    if (parts || meets) {
        branch_where_parted(l, parts);
        return;
    }
    ifl_sass_emit_branch(l, target(l));
    guard_last(l, IFL_SASS_ROLE_PREDICATE_IN);
    guard_last(l, IFL_SASS_ROLE_PREDICATE_IN2);
}

static int64_t number(const ifl_sass_lowerer *l, ifl_sass_role role)
{
    const ifl_sass_operand *operand = ifl_sass_lower_operand(l, role);
    return operand ? operand->value : 0;
}

/* To the address in two registers, and something that is added. */
static void emit_jump(ifl_sass_lowerer *l, uint64_t add)
{
    const ifl_sass_operand *address = ifl_sass_lower_operand(l, IFL_SASS_ROLE_ADDRESS);
    ifl_code *code = ifl_sass_emit_stop(l, IFL_REASON_JUMP);
    code->a = ifl_sass_lower_source(l, address, 2);
    code->value = add;
    guard_last(l, IFL_SASS_ROLE_PREDICATE_IN);
}

static uint64_t part_address(const ifl_sass_lowerer *l)
{
    return l->part->text->address;
}

/* BRX: from the next instruction. RET and CALL with .REL: from a target, which is where the
 * addresses in registers are counted from. */
void ifl_sass_lower_jump(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *from = ifl_sass_lower_operand(l, IFL_SASS_ROLE_TARGET);
    const uint64_t next = part_address(l) + l->instruction->offset + IFL_CODE_BYTES;
    const uint64_t offset = (uint64_t)number(l, IFL_SASS_ROLE_OFFSET);
    if (from)
        emit_jump(l, part_address(l) + (uint64_t)from->value);
    else
        emit_jump(l, !ifl_sass_is(l, IFL_SASS_VALUE_RELATIVE, IFL_SASS_WORD_ABS) ? next + offset
                                                                                 : offset);
}

void ifl_sass_lower_call(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *to = ifl_sass_lower_operand(l, IFL_SASS_ROLE_TARGET);
    if (ifl_sass_lower_operand(l, IFL_SASS_ROLE_ADDRESS)) {
        ifl_sass_lower_jump(l);
        return;
    }
    if (to && to->kind == IFL_SASS_TARGET) {
        ifl_sass_emit_branch(l, target(l));
        guard_last(l, IFL_SASS_ROLE_PREDICATE_IN);
        return;
    }
    ifl_code *code = ifl_sass_emit_stop(l, IFL_REASON_JUMP);
    code->a = l->zeros;
    code->value = to ? (uint64_t)to->value : 0;
    guard_last(l, IFL_SASS_ROLE_PREDICATE_IN);
}

/* ---- ends ------------------------------------------------------------------------------------ */

void ifl_sass_lower_exit(ifl_sass_lowerer *l)
{
    ifl_sass_emit_stop(l, IFL_REASON_EXIT);
    guard_last(l, IFL_SASS_ROLE_PREDICATE_IN);
}

void ifl_sass_lower_trap(ifl_sass_lowerer *l)
{
    if (ifl_sass_is(l, IFL_SASS_VALUE_OPERATION, IFL_SASS_WORD_TRAP) ||
        ifl_sass_is(l, IFL_SASS_VALUE_OPERATION, IFL_SASS_WORD_INT))
        ifl_sass_emit(l, IFL_CODE_trap);
    else
        ifl_sass_emit(l, IFL_CODE_nothing);
}

void ifl_sass_lower_sleep(ifl_sass_lowerer *l)
{
    ifl_sass_emit(l, IFL_CODE_nanosleep);
}

void ifl_sass_lower_membar(ifl_sass_lowerer *l)
{
    const bool is_far = ifl_sass_is(l, IFL_SASS_VALUE_SCOPE, IFL_SASS_WORD_GPU) ||
                        ifl_sass_is(l, IFL_SASS_VALUE_SCOPE, IFL_SASS_WORD_SYS);
    ifl_sass_emit(l, IFL_CODE_fence)->count = is_far;
}

void ifl_sass_lower_yield(ifl_sass_lowerer *l)
{
    ifl_sass_emit(l, IFL_CODE_sync_yield);
}

void ifl_sass_lower_nothing(ifl_sass_lowerer *l)
{
    ifl_sass_emit(l, IFL_CODE_nothing);
}

/* Registers are there as many as a warp asks for: an attempt to take some succeeds at once. */
void ifl_sass_lower_max_registers(ifl_sass_lowerer *l)
{
    enum { ALWAYS = 0xf };
    const ifl_sass_operand *succeeds = ifl_sass_lower_operand(l, IFL_SASS_ROLE_PREDICATE_OUT);
    if (!succeeds) {
        ifl_sass_lower_nothing(l);
        return;
    }
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_predicate);
    code->a = code->b = IFL_PREDICATE_TRUE;
    code->d = ifl_sass_lower_predicate_out(l, succeeds);
    code->value = ALWAYS;
}

/* ---- the meeting of lanes -------------------------------------------------------------------- */

static uint32_t barrier_number(ifl_sass_lowerer *l, ifl_sass_role role)
{
    const ifl_sass_operand *operand = ifl_sass_lower_operand(l, role);
    if (!operand || operand->kind != IFL_SASS_BARRIER_REGISTER)
        ifl_sass_refuse(l, "of something else than a barrier register");
    return operand ? operand->index : 0;
}

static void refuse_predicate(ifl_sass_lowerer *l)
{
    if (has_predicate(l, IFL_SASS_ROLE_PREDICATE_IN))
        ifl_sass_refuse(l, "with a predicate among its operands");
}

void ifl_sass_lower_arm(ifl_sass_lowerer *l)
{
    const uint32_t number = barrier_number(l, IFL_SASS_ROLE_BARRIER);
    if (target(l) == UINT32_MAX)
        ifl_sass_refuse(l, "its target is not an instruction");
    refuse_predicate(l);
    ifl_sass_emit(l, IFL_CODE_sync_arm)->count = number;
}

/* From the operation that was emitted last to the start of its block. */
static uint32_t since_block_start(const ifl_sass_lowerer *l)
{
    return (uint32_t)l->build.code.count - 1 - l->block_start[l->flow.block_of[l->index]];
}

void ifl_sass_lower_meet(ifl_sass_lowerer *l)
{
    refuse_predicate(l);
    const uint32_t number = barrier_number(l, IFL_SASS_ROLE_BARRIER);
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_sync_wait);
    code->count = number;
    code->b = since_block_start(l);
}

void ifl_sass_lower_break(ifl_sass_lowerer *l)
{
    const uint32_t number = barrier_number(l, IFL_SASS_ROLE_BARRIER);
    ifl_sass_emit(l, IFL_CODE_sync_break)->count = number;
    guard_last(l, IFL_SASS_ROLE_PREDICATE_IN);
}

static void emit_barrier_save(ifl_sass_lowerer *l, uint32_t number, uint32_t slot)
{
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_sync_save);
    code->count = number;
    code->value = ifl_sass_is(l, IFL_SASS_VALUE_CLEAR, IFL_SASS_WORD_CLEAR);
    code->d = slot;
}

/* Between a barrier register and a general one, or (what code for sm_87 begins with) between two
 * barrier registers. */
void ifl_sass_lower_barrier_move(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *d = ifl_sass_lower_operand(l, IFL_SASS_ROLE_DESTINATION),
                           *a = ifl_sass_lower_operand(l, IFL_SASS_ROLE_A);
    const bool saves = a && a->kind == IFL_SASS_BARRIER_REGISTER,
               restores = d && d->kind == IFL_SASS_BARRIER_REGISTER;
    if (!(saves || restores) || ifl_sass_is(l, IFL_SASS_VALUE_PQUAD, IFL_SASS_WORD_PQUAD)) {
        ifl_sass_refuse(l, "of this form");
        return;
    }
    const uint32_t slot = saves && restores ? l->temporary
                          : saves           ? ifl_sass_lower_destination(l, d)
                                            : ifl_sass_lower_source(l, a, 1);
    if (saves)
        emit_barrier_save(l, a->index, slot);
    if (restores) {
        ifl_code *code = ifl_sass_emit(l, IFL_CODE_sync_restore);
        code->count = d->index;
        code->a = slot;
    }
}

static uint32_t mask_slot(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *mask = ifl_sass_lower_operand(l, IFL_SASS_ROLE_MASK);
    return mask ? ifl_sass_lower_source(l, mask, 1)
                : ifl_builder_constant(&l->build, UINT32_MAX, 32);
}

/* The lanes of a mask meet and run what follows as one: .COLLECTIVE wherever they come from, until
 * ENDCOLLECTIVE, which leads to the target; .EXCLUSIVE in one place, until they meet the lanes of
 * other masks at the BSYNC behind it. */
static void gather(ifl_sass_lowerer *l, uint32_t members, bool is_exclusive)
{
    const uint32_t to = is_exclusive ? 0 : target(l);
    if (to == UINT32_MAX) {
        ifl_sass_refuse(l, "its target is not an instruction");
        return;
    }
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_gather);
    code->a = members;
    code->count = is_exclusive;
    code->b = since_block_start(l);
    code->value = l->flow.block_of[to];
}

void ifl_sass_lower_warpsync(ifl_sass_lowerer *l)
{
    const uint32_t members = mask_slot(l);
    refuse_predicate(l);
    const bool is_exclusive = ifl_sass_is(l, IFL_SASS_VALUE_LANES, IFL_SASS_WORD_EXCLUSIVE);
    if (is_exclusive || ifl_sass_is(l, IFL_SASS_VALUE_LANES, IFL_SASS_WORD_COLLECTIVE)) {
        gather(l, members, is_exclusive);
        return;
    }
    ifl_exchange *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    *op = (ifl_exchange){
        .kind = IFL_EXCHANGE_MEET, .bytes = 4, .members = members, .is_checked = true};
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_exchange);
    code->extra = op;
    code->b = since_block_start(l);
}

void ifl_sass_lower_end_collective(ifl_sass_lowerer *l)
{
    refuse_predicate(l);
    ifl_sass_emit_stop(l, IFL_REASON_SCATTER);
}

/* ---- the program counter --------------------------------------------------------------------- */

/* LEPC: the address of an instruction. */
void ifl_sass_lower_place(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *to = ifl_sass_lower_operand(l, IFL_SASS_ROLE_TARGET);
    const uint64_t at = part_address(l) + (to ? (uint64_t)to->value : l->instruction->offset);
    const uint32_t from = ifl_builder_constant_pair(&l->build, at);
    const uint32_t d =
        ifl_sass_lower_destination(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_DESTINATION));
    for (unsigned i = 0; i < 2; i++) {
        ifl_code *code = ifl_sass_emit(l, IFL_CODE_move32);
        code->a = from + i * IFL_PLANE_BYTES;
        code->d = d + i * IFL_PLANE_BYTES;
    }
}
