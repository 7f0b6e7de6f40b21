// SPDX-License-Identifier: Apache-2.0
// What one SM gets from the L2 in a cycle: reads past the L1 (ld.cg) and through it, of sets that the L2 has, by 1 block of 1,024 threads an SM
// on 1 and on all SMs. Prints a line a launch: way, SMs, KiB of the set, bytes a cycle of an SM. Nsight Compute tells what came over the crossbar.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o port_probe port_probe.cu; port_probe
#include <cstdio>
enum { THREADS = 1024, LOADS = 4 };
template <int WAY> __global__ void reads(const uint4 *from, unsigned mask, int rounds, long long *cycles, uint4 *sink)
{
    unsigned at = threadIdx.x + blockIdx.x * 4099 * 8;
    uint4 sum = {0, 0, 0, 0};
    long long begun = 0;
    for (int trip = 0; trip < 2; trip++) {
        __syncthreads();
        begun = clock64();
        for (int r = 0; r < rounds; r++) {
            uint4 v[LOADS];
#pragma unroll
            for (int i = 0; i < LOADS; i++) {
                const uint4 *p = from + ((at + i * THREADS) & mask);
                if (WAY == 0)
                    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w) : "l"(p));
                else
                    asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w) : "l"(p));
            }
#pragma unroll
            for (int i = 0; i < LOADS; i++)
                sum.x ^= v[i].x, sum.y ^= v[i].y, sum.z ^= v[i].z, sum.w ^= v[i].w;
            at += LOADS * THREADS;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begun;
    if (sum.x == 0x12345678)
        *sink = sum;
}
int main()
{
    uint4 *data;
    long long *cycles, told[132];
    cudaMalloc(&data, 64 << 20);
    cudaMemset(data, 0, 64 << 20);
    cudaMalloc(&cycles, sizeof told);
    for (int way = 0; way < 2; way++)
        for (int sms = 1; sms <= 132; sms += 131)
            for (unsigned kib : {256u, 1024u, 8192u}) {
                const int rounds = 256;
                (way ? reads<1> : reads<0>)<<<sms, THREADS>>>(data, kib * 64 - 1, rounds, cycles, data);
                cudaMemcpy(told, cycles, sms * sizeof *told, cudaMemcpyDeviceToHost);
                double sum = 0;
                for (int i = 0; i < sms; i++)
                    sum += told[i];
                printf("%s %d %u %.2f\n", way ? "ca" : "cg", sms, kib, (double)rounds * LOADS * THREADS * 16 * sms / sum);
            }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
