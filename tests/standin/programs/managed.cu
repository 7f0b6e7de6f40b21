// SPDX-License-Identifier: Apache-2.0
#include "check.h"

struct node {
    node *next;
    int value;
};

__managed__ int visits;
__managed__ int table[4] = {1, 2, 3, 4};

__global__ void walk(const node *at, int *sum)
{
    for (; at; at = at->next) {
        *sum += at->value;
        visits++;
    }
    table[3] = 40;
}

int main()
{
    node *nodes;
    int *sum;
    CHECK(cudaMallocManaged(&nodes, 100 * sizeof(node)));
    CHECK(cudaMallocManaged(&sum, sizeof *sum));
    for (int i = 0; i < 100; i++)
        nodes[i] = {i + 1 < 100 ? &nodes[i + 1] : nullptr, i};
    *sum = 0;
    visits = 5;
    walk<<<1, 1>>>(nodes, sum);
    CHECK(cudaDeviceSynchronize());
    printf("sum %d, visits %d, table %d %d\n", *sum, visits, table[0], table[3]);
    CHECK(cudaFree(nodes));
    CHECK(cudaFree(sum));
    return 0;
}
