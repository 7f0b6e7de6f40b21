/* SPDX-License-Identifier: Apache-2.0
 * The microbenchmarks: one array, chains through it, rates of it. */
#include "gpu/probe.h"

#include "gpu/gpu_timing.h"
#include "gpu/probe_figures.h"
#include "gpu/probe_shot.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 128,
    WORD_BYTES = 16,
    CHASE_STEPS = 8192,
    MOST_WARM_BYTES =
        1 << 20, /* chains that are gone through twice before they are timed: an L1 or more */
    BLOCK = 256,
    L1_BLOCK = 1024,
    L1_SET_BYTES = 1 << 14, /* fits every L1 */
    L1_ROUNDS = 4096,
    MOST_FLIGHT_BLOCKS = 16,
    FLIGHT_BLOCK = 128,
    MOST_WORDS_AT_ONCE = 8
};
static const uint64_t least_set = UINT64_C(1) << 13, most_set = UINT64_C(1) << 30;

typedef struct probing {
    ifl_gpu *gpu;
    ifl_probe *out;
    uint64_t array, array_bytes; /* a power of two */
    uint64_t second, third;
    uint64_t told;   /* two words that kernels write */
    uint64_t *chain; /* on the host */
    ifl_error *error;
} probing;

/* ---- latency --------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13; /* Marsaglia, "Xorshift RNGs", 2003 */
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* One cycle through all lines of the set in random order (Sattolo's algorithm); each line's first
 * word is the address of the next. */
static void make_chain(probing *p, uint64_t bytes)
{
    const uint64_t lines = bytes / LINE_BYTES, words = LINE_BYTES / sizeof *p->chain;
    uint64_t state = 88172645463325252u;
    for (uint64_t i = 0; i < lines; i++)
        p->chain[i * words] = i;
    for (uint64_t i = lines - 1; i > 0; i--) {
        const uint64_t j = next_random(&state) % i;
        const uint64_t kept = p->chain[i * words];
        p->chain[i * words] = p->chain[j * words];
        p->chain[j * words] = kept;
    }
    for (uint64_t i = 0; i < lines; i++)
        p->chain[i * words] = p->array + p->chain[i * words] * LINE_BYTES;
}

/* What fits half of the L2 is brought there; of what is larger nothing is left there, so that every
 * step goes to DRAM. */
static ifl_status settle(probing *p, uint64_t bytes)
{
    const uint64_t blocks = (uint64_t)p->gpu->sms * 8;
    uint64_t mask = bytes / WORD_BYTES - 1;
    uint32_t rounds = (uint32_t)(2 * bytes / (blocks * BLOCK * 4 * WORD_BYTES) + 1);
    void *params[] = {&p->array, &mask, &rounds, &p->told};
    ifl_shot s;
    if (bytes > p->gpu->l2_bytes / 2)
        return ifl_gpu_flush(p->gpu, p->error);
    const ifl_status status =
        ifl_shot_make(p->gpu, "ifl_read_l2", blocks, BLOCK, params, &s, p->error);
    return status == IFL_OK ? ifl_shot_put(&s, p->error) : status;
}

static ifl_status chase(probing *p, const char *name, uint64_t bytes, double *cycles)
{
    uint32_t steps = CHASE_STEPS;
    uint32_t warm = bytes <= MOST_WARM_BYTES ? (uint32_t)(2 * bytes / LINE_BYTES) : 0;
    uint64_t told[2] = {0};
    ifl_shot s;
    void *params[] = {&p->array, &warm, &steps, &p->told};
    ifl_status status = settle(p, bytes);
    if (status == IFL_OK)
        status = ifl_shot_make(p->gpu, name, 1, 1, params, &s, p->error);
    if (status == IFL_OK)
        status = ifl_shot_put(&s, p->error);
    if (status == IFL_OK)
        status = ifl_gpu_wait(p->gpu, "following a chain of addresses", p->error);
    if (status == IFL_OK)
        status = ifl_gpu_read(p->gpu, told, p->told, sizeof told, p->error);
    *cycles = (double)told[0] / CHASE_STEPS;
    return status;
}

static ifl_status probe_latency(probing *p, uint64_t bytes)
{
    ifl_probe_latency *to = &p->out->latency[p->out->latency_count];
    make_chain(p, bytes);
    ifl_status status = ifl_gpu_write(p->gpu, p->array, p->chain, bytes, p->error);
    to->bytes = bytes;
    if (status == IFL_OK)
        status = chase(p, "ifl_chase_l1", bytes, &to->l1_cycles);
    if (status == IFL_OK)
        status = chase(p, "ifl_chase_l2", bytes, &to->l2_cycles);
    p->out->latency_count += status == IFL_OK;
    return status;
}

/* Powers of two up to past four times the L2; the farthest are far enough apart in pages to show
 * the TLB too. */
static ifl_status probe_latencies(probing *p)
{
    ifl_status status = IFL_OK;
    for (uint64_t bytes = least_set; bytes <= p->array_bytes / 2 && status == IFL_OK; bytes *= 2)
        if (p->out->latency_count < IFL_PROBE_SIZES)
            status = probe_latency(p, bytes);
    return status;
}

/* ---- rates ----------------------------------------------------------------------------------- */

static ifl_status probe_read(probing *p, const char *name, uint64_t bytes, double *rate)
{
    const uint64_t blocks = (uint64_t)p->gpu->sms * 8, a_round = blocks * BLOCK * 4 * WORD_BYTES;
    const uint64_t wanted = bytes < (UINT64_C(1) << 28) ? UINT64_C(1) << 28 : bytes;
    uint64_t mask = bytes / WORD_BYTES - 1;
    uint32_t rounds = (uint32_t)((wanted + a_round - 1) / a_round);
    void *params[] = {&p->array, &mask, &rounds, &p->told};
    double seconds = 0;
    ifl_shot s;
    ifl_status status = ifl_shot_make(p->gpu, name, blocks, BLOCK, params, &s, p->error);
    if (status == IFL_OK)
        status = ifl_shot_time(&s, &seconds, p->error);
    *rate = seconds > 0 ? (double)(a_round * rounds) / seconds : 0;
    return status;
}

static ifl_status probe_reads(probing *p)
{
    ifl_status status = IFL_OK;
    for (uint64_t bytes = UINT64_C(1) << 16; bytes <= p->array_bytes && status == IFL_OK;
         bytes *= 2) {
        ifl_probe_rate *to = &p->out->read[p->out->read_count];
        if (p->out->read_count == IFL_PROBE_SIZES)
            break;
        to->bytes = bytes;
        status = probe_read(p, "ifl_read_4", bytes, &to->bytes_per_s);
        if (status == IFL_OK)
            status = probe_read(p, "ifl_read_l2", bytes, &to->past_l1_bytes_per_s);
        p->out->read_count += status == IFL_OK;
    }
    if (status == IFL_OK && p->out->read_count)
        p->out->dram_read_bytes_per_s = p->out->read[p->out->read_count - 1].bytes_per_s;
    return status;
}

/* Two blocks of 1024 threads an SM read one small set over and over. In cycles of the clock
 * measured beside it. */
static ifl_status probe_l1(probing *p)
{
    const uint64_t blocks = (uint64_t)p->gpu->sms * 2;
    uint64_t mask = L1_SET_BYTES / WORD_BYTES - 1;
    uint32_t rounds = L1_ROUNDS;
    void *params[] = {&p->array, &mask, &rounds, &p->told};
    double seconds = 0, hz = 0;
    ifl_shot s;
    ifl_status status = ifl_shot_make(p->gpu, "ifl_read_4", blocks, L1_BLOCK, params, &s, p->error);
    if (status == IFL_OK)
        status = ifl_shot_time(&s, &seconds, p->error);
    if (status == IFL_OK)
        status = ifl_gpu_clock(p->gpu, &hz, p->error);
    if (seconds > 0 && hz > 0)
        p->out->l1_bytes_per_cycle_per_sm =
            (double)2 * L1_BLOCK * 4 * WORD_BYTES * L1_ROUNDS / (seconds * hz);
    return status;
}

static ifl_status probe_stream(probing *p, const char *name, void **params, uint64_t arrays,
                               double *rate)
{
    const uint64_t words = p->array_bytes / WORD_BYTES;
    double seconds = 0;
    ifl_shot s;
    ifl_status status =
        ifl_shot_make(p->gpu, name, (words + BLOCK - 1) / BLOCK, BLOCK, params, &s, p->error);
    if (status == IFL_OK)
        status = ifl_shot_time(&s, &seconds, p->error);
    *rate = seconds > 0 ? (double)(arrays * p->array_bytes) / seconds : 0;
    return status;
}

static ifl_status probe_streams(probing *p)
{
    uint64_t words = p->array_bytes / WORD_BYTES;
    void *copy[] = {&p->second, &p->array, &words};
    void *triad[] = {&p->third, &p->array, &p->second, &words};
    p->out->dram_bytes = p->array_bytes;
    const ifl_status status = probe_stream(p, "ifl_copy", copy, 2, &p->out->dram_copy_bytes_per_s);
    return status == IFL_OK
               ? probe_stream(p, "ifl_triad", triad, 3, &p->out->dram_triad_bytes_per_s)
               : status;
}

/* ---- bytes in flight ------------------------------------------------------------------------- */

/* So much shared memory a block that no more than `blocks` fit an SM. */
static uint32_t shared_for(const probing *p, uint32_t blocks)
{
    const int all = ifl_gpu_attribute(p->gpu, IFL_GPU_SM_SHARED_BYTES);
    const int own = ifl_gpu_attribute(p->gpu, IFL_GPU_RESERVED_SHARED_BYTES);
    const int most = ifl_gpu_attribute(p->gpu, IFL_GPU_BLOCK_SHARED_BYTES);
    const int each = all / (int)blocks - own;
    return each < 0 ? 0 : (uint32_t)(each < most ? each : most) / 128 * 128;
}

static ifl_status probe_flight(probing *p, uint32_t blocks_per_sm, uint32_t words)
{
    char name[16];
    const uint64_t blocks = (uint64_t)p->gpu->sms * blocks_per_sm;
    const uint64_t a_round = blocks * FLIGHT_BLOCK * words * WORD_BYTES;
    uint64_t mask = p->array_bytes / WORD_BYTES - 1;
    uint32_t rounds = (uint32_t)(p->array_bytes / 2 / a_round);
    void *params[] = {&p->array, &mask, &rounds, &p->told};
    double seconds = 0;
    ifl_shot s;
    if (p->out->flight_count == IFL_PROBE_FLIGHTS)
        return IFL_OK;
    snprintf(name, sizeof name, "ifl_read_%u", words);
    ifl_status status = ifl_shot_make(p->gpu, name, blocks, FLIGHT_BLOCK, params, &s, p->error);
    s.launch.shared_bytes = shared_for(p, blocks_per_sm);
    if (status == IFL_OK)
        status = ifl_gpu_launch_prepare(p->gpu, &s.launch, p->error);
    if (status == IFL_OK)
        status = ifl_shot_time(&s, &seconds, p->error);
    if (status == IFL_OK)
        p->out->flight[p->out->flight_count++] = (ifl_probe_flight){
            .threads_per_sm = blocks_per_sm * FLIGHT_BLOCK,
            .words = words,
            .bytes_in_flight_per_sm = (uint64_t)blocks_per_sm * FLIGHT_BLOCK * words * WORD_BYTES,
            .bytes_per_s = seconds > 0 ? (double)(a_round * rounds) / seconds : 0,
        };
    return status;
}

static ifl_status probe_flights(probing *p)
{
    ifl_status status = IFL_OK;
    const int threads = ifl_gpu_attribute(p->gpu, IFL_GPU_SM_THREADS);
    for (uint32_t words = 1; words <= MOST_WORDS_AT_ONCE; words *= 2)
        for (uint32_t blocks = 1; blocks <= MOST_FLIGHT_BLOCKS && status == IFL_OK; blocks *= 2)
            if (blocks * FLIGHT_BLOCK <= (uint32_t)threads)
                status = probe_flight(p, blocks, words);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* At least sixteen times the L2, and no more than a sixth of what is free. */
static uint64_t choose_bytes(const probing *p)
{
    const uint64_t free_bytes = ifl_gpu_free_bytes(p->gpu);
    uint64_t bytes = UINT64_C(1) << 20;
    while (bytes < 16 * p->gpu->l2_bytes && bytes < most_set && 2 * bytes <= free_bytes / 6)
        bytes *= 2;
    return bytes;
}

static ifl_status prepare(probing *p)
{
    p->array_bytes = choose_bytes(p);
    p->chain = calloc(1, p->array_bytes / 2);
    if (!p->chain)
        return ifl_fail_memory(p->error, p->array_bytes / 2);
    ifl_status status = ifl_gpu_allocate(p->gpu, p->array_bytes, &p->array, p->error);
    if (status == IFL_OK)
        status = ifl_gpu_allocate(p->gpu, p->array_bytes, &p->second, p->error);
    if (status == IFL_OK)
        status = ifl_gpu_allocate(p->gpu, p->array_bytes, &p->third, p->error);
    if (status == IFL_OK)
        status = ifl_gpu_allocate(p->gpu, WORD_BYTES, &p->told, p->error);
    return status;
}

double ifl_probe_best_l2(const ifl_probe *p, uint64_t l2_bytes)
{
    double best = 0;
    for (size_t i = 0; i < p->read_count; i++)
        if (p->read[i].bytes >= (1 << 21) && p->read[i].bytes <= l2_bytes / 2 &&
            p->read[i].past_l1_bytes_per_s > best)
            best = p->read[i].past_l1_bytes_per_s;
    return best;
}

const ifl_probe_latency *ifl_probe_latency_at(const ifl_probe *p, uint64_t bytes)
{
    for (size_t i = 0; i < p->latency_count; i++)
        if (p->latency[i].bytes >= bytes)
            return &p->latency[i];
    return NULL;
}

static ifl_status probe_figures(probing *p)
{
    const ifl_probe_latency *in_l2 = ifl_probe_latency_at(p->out, p->gpu->l2_bytes / 16);
    const ifl_probe_room room = {.array = p->array,
                                 .array_bytes = p->array_bytes,
                                 .out = p->second,
                                 .l2_cycles = in_l2 ? in_l2->l2_cycles : 0,
                                 .l2_bytes_per_s = ifl_probe_best_l2(p->out, p->gpu->l2_bytes)};
    return ifl_probe_figures(p->gpu, &room, p->out, p->error);
}

static ifl_status run(probing *p)
{
    static ifl_status (*const parts[])(probing *) = {probe_latencies, probe_reads,   probe_l1,
                                                     probe_streams,   probe_flights, probe_figures};
    ifl_status status = prepare(p);
    if (status == IFL_OK)
        status = ifl_gpu_clock(p->gpu, &p->out->clock_hz, p->error);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == IFL_OK; i++)
        status = parts[i](p);
    return status;
}

ifl_status ifl_gpu_probe(ifl_gpu *gpu, ifl_probe *out, ifl_error *error)
{
    probing p = {.gpu = gpu, .out = out, .error = error};
    *out = (ifl_probe){0};
    const ifl_status status = run(&p);
    ifl_gpu_release(gpu, p.array);
    ifl_gpu_release(gpu, p.second);
    ifl_gpu_release(gpu, p.third);
    ifl_gpu_release(gpu, p.told);
    free(p.chain);
    return status;
}
