/* SPDX-License-Identifier: Apache-2.0
 * Words for what a kernel did wrong: which access, by whom, and what lies nearest. */
#include "exec/warp.h"

#include "base/figure.h"

#include <stdarg.h>

static void thread_position(const ifl_warp *warp, uint32_t lane, uint32_t *xyz)
{
    const uint32_t *block = warp->worker->grid->launch->block;
    uint32_t thread = warp->index * IFL_WARP_LANES + lane;
    xyz[0] = thread % block[0];
    xyz[1] = thread / block[0] % block[1];
    xyz[2] = thread / block[0] / block[1];
}

ifl_reason ifl_fault_raise(ifl_warp *warp, const ifl_code *code, ifl_fault_kind kind, uint32_t lane,
                           const char *format, ...)
{
    ifl_fault *fault = &warp->worker->fault;
    if (fault->is_set)
        return IFL_REASON_FAULT;
    char what[512];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    uint32_t t[3];
    const uint32_t *b = warp->block->position;
    thread_position(warp, lane, t);
    *fault =
        (ifl_fault){.is_set = true, .block = warp->block->index, .kind = kind, .site = code->site};
    const char *name = warp->worker->grid->launch->kernel_name;
    snprintf(fault->text, sizeof fault->text, "%s\nkernel %s, block (%u,%u,%u), thread (%u,%u,%u)",
             what, name ? name : warp->worker->grid->image->name, b[0], b[1], b[2], t[0], t[1],
             t[2]);
    return IFL_REASON_FAULT;
}

/* Where a bad address lies, in words. */
typedef struct place_text {
    char *to;
    size_t size;
} place_text;

static uint64_t gap_between(const ifl_allocation *a, uint64_t address)
{
    return address < a->address ? a->address - address : address - (a->address + a->bytes);
}

/* A bad index usually starts from a buffer of the caller's: what is not near a variable of the
 * module's is told from the nearest of those. */
static const ifl_allocation *nearest(const ifl_memory *memory, uint64_t address)
{
    enum { NEAR_BYTES = 1 << 20 };
    const ifl_allocation *near = ifl_memory_nearest(memory, address), *best = NULL;
    if (!near || !(near->flags & IFL_ALLOCATION_MODULE) || gap_between(near, address) < NEAR_BYTES)
        return near;
    for (size_t i = 0; i < ifl_memory_count(memory); i++) {
        const ifl_allocation *a = ifl_memory_at(memory, i);
        if (!(a->flags & IFL_ALLOCATION_MODULE) &&
            (!best || gap_between(a, address) < gap_between(best, address)))
            best = a;
    }
    return best ? best : near;
}

static void describe_inside(place_text out, const ifl_allocation *a, uint64_t address,
                            uint64_t bytes, bool is_write)
{
    const unsigned long long at = address - a->address;
    const char *why = a->flags & IFL_ALLOCATION_FREED                   ? "which was freed"
                      : is_write && a->flags & IFL_ALLOCATION_READ_ONLY ? "which is read-only"
                                                                        : NULL;
    if (why)
        snprintf(out.to, out.size, "%llu bytes into %s, %s", at, a->label, why);
    else
        snprintf(out.to, out.size, "the last %llu of %llu bytes past the end of %s",
                 at + bytes - (unsigned long long)a->bytes, (unsigned long long)bytes, a->label);
}

static void describe_outside(place_text out, const ifl_allocation *near, uint64_t address)
{
    const unsigned long long gap = gap_between(near, address);
    if (address < near->address)
        snprintf(out.to, out.size, "%llu bytes before the start of %s", gap, near->label);
    else if (!gap)
        snprintf(out.to, out.size, "right past the end of %s", near->label);
    else
        snprintf(out.to, out.size, "%llu bytes past the end of %s", gap, near->label);
}

/* "4 bytes past the end of argument 3, f32×1000". Programs, heaps and stacks of x86-64 and AArch64
 * Linux stand above 2^42; device addresses here do not reach so far. */
