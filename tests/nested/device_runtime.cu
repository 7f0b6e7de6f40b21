// SPDX-License-Identifier: Apache-2.0
// The device runtime's functions that nested_kernels.cu needs, of our own: the calls of libcudadevrt that lead to the driver, so
// that the cubins here hold no code but ours. Programs link libcudadevrt.

// CUDA's headers make nothing of these names where no program may write them.
#undef __cudaCDP2GetParameterBufferV2
#undef __cudaCDP2LaunchDeviceV2
#undef __cudaCDP2StreamCreateWithFlags
#undef __cudaCDP2StreamDestroy
#undef __cudaCDP2StreamWaitEvent
#undef __cudaCDP2EventCreateWithFlags
#undef __cudaCDP2EventDestroy
#undef __cudaCDP2EventRecord
#undef __cudaCDP2PeekAtLastError
#undef __cudaCDP2GetLastError
#undef __cudaCDP2GetDevice
#undef __cudaCDP2GetDeviceCount

#define CALL extern "C" __device__

CALL void *__cuda_syscall_cnpv2GetParameterBufferV2(void *function, dim3 grid, dim3 block, unsigned shared);
CALL unsigned __cuda_syscall_cnpv2LaunchDeviceV2(void *parameters, cudaStream_t stream);
CALL unsigned __cuda_syscall_cnpv2StreamCreate(cudaStream_t *stream, unsigned flags);
CALL unsigned __cuda_syscall_cnpv2StreamDestroy(cudaStream_t stream);
CALL unsigned __cuda_syscall_cnpv2StreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
CALL unsigned __cuda_syscall_cnpv2EventCreate(cudaEvent_t *event, unsigned flags);
CALL unsigned __cuda_syscall_cnpv2EventDestroy(cudaEvent_t event);
CALL unsigned __cuda_syscall_cnpv2EventRecord(cudaEvent_t event, cudaStream_t stream);
CALL unsigned __cuda_syscall_cnpv2GetLastError();
CALL unsigned __cuda_syscall_cnpv2SetLastError(unsigned error);
CALL unsigned __cuda_syscall_cnpv2GetDevice(int *device);
CALL unsigned __cuda_syscall_cnpv2GetDeviceCount(int *count);

// The driver's statuses as CUDA's, of those that occur.
static __device__ __noinline__ cudaError_t note(unsigned status)
{
    const cudaError_t error = status == 0 ? cudaSuccess : status == 4 ? cudaErrorMemoryAllocation
                              : status == 7 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        __cuda_syscall_cnpv2SetLastError(error);
    return error;
}

CALL void *__cudaCDP2GetParameterBufferV2(void *function, dim3 grid, dim3 block, unsigned shared)
{
    return __cuda_syscall_cnpv2GetParameterBufferV2(function, grid, block, shared);
}

CALL cudaError_t __cudaCDP2LaunchDeviceV2(void *parameters, cudaStream_t stream)
{
    return note(__cuda_syscall_cnpv2LaunchDeviceV2(parameters, stream));
}

CALL cudaError_t __cudaCDP2StreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return note(__cuda_syscall_cnpv2StreamCreate(stream, flags));
}

CALL cudaError_t __cudaCDP2StreamDestroy(cudaStream_t stream)
{
    return note(__cuda_syscall_cnpv2StreamDestroy(stream));
}

CALL cudaError_t __cudaCDP2StreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    return note(__cuda_syscall_cnpv2StreamWaitEvent(stream, event, flags));
}

CALL cudaError_t __cudaCDP2EventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    return note(__cuda_syscall_cnpv2EventCreate(event, flags));
}

CALL cudaError_t __cudaCDP2EventDestroy(cudaEvent_t event)
{
    return note(__cuda_syscall_cnpv2EventDestroy(event));
}

CALL cudaError_t __cudaCDP2EventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return note(__cuda_syscall_cnpv2EventRecord(event, stream));
}

CALL cudaError_t __cudaCDP2PeekAtLastError()
{
    return (cudaError_t)__cuda_syscall_cnpv2GetLastError();
}

CALL cudaError_t __cudaCDP2GetLastError()
{
    const unsigned error = __cuda_syscall_cnpv2GetLastError();
    if (error)
        __cuda_syscall_cnpv2SetLastError(0);
    return (cudaError_t)error;
}

CALL cudaError_t __cudaCDP2GetDevice(int *device)
{
    return note(__cuda_syscall_cnpv2GetDevice(device));
}

CALL cudaError_t __cudaCDP2GetDeviceCount(int *count)
{
    return note(__cuda_syscall_cnpv2GetDeviceCount(count));
}
