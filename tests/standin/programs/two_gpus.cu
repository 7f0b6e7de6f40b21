// SPDX-License-Identifier: Apache-2.0
// Two GPUs: what each thread has chosen, where memory, streams and events belong, variables of its own on each GPU, peer
// access and copies between them. CUDA's references say what each call gives.
// run: --gpus 2
// nvcc: -Xcompiler -pthread
#include "check.h"

#include <cstring>
#include <pthread.h>

__device__ int counter = 5;
__constant__ int factor;

__global__ void count(int *out)
{
    counter += 31;
    out[0] = counter * factor;
}

__global__ void add(int *to, const int *from, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[i];
}

static void *other_thread(void *unused)
{
    int device = -1;
    cudaGetDevice(&device);
    printf("another thread begins on GPU %d\n", device);
    return unused;
}

static void choose_and_tell()
{
    int count, device, attribute, can[2];
    cudaGetDeviceCount(&count);
    cudaSetDevice(1);
    cudaGetDevice(&device);
    printf("%d GPUs, now %d; GPU 2: %s\n", count, device, cudaGetErrorName(cudaSetDevice(2)));
    pthread_t thread;
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    cudaDeviceProp a, b;
    cudaGetDeviceProperties(&a, 0);
    cudaGetDeviceProperties(&b, 1);
    cudaDeviceGetAttribute(&attribute, cudaDevAttrPciBusId, 1);
    printf("same name %d, other bus %d, as the attribute says %d, other uuid %d\n", strcmp(a.name, b.name) == 0,
           a.pciBusID != b.pciBusID, attribute == b.pciBusID, memcmp(&a.uuid, &b.uuid, sizeof a.uuid) != 0);
    cudaDeviceCanAccessPeer(&can[0], 0, 1);
    cudaDeviceCanAccessPeer(&can[1], 1, 1);
    printf("peer access %d, to itself %d\n", can[0], can[1]);
    char bus[32];
    int found[2] = {-1, -1};
    for (int gpu = 0; gpu < 2; gpu++) {
        CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, gpu));
        CHECK(cudaDeviceGetByPCIBusId(&found[gpu], bus));
    }
    CHECK(cudaDeviceGetP2PAttribute(&can[0], cudaDevP2PAttrAccessSupported, 0, 1));
    printf("found by their buses: %d %d; access by the attribute %d; of GPU 0 and 0: %s, of another bus: %s\n", found[0], found[1],
           can[0], cudaGetErrorName(cudaDeviceGetP2PAttribute(&can[0], cudaDevP2PAttrAccessSupported, 0, 0)),
           cudaGetErrorName(cudaDeviceGetByPCIBusId(&device, "0000:7f:00.0")));
    cudaGetLastError();
}

