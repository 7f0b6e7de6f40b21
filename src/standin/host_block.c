/* SPDX-License-Identifier: Apache-2.0
 * See host_block.h. */
#include "standin/host_block.h"

#include "base/vec.h"

static IFL_VEC(ifl_host_block) blocks; /* not many */

ifl_host_block *ifl_block_find(const void *at)
{
    for (size_t i = 0; i < blocks.count; i++)
        if ((uintptr_t)at - blocks.at[i].address < blocks.at[i].bytes)
            return &blocks.at[i];
    return NULL;
}

bool ifl_block_reserve(void)
{
    return ifl_vec_reserve(&blocks, 1);
}

void ifl_block_add(ifl_host_block block)
{
    blocks.at[blocks.count++] = block;
}

void ifl_block_remove(ifl_host_block *block)
{
    *block = blocks.at[--blocks.count];
}
