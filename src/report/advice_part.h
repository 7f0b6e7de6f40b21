/* SPDX-License-Identifier: Apache-2.0
 * The part of a launch's report that says what would help, in both formats. */
#ifndef IFL_REPORT_ADVICE_PART_H
#define IFL_REPORT_ADVICE_PART_H

#include "outcome/outcome.h"
#include "report/page.h"
#include "report/tree.h"

/* "1.92 to 5.29×", in the page's arena; NULL without memory. */
const char *ifl_advice_gain(ifl_page *page, const ifl_advice *advice);
/* Prints nothing where the launch has no model on any GPU. */
void ifl_advice_part_print(ifl_page *page, const ifl_outcome *outcome);
/* The "advice" array, all GPUs one after the other; NULL without memory. */
json_t *ifl_advice_part_json(ifl_tree *tree, const ifl_outcome *outcome);

#endif
