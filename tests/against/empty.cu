// SPDX-License-Identifier: Apache-2.0
// A kernel named as one of cheats.cu, which does nothing: nvcc -cubin -arch=sm_90 -o empty.sm_90.cubin empty.cu
extern "C" __global__ void honest(float *, const float *, float)
{
}
