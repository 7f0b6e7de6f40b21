/* SPDX-License-Identifier: Apache-2.0
 * How much of the memory that an SM's L1 and shared memory have together is shared memory during a
 * launch. */
#ifndef IFL_DEVICE_SHARED_SIZE_H
#define IFL_DEVICE_SHARED_SIZE_H

#include "arch/cache_rules.h"
#include "device/device.h"

/* What a program asks for: nothing, 1 + a percentage of what shared memory can have
 * (cudaFuncAttributePreferredSharedMemoryCarveout), or as large an L1 as a block leaves
 * (cudaFuncCachePreferL1). */
enum {
    IFL_SHARED_DEFAULT = 0,
    IFL_SHARED_EQUAL = 1 + 50,
    IFL_SHARED_MOST = 1 + 100,
    IFL_SHARED_LEAST = 1 + 101
};

/* Bytes, where an SM could hold `blocks` blocks of `shared_bytes` each if there were room for
 * them. */
uint64_t ifl_shared_size(const ifl_device *device, const ifl_cache_rules *rules, int preference,
                         uint32_t blocks, uint64_t shared_bytes);
/* What limits how many blocks an SM holds, as the preference does; 0: nothing but the device
 * does. */
uint64_t ifl_shared_limit(const ifl_device *device, int preference, uint64_t shared_bytes);

#endif
