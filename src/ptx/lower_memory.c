/* SPDX-License-Identifier: Apache-2.0
 * Lowering of what touches memory: loads, stores, atomics, asynchronous copies, barrier objects,
 * address moves. */
#include "ptx/lower_internal.h"
#include "ptx/varying.h"

#include <string.h>

/* ---- addresses ------------------------------------------------------------------------------- */

static const ifl_variable *base_variable(const ifl_lowerer *l, const ifl_operand *memory)
{
    return memory->base == IFL_OPERAND_VARIABLE ? &l->input->program->variables[memory->index]
                                                : NULL;
}

/* The address of a variable plus an offset in the variable's own space; LOCAL ones relative to the
 * frame. */
static uint64_t variable_offset(ifl_lowerer *l, const ifl_operand *memory)
{
    const ifl_variable *variable = base_variable(l, memory);
    ifl_lower_note_variable(l, variable);
    bool is_placed = variable->space == IFL_SPACE_GLOBAL || variable->space == IFL_SPACE_CONST;
    uint64_t start = is_placed ? l->input->variable_address[memory->index] : variable->offset;
    return start + (uint64_t)memory->value;
}

static void add_frame_start(ifl_lowerer *l, ifl_transfer *t)
{
    t->address = ifl_lower_temporary(l);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_local_address);
    code->d = t->address;
    code->value = (uint64_t)t->offset;
    t->offset = 0;
}

/* Where a MEMORY operand points: the slot of its register and its offset. */
static void fill_address(ifl_lowerer *l, const ifl_operand *memory, ifl_transfer *t)
{
    if (!memory || memory->kind != IFL_OPERAND_MEMORY) {
        ifl_lower_unsupported(l, "an address is wanted");
        return;
    }
    const ifl_variable *variable = base_variable(l, memory);
    t->offset = memory->value;
    if (memory->base == IFL_OPERAND_REGISTER) {
        unsigned bits = ifl_lower_register_bits(l, memory);
        if (bits != 32 && bits != 64)
            ifl_lower_unsupported(l, "an address has 32 or 64 bits");
        t->form = bits == 32 ? IFL_ADDRESS_32 : IFL_ADDRESS_64;
        t->address = l->slot_of[memory->index];
    } else if (variable) {
        t->offset = (int64_t)variable_offset(l, memory);
        if (t->space == IFL_SPACE_GENERIC && variable->space == IFL_SPACE_SHARED)
            t->space = IFL_SPACE_SHARED;
        if (variable->space == IFL_SPACE_SHARED && l->image->demands.has_ranks) {
            t->address = ifl_lower_shared_address(l, (uint64_t)t->offset, 32);
            t->form = IFL_ADDRESS_32;
            t->offset = 0;
        }
        if (variable->space == IFL_SPACE_LOCAL)
            add_frame_start(l, t);
        if (ifl_lower_is_kernel_parameter(l, variable)) {
            t->address = ifl_lower_parameter_address(l, (uint64_t)t->offset);
            t->offset = 0;
        }
    }
}

static uint32_t resized(ifl_lowerer *l, uint32_t slot, unsigned bits, unsigned to_bits)
{
    const uint32_t to = ifl_lower_temporary(l);
    ifl_lower_resize(l, slot, bits, to, to_bits, false, 0);
    return to;
}

/* That of shared or local memory does nothing. */
void ifl_lower_prefetch(ifl_lowerer *l)
{
    enum { WORD = 4 }; /* a sector is what comes */
    const uint8_t space = l->instruction->modifiers.space;
    ifl_transfer *t = ifl_lower_allocate(l, sizeof *t);
    if (!t)
        return;
    t->space = space ? space : IFL_SPACE_GENERIC;
    t->kind = IFL_ACCESS_PREFETCH;
    t->bytes = t->element_bytes = WORD;
    t->elements = 1;
    fill_address(l, l->slots.at[0], t);
    ifl_lower_emit(l, IFL_CODE_prefetch)->transfer = t;
}

