/* SPDX-License-Identifier: Apache-2.0
 * How many warp-instructions a second the engine runs, observers included: five kinds of kernel, as
 * PTX and as machine code of sm_90 (ptxas of CUDA 13.0), each vector width, on one core and on all.
 * Prints the median of several runs and how far the others lie from it. Uses the public interface
 * only. usage: bench_engine [--quick | RUNS] [KERNEL] */
#include "inflight.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 256, MAX_ARGS = 4, MAX_RUNS = 99 };

/* `log2_threads` threads; in an argument, "N" is their number, "G" that of blocks. */
static const struct bench {
    const char *name;
    int log2_threads;
    const char *args[MAX_ARGS];
} benches[] = {
    {"contiguous", 24, {"u32:N", "f32:2", "f32xN=iota", "f32xN=zero"}},
    {"strided", 22, {"u32:N", "f32xN=iota", "f32xN=zero"}},
    {"scattered", 22, {"u32xN=permutation:1", "f32xN=iota", "f32xN=zero"}},
    {"divergent", 22, {"u32xN=zero"}},
    {"shared", 22, {"f32xN=iota", "f32xG=zero"}},
};
static const char *const codes[] = {"ptx", "machine"};
static const char *const widths[] = {"base", "v2", "v3", "v4"};

typedef struct spread {
    double median, low, high;
} spread;

/* On one core processor time, which other work beside it hardly changes. */
static double seconds_now(int threads)
{
    struct timespec now;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static _Noreturn void die(const ifl_error *error)
{
    fprintf(stderr, "bench_engine: %s\n", error->text);
    exit(EXIT_FAILURE);
}

/* Puts the numbers of threads and blocks where the table has N and G. */
static void expand(const char *pattern, unsigned long threads, char *to, size_t size)
{
    size_t used = 0;
    for (; *pattern && used + 1 < size; pattern++) {
        unsigned long number = *pattern == 'N' ? threads : threads / BLOCK;
        if (*pattern == 'N' || *pattern == 'G')
            used += (size_t)snprintf(to + used, size - used, "%lu", number);
        else
            to[used++] = *pattern;
    }
    to[used < size ? used : size - 1] = '\0';
}

static void set(ifl_launch *launch, const char *key, const char *pattern, unsigned long threads)
{
    char value[128];
    ifl_error error;
    expand(pattern, threads, value, sizeof value);
    if (ifl_launch_set(launch, key, value, &error) != IFL_OK)
        die(&error);
}

static ifl_launch *prepare(const struct bench *bench, const char *code, int log2_threads,
                           ifl_module **module)
{
    char path[4096];
    ifl_error error;
    ifl_launch *launch;
    unsigned long threads = 1ul << log2_threads;
    snprintf(path, sizeof path, "%s/%s.ptx", BENCH_FOLDER, bench->name);
    if (ifl_module_open(path, NULL, module, &error) != IFL_OK ||
        ifl_launch_new(*module, NULL, &launch, &error) != IFL_OK)
        die(&error);
    set(launch, "grid", "G", threads);
    set(launch, "block", "256", threads);
    for (int i = 0; i < MAX_ARGS && bench->args[i]; i++)
        set(launch, "arg", bench->args[i], threads);
    snprintf(path, sizeof path, "%s/%s.sm_90.cubin", BENCH_FOLDER, bench->name);
    set(launch, "machine", path, threads);
    set(launch, "code", code, threads);
    return launch;
}

/* Warp-instructions a second of one run; 0 when this machine or build has no such vector width. */
static double rate_of_run(ifl_launch *launch, const char *width, int threads)
{
    ifl_run_options options = {.threads = threads, .vector_width = width};
    ifl_profile *profile = NULL;
    ifl_error error;
    double start = seconds_now(threads);
    ifl_status status = ifl_launch_run(launch, &options, &profile, &error);
    double elapsed = seconds_now(threads) - start;
    if (status == IFL_UNSUPPORTED || status == IFL_USAGE || status == IFL_BAD_INPUT)
        return 0;
    if (status != IFL_OK)
        die(&error);
    uint64_t instructions = 0;
    if (!ifl_profile_counter(profile, "instructions", &instructions))
        ifl_profile_counter(profile, "ptx_instructions", &instructions);
    ifl_profile_free(profile);
    return (double)instructions / elapsed;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool measure(ifl_launch *launch, const char *width, int threads, int runs, spread *out)
{
    double rates[MAX_RUNS];
    if (rate_of_run(launch, width, threads) ==
        0) /* also touches the buffers' pages for the first time */
        return false;
    for (int i = 0; i < runs; i++)
        rates[i] = rate_of_run(launch, width, threads);
    qsort(rates, (size_t)runs, sizeof *rates, compare_doubles);
    *out = (spread){rates[runs / 2], rates[0], rates[runs - 1]};
    return true;
}

static void print_row(const char *name, const char *code, const char *width, int threads,
                      const spread *rate)
{
    printf("%-12s %-8s %-6s %5d %12.1f   %.1f to %.1f\n", name, code, width, threads,
           rate->median * 1e-6, rate->low * 1e-6, rate->high * 1e-6);
    fflush(stdout);
}

/* Returns how many rows were measured. */
static int run_bench(const struct bench *bench, const char *code, int cores, int runs, int smaller)
{
    int rows = 0;
    ifl_module *module;
    ifl_launch *launch = prepare(bench, code, bench->log2_threads - smaller, &module);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        spread rate;
        for (int threads = 1;; threads = cores) {
            if (!measure(launch, widths[w], threads, runs, &rate))
                break;
            print_row(bench->name, code, widths[w], threads, &rate);
            rows++;
            if (threads == cores)
                break;
        }
    }
    ifl_launch_free(launch);
    ifl_module_close(module);
    return rows;
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    int runs = quick ? 1 : argc > 1 ? atoi(argv[1]) : 5;
    const char *only = argc > 2 ? argv[2] : NULL;
    if (runs < 1 || runs > MAX_RUNS) {
        fprintf(stderr, "usage: bench_engine [--quick | RUNS up to %d] [KERNEL]\n", MAX_RUNS);
        return 2;
    }
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    printf("million warp-instructions a second, median of %d runs\n", runs);
    printf("%-12s %-8s %-6s %5s %12s   %s\n", "kernel", "code", "width", "cores", "median",
           "lowest to highest");
    for (size_t i = 0; i < 2 * (sizeof benches / sizeof *benches); i++) {
        const struct bench *bench = &benches[i / 2];
        if (only && strcmp(only, bench->name) != 0)
            continue;
        if (run_bench(bench, codes[i % 2], cores, runs, quick ? 8 : 0) == 0) {
            fprintf(stderr, "bench_engine: %s ran with no vector width\n", bench->name);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
