// SPDX-License-Identifier: Apache-2.0
// What a product of matrices by mma.sync is made of, as lab/product has it: asynchronous copies past the registers, ldmatrix, products;
// each left out or alone, by how many blocks an SM has. Kernel tiles<PARTS>: 1 copies, 2 fragments, 4 products, added up; runs<...>: products, ldmatrix
// and copies in loops. Under Nsight Compute, in the order of the launches (kernel; blocks, elements of a row):
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o mma_probe mma_probe.cu
//     ncu --clock-control none --metrics gpu__time_duration.sum,sm__cycles_elapsed.max,regex:smsp__average_warps_issue_stalled_.*_per_issue_active mma_probe
// What an H200 takes: tests/gpu/h200/mma.txt. The kernels of tests/model/mma.sm_90.cubin alone: -DTESTED -cubin.
#include <cstdint>
#include <cstdio>
#include <cuda_bf16.h>

enum { COPIES = 1, FRAGMENTS = 2, PRODUCTS = 4 };

static __device__ unsigned address_of(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

// Rows of 32 numbers are four pieces of 16 bytes, which lie so that eight rows have banks of their own.
static __device__ int place_of(int row, int piece)
{
    return row * 32 + (piece ^ (row >> 1 & 3)) * 8;
}

static __device__ void copy_tile(__nv_bfloat16 *to, const __nv_bfloat16 *from, int n)
{
    for (int i = threadIdx.x; i < 256; i += 128)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address_of(to + place_of(i / 4, i % 4))),
                     "l"(from + (size_t)(i / 4) * n + i % 4 * 8)
                     : "memory");
}

static __device__ void load_four(uint32_t (&to)[4], const __nv_bfloat16 *tile, int row, int piece)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address_of(tile + place_of(row, piece)))
                 : "memory");
}

