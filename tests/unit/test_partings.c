/* SPDX-License-Identifier: Apache-2.0
 * Lanes that part and meet again, one warp a launch, count as on an H200
 * (tests/gpu/h200/partings.txt; the kernels are those of tools/gpu/parting_probe.cu). */
#include "inflight.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 32 };

static const char *const counters[] = {"instructions", "thread_instructions",
                                       "thread_instructions_on", "divergent_branches"};
enum { COUNTERS = sizeof counters / sizeof *counters };

typedef struct parting {
    char kernel[8], threads[8];
    int32_t trips[LANES];
    uint64_t counted[COUNTERS];
} parting;

static bool read_parting(FILE *from, parting *out)
{
    if (fscanf(from, "%7s %7s", out->kernel, out->threads) != 2)
        return false;
    for (int i = 0; i < LANES; i++)
        assert_int_equal(fscanf(from, "%" SCNd32, &out->trips[i]), 1);
    for (int i = 0; i < COUNTERS; i++)
        assert_int_equal(fscanf(from, "%" SCNu64, &out->counted[i]), 1);
    return true;
}

static ifl_launch *launch_of(const ifl_module *module, const parting *row)
{
    const char *const words[][2] = {{"grid", "1"},
                                    {"block", row->threads},
                                    {"arg", "i32x32=zero"},
                                    {"arg", "f32x1024=zero"},
                                    {"arg", "f32x1024=zero"}};
    ifl_launch *launch = NULL;
    void *trips = NULL;
    size_t bytes = 0;
    assert_int_equal(ifl_launch_new(module, row->kernel, &launch, NULL), IFL_OK);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_int_equal(ifl_launch_set(launch, words[i][0], words[i][1], NULL), IFL_OK);
    assert_int_equal(ifl_launch_buffer(launch, 0, &trips, &bytes, NULL), IFL_OK);
    assert_int_equal(bytes, sizeof row->trips);
    memcpy(trips, row->trips, sizeof row->trips);
    return launch;
}

static void check(const ifl_module *module, const parting *row, int number)
{
    ifl_launch *launch = launch_of(module, row);
    ifl_profile *profile = NULL;
    assert_int_equal(ifl_launch_run(launch, &(ifl_run_options){.threads = 1}, &profile, NULL),
                     IFL_OK);
    for (int i = 0; i < COUNTERS; i++) {
        uint64_t value = 0;
        assert_true(ifl_profile_counter(profile, counters[i], &value));
        if (value != row->counted[i])
            fail_msg("%s, row %d: %s is %" PRIu64 ", on an H200 %" PRIu64, row->kernel, number,
                     counters[i], value, row->counted[i]);
    }
    ifl_profile_free(profile);
    ifl_launch_free(launch);
}

static void counts_are_an_h200s(void **state)
{
    (void)state;
    ifl_module *module = NULL;
    FILE *from = fopen("tests/gpu/h200/partings.txt", "r");
    parting row;
    int rows = 0;
    assert_non_null(from);
    assert_int_equal(ifl_module_open("tests/sass/partings.sm_90.cubin", NULL, &module, NULL),
                     IFL_OK);
    assert_int_equal(fscanf(from, "#%*[^\n] #%*[^\n]"), 0);
    while (read_parting(from, &row))
        check(module, &row, ++rows);
    assert_int_equal(rows, 645);
    ifl_module_close(module);
    fclose(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_an_h200s)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
