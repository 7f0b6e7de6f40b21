/* SPDX-License-Identifier: Apache-2.0
 * Blocks on a worker: starting them, their warps in turn, barriers, the end. */
#include "exec/bulk_copies.h"
#include "exec/converge.h"
#include "exec/grid_barrier.h"
#include "exec/parted.h"
#include "exec/race.h"
#include "exec/tensor_memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- barriers -------------------------------------------------------------------------------- */

static uint32_t expected_threads(const ifl_block *block, const ifl_barrier *barrier)
{
    return barrier->expected ? barrier->expected : block->live;
}

static void put_result(ifl_fragment *fragment, const ifl_barrier *barrier)
{
    const ifl_barrier_op *op = fragment->reduction;
    char *slots = fragment->frame->slots;
    uint32_t value = op->operation == IFL_OPERATION_AND  ? barrier->all
                     : op->operation == IFL_OPERATION_OR ? barrier->any
                                                         : barrier->count;
    uint32_t *at = ifl_slot(slots, op->result);
    if (op->to_predicate) {
        *at = value ? *at | fragment->executing : *at & ~fragment->executing;
        return;
    }
    for (uint32_t m = fragment->executing; m; m &= m - 1)
        at[__builtin_ctz(m)] = value;
}

/* Behind a barrier the warps of a GPU issue together, and programs rely on it where they should
 * not: all read what a reduction left in shared memory, and the first warp writes there again, long
 * after, with no barrier between. So each has as many requests as the others until it changes
 * shared memory; compilers put few before that. */
static void leave_barrier(ifl_warp *warp, unsigned id)
{
    enum { MOST_BEHIND = 4 };
    ifl_race_leave(warp, id);
    warp->requests_left = 1;
    warp->behind = MOST_BEHIND;
}

static void open_barrier(ifl_block *block, unsigned id)
{
    ifl_barrier *barrier = &block->barriers[id];
    for (uint32_t w = 0; w < block->warp_count; w++) {
        ifl_warp *warp = block->warps[w];
        bool is_opened = false;
        for (uint32_t i = 0; i < warp->count; i++) {
            ifl_fragment *fragment = &warp->fragments[i];
            if (fragment->state != IFL_FRAGMENT_AT_BARRIER || fragment->barrier != id)
                continue;
            if (fragment->reduction)
                put_result(fragment, barrier);
            fragment->state = IFL_FRAGMENT_READY;
            is_opened = true;
        }
        if (is_opened)
            leave_barrier(warp, id);
        if (is_opened && warp->count > 1)
            ifl_warp_merge(warp);
    }
    ifl_race_close(block, id);
    block->is_together |= expected_threads(block, barrier) >= block->live;
    *barrier = (ifl_barrier){.all = 1};
}

static void open_if_complete(ifl_block *block, unsigned id)
{
    const ifl_barrier *barrier = &block->barriers[id];
    if (barrier->arrived && barrier->arrived >= expected_threads(block, barrier))
        open_barrier(block, id);
}

static void reduce(ifl_barrier *barrier, const ifl_barrier_op *op, const char *slots, uint32_t mask)
{
    uint32_t holds = (ifl_predicate(slots, op->predicate) ^ op->flip) & mask;
    barrier->any |= holds != 0;
    barrier->all &= holds == mask;
    barrier->count += (uint32_t)__builtin_popcount(holds);
}

static void tell_arrival(const ifl_warp *warp, const ifl_code *code, uint32_t mask, bool forgets)
{
    const ifl_barrier_arrival event = {.site = code->site,
                                       .mask = mask,
                                       .forgets = forgets,
                                       .block = warp->block->index,
                                       .warp = warp->index};
    const ifl_exec_launch *launch = warp->worker->grid->launch;
    for (size_t i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->barrier)
            launch->observers[i]->barrier(warp->worker->states[i], &event);
}

void ifl_block_tell_barrier(ifl_warp *warp, const ifl_code *code, uint32_t mask)
{
    if (warp->worker->tells_barriers)
        tell_arrival(warp, code, mask, false);
}

ifl_reason ifl_slow_forget(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                           uint32_t active)
{
    (void)frame, (void)active;
    if (warp->worker->tells_barriers)
        tell_arrival(warp, code, mask, true);
    return IFL_REASON_NONE;
}

