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

static ifl_cuda_error id_in(ifl_session *session, unsigned long long *id, uintptr_t at)
{
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), at);
    *id = a ? a->id : 0;
    return a ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

static ifl_cuda_error id_of(unsigned long long *id, uintptr_t at)
{
    SERVE(id_in(session, id, at));
}

IFL_SERVED ifl_cuda_error cuMemGetAddressRange_v2(uintptr_t *start, size_t *bytes, uintptr_t at)
{
    DRIVE(range(start, bytes, at));
}

/* ---- attributes of pointers ------------------------------------------------------------------ */

/* CUpointer_attribute; the others are those of memory that other processes or GPUs share. */
enum {
    IN_CONTEXT = 1,
    MEMORY_TYPE = 2,
    DEVICE_POINTER = 3,
    HOST_POINTER = 4,
    SYNC_MEMOPS = 6,
    BUFFER_ID = 7,
    IS_MANAGED = 8,
    DEVICE_ORDINAL = 9,
    RANGE_START = 11,
    RANGE_BYTES = 12,
    IS_MAPPED = 13
};

enum { TYPE_HOST = 1, TYPE_DEVICE = 2 };

static ifl_cuda_error put(void *to, const void *value, size_t bytes)
{
    memcpy(to, value, bytes);
    return ifl_cudaSuccess;
}

static ifl_cuda_error put_int(void *to, int value)
{
    return put(to, &value, sizeof value);
}

static ifl_cuda_error put_pointer(void *to, const void *value)
{
    return value ? put(to, &value, sizeof value) : ifl_cudaErrorInvalidValue;
}

static ifl_cuda_error put_id(void *to, uintptr_t at)
{
    unsigned long long id = 0;
    const ifl_cuda_error code = id_of(&id, at);
    return code == ifl_cudaSuccess ? put(to, &id, sizeof id) : code;
}

static ifl_cuda_error attribute(void *to, int number, uintptr_t at)
{
    ifl_pointer_attributes of;
    uintptr_t start = 0;
    size_t bytes = 0;
    const ifl_cuda_error code = cudaPointerGetAttributes(&of, (const void *)at);
    if (code != ifl_cudaSuccess || !to)
        return to ? code : ifl_cudaErrorInvalidValue;
    if (number == IS_MAPPED)
        return put_int(to, of.type != IFL_MEMORY_UNREGISTERED);
    if (of.type == IFL_MEMORY_UNREGISTERED || range(&start, &bytes, at) != ifl_cudaSuccess)
        return ifl_cudaErrorInvalidValue;
    switch (number) {
    case IN_CONTEXT:
        return put_pointer(to, ifl_driver_current());
    case MEMORY_TYPE:
        return put_int(to, of.type == IFL_MEMORY_HOST ? TYPE_HOST : TYPE_DEVICE);
    case DEVICE_POINTER:
        return put_pointer(to, of.device_pointer);
    case HOST_POINTER:
        return put_pointer(to, of.host_pointer);
    case SYNC_MEMOPS:
        return put_int(to, 1);
    case BUFFER_ID:
        return put_id(to, at);
    case IS_MANAGED:
        return put_int(to, of.type == IFL_MEMORY_MANAGED);
    case DEVICE_ORDINAL:
        return put_int(to, of.device);
    case RANGE_START:
        return put_pointer(to, (const void *)start);
    case RANGE_BYTES:
        return put(to, &bytes, sizeof bytes);
    default:
        return ifl_cudaErrorNotSupported;
    }
}

IFL_SERVED ifl_cuda_error cuPointerGetAttribute(void *to, int number, uintptr_t at)
{
    DRIVE(attribute(to, number, at));
}

/* A pointer that is not CUDA's has attributes of zero; that is no error here. */
static ifl_cuda_error attributes(unsigned count, const int *numbers, void **to, uintptr_t at)
{
    static const size_t sizes[] = {
        [IN_CONTEXT] = 8,  [MEMORY_TYPE] = 4, [DEVICE_POINTER] = 8, [HOST_POINTER] = 8,
        [SYNC_MEMOPS] = 4, [BUFFER_ID] = 8,   [IS_MANAGED] = 4,     [DEVICE_ORDINAL] = 4,
        [RANGE_START] = 8, [RANGE_BYTES] = 8, [IS_MAPPED] = 4};
    if (count && (!numbers || !to))
        return ifl_cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        if (!to[i])
            return ifl_cudaErrorInvalidValue;
        if (numbers[i] < 0 || (size_t)numbers[i] >= sizeof sizes / sizeof *sizes ||
            !sizes[numbers[i]])
            return ifl_cudaErrorNotSupported;
        if (attribute(to[i], numbers[i], at) != ifl_cudaSuccess)
            memset(to[i], numbers[i] == DEVICE_ORDINAL ? 0xfe : 0, sizes[numbers[i]]);
    }
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuPointerGetAttributes(unsigned count, int *numbers, void **to,
                                                 uintptr_t at)
{
    DRIVE(attributes(count, numbers, to, at));
}

/* Copies are over when their call returns, whatever is asked of them (CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
 * the only one that may be set). */
static ifl_cuda_error set_attribute(const void *value, int attribute, uintptr_t at)
{
    enum { COPIES_WAIT = 6 };
    uintptr_t start;
    return value && attribute == COPIES_WAIT && range(&start, NULL, at) == ifl_cudaSuccess
               ? ifl_cudaSuccess
               : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cuPointerSetAttribute(const void *value, int attribute, uintptr_t at)
{
    DRIVE(set_attribute(value, attribute, at));
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
