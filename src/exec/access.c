/* SPDX-License-Identifier: Apache-2.0
 * Memory as a warp reaches it: state spaces, generic addresses, checks; and requests in their
 * general form. The fast common cases are in width/handlers.c. */
#include "exec/fetching.h"
#include "exec/lane.h"
#include "exec/race.h"
#include "exec/warp.h"

#include <string.h>

void ifl_warp_tell(ifl_warp *warp, ifl_access *access)
{
    if (access->shape == IFL_SHAPE_ANY && warp->worker->likeness && !access->other)
        access->likeness = ifl_likeness_of(warp->worker, access);
    ifl_warp_tell_found(warp, access);
}

void ifl_warp_tell_found(ifl_warp *warp, ifl_access *access)
{
    ifl_worker *worker = warp->worker;
    access->of_host = access->space == IFL_SPACE_GLOBAL && access->mask &&
                      ifl_memory_is_pinned(worker->grid->launch->memory,
                                           access->address[__builtin_ctz(access->mask)]);
    const bool is_counted =
        access->shape == IFL_SHAPE_CONTIGUOUS && ifl_contiguous_add(worker, access);
    const size_t told = is_counted ? worker->keen_count : worker->listener_count;
    for (size_t i = 0; i < told; i++) {
        worker->listeners[i].access(worker->listeners[i].state, access);
        ifl_fetch_some(worker);
    }
}

void ifl_warp_tell_stretch(ifl_warp *warp, const ifl_code *block, uint32_t active)
{
    const ifl_worker *worker = warp->worker;
    const ifl_exec_launch *launch = worker->grid->launch;
    const ifl_block_range *range = &worker->grid->image->blocks[block->count];
    const ifl_stretch stretch = {range->first, range->last, active, warp->block->index,
                                 warp->index};
    for (size_t o = 0; o < launch->observer_count; o++)
        if (launch->observers[o]->stretch)
            launch->observers[o]->stretch(worker->states[o], &stretch);
}

void ifl_warp_tell_indexed(ifl_warp *warp, const ifl_code *code, uint32_t addresses,
                           const uint16_t *lines, uint32_t line_count)
{
    const ifl_worker *worker = warp->worker;
    const ifl_exec_launch *launch = worker->grid->launch;
    const ifl_indexed indexed = {code->site,  addresses,  warp->block->index,
                                 warp->index, line_count, lines};
    for (size_t o = 0; o < launch->observer_count; o++)
        if (launch->observers[o]->indexed)
            launch->observers[o]->indexed(worker->states[o], &indexed);
}

void ifl_warp_tell_parting(ifl_warp *warp, uint32_t site, uint32_t more)
{
    const ifl_worker *worker = warp->worker;
    const ifl_exec_launch *launch = worker->grid->launch;
    const ifl_parting parting = {site, more, warp->block->index, warp->index};
    for (size_t o = 0; o < launch->observer_count; o++)
        if (launch->observers[o]->parting)
            launch->observers[o]->parting(worker->states[o], &parting);
}

void ifl_warp_tell_nested(ifl_warp *warp, uint32_t site)
{
    const ifl_worker *worker = warp->worker;
    const ifl_exec_launch *launch = worker->grid->launch;
    const ifl_nested_launch_event nested = {site, warp->block->index, warp->index};
    for (size_t o = 0; warp->is_followed && o < launch->observer_count; o++)
        if (launch->observers[o]->nested)
            launch->observers[o]->nested(worker->states[o], &nested);
}

void ifl_warp_tell_product(ifl_warp *warp, const ifl_product_event *event)
{
    const ifl_worker *worker = warp->worker;
    const ifl_exec_launch *launch = worker->grid->launch;
    for (size_t o = 0; o < launch->observer_count; o++)
        if (launch->observers[o]->product)
            launch->observers[o]->product(worker->states[o], event);
}

static void tell_object(const ifl_warp *warp, const ifl_object_event *what)
{
    const ifl_worker *worker = warp->worker;
    const ifl_exec_launch *launch = worker->grid->launch;
    ifl_object_event event = *what;
    event.block = warp->block->index;
    event.warp = warp->index;
    for (size_t o = 0; o < launch->observer_count; o++)
        if (launch->observers[o]->object)
            launch->observers[o]->object(worker->states[o], &event);
}

