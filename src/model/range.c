/* SPDX-License-Identifier: Apache-2.0
 * Which measured errors a predicted time's range is made of: range.def. */
#include "model/model.h"

#include <math.h>

const ifl_range_row ifl_ranges[] = {
#define RANGE(name, low, high, doc) {#name, {(low), (high)}, doc},
#include "model/range.def"
#undef RANGE
};

const size_t ifl_range_count = sizeof ifl_ranges / sizeof *ifl_ranges;

enum {
#define RANGE(name, low, high, doc) RANGE_##name,
#include "model/range.def"
#undef RANGE
};

static bool stalls_most_for_room(const ifl_time_facts *f)
{
    const double room = fmax(f->stalls[IFL_STALL_lg_throttle], f->stalls[IFL_STALL_tex_throttle]);
    for (int r = 0; r < IFL_STALLS; r++)
        if (r != IFL_STALL_selected && r != IFL_STALL_not_selected && f->stalls[r] > room)
            return false;
    return room > 0;
}

static int class_of(const ifl_profile *p, const ifl_work *work, const ifl_model *m,
                    const ifl_time_facts *f)
{
    const ifl_counters *c = &p->counters;
    if (!work->caches_known)
        return RANGE_no_caches;
    if (!f)
        return RANGE_formula;
    if (c->known[IFL_COUNTER_global_atomic_requests] &&
        c->value[IFL_COUNTER_global_atomic_requests])
        return RANGE_atomics;
    if (m->term_us[IFL_TERM_TENSOR] > 0)
        return RANGE_products;
    return m->limiter == IFL_TERM_L2 || stalls_most_for_room(f) ? RANGE_l2 : RANGE_plain;
}

/* What the device adds to it: the constants were fitted on another, and nobody may have measured it. */
static double excess_of(const ifl_device *d)
{
    ifl_device_field unmeasured[IFL_DEVICE_RATES];
    const double excess = d->known[IFL_DEVICE_model_excess] ? d->value[IFL_DEVICE_model_excess]
                                                            : ifl_model_constants.elsewhere;
    const double borrowed = ifl_model_constants.borrowed *
                            sqrt((double)ifl_device_unmeasured(d, unmeasured) / IFL_DEVICE_RATES);
    return hypot(excess, borrowed);
}

/* What was not followed may go on at another pace than the half that stands for it. */
ifl_range ifl_range_of(const ifl_profile *profile, const ifl_device *device, const ifl_work *work,
                       const ifl_model *model, const ifl_time_facts *facts)
{
    const ifl_range *row = &ifl_ranges[class_of(profile, work, model, facts)].range;
    const double sampling = 1 + (facts ? facts->sampling_error : 0), excess = excess_of(device);
    return (ifl_range){1 / (1 + hypot(1 / row->low - 1, excess)) / sampling,
                       (1 + hypot(row->high - 1, excess)) * sampling};
}
