/* SPDX-License-Identifier: Apache-2.0
 * What the model reads of a profile, as text and back: runs of the lab at full size are kept this
 * way, so that the model can be held against measurements in a second. Knows the profile, not the
 * model. */
#ifndef TESTS_MODEL_INPUTS_H
#define TESTS_MODEL_INPUTS_H

#include "profile/profile.h"

#include <stdio.h>

/* One block of lines, begun by "kernel" and closed by "end". */
void inputs_write(const ifl_profile *profile, FILE *out);
/* The next one of a file, or the word of a line that begins something else ("row"), whose rest is
 * left in `line`. NULL and an empty `line` at the end of the file; NULL and "?" where it cannot be
 * understood. */
ifl_profile *inputs_read(FILE *in, char *line, int size);

#endif
