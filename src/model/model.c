/* SPDX-License-Identifier: Apache-2.0
 * One launch on one GPU: occupancy, waves, bytes in flight, the terms of time, the limiter, and the
 * effect of the four levers of document 001. */
#include "model/model.h"

#include "device/shared_size.h"
#include "profile/registers.h"
#include "profile/traffic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char *const term_names[IFL_TERM_COUNT] = {
    [IFL_TERM_DRAM] = "DRAM",
    [IFL_TERM_L2] = "L2",
    [IFL_TERM_L1] = "L1/LSU",
    [IFL_TERM_SHARED] = "shared memory",
    [IFL_TERM_ATOMICS] = "atomics",
    [IFL_TERM_ISSUE] = "issue",
    [IFL_TERM_ARITHMETIC] = "arithmetic",
    [IFL_TERM_TENSOR] = "tensor",
    [IFL_TERM_HOST] = "host memory",
    [IFL_TERM_LATENCY] = "latency",
    [IFL_TERM_LAUNCH] = "launch",
    [IFL_TERM_TAIL] = "tail",
};

const char *ifl_term_name(ifl_term term)
{
    return (unsigned)term < IFL_TERM_COUNT ? term_names[term] : NULL;
}

typedef struct question {
    const ifl_profile *profile;
    const ifl_device *device;
    ifl_rates rates;
    ifl_work work;
    ifl_timing timing;
    ifl_error *error;
} question;

/* ---- occupancy ------------------------------------------------------------------------------- */

static ifl_status find_occupancy(question *q, ifl_model *out)
{
    const ifl_profile *p = q->profile;
    out->registers = ifl_profile_registers(
        p, (int)q->device->value[IFL_DEVICE_max_registers_per_thread], &out->registers_estimated);
    const ifl_occupancy_request request = {
        .threads = (int)(p->block[0] * p->block[1] * p->block[2]),
        .registers = out->registers,
        .shared_bytes = (int)p->shared_bytes,
        .shared_limit = (int)ifl_shared_limit(q->device, p->shared_preference, p->shared_bytes),
        .cluster = (int)q->work.cluster,
    };
    const ifl_status status = ifl_occupancy_compute(q->device, &request, &out->occupancy, q->error);
    if (status != IFL_OK)
        return status;
    if (!out->occupancy.blocks_per_sm)
        return ifl_fail(q->error, IFL_UNSUPPORTED,
                        "a block of %d threads, %d registers and %d bytes of shared memory "
                        "does not fit an SM of the %s: %s",
                        request.threads, request.registers, request.shared_bytes, q->device->name,
                        out->occupancy.limiter);
    ifl_waves_compute(q->device, (uint64_t)q->work.blocks, out->occupancy.blocks_per_sm,
                      (int)q->work.cluster, &out->waves);
    if (q->work.each)
        out->waves.tail_efficiency =
            out->waves.waves /
            ifl_schedule_find(&q->rates, &q->work, out->occupancy.blocks_per_sm).end;
    return IFL_OK;
}

/* Of the blocks that the SMs could hold by themselves, those that are there at once at most: a small grid
 * has fewer, and clusters leave places empty. */
static double filled(const question *q, const ifl_model *m)
{
    return fmin(q->work.blocks, (double)m->waves.wave_blocks) /
           (q->rates.sms * m->occupancy.blocks_per_sm);
}

/* A slot stands empty while its next block is launched, and where the grid does not fill the
 * GPU. */
static double achieved_occupancy(const question *q, const ifl_model *m)
{
    const double waves = m->waves.waves, stay = q->timing.total - q->timing.term[IFL_TERM_LAUNCH];
    const double turn =
        waves > 1 ? stay / waves : stay; /* from one block's start to its successor's */
    const double empty = ifl_block_cycles(&q->rates, q->work.warps_per_block) / q->rates.clock_hz;
    return m->occupancy.theoretical * filled(q, m) *
           (turn > empty && waves > 1 ? (turn - empty) / turn : 1);
}

