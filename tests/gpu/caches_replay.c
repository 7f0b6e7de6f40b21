/* SPDX-License-Identifier: Apache-2.0
 * Runs the launches of caches.list on the engine and holds the simulated caches of a GPU against
 * what that GPU counted. Knows the fixtures, sessions and the caches; needs no GPU.
 *
 *     caches_replay LIST PTX DEVICE COUNTED OFF [INDEX...]
 *         prints a line for each launch, of those named or of all. "off" marks a hit rate that is off by more than
 *         `points`, or what DRAM was written by more than `left_by_others` and a tenth. Exit status 1: a launch is off
 *         that OFF does not name, or is not and OFF names it.
 *
 * COUNTED (caches.txt): "caches.list INDEX KERNEL NAME VALUE", names as in
 * tests/gpu/caches.metrics.
 * OFF (caches.off): "INDEX  # why", what is known to be off.
 * Launches that differ in their shared memory only ask for the same: the engine runs them once.
 * Nothing but the caches watches; the sectors that the launch asks for are those that the GPU
 * counted (gpu.replay holds ours against such). */
#include "counters_table.h"
#include "session/launch.h"
#include "session/watch.h"

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
    double load_sectors, store_sectors, load_hits, l2_reads, l2_read_hits, dram_read, dram_write,
        registers, shared_config;
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
    {"load_sectors", offsetof(counted, load_sectors)},
    {"load_hits", offsetof(counted, load_hits)},
    {"store_sectors", offsetof(counted, store_sectors)},
    {"sm_read_sectors", offsetof(counted, l2_reads)},
    {"sm_read_hits", offsetof(counted, l2_read_hits)},
    {"dram_read_bytes", offsetof(counted, dram_read)},
    {"dram_write_bytes", offsetof(counted, dram_write)},
    {"registers", offsetof(counted, registers)},
    {"shared_config_bytes", offsetof(counted, shared_config)},
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

static bool set(ifl_launch *launch, const char *key, const char *format, unsigned long long value,
                ifl_error *error)
{
    char text[96];
    snprintf(text, sizeof text, format, value);
    return ifl_launch_set(launch, key, text, error) == IFL_OK;
}

static void read_off(const char *path, bool is_off[MAX_LAUNCHES])
{
    char text[256];
    unsigned index;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    while (fgets(text, sizeof text, file))
        if (sscanf(text, "%u", &index) == 1 && index < MAX_LAUNCHES)
            is_off[index] = true;
    fclose(file);
}

/* ---- launches -------------------------------------------------------------------------------- */

