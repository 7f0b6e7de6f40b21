/* SPDX-License-Identifier: Apache-2.0
 * The charts of one launch on pages that have charts: bytes by source line, times of GPUs and of
 * what limits them, the roofline, occupancy. What is not known has no chart. */
#ifndef IFL_REPORT_CHARTS_PART_H
#define IFL_REPORT_CHARTS_PART_H

#include "outcome/outcome.h"
#include "report/page.h"

void ifl_charts_part_print(ifl_page *page, const ifl_outcome *outcome);

/* ---- plots_part.c ---------------------------------------------------------------------------- */

/* Machine instructions and DRAM traffic of the launch under the GPU's limits for both. */
void ifl_plots_part_roofline(ifl_page *page, const ifl_profile *profile,
                             const ifl_outcome_gpu *gpu);
/* How many warps an SM holds by registers, threads and shared memory. */
void ifl_plots_part_occupancy(ifl_page *page, const ifl_profile *profile,
                              const ifl_outcome_gpu *gpu);

#endif
