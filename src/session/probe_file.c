/* SPDX-License-Identifier: Apache-2.0
 * A description of the GPU at hand, in the format of devices/: what its driver tells and what was
 * measured on it, each figure with its source. What is neither told nor measured has no line. */
#include "device/device.h"
#include "gpu/probe.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct writing {
    FILE *out;
    ifl_gpu *gpu;
    const ifl_probe *probe; /* NULL: nothing was measured */
    char driver[64];        /* the source of what the driver tells */
    char measured[64];
} writing;

static void put(const writing *w, ifl_device_field field, double value, const char *source)
{
    const ifl_field_info *info = ifl_field_get(field);
    if (!(value >= info->least && value <= info->most))
        return;
    fprintf(w->out, "%s = %.*f%s%s  # %s\n", info->name,
            value == floor(value) || value >= 1e6 ? 0 : 3, value, *info->unit ? " " : "",
            info->unit, source);
}

static void put_measured(const writing *w, ifl_device_field field, double value, const char *how)
{
    char source[160];
    snprintf(source, sizeof source, "%s: %s", w->measured, how);
    put(w, field, value, source);
}

/* ---- what the driver tells ------------------------------------------------------------------- */

static double attribute(const writing *w, int number)
{
    return ifl_gpu_attribute(w->gpu, number);
}

static bool has_limits(const writing *w, char name[32])
{
    char file[48];
    snprintf(name, 32, "cc_%d.%d", w->gpu->sm / 10, w->gpu->sm % 10);
    snprintf(file, sizeof file, "%s.limits", name);
    for (size_t i = 0; i < ifl_device_text_count; i++)
        if (strcmp(ifl_device_texts[i].name, file) == 0)
            return true;
    return false;
}

/* Where no limits of this compute capability are known: those that the driver tells. Units of
 * allocation it does not. */
static void put_limits(const writing *w)
{
    put(w, IFL_DEVICE_compute_capability, w->gpu->sm / 10.0, w->driver);
    put(w, IFL_DEVICE_max_warps_per_sm, attribute(w, IFL_GPU_SM_THREADS) / 32, w->driver);
    put(w, IFL_DEVICE_max_blocks_per_sm, attribute(w, IFL_GPU_SM_BLOCKS), w->driver);
    put(w, IFL_DEVICE_max_threads_per_block, attribute(w, IFL_GPU_BLOCK_THREADS), w->driver);
    put(w, IFL_DEVICE_registers_per_sm, attribute(w, IFL_GPU_SM_REGISTERS), w->driver);
    put(w, IFL_DEVICE_shared_bytes_per_sm, attribute(w, IFL_GPU_SM_SHARED_BYTES), w->driver);
    put(w, IFL_DEVICE_shared_bytes_per_block, attribute(w, IFL_GPU_BLOCK_SHARED_BYTES), w->driver);
    put(w, IFL_DEVICE_shared_reserved_per_block, attribute(w, IFL_GPU_RESERVED_SHARED_BYTES),
        w->driver);
}

/* The driver tells shared memory only; a known GPU of the same compute capability has the same
 * SM. */
static void put_l1(const writing *w)
{
    for (size_t i = 0; ifl_device_id(i); i++) {
        char id[64], source[160];
        ifl_device *device;
        snprintf(id, sizeof id, "%.*s", (int)strcspn(ifl_device_id(i), "."), ifl_device_id(i));
        if (strlen(id) + 4 < strlen(ifl_device_id(i))) /* a dot within the name */
            continue;
        if (ifl_device_open(id, &device, NULL) != IFL_OK)
            continue;
        const bool same = lround(10 * device->value[IFL_DEVICE_compute_capability]) == w->gpu->sm;
        snprintf(source, sizeof source, "as %.80s, of the same compute capability", id);
        if (same)
            put(w, IFL_DEVICE_l1_bytes_per_sm, device->value[IFL_DEVICE_l1_bytes_per_sm], source);
        ifl_device_close(device);
        if (same)
            return;
    }
}

static void put_told(const writing *w)
{
    char limits[32];
    fprintf(w->out, "name = %s  # %s\n", w->gpu->name, w->driver);
    if (has_limits(w, limits))
        fprintf(w->out, "limits = %s  # compute capability %s\n", limits, w->driver);
    else
        put_limits(w);
    put(w, IFL_DEVICE_sms, w->gpu->sms, w->driver);
    put(w, IFL_DEVICE_clock_hz, 1e3 * attribute(w, IFL_GPU_CLOCK_KHZ), w->driver);
    put_l1(w);
    put(w, IFL_DEVICE_l2_bytes, (double)w->gpu->l2_bytes, w->driver);
}

/* Two transfers a clock. */
static double peak(const writing *w)
{
    return 2 * 1e3 * attribute(w, IFL_GPU_MEMORY_CLOCK_KHZ) *
           attribute(w, IFL_GPU_MEMORY_BUS_BITS) / 8;
}

/* ---- what was measured ----------------------------------------------------------------------- */

/* The latency of the smallest chain of at least `bytes`; NULL where none was that long. */
static const ifl_probe_latency *latency_at(const writing *w, uint64_t bytes)
{
    for (size_t i = 0; i < w->probe->latency_count; i++)
        if (w->probe->latency[i].bytes >= bytes)
            return &w->probe->latency[i];
    return NULL;
}

