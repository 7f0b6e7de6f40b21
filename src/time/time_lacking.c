/* SPDX-License-Identifier: Apache-2.0
 * A heap of times, the earliest first: time_lacking.h. */
#include "time/time_lacking.h"

#include <assert.h>

double ifl_time_lacking_room(const ifl_time_lacking *l)
{
    return l->count == l->most ? l->until[0] : 0;
}

/* Puts a value into a heap of so many whose first has gone. */
static void sink(double *heap, uint32_t count, double value)
{
    uint32_t at = 0;
    for (uint32_t below = 1; below < count; below = 2 * at + 1) {
        below += below + 1 < count && heap[below + 1] < heap[below];
        if (heap[below] >= value)
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = value;
}

void ifl_time_lacking_add(ifl_time_lacking *l, double now, double ends)
{
    while (l->count > 0 && l->until[0] <= now) {
        l->count--;
        sink(l->until, l->count, l->until[l->count]);
    }
    assert(l->count < l->most);
    uint32_t at = l->count++;
    for (; at > 0 && l->until[(at - 1) / 2] > ends; at = (at - 1) / 2)
        l->until[at] = l->until[(at - 1) / 2];
    l->until[at] = ends;
}