/* Addresses of 32 bits wrap there. */
uint32_t ifl_lower_address(ifl_lowerer *l, const ifl_operand *memory, uint8_t space)
{
    ifl_transfer t = {.space = space};
    fill_address(l, memory, &t);
    if (!t.address)
        return ifl_lower_constant(l, (uint64_t)t.offset, 64);
    const bool is_narrow = t.form == IFL_ADDRESS_32;
    const uint32_t slot = is_narrow ? resized(l, t.address, 32, 64) : t.address;
    if (!t.offset)
        return slot;
    const uint32_t sum = ifl_lower_temporary(l);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_add_offset);
    code->a = slot, code->d = sum, code->value = (uint64_t)t.offset;
    return is_narrow ? resized(l, resized(l, sum, 64, 32), 32, 64) : sum;
}

/* ---- loads and stores ------------------------------------------------------------------------ */

static bool orders(const ifl_modifiers *m)
{
    return m->order > IFL_ORDER_WEAK;
}

static bool has_order(const ifl_modifiers *m, uint8_t order)
{
    return m->order == order || m->order == IFL_ORDER_ACQ_REL || m->order == IFL_ORDER_SC;
}

static ifl_transfer *new_transfer(ifl_lowerer *l, uint8_t kind)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    ifl_transfer *t = ifl_lower_allocate(l, sizeof *t);
    if (!t)
        return NULL;
    unsigned bits = ifl_type_bits(l->instruction->type[0]);
    t->space = ifl_lower_space(l);
    t->kind = kind;
    t->element_bytes = (uint8_t)(bits / 8);
    t->elements = m->vector ? m->vector : 1;
    t->bytes = (uint8_t)(t->element_bytes * t->elements);
    t->is_signed = ifl_type_class(l->instruction->type[0]) == 'S';
    t->observes = orders(m);
    t->is_atomic = orders(m) && m->order != IFL_ORDER_VOLATILE;
    t->acquires = has_order(m, IFL_ORDER_ACQUIRE);
    t->releases = has_order(m, IFL_ORDER_RELEASE);
    if (!t->element_bytes || t->elements > IFL_MAX_ELEMENTS || bits / 8 * t->elements > 32)
        ifl_lower_unsupported(l, "of this type and vector");
    return t;
}

static unsigned lane_bytes(unsigned bits)
{
    return bits <= 16 ? 2 : bits <= 32 ? 4 : bits <= 64 ? 8 : 16;
}

static void fill_results(ifl_lowerer *l, const ifl_operand *slot, ifl_transfer *t)
{
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(slot, &count);
    if (count != t->elements)
        ifl_lower_unsupported(l, "its vector has another number of elements");
    for (uint32_t e = 0; e < count && e < IFL_MAX_ELEMENTS; e++) {
        if (member[e].kind != IFL_OPERAND_REGISTER) {
            t->sink |= 1u << e;
            continue;
        }
        unsigned bytes = lane_bytes(ifl_lower_register_bits(l, &member[e]));
        if (t->slot_bytes && t->slot_bytes != bytes)
            ifl_lower_unsupported(l, "its registers differ in width");
        if (bytes < t->element_bytes || ifl_lower_register_bits(l, &member[e]) == 1)
            ifl_lower_unsupported(l, "its register is narrower than its type");
        t->slot_bytes = (uint8_t)bytes;
        t->data[e] = l->slot_of[member[e].index];
    }
    if (!t->slot_bytes)
        t->slot_bytes = (uint8_t)lane_bytes(t->element_bytes * 8u);
}

static void fill_sources(ifl_lowerer *l, const ifl_operand *slot, ifl_transfer *t)
{
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(slot, &count);
    if (count != t->elements)
        ifl_lower_unsupported(l, "its vector has another number of elements");
    t->slot_bytes = (uint8_t)lane_bytes(t->element_bytes * 8u);
    for (uint32_t e = 0; e < count && e < IFL_MAX_ELEMENTS; e++)
        t->data[e] = ifl_lower_source(l, &member[e], t->slot_bytes * 8u, false);
}

