/* SPDX-License-Identifier: Apache-2.0
 * The part of a launch's report that its machine code makes, in both formats. */
#ifndef IFL_REPORT_MACHINE_PART_H
#define IFL_REPORT_MACHINE_PART_H

#include "profile/profile.h"
#include "report/page.h"
#include "report/tree.h"

/* Prints nothing where the machine code is not known. */
void ifl_machine_part_print(ifl_page *page, const ifl_profile *profile);
/* The "machine" object, NULL without memory. */
json_t *ifl_machine_part_json(ifl_tree *tree, const ifl_machine_facts *facts);

#endif