void ifl_warp_tell_object(ifl_warp *warp, const ifl_code *code, ifl_object_step step,
                          const uint8_t *object, uint32_t count)
{
    const uint64_t offset = (uint64_t)(object - warp->block->shared);
    if (object < warp->block->shared || offset >= warp->worker->grid->shared_bytes)
        return;
    tell_object(warp, &(ifl_object_event){.site = code->site,
                                          .object = (uint32_t)offset,
                                          .count = count,
                                          .step = (uint8_t)step});
}

void ifl_warp_tell_some(ifl_warp *warp, const ifl_code *code, bool waits, uint32_t id,
                        uint32_t count, uint32_t expected)
{
    tell_object(warp, &(ifl_object_event){
                          .site = code->site,
                          .object = IFL_OBJECT_OF_SOME | id,
                          .count = count,
                          .expected = expected,
                          .step = (uint8_t)(waits ? IFL_OBJECT_MEETING : IFL_OBJECT_PASSING)});
}

ifl_space ifl_space_of(uint64_t address)
{
    if (address - IFL_SHARED_WINDOW < IFL_WINDOW_BYTES)
        return IFL_SPACE_SHARED;
    if (address - IFL_LOCAL_WINDOW < IFL_WINDOW_BYTES)
        return IFL_SPACE_LOCAL;
    return IFL_SPACE_GLOBAL;
}

enum { RANK_BYTES = 1 << IFL_RANK_SHIFT };

/* The part of the cluster's shared memory that is the block's own begins at its rank. An address
 * without a rank, as that of what the system reserves (%reserved_smem_offset_1), is the first
 * block's: an H100, tests/ptx/clusters.ptx. */
static bool is_own(const ifl_warp *warp, uint64_t address)
{
    const ifl_grid *grid = warp->worker->grid;
    return !grid->has_ranks || address >> IFL_RANK_SHIFT == warp->block->rank;
}

static uint64_t within_space(ifl_space space, uint64_t generic)
{
    return space == IFL_SPACE_SHARED  ? generic - IFL_SHARED_WINDOW
           : space == IFL_SPACE_LOCAL ? generic - IFL_LOCAL_WINDOW
                                      : generic;
}

/* ---- one lane -------------------------------------------------------------------------------- */

typedef struct reached {
    uint8_t *host;
    uint8_t *written; /* NULL when nobody keeps track */
} reached;

/* The handlers pass here before they have a hint: no allocation is missed. Several workers write
 * the same number. */
void ifl_warp_note_use(const ifl_warp *warp, ifl_allocation *a, ifl_purpose use)
{
    const uint64_t number = warp->worker->grid->launch_number;
    warp->worker->uses_host |= (a->flags & IFL_ALLOCATION_PINNED) != 0;
    if (use != IFL_PURPOSE_STORES && __atomic_load_n(&a->read_by, __ATOMIC_RELAXED) != number)
        __atomic_store_n(&a->read_by, number, __ATOMIC_RELAXED);
    if (use != IFL_PURPOSE_READS && __atomic_load_n(&a->changed_by, __ATOMIC_RELAXED) != number)
        __atomic_store_n(&a->changed_by, number, __ATOMIC_RELAXED);
}

static reached reach_global(ifl_warp *warp, uint64_t address, uint64_t bytes, ifl_purpose use)
{
    ifl_allocation *a = ifl_memory_find(warp->worker->grid->launch->memory, address);
    uint32_t bad = IFL_ALLOCATION_FREED | (use != IFL_PURPOSE_READS ? IFL_ALLOCATION_READ_ONLY : 0);
    if (!a || a->flags & bad || address - a->address + bytes > a->bytes)
        return (reached){NULL, NULL};
    ifl_warp_note_use(warp, a, use);
    uint8_t *written = ifl_memory_written(a);
    return (reached){a->host + (address - a->address),
                     written ? written + (address - a->address) : NULL};
}

