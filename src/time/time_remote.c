/* SPDX-License-Identifier: Apache-2.0
 * Sectors pass between SMs one after the other; some lines take more than their sectors do. */
#include "time/time_remote.h"

#include <math.h>

static double lines_of(ifl_request_cost cost)
{
    static const double of_sectors[] = {[IFL_REMOTE_FEW] = 0,
                                        [IFL_REMOTE_EACH] = 1,
                                        [IFL_REMOTE_HALF] = 1.0 / 2,
                                        [IFL_REMOTE_FOURTH] = 1.0 / 4};
    return cost.passes * of_sectors[cost.ends];
}

/* Stores are awaited by nobody. */
ifl_served ifl_time_remote_take(ifl_time_memory *m, const ifl_site_access *access,
                                ifl_request_cost cost, double now)
{
    const ifl_sm_rates *r = m->rates;
    const ifl_access_kind kind = ifl_access_plain_kind(access->kind);
    const double again = kind == IFL_ACCESS_ATOMIC ? cost.serial : 0,
                 cycles = cost.passes * r->remote_cycles[kind] +
                          lines_of(cost) * r->remote_line_cycles[kind] +
                          again * r->remote_again_cycles,
                 begins = fmax(m->remote_free, now), ends = begins + cycles;
    m->remote_free = ends;
    return (ifl_served){begins, kind == IFL_ACCESS_STORE ? begins : ends + r->remote_latency, ends,
                        0};
}
