/* SPDX-License-Identifier: Apache-2.0
 * The first sentences of a launch's page: for each GPU what limits the kernel, and what would help
 * most. */
#ifndef IFL_REPORT_VERDICT_PART_H
#define IFL_REPORT_VERDICT_PART_H

#include "outcome/outcome.h"
#include "report/page.h"

/* Prints nothing where no GPU has a model. `default_for`: the target that the GPU was chosen for
 * where none was named; NULL: one was. */
void ifl_verdict_part_print(ifl_page *page, const ifl_outcome *outcome, const char *default_for);

#endif
