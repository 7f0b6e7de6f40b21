/* SPDX-License-Identifier: Apache-2.0
 * Memory, as far as the driver's calls say it differently from the runtime's. */
#include "standin/driver_served.h"
#include "standin/managed_range.h"

IFL_SERVED ifl_cuda_error cuMemAlloc_v2(void **out, size_t bytes)
{
    DRIVE(out && bytes ? cudaMalloc(out, bytes) : ifl_cudaErrorInvalidValue);
}

static ifl_cuda_error range_in(ifl_session *session, uintptr_t *start, size_t *bytes, uintptr_t at)
{
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), at);
    if (!a || a->flags & IFL_ALLOCATION_FREED)
        return (ifl_cuda_error)IFL_CUDA_NOT_FOUND;
    if (start)
        *start = a->address;
    if (bytes)
        *bytes = a->bytes;
    return ifl_cudaSuccess;
}

static ifl_cuda_error range(uintptr_t *start, size_t *bytes, uintptr_t at)
{
    SERVE(range_in(session, start, bytes, at));
}

IFL_SERVED ifl_cuda_error cuMemGetAddressRange_v2(uintptr_t *start, size_t *bytes, uintptr_t at)
{
    DRIVE(range(start, bytes, at));
}

/* ---- advice about managed memory -------------------------------------------------------------- */

static ifl_cuda_error prefetch(uintptr_t at, size_t bytes, ifl_location to, void *stream)
{
    SERVE(ifl_managed_prefetch(session, (const void *)at, bytes, to, stream));
}

static ifl_cuda_error advise(uintptr_t at, size_t bytes, int advice, ifl_location to)
{
    SERVE(ifl_managed_advise(session, (const void *)at, bytes, advice, to));
}

IFL_SERVED ifl_cuda_error cuMemPrefetchAsync(uintptr_t at, size_t bytes, int device, void *stream)
{
    DRIVE(prefetch(at, bytes, ifl_location_of_device(device), stream));
}
ALSO_OF_THREAD(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync);

IFL_SERVED ifl_cuda_error cuMemPrefetchAsync_v2(uintptr_t at, size_t bytes, ifl_location to,
                                                unsigned flags, void *stream)
{
    (void)flags;
    DRIVE(prefetch(at, bytes, to, stream));
}
ALSO_OF_THREAD(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2);

IFL_SERVED ifl_cuda_error cuMemAdvise(uintptr_t at, size_t bytes, int advice, int device)
{
    DRIVE(advise(at, bytes, advice, ifl_location_of_device(device)));
}

IFL_SERVED ifl_cuda_error cuMemAdvise_v2(uintptr_t at, size_t bytes, int advice, ifl_location to)
{
    DRIVE(advise(at, bytes, advice, to));
}
