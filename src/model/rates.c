/* SPDX-License-Identifier: Apache-2.0
 * What a device can do, from its description. Where a GPU was not measured, the limits of its
 * compute capability hold the figures of one that was. */
#include "model/model.h"

#include "base/shared.h"

#include <math.h>
#include <string.h>

static double field_or(const ifl_device *device, ifl_device_field field, double otherwise)
{
    return device->known[field] ? device->value[field] : otherwise;
}

/* Latencies are counted in SM cycles, and keep their count when the clock is lowered: the L2 and
 * the crossbar are slowed along with it. One that is known as a time was taken at the device's own
 * clock. */
static double latency_of(const ifl_device *device, ifl_device_field cycles)
{
    const double clock = device->value[IFL_DEVICE_clock_hz];
    double count = device->value[cycles];
    if (cycles == IFL_DEVICE_dram_latency_cycles && device->known[IFL_DEVICE_dram_latency_ns])
        count = device->value[IFL_DEVICE_dram_latency_ns] * 1e-9 *
                field_or(device, IFL_DEVICE_latency_clock_hz, clock);
    return count / clock;
}

static double lanes_per_s(const ifl_device *device, ifl_device_field lanes)
{
    return field_or(device, lanes, 0) / IFL_WARP_LANES * device->value[IFL_DEVICE_sms] *
           device->value[IFL_DEVICE_clock_hz];
}

IFL_SHARED void ifl_rates_find(const ifl_device *device, ifl_rates *out)
{
    const double sms = device->value[IFL_DEVICE_sms], clock = device->value[IFL_DEVICE_clock_hz];
    const double peak = device->value[IFL_DEVICE_dram_bytes_per_s], each = sms * clock;
    const double triad = device->value[IFL_DEVICE_dram_triad_fraction];
    const ifl_arch arch = ifl_device_arch(device);
    memset(out, 0, sizeof *out);
    out->arch = arch;
    out->sms = sms;
    out->clock_hz = clock;
    out->launch_s = arch.launch_us * 1e-6;
    out->cold_launch_s = arch.cold_launch_us * 1e-6;
    out->l1_latency_s = latency_of(device, IFL_DEVICE_l1_latency_cycles);
    out->l2_latency_s = latency_of(device, IFL_DEVICE_l2_latency_cycles);
    out->l2_other_half_latency_s = device->known[IFL_DEVICE_l2_other_half_latency_cycles]
                                       ? latency_of(device, IFL_DEVICE_l2_other_half_latency_cycles)
                                       : out->l2_latency_s;
    out->dram_latency_s = latency_of(device, IFL_DEVICE_dram_latency_cycles);
    out->dram_bytes_per_s[0] = peak * field_or(device, IFL_DEVICE_dram_read_fraction, triad);
    out->dram_bytes_per_s[1] = peak * triad;
    out->dram_random_bytes_per_s =
        peak * field_or(device, IFL_DEVICE_dram_random_fraction, triad * arch.random_dram);
    out->l2_bytes_per_s = field_or(device, IFL_DEVICE_l2_bytes_per_s,
                                   device->value[IFL_DEVICE_l2_bytes_per_cycle_per_sm] * each);
    out->l1_passes_per_s =
        device->value[IFL_DEVICE_l1_bytes_per_cycle_per_sm] / IFL_LINE_BYTES * each;
    out->shared_passes_per_s = arch.shared_passes_per_cycle * each;
    out->l1_by_line = arch.passes_by_line > 0;
    out->load_sector_bytes = arch.load_piece_bytes;
    out->issue_per_s = device->value[IFL_DEVICE_issue_per_cycle_per_sm] * each;
    out->fp32_per_s = lanes_per_s(device, IFL_DEVICE_fp32_lanes_per_sm);
    out->fp64_per_s = lanes_per_s(device, IFL_DEVICE_fp64_lanes_per_sm);
    out->fp16_flops_per_s = 2 * IFL_WARP_LANES * lanes_per_s(device, IFL_DEVICE_fp16_lanes_per_sm);
    ifl_matrix_costs_find(&arch, field_or(device, IFL_DEVICE_matrix_flops_per_cycle_per_sm, 0),
                          &out->matrix);
    out->int32_per_s = lanes_per_s(device, IFL_DEVICE_int32_lanes_per_sm);
    out->special_per_s = out->fp32_per_s * arch.special_share;
    out->convert_per_s = fmin(lanes_per_s(device, IFL_DEVICE_fp64_lanes_per_sm),
                              arch.convert_lanes / IFL_WARP_LANES * each);
}
