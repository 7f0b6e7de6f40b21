/* SPDX-License-Identifier: Apache-2.0
 * An array of structures of which a kernel needs three members: neighbouring threads are 48 bytes apart. */
struct particle {
    float x, y, z, mass, vx, vy, vz, charge, fx, fy, fz, age;
};

extern "C" __global__ void slow(int n, const void *in, float *out)
{
    const particle *particles = static_cast<const particle *>(in);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = particles[i].x * particles[i].x + particles[i].y * particles[i].y + particles[i].z * particles[i].z;
}

/* The same members, each in an array of its own. */
extern "C" __global__ void fast(int n, const void *in, float *out)
{
    const float *x = static_cast<const float *>(in), *y = x + n, *z = y + n;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = x[i] * x[i] + y[i] * y[i] + z[i] * z[i];
}
