// SPDX-License-Identifier: Apache-2.0
// Calls that are made while a stream is captured: which of them each mode of capture forbids, in the thread that captures and
// in another one, for streams that the legacy stream waits for and others, and what becomes of the capture. Each column is the
// call's code and that of cudaStreamEndCapture. CUDA Runtime API, cudaThreadExchangeStreamCaptureMode.
#include "check.h"
#include <thread>

__global__ void add(int *to, int value)
{
    *to += value;
}

__constant__ int constant_word;
static cudaStream_t captured, other, blocking;
static cudaEvent_t recorded, fresh, inside;
static int *sum, *spare, host_word, *pinned;
static cudaGraph_t kept_graph;
static cudaGraphExec_t kept_exec;
static cudaMemPool_t pool;
static void *managed, *made; // by the call

static void CUDART_CB host(void *) {}
static void CUDART_CB called_back(cudaStream_t, cudaError_t, void *) {}
static void keep() {}
static void free_made() { cudaFree(made); }
static void free_host() { cudaFreeHost(made); }
static void free_array() { cudaFreeArray((cudaArray_t)made); }
static void unregister() { cudaHostUnregister(&host_word); }
static void destroy_stream() { cudaStreamDestroy((cudaStream_t)made); }
static void destroy_event() { cudaEventDestroy((cudaEvent_t)made); }
static void destroy_exec() { cudaGraphExecDestroy((cudaGraphExec_t)made); }

static cudaError_t launch(cudaStream_t stream)
{
    add<<<1, 1, 0, stream>>>(spare, 1);
    return cudaPeekAtLastError();
}

static cudaError_t allocate_rows()
{
    size_t pitch;
    return cudaMallocPitch(&made, &pitch, 64, 2);
}

static cudaError_t allocate_array()
{
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
    return cudaMallocArray((cudaArray_t *)&made, &channels, 8);
}

static cudaError_t prefetch()
{
    cudaMemLocation here;
    here.type = cudaMemLocationTypeDevice;
    here.id = 0;
    return cudaMemPrefetchAsync(sum, 4, here, 0, captured);
}

static cudaError_t make_event()
{
    cudaEvent_t event;
    const cudaError_t code = cudaEventCreate(&event);
    return code == cudaSuccess ? cudaEventDestroy(event) : code;
}

static const cudaMemcpyKind to_device = cudaMemcpyHostToDevice, to_host = cudaMemcpyDeviceToHost;
static float time_;
static size_t size_, other_size;
static int number;
static unsigned flags;
static void *address;
static cudaFuncAttributes function;
static cudaPointerAttributes pointer;

