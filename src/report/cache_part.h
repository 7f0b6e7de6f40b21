/* SPDX-License-Identifier: Apache-2.0
 * The part of a launch's report that the simulated caches make, in both formats. */
#ifndef IFL_REPORT_CACHE_PART_H
#define IFL_REPORT_CACHE_PART_H

#include "profile/profile.h"
#include "report/page.h"
#include "report/tree.h"

/* Prints nothing where no device's caches were followed. */
void ifl_cache_part_print(ifl_page *page, const ifl_profile *profile);
/* Adds "caches" to the model's object where they are known; false without memory. */
void ifl_cache_part_put(ifl_tree *tree, json_t *model, const ifl_profile *profile,
                        const char *device);

#endif
