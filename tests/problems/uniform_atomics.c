/* SPDX-License-Identifier: Apache-2.0
 * In many forms one lane of a warp updates a word for all in machine code, which ptxas has made. The
 * same counts come from the PTX: requests, colliding lanes and passes, of full and of partial warps.
 *
 *     uniform_atomics NAME.cu NAME.sm_90.cubin NAME.sm_90.ptx [CUBIN PTX]...
 *
 * NAME.cu: KERNEL(NAME, TYPE, ...) and SHARED(NAME, TYPE, ...), a line each, of which all take
 * (sum, old, values, n). Exit status 1: some differ. */
#include "inflight.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 128, LEAST_LAUNCHES = 200 };

static const char *const counters[] = {"global_atomic_requests",   "global_atomic_wavefronts",
                                       "global_atomic_serial",     "shared_atomic_requests",
                                       "shared_atomic_wavefronts", "shared_atomic_serial"};
enum { COUNTERS = sizeof counters / sizeof *counters };

typedef struct kernel {
    char name[64];
    const char *element;
} kernel;

static const char *element_of(const char *type)
{
    return strcmp(type, "wide") == 0     ? "u64"
           : strcmp(type, "float") == 0  ? "f32"
           : strcmp(type, "double") == 0 ? "f64"
                                         : "i32";
}

static size_t read_kernels(const char *path, kernel all[MOST_KERNELS])
{
    char line[256], type[16];
    size_t count = 0;
    FILE *file = fopen(path, "r");
    while (file && count < MOST_KERNELS && fgets(line, sizeof line, file))
        if (sscanf(line, "KERNEL(%63[a-z_0-9], %15[a-z],", all[count].name, type) == 2 ||
            sscanf(line, "SHARED(%63[a-z_0-9], %15[a-z],", all[count].name, type) == 2)
            all[count++].element = element_of(type);
    if (file)
        fclose(file);
    return count;
}

static ifl_status set_words(ifl_launch *launch, const kernel *k, const char *threads,
                            ifl_error *error)
{
    static const char *const forms[] = {"%sx64=zero", "%sx64=zero", "%sx64=iota", "%s:3"};
    ifl_status status = ifl_launch_set(launch, "grid", "2", error);
    if (status == IFL_OK)
        status = ifl_launch_set(launch, "block", threads, error);
    for (size_t i = 0; i < sizeof forms / sizeof *forms && status == IFL_OK; i++) {
        char word[32];
        snprintf(word, sizeof word, forms[i], k->element);
        status = ifl_launch_set(launch, "arg", word, error);
    }
    return status;
}

/* Whether it ran, and counted an atomic. */
static bool count(const ifl_module *module, const kernel *k, const char *threads,
                  uint64_t values[COUNTERS])
{
    ifl_launch *launch = NULL;
    ifl_device *device = NULL; /* which runs the machine code */
    ifl_profile *profile = NULL;
    ifl_error error = {0};
    uint64_t all = 0;
    ifl_status status = ifl_launch_new(module, k->name, &launch, &error);
    if (status == IFL_OK)
        status = set_words(launch, k, threads, &error);
    if (status == IFL_OK)
        status = ifl_device_open(ifl_launch_default_gpu(launch), &device, &error);
    if (status == IFL_OK)
        status = ifl_launch_run(launch,
                                &(ifl_run_options){.threads = 1,
                                                   .devices = (const ifl_device *const[]){device},
                                                   .device_count = 1},
                                &profile, &error);
    if (status != IFL_OK)
        printf("%s: %s\n", k->name, error.text);
    for (size_t i = 0; i < COUNTERS && status == IFL_OK; i++) {
        if (!ifl_profile_counter(profile, counters[i], &values[i]))
            status = IFL_BAD_INPUT;
        all += values[i];
    }
    ifl_profile_free(profile);
    ifl_device_close(device);
    ifl_launch_free(launch);
    if (status == IFL_OK && all == 0)
        printf("%s: nothing was counted\n", k->name);
    return status == IFL_OK && all > 0;
}

static bool is_same(const ifl_module *machine, const ifl_module *ptx, const kernel *k,
                    const char *threads)
{
    uint64_t ours[COUNTERS] = {0}, theirs[COUNTERS] = {0};
    bool same = count(machine, k, threads, ours) && count(ptx, k, threads, theirs);
    for (size_t i = 0; i < COUNTERS && same; i++) {
        if (ours[i] == theirs[i])
            continue;
        printf("%s, %s threads: %s %llu in machine code, %llu in PTX\n", k->name, threads,
               counters[i], (unsigned long long)ours[i], (unsigned long long)theirs[i]);
        same = false;
    }
    return same;
}

static ifl_module *open_module(const char *path)
{
    ifl_module *module = NULL;
    ifl_error error = {0};
    if (ifl_module_open(path, NULL, &module, &error) != IFL_OK) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        exit(2);
    }
    return module;
}

int main(int words, char **word)
{
    static kernel all[MOST_KERNELS];
    const size_t kernels = words > 3 ? read_kernels(word[1], all) : 0;
    size_t launches = 0, wrong = 0;
    for (int w = 2; w + 1 < words; w += 2) {
        ifl_module *machine = open_module(word[w]), *ptx = open_module(word[w + 1]);
        for (size_t k = 0; k < kernels; k++) {
            wrong += !is_same(machine, ptx, &all[k], "32");
            wrong += !is_same(machine, ptx, &all[k], "20");
            launches += 2;
        }
        ifl_module_close(machine);
        ifl_module_close(ptx);
    }
    printf("%zu launches, %zu differ\n", launches, wrong);
    return wrong || launches < LEAST_LAUNCHES;
}
