/* SPDX-License-Identifier: Apache-2.0
 * See set_shape.h. */
#include "cache/set_shape.h"

ifl_set_shape ifl_set_shape_of(uint32_t lines, uint32_t ways)
{
    ways = ways < 1 ? 1 : ways > lines && lines ? lines : ways;
    if (lines <= ways)
        return (ifl_set_shape){.sets = 1, .ways = ways};
    const uint32_t sets = (uint32_t)(((uint64_t)lines + ways / 2) / ways);
    return (ifl_set_shape){.sets = sets, .ways = (uint32_t)(((uint64_t)lines + sets / 2) / sets)};
}
