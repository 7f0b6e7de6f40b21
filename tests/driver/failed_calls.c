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

int main(void)
{
    enum { BYTES = 128, TO_HOST = 2 };
    char host[2 * BYTES];
    void *memory;
    cudaMalloc(&memory, BYTES);
    cudaMemcpy(host, memory, sizeof host, TO_HOST);
    cudaFree(memory);
    for (int i = 0; i < 2; i++)
        cudaFree(memory);
    cuMemsetD8_v2((address)memory, 0, BYTES);
    cudaPointerGetAttributes(NULL, memory);
    cudaEventQuery(host);
    cudaMalloc(&memory, SIZE_MAX / 4);
    return 0;
}