static reached reach_shared(const ifl_warp *warp, const ifl_block *block, uint64_t address,
                            uint64_t bytes)
{
    uint64_t size = warp->worker->grid->shared_bytes;
    if (address > size || bytes > size - address)
        return (reached){NULL, NULL};
    return (reached){block->shared + address,
                     block->shared_written ? block->shared_written + address : NULL};
}

/* A block that has ended has no shared memory left. */
static reached reach_cluster(const ifl_warp *warp, uint64_t address, uint64_t bytes)
{
    const uint64_t offset = address % RANK_BYTES;
    const ifl_block *block = ifl_cluster_block(warp, address >> IFL_RANK_SHIFT);
    return block && block->is_running ? reach_shared(warp, block, offset, bytes)
                                      : (reached){NULL, NULL};
}

/* A thread's local memory is that of the calls it is in, one after the other. */
static reached reach_local(ifl_warp *warp, uint32_t lane, uint64_t address, uint64_t bytes,
                           bool is_write)
{
    for (ifl_frame *frame = warp->frame; frame; frame = frame->caller) {
        uint64_t size = frame->local_bytes, at = address - frame->local_start;
        if (address < frame->local_start)
            continue;
        if (at > size || bytes > size - at)
            break;
        if (is_write && at < frame->local_low)
            frame->local_low = at;
        uint8_t *written = frame->local_written ? frame->local_written + lane * size + at : NULL;
        return (reached){frame->local + lane * size + at, written};
    }
    return (reached){NULL, NULL};
}

static reached reach(ifl_warp *warp, ifl_space space, uint32_t lane, uint64_t address,
                     uint64_t bytes, ifl_purpose use)
{
    if (space == IFL_SPACE_SHARED)
        return reach_shared(warp, warp->block, address, bytes);
    if (space == IFL_SPACE_CLUSTER)
        return reach_cluster(warp, address, bytes);
    if (space == IFL_SPACE_LOCAL)
        return reach_local(warp, lane, address, bytes, use != IFL_PURPOSE_READS);
    return reach_global(warp, address, bytes, use);
}

/* What a lane asks for: `least` of its bytes must be there, and those are tracked. A run of bytes
 * side by side needs no alignment as a whole. */
typedef struct asked_bytes {
    uint64_t bytes, least;
    bool is_run;
    bool is_whole; /* in one memory only, though the address stands for those of several GPUs */
    /* by an order, or before a swap: a word around a half or a byte that an atomic operation is to
     * change, as libcu++ has it, of which the rest may never have been written */
    bool is_of_swap;
} asked_bytes;

static void track(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                  uint64_t address, asked_bytes a, bool is_write, uint8_t *written)
{
    if (is_write)
        memset(written, 1, a.least);
    else if (memchr(written, 0, a.least) && !(a.is_of_swap && memchr(written, 1, a.least)))
        ifl_warn_unwritten(warp, code, space, lane, address);
}

/* Whether an element of so many bytes may be there. */
static bool is_aligned(uint64_t address, uint64_t bytes)
{
    enum { WIDEST = 32 };
    const bool is_element = bytes && (bytes & (bytes - 1)) == 0 && bytes <= WIDEST;
    return !is_element || address % bytes == 0;
}

/* In what the system reserves before the kernel's shared memory, behind what its own code for groups
 * of warps and for tensor memory uses there. */
static bool is_below_own(const ifl_warp *warp, ifl_space space, uint64_t address)
{
    const uint64_t at = address % RANK_BYTES;
    return (space == IFL_SPACE_SHARED || space == IFL_SPACE_CLUSTER) &&
           at < warp->worker->grid->reserved_first && at >= IFL_RESERVED_IN_USE;
}

static uint8_t *reach_checked(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                              uint64_t address, asked_bytes a, ifl_purpose use)
{
    const uint64_t bytes = a.bytes, least = a.least;
    const bool is_write = use != IFL_PURPOSE_READS;
    if (space == IFL_SPACE_GLOBAL && (a.is_whole || !is_write) &&
        ifl_memory_copies(warp->worker->grid->launch->memory, address)) {
        ifl_fault_raise(warp, code, IFL_FAULT_UNSUPPORTED, lane,
                        "%s of memory of several GPUs in this way",
                        is_write ? "a change" : "a read");
        return NULL;
    }
    reached at = reach(warp, space, lane, address, least, use);
    if (!at.host || (!a.is_run && !is_aligned(address, bytes))) {
        (a.is_run ? ifl_fault_outside_of_memory : ifl_fault_access)(warp, code, space, lane,
                                                                    address, bytes, is_write);
        return NULL;
    }
    if (at.written)
        track(warp, code, space, lane, address, a, is_write, at.written);
    if (is_below_own(warp, space, address))
        ifl_warn_low(warp, code, lane, address % RANK_BYTES, is_write);
    return at.host;
}

