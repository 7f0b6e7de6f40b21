// SPDX-License-Identifier: Apache-2.0
// Atomics of each operation on words that lanes of a warp share, or not: what a lane takes of the L2 (src/arch/atomics.h). `lanes` in a row have a
// word of `words`, in order or at random. Nsight Compute tells, in the order of the launches:
//     nvcc -arch=sm_90 -O3 -w -o ops_probe ops_probe.cu
//     ncu --clock-control none --metrics gpu__time_duration.sum,lts__t_requests_srcunit_tex_op_red.sum,lts__t_requests_srcunit_tex_op_atom.sum ops_probe
// What an H200 takes: tests/gpu/h200/ops.txt.
#include <cstdio>

enum op { ADD, OR, MAX, EXCHANGE, SWAP, FLOAT, ADD_FETCHED, OR_FETCHED, OPS };
static __device__ unsigned mixed(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}
template <int OP> static __device__ unsigned change(unsigned *at, unsigned v)
{
    switch (OP) {
    case ADD: atomicAdd(at, 1); return 0;
    case OR: atomicOr(at, v); return 0;
    case MAX: atomicMax(at, v); return 0;
    case EXCHANGE: return atomicExch(at, v);
    case SWAP: return atomicCAS(at, v, v + 1);
    case FLOAT: atomicAdd((float *)at, 1); return 0;
    case ADD_FETCHED: return atomicAdd(at, 1 + v);
    default: return atomicOr(at, v);
    }
}
template <int OP, int LANES, bool RANDOM> __global__ void work(unsigned *p, unsigned words, int times, unsigned active)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    if (i % 32 < active)
        for (int k = 0; k < times; k++) {
            const unsigned group = (i + k * gridDim.x * blockDim.x) / LANES;
            sum += change<OP>(p + (RANDOM ? mixed(group) : group) % words, i);
        }
    if (sum == 0x12345678)
        p[1 << 24] = sum;
}
unsigned *p;
template <int OP> void all()
{
    work<OP, 16, false><<<1024, 256>>>(p, 65536, 1, 32);
    work<OP, 8, false><<<1024, 256>>>(p, 65536, 1, 32);
    work<OP, 2, false><<<1024, 256>>>(p, 65536, 1, 32);
    work<OP, 1, false><<<1024, 256>>>(p, 65536, 1, 32);
    work<OP, 16, true><<<1024, 256>>>(p, 9000, 1, 32);
    work<OP, 4, true><<<1024, 256>>>(p, 9000, 1, 11);
    work<OP, 1, true><<<1024, 256>>>(p, 9000, 1, 32);
    work<OP, 32, true><<<1024, 256>>>(p, 64, 1, 32);
    work<OP, 4, true><<<1024, 256>>>(p, 64, 1, 32);
}
int main()
{
    cudaMalloc(&p, 1 << 28);
    cudaMemset(p, 0, 1 << 28);
    all<ADD>();
    all<OR>();
    all<MAX>();
    all<EXCHANGE>();
    all<SWAP>();
    all<FLOAT>();
    all<ADD_FETCHED>();
    all<OR_FETCHED>();
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
