/* SPDX-License-Identifier: Apache-2.0
 * The part of a launch's report that models make: GPUs side by side, in both formats. */
#ifndef IFL_REPORT_MODELS_PART_H
#define IFL_REPORT_MODELS_PART_H

#include "device/device.h"
#include "profile/profile.h"
#include "report/page.h"
#include "report/tree.h"

/* Prints nothing where no GPU was asked for. A GPU that the launch does not fit has a row that says so. */
ifl_status ifl_models_part_print(ifl_page *page, const ifl_profile *profile,
                                 const ifl_device *const *devices, size_t count, ifl_error *error);
/* The "models" array, NULL without memory. */
json_t *ifl_models_part_json(ifl_tree *tree, const ifl_profile *profile,
                             const ifl_device *const *devices, size_t count);

#endif