/* Of a word around what is meant: what lies in the allocation. The rest of an aligned word is on the
 * same page, here as on a GPU. */
static uint64_t least_of(const ifl_warp *warp, const ifl_transfer *t, ifl_space space,
                         uint64_t address)
{
    const ifl_allocation *a = t->is_around && space == IFL_SPACE_GLOBAL
                                  ? ifl_memory_find(warp->worker->grid->launch->memory, address)
                                  : NULL;
    const uint64_t left = a ? a->address + a->bytes - address : t->bytes;
    return left < t->bytes ? left : t->bytes;
}

uint8_t *ifl_warp_reach_for(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t,
                            ifl_space space, uint32_t lane, uint64_t address, ifl_purpose use)
{
    const asked_bytes a = {.bytes = t->bytes,
                           .least = least_of(warp, t, space, address),
                           .is_of_swap = t->is_around || t->is_atomic};
    return reach_checked(warp, code, space, lane, address, a, use);
}

uint8_t *ifl_warp_reach_in(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                           uint64_t address, uint64_t bytes, bool is_write)
{
    return reach_checked(warp, code, space, lane, address,
                         (asked_bytes){.bytes = bytes, .least = bytes, .is_whole = true},
                         is_write ? IFL_PURPOSE_CHANGES : IFL_PURPOSE_READS);
}

uint8_t *ifl_warp_reach_run(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                            uint64_t address, uint64_t bytes, bool is_write)
{
    return reach_checked(
        warp, code, space, lane, address,
        (asked_bytes){.bytes = bytes, .least = bytes, .is_run = true, .is_whole = true},
        is_write ? IFL_PURPOSE_CHANGES : IFL_PURPOSE_READS);
}

uint8_t *ifl_warp_reach_each(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                             uint64_t address, uint64_t bytes)
{
    return reach_checked(warp, code, space, lane, address,
                         (asked_bytes){.bytes = bytes, .least = bytes, .is_run = true},
                         IFL_PURPOSE_CHANGES);
}

bool ifl_warp_has(ifl_warp *warp, const ifl_code *code, ifl_space space, uint32_t lane,
                  uint64_t address, uint64_t bytes, bool is_write)
{
    const bool is_there =
        reach(warp, space, lane, address, bytes, is_write ? IFL_PURPOSE_CHANGES : IFL_PURPOSE_READS)
            .host;
    if (!is_there)
        ifl_fault_outside_of_memory(warp, code, space, lane, address, bytes, is_write);
    return is_there;
}

uint8_t *ifl_warp_reach(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                        uint64_t bytes, bool is_write)
{
    uint8_t space = IFL_SPACE_GENERIC;
    address = ifl_warp_place(warp, &space, address);
    return ifl_warp_reach_in(warp, code, (ifl_space)space, lane, address, bytes, is_write);
}

/* ---- events ---------------------------------------------------------------------------------- */

uint64_t ifl_warp_local_start(const ifl_warp *warp)
{
    const uint64_t warp_index =
        warp->block->index * warp->worker->grid->warps_per_block + warp->index;
    return IFL_LOCAL_WINDOW + warp_index % 65536 * (IFL_WARP_LANES * UINT64_C(512) * 1024);
}

static ifl_access access_in(ifl_space space, const ifl_warp *warp, const ifl_code *code,
                            const ifl_transfer *t, uint32_t mask, const uint64_t *address)
{
    return (ifl_access){.site = code->site,
                        .kind = t->kind,
                        .space = (uint8_t)space,
                        .bytes = t->bytes,
                        .shape = IFL_SHAPE_ANY,
                        .mask = mask,
                        .block = warp->block->index,
                        .warp = warp->index,
                        .address = address};
}

