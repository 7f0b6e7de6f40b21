/* SPDX-License-Identifier: Apache-2.0
 * The figures of probe_figure.def, measured. Knows no fact and no field: names and values. */
#ifndef IFL_GPU_PROBE_FIGURES_H
#define IFL_GPU_PROBE_FIGURES_H

#include "gpu/probe.h"

/* What the probes before have: memory for all, and rates. */
typedef struct ifl_probe_room {
    uint64_t array, array_bytes; /* a power of two */
    uint64_t out;                /* 64 KiB */
    double l2_cycles, l2_bytes_per_s;
} ifl_probe_room;

ifl_status ifl_probe_figures(ifl_gpu *gpu, const ifl_probe_room *room, ifl_probe *out,
                             ifl_error *error);

#endif
