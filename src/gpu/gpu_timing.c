/* SPDX-License-Identifier: Apache-2.0
 * Taking times: one sample is [restore] [flush] event, runs, event. */
#include "gpu/gpu_timing.h"

#include "base/statistics.h"

#include <math.h>

/* A sample of a millisecond is 2000 times the resolution of events (0.5 us, CUDA Driver API
 * reference). */
static const double sample_s = 1e-3, series_s = 5;
enum {
    MOST_BATCH = 256,
    FEWEST_SAMPLES = 5,
    ESTIMATES = 3,
    SPIN_CYCLES = 400000, /* 0.2 ms: the nanosecond counter may move in steps of a microsecond */
    CAPTURE_THREAD_LOCAL = 1,
    FLUSH_BLOCK = 256,
    FLUSH_BLOCKS_PER_SM = 8,
    WORD_BYTES = 16,
    FLUSH_WORDS = 4 /* a round of ifl_read_4 */
};

/* ---- the clock ------------------------------------------------------------------------------- */

ifl_status ifl_gpu_clock(ifl_gpu *gpu, double *hz, ifl_error *error)
{
    uint64_t out = 0, cycles = SPIN_CYCLES, told[2] = {0};
    void *params[] = {&out, &cycles};
    ifl_gpu_launch launch = {.name = "ifl_spin",
                             .grid = {1, 1, 1},
                             .block = {1, 1, 1},
                             .carveout = -1,
                             .params = params};
    *hz = 0;
    ifl_status status = ifl_gpu_kernel(gpu, "ifl_spin", &launch.function, error);
    if (status == IFL_OK)
        status = ifl_gpu_allocate(gpu, sizeof told, &out, error);
    if (status == IFL_OK)
        status = ifl_gpu_launch_put(gpu, &launch, error);
    if (status == IFL_OK)
        status = ifl_gpu_wait(gpu, "reading the GPU's clock", error);
    if (status == IFL_OK)
        status = ifl_gpu_read(gpu, told, out, sizeof told, error);
    if (status == IFL_OK && told[1])
        *hz = 1e9 * (double)told[0] / (double)told[1];
    ifl_gpu_release(gpu, out);
    return status;
}

/* ---- the L2 ---------------------------------------------------------------------------------- */

/* A power of two, at least twice the L2. */
static uint64_t scratch_bytes(const ifl_gpu *gpu)
{
    uint64_t bytes = 1 << 20;
    while (bytes < 2 * gpu->l2_bytes)
        bytes *= 2;
    return bytes;
}

ifl_status ifl_gpu_flush(ifl_gpu *gpu, ifl_error *error)
{
    const uint64_t bytes = scratch_bytes(gpu);
    const uint32_t blocks = (uint32_t)(gpu->sms > 0 ? gpu->sms : 1) * FLUSH_BLOCKS_PER_SM;
    const uint64_t a_round = (uint64_t)blocks * FLUSH_BLOCK * FLUSH_WORDS * WORD_BYTES;
    uint64_t mask = bytes / WORD_BYTES - 1;
    uint32_t rounds = (uint32_t)(bytes / a_round + 1);
    ifl_status status = IFL_OK;
    if (!gpu->scratch)
        status = ifl_gpu_allocate(gpu, bytes, &gpu->scratch, error);
    void *params[] = {&gpu->scratch, &mask, &rounds, &gpu->scratch};
    ifl_gpu_launch launch = {.name = "ifl_read_4",
                             .grid = {blocks, 1, 1},
                             .block = {FLUSH_BLOCK, 1, 1},
                             .carveout = -1,
                             .params = params};
    if (status == IFL_OK)
        status = ifl_gpu_kernel(gpu, "ifl_read_4", &launch.function, error);
    return status == IFL_OK ? ifl_gpu_launch_put(gpu, &launch, error) : status;
}

/* ---- a series -------------------------------------------------------------------------------- */

typedef struct series {
    ifl_gpu *gpu;
    const ifl_gpu_task *task;
    const ifl_gpu_series *how;
    void *event[2];
    void *graph; /* executable; NULL: the runs are put one by one */
    unsigned batch;
    ifl_error *error;
} series;

static ifl_status put_batch(series *s, unsigned batch)
{
    ifl_status status = IFL_OK;
    for (unsigned i = 0; i < batch && status == IFL_OK; i++)
        status = s->task->put(s->task->user, i % s->task->sets, s->error);
    return status;
}

/* The runs of a batch as one graph, so that the processor's part of a launch is not in the time.
 * What cannot be captured is put run by run. */