/* A load of a kernel parameter is a move out of the constant bank. */
static void load_parameter(ifl_lowerer *l, const ifl_operand *memory, const ifl_transfer *t)
{
    const ifl_operation move = t->slot_bytes == 2   ? IFL_CODE_move16
                               : t->slot_bytes == 4 ? IFL_CODE_move32
                                                    : IFL_CODE_move64;
    for (unsigned e = 0; e < t->elements; e++) {
        ifl_operand element = *memory;
        element.value += e * t->element_bytes;
        const uint32_t from =
            ifl_lower_parameter(l, &element, t->element_bytes, t->is_signed, t->slot_bytes * 8u);
        if (!from) {
            ifl_lower_unsupported(
                l, "it reads outside of the kernel's parameters, or more than 64 bits at once");
            return;
        }
        if (t->sink >> e & 1)
            continue;
        ifl_code *code = ifl_lower_emit(l, move);
        code->d = t->data[e], code->a = from;
    }
}

static bool stores_to_shared(const void *user, uint32_t index)
{
    const ifl_instruction *instruction = ifl_ptx_instruction(user, index);
    return instruction->opcode == IFL_OP_ST && instruction->modifiers.space == IFL_SPACE_SHARED;
}

static bool may_fetch(const void *user, uint32_t index)
{
    const ifl_instruction *instruction = ifl_ptx_instruction(user, index);
    return instruction->opcode == IFL_OP_ATOM && instruction->modifiers.space != IFL_SPACE_SHARED &&
           (instruction->modifiers.operation == IFL_OPERATION_ADD ||
            instruction->modifiers.operation == IFL_OPERATION_EXCH);
}

/* May the result of the instruction at hand decide how the loop around it goes on, or behind it if
 * it is an atomic that may fetch work? */
static bool decides_loop(ifl_lowerer *l)
{
    const ifl_flow_touches touches = ifl_ptx_touches(&l->part);
    const uint32_t index = (uint32_t)(l->instruction - ifl_ptx_instruction(&l->part, 0));
    bool decides = false;
    if (l->status == IFL_OK)
        l->status =
            ifl_flow_decides(&l->flow, &touches, index, stores_to_shared,
                             may_fetch(&l->part, index) ? may_fetch : NULL, &decides, l->error);
    return decides;
}

void ifl_lower_load(ifl_lowerer *l)
{
    const ifl_operand *memory = l->slots.at[1];
    ifl_transfer *t = new_transfer(l, IFL_ACCESS_LOAD);
    if (!t || l->status != IFL_OK)
        return;
    fill_results(l, l->slots.at[0], t);
    const ifl_variable *variable = base_variable(l, memory);
    if (t->space == IFL_SPACE_PARAM && ifl_lower_is_kernel_parameter(l, variable)) {
        load_parameter(l, memory, t);
        return;
    }
    if (t->space == IFL_SPACE_PARAM && variable) {
        t->offset = (int64_t)(variable->offset + (uint64_t)memory->value);
        ifl_lower_emit(l, IFL_CODE_frame_load)->transfer = t;
        return;
    }
    /* Parameters reached by address, like constants, are not requests that a counter knows. */
    if (t->space == IFL_SPACE_PARAM)
        t->space = IFL_SPACE_CONST;
    fill_address(l, memory, t);
    const bool is_of_others =
        t->observes && (t->space == IFL_SPACE_GLOBAL || t->space == IFL_SPACE_GENERIC);
    l->image->demands.ordered |= is_of_others;
    l->image->demands.polls = l->image->demands.polls || (is_of_others && decides_loop(l));
    ifl_lower_emit(l, ifl_transfer_operation(t))->transfer = t;
}

