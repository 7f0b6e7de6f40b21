/* SPDX-License-Identifier: Apache-2.0
 * What programs commonly ask of NVML (NVML API reference), about the GPUs that they run on here:
 * names, memory, versions. Nothing here makes a session, so that a program may ask and then fork,
 * as PyTorch does. The other calls, of nvml_unsupported.def, say NVML_ERROR_NOT_SUPPORTED. */
#include "model/model.h"
#include "standin/chosen_gpu.h"
#include "standin/gpu_bytes.h"
#include "standin/run_options.h"
#include "standin/served.h"
#include "standin/state.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    UNKNOWN = 999
};

static struct {
    pthread_mutex_t lock;
    unsigned users;
    ifl_device *device[IFL_MOST_GPUS]; /* stay open, as their addresses are the handles */
} nvml = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the library ----------------------------------------------------------------------------- */

static bool open_devices(void)
{
    ifl_standin_options options;
    ifl_error error = {0};
    ifl_status status = ifl_standin_options_read(&options, &error);
    for (int gpu = 0; gpu < ifl_gpu_count() && status == IFL_OK; gpu++)
        if (!nvml.device[gpu])
            status = ifl_device_open(options.gpu, &nvml.device[gpu], &error);
    if (status != IFL_OK)
        ifl_state_tell_error(&error);
    return status == IFL_OK;
}

/* Its number; -1: it is no handle. */
static int index_of(const void *device)
{
    for (int gpu = 0; device && gpu < ifl_gpu_count(); gpu++)
        if (nvml.device[gpu] == device)
            return gpu;
    return -1;
}

IFL_SERVED int nvmlInit_v2(void)
{
    pthread_mutex_lock(&nvml.lock);
    const bool is_open = open_devices();
    nvml.users += is_open;
    pthread_mutex_unlock(&nvml.lock);
    return is_open ? 0 : UNKNOWN;
}

IFL_SERVED int nvmlInit(void)
{
    return nvmlInit_v2();
}

IFL_SERVED int nvmlInitWithFlags(unsigned flags)
{
    (void)flags;
    return nvmlInit_v2();
}

IFL_SERVED int nvmlShutdown(void)
{
    pthread_mutex_lock(&nvml.lock);
    const bool is_used = nvml.users;
    nvml.users -= is_used;
    pthread_mutex_unlock(&nvml.lock);
    return is_used ? 0 : UNINITIALIZED;
}

IFL_SERVED const char *nvmlErrorString(int code)
{
    return code == 0                   ? "Success"
           : code == UNINITIALIZED     ? "Uninitialized"
           : code == INVALID_ARGUMENT  ? "Invalid Argument"
           : code == NOT_SUPPORTED     ? "Not Supported"
           : code == NOT_FOUND         ? "Not Found"
           : code == INSUFFICIENT_SIZE ? "Insufficient Size"
                                       : "Unknown Error";
}

/* What a call that needs the library, and writes to `to`, begins with. */
static int begin(const void *to)
{
    pthread_mutex_lock(&nvml.lock);
    const bool is_used = nvml.users;
    pthread_mutex_unlock(&nvml.lock);
    return !is_used ? UNINITIALIZED : to ? 0 : INVALID_ARGUMENT;
}

static int begin_with(const void *device, const void *to)
{
    const int code = begin(to);
    return code ? code : index_of(device) >= 0 ? 0 : INVALID_ARGUMENT;
}

static int put_text(int code, char *to, unsigned room, const char *text)
{
    if (code)
        return code;
    const size_t bytes = strlen(text) + 1;
    if (bytes > room)
        return INSUFFICIENT_SIZE;
    memcpy(to, text, bytes);
    return 0;
}

static int put_number(int code, unsigned *to, unsigned value)
{
    if (!code)
        *to = value;
    return code;
}

/* ---- the system ------------------------------------------------------------------------------ */

/* The driver of CUDA 13.0 is 580. */
IFL_SERVED int nvmlSystemGetDriverVersion(char *to, unsigned room)
{
    return put_text(begin(to), to, room, "580.0");
}

IFL_SERVED int nvmlSystemGetNVMLVersion(char *to, unsigned room)
{
    return put_text(begin(to), to, room, "13.580.0");
}

