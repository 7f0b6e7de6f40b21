/* SPDX-License-Identifier: Apache-2.0
 * Shared memory gets one of a few sizes; the L1 is the rest. */
#include "cache/l1_size.h"

enum { KIB = 1024 };

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

/* The driver leaves room for more than what the system reserves of each block. */
static uint64_t spare(const ifl_cache_rules *rules, uint64_t reserved)
{
    const uint64_t wanted = rules->spare_shared_times * reserved;
    const uint64_t most = (uint64_t)rules->spare_shared_kib * KIB;
    return wanted < most ? wanted : most;
}

uint64_t ifl_cache_l1_bytes(const ifl_device *device, const ifl_cache_rules *rules, uint32_t blocks,
                            uint64_t shared_bytes)
{
    const uint64_t total = (uint64_t)device->value[IFL_DEVICE_l1_bytes_per_sm];
    const uint64_t reserved = (uint64_t)device->value[IFL_DEVICE_shared_reserved_per_block];
    const uint64_t unit = (uint64_t)device->value[IFL_DEVICE_shared_unit];
    const uint64_t block = (shared_bytes + reserved + unit - 1) / unit * unit;
    const uint64_t needed = blocks * block, least = spare(rules, blocks * reserved);
    uint64_t shared = fitting(rules, needed > least ? needed : least);
    const uint64_t preferred = (uint64_t)rules->default_shared_kib * KIB;
    shared = shared > preferred ? shared : preferred;
    return total > shared ? total - shared : 0;
}
