/* SPDX-License-Identifier: Apache-2.0
 * Lowering of machine code that touches memory: loads, stores, atomics, copies to shared memory,
 * constants. */
#include "sass/sass_lowerer.h"

enum { WORD_BYTES = 4 };

/* ---- addresses ------------------------------------------------------------------------------- */

static uint8_t space_of(unsigned op)
{
    static const uint8_t spaces[IFL_SASS_OPS] = {
        [IFL_SASS_OP_LDG] = IFL_SPACE_GLOBAL,   [IFL_SASS_OP_STG] = IFL_SPACE_GLOBAL,
        [IFL_SASS_OP_ATOMG] = IFL_SPACE_GLOBAL, [IFL_SASS_OP_REDG] = IFL_SPACE_GLOBAL,
        [IFL_SASS_OP_LDS] = IFL_SPACE_SHARED,   [IFL_SASS_OP_STS] = IFL_SPACE_SHARED,
        [IFL_SASS_OP_ATOMS] = IFL_SPACE_SHARED, [IFL_SASS_OP_LDL] = IFL_SPACE_LOCAL,
        [IFL_SASS_OP_STL] = IFL_SPACE_LOCAL,    [IFL_SASS_OP_ARRIVES] = IFL_SPACE_SHARED,
    };
    return op == IFL_SASS_OP_RED ? IFL_SPACE_GLOBAL : spaces[op];
}

/* Of global memory a base is two registers: where the operand says .64, or the instruction .E and
 * the operand nothing. */
static uint8_t form_of(const ifl_sass_lowerer *l, const ifl_sass_operand *at, uint8_t space)
{
    enum { BITS_64 = 64, BITS_32 = 32 };
    const bool is_far = space == IFL_SPACE_GLOBAL || space == IFL_SPACE_GENERIC;
    const bool is_extended = ifl_sass_is(l, IFL_SASS_VALUE_ADDRESS_BITS, IFL_SASS_WORD_E);
    if (!is_far)
        return IFL_ADDRESS_32;
    if (at->scale == BITS_64 || (is_extended && at->scale != BITS_32))
        return IFL_ADDRESS_PAIR;
    return IFL_ADDRESS_EXTENDED;
}

void ifl_sass_lower_address(ifl_sass_lowerer *l, const ifl_sass_operand *at, ifl_transfer *t)
{
    if (!at || at->kind != IFL_SASS_MEMORY) {
        ifl_sass_refuse(l, "an address is wanted");
        return;
    }
    const bool is_far = t->space == IFL_SPACE_GLOBAL || t->space == IFL_SPACE_GENERIC;
    t->form = form_of(l, at, t->space);
    const unsigned shift = at->scale == 4 ? 2 : at->scale == 8 ? 3 : at->scale == 16 ? 4 : 0;
    t->scale = (uint8_t)shift;
    t->offset = at->value;
    const ifl_sass_known known = ifl_sass_known_of(l, at);
    if (at->base != IFL_SASS_NO_REGISTER)
        t->address = known.slot ? known.slot : ifl_sass_register_slot(l, at->base);
    if (at->uniform != IFL_SASS_NO_REGISTER)
        t->uniform = known.uniform ? known.uniform : ifl_sass_uniform_slot(l, at->uniform);
    t->uniform_form = is_far ? IFL_ADDRESS_PAIR : IFL_ADDRESS_32;
    if (t->space == IFL_SPACE_LOCAL)
        l->uses_local = true;
}

/* ---- the word around a half ------------------------------------------------------------------ */

static const ifl_sass_operand *word_swapped(const ifl_sass_instruction *i)
{
    const bool swaps = (i->op == IFL_SASS_OP_ATOM || i->op == IFL_SASS_OP_ATOMG) &&
                       ifl_sass_value(i, IFL_SASS_VALUE_OPERATION) == IFL_SASS_WORD_CAS;
    return swaps && i->memory_bytes == WORD_BYTES ? ifl_sass_operand_of(i, IFL_SASS_ROLE_ADDRESS)
                                                  : NULL;
}

