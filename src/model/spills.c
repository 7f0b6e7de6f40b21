/* SPDX-License-Identifier: Apache-2.0
 * The work that registers in local memory (spills) add to a launch: passes through the L1; what the
 * L1 cannot keep of the resident warps' frames goes to the L2. Knows the machine code's counts, no
 * addresses. */
#include "model/model.h"

#include <math.h>

enum { WORD = 4 };

/* Where the caches were not followed, as if no shared memory took of it. */
static double l1_lines_of(const ifl_device *device, const ifl_work *w)
{
    const bool is_known = device->known[IFL_DEVICE_l1_bytes_per_sm];
    const double all = is_known ? device->value[IFL_DEVICE_l1_bytes_per_sm] : 0;
    return w->l1_lines > 0 ? w->l1_lines : all / IFL_LINE_BYTES;
}

void ifl_spills_find(const ifl_profile *p, const ifl_device *device, ifl_work *out)
{
    const ifl_machine_spills *s = &p->machine.spills;
    const double warps = out->blocks * out->warps_per_block;
    if (!s->known || s->load_requests + s->store_requests <= 0)
        return;
    out->spills = (ifl_spill_work){
        .frame_lines = (double)p->machine.stack_bytes / WORD,
        .l1_lines = l1_lines_of(device, out),
        .l2_lines = device->value[IFL_DEVICE_l2_bytes] / IFL_LINE_BYTES,
        .others = s->load_lines > 0
                      ? (double)p->counters.value[IFL_COUNTER_global_load_lines] / s->load_lines
                      : 0,
        .requests = s->load_requests + s->store_requests,
        .load_lines = s->load_lines,
        .store_lines = s->store_lines,
        .waits = p->machine.order.known ? p->machine.order.local_waits / warps : 0,
    };
    if (!p->counters.known[IFL_COUNTER_instructions])
        out->instructions += out->spills.requests;
}

static double resident_lines(const ifl_work *w, double sms, double blocks_per_sm)
{
    const double blocks = fmin(blocks_per_sm, fmax(w->blocks / sms, 1));
    return blocks * w->warps_per_block * w->spills.frame_lines;
}

/* The share of `lines` that `places` are too few for. */
static double lacking(double lines, double places)
{
    return lines > places ? 1 - places / lines : 0;
}

/* Loads find in the L1 what it has room for beside what other loads bring; every store goes through
 * to the L2 (before Volta only what the L1 has no room for: docs/caches.md). What the L2 does not
 * keep moves on to DRAM. */
ifl_work ifl_spills_add(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm)
{
    const ifl_arch *k = &rates->arch;
    const ifl_spill_work *s = &work->spills;
    ifl_work with = *work;
    if (s->requests <= 0)
        return with;
    const double frames = resident_lines(work, rates->sms, blocks_per_sm);
    const double beyond_l1 = lacking(frames * (1 + s->others), s->l1_lines);
    const double beyond_l2 = lacking(frames * rates->sms, s->l2_lines * k->frames_in_l2);
    const double missed = s->load_lines * beyond_l1;
    const double written = s->store_lines * (rates->l1_by_line ? beyond_l1 : 1);
    with.l1_passes += s->load_lines + s->store_lines + k->fill_passes * missed;
    with.l2_bytes += IFL_LINE_BYTES * fmax(missed + written, written * k->write_turns);
    with.dram_bytes += IFL_LINE_BYTES * (missed + written) * beyond_l2;
    with.cycles += s->waits * beyond_l1 * rates->l2_latency_s * rates->clock_hz;
    return with;
}