static ifl_status make_graph(series *s)
{
    void *graph = NULL;
    ifl_gpu *gpu = s->gpu;
    if (s->batch < 2 || gpu->cu.capture_begin(gpu->stream, CAPTURE_THREAD_LOCAL) != 0)
        return IFL_OK;
    const ifl_status status = put_batch(s, s->batch);
    const int ended = gpu->cu.capture_end(gpu->stream, &graph);
    if (status == IFL_OK && ended == 0 && graph && gpu->cu.graph_make(&s->graph, graph, 0) != 0)
        s->graph = NULL;
    if (graph)
        gpu->cu.graph_free(graph);
    return IFL_OK;
}

static ifl_status put_timed(series *s, unsigned batch)
{
    const ifl_gpu *gpu = s->gpu;
    ifl_status status =
        ifl_gpu_check(gpu, gpu->cu.event_record(s->event[0], gpu->stream), s->error, "timing");
    if (status == IFL_OK && s->graph && batch == s->batch)
        status = ifl_gpu_check(gpu, gpu->cu.graph_launch(s->graph, gpu->stream), s->error,
                               "launching a graph");
    else if (status == IFL_OK)
        status = put_batch(s, batch);
    if (status == IFL_OK)
        status =
            ifl_gpu_check(gpu, gpu->cu.event_record(s->event[1], gpu->stream), s->error, "timing");
    return status;
}

/* Seconds a run. */
static ifl_status take_sample(series *s, unsigned batch, double *seconds)
{
    float ms = 0;
    const ifl_gpu *gpu = s->gpu;
    ifl_status status = IFL_OK;
    if (s->how->stop && *s->how->stop)
        return ifl_fail(s->error, IFL_INTERRUPTED, "interrupted while times were taken");
    if (s->task->restore)
        status = s->task->restore(s->task->user, s->error);
    if (status == IFL_OK && s->how->flush)
        status = ifl_gpu_flush(s->gpu, s->error);
    if (status == IFL_OK)
        status = put_timed(s, batch);
    if (status == IFL_OK)
        status = ifl_gpu_wait(gpu, "running the kernel", s->error);
    if (status == IFL_OK)
        status = ifl_gpu_check(gpu, gpu->cu.event_ms(&ms, s->event[0], s->event[1]), s->error,
                               "reading a time");
    *seconds = 1e-3 * ms / batch;
    return status;
}

/* The first run also warms up: it pays for loading code and for pages. */
static ifl_status estimate(series *s, double *seconds)
{
    double sample[ESTIMATES] = {0};
    ifl_status status = IFL_OK;
    for (int i = 0; i < ESTIMATES && status == IFL_OK; i++)
        status = take_sample(s, 1, &sample[i]);
    *seconds = fmin(sample[ESTIMATES - 1], sample[ESTIMATES - 2]);
    return status;
}

static unsigned choose_batch(const series *s, double seconds)
{
    if (s->how->batch)
        return s->how->batch;
    const double wanted = seconds > 0 ? sample_s / seconds : MOST_BATCH;
    return wanted < 1 ? 1 : wanted > MOST_BATCH ? MOST_BATCH : (unsigned)ceil(wanted);
}

static unsigned choose_samples(const series *s, double seconds)
{
    const double most_s = s->how->most_s > 0 ? s->how->most_s : series_s;
    unsigned samples = s->how->samples < IFL_MOST_SAMPLES ? s->how->samples : IFL_MOST_SAMPLES;
    const double fit = seconds > 0 ? most_s / (seconds * s->batch) : samples;
    if (fit < samples)
        samples = fit < FEWEST_SAMPLES ? FEWEST_SAMPLES : (unsigned)fit;
    return samples ? samples : 1;
}

static ifl_status take_series(series *s, ifl_gpu_times *out)
{
    double seconds = 0;
    ifl_status status = estimate(s, &seconds);
    s->batch = choose_batch(s, seconds);
    if (status == IFL_OK)
        status = make_graph(s);
    if (status == IFL_OK) /* the graph's first launch uploads it */
        status = take_sample(s, s->batch, &seconds);
    const unsigned samples = choose_samples(s, seconds);
    out->batch = s->batch;
    out->is_graph = s->graph != NULL;
    if (status == IFL_OK)
        status = ifl_gpu_clock(s->gpu, &out->clock_hz[0], s->error);
    for (out->count = 0; out->count < samples && status == IFL_OK; out->count++) {
        if (out->count == samples / 2)
            status = ifl_gpu_clock(s->gpu, &out->clock_hz[1], s->error);
        if (status == IFL_OK)
            status = take_sample(s, s->batch, &out->second[out->count]);
    }
    if (status == IFL_OK)
        status = ifl_gpu_clock(s->gpu, &out->clock_hz[2], s->error);
    return status;
}

