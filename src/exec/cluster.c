/* SPDX-License-Identifier: Apache-2.0
 * Clusters: blocks that run side by side, reach each other's shared memory and meet at a barrier.
 * One worker has all blocks of a cluster. A launch without clusters is one of clusters of one
 * block. */
#include "exec/race.h"
#include "exec/warp.h"

#include <string.h>

/* ---- shape ----------------------------------------------------------------------------------- */

static uint32_t most_blocks(const ifl_demands *demands)
{
    const uint32_t most = demands->max_cluster_blocks;
    return most && most < IFL_MOST_CLUSTER_BLOCKS ? most : IFL_MOST_CLUSTER_BLOCKS;
}

bool ifl_cluster_divides(const uint32_t *size, const uint32_t *grid)
{
    return grid[0] % size[0] == 0 && grid[1] % size[1] == 0 && grid[2] % size[2] == 0;
}

static bool is_within(const uint32_t *size, uint32_t most)
{
    for (unsigned i = 0; i < 3; i++)
        if (!size[i] || size[i] > most)
            return false;
    return size[0] * size[1] * size[2] <= most;
}

static ifl_status check(const uint32_t *size, const ifl_exec_launch *launch, ifl_error *error)
{
    const ifl_demands *demands = &launch->image->demands;
    const uint32_t *grid = launch->grid, *kernel = demands->cluster, most = most_blocks(demands);
    const bool differs = kernel[0] && launch->cluster[0] &&
                         memcmp(kernel, launch->cluster, sizeof demands->cluster) != 0;
    if (differs)
        return ifl_fail(error, IFL_BAD_INPUT,
                        "'%s' is made for clusters of %u x %u x %u blocks, not of %u x %u x %u",
                        launch->image->name, kernel[0], kernel[1], kernel[2], size[0], size[1],
                        size[2]);
    if (demands->needs_cluster && !kernel[0] && !launch->cluster[0])
        return ifl_fail(error, IFL_BAD_INPUT,
                        "'%s' is made for clusters, and the launch does not say of how many blocks",
                        launch->image->name);
    if (!is_within(size, most))
        return ifl_fail(error, IFL_BAD_INPUT,
                        "clusters of %u x %u x %u blocks; those of '%s' have at most %u", size[0],
                        size[1], size[2], launch->image->name, most);
    if (!ifl_cluster_divides(size, grid))
        return ifl_fail(
            error, IFL_BAD_INPUT,
            "a grid of %u x %u x %u blocks is no multiple of its clusters of %u x %u x %u", grid[0],
            grid[1], grid[2], size[0], size[1], size[2]);
    return IFL_OK;
}

ifl_status ifl_clusters_shape(ifl_grid *grid, const ifl_exec_launch *launch, ifl_error *error)
{
    static const uint32_t one[3] = {1, 1, 1};
    const ifl_demands *demands = &launch->image->demands;
    const uint32_t *size = launch->cluster[0]    ? launch->cluster
                           : demands->cluster[0] ? demands->cluster
                                                 : one;
    const ifl_status status = check(size, launch, error);
    if (status != IFL_OK)
        return status;
    memcpy(grid->cluster, size, sizeof grid->cluster);
    grid->is_explicit = size != one;
    grid->cluster_blocks = size[0] * size[1] * size[2];
    grid->clusters = grid->blocks / grid->cluster_blocks;
    grid->has_ranks = grid->cluster_blocks > 1 && demands->has_ranks;
    return IFL_OK;
}

void ifl_cluster_position(const ifl_grid *grid, uint64_t cluster, uint32_t rank,
                          uint32_t position[3])
{
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t blocks = grid->cluster[i], clusters = grid->launch->grid[i] / blocks;
        position[i] = (uint32_t)(cluster % clusters) * blocks + rank % blocks;
        cluster /= clusters;
        rank /= blocks;
    }
}

ifl_block *ifl_cluster_first(ifl_block *block)
{
    return block - block->rank;
}

ifl_block *ifl_cluster_block(const ifl_warp *warp, uint64_t rank)
{
    return rank < warp->worker->grid->cluster_blocks ? ifl_cluster_first(warp->block) + rank : NULL;
}