IFL_SERVED int nvmlSystemGetCudaDriverVersion_v2(unsigned *to)
{
    return put_number(begin(to), to, IFL_DRIVER_VERSION);
}
ALSO(nvmlSystemGetCudaDriverVersion, nvmlSystemGetCudaDriverVersion_v2);

IFL_SERVED int nvmlDeviceGetCount_v2(unsigned *to)
{
    return put_number(begin(to), to, (unsigned)ifl_gpu_count());
}
ALSO(nvmlDeviceGetCount, nvmlDeviceGetCount_v2);

IFL_SERVED int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **to)
{
    const int code = begin(to);
    if (code || index >= (unsigned)ifl_gpu_count())
        return code ? code : INVALID_ARGUMENT;
    *to = nvml.device[index];
    return 0;
}
ALSO(nvmlDeviceGetHandleByIndex, nvmlDeviceGetHandleByIndex_v2);

/* "GPU-" and the 16 bytes that CUDA's calls give, which are the name of this program and the GPU's
 * number. */
enum { UUID_BYTES = 41 };

static void write_uuid(int gpu, char *to)
{
    snprintf(to, UUID_BYTES, "GPU-696e666c-6967-6874-0000-0000000000%02x", (unsigned)gpu & 0xff);
}

IFL_SERVED int nvmlDeviceGetHandleByUUID(const char *text, void **to)
{
    const int code = begin(text && to ? to : NULL);
    char uuid[UUID_BYTES];
    for (int gpu = 0; !code && gpu < ifl_gpu_count(); gpu++) {
        write_uuid(gpu, uuid);
        if (strcmp(text, uuid) != 0)
            continue;
        *to = nvml.device[gpu];
        return 0;
    }
    return code ? code : NOT_FOUND;
}

/* As device_attribute.def has it, which the test nvml_program holds this to; each GPU on a bus of
 * its own. */
enum { PCI_DOMAIN = 0, PCI_BUS = 1, PCI_SLOT = 0 };

/* "domain:bus:device.function"; the numbers may have more digits than CUDA's calls give them. */
IFL_SERVED int nvmlDeviceGetHandleByPciBusId_v2(const char *text, void **to)
{
    enum { HEX = 16 };
    const int code = begin(text && to ? to : NULL);
    if (code)
        return code;
    char *end;
    const unsigned long domain = strtoul(text, &end, HEX);
    const unsigned long bus = *end == ':' ? strtoul(end + 1, &end, HEX) : ULONG_MAX;
    const unsigned long slot = *end == ':' ? strtoul(end + 1, &end, HEX) : ULONG_MAX;
    if (slot == ULONG_MAX || (*end && strcmp(end, ".0") != 0))
        return INVALID_ARGUMENT;
    if (domain != PCI_DOMAIN || bus - PCI_BUS >= (unsigned long)ifl_gpu_count() || slot != PCI_SLOT)
        return NOT_FOUND;
    *to = nvml.device[bus - PCI_BUS];
    return 0;
}
ALSO(nvmlDeviceGetHandleByPciBusId, nvmlDeviceGetHandleByPciBusId_v2);

/* ---- a GPU ---------------------------------------------------------------------------------- */

IFL_SERVED int nvmlDeviceGetIndex(const void *device, unsigned *to)
{
    return put_number(begin_with(device, to), to, (unsigned)index_of(device));
}

IFL_SERVED int nvmlDeviceGetName(const ifl_device *device, char *to, unsigned room)
{
    char name[128];
    const int code = begin_with(device, to);
    if (!code)
        snprintf(name, sizeof name, "NVIDIA %s (inflight)", device->name);
    return put_text(code, to, room, code ? "" : name);
}

IFL_SERVED int nvmlDeviceGetUUID(const void *device, char *to, unsigned room)
{
    char uuid[UUID_BYTES];
    const int code = begin_with(device, to);
    write_uuid(code ? 0 : index_of(device), uuid);
    return put_text(code, to, room, uuid);
}

IFL_SERVED int nvmlDeviceGetCudaComputeCapability(const ifl_device *device, int *major, int *minor)
{
    const int code = begin_with(device, major && minor ? major : NULL);
    if (code)
        return code;
    const int tenths = (int)(device->value[IFL_DEVICE_compute_capability] * 10 + 0.5);
    *major = tenths / 10;
    *minor = tenths % 10;
    return 0;
}

/* ---- the link to the host, which XLA asks for -------------------------------------------------- */

enum { LANES = 16 };

