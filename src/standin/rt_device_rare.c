/* SPDX-License-Identifier: Apache-2.0
 * Questions to a GPU, and settings of it, that few programs have. The codes are an H200's (driver
 * 580). */
#include "standin/chosen_gpu.h"
#include "standin/served.h"

#include <stdlib.h>

/* ---- questions ------------------------------------------------------------------------------- */

/* What an H200 says: 2^30 texels, and 4 GiB, at most. */
static ifl_cuda_error linear_width(size_t *out, const ifl_channels *channels, int device)
{
    const uint64_t most_texels = UINT64_C(1) << 30, most_bytes = UINT64_C(1) << 32;
    ifl_texel texel;
    if (!out || !channels)
        return ifl_cudaErrorInvalidValue;
    if (!ifl_gpu_exists(device))
        return ifl_cudaErrorInvalidDevice;
    const ifl_cuda_error code = ifl_texel_of_channels(channels, &texel);
    if (code != ifl_cudaSuccess)
        return code;
    const uint64_t texels = most_bytes / ifl_texel_bytes(&texel);
    *out = texels < most_texels ? texels : most_texels;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaDeviceGetTexture1DLinearMaxWidth(size_t *out,
                                                               const ifl_channels *channels,
                                                               int device)
{
    return ifl_state_end(linear_width(out, channels, device));
}

#if IFL_CUDART >= 13
/* Over PCI Express a GPU has no atomic operations on the host's memory. */
static ifl_cuda_error host_atomics(unsigned *out, const int *operations, unsigned count, int device)
{
    if (!out || !operations || !count)
        return ifl_cudaErrorInvalidValue;
    if (!ifl_gpu_exists(device))
        return ifl_cudaErrorInvalidDevice;
    for (unsigned i = 0; i < count; i++)
        out[i] = 0;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaDeviceGetHostAtomicCapabilities(unsigned *out, const int *operations,
                                                              unsigned count, int device)
{
    return ifl_state_end(host_atomics(out, operations, count, device));
}
#endif

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Of sparse arrays and those whose memory is mapped later, of which there are none here. */
#define OF_NO_ARRAY(name, ...)                                                                     \
    IFL_SERVED ifl_cuda_error name(__VA_ARGS__)                                                    \
    {                                                                                              \
        return ifl_state_end(ifl_cudaErrorInvalidValue);                                           \
    }
OF_NO_ARRAY(cudaArrayGetMemoryRequirements, void)
OF_NO_ARRAY(cudaMipmappedArrayGetMemoryRequirements, void)
OF_NO_ARRAY(cudaArrayGetSparseProperties, void)
OF_NO_ARRAY(cudaMipmappedArrayGetSparseProperties, void)

/* ---- settings -------------------------------------------------------------------------------- */

static bool is_twice(const int *devices, int count)
{
    for (int i = 0; i < count; i++)
        for (int other = 0; other < i; other++)
            if (devices[i] == devices[other])
                return true;
    return false;
}

/* CUDA Runtime API, cudaSetValidDevices: the first is chosen where the program chooses none; 0
 * devices: any. */
static ifl_cuda_error allow(const int *devices, int count)
{
    if (count < 0 || (count && !devices))
        return ifl_cudaErrorInvalidValue;
    for (int i = 0; i < count; i++)
        if (!ifl_gpu_exists(devices[i]))
            return ifl_cudaErrorInvalidDevice;
    if (is_twice(devices, count))
        return ifl_cudaErrorInvalidValue;
    if (count)
        ifl_gpu_choose(devices[0]);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaSetValidDevices(const int *devices, int count)
{
    SERVE(allow(devices, count));
}

/* What other devices write is seen at once. */
IFL_SERVED ifl_cuda_error cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope)
{
    enum { CURRENT = 0, TO_OWNER = 100, TO_ALL = 200 };
    return ifl_state_end(target == CURRENT && (scope == TO_OWNER || scope == TO_ALL)
                             ? ifl_cudaSuccess
                             : ifl_cudaErrorInvalidValue);
}

#if IFL_CUDART >= 12
typedef struct notice {
    void (*call)(void *information, void *user, void *handle);
    void *user;
} notice;

/* Told where a GPU has less memory for the process than before, which never comes. */
static ifl_cuda_error notify(int device, void (*call)(void *, void *, void *), void *user,
                             notice **out)
{
    if (!call || !out)
        return ifl_cudaErrorInvalidValue;
    if (!ifl_gpu_exists(device))
        return ifl_cudaErrorInvalidDevice;
    notice *made = malloc(sizeof *made);
    if (!made || !ifl_handle_add(IFL_HANDLE_NOTICE, made)) {
        free(made);
        return ifl_cudaErrorMemoryAllocation;
    }
    *made = (notice){call, user};
    *out = made;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaDeviceRegisterAsyncNotification(int device,
                                                              void (*call)(void *, void *, void *),
                                                              void *user, notice **out)
{
    SERVE(notify(device, call, user, out));
}

static ifl_cuda_error forget(int device, notice *known)
{
    if (!ifl_gpu_exists(device))
        return ifl_cudaErrorInvalidDevice;
    if (!known)
        return ifl_cudaErrorInvalidValue;
    ifl_handle_remove(known);
    free(known);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaDeviceUnregisterAsyncNotification(int device, const void *handle)
{
    SERVE(forget(device, ifl_handle_find(IFL_HANDLE_NOTICE, handle)));
}
#endif

/* ---- of GPUs without doubles ----------------------------------------------------------------- */

#if IFL_CUDART < 13
/* CUDA Runtime API: nothing is done to a double where the GPU has doubles. */
IFL_SERVED ifl_cuda_error cudaSetDoubleForDevice(const double *value)
{
    return ifl_state_end(value ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}
ALSO(cudaSetDoubleForHost, cudaSetDoubleForDevice);
#endif
