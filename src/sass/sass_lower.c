/* SPDX-License-Identifier: Apache-2.0
 * Object -> code: the frame, the blocks, the image. What each instruction becomes is in
 * sass_lower_lane.c, _memory.c, _control.c and _warp.c; the flow and the sites are in files of
 * their own. */
#include "sass/sass_lower.h"

#include "sass/constant_header.h"
#include "sass/sass_lowerer.h"

#include <string.h>

/* ---- failures, memory ------------------------------------------------------------------------ */

void ifl_sass_refuse(ifl_sass_lowerer *l, const char *why)
{
    if (!l->refused)
        l->refused = why;
}

void *ifl_sass_lower_allocate(ifl_sass_lowerer *l, size_t bytes)
{
    void *at = ifl_arena_alloc(l->arena, bytes);
    if (!at && l->status == IFL_OK)
        l->status = ifl_fail_memory(l->error, bytes);
    return at;
}

/* ---- operations ------------------------------------------------------------------------------ */

static void set_guard(const ifl_sass_lowerer *l, ifl_code *code)
{
    const ifl_sass_instruction *instruction = l->instruction;
    if (!instruction)
        return;
    const uint32_t first = instruction->guard_uniform ? l->uniform_predicates : l->predicates;
    code->guard = instruction->guard < IFL_SASS_PREDICATES ? first + 4u * instruction->guard
                                                           : IFL_PREDICATE_TRUE;
    code->guard_flip = instruction->guard_negated ? UINT32_MAX : 0;
}

static ifl_code *emit(ifl_sass_lowerer *l, ifl_operation_table table, uint32_t operation)
{
    ifl_code code = {.table = (uint8_t)table,
                     .operation = (uint16_t)operation,
                     .site = l->index,
                     .e = IFL_PREDICATE_SINK};
    set_guard(l, &code);
    return ifl_builder_add(&l->build, code);
}

ifl_code *ifl_sass_emit(ifl_sass_lowerer *l, ifl_operation operation)
{
    return emit(l, IFL_TABLE_COMMON, operation);
}

ifl_code *ifl_sass_emit_row(ifl_sass_lowerer *l, uint32_t row)
{
    return emit(l, IFL_TABLE_SASS, row);
}

ifl_code *ifl_sass_emit_stop(ifl_sass_lowerer *l, ifl_reason reason)
{
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_stop);
    code->count = reason;
    return code;
}

void ifl_sass_emit_branch(ifl_sass_lowerer *l, uint32_t target)
{
    if (target == UINT32_MAX) {
        ifl_sass_refuse(l, "its target is not an instruction");
        return;
    }
    ifl_sass_emit(l, IFL_CODE_branch)->value = l->flow.block_of[target];
}

static void emit_under_both(ifl_sass_lowerer *l, ifl_code code)
{
    code.guard = IFL_PREDICATE_TEMPORARY;
    code.guard_flip = 0;
    ifl_builder_add(&l->build, code);
}

/* The operation's place is given to one that finds the lanes of both. */
static ifl_code find_both(const ifl_sass_lowerer *l, uint32_t predicate, uint32_t flip,
                          ifl_code *code)
{
    enum { AND = 8, FLIPS_A = 1, FLIPS_B = 2 };
    const ifl_code guarded = *code;
    *code = (ifl_code){.operation = IFL_CODE_predicate,
                       .site = l->index,
                       .a = guarded.guard,
                       .b = predicate,
                       .d = IFL_PREDICATE_TEMPORARY,
                       .e = (guarded.guard_flip ? FLIPS_A : 0u) | (flip ? FLIPS_B : 0u),
                       .value = AND};
    return guarded;
}

void ifl_sass_narrow(ifl_sass_lowerer *l, uint32_t predicate, uint32_t flip, ifl_code *code)
{
    emit_under_both(l, find_both(l, predicate, flip, code));
}

void ifl_sass_guard_with(ifl_sass_lowerer *l, uint32_t predicate, uint32_t flip, ifl_code *code)
{
    const ifl_code guarded = find_both(l, predicate, flip, code);
    emit_under_both(l, (ifl_code){.operation = IFL_CODE_tally, .site = l->index});
    emit_under_both(l, guarded);
    l->image->tallied[l->index] = true;
}

/* ---- the frame ------------------------------------------------------------------------------- */

static unsigned highest(const ifl_sass_operand *operand, ifl_sass_operand_kind kind)
{
    if (operand->kind == kind && operand->index != IFL_SASS_NO_REGISTER)
        return operand->index + (operand->count ? operand->count : 1u);
    const bool is_address = operand->kind == IFL_SASS_MEMORY || operand->kind == IFL_SASS_CONSTANT;
    const unsigned base = kind == IFL_SASS_REGISTER ? operand->base : operand->uniform;
    return is_address && base != IFL_SASS_NO_REGISTER ? base + 2u : 0;
}

