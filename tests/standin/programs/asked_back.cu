// SPDX-License-Identifier: Apache-2.0
// What programs ask back: a capture's nodes, and others in their place; a node's parameters; arrays, textures and functions;
// and priorities that no stream can have. CUDA Runtime API, cudaStreamGetCaptureInfo, cudaStreamUpdateCaptureDependencies.
#include "check.h"
#include <cstring>

__global__ void add(int *to, int value, int times)
{
    *to += value * times;
}

static cudaStream_t stream;
static int *sum;

static const char *name(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

static void captures()
{
    cudaGraph_t graph, ended, clone;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0, again = 0;
    const cudaGraphNode_t *next;
    const cudaGraphEdgeData *edges;
    size_t count = 99;
    CHECK(cudaStreamGetCaptureInfo(stream, &status));
    printf("captured: %d", status);
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &next, &edges, &count));
    printf(" %d behind %zu nodes,", status, count);
    add<<<1, 1, 0, stream>>>(sum, 2, 3);
    CHECK(cudaStreamGetCaptureInfo(stream, &status, &again, &graph, &next, &edges, &count));
    printf(" behind %zu, %s\n", count, id == again ? "the same" : "another");
    cudaGraphNode_t first = next[0], empty, last, from[4], twin;
    cudaKernelNodeParams params;
    CHECK(cudaGraphKernelNodeGetParams(first, &params));
    printf("parameters: %d %d\n", *(int *)params.kernelParams[1], *(int *)params.kernelParams[2]);
    CHECK(cudaGraphAddEmptyNode(&empty, graph, &first, 1));
    CHECK(cudaStreamUpdateCaptureDependencies(stream, &empty, NULL, 1, cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, stream>>>(sum, 5, 1);
    CHECK(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &next, &edges, &count));
    last = next[0];
    count = 4;
    cudaGraphEdgeData data[4];
    CHECK(cudaGraphNodeGetDependencies(last, from, data, &count));
    printf("waits for %zu, %s\n", count, from[0] == empty ? "the empty one" : "another");
    CHECK(cudaStreamUpdateCaptureDependencies(stream, &first, NULL, 1, cudaStreamAddCaptureDependencies));
    CHECK(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &next, &edges, &count));
    printf("with another: behind %zu\n", count);
    CHECK(cudaStreamEndCapture(stream, &ended));
    CHECK(cudaGraphClone(&clone, graph));
    CHECK(cudaGraphNodeFindInClone(&twin, last, clone));
    printf("%s graph, %s node\n", graph == ended ? "the same" : "another", twin == last ? "the same" : "another");
    printf("the clone's node in the graph: %s\n", name(cudaGraphNodeFindInClone(&twin, twin, graph)));
    CHECK(cudaGraphInstantiate(&exec, clone, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    int got;
    from_gpu(&got, sum, 1);
    printf("sum: %d\n", got);
}

static void arrays()
{
    cudaArray_t array;
    cudaExtent extent;
    unsigned flags;
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<short2>();
    cudaChannelFormatDesc told;
    CHECK(cudaMalloc3DArray(&array, &channels, make_cudaExtent(6, 5, 4), cudaArraySurfaceLoadStore));
    CHECK(cudaArrayGetInfo(&told, &extent, &flags, array));
    printf("array: %d %d %d %d of kind %d, %zu x %zu x %zu, flags %u\n", told.x, told.y, told.z, told.w, told.f, extent.width,
           extent.height, extent.depth, flags);
    CHECK(cudaGetChannelDesc(&told, array));
    cudaResourceDesc resource = {}, resource_told;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {}, how_told;
    how.addressMode[1] = cudaAddressModeMirror;
    how.maxAnisotropy = 4;
    how.borderColor[2] = 0.5f; // without a mode that has a border
    how.normalizedCoords = 1;
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    CHECK(cudaGetTextureObjectResourceDesc(&resource_told, texture));
    CHECK(cudaGetTextureObjectTextureDesc(&how_told, texture));
    printf("texture: %s array, mode %d, anisotropy %u, normalized %d, border %g\n",
           resource_told.res.array.array == array ? "the same" : "another", how_told.addressMode[1], how_told.maxAnisotropy,
           how_told.normalizedCoords, how_told.borderColor[2]);
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    memset(&resource_told, 0xff, sizeof resource_told);
    CHECK(cudaGetSurfaceObjectResourceDesc(&resource_told, surface));
    printf("surface: type %d\n", resource_told.resType);
}

static void functions()
{
    cudaFunction_t function;
    cudaKernel_t kernel;
    const char *text;
    int value = 1, times = 2, got;
    void *arguments[] = {&sum, &value, &times};
    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = configuration.blockDim = dim3(1);
    configuration.stream = stream;
    CHECK(cudaGetFuncBySymbol(&function, (const void *)add));
    CHECK(cudaGetKernel(&kernel, (const void *)add));
    CHECK(cudaFuncGetName(&text, (const void *)add));
    printf("%s\n", text);
    CHECK(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 30, 0));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    CHECK(cudaLaunchKernelExC(&configuration, (const void *)add, arguments));
    CHECK(cudaLaunchKernelExC(&configuration, (const void *)kernel, arguments));
    CHECK(cudaStreamSynchronize(stream));
    from_gpu(&got, sum, 1);
    printf("by the host's address and by the kernel: %d\n", got);
}

static void priorities()
{
    int least, greatest, is;
    cudaStream_t one;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&one, cudaStreamNonBlocking, greatest - 100));
    CHECK(cudaStreamGetPriority(one, &is));
    printf("above the range: %s,", is == greatest ? "the greatest" : "another");
    CHECK(cudaStreamCreateWithPriority(&one, cudaStreamNonBlocking, least + 100));
    CHECK(cudaStreamGetPriority(one, &is));
    printf(" below it: %s\n", is == least ? "the least" : "another");
}

int main()
{
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&sum, sizeof *sum));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    captures();
    arrays();
    functions();
    priorities();
}
