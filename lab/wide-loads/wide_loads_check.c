/* SPDX-License-Identifier: Apache-2.0
 * Runs the launches of wide-loads and compares the result with wide_loads_reference bit for bit.
 * Where nothing keeps a version from its wide loads, their requests and sectors too: half the
 * requests with twice the sectors each, as document 000 says. Knows the public header and the order
 * of the arguments: points, kmax, ld, small, big, result.
 *
 *     wide_loads_check FILE.launch ...        exit status 0: all equal, 1: not */
#include "inflight.h"
#include "wide_loads_reference.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS, KMAX, LD, SMALL, BIG, RESULT, ARGUMENTS };

typedef struct sizes {
    size_t points, kmax, ld;
} sizes;

typedef struct check {
    const char *path;
    sizes size;
    double *small_array, *big_array, *result, *expected;
} check;

static bool complain(const char *path, const char *what)
{
    printf("%s: %s\n", path, what);
    return false;
}

/* "arg = i32:4096": the library does not give values back, so they are read from the launch file as
 * it stands. */
static bool read_sizes(const char *path, sizes *out)
{
    size_t *const values[] = {&out->points, &out->kmax, &out->ld};
    char line[256];
    int found = 0;
    FILE *file = fopen(path, "r");
    while (file && found <= LD && fgets(line, sizeof line, file))
        if (sscanf(line, "arg = i32:%zu", values[found]) == 1)
            found++;
    if (file)
        fclose(file);
    return found > LD;
}

static bool buffer(ifl_launch *launch, size_t argument, size_t elements, double **out,
                   ifl_error *error)
{
    size_t bytes = 0;
    return ifl_launch_buffer(launch, argument, (void **)out, &bytes, error) == IFL_OK &&
           bytes >= elements * sizeof(double);
}

/* The result that is to come, from the buffers as the launch filled them. */
static bool expect(check *c, ifl_launch *launch, ifl_error *error)
{
    const sizes *s = &c->size;
    if (!buffer(launch, SMALL, s->kmax, &c->small_array, error) ||
        !buffer(launch, BIG, s->kmax * s->ld, &c->big_array, error) ||
        !buffer(launch, RESULT, s->points, &c->result, error))
        return false;
    c->expected = malloc(s->points * sizeof *c->expected);
    if (!c->expected)
        return false;
    wide_loads_reference(s->points, s->kmax, s->ld, c->small_array, c->big_array, c->expected);
    return true;
}

static bool counter_is(const check *c, const ifl_profile *profile, const char *name,
                       uint64_t wanted)
{
    uint64_t got = 0;
    if (ifl_profile_counter(profile, name, &got) && got == wanted)
        return true;
    printf("%s: %s is %llu, wanted %llu\n", c->path, name, (unsigned long long)got,
           (unsigned long long)wanted);
    return false;
}

/* 32 points of one k, 8 bytes each: 8 sectors of the big array and one of the small one, in two
 * requests. Wide loads of the small array serve two k, those of the big one 64 points in 16
 * sectors. */
static bool requests_are_right(const check *c, const ifl_profile *profile)
{
    enum { LANES = 32, SECTORS = 8 };
    const uint64_t rows = (uint64_t)c->size.points / LANES * c->size.kmax;
    const bool both = strstr(c->path, "_both"), wide = both || strstr(c->path, "_small");
    const uint64_t small_requests = rows / (wide ? 2 : 1) / (both ? 2 : 1);
    const uint64_t big_requests = rows / (both ? 2 : 1);
    return counter_is(c, profile, "global_load_requests", small_requests + big_requests) &&
           counter_is(c, profile, "global_load_sectors", small_requests + SECTORS * rows);
}

static bool compare(const check *c, const ifl_profile *profile)
{
    if (memcmp(c->result, c->expected, c->size.points * sizeof *c->expected) != 0)
        return complain(c->path, "the result differs from the reference");
    return strstr(c->path, "_odd") || requests_are_right(c, profile);
}

static bool run(const char *path)
{
    ifl_error error = {0};
    ifl_module *module = NULL;
    ifl_launch *launch = NULL;
    ifl_profile *profile = NULL;
    check c = {.path = path};
    bool good =
        read_sizes(path, &c.size) && ifl_launch_read(path, &module, &launch, &error) == IFL_OK &&
        expect(&c, launch, &error) && ifl_launch_run(launch, NULL, &profile, &error) == IFL_OK;
    good = good ? compare(&c, profile) : complain(path, error.text);
    if (profile)
        ifl_profile_free(profile);
    if (launch)
        ifl_launch_free(launch);
    if (module)
        ifl_module_close(module);
    free(c.expected);
    return good;
}

int main(int count, char **paths)
{
    int failures = 0;
    for (int i = 1; i < count; i++)
        failures += !run(paths[i]);
    printf("%d launches, %d failures\n", count - 1, failures);
    return failures != 0;
}
