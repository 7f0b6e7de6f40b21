/* SPDX-License-Identifier: Apache-2.0
 * Waves of equal blocks and what the last, partial one costs (document 004, "Waves and Tails"). */
#include "device/block_places.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

void ifl_waves_compute(const ifl_device *device, uint64_t blocks, int blocks_per_sm, int cluster,
                       ifl_waves *out)
{
    memset(out, 0, sizeof *out);
    out->blocks_per_sm = blocks_per_sm;
    out->blocks = blocks;
    out->cluster = (uint32_t)fmax(cluster, 1);
    if (blocks_per_sm < 1 || !blocks)
        return;
    out->wave_blocks = ifl_place_held((uint32_t)device->value[IFL_DEVICE_sms],
                                      (uint32_t)blocks_per_sm, out->cluster);
    out->full_waves = blocks / out->wave_blocks;
    out->waves = (double)blocks / (double)out->wave_blocks;
    out->partial_wave = (double)(blocks % out->wave_blocks) / (double)out->wave_blocks;
    out->tail_efficiency = out->waves / ceil(out->waves);
}
