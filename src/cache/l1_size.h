/* SPDX-License-Identifier: Apache-2.0
 * The size of the L1 of a device during a launch. */
#ifndef IFL_CACHE_L1_SIZE_H
#define IFL_CACHE_L1_SIZE_H

#include "arch/cache_rules.h"
#include "device/device.h"

/* What shared memory leaves for the L1 of an SM that holds `blocks` blocks of `shared_bytes`
 * each; `preference` as in device/shared_size.h. */
uint64_t ifl_cache_l1_bytes(const ifl_device *device, const ifl_cache_rules *rules, int preference,
                            uint32_t blocks, uint64_t shared_bytes);

#endif
