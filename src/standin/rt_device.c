/* SPDX-License-Identifier: Apache-2.0
 * The GPUs: what they are, all of one kind, and how one is chosen. */
#include "standin/chosen_gpu.h"
#include "standin/gpu_bytes.h"

#include <stdio.h>
#include <string.h>

enum { RESERVED_INTS = IFL_CUDART >= 13 ? 56 : 63 };

static int memory_bus_bits(const ifl_device *device)
{
    enum { WHERE_NOT_KNOWN = 4096 };
    return device->known[IFL_DEVICE_memory_bus_bits]
               ? (int)device->value[IFL_DEVICE_memory_bus_bits]
               : WHERE_NOT_KNOWN;
}

/* Programs work out a bandwidth as 2 × clock × bus / 8: the clock is made to give the device's peak. */
static int memory_clock_khz(const ifl_device *device)
{
    return (int)(device->value[IFL_DEVICE_dram_bytes_per_s] * 8 / memory_bus_bits(device) / 2 /
                 1000);
}

static int major_of(const ifl_device *device)
{
    return (int)device->value[IFL_DEVICE_compute_capability];
}

static int minor_of(const ifl_device *device)
{
    return (int)(device->value[IFL_DEVICE_compute_capability] * 10 + 0.5) % 10;
}

static bool attribute(const ifl_device *device, int number, int *value)
{
#define V(field) (int)(device->known[IFL_DEVICE_##field] ? device->value[IFL_DEVICE_##field] : 0)
#define ATTRIBUTE(of, is)                                                                          \
    if (number == (of)) {                                                                          \
        *value = (is);                                                                             \
        return true;                                                                               \
    }
#include "standin/device_attribute.def"
#undef ATTRIBUTE
    return false;
}

static int value_of(const ifl_device *device, int number)
{
    int value = 0;
    attribute(device, number, &value);
    return value;
}

enum { PCI_BUS = 33, PCI_DEVICE = 34, PCI_DOMAIN = 50 };

/* Each GPU on a bus of its own. */
static int pci_bus(const ifl_device *device, int ordinal)
{
    return value_of(device, PCI_BUS) + ordinal;
}

/* ---- properties ------------------------------------------------------------------------------ */

#define VERSION_A(...) __VA_ARGS__
#if IFL_CUDART >= 13
#define VERSION_B(...)
#define VERSION_D(...) __VA_ARGS__
#else
#define VERSION_B(...) __VA_ARGS__
#define VERSION_D(...)
#endif
#if IFL_CUDART >= 12
#define VERSION_C(...) __VA_ARGS__
#else
#define VERSION_C(...)
#endif

typedef struct properties {
#define PROPERTY(versions, type, name, elements, value) VERSION_##versions(type name[elements];)
#include "standin/device_property.def"
#undef PROPERTY
} properties;

