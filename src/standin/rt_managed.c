/* SPDX-License-Identifier: Apache-2.0
 * Advice about managed memory, as a program gives it and asks for it. */
#include "standin/managed_range.h"
#include "standin/served.h"

#if IFL_CUDART >= 12
#define WITH_LOCATION(advise, prefetch)                                                            \
    IFL_SERVED ifl_cuda_error advise(const void *at, size_t bytes, int advice, ifl_location to)    \
    {                                                                                              \
        SERVE_UNSAFE(ifl_managed_advise(session, at, bytes, advice, to));                          \
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
    SERVE_UNSAFE(ifl_managed_advise(session, at, bytes, advice, ifl_location_of_device(device)));
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

#if IFL_CUDART >= 13

/* ---- in batches ------------------------------------------------------------------------------ */

/* Ranges, and which of the locations is for each: as the attributes of batches of copies. */
typedef struct batch {
    void *const *at;
    const size_t *bytes;
    size_t count;
    const ifl_location *to;
    const size_t *first;
    size_t locations;
} batch;

static ifl_cuda_error check_batch(const batch *b, unsigned long long flags, void *handle)
{
    const ifl_stream *stream = ifl_stream_of(handle);
    if (!stream)
        return ifl_cudaErrorInvalidResourceHandle;
    return ifl_stream_is_legacy(stream) || flags || !b->at || !b->bytes || !b->count
               ? ifl_cudaErrorInvalidValue
               : ifl_cudaSuccess;
}

static bool are_locations(const batch *b)
{
    if (!b->to || !b->first || !b->locations || b->locations > b->count || b->first[0])
        return false;
    for (size_t i = 1; i < b->locations; i++)
        if (b->first[i] <= b->first[i - 1] || b->first[i] >= b->count)
            return false;
    return true;
}

static ifl_cuda_error prefetch_all(ifl_session *session, const batch *b, unsigned long long flags,
                                   void *stream)
{
    ifl_cuda_error code = check_batch(b, flags, stream);
    if (code == ifl_cudaSuccess && !are_locations(b))
        code = ifl_cudaErrorInvalidValue;
    for (size_t i = 0, at = 0; i < b->count && code == ifl_cudaSuccess; i++) {
        at += at + 1 < b->locations && b->first[at + 1] == i;
        code = ifl_managed_prefetch(session, b->at[i], b->bytes[i], b->to[at], stream);
    }
    return code;
}

/* What a range holds that was discarded is not known: what it held, for one. */
static ifl_cuda_error discard_all(ifl_session *session, const batch *b, unsigned long long flags,
                                  void *stream)
{
    ifl_cuda_error code = check_batch(b, flags, stream);
    for (size_t i = 0; i < b->count && code == ifl_cudaSuccess; i++)
        code = ifl_managed_check(session, b->at[i], b->bytes[i], stream);
    return code;
}

#define WITH_LOCATIONS(name)                                                                       \
    IFL_SERVED ifl_cuda_error name(void *const *at, const size_t *bytes, size_t count,             \
                                   const ifl_location *to, const size_t *first, size_t locations,  \
                                   unsigned long long flags, void *stream)                         \
    {                                                                                              \
        const batch all = {at, bytes, count, to, first, locations};                                \
        SERVE(prefetch_all(session, &all, flags, stream));                                         \
    }                                                                                              \
    ALSO_OF_THREAD(name##_ptsz, name)
WITH_LOCATIONS(cudaMemPrefetchBatchAsync);
WITH_LOCATIONS(cudaMemDiscardAndPrefetchBatchAsync);

IFL_SERVED ifl_cuda_error cudaMemDiscardBatchAsync(void *const *at, const size_t *bytes,
                                                   size_t count, unsigned long long flags,
                                                   void *stream)
{
    const batch all = {.at = at, .bytes = bytes, .count = count};
    SERVE(discard_all(session, &all, flags, stream));
}
ALSO_OF_THREAD(cudaMemDiscardBatchAsync_ptsz, cudaMemDiscardBatchAsync);

#endif
