/* SPDX-License-Identifier: Apache-2.0
 * See gpu_bytes.h. */
#include "standin/gpu_bytes.h"

size_t ifl_gpu_bytes(const ifl_device *device)
{
    enum { WITHOUT_A_FIGURE_GIB = 16 };
    return device->known[IFL_DEVICE_dram_bytes] ? (size_t)device->value[IFL_DEVICE_dram_bytes]
                                                : (size_t)WITHOUT_A_FIGURE_GIB << 30;
}
