/* SPDX-License-Identifier: Apache-2.0
 * What a launch's profile says of its kernel's machine code. Expected are: registers, as ptxas -v
 * of CUDA 13.0 prints them; machine instructions a warp, as an H200 counted them (docs/fidelity.md:
 * the launches there divided by their warps); bytes in flight, read from nvdisasm's listing. */
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void set(ifl_launch *launch, const char *key, const char *value)
{
    ifl_error error = {0};
    if (ifl_launch_set(launch, key, value, &error) != IFL_OK)
        fail_msg("%s = %s: %s", key, value, error.text);
}

static ifl_profile *run(const char *file, const char *kernel, const char *grid, const char *n,
                        const char *buffer)
{
    ifl_module *module = NULL;
    ifl_launch *launch = NULL;
    ifl_profile *profile = NULL;
    ifl_error error = {0};
    assert_int_equal(ifl_module_open(file, NULL, &module, &error), IFL_OK);
    assert_int_equal(ifl_launch_new(module, kernel, &launch, &error), IFL_OK);
    set(launch, "grid", grid);
    set(launch, "block", "256");
    set(launch, "arg", n);
    set(launch, "arg", "f32:2");
    set(launch, "arg", buffer);
    set(launch, "arg", buffer);
    if (ifl_launch_run(launch, NULL, &profile, &error) != IFL_OK)
        fail_msg("%s", error.text);
    ifl_launch_free(launch);
    ifl_module_close(module);
    return profile;
}

/* Settings are a launch file's keys and values. */
static ifl_profile *run_with(const char *file, const char *kernel, const char *const settings[][2],
                             size_t count)
{
    ifl_module *module = NULL;
    ifl_launch *launch = NULL;
    ifl_profile *profile = NULL;
    assert_int_equal(ifl_module_open(file, NULL, &module, NULL), IFL_OK);
    assert_int_equal(ifl_launch_new(module, kernel, &launch, NULL), IFL_OK);
    for (size_t i = 0; i < count; i++)
        set(launch, settings[i][0], settings[i][1]);
    assert_int_equal(ifl_launch_run(launch, NULL, &profile, NULL), IFL_OK);
    ifl_launch_free(launch);
    ifl_module_close(module);
    return profile;
}

/* The instructions a warp that an H200 counted, of launches in which every thread has its full
 * work.
 * Bytes in flight: naive, 2 loads of 4 bytes a lane before the FFMA that waits for them; coarsened
 * and hoisted the same, since a store may change x; restrict, bounded: LDG x0, y0, x1, y1 stand
 * before the first FFMA; float4: 2 loads of 16; coarsened: 4 of 16. */
static const struct version {
    const char *kernel, *grid, *n;
    unsigned elements, warps;
    unsigned instructions, registers, bytes_in_flight;
} versions[] = {
    {"axpy_naive", "16", "i32:4096", 4096, 128, 19, 10, 256},
    {"axpy_coarsened", "4", "i32:4096", 4096, 32, 56, 18, 256},
    {"axpy_hoisted", "4", "i32:4096", 4096, 32, 42, 24, 256},
    {"axpy_restrict", "4", "i32:4096", 4096, 32, 42, 24, 512},
    {"axpy_bounded", "4", "i32:4096", 4096, 32, 42, 24, 512},
    {"axpy_float4", "4", "i32:1024", 4096, 32, 22, 18, 1024},
    {"axpy_float4_coarsened", "2", "i32:1024", 4096, 16, 33, 24, 2048},
};

static void an_h200_counts_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        const struct version *v = &versions[i];
        ifl_profile *profile =
            run("lab/axpy/axpy.sm_90.cubin", v->kernel, v->grid, v->n, "f32x4096=iota");
        uint64_t instructions = 0;
        assert_true(profile->machine.known);
        assert_int_equal(profile->machine.sm, 90);
        assert_string_equal(profile->machine.file, "axpy.sm_90.cubin");
        assert_true(ifl_profile_counter(profile, "instructions", &instructions));
        assert_int_equal(instructions, (uint64_t)v->instructions * v->warps);
        assert_int_equal(profile->machine.registers, v->registers);
        assert_int_equal(profile->machine.bytes_in_flight, v->bytes_in_flight);
        assert_int_equal(profile->machine.static_shared_bytes, 0);
        ifl_profile_free(profile);
    }
}

/* nvdisasm's listing has LDS.128 alone where the PTX has ld.shared.f32: one for four, for each of
 * 64 steps of 8 warps. At n = 1024 an H200 counts 4,194,304 of them and three wavefronts for each
 * (smsp__sass_inst_executed_op_shared_ld,
 * smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld). */
