/* SPDX-License-Identifier: Apache-2.0
 * What stands out in a profile, in words: where bytes, passes or lanes are spent for nothing, what
 * that means, and what usually helps. Knows profiles; knows nothing of the page that shows it. */
#ifndef IFL_REPORT_FINDING_H
#define IFL_REPORT_FINDING_H

#include "report/place.h"

/* Texts live in the arena given; `source`, `why` and `helps` may be "". */
typedef struct ifl_finding {
    const char *where;  /* "saxpy.cu:14, global store" */
    const char *source; /* the source line */
    const char *what;   /* figures */
    const char *why;
    const char *helps;
} ifl_finding;

typedef struct ifl_findings {
    IFL_VEC(ifl_finding) list;
    size_t left_out; /* further ones of the same kinds, less costly */
} ifl_findings;

/* Most costly first within each kind: bytes, bank conflicts, atomics, local memory, divergence. */
ifl_status ifl_findings_collect(const ifl_profile *profile, const ifl_places *off_chip,
                                const ifl_places *on_chip, ifl_arena *arena, ifl_findings *out,
                                ifl_error *error);
void ifl_findings_free(ifl_findings *findings);

/* "strided, 32 words (81 %)": a row's pattern in short; the share of its requests stands behind it
 * where it is not all of them. "" where the pattern is not of this kind of access. */
const char *ifl_place_pattern(ifl_arena *arena, const ifl_place_row *row);
/* "saxpy.cu:14", the file without its folders. */
const char *ifl_place_name(ifl_arena *arena, const ifl_profile_line *line);

#endif