static void tell_space(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t, ifl_space space,
                       uint32_t mask, const uint64_t *address)
{
    ifl_access access = access_in(space, warp, code, t, mask, address);
    ifl_warp_tell(warp, &access);
}

/* A request for each word: an H200 counts four for 16 bytes a lane, of one lane too
 * (tests/machine/keep_quads). */
static void tell_local(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t, uint32_t mask,
                       const uint64_t *address)
{
    const uint64_t start = ifl_warp_local_start(warp);
    ifl_transfer word = *t;
    word.bytes = t->bytes < 4 ? t->bytes : 4;
    for (unsigned offset = 0; offset < t->bytes; offset += word.bytes) {
        uint64_t at[IFL_WARP_LANES] = {0};
        for (uint32_t m = mask; m; m &= m - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(m);
            at[lane] = ifl_interleaved(start, lane, address[lane] + offset);
        }
        tell_space(warp, code, &word, IFL_SPACE_LOCAL, mask, at);
    }
}

void ifl_warp_tell_side(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t, uint32_t mask,
                        const uint64_t *address, const uint64_t *other)
{
    ifl_access access = access_in((ifl_space)t->space, warp, code, t, mask, address);
    access.other = other;
    access.keeps_line = ((const ifl_copy_op *)code->extra)->keeps_line;
    if (mask)
        ifl_warp_tell(warp, &access);
}

static void tell_remote(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t, uint32_t mask,
                        const uint64_t *address)
{
    const ifl_worker *worker = warp->worker;
    const ifl_exec_launch *launch = worker->grid->launch;
    const ifl_access access = access_in(IFL_SPACE_CLUSTER, warp, code, t, mask, address);
    warp->worker->remote_requests++;
    for (size_t o = 0; o < launch->observer_count; o++)
        if (launch->observers[o]->remote)
            launch->observers[o]->remote(worker->states[o], &access);
}

static uint32_t lanes_in(ifl_space wanted, uint32_t mask, const uint8_t *space)
{
    uint32_t found = 0;
    for (; mask; mask &= mask - 1)
        found |= space[__builtin_ctz(mask)] == wanted ? mask & -mask : 0;
    return found;
}

void ifl_warp_tell_lanes(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t, uint32_t mask,
                         const uint64_t *address, const uint8_t *space)
{
    static const ifl_space spaces[] = {IFL_SPACE_GLOBAL, IFL_SPACE_SHARED, IFL_SPACE_LOCAL};
    if (t->space == IFL_SPACE_CONST)
        return;
    const uint32_t remote = lanes_in(IFL_SPACE_CLUSTER, mask, space);
    if (remote)
        tell_remote(warp, code, t, remote, address);
    for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++) {
        const uint32_t in_space = lanes_in(spaces[s], mask, space);
        if (in_space && spaces[s] == IFL_SPACE_LOCAL)
            tell_local(warp, code, t, in_space, address);
        else if (in_space)
            tell_space(warp, code, t, spaces[s], in_space, address);
    }
}

/* ---- whole requests -------------------------------------------------------------------------- */

enum { LANE_BYTES = 32 }; /* at most: eight words, of sm_100 */

/* The lane's bytes are read and written at once: blocks on other workers see all words or none. */
static void load_lane(const ifl_transfer *t, char *frame, uint32_t lane, const uint8_t *at)
{
    uint8_t whole[LANE_BYTES];
    const uint8_t *from = whole;
    memcpy(whole, at, t->bytes);
    for (unsigned e = 0; e < t->elements; e++, from += t->element_bytes) {
        if (t->sink >> e & 1)
            continue;
        bool negative = t->is_signed && from[t->element_bytes - 1] & 0x80;
        uint8_t value[16];
        memset(value, negative ? 0xff : 0, sizeof value);
        memcpy(value, from, t->element_bytes);
        memcpy(frame + t->data[e] + (size_t)lane * t->slot_bytes, value, t->slot_bytes);
    }
}

static void store_lane(const ifl_transfer *t, const char *frame, uint32_t lane, uint8_t *to)
{
    uint8_t whole[LANE_BYTES];
    for (unsigned e = 0; e < t->elements; e++)
        memcpy(whole + (size_t)e * t->element_bytes,
               frame + t->data[e] + (size_t)lane * t->slot_bytes, t->element_bytes);
    memcpy(to, whole, t->bytes);
}

