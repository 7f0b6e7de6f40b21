// SPDX-License-Identifier: Apache-2.0
// Structures of 8 floats, of which 3 are used: an array of structures. After: arrays.
#include "pair.h"
struct particle {
    float x, y, z, vx, vy, vz, mass, charge;
};
extern "C" __global__ void move_particles(particle *p, int n, float dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += dt * p[i].vx;
}
extern "C" __global__ void move_arrays(float *x, const float *vx, int n, float dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += dt * vx[i];
}
int main()
{
    const int n = 1 << 23;
    particle *p = room<particle>(n);
    float *x = room<float>(n), *vx = room<float>(n);
    pair(
        "particles", [=] { move_particles<<<n / 256, 256>>>(p, n, 0.5f); },
        [=] { move_arrays<<<n / 256, 256>>>(x, vx, n, 0.5f); });
}