static void describe_global(place_text out, const ifl_memory *memory, uint64_t address,
                            uint64_t bytes, bool is_write)
{
    const uint64_t null_page = 4096, least_pointer = UINT64_C(1) << 32,
                   least_host = UINT64_C(1) << 42;
    const ifl_allocation *inside = ifl_memory_find(memory, address),
                         *near = nearest(memory, address);
    const bool is_far = !near || gap_between(near, address) >= least_host;
    if (inside)
        describe_inside(out, inside, address, bytes, is_write);
    else if (address < null_page)
        snprintf(out.to, out.size, "a null pointer");
    else if (address < least_pointer)
        snprintf(out.to, out.size,
                 "far from every allocation: a number, not an address of the GPU");
    else if (address >> 47 || (is_far && address >= least_host))
        snprintf(out.to, out.size,
                 "far from every allocation: a host pointer, or no address at all");
    else if (!near)
        snprintf(out.to, out.size, "there are no allocations");
    else
        describe_outside(out, near, address);
}

/* What the program has of a window of memory: bytes [start, end). */
typedef struct own_bytes {
    uint64_t start, end;
} own_bytes;

/* The system's bytes before and behind the kernel's own are no part of what the program asked for. */
static own_bytes own_shared(const ifl_grid *grid)
{
    return (own_bytes){grid->reserved_first, grid->own_shared};
}

/* Shared and local memory; a negative index wraps around in 32 bits or in 64. */
static void describe_window(place_text out, uint64_t address, own_bytes own, const char *what)
{
    const int64_t place = address >> 32 ? (int64_t)address : (int32_t)address;
    const uint64_t total = own.end - own.start;
    if (place < (int64_t)own.start)
        snprintf(out.to, out.size, "%llu bytes before the start of the %s memory",
                 (unsigned long long)(own.start - (uint64_t)place), what);
    else if (address < own.end)
        snprintf(out.to, out.size, "across the end of the %s %llu bytes", what,
                 (unsigned long long)total);
    else if (address == own.end)
        snprintf(out.to, out.size, "right past the end of the %s %llu bytes", what,
                 (unsigned long long)total);
    else
        snprintf(out.to, out.size, "%llu bytes past the end of the %s %llu bytes",
                 (unsigned long long)(address - own.end), what, (unsigned long long)total);
}

/* Calls whose depth ptxas does not know have a stack, which grows down. */
static bool is_below_stack(const ifl_frame *frame, uint64_t address)
{
    return frame && frame->routine->has_stack && !frame->local_start && (int32_t)address < 0;
}

static void describe_local(place_text out, const ifl_frame *frame, uint64_t address)
{
    if (is_below_stack(frame, address))
        snprintf(out.to, out.size,
                 "%lld bytes below the thread's stack of %llu bytes (cudaLimitStackSize)",
                 -(long long)(int32_t)address, (unsigned long long)frame->local_bytes);
    else
        describe_window(out, address,
                        (own_bytes){0, frame ? frame->local_start + frame->local_bytes : 0},
                        "thread's");
}

/* In shared memory of the cluster: no such block, one that has ended, or outside of what it has. */
static void describe_cluster(place_text out, const ifl_warp *warp, uint64_t address)
{
    const uint64_t rank = address >> IFL_RANK_SHIFT,
                   offset = address & ((UINT64_C(1) << IFL_RANK_SHIFT) - 1);
    const ifl_grid *grid = warp->worker->grid;
    const ifl_block *block = ifl_cluster_block(warp, rank);
    char inside[160];
    describe_window((place_text){inside, sizeof inside}, offset, own_shared(grid), "block's");
    if (!block)
        snprintf(out.to, out.size, "of the block with rank %llu in a cluster of %u",
                 (unsigned long long)rank, grid->cluster_blocks);
    else if (!block->is_running)
        snprintf(out.to, out.size, "of the block with rank %llu in the cluster, which has ended",
                 (unsigned long long)rank);
    else
        snprintf(out.to, out.size, "of the block with rank %llu in the cluster, %s",
                 (unsigned long long)rank, inside);
}

/* ld.shared and kin reach the block's own only; in a cluster of one block there is no other. */
static bool has_rank(const ifl_warp *warp, uint64_t address)
{
    const uint64_t rank = address >> IFL_RANK_SHIFT;
    return warp->worker->grid->image->demands.has_ranks && rank && rank < IFL_MOST_CLUSTER_BLOCKS;
}

static void describe(place_text out, const ifl_warp *warp, ifl_space space, uint64_t address,
                     uint64_t bytes, bool is_write)
{
    const ifl_grid *grid = warp->worker->grid;
    if (space == IFL_SPACE_CLUSTER || (space == IFL_SPACE_SHARED && has_rank(warp, address)))
        describe_cluster(out, warp, address);
    else if (space == IFL_SPACE_SHARED)
        describe_window(out, address, own_shared(grid), "block's");
    else if (space == IFL_SPACE_LOCAL)
        describe_local(out, warp->frame, address);
    else
        describe_global(out, grid->launch->memory, address, bytes, is_write);
}

