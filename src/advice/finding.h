/* SPDX-License-Identifier: Apache-2.0
 * What stands out in a profile, in words: where bytes, passes or lanes are wasted, what that means,
 * and what usually helps. Its words are the causes of remedy.def. Knows profiles; knows nothing of
 * the page that shows it. */
#ifndef IFL_ADVICE_FINDING_H
#define IFL_ADVICE_FINDING_H

#include "profile/place.h"

typedef struct ifl_findings {
    IFL_VEC(ifl_finding) list; /* texts live in the arena given */
    size_t left_out;           /* further ones of the same kinds, less costly */
} ifl_findings;

/* Most costly first within each kind: bytes, bank conflicts, atomics, local memory, divergence. */
ifl_status ifl_findings_collect(const ifl_profile *profile, const ifl_places *off_chip,
                                const ifl_places *on_chip, ifl_arena *arena, ifl_findings *out,
                                ifl_error *error);
void ifl_findings_free(ifl_findings *findings);

#endif
