// SPDX-License-Identifier: Apache-2.0
// Loads of constants whose address each lane has of its own (LDC): cycles of an SM for one, by the size of elements and by how
// the lanes' addresses lie. 32 warps a block, one block an SM; the difference of two numbers of trips.
// usage: indexed_probe        prints: element bytes, pattern, distinct addresses of a warp, cycles for a load
#include <cstdio>
#include <cstdlib>

enum { TABLE = 32768, UNROLLED = 8, SHORT = 64, LONG = 192, SMS = 132, THREADS = 1024 };
__constant__ unsigned char table[TABLE];

// Elements `apart` bytes apart, as many as `distinct`; or at random among so many bytes. Each trip moves all of them.
template <class T> __global__ void indexed(unsigned distinct, unsigned apart, unsigned room, int trips, T *out, long long *cycles)
{
    const unsigned lane = threadIdx.x % 32, scattered = lane * 2654435761u >> 7;
    const unsigned start = room ? scattered : lane % distinct * apart;
    const unsigned mask = room ? room - 1 : TABLE / 2 - 1;
    unsigned at = start;
    T sum = 0;
    __syncthreads();
    const long long begun = clock64();
    for (int trip = 0; trip < trips; trip++) {
#pragma unroll
        for (int i = 0; i < UNROLLED; i++) {
            sum += *(const T *)(table + (at & mask & ~(unsigned)(sizeof(T) - 1)));
            at += room ? 40503u * sizeof(T) : 64u;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begun;
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

template <class T> static double once(unsigned distinct, unsigned apart, unsigned room, int trips, void *out, long long *cycles)
{
    static long long host[SMS];
    for (int i = 0; i < 2; i++)
        indexed<T><<<SMS, THREADS>>>(distinct, apart, room, trips, (T *)out, cycles);
    if (cudaMemcpy(host, cycles, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
        exit(1);
    double sum = 0;
    for (int i = 0; i < SMS; i++)
        sum += (double)host[i];
    return sum / SMS;
}

template <class T> static void measure(const char *pattern, unsigned distinct, unsigned apart, unsigned room, void *out, long long *cycles)
{
    const double loads = (double)(LONG - SHORT) * UNROLLED * THREADS / 32;
    const double more = once<T>(distinct, apart, room, LONG, out, cycles) - once<T>(distinct, apart, room, SHORT, out, cycles);
    printf("%d %s %u %u %u %.2f\n", (int)sizeof(T), pattern, distinct, apart, room, more / loads);
}

template <class T> static void measure_all(void *out, long long *cycles)
{
    for (unsigned distinct = 1; distinct <= 32; distinct *= 2)
        for (unsigned apart = sizeof(T); apart <= 256; apart *= apart < 4 ? 2 : 4)
            measure<T>("apart", distinct, apart, 0, out, cycles);
    for (unsigned room = 64; room <= 4096; room *= 4)
        measure<T>("random", 32, 0, room, out, cycles);
}

int main()
{
    void *out;
    long long *cycles;
    if (cudaMalloc(&out, SMS * THREADS * 8) != cudaSuccess || cudaMalloc(&cycles, SMS * 8) != cudaSuccess)
        return 1;
    measure_all<unsigned char>(out, cycles);
    measure_all<unsigned short>(out, cycles);
    measure_all<unsigned>(out, cycles);
    measure_all<unsigned long long>(out, cycles);
    return 0;
}
