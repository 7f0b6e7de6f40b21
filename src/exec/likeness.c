/* SPDX-License-Identifier: Apache-2.0
 * Requests of an instruction that are like its last one: an observer then knows already what one
 * asks for. Most instructions have few layouts (a row of a block, a stride), each many times. */
#include "exec/warp.h"

#include <stdlib.h>

struct ifl_likeness {
    uint64_t number;
    uint32_t mask;
    uint8_t kind, space, bytes;
    uint64_t distance[IFL_WARP_LANES]; /* of the active lanes from the first of them */
};

static bool is_at_same_distances(const uint64_t *address, uint64_t first, const ifl_likeness *last)
{
    uint64_t differs = 0;
    if (last->mask == UINT32_MAX) {
        _Pragma("omp simd reduction(|:differs)") for (int i = 0; i < IFL_WARP_LANES; i++) differs |=
            (address[i] - first) ^ last->distance[i];
        return !differs;
    }
    for (uint32_t m = last->mask; m && !differs; m &= m - 1)
        differs = (address[__builtin_ctz(m)] - first) ^ last->distance[__builtin_ctz(m)];
    return !differs;
}

static void remember(ifl_likeness *last, const ifl_access *access, uint64_t first, uint64_t number)
{
    last->number = number;
    last->mask = access->mask;
    last->kind = access->kind;
    last->space = access->space;
    last->bytes = access->bytes;
    for (int i = 0; i < IFL_WARP_LANES; i++)
        last->distance[i] = access->address[i] - first;
}

uint64_t ifl_likeness_of(ifl_worker *worker, const ifl_access *access)
{
    ifl_likeness *last = worker->likeness[access->site];
    if (!last && !(last = worker->likeness[access->site] = calloc(1, sizeof *last)))
        return 0;
    const uint64_t first = access->address[__builtin_ctz(access->mask)];
    const bool is_alike = last->mask == access->mask && last->kind == access->kind &&
                          last->space == access->space && last->bytes == access->bytes &&
                          is_at_same_distances(access->address, first, last);
    if (!is_alike)
        remember(last, access, first, ++worker->likenesses);
    return last->number;
}

void ifl_likenesses_free(ifl_worker *worker)
{
    for (size_t i = 0; worker->likeness && i < worker->grid->launch->image->sites.count; i++)
        free(worker->likeness[i]);
    free(worker->likeness);
}
