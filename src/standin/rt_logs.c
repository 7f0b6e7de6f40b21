/* SPDX-License-Identifier: Apache-2.0
 * The log of errors (CUDA Runtime API, "Error Log Management Functions"; the driver's calls are
 * served by these). */
#include "standin/error_log.h"
#include "standin/served.h"

#include <stdio.h>

#if IFL_CUDART >= 13

static ifl_cuda_error add(ifl_log_callback callback, void *user, void **out)
{
    void *handle = callback ? ifl_error_log_listen(callback, user) : NULL;
    if (!handle)
        return callback ? ifl_cudaErrorMemoryAllocation : ifl_cudaErrorInvalidValue;
    if (out)
        *out = handle;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaLogsRegisterCallback(ifl_log_callback callback, void *user,
                                                   void **out)
{
    return ifl_state_end(add(callback, user, out));
}

IFL_SERVED ifl_cuda_error cudaLogsUnregisterCallback(void *handle)
{
    return ifl_state_end(ifl_error_log_leave(handle) ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}

static ifl_cuda_error current(unsigned *at, unsigned flags)
{
    if (!at || flags)
        return ifl_cudaErrorInvalidValue;
    *at = ifl_error_log_next();
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaLogsCurrent(unsigned *at, unsigned flags)
{
    return ifl_state_end(current(at, flags));
}

/* Without an iterator all messages. One that has read goes on behind them. */
static ifl_cuda_error dump(unsigned *at, char *to, size_t *size, unsigned flags)
{
    unsigned next;
    if (!to || !size || !*size || flags)
        return ifl_cudaErrorInvalidValue;
    if (!ifl_error_log_read(at ? *at : 0, to, *size, size, &next))
        return ifl_cudaErrorInvalidValue;
    if (at)
        *at = next;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaLogsDumpToMemory(unsigned *at, char *to, size_t *size, unsigned flags)
{
    return ifl_state_end(dump(at, to, size, flags));
}

static ifl_cuda_error dump_file(unsigned *at, const char *path, unsigned flags)
{
    char text[IFL_ERROR_LOG_BYTES];
    size_t size = sizeof text;
    FILE *file = path && !flags ? fopen(path, "w") : NULL;
    if (!file)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = dump(at, text, &size, flags);
    const bool is_written = fwrite(text, 1, size, file) == size;
    return fclose(file) == 0 && is_written ? code : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaLogsDumpToFile(unsigned *at, const char *path, unsigned flags)
{
    return ifl_state_end(dump_file(at, path, flags));
}

#endif
