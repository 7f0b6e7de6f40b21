/* SPDX-License-Identifier: Apache-2.0
 * What is kept of a followed SM, so that it can be followed once more with something changed
 * (profile/what_if.h): a part of its traces, small enough that a program's report can hold those of
 * all its kernels. Knows traces, rates and changes. */
#ifndef IFL_TIME_TIME_KEPT_H
#define IFL_TIME_TIME_KEPT_H

#include "profile/what_if.h"
#include "time/time_sm.h"

enum { IFL_KEPT_WORDS = 1 << 17 };

/* An SM as it was followed. */
typedef struct ifl_time_sm {
    ifl_sm_case of;
    double sm_blocks; /* that it gets; those of `of` are some of them */
    double blocks;    /* of the grid */
    double sms;
    bool blocks_differ; /* those of `of` stand for all that the SM gets */
} ifl_time_sm;

/* Copies what it needs. NULL without memory. */
void *ifl_time_keep(const ifl_time_sm *sm);
/* `find` of ifl_what_if. */
void ifl_time_kept_find(void *kept, int threads, const ifl_change *const *changes, size_t count,
                        double *ratios);
void ifl_time_kept_free(void *kept);

#endif
