// SPDX-License-Identifier: Apache-2.0
// Threads copy numbers of a square each, one behind the other: a thread whose numbers end with a row waits behind the inner loop
// (BSYNC), until those that have copied theirs within a row leave both loops (BREAK).
// nvcc -arch=sm_90 -cubin -o broken_waits.sm_90.cubin broken_waits.cu
extern "C" __global__ void copy_square(const int *from, int *to, int width, int each)
{
    const int first = threadIdx.x * each;
    int row = first / width, column = first % width, done = 0;
    for (; row < width; row++) {
        for (; column < width; column++) {
            if (done == each)
                goto end;
            to[row * width + column] = from[row * width + column];
            done++;
        }
        column = 0;
    }
end:
    __syncthreads();
    to[width * width + threadIdx.x] = done;
}
