/* SPDX-License-Identifier: Apache-2.0
 * A baseline: facts kept beside a budget, one a line, sorted, so that a diff of it reads as a list
 * of what changed. */
#ifndef IFL_CHECK_BASELINE_H
#define IFL_CHECK_BASELINE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

/* Where a fact belongs; "" where it is the whole kernel, and no GPU's. */
typedef struct ifl_fact_name {
    const char *run, *kernel, *place, *gpu, *metric;
} ifl_fact_name;

typedef struct ifl_fact {
    ifl_fact_name name;
    ifl_estimate value;
} ifl_fact;

typedef struct ifl_baseline {
    ifl_arena arena;
    IFL_VEC(ifl_fact) facts; /* sorted where it was read */
} ifl_baseline;

/* A file that is not there is IFL_NO_FILE. */
ifl_status ifl_baseline_read(const char *path, ifl_baseline *out, ifl_error *error);
/* Copies the names; false without memory. */
bool ifl_baseline_add(ifl_baseline *baseline, ifl_fact_name name, ifl_estimate value);
ifl_status ifl_baseline_write(ifl_baseline *baseline, FILE *out, ifl_error *error);
void ifl_baseline_free(ifl_baseline *baseline);
/* NULL where it is not there. */
const ifl_fact *ifl_baseline_find(const ifl_baseline *baseline, ifl_fact_name name);
/* The index of the first fact of a run, or of a kernel of it (kernel NULL: any); facts.count past
 * the last. */
size_t ifl_baseline_first(const ifl_baseline *baseline, const char *run, const char *kernel);

#endif
