/* SPDX-License-Identifier: Apache-2.0
 * A radix sort from the last digit to the first, over the digits in which keys differ. Short lists
 * are sorted by insertion. */
#include "cache/keyed.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, FEW = 64 };

static bool is_sorted(const ifl_keyed *at, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (at[i].key < at[i - 1].key)
            return false;
    return true;
}

static void sort_digit(const ifl_keyed *from, ifl_keyed *to, size_t count, unsigned shift)
{
    size_t place[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        place[from[i].key >> shift & (DIGITS - 1)]++;
    for (int d = 0; d < DIGITS; d++) {
        const size_t here = place[d];
        place[d] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

static bool sort_digits(ifl_keyed *at, size_t count, ifl_room *room)
{
    uint64_t differ = 0;
    ifl_keyed *from = at, *to = ifl_room_take(room, count, sizeof *to);
    if (!to)
        return false;
    for (size_t i = 1; i < count; i++)
        differ |= at[i].key ^ at[0].key;
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (!(differ >> shift & (DIGITS - 1)))
            continue;
        sort_digit(from, to, count, shift);
        ifl_keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != at)
        memcpy(at, from, count * sizeof *at);
    return true;
}

bool ifl_keyed_sort(ifl_keyed *at, size_t count, ifl_room *room)
{
    if (is_sorted(at, count))
        return true;
    if (count > FEW)
        return sort_digits(at, count, room);
    for (size_t i = 1; i < count; i++) {
        const ifl_keyed one = at[i];
        size_t to = i;
        for (; to && at[to - 1].key > one.key; to--)
            at[to] = at[to - 1];
        at[to] = one;
    }
    return true;
}
