/* SPDX-License-Identifier: Apache-2.0
 * What two runs of a launch left in a buffer, element by element. */
#ifndef IFL_SESSION_COMPARE_OUTPUTS_H
#define IFL_SESSION_COMPARE_OUTPUTS_H

#include "profile/profile.h"
#include "session/element.h"
#include "session/exactness.h"

typedef struct ifl_output_pair {
    const ifl_element *element;
    const uint8_t *own, *reference;
    const uint8_t *before; /* what it held before both; NULL: not known. Elements that neither run
                            * changed say nothing of how large its values are. */
    uint64_t count;
} ifl_output_pair;

/* All but the texts and what the buffer is. */
ifl_compared_output ifl_output_judge(const ifl_output_pair *pair, const ifl_exactness *exactness);
/* Adds it to the profile's, with the values that differ most; IFL_NO_MEMORY. */
ifl_status ifl_output_add(ifl_profile *profile, const ifl_output_pair *pair,
                          ifl_compared_output output, ifl_error *error);

#endif
