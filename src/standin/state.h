/* SPDX-License-Identifier: Apache-2.0
 * The one GPU of the process, which all calls share: its session behind a lock, the errors that
 * calls left, and the report at the end. */
#ifndef IFL_STANDIN_STATE_H
#define IFL_STANDIN_STATE_H

#include "session/session.h"
#include "standin/abi.h"

/* Takes the lock and makes the session where there is none yet. NULL where that fails; the reason
 * is on stderr. */
ifl_session *ifl_state_enter(void);
/* The same where there is a session already; else NULL. */
ifl_session *ifl_state_enter_if_any(void);
void ifl_state_leave(void);
/* Why there is no session. */
ifl_cuda_error ifl_state_absence(void);
/* The process was forked from one that has a session, which is not its own. */
bool ifl_state_is_forked(void);
/* The lock alone, for what needs no session. The thread that holds it may take it again. */
void ifl_state_lock(void);
void ifl_state_unlock(void);
/* Lets other threads have it for a while. */
void ifl_state_rest(unsigned microseconds);
/* The same until it is taken again, which is given what letting go gave. */
unsigned ifl_state_let_go(void);
void ifl_state_take_again(unsigned times);

/* Ends a call, in the function that the program called: notes the code for cudaGetLastError of this
 * thread and for the report, and gives it back. A session that a kernel's fault has broken answers
 * every call with that fault's code. */
#define ifl_state_end(code) ifl_state_end_call(__func__, __builtin_return_address(0), code)
ifl_cuda_error ifl_state_end_call(const char *call, const void *from, ifl_cuda_error code);
/* The call that this thread begins was made by a name for which stream 0 is the thread's own; it is
 * so until the call ends. */
void ifl_state_default_is_own(void);
bool ifl_state_is_default_own(void);
/* The code that broke the session; cudaSuccess while it is whole. */
ifl_cuda_error ifl_state_broken(void);
void ifl_state_break(ifl_cuda_error code);
/* By a kernel that faulted, which --fail counts. */
void ifl_state_break_faulted(ifl_cuda_error code);
/* By a kernel that cannot be run here: memory is not what it would be, and a program that ends with
 * 0 does not. */
void ifl_state_break_unsupported(void);
ifl_cuda_error ifl_state_last_error(bool forget);

/* What cudaDeviceSetLimit set last, or CUDA's default; IFL_LIMIT_STACK is cudaLimitStackSize, bytes
 * a thread, IFL_LIMIT_PERSISTING cudaLimitPersistingL2CacheSize. */
enum { IFL_LIMIT_STACK = 0, IFL_LIMIT_PERSISTING = 6, IFL_LIMITS = 16 };
#define IFL_LIMIT_NOT_SET                                                                          \
    SIZE_MAX /* of cudaLimitPersistingL2CacheSize, whose default is the GPU's */
size_t ifl_state_limit(int limit); /* 0 of what is no limit */
/* What cudaDeviceSetCacheConfig set last; 0: nothing. */
int ifl_state_cache_config(void);
void ifl_state_set_cache_config(int config);
void ifl_state_set_limit(int limit, size_t value);

/* One explanation on stderr: "inflight: ...". */
void ifl_state_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
void ifl_state_tell_error(const ifl_error *error);
/* Ends the program: it called what nothing here serves. */
_Noreturn void ifl_state_stop_at(const char *call, const void *from);

/* The driver's calls are served by the runtime's: between these two, those leave no error for
 * cudaGetLastError, and what they say names `from`, the place that called the driver. The lock is
 * held from one to the other. */
void ifl_state_driver_begin(const void *from);
void ifl_state_driver_end(void);
/* For the report: behind the end, what the program was given. */
void ifl_state_driver_gave(const char *call, int code);
/* This thread has called the runtime itself, which makes the primary session current. */
bool ifl_state_runtime_called(void);
/* Some thread has, which makes the driver ready for all of them. Under the lock. */
bool ifl_state_is_runtime_used(void);

/* The function of the program, or the library, that an address lies in: "main+0x1c (app)". */
void ifl_state_site(const void *address, char *to, size_t size);
/* The same without the driver's calls, which come through the runtime's; kept for the next time. */
void ifl_site_describe(const void *address, char *to, size_t size);

#endif
