/* SPDX-License-Identifier: Apache-2.0
 * Grows by doubling, so that sizes that rise slowly do not allocate each time. */
#include "base/room.h"

#include "base/pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t grown(const ifl_room *room, size_t bytes)
{
    const bool can_double = room->bytes <= SIZE_MAX / 2;
    return can_double && 2 * room->bytes > bytes ? 2 * room->bytes : bytes;
}

void *ifl_room_take(ifl_room *room, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - 1) / size)
        return NULL;
    const size_t bytes = count * size + 1;
    if (bytes <= room->bytes)
        return room->at;
    const size_t wanted = grown(room, bytes);
    free(room->at);
    room->at = ifl_pages_take(wanted);
    room->bytes = room->at ? wanted : 0;
    return room->at;
}

void *ifl_room_take_zeroed(ifl_room *room, size_t count, size_t size)
{
    void *at = ifl_room_take(room, count, size);
    if (at)
        memset(at, 0, count * size);
    return at;
}

void ifl_room_free(ifl_room *room)
{
    free(room->at);
    *room = (ifl_room){0};
}
