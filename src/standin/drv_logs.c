/* SPDX-License-Identifier: Apache-2.0
 * The driver's log of errors (CUDA Driver API reference, Error Log Management). What there is to
 * tell is told on stderr when it happens: this log stays empty, and a callback is kept and never
 * called. */
#include "standin/driver_served.h"

#include <stdlib.h>

typedef void (*log_callback)(void *user, int level, char *message, size_t bytes);

typedef struct log_entry {
    log_callback callback;
    void *user;
} log_entry;

static ifl_cuda_error add(log_callback callback, void *user, void **out)
{
    log_entry *entry = callback ? malloc(sizeof *entry) : NULL;
    if (!entry || !ifl_handle_add(IFL_HANDLE_LOG, entry)) {
        free(entry);
        return callback ? ifl_cudaErrorMemoryAllocation : ifl_cudaErrorInvalidValue;
    }
    *entry = (log_entry){callback, user};
    if (out)
        *out = entry;
    return ifl_cudaSuccess;
}

static ifl_cuda_error take_away(void *handle)
{
    log_entry *entry = ifl_handle_find(IFL_HANDLE_LOG, handle);
    if (!entry)
        return ifl_cudaErrorInvalidValue;
    ifl_handle_remove(entry);
    free(entry);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuLogsRegisterCallback(log_callback callback, void *user, void **out)
{
    DRIVE_EARLY(add(callback, user, out));
}

IFL_SERVED ifl_cuda_error cuLogsUnregisterCallback(void *handle)
{
    DRIVE_EARLY(take_away(handle));
}

static ifl_cuda_error current(unsigned *at, unsigned flags)
{
    if (!at || flags)
        return ifl_cudaErrorInvalidValue;
    *at = 0;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuLogsCurrent(unsigned *at, unsigned flags)
{
    DRIVE_EARLY(current(at, flags));
}
