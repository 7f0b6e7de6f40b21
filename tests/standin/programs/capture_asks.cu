// SPDX-License-Identifier: Apache-2.0
// More calls that are made while a stream is captured, by the thread that captures, in the global mode, and a capture that another
// thread ends. Each line is the call's code and that of cudaStreamEndCapture. CUDA Runtime API,
// cudaThreadExchangeStreamCaptureMode, cudaStreamEndCapture.
#include "check.h"
#include <thread>

__global__ void add(int *to, int value)
{
    *to += value;
}

static const char *name(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

static cudaStream_t captured, other;
static cudaEvent_t event;
static cudaGraph_t graph;
static cudaGraphExec_t exec;
static int *sum;
static void *from_pool, *managed;

static int number;
static unsigned long long id;
static cudaMemPool_t pool;
static cudaGraphExecUpdateResultInfo result;
static cudaIpcMemHandle_t handle;
static cudaStreamAttrValue attribute;
static cudaStreamCaptureStatus status;

static cudaError_t make_pool()
{
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    return cudaMemPoolCreate(&pool, &properties);
}

static cudaError_t advise()
{
    cudaMemLocation here;
    here.type = cudaMemLocationTypeDevice;
    here.id = 0;
    return cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, here);
}

static cudaError_t destroy_stream()
{
    static cudaStream_t blocking;
    return blocking ? cudaStreamDestroy(blocking) : cudaStreamCreate(&blocking);
}

struct call {
    const char *name;
    cudaError_t (*make)();
};
#define CALL(text, expression) {text, []() -> cudaError_t { return expression; }}
static const call calls[] = {
    CALL("cudaStreamGetPriority", cudaStreamGetPriority(captured, &number)),
    CALL("cudaStreamGetId", cudaStreamGetId(captured, &id)),
    CALL("cudaStreamGetDevice", cudaStreamGetDevice(captured, &number)),
    CALL("cudaFreeAsync(other)", cudaFreeAsync(from_pool, other)),
    CALL("cudaStreamDestroy", destroy_stream()),
    CALL("cudaMemPoolCreate", make_pool()),
    CALL("cudaMemAdvise", advise()),
    CALL("cudaEventRecord of the capture's event(other)", cudaEventRecord(event, other)),
    CALL("cudaHostUnregister", cudaHostUnregister(&number)),
    CALL("cudaGraphExecDestroy", cudaGraphExecDestroy(exec)),
    CALL("cudaGraphExecUpdate", cudaGraphExecUpdate(exec, graph, &result)),
    CALL("cudaIpcGetMemHandle", cudaIpcGetMemHandle(&handle, sum)),
    CALL("cudaDeviceGetMemPool", cudaDeviceGetMemPool(&pool, 0)),
    CALL("cudaStreamSetAttribute", cudaStreamSetAttribute(captured, cudaStreamAttributePriority, &attribute)),
    CALL("cudaStreamGetAttribute", cudaStreamGetAttribute(captured, cudaStreamAttributePriority, &attribute)),
    CALL("cudaStreamIsCapturing(legacy)", cudaStreamIsCapturing(0, &status)),
};

static void one(const call &c)
{
    cudaGraph_t made;
    CHECK(cudaMallocAsync(&from_pool, 64, other));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, captured>>>(sum, 1);
    CHECK(cudaEventRecord(event, captured));
    const cudaError_t code = c.make();
    const cudaError_t end = cudaStreamEndCapture(captured, &made);
    printf("%s: %s,", c.name, name(code));
    printf(" %s\n", name(end));
}

int main()
{
    cudaGraph_t made;
    cudaGraphNode_t allocated, freed;
    cudaMemAllocNodeParams memory = {};
    cudaError_t code;
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 1024;
    CHECK(cudaMalloc(&sum, 64));
    CHECK(cudaMallocManaged(&managed, 64));
    CHECK(cudaStreamCreate(&captured));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemAllocNode(&allocated, graph, NULL, 0, &memory));
    CHECK(cudaGraphAddMemFreeNode(&freed, graph, &allocated, 1, memory.dptr));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(destroy_stream()); // the first call makes it
    for (const call &c : calls)
        one(c);
    CHECK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
    std::thread([&]() { code = cudaStreamEndCapture(captured, &made); }).join();
    printf("ended by another thread: %s,", name(code));
    printf(" by its own: %s\n", name(cudaStreamEndCapture(captured, &made)));
}
