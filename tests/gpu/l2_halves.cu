// SPDX-License-Identifier: Apache-2.0
// Which SMs are at which half of the L2, and to which of them blocks go. An atomic is done where its line lives: to one
// line some SMs take 380 cycles on an H200, the others 590. Prints a letter an SM, then a letter a block of the first
// wave of some grids; tools/gpu-session runs it, l2_halves.txt keeps what a GPU said.
#include <cstdio>

enum { TRIES = 9, MOST_SMS = 1024, MOST_BLOCKS = 1 << 16 };

__device__ unsigned sm_of_this()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

// One thread of one block, `turn`, so that nobody else is on the way; the shared memory leaves room for one block an SM.
__global__ void latency(unsigned *at, int *cycles, unsigned turn)
{
    if (blockIdx.x != turn || threadIdx.x)
        return;
    int best = 1 << 30;
    for (int t = 0; t < TRIES; t++) {
        long long begin = clock64();
        unsigned old = atomicAdd(at, 1u);
        int took = (int)(clock64() - begin + (old >> 31));
        best = took < best ? took : best;
    }
    cycles[sm_of_this()] = best;
}

__global__ void places(unsigned *sm, int wait)
{
    if (threadIdx.x == 0)
        sm[blockIdx.x] = sm_of_this();
    for (long long begin = clock64(); clock64() - begin < wait;)
        ;
}

static char half_of(const int *cycles, int sms, unsigned sm)
{
    int least = 1 << 30, most = 0;
    for (int i = 0; i < sms; i++) {
        least = cycles[i] && cycles[i] < least ? cycles[i] : least;
        most = cycles[i] > most ? cycles[i] : most;
    }
    return !cycles[sm] ? '-' : 2 * cycles[sm] < least + most ? 'A' : 'B';
}

int main()
{
    int sms = 0, most_shared = 0, *cycles;
    unsigned *at, *sm;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    cudaMallocManaged(&cycles, MOST_SMS * sizeof *cycles);
    cudaMallocManaged(&sm, MOST_BLOCKS * sizeof *sm);
    cudaMalloc(&at, sizeof *at);
    cudaMemset(at, 0, sizeof *at);
    cudaFuncSetAttribute(latency, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared);
    for (int turn = 0; turn < sms; turn++)
        latency<<<sms, 32, most_shared>>>(at, cycles, turn);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    printf("SMs ");
    for (int i = 0; i < sms; i++)
        printf("%c", half_of(cycles, sms, i));
    static const struct {
        int grid, block;
    } shapes[] = {{132, 1024}, {1056, 256}, {2112, 128}, {4096, 256}};
    for (auto &shape : shapes) {
        places<<<shape.grid, shape.block>>>(sm, 20000);
        cudaDeviceSynchronize();
        printf("\n%d x %d ", shape.grid, shape.block);
        for (int b = 0; b < sms && b < shape.grid; b++)
            printf("%c", half_of(cycles, sms, sm[b]));
    }
    printf("\n");
    return 0;
}
