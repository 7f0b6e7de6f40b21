/* SPDX-License-Identifier: Apache-2.0
 * Operands -> slots: registers, immediates, words of constant banks, predicates. */
#include "sass/sass_lowerer.h"

#include "sass/constant_header.h"

const ifl_sass_operand *ifl_sass_lower_operand(const ifl_sass_lowerer *l, ifl_sass_role role)
{
    return ifl_sass_operand_of(l->instruction, role);
}

bool ifl_sass_is(const ifl_sass_lowerer *l, ifl_sass_value_role role, ifl_sass_word word)
{
    return ifl_sass_value(l->instruction, role) == word;
}

bool ifl_sass_is_uniform(const ifl_sass_lowerer *l)
{
    return l->instruction && ifl_sass_op_is_uniform(l->instruction->op);
}

uint32_t ifl_sass_register_slot(const ifl_sass_lowerer *l, unsigned index)
{
    return index == IFL_SASS_NO_REGISTER ? l->zeros : l->registers + index * IFL_PLANE_BYTES;
}

uint32_t ifl_sass_uniform_slot(const ifl_sass_lowerer *l, unsigned index)
{
    return index == IFL_SASS_NO_REGISTER ? l->zeros : l->uniforms + index * IFL_PLANE_BYTES;
}

/* ---- constant banks -------------------------------------------------------------------------- */

static void add_special_at(ifl_sass_lowerer *l, ifl_special special, uint32_t slot)
{
    if (!ifl_vec_push(&l->build.specials,
                      (ifl_special_slot){.slot = slot, .special = (uint16_t)special}))
        l->build.status = IFL_NO_MEMORY;
    l->image->demands.takes_parameter_address |=
        special == IFL_SPECIAL_PARAMETERS_LO || special == IFL_SPECIAL_PARAMETERS_HI ||
        special == IFL_SPECIAL_BANK_LO || special == IFL_SPECIAL_BANK_HI;
    l->image->demands.reserves_shared |= special == IFL_SPECIAL_RESERVED_SMEM_OFFSET_1 ||
                                         special == IFL_SPECIAL_RESERVED_SMEM_OFFSET_END;
    l->image->demands.reads_graph |=
        special == IFL_SPECIAL_CURRENT_GRAPH_LO || special == IFL_SPECIAL_CURRENT_GRAPH_HI;
    l->image->demands.cooperative |=
        special == IFL_SPECIAL_ENVREG1 || special == IFL_SPECIAL_ENVREG2;
}

static void fill_header_word(ifl_sass_lowerer *l, uint32_t offset, uint32_t slot)
{
    const ifl_machine_kernel *kernel = l->input->kernel->kernel;
    const ifl_constant_word word = ifl_constant_header(kernel->sm, offset);
    switch (word.kind) {
    case IFL_CONSTANT_SPECIAL:
        add_special_at(l, (ifl_special)word.value, slot);
        break;
    case IFL_CONSTANT_VALUE:
        ifl_builder_constant_at(&l->build, slot, (uint32_t)word.value, 32);
        break;
    case IFL_CONSTANT_STACK:
        l->uses_local = true;
        add_special_at(l, IFL_SPECIAL_STACK, slot);
        break;
    case IFL_CONSTANT_BANK3:
        ifl_builder_constant_at(&l->build, slot,
                                (uint32_t)(l->input->object->constants_address >> word.value), 32);
        break;
    default:
        ifl_sass_refuse(l, "the meaning of this word of constant bank 0 is not known");
    }
}

static uint32_t header_slot(ifl_sass_lowerer *l, uint32_t offset, unsigned words)
{
    for (size_t i = 0; i < l->headers.count; i++)
        if (l->headers.at[i].offset == offset && l->headers.at[i].words == words)
            return l->headers.at[i].slot;
    const ifl_sass_header header = {offset, words,
                                    ifl_builder_room(&l->build, (uint64_t)words * IFL_PLANE_BYTES)};
    for (unsigned i = 0; i < words; i++)
        fill_header_word(l, offset + 4 * i, header.slot + i * IFL_PLANE_BYTES);
    if (!l->refused && !ifl_vec_push(&l->headers, header))
        l->build.status = IFL_NO_MEMORY;
    return header.slot;
}

const ifl_bank_header *ifl_sass_bank_header(ifl_sass_lowerer *l, uint32_t offset, unsigned words)
{
    enum { OF_ONE_BLOCK = 0xa0 };
    const ifl_machine_kernel *kernel = l->input->kernel->kernel;
    ifl_bank_header *header =
        ifl_sass_lower_allocate(l, sizeof *header + words * sizeof *header->words);
    if (!header)
        return NULL;
    *header = (ifl_bank_header){.base = kernel->param_base};
    for (unsigned w = 0; w < words && offset >= OF_ONE_BLOCK && offset < kernel->param_base; w++) {
        const uint32_t at = offset - OF_ONE_BLOCK + 4 * w;
        if (ifl_constant_header(kernel->sm, at).kind == IFL_CONSTANT_UNKNOWN)
            continue;
        header->words[header->count].offset = at;
        header->words[header->count++].slot = header_slot(l, at, 1);
    }
    return header;
}

