/* SPDX-License-Identifier: Apache-2.0
 * Registers are read in a window of cycles after the issue, one a cycle from each bank, but for those that
 * the instruction before has left at hand (Huerta et al., MICRO 2025, "register file"). */
#include "time/time_ports.h"

static uint64_t latest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t reads_of(const ifl_register_ports *p, const void *warp, uint32_t site,
                         const ifl_control *control, unsigned bank)
{
    const bool follows = p->warp == warp && p->site + 1 == site;
    return (uint64_t)(control->sources[bank] - (follows ? control->kept[bank] : 0));
}

/* What one instruction reads beyond the window keeps only those behind it. */
uint64_t ifl_register_ports_open(const ifl_register_ports *p, const void *warp, uint32_t site,
                                 const ifl_control *control, uint64_t now)
{
    uint64_t may = now;
    if (p->free_at[0] <= now && p->free_at[1] <= now) /* the usual case */
        return now;
    for (unsigned bank = 0; bank < IFL_REGISTER_BANKS; bank++) {
        const uint64_t reads = reads_of(p, warp, site, control, bank),
                       read =
                           latest(p->free_at[bank], now) + (reads < p->window ? reads : p->window);
        may = latest(may, read > p->window ? read - p->window : 0);
    }
    return may;
}

void ifl_register_ports_read(ifl_register_ports *p, const void *warp, uint32_t site,
                             const ifl_control *control, uint64_t now)
{
    for (unsigned bank = 0; bank < IFL_REGISTER_BANKS; bank++)
        p->free_at[bank] = latest(p->free_at[bank], now) + reads_of(p, warp, site, control, bank);
    p->warp = warp;
    p->site = site;
}
