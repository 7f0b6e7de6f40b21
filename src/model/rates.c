/* SPDX-License-Identifier: Apache-2.0
 * What a device can do, from its description. Where a GPU was not measured, the limits of its compute capability hold
 * the figures of one that was. */
#include "model/model.h"

#include <math.h>
#include <string.h>

/* Compute capabilities at which a rule changes. */
enum { KEPLER = 3, MAXWELL = 5, VOLTA = 7 };

/* From and to 64-bit types, at most (CUDA C++ Programming Guide, throughput). */
enum { CONVERT_LANES = 16 };

/* Cycles from an instruction of the PTX to one that waits for it. */
static double dependent_cycles_of(const ifl_device *device)
{
    const double cc = device->value[IFL_DEVICE_compute_capability];
    const ifl_model_values *c = &ifl_model_constants;
    return cc < KEPLER    ? c->dependent_cycles_fermi
           : cc < MAXWELL ? c->dependent_cycles_kepler
                          : c->dependent_cycles;
}

static double field_or(const ifl_device *device, ifl_device_field field, double otherwise)
{
    return device->known[field] ? device->value[field] : otherwise;
}

/* Latencies are counted in SM cycles, and keep their count when the clock is lowered: the L2 and the crossbar are slowed
 * along with it. One that is known as a time was taken at the device's own clock. */
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

void ifl_rates_find(const ifl_device *device, ifl_rates *out)
{
    const double sms = device->value[IFL_DEVICE_sms], clock = device->value[IFL_DEVICE_clock_hz];
    const double peak = device->value[IFL_DEVICE_dram_bytes_per_s], each = sms * clock;
    const double triad = device->value[IFL_DEVICE_dram_triad_fraction];
    memset(out, 0, sizeof *out);
    out->sms = sms;
    out->clock_hz = clock;
    out->dependent_cycles = dependent_cycles_of(device);
    out->l1_latency_s = latency_of(device, IFL_DEVICE_l1_latency_cycles);
    out->l2_latency_s = latency_of(device, IFL_DEVICE_l2_latency_cycles);
    out->l2_other_half_latency_s = device->known[IFL_DEVICE_l2_other_half_latency_cycles]
                                ? latency_of(device, IFL_DEVICE_l2_other_half_latency_cycles)
                                : out->l2_latency_s;
    out->dram_latency_s = latency_of(device, IFL_DEVICE_dram_latency_cycles);
    out->dram_bytes_per_s[0] = peak * field_or(device, IFL_DEVICE_dram_read_fraction, triad);
    out->dram_bytes_per_s[1] = peak * triad;
    out->dram_random_bytes_per_s = peak * field_or(device, IFL_DEVICE_dram_random_fraction,
                                                   triad * ifl_model_constants.random_dram);
    out->l2_bytes_per_s = field_or(device, IFL_DEVICE_l2_bytes_per_s,
                                   device->value[IFL_DEVICE_l2_bytes_per_cycle_per_sm] * each);
    out->l1_passes_per_s =
        device->value[IFL_DEVICE_l1_bytes_per_cycle_per_sm] / IFL_LINE_BYTES * each;
    /* Fermi: 16 load and store units, so that 32 lanes take two cycles (Fermi's whitepaper, from memory). */
    out->shared_passes_per_s =
        device->value[IFL_DEVICE_compute_capability] < KEPLER ? out->l1_passes_per_s : each;
    out->l1_by_line = device->value[IFL_DEVICE_compute_capability] < VOLTA;
    out->load_sector_bytes =
        device->value[IFL_DEVICE_compute_capability] < KEPLER ? IFL_LINE_BYTES : IFL_SECTOR_BYTES;
    out->issue_per_s = device->value[IFL_DEVICE_issue_per_cycle_per_sm] * each;
    out->fp32_per_s = lanes_per_s(device, IFL_DEVICE_fp32_lanes_per_sm);
    out->fp64_per_s = lanes_per_s(device, IFL_DEVICE_fp64_lanes_per_sm);
    out->int32_per_s = lanes_per_s(device, IFL_DEVICE_int32_lanes_per_sm);
    out->special_per_s =
        out->fp32_per_s / 8; /* 16 lanes beside 128 (CUDA C++ Programming Guide, throughput) */
    out->convert_per_s = fmin(lanes_per_s(device, IFL_DEVICE_fp64_lanes_per_sm),
                              CONVERT_LANES / (double)IFL_WARP_LANES * each);
}