ifl_status ifl_gpu_time(ifl_gpu *gpu, const ifl_gpu_task *task, const ifl_gpu_series *how,
                        ifl_gpu_times *out, ifl_error *error)
{
    series s = {.gpu = gpu, .task = task, .how = how, .error = error};
    ifl_status status = IFL_OK;
    *out = (ifl_gpu_times){0};
    for (int i = 0; i < 2 && status == IFL_OK; i++)
        status = ifl_gpu_check(gpu, gpu->cu.event_new(&s.event[i], 0), error, "making an event");
    if (status == IFL_OK)
        status = take_series(&s, out);
    if (s.graph)
        gpu->cu.graph_executable_free(s.graph);
    for (int i = 0; i < 2; i++)
        if (s.event[i])
            gpu->cu.event_free(s.event[i]);
    return status;
}

/* ---- what times are held against ------------------------------------------------------------- */

static ifl_status put_launch(void *user, unsigned set, ifl_error *error)
{
    (void)set;
    const void *const *pair = user;
    return ifl_gpu_launch_put(pair[0], pair[1], error);
}

static double median_of(const ifl_gpu_times *times)
{
    double scratch[IFL_MOST_SAMPLES];
    return ifl_quantile(times->second, times->count, 0.5, scratch);
}

ifl_status ifl_gpu_time_empty(ifl_gpu *gpu, unsigned batch, double *seconds, ifl_error *error)
{
    ifl_gpu_launch launch = {
        .name = "ifl_empty", .grid = {1, 1, 1}, .block = {32, 1, 1}, .carveout = -1};
    const void *pair[] = {gpu, &launch};
    const ifl_gpu_task task = {.put = put_launch, .user = pair, .sets = 1};
    const ifl_gpu_series how = {.samples = 30, .batch = batch};
    ifl_gpu_times times;
    ifl_status status = ifl_gpu_kernel(gpu, "ifl_empty", &launch.function, error);
    if (status == IFL_OK)
        status = ifl_gpu_time(gpu, &task, &how, &times, error);
    *seconds = status == IFL_OK ? median_of(&times) : 0;
    return status;
}

typedef struct copying {
    ifl_gpu *gpu;
    uint64_t from, to, bytes, words;
    ifl_gpu_launch kernel;
    void *params[3];
} copying;

static ifl_status put_copy(void *user, unsigned set, ifl_error *error)
{
    const copying *c = user;
    (void)set;
    return ifl_gpu_check(c->gpu, c->gpu->cu.copy(c->to, c->from, c->bytes, c->gpu->stream), error,
                         "copying on the GPU");
}

static ifl_status put_kernel(void *user, unsigned set, ifl_error *error)
{
    const copying *c = user;
    (void)set;
    return ifl_gpu_launch_put(c->gpu, &c->kernel, error);
}

static ifl_status time_copy(copying *c, const ifl_gpu_series *how, bool by_kernel, double *seconds,
                            ifl_error *error)
{
    const ifl_gpu_task task = {.put = by_kernel ? put_kernel : put_copy, .user = c, .sets = 1};
    ifl_gpu_times times;
    const ifl_status status = ifl_gpu_time(c->gpu, &task, how, &times, error);
    *seconds = status == IFL_OK ? median_of(&times) : 0;
    return status;
}

static ifl_status prepare_copy(copying *c, ifl_error *error)
{
    c->words = c->bytes / WORD_BYTES;
    c->params[0] = &c->to;
    c->params[1] = &c->from;
    c->params[2] = &c->words;
    c->kernel = (ifl_gpu_launch){
        .name = "ifl_copy", .block = {FLUSH_BLOCK, 1, 1}, .carveout = -1, .params = c->params};
    c->kernel.grid[0] = (uint32_t)((c->words + FLUSH_BLOCK - 1) / FLUSH_BLOCK);
    c->kernel.grid[1] = c->kernel.grid[2] = 1;
    ifl_status status = ifl_gpu_kernel(c->gpu, "ifl_copy", &c->kernel.function, error);
    if (status == IFL_OK)
        status = ifl_gpu_allocate(c->gpu, c->bytes, &c->from, error);
    if (status == IFL_OK)
        status = ifl_gpu_allocate(c->gpu, c->bytes, &c->to, error);
    return status;
}

ifl_status ifl_gpu_time_copy(ifl_gpu *gpu, uint64_t bytes, const ifl_gpu_series *how,
                             double *seconds, ifl_error *error)
{
    copying c = {.gpu = gpu, .bytes = bytes};
    double driver_s = 0, kernel_s = 0;
    ifl_status status = prepare_copy(&c, error);
    if (status == IFL_OK)
        status = time_copy(&c, how, false, &driver_s, error);
    if (status == IFL_OK)
        status = time_copy(&c, how, true, &kernel_s, error);
    *seconds = fmin(driver_s, kernel_s);
    ifl_gpu_release(gpu, c.from);
    ifl_gpu_release(gpu, c.to);
    return status;
}
