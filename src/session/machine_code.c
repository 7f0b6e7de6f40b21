/* SPDX-License-Identifier: Apache-2.0
 * Finds the machine code of a launched kernel and says in the profile what it is. Knows files,
 * kernels and profiles; what machine code means is known in src/sass. */
#include "session/machine_code.h"

#include "profile/traffic.h"
#include "sass/sass_facts.h"
#include "sass/sass_flow.h"
#include "session/machine_lines.h"
#include "session/placed_objects.h"
#include "session/session_internal.h"
#include "session/watch.h"

#include <stdlib.h>
#include <string.h>

typedef struct finding {
    const ifl_kernel *kernel;
    ifl_profile *profile;
    uint32_t wanted; /* the PTX's target */
    uint32_t found;  /* the target of what was taken; 0: nothing yet */
    bool other;      /* a kernel of this name takes other parameters */
    bool ran;        /* the launch ran it */
} finding;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- what a launch tells --------------------------------------------------------------------- */

static uint64_t product(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

/* `requests` has room for all lines. */
static ifl_sass_launch told_by(const ifl_profile *profile, ifl_sass_request_count *requests)
{
    const ifl_counters *counters = &profile->counters;
    const uint64_t warps = (product(profile->block) + IFL_SASS_WARP_LANES - 1) /
                           IFL_SASS_WARP_LANES * product(profile->grid);
    ifl_sass_launch launch = {.warps = warps, .requests = requests};
    launch.uniform = counters->known[IFL_COUNTER_divergent_branches] &&
                     !counters->value[IFL_COUNTER_divergent_branches];
    for (size_t i = 0; i < profile->lines.count; i++) {
        const ifl_profile_line *line = &profile->lines.at[i];
        const ifl_traffic_kind traffic = ifl_traffic_find(line->space, line->kind);
        if (traffic != IFL_TRAFFIC_COUNT)
            requests[launch.request_count++] = (ifl_sass_request_count){
                line->file, line->line,         line->ptx_line,
                traffic,    line->access_bytes, ifl_traffic_get(&line->counters, traffic).requests};
    }
    return launch;
}

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
            .depth = from->depth,
            .is_innermost = from->is_innermost,
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

static void add_turn(ifl_machine_order *to, const ifl_sass_turn *turn, double times)
{
    to->load_waits += times * turn->load_waits;
    to->load_spread += times * turn->load_spread;
    to->shared_waits += times * turn->shared_waits;
    to->local_waits += times * turn->local_waits;
    to->cycles += times * turn->cycles;
}

/* Of the blocks: how often each ran at most, and how much of that is certain. */
static void sum_turns(const ifl_sass_facts *facts, ifl_machine_order *most, ifl_machine_order *sure)
{
    const ifl_sass_counts *counts = &facts->counts;
    for (size_t b = 0; b < facts->kernel.block_count; b++) {
        const ifl_sass_turn *turn = &facts->kernel.turns[b];
        add_turn(most, turn, (double)counts->most[b]);
        add_turn(sure, turn, counts->known[b] ? (double)counts->block[b] : 0);
    }
}

static bool is_near(double sure, double most)
{
    const double unsure_share = 0.1;
    return most - sure <= unsure_share * most;
}

static ifl_status take_order(ifl_machine_order *to, ifl_sass_facts *facts, ifl_arena *arena,
                             ifl_error *error)
{
    if (!facts->counts.known || has_bulk_copies(facts))
        return IFL_OK;
    const ifl_status status = ifl_sass_find_turns(&facts->kernel, arena, error);
    ifl_machine_order most = {.known = false}, sure = {.known = false};
    if (status != IFL_OK)
        return status;
    sum_turns(facts, &most, &sure);
    most.known = is_near(sure.load_waits, most.load_waits) &&
                 is_near(sure.shared_waits, most.shared_waits) && is_near(sure.cycles, most.cycles);
    if (!facts->counts.all)
        most.cycles = 0;
    if (most.known)
        *to = most;
    return IFL_OK;
}

static void add_spill(ifl_machine_spills *to, const ifl_sass_instruction *instruction, double times)
{
    enum { WORD = 4 };
    const double lines =
        times * (instruction->memory_bytes > WORD ? instruction->memory_bytes / WORD : 1);
    const bool is_load = instruction->sass_class == IFL_SASS_LOAD_LOCAL;
    *(is_load ? &to->load_requests : &to->store_requests) += times;
    *(is_load ? &to->load_lines : &to->store_lines) += lines;
}

/* Of a guarded one it is not known how often a lane asked. */
static void sum_spills(const ifl_sass_facts *facts, ifl_machine_spills *most,
                       ifl_machine_spills *sure)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    const ifl_sass_counts *counts = &facts->counts;
    for (size_t b = 0; b < kernel->block_count; b++)
        for (size_t i = kernel->blocks[b].first; kernel->reached[b] && i < kernel->blocks[b].last;
             i++) {
            const ifl_sass_instruction *instruction = &kernel->instructions[i];
            if (!ifl_sass_is_spill(instruction))
                continue;
            const bool is_sure = counts->known[b] && !ifl_sass_is_guarded(instruction);
            add_spill(most, instruction, (double)counts->most[b]);
            add_spill(sure, instruction, is_sure ? (double)counts->block[b] : 0);
        }
}

