/* SPDX-License-Identifier: Apache-2.0
 * See sha256.h. Names of the functions are those of FIPS 180-4, sections 4.1.2 and 6.2.2. */
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t sigma0(uint32_t x)
{
    return rotr(x, 7) ^ rotr(x, 18) ^ x >> 3;
}

static uint32_t sigma1(uint32_t x)
{
    return rotr(x, 17) ^ rotr(x, 19) ^ x >> 10;
}

static void schedule(const unsigned char *block, uint32_t w[64])
{
    for (int t = 0; t < 16; t++, block += 4)
        w[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
               block[3];
    for (int t = 16; t < 64; t++)
        w[t] = sigma1(w[t - 2]) + w[t - 7] + sigma0(w[t - 15]) + w[t - 16];
}

/* One step on a to h. */
static void step(uint32_t s[8], uint32_t word)
{
    const uint32_t sum1 = rotr(s[4], 6) ^ rotr(s[4], 11) ^ rotr(s[4], 25);
    const uint32_t sum0 = rotr(s[0], 2) ^ rotr(s[0], 13) ^ rotr(s[0], 22);
    const uint32_t ch = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const uint32_t maj = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    const uint32_t t1 = s[7] + sum1 + ch + word;
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t1;
    s[0] = t1 + sum0 + maj;
}

static void take_block(ifl_sha256 *hash, const unsigned char *block)
{
    uint32_t w[64], s[8];
    schedule(block, w);
    memcpy(s, hash->state, sizeof s);
    for (int t = 0; t < 64; t++)
        step(s, k[t] + w[t]);
    for (int i = 0; i < 8; i++)
        hash->state[i] += s[i];
}

void ifl_sha256_start(ifl_sha256 *hash)
{
    *hash = (ifl_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                   0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void ifl_sha256_add(ifl_sha256 *hash, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    while (bytes) {
        const size_t used = hash->bytes % sizeof hash->block;
        const size_t room = sizeof hash->block - used, take = bytes < room ? bytes : room;
        memcpy(hash->block + used, from, take);
        hash->bytes += take;
        from += take;
        bytes -= take;
        if (take == room)
            take_block(hash, hash->block);
    }
}

void ifl_sha256_add_text(ifl_sha256 *hash, const char *text)
{
    ifl_sha256_add(hash, text, strlen(text) + 1);
}

void ifl_sha256_end(ifl_sha256 *hash, char text[IFL_SHA256_TEXT])
{
    static const unsigned char padding[64] = {0x80};
    const uint64_t bits = hash->bytes * 8;
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    ifl_sha256_add(hash, padding, 1 + (119 - hash->bytes % 64) % 64);
    ifl_sha256_add(hash, length, sizeof length);
    for (int i = 0; i < 8; i++)
        snprintf(text + 8 * i, IFL_SHA256_TEXT - 8 * (size_t)i, "%08x", hash->state[i]);
}