// A variable of the device has a copy on each GPU (CUDA C++ Programming Guide, "Multi-Device System").
static void variables()
{
    int *out[2], got[2], value[2], given[2] = {2, 10};
    for (int gpu = 0; gpu < 2; gpu++) {
        cudaSetDevice(gpu);
        CHECK(cudaMalloc(&out[gpu], 4));
        CHECK(cudaMemcpyToSymbol(factor, &given[gpu], 4));
        for (int times = 0; times <= gpu; times++)
            count<<<1, 1>>>(out[gpu]);
        CHECK(cudaMemcpy(&got[gpu], out[gpu], 4, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpyFromSymbol(&value[gpu], counter, 4));
        CHECK(cudaFree(out[gpu]));
    }
    printf("GPU 0: (5 + 31) * 2 = %d, GPU 1: (5 + 31 + 31) * 10 = %d; counters %d %d\n", got[0], got[1], value[0], value[1]);
}

static void belongings()
{
    size_t before[2], after[2], total;
    cudaStream_t stream[2];
    cudaEvent_t event[2], later;
    int *memory[2], host[64];
    for (int gpu = 0; gpu < 2; gpu++) {
        cudaSetDevice(gpu);
        CHECK(cudaStreamCreate(&stream[gpu]));
        CHECK(cudaEventCreate(&event[gpu]));
        CHECK(cudaMemGetInfo(&before[gpu], &total));
    }
    CHECK(cudaEventCreate(&later));
    CHECK(cudaMalloc(&memory[1], 64 << 20));
    for (int gpu = 0; gpu < 2; gpu++) {
        cudaSetDevice(gpu);
        CHECK(cudaMemGetInfo(&after[gpu], &total));
    }
    printf("64 MiB more on GPU 1: GPU 0 has %zu less, GPU 1 %zu\n", (before[0] - after[0]) >> 20,
           (before[1] - after[1]) >> 20);
    cudaSetDevice(0);
    CHECK(cudaMalloc(&memory[0], 256));
    cudaPointerAttributes at;
    CHECK(cudaPointerGetAttributes(&at, memory[0]));
    const int first = at.device;
    CHECK(cudaPointerGetAttributes(&at, memory[1]));
    printf("memory on GPU %d and %d\n", first, at.device);
    add<<<1, 64, 0, stream[1]>>>(memory[0], memory[0], 64);
    printf("a launch into the other GPU's stream: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("a copy in it: %s\n", cudaGetErrorName(cudaMemcpyAsync(host, memory[1], 256, cudaMemcpyDeviceToHost, stream[1])));
    printf("another GPU's event: %s\n", cudaGetErrorName(cudaEventRecord(event[1], stream[0])));
    CHECK(cudaEventRecord(event[0], stream[0]));
    CHECK(cudaEventRecord(event[1], stream[1]));
    float ms;
    printf("time between GPUs: %s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, event[0], event[1])));
    printf("waiting across: %s\n", cudaGetErrorName(cudaStreamWaitEvent(stream[0], event[1], 0)));
    cudaGetLastError();
    CHECK(cudaFree(memory[1]));
    CHECK(cudaFree(memory[0]));
}

static void peers()
{
    enum { N = 1000 };
    int *a, *b, host[N];
    cudaSetDevice(0);
    printf("enabled twice: %s", cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0)));
    printf(" %s, itself: %s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0)),
           cudaGetErrorName(cudaDeviceEnablePeerAccess(0, 0)));
    cudaGetLastError();
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    cudaSetDevice(1);
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMemcpyPeer(b, 1, a, 0, sizeof host));
    cudaSetDevice(0);
    add<<<(N + 255) / 256, 256>>>(a, b, N);
    CHECK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDefault));
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += host[i] != 2 * i;
    printf("GPU 0 adds what GPU 1 has: %d wrong\n", wrong);
    printf("disabled twice: %s", cudaGetErrorName(cudaDeviceDisablePeerAccess(1)));
    printf(" %s\n", cudaGetErrorName(cudaDeviceDisablePeerAccess(1)));
    printf("to GPU 2: %s\n", cudaGetErrorName(cudaMemcpyPeer(b, 2, a, 0, 4)));
    cudaGetLastError();
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

// Each GPU's pool gives memory on it, whichever GPU is chosen.
static void pools()
{
    int *memory;
    cudaMemPool_t pool[2];
    cudaPointerAttributes at;
    for (int gpu = 0; gpu < 2; gpu++)
        CHECK(cudaDeviceGetDefaultMemPool(&pool[gpu], gpu));
    cudaSetDevice(0);
    CHECK(cudaMallocFromPoolAsync(&memory, 256, pool[1], 0));
    CHECK(cudaPointerGetAttributes(&at, memory));
    printf("two pools %d; of GPU 1's: on GPU %d\n", pool[0] != pool[1], at.device);
    CHECK(cudaFreeAsync(memory, 0));
}

// Work on one GPU takes no time of the other's clock.
static void clocks()
{
    int *memory[2];
    cudaEvent_t begin[2], end[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        cudaSetDevice(gpu);
        CHECK(cudaMalloc(&memory[gpu], 256 << 20));
        CHECK(cudaEventCreate(&begin[gpu]));
        CHECK(cudaEventCreate(&end[gpu]));
        CHECK(cudaEventRecord(begin[gpu]));
    }
    for (int gpu = 0; gpu < 2; gpu++) {
        cudaSetDevice(gpu);
        CHECK(cudaMemsetAsync(memory[gpu], 0, (size_t)(gpu ? 1 : 256) << 20));
        CHECK(cudaEventRecord(end[gpu]));
    }
    float ms[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        CHECK(cudaEventSynchronize(end[gpu]));
        CHECK(cudaEventElapsedTime(&ms[gpu], begin[gpu], end[gpu]));
    }
    printf("256 MiB take longer than 1 MiB beside it: %d\n", ms[0] > 4 * ms[1]);
}

int main()
{
    choose_and_tell();
    variables();
    belongings();
    peers();
    pools();
    clocks();
}
