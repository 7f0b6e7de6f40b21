/* SPDX-License-Identifier: Apache-2.0
 * Why warps stand still, in a report: by reason, by source line and by instruction. */
#ifndef IFL_REPORT_STALLS_PART_H
#define IFL_REPORT_STALLS_PART_H

#include "profile/profile.h"
#include "report/page.h"
#include "report/tree.h"

/* What a warp waits for longest, in words; NULL where no SM of the device was followed. */
const char *ifl_stalls_part_longest(const ifl_profile *profile, const char *device);
/* "long_scoreboard": the largest of the reasons; "" where there is none. */
const char *ifl_stalls_part_main(const double *stalls);
/* Nothing where no SM of the device was followed. */
void ifl_stalls_part_print(ifl_page *page, const ifl_profile *profile, const char *device);
/* A table a device that was followed, of at most so many lines. */
void ifl_stalls_part_lines(ifl_page *page, const ifl_profile *profile, size_t most);
void ifl_stalls_part_put(ifl_tree *tree, json_t *object, const ifl_profile *profile,
                         const char *device);

#endif