/* PTX ISA, bar: with a thread count, a warp arrives as a whole, inactive lanes of the block's last
 * warp included. */
static uint32_t arriving_threads(const ifl_warp *warp, uint32_t mask, bool counted)
{
    const bool is_whole = mask == UINT32_MAX || (counted && mask == warp->live);
    return is_whole ? IFL_WARP_LANES : (uint32_t)__builtin_popcount(mask);
}

/* CUDA C++ Programming Guide, "Independent Thread Scheduling": a barrier counts threads, so lanes
 * that do not execute it do not wait with those that do. */
static void part_from_others(ifl_warp *warp, ifl_fragment *fragment, uint32_t executing)
{
    ifl_fragment others = *fragment;
    others.mask &= ~executing;
    others.code++;
    fragment->mask = executing;
    if (others.mask)
        ifl_fragment_add(warp, others);
}

void ifl_block_arrive(ifl_warp *warp, ifl_fragment *fragment)
{
    enum { PACKED_COUNT = 16 };
    const ifl_code *code = fragment->code;
    const ifl_barrier_op *op = code->extra;
    if (op->is_cluster) {
        ifl_cluster_arrive(warp, fragment);
        return;
    }
    char *slots = fragment->frame->slots;
    uint32_t mask = warp->taken, lane = (uint32_t)__builtin_ctz(mask);
    uint32_t id = ifl_lane_u32(slots, op->id, lane);
    uint32_t count = op->count ? ifl_lane_u32(slots, op->count, lane) : 0;
    bool is_counted = op->count != 0;
    if (op->count && op->count == op->id) {
        count = id >> PACKED_COUNT;
        is_counted = count != 0;
        id %= IFL_BARRIERS;
    }
    if (id >= IFL_BARRIERS) {
        ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                        "barrier %u: a block has barriers 0 to 15", id);
        return;
    }
    warp->block->barriers_used |= 1u << id;
    if (is_counted && (count == 0 || count % IFL_WARP_LANES)) {
        ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                        "a barrier for %u threads: it must be a multiple of 32", count);
        return;
    }
    ifl_barrier *barrier = &warp->block->barriers[id];
    const uint32_t arriving = arriving_threads(warp, mask, count != 0);
    ifl_block_tell_barrier(warp, code, mask);
    if (warp->is_followed && count)
        ifl_warp_tell_some(warp, code, op->waits, id, arriving, count);
    ifl_race_arrive(warp, id);
    barrier->arrived += arriving;
    barrier->expected = count;
    if (op->operation)
        reduce(barrier, op, slots, mask);
    if (op->waits) {
        if (warp->count > 1)
            ifl_parted_arrive(warp, code);
        part_from_others(warp, fragment, mask);
        fragment->state = IFL_FRAGMENT_AT_BARRIER;
        fragment->barrier = (uint8_t)id;
        fragment->reduction = op->operation ? op : NULL;
        fragment->executing = mask;
    }
    fragment->code = code + 1;
    open_if_complete(warp->block, id);
}

void ifl_block_lanes_ended(ifl_warp *warp, uint32_t mask)
{
    ifl_block *block = warp->block;
    const uint32_t ended = mask == UINT32_MAX ? IFL_WARP_LANES : (uint32_t)__builtin_popcount(mask);
    block->live -= ended;
    warp->worker->ended_threads += ended;
    for (uint32_t used = block->barriers_used; used && block->live; used &= used - 1)
        open_if_complete(block, (unsigned)__builtin_ctz(used));
    ifl_cluster_lanes_ended(warp, mask);
    ifl_grid_barrier_check(warp->worker);
}

/* ---- starting a block ------------------------------------------------------------------------ */

