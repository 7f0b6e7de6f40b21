/* SPDX-License-Identifier: Apache-2.0
 * The GPU's clock, which events read: launches count by the model, copies and fills by bandwidths. One thing after the
 * other, whatever its stream; what the host does meanwhile takes no time. */
#include "session/session_internal.h"

#include "base/shared.h"
#include "model/model.h"

#include <time.h>

static double machine_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

IFL_SHARED double ifl_session_clock(const ifl_session *session)
{
    return session->options.analysis ? session->clock_us : machine_clock();
}

/* PCI Express Base Specification: 16 lanes of 5, 8, 16 and 32 GT/s carry 8, 15.75, 31.5 and 63 GB/s each way. Which of
 * them a GPU has goes by its compute capability; copies are taken to reach 85 %. */
static double link_bytes_per_s(double compute_capability)
{
    static const struct {
        double from, bytes_per_s;
    } links[] = {{9.0, 63e9}, {8.0, 31.5e9}, {3.5, 15.75e9}, {0, 8e9}};
    static const double reached = 0.85;
    size_t i = 0;
    while (links[i].from > compute_capability && links[i].from > 0)
        i++;
    return reached * links[i].bytes_per_s;
}

IFL_SHARED void ifl_session_copied(ifl_session *session, ifl_copy_route route, uint64_t bytes)
{
    ifl_rates rates;
    ifl_rates_find(session->device, &rates);
    const double dram = rates.dram_bytes_per_s[1];
    const double seconds[] = {
        [IFL_COPY_LINK] = bytes / link_bytes_per_s(session->device->value[IFL_DEVICE_compute_capability]),
        [IFL_COPY_WITHIN] = 2 * bytes / dram,
        [IFL_COPY_FILL] = bytes / dram,
        [IFL_COPY_HOST] = 0,
    };
    if (route != IFL_COPY_HOST)
        session->clock_us += (ifl_model_constants.launch_s + seconds[route]) * 1e6;
}
