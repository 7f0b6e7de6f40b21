/* SPDX-License-Identifier: Apache-2.0
 * Observes how often each instruction is issued, and makes of it and the program's order the profile's estimates of
 * waits and registers. */
#ifndef IFL_RUN_PROGRAM_ORDER_H
#define IFL_RUN_PROGRAM_ORDER_H

#include "event/event.h"
#include "profile/profile.h"

extern const ifl_observer ifl_order_observer;

/* `state` is the observer's. Functions that were not reached have no counts. */
ifl_status ifl_order_report(const void *state, const ifl_program *program, uint32_t kernel,
                            ifl_program_facts *out, ifl_error *error);

#endif
