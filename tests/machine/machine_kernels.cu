// SPDX-License-Identifier: Apache-2.0
// Machine code that PTX tests do not lead to: what generic atomics do by the space of their address, lanes of one warp that
// vote in groups of their own, copies to shared memory under predicates, matrices in pieces. tests/machine/make builds it.
#include <cuda_fp16.h>

template <class T> static __device__ void add_somewhere(T *global, T *out, T one)
{
    __shared__ T inside[32];
    const int i = threadIdx.x;
    inside[i % 32] = T{};
    __syncthreads();
    T *at = i % 3 ? &global[i % 7] : &inside[i % 5]; // lanes of one warp go both ways
    const T old = atomicAdd(at, one);
    atomicAdd(&out[32 + (i % 3 ? i % 7 : 7 + i % 5)], old); // whichever lane came first, the sum is the same
    __syncthreads();
    if (i < 32)
        out[i] = inside[i];
}

extern "C" __global__ void add_half2(__half2 *global, __half2 *out)
{
    add_somewhere(global, out, __floats2half2_rn(1, 0.5f));
}

extern "C" __global__ void add_float(float *global, float *out)
{
    add_somewhere(global, out, 1.5f);
}

extern "C" __global__ void add_double(double *global, double *out)
{
    add_somewhere(global, out, 0.125);
}

extern "C" __global__ void add_integer(unsigned *global, unsigned *out)
{
    add_somewhere(global, out, 3u);
}

// Each lane's own group; three groups that are no ranges: the lanes whose numbers have the same rest.
extern "C" __global__ void vote_in_groups(const unsigned *x, unsigned *out, int times)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned mask = 0;
    for (unsigned other = 0; other < 32; other++)
        mask |= (other * 7 % 3 == lane * 7 % 3) << other;
    for (int i = 0; i < times; i++) {
        const unsigned found = __ballot_sync(mask, x[threadIdx.x + i * 64] % 5 > lane % 4);
        const unsigned next = __shfl_sync(mask, found + lane, lane < 29 ? lane + 3 : lane);
        out[threadIdx.x + i * 64] = found ^ next;
    }
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void groups_that_part(const unsigned *x, unsigned *out)
{
    const unsigned lane = threadIdx.x % 32, mask = lane % 2 ? 0xaaaaaaaa : 0x55555555;
    unsigned sum = 0;
    for (unsigned i = 0; i < x[threadIdx.x] % 8; i++)
        sum += __popc(__activemask() & 1 << lane);
    __syncwarp(mask);
    out[threadIdx.x] = __reduce_add_sync(mask, sum) + __any_sync(mask, sum > 6);
}

// A copy that is under one predicate and asks another one.
extern "C" __global__ void copy_some(const int4 *from, int4 *to, int n, int rounds)
{
    extern __shared__ int4 inside[];
    for (int j = 0; j < 4; j++)
        inside[threadIdx.x + j * 32] = make_int4(-1, -2, -3, -4);
    __syncthreads();
    for (int j = 0; j < 4; j++) {
        const unsigned at = (unsigned)__cvta_generic_to_shared(inside + threadIdx.x + j * 32);
        const int whole = threadIdx.x + j * 32 < n ? 16 : 0;
        if (j < rounds)
            asm volatile("{.reg .pred p; setp.ne.b32 p, %0, 0;\n"
                         "@p cp.async.cg.shared.global.L2::128B [%1], [%2], 16;}" ::"r"(whole), "r"(at),
                         "l"(from + threadIdx.x + j * 32));
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from + threadIdx.x + j * 32), "r"(whole));
    }
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    for (int j = 0; j < 4; j++)
        to[threadIdx.x + j * 32] = inside[(threadIdx.x ^ 1) + j * 32];
}

// The largest of pairs, in halves: VHMNMX and HMNMX2.
extern "C" __global__ void half_extremes(const __half2 *x, __half2 *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 2 >= n)
        return;
    const __half2 a = x[i], b = x[i + 1], c = x[i + 2];
    out[4 * i] = __hmax2(__hmax2(a, b), c);
    out[4 * i + 1] = __hmin2(__hmin2(a, b), c);
    out[4 * i + 2] = __hmax2_nan(__hmax2_nan(a, b), c);
    out[4 * i + 3] = __hmin2(__hmax2(a, b), __hmax2_nan(b, c));
}
#endif

// Products times a power of two: machine code rounds them once.
extern "C" __global__ void scaled_products(const float *a, const float *b, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[i] * exp2f((float)(i % 64 - 80)), y = b[i] * exp2f((float)(i / 64 % 64 - 80)); // some are subnormal
    const float factor = i & 1 ? x : y, other = i & 1 ? y : x;
    out[i] = x * y * 0.5f;
    out[i + n] = factor * b[i ^ 1] * 0.25f;
    out[i + 2 * n] = x * other * 0.125f;
    out[i + 3 * n] = other * b[i ^ 2] * 4.0f;
    out[i + 4 * n] = factor * y * 8.0f;
}

extern "C" __global__ void wide_extremes(const long long *a, const long long *b, long long *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long x = a[i], y = b[i];
    out[i] = min(a[i], b[i]);
    out[i + n] = max(a[i], b[i]);
    out[i + 2 * n] = min(x, y);
    out[i + 3 * n] = max(x, y);
    out[i + 4 * n] = max(min(a[n / 2], b[n / 4]), a[n / 8]); // the same in all lanes
}