/* ---- terms ----------------------------------------------------------------------------------- */

static void find_limiter(ifl_model *m)
{
    m->limiter = m->runner_up = IFL_TERM_DRAM;
    for (int t = 1; t < IFL_TERM_COUNT; t++)
        if (m->term_us[t] > m->term_us[m->limiter])
            m->limiter = (ifl_term)t;
    m->runner_up = m->limiter == IFL_TERM_DRAM ? IFL_TERM_L2 : IFL_TERM_DRAM;
    for (int t = 0; t < IFL_TERM_COUNT; t++)
        if ((ifl_term)t != m->limiter && m->term_us[t] > m->term_us[m->runner_up])
            m->runner_up = (ifl_term)t;
}

static double time_with(const question *q, double dram_bytes, double blocks_per_sm)
{
    ifl_work work = q->work;
    ifl_timing timing;
    work.dram_bytes = dram_bytes;
    ifl_timing_find(&q->rates, &work, blocks_per_sm, &timing);
    return timing.total * 1e6;
}

static void find_time(question *q, ifl_model *m)
{
    ifl_timing_find(&q->rates, &q->work, m->occupancy.blocks_per_sm, &q->timing);
    for (int t = 0; t < IFL_TERM_COUNT; t++)
        m->term_us[t] = q->timing.term[t] < 0 ? -1 : q->timing.term[t] * 1e6;
    m->term_us[IFL_TERM_HOST] = -1;
    const double blocks_per_sm = m->occupancy.blocks_per_sm;
    m->time_us =
        (ifl_estimate){time_with(q, q->work.dram_low, blocks_per_sm), q->timing.total * 1e6,
                       time_with(q, q->work.dram_high, blocks_per_sm)};
    find_limiter(m);
    m->latency_ns = q->timing.latency * 1e9;
    m->dram_bytes = q->work.dram_bytes - q->work.left_bytes;
    m->dram_bytes_per_s = m->dram_bytes / q->timing.total;
    m->dram_utilization = m->dram_bytes_per_s / q->device->value[IFL_DEVICE_dram_bytes_per_s];
}

/* ---- by the schedule of one SM --------------------------------------------------------------- */

static const ifl_time_facts *schedule_of(const question *q)
{
    return ifl_profile_sm_time(q->profile, q->device->id);
}

/* Blocks that differ go to the SM that is free first: an SM gets the average work, not that of the
 * followed blocks, and the last ones end alone. Nothing of this where the SM that ends last was
 * followed, or, of blocks that have an SM each, the longest. */
static double unevenness(const question *q, const ifl_time_facts *f, double blocks_per_sm)
{
    const ifl_counters *c = &q->profile->counters;
    if (f->longer > 0)
        return f->longer;
    if (!q->work.each || q->work.blocks <= ifl_sms_used(&q->rates, &q->work, blocks_per_sm) ||
        !c->known[IFL_COUNTER_instructions] || f->block_instructions <= 0)
        return 1;
    ifl_work equal = q->work;
    equal.each = NULL;
    const double average = (double)c->value[IFL_COUNTER_instructions] / q->work.blocks;
    return average / f->block_instructions *
           ifl_schedule_find(&q->rates, &q->work, blocks_per_sm).end /
           ifl_schedule_find(&q->rates, &equal, blocks_per_sm).end;
}

/* The schedule's time takes the place of the formula's, whose range is taken as a ratio. No term takes longer than all. */
static void take_time(const question *q, double seconds, ifl_model *m)
{
    const double work_us = (seconds - q->timing.term[IFL_TERM_LAUNCH]) * 1e6;
    const double ratio = seconds / q->timing.total;
    m->time_us = (ifl_estimate){m->time_us.low * ratio, seconds * 1e6, m->time_us.high * ratio};
    m->dram_bytes_per_s /= ratio;
    m->dram_utilization /= ratio;
    for (int t = 0; t < IFL_TERM_COUNT; t++)
        if (t != IFL_TERM_LAUNCH)
            m->term_us[t] = fmin(m->term_us[t], work_us);
}

