/* SPDX-License-Identifier: Apache-2.0
 * From a device's figures to the rates of one of its SMs per cycle. */
#include "time/time_costs.h"

#include "arch/cache_rules.h"
#include "arch/units.h"
#include "profile/traffic.h"

#include <math.h>
#include <string.h>

const ifl_sm_constants ifl_sm_constant = {
#define SM_CONSTANT(name, value, unit, doc) .name = (value),
#include "time/sm_constant.def"
};

/* ---- pipes ----------------------------------------------------------------------------------- */

/* Cycles for 32 lanes on the part of the SM's lanes that a scheduler has. */
static double cycles_on(double lanes)
{
    return fmax(IFL_WARP_LANES * IFL_SM_SUBCORES / lanes, 1);
}

static double known_or(const ifl_device *device, ifl_device_field field, double otherwise)
{
    return device->known[field] ? device->value[field] : otherwise;
}

static void find_pipes(const ifl_device *device, const ifl_arch *arch, ifl_sm_rates *out)
{
    const double fp32 = cycles_on(known_or(device, IFL_DEVICE_fp32_lanes_per_sm, arch->fp32_lanes));
    for (int pipe = 0; pipe < IFL_PIPES; pipe++)
        out->units[pipe] = cycles_on(arch->other_lanes);
    out->units[IFL_PIPE_FMA] = fp32;
    out->units[IFL_PIPE_FP16] = fp32;
    out->units[IFL_PIPE_ALU] =
        cycles_on(known_or(device, IFL_DEVICE_int32_lanes_per_sm, arch->int32_lanes));
    out->units[IFL_PIPE_FP64] =
        cycles_on(known_or(device, IFL_DEVICE_fp64_lanes_per_sm, arch->fp64_lanes));
    out->units[IFL_PIPE_XU] = fp32 / arch->special_share;
    out->units[IFL_PIPE_LSU] = cycles_on(arch->exchange_lanes);
}

