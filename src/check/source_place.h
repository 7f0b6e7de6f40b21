/* SPDX-License-Identifier: Apache-2.0
 * Places in source files that are at hand: where a kernel is defined, and what a comment allows
 * there. */
#ifndef IFL_CHECK_SOURCE_PLACE_H
#define IFL_CHECK_SOURCE_PLACE_H

#include "check/subject.h"

typedef struct ifl_source_place {
    const char *file; /* as a reader of the report may open it; "" where there is none */
    int line;         /* 0: none */
    const char *text; /* the line; "" where it is not at hand */
} ifl_source_place;

/* The line that defines the kernel, else the first line that the report names. False without
 * memory. */
bool ifl_source_of_kernel(ifl_budget *budget, const ifl_subject *subject, ifl_source_place *out);
/* Where the program launches it; nowhere where that is not known. */
bool ifl_source_of_launch(ifl_budget *budget, const ifl_subject *subject, ifl_source_place *out);
/* A place of the report, its file as seen from here. */
bool ifl_source_of_line(ifl_budget *budget, const ifl_subject *subject, const json_t *line,
                        ifl_source_place *out);
/* What `// inflight: allow RULE[, RULE]... [- WHY]` in the line, or alone in the line above it,
 * says: *why is then the rest of the comment, "" where there is none. False where nothing allows
 * it. */
bool ifl_source_allows(ifl_budget *budget, const ifl_source_place *place, const char *rule,
                       const char **why);

#endif
