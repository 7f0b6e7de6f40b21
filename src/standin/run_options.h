/* SPDX-License-Identifier: Apache-2.0
 * What `inflight run` asks of the stand-in libraries, passed through the environment. */
#ifndef IFL_STANDIN_RUN_OPTIONS_H
#define IFL_STANDIN_RUN_OPTIONS_H

#include "session/session.h"

typedef struct ifl_standin_options {
    const char *gpu; /* "h200" */
    const char *
        /* where the report goes as JSON; NULL: nowhere. A child's has its number before the last
         * dot. */
        json;
    const char *html;       /* the same as an HTML page */
    const char *kernel;     /* report only these kernels: named as for ifl_launch_new; NULL: all */
    unsigned long launches; /* observe so many with the same arguments from one place; 0: all */
    unsigned long skip,
        most; /* launches of `kernel` that are left out first, and looked at then; most 0: all */
    int threads;
    ifl_code_choice code;
    bool analysis, leaks, fail, each, every_launch, races, reads;
    long
        /* the number of this process where it is a child of the one that was started, else 0 */
        child;
    char paths[2][4096]; /* of a child's reports */
} ifl_standin_options;

/* Is this the process that `inflight run` became, and none of its children? */
bool ifl_standin_is_first(void);

ifl_status ifl_standin_options_read(ifl_standin_options *options, ifl_error *error);

#endif
