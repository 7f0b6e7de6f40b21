/* SPDX-License-Identifier: Apache-2.0
 * See name_pattern.h. Without recursion: a '*' that fails takes one more character. */
#include "check/name_pattern.h"

#include <stddef.h>

bool ifl_pattern_fits(const char *pattern, const char *name)
{
    const char *star = NULL, *from = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}
