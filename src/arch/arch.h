/* SPDX-License-Identifier: Apache-2.0
 * What the compute capability of a GPU fixes: fact.def as values. Knows no device's own figures. */
#ifndef IFL_ARCH_ARCH_H
#define IFL_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ifl_arch {
#define FACT(name, unit, doc) double name;
#include "arch/fact.def"
} ifl_arch;

/* The facts of a compute capability: 8.6. One older than 2.0 has those of 2.0. */
ifl_arch ifl_arch_of(double compute_capability);

/* A row of SINCE, with its fact's words. */
typedef struct ifl_arch_row {
    const char *name, *unit, *doc;
    double since, value;
    const char *source;
} ifl_arch_row;

/* In the order of the table; false past the end. */
bool ifl_arch_row_at(size_t index, ifl_arch_row *out);

/* The facts in the order of the table, each with the row that holds for a compute capability; false past the end. */
bool ifl_arch_fact_at(size_t index, double compute_capability, ifl_arch_row *out);

#endif
