/* SPDX-License-Identifier: Apache-2.0
 * Threads that share some work, of which nothing depends on who does it: filling buffers, following an
 * SM with changes, runs of a gate. (The engine's workers have a state of their own: exec/grid.c.) */
#ifndef IFL_BASE_CREW_H
#define IFL_BASE_CREW_H

#include <stdint.h>

/* Cores that are online when it is asked first: the system is asked once, as that opens a file. At least one. */
unsigned ifl_crew_cores(void);
/* Threads for so many jobs: `threads`, or one a core where it is 0; at least one. */
unsigned ifl_crew_size(int threads, uint64_t jobs);
/* So many threads, the caller's among them, call `work`, which takes jobs until there are none left.
 * Where a thread cannot be made the others do its part. Returns when all are done. */
void ifl_crew_work(unsigned size, void *(*work)(void *user), void *user);

#endif