static ifl_warp *new_warp(ifl_worker *worker, uint32_t index)
{
    ifl_warp *warp = aligned_alloc(64, (sizeof *warp + 63) / 64 * 64);
    if (!warp)
        return NULL;
    memset(warp, 0, sizeof *warp);
    uint32_t threads = worker->grid->threads_per_block, first = index * IFL_WARP_LANES;
    uint32_t lanes = threads - first < IFL_WARP_LANES ? threads - first : IFL_WARP_LANES;
    warp->worker = worker;
    warp->index = index;
    warp->lanes = lanes == IFL_WARP_LANES ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
    warp->free_frames = calloc(worker->grid->image->routine_count, sizeof *warp->free_frames);
    warp->sync = worker->grid->image->demands.syncs ? calloc(1, sizeof *warp->sync) : NULL;
    if (!warp->free_frames || (worker->grid->image->demands.syncs && !warp->sync)) {
        free(warp->free_frames);
        free(warp->sync);
        free(warp);
        return NULL;
    }
    return warp;
}

static bool make_block(ifl_worker *worker, ifl_block *block)
{
    const ifl_grid *grid = worker->grid;
    memset(block, 0, sizeof *block);
    /* Whole-warp copies may read a lane's width past the end only inside of an allocation: no
     * padding is needed. */
    block->shared = aligned_alloc(64, (grid->shared_bytes + 64) / 64 * 64);
    block->shared_written = worker->unwritten ? malloc(grid->shared_bytes + 1) : NULL;
    block->warps = calloc(grid->warps_per_block, sizeof *block->warps);
    if (!block->shared || !block->warps || (worker->unwritten && !block->shared_written))
        return false;
    if (worker->races && !ifl_races_make(block, grid))
        return false;
    for (uint32_t w = 0; w < grid->warps_per_block; w++)
        if (!(block->warps[block->warp_count++] = new_warp(worker, w)))
            return false;
    return true;
}

static void free_warp(ifl_warp *warp)
{
    if (!warp)
        return;
    ifl_frames_free(warp);
    ifl_meetings_free(warp);
    ifl_copies_free(warp);
    free(warp->sync);
    free(warp);
}

void ifl_block_free(ifl_block *block)
{
    for (uint32_t w = 0; block->warps && w < block->warp_count; w++)
        free_warp(block->warps[w]);
    ifl_bulk_free(block);
    ifl_tensor_free(block);
    free(block->nested_errors);
    free(block->warps);
    free(block->shared);
    free(block->shared_written);
    ifl_races_free(block);
}

static bool is_followed(const ifl_worker *worker, uint64_t index)
{
    const ifl_exec_launch *launch = worker->grid->launch;
    bool found = false;
    for (size_t o = 0; worker->follows && o < launch->observer_count; o++)
        if (launch->observers[o]->follows)
            found |= launch->observers[o]->follows(worker->states[o], index);
    return found;
}

static bool start_warp(ifl_warp *warp, ifl_block *block, bool is_followed)
{
    const ifl_image *image = warp->worker->grid->image;
    warp->block = block;
    warp->is_followed = is_followed;
    warp->live = warp->lanes;
    warp->slice = -1;
    warp->running = NULL;
    warp->observed = warp->changed = warp->spins = warp->spun = false;
    warp->requests_left = warp->worker->grid->launch->quantum;
    warp->pace = (ifl_pace){0};
    warp->behind = 0;
    warp->watching = 0;
    warp->patience = IFL_MOST_PATIENCE;
    warp->group_steps = 0;
    ifl_copies_start(warp);
    warp->cluster_arrived = warp->cluster_passed = 0;
    if (warp->sync && warp->sync->used)
        ifl_sync_clear(warp->sync);
    ifl_frame *root = ifl_frame_enter(warp, &image->routines[0], NULL, warp->lanes);
    if (!root)
        return false;
    warp->count = 1;
    warp->fragments[0] =
        (ifl_fragment){.code = image->routines[0].code, .frame = root, .mask = warp->lanes};
    return true;
}

/* A cluster of the grid, and its blocks that observers follow. */
typedef struct place {
    uint64_t cluster;
    uint32_t follows; /* by rank */
} place;

static uint64_t block_index(const ifl_grid *grid, uint64_t cluster, uint32_t rank)
{
    const uint32_t *size = grid->launch->grid;
    uint32_t position[3];
    if (grid->cluster_blocks == 1)
        return cluster;
    ifl_cluster_position(grid, cluster, rank, position);
    return position[0] + (uint64_t)size[0] * (position[1] + (uint64_t)size[1] * position[2]);
}

