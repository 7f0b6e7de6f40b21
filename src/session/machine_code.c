/* SPDX-License-Identifier: Apache-2.0
 * Says in the profile what the machine code of a launched kernel is. Knows kernels and profiles;
 * what machine code means is known in src/sass. */
#include "session/machine_code.h"

#include "base/file.h"
#include "sass/sass_facts.h"
#include "session/session_internal.h"
#include "session/watch.h"

#include <stdlib.h>
#include <string.h>

/* ---- into the profile ------------------------------------------------------------------------ */

static bool take_opcodes(ifl_profile *profile, const ifl_sass_facts *facts)
{
    for (size_t i = 0; i < facts->opcode_count; i++) {
        const ifl_sass_opcode *opcode = &facts->opcodes[i];
        const char *name = ifl_profile_copy_text(profile, opcode->name);
        if (!name || !ifl_vec_push(&profile->machine.opcodes,
                                   (ifl_machine_opcode){name, opcode->count, opcode->useful}))
            return false;
    }
    return true;
}

static bool take_loops(ifl_profile *profile, const ifl_sass_facts *facts)
{
    for (size_t l = 0; l < facts->kernel.loop_count; l++) {
        const ifl_sass_loop *from = &facts->kernel.loops[l];
        const char *file;
        ifl_machine_loop loop = {
            .depth = from->at.depth,
            .is_innermost = from->at.is_innermost,
            .instructions = from->instructions,
            .useful = from->useful,
            .exposed_latencies = from->exposed_latencies,
            .register_reuses = from->register_reuses,
            .bytes_in_flight = from->load_bytes_in_flight,
            .spills = from->spill_loads + from->spill_stores,
        };
        const bool has_lines =
            ifl_sass_loop_lines(facts, l, &file, &loop.first_line, &loop.last_line);
        loop.file = ifl_profile_copy_text(profile, has_lines ? file : "");
        if (!loop.file || !ifl_vec_push(&profile->machine.loops, loop))
            return false;
    }
    return true;
}

static void take_figures(ifl_machine_facts *to, const ifl_sass_facts *facts)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    to->sm = kernel->kernel->sm;
    to->is_debug = kernel->kernel->is_debug;
    to->registers = kernel->kernel->registers;
    to->static_shared_bytes = kernel->kernel->static_shared_bytes;
    to->stack_bytes = kernel->kernel->frame_bytes;
    to->spill_load_bytes = kernel->spill_load_bytes;
    to->spill_store_bytes = kernel->spill_store_bytes;
    to->spilled_at_once_bytes = kernel->spilled_at_once_bytes;
    to->instructions = facts->reached;
    to->unknown = (uint32_t)kernel->unknown;
    to->useful = facts->purpose[IFL_SASS_USEFUL];
    to->bytes_in_flight = kernel->bytes_in_flight;
}

/* Bulk copies are waited for at barriers in shared memory, which no scoreboard tells of. */
static bool has_bulk_copies(const ifl_sass_facts *facts)
{
    for (size_t i = 0; i < facts->opcode_count; i++)
        if (facts->opcodes[i].op == IFL_SASS_OP_UBLKCP)
            return true;
    return false;
}

static void take_order(ifl_machine_order *to, const ifl_sass_facts *facts)
{
    if (has_bulk_copies(facts))
        return;
    for (size_t b = 0; b < facts->kernel.flow.block_count; b++) {
        const ifl_sass_turn *turn = &facts->kernel.turns[b];
        const double times = (double)facts->executed[b];
        to->load_waits += times * turn->load_waits;
        to->load_spread += times * turn->load_spread;
        to->shared_waits += times * turn->shared_waits;
        to->cycles += times * turn->cycles;
    }
    to->known = true;
}

static ifl_status take_facts(ifl_profile *profile, const ifl_sass_facts *facts, ifl_error *error)
{
    profile->machine = (ifl_machine_facts){
        .file = ifl_profile_copy_text(profile, ifl_file_last_name(facts->machine->file))};
    take_figures(&profile->machine, facts);
    if (!profile->machine.file || !take_opcodes(profile, facts) || !take_loops(profile, facts))
        return ifl_fail_memory(error, sizeof(ifl_machine_loop));
    profile->machine.known = true;
    profile->machine.ran = facts->executed != NULL;
    if (profile->machine.ran)
        take_order(&profile->machine.order, facts);
    return IFL_OK;
}

/* ---- its instructions ------------------------------------------------------------------------ */