void ifl_warp_remember(ifl_warp *warp, const ifl_code *code, bool is_write, uint64_t address)
{
    ifl_allocation *a = ifl_memory_find(warp->worker->grid->launch->memory, address);
    uint32_t bad =
        IFL_ALLOCATION_FREED | IFL_ALLOCATION_MULTICAST | (is_write ? IFL_ALLOCATION_READ_ONLY : 0);
    bool is_usable = a && !(a->flags & bad) && !warp->worker->unwritten;
    ifl_hint *hint = &warp->worker->hint[code->site];
    if (hint->allocation != a)
        hint->side_by_side = 0;
    hint->allocation = is_usable ? a : NULL;
}

static void store_lanes(const ifl_transfer *t, const char *frame, uint32_t mask, uint8_t *const *to)
{
    const uint32_t flip = ifl_store_flip(t->bytes);
    for (uint32_t m = ifl_store_order(mask, flip); m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m) ^ flip;
        store_lane(t, frame, lane, to[lane]);
    }
}

/* An address that stands for several memories: those behind the first. */
static void store_copies(const ifl_warp *warp, const ifl_transfer *t, const char *frame,
                         uint32_t mask, const uint64_t *address, const uint8_t *space)
{
    const ifl_memory *memory = warp->worker->grid->launch->memory;
    const uint32_t flip = ifl_store_flip(t->bytes);
    for (uint32_t m = ifl_store_order(mask, flip); m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m) ^ flip;
        const ifl_allocation *many =
            space[lane] == IFL_SPACE_GLOBAL ? ifl_memory_copies(memory, address[lane]) : NULL;
        for (uint32_t i = 1; many && i < many->copy_count; i++)
            store_lane(t, frame, lane, many->copies[i] + (address[lane] - many->address));
    }
}

static bool move_lanes(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                       const uint64_t *address, const uint8_t *space)
{
    const ifl_transfer *t = code->transfer;
    const bool is_write = t->kind == IFL_ACCESS_STORE;
    uint8_t *host[IFL_WARP_LANES];
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        host[lane] = ifl_warp_reach_for(warp, code, t, space[lane], lane, address[lane],
                                        is_write ? IFL_PURPOSE_STORES : IFL_PURPOSE_READS);
        if (!host[lane])
            return false;
        if (is_write)
            continue;
        load_lane(t, frame, lane, host[lane]);
        if (space[lane] == IFL_SPACE_SHARED)
            ifl_race_load(warp, code, lane, address[lane]);
    }
    if (is_write) {
        ifl_race_stores(warp, code, frame, mask, address, space, host);
        store_lanes(t, frame, mask, host);
        store_copies(warp, t, frame, mask, address, space);
    }
    return true;
}

uint64_t ifl_warp_place(const ifl_warp *warp, uint8_t *space, uint64_t address)
{
    const bool is_generic = *space == IFL_SPACE_GENERIC, is_local = *space == IFL_SPACE_SHARED;
    if (is_generic) {
        *space = (uint8_t)ifl_space_of(address);
        address = within_space((ifl_space)*space, address);
    }
    if (*space != IFL_SPACE_SHARED && *space != IFL_SPACE_CLUSTER)
        return address;
    const bool own = is_own(warp, address);
    *space = own || is_local ? IFL_SPACE_SHARED : IFL_SPACE_CLUSTER;
    return own && warp->worker->grid->has_ranks ? address % RANK_BYTES : address;
}

bool ifl_warp_lies_in(const ifl_warp *warp, ifl_space space, uint64_t address)
{
    uint8_t in = IFL_SPACE_GENERIC;
    ifl_warp_place(warp, &in, address);
    return in == space || (space == IFL_SPACE_CLUSTER && in == IFL_SPACE_SHARED);
}

void ifl_warp_split_spaces(const ifl_warp *warp, const ifl_transfer *t, uint32_t mask,
                           uint64_t *address, uint8_t *space)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        space[lane] = t->space;
        address[lane] = ifl_warp_place(warp, &space[lane], address[lane]);
    }
}