static const ifl_sass_operand *word_loaded(const ifl_sass_instruction *i)
{
    const bool loads = i->op == IFL_SASS_OP_LD || i->op == IFL_SASS_OP_LDG;
    return loads && i->memory_bytes == WORD_BYTES ? ifl_sass_operand_of(i, IFL_SASS_ROLE_ADDRESS)
                                                  : NULL;
}

/* An atomic on 16 bits is a loop of ptxas': it loads the aligned word around them, and swaps that.
 * The loop's first load and its swap are near each other and have one address. */
static bool is_around(const ifl_sass_lowerer *l)
{
    enum { NEAR = 32 };
    const ifl_sass_operand *loaded = word_loaded(l->instruction),
                           *swapped = word_swapped(l->instruction);
    const ifl_sass_operand *at = loaded ? loaded : swapped;
    for (uint32_t n = 1; at && n <= NEAR; n++) {
        const uint32_t i = loaded ? l->index + n : l->index - n;
        const ifl_sass_operand *other = i >= l->count ? NULL
                                        : loaded      ? word_swapped(&l->instructions[i])
                                                      : word_loaded(&l->instructions[i]);
        if (other && other->base == at->base && other->value == at->value)
            return true;
    }
    return false;
}

/* ---- the load of an atomic -------------------------------------------------------------------- */

static bool writes(const ifl_sass_instruction *i, unsigned reg)
{
    bool does = false;
    for (unsigned o = 0; o < i->operand_count; o++) {
        const ifl_sass_operand *d = &i->operand[o];
        const unsigned count = d->count ? d->count : 1;
        does |= d->is_destination && d->kind == IFL_SASS_REGISTER && d->index <= reg &&
                reg < d->index + count;
    }
    return does;
}

static bool compares_with(const ifl_sass_instruction *i, unsigned reg)
{
    const ifl_sass_operand *compared = ifl_sass_operand_of(i, IFL_SASS_ROLE_DATA);
    return i->op == IFL_SASS_OP_ATOMS &&
           ifl_sass_value(i, IFL_SASS_VALUE_OPERATION) == IFL_SASS_WORD_CAST && compared &&
           compared->kind == IFL_SASS_REGISTER && compared->index == reg;
}

static bool leads_back(const ifl_sass_lowerer *l, uint32_t from)
{
    const ifl_sass_operand *target =
        ifl_sass_operand_of(&l->instructions[from], IFL_SASS_ROLE_TARGET);
    return l->instructions[from].op == IFL_SASS_OP_BRA && ifl_sass_target_of(l, target) <= l->index;
}

/* An atomic of shared memory that ATOMS does not have, such as the sum of floats, is a loop of ptxas':
 * it loads the word, computes, has ATOMS.CAST store where the word is still what was loaded, and goes
 * back where it is not. (A program's own compare and swap is ATOMS.CAS.) */
static bool is_swapped(const ifl_sass_lowerer *l)
{
    const ifl_sass_operand *d = ifl_sass_lower_operand(l, IFL_SASS_ROLE_DESTINATION);
    bool is_compared = false;
    if (l->instruction->op != IFL_SASS_OP_LDS || !d || d->index == IFL_SASS_NO_REGISTER)
        return false;
    for (uint32_t i = l->index + 1; i < l->part->first + l->part->count; i++) {
        const ifl_sass_instruction *next = &l->instructions[i];
        is_compared |= compares_with(next, d->index);
        if (leads_back(l, i))
            return is_compared;
        if (!is_compared && writes(next, d->index))
            return false;
    }
    return false;
}

/* ---- loads and stores ------------------------------------------------------------------------ */

static bool is_ordered(const ifl_sass_lowerer *l)
{
    const ifl_sass_word order = ifl_sass_value(l->instruction, IFL_SASS_VALUE_ORDER);
    return order == IFL_SASS_WORD_STRONG || order == IFL_SASS_WORD_MMIO ||
           order == IFL_SASS_WORD_SC;
}

