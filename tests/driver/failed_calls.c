/* SPDX-License-Identifier: Apache-2.0
 * Calls that fail and whose codes nobody looks at, beside those that programs make to see whether
 * they fail. */
#include "cu.h"

extern int cudaMalloc(void **out, size_t bytes);
extern int cudaFree(void *at);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaPointerGetAttributes(void *out, const void *at);
extern int cudaEventQuery(void *event);
extern int cuMemsetD8_v2(address to, unsigned char value, size_t count);
extern int cuFuncSetAttribute(void *function, int attribute, int value);

/* An attribute that CUDA 13.0 has not, as Triton sets one to see whether there is oversized shared
 * memory; what follows is told again. */
static void try_newer_attribute(void)
{
    enum { SHARED_MEMORY_MODE = 17, OVERSIZED = 3 };
    void *module, *function;
    cuModuleLoadData(&module, kernels);
    cuModuleGetFunction(&function, module, "axpy");
    if (cuFuncSetAttribute(function, SHARED_MEMORY_MODE, OVERSIZED) != INVALID_VALUE)
        puts("taken");
}

int main(void)
{
    enum { BYTES = 128, TO_HOST = 2 };
    char host[2 * BYTES];
    void *memory;
    cudaMalloc(&memory, BYTES);
    cudaMemcpy(host, memory, sizeof host, TO_HOST);
    cudaFree(memory);
    try_newer_attribute();
    for (int i = 0; i < 2; i++)
        cudaFree(memory);
    cuMemsetD8_v2((address)memory, 0, BYTES);
    cudaPointerGetAttributes(NULL, memory);
    cudaEventQuery(host);
    cudaMalloc(&memory, SIZE_MAX / 4);
    return 0;
}
