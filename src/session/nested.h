/* SPDX-License-Identifier: Apache-2.0
 * Grids that kernels launch (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"): taken while
 * the kernel runs, run when it has ended, each with all that it launches itself before the next. */
#ifndef IFL_SESSION_NESTED_H
#define IFL_SESSION_NESTED_H

#include "base/vec.h"
#include "session/session.h"

typedef struct ifl_nested_entry {
    ifl_ready_kernel *by; /* the kernel that launches it */
    const struct ifl_object_text *text;
    ifl_nested_grid shape;
    ifl_allocation *room; /* its parameters, while the kernel runs that launches it */
    uint8_t *params;
    uint64_t stack_bytes, stream;
} ifl_nested_entry;

typedef struct ifl_nested {
    ifl_nester nester;
    const ifl_session_launch *runs;     /* the launch whose kernel runs */
    IFL_VEC(ifl_nested_entry) prepared; /* by it, not launched yet */
    IFL_VEC(ifl_nested_entry) launched; /* by it, in their order */
    IFL_VEC(ifl_nested_entry) waiting;  /* the next one to run last */
    ifl_nested_entry current;           /* handed out by ifl_session_next */
    char site[288];
} ifl_nested;

/* Before and after the kernel of a launch runs. What it launched is forgotten unless it came to its
 * end. */
const ifl_nester *ifl_nested_begin(ifl_session *session, const ifl_session_launch *launch);
ifl_status ifl_nested_end(ifl_session *session, bool is_complete, ifl_error *error);
void ifl_nested_free(ifl_nested *nested);

#endif
