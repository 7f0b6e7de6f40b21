/* SPDX-License-Identifier: Apache-2.0
 * Names of places that survive moved lines: the words of the source line, the instruction, and
 * which of those that are equal. */
#ifndef IFL_CHECK_PLACE_KEY_H
#define IFL_CHECK_PLACE_KEY_H

#include "check/subject.h"

/* Fills in subject->places; false without memory. */
bool ifl_place_keys(ifl_arena *arena, ifl_subject *subject);
/* The key of a finding of a report; `text` is its source line, "" where that is not known. NULL
 * without memory. */
const char *ifl_place_key_of_finding(ifl_arena *arena, const json_t *finding, const char *text);
/* Whether a limit's or allowance's `at` means this place: "FILE:LINE", "FILE", or a part of the
 * source line. */
bool ifl_place_is(const char *at, const char *file, int line, const char *text);

#endif
