// SPDX-License-Identifier: Apache-2.0
// Kernels that wait for what the host or another kernel does after their launch: CUDA C++ Programming Guide, "Asynchronous
// Concurrent Execution" and "Streams". Each kernel runs once before, so that a GPU need not load its code while another waits.
#include "check.h"
#include <cooperative_groups.h>
#include <ctime>
#include <unistd.h>

__global__ void when_set(volatile int *flag, int *to)
{
    while (*flag == 0)
        ;
    *to = *flag + 40;
}

__global__ void twice(int *at)
{
    *at *= 2;
}

// Two of them, each its own side: one adds where the other has added.
__global__ void take_turns(volatile int *turn, int side, int times, volatile int *sum)
{
    for (int i = 0; i < times; i++) {
        while (*turn % 2 != side)
            ;
        *sum = *sum * 3 + side + 1;
        __threadfence();
        *turn = *turn + 1;
        __threadfence();
    }
}

// The whole grid waits for the host at its barriers, and answers it.
__global__ void serve(volatile int *asked, volatile int *answered, int times, int *sums)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int i = 1; i <= times; i++) {
        if (grid.thread_rank() == 0)
            while (*asked != i)
                ;
        grid.sync();
        atomicAdd(&sums[i], 1);
        grid.sync();
        if (grid.thread_rank() == 0) {
            *answered = sums[i];
            __threadfence_system();
        }
    }
}

__global__ void fault_when_set(volatile int *flag, int *nowhere)
{
    while (*flag == 0)
        ;
    *nowhere = 1;
}

// All that they do while they wait are atomic operations that change nothing.
__global__ void by_addition(int *flag, int *count)
{
    if (threadIdx.x % 32 == 0)
        while (atomicAdd(flag, 0) == 0)
            ;
    __syncthreads();
    atomicAdd(count, 1);
}

__global__ void by_maximum(int *flag, int *count)
{
    while (atomicMax(flag, 0) == 0)
        __nanosleep(100);
    atomicAdd(count, 1);
}

__global__ void by_swap(int *lock, int *count)
{
    while (atomicCAS(lock, 0, 1) == 1)
        ;
    *count += 1;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void put(int *at, int value)
{
    atomicExch(at, value);
}

static void say(void *user)
{
    printf("the host function sees %d\n", *(int *)user);
}

static const char *name(cudaError_t code)
{
    return cudaGetErrorName(code);
}

static int *flag, *result, *pinned;
static cudaStream_t s, t;

static void waits_for_the_host()
{
    cudaEvent_t start, end, other;
    float ms;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventCreate(&other));
    *flag = 0;
    CHECK(cudaEventRecord(start, s));
    when_set<<<1, 1, 0, s>>>(flag, result);
    twice<<<1, 1, 0, s>>>(result);
    CHECK(cudaMemcpyAsync(pinned, result, sizeof *pinned, cudaMemcpyDeviceToHost, s));
    CHECK(cudaLaunchHostFunc(s, say, pinned));
    CHECK(cudaEventRecord(end, s));
    CHECK(cudaStreamWaitEvent(t, end, 0));
    twice<<<1, 1, 0, t>>>(result);
    CHECK(cudaEventRecord(other, t));
    printf("%s %s %s %s\n", name(cudaStreamQuery(s)), name(cudaStreamQuery(t)), name(cudaEventQuery(other)),
           name(cudaEventElapsedTime(&ms, start, end)));
    *flag = 2;
    CHECK(cudaEventSynchronize(other));
    printf("%d %s\n", *pinned, name(cudaStreamQuery(s)));
    CHECK(cudaMemcpy(pinned, result, sizeof *pinned, cudaMemcpyDeviceToHost));
    CHECK(cudaEventElapsedTime(&ms, start, end));
    printf("%d %d\n", *pinned, ms > 0);
}

// A stream that does not block goes on; the legacy one waits for those that do.
static void other_streams_go_on()
{
    cudaStream_t free_one;
    int *own;
    CHECK(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&own, sizeof *own));
    *flag = 0;
    when_set<<<1, 1, 0, s>>>(flag, result);
    CHECK(cudaMemsetAsync(own, 0, sizeof *own, free_one));
    twice<<<1, 1, 0, free_one>>>(own);
    CHECK(cudaStreamSynchronize(free_one));
    twice<<<1, 1>>>(result);
    printf("%s %s\n", name(cudaStreamQuery(free_one)), name(cudaStreamQuery(0)));
    *flag = 3;
    CHECK(cudaMemcpy(pinned, result, sizeof *pinned, cudaMemcpyDeviceToHost));
    printf("%d\n", *pinned);
    CHECK(cudaFree(own));
    CHECK(cudaStreamDestroy(free_one));
}