static bool list_instruction(ifl_profile *profile, const ifl_sass_facts *facts, uint32_t i,
                             uint64_t issued)
{
    enum { LONGEST = 264 };
    char text[LONGEST];
    const ifl_sass_instruction *instruction = &facts->kernel.instructions[i];
    const ifl_machine_line *line = ifl_machine_line_at(facts->kernel.kernel, instruction->offset);
    const ifl_machine *machine = facts->machine;
    ifl_listed_instruction one = {
        .text =
            ifl_profile_copy_text(profile, ifl_sass_guarded_text(instruction, text, sizeof text)),
        .address = instruction->offset,
        .issued = issued};
    if (line && line->line && line->file < machine->file_count) {
        const size_t count = profile->machine.listing.count;
        const char *file = machine->files[line->file],
                   *before = count ? profile->machine.listing.at[count - 1].file : NULL;
        one.line = line->line;
        one.file =
            before && strcmp(before, file) == 0 ? before : ifl_profile_copy_text(profile, file);
    }
    return one.text && (one.file || !one.line) && ifl_vec_push(&profile->machine.listing, one);
}

static bool take_listing(ifl_profile *profile, const ifl_sass_facts *facts, const uint64_t *issued)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    for (size_t b = 0; b < kernel->flow.block_count; b++)
        for (uint32_t i = kernel->flow.blocks[b].first;
             kernel->reached[b] && i < kernel->flow.blocks[b].last; i++)
            if (!list_instruction(profile, facts, i, issued[i]))
                return false;
    return true;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static size_t index_of(const ifl_ready_kernel *kernel)
{
    return (size_t)(kernel->text - kernel->object->object->texts);
}

struct ifl_analysed {
    ifl_arena arena;
    ifl_sass_kernel kernel;
};

void ifl_analysed_free(ifl_analysed *analysed)
{
    if (analysed)
        ifl_arena_free(&analysed->arena);
    free(analysed);
}

static ifl_status analyse(ifl_ready_kernel *kernel, ifl_error *error)
{
    ifl_analysed *to = calloc(1, sizeof *to);
    if (!to)
        return ifl_fail_memory(error, sizeof *to);
    ifl_status status =
        ifl_sass_analyze(&kernel->object->object->machine->kernels[index_of(kernel)], &to->arena,
                         &to->kernel, error);
    if (status == IFL_OK)
        status = ifl_sass_find_turns(&to->kernel, &to->arena, error);
    if (status == IFL_OK)
        kernel->analysed = to;
    else
        ifl_analysed_free(to);
    return status;
}

/* What became of a .cu file is the compiler's own work. */
static bool is_assembled(const ifl_loaded *loaded)
{
    return loaded->assembled.cubin || (loaded->owned && loaded->owned->assembled.cubin);
}

ifl_status ifl_machine_code_ran(ifl_ready_kernel *kernel, const uint64_t *issued, bool listed,
                                ifl_profile *profile, ifl_error *error)
{
    ifl_arena arena = {0};
    ifl_sass_facts facts;
    ifl_status status = kernel->analysed ? IFL_OK : analyse(kernel, error);
    if (status == IFL_OK)
        status = ifl_sass_facts_of(kernel->object->object->machine, &kernel->analysed->kernel,
                                   issued, &arena, &facts, error);
    if (status == IFL_OK)
        status = take_facts(profile, &facts, error);
    if (status == IFL_OK && listed && !take_listing(profile, &facts, issued))
        status = ifl_fail_memory(error, sizeof(ifl_listed_instruction));
    ifl_arena_free(&arena);
    profile->machine.assembled = is_assembled(kernel->loaded);
    return status;
}

ifl_status ifl_machine_code_beside(const ifl_ready_kernel *kernel, ifl_profile *profile,
                                   ifl_error *error)
{
    const ifl_machine *machine = kernel->loaded->machine;
    const ifl_machine_kernel *code =
        machine ? ifl_machine_find(machine, kernel->kernel->name) : NULL;
    ifl_error own = {0};
    ifl_arena arena = {0};
    ifl_sass_facts facts;
    if (!code)
        return IFL_OK;
    ifl_status status = ifl_sass_facts_collect(machine, (size_t)(code - machine->kernels), NULL,
                                               &arena, &facts, &own);
    if (status == IFL_OK)
        status = take_facts(profile, &facts, &own);
    ifl_arena_free(&arena);
    if (status == IFL_UNSUPPORTED)
        return ifl_profile_warn(profile, error, "the machine code in '%.200s' is ignored: %.700s",
                                ifl_file_last_name(machine->file), own.text);
    if (status != IFL_OK && error)
        *error = own;
    return status;
}