static bool may_end_acquire(const ifl_sass_lowerer *l, uint32_t i)
{
    return i < l->part->first + l->part->count && (l->instructions[i].op == IFL_SASS_OP_NOP ||
                                                   ifl_sass_is_forgetting(&l->instructions[i]));
}

/* An acquire for the block ends in a NOP, a wider one in CCTL.IVALL: the first to wait for what is
 * loaded, or before sm_90 right behind that one (ptxas 13.0 of ld.acquire and ld.relaxed, sm_75 to
 * sm_120). What a store releases, a MEMBAR does. */
static bool acquires(const ifl_sass_lowerer *l)
{
    enum { FIRST_TO_WAIT_SM = 90 };
    const unsigned scoreboard = l->instruction->write_barrier;
    for (uint32_t i = l->index + 1; i < l->part->first + l->part->count; i++)
        if (l->instructions[i].wait_mask >> scoreboard & 1)
            return may_end_acquire(l, i) ||
                   (l->instruction->sm < FIRST_TO_WAIT_SM && may_end_acquire(l, i + 1));
    return false;
}

static bool is_signed(const ifl_sass_lowerer *l)
{
    return ifl_sass_is(l, IFL_SASS_VALUE_WIDTH, IFL_SASS_WORD_S8) ||
           ifl_sass_is(l, IFL_SASS_VALUE_WIDTH, IFL_SASS_WORD_S16);
}

static ifl_transfer *new_transfer(ifl_sass_lowerer *l, uint8_t kind)
{
    ifl_transfer *t = ifl_sass_lower_allocate(l, sizeof *t);
    const unsigned bytes = l->instruction->memory_bytes;
    if (!t)
        return NULL;
    t->space = space_of(l->instruction->op);
    t->kind = kind;
    t->bytes = (uint8_t)bytes;
    t->element_bytes = (uint8_t)(bytes < WORD_BYTES ? bytes : WORD_BYTES);
    t->elements = (uint8_t)(bytes < WORD_BYTES ? 1 : bytes / WORD_BYTES);
    t->slot_bytes = WORD_BYTES;
    t->is_signed = is_signed(l);
    t->observes = kind == IFL_ACCESS_LOAD && is_ordered(l);
    t->is_atomic = is_ordered(l) || is_swapped(l);
    t->acquires = t->observes && acquires(l);
    t->is_around = is_around(l);
    if (!bytes || t->elements > IFL_MAX_ELEMENTS)
        ifl_sass_refuse(l, "of this width");
    ifl_sass_lower_address(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_ADDRESS), t);
    return t;
}

/* Lanes for which the predicate among the operands is false load nothing and get zeros, as those of
 * LDGSTS do: cuBLAS's ampere_sgemm_32x32_sliced1x4_tn stores what such loads at the edges of its
 * matrices give, without having written the registers before. */
static void emit_load(ifl_sass_lowerer *l, ifl_transfer *t)
{
    const ifl_sass_operand *p = ifl_sass_lower_operand(l, IFL_SASS_ROLE_PREDICATE_IN);
    uint32_t flip;
    const uint32_t predicate = ifl_sass_lower_predicate(l, p, true, &flip);
    ifl_code *code = ifl_sass_emit(l, ifl_transfer_operation(t));
    code->transfer = t;
    if (ifl_sass_is_true(p))
        return;
    ifl_sass_narrow(l, predicate, flip, code);
    for (unsigned e = 0; e < t->elements; e++) {
        if (t->sink >> e & 1)
            continue;
        code = ifl_sass_emit(l, IFL_CODE_move32);
        code->a = l->zeros;
        code->d = t->data[e];
        ifl_sass_narrow(l, predicate, ~flip, code);
    }
}

