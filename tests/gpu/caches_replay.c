/* SPDX-License-Identifier: Apache-2.0
 * Runs the launches of caches.list on the engine and holds the simulated caches of a GPU against what that GPU counted.
 * Knows the fixtures and the profile; needs no GPU.
 *
 *     caches_replay LIST PTX DEVICE COUNTED [INDEX...]
 *         prints a line for each launch, of those named or of all; exit status 1: a hit rate is off by more than
 *         `points`, or what DRAM was written by more than `left_by_others` and a tenth. "off" marks those.
 *
 * COUNTED (caches.txt): "caches.list INDEX KERNEL NAME VALUE", names as in tests/gpu/caches.metrics. */
#include "counters_table.h"
#include "inflight.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LAUNCHES = 256 };
static const double points = 8; /* of 100 */
/* Dirty bytes that were in the H200's L2 before: up to 2.4 MB, seen where reread_grid sweeps it. */
static const double left_by_others = 3.5e6;

typedef struct counted {
    bool known;
    double load_sectors, load_hits, l2_reads, l2_read_hits, dram_read, dram_write, registers, shared_config;
} counted;

typedef struct launch_line {
    char kernel[64];
    unsigned grid, block, shared;
    unsigned long long n, m, times, offsets, data, results;
} launch_line;

static const struct {
    const char *name;
    size_t at;
} fields[] = {
    {"load_sectors", offsetof(counted, load_sectors)},   {"load_hits", offsetof(counted, load_hits)},
    {"sm_read_sectors", offsetof(counted, l2_reads)},    {"sm_read_hits", offsetof(counted, l2_read_hits)},
    {"dram_read_bytes", offsetof(counted, dram_read)},   {"dram_write_bytes", offsetof(counted, dram_write)},
    {"registers", offsetof(counted, registers)},         {"shared_config_bytes", offsetof(counted, shared_config)},
};

static bool keep(void *user, const gpu_counter *c)
{
    counted *row = (counted *)user + c->index;
    if (c->index >= MAX_LAUNCHES)
        return false;
    row->known = true;
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        if (strcmp(fields[f].name, c->name) == 0)
            *(double *)((char *)row + fields[f].at) = (double)c->value;
    return true;
}

static void read_counted(const char *path, counted table[MAX_LAUNCHES])
{
    const int bad = gpu_counters_read(path, keep, table);
    if (!bad)
        return;
    fprintf(stderr, "%s:%d: cannot be read\n", path, bad);
    exit(2);
}

static bool set(ifl_launch *launch, const char *key, const char *format, unsigned long long value, ifl_error *error)
{
    char text[96];
    snprintf(text, sizeof text, format, value);
    return ifl_launch_set(launch, key, text, error) == IFL_OK;
}

