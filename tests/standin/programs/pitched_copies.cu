// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

__global__ void add_place(char *at, size_t pitch, int w, int h, int d)
{
    const int x = threadIdx.x + blockIdx.x * blockDim.x, y = blockIdx.y, z = blockIdx.z;
    if (x < w)
        ((float *)(at + (z * h + y) * pitch))[x] += 100 * z + 10 * y;
}

int main()
{
    const int w = 50, h = 9, d = 4;
    std::vector<float> host(w * h * d), back(w * h * d), wanted(w * h * d);
    for (int i = 0; i < w * h * d; i++) {
        host[i] = (float)(i % w);
        wanted[i] = host[i] + 100 * (i / (w * h)) + 10 * (i / w % h);
    }
    cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, make_cudaExtent(w * sizeof(float), h, d)));
    printf("rows are aligned: %d\n", box.pitch >= w * sizeof(float) && box.pitch % 256 == 0);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host.data(), w * sizeof(float), w, h);
    copy.dstPtr = box;
    copy.extent = make_cudaExtent(w * sizeof(float), h, d);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    add_place<<<dim3(2, h, d), 32>>>((char *)box.ptr, box.pitch, w, h, d);
    CHECK(cudaMemcpy2D(back.data(), w * sizeof(float), box.ptr, box.pitch, w * sizeof(float), h * d,
                       cudaMemcpyDeviceToHost));
    CHECK(cudaMemset2D(box.ptr, box.pitch, 0, w * sizeof(float), h));
    printf("wider than a row: %s\n",
           cudaGetErrorName(
               cudaMemcpy2D(back.data(), 4, box.ptr, box.pitch, 8, 1, cudaMemcpyDeviceToHost)));
    return compare("box", back.data(), wanted.data(), w * h * d);
}