/* Words from element `first` on lie in the registers of `operand`. */
static void set_results(const ifl_sass_lowerer *l, const ifl_sass_operand *operand, unsigned first,
                        unsigned count, ifl_transfer *t)
{
    const bool is_sink = !operand || operand->index == IFL_SASS_NO_REGISTER;
    for (unsigned e = 0; e < count; e++) {
        t->sink |= is_sink ? 1u << (first + e) : 0;
        t->data[first + e] =
            is_sink ? l->sink : ifl_sass_register_slot(l, operand->index) + e * IFL_PLANE_BYTES;
    }
}

enum { HALF_OF_256 = 4 };

void ifl_sass_lower_load(ifl_sass_lowerer *l)
{
    ifl_transfer *t = new_transfer(l, IFL_ACCESS_LOAD);
    if (!ifl_sass_is_true(ifl_sass_lower_operand(l, IFL_SASS_ROLE_PREDICATE_OUT)))
        ifl_sass_refuse(l, "with a predicate that it sets");
    if (!t || l->refused)
        return;
    const ifl_sass_operand *d = ifl_sass_lower_operand(l, IFL_SASS_ROLE_DESTINATION),
                           *second = ifl_sass_lower_operand(l, IFL_SASS_ROLE_DESTINATION2);
    if (second) {
        set_results(l, d, 0, HALF_OF_256, t);
        set_results(l, second, HALF_OF_256, HALF_OF_256, t);
    } else {
        set_results(l, d, 0, t->elements, t);
    }
    const bool is_of_others = t->observes && t->space != IFL_SPACE_SHARED;
    l->image->demands.ordered |= is_of_others;
    l->image->demands.polls = l->image->demands.polls || (is_of_others && ifl_sass_flow_decides(l));
    emit_load(l, t);
}

static void set_data(ifl_sass_lowerer *l, const ifl_sass_operand *operand, unsigned first,
                     unsigned count, ifl_transfer *t)
{
    const uint32_t slot = ifl_sass_lower_source(l, operand, count);
    for (unsigned e = 0; e < count; e++)
        t->data[first + e] = slot + e * IFL_PLANE_BYTES;
}

void ifl_sass_lower_store(ifl_sass_lowerer *l)
{
    ifl_transfer *t = new_transfer(l, IFL_ACCESS_STORE);
    if (!t || l->refused)
        return;
    const ifl_sass_operand *second = ifl_sass_lower_operand(l, IFL_SASS_ROLE_DATA2);
    const unsigned count = second ? HALF_OF_256 : t->elements;
    set_data(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_DATA), 0, count, t);
    if (second)
        set_data(l, second, HALF_OF_256, HALF_OF_256, t);
    ifl_sass_emit(l, ifl_transfer_operation(t))->transfer = t;
}

/* ---- constants ------------------------------------------------------------------------------- */

static void load_indexed(ifl_sass_lowerer *l, const ifl_sass_operand *at, unsigned bytes,
                         uint32_t d)
{
    const bool is_uniform = at->uniform != IFL_SASS_NO_REGISTER;
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_load_bank);
    code->a =
        is_uniform ? ifl_sass_uniform_slot(l, at->uniform) : ifl_sass_register_slot(l, at->base);
    code->d = d;
    code->count = at->index;
    code->e = bytes << 1 | is_signed(l);
    code->value = (uint32_t)at->value;
    code->extra =
        at->index == 0 ? ifl_sass_bank_header(l, (uint32_t)at->value, (bytes + 3) / 4) : NULL;
}

