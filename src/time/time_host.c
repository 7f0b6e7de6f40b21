/* SPDX-License-Identifier: Apache-2.0
 * The bus to the host as a server each way, and one for both: time_host.h. */
#include "time/time_host.h"

#include "arch/units.h"

#include <math.h>

/* What a line costs of the bus's time. */
static double part_of_line(double lone, double sectors)
{
    return lone + (1 - lone) * (sectors - 1) / (IFL_LINE_SECTORS - 1);
}

double ifl_time_host_pass(ifl_time_host *host, const ifl_sm_rates *rates, ifl_host_way way,
                          double sectors, double now)
{
    const double of_both = rates->arch.host_both_part,
                 cycles =
                     part_of_line(rates->arch.host_sector_part, sectors) * rates->host_line_cycles;
    const double begins = fmax(fmax(host->way_free[way], host->both_free), now);
    host->way_free[way] = begins + cycles;
    host->both_free = fmax(host->both_free, now) + of_both * cycles;
    host->way_busy[way] += cycles;
    host->both_busy += of_both * cycles;
    if (way == IFL_HOST_FROM_GPU)
        host->done = fmax(host->done, begins + cycles);
    return begins + cycles;
}

double ifl_time_host_add(ifl_time_host *host, const ifl_sm_rates *rates, double sectors,
                         double others, double now)
{
    const double each = rates->arch.host_atomic_part;
    const double ends = ifl_time_host_pass(host, rates, IFL_HOST_TO_GPU, sectors, now) +
                        (1 + each * others) * rates->host_latency;
    host->done = fmax(host->done, ends);
    return ends;
}

double ifl_time_host_busy(const ifl_time_host *host)
{
    return fmax(host->both_busy,
                fmax(host->way_busy[IFL_HOST_TO_GPU], host->way_busy[IFL_HOST_FROM_GPU]));
}