/* Of PCI Express, by what 16 lanes of it move: 4 GB/s with the first, twice as much with each
 * after it. */
static unsigned generation(const ifl_device *device)
{
    ifl_rates rates;
    ifl_rates_find(device, &rates);
    return 1 + (unsigned)lround(log2(rates.arch.link_bytes_per_s / 4e9));
}

IFL_SERVED int nvmlDeviceGetMaxPcieLinkGeneration(const ifl_device *device, unsigned *to)
{
    const int code = begin_with(device, to);
    return put_number(code, to, code ? 0 : generation(device));
}
ALSO(nvmlDeviceGetCurrPcieLinkGeneration, nvmlDeviceGetMaxPcieLinkGeneration);
ALSO(nvmlDeviceGetGpuMaxPcieLinkGeneration, nvmlDeviceGetMaxPcieLinkGeneration);

IFL_SERVED int nvmlDeviceGetMaxPcieLinkWidth(const ifl_device *device, unsigned *to)
{
    return put_number(begin_with(device, to), to, LANES);
}
ALSO(nvmlDeviceGetCurrPcieLinkWidth, nvmlDeviceGetMaxPcieLinkWidth);

/* Of this process, where it has used the GPU. */
static uint64_t used_bytes(int gpu)
{
    ifl_session *session = ifl_state_enter_if_any();
    if (!session)
        return 0;
    const uint64_t bytes = ifl_gpu_used_bytes(ifl_session_memory(session), gpu);
    ifl_state_leave();
    return bytes;
}

typedef struct memory {
    unsigned long long total, unused, used;
} memory;

IFL_SERVED int nvmlDeviceGetMemoryInfo(const ifl_device *device, memory *to)
{
    const int code = begin_with(device, to);
    if (code)
        return code;
    const uint64_t used = used_bytes(index_of(device));
    *to = (memory){ifl_gpu_bytes(device), ifl_gpu_bytes(device) - used, used};
    return 0;
}

typedef struct memory_2 {
    unsigned version; /* 2, and the size of this */
    unsigned long long total, reserved, unused, used;
} memory_2;

IFL_SERVED int nvmlDeviceGetMemoryInfo_v2(const ifl_device *device, memory_2 *to)
{
    enum { ARGUMENT_VERSION_MISMATCH = 25, VERSION = 2 << 24 | sizeof(memory_2) };
    memory one;
    const int code = begin_with(device, to);
    if (code || to->version != VERSION)
        return code ? code : ARGUMENT_VERSION_MISMATCH;
    nvmlDeviceGetMemoryInfo(device, &one);
    *to = (memory_2){VERSION, one.total, 0, one.unused, one.used};
    return 0;
}

/* ---- other GPUs, which NCCL asks for ----------------------------------------------------------- */

/* Of nvmlGpuP2PCapsIndex_t and nvmlGpuP2PStatus_t. GPUs read and write each other's memory, not over
 * NVLink, and without its atomics (as cudaDeviceGetP2PAttribute has it). */
IFL_SERVED int nvmlDeviceGetP2PStatus(const void *device, const void *other, int what, int *to)
{
    enum { READ, WRITE, ALL = 5, STATUS_OK = 0, STATUS_NOT_SUPPORTED = 5 };
    int code = begin_with(device, to);
    if (!code)
        code = begin_with(other, to);
    if (!code && (what < 0 || what >= ALL))
        code = INVALID_ARGUMENT;
    if (!code)
        *to = what == READ || what == WRITE ? STATUS_OK : STATUS_NOT_SUPPORTED;
    return code;
}

/* ---- what this GPU has not ------------------------------------------------------------------- */

/* Programs want calls to be there that a GPU need not support (PyTorch before it maps memory, XLA
 * and UCX before they use the GPU at all), and go on if it says so. */
static int not_supported(const void *device)
{
    const int code = begin_with(device, device);
    return code ? code : NOT_SUPPORTED;
}

#define ABOUT_GPU(name)                                                                            \
    IFL_SERVED int name(const void *device)                                                        \
    {                                                                                              \
        return not_supported(device);                                                              \
    }
#define ABOUT_OTHER(name)                                                                          \
    IFL_SERVED int name(const void *first)                                                         \
    {                                                                                              \
        (void)first;                                                                               \
        return begin(&nvml) ? UNINITIALIZED : NOT_SUPPORTED;                                       \
    }
#include "standin/nvml_unsupported.def"