void ifl_sass_lower_constant_load(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *at = ifl_sass_lower_operand(l, IFL_SASS_ROLE_ADDRESS);
    const uint32_t d =
        ifl_sass_lower_destination(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_DESTINATION));
    const unsigned bytes = l->instruction->memory_bytes, words = bytes / WORD_BYTES;
    const ifl_sass_word mode = ifl_sass_value(l->instruction, IFL_SASS_VALUE_INDEX_MODE),
                        unpack = ifl_sass_value(l->instruction, IFL_SASS_VALUE_UNPACK);
    if (!at || at->kind != IFL_SASS_CONSTANT || at->descriptor != IFL_SASS_NO_REGISTER ||
        at->index >= IFL_BANKS || (mode > IFL_SASS_WORD_ABSENT && mode != IFL_SASS_WORD_OFF) ||
        (unpack > IFL_SASS_WORD_ABSENT && unpack != IFL_SASS_WORD_OFF)) {
        ifl_sass_refuse(l, "with this form of address");
        return;
    }
    if (at->base != IFL_SASS_NO_REGISTER || at->uniform != IFL_SASS_NO_REGISTER || !words) {
        load_indexed(l, at, bytes, d);
        return;
    }
    const uint32_t from = ifl_sass_constant_slot(l, at->index, at->value, words);
    for (unsigned i = 0; i < words; i++) {
        ifl_code *code = ifl_sass_emit(l, IFL_CODE_move32);
        code->a = from + i * IFL_PLANE_BYTES;
        code->d = d + i * IFL_PLANE_BYTES;
    }
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* What a word of TYPE is: elements of a type. */
typedef struct element {
    uint16_t word;
    uint8_t type, bytes, count;
} element;

static const element *element_of(ifl_sass_word word)
{
    static const element elements[] = {
        {IFL_SASS_WORD_B32, IFL_TYPE_U32, 4, 1},
        {IFL_SASS_WORD_U32, IFL_TYPE_U32, 4, 1},
        {IFL_SASS_WORD_S32, IFL_TYPE_S32, 4, 1},
        {IFL_SASS_WORD_B64, IFL_TYPE_U64, 8, 1},
        {IFL_SASS_WORD_U64, IFL_TYPE_U64, 8, 1},
        {IFL_SASS_WORD_S64, IFL_TYPE_S64, 8, 1},
        {IFL_SASS_WORD_B128, IFL_TYPE_B128, 16, 1},
        {IFL_SASS_WORD_F32, IFL_TYPE_F32, 4, 1},
        {IFL_SASS_WORD_F32x2, IFL_TYPE_F32, 4, 2},
        {IFL_SASS_WORD_F32x4, IFL_TYPE_F32, 4, 4},
        {IFL_SASS_WORD_F64, IFL_TYPE_F64, 8, 1},
        {IFL_SASS_WORD_F16x2, IFL_TYPE_F16X2, 4, 1},
        {IFL_SASS_WORD_F16x4, IFL_TYPE_F16X2, 4, 2},
        {IFL_SASS_WORD_F16x8, IFL_TYPE_F16X2, 4, 4},
        {IFL_SASS_WORD_BF16x2, IFL_TYPE_BF16X2, 4, 1},
        {IFL_SASS_WORD_BF16x4, IFL_TYPE_BF16X2, 4, 2},
        {IFL_SASS_WORD_BF16x8, IFL_TYPE_BF16X2, 4, 4},
        {IFL_SASS_WORD_E4M3x4, IFL_TYPE_E4M3X4, 4, 1},
        {IFL_SASS_WORD_E4M3x8, IFL_TYPE_E4M3X4, 4, 2},
        {IFL_SASS_WORD_E4M3x16, IFL_TYPE_E4M3X4, 4, 4},
        {IFL_SASS_WORD_E5M2x4, IFL_TYPE_E5M2X4, 4, 1},
        {IFL_SASS_WORD_E5M2x8, IFL_TYPE_E5M2X4, 4, 2},
        {IFL_SASS_WORD_E5M2x16, IFL_TYPE_E5M2X4, 4, 4},
    };
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].word == word)
            return &elements[i];
    return NULL;
}

