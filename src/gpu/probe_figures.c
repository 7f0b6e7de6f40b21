/* SPDX-License-Identifier: Apache-2.0
 * Chains of instructions of one block, and what all SMs do at once. */
#include "gpu/probe_figures.h"

#include "base/statistics.h"
#include "gpu/gpu_timing.h"
#include "gpu/probe_code.h"
#include "gpu/probe_shot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS_OF_8 = 256,
    BLOCK = 256,
    SECTOR_BYTES = 32,
    LINE_BYTES = 128,
    WORD_BYTES = 16,
    MOST_SMS = 1024,
    HALF_LINES = 8,           /* that the halves of the L2 are told apart by */
    HALF_LINE_BYTES = 1 << 12 /* from one of them to the next */
};

/* Cycles of a link, by the rows of STEPS. */
typedef struct steps {
#define STEPS(name, kernel, threads, apart) double name;
#include "gpu/probe_figure.def"
} steps;

/* What no chain says; 0: not known. */
typedef struct measured {
    double l2_cycles, l2_bytes_per_s; /* of the probes before */
    double far_cycles, home_cycles, atomic_cycles, atomic_far_cycles, host_bytes_per_s, host_ns,
        part_cycles, adds_per_s, fetched_adds_per_s;
    ifl_code_sizes code;
    double block_cycles, port_bytes_per_cycle, empty_s, fill_bytes_per_s;
} measured;

typedef struct figuring {
    ifl_gpu *gpu;
    const ifl_probe_room *room;
    ifl_probe *out;
    measured m;
    steps v;
    ifl_error *error;
} figuring;

/* ---- chains ---------------------------------------------------------------------------------- */

static ifl_status take_steps(figuring *f, const char *kernel, uint32_t threads, uint32_t apart,
                             double *cycles)
{
    char name[32];
    uint64_t cells = f->room->array, to = f->room->out, told = 0;
    uint32_t count = STEPS_OF_8;
    void *params[] = {&cells, &count, &apart, &to};
    ifl_shot s;
    snprintf(name, sizeof name, "ifl_steps_%s", kernel);
    ifl_status status = ifl_shot_make(f->gpu, name, 1, threads, params, &s, f->error);
    if (status == IFL_OK)
        status = ifl_shot_put(&s, f->error);
    if (status == IFL_OK)
        status = ifl_gpu_wait(f->gpu, name, f->error);
    if (status == IFL_OK)
        status = ifl_gpu_read(f->gpu, &told, to, sizeof told, f->error);
    *cycles = (double)told / (8 * STEPS_OF_8);
    return status;
}

static ifl_status take_all_steps(figuring *f)
{
    static const struct {
        const char *kernel;
        uint32_t threads, apart;
        size_t to;
    } rows[] = {
#define STEPS(name, kernel, threads, apart) {kernel, threads, apart, offsetof(steps, name)},
#include "gpu/probe_figure.def"
    };
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == IFL_OK; i++)
        status = take_steps(f, rows[i].kernel, rows[i].threads, rows[i].apart,
                            (double *)((char *)&f->v + rows[i].to));
    return status;
}

/* ---- all SMs --------------------------------------------------------------------------------- */

/* Additions a second. */
static ifl_status time_adds(figuring *f, const char *name, uint64_t bytes, uint32_t apart,
                            uint32_t rounds, double *rate)
{
    const uint64_t blocks = (uint64_t)f->gpu->sms * 8;
    uint64_t at = f->room->array, mask = bytes - 1, to = f->room->out;
    void *params[] = {&at, &mask, &apart, &rounds, &to};
    double seconds = 0;
    ifl_shot s;
    ifl_status status = ifl_shot_make(f->gpu, name, blocks, BLOCK, params, &s, f->error);
    if (status == IFL_OK)
        status = ifl_shot_time(&s, &seconds, f->error);
    *rate = seconds > 0 ? (double)(blocks * BLOCK * rounds) / seconds : 0;
    return status;
}

static ifl_status probe_adds(figuring *f)
{
    enum { SET = 1 << 22 };
    double one = 0;
    ifl_status status = time_adds(f, "ifl_adds", SET, 0, 4, &one);
    if (status == IFL_OK)
        status = time_adds(f, "ifl_adds", SET, SECTOR_BYTES, 32, &f->m.adds_per_s);
    if (status == IFL_OK)
        status = time_adds(f, "ifl_adds_fetched", SET, SECTOR_BYTES, 32, &f->m.fetched_adds_per_s);
    f->m.part_cycles = one > 0 ? f->out->clock_hz / one : 0;
    return status;
}

static ifl_status probe_random(figuring *f)
{
    const uint64_t blocks = (uint64_t)f->gpu->sms * 8;
    uint64_t from = f->room->array, mask = f->room->array_bytes - 1, to = f->room->out;
    uint32_t rounds = 32;
    void *params[] = {&from, &mask, &rounds, &to};
    double seconds = 0;
    ifl_shot s;
    ifl_status status = ifl_shot_make(f->gpu, "ifl_random", blocks, BLOCK, params, &s, f->error);
    if (status == IFL_OK)
        status = ifl_shot_time(&s, &seconds, f->error);
    f->out->dram_random_per_s = seconds > 0 ? (double)(blocks * BLOCK * 4 * rounds) / seconds : 0;
    return status;
}

