/* SPDX-License-Identifier: Apache-2.0
 * What the documents leave open about the lanes of a warp, and an engine must choose: which lane's store stays, what a
 * shuffle reads from a lane that does not take part, in which order the parts of a warp run. Prints one line a finding.
 *
 *     nvcc -arch=sm_90 -o lanes lanes.cu && ./lanes */
#include <cstdio>

#define LANE (threadIdx.x & 31)

/* ---- stores of several lanes to one place ------------------------------------------------------------------------ */

template <class T> __device__ T made(unsigned lane);
template <> __device__ unsigned char made(unsigned lane) { return (unsigned char)lane; }
template <> __device__ unsigned short made(unsigned lane) { return (unsigned short)lane; }
template <> __device__ unsigned made(unsigned lane) { return lane; }
template <> __device__ uint2 made(unsigned lane) { return make_uint2(lane, lane); }
template <> __device__ uint4 made(unsigned lane) { return make_uint4(lane, lane, lane, lane); }

/* Lane i stores at place[i]; lanes outside of the mask do not. */
template <class T> __global__ void store_global(T *out, const int *place, unsigned mask)
{
    if (mask >> LANE & 1)
        ((volatile unsigned *)out)[0] = ((volatile unsigned *)out)[0];
    __syncwarp();
    if (mask >> LANE & 1)
        out[place[LANE]] = made<T>(LANE);
}

template <class T> __global__ void store_shared(T *out, const int *place, unsigned mask)
{
    __shared__ T here[32];
    here[LANE] = made<T>(99);
    __syncthreads();
    const int to = place[LANE];
    if (mask >> LANE & 1)
        here[to] = made<T>(LANE);
    __syncthreads();
    out[LANE] = here[LANE];
}

static unsigned masks[] = {0xffffffff, 0x0000ffff, 0xffff0000, 0x55555555, 0x00010001, 0x80000001, 0x0ff00ff0};

template <class T> static void stores(const char *name, bool shared)
{
    static const char *const patterns[] = {"all to 0", "pairs", "halves", "mod 4", "reversed pairs"};
    for (int p = 0; p < 5; p++)
        for (unsigned mask : masks) {
            T *out;
            int *place;
            cudaMallocManaged(&out, 32 * sizeof(T));
            cudaMallocManaged(&place, 32 * sizeof(int));
            cudaMemset(out, 0xee, 32 * sizeof(T));
            cudaDeviceSynchronize();
            for (int i = 0; i < 32; i++)
                place[i] = p == 0 ? 0 : p == 1 ? i / 2 : p == 2 ? i % 16 : p == 3 ? i % 4 : 15 - i / 2;
            if (shared)
                store_shared<T><<<1, 32>>>(out, place, mask);
            else
                store_global<T><<<1, 32>>>(out, place, mask);
            cudaDeviceSynchronize();
            printf("store %s %s, %s, mask %08x:", shared ? "shared" : "global", name, patterns[p], mask);
            for (int i = 0; i < 16; i++)
                printf(" %d", *(unsigned char *)&out[i]);
            printf("\n");
            cudaFree(out);
            cudaFree(place);
        }
}

/* ---- atomics: in which order the lanes of one request get their old values ---------------------------------------- */

__global__ void tickets(unsigned *out, unsigned *counter, unsigned mask, int shared)
{
    __shared__ unsigned here;
    here = 0;
    __syncthreads();
    if (mask >> LANE & 1)
        out[LANE] = shared ? atomicExch(&here, LANE + 1) : atomicExch(counter, LANE + 1);
}

static void atomics()
{
    unsigned *out, *counter;
    cudaMallocManaged(&out, 32 * sizeof *out);
    cudaMallocManaged(&counter, sizeof *counter);
    for (int shared = 0; shared < 2; shared++)
        for (unsigned mask : masks) {
            *counter = 0;
            for (int i = 0; i < 32; i++)
                out[i] = 77;
            tickets<<<1, 32>>>(out, counter, mask, shared);
            cudaDeviceSynchronize();
            printf("exch %s, mask %08x:", shared ? "shared" : "global", mask);
            for (int i = 0; i < 32; i++)
                printf(" %u", out[i]);
            printf("\n");
        }
}

/* ---- shuffles from lanes that do not take part -------------------------------------------------------------------- */