bool ifl_warp_transfer(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask)
{
    const ifl_transfer *t = code->transfer;
    uint8_t space[IFL_WARP_LANES];
    ifl_warp_split_spaces(warp, t, mask, warp->address, space);
    if (!move_lanes(warp, code, frame, mask, warp->address, space))
        return false;
    if (t->observes)
        ifl_warp_observe(warp);
    if (t->observes && mask && space[__builtin_ctz(mask)] == IFL_SPACE_GLOBAL &&
        warp->worker->grid->image->demands.polls)
        ifl_pace_look(warp);
    /* Nobody else waits for a lane's own memory. */
    warp->changed |=
        t->kind == IFL_ACCESS_STORE && mask && space[__builtin_ctz(mask)] != IFL_SPACE_LOCAL;
    if (mask && (space[__builtin_ctz(mask)] == IFL_SPACE_GLOBAL ||
                 space[__builtin_ctz(mask)] == IFL_SPACE_CONST))
        ifl_warp_remember(warp, code, t->kind == IFL_ACCESS_STORE,
                          warp->address[__builtin_ctz(mask)]);
    ifl_warp_tell_lanes(warp, code, t, mask, warp->address, space);
    return true;
}

static uint64_t read_form(const char *frame, uint32_t slot, uint8_t form, uint32_t lane)
{
    enum { PLANE = 4 * IFL_WARP_LANES };
    if (!slot)
        return 0;
    if (form == IFL_ADDRESS_64)
        return ifl_lane_u64(frame, slot, lane);
    const uint64_t low = ifl_lane_u32(frame, slot, lane);
    return form == IFL_ADDRESS_PAIR ? low | (uint64_t)ifl_lane_u32(frame, slot + PLANE, lane) << 32
                                    : low;
}

uint64_t ifl_lane_address(const ifl_transfer *t, const char *frame, uint32_t lane)
{
    const uint64_t sum = (read_form(frame, t->address, t->form, lane) << t->scale) +
                         read_form(frame, t->uniform, t->uniform_form, lane) + (uint64_t)t->offset;
    return t->address && t->form == IFL_ADDRESS_32 ? (uint32_t)sum : sum;
}

void ifl_lane_addresses(const ifl_transfer *t, const char *frame, uint64_t address[IFL_WARP_LANES])
{
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        address[lane] = ifl_lane_address(t, frame, lane);
}

ifl_reason ifl_slow_transfer(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                             uint32_t active)
{
    (void)active;
    ifl_lane_addresses(code->transfer, frame, warp->address);
    return ifl_warp_transfer(warp, code, frame, mask) ? IFL_REASON_NONE : IFL_REASON_FAULT;
}

/* An address that is none asks for nothing. */
ifl_reason ifl_slow_prefetch(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                             uint32_t active)
{
    (void)active;
    const ifl_memory *memory = warp->worker->grid->launch->memory;
    uint8_t space[IFL_WARP_LANES];
    uint32_t asked = 0;
    ifl_lane_addresses(code->transfer, frame, warp->address);
    ifl_warp_split_spaces(warp, code->transfer, mask, warp->address, space);
    for (uint32_t m = mask; m && warp->worker->listener_count; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        const ifl_allocation *a =
            space[lane] == IFL_SPACE_GLOBAL ? ifl_memory_find(memory, warp->address[lane]) : NULL;
        asked |= a && !(a->flags & IFL_ALLOCATION_FREED) ? m & -m : 0;
    }
    if (asked)
        tell_space(warp, code, code->transfer, IFL_SPACE_GLOBAL, asked, warp->address);
    return IFL_REASON_NONE;
}

/* ---- parameters of a call -------------------------------------------------------------------- */

static ifl_reason move_parameter(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                 bool is_store)
{
    const ifl_transfer *t = code->transfer;
    uint64_t size = warp->frame->routine->param_bytes, at = (uint64_t)t->offset;
    if (at > size || t->bytes > size - at)
        return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, 0,
                               "parameter access at offset %llu of %llu bytes",
                               (unsigned long long)at, (unsigned long long)size);
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        uint8_t *host = warp->frame->params + lane * size + at;
        if (is_store)
            store_lane(t, frame, lane, host);
        else
            load_lane(t, frame, lane, host);
    }
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_frame_load(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                               uint32_t active)
{
    (void)active;
    return move_parameter(warp, code, frame, mask, false);
}

