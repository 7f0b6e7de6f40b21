/* SPDX-License-Identifier: Apache-2.0
 * See grid_barrier.h. */
#include "exec/grid_barrier.h"

#include "exec/race.h"

void ifl_grid_barrier_wait(ifl_warp *warp, ifl_fragment *at)
{
    at->state = IFL_FRAGMENT_AT_BARRIER;
    at->barrier = IFL_GRID_BARRIER;
    at->reduction = NULL;
    at->executing = at->mask;
    warp->worker->at_grid_barrier += (uint32_t)__builtin_popcount(at->mask);
    ifl_race_arrive(warp, IFL_CLUSTER_BARRIER);
}

static void let_pass(ifl_warp *warp)
{
    bool is_opened = false;
    for (uint32_t i = 0; i < warp->count; i++) {
        ifl_fragment *fragment = &warp->fragments[i];
        if (fragment->state != IFL_FRAGMENT_AT_BARRIER || fragment->barrier != IFL_GRID_BARRIER)
            continue;
        fragment->state = IFL_FRAGMENT_READY;
        is_opened = true;
    }
    if (is_opened)
        ifl_race_leave(warp, IFL_CLUSTER_BARRIER);
    if (is_opened && warp->count > 1)
        ifl_warp_merge(warp);
}

void ifl_grid_barrier_check(ifl_worker *worker)
{
    const uint64_t threads = worker->grid->blocks * worker->grid->threads_per_block;
    if (!worker->at_grid_barrier || worker->at_grid_barrier + worker->ended_threads < threads)
        return;
    worker->at_grid_barrier = 0;
    for (uint32_t b = 0; b < worker->block_count; b++) {
        ifl_block *block = &worker->blocks[b];
        for (uint32_t w = 0; block->is_running && w < block->warp_count; w++)
            let_pass(block->warps[w]);
        ifl_race_close(block, IFL_CLUSTER_BARRIER);
    }
}

bool ifl_grid_barrier_widen(ifl_worker *worker)
{
    ifl_grid *grid = worker->grid;
    if (!worker->at_grid_barrier || grid->resident >= grid->clusters)
        return false;
    grid->resident = (uint32_t)grid->clusters;
    return true;
}