__global__ void shuffle(unsigned *out, unsigned active, int distance)
{
    unsigned x = 100 + LANE, y = 0;
    if (active >> LANE & 1)
        asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, %3;"
                     : "=r"(y)
                     : "r"(x), "r"((LANE + distance) & 31), "r"(active));
    out[LANE] = y;
}

static void shuffles()
{
    unsigned *out;
    cudaMallocManaged(&out, 32 * sizeof *out);
    for (unsigned mask : masks)
        for (int distance = 1; distance < 32; distance *= 4) {
            shuffle<<<1, 32>>>(out, mask, distance);
            cudaDeviceSynchronize();
            printf("shfl.idx from %d on, mask %08x:", distance, mask);
            for (int i = 0; i < 32; i++)
                printf(" %u", out[i]);
            printf("\n");
        }
}

/* ---- the order of the parts of a warp ----------------------------------------------------------------------------- */

__device__ unsigned ticket(unsigned *counter) { return atomicAdd(counter, 1); }

template <int CASE> __global__ void parts(unsigned *out, unsigned *counter, const int *key)
{
    const int k = key[LANE];
    unsigned t = 0;
    if (CASE == 0) {
        if (k)
            t = ticket(counter);
        else
            t = 100 + ticket(counter);
    } else if (CASE == 1) {
        switch (k) {
        case 0: t = ticket(counter); break;
        case 1: t = 100 + ticket(counter); break;
        case 2: t = 200 + ticket(counter); break;
        default: t = 300 + ticket(counter);
        }
    } else if (CASE == 2) {
        for (int i = 0; i < k; i++)
            t = 100 * i + ticket(counter);
    } else if (CASE == 3) {
        if (k & 1) {
            if (k & 2)
                t = ticket(counter);
            else
                t = 100 + ticket(counter);
        } else {
            if (k & 2)
                t = 200 + ticket(counter);
            else
                t = 300 + ticket(counter);
        }
        t += 1000 * ticket(counter);
    } else if (CASE == 4) {
        if (k == 0)
            return;
        t = ticket(counter);
    }
    out[LANE] = t;
}

template <int CASE> static void order(const char *name)
{
    unsigned *out, *counter;
    int *key;
    cudaMallocManaged(&out, 32 * sizeof *out);
    cudaMallocManaged(&counter, sizeof *counter);
    cudaMallocManaged(&key, 32 * sizeof *key);
    for (int kind = 0; kind < 4; kind++) {
        *counter = 0;
        for (int i = 0; i < 32; i++) {
            out[i] = 0;
            key[i] = kind == 0 ? i & 3 : kind == 1 ? i / 8 : kind == 2 ? 3 - i / 8 : i * 7 % 4;
        }
        parts<CASE><<<1, 32>>>(out, counter, key);
        cudaDeviceSynchronize();
        printf("order %s, keys %d:", name, kind);
        for (int i = 0; i < 32; i++)
            printf(" %u", out[i]);
        printf("\n");
    }
}

/* ---- one shuffle at two places of the source ----------------------------------------------------------------------- */

__global__ void two_places(unsigned *out, int n)
{
    unsigned sum = 0, x = LANE;
    if (LANE < 16) {
        for (int i = 0; i < n; i++)
            sum += __shfl_sync(0xffffffff, x + i, 31 - LANE);
    } else {
        for (int i = 0; i < n; i++)
            sum += 1000 * __shfl_sync(0xffffffff, x + i, 31 - LANE);
    }
    out[LANE] = sum;
}

int main()
{
    stores<unsigned char>("u8", false);
    stores<unsigned short>("u16", false);
    stores<unsigned>("u32", false);
    stores<uint2>("v2", false);
    stores<uint4>("v4", false);
    stores<unsigned char>("u8", true);
    stores<unsigned>("u32", true);
    stores<uint2>("v2", true);
    stores<uint4>("v4", true);
    atomics();
    shuffles();
    order<0>("if");
    order<1>("switch");
    order<2>("loop");
    order<3>("nested");
    order<4>("return");
    unsigned *out;
    cudaMallocManaged(&out, 32 * sizeof *out);
    two_places<<<1, 32>>>(out, 3);
    cudaDeviceSynchronize();
    printf("two places:");
    for (int i = 0; i < 32; i++)
        printf(" %u", out[i]);
    printf("\n");
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
