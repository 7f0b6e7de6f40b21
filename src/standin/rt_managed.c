/* SPDX-License-Identifier: Apache-2.0
 * Advice about managed memory, as a program gives it and asks for it. */
#include "standin/managed_range.h"
#include "standin/served.h"

#if IFL_CUDART >= 12
#define WITH_LOCATION(advise, prefetch)                                                            \
    IFL_SERVED ifl_cuda_error advise(const void *at, size_t bytes, int advice, ifl_location to)    \
    {                                                                                              \
        SERVE(ifl_managed_advise(session, at, bytes, advice, to));                                 \
    }                                                                                              \
    IFL_SERVED ifl_cuda_error prefetch(const void *at, size_t bytes, ifl_location to,              \
                                       unsigned flags, void *stream)                               \
    {                                                                                              \
        (void)flags;                                                                               \
        SERVE(ifl_managed_prefetch(session, at, bytes, to, stream));                               \
    }                                                                                              \
    ALSO_OF_THREAD(prefetch##_ptsz, prefetch)
#endif
#if IFL_CUDART >= 13
WITH_LOCATION(cudaMemAdvise, cudaMemPrefetchAsync);
#else
#if IFL_CUDART == 12 /* from 12.2 on */
WITH_LOCATION(cudaMemAdvise_v2, cudaMemPrefetchAsync_v2);
#endif
IFL_SERVED ifl_cuda_error cudaMemAdvise(const void *at, size_t bytes, int advice, int device)
{
    SERVE(ifl_managed_advise(session, at, bytes, advice, ifl_location_of_device(device)));
}

IFL_SERVED ifl_cuda_error cudaMemPrefetchAsync(const void *at, size_t bytes, int device,
                                               void *stream)
{
    SERVE(ifl_managed_prefetch(session, at, bytes, ifl_location_of_device(device), stream));
}
ALSO_OF_THREAD(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);
#endif

IFL_SERVED ifl_cuda_error cudaMemRangeGetAttribute(void *out, size_t room, int attribute,
                                                   const void *at, size_t bytes)
{
    SERVE(ifl_managed_tell(session, out, room, attribute, at, bytes));
}

IFL_SERVED ifl_cuda_error cudaMemRangeGetAttributes(void **out, const size_t *rooms,
                                                    const int *attributes, size_t count,
                                                    const void *at, size_t bytes)
{
    SERVE(ifl_managed_tell_all(session, out, rooms, attributes, count, at, bytes));
}