/* Which the schedule alone knows of. */
static void take_host(const ifl_time_facts *f, double seconds, ifl_model *m)
{
    m->term_us[IFL_TERM_HOST] = f->host_share > 0 ? f->host_share * seconds * 1e6 : -1;
    find_limiter(m);
}

/* Atomics on few addresses queue in the L2 with those of all SMs, which the schedule of one SM does
 * not see (an H200 takes 1,216 µs for tests/problems/contended_atomics, whose SMs alone would take
 * 16). */
static double queued_in_l2(const question *q)
{
    return fmax(q->timing.term[IFL_TERM_ATOMICS], 0);
}

/* Cycles until the last block of the first wave has started: blocks that do little spend them as
 * those that do much. */
static double starting_cycles(const question *q, double blocks_per_sm)
{
    const ifl_arch *arch = &q->rates.arch;
    const double warps = arch->warp_start_cycles * q->work.warps_per_block;
    const double used = ifl_sms_used(&q->rates, &q->work, blocks_per_sm),
                 blocks = fmin(ceil(q->work.blocks / used), blocks_per_sm);
    return fmax(blocks - 1, 0) * fmax(arch->block_start_cycles, warps) + warps;
}

/* Returns the time of the SM, in seconds; 0: it was not followed. */
static double find_schedule(const question *q, ifl_model *m)
{
    const ifl_time_facts *f = schedule_of(q);
    m->sm_time_us = m->cycles = m->issue_active = -1;
    if (!f)
        return 0;
    const double uneven = unevenness(q, f, m->occupancy.blocks_per_sm);
    const double starts = fmin(starting_cycles(q, m->occupancy.blocks_per_sm), f->cycles);
    m->cycles = starts + (f->cycles - starts) * uneven;
    const double of_sm = f->cycles > 0 ? f->seconds * m->cycles / f->cycles : f->seconds;
    const double seconds = fmax(of_sm, queued_in_l2(q)) + q->timing.term[IFL_TERM_LAUNCH];
    m->sm_time_us = seconds * 1e6;
    m->issue_active = f->issue_active;
    take_time(q, seconds, m);
    take_host(f, of_sm, m);
    return of_sm;
}

/* By what measured times of such launches were off. */
static void widen(const question *q, ifl_model *m)
{
    const ifl_range range = ifl_range_of(q->profile, q->device, &q->work, m, schedule_of(q));
    m->time_us.low *= range.low;
    m->time_us.high *= range.high;
}

/* ---- Little's law ---------------------------------------------------------------------------- */

/* What is on its way has its place in the L1 already. Where the caches were not followed the L1 is
 * all that its SM has beside the blocks' shared memory; before Volta loads need no place there. */
static double most_in_flight(const question *q, const ifl_model *m)
{
    const ifl_device *d = q->device;
    const double shared = (double)q->profile->shared_bytes * m->occupancy.blocks_per_sm;
    const double bytes = q->work.l1_lines > 0 ? q->work.l1_lines * IFL_LINE_BYTES
                                              : d->value[IFL_DEVICE_l1_bytes_per_sm] - shared;
    return q->rates.l1_by_line ? HUGE_VAL : q->rates.arch.lines_in_flight * bytes;
}

/* Loads that the L1 has, or that wait for what others asked for, have no bytes of their own on the
 * way. */
static void find_bytes(const question *q, ifl_model *m)
{
    const ifl_work *w = &q->work;
    const double asked = w->load_bytes * (1 - w->l1_hit);
    m->waits_per_warp = w->waits_known ? w->waits : -1;
    m->waits_estimated = w->waits_known && !w->order_known;
    m->issue_estimated = !w->instructions_known;
    m->arithmetic_estimated = !w->pipes_known;
    m->bytes_needed_per_sm = ifl_bytes_needed_per_sm(&q->rates, w->writes);
    m->bytes_in_flight_per_sm = -1;
    if (w->waits_known && w->waits > 0)
        m->bytes_in_flight_per_sm = fmin(m->occupancy.warps_per_sm * filled(q, m) * asked /
                                             (w->waits * w->blocks * w->warps_per_block),
                                         most_in_flight(q, m));
}

