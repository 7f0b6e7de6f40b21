// SPDX-License-Identifier: Apache-2.0
// A probe ends where a call of CUDA fails: exit status 5, as `inflight` has it of a GPU.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status = (call);                                                         \
        if (status != cudaSuccess) {                                                               \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                        \
            exit(5);                                                                               \
        }                                                                                          \
    } while (0)
