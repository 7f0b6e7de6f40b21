/* SPDX-License-Identifier: Apache-2.0
 * Nsight Compute's counters, where it is installed and permitted: its command line, and the page
 * that it prints. */
#ifndef IFL_SESSION_NCU_H
#define IFL_SESSION_NCU_H

#include "profile/profile.h"

/* A counter that Nsight Compute can fill: its name there stands in counter.def for this one counter
 * only, and is not one of the source page (those need instances, not sums). */
bool ifl_ncu_can_fill(ifl_counter counter);

/* Takes the counters of the first launch on a page that `ncu --csv --page raw --print-units base`
 * printed, NUL-terminated. Lines of other kinds are skipped; columns that are not counters too.
 * IFL_BAD_INPUT where there is no launch on the page, or a counter's value is no number. */
ifl_status ifl_ncu_read(const char *text, ifl_counters *out, ifl_error *error);

#endif