static void put_latencies(const writing *w)
{
    const uint64_t l2 = w->gpu->l2_bytes;
    const ifl_probe_latency *in_l1 = latency_at(w, 1 << 14), *in_l2 = latency_at(w, l2 / 16),
                            *in_dram = latency_at(w, 4 * l2);
    put_measured(w, IFL_DEVICE_latency_clock_hz, w->probe->clock_hz, "cycles over nanoseconds");
    if (in_l1)
        put_measured(w, IFL_DEVICE_l1_latency_cycles, in_l1->l1_cycles,
                     "chain of addresses in 16 KiB");
    if (in_l2)
        put_measured(w, IFL_DEVICE_l2_latency_cycles, in_l2->l2_cycles,
                     "chain in a sixteenth of the L2, past the L1");
    if (in_dram)
        put_measured(w, IFL_DEVICE_dram_latency_cycles, in_dram->l2_cycles,
                     "chain in four times the L2, random lines");
}

static double best_l2_rate(const writing *w)
{
    double best = 0;
    for (size_t i = 0; i < w->probe->read_count; i++) {
        const ifl_probe_rate *r = &w->probe->read[i];
        if (r->bytes >= (1 << 21) && r->bytes <= w->gpu->l2_bytes / 2)
            best = fmax(best, r->past_l1_bytes_per_s);
    }
    return best;
}

static void put_rates(const writing *w)
{
    const double peak_rate = peak(w);
    put_measured(w, IFL_DEVICE_l1_bytes_per_cycle_per_sm, w->probe->l1_bytes_per_cycle_per_sm,
                 "16-byte reads of 16 KiB, two blocks of 1024 threads an SM");
    put_measured(w, IFL_DEVICE_l2_bytes_per_s, best_l2_rate(w),
                 "16-byte reads past the L1 of 2 MiB to half of the L2, the best");
    if (!(peak_rate > 0))
        return;
    put_measured(w, IFL_DEVICE_dram_read_fraction, w->probe->dram_read_bytes_per_s / peak_rate,
                 "reads of the largest set");
    put_measured(w, IFL_DEVICE_dram_triad_fraction, w->probe->dram_triad_bytes_per_s / peak_rate,
                 "sum of two arrays into a third");
}

static void put_tables(const writing *w)
{
    const ifl_probe *p = w->probe;
    fprintf(w->out,
            "\n# Chains of addresses, random lines: bytes, cycles a load, cycles past the L1\n");
    for (size_t i = 0; i < p->latency_count; i++)
        fprintf(w->out, "#   %12" PRIu64 " %8.1f %8.1f\n", p->latency[i].bytes,
                p->latency[i].l1_cycles, p->latency[i].l2_cycles);
    fprintf(w->out, "# Reads over and over: bytes of the set, GB/s, GB/s past the L1\n");
    for (size_t i = 0; i < p->read_count; i++)
        fprintf(w->out, "#   %12" PRIu64 " %8.0f %8.0f\n", p->read[i].bytes,
                1e-9 * p->read[i].bytes_per_s, 1e-9 * p->read[i].past_l1_bytes_per_s);
    fprintf(w->out, "# Arrays of %" PRIu64 " bytes: read %.0f, copy %.0f, sum %.0f GB/s\n",
            p->dram_bytes, 1e-9 * p->dram_read_bytes_per_s, 1e-9 * p->dram_copy_bytes_per_s,
            1e-9 * p->dram_triad_bytes_per_s);
    fprintf(w->out, "# Bytes in flight: threads an SM, 16-byte loads of a thread at once, bytes in "
                    "flight an SM, GB/s\n");
    for (size_t i = 0; i < p->flight_count; i++)
        fprintf(w->out, "#   %5" PRIu32 " %2" PRIu32 " %8" PRIu64 " %8.0f\n",
                p->flight[i].threads_per_sm, p->flight[i].words,
                p->flight[i].bytes_in_flight_per_sm, 1e-9 * p->flight[i].bytes_per_s);
}

static void put_dram_peak(const writing *w)
{
    if (peak(w) > 0)
        put(w, IFL_DEVICE_dram_bytes_per_s, peak(w),
            "memory clock and bus as the driver tells them, two transfers a clock");
    else
        put_measured(w, IFL_DEVICE_dram_bytes_per_s, w->probe->dram_read_bytes_per_s,
                     "best read: the driver does not tell the peak");
}

ifl_status ifl_device_probe(ifl_gpu *gpu, FILE *out, ifl_error *error)
{
    ifl_probe probe;
    writing w = {.out = out, .gpu = gpu, .probe = &probe};
    const ifl_status status = ifl_gpu_probe(gpu, &probe, error);
    if (status != IFL_OK)
        return status;
    snprintf(w.driver, sizeof w.driver, "read from the driver (CUDA %d.%d)", gpu->driver / 1000,
             gpu->driver % 1000 / 10);
    snprintf(w.measured, sizeof w.measured, "inflight devices --probe");
    fprintf(out, "# SPDX-License-Identifier: Apache-2.0\n");
    put_told(&w);
    put_dram_peak(&w);
    put_latencies(&w);
    put_rates(&w);
    put_tables(&w);
    return fflush(out) != 0 || ferror(out)
               ? ifl_fail(error, IFL_NO_FILE, "cannot write the description")
               : IFL_OK;
}