static ifl_launch *make_launch(const ifl_module *module, const launch_line *l, ifl_error *error)
{
    ifl_launch *launch = NULL;
    bool done = ifl_launch_new(module, l->kernel, &launch, error) == IFL_OK &&
                set(launch, "grid", "%llu", l->grid, error) &&
                set(launch, "block", "%llu", l->block, error) &&
                set(launch, "shared", "%llu", l->shared, error) &&
                set(launch, "arg", "u64:%llu", l->n, error) &&
                set(launch, "arg", "u64:%llu", l->m, error) &&
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

static void print_rate(const char *name, const ifl_cache_estimate *part, double whole,
                       const counted *c, double theirs)
{
    printf("  %s %5.1f (%5.1f %5.1f)", name, percent(part->value, whole), percent(part->low, whole),
           percent(part->high, whole));
    if (c->known)
        printf(" gpu %5.1f", theirs);
}

/* One line: the launch, then ours and theirs. False where it is not as it was known to be. */
static bool compare(const launch_line *l, const ifl_cache_facts *f, const counted *c, bool is_off)
{
    double l1 = percent(c->load_hits, c->load_sectors), l2 = percent(c->l2_read_hits, c->l2_reads);
    bool near = !c->known || (is_near(&f->l1_load_hits, f->l1_load_sectors.value, l1) &&
                              is_near(&f->l2_read_hits, f->l2_read_sectors.value, l2) &&
                              is_written_near(f->dram_write_bytes.value, c->dram_write));
    printf("%-16s %5u x %4u %6u %9llu", l->kernel, l->grid, l->block, l->shared, l->n);
    print_rate("L1", &f->l1_load_hits, f->l1_load_sectors.value, c, l1);
    print_rate("L2", &f->l2_read_hits, f->l2_read_sectors.value, c, l2);
    printf("  DRAM MB %6.1f %6.1f", f->dram_read_bytes.value / 1e6,
           f->dram_write_bytes.value / 1e6);
    if (c->known)
        printf(" gpu %6.1f %6.1f", c->dram_read / 1e6, c->dram_write / 1e6);
    printf("  L1 %4.0f KB %2u blocks%s\n", (double)f->l1_bytes / 1024.0, f->blocks_per_sm,
           near ? "" : "  off");
    if (near == is_off)
        printf("    %s\n",
               near ? "no longer off: take it out of caches.off" : "was not off before");
    fflush(stdout);
    return near != is_off;
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct replay {
    const ifl_module *module;
    const ifl_device *device;
    launch_line lines[MAX_LAUNCHES];
    counted table[MAX_LAUNCHES];
    bool is_off[MAX_LAUNCHES], is_named[MAX_LAUNCHES], is_done[MAX_LAUNCHES];
    size_t count;
    int failures;
    ifl_cache_workspace workspace;
} replay;

/* What the caches are told of a launch beside its requests. */
static ifl_profile *make_profile(const replay *r, size_t i, const ifl_session_launch *to)
{
    const counted *c = &r->table[i];
    ifl_profile *profile = ifl_profile_new();
    if (!profile)
        return NULL;
    memcpy(profile->grid, to->grid, sizeof profile->grid);
    memcpy(profile->block, to->block, sizeof profile->block);
    profile->blocks_done = to->grid[0];
    profile->shared_bytes = r->lines[i].shared;
    profile->machine.registers = (uint32_t)c->registers;
    ifl_counters_set(&profile->counters, IFL_COUNTER_global_load_sectors,
                     (uint64_t)c->load_sectors);
    ifl_counters_set(&profile->counters, IFL_COUNTER_global_store_sectors,
                     (uint64_t)c->store_sectors);
    return profile;
}

static ifl_status judge(replay *r, size_t i, const ifl_cache_run *caches,
                        const ifl_session_launch *to, const void *state, ifl_error *error)
{
    ifl_profile *profile = make_profile(r, i, to);
    ifl_status status = profile ? ifl_cache_run_report(caches, state, &r->workspace, profile, error)
                                : ifl_fail_memory(error, sizeof *profile);
    if (status == IFL_OK && profile->caches.count == 1)
        r->failures +=
            compare(&r->lines[i], &profile->caches.at[0], &r->table[i], r->is_off[i]) ? 0 : 1;
    else if (status == IFL_OK)
        status = ifl_fail(error, IFL_USAGE, "no block fits");
    ifl_profile_free(profile);
    r->is_done[i] = true;
    return status;
}

static bool asks_the_same(const launch_line *a, const launch_line *b)
{
    launch_line with = *a;
    with.shared = b->shared;
    return memcmp(&with, b, sizeof with) == 0;
}

/* The launch and all later ones that ask for the same. */
static ifl_status judge_all(replay *r, size_t first, const ifl_cache_run *caches,
                            const ifl_session_launch *to, const void *state, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = first; i < r->count && status == IFL_OK; i++)
        if (r->is_named[i] && asks_the_same(&r->lines[first], &r->lines[i]))
            status = judge(r, i, caches, to, state, error);
    return status;
}

static ifl_status watch(replay *r, size_t i, ifl_launch *launch, ifl_error *error)
{
    const ifl_session_launch to = ifl_launch_shaped(launch);
    const ifl_session_way way = {.device = r->device};
    ifl_session_result ran;
    ifl_cache_run caches;
    ifl_status status = ifl_cache_run_init(&caches, &r->device, 1, error);
    if (status != IFL_OK)
        return status;
    const ifl_grid_demand shape = ifl_launch_demand(&to);
    ifl_cache_run_shape(&caches, &shape);
    const ifl_observer *const observers[] = {&caches.observer};
    status = ifl_session_run(launch->session, &to, &way, observers, 1, &ran, error);
    if (status == IFL_OK)
        status = judge_all(r, i, &caches, &to, ran.result.states[0], error);
    ifl_session_end(&ran);
    ifl_cache_run_free(&caches);
    return status;
}

static void run_line(replay *r, size_t i)
{
    ifl_error error = {0};
    ifl_launch *launch = make_launch(r->module, &r->lines[i], &error);
    if (!launch || ifl_launch_prepare(launch, 0, NULL, &error) != IFL_OK ||
        watch(r, i, launch, &error) != IFL_OK) {
        printf("%s: %s\n", r->lines[i].kernel, error.text);
        r->failures++;
    }
    ifl_launch_free(launch);
}

/* ---- the list -------------------------------------------------------------------------------- */

static void read_list(const char *path, replay *r)
{
    char text[256];
    FILE *file = fopen(path, "r");
    while (file && r->count < MAX_LAUNCHES && fgets(text, sizeof text, file)) {
        launch_line *l = &r->lines[r->count];
        if (*text != '#' && sscanf(text, "%63s %u %u %u %llu %llu %llu %llu %llu %llu", l->kernel,
                                   &l->grid, &l->block, &l->shared, &l->n, &l->m, &l->times,
                                   &l->offsets, &l->data, &l->results) == 10)
            r->count++;
    }
    if (file)
        fclose(file);
}

/* No names: all. */
static void take_names(replay *r, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if ((size_t)atoi(names[i]) < r->count)
            r->is_named[atoi(names[i])] = true;
    for (size_t i = 0; count == 0 && i < r->count; i++)
        r->is_named[i] = true;
}

int main(int argc, char **argv)
{
    static replay r;
    ifl_module *module = NULL;
    ifl_device *device = NULL;
    ifl_error error = {0};
    if (argc < 6)
        return 2;
    read_counted(argv[4], r.table);
    read_off(argv[5], r.is_off);
    read_list(argv[1], &r);
    take_names(&r, argv + 6, argc - 6);
    if (ifl_module_open(argv[2], NULL, &module, &error) != IFL_OK ||
        ifl_device_open(argv[3], &device, &error) != IFL_OK) {
        printf("%s\n", error.text);
        return 2;
    }
    r.module = module;
    r.device = device;
    for (size_t i = 0; i < r.count; i++)
        if (r.is_named[i] && !r.is_done[i])
            run_line(&r, i);
    ifl_cache_workspace_free(&r.workspace);
    ifl_device_close(device);
    ifl_module_close(module);
    return r.failures > 0 || r.count == 0;
}
