/* SPDX-License-Identifier: Apache-2.0
 * The ledger of what remedies gained. */
#ifndef IFL_CLI_PROVE_H
#define IFL_CLI_PROVE_H

#include <stdio.h>

/* How often each remedy was proven, and how near the predictions were, as Markdown. */
void ifl_cli_print_record(FILE *out);

#endif