static ifl_status probe_fill(figuring *f)
{
    uint64_t to = f->room->array, words = f->room->array_bytes / WORD_BYTES;
    void *params[] = {&to, &words};
    double seconds = 0;
    ifl_shot s;
    ifl_status status =
        ifl_shot_make(f->gpu, "ifl_fill", (words + BLOCK - 1) / BLOCK, BLOCK, params, &s, f->error);
    if (status == IFL_OK)
        status = ifl_shot_time(&s, &seconds, f->error);
    f->m.fill_bytes_per_s = seconds > 0 ? (double)f->room->array_bytes / seconds : 0;
    return status;
}

static ifl_status probe_code(figuring *f)
{
    return ifl_probe_code(f->gpu, f->room->out, &f->m.code, f->error);
}

static ifl_status probe_starts(figuring *f)
{
    const uint64_t a_sm = 1024;
    double seconds = 0;
    ifl_shot s;
    ifl_status status =
        ifl_shot_make(f->gpu, "ifl_empty", (uint64_t)f->gpu->sms * a_sm, 128, NULL, &s, f->error);
    if (status == IFL_OK)
        status = ifl_shot_time(&s, &seconds, f->error);
    f->m.block_cycles = seconds * f->out->clock_hz / (double)a_sm;
    return status == IFL_OK ? ifl_gpu_time_empty(f->gpu, 0, &f->m.empty_s, f->error) : status;
}

static ifl_status time_reads(figuring *f, const char *name, uint64_t from, uint64_t bytes,
                             uint64_t blocks, uint32_t threads, uint32_t rounds, double *rate)
{
    uint64_t mask = bytes / WORD_BYTES - 1, to = f->room->out;
    void *params[] = {&from, &mask, &rounds, &to};
    double seconds = 0;
    ifl_shot s;
    ifl_status status = ifl_shot_make(f->gpu, name, blocks, threads, params, &s, f->error);
    if (status == IFL_OK)
        status = ifl_shot_time(&s, &seconds, f->error);
    *rate =
        seconds > 0 ? (double)(blocks * threads * 4 * WORD_BYTES) * (double)rounds / seconds : 0;
    return status;
}

static ifl_status probe_port(figuring *f)
{
    double rate = 0;
    const ifl_status status =
        time_reads(f, "ifl_read_l2", f->room->array, UINT64_C(1) << 18, 1, 1024, 1024, &rate);
    f->m.port_bytes_per_cycle = rate / f->out->clock_hz;
    return status;
}

/* ---- the halves of the L2 -------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Cycles of a load of one line and of an atomic on it, of each SM. */
typedef struct half_times {
    double load[MOST_SMS], atomic[MOST_SMS];
} half_times;

static ifl_status time_halves(figuring *f, uint64_t line, half_times *of)
{
    const uint32_t sms = (uint32_t)f->gpu->sms;
    uint64_t told[2 * MOST_SMS + 1] = {0}, at = f->room->array + line * HALF_LINE_BYTES,
                                 to = f->room->out;
    uint32_t turn = 0;
    void *params[] = {&at, &turn, &to};
    ifl_shot s;
    ifl_status status = ifl_gpu_write(f->gpu, to, told, sizeof told, f->error);
    if (status == IFL_OK)
        status = ifl_gpu_write(f->gpu, at, told, LINE_BYTES, f->error);
    if (status == IFL_OK)
        status = ifl_shot_make(f->gpu, "ifl_half", sms, 32, params, &s, f->error);
    if (status != IFL_OK)
        return status;
    const int most = ifl_gpu_attribute(f->gpu, IFL_GPU_BLOCK_SHARED_BYTES);
    s.launch.shared_bytes = most > 0 ? (uint32_t)most : 0; /* one block an SM */
    status = ifl_gpu_launch_prepare(f->gpu, &s.launch, f->error);
    for (; turn < sms && status == IFL_OK; turn++)
        status = ifl_shot_put(&s, f->error);
    if (status == IFL_OK)
        status = ifl_gpu_wait(f->gpu, "loads of one line by each SM", f->error);
    if (status == IFL_OK)
        status = ifl_gpu_read(f->gpu, told, to, sizeof told, f->error);
    for (uint32_t i = 0; i < sms; i++) {
        of->load[i] = (double)told[1 + 2 * i] / 8;
        of->atomic[i] = (double)told[2 + 2 * i] / 8;
    }
    return status;
}

typedef struct quarters {
    double first, last; /* of four, the quarter's last and first */
} quarters;

static quarters quarters_of(const double *of_sm, uint32_t sms)
{
    double sorted[MOST_SMS];
    memcpy(sorted, of_sm, sms * sizeof *sorted);
    qsort(sorted, sms, sizeof *sorted, by_value);
    return (quarters){sorted[sms / 4], sorted[sms - 1 - sms / 4]};
}

