// SPDX-License-Identifier: Apache-2.0
// How many clusters of a kernel that is bounded to one thread a block are active at once, asked with 128 threads and all
// shared memory (as CUTLASS's DSL asks for the grid of its persistent kernels).
#include "check.h"

__global__ void __launch_bounds__(1) empty()
{
}

int main()
{
    int most, blocks, clusters;
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty, 1, (size_t)most));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = {2, (unsigned)blocks, 1};
    config.blockDim = {128, 1, 1};
    config.dynamicSmemBytes = (size_t)most;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, empty, &config));
    printf("%d block per SM, clusters of 2: %s\n", blocks, clusters > 32 ? "many" : "few");
    return 0;
}