/* With the clock that the launch runs at. */
static ifl_device device_at_work(const ifl_device *device, const ifl_profile *profile)
{
    const ifl_arch arch = ifl_device_arch(device);
    ifl_device at_work = *device;
    at_work.value[IFL_DEVICE_clock_hz] *= ifl_profile_clock(profile, &arch);
    return at_work;
}

ifl_status ifl_model_find(const ifl_profile *profile, const ifl_device *device, ifl_modelled *out,
                          ifl_error *error)
{
    const ifl_device at_work = device_at_work(device, profile);
    question q = {.profile = profile, .device = &at_work, .error = error};
    ifl_model *m = &out->model;
    memset(out, 0, sizeof *out);
    if (profile->launches > 1)
        return ifl_fail(error, IFL_UNSUPPORTED,
                        "the counters of %llu launches together have no time",
                        (unsigned long long)profile->launches);
    ifl_rates_find(&at_work, &q.rates);
    ifl_status status = ifl_work_find(profile, &at_work, &q.rates, &q.work, error);
    if (status == IFL_OK)
        status = find_occupancy(&q, m);
    if (status != IFL_OK)
        return status;
    find_time(&q, m);
    m->occupancy_achieved = achieved_occupancy(&q, m);
    find_bytes(&q, m);
    out->sm_s = find_schedule(&q, m);
    widen(&q, m);
    m->tensor_utilization = m->term_us[IFL_TERM_TENSOR] > 0
                                ? fmin(m->term_us[IFL_TERM_TENSOR] / m->time_us.mid, 1)
                                : -1;
    out->rates = q.rates;
    out->work = q.work;
    return IFL_OK;
}

/* ---- what-ifs -------------------------------------------------------------------------------- */

static double seconds_with(const ifl_modelled *modelled, const ifl_what_if_work *with, double ratio)
{
    ifl_timing was, is;
    ifl_timing_find(&modelled->rates, &modelled->work, modelled->model.occupancy.blocks_per_sm,
                    &was);
    ifl_timing_find(&modelled->rates, &with->work, with->blocks_per_sm, &is);
    const double by_formula = modelled->model.time_us.mid * 1e-6 * is.total / was.total;
    if (ratio <= 0)
        return by_formula;
    const double by_schedule =
        fmax(modelled->sm_s * ratio, is.term[IFL_TERM_ATOMICS]) + is.term[IFL_TERM_LAUNCH];
    return with->change.at_least ? fmin(by_schedule, by_formula) : by_schedule;
}

void ifl_model_seconds_with(const ifl_profile *profile, const ifl_device *device,
                            const ifl_modelled *modelled, const ifl_what_if_work *with,
                            size_t count, double *seconds)
{
    const ifl_change *changes[IFL_WHAT_IFS] = {NULL};
    double ratios[IFL_WHAT_IFS] = {0};
    assert(count <= IFL_WHAT_IFS);
    for (size_t i = 0; i < count; i++)
        changes[i] = &with[i].change;
    if (modelled->sm_s > 0)
        ifl_profile_what_ifs(profile, device->id, changes, count, ratios);
    for (size_t i = 0; i < count; i++)
        seconds[i] = seconds_with(modelled, &with[i], ratios[i]);
}

/* What comes from DRAM is found in the L2. */
static void pull_latency(const ifl_profile *profile, const ifl_device *device, ifl_what_if_work *to)
{
    (void)profile;
    (void)device;
    const double reads = to->work.load_bytes * (1 - to->work.l1_hit - to->work.l2_hit);
    to->work.dram_bytes = to->work.dram_bytes > reads ? to->work.dram_bytes - reads : 0;
    to->work.l2_hit = 1 - to->work.l1_hit;
    to->work.waits_in_l2 = 1 - to->work.waits_in_l1;
    to->change.from_l2 = true;
}