static unsigned count_registers(const ifl_sass_lowerer *l, ifl_sass_operand_kind kind)
{
    enum { WIDEST = 4 }; /* what stands behind the last one may be read with it */
    unsigned count = 0;
    for (uint32_t i = 0; i < l->count; i++)
        for (unsigned o = 0; o < l->instructions[i].operand_count; o++) {
            const unsigned has = highest(&l->instructions[i].operand[o], kind);
            count = has > count ? has : count;
        }
    return count + WIDEST;
}

static void place_registers(ifl_sass_lowerer *l)
{
    enum {
        R1 = 1,
        MOST_WORDS = 8,
        CALL_REGISTERS = 24 /* those that calls of provided functions read and write */
    };
    const unsigned registers = count_registers(l, IFL_SASS_REGISTER);
    l->predicates = IFL_FIRST_PREDICATE;
    l->uniform_predicates = l->predicates + 4 * IFL_SASS_PREDICATES;
    l->build.frame_bytes = l->uniform_predicates + 4 * IFL_SASS_PREDICATES;
    l->registers = ifl_builder_room(
        &l->build,
        (uint64_t)(registers > CALL_REGISTERS ? registers : CALL_REGISTERS) * IFL_PLANE_BYTES);
    l->uniforms = ifl_builder_room(
        &l->build, (uint64_t)count_registers(l, IFL_SASS_UNIFORM_REGISTER) * IFL_PLANE_BYTES);
    l->zeros = ifl_builder_room(&l->build, (uint64_t)MOST_WORDS * IFL_PLANE_BYTES);
    l->sink = ifl_builder_room(&l->build, (uint64_t)MOST_WORDS * IFL_PLANE_BYTES);
    l->barrier_result = ifl_builder_slot(&l->build, 32);
    l->temporary = ifl_builder_room(&l->build, 2 * IFL_PLANE_BYTES);
    l->return_place = ifl_builder_room(&l->build, 2 * IFL_PLANE_BYTES);
}

/* ---- the table ------------------------------------------------------------------------------- */

void ifl_sass_lower_unsupported(ifl_sass_lowerer *l)
{
    ifl_sass_refuse(l, l->instruction->op == IFL_SASS_OP_UNKNOWN ? "it is not a known instruction"
                                                                 : "the engine has no code for it");
}

ifl_sass_lower_function *const ifl_sass_lower_table[IFL_SASS_OPS] = {
    [IFL_SASS_OP_UNKNOWN] = ifl_sass_lower_unsupported,
#define INSTRUCTION(op, pipe, latency, sass_class, function, ...)                                  \
    [IFL_SASS_OP_##op] = ifl_sass_lower_##function,
#include "sass/table/instruction.def"
};

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Stops whoever reaches it. */
static void emit_refusal(ifl_sass_lowerer *l)
{
    char text[192], whole[512];
    const ifl_sass_instruction *i = l->instruction;
    if (i->op == IFL_SASS_OP_UNKNOWN)
        snprintf(text, sizeof text, "the word 0x%016llx%016llx", (unsigned long long)i->word[1],
                 (unsigned long long)i->word[0]);
    else
        ifl_sass_text(i, text, sizeof text);
    snprintf(whole, sizeof whole, "'%s' at 0x%x of '%s' (sm_%u) is not supported: %s", text,
             i->offset, l->part->text->kernel->name, i->sm, l->refused);
    ifl_sass_emit(l, IFL_CODE_unsupported)->extra = ifl_arena_text(l->arena, whole, strlen(whole));
}

/* Of branches, exits and the like a predicate among the operands counts as the guard does. */
static bool has_second_guard(const ifl_sass_instruction *i)
{
    const bool is_control = ifl_sass_op_class(i->op) == IFL_SASS_BRANCH ||
                            ifl_sass_op_class(i->op) == IFL_SASS_EXIT_CLASS;
    return is_control && (!ifl_sass_is_true(ifl_sass_operand_of(i, IFL_SASS_ROLE_PREDICATE_IN)) ||
                          !ifl_sass_is_true(ifl_sass_operand_of(i, IFL_SASS_ROLE_PREDICATE_IN2)));
}

/* Lanes that the guard keeps from executing are counted apart. */
static void emit_tally(ifl_sass_lowerer *l)
{
    const ifl_sass_instruction *i = l->instruction;
    if ((i->guard >= IFL_SASS_PREDICATES && !i->guard_negated) || has_second_guard(i))
        return;
    ifl_sass_emit(l, IFL_CODE_tally);
    l->image->tallied[l->index] = true;
}

static uint8_t boards_of(const ifl_sass_instruction *i)
{
    enum { BOARDS = 6 };
    return (uint8_t)((i->read_barrier < BOARDS ? 1u << i->read_barrier : 0) |
                     (i->write_barrier < BOARDS ? 1u << i->write_barrier : 0));
}

/* The end of a group sets a scoreboard until the group's copies are done, or of bulk copies their
 * sources read. nvcc counts with DEPBAR what is left of it; cuBLAS has the next instruction wait for
 * it, as for any scoreboard. */
static void find_group_boards(ifl_sass_lowerer *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        const ifl_sass_instruction *end = &l->instructions[i];
        if (end->op == IFL_SASS_OP_LDGDEPBAR)
            l->copy_boards |= boards_of(end);
        else if (end->op == IFL_SASS_OP_UTMACMDFLUSH)
            l->bulk_boards |= boards_of(end);
    }
}

