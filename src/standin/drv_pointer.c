/* SPDX-License-Identifier: Apache-2.0
 * Attributes of pointers, as an H200's driver has them (580.159.04), of memory that was allocated, that a
 * pool holds, or that the program mapped; but no other device reaches it, a pool's mapping is as large as the
 * allocation, and SYNC_MEMOPS, which may be set, reads as it was at first. */
#include "standin/driver_served.h"
#include "standin/pool.h"
#include "standin/virtual_place.h"

/* CUpointer_attribute; the one that is missing is for a kernel module. */
enum {
    IN_CONTEXT = 1,
    MEMORY_TYPE = 2,
    DEVICE_POINTER = 3,
    HOST_POINTER = 4,
    SYNC_MEMOPS = 6,
    BUFFER_ID = 7,
    IS_MANAGED = 8,
    DEVICE_ORDINAL = 9,
    IS_LEGACY_IPC = 10,
    RANGE_START = 11,
    RANGE_BYTES = 12,
    IS_MAPPED = 13,
    HANDLE_TYPES = 14,
    IS_DIRECT_RDMA = 15,
    ACCESS_FLAGS = 16,
    MEMORY_POOL = 17,
    MAPPING_BYTES = 18,
    MAPPING_START = 19,
    BLOCK_ID = 20,
    IS_DECOMPRESSED = 21
};

/* Bytes of each; 0: there is no such attribute. */
static const uint8_t sizes[] = {
    [IN_CONTEXT] = 8,    [MEMORY_TYPE] = 4,    [DEVICE_POINTER] = 8, [HOST_POINTER] = 8,
    [SYNC_MEMOPS] = 4,   [BUFFER_ID] = 8,      [IS_MANAGED] = 4,     [DEVICE_ORDINAL] = 4,
    [IS_LEGACY_IPC] = 4, [RANGE_START] = 8,    [RANGE_BYTES] = 8,    [IS_MAPPED] = 4,
    [HANDLE_TYPES] = 8,  [IS_DIRECT_RDMA] = 4, [ACCESS_FLAGS] = 4,   [MEMORY_POOL] = 8,
    [MAPPING_BYTES] = 8, [MAPPING_START] = 8,  [BLOCK_ID] = 8,       [IS_DECOMPRESSED] = 4};

static size_t size_of(int number)
{
    return number >= 0 && (size_t)number < sizeof sizes ? sizes[number] : 0;
}

enum { TYPE_HOST = 1, TYPE_DEVICE = 2 };
enum { READS_AND_WRITES = 3 };
/* The memory behind an allocation is whole pages of the GPU's. */
#define GPU_PAGE (UINT64_C(2) << 20)

typedef struct memory {
    ifl_pointer_attributes of;
    uint64_t start, bytes, id;
    const void *pool; /* that holds it; NULL: none does */
    bool is_virtual;
    ifl_virtual_place place;
} memory;

/* Also where no GPU has access to it yet. */
static bool find_virtual(uintptr_t at, memory *to)
{
    to->is_virtual = ifl_virtual_find(at, &to->place);
    if (!to->is_virtual)
        return false;
    to->of = (ifl_pointer_attributes){
        .type = IFL_MEMORY_DEVICE, .device = to->place.gpu, .device_pointer = (void *)at};
    to->start = to->place.reserved;
    to->bytes = to->place.reserved_bytes;
    to->id = (uintptr_t)to->place.memory;
    return true;
}

static ifl_cuda_error find_in(ifl_session *session, uintptr_t at, memory *to)
{
    if (find_virtual(at, to))
        return ifl_cudaSuccess;
    const ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), at);
    if (!a || a->flags & IFL_ALLOCATION_FREED)
        return ifl_cudaErrorInvalidValue;
    to->start = a->address;
    to->bytes = a->bytes;
    to->id = a->id;
    to->pool = ifl_pool_holding(at);
    return ifl_cudaSuccess;
}

static ifl_cuda_error find_serve(uintptr_t at, memory *to)
{
    SERVE(find_in(session, at, to));
}

