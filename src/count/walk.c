/* SPDX-License-Identifier: Apache-2.0
 * The histories of warps. A history has a fixed place by block and warp, and one of another warp is
 * never taken for its own: the result depends on how the warps of resident blocks take turns, not
 * on what ran before them. */
#include "count/walk.h"

#include <stdlib.h>

ifl_address_walk *ifl_walk_history(ifl_address_walk *walks[IFL_WALK_WARPS], uint64_t block,
                                   uint32_t warp)
{
    ifl_address_walk **at = &walks[(block * IFL_WARP_LANES + warp) % IFL_WALK_WARPS], *walk = *at;
    if (!walk)
        walk = *at = calloc(1, sizeof *walk);
    if (walk && (walk->block != block || walk->warp != warp)) {
        walk->block = block;
        walk->warp = warp;
        walk->taken = 0;
    }
    return walk;
}

static bool are_neighbours(const ifl_step *a, const ifl_step *b)
{
    return a->stride == b->stride && a->space == b->space &&
           (a->base + a->bytes == b->base || b->base + b->bytes == a->base);
}

unsigned ifl_walk_add(ifl_address_walk *walk, ifl_step *step, ifl_step found[IFL_WALK_STEPS])
{
    unsigned known = walk->taken < IFL_WALK_STEPS ? walk->taken : IFL_WALK_STEPS, count = 0;
    for (unsigned i = 0; i < known; i++) {
        ifl_step *earlier = &walk->step[i];
        if (!are_neighbours(earlier, step))
            continue;
        step->walks = true;
        if (!earlier->walks) {
            earlier->walks = true;
            found[count++] = *earlier;
        }
    }
    walk->step[walk->taken++ % IFL_WALK_STEPS] = *step;
    return count;
}
