/* SPDX-License-Identifier: Apache-2.0
 * The log of errors that programs read (CUDA Driver API, "Error Log Management Functions"): what is
 * told on stderr while the program runs, and the calls that failed. Safe from any thread. */
#ifndef IFL_STANDIN_ERROR_LOG_H
#define IFL_STANDIN_ERROR_LOG_H

#include <stdbool.h>
#include <stddef.h>

typedef void (*ifl_log_callback)(void *user, int level, char *message, size_t bytes);

/* One message; "warning: " at its start makes it one. */
void ifl_error_log_add(const char *text);
/* "Returning 1 (CUDA_ERROR_INVALID_VALUE, invalid argument) from cuMemFree_v2" */
void ifl_error_log_call(const char *call, int code, const char *name);
/* What follows is the report's. */
void ifl_error_log_end(void);
/* The process is a forked child. */
void ifl_error_log_forget(void);

/* The handle of a callback; NULL without memory. */
void *ifl_error_log_listen(ifl_log_callback callback, void *user);
/* False: there is no such handle. */
bool ifl_error_log_leave(void *handle);

/* The number of the next message. */
unsigned ifl_error_log_next(void);
/* Room for all messages that are kept. */
enum { IFL_ERROR_LOG_BYTES = 26 * 1024 };
/* The messages from number `from` on, a line each, and a NUL: if not all are there, or fit, a line
 * says so, and the newest that fit follow. False where not one fits. *next is the number of the
 * message that comes behind, *length without the NUL. */
bool ifl_error_log_read(unsigned from, char *to, size_t size, size_t *length, unsigned *next);

#endif
