/* SPDX-License-Identifier: Apache-2.0
 * The lines of a profile: one a memory instruction that the kernel can reach. */
#ifndef IFL_SESSION_LINES_H
#define IFL_SESSION_LINES_H

#include "code/code.h"
#include "profile/profile.h"

/* Fills profile->lines in the order of the file, without counters, and line_of[site] with a line's
 * index or -1.
 *
 * One instruction is one line, although two kinds of instructions touch two spaces: cp.async
 * reads global and writes shared memory, and a generic access may go to any space. All counters
 * of such an instruction stand on its one line, each under its own space's name, so that the sum
 * over the lines is the launch's counter in every case. The line's `space` and `kind` are those
 * of a copy's global side and, for a generic access, GENERIC until ifl_lines_settle. */
ifl_status ifl_lines_build(const ifl_image *image, const char *module_path, int32_t *line_of,
                           ifl_profile *profile, ifl_error *error);

/* After the run: gives each generic line the space that its requests went to, the first of
 * global, shared and local when they went to several. */
void ifl_lines_settle(ifl_profile *profile);

/* The text of the source lines at which warps stall, and of those of the listing. */
ifl_status ifl_lines_tell(const char *module_path, ifl_profile *profile, ifl_error *error);

#endif
