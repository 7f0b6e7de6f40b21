/* SPDX-License-Identifier: Apache-2.0
 * When the blocks of a grid end (device/block_places.h says where they run). Equal blocks run in
 * waves; if the profile shows that blocks differ, they are placed one by one. Knows work and places
 * only. */
#include "device/block_places.h"
#include "model/model.h"

#include <math.h>

/* Of a grid of more blocks, those before the last ones are taken as evenly spread. */
enum { MOST_PLACED = 16384 };

/* ---- equal blocks ---------------------------------------------------------------------------- */

static ifl_schedule in_waves(double blocks, double sms, double blocks_per_sm)
{
    const double waves = blocks / (sms * blocks_per_sm), full = floor(waves + 1e-9);
    const double left = fmax(blocks - full * sms * blocks_per_sm, 0);
    const bool is_partial = left > 1e-9 * blocks;
    return (ifl_schedule){
        .even = full,
        .end = is_partial ? full + 1 : full,
        .tail_share = is_partial ? left / blocks : 0,
        .tail_sm_share = is_partial ? ceil(left / sms - 1e-9) * sms / blocks : 0,
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

/* All but the last blocks: evenly, and the largest of them in one place. Returns the first slice
 * after them. */
static uint32_t spread_front(ifl_block_places *p, const ifl_block_work *work, uint64_t blocks)
{
    double sum = 0, most = 0;
    uint32_t first = 0;
    for (; blocks > MOST_PLACED && first + 1 < work->slice_count; first++) {
        blocks -= work->slices[first].blocks;
        sum += (double)work->slices[first].sum;
        most = fmax(most, (double)work->slices[first].most);
    }
    for (size_t i = 0; i < p->count; i++)
        p->until[i] = sum / (double)p->count;
    if (most > p->until[0])
        ifl_block_places_put(p, most - p->until[0]);
    return first;
}

static void place_slice(ifl_block_places *p, const ifl_work_slice *slice)
{
    for (uint64_t b = 0; b < slice->blocks; b++)
        ifl_block_places_put(p, ifl_work_slice_block(slice, b));
}

static double most_of_an_sm(const ifl_block_places *p, double sms, double even)
{
    const ifl_placing placing = {(uint32_t)sms, (uint32_t)(p->count / (size_t)sms), p->count};
    double of_sm[IFL_MOST_PLACES] = {0}, most = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->until[i] != even) /* of a small grid, few: to find an SM takes longer than to add */
            of_sm[ifl_place_sm(&placing, p->number[i])] += p->until[i] - even;
    for (size_t i = 0; i < (size_t)sms; i++)
        most = fmax(most, of_sm[i]);
    return most;
}

static ifl_schedule one_by_one(const ifl_block_work *work, double sms, double blocks_per_sm)
{
    ifl_block_places p;
    const sums all = sum_of(work);
    const double block = all.work / (double)all.blocks;
    double end = 0, tail = 0;
    ifl_block_places_init(&p, (size_t)(sms * fmax(floor(blocks_per_sm), 1)));
    for (uint32_t i = spread_front(&p, work, all.blocks); i < work->slice_count; i++)
        place_slice(&p, &work->slices[i]);
    const double even = p.until[0];
    for (size_t i = 0; i < p.count; i++) {
        end = fmax(end, p.until[i]);
        tail += p.until[i] - even;
    }
    return (ifl_schedule){.even = even / block,
                          .end = end / block,
                          .tail_share = tail / all.work,
                          .tail_sm_share = most_of_an_sm(&p, sms, even) * sms / all.work};
}

/* ---- both ------------------------------------------------------------------------------------ */

ifl_schedule ifl_schedule_find(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm)
{
    const ifl_block_work *each = work->each;
    if (!each || rates->sms * fmax(blocks_per_sm, 1) > IFL_MOST_PLACES)
        return in_waves(work->blocks, rates->sms, blocks_per_sm);
    ifl_schedule s = one_by_one(each, rates->sms, blocks_per_sm);
    /* What-ifs change how many blocks there are, not how they differ. */
    const double scale = work->blocks / (double)sum_of(each).blocks;
    s.even *= scale;
    s.end *= scale;
    return s;
}