static ifl_launch *make_launch(const ifl_module *module, const launch_line *l, ifl_error *error)
{
    ifl_launch *launch = NULL;
    bool done = ifl_launch_new(module, l->kernel, &launch, error) == IFL_OK && set(launch, "grid", "%llu", l->grid, error) &&
                set(launch, "block", "%llu", l->block, error) && set(launch, "shared", "%llu", l->shared, error) &&
                set(launch, "arg", "u64:%llu", l->n, error) && set(launch, "arg", "u64:%llu", l->m, error) &&
                set(launch, "arg", "u64:%llu", l->times, error) &&
                set(launch, "arg", "u64x%llu=permutation", l->offsets, error) &&
                set(launch, "arg", "f32x%llu=zero", l->data, error) &&
                set(launch, "arg", "f32x%llu=zero", l->results, error);
    if (!done) {
        ifl_launch_free(launch);
        return NULL;
    }
    return launch;
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static bool is_near(const ifl_cache_estimate *part, double whole, double theirs)
{
    double off = percent(part->value, whole) - theirs;
    return off <= points && off >= -points;
}

static bool is_written_near(double ours, double theirs)
{
    const double off = ours - theirs, most = left_by_others + theirs / 10;
    return off <= most && off >= -most;
}

static void print_rate(const char *name, const ifl_cache_estimate *part, double whole, const counted *c, double theirs)
{
    printf("  %s %5.1f (%5.1f %5.1f)", name, percent(part->value, whole), percent(part->low, whole),
           percent(part->high, whole));
    if (c->known)
        printf(" gpu %5.1f", theirs);
}

/* One line: the launch, then ours and theirs. */
static bool compare(const launch_line *l, const ifl_cache_facts *f, const counted *c)
{
    double l1 = percent(c->load_hits, c->load_sectors), l2 = percent(c->l2_read_hits, c->l2_reads);
    bool near = !c->known || (is_near(&f->l1_load_hits, f->l1_load_sectors.value, l1) &&
                              is_near(&f->l2_read_hits, f->l2_read_sectors.value, l2) &&
                              is_written_near(f->dram_write_bytes.value, c->dram_write));
    printf("%-16s %5u x %4u %6u %9llu", l->kernel, l->grid, l->block, l->shared, l->n);
    print_rate("L1", &f->l1_load_hits, f->l1_load_sectors.value, c, l1);
    print_rate("L2", &f->l2_read_hits, f->l2_read_sectors.value, c, l2);
    printf("  DRAM MB %6.1f %6.1f", f->dram_read_bytes.value / 1e6, f->dram_write_bytes.value / 1e6);
    if (c->known)
        printf(" gpu %6.1f %6.1f", c->dram_read / 1e6, c->dram_write / 1e6);
    printf("  L1 %4.0f KB %2u blocks%s\n", (double)f->l1_bytes / 1024.0, f->blocks_per_sm,
           near ? "" : "  off");
    fflush(stdout);
    return near;
}

static bool run_line(const ifl_module *module, const ifl_device *device, const launch_line *l, const counted *c)
{
    ifl_error error = {0};
    ifl_profile *profile = NULL;
    ifl_launch *launch = make_launch(module, l, &error);
    ifl_run_options options = {.devices = &device, .device_count = 1, .registers = (int)c->registers};
    bool good = launch && ifl_launch_run(launch, &options, &profile, &error) == IFL_OK && profile->caches.count == 1;
    if (good)
        good = compare(l, &profile->caches.at[0], c);
    else
        printf("%s: %s\n", l->kernel, error.text);
    ifl_profile_free(profile);
    ifl_launch_free(launch);
    return good;
}

/* No names: all. */
static bool is_named(int index, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (atoi(names[i]) == index)
            return true;
    return count == 0;
}

static int run_list(const char *path, const ifl_module *module, const ifl_device *device, const counted *table,
                    char **names, int name_count)
{
    char text[256];
    int index = 0, failures = 0;
    launch_line l;
    FILE *file = fopen(path, "r");
    while (file && fgets(text, sizeof text, file)) {
        if (sscanf(text, "%63s %u %u %u %llu %llu %llu %llu %llu %llu", l.kernel, &l.grid, &l.block, &l.shared, &l.n,
                   &l.m, &l.times, &l.offsets, &l.data, &l.results) != 10 || *text == '#')
            continue;
        if (is_named(index, names, name_count) && index < MAX_LAUNCHES &&
            !run_line(module, device, &l, &table[index]))
            failures++;
        index++;
    }
    if (file)
        fclose(file);
    return failures;
}

int main(int argc, char **argv)
{
    static counted table[MAX_LAUNCHES];
    ifl_module *module = NULL;
    ifl_device *device = NULL;
    ifl_error error = {0};
    if (argc < 5)
        return 2;
    read_counted(argv[4], table);
    if (ifl_module_open(argv[2], NULL, &module, &error) != IFL_OK || ifl_device_open(argv[3], &device, &error) != IFL_OK) {
        printf("%s\n", error.text);
        return 2;
    }
    int failures = run_list(argv[1], module, device, table, argv + 5, argc - 5);
    ifl_device_close(device);
    ifl_module_close(module);
    return failures > 0;
}
