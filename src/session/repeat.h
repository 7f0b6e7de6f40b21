/* SPDX-License-Identifier: Apache-2.0
 * Launches that would do once more what was done before. A kernel with the same code, grid and
 * arguments that reads only memory which nothing has changed since, and writes only what it does
 * not read and nothing else has changed, leaves memory as it is: it is not run again, and its
 * counts are those of the time before. */
#ifndef IFL_SESSION_REPEAT_H
#define IFL_SESSION_REPEAT_H

#include "base/vec.h"
#include "session/watch.h"

typedef struct ifl_repeat_use {
    uint64_t address, version; /* of an allocation that it reads or writes */
} ifl_repeat_use;

typedef struct ifl_repeat {
    uint8_t *params;
    uint64_t stack_bytes;
    IFL_VEC(ifl_repeat_use) uses; /* none: seen once, and not looked at */
    ifl_watch_depth depth;        /* that it was watched with */
    void **states;                /* of ifl_observations; NULL: of IFL_WATCH_NOTHING */
    uint64_t misses;              /* it was noted, and had to run again */
    uint64_t blocks_done;
    double model_us, seconds;
} ifl_repeat;

enum { IFL_REPEATS = 16 };

/* Those of one row of the ledger, the newest ones. */
typedef struct ifl_repeat_list {
    ifl_repeat at[IFL_REPEATS];
    size_t next;
} ifl_repeat_list;

/* The time before of a launch that need not run, watched at least so deeply; NULL: it must run. */
const ifl_repeat *ifl_repeat_find(const ifl_session *session, const ifl_repeat_list *list,
                                  const ifl_session_launch *launch, ifl_watch_depth depth);
/* It has run to its end. `states` stay the caller's. Without memory it is forgotten. */
void ifl_repeat_note(ifl_session *session, ifl_repeat_list *list, const ifl_session_launch *launch,
                     ifl_watch_depth depth, void *const *states, const ifl_repeat *figures);
void ifl_repeats_free(ifl_repeat_list *list);

#endif
