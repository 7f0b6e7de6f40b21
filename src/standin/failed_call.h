/* SPDX-License-Identifier: Apache-2.0
 * Calls of the program that failed, which the report tells whether the program looked or not. All
 * under the lock of state.h. */
#ifndef IFL_STANDIN_FAILED_CALL_H
#define IFL_STANDIN_FAILED_CALL_H

#include "base/arena.h"

#include <stdbool.h>

/* One that gave `code` to what called it at `from`; nothing where programs call it to see whether
 * it fails. `call` stays. */
void ifl_failed_call_note(const char *call, const void *from, int code, bool is_driver);

/* This thread's next failure is no news either: its call asks whether there is such a thing. */
void ifl_failed_call_expect(void);

/* For the log that the program reads. */
void ifl_failed_call_log(const char *call, int code, bool is_driver);

/* "cudaFree failed with cudaErrorInvalidValue, called from main+0x1c (app)", one for each call and
 * code, in the order of the first ones; NULL without memory. */
const char **ifl_failed_call_texts(ifl_arena *arena, size_t *count);

void ifl_failed_calls_free(void);

#endif
