/* SPDX-License-Identifier: Apache-2.0
 * Signals: they leave no unfinished files. Ctrl-C for the commands that run for a long time. */
#ifndef IFL_CLI_INTERRUPT_H
#define IFL_CLI_INTERRUPT_H

/* From now on signals that end the program remove what is being written and is not complete; a file
 * that grows past a limit is a failed write. */
void ifl_cli_end_cleanly(void);
/* Catches SIGINT and SIGTERM from now on: the first asks the work to stop, a later one has its
 * usual effect. What it returns becomes non-zero when one came. */
const volatile int *ifl_cli_catch_signals(void);

#endif