static void lower_instruction(ifl_sass_lowerer *l, uint32_t index)
{
    l->index = index;
    l->instruction = &l->instructions[index];
    l->refused = NULL;
    ifl_sass_lower_wait_for_groups(l, l->instruction->wait_mask, 0, false);
    if (l->is_needless[index])
        return;
    emit_tally(l);
    const size_t start = l->build.code.count;
    ifl_sass_lower_table[l->instruction->op](l);
    if (!l->refused)
        return;
    l->build.code.count = start;
    emit_refusal(l);
}

static void lower_block(ifl_sass_lowerer *l, uint32_t b)
{
    const ifl_flow_block *block = &l->flow.blocks[b];
    l->instruction = NULL;
    l->index = block->first;
    l->block_start[b] = (uint32_t)l->build.code.count;
    ifl_sass_emit(l, IFL_CODE_block)->count = b;
    while (block->first >= l->part->first + l->part->count)
        l->part++;
    for (uint32_t i = block->first; i < block->last && l->status == IFL_OK; i++)
        lower_instruction(l, i);
}

/* Whoever runs past the last instruction. */
static void lower_end(ifl_sass_lowerer *l)
{
    static const char text[] = "the code ends where it should go on";
    l->index = l->count - 1;
    l->instruction = NULL;
    ifl_sass_emit(l, IFL_CODE_unsupported)->extra = text;
}

/* Branches carry block numbers until every operation has its place. */
static void resolve(const ifl_sass_lowerer *l, ifl_routine *routine)
{
    for (size_t i = 0; i < routine->code_count; i++) {
        ifl_code *c = &routine->code[i];
        const bool is_common = c->table == IFL_TABLE_COMMON;
        if (is_common && (c->operation == IFL_CODE_branch || c->operation == IFL_CODE_gather))
            c->target = routine->code + l->block_start[c->value];
    }
}

/* ---- the image ------------------------------------------------------------------------------- */

static bool keep_ranges(ifl_sass_lowerer *l, ifl_routine *routine)
{
    routine->ranges = ifl_sass_lower_allocate(l, (l->part_count + 1) * sizeof *routine->ranges);
    uint32_t *code_of = ifl_sass_lower_allocate(l, ((size_t)l->count + 1) * sizeof *code_of);
    if (!routine->ranges || !code_of)
        return false;
    for (uint32_t i = 0; i < l->count; i++) {
        const uint32_t block = l->flow.block_of[i];
        code_of[i] = l->flow.blocks[block].first == i ? l->block_start[block] : UINT32_MAX;
    }
    for (size_t p = 0; p < l->part_count; p++)
        routine->ranges[routine->range_count++] =
            (ifl_code_range){.address = l->parts[p].text->address,
                             .bytes = l->parts[p].text->kernel->code_bytes,
                             .code_of = code_of + l->parts[p].first};
    return true;
}

static bool keep_blocks(ifl_sass_lowerer *l)
{
    ifl_image *image = l->image;
    image->block_count = l->flow.block_count;
    image->blocks =
        ifl_sass_lower_allocate(l, ((size_t)l->flow.block_count + 1) * sizeof *image->blocks);
    for (uint32_t b = 0; image->blocks && b < l->flow.block_count; b++)
        image->blocks[b] = (ifl_block_range){l->flow.blocks[b].first, l->flow.blocks[b].last};
    return image->blocks != NULL;
}

