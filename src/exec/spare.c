/* SPDX-License-Identifier: Apache-2.0
 * See spare.h. */
#include "exec/spare.h"

#include <stdlib.h>
#include <string.h>

static bool fits(const ifl_spare *spare, const ifl_grid *grid)
{
    return spare->image == grid->image->number && spare->shared_bytes == grid->shared_bytes &&
           spare->stack_bytes == grid->launch->stack_bytes &&
           memcmp(spare->block, grid->launch->block, sizeof spare->block) == 0;
}

/* What is checked keeps notes of each byte, and clusters have state of their own. */
static bool is_plain(const ifl_worker *worker)
{
    return !worker->unwritten && !worker->races && worker->grid->cluster_blocks == 1;
}

void ifl_spare_take(ifl_spare *spare, ifl_worker *worker)
{
    if (!spare->count || !is_plain(worker) || !fits(spare, worker->grid))
        return;
    worker->blocks = spare->blocks;
    worker->block_count = spare->count;
    worker->block_capacity = spare->capacity;
    *spare = (ifl_spare){0};
    for (uint32_t b = 0; b < worker->block_count; b++)
        for (uint32_t w = 0; w < worker->blocks[b].warp_count; w++) {
            worker->blocks[b].warps[w]->worker = worker;
            ifl_frames_renew(worker->blocks[b].warps[w]);
        }
}

static size_t bytes_of(const ifl_block *block, const ifl_grid *grid)
{
    size_t bytes = grid->shared_bytes;
    for (uint32_t w = 0; w < block->warp_count; w++)
        bytes += ifl_frames_bytes(block->warps[w]);
    return bytes;
}

static bool is_small(const ifl_worker *worker)
{
    enum { MOST_BLOCKS = 4, MOST_BYTES = 1 << 21 };
    size_t bytes = 0;
    for (uint32_t b = 0; b < worker->block_count && b < MOST_BLOCKS; b++)
        bytes += bytes_of(&worker->blocks[b], worker->grid);
    return worker->block_count && worker->block_count <= MOST_BLOCKS && bytes <= MOST_BYTES;
}

static bool has_ended(const ifl_worker *worker)
{
    bool ended = !worker->fault.is_set;
    for (uint32_t b = 0; b < worker->block_count; b++)
        ended &= !worker->blocks[b].is_running;
    return ended;
}

void ifl_spare_keep(ifl_spare *spare, ifl_worker *worker)
{
    const ifl_grid *grid = worker->grid;
    if (!grid || !is_plain(worker) || !has_ended(worker) || !is_small(worker))
        return;
    ifl_spare_free(spare);
    *spare = (ifl_spare){.image = grid->image->number,
                         .shared_bytes = grid->shared_bytes,
                         .stack_bytes = grid->launch->stack_bytes,
                         .count = worker->block_count,
                         .capacity = worker->block_capacity,
                         .blocks = worker->blocks};
    memcpy(spare->block, grid->launch->block, sizeof spare->block);
    worker->blocks = NULL;
    worker->block_count = worker->block_capacity = 0;
}

void ifl_spare_free(ifl_spare *spare)
{
    for (uint32_t b = 0; b < spare->count; b++)
        ifl_block_free(&spare->blocks[b]);
    free(spare->blocks);
    *spare = (ifl_spare){0};
}
