/* SPDX-License-Identifier: Apache-2.0
 * The part of a launch's report that says what would help, in both formats. */
#ifndef IFL_REPORT_ADVICE_PART_H
#define IFL_REPORT_ADVICE_PART_H

#include "device/device.h"
#include "profile/profile.h"
#include "report/page.h"
#include "report/tree.h"

/* Prints nothing where no device is given. */
ifl_status ifl_advice_part_print(ifl_page *page, const ifl_profile *profile,
                                 const ifl_device *const *devices, size_t count, ifl_error *error);
/* The "advice" array, all devices one after the other; NULL without memory. */
json_t *ifl_advice_part_json(ifl_tree *tree, const ifl_profile *profile,
                             const ifl_device *const *devices, size_t count);

#endif
