/* SPDX-License-Identifier: Apache-2.0
 * What copies past registers (cp.async) ask for: which place each lane's bytes come from and which
 * they go to decides it together. Knows addresses only. */
#ifndef IFL_COUNT_COPIED_H
#define IFL_COUNT_COPIED_H

#include "code/event.h"

/* Of either side of a copy (`other` is not NULL); as an H200 counts 611 of one warp
 * (tests/gpu/h200/past_registers, copied.txt): all of 309 past the L1 and 285 of 302 that keep it. */
uint32_t ifl_copied_passes(const ifl_access *access);
/* Past the L1: a line of the source brings each sector of the destination that has some of it. */
uint32_t ifl_copied_sectors(const ifl_access *access);

#endif
