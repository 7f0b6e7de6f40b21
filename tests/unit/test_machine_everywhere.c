/* SPDX-License-Identifier: Apache-2.0
 * Kernels of tests/machine on every architecture: what they leave follows from their source;
 * special registers are as an H200 tells them (driver 580.159.04, CUDA 13.0). */
#include "inflight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct gpu {
    int sm;
    const char *name;
    float sms, warps; /* an SM */
} gpus[] = {{75, "t4", 40, 32},        {80, "a100-80", 108, 64},
            {86, "rtx-3090", 82, 48},  {87, "jetson-agx-orin", 16, 48},
            {89, "rtx-4090", 128, 48}, {90, "h200", 132, 64},
            {100, "b200", 148, 64},    {120, "rtx-5090", 170, 48}};
enum { GPUS = sizeof gpus / sizeof *gpus, MOST_ARGUMENTS = 4, FLOATS = 32 };

typedef struct opened {
    ifl_module *module;
    ifl_launch *launch;
} opened;

static void set(ifl_launch *launch, const char *key, const char *value)
{
    ifl_error error = {0};
    if (ifl_launch_set(launch, key, value, &error) != IFL_OK)
        fail_msg("%s = %s: %s", key, value, error.text);
}

/* Argument `out` as it stands after one block of 32 threads. */
static const float *run_of(opened *o, const struct gpu *gpu, const char *kernels,
                           const char *kernel, const char *grid, const char *const *arguments,
                           unsigned out)
{
    char file[64];
    ifl_profile *profile = NULL;
    ifl_error error = {0};
    void *data = NULL;
    size_t bytes = 0;
    snprintf(file, sizeof file, "tests/machine/%s.sm_%d.cubin", kernels, gpu->sm);
    assert_int_equal(ifl_module_open(file, NULL, &o->module, NULL), IFL_OK);
    assert_int_equal(ifl_launch_new(o->module, kernel, &o->launch, NULL), IFL_OK);
    set(o->launch, "gpu", gpu->name);
    set(o->launch, "grid", grid);
    set(o->launch, "block", "32");
    for (; *arguments; arguments++)
        set(o->launch, "arg", *arguments);
    if (ifl_launch_run(o->launch, NULL, &profile, &error) != IFL_OK)
        fail_msg("sm_%d %s: %s", gpu->sm, kernel, error.text);
    ifl_profile_free(profile);
    assert_int_equal(ifl_launch_buffer(o->launch, out, &data, &bytes, NULL), IFL_OK);
    return data;
}

static const float *run(opened *o, const struct gpu *gpu, const char *kernel, const char *grid,
                        const char *const *arguments, unsigned out)
{
    return run_of(o, gpu, "kernels", kernel, grid, arguments, out);
}

static void end(opened *o)
{
    ifl_launch_free(o->launch);
    ifl_module_close(o->module);
}

static void arrays_of_objects_are_made_and_freed(void **state)
{
    (void)state;
    for (size_t g = 0; g < GPUS; g++) {
        opened o;
        const float *out =
            run(&o, &gpus[g], "allocates", "1", (const char *[]){"f32x32=zero", "i32:5", NULL}, 0);
        for (int i = 0; i < FLOATS; i++)
            assert_true(out[i] == 5 * 4.5f);
        end(&o);
    }
}

/* 1 TiB in all, 1 GiB at once. */
static void memory_that_a_kernel_frees_can_be_had_again(void **state)
{
    (void)state;
    opened o;
    const float *out = run(&o, &gpus[0], "churns", "1",
                           (const char *[]){"f32x32=zero", "i32:1024", "i32:0x40000000", NULL}, 0);
    assert_true(out[0] == 1024);
    end(&o);
}

/* The halves next to 2049, to (1 + 2^-10)^2 and to (1 + 2^-10)^2 + 1 + 2^-10. */
static void halves_are_rounded_before_they_become_floats(void **state)
{
    static const float expected[] = {2048, 1.001953125f, 2.00390625f};
    (void)state;
    for (size_t g = 0; g < GPUS; g++) {
        opened o;
        const float *out =
            run(&o, &gpus[g], "rounded_halves", "1",
                (const char *[]){"f32x32=zero", "f32:2048", "f32:1.0009765625", NULL}, 0);
        for (int i = 0; i < FLOATS; i++)
            assert_true(out[i] == expected[i % 3]);
        end(&o);
    }
}

/* They wait at the end of the function for those that wait at its barrier. */
static void lanes_that_return_in_front_of_a_barrier_are_not_waited_for(void **state)
{
    (void)state;
    for (size_t g = 0; g < GPUS; g++) {
        opened o;
        const float *out = run(&o, &gpus[g], "function_returns_early", "1",
                               (const char *[]){"f32x32=const:-2", "i32:16", NULL}, 0);
        for (int i = 0; i < FLOATS; i++)
            assert_true(out[i] == (i < 16 ? (float)(i ^ 1) : -2));
        end(&o);
    }
}

