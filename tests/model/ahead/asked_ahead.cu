// SPDX-License-Identifier: Apache-2.0
// Each thread adds up every `all`-th element, and asks for the one of `far` turns later: also past the end of the array, where
// nothing is. far 0: it does not ask.
//     nvcc -arch=sm_90 -ptx asked_ahead.cu; nvcc -arch=sm_90 -cubin -o asked_ahead.sm_90.cubin asked_ahead.cu
extern "C" __global__ void sum(const float *from, float *to, int count, int far)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float sum = 0;
    for (int i = first; i < count; i += all) {
        if (far)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(from + i + far * all));
        sum += from[i];
    }
    to[first] = sum;
}
