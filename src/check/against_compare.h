/* SPDX-License-Identifier: Apache-2.0
 * Results of a candidate beside those of its reference. */
#ifndef IFL_CHECK_AGAINST_COMPARE_H
#define IFL_CHECK_AGAINST_COMPARE_H

#include "check/against_task.h"

typedef struct ifl_difference {
    bool is_found;
    size_t element; /* the one that is furthest off */
    double found, expected, tolerance;
    size_t different, elements;
    size_t
        /* of those that differ: as they were before, though the reference changes them */
        untouched;
} ifl_difference;

/* The tolerance of a type, of the element and of the mean together: |found - expected| <= tolerance
 * * (|expected| + mean). 0 is bit by bit: integers and plain bytes. */
double ifl_tolerance_of(const char *type, double given);
/* `found` has the argument's bytes. */
void ifl_against_compare(const ifl_task_argument *argument, const void *found, double tolerance,
                         ifl_difference *out);

#endif
