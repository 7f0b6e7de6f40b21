/* SPDX-License-Identifier: Apache-2.0
 * What a launch asks of a GPU, from its profile: instructions, passes, bytes at each level, waits.
 * What the profile does not know is estimated by the rules of docs/model.md. */
#include "device/block_places.h"
#include "model/model.h"

#include "profile/traffic.h"

#include <math.h>
#include <string.h>

/* ---- counters -------------------------------------------------------------------------------- */

static double count(const ifl_counters *c, ifl_counter which)
{
    return c->known[which] ? (double)c->value[which] : 0;
}

static bool passes_l1(ifl_traffic_kind traffic)
{
    return !ifl_traffic_info_get(traffic)->is_past_lsu;
}

double ifl_overhead_share(const ifl_work *work, double requests)
{
    const double each = ifl_model_constants.request_instructions;
    return work->instructions > 0 ? fmin(each * requests / work->instructions, 1) : 1;
}

/* ---- passes through the L1 ------------------------------------------------------------------- */

/* A load takes the longer of its wavefronts through the data stage and of those beside its passes
 * through the tags, (lines + 2) / 4; a store its wavefronts. Before Volta a request takes a pass a
 * line. */
static double passes_of(const ifl_traffic *t, bool is_store, const ifl_rates *rates)
{
    const ifl_arch *k = &rates->arch;
    const double requests = (double)t->requests, lines = (double)t->lines;
    const double wavefronts = fmax(requests, (double)t->wavefronts);
    if (rates->l1_by_line)
        return fmax(requests, lines);
    const double tags = (lines + 2 * requests) / k->tag_lines;
    return is_store ? wavefronts : fmax(wavefronts, tags + k->data_beside_tags * wavefronts);
}

static double sum_passes(const ifl_counters *c, const ifl_rates *rates)
{
    static const ifl_access_kind kinds[] = {IFL_ACCESS_LOAD, IFL_ACCESS_STORE};
    double sum = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (ifl_traffic_kind traffic = 0; traffic < IFL_TRAFFIC_COUNT; traffic++) {
            const ifl_traffic t = ifl_traffic_get(c, traffic);
            if (ifl_traffic_is_off_chip(traffic, kinds[k]) && passes_l1(traffic) && t.requests)
                sum += passes_of(&t, kinds[k] == IFL_ACCESS_STORE, rates);
        }
    return sum;
}

static void find_passes(const ifl_profile *p, const ifl_rates *rates, ifl_work *out)
{
    const ifl_counters *c = &p->counters;
    out->barriers = count(c, IFL_COUNTER_barriers) > 0;
    for (size_t i = 0; i < p->lines.count; i++)
        out->l1_passes += sum_passes(&p->lines.at[i].counters, rates);
    if (!p->lines.count)
        out->l1_passes = sum_passes(c, rates);
    out->shared_passes = count(c, IFL_COUNTER_shared_load_wavefronts) +
                         count(c, IFL_COUNTER_shared_store_wavefronts) +
                         fmax(count(c, IFL_COUNTER_shared_atomic_wavefronts),
                              count(c, IFL_COUNTER_shared_atomic_serial));
    out->atomic_passes = fmax(count(c, IFL_COUNTER_global_atomic_sectors_touched),
                              count(c, IFL_COUNTER_global_atomic_serial));
    out->part_passes = count(c, IFL_COUNTER_global_atomic_busiest_part);
    out->slice_passes = ifl_profile_atomic_passes(p);
    /* Blocks that each add a row of their own to one that all share go through it in the same order,
     * and meet at its words (where histograms are merged). */
    const double asked = count(c, IFL_COUNTER_global_atomic_useful_bytes);
    out->atomics_in_step =
        asked >= ifl_model_constants.whole_sectors * IFL_SECTOR_BYTES * out->atomic_passes &&
        out->part_passes >= 2 * out->blocks;
}

/* ---- bytes at each level --------------------------------------------------------------------- */

static double load_bytes_of(const ifl_counters *c, const ifl_rates *rates)
{
    const ifl_traffic loads = ifl_traffic_off_chip(c, IFL_ACCESS_LOAD);
    return rates->load_sector_bytes > IFL_SECTOR_BYTES ? (double)loads.lines * IFL_LINE_BYTES
                                                       : (double)loads.sectors * IFL_SECTOR_BYTES;
}

static double lines_of(const ifl_counters *c, ifl_access_kind kind)
{
    return (double)ifl_traffic_off_chip(c, kind).lines;
}

