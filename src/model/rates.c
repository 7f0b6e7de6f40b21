/* SPDX-License-Identifier: Apache-2.0
 * What a device can do, from its description. Where a figure is unmeasured a rule stands in for it; docs/model.md lists
 * the rules with their sources. */
#include "model/model.h"

#include <string.h>

static double field_or(const ifl_device *device, ifl_device_field field, double otherwise)
{
    return device->known[field] ? device->value[field] : otherwise;
}

/* What stands in for unmeasured figures, by compute capability: the first row that is not newer. */
typedef struct rule {
    double since;
    double l1_latency, l2_latency, dram_latency; /* cycles */
    double l2_bytes_per_cycle_per_sm;
    double l1_bytes_per_cycle;
    double issue_per_cycle;
    double dram_fraction;
} rule;

/* 2.x, 3.x: document 004 has 400 to 800 cycles to global memory, and 32-lane requests. From 7.0: te42kyfo/gpu-benches,
 * the nearest GPU measured: 8.0 (HBM) and 8.6/8.9 (GDDR) differ. */
static const rule rules[] = {
    {12.0, 36, 276, 632, 16, 64, 4, 0.93},  /* as the L40 */
    {10.0, 32, 280, 679, 38, 128, 4, 0.92}, /* as the GH200 */
    {9.0, 32, 280, 679, 38, 128, 4, 0.92},  {8.9, 36, 276, 632, 16, 64, 4, 0.93},
    {8.6, 33, 250, 550, 16, 64, 4, 0.95},   {8.0, 36, 260, 571, 32, 128, 4, 0.88},
    {7.5, 33, 250, 550, 16, 64, 4, 0.88},   {7.0, 30, 215, 435, 22, 128, 4, 0.91},
    {3.0, 35, 250, 600, 32, 128, 4, 0.8},   {0, 50, 300, 600, 24, 64, 1, 0.8},
};

static const rule *rule_of(const ifl_device *device)
{
    size_t i = 0;
    while (device->value[IFL_DEVICE_compute_capability] < rules[i].since - 0.01)
        i++;
    return &rules[i];
}

/* Latencies are counted in SM cycles, and keep their count when the clock is lowered: the L2 and the crossbar are
 * slowed along with it. One that is known as a time was taken at the device's own clock. */
static double latency_of(const ifl_device *device, ifl_device_field cycles, double otherwise)
{
    double count = field_or(device, cycles, otherwise);
    if (cycles == IFL_DEVICE_dram_latency_cycles && !device->known[cycles] &&
        device->known[IFL_DEVICE_dram_latency_ns])
        count = device->value[IFL_DEVICE_dram_latency_ns] * 1e-9 *
                field_or(device, IFL_DEVICE_latency_clock_hz, device->value[IFL_DEVICE_clock_hz]);
    return count / device->value[IFL_DEVICE_clock_hz];
}

static double lanes_per_s(const ifl_device *device, ifl_device_field lanes)
{
    return field_or(device, lanes, 0) / IFL_WARP_SIZE * device->value[IFL_DEVICE_sms] *
           device->value[IFL_DEVICE_clock_hz];
}

void ifl_rates_find(const ifl_device *device, ifl_rates *out)
{
    const rule *r = rule_of(device);
    const double sms = device->value[IFL_DEVICE_sms], clock = device->value[IFL_DEVICE_clock_hz];
    const double peak = device->value[IFL_DEVICE_dram_bytes_per_s];
    const double triad = field_or(device, IFL_DEVICE_dram_triad_fraction, r->dram_fraction);
    memset(out, 0, sizeof *out);
    out->sms = sms;
    out->clock_hz = clock;
    out->l1_latency_s = latency_of(device, IFL_DEVICE_l1_latency_cycles, r->l1_latency);
    out->l2_latency_s = latency_of(device, IFL_DEVICE_l2_latency_cycles, r->l2_latency);
    out->dram_latency_s = latency_of(device, IFL_DEVICE_dram_latency_cycles, r->dram_latency);
    out->dram_bytes_per_s[0] = peak * field_or(device, IFL_DEVICE_dram_read_fraction, triad);
    out->dram_bytes_per_s[1] = peak * triad;
    out->l2_bytes_per_s =
        field_or(device, IFL_DEVICE_l2_bytes_per_s, r->l2_bytes_per_cycle_per_sm * sms * clock);
    out->l1_passes_per_s =
        field_or(device, IFL_DEVICE_l1_bytes_per_cycle_per_sm, r->l1_bytes_per_cycle) /
        IFL_LINE_SIZE * sms * clock;
    out->l1_by_line = device->value[IFL_DEVICE_compute_capability] < 7;
    out->load_sector_bytes =
        device->value[IFL_DEVICE_compute_capability] < 3 ? IFL_LINE_SIZE : IFL_SECTOR_SIZE;
    out->issue_per_s = r->issue_per_cycle * sms * clock;
    out->fp32_per_s = lanes_per_s(device, IFL_DEVICE_fp32_lanes_per_sm);
    out->fp64_per_s = lanes_per_s(device, IFL_DEVICE_fp64_lanes_per_sm);
    out->int32_per_s = lanes_per_s(device, IFL_DEVICE_int32_lanes_per_sm);
    out->special_per_s =
        out->fp32_per_s / 8; /* 16 lanes beside 128 (CUDA C++ Programming Guide, throughput) */
}
