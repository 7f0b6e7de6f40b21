/* SPDX-License-Identifier: Apache-2.0
 * The ledger of what remedies gained. */
#ifndef IFL_CLI_PROVE_H
#define IFL_CLI_PROVE_H

#include <stdbool.h>
#include <stdio.h>

/* False where there is no place for one. */
bool ifl_cli_ledger_path(char *path, size_t room);
/* How often each remedy was proven, and how near the predictions were, as Markdown. */
void ifl_cli_print_record(FILE *out);

#endif
