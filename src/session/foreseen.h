/* SPDX-License-Identifier: Apache-2.0
 * Launches whose counts are known before they run. Where nothing that a kernel loads decides what it
 * does (ifl_demands.foreseeable), a launch with the arguments of an earlier one counts what that one
 * counted: it runs unobserved, and the counts are added once more. */
#ifndef IFL_SESSION_FORESEEN_H
#define IFL_SESSION_FORESEEN_H

#include "base/vec.h"
#include "session/session.h"

typedef struct ifl_foreseen {
    uint64_t arguments; /* a hash, with what of memory they point to */
    uint64_t digest;    /* ifl_observations_digest */
    void **states;      /* of ifl_observations, of one launch */
} ifl_foreseen;

/* Those of one row of the ledger. */
typedef struct ifl_foreseen_list {
    IFL_VEC(ifl_foreseen) at;
} ifl_foreseen_list;

/* NULL: it must be observed. */
const ifl_foreseen *ifl_foreseen_find(const ifl_session *session, const ifl_foreseen_list *list,
                                      const ifl_session_launch *launch);
/* It has run to its end. `states` stay the caller's. Without memory it is not kept. */
void ifl_foreseen_note(const ifl_session *session, ifl_foreseen_list *list,
                       const ifl_session_launch *launch, void *const *states);
void ifl_foreseen_free(ifl_foreseen_list *list);

/* ---- states of ifl_observations, NULL where one has none -------------------------------------- */

/* NULL without memory, or where one of them is missing. */
void **ifl_states_copy(const ifl_sites *sites, void *const *states);

#endif
