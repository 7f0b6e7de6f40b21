/* SPDX-License-Identifier: Apache-2.0
 * Hashes of bytes and words: FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), and of one number. */
#ifndef IFL_BASE_DIGEST_H
#define IFL_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define IFL_HASH_BASIS UINT64_C(14695981039346656037)

static inline uint64_t ifl_hash_bytes(uint64_t hash, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

/* A word at a time; the product's upper half is brought down to the bits that the next one meets. */
static inline uint64_t ifl_hash_words(uint64_t hash, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * UINT64_C(1099511628211);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Numbers that follow each other become numbers that do not: SplitMix64 (Steele, Lea, Flood, "Fast
 * splittable pseudorandom number generators", 2014). */
static inline uint64_t ifl_hash_number(uint64_t number)
{
    uint64_t z = number + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
