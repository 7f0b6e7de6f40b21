// SPDX-License-Identifier: Apache-2.0
// What the probes of textures print: a line a name with the hash of its words and the first eight, and in a folder all of them.
#ifndef TEXTURE_TELL_H
#define TEXTURE_TELL_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <string>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t code = (call);                                                           \
        if (code != cudaSuccess) {                                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorName(code));            \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

typedef std::vector<uint32_t> words;

static const char *folder; /* NULL: none */

static uint64_t hash_of(const void *data, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static void keep(const std::string &name, const void *data, size_t size)
{
    std::string path = name;
    for (char &c : path)
        c = c == '/' ? '_' : c;
    FILE *f = fopen((std::string(folder) + "/" + path + ".bin").c_str(), "wb");
    if (!f)
        return;
    fwrite(data, 1, size, f);
    fclose(f);
}

static void tell(const std::string &name, const words &of)
{
    printf("%s %016llx", name.c_str(), (unsigned long long)hash_of(of.data(), of.size() * 4));
    for (size_t i = 0; i < 8 && i < of.size(); i++)
        printf(" %08x", of[i]);
    printf("\n");
    if (folder)
        keep(name, of.data(), of.size() * 4);
}

#endif
