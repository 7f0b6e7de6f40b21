/* SPDX-License-Identifier: Apache-2.0
 * Launches that would do once more what was done before. A kernel with the same code, grid and
 * arguments whose memory holds what it held an earlier time leaves what it left then: it is not run
 * again, and its counts are those of the time before. What only it writes is there already; where
 * it changes what it reads, or others have written since, its memory before and after was kept, and
 * is put there. */
#ifndef IFL_SESSION_REPEAT_H
#define IFL_SESSION_REPEAT_H

#include "base/vec.h"
#include "session/watch.h"

/* An allocation that it reads or writes. */
typedef struct ifl_repeat_use {
    uint64_t address, bytes;
    bool is_read, is_changed;
    uint64_t before, after; /* versions of the allocation that stand for the bytes of these times */
    uint8_t *kept;          /* its bytes before, then those after; NULL: not kept */
    bool is_kept_whole;     /* those after too */
} ifl_repeat_use;

typedef struct ifl_repeat {
    uint8_t *params;
    uint64_t stack_bytes;
    IFL_VEC(ifl_repeat_use) uses; /* none: seen once, and not looked at */
    ifl_watch_depth depth;        /* that it was watched with */
    void **states;                /* of ifl_observations; NULL: of IFL_WATCH_NOTHING */
    uint64_t misses;              /* it was noted, and had to run again, since it last had not */
    uint64_t last_used;           /* the launch that its memory was kept for, or found by */
    uint64_t blocks_done;
    double model_us, seconds;
} ifl_repeat;

enum { IFL_REPEATS = 16 };

/* Those of one row of the ledger, the newest ones. */
typedef struct ifl_repeat_list {
    ifl_repeat at[IFL_REPEATS];
    size_t next;
} ifl_repeat_list;

/* The time before of a launch that need not run, watched at least so deeply, with memory as it left
 * it; NULL: it must run. */
const ifl_repeat *ifl_repeat_take(ifl_session *session, ifl_repeat_list *list,
                                  const ifl_session_launch *launch, ifl_watch_depth depth);
/* It is about to run: keeps the memory that it will change, where that is known and worth it. */
void ifl_repeat_begin(ifl_session *session, ifl_repeat_list *list,
                      const ifl_session_launch *launch);
/* It has run to its end. `states` stay the caller's. Without memory it is forgotten. */
void ifl_repeat_note(ifl_session *session, ifl_repeat_list *list, const ifl_session_launch *launch,
                     ifl_watch_depth depth, void *const *states, const ifl_repeat *figures);
void ifl_repeats_free(ifl_repeat_list *list);

#endif
