/* SPDX-License-Identifier: Apache-2.0
 * What following a launch through caches costs: nanoseconds of processor time a request, for
 * recording it and for making the estimates of one GPU and of six; and how many small launches a
 * second. Requests are made by hand, no engine runs. The lowest of several rounds is printed:
 * other work on the machine only ever adds. usage: bench_caches [ROUNDS] */
#include "cache/cache_run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LANES = IFL_WARP_LANES, BLOCK_WARPS = 8, MOST_DEVICES = 6 };
enum { LOAD_A, LOAD_B, STORE, SITES };

static const char *const names[MOST_DEVICES] = {"h200", "b200",     "a100-80",
                                                "v100", "rtx-4090", "k20x"};

typedef struct shape {
    const char *name;
    int log2_threads;
    bool is_random; /* the second load and the store go to random words */
} shape;

static const shape shapes[] = {
    {"y = a x + y, 2^10", 10, false},          {"y = a x + y, 2^20", 20, false},
    {"y = a x + y, 2^25", 25, false},          {"y[i] = x[i], random i, 2^20", 20, true},
    {"y[i] = x[i], random i, 2^22", 22, true},
};

typedef void listener(void *state, const ifl_access *access);

typedef struct bench {
    ifl_device *devices[MOST_DEVICES];
    ifl_sites sites;
    ifl_site site[SITES];
    ifl_cache_workspace workspace;
} bench;

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "bench_caches: %s\n", what);
    exit(EXIT_FAILURE);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- requests -------------------------------------------------------------------------------- */

static void ask(listener *listen, void *state, const shape *s, uint64_t warp, uint32_t site)
{
    const bool scatters = s->is_random && site != LOAD_A;
    const uint64_t words = UINT64_C(1) << s->log2_threads, first = (site == LOAD_A) * 4 * words;
    uint64_t address[LANES];
    for (uint64_t i = 0; i < LANES; i++) {
        const uint64_t word = warp * LANES + i;
        address[i] =
            first + 4 * (scatters ? word * UINT64_C(0x9e3779b97f4a7c15) >> 30 & (words - 1) : word);
    }
    const ifl_access access = {.site = site,
                               .kind = site == STORE ? IFL_ACCESS_STORE : IFL_ACCESS_LOAD,
                               .space = IFL_SPACE_GLOBAL,
                               .bytes = 4,
                               .shape = scatters ? IFL_SHAPE_ANY : IFL_SHAPE_CONTIGUOUS,
                               .mask = UINT32_MAX,
                               .block = warp / BLOCK_WARPS,
                               .warp = warp % BLOCK_WARPS,
                               .address = address};
    listen(state, &access);
}

static uint64_t warps_of(const shape *s)
{
    return (UINT64_C(1) << s->log2_threads) / LANES;
}

static void record(listener *listen, void *state, const shape *s)
{
    for (uint64_t warp = 0; warp < warps_of(s); warp++)
        for (uint32_t site = LOAD_A; site < SITES; site++)
            ask(listen, state, s, warp, site);
}

/* ---- one launch ------------------------------------------------------------------------------ */

static void ignore(void *state, const ifl_access *access)
{
    (void)state, (void)access;
}

typedef struct cost {
    double recording, estimates; /* seconds */
} cost;

static ifl_profile *make_profile(const shape *s)
{
    ifl_profile *profile = ifl_profile_new();
    if (!profile)
        die("no memory");
    const uint64_t sectors = warps_of(s) * (s->is_random ? LANES : 4);
    profile->grid[0] = (uint32_t)(warps_of(s) / BLOCK_WARPS);
    profile->grid[1] = profile->grid[2] = profile->block[1] = profile->block[2] = 1;
    profile->block[0] = BLOCK_WARPS * LANES;
    profile->blocks_done = profile->grid[0];
    profile->machine.registers = 16;
    ifl_counters_set(&profile->counters, IFL_COUNTER_global_load_sectors,
                     sectors + 4 * warps_of(s));
    ifl_counters_set(&profile->counters, IFL_COUNTER_global_store_sectors, sectors);
    return profile;
}

static cost run(bench *b, const shape *s, size_t devices)
{
    ifl_cache_run caches;
    ifl_profile *profile = make_profile(s);
    const double start = seconds();
    if (ifl_cache_run_init(&caches, (const ifl_device *const *)b->devices, devices, NULL))
        die("cannot begin");
    const ifl_grid_demand demand = {.grid = {profile->grid[0], 1, 1},
                                    .block = {profile->block[0], 1, 1},
                                    .registers = profile->machine.registers};
    ifl_cache_run_shape(&caches, &demand);
    void *state = ifl_observer_new(&caches.observer, &b->sites, &caches.plan);
    if (!state)
        die("no memory");
    record(ifl_cache_observer.access, state, s);
    const double recorded = seconds();
    if (ifl_cache_run_report(&caches, state, &b->workspace, profile, NULL))
        die("cannot estimate");
    const double end = seconds();
    record(ignore, NULL, s); /* what making the requests takes */
    const cost all = {recorded - start - (seconds() - end), end - recorded};
    ifl_observer_free(&caches.observer, state);
    ifl_cache_run_free(&caches);
    ifl_profile_destroy(profile);
    return all;
}

static cost lowest(bench *b, const shape *s, size_t devices, int rounds)
{
    cost best = {1e9, 1e9};
    for (int i = 0; i < rounds; i++) {
        const cost one = run(b, s, devices);
        best.recording = one.recording < best.recording ? one.recording : best.recording;
        best.estimates = one.estimates < best.estimates ? one.estimates : best.estimates;
    }
    return best;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void print_row(bench *b, const shape *s, int rounds)
{
    const double requests = 1e-9 * SITES * (double)warps_of(s);
    const cost one = lowest(b, s, 1, rounds), all = lowest(b, s, MOST_DEVICES, rounds);
    printf("%-28s %9.1f %9.1f %9.1f %9.1f %11.0f\n", s->name, one.recording / requests,
           one.estimates / requests, all.recording / requests, all.estimates / requests,
           1 / (one.recording + one.estimates));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static bench b;
    const int rounds = argc > 1 ? atoi(argv[1]) : 7;
    if (rounds < 1)
        die("ROUNDS is 1 or more");
    b.sites = (ifl_sites){.at = b.site, .count = SITES};
    b.site[STORE].turn = 1;
    for (size_t i = 0; i < MOST_DEVICES; i++)
        if (ifl_device_open(names[i], &b.devices[i], NULL))
            die("cannot open a GPU");
    printf("ns of processor time a request, lowest of %d\n", rounds);
    printf("%-28s %19s %19s %11s\n", "", "one GPU", "six GPUs", "launches");
    printf("%-28s %9s %9s %9s %9s %11s\n", "requests", "recording", "estimates", "recording",
           "estimates", "a s, one");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        print_row(&b, &shapes[i], rounds);
    ifl_cache_workspace_free(&b.workspace);
    for (size_t i = 0; i < MOST_DEVICES; i++)
        ifl_device_close(b.devices[i]);
    return EXIT_SUCCESS;
}
