/* SPDX-License-Identifier: Apache-2.0
 * Signals that end the program: the first ends a kernel that runs; where none runs the report is
 * written before the program ends as if nothing stood in for CUDA. Those that the program handles
 * itself stay its own. */
#ifndef IFL_STANDIN_SIGNALS_H
#define IFL_STANDIN_SIGNALS_H

#include <stdbool.h>

/* From the first use of the GPU on. `report` writes the report, in a thread of its own; it may
 * return without. */
void ifl_signals_watch(void (*report)(void));
/* The process is a forked child, which has no report. */
void ifl_signals_forget(void);
/* While reports are written: a signal that would end the program leaves no unfinished ones, and a
 * file that grows past a limit is a failed write. */
void ifl_signals_guard(void);

/* A kernel runs between these two. */
void ifl_state_kernel_begin(void);
void ifl_state_kernel_end(void);
/* Not 0: the kernel that runs shall end. */
const volatile int *ifl_signals_stop(void);
/* What a shell shows for a program that was ended by the signal that ended the kernel. */
int ifl_signals_exit_status(void);

#endif
