/* SPDX-License-Identifier: Apache-2.0
 * What launched until now, while the program still runs. */
#ifndef IFL_STANDIN_SNAPSHOT_H
#define IFL_STANDIN_SNAPSHOT_H

/* Writes the rows of all launches until now as JSON. 0, or the exit status that the program would
 * have for the failure, which is told on standard error. */
int ifl_standin_snapshot(const char *path);

#endif
