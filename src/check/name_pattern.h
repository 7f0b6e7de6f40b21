/* SPDX-License-Identifier: Apache-2.0
 * Patterns of names, as a shell has them: '*' and '?'. */
#ifndef IFL_CHECK_NAME_PATTERN_H
#define IFL_CHECK_NAME_PATTERN_H

#include <stdbool.h>

bool ifl_pattern_fits(const char *pattern, const char *name);

#endif
