/* SPDX-License-Identifier: Apache-2.0
 * The barrier objects of a block on an SM: what has come to each of them, and when. */
#ifndef IFL_TIME_TIME_OBJECT_H
#define IFL_TIME_TIME_OBJECT_H

#include "time/time_trace.h"

enum { IFL_TIME_OBJECTS = 32 };

/* Since the block began. */
typedef struct ifl_time_object {
    ifl_object_count had;
    uint64_t ends; /* of the last arrival or copy */
} ifl_time_object;

typedef struct ifl_time_objects {
    uint32_t count;
    ifl_time_object at[IFL_TIME_OBJECTS];
} ifl_time_objects;

/* The one that has this number. NULL: there are too many, and nobody waits for the others. */
ifl_time_object *ifl_time_object_of(ifl_time_objects *objects, uint32_t number);
/* It has had all that is awaited of it. */
bool ifl_time_object_is_over(const ifl_time_object *object, const ifl_object_count *awaited);

#endif
