/* SPDX-License-Identifier: Apache-2.0
 * How often a kernel's blocks ran, from what a launch tells of its memory instructions. Warps enter
 * the first block; an instruction's requests tell of its block; where no branch parted a warp, what
 * comes into a block goes out of it, which tells of others. What does not follow is not known.
 * Knows blocks and accesses; nothing of where the counts come from. */
#include "sass/sass_facts.h"
#include "sass/sass_flow.h"
#include "sass/sass_flux.h"

#include <stdlib.h>
#include <string.h>

/* ---- kinds of access ------------------------------------------------------------------------- */

enum { NONE = IFL_SASS_OTHER };

static const uint8_t classes[IFL_TRAFFIC_COUNT][3] = {
    [IFL_TRAFFIC_global_load] = {IFL_SASS_LOAD_GLOBAL, IFL_SASS_LOAD_GENERIC, IFL_SASS_COPY_ASYNC},
    [IFL_TRAFFIC_global_store] = {IFL_SASS_STORE_GLOBAL, IFL_SASS_STORE_GENERIC, NONE},
    [IFL_TRAFFIC_global_atomic] = {IFL_SASS_ATOMIC_GLOBAL, NONE, NONE},
    [IFL_TRAFFIC_local_load] = {IFL_SASS_LOAD_LOCAL, NONE, NONE},
    [IFL_TRAFFIC_local_store] = {IFL_SASS_STORE_LOCAL, NONE, NONE},
    [IFL_TRAFFIC_shared_load] = {IFL_SASS_LOAD_SHARED, NONE, NONE},
    [IFL_TRAFFIC_shared_store] = {IFL_SASS_STORE_SHARED, NONE, NONE},
    [IFL_TRAFFIC_shared_atomic] = {IFL_SASS_ATOMIC_SHARED, NONE, NONE},
};

ifl_traffic_kind ifl_sass_traffic_of(const ifl_sass_instruction *instruction)
{
    const uint8_t class = instruction->sass_class;
    for (unsigned t = 0; class != NONE && t < IFL_TRAFFIC_COUNT; t++)
        for (size_t c = 0; c < sizeof *classes; c++)
            if (classes[t][c] == class)
                return (ifl_traffic_kind)t;
    return IFL_TRAFFIC_COUNT;
}

/* ---- the accesses of a line ------------------------------------------------------------------ */

typedef struct access {
    uint64_t place; /* its line of the PTX, or its source line among all; 0: not known */
    uint32_t block;
    ifl_traffic_kind traffic;
    uint32_t bytes;
    bool guarded;
} access;

/* All that PTX and machine code have of one kind in one line. */
typedef struct line_sum {
    uint64_t requests; /* of each of the PTX's instructions */
    uint64_t ptx_bytes, bytes;
    bool any, same; /* are the requests the same for all? */
} line_sum;

typedef struct count_work {
    const ifl_sass_facts *facts;
    const ifl_sass_launch *launch;
    ifl_sass_counts *counts;
    uint64_t *places; /* of the launch's requests */
    access *accesses;
    size_t access_count;
} count_work;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Lines of the source, by the number of the file in the machine code's list. */
static uint64_t source_place(const count_work *w, const char *file, uint32_t line)
{
    const ifl_machine *machine = w->facts->machine;
    for (size_t f = 0; f < machine->file_count; f++)
        if (line && strcmp(base_name(machine->files[f]), base_name(file)) == 0)
            return (uint64_t)(f + 1) << 32 | line;
    return 0;
}

static uint64_t place_of(const count_work *w, const ifl_sass_request_count *r, bool in_ptx)
{
    return in_ptx ? r->ptx_line : source_place(w, r->file, r->line);
}

static uint64_t place_at(const count_work *w, uint32_t offset, bool in_ptx)
{
    const ifl_machine_line *line = ifl_machine_line_at(w->facts->kernel.kernel, offset);
    if (in_ptx)
        return ifl_machine_ptx_line_at(w->facts->kernel.kernel, offset);
    return line ? source_place(w, ifl_sass_file_of(w->facts->machine, line), line->line) : 0;
}

static void list_accesses(count_work *w, bool in_ptx)
{
    const ifl_sass_kernel *kernel = &w->facts->kernel;
    w->access_count = 0;
    for (size_t i = 0; i < w->launch->request_count; i++)
        w->places[i] = place_of(w, &w->launch->requests[i], in_ptx);
    for (uint32_t b = 0; b < kernel->block_count; b++)
        for (size_t i = kernel->blocks[b].first; kernel->reached[b] && i < kernel->blocks[b].last;
             i++) {
            const ifl_sass_instruction *instruction = &kernel->instructions[i];
            const ifl_traffic_kind traffic = ifl_sass_traffic_of(instruction);
            if (traffic == IFL_TRAFFIC_COUNT || ifl_sass_is_spill(instruction))
                continue;
            w->accesses[w->access_count++] =
                (access){place_at(w, instruction->offset, in_ptx), b, traffic,
                         instruction->memory_bytes, ifl_sass_is_guarded(instruction)};
        }
}

static line_sum sum_line(const count_work *w, const access *a)
{
    line_sum sum = {.same = true};
    for (size_t i = 0; i < w->launch->request_count; i++) {
        const ifl_sass_request_count *r = &w->launch->requests[i];
        if (r->traffic != a->traffic || w->places[i] != a->place)
            continue;
        sum.same &= !sum.any || r->requests == sum.requests;
        sum.any = true;
        sum.requests = r->requests;
        sum.ptx_bytes += r->bytes;
    }
    for (size_t i = 0; i < w->access_count; i++)
        if (w->accesses[i].traffic == a->traffic && w->accesses[i].place == a->place)
            sum.bytes += w->accesses[i].bytes;
    return sum;
}