static bool start_block(ifl_worker *worker, ifl_block *block, const place *at, uint32_t rank)
{
    const ifl_grid *grid = worker->grid;
    ifl_cluster_position(grid, at->cluster, rank, block->position);
    block->index = block_index(grid, at->cluster, rank);
    block->rank = rank;
    block->shared_start = grid->has_ranks ? (uint64_t)rank << IFL_RANK_SHIFT : 0;
    block->live = grid->threads_per_block;
    block->is_running = true;
    block->first_warp = 0;
    block->issued = 0;
    if (grid->shared_bytes)
        memset(block->shared, 0, grid->shared_bytes);
    if (block->shared_written)
        memset(block->shared_written, 0, grid->shared_bytes);
    ifl_tensor_start(block, grid);
    ifl_races_start(block, grid);
    block->barriers_used = 0;
    for (unsigned id = 0; id < IFL_BARRIERS; id++)
        block->barriers[id] = (ifl_barrier){.all = 1};
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (!start_warp(block->warps[w], block, at->follows >> rank & 1))
            return false;
    return true;
}

/* ---- a worker -------------------------------------------------------------------------------- */

static bool should_stop(const ifl_worker *worker)
{
    const ifl_grid *grid = worker->grid;
    return (grid->launch->stop && *grid->launch->stop) ||
           __atomic_load_n(&grid->is_stopped, __ATOMIC_RELAXED);
}

static void fault_memory(ifl_worker *worker, uint64_t block)
{
    worker->fault = (ifl_fault){
        .is_set = true, .block = block, .kind = IFL_FAULT_NO_MEMORY, .site = UINT32_MAX};
    snprintf(worker->fault.text, sizeof worker->fault.text,
             "out of memory for a block's registers");
}

