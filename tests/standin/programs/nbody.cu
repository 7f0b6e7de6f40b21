// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

__host__ __device__ inline void pull(float3 &a, float4 me, float4 other)
{
    const float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
    const float d = x * x + y * y + z * z + 0.01f;
    const float r = 1.0f / sqrtf(d), f = other.w * r * r * r;
    a.x += x * f;
    a.y += y * f;
    a.z += z * f;
}

__global__ void forces(const float4 *bodies, float3 *to, int n)
{
    extern __shared__ float4 near[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float3 a = {0, 0, 0};
    for (int first = 0; first < n; first += blockDim.x) {
        near[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (unsigned j = 0; j < blockDim.x; j++)
            pull(a, bodies[i], near[j]);
        __syncthreads();
    }
    to[i] = a;
}

int main()
{
    const int n = 512;
    std::vector<float4> bodies(n);
    std::vector<float3> got(n), wanted(n);
    for (int i = 0; i < n; i++)
        bodies[i] = make_float4(i % 8, i / 8 % 8, i / 64, 1 + i % 3);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            pull(wanted[i], bodies[i], bodies[j]);
    float4 *B = on_gpu(bodies.data(), n);
    float3 *A = on_gpu(got.data(), n);
    forces<<<n / 128, 128, 128 * sizeof(float4)>>>(B, A, n);
    from_gpu(got.data(), A, n);
    return compare("forces", &got[0].x, &wanted[0].x, 3 * n, 1e-3);
}