/* Arrays of the source's at fixed places look like spills: where the PTX has any, they are not told
 * apart. */
static void take_spills(ifl_machine_spills *to, const ifl_sass_facts *facts,
                        const ifl_counters *counters)
{
    ifl_machine_spills most = {.known = false}, sure = {.known = false};
    if (!facts->counts.known || counters->value[IFL_COUNTER_local_load_requests] ||
        counters->value[IFL_COUNTER_local_store_requests])
        return;
    sum_spills(facts, &most, &sure);
    most.known =
        is_near(sure.load_lines, most.load_lines) && is_near(sure.store_lines, most.store_lines);
    if (most.known)
        *to = most;
}

static ifl_status take_facts(const finding *f, ifl_sass_facts *facts, ifl_arena *arena,
                             ifl_error *error)
{
    ifl_profile *profile = f->profile;
    ifl_machine_facts_free(&profile->machine);
    profile->machine = (ifl_machine_facts){
        .file = ifl_profile_copy_text(profile, base_name(facts->machine->file))};
    take_figures(&profile->machine, facts);
    if (!profile->machine.file || !take_opcodes(profile, facts) || !take_loops(profile, facts))
        return ifl_fail_memory(error, sizeof(ifl_machine_loop));
    profile->machine.known = true;
    profile->machine.ran = f->ran;
    if (f->ran)
        return take_order(&profile->machine.order, facts, arena, error);
    profile->counters.known[IFL_COUNTER_instructions] = false;
    if (profile->complete && facts->counts.known && facts->counts.all)
        ifl_counters_set(&profile->counters, IFL_COUNTER_instructions, facts->counts.executed);
    take_spills(&profile->machine.spills, facts, &profile->counters);
    const ifl_status status = take_order(&profile->machine.order, facts, arena, error);
    return status == IFL_OK ? ifl_machine_lines_compare(facts, profile, error) : status;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* A cubin that was made of other PTX is found out by the kernel's parameters. */
static bool takes_same(const finding *f, const ifl_machine_kernel *machine)
{
    const ifl_kernel *kernel = f->kernel;
    if (machine->parameter_count != kernel->parameter_count)
        return false;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (machine->parameters[i].offset != kernel->parameters[i].offset)
            return false;
    return true;
}

static bool is_better(const finding *f, uint32_t sm)
{
    return !f->found || (f->found != f->wanted && (sm == f->wanted || sm > f->found));
}

static ifl_status describe(finding *f, const ifl_machine *cubin, size_t kernel, ifl_error *error)
{
    ifl_arena arena = {0};
    ifl_sass_facts facts;
    ifl_sass_request_count *requests = calloc(f->profile->lines.count + 1, sizeof *requests);
    ifl_status status = requests ? IFL_OK : ifl_fail_memory(error, sizeof *requests);
    if (status == IFL_OK) {
        const ifl_sass_launch told = told_by(f->profile, requests);
        status = ifl_sass_facts_collect(cubin, kernel, f->profile->complete ? &told : NULL, &arena,
                                        &facts, error);
    }
    if (status == IFL_OK)
        status = take_facts(f, &facts, &arena, error);
    f->found = cubin->kernels[kernel].sm;
    ifl_arena_free(&arena);
    free(requests);
    return status;
}

static ifl_status visit(void *user, const ifl_machine *cubin, ifl_error *error)
{
    finding *f = user;
    ifl_status status = IFL_OK;
    for (size_t k = 0; k < cubin->kernel_count && status == IFL_OK; k++) {
        const ifl_machine_kernel *kernel = &cubin->kernels[k];
        if (!kernel->is_kernel || strcmp(kernel->name, f->profile->kernel) != 0 ||
            !is_better(f, kernel->sm))
            continue;
        const bool same = takes_same(f, kernel);
        f->other |= !same;
        if (same)
            status = describe(f, cubin, k, error);
    }
    return status;
}

/* What became of a .cu file is the compiler's own work. */
static bool is_assembled(const ifl_loaded *loaded)
{
    return loaded->assembled.cubin || (loaded->owned && loaded->owned->assembled.cubin);
}

ifl_status ifl_machine_code_ran(const ifl_ready_kernel *kernel, const uint64_t *issued,
                                ifl_profile *profile, ifl_error *error)
{
    const ifl_object *object = kernel->object->object;
    const ifl_sass_launch told = {.issued = issued};
    const finding f = {.kernel = kernel->kernel, .profile = profile, .ran = true};
    ifl_arena arena = {0};
    ifl_sass_facts facts;
    ifl_status status = ifl_sass_facts_collect(
        object->machine, (size_t)(kernel->text - object->texts), &told, &arena, &facts, error);
    if (status == IFL_OK)
        status = take_facts(&f, &facts, &arena, error);
    profile->machine.assembled = is_assembled(kernel->loaded);
    ifl_arena_free(&arena);
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static uint32_t target_of(const ifl_profile *profile)
{
    const char *digits = profile->target + strcspn(profile->target, "0123456789");
    return (uint32_t)strtoul(digits, NULL, 10);
}

static bool has_target(const ifl_machine_target_list *targets, uint32_t sm)
{
    for (size_t i = 0; i < targets->count; i++)
        if (targets->sm[i] == sm)
            return true;
    return false;
}

/* The code of the wanted target first: most files have no other kernel of the name. */
static ifl_status search(finding *f, const char *path, ifl_error *error)
{
    ifl_machine_target_list targets;
    ifl_status status = ifl_machine_targets(path, &targets, error);
    if (status != IFL_OK)
        return status;
    if (has_target(&targets, f->wanted))
        status = ifl_machine_each(path, f->wanted, visit, f, error);
    if (status == IFL_OK && !f->found)
        status = ifl_machine_each(path, 0, visit, f, error);
    return status;
}

static const char left_out[] = "the machine code in '%.200s' is ignored: %.700s";

/* What was searched and cannot be used is a warning; only want of memory fails. */
static ifl_status tell(const finding *f, ifl_status status, const ifl_error *own, const char *path,
                       ifl_error *error)
{
    if (status == IFL_NO_MEMORY) {
        if (error)
            *error = *own;
        return status;
    }
    if (status != IFL_OK)
        return ifl_profile_warn(f->profile, error, left_out, base_name(path), own->text);
    if (!f->found && f->other)
        return ifl_profile_warn(f->profile, error, left_out, base_name(path),
                                "its kernel of this name has different parameters");
    return IFL_OK;
}

static ifl_status describe_from(const ifl_kernel *kernel, const char *path, ifl_profile *profile,
                                ifl_error *error)
{
    finding f = {.kernel = kernel, .profile = profile, .wanted = target_of(profile)};
    ifl_error own = {0};
    return tell(&f, search(&f, path, &own), &own, path, error);
}

ifl_status ifl_machine_code_take(const ifl_machine *machine, const ifl_kernel *kernel,
                                 ifl_profile *profile, ifl_error *error)
{
    finding f = {.kernel = kernel, .profile = profile, .wanted = target_of(profile)};
    ifl_error own = {0};
    return tell(&f, visit(&f, machine, &own), &own, machine->file, error);
}

/* ---- where it is ----------------------------------------------------------------------------- */

static bool holds_machine_code(const char *path)
{
    ifl_machine_target_list targets;
    return ifl_machine_targets(path, &targets, NULL) == IFL_OK && targets.count;
}

/* A cubin that happens to lie beside PTX is no input: only who keeps both together says so. */
ifl_status ifl_machine_code_describe(const ifl_ready_kernel *kernel, ifl_profile *profile,
                                     ifl_error *error)
{
    const char *path =
        kernel->loaded->described_by ? kernel->loaded->described_by : kernel->module->path;
    return holds_machine_code(path) ? describe_from(kernel->kernel, path, profile, error) : IFL_OK;
}
