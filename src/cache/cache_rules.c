/* SPDX-License-Identifier: Apache-2.0
 * The rows of cache_rules.def, and the sizes that follow from them. */
#include "cache/cache_rules.h"

enum { KIB = 1024 };

static const ifl_cache_rules rows[] = {
#define RULES(from, to, ...) {.first = from, .last = to, __VA_ARGS__},
#include "cache/cache_rules.def"
#undef RULES
};

const ifl_cache_rules *ifl_cache_rules_of(const ifl_device *device)
{
    const double nearly = 0.01; /* 3.5 in a file is a number, not a pair */
    double cc = device->value[IFL_DEVICE_compute_capability];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cc > rows[i].first - nearly && cc < rows[i].last + nearly)
            return &rows[i];
    return NULL;
}

/* The least size that shared memory can have with room for `bytes`; the largest where none has. */
static uint64_t fitting(const ifl_cache_rules *rules, uint64_t bytes)
{
    uint64_t size = 0;
    for (int i = 0; i < IFL_MAX_CARVEOUTS && (i == 0 || rules->shared_kib[i]); i++) {
        size = (uint64_t)rules->shared_kib[i] * KIB;
        if (size >= bytes)
            break;
    }
    return size;
}

/* Seen on an H200 (docs/caches.md): with room for four times what the system reserves, up to 32
 * KiB. */
static uint64_t spare(const ifl_device *device, uint32_t blocks)
{
    uint64_t reserved = blocks * (uint64_t)device->value[IFL_DEVICE_shared_reserved_per_block];
    return 4 * reserved < 32 * KIB ? 4 * reserved : reserved ? 32 * KIB : 0;
}

uint64_t ifl_cache_l1_bytes(const ifl_device *device, const ifl_cache_rules *rules, uint32_t blocks,
                            uint64_t shared_bytes)
{
    uint64_t total = (uint64_t)device->value[IFL_DEVICE_l1_bytes_per_sm];
    uint64_t reserved = (uint64_t)device->value[IFL_DEVICE_shared_reserved_per_block];
    uint64_t unit = (uint64_t)device->value[IFL_DEVICE_shared_unit];
    uint64_t block = (shared_bytes + reserved + unit - 1) / unit * unit;
    uint64_t needed = blocks * block, least = spare(device, blocks);
    uint64_t shared = fitting(rules, needed > least ? needed : least);
    uint64_t preferred = (uint64_t)rules->default_shared_kib * KIB;
    shared = shared > preferred ? shared : preferred;
    return total > shared ? total - shared : 0;
}
