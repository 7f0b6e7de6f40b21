/* SPDX-License-Identifier: Apache-2.0
 * Green contexts: parts of a GPU's SMs, and streams whose kernels stay on them (CUDA Driver API,
 * "Green Contexts"). The lock of state.h is not needed: a program makes and destroys them. */
#ifndef IFL_STANDIN_GREEN_H
#define IFL_STANDIN_GREEN_H

#include "session/session.h"

typedef struct ifl_green {
    int gpu;
    unsigned sms;
    uint64_t id;
    void *context; /* what cuCtxFromGreenCtx gives; NULL: it was not asked for */
} ifl_green;

/* The one that is current on this thread; NULL: a context with all SMs, or none, is. */
const ifl_green *ifl_green_current(void);
void ifl_green_choose(const ifl_green *green);

/* The one that a stream was made in; of the default streams the current one. */
const ifl_green *ifl_green_of_stream(void *stream);
/* How many SMs a kernel in that stream may use. */
unsigned ifl_green_sms(const ifl_session *session, void *stream);

#endif