uint8_t ifl_sass_operation_of(const ifl_sass_lowerer *l)
{
    static const uint8_t operations[] = {
        [IFL_SASS_WORD_ADD] = IFL_OPERATION_ADD,
        [IFL_SASS_WORD_POPC_INC] = IFL_OPERATION_ADD,
        [IFL_SASS_WORD_F32ADD] = IFL_OPERATION_ADD,
        [IFL_SASS_WORD_HPADD] = IFL_OPERATION_ADD,
        [IFL_SASS_WORD_MIN] = IFL_OPERATION_MIN,
        [IFL_SASS_WORD_MAX] = IFL_OPERATION_MAX,
        [IFL_SASS_WORD_INC] = IFL_OPERATION_INC,
        [IFL_SASS_WORD_DEC] = IFL_OPERATION_DEC,
        [IFL_SASS_WORD_AND] = IFL_OPERATION_AND,
        [IFL_SASS_WORD_OR] = IFL_OPERATION_OR,
        [IFL_SASS_WORD_XOR] = IFL_OPERATION_XOR,
        [IFL_SASS_WORD_EXCH] = IFL_OPERATION_EXCH,
        [IFL_SASS_WORD_CAS] = IFL_OPERATION_CAS,
        [IFL_SASS_WORD_CAST] = IFL_OPERATION_CAS,
        [IFL_SASS_WORD_ARRIVE] = IFL_OPERATION_ARRIVE,
        [IFL_SASS_WORD_LDGSTSBAR] = IFL_OPERATION_ARRIVE,
    };
    const unsigned word = ifl_sass_value(l->instruction, IFL_SASS_VALUE_OPERATION);
    return word < sizeof operations ? operations[word] : 0;
}

/* As in PTX: integer sums, minima and bit operations whose old value nobody gets commute, if all
 * are of one kind. */
static bool order_shows(const ifl_sass_lowerer *l, const ifl_atomic *a)
{
    const uint32_t commuting = 1u << IFL_OPERATION_ADD | 1u << IFL_OPERATION_MIN |
                               1u << IFL_OPERATION_MAX | 1u << IFL_OPERATION_AND |
                               1u << IFL_OPERATION_OR | 1u << IFL_OPERATION_XOR;
    const bool is_float_sum = ifl_type_class(a->type) == 'F' && a->operation == IFL_OPERATION_ADD;
    const bool is_used = !(a->transfer.sink & 1);
    return is_used || is_float_sum || !(commuting >> a->operation & 1) ||
           l->global_operations & ~(1u << a->operation);
}

static void set_atomic_data(ifl_sass_lowerer *l, const element *of, ifl_atomic *a)
{
    const unsigned words = of->bytes / WORD_BYTES;
    const bool counts = ifl_sass_is(l, IFL_SASS_VALUE_OPERATION, IFL_SASS_WORD_POPC_INC);
    const uint32_t data =
        counts ? ifl_builder_constant(&l->build, 1, 32)
               : ifl_sass_lower_source(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_DATA),
                                       words * of->count);
    for (unsigned e = 0; e < of->count; e++)
        a->b[e] = data + e * words * IFL_PLANE_BYTES;
    if (a->operation == IFL_OPERATION_CAS)
        a->c = ifl_sass_lower_source(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_DATA2), words);
}

static void set_atomic_results(ifl_sass_lowerer *l, const element *of, ifl_atomic *a)
{
    const ifl_sass_operand *d = ifl_sass_lower_operand(l, IFL_SASS_ROLE_DESTINATION);
    const unsigned words = of->bytes / WORD_BYTES;
    if (!d || d->index == IFL_SASS_NO_REGISTER)
        a->transfer.sink = UINT32_MAX;
    for (unsigned e = 0; e < of->count; e++)
        a->transfer.data[e] = ifl_sass_lower_destination(l, d) + e * words * IFL_PLANE_BYTES;
}

static bool is_cast(const ifl_sass_lowerer *l)
{
    return ifl_sass_is(l, IFL_SASS_VALUE_OPERATION, IFL_SASS_WORD_CAST);
}

/* ATOM: done where the memory of the address can do it, else code follows that does it otherwise.
 * CAST: stored. */