static void note_fault(ifl_worker *worker)
{
    uint64_t lowest = __atomic_load_n(&worker->grid->fault_block, __ATOMIC_RELAXED);
    while (worker->fault.block < lowest &&
           !__atomic_compare_exchange_n(&worker->grid->fault_block, &lowest, worker->fault.block,
                                        false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

/* The next cluster of the grid, if there is one that still matters: behind a fault none does. */
static bool take_cluster(ifl_worker *worker, uint64_t *cluster)
{
    ifl_grid *grid = worker->grid;
    if (__atomic_load_n(&grid->next, __ATOMIC_RELAXED) >= grid->clusters)
        return false;
    *cluster = __atomic_fetch_add(&grid->next, 1, __ATOMIC_RELAXED);
    return *cluster < grid->clusters &&
           block_index(grid, *cluster, 0) < __atomic_load_n(&grid->fault_block, __ATOMIC_RELAXED);
}

static bool add_block(ifl_worker *worker)
{
    if (worker->block_count == worker->block_capacity) {
        uint32_t capacity = worker->block_capacity ? worker->block_capacity * 2 : 4;
        ifl_block *blocks = realloc(worker->blocks, capacity * sizeof *blocks);
        if (!blocks)
            return false;
        worker->blocks = blocks;
        worker->block_capacity = capacity;
        /* Warps point to their block. */
        for (uint32_t b = 0; b < worker->block_count; b++)
            for (uint32_t w = 0; w < blocks[b].warp_count; w++)
                blocks[b].warps[w]->block = &blocks[b];
    }
    return make_block(worker, &worker->blocks[worker->block_count++]);
}

static uint32_t followed_ranks(const ifl_worker *worker, uint64_t cluster)
{
    uint32_t follows = 0;
    for (uint32_t rank = 0; rank < worker->grid->cluster_blocks; rank++)
        follows |= (uint32_t)is_followed(worker, block_index(worker->grid, cluster, rank)) << rank;
    return follows;
}

/* The next cluster that is to run; blocks of the others count as done. */
static bool take_wanted(ifl_worker *worker, place *at)
{
    const ifl_grid *grid = worker->grid;
    while (take_cluster(worker, &at->cluster)) {
        at->follows = followed_ranks(worker, at->cluster);
        if (at->follows || !grid->launch->only_followed)
            return true;
        worker->done += grid->cluster_blocks;
        __atomic_fetch_add(&worker->grid->done, grid->cluster_blocks, __ATOMIC_RELAXED);
    }
    return false;
}

static bool fill_place(ifl_worker *worker, uint32_t index)
{
    const uint32_t blocks = worker->grid->cluster_blocks, first = index * blocks;
    place at;
    if (worker->fault.is_set || !take_wanted(worker, &at))
        return false;
    while (worker->block_count < first + blocks)
        if (!add_block(worker)) {
            fault_memory(worker, block_index(worker->grid, at.cluster, 0));
            return false;
        }
    ifl_cluster_start(&worker->blocks[first], worker->grid);
    for (uint32_t rank = 0; rank < blocks && !worker->fault.is_set; rank++)
        if (!start_block(worker, &worker->blocks[first + rank], &at, rank))
            fault_memory(worker, worker->blocks[first + rank].index);
    return true;
}

/* Warp instructions of the worker's since it was asked before. */
static uint64_t issued_since(ifl_worker *worker)
{
    const ifl_grid *grid = worker->grid;
    uint64_t issued = 0;
    for (size_t b = 0; b < grid->image->block_count; b++)
        issued +=
            worker->counts[b].warps * (grid->image->blocks[b].last - grid->image->blocks[b].first);
    const uint64_t since = issued - worker->told;
    worker->told = issued;
    return since;
}

static bool runs_several(const ifl_grid *grid)
{
    return grid->resident * grid->cluster_blocks > 1;
}

static void tell_end(ifl_worker *worker, ifl_block *block)
{
    const ifl_grid *grid = worker->grid;
    block->issued += issued_since(worker);
    const ifl_block_end end = {block->index, grid->blocks, block->issued, !runs_several(grid)};
    for (size_t o = 0; o < grid->launch->observer_count; o++)
        if (grid->launch->observers[o]->block_end)
            grid->launch->observers[o]->block_end(worker->states[o], &end);
}

static void end_block(ifl_worker *worker, ifl_block *block)
{
    block->is_running = false;
    for (uint32_t w = 0; w < block->warp_count; w++)
        ifl_copies_finish(block->warps[w]);
    ifl_bulk_finish_all(block);
    ifl_tensor_end(block);
    free(block->nested_errors);
    block->nested_errors = NULL;
    if (worker->tells_ends)
        tell_end(worker, block);
    worker->done++;
    __atomic_fetch_add(&worker->grid->done, 1, __ATOMIC_RELAXED);
}

/* A cluster's place is free when all its blocks have ended. */
static bool is_taken(const ifl_worker *worker, uint32_t index)
{
    const uint32_t blocks = worker->grid->cluster_blocks;
    bool runs = false;
    for (uint32_t b = index * blocks; b < (index + 1) * blocks && b < worker->block_count; b++)
        runs |= worker->blocks[b].is_running;
    return runs;
}

/* Fills free places; true while anything runs, also in places that are to be filled no more. */
static bool fill_places(ifl_worker *worker)
{
    const ifl_grid *grid = worker->grid;
    const uint32_t made = worker->block_count / grid->cluster_blocks,
                   places = made > grid->resident ? made : grid->resident;
    bool runs = false;
    for (uint32_t index = 0; index < places; index++)
        runs |= is_taken(worker, index) || (index < grid->resident && fill_place(worker, index));
    return runs;
}

typedef struct turn {
    bool ran;      /* some warp */
    bool advanced; /* some warp did more than to look at memory */
    bool watched;  /* some warp looked at memory */
    bool ended;    /* some block */
} turn;

/* Most warps have all their lanes together. */
static bool can_run(const ifl_warp *warp)
{
    return warp->live && (warp->count == 1 ? warp->fragments[0].state == IFL_FRAGMENT_READY
                                           : ifl_warp_has_ready(warp));
}

/* Its warps in turn, as far as each gets; true: some warp ran. */
static bool run_warps(ifl_worker *worker, ifl_block *block, turn *now)
{
    const uint32_t count = block->warp_count, first = block->first_warp;
    enum { LOOK_WARPS = 4 }; /* between looks at the clock, which take as long as short warps */
    const bool keeps_pace = worker->grid->keeps_pace;
    bool ran = false;
    block->is_contended = block->is_together = false;
    for (uint32_t i = 0; i < count && !worker->fault.is_set && !block->is_together; i++) {
        ifl_warp *warp = block->warps[first + i < count ? first + i : first + i - count];
        if (!can_run(warp) || (keeps_pace && warp->pace.left <= 0))
            continue;
        ifl_warp_run(warp);
        now->ran = ran = true;
        warp->pace.left -= keeps_pace; /* also where it only waits for the others */
        const bool only_looked = warp->reason == IFL_REASON_YIELD && !warp->changed &&
                                 (keeps_pace ? warp->pace.only_looked : warp->spun);
        now->advanced |= !only_looked;
        if (keeps_pace && only_looked)
            ifl_pace_count(worker->grid);
        now->watched |= warp->observed;
        if (worker->seeks_help && (i % LOOK_WARPS == LOOK_WARPS - 1 || i + 1 == count))
            ifl_worker_seek_help(worker);
        if (should_stop(worker))
            return false;
    }
    if (block->is_together)
        block->first_warp = 0;
    else if (block->is_contended)
        block->first_warp = first + 1 < count ? first + 1 : 0;
    return ran;
}

static void run_block(ifl_worker *worker, ifl_block *block, turn *now)
{
    if (!worker->grid->keeps_pace) {
        run_warps(worker, block, now);
    } else {
        for (uint32_t w = 0; w < block->warp_count; w++)
            if (!ifl_pace_begin(block->warps[w]))
                now->ran = now->advanced = true;
        while (run_warps(worker, block, now) && worker->grid->keeps_pace && !worker->fault.is_set)
            continue;
    }
    if (should_stop(worker))
        return;
    if (block->live == 0) {
        end_block(worker, block);
        now->ended = true;
    } else if (worker->tells_ends && runs_several(worker->grid)) {
        block->issued += issued_since(worker);
    }
}

static uint32_t waiting_line(const ifl_block *block, const ifl_fragment **found,
                             const ifl_warp **of)
{
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (block->warps[w]->live) {
            *of = block->warps[w];
            *found = &block->warps[w]->fragments[0];
            return block->warps[w]->count;
        }
    return 0;
}

static void fault_deadlock(ifl_block *block)
{
    const ifl_fragment *fragment = NULL;
    const ifl_warp *of = NULL;
    if (!waiting_line(block, &fragment, &of))
        return;
    bool at_barrier = fragment->state == IFL_FRAGMENT_AT_BARRIER;
    const ifl_code *code = at_barrier ? fragment->code - 1 : fragment->code;
    const char *what =
        !at_barrier                                ? "lanes wait for other lanes of the warp"
        : fragment->barrier == IFL_GRID_BARRIER    ? "threads wait at the barrier of the grid"
        : fragment->barrier == IFL_CLUSTER_BARRIER ? "threads wait at the barrier of the cluster"
                                                   : "threads wait at a barrier of the block";
    ifl_fault_raise((ifl_warp *)of, code, IFL_FAULT_OTHER, (uint32_t)__builtin_ctz(fragment->mask),
                    "deadlock: %s, and the missing ones never arrive", what);
}

/* Nothing could run: lanes that wait at a meeting may be the ones that the others wait for. */
static void unblock(ifl_worker *worker)
{
    bool released = ifl_grid_barrier_widen(worker);
    for (uint32_t b = 0; b < worker->block_count; b++)
        for (uint32_t w = 0; worker->blocks[b].is_running && w < worker->blocks[b].warp_count; w++)
            released |= !ifl_warp_is_done(worker->blocks[b].warps[w]) &&
                        ifl_warp_release(worker->blocks[b].warps[w]);
    for (uint32_t b = 0; b < worker->block_count && !released && !worker->fault.is_set; b++)
        if (worker->blocks[b].is_running)
            fault_deadlock(&worker->blocks[b]);
}

static uint32_t most_resident(const ifl_grid *grid)
{
    return IFL_MOST_RESIDENT / grid->cluster_blocks;
}

static uint32_t resident_on_gpu(const ifl_grid *grid)
{
    const uint64_t blocks = grid->launch->most_resident < IFL_MOST_RESIDENT
                                ? grid->launch->most_resident
                                : IFL_MOST_RESIDENT,
                   clusters = blocks / grid->cluster_blocks;
    return (uint32_t)(clusters < grid->clusters ? clusters : grid->clusters);
}

static bool may_widen(const ifl_grid *grid)
{
    return grid->may_widen && grid->resident < most_resident(grid);
}

static bool is_as_on_gpu(const ifl_grid *grid)
{
    return grid->resident >= resident_on_gpu(grid);
}

/* Everything resident waits for memory to change: other blocks may be the ones to change it. On a
 * GPU they would be resident as well. Whoever writes while it waits, or meets at barriers, is not
 * so easily told from one that works: that takes longer, counted in turns of clusters, so that it
 * costs the same however many are resident. Each time they become twice as many: where all wait for
 * all, as in a coloring of a graph, few steps lead there. More than a GPU holds, where the grid keeps
 * pace, only if it would not go on there. */
static void widen(ifl_worker *worker, const turn *now)
{
    enum { PATIENCE = 4, LONG_PATIENCE = 8192, GPU_PATIENCE = 1024, LONG_GPU_PATIENCE = 1 << 24 };
    ifl_grid *grid = worker->grid;
    if (grid->keeps_pace && !is_as_on_gpu(grid)) {
        worker->begins = worker->block_count; /* the others have had their turn */
        grid->resident = resident_on_gpu(grid);
    }
    const bool holds_all = grid->keeps_pace && is_as_on_gpu(grid);
    worker->idle_rounds = now->advanced ? 0 : worker->idle_rounds + 1;
    worker->stale_turns =
        now->ended ? 0 : worker->stale_turns + (now->watched ? grid->resident : 0);
    const bool waits =
        worker->idle_rounds >= (holds_all ? GPU_PATIENCE : PATIENCE) ||
        worker->stale_turns >= (uint32_t)(holds_all ? LONG_GPU_PATIENCE : LONG_PATIENCE);
    if (!waits || !may_widen(grid))
        return;
    worker->idle_rounds = worker->stale_turns = 0;
    grid->resident =
        2 * grid->resident < most_resident(grid) ? 2 * grid->resident : most_resident(grid);
}

/* Whether nothing will go on unless memory is changed by the host or by another grid: all that can
 * be resident only looks at it. Where the grid has waited before, that is soon believed. */
static bool waits_for_others(ifl_worker *worker, const turn *now)
{
    enum { PATIENCE = 256, LESS_PATIENCE = 2 };
    const ifl_grid *grid = worker->grid;
    const bool is_waiting = now->ran && !now->advanced && !now->ended;
    worker->has_advanced |= !is_waiting;
    worker->waiting_rounds = is_waiting ? worker->waiting_rounds + 1 : 0;
    if (!grid->launch->may_wait || !grid->image->demands.ordered || may_widen(grid) ||
        worker->waiting_rounds < (worker->has_waited ? LESS_PATIENCE : PATIENCE))
        return false;
    worker->waiting_rounds = 0;
    worker->waits = worker->has_waited = true;
    return true;
}

static void report_progress(const ifl_worker *worker)
{
    const ifl_grid *grid = worker->grid;
    if (worker->is_first && grid->launch->progress)
        grid->launch->progress(grid->launch->progress_user,
                               __atomic_load_n(&grid->done, __ATOMIC_RELAXED), grid->blocks);
}

void ifl_worker_run(ifl_worker *worker)
{
    enum { ROUNDS_PER_REPORT = 256 };
    if (worker->grid->keeps_pace)
        worker->grid->resident = resident_on_gpu(worker->grid);
    for (; fill_places(worker) && !worker->fault.is_set && !should_stop(worker); worker->rounds++) {
        turn now = {false, false, false, false};
        uint32_t b = worker->begins < worker->block_count ? worker->begins : 0;
        for (worker->begins = 0; b < worker->block_count && !worker->fault.is_set; b++)
            if (worker->blocks[b].is_running)
                run_block(worker, &worker->blocks[b], &now);
        if (!now.ran && !worker->fault.is_set)
            unblock(worker);
        if (waits_for_others(worker, &now))
            return;
        ifl_pace_leave(worker->grid, worker->done);
        widen(worker, &now);
        if (worker->rounds % ROUNDS_PER_REPORT == 0)
            report_progress(worker);
    }
    if (worker->fault.is_set)
        note_fault(worker);
}
