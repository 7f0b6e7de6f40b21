// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <algorithm>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <vector>

struct square {
    __host__ __device__ long long operator()(int x) const
    {
        return (long long)x * x;
    }
};

int main()
{
    const int n = 3000;
    std::vector<int> host(n), got(n);
    long long wanted = 0;
    for (int i = 0; i < n; i++) {
        host[i] = (int)((i * 2654435761u) >> 20);
        wanted += (long long)host[i] * host[i];
    }
    thrust::device_vector<int> x(host.begin(), host.end());
    const long long sum =
        thrust::transform_reduce(x.begin(), x.end(), square(), 0ll, thrust::plus<long long>());
    thrust::sort(x.begin(), x.end());
    thrust::copy(x.begin(), x.end(), got.begin());
    std::sort(host.begin(), host.end());
    return compare("squares", &sum, &wanted, 1) | compare("sorted", got.data(), host.data(), n);
}
