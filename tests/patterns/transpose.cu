// SPDX-License-Identifier: Apache-2.0
// Document 004's case studies 3 and 7: transpose of doubles in tiles of 32 x 32 by blocks of 32 x 8
// threads, here of a 64 x 64 matrix: 4 blocks of 8 warps of 4 rows = 128 requests of each kind. 32
// doubles are 2 lines, 8 sectors. The lines below are the test of the PTX beside this file, whose
// head tools/make-lab copies from here.
//
// launch: -k transpose_naive -g 2,2 -b 32,8 f64x4096=iota f64x4096=zero
// 2 lines a load and 32 a store: each lane of a store is in a line of its own
// expect: arg1[0] = 0 64 128 192 256
// expect: arg1[4094] = 4031 4095
// expect: global_load_requests = 128
// expect: global_load_lines = 256
// expect: global_load_sectors = 1024
// expect: global_store_requests = 128
// expect: global_store_lines = 4096
// expect: global_store_sectors = 4096
// expect: global_store_sectors_ideal = 1024
//
// launch: -k transpose_staged -g 2,2 -b 32,8 f64x4096=iota f64x4096=zero
// both coalesced; but the column that a warp reads from shared memory is 16 words deep in one bank
// for each half-warp: 32 passes where 2 would do, and 2 of 2 for the row that it writes: (30 + 0)
// / 2 = 15 replays a shared memory instruction, which is what the document measured
// expect: arg1[0] = 0 64 128 192 256
// expect: arg1[4094] = 4031 4095
// expect: global_load_lines = 256
// expect: global_store_lines = 256
// expect: global_store_sectors = 1024
// expect: shared_store_requests = 128
// expect: shared_store_wavefronts = 256
// expect: shared_load_requests = 128
// expect: shared_load_wavefronts = 4096
// expect: shared_load_wavefronts_ideal = 256
// expect: barriers = 32
//
// launch: -k transpose_padded -g 2,2 -b 32,8 f64x4096=iota f64x4096=zero
// a row of 33 doubles: lanes of a half-warp are 66 words apart, on 32 different banks: 0 replays
// expect: arg1[0] = 0 64 128 192 256
// expect: arg1[4094] = 4031 4095
// expect: global_store_lines = 256
// expect: shared_store_wavefronts = 256
// expect: shared_store_wavefronts_ideal = 256
// expect: shared_load_wavefronts = 256
// expect: shared_load_wavefronts_ideal = 256

constexpr int n = 64;
constexpr int tile = 32;
constexpr int rows = 8;

extern "C" __global__ void transpose_naive(const double *in, double *out)
{
    int x = blockIdx.x * tile + threadIdx.x;
    int y = blockIdx.y * tile + threadIdx.y;
    for (int k = 0; k < tile; k += rows)
        out[x * n + y + k] = in[(y + k) * n + x];
}

template <int width>
static __device__ __forceinline__ void transpose_through(double *stage, const double *in,
                                                         double *out)
{
    int x = blockIdx.x * tile + threadIdx.x;
    int y = blockIdx.y * tile + threadIdx.y;
    for (int k = 0; k < tile; k += rows)
        stage[(threadIdx.y + k) * width + threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * tile + threadIdx.x;
    y = blockIdx.x * tile + threadIdx.y;
    for (int k = 0; k < tile; k += rows)
        out[(y + k) * n + x] = stage[threadIdx.x * width + threadIdx.y + k];
}

extern "C" __global__ void transpose_staged(const double *in, double *out)
{
    __shared__ double stage[tile * tile];
    transpose_through<tile>(stage, in, out);
}

extern "C" __global__ void transpose_padded(const double *in, double *out)
{
    __shared__ double stage[tile * (tile + 1)];
    transpose_through<tile + 1>(stage, in, out);
}
