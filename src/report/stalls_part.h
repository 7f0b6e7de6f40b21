/* SPDX-License-Identifier: Apache-2.0
 * Why warps stand still, in a report: by reason and by instruction. */
#ifndef IFL_REPORT_STALLS_PART_H
#define IFL_REPORT_STALLS_PART_H

#include "profile/profile.h"
#include "report/page.h"
#include "report/tree.h"

/* What a warp waits for longest, in words; NULL where no SM of the device was followed. */
const char *ifl_stalls_part_longest(const ifl_profile *profile, const char *device);
/* Nothing where no SM of the device was followed. */
void ifl_stalls_part_print(ifl_page *page, const ifl_profile *profile, const char *device);
void ifl_stalls_part_put(ifl_tree *tree, json_t *object, const ifl_profile *profile,
                         const char *device);

#endif