/* The map from machine code to lines of PTX is of the PTX that ran where each access of the one is
 * an access of that kind in the other. */
static bool has_same_ptx(const count_work *w)
{
    for (size_t i = 0; i < w->access_count; i++)
        if (!w->accesses[i].place || !sum_line(w, &w->accesses[i]).any)
            return false;
    return w->access_count;
}

/* ---- what is known of blocks ----------------------------------------------------------------- */

/* A load may have been moved out of a loop, so that it runs less often than the PTX's: outside of
 * loops no block runs more often than there are warps. A store stays where it is. */
static bool may_tell(const count_work *w, const access *a, const line_sum *sum)
{
    const bool in_loop = w->facts->kernel.blocks[a->block].loop >= 0;
    return !a->guarded && a->place && sum->any && sum->same && sum->bytes == sum->ptx_bytes &&
           (in_loop || sum->requests <= w->launch->warps);
}

/* The accesses of a line are those of the PTX, none unrolled further or removed, where a lane's
 * bytes are the same; joined into wider ones they run as often as each did. */
static void learn(count_work *w, bool stores, ifl_sass_flux *flux)
{
    for (size_t i = 0; i < w->access_count; i++) {
        const access *a = &w->accesses[i];
        const bool is_load = ifl_traffic_info_get(a->traffic)->kind == IFL_ACCESS_LOAD;
        if (is_load == stores || ifl_sass_flux_block(flux, a->block, NULL))
            continue;
        const line_sum sum = sum_line(w, a);
        if (may_tell(w, a, &sum))
            ifl_sass_flux_know(flux, a->block, sum.requests);
    }
}

/* Lines of the PTX have one access each, and tell more than those of the source. */
static void derive(count_work *w, ifl_sass_flux *flux)
{
    ifl_sass_flux_settle(flux);
    for (int in_ptx = 1; in_ptx >= 0; in_ptx--) {
        list_accesses(w, in_ptx);
        for (int stores = 1; stores >= 0 && (!in_ptx || has_same_ptx(w)); stores--) {
            learn(w, stores, flux);
            ifl_sass_flux_settle(flux);
        }
    }
}

static void take(count_work *w, const ifl_sass_flux *flux)
{
    const ifl_sass_kernel *kernel = &w->facts->kernel;
    w->counts->all = true;
    for (uint32_t b = 0; b < kernel->block_count; b++) {
        const ifl_sass_block *block = &kernel->blocks[b];
        if (!kernel->reached[b])
            continue;
        w->counts->known[b] = ifl_sass_flux_block(flux, b, &w->counts->block[b]);
        w->counts->all &= w->counts->known[b];
        if (w->counts->known[b])
            w->counts->executed += w->counts->block[b] * (block->last - block->first);
    }
}

/* Where it is not known: outside of loops a warp comes once, and nothing runs more often than all
 * that leads to it. */
static uint64_t first_bound(const count_work *w, uint32_t b)
{
    const bool in_loop = w->facts->kernel.blocks[b].loop >= 0;
    if (w->counts->known[b])
        return w->counts->block[b];
    return in_loop ? UINT64_MAX : w->launch->warps;
}

static uint64_t sum_up_to_all(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* True where that lowered a bound; `in` has room for all blocks. */
static bool lower_bounds(const count_work *w, uint64_t *in)
{
    const ifl_sass_kernel *kernel = &w->facts->kernel;
    uint64_t *most = w->counts->most;
    bool lowered = false;
    memset(in, 0, kernel->block_count * sizeof *in);
    in[0] = w->launch->warps;
    for (uint32_t b = 0; b < kernel->block_count; b++)
        for (int s = 0; kernel->reached[b] && s < 2; s++) {
            const uint32_t to = kernel->blocks[b].successor[s];
            if (to != IFL_SASS_NO_BLOCK)
                in[to] = sum_up_to_all(in[to], most[b]);
        }
    for (uint32_t b = 0; b < kernel->block_count; b++)
        if (!w->counts->known[b] && in[b] < most[b]) {
            most[b] = in[b];
            lowered = true;
        }
    return lowered;
}

static bool bound(const count_work *w)
{
    const uint32_t blocks = (uint32_t)w->facts->kernel.block_count;
    uint64_t *in = calloc(blocks, sizeof *in);
    for (uint32_t b = 0; in && b < blocks; b++)
        w->counts->most[b] = first_bound(w, b);
    for (uint32_t round = 0; in && round < blocks && lower_bounds(w, in); round++)
        continue;
    free(in);
    return in != NULL;
}

ifl_status ifl_sass_execute(const ifl_sass_facts *facts, const ifl_sass_launch *launch,
                            ifl_arena *arena, ifl_sass_counts *out, ifl_error *error)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    count_work w = {.facts = facts, .launch = launch, .counts = out};
    ifl_sass_flux *flux = ifl_sass_flux_new(kernel, launch->warps, launch->uniform);
    w.accesses = calloc(kernel->instruction_count + 1, sizeof *w.accesses);
    w.places = calloc(launch->request_count + 1, sizeof *w.places);
    out->block = ifl_arena_alloc(arena, kernel->block_count * sizeof *out->block);
    out->known = ifl_arena_alloc(arena, kernel->block_count * sizeof *out->known);
    out->most = ifl_arena_alloc(arena, kernel->block_count * sizeof *out->most);
    bool whole = flux && w.accesses && w.places && out->block && out->known && out->most;
    if (whole && kernel->block_count) {
        derive(&w, flux);
        take(&w, flux);
        whole = bound(&w);
    }
    ifl_sass_flux_free(flux);
    free(w.accesses);
    free(w.places);
    return whole ? IFL_OK : ifl_fail_memory(error, kernel->instruction_count * sizeof(access));
}
