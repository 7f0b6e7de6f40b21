/* SPDX-License-Identifier: Apache-2.0
 * The address pattern of one request. The rules are tried from cheap to expensive, and each gives
 * up at the first lane that does not fit: scattered addresses are recognized after a few lanes. */
#include "count/layout.h"

/* The active lanes. */
typedef struct lanes {
    unsigned count;
    unsigned bytes; /* of a lane */
    bool offset_matters;
    const uint64_t *address;
    const uint8_t *lane;
    uint64_t own_address[IFL_WARP_LANES]; /* room for `address` and `lane` */
    uint8_t own_lane[IFL_WARP_LANES];
} lanes;

static const ifl_layout irregular = {IFL_PATTERN_IRREGULAR, 0, 0};

static void gather(lanes *l, const ifl_access *access)
{
    l->count = 0;
    l->own_address[0] = 0; /* there is an active lane, which a compiler cannot know */
    for (uint32_t mask = access->mask; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        l->own_lane[l->count] = (uint8_t)lane;
        l->own_address[l->count++] = access->address[lane];
    }
    l->address = l->own_address;
    l->lane = l->own_lane;
}

static void take(lanes *l, const ifl_access *access)
{
    static const uint8_t all[IFL_WARP_LANES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    l->bytes = access->bytes;
    l->offset_matters = access->space != IFL_SPACE_SHARED;
    l->count = IFL_WARP_LANES;
    l->address = access->address;
    l->lane = all;
    if (access->mask != UINT32_MAX)
        gather(l, access);
}

static bool is_broadcast(const lanes *l)
{
    unsigned i = 1;
    while (i < l->count && l->address[i] == l->address[0])
        i++;
    return i == l->count;
}

/* One distance between neighbouring lanes for all, where some are inactive. */
static bool is_affine_in_part(const lanes *l, uint64_t *stride)
{
    if (l->count < 2)
        return false;
    int64_t difference = (int64_t)(l->address[1] - l->address[0]);
    int64_t apart = l->lane[1] - l->lane[0];
    if (apart != 1 && difference % apart)
        return false;
    uint64_t step = (uint64_t)(difference / apart), base = l->address[0] - step * l->lane[0];
    unsigned i = 2;
    while (i < l->count && l->address[i] == base + step * l->lane[i])
        i++;
    *stride = step;
    return i == l->count;
}

static bool is_affine(const lanes *l, const ifl_access *access, uint64_t *stride)
{
    return access->mask == UINT32_MAX ? ifl_is_affine(access, stride)
                                      : is_affine_in_part(l, stride);
}

static uint64_t sectors_of_span(uint64_t first, uint64_t bytes)
{
    return (first % IFL_SECTOR_BYTES + bytes + IFL_SECTOR_BYTES - 1) / IFL_SECTOR_BYTES;
}

static ifl_layout consecutive(const lanes *l, uint64_t first, uint64_t bytes)
{
    bool ideal = sectors_of_span(first, bytes) == sectors_of_span(0, bytes);
    return (ifl_layout){ideal || !l->offset_matters ? IFL_PATTERN_COALESCED : IFL_PATTERN_OFFSET, 0,
                        0};
}

static ifl_layout affine(const lanes *l, int64_t stride)
{
    uint64_t from = l->address[0], to = l->address[l->count - 1];
    uint64_t bytes = l->bytes, distance = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
    if (distance < bytes)
        return irregular; /* lanes overlap: unaligned accesses only */
    if (distance == bytes)
        return stride < 0 ? consecutive(l, to, from - to + bytes)
                          : consecutive(l, from, to - from + bytes);
    return (ifl_layout){IFL_PATTERN_STRIDED, stride, from - (uint64_t)stride * l->lane[0]};
}

/* The span of the addresses; false when it is longer than what all lanes ask for, in whole
 * sectors. */
static bool is_dense(const lanes *l, uint64_t *first, uint64_t *bytes)
{
    uint64_t low = l->address[0], high = low;
    uint64_t most = (uint64_t)l->count * l->bytes + IFL_SECTOR_BYTES;
    for (unsigned i = 1; i < l->count; i++) {
        low = l->address[i] < low ? l->address[i] : low;
        high = l->address[i] > high ? l->address[i] : high;
        if (high - low > most)
            return false;
    }
    *first = low;
    *bytes = high - low + l->bytes;
    return true;
}

static bool is_permuted(const lanes *l, const ifl_access *access, ifl_lookup *lookup,
                        ifl_layout *out)
{
    uint64_t first, bytes;
    ifl_footprint f;
    if (!is_dense(l, &first, &bytes))
        return false;
    ifl_footprint_measure(lookup, access, &f);
    bool side_by_side = sectors_of_span(first, bytes) == f.sectors;
    bool ideal = f.sectors == ifl_ideal(f.useful_bytes, IFL_SECTOR_BYTES);
    bool filled = f.useful_bytes == bytes;
    *out = (ifl_layout){ideal || !l->offset_matters ? IFL_PATTERN_COALESCED : IFL_PATTERN_OFFSET, 0,
                        0};
    return (side_by_side && ideal) || filled;
}

/* How far from `first` on each lane is `step` bytes after the one `period` lanes before it. */
static unsigned regular_until(const lanes *l, unsigned period)
{
    const uint64_t step = l->address[period] - l->address[0];
    unsigned i = period;
    while (i < l->count && l->address[i] - l->address[i - period] == step)
        i++;
    return i;
}

/* Active lanes in runs of equal length, each lane `inner` bytes after the one before; the runs are
 * rows of a block, `outer` bytes apart, and those may be the rows of equal layers. There are two
 * whole rows at least. */
static bool has_runs(const lanes *l, int64_t *inner, int64_t *outer)
{
    const unsigned run = regular_until(l, 1);
    if (run < 2 || 2 * run > l->count)
        return false;
    const unsigned layer = regular_until(l, run);
    if (layer < l->count && (layer < 2 * run || layer % run || regular_until(l, layer) < l->count))
        return false;
    *inner = (int64_t)(l->address[1] - l->address[0]);
    *outer = (int64_t)(l->address[run] - l->address[0]);
    return true;
}

static ifl_layout rows(const lanes *l, const ifl_access *access, ifl_lookup *lookup)
{
    ifl_footprint f;
    ifl_footprint_measure(lookup, access, &f);
    const bool ideal = f.sectors == ifl_ideal(f.useful_bytes, IFL_SECTOR_BYTES);
    return (ifl_layout){ideal || !l->offset_matters ? IFL_PATTERN_COALESCED : IFL_PATTERN_ROWS, 0,
                        0};
}

static ifl_layout runs(const lanes *l, const ifl_access *access, ifl_lookup *lookup)
{
    int64_t inner, outer;
    if (!has_runs(l, &inner, &outer))
        return irregular;
    const uint64_t apart = inner < 0 ? 0 - (uint64_t)inner : (uint64_t)inner;
    if (inner == 0)
        return (ifl_layout){IFL_PATTERN_STRIDED, outer, l->address[0]};
    if (apart < l->bytes)
        return irregular; /* lanes overlap: unaligned accesses only */
    if (apart > l->bytes)
        return (ifl_layout){IFL_PATTERN_STRIDED, inner,
                            l->address[0] - (uint64_t)inner * l->lane[0]};
    return rows(l, access, lookup);
}

ifl_layout ifl_layout_of(ifl_lookup *lookup, const ifl_access *access)
{
    lanes l;
    uint64_t stride;
    ifl_layout layout;
    take(&l, access);
    if (is_broadcast(&l))
        return (ifl_layout){IFL_PATTERN_BROADCAST, 0, 0};
    if (is_affine(&l, access, &stride))
        return affine(&l, (int64_t)stride);
    if (is_permuted(&l, access, lookup, &layout))
        return layout;
    return runs(&l, access, lookup);
}
