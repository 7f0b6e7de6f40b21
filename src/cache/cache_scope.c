/* SPDX-License-Identifier: Apache-2.0
 * How much of a launch is enough for a device. */
#include "cache/cache_scope.h"

#include "arch/units.h"

static uint32_t bits_of(uint64_t value)
{
    return value ? 64 - (uint32_t)__builtin_clzll(value) : 0;
}

/* Bits of two waves of blocks. */
static uint32_t least_blocks_of(const ifl_device *device)
{
    const double wave = device->value[IFL_DEVICE_sms] * device->value[IFL_DEVICE_max_blocks_per_sm];
    return bits_of(2 * (uint64_t)wave);
}

static ifl_trace_scope scope_of_block(const ifl_device *device, const ifl_placing *placing,
                                      uint64_t block)
{
    return (ifl_trace_scope){.placing = *placing,
                             .chosen = ifl_place_sm(placing, block),
                             .least_blocks = least_blocks_of(device)};
}

ifl_trace_scope ifl_cache_sm_scope(const ifl_device *device, const ifl_placing *placing)
{
    const uint64_t used = placing->blocks < placing->sms ? placing->blocks : placing->sms;
    return scope_of_block(device, placing, ifl_place_nth(placing, used / 2));
}

ifl_trace_scope ifl_cache_first_sm_scope(const ifl_device *device, const ifl_placing *placing)
{
    return scope_of_block(device, placing, 0);
}

ifl_trace_scope ifl_cache_grid_scope(void)
{
    enum { ANY_SHARE = 60 };
    return (ifl_trace_scope){.most_share = ANY_SHARE};
}

static uint64_t l2_lines_of(const ifl_device *device)
{
    return (uint64_t)(device->value[IFL_DEVICE_l2_bytes] / IFL_LINE_BYTES + 0.5);
}

ifl_trace_scope ifl_cache_part_scope(const ifl_device *const *devices, size_t count, size_t whole)
{
    enum { LEAST_LINES = 64 };
    ifl_trace_scope scope = ifl_cache_grid_scope();
    scope.like = (uint32_t)whole + 1;
    for (size_t i = 0; i < count; i++) {
        const uint32_t least = least_blocks_of(devices[i]);
        while (scope.most_share && l2_lines_of(devices[i]) >> scope.most_share < LEAST_LINES)
            scope.most_share--;
        scope.least_blocks = least > scope.least_blocks ? least : scope.least_blocks;
    }
    return scope;
}

/* All of the grid where the sampled L2 keeps some lines: first touches, which an L2 of tens of
 * MB sees few of, are too many in a part. */
bool ifl_cache_takes_part(const ifl_device *device, uint32_t whole_share)
{
    enum { LEAST_LINES = 16 };
    return l2_lines_of(device) >> whole_share < LEAST_LINES;
}