void ifl_lower_store(ifl_lowerer *l)
{
    const ifl_operand *memory = l->slots.at[0];
    ifl_transfer *t = new_transfer(l, IFL_ACCESS_STORE);
    if (!t || l->status != IFL_OK)
        return;
    t->observes = false;
    fill_sources(l, l->slots.at[1], t);
    const ifl_variable *variable = base_variable(l, memory);
    if (t->space == IFL_SPACE_PARAM && variable && !ifl_lower_is_kernel_parameter(l, variable)) {
        t->offset = (int64_t)(variable->offset + (uint64_t)memory->value);
        ifl_lower_emit(l, IFL_CODE_frame_store)->transfer = t;
        return;
    }
    fill_address(l, memory, t);
    ifl_lower_emit(l, ifl_transfer_operation(t))->transfer = t;
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* Does the order in which blocks do it show? Integer additions, minima and bit operations whose old
 * value nobody looks at commute, as long as all of the kernel's are of one kind. */
static bool order_shows(const ifl_lowerer *l, const ifl_atomic *a, bool is_used)
{
    bool is_float = ifl_type_class(a->type) == 'F';
    bool commutes = a->operation == IFL_OPERATION_ADD || a->operation == IFL_OPERATION_MIN ||
                    a->operation == IFL_OPERATION_MAX || a->operation == IFL_OPERATION_AND ||
                    a->operation == IFL_OPERATION_OR || a->operation == IFL_OPERATION_XOR;
    bool float_sum = is_float && a->operation == IFL_OPERATION_ADD;
    bool mixed = l->global_operations & ~(1u << a->operation);
    return is_used || !commutes || float_sum || mixed;
}

static bool result_is_read(const ifl_lowerer *l, const ifl_operand *slot)
{
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(slot, &count);
    for (uint32_t e = 0; e < count; e++)
        if (member[e].kind == IFL_OPERAND_REGISTER && l->is_read[member[e].index])
            return true;
    return false;
}

/* May the lanes of a warp disagree about it? */
static bool varies(ifl_lowerer *l, const ifl_operand *operand)
{
    const bool has_register =
        operand->kind == IFL_OPERAND_REGISTER ||
        (operand->kind == IFL_OPERAND_MEMORY && operand->base == IFL_OPERAND_REGISTER);
    if (!l->varies && l->status == IFL_OK)
        l->status = ifl_ptx_varying(&l->part, &l->flow, l->arena, &l->varies, l->error);
    if (l->status != IFL_OK || operand->kind == IFL_OPERAND_VECTOR)
        return true;
    return has_register ? l->varies[operand->index]
                        : operand->kind == IFL_OPERAND_SPECIAL &&
                              ifl_special_changes((ifl_special)operand->index) > IFL_WHEN_BLOCK;
}

/* atomicInc up to the largest number is an addition of 1. */
static bool adds_one(const ifl_instruction *instruction, const ifl_operand *b)
{
    const bool is_constant = b->kind == IFL_OPERAND_IMMEDIATE;
    return instruction->modifiers.operation == IFL_OPERATION_INC
               ? is_constant && (uint32_t)b->value == UINT32_MAX
               : instruction->modifiers.operation == IFL_OPERATION_ADD && is_constant &&
                     b->value == 1;
}

/* What ptxas 13.0 makes of integer atomics where it knows that the lanes of a warp have one address
 * (tests/problems/uniform_atomics.cu). Sums of one number: it counts the lanes. Other sums of 32
 * bits: REDUX if nobody wants the old value, else shuffles if all lanes are active. Minima, maxima
 * and bit operations of 32 bits: REDUX if nobody wants the old value. Where there is no REDUX,
 * shuffles if all lanes are active. */
static ifl_atomic_joins joins_of(ifl_lowerer *l, const ifl_atomic *a, const ifl_operand *b,
                                 bool is_used)
{
    enum { REDUX_SM = 80 };
    const uint32_t sm = l->input->program->sm;
    const bool is_wide = a->transfer.element_bytes == 8;
    const bool is_sum = a->operation == IFL_OPERATION_ADD || adds_one(l->instruction, b);
    if (is_sum && !varies(l, b))
        return IFL_ATOMIC_JOINS_ALL;
    if (is_wide || (is_used && !is_sum))
        return IFL_ATOMIC_JOINS_NEVER;
    return is_used || sm < REDUX_SM ? IFL_ATOMIC_JOINS_FULL : IFL_ATOMIC_JOINS_ALL;
}

static bool may_join(const ifl_lowerer *l, const ifl_atomic *a)
{
    static const bool joins[IFL_OPERATION_ARRIVE + 1] = {
        [IFL_OPERATION_ADD] = true, [IFL_OPERATION_INC] = true, [IFL_OPERATION_MIN] = true,
        [IFL_OPERATION_MAX] = true, [IFL_OPERATION_AND] = true, [IFL_OPERATION_OR] = true,
        [IFL_OPERATION_XOR] = true,
    };
    const unsigned bytes = a->transfer.element_bytes;
    return joins[a->operation] && ifl_type_class(a->type) != 'F' && (bytes == 4 || bytes == 8) &&
           a->transfer.elements == 1 && !l->input->program->is_debug;
}

static void join_lanes(ifl_lowerer *l, ifl_atomic *a, const ifl_operand *address,
                       const ifl_operand *b, bool is_used)
{
    enum { COUNTS_SM = 80 };
    const bool is_one = adds_one(l->instruction, b);
    if (!may_join(l, a) || (a->operation == IFL_OPERATION_INC && !is_one))
        return;
    if (!varies(l, address))
        a->joins = (uint8_t)joins_of(l, a, b, is_used);
    /* ATOMS.POPC.INC, whatever the addresses */
    l->sites.at[ifl_lower_site(l, l->instruction)].access.passes_merge =
        is_one && !is_used && a->transfer.space == IFL_SPACE_SHARED &&
        a->transfer.element_bytes == 4 && l->input->program->sm >= COUNTS_SM;
}

void ifl_lower_atomic(ifl_lowerer *l)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    bool is_atom = l->instruction->opcode == IFL_OP_ATOM;
    unsigned address = is_atom ? 1 : 0;
    ifl_transfer *t = new_transfer(l, IFL_ACCESS_ATOMIC);
    ifl_atomic *a = ifl_lower_allocate(l, sizeof *a);
    if (!t || !a || l->status != IFL_OK)
        return;
    a->operation = m->operation;
    a->type = l->instruction->type[0];
    if (is_atom)
        fill_results(l, l->slots.at[0], t);
    fill_address(l, l->slots.at[address], t);
    uint32_t count;
    const ifl_operand *b = ifl_slot_members(l->slots.at[address + 1], &count);
    if (count != t->elements)
        ifl_lower_unsupported(l, "its vector has another number of elements");
    unsigned bits = lane_bytes(t->element_bytes * 8u) * 8;
    for (uint32_t e = 0; e < count && e < IFL_MAX_ELEMENTS; e++)
        a->b[e] = ifl_lower_source(l, &b[e], bits, false);
    if (a->operation == IFL_OPERATION_CAS)
        a->c = ifl_lower_source(l, l->slots.at[address + 2], bits, false);
    if (!is_atom)
        t->sink = UINT32_MAX;
    if (!t->slot_bytes)
        t->slot_bytes = (uint8_t)(bits / 8);
    a->transfer = *t;
    const bool is_used = is_atom && result_is_read(l, l->slots.at[0]);
    join_lanes(l, a, l->slots.at[address], l->slots.at[address + 1], is_used);
    if (t->space != IFL_SPACE_SHARED && t->space != IFL_SPACE_CLUSTER) {
        l->image->demands.ordered |= order_shows(l, a, is_used);
        l->global_operations |= 1u << a->operation;
        a->fetches_work =
            (a->operation == IFL_OPERATION_ADD || a->operation == IFL_OPERATION_EXCH) && is_atom &&
            decides_loop(l);
    }
    ifl_lower_emit(l, IFL_CODE_atomic)->extra = a;
}

