/* SPDX-License-Identifier: Apache-2.0
 * The log of errors (CUDA Runtime API, "Error Log Management"). What there is to tell is told on
 * stderr when it happens: this log stays empty, and a callback is kept and never called. */
#include "standin/served.h"

#include <stdio.h>
#include <stdlib.h>

#if IFL_CUDART >= 13

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

IFL_SERVED ifl_cuda_error cudaLogsRegisterCallback(log_callback callback, void *user, void **out)
{
    return ifl_state_end(add(callback, user, out));
}

IFL_SERVED ifl_cuda_error cudaLogsUnregisterCallback(void *handle)
{
    return ifl_state_end(take_away(handle));
}

static ifl_cuda_error current(unsigned *at, unsigned flags)
{
    if (!at || flags)
        return ifl_cudaErrorInvalidValue;
    *at = 0;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaLogsCurrent(unsigned *at, unsigned flags)
{
    return ifl_state_end(current(at, flags));
}

static ifl_cuda_error dump(char *to, size_t *size, unsigned flags)
{
    if (!to || !size || !*size || flags)
        return ifl_cudaErrorInvalidValue;
    *to = '\0';
    *size = 0;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaLogsDumpToMemory(unsigned *at, char *to, size_t *size, unsigned flags)
{
    (void)at;
    return ifl_state_end(dump(to, size, flags));
}

static ifl_cuda_error dump_file(const char *path, unsigned flags)
{
    FILE *file = path && !flags ? fopen(path, "w") : NULL;
    return file && fclose(file) == 0 ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaLogsDumpToFile(unsigned *at, const char *path, unsigned flags)
{
    (void)at;
    return ifl_state_end(dump_file(path, flags));
}

#endif