/* ---- the barrier ----------------------------------------------------------------------------- */

void ifl_cluster_start(ifl_block *first, const ifl_grid *grid)
{
    first->cluster = (ifl_cluster){.live = grid->cluster_blocks * grid->threads_per_block};
}

static void let_pass(ifl_warp *warp)
{
    bool is_opened = false;
    warp->cluster_passed |= warp->cluster_arrived;
    warp->cluster_arrived = 0;
    for (uint32_t i = 0; i < warp->count; i++) {
        ifl_fragment *fragment = &warp->fragments[i];
        if (fragment->state != IFL_FRAGMENT_AT_BARRIER || fragment->barrier != IFL_CLUSTER_BARRIER)
            continue;
        warp->cluster_passed &= ~fragment->executing;
        fragment->state = IFL_FRAGMENT_READY;
        is_opened = true;
    }
    if (is_opened && warp->count > 1)
        ifl_warp_merge(warp);
}

/* What every warp did before it arrived is ordered before all that comes now, also of warps that
 * wait later. */
static void open_if_complete(ifl_block *first, uint32_t blocks)
{
    if (!first->cluster.live || first->cluster.arrived != first->cluster.live)
        return;
    first->cluster.arrived = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        for (uint32_t w = 0; w < first[b].warp_count; w++) {
            ifl_race_leave(first[b].warps[w], IFL_CLUSTER_BARRIER);
            let_pass(first[b].warps[w]);
        }
        ifl_race_close(&first[b], IFL_CLUSTER_BARRIER);
    }
}

static void arrive(ifl_warp *warp, ifl_fragment *fragment, uint32_t mask)
{
    ifl_block *first = ifl_cluster_first(warp->block);
    const uint32_t again = mask & (warp->cluster_arrived | warp->cluster_passed);
    if (again) {
        ifl_fault_raise(warp, fragment->code, IFL_FAULT_OTHER, (uint32_t)__builtin_ctz(again),
                        "a thread arrives at the cluster's barrier again without having waited");
        return;
    }
    ifl_race_arrive(warp, IFL_CLUSTER_BARRIER);
    warp->cluster_arrived |= mask;
    first->cluster.arrived += (uint32_t)__builtin_popcount(mask);
    fragment->code++;
    open_if_complete(first, warp->worker->grid->cluster_blocks);
}

static void wait(ifl_warp *warp, ifl_fragment *fragment, uint32_t mask)
{
    const uint32_t missing = mask & ~(warp->cluster_arrived | warp->cluster_passed);
    if (missing) {
        ifl_fault_raise(warp, fragment->code, IFL_FAULT_OTHER, (uint32_t)__builtin_ctz(missing),
                        "a thread waits at the cluster's barrier without having arrived");
        return;
    }
    ifl_block_tell_barrier(warp, fragment->code, mask);
    fragment->code++;
    if (mask & ~warp->cluster_passed) {
        fragment->state = IFL_FRAGMENT_AT_BARRIER;
        fragment->barrier = IFL_CLUSTER_BARRIER;
        fragment->reduction = NULL;
        fragment->executing = mask;
    } else {
        warp->cluster_passed &= ~mask;
    }
}

void ifl_cluster_arrive(ifl_warp *warp, ifl_fragment *fragment)
{
    const ifl_barrier_op *op = fragment->code->extra;
    (op->waits ? wait : arrive)(warp, fragment, warp->taken);
}

/* PTX ISA, barrier.cluster: only threads that have not ended are waited for. */
void ifl_cluster_lanes_ended(ifl_warp *warp, uint32_t mask)
{
    ifl_block *first = ifl_cluster_first(warp->block);
    const uint32_t arrived = mask & warp->cluster_arrived;
    first->cluster.live -= mask == UINT32_MAX ? IFL_WARP_LANES : (uint32_t)__builtin_popcount(mask);
    warp->cluster_passed &= ~mask;
    if (!first->cluster.arrived)
        return;
    first->cluster.arrived -= (uint32_t)__builtin_popcount(arrived);
    warp->cluster_arrived &= ~mask;
    open_if_complete(first, warp->worker->grid->cluster_blocks);
}