static bool keep(ifl_sass_lowerer *l)
{
    ifl_routine *routine = ifl_sass_lower_allocate(l, sizeof *routine);
    if (!routine)
        return false;
    ifl_builder_keep(&l->build, routine);
    routine->name = l->input->kernel->kernel->name;
    routine->address = l->input->kernel->address;
    routine->site_count = l->count;
    routine->registers = l->registers;
    routine->has_stack = l->uses_local;
    routine->local_bytes = l->uses_local ? ifl_sass_local_bytes(l->input->kernel->kernel) : 0;
    l->image->routines = routine;
    l->image->routine_count = 1;
    if (l->build.status != IFL_OK && l->status == IFL_OK)
        l->status =
            l->build.status == IFL_NO_MEMORY
                ? ifl_fail_memory(l->error, l->build.code.count * sizeof(ifl_code))
                : ifl_fail(l->error, IFL_UNSUPPORTED, "'%s' has too many constants", routine->name);
    if (l->status != IFL_OK || !ifl_sass_lower_keep_undefined(l, routine) ||
        !keep_ranges(l, routine) || !keep_blocks(l))
        return false;
    resolve(l, routine);
    return true;
}

/* Shared memory begins with what the system reserves (sm_90 on): a kernel may reach it without that
 * its file counts it, as groups of several warps do. */
static uint64_t reserved_bytes(const ifl_machine_kernel *kernel)
{
    enum { RESERVED = 1024, SINCE = 90 };
    return kernel->reserved_shared_bytes || kernel->sm < SINCE ? kernel->reserved_shared_bytes
                                                               : RESERVED;
}

ifl_demands ifl_sass_declared(const ifl_machine_kernel *kernel)
{
    enum { ALIGNMENT = 16, BANK_ALIGNMENT = 256 };
    const uint64_t reserved = reserved_bytes(kernel),
                   shared = kernel->static_shared_bytes + reserved;
    ifl_demands demands = {
        .parameter_misalign = kernel->param_base % BANK_ALIGNMENT,
        .param_bytes = ifl_sass_param_bytes(kernel),
        .declared_shared = kernel->static_shared_bytes,
        .reserved_first = reserved,
        .static_shared = shared,
        .dynamic_shared = (shared + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT,
        .syncs = true,
        .needs_cluster = kernel->needs_cluster,
        .max_cluster_blocks = kernel->max_cluster_blocks,
    };
    memcpy(demands.max_threads, kernel->max_threads, sizeof demands.max_threads);
    memcpy(demands.cluster, kernel->cluster, sizeof demands.cluster);
    return demands;
}

static bool lower_all(ifl_sass_lowerer *l)
{
    const ifl_machine_kernel *kernel = l->input->kernel->kernel;
    l->image->name = kernel->name;
    l->image->demands = ifl_sass_declared(kernel);
    if (!ifl_sass_lower_decode(l) || !ifl_sass_lower_find_flow(l) || !ifl_sass_lower_add_sites(l))
        return false;
    l->block_start =
        ifl_arena_alloc(&l->scratch, ((size_t)l->flow.block_count + 1) * sizeof *l->block_start);
    if (!l->block_start) {
        l->status = ifl_fail_memory(l->error, l->flow.block_count);
        return false;
    }
    l->image->tallied = ifl_sass_lower_allocate(l, (size_t)l->count + 1);
    if (!l->image->tallied)
        return false;
    place_registers(l);
    find_group_boards(l);
    l->part = l->parts;
    if (!ifl_sass_lower_foresee(l) || !ifl_sass_lower_find_known(l))
        return false;
    for (uint32_t b = 0; b < l->flow.block_count && l->status == IFL_OK; b++)
        lower_block(l, b);
    lower_end(l);
    return l->status == IFL_OK && keep(l);
}

ifl_status ifl_sass_lower(const ifl_sass_lowering *lowering, ifl_image *image, ifl_error *error)
{
    enum { MOST_LOCAL = 512 * 1024 };
    const ifl_object_text *kernel = lowering->kernel;
    memset(image, 0, sizeof *image);
    if (kernel->unresolved)
        return ifl_fail(error, IFL_UNSUPPORTED,
                        "'%s' needs the symbol '%.200s', which is not defined",
                        kernel->kernel->name, kernel->unresolved);
    if (!ifl_sass_supports(kernel->kernel->sm))
        return ifl_fail(error, IFL_UNSUPPORTED,
                        "'%s' is machine code for sm_%u, which is not supported",
                        kernel->kernel->name, kernel->kernel->sm);
    if (ifl_sass_local_bytes(kernel->kernel) > MOST_LOCAL)
        return ifl_fail(
            error, IFL_BAD_INPUT,
            "'%s' asks for %llu bytes of local memory per thread, and no GPU has more than 512 KiB",
            kernel->kernel->name, (unsigned long long)ifl_sass_local_bytes(kernel->kernel));
    ifl_sass_lowerer l = {.input = lowering,
                          .image = image,
                          .arena = &image->arena,
                          .build.arena = &image->arena,
                          .error = error};
    const bool is_done = lower_all(&l);
    ifl_builder_free(&l.build);
    ifl_vec_free(&l.headers);
    ifl_arena_free(&l.scratch);
    if (!is_done)
        ifl_image_free(image);
    return l.status;
}