static void find_latencies(const ifl_arch *arch, ifl_sm_rates *out)
{
    const struct {
        int delay, pipe;
        double cycles;
    } rows[] = {
#define LATENCY(delay, pipe, fact) {delay, pipe, arch->fact},
#include "time/unit_latency.def"
    };
    for (size_t i = sizeof rows / sizeof *rows; i-- > 0;)
        for (int pipe = 0; pipe <= IFL_PIPES; pipe++)
            if (rows[i].pipe == IFL_PIPES || rows[i].pipe == pipe)
                out->result[rows[i].delay][pipe] = rows[i].cycles;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Latencies are counted in SM cycles; one that is known as a time was taken at the clock of the
 * latencies. */
static double dram_latency_of(const ifl_device *device)
{
    if (device->known[IFL_DEVICE_dram_latency_ns])
        return device->value[IFL_DEVICE_dram_latency_ns] * 1e-9 *
               known_or(device, IFL_DEVICE_latency_clock_hz, device->value[IFL_DEVICE_clock_hz]);
    return device->value[IFL_DEVICE_dram_latency_cycles];
}

static double counter(const ifl_profile *p, ifl_counter which)
{
    return p->counters.known[which] ? (double)p->counters.value[which] : 0;
}

static double share(double part, double whole)
{
    return whole > 0 ? fmin(fmax(part / whole, 0), 1) : 0;
}

static void take_facts(const ifl_profile *p, const ifl_cache_facts *f, const ifl_arch *arch,
                       ifl_sm_rates *out)
{
    const double near = share(f->l2_read_hits.value, f->l2_read_sectors.value);
    const double stored = f->l2_write_sectors.value + f->l2_atomic_sectors.value;
    out->l1_lines = (uint32_t)(f->l1_bytes / IFL_LINE_BYTES);
    out->l2_hit = 1 - f->lines_from_dram;
    const double past = f->l1_load_sectors.value - f->l1_load_hits.value;
    out->l1_hit = share(f->l1_load_hits.value, f->l1_load_sectors.value);
    out->dram_together = f->from_dram_together;
    out->phases = f->phases;
    out->shared_past = share(past - (f->l2_read_sectors.value - f->copied_sectors), past);
    const double missed = f->l2_read_sectors.value * f->lines_from_dram;
    const double loaded = fmin(f->dram_read_bytes.value, missed * IFL_LINE_BYTES);
    if (missed > 0)
        out->dram_sector_bytes = fmax(loaded / missed, IFL_SECTOR_BYTES / 2);
    out->far_share = out->l2_hit > 0 ? share(out->l2_hit - near, out->l2_hit) : 0;
    /* For a sector that it lacks a load brings its line at most: what else is read fills sectors
     * that were stored in part. */
    const double prefetched = f->prefetch_misses * IFL_SECTOR_BYTES,
                 filled = fmax(f->dram_read_bytes.value - loaded - prefetched, 0);
    out->joined = 1 - (1 - arch->joined_turns) * share(f->joined_sectors, f->l2_read_sectors.value);
    out->keeps_parts = share(f->given_sectors, f->l1_load_sectors.value) > ifl_sm_constant.rarely;
    out->prefetch_miss = share(f->prefetch_misses, f->prefetched_sectors);
    out->dram_store_share =
        share((f->dram_write_bytes.value + ifl_profile_left_bytes(p, f)) / IFL_SECTOR_BYTES,
              stored) +
        (stored > 0 ? filled / IFL_SECTOR_BYTES / stored + f->dram_padding / stored : 0);
    out->atomic_miss = share(f->atomic_misses, f->l2_atomic_sectors.value);
}

/* A turn for each line stored; where most is written, more for each piece of 64 bytes, which hides
 * a part of the reads' own turns (docs/model.md). */
void ifl_sm_rates_store(ifl_sm_rates *rates, double pieces, double lines)
{
    rates->store_pieces = fmax(1, pieces * rates->write_turns - rates->hidden_turns / lines);
}

static void find_stores(const ifl_profile *p, const ifl_cache_facts *f, const ifl_arch *arch,
                        ifl_sm_rates *out)
{
    const double lines =
        counter(p, IFL_COUNTER_global_store_lines) + counter(p, IFL_COUNTER_local_store_lines);
    const double sectors =
        counter(p, IFL_COUNTER_global_store_sectors) + counter(p, IFL_COUNTER_local_store_sectors);
    const double pieces = fmax(lines, sectors / 2), read = f ? f->l2_read_pieces : 0;
    out->store_pieces = 1;
    out->write_turns = arch->write_turns;
    out->hidden_turns = lines > 0 ? (1 - arch->read_turns) * read / lines : 0;
    if (lines > 0)
        ifl_sm_rates_store(out, pieces / lines, 1);
}

/* The DRAM does not turn round between reading and writing. */
static bool hardly_writes(const ifl_profile *p)
{
    const double stored = counter(p, IFL_COUNTER_global_store_sectors);
    return stored <
           ifl_sm_constant.hardly_written * (stored + counter(p, IFL_COUNTER_global_load_sectors));
}

/* Of so many SMs, those whose blocks have such requests: at most one for each such block, and for each request. */
static double asking(const ifl_profile *p, ifl_counter blocks, double requests, double sms)
{
    const double most = p->counters.known[blocks] ? fmin(counter(p, blocks), requests) : requests;
    return fmin(sms, most);
}

static double atomic_turn_of(const ifl_profile *p, const ifl_arch *arch, double sms)
{
    const double requests = counter(p, IFL_COUNTER_global_atomic_requests),
                 asks = asking(p, IFL_COUNTER_global_atomic_blocks, requests, sms);
    return requests > 0 ? ifl_profile_atomic_passes(p) * arch->atomic_part_cycles * asks / requests
                        : 0;
}

static double store_turn_of(const ifl_profile *p, const ifl_arch *arch, double sms)
{
    const double requests = counter(p, IFL_COUNTER_global_store_lone_requests),
                 busiest = counter(p, IFL_COUNTER_global_store_busiest_slice),
                 asks = asking(p, IFL_COUNTER_global_store_lone_blocks, requests, sms);
    return requests > 0 ? busiest * arch->store_slice_cycles * asks / requests : 0;
}

/* Of a line that is loaded past the L1. Of four requests that come as one the caches count three. */
static double past_turn_of(const ifl_profile *p, const ifl_arch *arch, double joined, double sms)
{
    const double lines = counter(p, IFL_COUNTER_global_past_lines),
                 busiest = counter(p, IFL_COUNTER_global_past_busiest_slice),
                 asks = asking(p, IFL_COUNTER_global_past_blocks, lines, sms);
    if (!(lines > 0))
        return 0;
    const double turns = counter(p, IFL_COUNTER_global_past_turns) / lines,
                 kept = 1 - joined + joined * arch->past_joined_turns / turns;
    return busiest * arch->past_turn_cycles * asks / lines * kept;
}

void ifl_sm_rates_share(ifl_sm_rates *rates, double sms)
{
    const double port = rates->arch.lone_bytes_per_cycle;
    rates->sms = sms;
    rates->host_line_cycles = rates->host_line_of_all * fmax(sms, rates->arch.host_sms);
    rates->l2_bytes_per_cycle = fmin(rates->l2_bytes_of_all / sms, port);
    rates->dram_bytes_per_cycle = fmin(rates->dram_bytes_of_all / sms, port);
}

static void find_host(const ifl_device *device, double clock, ifl_sm_rates *out)
{
    const double bytes = known_or(device, IFL_DEVICE_host_bytes_per_s, 0);
    if (bytes <= 0)
        return;
    out->host_latency = known_or(device, IFL_DEVICE_host_latency_ns, 0) * 1e-9 * clock;
    out->host_line_of_all = IFL_LINE_BYTES / bytes * clock;
}

/* SMs that have work and share a cache with those of their GPC, whose blocks are spread over all; 1: not known. */
static double sharing_sms(const ifl_device *device, const ifl_profile *p)
{
    const double blocks = (double)p->grid[0] * p->grid[1] * p->grid[2];
    ifl_cache_rules rules;
    return ifl_cache_rules_find(device->value[IFL_DEVICE_compute_capability], &rules) && rules.gpcs
               ? fmax(fmin(blocks, device->value[IFL_DEVICE_sms]) / rules.gpcs, 1)
               : 1;
}

void ifl_sm_rates_find(const ifl_device *device, const ifl_profile *p, double blocks,
                       ifl_sm_rates *out)
{
    const ifl_arch arch = ifl_device_arch(device);
    const double sms = device->value[IFL_DEVICE_sms],
                 clock = device->value[IFL_DEVICE_clock_hz] * ifl_profile_clock(p, &arch);
    const double used = (double)p->grid[0] * p->grid[1] * p->grid[2] /
                        blocks; /* it has a part of the GPU's, as of the work */
    const double writes = counter(p, IFL_COUNTER_global_store_sectors);
    const double triad = device->value[IFL_DEVICE_dram_triad_fraction];
    const double fraction =
        writes > 0 ? triad : known_or(device, IFL_DEVICE_dram_read_fraction, triad);
    const double l2 = known_or(device, IFL_DEVICE_l2_bytes_per_s,
                               device->value[IFL_DEVICE_l2_bytes_per_cycle_per_sm] * sms * clock);
    const ifl_cache_facts *facts = ifl_profile_caches(p, device->id);
    memset(out, 0, sizeof *out);
    out->arch = arch;
    out->clock_hz = clock;
    out->l2_bytes_of_all = l2 / clock;
    const double random = ifl_traffic_random_share(p);
    const double at_random =
        known_or(device, IFL_DEVICE_dram_random_fraction, triad * arch.random_dram);
    const double mixed = 1 / ((1 - random) / fraction + random / at_random);
    out->dram_bytes_of_all = device->value[IFL_DEVICE_dram_bytes_per_s] * mixed / clock;
    out->dram_bytes_in_order = device->value[IFL_DEVICE_dram_bytes_per_s] * fraction / clock;
    find_host(device, clock, out);
    ifl_sm_rates_share(out, used);
    out->l1_latency = device->value[IFL_DEVICE_l1_latency_cycles];
    out->l2_latency = device->value[IFL_DEVICE_l2_latency_cycles];
    out->l2_far_latency =
        known_or(device, IFL_DEVICE_l2_other_half_latency_cycles, out->l2_latency);
    out->dram_latency = dram_latency_of(device);
    out->dram_spread = arch.dram_spread;
    out->dram_load =
        hardly_writes(p) ? ifl_sm_constant.most_load_reading : ifl_sm_constant.most_load;
    out->tag_lines = arch.tag_lines;
    out->data_beside_tags = arch.data_beside_tags;
    out->block_cycles = arch.block_cycles;
    out->block_start_cycles = arch.block_start_cycles;
    out->warp_start_cycles = arch.warp_start_cycles;
    out->special_cycles = arch.special_cycles;
    out->atomic_bytes = arch.atomic_bytes;
    out->fetched_atomic_bytes = arch.fetched_atomic_bytes;
    out->atomic_turn = atomic_turn_of(p, &arch, used);
    out->store_turn = store_turn_of(p, &arch, used);
    out->past_turn = past_turn_of(
        p, &arch, facts ? share(4 * facts->joined_sectors, 3 * facts->l2_read_sectors.value) : 0,
        used);
    out->fetch_cycles = arch.fetch_cycles;
    out->first_fetch_cycles = arch.first_fetch_cycles;
    out->leave_cycles = arch.leave_cycles;
    out->constant_cycles = arch.constant_cycles;
    out->constants_turn = arch.gpc_turn_cycles * sharing_sms(device, p);
    out->indexed_cycles = arch.indexed_cycles;
    out->indexed_first_cycles = p->repeated ? 0 : arch.indexed_first_cycles;
    out->lone_fetch = arch.lone_fetch;
    out->whole_fetch = arch.whole_fetch;
    out->line_sectors = arch.line_sectors;
    out->atomic_latency = arch.atomic_latency;
    out->remote_latency = arch.remote_latency;
    out->remote_again_cycles = arch.remote_again_cycles;
    out->remote_cycles[IFL_ACCESS_LOAD] = arch.remote_load_cycles;
    out->remote_cycles[IFL_ACCESS_STORE] = arch.remote_store_cycles;
    out->remote_cycles[IFL_ACCESS_ATOMIC] = arch.remote_atomic_cycles;
    out->remote_line_cycles[IFL_ACCESS_LOAD] = arch.remote_load_line_cycles;
    out->remote_line_cycles[IFL_ACCESS_ATOMIC] = arch.remote_atomic_line_cycles;
    out->end_turns = arch.end_turns;
    out->part_turns = arch.part_turns;
    out->code_lines = (uint32_t)(arch.code_bytes / IFL_LINE_BYTES);
    out->near_code_lines = (uint32_t)(arch.near_code_bytes / IFL_LINE_BYTES);
    out->near_code_cycles = arch.near_code_cycles;
    out->code_cycles = arch.code_cycles > 0 ? arch.code_cycles : out->l2_latency;
    out->kept_code_lines = (uint32_t)(arch.kept_code_bytes / IFL_LINE_BYTES);
    out->is_first = !p->repeated;
    out->cold_code_cycles = p->repeated ? 0 : arch.cold_code_cycles;
    out->late_code_cycles = p->repeated ? 0 : (out->l2_far_latency - out->l2_latency) / 2;
    out->code_ahead = (uint32_t)arch.code_lines_ahead;
    out->dram_sector_bytes = IFL_SECTOR_BYTES;
    out->joined = 1;
    if (facts)
        take_facts(p, facts, &arch, out);
    out->lines_in_flight = arch.lines_in_flight * out->l1_lines;
    find_stores(p, facts, &arch, out);
    find_pipes(device, &arch, out);
    ifl_matrix_costs_find(&arch, known_or(device, IFL_DEVICE_matrix_flops_per_cycle_per_sm, 0),
                          &out->matrix);
    find_latencies(&arch, out);
}