/* ", 1 bytes into argument 2, f32×4": what a misaligned address lies in, or nothing. */
static void describe_misaligned(place_text out, const ifl_warp *warp, ifl_space space,
                                uint64_t address)
{
    const bool is_window =
        space == IFL_SPACE_SHARED || space == IFL_SPACE_CLUSTER || space == IFL_SPACE_LOCAL;
    const ifl_allocation *a =
        is_window ? NULL : ifl_memory_find(warp->worker->grid->launch->memory, address);
    out.to[0] = '\0';
    if (a)
        snprintf(out.to, out.size, ", %llu bytes into %s",
                 (unsigned long long)(address - a->address), a->label);
}

static const char *space_name(ifl_space space)
{
    return space == IFL_SPACE_CLUSTER                              ? "shared"
           : space == IFL_SPACE_SHARED || space == IFL_SPACE_LOCAL ? ifl_space_text(space)
                                                                   : "global";
}

static const char *site_name(const ifl_warp *warp, const ifl_code *code)
{
    return warp->worker->grid->image->sites.at[code->site].name;
}

static const char *verb_of(bool is_write)
{
    return is_write ? "writes" : "reads";
}

void ifl_fault_outside_of_memory(ifl_warp *warp, const ifl_code *code, ifl_space space,
                                 uint32_t lane, uint64_t address, uint64_t bytes, bool is_write)
{
    char where[256];
    describe((place_text){where, sizeof where}, warp, space, address, bytes, is_write);
    ifl_fault_raise(warp, code, IFL_FAULT_ADDRESS, lane,
                    "illegal address: %s %s %s of %s memory at 0x%llx, %s", site_name(warp, code),
                    verb_of(is_write), ifl_figure_counted(bytes, "byte").text, space_name(space),
                    (unsigned long long)address, where);
}

void ifl_fault_access(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                      uint64_t address, uint64_t bytes, bool is_write)
{
    char where[256];
    const unsigned long long size = bytes;
    if (!bytes || (bytes & (bytes - 1)) || address % bytes == 0) {
        ifl_fault_outside_of_memory(warp, code, space, lane, address, bytes, is_write);
        return;
    }
    describe_misaligned((place_text){where, sizeof where}, warp, space, address);
    ifl_fault_raise(warp, code, IFL_FAULT_MISALIGNED, lane,
                    "misaligned address: %s %s %llu bytes of %s memory at 0x%llx%s, which is "
                    "not a multiple of %llu",
                    site_name(warp, code), verb_of(is_write), size, space_name(space),
                    (unsigned long long)address, where, size);
}

ifl_reason ifl_fault_outside(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint32_t members)
{
    return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                           "illegal instruction: the member mask 0x%08x of a warp-wide operation "
                           "does not include lane %u, which executes it",
                           members, lane);
}

/* Returns whether it is the first so far: that of the lowest block and warp. */
static bool note_first(ifl_read_warning *warning, const ifl_warp *warp, ifl_space space,
                       uint32_t lane, uint64_t address)
{
    const bool is_earlier = warp->block->index < warning->block ||
                            (warp->block->index == warning->block && warp->index < warning->warp);
    warning->times++;
    if (warning->is_set && !is_earlier)
        return false;
    warning->is_set = true;
    warning->block = warp->block->index;
    warning->warp = warp->index;
    warning->lane = lane;
    warning->address = address;
    warning->space = (uint8_t)space;
    return true;
}

void ifl_warn_unwritten(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                        uint64_t address)
{
    note_first(&warp->worker->unwritten[code->site], warp, space, lane, address);
}

void ifl_warn_low(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                  bool is_write)
{
    ifl_noted_access *low = &warp->worker->low;
    if (!note_first(&low->first, warp, IFL_SPACE_SHARED, lane, address))
        return;
    low->site = code->site;
    low->is_write = is_write;
}

void ifl_warn_outstanding(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t bytes)
{
    ifl_noted_access *noted = &warp->worker->outstanding;
    if (note_first(&noted->first, warp, IFL_SPACE_SHARED, lane, bytes))
        noted->site = code->site;
}