static void pull_occupancy(const ifl_profile *profile, const ifl_device *device,
                           ifl_what_if_work *to)
{
    (void)profile;
    to->blocks_per_sm = device->value[IFL_DEVICE_max_warps_per_sm] / to->work.warps_per_block;
    to->change.blocks_per_sm = (uint32_t)fmax(to->blocks_per_sm, 1);
}

/* Half as many threads, each with twice the loads ahead of a wait. */
static void pull_requests(const ifl_profile *profile, const ifl_device *device,
                          ifl_what_if_work *to)
{
    (void)profile;
    (void)device;
    to->work.blocks /= 2;
    to->work.spread += to->work.waits;
    to->change.join = 2;
}

static double requests_of(const ifl_profile *profile)
{
    double sum = 0;
    for (ifl_traffic_kind kind = 0; kind < IFL_TRAFFIC_COUNT; kind++)
        if (!ifl_traffic_info_get(kind)->on_chip && !ifl_traffic_info_get(kind)->is_past_lsu)
            sum += (double)ifl_traffic_get(&profile->counters, kind).requests;
    return sum;
}

/* Half as many threads, each with words twice as wide: half the requests, with their addresses and
 * tests, for as much arithmetic. */
static void pull_bytes(const ifl_profile *profile, const ifl_device *device, ifl_what_if_work *to)
{
    (void)device;
    const double overhead = ifl_overhead_share(&to->work, requests_of(profile));
    to->work.blocks /= 2;
    to->work.instructions *= 1 - overhead / 2;
    to->change.join = 2;
    to->change.joins_words = true;
}

/* Is there anything that the lever would change? */
static bool has_lever(const ifl_profile *profile, ifl_lever lever)
{
    if (lever == IFL_LEVER_LATENCY || lever == IFL_LEVER_REQUESTS)
        return ifl_traffic_off_chip(&profile->counters, IFL_ACCESS_LOAD).requests > 0;
    return lever != IFL_LEVER_BYTES || requests_of(profile) > 0;
}

void ifl_model_find_levers(const ifl_profile *profile, const ifl_device *device,
                           ifl_modelled *modelled)
{
    static void (*const pull[IFL_LEVER_COUNT])(const ifl_profile *profile, const ifl_device *device,
                                               ifl_what_if_work *to) = {
        [IFL_LEVER_LATENCY] = pull_latency,
        [IFL_LEVER_OCCUPANCY] = pull_occupancy,
        [IFL_LEVER_REQUESTS] = pull_requests,
        [IFL_LEVER_BYTES] = pull_bytes,
    };
    ifl_what_if_work with[IFL_LEVER_COUNT];
    double seconds[IFL_LEVER_COUNT];
    int lever[IFL_LEVER_COUNT];
    size_t count = 0;
    for (int l = 0; l < IFL_LEVER_COUNT; l++) {
        modelled->model.lever_us[l] = -1;
        if (!modelled->work.waits_known || !has_lever(profile, (ifl_lever)l))
            continue;
        lever[count] = l;
        with[count] = (ifl_what_if_work){
            modelled->work, modelled->model.occupancy.blocks_per_sm, {.known = true}};
        pull[l](profile, device, &with[count++]);
    }
    ifl_model_seconds_with(profile, device, modelled, with, count, seconds);
    for (size_t i = 0; i < count; i++)
        modelled->model.lever_us[lever[i]] = seconds[i] * 1e6;
}

ifl_status ifl_profile_model(const ifl_profile *profile, const ifl_device *device, ifl_model *out,
                             ifl_error *error)
{
    ifl_modelled all;
    const ifl_status status = ifl_model_find(profile, device, &all, error);
    if (status == IFL_OK)
        ifl_model_find_levers(profile, device, &all);
    *out = all.model;
    return status;
}