/* Pieces of two sectors that the L2 is asked for, and how many of them for one sector only. */
typedef struct pieces {
    double all, lone;
} pieces;

static pieces pieces_of(const ifl_counters *c, ifl_access_kind kind)
{
    pieces sum = {0, 0};
    for (ifl_traffic_kind traffic = 0; traffic < IFL_TRAFFIC_COUNT; traffic++) {
        const ifl_traffic t = ifl_traffic_get(c, traffic);
        const double sectors = (double)t.sectors, one = fmax((double)t.lines, sectors / 2);
        if (!ifl_traffic_is_off_chip(traffic, kind))
            continue;
        sum.all += one;
        sum.lone += 2 * one - sectors;
    }
    return sum;
}

/* By instruction where they are known apart. */
static pieces all_pieces(const ifl_profile *p, ifl_access_kind kind)
{
    pieces sum = {0, 0};
    for (size_t i = 0; i < p->lines.count; i++) {
        const pieces one = pieces_of(&p->lines.at[i].counters, kind);
        sum.all += one.all;
        sum.lone += one.lone;
    }
    return p->lines.count ? sum : pieces_of(&p->counters, kind);
}

/* Lines of local memory whose sectors lanes with different indexes store in part. */
static double lines_in_parts(const ifl_counters *c)
{
    const ifl_traffic t = ifl_traffic_get(c, IFL_TRAFFIC_local_store);
    const bool are_parts = t.useful_bytes < t.sectors * IFL_SECTOR_BYTES;
    return are_parts ? (double)(t.lines < t.sectors - t.lines ? t.lines : t.sectors - t.lines) : 0;
}

static double share(double part, double whole)
{
    return whole > 0 ? fmin(part / whole, 1) : 0;
}

/* Pieces that loads ask the L2 for, less what those save it that come with another SM's. */
static double read_pieces(const ifl_cache_facts *f, const ifl_arch *k)
{
    return f->l2_read_pieces *
           (1 - (1 - k->joined_turns) * share(f->joined_sectors, f->l2_read_sectors.value));
}

/* The L2 takes pieces of 64 bytes at the pace of its bandwidth, whole or not; one that it lacks and
 * of which one sector is asked takes another turn, since both are fetched. What is stored takes one
 * turn a line; its bytes are slower. What else atomics take has its own term. */
static double l2_work(const ifl_profile *p, const ifl_cache_facts *f, const ifl_arch *k,
                      const ifl_work *w)
{
    enum { PIECE = 2 * IFL_SECTOR_BYTES };
    const pieces asked = all_pieces(p, IFL_ACCESS_LOAD);
    const double read = f ? read_pieces(f, k) : asked.all * (1 - w->l1_hit);
    const double lone = f ? f->l2_lone_misses : asked.lone * fmax(1 - w->l1_hit - w->l2_hit, 0);
    const double updated = (double)ifl_traffic_off_chip(&p->counters, IFL_ACCESS_ATOMIC).sectors;
    const double lines = lines_of(&p->counters, IFL_ACCESS_STORE);
    const double written = all_pieces(p, IFL_ACCESS_STORE).all * k->write_turns +
                           lines_in_parts(&p->counters) * k->part_turns;
    return PIECE * fmax(read + lone * k->lone_fetch + lines + updated, written);
}

/* Before Volta: lines by themselves take a share. */
static double l2_work_by_line(const ifl_arch *k, const ifl_work *w, double bytes,
                              double store_lines)
{
    return (1 - k->line_share) * bytes +
           k->line_share * IFL_LINE_BYTES * (w->missed_lines + store_lines);
}

static double store_bytes_of(const ifl_counters *c)
{
    return (double)(ifl_traffic_off_chip(c, IFL_ACCESS_ATOMIC).sectors +
                    ifl_traffic_off_chip(c, IFL_ACCESS_STORE).sectors) *
           IFL_SECTOR_BYTES;
}

/* Cold caches and no simulation: what is asked for the first time comes from DRAM, no more of it
 * than the buffers hold; what is asked for again is found in the L2 as far as that holds the
 * buffers, and what is written again is joined there. */