static __device__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <int PARTS> __global__ void __launch_bounds__(128) tiles(int n, const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c)
{
    __shared__ __align__(128) __nv_bfloat16 left[3][64 * 32], right[3][64 * 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.y * 64, column = blockIdx.x * 64, steps = n / 32;
    const int my_row = warp / 2 * 32, my_column = warp % 2 * 32;
    float sums[2][4][4] = {};
    uint32_t of_a[2][4], of_b[2][4];
    for (int i = 0; i < 8; i++)
        of_a[i / 4][i % 4] = n + i, of_b[i / 4][i % 4] = n - i;
    for (int step = 0; step < 2; step++) {
        if (PARTS & COPIES) {
            copy_tile(left[step], a + (size_t)row * n + step * 32, n);
            copy_tile(right[step], b + (size_t)column * n + step * 32, n);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int step = 0; step < steps; step++) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        if ((PARTS & COPIES) && step + 2 < steps) {
            copy_tile(left[(step + 2) % 3], a + (size_t)row * n + (step + 2) * 32, n);
            copy_tile(right[(step + 2) % 3], b + (size_t)column * n + (step + 2) * 32, n);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        for (int k = 0; k < 4; k += 2) {
            for (int i = 0; (PARTS & FRAGMENTS) && i < 2; i++) {
                load_four(of_a[i], left[step % 3], my_row + i * 16 + lane % 16, k + lane / 16);
                load_four(of_b[i], right[step % 3], my_column + i * 16 + lane / 16 * 8 + lane % 8, k + lane / 8 % 2);
            }
            for (int i = 0; (PARTS & PRODUCTS) && i < 2; i++)
                for (int j = 0; j < 4; j++)
                    multiply(sums[i][j], of_a[i], of_b[j / 2][j % 2 * 2], of_b[j / 2][j % 2 * 2 + 1]);
        }
    }
    for (int i = 0; i < 8; i++)
        sums[0][0][i % 4] += __uint_as_float(of_a[i / 4][i % 4] ^ of_b[i / 4][i % 4]);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int half = 0; half < 2; half++) {
                const int y = row + my_row + i * 16 + half * 8 + lane / 4, x = column + my_column + j * 8 + lane % 4 * 2;
                *(float2 *)(c + (size_t)y * n + x) = make_float2(sums[i][j][2 * half], sums[i][j][2 * half + 1]);
            }
}

// Of each trip: ldmatrix of conflict-free rows (CONFLICTS of eight on the same banks), products, both on what the other does not wait for, or
// products of what was loaded.
template <int LOADS, int TIMES, int CONFLICTS, bool WAITS> __global__ void __launch_bounds__(128) loops(int trips, float *c)
{
    __shared__ __align__(128) __nv_bfloat16 tile[64 * 64];
    const int lane = threadIdx.x % 32;
    uint32_t a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, other[4] = {};
    float sums[8][4] = {};
    for (int i = threadIdx.x; i < 64 * 64; i += 128)
        tile[i] = __float2bfloat16(0);
    __syncthreads();
    for (int trip = 0; trip < trips; trip++) {
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            const int at = trip * 8 % 2048 + (CONFLICTS == 1 ? lane * 8 + i * 256 : (lane / CONFLICTS * 8 + lane % CONFLICTS * 64 + i * 512) % 2048);
            uint32_t to[4];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                         : "r"(address_of(tile + at))
                         : "memory");
            for (int j = 0; j < 4; j++) {
                uint32_t &word = WAITS ? (i % 2 ? b[j] : a[j]) : other[j];
                word ^= to[j];
            }
        }
#pragma unroll
        for (int i = 0; i < TIMES; i++)
            multiply(sums[i % 8], a, b[i % 2 * 2], b[i % 2 * 2 + 1]);
    }
    float sum = __uint_as_float(a[0] ^ a[1] ^ a[2] ^ a[3] ^ b[0] ^ b[1] ^ b[2] ^ b[3] ^ other[0] ^ other[1] ^ other[2] ^ other[3]);
    for (int i = 0; i < 8; i++)
        sum += sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];
    c[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Asynchronous copies alone: of rows of so many bytes, 4,096 apart, that lie in the L2; awaited two groups later.
template <int ROW> __global__ void __launch_bounds__(128) copies(int trips, const char *from)
{
    __shared__ __align__(128) char to[3][8192];
    const char *mine = from + (size_t)(blockIdx.x * 37 % 256) * 65536;
    for (int trip = 0; trip < trips; trip++) {
        for (int i = threadIdx.x; i < 512; i += 128)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address_of(&to[trip % 3][i * 16])),
                         "l"(mine + i * 16 / ROW * 4096 % 65536 + i * 16 % ROW + trip % (4096 / ROW) * ROW)
                         : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 2;" ::: "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}

#ifdef TESTED
#define KEEP(parts) template __global__ void tiles<parts>(int, const __nv_bfloat16 *, const __nv_bfloat16 *, float *)
KEEP(0);
KEEP(1);
KEEP(2);
KEEP(3);
KEEP(4);
KEEP(5);
KEEP(6);
KEEP(7);
#define KEEP_LOOPS(...) template __global__ void loops<__VA_ARGS__>(int, float *)
KEEP_LOOPS(0, 8, 1, false);
KEEP_LOOPS(4, 0, 1, false);
KEEP_LOOPS(4, 0, 2, false);
KEEP_LOOPS(4, 0, 8, false);
KEEP_LOOPS(4, 8, 1, false);
KEEP_LOOPS(4, 8, 1, true);
KEEP_LOOPS(2, 8, 1, true);
KEEP_LOOPS(4, 16, 1, true);
template __global__ void copies<64>(int, const char *);
template __global__ void copies<128>(int, const char *);
template __global__ void copies<512>(int, const char *);
#else

template <int PARTS> static void launch_tiles(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c)
{
    for (dim3 grid : {dim3(4, 33), dim3(8, 33), dim3(16, 33), dim3(32, 33)})
        for (int n : {512, 2048})
            if (grid.x < 32 || n == 2048 || PARTS == 7)
                tiles<PARTS><<<grid, 128>>>(n, a, b, c);
    tiles<PARTS><<<dim3(32, 32), 128>>>(2048, a, b, c);
}

template <int LOADS, int TIMES, int CONFLICTS, bool WAITS> static void launch_loops(float *c)
{
    for (int blocks : {132, 264, 528, 1056})
        loops<LOADS, TIMES, CONFLICTS, WAITS><<<blocks, 128>>>(512, c);
}

template <int ROW> static void launch_copies(const char *from)
{
    for (int blocks : {132, 264, 528, 1056})
        copies<ROW><<<blocks, 128>>>(64, from);
}

int main()
{
    void *a, *b, *c;
    const size_t bytes = (size_t)64 * 33 * 2048 * 4;
    if (cudaMalloc(&a, bytes) || cudaMalloc(&b, bytes) || cudaMalloc(&c, bytes))
        return 1;
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    const __nv_bfloat16 *x = (const __nv_bfloat16 *)a, *y = (const __nv_bfloat16 *)b;
    float *z = (float *)c;
    launch_tiles<0>(x, y, z);
    launch_tiles<1>(x, y, z);
    launch_tiles<2>(x, y, z);
    launch_tiles<3>(x, y, z);
    launch_tiles<4>(x, y, z);
    launch_tiles<5>(x, y, z);
    launch_tiles<6>(x, y, z);
    launch_tiles<7>(x, y, z);
    launch_loops<0, 8, 1, false>(z);
    launch_loops<4, 0, 1, false>(z);
    launch_loops<4, 0, 2, false>(z);
    launch_loops<4, 0, 8, false>(z);
    launch_loops<4, 8, 1, false>(z);
    launch_loops<4, 8, 1, true>(z);
    launch_loops<2, 8, 1, true>(z);
    launch_loops<4, 16, 1, true>(z);
    launch_copies<64>((const char *)a);
    launch_copies<128>((const char *)a);
    launch_copies<512>((const char *)a);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
#endif
