/* SPDX-License-Identifier: Apache-2.0
 * What a GPU, and a stream on it, may use: all of its SMs, as no green context divides them here.
 * cuSOLVER of CUDA 13.4 and later asks. */
#include "standin/chosen_gpu.h"
#include "standin/served.h"

#include <string.h>

/* cudaDevResourceType; those of work queues are not served. */
enum { RESOURCE_SMS = 1, RESOURCE_QUEUE_CONFIGURATION = 1000, RESOURCE_QUEUE = 10000 };

/* cudaDevResource of CUDA 13.5. That of 13.0 ends with 48 bytes of the union in place of 40 and a
 * pointer, and has only the first number of SMs. */
typedef struct resource {
    int type;
    char padding[92];
    unsigned sms, least_part, aligned_to, flags, domain;
    char rest[28];
} resource;
_Static_assert(sizeof(resource) == 144, "the size of cudaDevResource");

/* CUDA driver API, "Green contexts": the guideline for each architecture. */
static unsigned least_part(double capability)
{
    return capability >= 9 ? 8 : capability >= 8 ? 4 : 2;
}

static ifl_cuda_error describe(ifl_session *session, resource *out, int type)
{
    const ifl_device *device = ifl_session_device(session);
    const double capability = device->value[IFL_DEVICE_compute_capability];
    if (!out)
        return ifl_cudaErrorInvalidValue;
    if (type == RESOURCE_QUEUE_CONFIGURATION || type == RESOURCE_QUEUE)
        return ifl_cudaErrorNotSupported;
    if (type != RESOURCE_SMS)
        return ifl_cudaErrorInvalidResourceType;
    *out = (resource){.type = type,
                      .sms = (unsigned)device->value[IFL_DEVICE_sms],
                      .least_part = least_part(capability),
                      .aligned_to = capability >= 9 ? 8 : 2};
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaDeviceGetDevResource(int device, resource *out, int type)
{
    SERVE(ifl_gpu_exists(device) ? describe(session, out, type) : ifl_cudaErrorInvalidDevice);
}

IFL_SERVED ifl_cuda_error cudaStreamGetDevResource(void *stream, resource *out, int type)
{
    SERVE(ifl_stream_of(stream) ? describe(session, out, type)
                                : ifl_cudaErrorInvalidResourceHandle);
}
ALSO_OF_THREAD(cudaStreamGetDevResource_ptsz, cudaStreamGetDevResource);
