/* SPDX-License-Identifier: Apache-2.0
 * Shared memory gets one of a few sizes. Which one, an H200's driver (580.159.04) told in
 * launch__shared_mem_config_size: tests/gpu/h200/shared_sizes.txt. */
#include "device/shared_size.h"

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

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t field(const ifl_device *device, ifl_device_field which)
{
    return (uint64_t)device->value[which];
}

/* With what the system keeps of each block. */
static uint64_t block_of(const ifl_device *device, uint64_t shared_bytes)
{
    const uint64_t unit = field(device, IFL_DEVICE_shared_unit);
    return (shared_bytes + field(device, IFL_DEVICE_shared_reserved_per_block) + unit - 1) / unit *
           unit;
}

/* Room for the blocks, and some to spare: of what the system keeps, or for as many blocks again. */
static uint64_t chosen_by_driver(const ifl_device *device, const ifl_cache_rules *rules,
                                 uint32_t blocks, uint64_t shared_bytes)
{
    enum { FEW_BLOCKS = 4 }; /* two of 1,024 threads get no room for two more */
    const uint64_t reserved = field(device, IFL_DEVICE_shared_reserved_per_block),
                   block = block_of(device, shared_bytes);
    const uint64_t spare = least_of(rules->spare_shared_times * blocks * reserved,
                                    (uint64_t)rules->spare_shared_kib * KIB);
    const uint64_t twice =
        least_of(2ull * blocks, field(device, IFL_DEVICE_max_blocks_per_sm)) * block;
    const bool doubles = shared_bytes >= reserved && blocks >= FEW_BLOCKS;
    const uint64_t wanted =
        doubles ? least_of(twice, (uint64_t)rules->spare_blocks_kib * KIB) : spare;
    const uint64_t needed = most_of(blocks * block, most_of(wanted, spare));
    return most_of(fitting(rules, needed), (uint64_t)rules->default_shared_kib * KIB);
}

/* Room for the data of as many whole blocks as fit the bytes that were asked for, and for what the
 * system keeps of each. */
static uint64_t asked_for(const ifl_device *device, const ifl_cache_rules *rules, int preference,
                          uint64_t shared_bytes)
{
    enum {
        MOST_BLOCKS = 64,
        ALL = 100
    }; /* the former is of IFL_SHARED_LEAST: blocks of 64 bytes */
    const uint64_t block = block_of(device, shared_bytes),
                   total = field(device, IFL_DEVICE_shared_bytes_per_sm);
    const bool least = preference == IFL_SHARED_LEAST;
    const uint64_t bytes = least ? fitting(rules, block) : total * (uint64_t)(preference - 1) / ALL;
    const uint64_t blocks =
        shared_bytes ? least_of(bytes / shared_bytes, least ? MOST_BLOCKS : UINT64_MAX) : 0;
    return fitting(rules, most_of(most_of(bytes, blocks * block), block));
}

uint64_t ifl_shared_size(const ifl_device *device, const ifl_cache_rules *rules, int preference,
                         uint32_t blocks, uint64_t shared_bytes)
{
    const uint64_t by_driver = chosen_by_driver(device, rules, blocks, shared_bytes);
    if (preference == IFL_SHARED_DEFAULT)
        return by_driver;
    const uint64_t asked = asked_for(device, rules, preference, shared_bytes);
    return shared_bytes ? asked : most_of(asked, by_driver);
}

uint64_t ifl_shared_limit(const ifl_device *device, int preference, uint64_t shared_bytes)
{
    ifl_cache_rules rules;
    if (preference == IFL_SHARED_DEFAULT || !shared_bytes ||
        !ifl_cache_rules_find(device->value[IFL_DEVICE_compute_capability], &rules))
        return 0;
    return asked_for(device, &rules, preference, shared_bytes);
}
