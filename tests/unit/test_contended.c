/* SPDX-License-Identifier: Apache-2.0
 * Warps that change one word of shared memory in turns: however often the lanes of one must try, all
 * go on together behind the loop (tests/sass/contended.cu). */
#include "inflight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { THREADS = 256, TRIPS = 16 };

static void run(const char *file, const char *gpu)
{
    const char *const words[][2] = {{"gpu", gpu},           {"grid", "1"},
                                    {"block", "256"},       {"arg", "u32x4096=zero"},
                                    {"arg", "f32x32=zero"}, {"arg", "i32:16"}};
    ifl_module *module = NULL;
    ifl_launch *launch = NULL;
    ifl_profile *profile = NULL;
    void *sums = NULL;
    size_t bytes = 0;
    assert_int_equal(ifl_module_open(file, NULL, &module, NULL), IFL_OK);
    assert_int_equal(ifl_launch_new(module, "contended", &launch, NULL), IFL_OK);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_int_equal(ifl_launch_set(launch, words[i][0], words[i][1], NULL), IFL_OK);
    assert_int_equal(ifl_launch_run(launch, &(ifl_run_options){.threads = 1}, &profile, NULL),
                     IFL_OK);
    assert_int_equal(ifl_launch_buffer(launch, 1, &sums, &bytes, NULL), IFL_OK);
    assert_true(*(const float *)sums == THREADS * TRIPS);
    ifl_profile_free(profile);
    ifl_launch_free(launch);
    ifl_module_close(module);
}

static void none_adds_twice(void **state)
{
    (void)state;
    run("tests/sass/contended.sm_75.cubin", "t4");
    run("tests/sass/contended.sm_90.cubin", "h200");
    run("tests/sass/contended.sm_120.cubin", "rtx-5090");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(none_adds_twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
