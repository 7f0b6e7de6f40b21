/* SPDX-License-Identifier: Apache-2.0
 * Calls that few programs make, or that came with the later versions of CUDA 13: what each does, by
 * its page in CUDA's references. */
#include "cu.h"

#include <unistd.h>

extern int cudaMalloc(void **out, size_t bytes);
extern int cudaMallocHost(void **out, size_t bytes);
extern int cudaMemset(void *to, int value, size_t bytes);
extern int cudaStreamCreate(void **out);
extern int cudaStreamSynchronize(void *stream);
extern int cudaGetDevice(int *out);
extern int cudaMemcpyWithAttributesAsync(void *to, const void *from, size_t bytes,
                                         const void *attributes, void *stream);
extern int cudaMemcpy3DWithAttributesAsync(const void *op, unsigned long long flags, void *stream);
extern int cudaLaunchHostFunc_v2(void *stream, void (*call)(void *), void *user, unsigned mode);
extern int cudaLibraryLoadData(void **out, const void *image, int *options, void **values,
                               unsigned count, int *more, void **more_values, unsigned more_count);
extern int cudaLibraryGetKernel(void **out, void *library, const char *name);
extern int cudaFuncGetParamCount(const void *kernel, size_t *count);
extern int cudaSetValidDevices(const int *devices, int count);
extern int cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope);
extern int cudaDeviceRegisterAsyncNotification(int device, void (*call)(void *), void *user,
                                               void **out);
extern int cudaDeviceUnregisterAsyncNotification(int device, void *handle);
extern int cudaDeviceGetTexture1DLinearMaxWidth(size_t *out, const int *channels, int device);
extern int cudaLogsRegisterCallback(void (*call)(void *), void *user, void **out);
extern int cudaLogsUnregisterCallback(void *handle);
extern int cudaLogsDumpToMemory(unsigned *at, char *to, size_t *size, unsigned flags);
extern int cudaLogsDumpToFile(unsigned *at, const char *path, unsigned flags);
extern int cuDeviceGetProperties(int *out, int device);
extern int cuDeviceGetTexture1DLinearMaxWidth(size_t *out, int format, unsigned channels,
                                              int device);
extern int cuCtxSetFlags(unsigned flags);
extern int cuCtxGetFlags(unsigned *flags);
extern int cuCtxSynchronize_v2(void *context);
extern int cuMemcpyAtoA_v2(void *to, size_t to_at, void *from, size_t at, size_t bytes);
extern int cuMemcpyHtoA_v2(void *to, size_t at, const void *from, size_t bytes);
extern int cuMemcpyAtoH_v2(void *to, void *from, size_t at, size_t bytes);
extern int cuArrayCreate_v2(void **out, const void *words);
extern int cuProfilerInitialize(const char *from, const char *to, int mode);

static void *stream;

static void add_one(void *to)
{
    ++*(int *)to;
}

