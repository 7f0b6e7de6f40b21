/* SPDX-License-Identifier: Apache-2.0
 * A launch of machine code and, before it, the same launch's PTX (--code both): the PTX runs from the
 * same bytes in memory, which are put back; then the machine code runs, whose results are the
 * program's. One after the other, so that neither sees what the other stores, and in one memory, so
 * that addresses are the same for both. */
#ifndef IFL_SESSION_BESIDE_H
#define IFL_SESSION_BESIDE_H

#include "exec/memory_snapshot.h"
#include "session/session.h"
#include "session/watch.h"

/* Of one launch. */
typedef struct ifl_beside {
    bool has_run;  /* the PTX, to its end */
    char why[512]; /* where it has not; "": nobody asked */
    ifl_watch watch;
    ifl_session_result ran;
    ifl_memory_snapshot memory;
} ifl_beside;

/* Runs the PTX of a launch of machine code that is about to run, and counts. Where it cannot,
 * `out->why` says so, and the status is IFL_OK. Memory is as before in every case. */
ifl_status ifl_beside_run(ifl_session *session, const ifl_session_launch *launch, ifl_beside *out,
                          ifl_error *error);
/* The machine code has run too: a profile that holds nothing but what the two left in memory, of
 * what one of them changed. */
ifl_status ifl_beside_compare(const ifl_session *session, const ifl_session_launch *launch,
                              const ifl_beside *beside, ifl_profile **out, ifl_error *error);
void ifl_beside_free(ifl_beside *beside);

/* The most serious of the verdicts. */
ifl_output_verdict ifl_outputs_worst(const ifl_outputs *outputs);
/* Says in the warning's words which memory differs first. */
void ifl_outputs_tell(const ifl_outputs *outputs, char *to, size_t room);
ifl_status ifl_outputs_copy(const ifl_outputs *from, ifl_profile *to, ifl_error *error);

/* Of several launches: one row of the ledger. */
typedef struct ifl_beside_sum {
    char why[512]; /* one of them has no PTX beside it, so that nothing is compared; "": all have */
    void **states; /* of the PTX's observers, added up; NULL: none yet */
    ifl_profile *results; /* of the launch whose results differ most */
} ifl_beside_sum;

#endif
