/* SPDX-License-Identifier: Apache-2.0
 * Measures a GPU's memory with kernels of our own: latencies by chains of addresses, rates by
 * reads, copies and sums, and how the rate grows with the bytes in flight. It does not know what
 * the figures are used for. docs/gpu.md says how each is measured. */
#ifndef IFL_GPU_PROBE_H
#define IFL_GPU_PROBE_H

#include "gpu/gpu.h"

enum { IFL_PROBE_SIZES = 24, IFL_PROBE_FLIGHTS = 32 };

typedef struct ifl_probe_latency {
    uint64_t bytes;   /* that the chain goes through */
    double l1_cycles; /* a load that may hit the L1 */
    double l2_cycles; /* a load that passes the L1 by */
} ifl_probe_latency;

typedef struct ifl_probe_rate {
    uint64_t bytes; /* the working set */
    double bytes_per_s, past_l1_bytes_per_s;
} ifl_probe_rate;

typedef struct ifl_probe_flight {
    uint32_t threads_per_sm, words; /* of 16 bytes a thread asks for at once */
    uint64_t bytes_in_flight_per_sm;
    double bytes_per_s;
} ifl_probe_flight;

typedef struct ifl_probe {
    double clock_hz; /* of an SM, at which the latencies were taken */
    ifl_probe_latency latency[IFL_PROBE_SIZES];
    size_t latency_count;
    ifl_probe_rate read[IFL_PROBE_SIZES];
    size_t read_count;
    ifl_probe_flight flight[IFL_PROBE_FLIGHTS];
    size_t flight_count;
    double l1_bytes_per_cycle_per_sm;
    double dram_read_bytes_per_s, dram_copy_bytes_per_s, dram_triad_bytes_per_s;
    uint64_t dram_bytes; /* of one array of these */
} ifl_probe;

ifl_status ifl_gpu_probe(ifl_gpu *gpu, ifl_probe *out, ifl_error *error);

#endif