static void guess_caches(const ifl_profile *p, const ifl_device *device, double stored,
                         ifl_work *out)
{
    const double buffers = p->program.known && p->program.buffer_bytes
                               ? (double)p->program.buffer_bytes
                               : out->load_bytes + stored;
    const double l2 = device->value[IFL_DEVICE_l2_bytes];
    const double first_loads = fmin(out->load_bytes, buffers), first_stores = fmin(stored, buffers);
    const double kept = buffers > l2 ? l2 / buffers : 1;
    out->l2_hit =
        out->load_bytes > 0 ? (out->load_bytes - first_loads) / out->load_bytes * kept : 0;
    out->l2_bytes = out->load_bytes + stored;
    out->dram_bytes = out->load_bytes * (1 - out->l2_hit) + first_stores;
    out->caches_known = out->load_bytes <= buffers && stored <= buffers;
}

/* Counters of a GPU say what went where. */
static void take_caches(const ifl_counters *c, double stored, ifl_work *out)
{
    const double loaded = out->load_bytes, read = count(c, IFL_COUNTER_dram_read_bytes);
    const double in_l1 = fmin(count(c, IFL_COUNTER_l1_load_hits) * IFL_SECTOR_BYTES, loaded);
    out->caches_known = true;
    out->dram_bytes = read + count(c, IFL_COUNTER_dram_write_bytes);
    out->l1_hit = loaded > 0 ? in_l1 / loaded : 0;
    out->l2_hit = loaded > 0 ? fmax(loaded - in_l1 - read, 0) / loaded : 0;
    out->l2_bytes = loaded - in_l1 + stored;
}

/* The caches were followed. */
static void take_facts(const ifl_profile *p, const ifl_cache_facts *f, const ifl_rates *rates,
                       ifl_work *out)
{
    const double asked = f->l1_load_sectors.value + f->copied_sectors;
    out->l1_lines = rates->l1_by_line ? 0 : (double)f->l1_bytes / IFL_LINE_BYTES;
    out->caches_known = true;
    /* Loads that wait for another's data are not sent on either. */
    out->l1_hit =
        fmax(share(f->l1_load_hits.value, asked), 1 - share(f->l2_read_sectors.value, asked));
    out->l2_hit = fmin(share(f->l2_read_hits.value, asked), 1 - out->l1_hit);
    out->l2_bytes = IFL_SECTOR_BYTES * (f->l2_read_sectors.value + f->l2_write_sectors.value +
                                        f->l2_atomic_sectors.value);
    out->left_bytes = ifl_profile_left_bytes(p, f);
    out->dram_bytes = f->dram_read_bytes.value + f->dram_write_bytes.value + out->left_bytes;
    out->padding_bytes = f->dram_padding * IFL_SECTOR_BYTES;
    out->dram_low = f->dram_read_bytes.low + f->dram_write_bytes.low;
    out->dram_high = f->dram_read_bytes.high + f->dram_write_bytes.high +
                     (p->repeated ? f->dirty_bytes.high : 0);
}

/* What is prefetched to the L2 is found there; where the caches are followed, that tells. */
static double prefetched_share(const ifl_profile *p)
{
    double prefetches = 0;
    for (size_t i = 0; i < p->ptx_opcodes.count; i++)
        if (p->ptx_opcodes.at[i].traits & IFL_TRAIT_PREFETCHES)
            prefetches += (double)p->ptx_opcodes.at[i].count;
    return share(prefetches, count(&p->counters, IFL_COUNTER_global_load_requests));
}

static void find_bytes(const ifl_profile *p, const ifl_device *device, const ifl_rates *rates,
                       ifl_work *out)
{
    const ifl_arch *k = &rates->arch;
    const ifl_counters *c = &p->counters;
    const double stored = store_bytes_of(c);
    out->writes = stored > 0;
    out->load_bytes = load_bytes_of(c, rates);
    if (c->known[IFL_COUNTER_dram_read_bytes] && c->known[IFL_COUNTER_dram_write_bytes])
        take_caches(c, stored, out);
    else if (ifl_profile_caches(p, device->id))
        take_facts(p, ifl_profile_caches(p, device->id), rates, out);
    else
        guess_caches(p, device, stored, out);
    /* The L1 hides loads of whole lines and of parts of them alike; what it lacks is filled in line
     * by line. */
    const double load_lines = lines_of(c, IFL_ACCESS_LOAD),
                 store_lines = lines_of(c, IFL_ACCESS_STORE);
    out->missed_lines = load_lines * (1 - out->l1_hit);
    out->l2_bytes = rates->l1_by_line ? l2_work_by_line(k, out, out->l2_bytes, store_lines)
                                      : l2_work(p, ifl_profile_caches(p, device->id), k, out);
    if (!rates->l1_by_line)
        out->l1_passes += out->missed_lines * k->fill_passes;
    out->random = ifl_traffic_random_share(p);
    if (!ifl_profile_caches(p, device->id))
        out->l2_hit += (1 - out->l1_hit - out->l2_hit) * prefetched_share(p);
    out->dram_low = out->dram_low > 0 ? fmin(out->dram_low, out->dram_bytes) : out->dram_bytes;
    out->dram_high = fmax(out->dram_high, out->dram_bytes);
}

