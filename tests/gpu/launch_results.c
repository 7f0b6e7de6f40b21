/* SPDX-License-Identifier: Apache-2.0
 * What launches leave in their buffers, by hash. Knows the public header alone.
 *
 *     launch_results [--gpu] FILE.launch ...   "FILE ARGUMENT HASH" for each buffer, on the engine or on a GPU
 *     launch_results [--ptx] --expect RESULTS [FOLDER] the engine, held against lines that a GPU wrote; the empty file
 *                                              is a failure.
 *                                              With FOLDER those launches that have a file of that name there, for its GPU.
 *                                              --ptx: the PTX that cubins have with them
 *
 * Exit status 0: all ran, and as expected; 1: not; 5: no GPU. */
#include "inflight.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NO_GPU = 5, MOST_ARGUMENTS = 64 };

typedef struct opened {
    ifl_device *device;
    ifl_module *module;
    ifl_launch *launch;
    ifl_profile *profile;
} opened;

static bool is_ptx;

static uint64_t hash_of(const unsigned char *at, size_t bytes) /* FNV-1a */
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static void close_all(opened *o)
{
    ifl_profile_free(o->profile);
    ifl_launch_free(o->launch);
    ifl_module_close(o->module);
    ifl_device_close(o->device);
}

static bool run(const char *path, ifl_gpu *gpu, opened *o)
{
    ifl_error error = {0};
    ifl_status status = ifl_launch_read(path, &o->module, &o->launch, &error);
    if (status == IFL_OK && is_ptx)
        status = ifl_launch_set(o->launch, "code", "ptx", &error);
    const char *name = status == IFL_OK ? ifl_launch_gpu(o->launch, 0) : NULL;
    if (name)
        status = ifl_device_open(name, &o->device, &error);
    const ifl_run_options options = {.devices = (const ifl_device *const *)&o->device,
                                     .device_count = name ? 1 : 0};
    if (status == IFL_OK)
        status = gpu ? ifl_launch_run_on(o->launch, gpu, NULL, &o->profile, &error)
                     : ifl_launch_run(o->launch, &options, &o->profile, &error);
    if (status != IFL_OK)
        printf("%s: %s\n", path, error.text);
    return status == IFL_OK;
}

static bool hash_buffer(const opened *o, size_t argument, uint64_t *hash)
{
    void *data;
    size_t bytes;
    if (ifl_launch_buffer(o->launch, argument, &data, &bytes, NULL) != IFL_OK)
        return false;
    *hash = hash_of(data, bytes);
    return true;
}

static bool print_results(const char *path, ifl_gpu *gpu)
{
    opened o = {0};
    uint64_t hash;
    const bool good = run(path, gpu, &o);
    for (size_t i = 0; good && i < MOST_ARGUMENTS; i++)
        if (hash_buffer(&o, i, &hash))
            printf("%s %zu %016" PRIx64 "\n", path, i, hash);
    close_all(&o);
    fflush(stdout);
    return good;
}

static int print_all(char **paths, int count, ifl_gpu *gpu)
{
    int bad = 0;
    for (int i = 0; i < count; i++)
        bad += !print_results(paths[i], gpu);
    return bad != 0;
}

/* What a line of results expects, of FOLDER/NAME.launch where there is a folder. */
typedef struct expectation {
    char path[512];
    size_t argument;
    uint64_t hash;
} expectation;

static bool read_expectation(const char *line, const char *folder, expectation *out)
{
    char path[256];
    if (line[0] == '#' || sscanf(line, "%255s %zu %" SCNx64, path, &out->argument, &out->hash) != 3)
        return false;
    const char *slash = strrchr(path, '/');
    snprintf(out->path, sizeof out->path, "%s%s", folder ? folder : path,
             folder && slash ? slash : "");
    return !folder || access(out->path, R_OK) == 0;
}

/* Lines of one file follow each other: it runs once. */
static int expect(const char *results, const char *folder)
{
    char line[512], now[512] = "";
    opened o = {0};
    expectation wanted;
    uint64_t got;
    int compared = 0, bad = 0;
    FILE *in = fopen(results, "r");
    while (in && fgets(line, sizeof line, in)) {
        if (!read_expectation(line, folder, &wanted))
            continue;
        if (strcmp(wanted.path, now) != 0) {
            close_all(&o);
            o = (opened){0};
            bad += !run(wanted.path, NULL, &o);
            strcpy(now, wanted.path);
        }
        compared++;
        if (o.profile && hash_buffer(&o, wanted.argument, &got) && got == wanted.hash)
            continue;
        printf("%s: argument %zu is not what the GPU made of it\n", wanted.path, wanted.argument);
        bad++;
    }
    close_all(&o);
    if (in)
        fclose(in);
    printf("%d buffers compared, %d failures\n", compared, bad);
    return bad || !compared;
}

int main(int count, char **words)
{
    ifl_gpu *gpu = NULL;
    ifl_error error = {0};
    is_ptx = count > 1 && strcmp(words[1], "--ptx") == 0;
    count -= is_ptx, words += is_ptx;
    if ((count == 3 || count == 4) && strcmp(words[1], "--expect") == 0)
        return expect(words[2], count == 4 ? words[3] : NULL);
    const bool on_gpu = count > 1 && strcmp(words[1], "--gpu") == 0;
    if (count < 2 + on_gpu) {
        fprintf(
            stderr,
            "usage: launch_results [--gpu] FILE.launch ... | [--ptx] --expect RESULTS [FOLDER]\n");
        return 2;
    }
    if (on_gpu && ifl_gpu_open(0, &gpu, &error) != IFL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return NO_GPU;
    }
    const int status = print_all(words + 1 + on_gpu, count - 1 - on_gpu, gpu);
    ifl_gpu_close(gpu);
    return status;
}
