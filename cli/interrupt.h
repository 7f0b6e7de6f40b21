/* SPDX-License-Identifier: Apache-2.0
 * Ctrl-C: the first asks the work to stop, a later one has its usual effect. */
#ifndef IFL_CLI_INTERRUPT_H
#define IFL_CLI_INTERRUPT_H

/* Catches SIGINT and SIGTERM from now on. What it returns becomes non-zero when one came. */
const volatile int *ifl_cli_catch_signals(void);

#endif
