/* SPDX-License-Identifier: Apache-2.0
 * Memory that is used again and again for contents of changing size: it grows to the largest and
 * stays so. A zeroed ifl_room is an empty one. */
#ifndef IFL_BASE_ROOM_H
#define IFL_BASE_ROOM_H

#include <stddef.h>

typedef struct ifl_room {
    void *at;
    size_t bytes;
} ifl_room;

/* Room for `count` elements of `size` bytes, at least one byte; what was there is lost. NULL
 * without memory. */
void *ifl_room_take(ifl_room *room, size_t count, size_t size);
/* The same, zeroed. */
void *ifl_room_take_zeroed(ifl_room *room, size_t count, size_t size);
void ifl_room_free(ifl_room *room);

#endif
