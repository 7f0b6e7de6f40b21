/* SPDX-License-Identifier: Apache-2.0
 * What cheats.cu computes, on the CPU: the interface of docs/against.md. */
#include <stddef.h>
#include <string.h>

extern int inflight_reference(size_t count, void *const *arguments, const size_t *bytes);

__attribute__((visibility("default"))) int inflight_reference(size_t count, void *const *arguments,
                                                              const size_t *bytes)
{
    enum { BLOCK = 256 };
    float bias;
    if (count != 3 || bytes[0] != bytes[1])
        return 1;
    memcpy(&bias, arguments[2], sizeof bias);
    float *out = arguments[0];
    const float *in = arguments[1];
    for (size_t i = 0; i < bytes[0] / sizeof *out; i++)
        out[i] = 2 * in[i - i % BLOCK + BLOCK - 1 - i % BLOCK] + bias;
    return 0;
}