struct call {
    const char *name;
    cudaError_t (*make)();
    void (*undo)();
};
#define CALL(text, expression, undo) {text, []() -> cudaError_t { return expression; }, undo}
static const call calls[] = {
    CALL("cudaMalloc", cudaMalloc(&made, 64), free_made),
    CALL("cudaMallocManaged", cudaMallocManaged(&made, 64), free_made),
    CALL("cudaMallocHost", cudaMallocHost(&made, 64), free_host),
    CALL("cudaHostAlloc", cudaHostAlloc(&made, 64, 0), free_host),
    CALL("cudaMallocPitch", allocate_rows(), free_made),
    CALL("cudaMallocArray", allocate_array(), free_array),
    CALL("cudaFree", cudaFree(managed), keep),
    CALL("cudaFree(NULL)", cudaFree(NULL), keep),
    CALL("cudaMallocAsync(other)", cudaMallocAsync(&made, 64, other), free_made),
    CALL("cudaMallocAsync(legacy)", cudaMallocAsync(&made, 64, 0), free_made),
    CALL("cudaMemPoolTrimTo", cudaMemPoolTrimTo(pool, 0), keep),
    CALL("cudaHostRegister", cudaHostRegister(&host_word, 4, 0), unregister),
    CALL("cudaDeviceSynchronize", cudaDeviceSynchronize(), keep),
    CALL("cudaStreamSynchronize(captured)", cudaStreamSynchronize(captured), keep),
    CALL("cudaStreamSynchronize(other)", cudaStreamSynchronize(other), keep),
    CALL("cudaStreamSynchronize(legacy)", cudaStreamSynchronize(0), keep),
    CALL("cudaStreamQuery(captured)", cudaStreamQuery(captured), keep),
    CALL("cudaStreamQuery(other)", cudaStreamQuery(other), keep),
    CALL("cudaStreamQuery(legacy)", cudaStreamQuery(0), keep),
    CALL("cudaEventQuery(recorded)", cudaEventQuery(recorded), keep),
    CALL("cudaEventQuery(captured)", cudaEventQuery(inside), keep),
    CALL("cudaEventSynchronize(recorded)", cudaEventSynchronize(recorded), keep),
    CALL("cudaEventSynchronize(captured)", cudaEventSynchronize(inside), keep),
    CALL("cudaEventElapsedTime(recorded)", cudaEventElapsedTime(&time_, recorded, recorded), keep),
    CALL("cudaEventElapsedTime(captured)", cudaEventElapsedTime(&time_, recorded, inside), keep),
    CALL("cudaEventRecord(other)", cudaEventRecord(fresh, other), keep),
    CALL("cudaEventRecord(legacy)", cudaEventRecord(fresh, 0), keep),
    CALL("cudaStreamWaitEvent(captured, recorded)", cudaStreamWaitEvent(captured, recorded, 0), keep),
    CALL("cudaStreamWaitEvent(other, recorded)", cudaStreamWaitEvent(other, recorded, 0), keep),
    CALL("cudaMemcpy to device", cudaMemcpy(spare, &host_word, 4, to_device), keep),
    CALL("cudaMemcpy to host", cudaMemcpy(&host_word, spare, 4, to_host), keep),
    CALL("cudaMemcpy within", cudaMemcpy(spare, spare + 1, 4, cudaMemcpyDeviceToDevice), keep),
    CALL("cudaMemcpyAsync(captured) from pageable", cudaMemcpyAsync(spare, &host_word, 4, to_device, captured), keep),
    CALL("cudaMemcpyAsync(captured) from pinned", cudaMemcpyAsync(spare, pinned, 4, to_device, captured), keep),
    CALL("cudaMemcpyAsync(other)", cudaMemcpyAsync(spare, pinned, 4, to_device, other), keep),
    CALL("cudaMemcpyAsync(legacy)", cudaMemcpyAsync(spare, pinned, 4, to_device, 0), keep),
    CALL("cudaMemcpyToSymbol", cudaMemcpyToSymbol(constant_word, &host_word, 4), keep),
    CALL("cudaMemset", cudaMemset(spare, 0, 4), keep),
    CALL("cudaMemsetAsync(other)", cudaMemsetAsync(spare, 0, 4, other), keep),
    CALL("cudaMemsetAsync(legacy)", cudaMemsetAsync(spare, 0, 4, 0), keep),
    CALL("kernel(other)", launch(other), keep),
    CALL("kernel(blocking)", launch(blocking), keep),
    CALL("kernel(legacy)", launch(0), keep),
    CALL("cudaLaunchHostFunc(captured)", cudaLaunchHostFunc(captured, host, NULL), keep),
    CALL("cudaLaunchHostFunc(other)", cudaLaunchHostFunc(other, host, NULL), keep),
    CALL("cudaStreamAddCallback(captured)", cudaStreamAddCallback(captured, called_back, NULL, 0), keep),
    CALL("cudaStreamAddCallback(other)", cudaStreamAddCallback(other, called_back, NULL, 0), keep),
    CALL("cudaStreamCreate", cudaStreamCreate((cudaStream_t *)&made), destroy_stream),
    CALL("cudaEventCreate", cudaEventCreate((cudaEvent_t *)&made), destroy_event),
    CALL("cudaMemGetInfo", cudaMemGetInfo(&size_, &other_size), keep),
    CALL("cudaFuncGetAttributes", cudaFuncGetAttributes(&function, add), keep),
    CALL("cudaFuncSetAttribute", cudaFuncSetAttribute(add, cudaFuncAttributePreferredSharedMemoryCarveout, 50), keep),
    CALL("cudaPointerGetAttributes", cudaPointerGetAttributes(&pointer, sum), keep),
    CALL("cudaGetSymbolAddress", cudaGetSymbolAddress(&address, constant_word), keep),
    CALL("cudaGraphInstantiate", cudaGraphInstantiate((cudaGraphExec_t *)&made, kept_graph, 0), destroy_exec),
    CALL("cudaGraphLaunch(other)", cudaGraphLaunch(kept_exec, other), keep),
    CALL("cudaGraphLaunch(captured)", cudaGraphLaunch(kept_exec, captured), keep),
    CALL("cudaGraphUpload(other)", cudaGraphUpload(kept_exec, other), keep),
    CALL("cudaGraphUpload(captured)", cudaGraphUpload(kept_exec, captured), keep),
    CALL("cudaStreamBeginCapture(captured)", cudaStreamBeginCapture(captured, cudaStreamCaptureModeRelaxed), keep),
    CALL("cudaDeviceSetLimit", cudaDeviceSetLimit(cudaLimitStackSize, 1024), keep),
    CALL("cudaDeviceGetLimit", cudaDeviceGetLimit(&size_, cudaLimitStackSize), keep),
    CALL("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0), keep),
    CALL("cudaSetDevice", cudaSetDevice(0), keep),
    CALL("cudaOccupancyMaxActiveBlocks", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, add, 32, 0), keep),
    CALL("cudaStreamGetFlags(captured)", cudaStreamGetFlags(captured, &flags), keep),
    CALL("cudaMemPrefetchAsync(captured)", prefetch(), keep),
    CALL("cudaStreamAttachMemAsync(captured)", cudaStreamAttachMemAsync(captured, managed, 0, cudaMemAttachGlobal), keep),
    CALL("cudaEventDestroy", make_event(), keep),
    CALL("cudaMemcpyAsync(captured) to pageable", cudaMemcpyAsync(&host_word, spare, 4, to_host, captured), keep),
    CALL("cudaGetLastError", cudaGetLastError(), keep),
};

