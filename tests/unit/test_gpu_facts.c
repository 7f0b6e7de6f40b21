/* SPDX-License-Identifier: Apache-2.0
 * Figures and texts about GPUs that need none: quantiles and noise, Nsight Compute's page, what a
 * kernel's instructions leave open. */
#include "base/statistics.h"
#include "ptx/lower.h"
#include "ptx_snippet.h"
#include "session/exactness.h"
#include "session/ncu.h"

#include <math.h>

static void quantiles(void **state)
{
    (void)state;
    const double samples[] = {5, 1, 4, 2, 3};
    double scratch[5];
    assert_float_equal(ifl_quantile(samples, 5, 0.5, scratch), 3, 0);
    assert_float_equal(ifl_quantile(samples, 5, 0, scratch), 1, 0);
    assert_float_equal(ifl_quantile(samples, 5, 1, scratch), 5, 0);
    assert_float_equal(ifl_quantile(samples, 5, 0.1, scratch), 1.4, 1e-12);
    assert_float_equal(ifl_quantile(samples, 4, 0.5, scratch), 3, 0); /* 1 2 4 5 */
    assert_true(isnan(ifl_quantile(samples, 0, 0.5, scratch)));
}

static void noise(void **state)
{
    (void)state;
    const double same[] = {2, 2, 2, 2}, two[] = {10, 11, 10, 11, 10, 11};
    double scratch[6];
    assert_float_equal(ifl_noise(same, 4, scratch), 0, 0);
    assert_float_equal(ifl_noise(two, 6, scratch), 1 / 10.5, 1e-12);
    assert_true(isnan(ifl_noise(same, 3, scratch)));
}

static const char page[] =
    "==PROF== Connected to process 1\n"
    "\"ID\",\"Kernel "
    "Name\",\"smsp__inst_executed.sum\",\"dram__bytes_read.sum\",\"lts__t_sectors_op_read.sum\","
    "\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\"\n"
    "\"\",\"\",\"inst\",\"byte\",\"sector\",\"\"\n"
    "\"0\",\"copy(float*, \"\"x\"\")\",\"19,922,944\",\"268452608\",\"n/a\",\"4,352 (1; 2)\"\n";

static void ncu_page(void **state)
{
    (void)state;
    ifl_counters counters = {0};
    ifl_error error;
    assert_int_equal(ifl_ncu_read(page, &counters, &error), IFL_OK);
    assert_true(counters.known[IFL_COUNTER_instructions]);
    assert_int_equal(counters.value[IFL_COUNTER_instructions], 19922944);
    assert_int_equal(counters.value[IFL_COUNTER_dram_read_bytes], 268452608);
    assert_int_equal(counters.value[IFL_COUNTER_global_load_requests], 4352);
    assert_false(counters.known[IFL_COUNTER_l2_read_sectors]);
    assert_false(counters.known[IFL_COUNTER_ptx_instructions]);
}

static void ncu_page_bad(void **state)
{
    (void)state;
    ifl_counters counters = {0};
    ifl_error error;
    assert_int_equal(ifl_ncu_read("==ERROR== ERR_NVGPUCTRPERM\n", &counters, &error),
                     IFL_BAD_INPUT);
    assert_int_equal(ifl_ncu_read("\"ID\",\"smsp__inst_executed.sum\"\n\"\",\"\"\n\"0\",\"many\"\n",
                                  &counters, &error),
                     IFL_BAD_INPUT);
    assert_non_null(strstr(error.text, "many"));
}

/* A name that stands for two counters fills neither; those of the source page neither. */
static void ncu_names(void **state)
{
    (void)state;
    assert_true(ifl_ncu_can_fill(IFL_COUNTER_global_load_requests));
    assert_true(ifl_ncu_can_fill(IFL_COUNTER_shared_load_wavefronts));
    assert_false(ifl_ncu_can_fill(IFL_COUNTER_shared_load_wavefronts_ideal));
    assert_false(ifl_ncu_can_fill(IFL_COUNTER_ptx_instructions));
}

static ifl_exactness exactness_of(const char *text)
{
    ifl_program *program = read_ok(text);
    const uint64_t no_addresses[8] = {0};
    const ifl_ptx_lowering lowering = {.program = program, .variable_address = no_addresses};
    ifl_image image;
    ifl_exactness found;
    assert_int_equal(ifl_ptx_lower(&lowering, &image, NULL), IFL_OK);
    ifl_exactness_find(&image.sites, &found);
    ifl_image_free(&image);
    ifl_program_free(program);
    return found;
}

static void exact_kernels(void **state)
{
    (void)state;
    const ifl_exactness plain =
        exactness_of(KERNEL("fma.rn.f32 %f1, %f2, %f3, %f4; div.rn.f32 %f1, %f2, %f3;"));
    assert_string_equal(plain.rule, "bit for bit");
    assert_float_equal(plain.tolerance_32, 0, 0);
    /* Products without sums cannot be fused; with a rounding neither can. */
    assert_string_equal(exactness_of(KERNEL("mul.f32 %f1, %f2, %f3;")).rule, "bit for bit");
    assert_string_equal(
        exactness_of(KERNEL("mul.rn.f32 %f1, %f2, %f3; add.rn.f32 %f1, %f1, %f3;")).rule,
        "bit for bit");
}

/* PTX ISA: ex2.approx to 2^-22, tanh.approx to 2^-11 relative; 16 times that is allowed for what
 * follows. */
static void inexact_kernels(void **state)
{
    (void)state;
    const ifl_exactness ex2 = exactness_of(KERNEL("ex2.approx.f32 %f1, %f2;"));
    assert_float_equal(ex2.tolerance_32, 0x1p-18, 0);
    assert_non_null(strstr(ex2.rule, "ex2.approx.f32 (line 11"));
    assert_float_equal(exactness_of(KERNEL("tanh.approx.f32 %f1, %f2;")).tolerance_32, 0x1p-7, 0);
    assert_float_equal(
        exactness_of(KERNEL("mul.f32 %f1, %f2, %f3; add.f32 %f1, %f1, %f3;")).tolerance_32, 0x1p-20,
        0);
    const ifl_exactness sum = exactness_of(KERNEL("red.global.add.f32 [%rd1], %f1;"));
    assert_true(sum.tolerance_32 > 0 && !sum.is_open);
}

static void open_kernels(void **state)
{
    (void)state;
    assert_true(exactness_of(KERNEL("atom.global.add.u32 %r1, [%rd1], 1;")).is_open);
    assert_false(exactness_of(KERNEL("red.global.add.u32 [%rd1], 1;")).is_open);
    assert_true(exactness_of(KERNEL("mov.u64 %rd1, %clock64;")).is_open);
    assert_true(exactness_of(KERNEL("ld.acquire.gpu.global.u32 %r1, [%rd1];")).is_open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles),       cmocka_unit_test(noise),
        cmocka_unit_test(ncu_page),        cmocka_unit_test(ncu_page_bad),
        cmocka_unit_test(ncu_names),       cmocka_unit_test(exact_kernels),
        cmocka_unit_test(inexact_kernels), cmocka_unit_test(open_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
