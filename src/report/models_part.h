/* SPDX-License-Identifier: Apache-2.0
 * The part of a launch's report that models make: GPUs side by side, in both formats. */
#ifndef IFL_REPORT_MODELS_PART_H
#define IFL_REPORT_MODELS_PART_H

#include "outcome/outcome.h"
#include "report/page.h"
#include "report/tree.h"

/* Prints nothing where no GPU was asked for. A GPU that the launch does not fit has a row that says
 * so. */
void ifl_models_part_print(ifl_page *page, const ifl_outcome *outcome);
/* Whether the term was inferred from the PTX, since no machine code ran. */
bool ifl_models_part_is_estimated(const ifl_model *m, ifl_term term);
/* The "models" array, NULL without memory. */
json_t *ifl_models_part_json(ifl_tree *tree, const ifl_outcome *outcome);

#endif