static bool is_float_of_8(uint8_t type)
{
    return type == IFL_TYPE_E4M3 || type == IFL_TYPE_E4M3X2 || type == IFL_TYPE_E4M3X4 ||
           type == IFL_TYPE_E5M2 || type == IFL_TYPE_E5M2X2 || type == IFL_TYPE_E5M2X4;
}

/* PTX ISA 9.0, "multimem.ld_reduce": floats of 32 and 64 bits are only added, sums of smaller ones may
 * be wider on the way, and floats together have 32, 64 or 128 bits. */
static bool is_combination_known(const ifl_lowerer *l, unsigned bytes)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    const uint8_t type = l->instruction->type[0];
    const bool is_half = type == IFL_TYPE_F16 || type == IFL_TYPE_F16X2 || type == IFL_TYPE_BF16 ||
                         type == IFL_TYPE_BF16X2,
               is_byte = is_float_of_8(type), is_float = ifl_type_class(type) == 'F',
               is_sum = m->operation == IFL_OPERATION_ADD,
               is_least = m->operation == IFL_OPERATION_MIN || m->operation == IFL_OPERATION_MAX;
    if (m->mode && (!is_sum || m->mode != (is_byte ? IFL_MODE_ACC_F16 : IFL_MODE_ACC_F32) ||
                    !(is_half || is_byte)))
        return false;
    if (!is_float)
        return m->operation && bytes >= sizeof(uint32_t);
    return (bytes == 4 || bytes == 8 || bytes == 16) &&
           (is_sum || (is_least && (is_half || is_byte))) &&
           (is_half || is_byte || type == IFL_TYPE_F32 || type == IFL_TYPE_F64);
}

