// SPDX-License-Identifier: Apache-2.0
// Copies in batches, boxes between GPUs (here of one), and what a kernel says of its parameters (CUDA Runtime API,
// cudaMemcpyBatchAsync, cudaMemcpy3DPeer, cudaFuncGetParamInfo).
#include "check.h"

struct pair {
    double a, b;
};

__global__ void takes(char first, pair second, int third, float *out)
{
    *out = (float)(first + second.a + second.b + third);
}

static void name(const char *what, cudaError_t code)
{
    printf("%s: %s\n", what, cudaGetErrorName(code));
}

static void batches()
{
    static int from[3] = {1, 2, 3}, to[3];
    int *on;
    cudaStream_t s;
    CHECK(cudaMalloc(&on, sizeof from));
    CHECK(cudaStreamCreate(&s));
    cudaMemcpyAttributes how[2] = {};
    how[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    how[1].srcAccessOrder = cudaMemcpySrcAccessOrderAny;
    size_t sizes[3] = {4, 4, 4}, first[2] = {0, 2}, wrong[2] = {0, 3};
    void *there[3] = {on + 2, on + 1, on}, *back[3] = {to, to + 1, to + 2};
    const void *host[3] = {from, from + 1, from + 2}, *again[3] = {on, on + 1, on + 2};
    CHECK(cudaMemcpyBatchAsync(there, host, sizes, 3, how, first, 2, s));
    CHECK(cudaMemcpyBatchAsync(back, again, sizes, 3, how, first, 1, s));
    CHECK(cudaStreamSynchronize(s));
    printf("turned: %d %d %d\n", to[0], to[1], to[2]);
    name("the legacy stream", cudaMemcpyBatchAsync(there, host, sizes, 3, how, first, 2, 0));
    name("attributes for a fourth", cudaMemcpyBatchAsync(there, host, sizes, 3, how, wrong, 2, s));
    how[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    name("in no order", cudaMemcpyBatchAsync(there, host, sizes, 3, how, first, 2, s));
    CHECK(cudaStreamDestroy(s));
    CHECK(cudaFree(on));
}

// The inner 2 x 2 ints of 4 x 4.
static void boxes()
{
    static int host[16], got[4];
    int *a, *b;
    for (int i = 0; i < 16; i++)
        host[i] = i;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof got));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    cudaMemcpy3DPeerParms box = {};
    box.srcPtr = make_cudaPitchedPtr(a, 16, 16, 4);
    box.srcPos = make_cudaPos(4, 1, 0);
    box.dstPtr = make_cudaPitchedPtr(b, 8, 8, 2);
    box.extent = make_cudaExtent(8, 2, 1);
    CHECK(cudaMemcpy3DPeer(&box));
    CHECK(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
    printf("box: %d %d %d %d\n", got[0], got[1], got[2], got[3]);
    box.dstDevice = 64;
    name("to no GPU", cudaMemcpy3DPeerAsync(&box, 0));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

int main()
{
    batches();
    boxes();
    for (size_t i = 0; i < 4; i++) {
        size_t offset, bytes;
        CHECK(cudaFuncGetParamInfo((const void *)takes, i, &offset, &bytes));
        printf("%zu bytes at %zu%s", bytes, offset, i < 3 ? ", " : "\n");
    }
    size_t offset;
    name("a fifth", cudaFuncGetParamInfo((const void *)takes, 4, &offset, NULL));
}
