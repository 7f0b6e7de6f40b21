/* SPDX-License-Identifier: Apache-2.0
 * Memory of the host that a kernel uses in place (cudaHostAlloc, cudaHostRegister): the bus between the two, each way one line
 * after the other. No cache but the L1 keeps any of it. Measured: tools/gpu/host_probe.cu, tests/gpu/h200/hosts.txt. */
#ifndef IFL_TIME_TIME_HOST_H
#define IFL_TIME_TIME_HOST_H

#include "time/time_costs.h"

typedef enum ifl_host_way { IFL_HOST_TO_GPU, IFL_HOST_FROM_GPU, IFL_HOST_WAYS } ifl_host_way;

/* When the next line may pass, of an SM's part of it. */
typedef struct ifl_time_host {
    double way_free[IFL_HOST_WAYS];
    double both_free;
    double way_busy[IFL_HOST_WAYS], both_busy; /* cycles */
    double done;                               /* when all that is changed there is */
} ifl_time_host;

/* A line of so many sectors that comes to the bus at `now`: when it has passed. */
double ifl_time_host_pass(ifl_time_host *host, const ifl_sm_rates *rates, ifl_host_way way,
                          double sectors, double now);
/* The same of an atomic, so many of whose lanes find others at their word, which are made one after the other: when its old
 * value is there. An H200 takes 34 µs for 32 lanes of one word, and 1.3 for 32 words in a row. */
double ifl_time_host_add(ifl_time_host *host, const ifl_sm_rates *rates, double sectors,
                         double others, double now);
/* Cycles in which it was busy. */
double ifl_time_host_busy(const ifl_time_host *host);

#endif