static void shared_loads_are_as_an_h200_counts_them(void **state)
{
    static const char *const settings[][2] = {{"grid", "1,1"},
                                              {"block", "256"},
                                              {"arg", "f32x4096=random:1"},
                                              {"arg", "f32x4096=random:2"},
                                              {"arg", "f32x4096=zero"},
                                              {"arg", "i32:64"}};
    (void)state;
    ifl_profile *profile = run_with("tests/model/everyday/everyday.sm_90.cubin", "gemm_registers",
                                    settings, sizeof settings / sizeof *settings);
    uint64_t requests = 0, wavefronts = 0;
    assert_true(ifl_profile_counter(profile, "shared_load_requests", &requests));
    assert_true(ifl_profile_counter(profile, "shared_load_wavefronts", &wavefronts));
    assert_int_equal(requests, 8 * 64 * 2);
    assert_int_equal(wavefronts, 8 * 64 * 2 * 3);
    ifl_profile_free(profile);
}

/* The same launch, under Nsight Compute: l1tex__t_requests_pipe_lsu_mem_local_op_ld and _op_st, and
 * their sectors (tests/gpu/h200/counters.txt, register-passes-two_passes_spilled.2.launch). */
static void spills_are_as_an_h200_counts_them(void **state)
{
    static const char *const settings[][2] = {
        {"grid", "2,2"},
        {"block", "32,8"},
        {"arg", "i32:64"},
        {"arg", "i32:16"},
        {"arg", "i32:16"},
        {"arg", "f32x131072=random:1"},
        {"arg", "f32x131072=random:2"},
        {"arg", "f32x131072=random:3"},
        {"arg", "f32x131072=random:4"},
    };
    (void)state;
    ifl_profile *profile =
        run_with("lab/register-passes/register_passes.sm_90.cubin", "register_passes_rest_spilled",
                 settings, sizeof settings / sizeof *settings);
    static const struct {
        const char *counter;
        uint64_t counted;
    } rows[] = {{"local_load_requests", 11776},
                {"local_load_sectors", 47104},
                {"local_store_requests", 12288},
                {"local_store_sectors", 49152}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t value = 0;
        assert_true(ifl_profile_counter(profile, rows[i].counter, &value));
        assert_int_equal(value, rows[i].counted);
    }
    ifl_profile_free(profile);
}

static ifl_profile *run_ptx(const char *machine)
{
    const char *const settings[][2] = {
        {"grid", "4"},    {"block", "256"},         {"arg", "i32:1024"},
        {"arg", "f32:2"}, {"arg", "f32x1024=iota"}, {"arg", "f32x1024=zero"},
        {"code", "ptx"},  {"machine", machine}};
    return run_with("lab/axpy/axpy.sm_90.ptx", "axpy_naive", settings,
                    sizeof settings / sizeof *settings - !machine);
}

/* A cubin that lies beside PTX is no input: nothing is told of it. */
static void a_cubin_beside_ptx_is_no_input(void **state)
{
    (void)state;
    ifl_profile *profile = run_ptx(NULL);
    assert_false(profile->machine.known);
    assert_int_equal(profile->warnings.count, 0);
    ifl_profile_free(profile);
}

/* One that is named tells what the compiler made of the PTX; what ran is counted as PTX. */
static void a_cubin_that_is_named_tells_of_registers(void **state)
{
    (void)state;
    uint64_t count = 0;
    ifl_profile *profile = run_ptx("lab/axpy/axpy.sm_90.cubin");
    assert_true(profile->machine.known && !profile->machine.ran);
    assert_int_equal(profile->machine.registers, 10);
    assert_int_equal(profile->machine.bytes_in_flight, 256);
    assert_true(ifl_profile_counter(profile, "ptx_instructions", &count));
    assert_false(ifl_profile_counter(profile, "instructions", &count));
    ifl_profile_free(profile);
}

/* 3 blocks of 96 threads store a word each: 9 warps, 4 sectors a warp. Such a file does not say
 * where parameters begin. */
static void kernels_without_parameters_know_their_block(void **state)
{
    static const char *const files[][2] = {
        {"75", "t4"},       {"80", "a100-80"}, {"86", "rtx-3090"}, {"87", "jetson-agx-orin"},
        {"89", "rtx-4090"}, {"90", "h200"},    {"100", "b200"},    {"120", "rtx-5090"}};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *const settings[][2] = {{"grid", "3"}, {"block", "96"}, {"gpu", files[i][1]}};
        char file[64];
        uint64_t requests = 0, sectors = 0, local = 0;
        snprintf(file, sizeof file, "tests/machine/kernels.sm_%s.cubin", files[i][0]);
        ifl_profile *profile = run_with(file, "without_parameters", settings, 3);
        assert_true(ifl_profile_counter(profile, "global_store_requests", &requests));
        assert_true(ifl_profile_counter(profile, "global_store_sectors", &sectors));
        assert_true(ifl_profile_counter(profile, "local_store_requests", &local));
        assert_int_equal(requests, 9);
        assert_int_equal(sectors, 36);
        assert_int_equal(local, 9);
        ifl_profile_free(profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_h200_counts_the_same),
        cmocka_unit_test(shared_loads_are_as_an_h200_counts_them),
        cmocka_unit_test(spills_are_as_an_h200_counts_them),
        cmocka_unit_test(a_cubin_beside_ptx_is_no_input),
        cmocka_unit_test(a_cubin_that_is_named_tells_of_registers),
        cmocka_unit_test(kernels_without_parameters_know_their_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
