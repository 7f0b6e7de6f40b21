/* SPDX-License-Identifier: Apache-2.0
 * The GPUs, as the driver's calls ask for them. */
#include "code/texel_format.h"
#include "standin/chosen_gpu.h"
#include "standin/driver_served.h"

#include <stdio.h>

static ifl_cuda_error check(int device)
{
    return ifl_gpu_exists(device) ? ifl_cudaSuccess : (ifl_cuda_error)IFL_CUDA_INVALID_DEVICE;
}

static ifl_cuda_error get(int *device, int ordinal)
{
    if (!device)
        return ifl_cudaErrorInvalidValue;
    *device = ifl_gpu_exists(ordinal) ? ordinal : 0;
    return check(ordinal);
}

IFL_SERVED ifl_cuda_error cuDeviceGet(int *device, int ordinal)
{
    DRIVE_EARLY(get(device, ordinal));
}

IFL_SERVED ifl_cuda_error cuDeviceGetCount(int *count)
{
    DRIVE_EARLY(count ? (*count = ifl_gpu_count(), ifl_cudaSuccess) : ifl_cudaErrorInvalidValue);
}

static ifl_cuda_error name(char *to, int room)
{
    ifl_session *session = ifl_state_enter();
    if (!to || room <= 0 || !session) {
        if (session)
            ifl_state_leave();
        return ifl_cudaErrorInvalidValue;
    }
    snprintf(to, (size_t)room, "NVIDIA %s (inflight)", ifl_session_device(session)->name);
    ifl_state_leave();
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuDeviceGetName(char *to, int room, int device)
{
    DRIVE_EARLY(ifl_gpu_exists(device) ? name(to, room) : check(device));
}

typedef struct uuid {
    char bytes[16];
} uuid;

static ifl_cuda_error tell_uuid(uuid *out, int device)
{
    if (!ifl_gpu_exists(device) || !out)
        return ifl_gpu_exists(device) ? ifl_cudaErrorInvalidValue : check(device);
    *out = (uuid){"inflight"};
    out->bytes[sizeof out->bytes - 1] = (char)device;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuDeviceGetUuid_v2(uuid *out, int device)
{
    DRIVE_EARLY(tell_uuid(out, device));
}
ALSO(cuDeviceGetUuid, cuDeviceGetUuid_v2);

static ifl_cuda_error total(size_t *bytes)
{
    size_t unused;
    return cudaMemGetInfo(&unused, bytes);
}

IFL_SERVED ifl_cuda_error cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    DRIVE_EARLY(ifl_gpu_exists(device) ? total(bytes) : check(device));
}

IFL_SERVED ifl_cuda_error cuDeviceGetAttribute(int *value, int attribute, int device)
{
    DRIVE_EARLY(value ? cudaDeviceGetAttribute(value, attribute, device)
                      : ifl_cudaErrorInvalidValue);
}

static ifl_cuda_error capability(int *major, int *minor, int device)
{
    enum { MAJOR = 75, MINOR = 76 };
    const ifl_cuda_error code = cudaDeviceGetAttribute(major, MAJOR, device);
    return code == ifl_cudaSuccess ? cudaDeviceGetAttribute(minor, MINOR, device) : code;
}

IFL_SERVED ifl_cuda_error cuDeviceComputeCapability(int *major, int *minor, int device)
{
    DRIVE_EARLY(capability(major, minor, device));
}

IFL_SERVED ifl_cuda_error cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    DRIVE_EARLY(cudaDeviceCanAccessPeer(can, device, peer));
}

IFL_SERVED ifl_cuda_error cuDeviceGetPCIBusId(char *to, int room, int device)
{
    DRIVE_EARLY(cudaDeviceGetPCIBusId(to, room, device));
}

IFL_SERVED ifl_cuda_error cuDeviceGetByPCIBusId(int *device, const char *text)
{
    DRIVE_EARLY(cudaDeviceGetByPCIBusId(device, text));
}

IFL_SERVED ifl_cuda_error cuDeviceGetP2PAttribute(int *value, int number, int device, int peer)
{
    DRIVE_EARLY(cudaDeviceGetP2PAttribute(value, number, device, peer));
}

IFL_SERVED ifl_cuda_error cuDeviceGetDefaultMemPool(void **out, int device)
{
    DRIVE_EARLY(cudaDeviceGetDefaultMemPool(out, device));
}

IFL_SERVED ifl_cuda_error cuDeviceGetMemPool(void **out, int device)
{
    DRIVE_EARLY(cudaDeviceGetMemPool(out, device));
}

IFL_SERVED ifl_cuda_error cuDeviceSetMemPool(int device, void *pool)
{
    DRIVE_EARLY(cudaDeviceSetMemPool(device, pool));
}

/* Profilers find nothing to start. */
IFL_SERVED ifl_cuda_error cuProfilerStart(void)
{
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuProfilerStop(void)
{
    return ifl_cudaSuccess;
}

/* CUdevprop: the first attributes, in their order. */
static ifl_cuda_error properties(int *out, int device)
{
    enum { ATTRIBUTES = 14 };
    ifl_cuda_error code = out ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
    for (int i = 0; i < ATTRIBUTES && code == ifl_cudaSuccess; i++)
        code = cudaDeviceGetAttribute(&out[i], 1 + i, device);
    return code;
}

IFL_SERVED ifl_cuda_error cuDeviceGetProperties(int *out, int device)
{
    DRIVE_EARLY(properties(out, device));
}

static ifl_cuda_error linear_width(size_t *out, int format, unsigned channels, int device)
{
    ifl_texel texel;
    if (!ifl_texel_of_format(format, channels, &texel))
        return ifl_cudaErrorInvalidValue;
    const ifl_channels of = ifl_channels_of_texel(&texel);
    return cudaDeviceGetTexture1DLinearMaxWidth(out, &of, device);
}

IFL_SERVED ifl_cuda_error cuDeviceGetTexture1DLinearMaxWidth(size_t *out, int format,
                                                             unsigned channels, int device)
{
    DRIVE_EARLY(linear_width(out, format, channels, device));
}

/* CUDA Driver API: from CUDA 12 on it does nothing. */
IFL_SERVED ifl_cuda_error cuProfilerInitialize(void)
{
    return ifl_cudaErrorNotSupported;
}
