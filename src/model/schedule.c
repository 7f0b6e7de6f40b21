/* SPDX-License-Identifier: Apache-2.0
 * When the blocks of a grid end (device/block_places.h says where they run). Equal blocks run in
 * waves; if the profile shows that blocks differ, they are placed one by one, or cluster by cluster.
 * Knows work and places only. */
#include "device/block_places.h"
#include "model/model.h"

#include <math.h>

/* Of a grid of more blocks, those before the last ones are taken as evenly spread. */
enum { MOST_PLACED = 16384 };

/* ---- places ---------------------------------------------------------------------------------- */

static uint32_t size_of(const ifl_work *work)
{
    return work->cluster ? work->cluster : 1;
}

static uint32_t whole(double blocks_per_sm)
{
    return (uint32_t)fmax(floor(blocks_per_sm), 1);
}

double ifl_places_of(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm)
{
    return work->cluster > 1
               ? (double)ifl_place_held((uint32_t)rates->sms, whole(blocks_per_sm), work->cluster)
               : rates->sms * blocks_per_sm;
}

double ifl_sms_used(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm)
{
    return work->cluster > 1
               ? (double)ifl_place_used((uint32_t)rates->sms, whole(blocks_per_sm), work->cluster)
               : rates->sms;
}

/* Where only numbers count, the clusters are rows of blocks. */
static ifl_placing in_rows(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm,
                           double blocks)
{
    const uint64_t clusters = (uint64_t)ceil(blocks / size_of(work) - 1e-9);
    ifl_placing p = {.sms = (uint32_t)rates->sms,
                     .per_sm = whole(blocks_per_sm),
                     .blocks = clusters * size_of(work)};
    if (work->cluster > 1) {
        p.cluster[0] = work->cluster;
        p.grid[0] = (uint32_t)fmin((double)p.blocks, UINT32_MAX / work->cluster * work->cluster);
        p.cluster[1] = p.cluster[2] = p.grid[1] = p.grid[2] = 1;
    }
    return p;
}

double ifl_most_blocks(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm,
                       double blocks)
{
    uint64_t most = 0;
    if (work->cluster <= 1)
        return ceil(blocks / rates->sms - 1e-9);
    const ifl_placing p = in_rows(rates, work, blocks_per_sm, blocks);
    ifl_place_busiest(&p, &most);
    return (double)most;
}

/* ---- equal blocks ---------------------------------------------------------------------------- */

static ifl_schedule in_waves(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm)
{
    const double blocks = work->blocks, places = ifl_places_of(rates, work, blocks_per_sm),
                 full = floor(blocks / places + 1e-9);
    const double left = fmax(blocks - full * places, 0);
    const bool is_partial = left > 1e-9 * blocks;
    return (ifl_schedule){
        .even = full,
        .end = is_partial ? full + 1 : full,
        .tail_share = is_partial ? left / blocks : 0,
        .tail_sm_share =
            is_partial ? ifl_most_blocks(rates, work, blocks_per_sm, left) * rates->sms / blocks
                       : 0,
    };
}

/* ---- blocks that differ ---------------------------------------------------------------------- */

typedef struct sums {
    uint64_t blocks;
    double work;
} sums;

static sums sum_of(const ifl_block_work *work)
{
    sums all = {0, 0};
    for (uint32_t i = 0; i < work->slice_count; i++) {
        all.blocks += work->slices[i].blocks;
        all.work += (double)work->slices[i].sum;
    }
    return all;
}

/* All but the last blocks: evenly, and the largest of them in one place, which has those of a cluster.
 * Returns the first slice after them. */
static uint32_t spread_front(ifl_block_places *p, const ifl_block_work *work, uint64_t blocks,
                             uint32_t cluster)
{
    double sum = 0, most = 0;
    uint32_t first = 0;
    for (; blocks > MOST_PLACED && first + 1 < work->slice_count; first++) {
        blocks -= work->slices[first].blocks;
        sum += (double)work->slices[first].sum;
        most = fmax(most, (double)work->slices[first].most);
    }
    for (size_t i = 0; i < p->count; i++)
        p->until[i] = sum / (double)p->count / cluster;
    if (most > p->until[0])
        ifl_block_places_put(p, most - p->until[0]);
    return first;
}

/* A cluster that is not complete: its place is free when its longest block ends. */
typedef struct cluster_work {
    uint32_t size, count;
    double longest;
} cluster_work;

static void place_slice(ifl_block_places *p, const ifl_work_slice *slice, cluster_work *cluster)
{
    for (uint64_t b = 0; b < slice->blocks; b++) {
        cluster->longest = fmax(cluster->longest, (double)ifl_work_slice_block(slice, b));
        if (++cluster->count < cluster->size)
            continue;
        ifl_block_places_put(p, cluster->longest);
        *cluster = (cluster_work){.size = cluster->size};
    }
}

static double most_of_an_sm(const ifl_block_places *p, const ifl_placing *placing, double even)
{
    double of_sm[IFL_MOST_PLACES] = {0}, most = 0;
    const uint32_t size = ifl_cluster_size(placing->cluster);
    for (size_t i = 0; i < p->count; i++)
        for (uint32_t r = 0; r < size && p->until[i] != even; r++)
            /* of a small grid, few: to find an SM takes longer than to add */
            of_sm[ifl_place_sm(placing, (uint64_t)p->number[i] * size + r)] += p->until[i] - even;
    for (size_t i = 0; i < placing->sms; i++)
        most = fmax(most, of_sm[i]);
    return most;
}

static ifl_schedule one_by_one(const ifl_rates *rates, const ifl_work *w, double blocks_per_sm)
{
    ifl_block_places p;
    const ifl_block_work *work = w->each;
    const sums all = sum_of(work);
    const double block = all.work / (double)all.blocks;
    const size_t places = (size_t)ifl_places_of(rates, w, whole(blocks_per_sm));
    const ifl_placing placing = in_rows(rates, w, blocks_per_sm, (double)places);
    cluster_work cluster = {.size = size_of(w)};
    double end = 0, tail = 0;
    ifl_block_places_init(&p, places / size_of(w));
    for (uint32_t i = spread_front(&p, work, all.blocks, size_of(w)); i < work->slice_count; i++)
        place_slice(&p, &work->slices[i], &cluster);
    const double even = p.until[0];
    for (size_t i = 0; i < p.count; i++) {
        end = fmax(end, p.until[i]);
        tail += (p.until[i] - even) * size_of(w);
    }
    return (ifl_schedule){.even = even / block,
                          .end = end / block,
                          .tail_share = fmin(tail / all.work, 1),
                          .tail_sm_share =
                              most_of_an_sm(&p, &placing, even) * rates->sms / all.work};
}

/* ---- both ------------------------------------------------------------------------------------ */

ifl_schedule ifl_schedule_find(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm)
{
    const ifl_block_work *each = work->each;
    if (!each || rates->sms * fmax(blocks_per_sm, 1) > IFL_MOST_PLACES)
        return in_waves(rates, work, blocks_per_sm);
    ifl_schedule s = one_by_one(rates, work, blocks_per_sm);
    /* What-ifs change how many blocks there are, not how they differ. */
    const double scale = work->blocks / (double)sum_of(each).blocks;
    s.even *= scale;
    s.end *= scale;
    return s;
}
