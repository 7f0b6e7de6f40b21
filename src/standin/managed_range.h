/* SPDX-License-Identifier: Apache-2.0
 * What a program advises about ranges of managed memory, and where it has them brought: kept page by
 * page for who asks, and without effect, for there is one memory here. The lock of state.h is
 * held. */
#ifndef IFL_STANDIN_MANAGED_RANGE_H
#define IFL_STANDIN_MANAGED_RANGE_H

#include "standin/state.h"

/* cudaMemLocation and its types */
typedef struct ifl_location {
    int type, id;
} ifl_location;
enum { IFL_LOCATION_NONE, IFL_LOCATION_GPU, IFL_LOCATION_HOST, IFL_LOCATION_NUMA, IFL_LOCATIONS };

/* Of a device's number, or cudaCpuDeviceId. */
ifl_location ifl_location_of_device(int device);

/* cudaErrorInvalidValue where the bytes are not managed, cudaErrorInvalidDevice where there is no
 * such GPU. */
ifl_cuda_error ifl_managed_advise(ifl_session *session, const void *at, size_t bytes, int advice,
                                  ifl_location location);
/* Whether managed memory lies there, and the stream takes what is done with it. */
ifl_cuda_error ifl_managed_check(ifl_session *session, const void *at, size_t bytes, void *stream);
ifl_cuda_error ifl_managed_prefetch(ifl_session *session, const void *at, size_t bytes,
                                    ifl_location location, void *stream);
/* cudaMemRangeAttribute into `room` bytes. */
ifl_cuda_error ifl_managed_tell(ifl_session *session, void *out, size_t room, int attribute,
                                const void *at, size_t bytes);
ifl_cuda_error ifl_managed_tell_all(ifl_session *session, void *const *out, const size_t *rooms,
                                    const int *attributes, size_t count, const void *at,
                                    size_t bytes);
/* The memory is given back. */
void ifl_managed_forget(const void *at, size_t bytes);

#endif