static void two_take_turns()
{
    int *turn;
    CHECK(cudaMalloc(&turn, 2 * sizeof *turn));
    for (int times = 0; times <= 8; times += 8) {
        CHECK(cudaMemset(turn, 0, 2 * sizeof *turn));
        CHECK(cudaDeviceSynchronize());
        take_turns<<<1, 1, 0, s>>>(turn, 1, times, turn + 1);
        take_turns<<<1, 1, 0, t>>>(turn, 0, times, turn + 1);
        CHECK(cudaDeviceSynchronize());
    }
    int sum, expected = 0;
    for (int i = 0; i < 16; i++)
        expected = expected * 3 + i % 2 + 1;
    CHECK(cudaMemcpy(&sum, turn + 1, sizeof sum, cudaMemcpyDeviceToHost));
    printf("in turns: %d\n", sum == expected);
    CHECK(cudaFree(turn));
}

// The host makes no call while it waits.
static void the_host_asks()
{
    volatile int *asked = flag, *answered = flag + 1;
    int times = 0, *sums;
    CHECK(cudaMalloc(&sums, 8 * sizeof *sums));
    CHECK(cudaMemset(sums, 0, 8 * sizeof *sums));
    void *arguments[] = {&flag, (void *)&answered, &times, &sums};
    CHECK(cudaLaunchCooperativeKernel((void *)serve, 4, 64, arguments, 0, s));
    CHECK(cudaDeviceSynchronize());
    times = 5;
    *asked = *answered = 0;
    CHECK(cudaLaunchCooperativeKernel((void *)serve, 4, 64, arguments, 0, s));
    for (int i = 1; i <= times; i++) {
        *asked = i;
        for (int wait = 0; *answered == 0 && wait < 10000; wait++)
            usleep(1000);
        printf("%d ", *answered);
        *answered = 0;
    }
    CHECK(cudaStreamSynchronize(s));
    printf("%s\n", name(cudaStreamQuery(s)));
    CHECK(cudaFree(sums));
}

static void polls_by_atomics()
{
    void (*const kernels[])(int *, int *) = {by_addition, by_maximum, by_swap};
    int *lock, *count, counted;
    CHECK(cudaMalloc(&lock, sizeof *lock));
    CHECK(cudaMalloc(&count, sizeof *count));
    for (int i = 0; i < 3; i++) {
        const int go = i < 2;
        for (int first = go; first != 2; first = first == go ? !go : 2) { // it runs once, and once it waits
            put<<<1, 1, 0, s>>>(lock, first);
            CHECK(cudaMemsetAsync(count, 0, sizeof *count, s));
            CHECK(cudaStreamSynchronize(s));
            kernels[i]<<<4, i < 2 ? 256 : 1, 0, s>>>(lock, count);
            if (first != go)
                printf("%s ", name(cudaStreamQuery(s)));
            put<<<1, 1, 0, t>>>(lock, go);
            CHECK(cudaStreamSynchronize(s));
            CHECK(cudaStreamSynchronize(t));
        }
        CHECK(cudaMemcpy(&counted, count, sizeof counted, cudaMemcpyDeviceToHost));
        printf("%d\n", counted);
    }
    CHECK(cudaFree(lock));
    CHECK(cudaFree(count));
}

int main()
{
    CHECK(cudaHostAlloc(&flag, 64, cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&pinned, 64, cudaHostAllocDefault));
    CHECK(cudaMalloc(&result, sizeof *result));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    *flag = 1;
    when_set<<<1, 1, 0, s>>>(flag, result);
    twice<<<1, 1, 0, s>>>(result);
    fault_when_set<<<1, 1, 0, s>>>(flag, result);
    CHECK(cudaDeviceSynchronize());
    waits_for_the_host();
    other_streams_go_on();
    two_take_turns();
    the_host_asks();
    polls_by_atomics();
    *flag = 0;
    fault_when_set<<<1, 1, 0, s>>>(flag, NULL);
    printf("%s ", name(cudaGetLastError()));
    *flag = 1;
    printf("%s ", name(cudaStreamSynchronize(s)));
    printf("%s\n", name(cudaDeviceSynchronize()));
    return 0;
}