void ifl_lower_multicast_load(ifl_lowerer *l)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    ifl_transfer *t = new_transfer(l, IFL_ACCESS_LOAD);
    ifl_atomic *a = ifl_lower_allocate(l, sizeof *a);
    if (!t || !a || l->status != IFL_OK)
        return;
    if (!is_combination_known(l, t->bytes)) {
        ifl_lower_unsupported(l, "of this operation or type");
        return;
    }
    a->operation = m->operation;
    a->type = l->instruction->type[0];
    a->combines = true;
    a->adds_wide = m->mode != 0;
    fill_results(l, l->slots.at[0], t);
    fill_address(l, l->slots.at[1], t);
    if (!t->slot_bytes)
        t->slot_bytes = lane_bytes(t->element_bytes * 8u);
    a->transfer = *t;
    l->image->demands.ordered = true;
    ifl_lower_emit(l, IFL_CODE_atomic)->extra = a;
}

/* ---- addresses between spaces ---------------------------------------------------------------- */

static uint64_t window_of(uint8_t space)
{
    return space == IFL_SPACE_SHARED  ? IFL_SHARED_WINDOW
           : space == IFL_SPACE_LOCAL ? IFL_LOCAL_WINDOW
                                      : 0;
}

void ifl_lower_cvta(ifl_lowerer *l)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    if (ifl_type_bits(l->instruction->type[0]) != 64)
        ifl_lower_unsupported(l, "addresses of 32 bits");
    uint32_t a = ifl_lower_source(l, l->slots.at[1], 64, false),
             d = ifl_lower_destination(l, l->slots.at[0], 64);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_add_offset);
    code->a = a, code->d = d;
    code->value = m->flags & IFL_FLAG_TO ? -window_of(m->space) : window_of(m->space);
    ifl_lower_finish(l, l->slots.at[0], d, 64, false);
}

void ifl_lower_isspacep(ifl_lowerer *l)
{
    uint32_t a = ifl_lower_source(l, l->slots.at[1], 64, false);
    uint32_t d = ifl_lower_predicate_destination(l, l->slots.at[0]);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_isspacep);
    code->a = a, code->d = d;
    code->value = ifl_lower_space(l);
}

/* A cache policy is a number that only a cache would read. */
void ifl_lower_policy(ifl_lowerer *l)
{
    const ifl_operand *d = l->slots.at[0];
    const uint32_t to = ifl_lower_destination(l, d, 64), zero = ifl_lower_constant(l, 0, 64);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_move64);
    code->a = zero, code->d = to;
    ifl_lower_finish(l, d, to, 64, false);
}

void ifl_lower_mapa(ifl_lowerer *l)
{
    const unsigned bits = ifl_type_bits(l->instruction->type[0]);
    const ifl_operand *d = l->slots.at[0];
    const uint32_t to = ifl_lower_destination(l, d, bits),
                   a = ifl_lower_source(l, l->slots.at[1], bits, false),
                   rank = ifl_lower_source(l, l->slots.at[2], 32, false);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_put_rank);
    code->a = a, code->b = rank, code->d = to;
    code->count = bits;
    ifl_lower_finish(l, d, to, bits, false);
}

void ifl_lower_getctarank(ifl_lowerer *l)
{
    const unsigned bits = ifl_type_bits(l->instruction->type[0]);
    const ifl_operand *d = l->slots.at[0];
    const uint32_t to = ifl_lower_destination(l, d, 32),
                   a = ifl_lower_source(l, l->slots.at[1], bits, false);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_get_rank);
    code->a = a, code->d = to;
    code->count = bits;
    ifl_lower_finish(l, d, to, 32, false);
}

/* ---- the stack ------------------------------------------------------------------------------- */