static void add_line(figuring *f, const half_times *of, uint32_t sms)
{
    const quarters load = quarters_of(of->load, sms), atomic = quarters_of(of->atomic, sms);
    f->m.home_cycles += (load.first + load.last) / 2 / HALF_LINES;
    f->m.atomic_cycles += (atomic.first + atomic.last) / 2 / HALF_LINES;
    f->m.far_cycles += (load.last - load.first) / HALF_LINES;
    f->m.atomic_far_cycles += (atomic.last - atomic.first) / HALF_LINES;
}

static void mark_halves(figuring *f, const half_times *of, uint32_t sms)
{
    const quarters load = quarters_of(of->load, sms);
    for (uint32_t i = 0; i < sms && i < IFL_PROBE_SMS; i++)
        f->out->halves[i] = 2 * of->load[i] < load.first + load.last ? 'A' : 'B';
}

/* Where the L2 is one, the SMs differ by how far they are from the line, and no two groups of them show: less than a
 * fifth of a load. */
static ifl_status probe_halves(figuring *f)
{
    const uint32_t sms = (uint32_t)f->gpu->sms;
    half_times of = {.load = {0}};
    ifl_status status = IFL_OK;
    if (sms < 8 || sms > MOST_SMS)
        return IFL_OK;
    for (uint64_t line = 0; line < HALF_LINES && status == IFL_OK; line++) {
        status = time_halves(f, line, &of);
        add_line(f, &of, sms);
        if (line == 0)
            mark_halves(f, &of, sms);
    }
    if (f->m.far_cycles < f->m.l2_cycles / 5) {
        *f->out->halves = '\0';
        f->m.far_cycles = f->m.atomic_far_cycles = 0;
    } else {
        f->m.far_cycles += f->m.l2_cycles;
    }
    return status;
}

/* ---- the host -------------------------------------------------------------------------------- */

static ifl_status time_host(figuring *f, uint64_t *memory, uint64_t bytes)
{
    enum { LINKS = 1024 };
    const uint64_t lines = bytes / LINE_BYTES, words = LINE_BYTES / sizeof *memory;
    const uint64_t apart = lines / 2 + 1; /* has no common factor with a power of two */
    uint64_t told[2] = {0}, from = (uint64_t)(uintptr_t)memory, to = f->room->out;
    uint32_t warm = 0, links = LINKS;
    void *params[] = {&from, &warm, &links, &to};
    ifl_shot s;
    for (uint64_t i = 0; i < lines; i++)
        memory[i * words] = from + (i + apart) % lines * LINE_BYTES;
    ifl_status status = ifl_shot_make(f->gpu, "ifl_chase_l2", 1, 1, params, &s, f->error);
    if (status == IFL_OK)
        status = ifl_shot_put(&s, f->error);
    if (status == IFL_OK)
        status = ifl_gpu_wait(f->gpu, "a chain of addresses in the host's memory", f->error);
    if (status == IFL_OK)
        status = ifl_gpu_read(f->gpu, told, to, sizeof told, f->error);
    f->m.host_ns = (double)told[0] / LINKS / f->out->clock_hz * 1e9;
    return status == IFL_OK
               ? time_reads(
                     f, "ifl_read_l2", from, bytes, (uint64_t)f->gpu->sms * 2, BLOCK,
                     (uint32_t)(bytes / ((uint64_t)f->gpu->sms * 2 * BLOCK * 4 * WORD_BYTES)),
                     &f->m.host_bytes_per_s)
               : status;
}

/* A driver that gives no such memory leaves it unknown. */
static ifl_status probe_host(figuring *f)
{
    enum { BYTES = 1 << 26, PORTABLE_AND_MAPPED = 1 | 2 };
    void *memory = NULL;
    const ifl_driver *cu = &f->gpu->cu;
    if (!cu->host_new || !cu->host_free || cu->host_new(&memory, BYTES, PORTABLE_AND_MAPPED) != 0)
        return IFL_OK;
    const ifl_status status = time_host(f, memory, BYTES);
    cu->host_free(memory);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void tell(const figuring *f)
{
    const measured *m = &f->m;
    const steps v = f->v;
    const ifl_probe_figure all[] = {
#define FIGURE(name, value, how) {#name, value, how},
#include "gpu/probe_figure.def"
    };
    _Static_assert(sizeof all / sizeof *all <= IFL_PROBE_FIGURES, "room for all");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (isfinite(all[i].value) && all[i].value > 0)
            f->out->figure[f->out->figure_count++] = all[i];
}

ifl_status ifl_probe_figures(ifl_gpu *gpu, const ifl_probe_room *room, ifl_probe *out,
                             ifl_error *error)
{
    static ifl_status (*const parts[])(figuring *) = {probe_fill,   take_all_steps, probe_adds,
                                                      probe_random, probe_starts,   probe_port,
                                                      probe_halves, probe_host,     probe_code};
    figuring f = {.gpu = gpu, .room = room, .out = out, .error = error};
    f.m.l2_cycles = room->l2_cycles;
    f.m.l2_bytes_per_s = room->l2_bytes_per_s;
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == IFL_OK; i++)
        status = parts[i](&f);
    if (status == IFL_OK)
        tell(&f);
    return status;
}
