/* SPDX-License-Identifier: Apache-2.0
 * What a GPU, and a stream on it, may use: all of its SMs, but for the streams of a green context.
 * cuSOLVER of CUDA 13.4 and later asks. */
#include "standin/chosen_gpu.h"
#include "standin/device_resource.h"
#include "standin/green.h"
#include "standin/served.h"

/* CUDA driver API, "Green contexts": the guideline for each architecture. */
static unsigned least_part(double capability)
{
    return capability >= 9 ? 8 : capability >= 8 ? 4 : 2;
}

static ifl_cuda_error describe(ifl_session *session, int gpu, unsigned sms,
                               ifl_device_resource *out, int type)
{
    const double capability = ifl_session_device(session)->value[IFL_DEVICE_compute_capability];
    if (!out)
        return ifl_cudaErrorInvalidValue;
    if (type == IFL_RESOURCE_QUEUE_CONFIGURATION || type == IFL_RESOURCE_QUEUE)
        return ifl_cudaErrorNotSupported;
    if (type != IFL_RESOURCE_SMS)
        return ifl_cudaErrorInvalidResourceType;
    *out = (ifl_device_resource){.type = type,
                                 .gpu = gpu,
                                 .sms = sms,
                                 .least_part = least_part(capability),
                                 .aligned_to = capability >= 9 ? 8 : 2};
    return ifl_cudaSuccess;
}

static unsigned all_sms(const ifl_session *session)
{
    return (unsigned)ifl_session_device(session)->value[IFL_DEVICE_sms];
}

IFL_SERVED ifl_cuda_error cudaDeviceGetDevResource(int device, ifl_device_resource *out, int type)
{
    SERVE(ifl_gpu_exists(device) ? describe(session, device, all_sms(session), out, type)
                                 : ifl_cudaErrorInvalidDevice);
}

IFL_SERVED ifl_cuda_error cudaStreamGetDevResource(void *stream, ifl_device_resource *out, int type)
{
    SERVE(ifl_stream_of(stream) ? describe(session, ifl_stream_of(stream)->gpu,
                                           ifl_green_sms(session, stream), out, type)
                                : ifl_cudaErrorInvalidResourceHandle);
}
ALSO_OF_THREAD(cudaStreamGetDevResource_ptsz, cudaStreamGetDevResource);