static void set_told(ifl_sass_lowerer *l, ifl_atomic *a)
{
    const ifl_sass_operand *p = ifl_sass_lower_operand(l, IFL_SASS_ROLE_PREDICATE_OUT);
    if (!ifl_sass_is_true(ifl_sass_lower_operand(l, IFL_SASS_ROLE_PREDICATE_IN)))
        ifl_sass_refuse(l, "with a predicate among its sources");
    if (ifl_sass_is_true(p))
        return;
    a->tells = is_cast(l) ? IFL_ATOMIC_TELLS_STORED : IFL_ATOMIC_TELLS_DONE;
    a->told = ifl_sass_lower_predicate_out(l, p);
    if (a->tells == IFL_ATOMIC_TELLS_DONE && l->instruction->op != IFL_SASS_OP_ATOM)
        ifl_sass_refuse(l, "with a predicate that it writes");
}

/* F32ADD of sm_90, HPADD of sm_100: what .acc::f32 becomes, of floats of 8 bits .acc::f16. */
void ifl_sass_lower_multicast_load(ifl_sass_lowerer *l)
{
    const element *of = element_of(ifl_sass_value(l->instruction, IFL_SASS_VALUE_TYPE));
    ifl_atomic *a = ifl_sass_lower_allocate(l, sizeof *a);
    if (!a)
        return;
    a->operation = ifl_sass_operation_of(l);
    if (!of || !a->operation) {
        ifl_sass_refuse(l, "of this operation or type");
        return;
    }
    a->type = of->type;
    a->is_planes = true;
    a->combines = true;
    a->adds_wide = ifl_sass_is(l, IFL_SASS_VALUE_OPERATION, IFL_SASS_WORD_F32ADD) ||
                   ifl_sass_is(l, IFL_SASS_VALUE_OPERATION, IFL_SASS_WORD_HPADD);
    a->transfer = (ifl_transfer){.space = IFL_SPACE_GLOBAL,
                                 .kind = IFL_ACCESS_LOAD,
                                 .element_bytes = of->bytes,
                                 .elements = of->count,
                                 .bytes = (uint8_t)(of->bytes * of->count),
                                 .slot_bytes = of->bytes};
    ifl_sass_lower_address(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_ADDRESS), &a->transfer);
    set_atomic_results(l, of, a);
    l->image->demands.ordered = true;
    ifl_sass_emit(l, IFL_CODE_atomic)->extra = a;
}

void ifl_sass_lower_atomic(ifl_sass_lowerer *l)
{
    const bool arrives = l->instruction->op == IFL_SASS_OP_ARRIVES; /* it has no type */
    const element *of = element_of(arrives ? IFL_SASS_WORD_B64
                                           : ifl_sass_value(l->instruction, IFL_SASS_VALUE_TYPE));
    ifl_atomic *a = ifl_sass_lower_allocate(l, sizeof *a);
    if (!a)
        return;
    a->operation = ifl_sass_operation_of(l);
    set_told(l, a);
    if (!of || !a->operation) {
        ifl_sass_refuse(l, "of this operation or type");
        return;
    }
    a->type = of->type;
    a->is_planes = true;
    a->tells_success = is_cast(l);
    a->transfer = (ifl_transfer){.space = space_of(l->instruction->op),
                                 .kind = IFL_ACCESS_ATOMIC,
                                 .element_bytes = of->bytes,
                                 .elements = of->count,
                                 .bytes = (uint8_t)(of->bytes * of->count),
                                 .slot_bytes = of->bytes,
                                 .is_around = is_around(l)};
    ifl_sass_lower_address(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_ADDRESS), &a->transfer);
    set_atomic_data(l, of, a);
    set_atomic_results(l, of, a);
    if (ifl_sass_is(l, IFL_SASS_VALUE_OPERATION, IFL_SASS_WORD_POPC_INC) && !(a->transfer.sink & 1))
        ifl_sass_refuse(l, "whose result is wanted");
    if (a->transfer.space != IFL_SPACE_SHARED && a->operation != IFL_OPERATION_ARRIVE) {
        l->image->demands.ordered |= order_shows(l, a);
        l->global_operations |= 1u << a->operation;
        a->fetches_work =
            (a->operation == IFL_OPERATION_ADD || a->operation == IFL_OPERATION_EXCH) &&
            !(a->transfer.sink & 1) && ifl_sass_flow_decides(l);
    }
    ifl_sass_emit(l, IFL_CODE_atomic)->extra = a;
}