static void one(const call &c, int mode, bool apart)
{
    cudaGraph_t graph = NULL;
    cudaError_t code = cudaSuccess;
    made = NULL;
    CHECK(cudaMallocManaged(&managed, 64));
    CHECK(cudaStreamBeginCapture(captured, (cudaStreamCaptureMode)mode));
    add<<<1, 1, 0, captured>>>(sum, 1);
    CHECK(cudaEventRecord(inside, captured));
    if (apart)
        std::thread([&]() { code = c.make(); }).join();
    else
        code = c.make();
    cudaGetLastError();
    const cudaError_t end = cudaStreamEndCapture(captured, &graph);
    cudaGetLastError();
    printf(" %3d/%-3d", code, end);
    if (graph)
        cudaGraphDestroy(graph);
    cudaDeviceSynchronize();
    if (made || c.undo == unregister)
        c.undo();
    cudaFree(managed);
    cudaGetLastError();
}

int main()
{
    CHECK(cudaMalloc(&sum, 64));
    CHECK(cudaMalloc(&spare, 64));
    CHECK(cudaMallocHost(&pinned, 64));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaStreamCreate(&blocking));
    CHECK(cudaEventCreate(&recorded));
    CHECK(cudaEventCreate(&fresh));
    CHECK(cudaEventCreate(&inside));
    CHECK(cudaEventRecord(recorded, other));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed));
    add<<<1, 1, 0, other>>>(sum, 1);
    CHECK(cudaStreamEndCapture(other, &kept_graph));
    CHECK(cudaGraphInstantiate(&kept_exec, kept_graph, 0));
    for (int kind = 0; kind < 2; kind++) {
        CHECK(cudaStreamCreateWithFlags(&captured, kind ? cudaStreamDefault : cudaStreamNonBlocking));
        printf("captured stream %s: own thread (global, thread, relaxed), another thread\n",
               kind ? "blocking" : "non-blocking");
        for (const call &c : calls) {
            printf("%-42s", c.name);
            for (int apart = 0; apart < 2; apart++)
                for (int mode = 0; mode < 3; mode++)
                    one(c, mode, apart);
            printf("\n");
        }
        CHECK(cudaStreamDestroy(captured));
    }
}
