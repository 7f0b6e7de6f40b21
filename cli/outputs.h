/* SPDX-License-Identifier: Apache-2.0
 * What a command will write, checked before it does anything. */
#ifndef IFL_CLI_OUTPUTS_H
#define IFL_CLI_OUTPUTS_H

#include <inflight.h>

typedef struct ifl_cli_output {
    const char *option; /* "--json" */
    const char *path;   /* NULL: was not asked for; "-": standard output */
} ifl_cli_output;

/* That each could be written, and that no two of them are one file. */
ifl_status ifl_cli_outputs_check(const ifl_cli_output *outputs, size_t count, ifl_error *error);
/* That none of them is the file `input`, which is read; NULL is none. */
ifl_status ifl_cli_outputs_spare(const ifl_cli_output *outputs, size_t count, const char *input,
                                 ifl_error *error);

bool ifl_cli_is_dash(const char *path); /* standard output; NULL is no path */

/* What a file gets, or standard output. */
typedef ifl_status ifl_cli_writer(const void *user, FILE *out, ifl_error *error);
/* A file takes its place when it is complete, also with a finding. */
ifl_status ifl_cli_output_write(const char *path, ifl_cli_writer *write, const void *user,
                                ifl_error *error);

#endif
