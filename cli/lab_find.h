/* SPDX-License-Identifier: Apache-2.0
 * Where the lab's cases are, and which there are. */
#ifndef IFL_CLI_LAB_FIND_H
#define IFL_CLI_LAB_FIND_H

#include <inflight.h>

typedef struct ifl_cli_cases {
    char **paths; /* of CASE/CASE.lab, sorted */
    char **names; /* of the cases, in the same order */
    size_t count;
} ifl_cli_cases;

/* The cases of $INFLIGHT_LAB, else of the installation that the program belongs to, else of the
 * source tree that it was built in. */
ifl_status ifl_cli_cases_find(ifl_cli_cases *cases, ifl_error *error);
/* The path of a case: one of the list, or a file NAME.lab; NULL where there is none. */
const char *ifl_cli_cases_path(const ifl_cli_cases *cases, const char *name);
void ifl_cli_cases_free(ifl_cli_cases *cases);

/* ---- for completion: a name a line ---- */

/* Of a case; nothing where there is none of that name, or it is NULL. */
void ifl_cli_lab_print_versions(const char *name, FILE *out);
void ifl_cli_lab_print_sweeps(const char *name, FILE *out);
/* Of any case. */
void ifl_cli_lab_print_metrics(const char *name, FILE *out);

#endif
