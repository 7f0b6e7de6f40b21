/* SPDX-License-Identifier: Apache-2.0
 * Likenesses of requests (likeness_lanes.h): who has which. */
#include "exec/likeness_lanes.h"

#include <stdlib.h>

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
    if (!ifl_is_like(last, access))
        remember(last, access, first, ++worker->likenesses);
    return last->number;
}

void ifl_likenesses_free(ifl_worker *worker)
{
    for (size_t i = 0; worker->likeness && i < worker->grid->launch->image->sites.count; i++)
        free(worker->likeness[i]);
    free(worker->likeness);
}
