/* SPDX-License-Identifier: Apache-2.0
 * See parted.h. PTX ISA, barrier: all threads of a warp must execute the same barrier.sync.aligned,
 * which bar.sync is, or what they do is undefined; of barrier.sync without .aligned they need not. */
#include "exec/parted.h"

#include "base/figure.h"

#include <stdio.h>
#include <stdlib.h>

/* The worker's own entry of the two sites; NULL: there is no room. */
static ifl_parted_pair *entry_of(ifl_worker *worker, uint32_t site, uint32_t other,
                                 const ifl_warp *warp)
{
    ifl_parted *parted = worker->grid->launch->parted;
    for (uint32_t i = 0; i < worker->parted_count; i++)
        if (worker->parted[i]->site == site && worker->parted[i]->other == other)
            return worker->parted[i];
    if (!parted || worker->parted_count == IFL_WORKER_PARTED ||
        __atomic_load_n(&parted->count, __ATOMIC_RELAXED) >= IFL_MOST_PARTED)
        return NULL;
    const uint32_t at = __atomic_fetch_add(&parted->count, 1, __ATOMIC_RELAXED);
    if (at >= IFL_MOST_PARTED)
        return NULL;
    parted->at[at] = (ifl_parted_pair){.site = site,
                                       .other = other,
                                       .block = warp->block->index,
                                       .thread = warp->index * IFL_WARP_LANES +
                                                 (uint32_t)__builtin_ctz(warp->taken)};
    worker->parted[worker->parted_count++] = &parted->at[at];
    return &parted->at[at];
}

void ifl_parted_arrive(ifl_warp *warp, const ifl_code *code)
{
    const ifl_barrier_op *op = code->extra;
    for (uint32_t i = 0; i < warp->count; i++) {
        const ifl_fragment *fragment = &warp->fragments[i];
        if (fragment->state != IFL_FRAGMENT_AT_BARRIER || fragment->barrier >= IFL_BARRIERS)
            continue;
        const ifl_code *waits = fragment->code - 1;
        const ifl_barrier_op *other = waits->extra;
        if (waits->site == code->site || !(op->is_aligned || other->is_aligned))
            continue;
        const bool is_first = code->site < waits->site;
        ifl_parted_pair *pair = entry_of(warp->worker, is_first ? code->site : waits->site,
                                         is_first ? waits->site : code->site, warp);
        if (pair)
            pair->times++;
    }
}

static int by_sites(const void *one, const void *two)
{
    const ifl_parted_pair *a = one, *b = two;
    return a->site != b->site     ? (a->site < b->site ? -1 : 1)
           : a->other != b->other ? (a->other < b->other ? -1 : 1)
                                  : (a->block > b->block) - (a->block < b->block);
}

static void describe(const ifl_sites *sites, const ifl_parted_pair *pair, uint64_t times, char *to,
                     size_t size)
{
    char place[192], other[192];
    ifl_site_where(sites, pair->site, place, sizeof place);
    ifl_site_where(sites, pair->other, other, sizeof other);
    snprintf(to, size,
             "%s: lanes of a warp wait at this %s while others of it wait at that of %s, %s; first "
             "block %llu, thread %u. What a GPU does is undefined: the threads of a warp must "
             "execute one bar.sync (__syncthreads) together.",
             place, sites->at[pair->site].name, other, ifl_figure_counted(times, "time").text,
             (unsigned long long)pair->block, pair->thread);
}

void ifl_parted_warn(const ifl_sites *sites, ifl_parted *parted, ifl_exec_result *result)
{
    const uint32_t count = parted->count < IFL_MOST_PARTED ? parted->count : IFL_MOST_PARTED;
    qsort(parted->at, count, sizeof *parted->at, by_sites);
    for (uint32_t i = 0, end; i < count; i = end) {
        uint64_t times = 0;
        char text[768];
        for (end = i; end < count && parted->at[end].site == parted->at[i].site &&
                      parted->at[end].other == parted->at[i].other;
             end++)
            times += parted->at[end].times;
        describe(sites, &parted->at[i], times, text, sizeof text);
        ifl_exec_warn(result, text);
    }
}