static ifl_cuda_error find(uintptr_t at, memory *to)
{
    *to = (memory){.pool = NULL};
    const ifl_cuda_error code = find_serve(at, to);
    if (code != ifl_cudaSuccess || to->is_virtual)
        return code;
    return cudaPointerGetAttributes(&to->of, (const void *)at);
}

/* As cudaMalloc gives it. */
static bool is_plain(const memory *m)
{
    return m->of.type == IFL_MEMORY_DEVICE && !m->pool && !m->is_virtual;
}

static uint64_t value_of(const memory *m, int number)
{
    switch (number) {
    case IN_CONTEXT:
        return m->pool || m->is_virtual ? 0 : (uintptr_t)ifl_driver_current();
    case MEMORY_TYPE:
        return m->of.type == IFL_MEMORY_HOST ? TYPE_HOST : TYPE_DEVICE;
    case DEVICE_POINTER:
        return (uintptr_t)m->of.device_pointer;
    case HOST_POINTER:
        return (uintptr_t)m->of.host_pointer;
    case SYNC_MEMOPS:
    case IS_MANAGED:
        return m->of.type == IFL_MEMORY_MANAGED;
    case BUFFER_ID:
    case BLOCK_ID:
        return m->id;
    case DEVICE_ORDINAL:
        return (uint64_t)m->of.device;
    case IS_LEGACY_IPC:
    case IS_DECOMPRESSED:
        return is_plain(m);
    case RANGE_START:
        return m->start;
    case RANGE_BYTES:
        return m->bytes;
    case IS_MAPPED:
        return 1;
    case HANDLE_TYPES:
        return m->is_virtual ? (uint64_t)m->place.handle_types : 0;
    case ACCESS_FLAGS:
        return m->is_virtual ? (uint64_t)m->place.access : READS_AND_WRITES;
    case MEMORY_POOL:
        return (uintptr_t)m->pool;
    case MAPPING_BYTES:
        return m->is_virtual ? m->place.mapped_bytes
                             : (m->bytes + GPU_PAGE - 1) / GPU_PAGE * GPU_PAGE;
    case MAPPING_START:
        return m->is_virtual ? m->place.mapped : m->start;
    default:
        return 0; /* IS_DIRECT_RDMA: there is no other device on the bus */
    }
}

static ifl_cuda_error attribute(void *to, int number, uintptr_t at)
{
    memory m;
    const size_t bytes = size_of(number);
    const ifl_cuda_error code = to ? find(at, &m) : ifl_cudaErrorInvalidValue;
    if (code != ifl_cudaSuccess)
        return code;
    if (!bytes)
        return ifl_cudaErrorNotSupported;
    const uint64_t value = value_of(&m, number);
    if (!value && (number == DEVICE_POINTER || number == HOST_POINTER))
        return ifl_cudaErrorInvalidValue;
    memcpy(to, &value, bytes);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuPointerGetAttribute(void *to, int number, uintptr_t at)
{
    DRIVE(attribute(to, number, at));
}

/* A pointer that is not CUDA's has attributes of zero; that is no error here. */
static ifl_cuda_error attributes(unsigned count, const int *numbers, void **to, uintptr_t at)
{
    if (count && (!numbers || !to))
        return ifl_cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        if (!to[i])
            return ifl_cudaErrorInvalidValue;
        if (!size_of(numbers[i]))
            return ifl_cudaErrorNotSupported;
        if (attribute(to[i], numbers[i], at) != ifl_cudaSuccess)
            memset(to[i], numbers[i] == DEVICE_ORDINAL ? 0xfe : 0, size_of(numbers[i]));
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
static ifl_cuda_error set_attribute(const void *value, int number, uintptr_t at)
{
    memory m;
    return value && number == SYNC_MEMOPS ? find(at, &m) : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cuPointerSetAttribute(const void *value, int number, uintptr_t at)
{
    DRIVE(set_attribute(value, number, at));
}
