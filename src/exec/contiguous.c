/* SPDX-License-Identifier: Apache-2.0
 * Contiguous requests (contiguous.h): counting the first of an instruction, and telling of all. */
#include "exec/contiguous.h"

#include <stdlib.h>

static ifl_contiguous *counted_of(ifl_worker *worker, const ifl_access *access)
{
    ifl_contiguous **at = &worker->contiguous[access->site];
    if (!*at && (*at = calloc(1, sizeof **at)))
        (*at)->what = ifl_contiguous_what(access->kind, access->space, access->bytes);
    return *at;
}

bool ifl_contiguous_add(ifl_worker *worker, const ifl_access *access)
{
    if (!worker->contiguous || access->kind == IFL_ACCESS_ATOMIC)
        return false;
    ifl_contiguous *counted = counted_of(worker, access);
    if (counted && access->of_host)
        counted->what |= IFL_CONTIGUOUS_EACH;
    return ifl_contiguous_again(worker, access->site,
                                ifl_contiguous_what(access->kind, access->space, access->bytes),
                                access->address[0]);
}

static void tell_times(const ifl_worker *worker, const ifl_access *access, uint64_t times)
{
    const ifl_exec_launch *launch = worker->grid->launch;
    for (size_t o = 0; o < launch->observer_count; o++)
        if (launch->observers[o]->contiguous)
            launch->observers[o]->contiguous(worker->states[o], access, times);
}

static void tell_site(const ifl_worker *worker, uint32_t site)
{
    const ifl_contiguous *counted = worker->contiguous[site];
    uint64_t address[IFL_WARP_LANES];
    const ifl_access access = {.site = site,
                               .kind = (uint8_t)counted->what,
                               .space = (uint8_t)(counted->what >> 8),
                               .bytes = (uint8_t)(counted->what >> 16),
                               .shape = IFL_SHAPE_CONTIGUOUS,
                               .mask = UINT32_MAX,
                               .address = address};
    for (unsigned first = 0; first < IFL_LINE_BYTES; first++) {
        for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++)
            address[lane] = first + lane * access.bytes;
        if (counted->times[first])
            tell_times(worker, &access, counted->times[first]);
    }
}

void ifl_contiguous_tell(ifl_worker *worker)
{
    const size_t sites = worker->grid->launch->image->sites.count;
    for (size_t site = 0; worker->contiguous && site < sites; site++)
        if (worker->contiguous[site])
            tell_site(worker, (uint32_t)site);
}

void ifl_contiguous_free(ifl_worker *worker)
{
    for (size_t i = 0; worker->contiguous && i < worker->grid->launch->image->sites.count; i++)
        free(worker->contiguous[i]);
    free(worker->contiguous);
}
