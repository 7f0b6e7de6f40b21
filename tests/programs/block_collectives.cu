// SPDX-License-Identifier: Apache-2.0
// CUB, as nvcc compiles it: a stable sort of pairs in a block, prefix sums of a block, sums over
// eighths of a warp. The lines below are the test of the PTX beside this file, whose head
// tools/make-lab copies from here.
//
// launch: -k sort_pairs -g 1 -b 64 i32x128=zero u32x128=zero
// descending; equal keys keep their order
// expect: arg0[0] = 31 30 29 28*5 27*3 26 26 25 24 23 22 21 20 18*4 17 17 16 15*3 13 12*3 11 10 9*3
// expect: arg0[38] = 8*4 7 6*4 5 4 4 3 3 1 0 -1*3 -2 -2 -3 -3 -5 -5 -6 -7 -7 -8 -10 -10 -11 -11 -12
// expect: arg0[72] = -12 -13 -13 -14 -14 -15*5 -16 -16 -17*4 -19 -19 -21*3 -22*4 -23*4 -24*3 -25*3
// expect: arg0[107] = -26 -27 -27 -28*4 -29 -29 -30 -30 -31*7 -32*3
// expect: arg1[0] = 115 5 10 38 96 111 113 126 6 11 24 8 64 29 123 45 100 31 41 40 58 84 120 13 57
// expect: arg1[25] = 21 16 71 81 75 12 20 125 9 68 25 37 82 43 61 79 92 70 7 14 35 95 17 109 112 26
// expect: arg1[51] = 49 89 88 46 107 127 63 108 3 47 66 103 78 91 110 18 48 86 59 99 54 67 50 65 32
// expect: arg1[76] = 74 4 19 77 85 122 80 101 22 30 73 116 39 102 36 117 118 27 34 72 104 28 56 105
// expect: arg1[100] = 121 62 69 87 15 90 98 51 44 93 94 114 119 124 23 97 42 55 2 33 52 60 76 83 106
// expect: arg1[125] = 0 1 53
//
// launch: -k prefix_sums -g 1 -b 96 u32x96=zero u32x1=zero
// expect: arg0[0] = 0 0 952 1857 2830 3511 3957 4904 5822 6360 6539 7432 7731 8151 8936 9878 9901
// expect: arg0[17] = 10388 10609 10873 10898 11166 12102 13101 13464 14235 14988 15559 15713 15866
// expect: arg0[30] = 15971 16258 16463 16737 17562 18004 18394 19149 19246 20202 20855 21641 22061
// expect: arg0[43] = 22183 22215 22308 22339 23010 23167 23981 24216 24723 25001 25698 26570 26878
// expect: arg0[56] = 27776 28073 28914 29292 29969 30858 31770 32506 32704 32810 33149 33960 34668
// expect: arg0[69] = 35270 36006 36885 37236 37254 38125 38319 38540 39133 39902 40208 40560 41208
// expect: arg0[82] = 41703 42544 43281 44147 45068 45482 45826 46434 47331 48034 48187 49051 49432
// expect: arg0[95] = 50044
// expect: arg1[0] = 50242
//
// launch: -k sums_of_eight -g 1 -b 64 i32x8=zero
// expect: arg0[0] = -1795 84 -1520 1436 -834 974 -437 275

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>

#include "hash.h"

extern "C" __global__ void sort_pairs(int *keys, unsigned *values)
{
    using sort = cub::BlockRadixSort<int, 64, 2, unsigned>;
    __shared__ sort::TempStorage storage;
    int key[2];
    unsigned value[2];
    for (unsigned i = 0; i < 2; i++) {
        value[i] = threadIdx.x * 2 + i;
        key[i] = int(hash(value[i]) % 64) - 32;
    }
    sort(storage).SortDescending(key, value);
    for (unsigned i = 0; i < 2; i++) {
        keys[threadIdx.x * 2 + i] = key[i];
        values[threadIdx.x * 2 + i] = value[i];
    }
}

extern "C" __global__ void prefix_sums(unsigned *out, unsigned *total)
{
    using scan = cub::BlockScan<unsigned, 96>;
    __shared__ scan::TempStorage storage;
    unsigned sum, all;
    scan(storage).ExclusiveSum(hash(threadIdx.x) % 1000, sum, all);
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0)
        *total = all;
}

extern "C" __global__ void sums_of_eight(int *out)
{
    using reduce = cub::WarpReduce<int, 8>;
    __shared__ reduce::TempStorage storage[8];
    int sum = reduce(storage[threadIdx.x / 8]).Sum(int(hash(threadIdx.x) % 2001) - 1000);
    if (threadIdx.x % 8 == 0)
        out[threadIdx.x / 8] = sum;
}
