/* SPDX-License-Identifier: Apache-2.0
 * What an operation of a warp costs: the kernels of operations.cu, which do one thing over and
 * over, as machine code of sm_90 on one core, counts included. Nanoseconds an iteration of a warp:
 * loops have a few instructions more than the operation. Uses the public interface only. usage:
 * bench_operations [--quick | KERNEL] */
#include "inflight.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 5, BLOCKS = 4, WARPS = 8 };

static const struct bench {
    const char *kernel, *elements;
} benches[] = {
    {"fused_f32", "f32x2048=iota"},        {"fused_f64", "f64x2048=iota"},
    {"fused_f16x2", "u32x2048=iota"},      {"product_u32", "u32x2048=iota"},
    {"product_u64", "u64x2048=iota"},      {"quotient_u32", "u32x2048=iota"},
    {"quotient_s32", "u32x2048=iota"},     {"quotient_f32", "f32x2048=iota"},
    {"quotient_f64", "f64x2048=iota"},     {"root_f32", "f32x2048=iota"},
    {"inverse_root_f32", "f32x2048=iota"}, {"exponential_f32", "f32x2048=iota"},
    {"logarithm_f32", "f32x2048=iota"},    {"sine_f32", "f32x2048=iota"},
    {"exponential_f64", "f64x2048=iota"},  {"converted", "u32x2048=iota"},
    {"narrowed_f64", "f64x2048=iota"},     {"packed_f16x2", "f32x2048=iota"},
    {"compared_f16x2", "u32x2048=iota"},   {"from_byte", "u32x2048=iota"},
    {"from_s64", "u64x2048=iota"},         {"wide_product", "u64x2048=iota"},
    {"cut_f32", "f32x2048=iota"},          {"voted", "u32x2048=iota"},
    {"agreed", "u32x2048=iota"},           {"reduced", "u32x2048=iota"},
    {"matched", "u32x2048=iota"},          {"shuffled", "f32x2048=iota"},
    {"local_array", "u32x2048=iota"},      {"shared_array", "u32x2048=iota"},
    {"gathered", "u32x2048=iota"},         {"diverged", "u32x2048=iota"},
    {"atomic_global", "u32x2048=iota"},    {"atomic_shared", "u32x2048=iota"},
};

static _Noreturn void die(const ifl_error *error)
{
    fprintf(stderr, "bench_operations: %s\n", error->text);
    exit(EXIT_FAILURE);
}

static ifl_launch *prepare(ifl_module *module, const struct bench *bench, int iterations)
{
    char count[16];
    ifl_error error;
    ifl_launch *launch;
    snprintf(count, sizeof count, "%d", iterations);
    const char *const words[][2] = {
        {"grid", "4"}, {"block", "256"}, {"arg", bench->elements}, {"arg", count}};
    if (ifl_launch_new(module, bench->kernel, &launch, &error) != IFL_OK)
        die(&error);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ifl_launch_set(launch, words[i][0], words[i][1], &error) != IFL_OK)
            die(&error);
    return launch;
}

static double seconds_of_run(ifl_launch *launch)
{
    const ifl_run_options options = {.threads = 1};
    struct timespec start, end;
    ifl_profile *profile = NULL;
    ifl_error error;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start); /* beside other work too */
    if (ifl_launch_run(launch, &options, &profile, &error) != IFL_OK)
        die(&error);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    ifl_profile_free(profile);
    return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run_bench(ifl_module *module, const struct bench *bench, int iterations)
{
    double took[RUNS];
    ifl_launch *launch = prepare(module, bench, iterations);
    seconds_of_run(launch); /* lowers the kernel, and touches the pages for the first time */
    for (int i = 0; i < RUNS; i++)
        took[i] = seconds_of_run(launch) * 1e9 / ((double)iterations * BLOCKS * WARPS);
    qsort(took, RUNS, sizeof *took, compare_doubles);
    printf("%-18s %10.1f   %.1f to %.1f\n", bench->kernel, took[RUNS / 2], took[0], took[RUNS - 1]);
    fflush(stdout);
    ifl_launch_free(launch);
}

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const char *only = argc > 1 && !quick ? argv[1] : NULL;
    ifl_module *module;
    ifl_error error;
    if (ifl_module_open(BENCH_FOLDER "/operations.sm_90.cubin", NULL, &module, &error) != IFL_OK)
        die(&error);
    printf("%-18s %10s   %s\n", "kernel", "ns", "lowest to highest");
    bool is_known = false;
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
        if (!only || strcmp(only, benches[i].kernel) == 0) {
            run_bench(module, &benches[i], quick ? 8 : 4000);
            is_known = true;
        }
    ifl_module_close(module);
    if (!is_known)
        fprintf(stderr, "bench_operations: no kernel '%s'; without one all run\n", only);
    return is_known ? EXIT_SUCCESS : 2;
}