static __device__ __noinline__ int pick(const int *from, int i)
{
    return from[i];
}

// Generic addresses of shared memory, of local memory and of a table.
extern "C" __global__ void addresses(const int *x, int *out, int n)
{
    __shared__ int inside[64];
    const int table[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    int own[12];
    const int i = threadIdx.x;
    inside[i] = x[i] * 3;
    for (int k = 0; k < 12; k++)
        own[k] = x[(i + k * 5) % n];
    __syncthreads();
    out[i] = pick(inside, (i * 7 + n) % 64);
    out[i + 64] = pick(own, (i + n) % 12);
    out[i + 128] = pick(table, (i + n) % 12);
    out[i + 192] = __isShared(inside) + 2 * __isLocal(own) + 4 * __isGlobal(x);
}

// Arrays of words of 4, 8 and 16 bytes in local memory, at places that only the launch knows.
template <class T> static __device__ void keep(const T *x, T *out, int n)
{
    T own[8];
    const int i = threadIdx.x;
    for (int k = 0; k < n; k++)
        own[k * 3 % 8] = x[i + k * 32];
    for (int k = 0; k < n; k++)
        out[i + k * 32] = own[(k + n) % 8];
}

extern "C" __global__ void keep_words(const int *x, int *out, int n) { keep(x, out, n); }
extern "C" __global__ void keep_pairs(const int2 *x, int2 *out, int n) { keep(x, out, n); }
extern "C" __global__ void keep_quads(const int4 *x, int4 *out, int n) { keep(x, out, n); }

__device__ unsigned seen[1024];

// Without parameters: the file does not say where they would begin. Its stack is used.
extern "C" __global__ void without_parameters()
{
    volatile unsigned own[8];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    own[i % 8] = i;
    if (i < gridDim.x * blockDim.x)
        seen[i] = own[i % 8];
}

struct Counted {
    int a;
    double b;
    __device__ Counted() : a(3), b(1.5) {}
};

// nvcc keeps the count of the elements in front of what malloc gives.
extern "C" __global__ void allocates(float *out, int n)
{
    Counted *some = new Counted[n];
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += some[i].a + some[i].b;
    delete[] some;
    out[threadIdx.x] = sum;
}

// Memory that one thread gives back again: a heap that kept it would be exhausted soon.
extern "C" __global__ void churns(float *out, int n, int bytes)
{
    int given = 0;
    for (int i = 0; i < n && threadIdx.x == 0; i++) {
        volatile char *some = (volatile char *)malloc(bytes);
        if (some) {
            some[i] = 1;
            given += some[i];
        }
        free((void *)some);
    }
    out[threadIdx.x] = given;
}

// Sums and products that are floats at once are rounded to halves first: on sm_75 that is the .F32 of HADD2, HMUL2, HFMA2.
extern "C" __global__ void rounded_halves(float *out, float large, float x)
{
    const __half a = __float2half(large), b = __float2half(x);
    out[threadIdx.x] = threadIdx.x % 3 == 0   ? __half2float(__hadd(a, __float2half(1)))
                       : threadIdx.x % 3 == 1 ? __half2float(__hmul(b, b))
                                              : __half2float(__hfma(b, b, b));
}

static __device__ __noinline__ void swap_pairs(volatile int *values, float *out, int n)
{
    const int i = threadIdx.x;
    if (i >= n)
        return;
    __syncthreads();
    out[i] = values[i ^ 1];
}

// Lanes that return from a function in front of its barrier.
extern "C" __global__ void function_returns_early(float *out, int n)
{
    __shared__ int values[32];
    values[threadIdx.x] = threadIdx.x;
    swap_pairs(values, out, n);
}

struct Table {
    float value[8];
};

// A parameter that is indexed from its end.
extern "C" __global__ void from_the_end(float *out, Table table, int last)
{
    out[threadIdx.x] = table.value[last - (int)(threadIdx.x % 4)];
}

#if __CUDA_ARCH__ >= 800
// The first 2 bytes of each word; the others become zeros.
extern "C" __global__ void copy_part(const float *from, float *out)
{
    __shared__ float inside[32];
    inside[threadIdx.x] = -1;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 2;\ncp.async.wait_all;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(&inside[threadIdx.x])),
                 "l"(from + threadIdx.x)
                 : "memory");
    out[threadIdx.x] = __float_as_uint(inside[threadIdx.x]);
}
#endif

#if __CUDA_ARCH__ >= 900
// Of a launch without clusters: an H200's values.
extern "C" __global__ void special_registers(float *out)
{
    unsigned v;
#define TELL(n, name)                                                                                                    \
    asm volatile("mov.u32 %0, %%" name ";" : "=r"(v));                                                                   \
    out[n] = v;
    TELL(0, "total_smem_size")
    TELL(1, "aggr_smem_size")
    TELL(2, "reserved_smem_offset_1")
    TELL(3, "reserved_smem_offset_begin")
    TELL(4, "reserved_smem_offset_end")
    TELL(5, "reserved_smem_offset_cap")
    TELL(6, "cluster_nctarank")
    TELL(7, "nclusterid.x")
    TELL(8, "nclusterid.y")
    TELL(9, "cluster_nctaid.y")
    TELL(10, "nsmid")
    TELL(11, "nwarpid")
}
#endif
