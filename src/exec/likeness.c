/* SPDX-License-Identifier: Apache-2.0
 * Likenesses of requests (likeness_lanes.h): who has which. */
#include "exec/likeness_lanes.h"

#include <stdlib.h>

uint64_t ifl_likeness_of(ifl_worker *worker, const ifl_access *access)
{
    ifl_likeness *last = worker->likeness[access->site];
    if (!last && !(last = worker->likeness[access->site] = calloc(1, sizeof *last)))
        return 0;
    if (!ifl_is_like(last, access))
        ifl_likeness_remember(last, access, ++worker->likenesses);
    return last->number;
}

void ifl_likenesses_free(ifl_worker *worker)
{
    for (size_t i = 0; worker->likeness && i < worker->grid->launch->image->sites.count; i++)
        free(worker->likeness[i]);
    free(worker->likeness);
}
