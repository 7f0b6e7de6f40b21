/* SPDX-License-Identifier: Apache-2.0
 * Small kernels of machine code, each for one rule that programs met. What is expected follows from
 * their source, tests/sass/small_cases.cu (nvcc 13.0 -arch=sm_90 -cubin), and an H200 gives it
 * (driver 580.159.04, CUDA 13.0). */
#include "inflight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void set(ifl_launch *launch, const char *key, const char *value)
{
    ifl_error error = {0};
    if (ifl_launch_set(launch, key, value, &error) != IFL_OK)
        fail_msg("%s = %s: %s", key, value, error.text);
}

/* Runs one block of 32 threads with four arguments at most, and gives the first, a buffer of
 * floats. */
static const float *run(ifl_launch **launch, const char *kernel, const char *const *arguments)
{
    static ifl_module *module;
    ifl_profile *profile = NULL;
    ifl_error error = {0};
    void *data = NULL;
    size_t bytes = 0;
    if (!module)
        assert_int_equal(ifl_module_open("tests/sass/small_cases.sm_90.cubin", NULL, &module, NULL),
                         IFL_OK);
    assert_int_equal(ifl_launch_new(module, kernel, launch, NULL), IFL_OK);
    set(*launch, "grid", "1");
    set(*launch, "block", "32");
    for (; *arguments; arguments++)
        set(*launch, "arg", *arguments);
    if (ifl_launch_run(*launch, NULL, &profile, &error) != IFL_OK)
        fail_msg("%s", error.text);
    ifl_profile_free(profile);
    assert_int_equal(ifl_launch_buffer(*launch, 0, &data, &bytes, NULL), IFL_OK);
    return data;
}

/* CUDA calls that undefined; GPUs come through, and programs count on it (Numba's cuda.reduce). */
static void lanes_at_a_warpsync_do_not_wait_for_those_that_wait_for_them(void **state)
{
    (void)state;
    ifl_launch *launch = NULL;
    const float *out =
        run(&launch, "partial_meeting", (const char *[]){"f32x3=zero", "i32:32", NULL});
    assert_true(out[0] == 1);
    assert_true(out[1] == 0 + 2 + 1 + 3);
    ifl_launch_free(launch);
}

static float innermost(float x, int lane)
{
    for (int i = 0; i < lane % 5; i++)
        x = x * 2 - (float)i;
    return x;
}

static float middle(float x, int lane)
{
    return (lane % 3 ? innermost(x + 1, lane) + 1 : x) * 3;
}

static void functions_that_call_others_go_on_behind_their_own_meetings(void **state)
{
    (void)state;
    ifl_launch *launch = NULL;
    const float *out =
        run(&launch, "calls_that_nest", (const char *[]){"f32x32=zero", "i32:32", NULL});
    for (int lane = 0; lane < 32; lane++) {
        const float x = (float)lane;
        assert_true(out[lane] == middle(x, lane) - 7 + 1); /* visited once */
    }
    ifl_launch_free(launch);
}

static void bits_of_a_shared_value_are_reversed(void **state)
{
    (void)state;
    ifl_launch *launch = NULL;
    const float *out =
        run(&launch, "shared_bits", (const char *[]){"f32x32=zero", "u32:13", NULL}); /* 1101 */
    for (int lane = 0; lane < 32; lane++)
        assert_true(out[lane] == 0xb000);
    ifl_launch_free(launch);
}

static void lanes_that_do_not_read_a_clock_keep_their_registers(void **state)
{
    (void)state;
    ifl_launch *launch = NULL;
    const float *out =
        run(&launch, "clock_of_some", (const char *[]){"f32x32=zero", "i32:5", NULL});
    for (int lane = 0; lane < 32; lane++)
        assert_true(out[lane] == (lane >= 5));
    ifl_launch_free(launch);
}

/* An H200 ends it too. */
static void lanes_that_meet_let_those_go_on_that_wait_for_them(void **state)
{
    (void)state;
    ifl_launch *launch = NULL;
    const float *out = run(&launch, "lock_in_turn", (const char *[]){"f32x32=zero", NULL});
    for (int lane = 0; lane < 32; lane++)
        assert_true(out[lane] == 32);
    ifl_launch_free(launch);
}

static void each_lane_makes_its_barrier(void **state)
{
    (void)state;
    ifl_launch *launch = NULL;
    const float *out =
        run(&launch, "barriers_of_lanes", (const char *[]){"f32x32=zero", "i32:3", NULL});
    for (int lane = 0; lane < 32; lane++)
        assert_true(out[lane] == (lane == 0 || lane == 2));
    ifl_launch_free(launch);
}

static void halves_of_words_are_subtracted_apart(void **state)
{
    (void)state;
    ifl_launch *launch = NULL;
    const float *out =
        run(&launch, "pairs_less_pairs",
            (const char *[]){"f32x64=zero", "u32:0x00020010", "u32:0x00050018", NULL});
    for (int lane = 0; lane < 32; lane++) {
        assert_true(out[lane] == 0xfffd);
        assert_true(out[32 + lane] == (uint16_t)(0x10 + lane - 0x18));
    }
    ifl_launch_free(launch);
}

static void functions_that_call_themselves_have_the_default_stack(void **state)
{
    (void)state;
    ifl_launch *launch = NULL;
    const float *out =
        run(&launch, "calls_itself", (const char *[]){"f32x32=zero", "i32:14", NULL});
    for (int lane = 0; lane < 32; lane++)
        assert_true(out[lane] == (float)(lane + 14));
    ifl_launch_free(launch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_at_a_warpsync_do_not_wait_for_those_that_wait_for_them),
        cmocka_unit_test(functions_that_call_others_go_on_behind_their_own_meetings),
        cmocka_unit_test(bits_of_a_shared_value_are_reversed),
        cmocka_unit_test(lanes_that_do_not_read_a_clock_keep_their_registers),
        cmocka_unit_test(lanes_that_meet_let_those_go_on_that_wait_for_them),
        cmocka_unit_test(each_lane_makes_its_barrier),
        cmocka_unit_test(halves_of_words_are_subtracted_apart),
        cmocka_unit_test(functions_that_call_themselves_have_the_default_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
