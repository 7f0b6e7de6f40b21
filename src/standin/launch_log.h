/* SPDX-License-Identifier: Apache-2.0
 * How long the launches of a program took by the GPU's clock, as a profiler's summary has it: the
 * session's ledger knows what they did. The lock of state.h is held. */
#ifndef IFL_STANDIN_LAUNCH_LOG_H
#define IFL_STANDIN_LAUNCH_LOG_H

#include "session/session.h"

/* Launches of one kernel with the same grid and block from one place. */
typedef struct ifl_launch_group {
    const char *signature; /* the kernel's own, which the session keeps */
    char *site;
    uint32_t grid[3], block[3];
    uint64_t launches;
    double total_us, least_us, most_us;
} ifl_launch_group;

typedef struct ifl_launch_note {
    size_t group;
    double us;
} ifl_launch_note;

/* Whether each launch is kept too. */
void ifl_launches_begin(bool each);
/* Without memory the launch is left out. */
void ifl_launches_add(const ifl_session_launch *launch, double us);
const ifl_launch_group *ifl_launch_groups(size_t *count);
/* In their order; none unless asked for. */
const ifl_launch_note *ifl_launch_notes(size_t *count);

#endif