static ifl_cuda_error fill(ifl_session *session, properties *p, int ordinal)
{
    const ifl_device *device = ifl_session_device(session);
    if (!p || !ifl_gpu_exists(ordinal))
        return p ? ifl_cudaErrorInvalidDevice : ifl_cudaErrorInvalidValue;
    memset(p, 0, sizeof *p);
#define ATTR(number) value_of(device, number)
#define PROPERTY(versions, type, name, elements, value)                                            \
    VERSION_##versions(p->name[0] = (type)(value);)
#include "standin/device_property.def"
#undef PROPERTY
    snprintf(p->name, sizeof p->name, "NVIDIA %s (inflight)", device->name);
    p->pciBusID[0] = pci_bus(device, ordinal);
    snprintf(p->uuid, sizeof p->uuid, "inflight");
    p->uuid[sizeof p->uuid - 1] = (char)ordinal;
    p->maxThreadsDim[1] = ATTR(3);
    p->maxThreadsDim[2] = ATTR(4);
    p->maxGridSize[1] = ATTR(6);
    p->maxGridSize[2] = ATTR(7);
    p->maxTexture2D[1] = ATTR(23);
    p->maxTexture3D[1] = ATTR(25);
    p->maxTexture3D[2] = ATTR(26);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGetDeviceProperties(properties *out, int device)
{
    SERVE(fill(session, out, device));
}
#if IFL_CUDART == 12
ALSO(cudaGetDeviceProperties_v2, cudaGetDeviceProperties);
#endif

static ifl_cuda_error attribute_of(const ifl_device *device, int *value, int number, int ordinal)
{
    if (!ifl_gpu_exists(ordinal))
        return ifl_cudaErrorInvalidDevice;
    if (!value || !attribute(device, number, value))
        return ifl_cudaErrorInvalidValue;
    if (number == PCI_BUS)
        *value = pci_bus(device, ordinal);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaDeviceGetAttribute(int *value, int number, int device)
{
    SERVE(attribute_of(ifl_session_device(session), value, number, device));
}

/* ---- choosing -------------------------------------------------------------------------------- */

static ifl_cuda_error tell(int *out, int value)
{
    if (out)
        *out = value;
    return ifl_state_end(out ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cudaGetDeviceCount(int *count)
{
    return tell(count, ifl_gpu_count());
}

IFL_SERVED ifl_cuda_error cudaGetDevice(int *device)
{
    return tell(device, ifl_gpu_chosen());
}

static ifl_cuda_error choose(int device)
{
    if (!ifl_gpu_exists(device))
        return ifl_cudaErrorInvalidDevice;
    ifl_gpu_choose(device);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaSetDevice(int device)
{
    SERVE(choose(device));
}

IFL_SERVED ifl_cuda_error cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return ifl_state_end(ifl_gpu_exists(device) ? ifl_cudaSuccess : ifl_cudaErrorInvalidDevice);
}

IFL_SERVED ifl_cuda_error cudaChooseDevice(int *device, const void *wanted)
{
    return wanted ? tell(device, 0) : ifl_state_end(ifl_cudaErrorInvalidValue);
}

static unsigned device_flags;

IFL_SERVED ifl_cuda_error cudaSetDeviceFlags(unsigned flags)
{
    device_flags = flags;
    return ifl_state_end(ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaGetDeviceFlags(unsigned *flags)
{
    if (flags)
        *flags = device_flags;
    return ifl_state_end(flags ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    const bool are_gpus = ifl_gpu_exists(device) && ifl_gpu_exists(peer);
    return are_gpus ? tell(can, device != peer) : ifl_state_end(ifl_cudaErrorInvalidDevice);
}

/* cudaDeviceP2PAttr: a rank, access, native atomics (over NVLink, which is not modelled), access to
 * arrays. */
static ifl_cuda_error peer_attribute(int *value, int number, int device, int peer)
{
    static const int values[] = {[1] = 0, [2] = 1, [3] = 0, [4] = 1};
    if (!value || number < 1 || (size_t)number >= sizeof values / sizeof *values)
        return ifl_cudaErrorInvalidValue;
    if (!ifl_gpu_exists(device) || !ifl_gpu_exists(peer) || device == peer)
        return ifl_cudaErrorInvalidDevice;
    *value = values[number];
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaDeviceGetP2PAttribute(int *value, int number, int device, int peer)
{
    return ifl_state_end(peer_attribute(value, number, device, peer));
}

IFL_SERVED ifl_cuda_error cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    SERVE(flags ? ifl_cudaErrorInvalidValue : ifl_gpu_enable_peer(peer));
}

IFL_SERVED ifl_cuda_error cudaDeviceDisablePeerAccess(int peer)
{
    SERVE(ifl_gpu_disable_peer(peer));
}

/* No more is free than this machine has: libraries make their pools by it (RAPIDS of 80 %), and would not
 * get them. */
static ifl_cuda_error memory_info(ifl_session *session, size_t *unused, size_t *total)
{
    const uint64_t used = ifl_gpu_used_bytes(ifl_session_memory(session), ifl_gpu_chosen());
    if (!unused || !total)
        return ifl_cudaErrorInvalidValue;
    *total = ifl_gpu_bytes(ifl_session_device(session));
    const uint64_t machine = ifl_memory_of_machine(), most = *total < machine ? *total : machine;
    *unused = used < most ? most - used : 0;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaMemGetInfo(size_t *unused, size_t *total)
{
    SERVE(memory_info(session, unused, total));
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* The host's clock goes on to the GPU's, and there may be an error to tell. */
static ifl_cuda_error wait(ifl_session *session)
{
    ifl_later_finish_all(session);
    ifl_session_choose_gpu(session, (uint32_t)ifl_gpu_chosen());
    ifl_session_host_waits(session);
    return ifl_wait_code(ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaDeviceSynchronize(void)
{
    SERVE_IF(ifl_capture_allow_wait(ifl_gpu_chosen()), wait(session));
}
#if IFL_CUDART < 13
ALSO(cudaThreadSynchronize, cudaDeviceSynchronize);
#endif

IFL_SERVED ifl_cuda_error cudaDeviceReset(void)
{
    SERVE(wait(session));
}
#if IFL_CUDART < 13
ALSO(cudaThreadExit, cudaDeviceReset);
#endif

/* ---- preferences ----------------------------------------------------------------------------- */

static int bank_config; /* kept, without effect: banks of 8 bytes ended with Kepler */

IFL_SERVED ifl_cuda_error cudaDeviceSetCacheConfig(int config)
{
    ifl_state_set_cache_config(config);
    return ifl_state_end(ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaDeviceGetCacheConfig(int *config)
{
    return tell(config, ifl_state_cache_config());
}

IFL_SERVED ifl_cuda_error cudaDeviceSetSharedMemConfig(int config)
{
    bank_config = config;
    return ifl_state_end(ifl_cudaSuccess);
}

IFL_SERVED ifl_cuda_error cudaDeviceGetSharedMemConfig(int *config)
{
    return tell(config, bank_config ? bank_config : 1);
}

enum { MOST_STACK = 512 * 1024 }; /* of local memory that a thread can have */

/* CUDA Runtime API, cudaDeviceSetLimit: GPUs from 9.0 on have no cudaLimitDevRuntimeSyncDepth. */
static bool is_limit(int limit)
{
    enum { SYNC_DEPTH = 3, MAJOR = 75, HOPPER = 9 };
    int major = 0;
    if (limit == SYNC_DEPTH)
        cudaDeviceGetAttribute(&major, MAJOR, ifl_gpu_chosen());
    return limit >= 0 && limit < IFL_LIMITS && major < HOPPER;
}

enum { L2_BYTES = 38, PERSISTING_BYTES = 108 }; /* attributes */

static size_t of_gpu(int attribute)
{
    int value = 0;
    cudaDeviceGetAttribute(&value, attribute, ifl_gpu_chosen());
    return (size_t)value;
}

/* An H200 (driver 580.159.04) sets aside sixteenths of its L2, three at first. Of GPUs whose figure is not
 * known the limit is kept as it is. */
static size_t l2_part(void)
{
    return of_gpu(PERSISTING_BYTES) ? of_gpu(L2_BYTES) / 16 : 1;
}

static size_t in_parts(size_t bytes)
{
    return bytes / l2_part() * l2_part() + (bytes % l2_part() ? l2_part() : 0);
}

static size_t limit_now(int limit)
{
    const size_t value = ifl_state_limit(limit);
    const bool is_first = limit == IFL_LIMIT_PERSISTING && value == IFL_LIMIT_NOT_SET;
    return !is_first ? value : of_gpu(PERSISTING_BYTES) ? 3 * l2_part() : 0;
}

static bool is_too_large(int limit, size_t value)
{
    const size_t persisting = limit == IFL_LIMIT_PERSISTING ? of_gpu(PERSISTING_BYTES) : 0;
    return (limit == IFL_LIMIT_STACK && value > MOST_STACK) || (persisting && value > persisting);
}

static ifl_cuda_error set_limit(int limit, size_t value)
{
    if (!is_limit(limit))
        return ifl_cudaErrorUnsupportedLimit;
    if (is_too_large(limit, value))
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = ifl_capture_allow_unsafe();
    if (code == ifl_cudaSuccess)
        ifl_state_set_limit(limit, limit == IFL_LIMIT_PERSISTING ? in_parts(value) : value);
    return code;
}

IFL_SERVED ifl_cuda_error cudaDeviceSetLimit(int limit, size_t value)
{
    ifl_state_lock();
    const ifl_cuda_error code = set_limit(limit, value);
    ifl_state_unlock();
    return ifl_state_end(code);
}

IFL_SERVED ifl_cuda_error cudaDeviceGetLimit(size_t *value, int limit)
{
    if (!is_limit(limit))
        return ifl_state_end(ifl_cudaErrorUnsupportedLimit);
    if (value)
        *value = limit_now(limit);
    return ifl_state_end(value ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue);
}

#if IFL_CUDART < 13
ALSO(cudaThreadSetLimit, cudaDeviceSetLimit);
ALSO(cudaThreadGetLimit, cudaDeviceGetLimit);
ALSO(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig);
ALSO(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig);
#endif

/* Nothing persists in the L2 here (cudaLimitPersistingL2CacheSize is kept only). */
IFL_SERVED ifl_cuda_error cudaCtxResetPersistingL2Cache(void)
{
    SERVE(ifl_cudaSuccess);
}

/* Domain, bus and device as the attributes have them. */
static ifl_cuda_error pci_bus_id(const ifl_device *device, char *to, int room, int ordinal)
{
    char text[32];
    if (!ifl_gpu_exists(ordinal))
        return ifl_cudaErrorInvalidDevice;
    const int length =
        snprintf(text, sizeof text, "%04x:%02x:%02x.0", (unsigned)value_of(device, PCI_DOMAIN),
                 (unsigned)pci_bus(device, ordinal), (unsigned)value_of(device, PCI_DEVICE));
    if (!to || room <= length)
        return ifl_cudaErrorInvalidValue;
    memcpy(to, text, (size_t)length + 1);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaDeviceGetPCIBusId(char *to, int room, int device)
{
    SERVE(pci_bus_id(ifl_session_device(session), to, room, device));
}

/* "domain:bus:device.function" of the GPU, the domain and the function may be missing. */
static ifl_cuda_error find_by_pci(const ifl_device *device, int *out, const char *text)
{
    unsigned domain = 0, bus = 0, slot = 0;
    if (!out || !text ||
        (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3 &&
         (domain = 0, sscanf(text, "%x:%x", &bus, &slot) != 2)))
        return ifl_cudaErrorInvalidValue;
    for (int gpu = 0; gpu < ifl_gpu_count(); gpu++)
        if (domain == (unsigned)value_of(device, PCI_DOMAIN) &&
            bus == (unsigned)pci_bus(device, gpu) &&
            slot == (unsigned)value_of(device, PCI_DEVICE)) {
            *out = gpu;
            return ifl_cudaSuccess;
        }
    return ifl_cudaErrorInvalidDevice;
}

IFL_SERVED ifl_cuda_error cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    SERVE(find_by_pci(ifl_session_device(session), device, text));
}
