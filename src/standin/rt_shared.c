/* SPDX-License-Identifier: Apache-2.0
 * Memory and events of several processes: handles that a program passes on, and pools of which it
 * passes addresses on. */
#include "standin/chosen_gpu.h"
#include "standin/pool.h"
#include "standin/served.h"
#include "standin/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* CUDA Runtime API, cudaIpcGetMemHandle: the handle is the allocation's. One of an address inside
 * of it is the same one. */
IFL_SERVED ifl_cuda_error cudaIpcGetMemHandle(ifl_shared_handle *out, void *at)
{
    SERVE(out ? ifl_shared_export(session, out, at) : ifl_cudaErrorInvalidValue);
}

/* Peers may access it at once: nothing else may be asked for. */
IFL_SERVED ifl_cuda_error cudaIpcOpenMemHandle(void **out, ifl_shared_handle handle, unsigned flags)
{
    enum { LAZY_PEER_ACCESS = 1 };
    SERVE(out && flags == LAZY_PEER_ACCESS ? ifl_shared_import(session, out, &handle)
                                           : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cudaIpcCloseMemHandle(void *at)
{
    SERVE(ifl_shared_close(session, at));
}

/* ---- events ---------------------------------------------------------------------------------- */

/* What a stream was given is done when the call returns: an event of another process has nothing
 * left to wait for. */
static ifl_cuda_error export_event(ifl_shared_handle *out, void *handle)
{
    const ifl_event *event = ifl_event_of(handle);
    if (!event || !out)
        return out ? ifl_cudaErrorInvalidResourceHandle : ifl_cudaErrorInvalidValue;
    if (!(event->flags & IFL_EVENT_INTERPROCESS))
        return ifl_cudaErrorInvalidResourceHandle;
    ifl_shared_export_event(out);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaIpcGetEventHandle(ifl_shared_handle *out, void *event)
{
    SERVE(export_event(out, event));
}

IFL_SERVED ifl_cuda_error cudaIpcOpenEventHandle(ifl_event **out, ifl_shared_handle handle)
{
    SERVE(ifl_shared_is_event(&handle)
              ? ifl_event_new(out, IFL_EVENT_NO_TIMING | IFL_EVENT_INTERPROCESS)
              : ifl_cudaErrorInvalidValue);
}

/* ---- pools ----------------------------------------------------------------------------------- */

enum { FILE_HANDLE = 1 }; /* cudaMemHandleTypePosixFileDescriptor */

/* The file says only that there is a pool: each address that is passed on brings its own. */
static ifl_cuda_error export_pool(int *out, const void *pool, int type, unsigned flags)
{
    const ifl_pool *of = ifl_pool_of(pool);
    if (!out || !of || type != FILE_HANDLE || !(of->handles & FILE_HANDLE) || flags)
        return ifl_cudaErrorInvalidValue;
    *out = memfd_create("inflight pool", MFD_CLOEXEC);
    return *out < 0 ? ifl_cudaErrorMemoryAllocation : ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaMemPoolExportToShareableHandle(void *out, const void *pool, int type,
                                                             unsigned flags)
{
    SERVE(export_pool(out, pool, type, flags));
}

static ifl_cuda_error import_pool(ifl_pool **out, intptr_t file, int type, unsigned flags)
{
    if (!out || type != FILE_HANDLE || flags || fcntl((int)file, F_GETFD) < 0)
        return ifl_cudaErrorInvalidValue;
    *out = ifl_pool_new(ifl_gpu_chosen());
    if (*out)
        (*out)->is_imported = true;
    return *out ? ifl_cudaSuccess : ifl_cudaErrorMemoryAllocation;
}

IFL_SERVED ifl_cuda_error cudaMemPoolImportFromShareableHandle(ifl_pool **out, void *file, int type,
                                                               unsigned flags)
{
    SERVE(import_pool(out, (intptr_t)file, type, flags));
}

/* Of a pool that was made to be shared (CUDA C++ Programming Guide, "Interprocess communication
 * support"). */
static ifl_cuda_error export_pointer(ifl_session *session, ifl_shared_handle *out, const void *at)
{
    const ifl_pool *pool = ifl_pool_holding((uintptr_t)at);
    return out && pool && pool->handles ? ifl_shared_export_place(session, out, at)
                                        : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaMemPoolExportPointer(ifl_shared_handle *out, void *at)
{
    SERVE(export_pointer(session, out, at));
}

static ifl_cuda_error import_pointer(ifl_session *session, void **out, const ifl_pool *pool,
                                     const ifl_shared_handle *handle)
{
    return out && handle && pool && pool->is_imported ? ifl_shared_import(session, out, handle)
                                                      : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaMemPoolImportPointer(void **out, const void *pool,
                                                   const ifl_shared_handle *handle)
{
    SERVE(import_pointer(session, out, ifl_pool_of(pool), handle));
}
