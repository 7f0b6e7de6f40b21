/* SPDX-License-Identifier: Apache-2.0
 * The two views of a kernel's accesses, side by side by source line. */
#ifndef IFL_SESSION_MACHINE_LINES_H
#define IFL_SESSION_MACHINE_LINES_H

#include "profile/profile.h"
#include "sass/sass_facts.h"

/* Fills profile->machine.accesses and lines_known from the profile's lines and the facts. */
ifl_status ifl_machine_lines_compare(const ifl_sass_facts *facts, ifl_profile *profile,
                                     ifl_error *error);

#endif
