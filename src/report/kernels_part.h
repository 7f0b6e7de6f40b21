/* SPDX-License-Identifier: Apache-2.0
 * The head of a page with several launches: their times as a chart, and a table of them that leads
 * to each. */
#ifndef IFL_REPORT_KERNELS_PART_H
#define IFL_REPORT_KERNELS_PART_H

#include "report/writer.h"

/* The page's launches are at "#launch-1", "#launch-2" and so on. */
void ifl_kernels_part_print(ifl_page *page, const ifl_report_input *input);

/* "11 launches of 3 kernels from 5 places" of a program, "5 launches" of a file; NULL without
 * memory. */
const char *ifl_kernels_part_title(ifl_arena *arena, const ifl_report_input *input);

#endif
