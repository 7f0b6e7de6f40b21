/* SPDX-License-Identifier: Apache-2.0
 * The clock of each GPU, which events read: launches count by the model, copies and fills by
 * bandwidths. One thing after the other on one GPU, whatever its stream; what the host does
 * meanwhile takes no time. */
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
    return session->options.analysis ? session->clock_us : machine_clock() + session->skipped_us;
}

IFL_SHARED void ifl_session_choose_gpu(ifl_session *session, uint32_t gpu)
{
    if (gpu >= IFL_MOST_GPUS || gpu == session->gpu)
        return;
    session->clocks_us[session->gpu] = session->clock_us;
    session->gpu = gpu;
    session->clock_us = session->clocks_us[gpu];
    ifl_session_gpu_waits(session, session->host_us);
}

IFL_SHARED void ifl_session_host_waits(ifl_session *session)
{
    session->host_us = session->clock_us > session->host_us ? session->clock_us : session->host_us;
}

IFL_SHARED void ifl_session_gpu_waits(ifl_session *session, double until_us)
{
    if (session->options.analysis && until_us > session->clock_us)
        session->clock_us = until_us;
}

/* Of the link's bandwidth, what copies are taken to reach. */
static const double link_share = 0.85;

IFL_SHARED void ifl_session_copied(ifl_session *session, ifl_copy_route route, uint64_t bytes)
{
    ifl_rates rates;
    ifl_rates_find(session->device, &rates);
    const double dram = rates.dram_bytes_per_s[1];
    const double seconds[] = {
        [IFL_COPY_LINK] = bytes / (link_share * rates.arch.link_bytes_per_s),
        [IFL_COPY_WITHIN] = 2 * bytes / dram,
        [IFL_COPY_FILL] = bytes / dram,
        [IFL_COPY_HOST] = 0,
    };
    if (route != IFL_COPY_HOST)
        session->clock_us += (rates.launch_s + seconds[route]) * 1e6;
}
