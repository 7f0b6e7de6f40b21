/* SPDX-License-Identifier: Apache-2.0
 * What NVML says of the GPU, as pynvml asks it: the library by its name, its calls by theirs.
 * Asking leaves CUDA to a child that is forked afterwards, and the memory that is in use is what
 * CUDA has given out. */
#include "cu.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    UNINITIALIZED = 1,
    BAD_ARGUMENT = 2,
    NOT_THAT = 3,
    NOT_HERE = 6,
    TOO_SMALL = 7,
    READ = 0,
    OVER_NVLINK = 2,
    NO_SUCH_LINK = 5,
    MEBIBYTE = 1 << 20
};

static void *library;

static int (*call(const char *name))(const void *, ...)
{
    int (*found)(const void *, ...) = (int (*)(const void *, ...))dlsym(library, name);
    if (!found)
        printf("no %s\n", name);
    return found;
}

typedef struct memory {
    unsigned long long total, unused, used;
} memory;

static memory memory_of(void *gpu)
{
    memory now = {0, 0, 0};
    EXPECT(call("nvmlDeviceGetMemoryInfo")(gpu, &now), 0);
    EXPECT(now.total == now.unused + now.used, 1);
    return now;
}

static void use_cuda(void *gpu)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
    int (*create)(void **, unsigned, int) =
        (int (*)(void **, unsigned, int))dlsym(driver, "cuCtxCreate_v2");
    int (*place)(char *, int, int) =
        (int (*)(char *, int, int))dlsym(driver, "cuDeviceGetPCIBusId");
    int (*allocate)(address *, size_t) = (int (*)(address *, size_t))dlsym(driver, "cuMemAlloc_v2");
    address at;
    char bus[32] = "";
    void *same = NULL;
    EXPECT(init(0), 0);
    EXPECT(place(bus, sizeof bus, 0), 0);
    EXPECT(call("nvmlDeviceGetHandleByPciBusId_v2")(bus, &same), 0);
    EXPECT(same == gpu, 1);
    EXPECT(create(&context, 0, 0), 0);
    const unsigned long long before = memory_of(gpu).used;
    EXPECT(allocate(&at, MEBIBYTE), 0);
    EXPECT(memory_of(gpu).used - before, MEBIBYTE);
}

int main(void)
{
    char text[96] = "";
    unsigned number = 0;
    int major = 0, minor = 0, status = 1;
    void *gpu = NULL, *again = NULL;
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!library)
        return puts(dlerror());
    EXPECT(call("nvmlDeviceGetCount_v2")(&number), UNINITIALIZED);
    EXPECT(call("nvmlSystemGetDriverBranch")(text), UNINITIALIZED);
    EXPECT(call("nvmlDeviceGetBAR1MemoryInfo")(text, text), UNINITIALIZED);
    EXPECT(((int (*)(void))dlsym(library, "nvmlInit_v2"))(), 0);
    EXPECT(call("nvmlDeviceGetCount_v2")(&number), 0);
    EXPECT(number, 1);
    EXPECT(((int (*)(unsigned, void **))dlsym(library, "nvmlDeviceGetHandleByIndex_v2"))(1, &gpu),
           BAD_ARGUMENT);
    EXPECT(((int (*)(unsigned, void **))dlsym(library, "nvmlDeviceGetHandleByIndex_v2"))(0, &gpu),
           0);
    EXPECT(call("nvmlDeviceGetName")(gpu, text, 4u), TOO_SMALL);
    EXPECT(call("nvmlDeviceGetName")(gpu, text, (unsigned)sizeof text), 0);
    puts(text);
    EXPECT(call("nvmlDeviceGetUUID")(gpu, text, (unsigned)sizeof text), 0);
    EXPECT(call("nvmlDeviceGetHandleByUUID")(text, &again), 0);
    EXPECT(again == gpu, 1);
    EXPECT(call("nvmlDeviceGetHandleByUUID")("GPU-", &again), NOT_HERE);
    EXPECT(call("nvmlDeviceGetHandleByPciBusId_v2")("00000000:01:00.0", &again),
           0); /* as cuDeviceGetPCIBusId has it */
    EXPECT(again == gpu, 1);
    EXPECT(call("nvmlDeviceGetHandleByPciBusId_v2")("0000:02:00.0", &again), NOT_HERE);
    EXPECT(call("nvmlDeviceGetHandleByPciBusId_v2")("0000", &again), BAD_ARGUMENT);
    EXPECT(call("nvmlDeviceGetGpuFabricInfoV")(gpu, text), NOT_THAT);
    EXPECT(call("nvmlDeviceGetBAR1MemoryInfo")(gpu, text), NOT_THAT); /* cuGraph */
    EXPECT(call("nvmlDeviceGetFieldValues")(gpu, 0, text), NOT_THAT); /* TensorFlow */
    EXPECT(call("nvmlDeviceGetBAR1MemoryInfo")(&number, text), BAD_ARGUMENT);
    EXPECT(call("nvmlSystemGetDriverBranch")(text), NOT_THAT);
    EXPECT(call("nvmlDeviceGetName")(&number, text, (unsigned)sizeof text), BAD_ARGUMENT);
    EXPECT(call("nvmlDeviceGetCudaComputeCapability")(gpu, &major, &minor), 0);
    printf("compute capability %d.%d\n", major, minor);
    EXPECT(call("nvmlDeviceGetCurrPcieLinkGeneration")(gpu, &major), 0);
    EXPECT(call("nvmlDeviceGetMaxPcieLinkWidth")(gpu, &minor), 0);
    printf("PCI Express %d with %d lanes\n", major, minor); /* as NVIDIA's data sheet has it */
    EXPECT(call("nvmlDeviceGetP2PStatus")(gpu, gpu, READ, &status), 0); /* NCCL */
    EXPECT(status, 0);
    EXPECT(call("nvmlDeviceGetP2PStatus")(gpu, gpu, OVER_NVLINK, &status), 0);
    EXPECT(status, NO_SUCH_LINK);
    EXPECT(call("nvmlDeviceGetP2PStatus")(gpu, &number, READ, &status), BAD_ARGUMENT);
    EXPECT(call("nvmlDeviceGetP2PStatus")(gpu, gpu, -1, &status), BAD_ARGUMENT);
    EXPECT(memory_of(gpu).used, 0);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        use_cuda(gpu);
        return 0;
    }
    waitpid(child, &status, 0);
    EXPECT(status, 0);
    EXPECT(((int (*)(void))dlsym(library, "nvmlShutdown"))(), 0);
    EXPECT(((int (*)(void))dlsym(library, "nvmlShutdown"))(), UNINITIALIZED);
    return 0;
}
