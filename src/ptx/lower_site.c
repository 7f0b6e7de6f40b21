/* SPDX-License-Identifier: Apache-2.0
 * What is told of each PTX instruction: its name and place, what it asks of memory, what it leaves
 * open between two machines. Everything that watches a kernel knows only this. */
#include "ptx/fragment.h"
#include "ptx/lower_internal.h"
#include "ptx/ptx_traits.h"
#include "ptx/waits.h"

#include <stdlib.h>
#include <string.h>

/* ---- what it asks of memory ------------------------------------------------------------------ */

static bool is_copy(const ifl_instruction *instruction)
{
    return instruction->opcode == IFL_OP_CP_ASYNC || instruction->opcode == IFL_OP_CP_ASYNC_BULK;
}

/* A copy's modifiers name the destination first. It counts as what its global side is. */
static bool copies_to_global(const ifl_instruction *instruction)
{
    return is_copy(instruction) && instruction->modifiers.space == IFL_SPACE_GLOBAL;
}

/* Of a copy by the TMA from or to global memory: IFL_ACCESS_COPY_*; else IFL_ACCESS_KINDS. */
static uint8_t bulk_kind(const ifl_instruction *instruction)
{
    static const uint8_t plus_1[IFL_OP_COUNT] = {
#define BOX(rank)                                                                                  \
    [IFL_OP_LOAD_BOX_##rank] = IFL_ACCESS_COPY_LOAD + 1,                                           \
    [IFL_OP_LOAD_BOX_CTA_##rank] = IFL_ACCESS_COPY_LOAD + 1,                                       \
    [IFL_OP_STORE_BOX_##rank] = IFL_ACCESS_COPY_STORE + 1,                                         \
    [IFL_OP_REDUCE_BOX_##rank] = IFL_ACCESS_COPY_REDUCTION + 1
        BOX(1),
        BOX(2),
        BOX(3),
        BOX(4),
        BOX(5),
#undef BOX
        [IFL_OP_CP_ASYNC_BULK_MASKED] = IFL_ACCESS_COPY_STORE + 1,
        [IFL_OP_CP_ASYNC_BULK_HINTED] = IFL_ACCESS_COPY_STORE + 1,
        [IFL_OP_MULTIMEM_BULK] = IFL_ACCESS_COPY_STORE + 1,
        [IFL_OP_MULTIMEM_BULK_MASKED] = IFL_ACCESS_COPY_STORE + 1,
        [IFL_OP_MULTIMEM_REDUCE_BULK] = IFL_ACCESS_COPY_REDUCTION + 1,
#define IMAGE(rank)                                                                                \
    [IFL_OP_LOAD_IMAGE_##rank] = IFL_ACCESS_COPY_LOAD + 1,                                         \
    [IFL_OP_LOAD_IMAGE_CTA_##rank] = IFL_ACCESS_COPY_LOAD + 1,                                     \
    [IFL_OP_LOAD_WIDE_##rank] = IFL_ACCESS_COPY_LOAD + 1,                                          \
    [IFL_OP_LOAD_WIDE_CTA_##rank] = IFL_ACCESS_COPY_LOAD + 1,                                      \
    [IFL_OP_LOAD_WIDE_128_##rank] = IFL_ACCESS_COPY_LOAD + 1,                                      \
    [IFL_OP_LOAD_WIDE_128_CTA_##rank] = IFL_ACCESS_COPY_LOAD + 1
        IMAGE(3),
        IMAGE(4),
        IMAGE(5),
#undef IMAGE
    };
    const bool to_global = instruction->modifiers.space == IFL_SPACE_GLOBAL,
               from_global = instruction->modifiers.space2 == IFL_SPACE_GLOBAL;
    if (plus_1[instruction->opcode])
        return plus_1[instruction->opcode] - 1;
    if (instruction->opcode == IFL_OP_CP_REDUCE_BULK && to_global)
        return IFL_ACCESS_COPY_REDUCTION;
    if (instruction->opcode == IFL_OP_CP_ASYNC_BULK && (to_global || from_global))
        return to_global ? IFL_ACCESS_COPY_STORE : IFL_ACCESS_COPY_LOAD;
    return IFL_ACCESS_KINDS;
}

static bool is_counted_space(uint8_t space)
{
    return space == IFL_SPACE_GENERIC || space == IFL_SPACE_GLOBAL || space == IFL_SPACE_SHARED ||
           space == IFL_SPACE_LOCAL;
}

static uint8_t access_kind(const ifl_instruction *instruction)
{
    static const struct {
        uint16_t opcode;
        uint8_t kind;
    } table[] = {
        {IFL_OP_LD, IFL_ACCESS_LOAD},
        {IFL_OP_LDU, IFL_ACCESS_LOAD},
        {IFL_OP_ST, IFL_ACCESS_STORE},
        {IFL_OP_ATOM, IFL_ACCESS_ATOMIC},
        {IFL_OP_RED, IFL_ACCESS_ATOMIC},
        {IFL_OP_MULTIMEM_LD_REDUCE, IFL_ACCESS_LOAD},
        {IFL_OP_MULTIMEM_ST, IFL_ACCESS_STORE},
        {IFL_OP_MULTIMEM_RED, IFL_ACCESS_ATOMIC},
        {IFL_OP_CP_ASYNC, IFL_ACCESS_LOAD},
        {IFL_OP_PREFETCH, IFL_ACCESS_PREFETCH},
        {IFL_OP_PREFETCHU, IFL_ACCESS_PREFETCH},
        {IFL_OP_LDMATRIX, IFL_ACCESS_LOAD},
        {IFL_OP_STMATRIX, IFL_ACCESS_STORE},
        {IFL_OP_WMMA_LOAD_A, IFL_ACCESS_LOAD},
        {IFL_OP_WMMA_LOAD_B, IFL_ACCESS_LOAD},
        {IFL_OP_TEX, IFL_ACCESS_TEXTURE_LOAD},
        {IFL_OP_TLD4, IFL_ACCESS_TEXTURE_LOAD},
        {IFL_OP_SULD, IFL_ACCESS_SURFACE_LOAD},
        {IFL_OP_SUST, IFL_ACCESS_SURFACE_STORE},
        {IFL_OP_SURED, IFL_ACCESS_SURFACE_REDUCTION},
        {IFL_OP_SUST_P, IFL_ACCESS_SURFACE_STORE},
        {IFL_OP_SURED_P, IFL_ACCESS_SURFACE_REDUCTION},
        {IFL_OP_WMMA_LOAD_C, IFL_ACCESS_LOAD},
        {IFL_OP_WMMA_STORE, IFL_ACCESS_STORE},
    };
    if (bulk_kind(instruction) != IFL_ACCESS_KINDS)
        return bulk_kind(instruction);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].opcode == instruction->opcode &&
            is_counted_space(instruction->modifiers.space))
            return table[i].kind;
    return IFL_ACCESS_KINDS;
}

static uint32_t access_bytes(const ifl_program *program, const ifl_instruction *instruction)
{
    if (bulk_kind(instruction) != IFL_ACCESS_KINDS)
        return 16; /* a piece */
    if (is_copy(instruction)) {
        enum { SIZE_OPERAND = 2 }; /* opcode.def: "mmss?s?", "mmsm?s?" */
        const ifl_operand *size = &program->operands[instruction->first_operand + SIZE_OPERAND];
        const bool known =
            instruction->operand_count > SIZE_OPERAND && size->kind == IFL_OPERAND_IMMEDIATE;
        return known ? (uint32_t)size->value : 0;
    }
    if (instruction->opcode == IFL_OP_LDMATRIX || instruction->opcode == IFL_OP_STMATRIX)
        return 16; /* a row */
    ifl_ptx_fragment fragment;
    if (ifl_opcode_get(instruction->opcode)->fields & IFL_FIELD_layout &&
        ifl_fragment_of(instruction, 0, &fragment))
        return ifl_fragment_bytes(
            &fragment, ifl_fragment_moved(&fragment, (ifl_space)instruction->modifiers.space));
    if (instruction->opcode == IFL_OP_TEX || instruction->opcode == IFL_OP_TLD4)
        return 0; /* the texture tells */
    if (instruction->opcode == IFL_OP_PREFETCH || instruction->opcode == IFL_OP_PREFETCHU)
        return 4; /* a sector is what comes */
    const unsigned elements = instruction->modifiers.vector     ? instruction->modifiers.vector
                              : instruction->modifiers.channels ? instruction->modifiers.channels
                                                                : 1;
    return ifl_type_bits(instruction->type[0]) / 8 * elements;
}

/* A load that is relaxed or acquires at the scope of the GPU becomes the instruction that .cg does
 * (docs/caches.md). */
static uint8_t path_of(const ifl_modifiers *m, ifl_access_kind kind)
{
    const bool is_ordered = m->order == IFL_ORDER_VOLATILE || m->order == IFL_ORDER_MMIO ||
                            ((m->order == IFL_ORDER_RELAXED || m->order == IFL_ORDER_ACQUIRE) &&
                             m->scope != IFL_SCOPE_CTA);
    const bool is_like_cg = kind == IFL_ACCESS_LOAD && m->scope == IFL_SCOPE_GPU &&
                            m->order != IFL_ORDER_VOLATILE && m->order != IFL_ORDER_MMIO;
    if ((is_ordered && !is_like_cg) || m->cache == IFL_CACHE_CV)
        return IFL_PATH_BYPASS;
    if (is_ordered || m->cache == IFL_CACHE_CG)
        return IFL_PATH_PAST;
    if (m->eviction == IFL_EVICT_NO_ALLOCATE)
        return IFL_PATH_NO_ALLOCATE;
    if (m->flags & IFL_FLAG_NC)
        return IFL_PATH_READ_ONLY;
    return m->cache == IFL_CACHE_CA ? IFL_PATH_ASKED : IFL_PATH_PLAIN;
}

static ifl_site_access access_of(const ifl_program *program, const ifl_instruction *instruction)
{
    const ifl_modifiers *m = &instruction->modifiers;
    const bool is_second = is_copy(instruction) && !copies_to_global(instruction);
    ifl_site_access access = {.kind = access_kind(instruction)};
    const bool is_matrix =
        instruction->opcode == IFL_OP_LDMATRIX || instruction->opcode == IFL_OP_STMATRIX;
    access.space = ifl_access_is_copy(access.kind) || ifl_access_is_sampled(access.kind)
                       ? IFL_SPACE_GLOBAL
                   : is_second ? m->space2
                   : is_matrix ? IFL_SPACE_SHARED
                               : m->space;
    access.path = ifl_access_is_copy(access.kind) ? IFL_PATH_BYPASS : path_of(m, access.kind);
    access.is_float = ifl_type_class(instruction->type[0]) == 'F';
    access.passes_twice = instruction->opcode == IFL_OP_ATOM && m->operation == IFL_OPERATION_CAS;
    enum { LINE_BYTES = 128 };
    access.brings_line = m->prefetch >= LINE_BYTES;
    if (access.kind != IFL_ACCESS_KINDS)
        access.bytes = access_bytes(program, instruction);
    return access;
}

/* ---- what it is to the order of the warp ----------------------------------------------------- */

static uint8_t role_of(uint16_t opcode)
{
    static const uint8_t roles[IFL_OP_COUNT] = {
        [IFL_OP_BRA] = IFL_SITE_BRANCH,
        [IFL_OP_BRX_IDX] = IFL_SITE_BRANCH,
        [IFL_OP_BAR_SYNC] = IFL_SITE_BARRIER,
        [IFL_OP_BAR_CTA_SYNC] = IFL_SITE_BARRIER,
        [IFL_OP_BARRIER_SYNC] = IFL_SITE_BARRIER,
        [IFL_OP_BARRIER_CTA_SYNC] = IFL_SITE_BARRIER,
        [IFL_OP_BAR_ARRIVE] = IFL_SITE_BARRIER,
        [IFL_OP_BAR_CTA_ARRIVE] = IFL_SITE_BARRIER,
        [IFL_OP_BARRIER_ARRIVE] = IFL_SITE_BARRIER,
        [IFL_OP_BARRIER_CTA_ARRIVE] = IFL_SITE_BARRIER,
        [IFL_OP_BAR_RED] = IFL_SITE_BARRIER,
        [IFL_OP_BAR_CTA_RED] = IFL_SITE_BARRIER,
        [IFL_OP_BARRIER_RED] = IFL_SITE_BARRIER,
        [IFL_OP_BARRIER_CTA_RED] = IFL_SITE_BARRIER,
    };
    return roles[opcode];
}

/* ---- what it leaves open --------------------------------------------------------------------- */

/* Errors that the PTX ISA states for one instruction, relative; sin and cos state theirs absolute,
 * in [-pi, pi]. */
static float approximation_error(const ifl_instruction *instruction)
{
    static const struct {
        uint16_t opcode;
        bool always; /* else only with .approx or .full */
        float error;
    } table[] = {
        {IFL_OP_EX2, true, 0x1p-22f},  {IFL_OP_LG2, true, 0x1p-22f},
        {IFL_OP_SIN, true, 0x1p-20f},  {IFL_OP_COS, true, 0x1p-20f},
        {IFL_OP_TANH, true, 0x1p-11f}, {IFL_OP_RSQRT, true, 0x1p-22f},
        {IFL_OP_RCP, false, 0x1p-23f}, {IFL_OP_SQRT, false, 0x1p-23f},
        {IFL_OP_DIV, false, 0x1p-22f},
    };
    const bool is_asked = instruction->modifiers.flags & (IFL_FLAG_APPROX | IFL_FLAG_FULL);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].opcode == instruction->opcode && (table[i].always || is_asked))
            return table[i].error;
    return 0;
}

/* PTX ISA, mul, add and sub of floating-point types: without a rounding the compiler may contract
 * them. Packed and half types too. */
static uint8_t open_to_contraction(const ifl_instruction *instruction)
{
    const uint16_t opcode = instruction->opcode;
    if (ifl_type_class(instruction->type[0]) != 'F' || instruction->modifiers.rounding)
        return 0;
    return opcode == IFL_OP_MUL                           ? IFL_OPEN_PRODUCT
           : opcode == IFL_OP_ADD || opcode == IFL_OP_SUB ? IFL_OPEN_SUM
                                                          : 0;
}

static uint8_t open_to_order(const ifl_program *program, const ifl_instruction *instruction)
{
    const bool is_atom = instruction->opcode == IFL_OP_ATOM,
               is_red =
                   instruction->opcode == IFL_OP_RED || instruction->opcode == IFL_OP_MULTIMEM_RED;
    const ifl_operand *first = &program->operands[instruction->first_operand];
    if (!is_atom && !is_red)
        return instruction->modifiers.order > IFL_ORDER_WEAK ? IFL_OPEN_WAITS : 0;
    const bool is_fetched =
        is_atom && instruction->operand_count && first->kind != IFL_OPERAND_NONE;
    return (ifl_type_class(instruction->type[0]) == 'F' ? IFL_OPEN_FLOAT_ATOMIC : 0) |
           (is_fetched ? IFL_OPEN_FETCHED : 0);
}

/* Registers whose values belong to one run on one machine. */
static uint8_t open_to_time(const ifl_program *program, const ifl_instruction *instruction)
{
    static const ifl_special own[] = {
        IFL_SPECIAL_CLOCK,       IFL_SPECIAL_CLOCK_HI,       IFL_SPECIAL_CLOCK64,
        IFL_SPECIAL_GLOBALTIMER, IFL_SPECIAL_GLOBALTIMER_LO, IFL_SPECIAL_GLOBALTIMER_HI,
        IFL_SPECIAL_SMID,        IFL_SPECIAL_NSMID,          IFL_SPECIAL_GRIDID,
        IFL_SPECIAL_WARPID,
    };
    for (uint32_t k = 0; k < instruction->operand_count; k++) {
        const ifl_operand *operand = &program->operands[instruction->first_operand + k];
        for (size_t i = 0; operand->kind == IFL_OPERAND_SPECIAL && i < sizeof own / sizeof *own;
             i++)
            if (operand->index == own[i])
                return IFL_OPEN_TIMED;
    }
    return 0;
}

/* ---- sites ----------------------------------------------------------------------------------- */

static ifl_site site_of(ifl_lowerer *l, const ifl_instruction *instruction, uint32_t turn)
{
    const ifl_program *program = l->input->program;
    char name[160];
    ifl_instruction_name(instruction, name, sizeof name);
    ifl_site site = {.name = ifl_arena_text(l->arena, name, strlen(name)),
                     .place = instruction->place,
                     .line = instruction->line,
                     .column = instruction->column,
                     .role = role_of(instruction->opcode),
                     .pipe = IFL_PIPES,
                     .flop = IFL_FLOPS,
                     .traits = ifl_ptx_traits(name),
                     .error = approximation_error(instruction),
                     .turn = turn + (l->first_site << IFL_TURN_BITS),
                     .access = access_of(program, instruction)};
    site.open = (site.error > 0 ? IFL_OPEN_APPROXIMATE : 0) | open_to_contraction(instruction) |
                open_to_order(program, instruction) | open_to_time(program, instruction);
    return site;
}

uint32_t ifl_lower_site(const ifl_lowerer *l, const ifl_instruction *instruction)
{
    const uint32_t index = (uint32_t)(instruction - l->input->program->instructions);
    return l->first_site + index - l->function->first;
}

bool ifl_lower_add_sites(ifl_lowerer *l)
{
    const ifl_program *program = l->input->program;
    const uint32_t count = l->function->count;
    ifl_waits *waits = calloc((size_t)count + 1, sizeof *waits);
    l->first_site = (uint32_t)l->sites.count;
    if (!waits)
        ifl_lower_fail(l, IFL_NO_MEMORY, "out of memory");
    else
        l->status = ifl_waits_find(program, l->function, NULL, waits, l->error);
    for (uint32_t i = 0; i < count && l->status == IFL_OK; i++) {
        const ifl_site site =
            site_of(l, &program->instructions[l->function->first + i], waits[i].turn);
        if (!site.name || !ifl_vec_push(&l->sites, site))
            ifl_lower_fail(l, IFL_NO_MEMORY, "out of memory");
    }
    free(waits);
    return l->status == IFL_OK;
}
