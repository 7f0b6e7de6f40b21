/* SPDX-License-Identifier: Apache-2.0
 * The L1 is what shared memory leaves. */
#include "cache/l1_size.h"

#include "device/shared_size.h"

uint64_t ifl_cache_l1_bytes(const ifl_device *device, const ifl_cache_rules *rules, int preference,
                            uint32_t blocks, uint64_t shared_bytes)
{
    const uint64_t total = (uint64_t)device->value[IFL_DEVICE_l1_bytes_per_sm];
    const uint64_t shared = ifl_shared_size(device, rules, preference, blocks, shared_bytes);
    return total > shared ? total - shared : 0;
}