/* ---- waits ----------------------------------------------------------------------------------- */

static void find_waits(const ifl_profile *p, const ifl_rates *rates, ifl_work *out)
{
    const double done = p->complete ? out->blocks : (double)p->blocks_done;
    const double warps = done * out->warps_per_block;
    out->order_known = p->machine.order.known && warps > 0;
    out->waits_known = out->order_known || (p->program.known && warps > 0);
    if (!out->waits_known)
        return;
    const ifl_machine_order *m = &p->machine.order;
    const ifl_program_facts *o = &p->program;
    out->waits = (out->order_known ? m->load_waits : o->load_waits) / warps;
    out->spread = (out->order_known ? m->load_spread : o->load_spread) / warps;
    out->shared_waits = (out->order_known ? m->shared_waits : o->shared_waits) / warps;
    out->cycles = (m->cycles > 0 ? m->cycles : o->chain * rates->arch.dependent_cycles) / warps;
    /* Warps that meet at barriers go on when the slowest has what it waited for. */
    out->spread += fmin(out->waits, count(&p->counters, IFL_COUNTER_barriers) / warps) *
                   log2(out->warps_per_block);
    if (out->waits > 0)
        out->loads_a_wait = lines_of(&p->counters, IFL_ACCESS_LOAD) / (out->waits * warps);
}

/* Share of the lines asked of the L2 that come from DRAM. */
static double far_share(const ifl_cache_facts *f, const ifl_work *w)
{
    const double asked = 1 - w->l1_hit;
    if (f)
        return f->lines_from_dram;
    return asked > 0 ? fmax(asked - w->l2_hit, 0) / asked : 0;
}

/* Of the lines that the L2 holds, those that lie in the half that is not asked. */
static double other_half_share(const ifl_cache_facts *f, double far)
{
    const double near = share(f->l2_read_hits.value, f->l2_read_sectors.value);
    return far < 1 ? fmax(1 - far - near, 0) / (1 - far) : 0;
}

/* Where a wait for loads ends: with its last line. Lines fare alike: what a turn has near it may
 * have as a whole, so that turns are of two kinds, those without a line from DRAM and those whose
 * lines come from there with the probability that one does where another did. */
static void find_reach(const ifl_cache_facts *f, ifl_work *out)
{
    const double far = far_share(f, out);
    const double together = f ? fmax(f->from_dram_together, far) : far;
    const double touched = together > 0 ? far / together : 0;
    out->waits_in_l1 = f ? f->turns_in_l1 : pow(out->l1_hit, fmax(out->loads_a_wait, 1));
    const double rest = 1 - out->waits_in_l1;
    const double lines = rest > 0 ? fmax(out->loads_a_wait * (1 - out->l1_hit) / rest, 1) : 1;
    out->waits_in_l2 = rest * (1 - touched + touched * pow(1 - together, lines));
    out->waits_in_other_half = f ? 1 - pow(1 - other_half_share(f, far), lines) : 0;
}

ifl_status ifl_work_find(const ifl_profile *p, const ifl_device *device, const ifl_rates *rates,
                         ifl_work *out, ifl_error *error)
{
    const double threads = (double)p->block[0] * p->block[1] * p->block[2];
    const ifl_counters *c = &p->counters;
    memset(out, 0, sizeof *out);
    if (!c->known[IFL_COUNTER_global_load_sectors] && !c->known[IFL_COUNTER_ptx_instructions])
        return ifl_fail(
            error, IFL_UNSUPPORTED,
            "a model needs counters of memory requests or instructions, which this profile lacks");
    out->blocks = (double)p->grid[0] * p->grid[1] * p->grid[2];
    out->cluster = ifl_cluster_size(p->cluster);
    out->is_repeated = p->repeated;
    out->each = p->work.slice_count ? &p->work : NULL;
    out->warps_per_block = (double)(uint64_t)((threads + IFL_WARP_LANES - 1) / IFL_WARP_LANES);
    ifl_mix_find(p, rates, out);
    find_passes(p, rates, out);
    find_bytes(p, device, rates, out);
    find_waits(p, rates, out);
    find_reach(ifl_profile_caches(p, device->id), out);
    return IFL_OK;
}
