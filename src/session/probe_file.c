/* SPDX-License-Identifier: Apache-2.0
 * A description of the GPU at hand, in the format of devices/: what its driver tells and what was
 * measured on it, each figure with its source, beside that of devices/ for such a GPU. What is neither told nor
 * measured has no line, but a remark that it was not probed. Behind it, as remarks, the facts of its compute capability
 * (src/arch/fact.def) beside what was measured of them. */
#include "arch/arch.h"
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
    ifl_device *known; /* that devices/ has of the same kind, NULL: none */
    bool *written;     /* by field */
} writing;

static int decimals_of(double value)
{
    return value == floor(value) || value >= 1e6 ? 0 : 3;
}

static void put(const writing *w, ifl_device_field field, double value, const char *source)
{
    const ifl_field_info *info = ifl_field_get(field);
    if (!(value >= info->least && value <= info->most))
        return;
    fprintf(w->out, "%s = %.*f%s%s  # %s", info->name, decimals_of(value), value,
            *info->unit ? " " : "", info->unit, source);
    if (w->known && w->known->known[field])
        fprintf(w->out, " (%s: %.*f)", w->known->id, decimals_of(w->known->value[field]),
                w->known->value[field]);
    fputc('\n', w->out);
    w->written[field] = true;
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

/* The GPU of devices/ of that number, whose file ends in ".gpu". */
static ifl_status open_nth(size_t i, ifl_device **device)
{
    char id[64];
    snprintf(id, sizeof id, "%.*s", (int)(strlen(ifl_device_id(i)) - strlen(".gpu")),
             ifl_device_id(i));
    return ifl_device_open(id, device, NULL);
}

static bool has_same_sm(const writing *w, const ifl_device *device)
{
    return lround(10 * device->value[IFL_DEVICE_compute_capability]) == w->gpu->sm;
}

/* The driver tells shared memory only; a known GPU of the same compute capability has the same
 * SM. */
static void put_l1(const writing *w)
{
    bool found = false;
    for (size_t i = 0; !found && ifl_device_id(i); i++) {
        char source[160];
        ifl_device *device;
        if (open_nth(i, &device) != IFL_OK)
            continue;
        found = has_same_sm(w, device);
        snprintf(source, sizeof source, "as %.80s, of the same compute capability", device->id);
        if (found)
            put(w, IFL_DEVICE_l1_bytes_per_sm, device->value[IFL_DEVICE_l1_bytes_per_sm], source);
        ifl_device_close(device);
    }
}

/* A driver that does not know the number says 0. */
static void put_told_number(const writing *w, ifl_device_field field, int number)
{
    if (attribute(w, number) > 0)
        put(w, field, attribute(w, number), w->driver);
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
    put(w, IFL_DEVICE_dram_bytes, (double)w->gpu->memory_bytes, w->driver);
    put_told_number(w, IFL_DEVICE_memory_bus_bits, IFL_GPU_MEMORY_BUS_BITS);
    put_told_number(w, IFL_DEVICE_l2_persisting_bytes, IFL_GPU_PERSISTING_BYTES);
    put_told_number(w, IFL_DEVICE_l2_window_bytes, IFL_GPU_WINDOW_BYTES);
}

/* Two transfers a clock. */
static double peak(const writing *w)
{
    return 2 * 1e3 * attribute(w, IFL_GPU_MEMORY_CLOCK_KHZ) *
           attribute(w, IFL_GPU_MEMORY_BUS_BITS) / 8;
}

/* ---- what was measured ----------------------------------------------------------------------- */

static void put_latencies(const writing *w)
{
    const uint64_t l2 = w->gpu->l2_bytes;
    const ifl_probe_latency *in_l1 = ifl_probe_latency_at(w->probe, 1 << 14),
                            *in_l2 = ifl_probe_latency_at(w->probe, l2 / 16),
                            *in_dram = ifl_probe_latency_at(w->probe, 4 * l2);
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

static void put_rates(const writing *w)
{
    const double peak_rate = peak(w);
    put_measured(w, IFL_DEVICE_l1_bytes_per_cycle_per_sm, w->probe->l1_bytes_per_cycle_per_sm,
                 "16-byte reads of 16 KiB, two blocks of 1024 threads an SM");
    put_measured(w, IFL_DEVICE_l2_bytes_per_s, ifl_probe_best_l2(w->probe, w->gpu->l2_bytes),
                 "16-byte reads past the L1 of 2 MiB to half of the L2, the best");
    if (!(peak_rate > 0))
        return;
    put_measured(w, IFL_DEVICE_dram_read_fraction, w->probe->dram_read_bytes_per_s / peak_rate,
                 "reads of the largest set");
    put_measured(w, IFL_DEVICE_dram_triad_fraction, w->probe->dram_triad_bytes_per_s / peak_rate,
                 "sum of two arrays into a third");
}

static const ifl_probe_figure *figure_of(const writing *w, const char *name)
{
    for (size_t i = 0; i < w->probe->figure_count; i++)
        if (strcmp(w->probe->figure[i].name, name) == 0)
            return &w->probe->figure[i];
    return NULL;
}

/* Those of probe_figure.def that have the name of a field. */
static void put_figures(const writing *w)
{
    for (ifl_device_field field = 0; field < IFL_DEVICE_FIELDS; field++) {
        const ifl_probe_figure *f = figure_of(w, ifl_field_get(field)->name);
        if (f)
            put_measured(w, field, f->value, f->how);
    }
}

/* Each sector brings its neighbour too, since Volta. */
static void put_random(const writing *w)
{
    const double bytes = w->gpu->sm >= 70 ? 2 * 32 : 32;
    if (peak(w) > 0)
        put_measured(w, IFL_DEVICE_dram_random_fraction,
                     bytes * w->probe->dram_random_per_s / peak(w),
                     "words at random places, with the sector beside each");
}

/* The limits that the description names have it from a document. */
static bool is_a_limit(const writing *w, const char *name)
{
    char limits[32], file[48], line[96];
    if (!has_limits(w, limits))
        return false;
    snprintf(file, sizeof file, "%s.limits", limits);
    snprintf(line, sizeof line, "\n%s = ", name);
    for (size_t i = 0; i < ifl_device_text_count; i++) {
        const char *at = strcmp(ifl_device_texts[i].name, file) == 0
                             ? strstr(ifl_device_texts[i].text, line)
                             : NULL;
        if (at)
            return !memmem(at, 1 + strcspn(at + 1, "\n"), "unmeasured", strlen("unmeasured"));
    }
    return false;
}

static void put_unprobed(const writing *w)
{
    fprintf(w->out, "\n# Not probed:\n");
    for (ifl_device_field field = 0; field < IFL_DEVICE_FIELDS; field++) {
        const ifl_field_info *info = ifl_field_get(field);
        if (w->written[field] || is_a_limit(w, info->name))
            continue;
        fprintf(w->out, "#   %s", info->name);
        if (w->known && w->known->known[field])
            fprintf(w->out, " (%s: %.*f%s%s)", w->known->id, decimals_of(w->known->value[field]),
                    w->known->value[field], *info->unit ? " " : "", info->unit);
        fputc('\n', w->out);
    }
}

/* Of the facts, those that were measured first. */
static void put_facts(const writing *w)
{
    ifl_arch_row row;
    fprintf(w->out,
            "\n# Facts of compute capability %d.%d (docs/facts.md): measured here, there, "
            "unit, how\n",
            w->gpu->sm / 10, w->gpu->sm % 10);
    for (int measured = 1; measured >= 0; measured--)
        for (size_t i = 0; ifl_arch_fact_at(i, w->gpu->sm / 10.0, &row); i++) {
            const ifl_probe_figure *f = figure_of(w, row.name);
            const char *unit = *row.unit ? row.unit : "-";
            if (f && measured)
                fprintf(w->out, "#   %s %.*f %g %s %s\n", row.name, f->value < 1000 ? 3 : 0,
                        f->value, row.value, unit, f->how);
            else if (!f && !measured)
                fprintf(w->out, "#   %s not probed %g %s\n", row.name, row.value, unit);
        }
}

static bool is_fact(const writing *w, const char *name)
{
    ifl_arch_row row;
    for (size_t i = 0; ifl_arch_fact_at(i, w->gpu->sm / 10.0, &row); i++)
        if (strcmp(row.name, name) == 0)
            return true;
    return false;
}

static bool is_field(const char *name)
{
    for (ifl_device_field field = 0; field < IFL_DEVICE_FIELDS; field++)
        if (strcmp(ifl_field_get(field)->name, name) == 0)
            return true;
    return false;
}

/* What has no place in any table yet. */
static void put_others(const writing *w)
{
    fprintf(w->out, "# Others:\n");
    for (size_t i = 0; i < w->probe->figure_count; i++) {
        const ifl_probe_figure *f = &w->probe->figure[i];
        if (!is_fact(w, f->name) && !is_field(f->name))
            fprintf(w->out, "#   %s %.*f %s\n", f->name, f->value < 1000 ? 3 : 0, f->value, f->how);
    }
    if (*w->probe->halves)
        fprintf(w->out, "# SMs at the halves of the L2: %s\n", w->probe->halves);
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

/* "NVIDIA H200": h200. */
static bool names_it(const writing *w, const ifl_device *device)
{
    return strcasestr(w->gpu->name, device->id) != NULL;
}

static bool is_like(const writing *w, const ifl_device *device)
{
    return has_same_sm(w, device) && device->value[IFL_DEVICE_sms] == w->gpu->sms &&
           device->value[IFL_DEVICE_l2_bytes] == (double)w->gpu->l2_bytes;
}

/* A GPU of devices/ of that compute capability, with as many SMs and as large an L2; of several the first whose name the
 * driver's has in it. */
static void find_known(writing *w)
{
    for (size_t i = 0; ifl_device_id(i); i++) {
        ifl_device *device;
        if (open_nth(i, &device) != IFL_OK)
            continue;
        const bool is_named = w->known && names_it(w, w->known);
        if (is_like(w, device) && (!w->known || (!is_named && names_it(w, device)))) {
            if (w->known)
                ifl_device_close(w->known);
            w->known = device;
            continue;
        }
        ifl_device_close(device);
    }
}

ifl_status ifl_device_probe(ifl_gpu *gpu, FILE *out, ifl_error *error)
{
    ifl_probe probe;
    bool written[IFL_DEVICE_FIELDS] = {false};
    writing w = {.out = out, .gpu = gpu, .probe = &probe, .written = written};
    const ifl_status status = ifl_gpu_probe(gpu, &probe, error);
    if (status != IFL_OK)
        return status;
    find_known(&w);
    snprintf(w.driver, sizeof w.driver, "read from the driver (CUDA %d.%d)", gpu->driver / 1000,
             gpu->driver % 1000 / 10);
    snprintf(w.measured, sizeof w.measured, "inflight devices --probe");
    fprintf(out, "# SPDX-License-Identifier: Apache-2.0\n");
    put_told(&w);
    put_dram_peak(&w);
    put_latencies(&w);
    put_rates(&w);
    put_random(&w);
    put_figures(&w);
    put_unprobed(&w);
    put_facts(&w);
    put_others(&w);
    put_tables(&w);
    if (w.known)
        ifl_device_close(w.known);
    return fflush(out) != 0 || ferror(out)
               ? ifl_fail(error, IFL_NO_FILE, "cannot write the description")
               : IFL_OK;
}
