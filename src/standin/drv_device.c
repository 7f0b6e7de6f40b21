/* SPDX-License-Identifier: Apache-2.0
 * The one GPU, as the driver's calls ask for it. */
#include "standin/driver_served.h"

#include <stdio.h>

static ifl_cuda_error check(int device)
{
    return device ? (ifl_cuda_error)IFL_CUDA_INVALID_DEVICE : ifl_cudaSuccess;
}

static ifl_cuda_error get(int *device, int ordinal)
{
    if (!device)
        return ifl_cudaErrorInvalidValue;
    *device = 0;
    return check(ordinal);
}

IFL_SERVED ifl_cuda_error cuDeviceGet(int *device, int ordinal)
{
    DRIVE_EARLY(get(device, ordinal));
}

IFL_SERVED ifl_cuda_error cuDeviceGetCount(int *count)
{
    DRIVE_EARLY(count ? (*count = 1, ifl_cudaSuccess) : ifl_cudaErrorInvalidValue);
}

static ifl_cuda_error name(char *to, int room)
{
    ifl_session *session = ifl_state_enter();
    if (!to || room <= 0 || !session) {
        if (session)
            ifl_state_leave();
        return ifl_cudaErrorInvalidValue;
    }
    snprintf(to, (size_t)room, "%s (inflight)", ifl_session_device(session)->name);
    ifl_state_leave();
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuDeviceGetName(char *to, int room, int device)
{
    DRIVE_EARLY(device ? check(device) : name(to, room));
}

typedef struct uuid {
    char bytes[16];
} uuid;

IFL_SERVED ifl_cuda_error cuDeviceGetUuid_v2(uuid *out, int device)
{
    DRIVE_EARLY(device ? check(device) : out ? (*out = (uuid){"inflight"}, ifl_cudaSuccess) : ifl_cudaErrorInvalidValue);
}
ALSO(cuDeviceGetUuid, cuDeviceGetUuid_v2);

static ifl_cuda_error total(size_t *bytes)
{
    size_t unused;
    return cudaMemGetInfo(&unused, bytes);
}

IFL_SERVED ifl_cuda_error cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    DRIVE_EARLY(device ? check(device) : total(bytes));
}

IFL_SERVED ifl_cuda_error cuDeviceGetAttribute(int *value, int attribute, int device)
{
    DRIVE_EARLY(value ? cudaDeviceGetAttribute(value, attribute, device) : ifl_cudaErrorInvalidValue);
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

IFL_SERVED ifl_cuda_error cuCtxEnablePeerAccess(void *peer, unsigned flags)
{
    (void)peer, (void)flags;
    DRIVE(check(1));
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