/* ---- copies to shared memory, questions about addresses -------------------------------------- */

void ifl_sass_lower_copy(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *p = ifl_sass_lower_operand(l, IFL_SASS_ROLE_PREDICATE_IN);
    const uint8_t bytes = l->instruction->memory_bytes;
    ifl_copy_op *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->to = (ifl_transfer){.space = IFL_SPACE_SHARED,
                            .kind = IFL_ACCESS_STORE,
                            .bytes = bytes,
                            .element_bytes = bytes,
                            .elements = 1};
    op->from = op->to;
    op->from.space = IFL_SPACE_GLOBAL;
    op->from.kind = IFL_ACCESS_LOAD;
    ifl_sass_lower_address(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_ADDRESS), &op->to);
    ifl_sass_lower_address(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_ADDRESS2), &op->from);
    op->keeps_line = !ifl_sass_is(l, IFL_SASS_VALUE_BYPASS, IFL_SASS_WORD_BYPASS);
    op->fills = ifl_sass_is(l, IFL_SASS_VALUE_ZERO_FILL, IFL_SASS_WORD_ZFILL);
    if (!ifl_sass_is_true(
            p)) { /* zeros, with .ZFILL and without: so ptxas writes cp.async of 0 bytes */
        op->has_ignore = true;
        op->ignore = ifl_sass_lower_predicate(l, p, true, &op->ignore_flip);
        op->ignore_flip = ~op->ignore_flip;
    }
    ifl_sass_emit(l, IFL_CODE_copy)->extra = op;
}

/* Caches hold what memory holds: only what is brought into them early, and that they forget, is of
 * interest. */
void ifl_sass_lower_cache_control(ifl_sass_lowerer *l)
{
    if (ifl_sass_is_forgetting(l->instruction)) {
        ifl_sass_emit(l, IFL_CODE_forget);
        return;
    }
    if (!ifl_sass_is_prefetch(l->instruction)) {
        ifl_sass_lower_nothing(l);
        return;
    }
    ifl_transfer *t = ifl_sass_lower_allocate(l, sizeof *t);
    if (!t)
        return;
    t->space = IFL_SPACE_GENERIC;
    t->kind = IFL_ACCESS_PREFETCH;
    t->bytes = t->element_bytes = WORD_BYTES; /* a sector is what comes */
    t->elements = 1;
    ifl_sass_lower_address(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_ADDRESS), t);
    ifl_sass_emit(l, IFL_CODE_prefetch)->transfer = t;
}

void ifl_sass_lower_space_query(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *at = ifl_sass_lower_operand(l, IFL_SASS_ROLE_ADDRESS),
                           *d = ifl_sass_lower_operand(l, IFL_SASS_ROLE_DESTINATION);
    const ifl_sass_word asked = ifl_sass_value(l->instruction, IFL_SASS_VALUE_SPACE);
    const uint8_t space = asked == IFL_SASS_WORD_S   ? IFL_SPACE_SHARED
                          : asked == IFL_SASS_WORD_L ? IFL_SPACE_LOCAL
                          : asked == IFL_SASS_WORD_G ? IFL_SPACE_GLOBAL
                          : asked == IFL_SASS_WORD_D ? IFL_SPACE_CLUSTER
                                                     : IFL_SPACE_GENERIC;
    ifl_transfer *t = ifl_sass_lower_allocate(l, sizeof *t);
    if (space == IFL_SPACE_GENERIC || (d && d->index != IFL_SASS_NO_REGISTER))
        ifl_sass_refuse(l, "of this form");
    if (!t || l->refused)
        return;
    t->space = IFL_SPACE_GENERIC;
    ifl_sass_lower_address(l, at, t);
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_space_query);
    code->transfer = t;
    code->d =
        ifl_sass_lower_predicate_out(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_PREDICATE_OUT));
    code->value = space;
}
