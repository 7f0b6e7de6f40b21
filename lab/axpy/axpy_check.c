/* SPDX-License-Identifier: Apache-2.0
 * Runs the launches of axpy and compares y with axpy_reference bit for bit, and the sectors moved
 * with what 12 bytes an element make. Knows the public header and the order of the arguments: n,
 * alpha, x, y.
 *
 *     axpy_check FILE.launch ...        exit status 0: all equal, 1: not */
#include "axpy_reference.h"
#include "inflight.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENT_X = 2, ARGUMENT_Y = 3, SECTOR_BYTES = 32 };

static const float alpha = 2.0f; /* as the launch files have it */

typedef struct buffers {
    float *x, *y, *expected;
    size_t bytes;
} buffers;

static bool complain(const char *path, const char *what)
{
    printf("%s: %s\n", path, what);
    return false;
}

/* The result that is to come, from the buffers as the launch filled them. */
static bool expect(ifl_launch *launch, buffers *b, ifl_error *error)
{
    size_t x_bytes;
    if (ifl_launch_buffer(launch, ARGUMENT_X, (void **)&b->x, &x_bytes, error) != IFL_OK ||
        ifl_launch_buffer(launch, ARGUMENT_Y, (void **)&b->y, &b->bytes, error) != IFL_OK)
        return false;
    b->expected = x_bytes == b->bytes ? malloc(b->bytes) : NULL;
    if (!b->expected)
        return false;
    memcpy(b->expected, b->y, b->bytes);
    axpy_reference(b->bytes / sizeof *b->y, alpha, b->x, b->expected);
    return true;
}

static bool counter_is(const ifl_profile *profile, const char *path, const char *name,
                       uint64_t wanted)
{
    uint64_t got = 0;
    if (ifl_profile_counter(profile, name, &got) && got == wanted)
        return true;
    printf("%s: %s is %llu, wanted %llu\n", path, name, (unsigned long long)got,
           (unsigned long long)wanted);
    return false;
}

static bool compare(const char *path, const buffers *b, const ifl_profile *profile)
{
    if (memcmp(b->y, b->expected, b->bytes) != 0)
        return complain(path, "y differs from the reference");
    uint64_t sectors = b->bytes / SECTOR_BYTES;
    return counter_is(profile, path, "global_load_sectors", 2 * sectors) &&
           counter_is(profile, path, "global_load_sectors_ideal", 2 * sectors) &&
           counter_is(profile, path, "global_store_sectors", sectors);
}

static bool check(const char *path)
{
    ifl_error error = {0};
    ifl_module *module = NULL;
    ifl_launch *launch = NULL;
    ifl_profile *profile = NULL;
    buffers b = {0};
    bool good = ifl_launch_read(path, &module, &launch, &error) == IFL_OK &&
                expect(launch, &b, &error) &&
                ifl_launch_run(launch, NULL, &profile, &error) == IFL_OK;
    good = good ? compare(path, &b, profile) : complain(path, error.text);
    if (profile)
        ifl_profile_free(profile);
    if (launch)
        ifl_launch_free(launch);
    if (module)
        ifl_module_close(module);
    free(b.expected);
    return good;
}

int main(int count, char **paths)
{
    int failures = 0;
    for (int i = 1; i < count; i++)
        failures += !check(paths[i]);
    printf("%d launches, %d failures\n", count - 1, failures);
    return failures != 0;
}
