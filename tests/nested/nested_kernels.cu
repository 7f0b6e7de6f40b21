// SPDX-License-Identifier: Apache-2.0
// Kernels that launch kernels: what each must leave in memory follows from CUDA's rules of order (CUDA C++ Programming Guide,
// "CUDA Dynamic Parallelism"). Built by tests/nested/make.

#include <cstdio>

__global__ void append(unsigned *log, unsigned value)
{
    if (threadIdx.x == 0)
        log[1 + atomicAdd(log, 1)] = value;
}

// Launches of one stream come one after the other; the tail stream comes after all others, and after what they launch.
__global__ void appends_and_launches(unsigned *log, unsigned value)
{
    append<<<1, 32>>>(log, value + 1);
    append<<<1, 32>>>(log, value + 2);
    append<<<1, 32, 0, cudaStreamTailLaunch>>>(log, value + 3);
    log[1 + atomicAdd(log, 1)] = value;
}

extern "C" __global__ void order_of_streams(unsigned *log)
{
    append<<<1, 32, 0, cudaStreamTailLaunch>>>(log, 90);
    appends_and_launches<<<1, 1>>>(log, 10);
    append<<<1, 32, 0, cudaStreamTailLaunch>>>(log, 91);
    append<<<1, 32>>>(log, 20);
    log[1 + atomicAdd(log, 1)] = 1;
}

__global__ void add(unsigned *sums, unsigned at, unsigned value)
{
    extern __shared__ unsigned own[];
    own[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < blockDim.x; i++)
            atomicAdd(&sums[at], own[i]);
}

// Every thread launches a grid of its own shape, with dynamic shared memory.
extern "C" __global__ void launch_by_thread(unsigned *sums)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, threads = 1 + i % 7;
    add<<<1 + i % 3, threads, threads * sizeof(unsigned)>>>(sums, i, i + 1);
}

__global__ void split(unsigned *data, unsigned count)
{
    if (count == 1) {
        data[0] += 1;
        return;
    }
    split<<<1, 1>>>(data, count / 2);
    split<<<1, 1>>>(data + count / 2, count - count / 2);
}

// A tree of launches: one a word.
extern "C" __global__ void recursion(unsigned *data, unsigned count)
{
    split<<<1, 1>>>(data, count);
}

__global__ void again(unsigned *data, unsigned left)
{
    data[0] += left;
    if (left > 1)
        again<<<1, 1, 0, cudaStreamTailLaunch>>>(data, left - 1);
}

// A loop of launches, far deeper than launches may nest.
extern "C" __global__ void loop_of_tails(unsigned *data, unsigned count)
{
    again<<<1, 1, 0, cudaStreamTailLaunch>>>(data, count);
}

// Streams and events of a kernel's own.
extern "C" __global__ void streams_and_events(unsigned *log)
{
    cudaStream_t one, other;
    cudaEvent_t done;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    append<<<1, 32, 0, one>>>(log, 1);
    cudaEventRecord(done, one);
    cudaStreamWaitEvent(other, done, 0);
    append<<<1, 32, 0, other>>>(log, 2);
    cudaEventDestroy(done);
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    int device = 7, devices = 7;
    cudaGetDevice(&device);
    cudaGetDeviceCount(&devices);
    log[8] = device;
    log[9] = devices;
}

// A shape that no GPU runs is an error of the thread that asks for it, until it asks.
extern "C" __global__ void errors_of_threads(unsigned *seen)
{
    seen[threadIdx.x] = cudaGetLastError();
    if (threadIdx.x == 1)
        append<<<1, 2048>>>(seen, 0);
    if (threadIdx.x == 2)
        append<<<0, 32>>>(seen, 0);
    seen[32 + threadIdx.x] = cudaPeekAtLastError();
    seen[64 + threadIdx.x] = cudaGetLastError();
    seen[96 + threadIdx.x] = cudaGetLastError();
}

__global__ void reads_outside(const unsigned *data, unsigned *out)
{
    out[0] = data[1 << 20];
}

// The place of a fault is the child's.
extern "C" __global__ void fault_of_a_child(unsigned *data)
{
    if (threadIdx.x == 0)
        reads_outside<<<1, 1>>>(data, data);
}

// What blocks print comes in the order of the blocks.
extern "C" __global__ void prints(unsigned *unused)
{
    if (threadIdx.x == 0)
        printf("%u ", blockIdx.x);
}

// The room for parameters is not the kernel's to free.
extern "C" __global__ void frees_parameters(unsigned *unused)
{
    char *room = (char *)cudaGetParameterBufferV2((void *)append, dim3(1), dim3(32), 0);
    free(room + 16);
}
