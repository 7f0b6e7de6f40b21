/* SPDX-License-Identifier: Apache-2.0
 * The part of a report that says what a real GPU did: which one, how long it took, whether its
 * results are right. */
#ifndef IFL_REPORT_GPU_PART_H
#define IFL_REPORT_GPU_PART_H

#include "profile/profile.h"
#include "report/page.h"
#include "report/tree.h"

void ifl_gpu_part_print(ifl_page *page, const ifl_profile *profile);
/* Of two runs; nothing where they were not compared. */
void ifl_outputs_print(ifl_page *page, const ifl_outputs *outputs);

/* New objects, NULL without memory. */
json_t *ifl_gpu_part_gpu_json(ifl_tree *tree, const ifl_profile *profile);
json_t *ifl_gpu_part_timing_json(ifl_tree *tree, const ifl_profile *profile);
json_t *ifl_gpu_part_outputs_json(ifl_tree *tree, const ifl_profile *profile);

#endif
