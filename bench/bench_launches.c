/* SPDX-License-Identifier: Apache-2.0
 * What a program's launches cost beside the engine that runs them: the same kernel by the engine
 * alone and through cuLaunchKernel, then 10,000 small launches. Processor time of all threads, the
 * lowest of several rounds. usage: inflight run --no-analysis --every-launch -- bench_launches (the
 * launches repeat, and would not run); without `inflight run`, on a GPU, the second and third figure. */
#include "session/session.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { THREADS = 1 << 24, BLOCK = 256, ROUNDS = 7, SMALL = 10000 };

static double seconds(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "bench_launches: %s\n", what);
    exit(EXIT_FAILURE);
}

/* The parameters of contiguous.ptx. */
typedef struct params {
    uint32_t n;
    float a;
    uint64_t x, y;
} params;

/* ---- the engine alone ------------------------------------------------------------------------ */

static uint64_t allocate(ifl_memory *memory)
{
    ifl_allocation *a;
    if (ifl_memory_allocate(memory, THREADS * sizeof(float), 0, 0, "x", &a, NULL) != IFL_OK)
        die("no memory");
    memset(a->host, 0, a->bytes);
    return a->address;
}

static double time_engine(const char *ptx)
{
    const ifl_session_options options = {0};
    const ifl_session_way way = {0};
    ifl_session *session;
    ifl_loaded *loaded;
    double best = 1e9;
    ifl_session_launch launch = {.grid = {THREADS / BLOCK, 1, 1}, .block = {BLOCK, 1, 1}};
    if (ifl_session_new(&options, &session, NULL) != IFL_OK ||
        ifl_session_load(session, "contiguous", ptx, strlen(ptx), &loaded, NULL) != IFL_OK ||
        ifl_session_ready(session, loaded, 0, &launch.kernel, NULL) != IFL_OK)
        die("cannot read the kernel");
    ifl_memory *memory = ifl_session_memory(session);
    const params p = {.n = THREADS, .a = 2, .x = allocate(memory), .y = allocate(memory)};
    launch.params = (const uint8_t *)&p;
    for (int i = 0; i < ROUNDS; i++) {
        ifl_session_result ran;
        const double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (ifl_session_run(session, &launch, &way, NULL, 0, &ran, NULL) != IFL_OK)
            die("the engine failed");
        const double now = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
        best = now < best ? now : best;
        ifl_session_end(&ran);
    }
    ifl_session_free(session);
    return best;
}

/* ---- through the driver ---------------------------------------------------------------------- */

typedef struct driver {
    void *library, *function;
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                  void *stream, void **arguments, void **extra);
    int (*wait)(void);
    params p;
} driver;

static void call(const driver *d, const char *name, int code)
{
    (void)d;
    if (code)
        die(name);
}

#define CU(d, type, name, ...)                                                                     \
    call(d, #name, ((int(*) type)dlsym((d)->library, #name))(__VA_ARGS__))

static void open_driver(driver *d, const char *ptx)
{
    void *context, *module;
    d->library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!d->library)
        die("no libcuda.so.1: start it with inflight run");
    CU(d, (unsigned), cuInit, 0);
    CU(d, (void **, unsigned, int), cuCtxCreate_v2, &context, 0, 0);
    CU(d, (void **, const void *), cuModuleLoadData, &module, ptx);
    CU(d, (void **, void *, const char *), cuModuleGetFunction, &d->function, module, "contiguous");
    d->p = (params){.n = THREADS, .a = 2};
    for (int i = 0; i < 2; i++) {
        uint64_t *at = i ? &d->p.y : &d->p.x;
        CU(d, (uint64_t *, size_t), cuMemAlloc_v2, at, THREADS * sizeof(float));
        CU(d, (uint64_t, unsigned char, size_t), cuMemsetD8_v2, *at, 0, THREADS * sizeof(float));
    }
    *(void **)&d->launch = dlsym(d->library, "cuLaunchKernel");
    *(void **)&d->wait = dlsym(d->library, "cuCtxSynchronize");
}

static void launch(driver *d, unsigned blocks)
{
    void *arguments[] = {&d->p.n, &d->p.a, &d->p.x, &d->p.y};
    if (d->launch(d->function, blocks, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL))
        die("cuLaunchKernel");
}

static double time_driver(driver *d, unsigned blocks, int launches, int rounds, clockid_t clock)
{
    double best = 1e9;
    for (int round = 0; round < rounds; round++) {
        const double start = seconds(clock);
        for (int i = 0; i < launches; i++)
            launch(d, blocks);
        d->wait();
        const double now = seconds(clock) - start;
        best = now < best ? now : best;
    }
    return best;
}

/* ---- all ------------------------------------------------------------------------------------- */

static char *read_kernel(void)
{
    static char text[8192];
    FILE *file = fopen(BENCH_FOLDER "/contiguous.ptx", "r");
    if (!file || !fread(text, 1, sizeof text - 1, file))
        die("cannot read contiguous.ptx");
    fclose(file);
    return text;
}

int main(void)
{
    driver d;
    struct rusage used;
    const char *ptx = read_kernel();
    const double alone = time_engine(ptx);
    open_driver(&d, ptx);
    const double served = time_driver(&d, THREADS / BLOCK, 1, ROUNDS, CLOCK_PROCESS_CPUTIME_ID);
    printf("%d threads: %.1f ms by the engine alone, %.1f ms through cuLaunchKernel (%+.1f %%)\n",
           THREADS, alone * 1e3, served * 1e3, (served / alone - 1) * 100);
    printf("%d launches of one block: %.2f s\n", SMALL,
           time_driver(&d, 1, SMALL, 1, CLOCK_PROCESS_CPUTIME_ID));
    getrusage(RUSAGE_SELF, &used);
    printf("%.1f MB resident at most; the kernel's buffers are %.1f MB\n",
           (double)used.ru_maxrss / 1e3, 2e-6 * THREADS * sizeof(float));
    return 0;
}