ifl_reason ifl_slow_frame_store(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                uint32_t active)
{
    (void)active;
    return move_parameter(warp, code, frame, mask, true);
}

ifl_reason ifl_slow_local_address(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                  uint32_t active)
{
    (void)mask, (void)active;
    uint64_t *d = ifl_slot(frame, code->d);
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        d[lane] = warp->frame->local_start + code->value;
    return IFL_REASON_NONE;
}

/* PTX ISA, alloca: what is more than there is may be taken, but not accessed. */
ifl_reason ifl_slow_take_stack(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                               uint32_t active)
{
    const uint64_t *bytes = ifl_slot(frame, code->a), alignment = code->value;
    uint64_t *d = ifl_slot(frame, code->d), *top = warp->frame->stack_top;
    (void)active;
    for (; mask; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(mask);
        const uint64_t place = (top[lane] + alignment - 1) / alignment * alignment;
        top[lane] = place + bytes[lane];
        d[lane] = place;
    }
    return IFL_REASON_NONE;
}

static ifl_reason move_top(uint64_t *to, const uint64_t *from, uint32_t mask)
{
    for (; mask; mask &= mask - 1)
        to[__builtin_ctz(mask)] = from[__builtin_ctz(mask)];
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_stack_top(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                              uint32_t active)
{
    (void)active;
    return move_top(ifl_slot(frame, code->d), warp->frame->stack_top, mask);
}

ifl_reason ifl_slow_set_stack_top(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                  uint32_t active)
{
    (void)active;
    return move_top(warp->frame->stack_top, ifl_slot(frame, code->a), mask);
}

/* Constants and kernel parameters lie among the global allocations. */
static bool is_in_space(const ifl_warp *warp, ifl_space space, uint64_t address)
{
    const ifl_memory *memory = warp->worker->grid->launch->memory;
    if (space == IFL_SPACE_SHARED || space == IFL_SPACE_CLUSTER || space == IFL_SPACE_LOCAL)
        return ifl_warp_lies_in(warp, space, address);
    const ifl_allocation *a = ifl_memory_find(memory, address);
    const bool is_apart = a && a->flags & (IFL_ALLOCATION_READ_ONLY | IFL_ALLOCATION_CONSTANT);
    return ifl_space_of(address) == IFL_SPACE_GLOBAL && is_apart == (space != IFL_SPACE_GLOBAL);
}

static uint64_t read_address(const char *frame, uint32_t slot, unsigned bits, uint32_t lane)
{
    return bits == 64 ? ifl_lane_u64(frame, slot, lane) : ifl_lane_u32(frame, slot, lane);
}

ifl_reason ifl_slow_put_rank(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                             uint32_t active)
{
    (void)warp, (void)active;
    const uint64_t rank_bits = UINT64_C(0xff) << IFL_RANK_SHIFT;
    for (; mask; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(mask);
        const uint64_t rank = (uint64_t)ifl_lane_u32(frame, code->b, lane) << IFL_RANK_SHIFT &
                              rank_bits,
                       address =
                           (read_address(frame, code->a, code->count, lane) & ~rank_bits) | rank;
        memcpy(frame + code->d + (size_t)lane * (code->count / 8), &address, code->count / 8);
    }
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_get_rank(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                             uint32_t active)
{
    (void)warp, (void)active;
    for (; mask; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(mask);
        ((uint32_t *)ifl_slot(frame, code->d))[lane] =
            read_address(frame, code->a, code->count, lane) >> IFL_RANK_SHIFT & 0xff;
    }
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_isspacep(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                             uint32_t active)
{
    (void)active;
    uint32_t *d = ifl_slot(frame, code->d), bits = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        bits |=
            (uint32_t)is_in_space(warp, (ifl_space)code->value, ifl_lane_u64(frame, code->a, lane))
            << lane;
    }
    *d = (*d & ~mask) | (bits & mask);
    return IFL_REASON_NONE;
}
