/* SPDX-License-Identifier: Apache-2.0
 * The driver's calls by name, for programs that do not link with it. */
#include "standin/driver_served.h"
#include "standin/vendor.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

/* CUDA Driver API reference, cuGetProcAddress. */
enum { PER_THREAD_STREAM = 2 };
enum { FOUND, NOT_FOUND, TOO_OLD };

/* The rest of an entry's name behind the one asked for is "", "_v" and a number, each with a
 * "_pt.." after it: its rank by version, or -1. *is_per_thread tells the last. */
static int rank(const char *entry, const char *name, bool *is_per_thread)
{
    const size_t length = strlen(name);
    int version = 1;
    if (strncmp(entry, name, length) != 0)
        return -1;
    const char *rest = entry + length;
    if (rest[0] == '_' && rest[1] == 'v') {
        version = 0;
        for (rest += 2; *rest >= '0' && *rest <= '9'; rest++)
            version = version * 10 + (*rest - '0');
    }
    *is_per_thread = strcmp(rest, "_ptsz") == 0 || strcmp(rest, "_ptds") == 0;
    return *rest == '\0' || *is_per_thread ? version : -1;
}

static int look(const char *name, int version, bool per_thread, void **out)
{
    int best = -1, found = NOT_FOUND;
    *out = NULL;
    for (size_t i = 0; i < ifl_driver_entry_count; i++) {
        bool is_per_thread;
        const int now = rank(ifl_driver_entries[i].name, name, &is_per_thread);
        if (now < 0 || (is_per_thread && !per_thread))
            continue;
        if (ifl_driver_entries[i].since > version) {
            found = found == NOT_FOUND ? TOO_OLD : found;
            continue;
        }
        if (2 * now + is_per_thread <= best)
            continue;
        best = 2 * now + is_per_thread;
        *out = (void *)ifl_driver_entries[i].call;
        found = FOUND;
    }
    return found;
}

static ifl_cuda_error get(const char *name, void **out, int version, uint64_t flags, int *found)
{
    if (!name || !out)
        return ifl_cudaErrorInvalidValue;
    const int result = look(name, version, (flags & PER_THREAD_STREAM) != 0, out);
    if (found)
        *found = result;
    return result == FOUND || found ? ifl_cudaSuccess : (ifl_cuda_error)IFL_CUDA_NOT_FOUND;
}

IFL_SERVED ifl_cuda_error cuGetProcAddress(const char *name, void **out, int version,
                                           uint64_t flags)
{
    return get(name, out, version, flags, NULL);
}

IFL_SERVED ifl_cuda_error cuGetProcAddress_v2(const char *name, void **out, int version,
                                              uint64_t flags, int *found)
{
    return get(name, out, version, flags, found);
}