uint32_t ifl_sass_constant_slot(ifl_sass_lowerer *l, unsigned bank, int64_t offset, unsigned words)
{
    enum { BANK_BYTES = 1 << 16 };
    const uint32_t base = bank == 0 ? l->input->kernel->kernel->param_base : 0;
    offset += offset < 0 ? BANK_BYTES : 0; /* 16 bits: negative in the upper half of the bank */
    if (bank >= IFL_BANKS || bank == 1 || offset < 0 || offset > UINT16_MAX) {
        ifl_sass_refuse(l, "of this constant bank");
        return l->zeros;
    }
    if (offset < base)
        return header_slot(l, (uint32_t)offset, words);
    return ifl_builder_bank_words(&l->build, (uint8_t)bank, (uint32_t)offset - base, words);
}

/* ---- sources --------------------------------------------------------------------------------- */

static uint32_t immediate(ifl_sass_lowerer *l, const ifl_sass_operand *operand, unsigned words)
{
    enum { UPPER = 32 };
    const uint64_t value = (uint64_t)operand->value;
    if (words == 1)
        return ifl_builder_constant(&l->build, value, 32);
    if (operand->is_double)
        return ifl_builder_constant_pair(&l->build, value << UPPER);
    return ifl_builder_constant_pair(&l->build, operand->is_float ? value << UPPER | value : value);
}

ifl_sass_known ifl_sass_known_of(const ifl_sass_lowerer *l, const ifl_sass_operand *operand)
{
    if (!l->known)
        return (ifl_sass_known){0, 0};
    return l
        ->known[(size_t)l->index * IFL_SASS_OPERANDS + (size_t)(operand - l->instruction->operand)];
}

uint32_t ifl_sass_lower_source(ifl_sass_lowerer *l, const ifl_sass_operand *operand, unsigned words)
{
    if (!operand)
        return l->zeros;
    const ifl_sass_known known = ifl_sass_known_of(l, operand);
    if (known.slot) {
        if (words > (operand->count ? operand->count : 1u))
            ifl_sass_refuse(l, "it reads more of an operand than that has");
        return known.slot;
    }
    switch (operand->kind) {
    case IFL_SASS_REGISTER:
        return ifl_sass_register_slot(l, operand->index);
    case IFL_SASS_UNIFORM_REGISTER:
        return ifl_sass_uniform_slot(l, operand->index);
    case IFL_SASS_IMMEDIATE:
        return immediate(l, operand, words);
    case IFL_SASS_CONSTANT:
        if (operand->descriptor != IFL_SASS_NO_REGISTER || operand->base != IFL_SASS_NO_REGISTER ||
            operand->uniform != IFL_SASS_NO_REGISTER)
            break;
        return ifl_sass_constant_slot(l, operand->index, operand->value, words);
    default:
        break;
    }
    ifl_sass_refuse(l, "an operand is not of a kind that it takes");
    return l->zeros;
}

uint32_t ifl_sass_lower_destination(ifl_sass_lowerer *l, const ifl_sass_operand *operand)
{
    if (!operand || operand->index == IFL_SASS_NO_REGISTER)
        return l->sink;
    if (operand->kind == IFL_SASS_UNIFORM_REGISTER)
        return ifl_sass_uniform_slot(l, operand->index);
    if (operand->kind != IFL_SASS_REGISTER)
        ifl_sass_refuse(l, "its destination is not a register");
    return ifl_sass_register_slot(l, operand->index);
}

/* ---- predicates ------------------------------------------------------------------------------ */

bool ifl_sass_is_true(const ifl_sass_operand *operand)
{
    return !operand || (operand->index >= IFL_SASS_PREDICATES && !operand->inverted);
}

uint32_t ifl_sass_lower_predicate(const ifl_sass_lowerer *l, const ifl_sass_operand *operand,
                                  bool otherwise, uint32_t *flip)
{
    *flip = operand ? operand->inverted ? UINT32_MAX : 0 : otherwise ? 0 : UINT32_MAX;
    if (!operand || operand->index >= IFL_SASS_PREDICATES)
        return IFL_PREDICATE_TRUE;
    return (operand->kind == IFL_SASS_UNIFORM_PREDICATE ? l->uniform_predicates : l->predicates) +
           4u * operand->index;
}

uint32_t ifl_sass_lower_predicate_out(const ifl_sass_lowerer *l, const ifl_sass_operand *operand)
{
    uint32_t flip;
    const uint32_t at = ifl_sass_lower_predicate(l, operand, true, &flip);
    return at == IFL_PREDICATE_TRUE ? IFL_PREDICATE_SINK : at;
}
