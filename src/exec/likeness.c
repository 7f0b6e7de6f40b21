/* SPDX-License-Identifier: Apache-2.0
 * Likenesses of requests (likeness_lanes.h): who has which. */
#include "exec/likeness_lanes.h"

#include <stdlib.h>

static ifl_likenesses *resize(ifl_likenesses **of, uint32_t room)
{
    ifl_likenesses *known = realloc(*of, sizeof *known + room * sizeof *known->seen);
    if (!known)
        return NULL;
    known->room = room;
    return *of = known;
}

ifl_likenesses *ifl_likenesses_widen(ifl_likenesses **of)
{
    ifl_likenesses *known = *of;
    const bool is_full = known->count == known->room && known->room < IFL_LAYOUTS;
    ifl_likenesses *wider = is_full ? resize(of, IFL_LAYOUTS) : NULL;
    return wider ? wider : known;
}

/* The first request of an instruction. */
static void begin(ifl_worker *worker, ifl_likenesses **of, const ifl_access *access)
{
    ifl_likenesses *known = resize(of, 1);
    if (!known)
        return;
    known->last = known->strangers = 0;
    known->count = 1;
    known->hash[0] = ifl_layout_hash(access);
    ifl_layout_remember(&known->seen[0], access, ++worker->likenesses);
}

uint64_t ifl_likeness_of(ifl_worker *worker, const ifl_access *access)
{
    ifl_likenesses **of = &worker->likeness[access->site], *known = *of;
    if (known)
        return ifl_is_like(&known->seen[known->last], access)
                   ? known->seen[known->last].number
                   : ifl_likeness_find(worker, of, access);
    begin(worker, of, access);
    return 0;
}

void ifl_likenesses_free(ifl_worker *worker)
{
    for (size_t i = 0; worker->likeness && i < worker->grid->launch->image->sites.count; i++)
        free(worker->likeness[i]);
    free(worker->likeness);
}