/* PTX ISA, alloca: 8 bytes are the least alignment. */
void ifl_lower_alloca(ifl_lowerer *l)
{
    const int64_t least = 8, wanted = ifl_lower_has(l, 2) ? l->slots.at[2]->value : least;
    const uint32_t a = ifl_lower_source(l, l->slots.at[1], 64, false),
                   d = ifl_lower_destination(l, l->slots.at[0], 64);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_take_stack);
    code->a = a, code->d = d;
    code->value = (uint64_t)(wanted > least ? wanted : least);
    l->uses_stack = true;
    ifl_lower_finish(l, l->slots.at[0], d, 64, false);
}

void ifl_lower_stacksave(ifl_lowerer *l)
{
    const uint32_t d = ifl_lower_destination(l, l->slots.at[0], 64);
    ifl_lower_emit(l, IFL_CODE_stack_top)->d = d;
    l->uses_stack = true;
    ifl_lower_finish(l, l->slots.at[0], d, 64, false);
}

void ifl_lower_stackrestore(ifl_lowerer *l)
{
    const uint32_t a = ifl_lower_source(l, l->slots.at[0], 64, false);
    ifl_lower_emit(l, IFL_CODE_set_stack_top)->a = a;
    l->uses_stack = true;
}

/* ---- asynchronous copies by lanes ---------------------------------------------------------------- */

static void fill_end(ifl_transfer *t, uint8_t space, uint8_t kind, uint32_t address, unsigned bytes)
{
    t->space = space;
    t->kind = kind;
    t->address = address;
    t->bytes = t->element_bytes = (uint8_t)bytes;
    t->elements = 1;
}

void ifl_lower_cp_async(ifl_lowerer *l)
{
    const ifl_operand *bytes = l->slots.at[2];
    ifl_copy_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    if (bytes->kind != IFL_OPERAND_IMMEDIATE ||
        (bytes->value != 4 && bytes->value != 8 && bytes->value != 16)) {
        ifl_lower_unsupported(l, "it copies 4, 8 or 16 bytes");
        return;
    }
    unsigned size = (unsigned)bytes->value;
    op->keeps_line = l->instruction->modifiers.cache != IFL_CACHE_CG;
    fill_end(&op->to, IFL_SPACE_SHARED, IFL_ACCESS_STORE,
             ifl_lower_address(l, l->slots.at[0], IFL_SPACE_SHARED), size);
    fill_end(&op->from, IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD,
             ifl_lower_address(l, l->slots.at[1], IFL_SPACE_GLOBAL), size);
    for (unsigned s = 3; s < l->slots.count && ifl_lower_has(l, s); s++) {
        const ifl_operand *extra = l->slots.at[s];
        bool is_predicate =
            extra->kind == IFL_OPERAND_REGISTER && ifl_lower_register_bits(l, extra) == 1;
        bool is_policy = l->instruction->modifiers.flags & IFL_FLAG_CACHE_HINT &&
                         extra->kind == IFL_OPERAND_REGISTER &&
                         ifl_lower_register_bits(l, extra) == 64;
        if (is_predicate) {
            op->has_ignore = true;
            op->ignore = ifl_lower_predicate(l, extra, &op->ignore_flip);
        } else if (!is_policy) {
            op->size = ifl_lower_source(l, extra, 32, false);
        }
    }
    ifl_lower_emit(l, IFL_CODE_copy)->extra = op;
}

void ifl_lower_cp_async_commit(ifl_lowerer *l)
{
    ifl_lower_emit(l, IFL_CODE_copy_commit);
}

void ifl_lower_emit_copies_wait(ifl_lowerer *l)
{
    ifl_lower_emit(l, IFL_CODE_copy_wait)->value = 1;
}

void ifl_lower_cp_async_wait(ifl_lowerer *l)
{
    if (l->instruction->opcode == IFL_OP_CP_ASYNC_WAIT_ALL) {
        ifl_lower_emit_copies_wait(l);
        return;
    }
    const ifl_operand *groups = l->slots.at[0];
    if (groups->kind != IFL_OPERAND_IMMEDIATE) {
        ifl_lower_unsupported(l, "for a number of groups that is no constant");
        return;
    }
    ifl_lower_emit(l, IFL_CODE_copy_wait)->count = (uint32_t)groups->value;
}
