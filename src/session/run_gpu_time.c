/* SPDX-License-Identifier: Apache-2.0
 * The times of a launch on a GPU: which runs are timed, what stands between them, and what the
 * figures say. docs/gpu.md gives the reasons. */
#include "session/run_gpu.h"

#include "base/statistics.h"
#include "session/watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 30 };
static const double wide_spread = 0.05, moved_clock = 0.02;
static const uint64_t least_copy = UINT64_C(1) << 26, most_copy = UINT64_C(1) << 34;

static const struct {
    const char *name;
    bool one_run; /* a sample is one run */
    bool flush;
} between[] = {
    [IFL_BETWEEN_ROTATE] = {"rotate", false, true},
    [IFL_BETWEEN_FLUSH] = {"flush", true, true},
    [IFL_BETWEEN_WARM] = {"warm", false, false},
};

/* ---- the runs -------------------------------------------------------------------------------- */

static ifl_status put_run(void *user, unsigned set, ifl_error *error)
{
    return ifl_gpu_run_put(user, set, error);
}

static ifl_status restore(void *user, ifl_error *error)
{
    ifl_gpu_run *r = user;
    return ifl_gpu_buffers_restore(&r->buffers, error);
}

static ifl_gpu_series series_of(const ifl_gpu_run *r)
{
    return (ifl_gpu_series){
        .samples = r->options->samples > 0 ? (unsigned)r->options->samples : SAMPLES,
        .batch = between[r->options->between].one_run ? 1 : 0,
        .flush = between[r->options->between].flush,
        .stop = r->options->stop,
    };
}

/* ---- what is said of them -------------------------------------------------------------------- */

static void set(ifl_gpu_run *r, ifl_times_field field, double value)
{
    ifl_times_set(&r->of.profile->timing, field, value);
}

static double get(const ifl_gpu_run *r, ifl_times_field field)
{
    const ifl_times *t = &r->of.profile->timing;
    return t->known[field] ? t->value[field] : NAN;
}

static void take_times(ifl_gpu_run *r, const ifl_gpu_times *times)
{
    double scratch[IFL_MOST_SAMPLES];
    const double median = ifl_quantile(times->second, times->count, 0.5, scratch);
    const double low = ifl_quantile(times->second, times->count, 0.1, scratch);
    const double high = ifl_quantile(times->second, times->count, 0.9, scratch);
    set(r, IFL_TIMING_median_s, median);
    set(r, IFL_TIMING_least_s, ifl_quantile(times->second, times->count, 0, scratch));
    set(r, IFL_TIMING_low_s, low);
    set(r, IFL_TIMING_high_s, high);
    set(r, IFL_TIMING_spread, (high - low) / median);
    set(r, IFL_TIMING_noise, ifl_noise(times->second, times->count, scratch));
    set(r, IFL_TIMING_samples, times->count);
    set(r, IFL_TIMING_runs_per_sample, times->batch);
    set(r, IFL_TIMING_buffer_sets, r->buffers.sets);
    static const ifl_times_field clocks[] = {IFL_TIMING_clock_before_hz, IFL_TIMING_clock_amid_hz,
                                             IFL_TIMING_clock_after_hz};
    for (int i = 0; i < 3; i++)
        if (times->clock_hz[i] > 0)
            set(r, clocks[i], times->clock_hz[i]);
    r->of.profile->timing.between = between[r->options->between].name;
    r->of.profile->timing.method = times->is_graph ? "graph" : "launches";
}

static ifl_status warn_of_times(ifl_gpu_run *r)
{
    const double before = get(r, IFL_TIMING_clock_before_hz),
                 amid = get(r, IFL_TIMING_clock_amid_hz), after = get(r, IFL_TIMING_clock_after_hz);
    const double least = fmin(fmin(before, amid), after), most = fmax(fmax(before, amid), after);
    ifl_status status = IFL_OK;
    if (get(r, IFL_TIMING_spread) > wide_spread)
        status = ifl_profile_warn(r->of.profile, r->of.error,
                                  "the times are spread over %.0f %% of their median: something "
                                  "else uses the GPU, or its clocks change",
                                  100 * get(r, IFL_TIMING_spread));
    if (status == IFL_OK && (most - least) / least > moved_clock)
        status =
            ifl_profile_warn(r->of.profile, r->of.error,
                             "the SM clock moved between %.0f and %.0f MHz while times were taken",
                             1e-6 * least, 1e-6 * most);
    if (status == IFL_OK && !r->buffers.has_kept && r->buffers.bytes)
        status = ifl_profile_warn(r->of.profile, r->of.error,
                                  "the GPU's memory holds only one set of the buffers: every timed "
                                  "run continues with what the previous "
                                  "run left in them");
    return status;
}

