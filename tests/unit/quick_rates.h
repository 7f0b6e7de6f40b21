/* SPDX-License-Identifier: Apache-2.0
 * Rates with which nothing but what a test sets takes time, and latencies that differ by level. */
#ifndef QUICK_RATES_H
#define QUICK_RATES_H

#include "time/time_costs.h"

enum { QUICK_L1 = 30, QUICK_L2 = 200, QUICK_DRAM = 500, QUICK_SHARED = 29 };

static inline ifl_sm_rates quick_rates(void)
{
    ifl_sm_rates r = {.arch = ifl_arch_of(9.0),
                      .clock_hz = 1e9,
                      .joined = 1,
                      .l2_bytes_of_all = 1e9,
                      .dram_bytes_of_all = 1e9,
                      .dram_bytes_in_order = 1e9,
                      .l2_bytes_per_cycle = 1e9,
                      .dram_bytes_per_cycle = 1e9,
                      .l1_latency = QUICK_L1,
                      .l2_latency = QUICK_L2,
                      .l2_far_latency = QUICK_L2,
                      .dram_latency = QUICK_DRAM,
                      .dram_load = 0.97,
                      .tag_lines = 4,
                      .l1_lines = 1024,
                      .lines_in_flight = 1024,
                      .store_pieces = 1,
                      .dram_sector_bytes = 32};
    for (int p = 0; p < IFL_PIPES; p++)
        r.units[p] = 1;
    for (int p = 0; p <= IFL_PIPES; p++)
        r.result[IFL_DELAY_SHARED][p] = QUICK_SHARED;
    return r;
}

#endif
