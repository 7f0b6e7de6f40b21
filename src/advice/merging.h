/* SPDX-License-Identifier: Apache-2.0
 * Blocks that gather on chip and then add to the same places in global memory. Knows profiles. */
#ifndef IFL_ADVICE_MERGING_H
#define IFL_ADVICE_MERGING_H

#include "profile/profile.h"

/* Does each block add what it has gathered in shared memory to places that all blocks update, by
 * atomics whose lanes do not meet? */
bool ifl_blocks_merge(const ifl_profile *profile);

#endif
