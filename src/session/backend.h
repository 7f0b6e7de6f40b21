/* SPDX-License-Identifier: Apache-2.0
 * What runs a launch that is described by words: the engine, or a GPU through its driver. Each is a record of functions, and
 * ifl_backend_run takes all through the same steps. A program's launches (ledger.c) are begun and finished as the engine's are,
 * by session.h: their memory is here. */
#ifndef IFL_SESSION_BACKEND_H
#define IFL_SESSION_BACKEND_H

#include "profile/profile.h"
#include "session/launch.h"

/* One launch on a backend: the first member of the backend's own structure. */
typedef struct ifl_backend_state {
    ifl_launch *launch;
    int threads; /* that fill the buffers; 0: all cores */
    const volatile int *stop;
    ifl_profile *profile;
    ifl_error *error;
} ifl_backend_state;

typedef struct ifl_backend {
    const char *name;                              /* in the profile */
    bool keeps_part;                               /* one that faults or is stopped has a profile */
    ifl_status (*begin)(ifl_backend_state *run);   /* the launch is ready; its buffers are empty */
    ifl_status (*execute)(ifl_backend_state *run); /* its buffers are filled */
    void (*end)(ifl_backend_state *run);           /* also of one that never began */
} ifl_backend;

/* *out: the profile, NULL where there is none. Statuses of ifl_launch_ready, of ifl_launch_prepare
 * and the backend's own. */
ifl_status ifl_backend_run(const ifl_backend *backend, ifl_backend_state *run, ifl_profile **out);

#endif
