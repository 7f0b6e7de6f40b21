// SPDX-License-Identifier: Apache-2.0
// c = a * b^T of n x n matrices of halves: tiles of SIDE x SIDE in shared memory, 32 deep, which
// cp.async brings STAGES ahead; WARPS_Y x WARPS_X warps multiply a part each (ldmatrix, mma.sync).
#include <cstdint>
#include <cuda_fp16.h>

enum { DEPTH = 32, PIECE = 8 /* halves of 16 bytes */, PIECES = DEPTH / PIECE };

static __device__ uint32_t shared_address(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

// Rows are 64 bytes: without the exclusive or every second one has the same banks.
template <bool SWIZZLED> __device__ int place_of(int row, int piece)
{
    return row * DEPTH + (SWIZZLED ? piece ^ (row >> 1 & 3) : piece) * PIECE;
}

template <bool SWIZZLED>
__device__ void load_four(uint32_t (&to)[4], const __half *tile, int row, int piece)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(tile + place_of<SWIZZLED>(row, piece)))
                 : "memory");
}

static __device__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <int SIDE, bool SWIZZLED> __device__ void copy_tile(__half *to, const __half *from, int n)
{
    for (int i = threadIdx.x; i < SIDE * PIECES; i += blockDim.x)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         shared_address(to + place_of<SWIZZLED>(i / PIECES, i % PIECES))),
                     "l"(from + (size_t)(i / PIECES) * n + i % PIECES * PIECE)
                     : "memory");
}

template <int SIDE, int WARPS_Y, int WARPS_X, int STAGES, bool SWIZZLED>
__device__ void multiply_tiles(int n, const __half *a, const __half *b, float *c)
{
    enum { ROWS = SIDE / WARPS_Y, COLUMNS = SIDE / WARPS_X, TALL = ROWS / 16, WIDE = COLUMNS / 16 };
    __shared__ __align__(128) __half left[STAGES][SIDE * DEPTH], right[STAGES][SIDE * DEPTH];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.y * SIDE, column = blockIdx.x * SIDE, steps = n / DEPTH;
    const int my_row = warp / WARPS_X * ROWS, my_column = warp % WARPS_X * COLUMNS;
    float sums[TALL][2 * WIDE][4] = {};
    const auto fill = [&](int step) {
        copy_tile<SIDE, SWIZZLED>(left[step % STAGES], a + (size_t)row * n + step * DEPTH, n);
        copy_tile<SIDE, SWIZZLED>(right[step % STAGES], b + (size_t)column * n + step * DEPTH, n);
    };
    for (int step = 0; step < STAGES - 1; step++) {
        fill(step);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int step = 0; step < steps; step++) {
        if (STAGES == 1) {
            __syncthreads();
            fill(step);
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES > 1 ? STAGES - 2 : 0) : "memory");
        __syncthreads();
        if (STAGES > 1) {
            if (step + STAGES - 1 < steps)
                fill(step + STAGES - 1);
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
        for (int k = 0; k < PIECES; k += 2) {
            uint32_t of_a[TALL][4], of_b[WIDE][4];
            for (int i = 0; i < TALL; i++)
                load_four<SWIZZLED>(of_a[i], left[step % STAGES], my_row + i * 16 + lane % 16,
                                    k + lane / 16);
            for (int i = 0; i < WIDE; i++)
                load_four<SWIZZLED>(of_b[i], right[step % STAGES],
                                    my_column + i * 16 + lane / 16 * 8 + lane % 8,
                                    k + lane / 8 % 2);
            for (int i = 0; i < TALL; i++)
                for (int j = 0; j < 2 * WIDE; j++)
                    multiply(sums[i][j], of_a[i], of_b[j / 2][j % 2 * 2],
                             of_b[j / 2][j % 2 * 2 + 1]);
        }
    }
    for (int i = 0; i < TALL; i++)
        for (int j = 0; j < 2 * WIDE; j++)
            for (int half = 0; half < 2; half++) {
                const int y = row + my_row + i * 16 + half * 8 + lane / 4,
                          x = column + my_column + j * 8 + lane % 4 * 2;
                *(float2 *)(c + (size_t)y * n + x) =
                    make_float2(sums[i][j][2 * half], sums[i][j][2 * half + 1]);
            }
}