/* cudaMemcpyAttributes, and cudaMemcpy3DBatchOp of memory. */
static void copies(void)
{
    typedef struct side {
        int type, unused;
        void *at;
        size_t row, rows;
        int hint[2];
    } side;
    struct {
        side from, to;
        size_t width, height, depth;
        int order;
        unsigned flags;
    } box = {.order = 1};
    const int attributes[6] = {1}, none[6] = {0};
    unsigned char *host;
    void *at;
    int called = 0;
    OK(cudaMalloc(&at, 64));
    OK(cudaMallocHost((void **)&host, 64));
    OK(cudaMemset(at, 7, 64));
    OK(cudaMemcpyWithAttributesAsync(host, at, 16, attributes, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT(host[15], 7);
    EXPECT(cudaMemcpyWithAttributesAsync(host, at, 16, none, stream), INVALID_VALUE);
    for (int i = 0; i < 8; i++)
        host[i] = (unsigned char)i;
    box.from = (side){.type = 1, .at = host, .row = 4};
    box.to = (side){.type = 1, .at = at};
    box.width = box.height = 2;
    box.depth = 1;
    OK(cudaMemcpy3DWithAttributesAsync(&box, 0, stream));
    OK(cudaMemcpyWithAttributesAsync(host, at, 5, attributes, stream));
    OK(cudaLaunchHostFunc_v2(stream, add_one, &called, 1));
    OK(cudaStreamSynchronize(stream));
    EXPECT(host[0] == 0 && host[1] == 1 && host[2] == 4 && host[3] == 5 && host[4] == 7, 1);
    EXPECT(called, 1);
    EXPECT(cudaLaunchHostFunc_v2(stream, add_one, &called, 2), INVALID_VALUE);
}

static void questions(void)
{
    const int floats[5] = {32, 32, 32, 32, 2}, chars[5] = {8}, odd[5] = {7};
    const int devices[2] = {0, 0}, missing = 5;
    void *library, *kernel, *handle;
    size_t count = 0, width = 0;
    int properties[14], device = 9;
    OK(cudaLibraryLoadData(&library, kernels, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&kernel, library, "poke"));
    OK(cudaFuncGetParamCount(kernel, &count));
    EXPECT(count, 1);
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&width, floats, 0));
    EXPECT(width, 268435456);
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&width, chars, 0));
    EXPECT(width, 1073741824);
    EXPECT(cudaDeviceGetTexture1DLinearMaxWidth(&width, odd, 0), 20);
    OK(cuDeviceGetTexture1DLinearMaxWidth(&width, 0x20, 4, 0));
    EXPECT(width, 268435456);
    OK(cudaSetValidDevices(devices, 1));
    OK(cudaSetValidDevices(NULL, 0));
    EXPECT(cudaSetValidDevices(devices, 2), INVALID_VALUE);
    EXPECT(cudaSetValidDevices(&missing, 1), INVALID_DEVICE);
    OK(cudaGetDevice(&device));
    EXPECT(device, 0);
    OK(cudaDeviceFlushGPUDirectRDMAWrites(0, 100));
    EXPECT(cudaDeviceFlushGPUDirectRDMAWrites(5, 100), INVALID_VALUE);
    OK(cudaDeviceRegisterAsyncNotification(0, add_one, NULL, &handle));
    OK(cudaDeviceUnregisterAsyncNotification(0, handle));
    EXPECT(cudaDeviceUnregisterAsyncNotification(0, handle), INVALID_VALUE);
    OK(cuDeviceGetProperties(properties, 0));
    EXPECT(properties[0], 1024); /* threads of a block */
    EXPECT(properties[9], 32);   /* of a warp */
}

static void contexts(void)
{
    void *context, *array[2];
    unsigned flags;
    const size_t words[4] = {16, 0, 0x20 | (size_t)1 << 32};
    float in[16], out[16] = {0};
    OK(cuCtxGetCurrent(&context));
    OK(cuCtxSetFlags(4));
    OK(cuCtxGetFlags(&flags));
    EXPECT(flags, 4);
    EXPECT(cuCtxSetFlags(0x40000), INVALID_VALUE);
    OK(cuCtxSetFlags(0));
    OK(cuCtxSynchronize_v2(context));
    OK(cuCtxSynchronize_v2(NULL));
    EXPECT(cuCtxSynchronize_v2(&context), INVALID_CONTEXT);
    for (int i = 0; i < 16; i++)
        in[i] = (float)i;
    OK(cuArrayCreate_v2(&array[0], words));
    OK(cuArrayCreate_v2(&array[1], words));
    OK(cuMemcpyHtoA_v2(array[0], 0, in, sizeof in));
    OK(cuMemcpyAtoA_v2(array[1], 8, array[0], 16, 12));
    OK(cuMemcpyAtoH_v2(out, array[1], 8, 12));
    EXPECT(out[0] == 4 && out[1] == 5 && out[2] == 6 && out[3] == 0, 1);
    EXPECT(cuProfilerInitialize(NULL, NULL, 0), NOT_SUPPORTED);
}

/* What there is to read: error_messages.c. */
static void logs(void)
{
    void *handle;
    OK(cudaLogsRegisterCallback(add_one, NULL, &handle));
    OK(cudaLogsUnregisterCallback(handle));
    EXPECT(cudaLogsUnregisterCallback(handle), INVALID_VALUE);
    EXPECT(cudaLogsDumpToFile(NULL, "/nowhere/at/all", 0), INVALID_VALUE);
}

int main(void)
{
    OK(cudaStreamCreate(&stream));
    OK(cuInit(0));
    copies();
    questions();
    contexts();
    logs();
    printf("as documented\n");
    return 0;
}