/* ---- what they are held against -------------------------------------------------------------- */

static uint64_t useful_bytes(const ifl_profile *engine)
{
    static const ifl_counter parts[] = {IFL_COUNTER_global_load_useful_bytes,
                                        IFL_COUNTER_global_store_useful_bytes,
                                        IFL_COUNTER_global_atomic_useful_bytes};
    uint64_t sum = 0;
    for (size_t i = 0; engine && i < sizeof parts / sizeof *parts; i++)
        if (engine->counters.known[parts[i]])
            sum += engine->counters.value[parts[i]];
    return sum;
}

static void take_useful(ifl_gpu_run *r)
{
    const uint64_t bytes = useful_bytes(r->options->engine);
    if (!bytes)
        return;
    set(r, IFL_TIMING_useful_bytes, (double)bytes);
    set(r, IFL_TIMING_useful_bytes_per_s, (double)bytes / get(r, IFL_TIMING_median_s));
}

static ifl_status take_floor(ifl_gpu_run *r, unsigned batch)
{
    static const ifl_times_field times[] = {IFL_TIMING_median_s, IFL_TIMING_least_s,
                                            IFL_TIMING_low_s, IFL_TIMING_high_s};
    double floor_s = 0;
    const ifl_status status = ifl_gpu_time_empty(r->gpu, batch, &floor_s, r->of.error);
    if (status != IFL_OK)
        return status;
    set(r, IFL_TIMING_floor_s, floor_s);
    if (!r->options->subtract_floor || floor_s >= get(r, IFL_TIMING_least_s))
        return IFL_OK;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        set(r, times[i], get(r, times[i]) - floor_s);
    r->of.profile->timing.floor_subtracted = true;
    return IFL_OK;
}

/* A copy that moves about as many bytes as the kernel asks for: small ones reach less. Where the
 * GPU has no room for it, the ceiling stays unknown. */
static ifl_status take_copy(ifl_gpu_run *r)
{
    const double asked = get(r, IFL_TIMING_useful_bytes);
    uint64_t moved = isnan(asked) ? r->buffers.bytes : (uint64_t)asked;
    moved = moved < least_copy ? least_copy : moved > most_copy ? most_copy : moved;
    const uint64_t room = ifl_gpu_free_bytes(r->gpu) / 4;
    moved = room && moved > room ? room : moved;
    const ifl_gpu_series how = series_of(r);
    double seconds = 0;
    const ifl_status status =
        ifl_gpu_time_copy(r->gpu, moved / 512 * 256, &how, &seconds, r->of.error);
    if (status == IFL_NO_MEMORY)
        return IFL_OK;
    if (status == IFL_OK) {
        set(r, IFL_TIMING_copy_bytes, (double)(moved / 512 * 512));
        set(r, IFL_TIMING_copy_bytes_per_s, (double)(moved / 512 * 512) / seconds);
    }
    return status;
}

ifl_status ifl_gpu_run_time(ifl_gpu_run *r)
{
    const ifl_gpu_task task = {.put = put_run,
                               .restore = r->buffers.has_kept ? restore : NULL,
                               .user = r,
                               .sets = r->buffers.sets};
    if ((unsigned)r->options->between >= sizeof between / sizeof *between)
        return ifl_fail(r->of.error, IFL_USAGE, "there is no such mode between runs");
    const ifl_gpu_series how = series_of(r);
    ifl_gpu_times times;
    ifl_status status = ifl_gpu_time(r->gpu, &task, &how, &times, r->of.error);
    if (status != IFL_OK)
        return status;
    take_times(r, &times);
    status = take_floor(r, times.batch);
    take_useful(r);
    if (status == IFL_OK && !r->options->no_copy)
        status = take_copy(r);
    return status == IFL_OK ? warn_of_times(r) : status;
}
