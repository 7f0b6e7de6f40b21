/* SPDX-License-Identifier: Apache-2.0
 * Measures a GPU's memory with kernels of our own: latencies by chains of addresses, rates by
 * reads, copies and sums, and how the rate grows with the bytes in flight. It does not know what
 * the figures are used for. docs/gpu.md says how each is measured. */
#ifndef IFL_GPU_PROBE_H
#define IFL_GPU_PROBE_H

#include "gpu/gpu.h"

enum { IFL_PROBE_SIZES = 24, IFL_PROBE_FLIGHTS = 32, IFL_PROBE_FIGURES = 64, IFL_PROBE_SMS = 1024 };

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

/* A row of probe_figure.def. */
typedef struct ifl_probe_figure {
    const char *name;
    double value;
    const char *how;
} ifl_probe_figure;

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
    uint64_t dram_bytes;      /* of one array of these */
    double dram_random_per_s; /* words, each in a sector of its own at a random place */
    ifl_probe_figure figure[IFL_PROBE_FIGURES]; /* those that are known */
    size_t figure_count;
    char halves[IFL_PROBE_SMS +
                1]; /* a letter an SM: its half of the L2; empty: not known, or one */
} ifl_probe;

/* The latency of the smallest chain of at least `bytes`; NULL where none was that long. */
const ifl_probe_latency *ifl_probe_latency_at(const ifl_probe *probe, uint64_t bytes);
/* Of sets that the L2 has, past the L1: the best rate. */
double ifl_probe_best_l2(const ifl_probe *probe, uint64_t l2_bytes);
ifl_status ifl_gpu_probe(ifl_gpu *gpu, ifl_probe *out, ifl_error *error);

#endif
