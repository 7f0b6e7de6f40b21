/* SPDX-License-Identifier: Apache-2.0
 * The blocks of a slice, of which only the sum and the largest are known. */
#include "profile/block_work.h"

double ifl_work_slice_block(const ifl_work_slice *slice, uint64_t block)
{
    if (!block)
        return (double)slice->most;
    return (double)(slice->sum - slice->most) / (double)(slice->blocks - 1);
}
