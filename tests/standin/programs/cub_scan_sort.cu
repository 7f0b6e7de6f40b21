// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <vector>

int main()
{
    const int n = 5000;
    std::vector<unsigned> keys(n), sorted(n), sums(n), wanted(n);
    unsigned total = 0;
    for (int i = 0; i < n; i++) {
        keys[i] = (i * 2654435761u) >> 12;
        wanted[i] = total += keys[i];
    }
    unsigned *K = on_gpu(keys.data(), n), *S = on_gpu(sorted.data(), n);
    void *space = nullptr;
    size_t bytes = 0, more = 0;
    CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, K, S, n));
    CHECK(cub::DeviceRadixSort::SortKeys(nullptr, more, K, S, n));
    CHECK(cudaMalloc(&space, std::max(bytes, more)));
    CHECK(cub::DeviceScan::InclusiveSum(space, bytes, K, S, n));
    from_gpu(sums.data(), S, n);
    int bad = compare("sums", sums.data(), wanted.data(), n);
    CHECK(cub::DeviceRadixSort::SortKeys(space, more, K, S, n));
    from_gpu(sorted.data(), S, n);
    std::sort(keys.begin(), keys.end());
    return bad | compare("sorted", sorted.data(), keys.data(), n);
}