/* Code for a debugger. In the first kernel every return is a jump to the end, which lies behind the
 * barrier. In the second lanes 0 to 15 return, and so do lanes 16 to 23 at -2 + 0 + 1 + ... + 14,
 * which is more than 100. */
static void code_for_a_debugger_runs(void **state)
{
    (void)state;
    for (size_t g = 0; g < GPUS; g++) {
        opened early, from_switch;
        if (gpus[g].sm != 75 && gpus[g].sm != 90 && gpus[g].sm != 120)
            continue;
        const char *const arguments[] = {"f32x32=const:-2", "i32:16", NULL};
        const float *a = run_of(&early, &gpus[g], "debug", "returns_early", "1", arguments, 0),
                    *b = run_of(&from_switch, &gpus[g], "debug", "returns_from_a_switch", "1",
                                arguments, 0);
        for (int i = 0; i < FLOATS; i++) {
            assert_true(a[i] == (i < 16 ? (float)(2 * (i ^ 1)) : -2));
            assert_true(b[i] == (i < 8    ? 9
                                 : i < 16 ? -2
                                 : i < 24 ? -2 + 14 * 15 / 2.0f
                                          : (float)(i ^ 1)));
        }
        end(&early);
        end(&from_switch);
    }
}

/* CALL.ABS, whose place only the linker knows. */
static void functions_of_another_file_are_called(void **state)
{
    (void)state;
    for (size_t g = 0; g < GPUS; g++) {
        opened o;
        const float *out = run_of(&o, &gpus[g], "linked", "calls_another_file", "1",
                                  (const char *[]){"f32x32=const:-2", "i32:28", NULL}, 0);
        for (int i = 0; i < FLOATS; i++) {
            const float scaled = (float)(i % 3 ? 4 * i : i + 100);
            assert_true(out[i] == (i < 28 ? scaled + (i % 2 ? -100.0f : 100.0f) : -2));
        }
        end(&o);
    }
}

static void parameters_are_indexed_backwards(void **state)
{
    (void)state;
    for (size_t g = 0; g < GPUS; g++) {
        opened o;
        const float *out = run(&o, &gpus[g], "from_the_end", "1",
                               (const char *[]){"f32x32=zero",
                                                "bytes:00000000"
                                                "0000803f"
                                                "00000040"
                                                "00004040"
                                                "00008040"
                                                "0000a040"
                                                "0000c040"
                                                "0000e040",
                                                "i32:6", NULL},
                               0);
        for (int i = 0; i < FLOATS; i++)
            assert_true(out[i] == (float)(6 - i % 4));
        end(&o);
    }
}

static void words_are_copied_in_part(void **state)
{
    (void)state;
    for (size_t g = 0; g < GPUS; g++) {
        opened o;
        if (gpus[g].sm < 80)
            continue;
        const float *out = run(&o, &gpus[g], "copy_part", "1",
                               (const char *[]){"u32x32=const:0x12345678", "f32x32=zero", NULL}, 1);
        for (int i = 0; i < FLOATS; i++)
            assert_true(out[i] == 0x5678);
        end(&o);
    }
}

static void special_registers_are_as_a_gpu_tells_them(void **state)
{
    (void)state;
    for (size_t g = 0; g < GPUS; g++) {
        opened o;
        if (gpus[g].sm < 90)
            continue;
        const float expected[] = {0, 1024, 0, 0, 288, 1024, 1, 3, 2, 1, gpus[g].sms, gpus[g].warps};
        const float *out =
            run(&o, &gpus[g], "special_registers", "3,2", (const char *[]){"f32x32=zero", NULL}, 0);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
            if (out[i] != expected[i])
                fail_msg("sm_%d, register %zu: %g, not %g", gpus[g].sm, i, (double)out[i],
                         (double)expected[i]);
        end(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_objects_are_made_and_freed),
        cmocka_unit_test(memory_that_a_kernel_frees_can_be_had_again),
        cmocka_unit_test(halves_are_rounded_before_they_become_floats),
        cmocka_unit_test(lanes_that_return_in_front_of_a_barrier_are_not_waited_for),
        cmocka_unit_test(code_for_a_debugger_runs),
        cmocka_unit_test(functions_of_another_file_are_called),
        cmocka_unit_test(parameters_are_indexed_backwards),
        cmocka_unit_test(words_are_copied_in_part),
        cmocka_unit_test(special_registers_are_as_a_gpu_tells_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
