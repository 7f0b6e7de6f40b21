/* SPDX-License-Identifier: Apache-2.0
 * The machine code of a launch, instruction by instruction, on pages that draw shares as bars. */
#ifndef IFL_REPORT_LISTING_PART_H
#define IFL_REPORT_LISTING_PART_H

#include "profile/profile.h"
#include "report/page.h"

/* Nothing on a page of text, nor where the profile has no listing. */
void ifl_listing_part_print(ifl_page *page, const ifl_profile *profile);

#endif
