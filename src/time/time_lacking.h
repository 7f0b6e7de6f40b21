/* SPDX-License-Identifier: Apache-2.0
 * Loads of one SM of which the L1 lacked something, until they have all. So many can wait; the next
 * one waits for the first that has all. Of bytes and halves an H200's SM gets 0.30 and 0.22 requests a
 * cycle from DRAM with 64 warps, 0.27 and 0.21 with 32 (tools/gpu/share_probe.cu, `streams`). Knows
 * times only. */
#ifndef IFL_TIME_TIME_LACKING_H
#define IFL_TIME_TIME_LACKING_H

#include <stdint.h>

enum { IFL_TIME_MOST_LACKING = 512 };

typedef struct ifl_time_lacking {
    double until[IFL_TIME_MOST_LACKING]; /* a heap */
    uint32_t count, most;
} ifl_time_lacking;

/* When there is room for one more; 0: now. */
double ifl_time_lacking_room(const ifl_time_lacking *l);
/* A load begins at `now`, for which there is room, and has all at `ends`. */
void ifl_time_lacking_add(ifl_time_lacking *l, double now, double ends);

#endif
