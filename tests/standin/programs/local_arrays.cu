// SPDX-License-Identifier: Apache-2.0
#include "check.h"

struct big {
    int value[64];
    char tag;
};

__global__ void digits(big in, int *to, int n)
{
    int count[10] = {}, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned v = (unsigned)i * 7919u + in.value[i % 64]; v; v /= 10)
        count[v % 10]++;
    int best = 0;
    for (int d = 1; d < 10; d++)
        if (count[d] > count[best])
            best = d;
    if (i < n)
        to[i] = best + in.tag;
}

int main()
{
    const int n = 640;
    static int got[n], wanted[n];
    big in;
    in.tag = 'A';
    for (int i = 0; i < 64; i++)
        in.value[i] = i * i;
    for (int i = 0; i < n; i++) {
        int count[10] = {}, best = 0;
        for (unsigned v = (unsigned)i * 7919u + in.value[i % 64]; v; v /= 10)
            count[v % 10]++;
        for (int d = 1; d < 10; d++)
            if (count[d] > count[best])
                best = d;
        wanted[i] = best + 'A';
    }
    int *G = on_gpu(got, n);
    digits<<<n / 64, 64>>>(in, G, n);
    from_gpu(got, G, n);
    return compare("digits", got, wanted, n);
}
