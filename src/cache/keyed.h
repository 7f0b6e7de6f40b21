/* SPDX-License-Identifier: Apache-2.0
 * Items to be sorted by a number, such as a warp or a time. */
#ifndef IFL_CACHE_KEYED_H
#define IFL_CACHE_KEYED_H

#include "base/room.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ifl_keyed {
    uint64_t key;
    uint32_t index; /* what it is */
    uint32_t owner; /* whose */
} ifl_keyed;

/* By key; those of the same key stay as they are. `room` is for the sort's own use. False
 * without memory. */
bool ifl_keyed_sort(ifl_keyed *at, size_t count, ifl_room *room);

#endif
