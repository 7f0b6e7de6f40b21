/* SPDX-License-Identifier: Apache-2.0
 * Warps that change one word of shared memory in turns: however often the lanes of one must try, all
 * go on together behind the loop. Lanes that sleep until others go on (tests/sass/contended.cu), and lanes
 * that take a lock from others of their warp (tests/programs/locks.cu). */
#include "inflight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct test_case {
    const char *kernel, *block, *arguments[3];
    size_t result; /* the argument whose first word tells */
} test_case;

/* Returns the first word of the result. */
static uint32_t run(const char *file, const char *gpu, const test_case *of)
{
    const char *const words[][2] = {{"gpu", gpu}, {"grid", "1"}, {"block", of->block}};
    ifl_module *module = NULL;
    ifl_launch *launch = NULL;
    ifl_profile *profile = NULL;
    void *results = NULL;
    size_t bytes = 0;
    assert_int_equal(ifl_module_open(file, NULL, &module, NULL), IFL_OK);
    assert_int_equal(ifl_launch_new(module, of->kernel, &launch, NULL), IFL_OK);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_int_equal(ifl_launch_set(launch, words[i][0], words[i][1], NULL), IFL_OK);
    for (size_t i = 0; i < sizeof of->arguments / sizeof *of->arguments && of->arguments[i]; i++)
        assert_int_equal(ifl_launch_set(launch, "arg", of->arguments[i], NULL), IFL_OK);
    assert_int_equal(ifl_launch_run(launch, &(ifl_run_options){.threads = 1}, &profile, NULL),
                     IFL_OK);
    assert_int_equal(ifl_launch_buffer(launch, of->result, &results, &bytes, NULL), IFL_OK);
    const uint32_t first = *(const uint32_t *)results;
    ifl_profile_free(profile);
    ifl_launch_free(launch);
    ifl_module_close(module);
    return first;
}

static const char *const files[][2] = {{"tests/sass/contended.sm_75.cubin", "t4"},
                                       {"tests/sass/contended.sm_90.cubin", "h200"},
                                       {"tests/sass/contended.sm_120.cubin", "rtx-5090"}};
enum { FILES = sizeof files / sizeof *files };

static void none_adds_twice(void **state)
{
    (void)state;
    static const test_case contended = {
        "contended", "256", {"u32x4096=zero", "f32x32=zero", "i32:16"}, 1};
    const union {
        float sum;
        uint32_t word;
    } expected = {.sum = 256 * 16};
    for (size_t i = 0; i < FILES; i++)
        assert_int_equal(run(files[i][0], files[i][1], &contended), expected.word);
}

/* Who sleeps may wait for lanes that wait where all meet. */
static void sleepers_are_woken(void **state)
{
    (void)state;
    static const test_case sleeping = {"sleeping", "32", {"i32x1=zero", "i32x32=zero"}, 0};
    for (size_t i = 0; i < FILES; i++)
        assert_int_equal(run(files[i][0], files[i][1], &sleeping), 1);
}

/* The lane that has the lock is met by the others only when they give up: once they had to, they do so
 * soon. 40 lanes count their attempts. */
static void a_lock_is_passed_on_soon(void **state)
{
    (void)state;
    enum { LANES = 40, ATTEMPTS = 10000 };
    static const test_case locked = {
        "lock_and_count", "40", {"u32x1=zero", "u32x1=zero", "u32x1=zero"}, 1};
    test_case attempts = locked;
    attempts.result = 2;
    assert_int_equal(run("tests/programs/locks.ptx", "h200", &locked), LANES);
    assert_in_range(run("tests/programs/locks.ptx", "h200", &attempts), 1, LANES * ATTEMPTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(none_adds_twice),
                                       cmocka_unit_test(sleepers_are_woken),
                                       cmocka_unit_test(a_lock_is_passed_on_soon)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
