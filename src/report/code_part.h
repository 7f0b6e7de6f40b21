/* SPDX-License-Identifier: Apache-2.0
 * The part of a report that says where machine code and PTX of a launch differ, when both ran. */
#ifndef IFL_REPORT_CODE_PART_H
#define IFL_REPORT_CODE_PART_H

#include "profile/profile.h"
#include "report/page.h"
#include "report/tree.h"

/* Prints nothing where only one of them ran. */
void ifl_code_part_print(ifl_page *page, const ifl_profile *profile, size_t most_lines);
/* The "ptx" object, NULL without memory. */
json_t *ifl_code_part_json(ifl_tree *tree, const ifl_ptx_beside *beside);

#endif
