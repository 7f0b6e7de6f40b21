/* SPDX-License-Identifier: Apache-2.0
 * Kernels that launch kernels. What each leaves in memory follows from its source,
 * tests/nested/nested_kernels.cu, and the rules of the CUDA C++ Programming Guide, "CUDA Dynamic
 * Parallelism": a stream's grids run one after the other, each with all that it launches; those of
 * the tail stream when everything else has ended; an error is its thread's. On every architecture.
 * An H200 (CUDA 13.0, libcudadevrt) leaves the same, but that a kernel's own word in the log may
 * stand before or behind its children's, which nothing orders, and that blocks print in any
 * order. */
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct gpu {
    int sm;
    const char *name;
};

static const struct gpu gpus[] = {
    {75, "t4"}, {80, "a100-80"}, {90, "h200"}, {100, "b200"}, {120, "rtx-5090"}};
static const struct gpu h200 = {90, "h200"};

typedef struct outcome {
    ifl_module *module;
    ifl_launch *launch;
    ifl_profile *profile;
    ifl_status status;
    ifl_error error;
    const uint32_t *words; /* the first argument's */
} outcome;

static void set(ifl_launch *launch, const char *key, const char *value)
{
    ifl_error error = {0};
    if (ifl_launch_set(launch, key, value, &error) != IFL_OK)
        fail_msg("%s = %s: %s", key, value, error.text);
}

static outcome run(const struct gpu *on, const char *kernel, const char *grid, const char *block,
                   const char *const *arguments)
{
    char path[64];
    outcome o = {0};
    void *data = NULL;
    size_t bytes = 0;
    snprintf(path, sizeof path, "tests/nested/nested.sm_%d.cubin", on->sm);
    assert_int_equal(ifl_module_open(path, NULL, &o.module, NULL), IFL_OK);
    assert_int_equal(ifl_launch_new(o.module, kernel, &o.launch, NULL), IFL_OK);
    set(o.launch, "gpu", on->name);
    set(o.launch, "grid", grid);
    set(o.launch, "block", block);
    for (; *arguments; arguments++)
        set(o.launch, "arg", *arguments);
    o.status = ifl_launch_run(o.launch, NULL, &o.profile, &o.error);
    if (o.status == IFL_OK) {
        assert_int_equal(ifl_launch_buffer(o.launch, 0, &data, &bytes, NULL), IFL_OK);
        o.words = data;
    }
    return o;
}

static void end(outcome *o)
{
    ifl_profile_free(o->profile);
    ifl_launch_free(o->launch);
    ifl_module_close(o->module);
}

static outcome run_well(const struct gpu *on, const char *kernel, const char *grid,
                        const char *block, const char *const *arguments)
{
    const outcome o = run(on, kernel, grid, block, arguments);
    if (o.status != IFL_OK)
        fail_msg("sm_%d, %s: %s", on->sm, kernel, o.error.text);
    return o;
}

#define EACH_GPU(on) for (const struct gpu *on = gpus; on < gpus + sizeof gpus / sizeof *gpus; on++)

static void grids_run_in_the_order_of_their_streams(void **state)
{
    static const uint32_t expected[] = {8, 1, 10, 11, 12, 13, 20, 90, 91};
    (void)state;
    EACH_GPU(on)
    {
        outcome o =
            run_well(on, "order_of_streams", "1", "1", (const char *[]){"u32x32=zero", NULL});
        assert_memory_equal(o.words, expected, sizeof expected);
        end(&o);
    }
}

static void each_thread_launches_a_shape_of_its_own(void **state)
{
    (void)state;
    EACH_GPU(on)
    {
        outcome o =
            run_well(on, "launch_by_thread", "3", "40", (const char *[]){"u32x120=zero", NULL});
        for (uint32_t i = 0; i < 120; i++)
            assert_int_equal(o.words[i], (1 + i % 3) * (1 + i % 7) * (i + 1));
        end(&o);
    }
}

static void grids_launch_grids(void **state)
{
    (void)state;
    EACH_GPU(on)
    {
        outcome o =
            run_well(on, "recursion", "1", "1", (const char *[]){"u32x100=zero", "u32:100", NULL});
        for (uint32_t i = 0; i < 100; i++)
            assert_int_equal(o.words[i], 1);
        end(&o);
    }
}

static void a_loop_of_tail_launches_has_no_depth(void **state)
{
    (void)state;
    outcome o = run_well(&h200, "loop_of_tails", "1", "1",
                         (const char *[]){"u32x1=zero", "u32:3000", NULL});
    assert_int_equal(o.words[0], 3000 * 3001 / 2);
    end(&o);
}

static void kernels_have_streams_and_events(void **state)
{
    static const uint32_t expected[] = {2, 1, 2};
    (void)state;
    EACH_GPU(on)
    {
        outcome o =
            run_well(on, "streams_and_events", "1", "1", (const char *[]){"u32x32=zero", NULL});
        assert_memory_equal(o.words, expected, sizeof expected);
        assert_int_equal(o.words[8], 0);
        assert_int_equal(o.words[9], 1);
        end(&o);
    }
}

static void a_wrong_shape_is_an_error_of_its_thread(void **state)
{
    enum { INVALID_CONFIGURATION = 9 };
    (void)state;
    EACH_GPU(on)
    {
        outcome o =
            run_well(on, "errors_of_threads", "1", "32", (const char *[]){"u32x128=zero", NULL});
        for (uint32_t i = 0; i < 32; i++) {
            const uint32_t error = i == 1 || i == 2 ? INVALID_CONFIGURATION : 0;
            assert_int_equal(o.words[i], 0);
            assert_int_equal(o.words[32 + i], error);
            assert_int_equal(o.words[64 + i], error);
            assert_int_equal(o.words[96 + i], 0);
        }
        end(&o);
    }
}

static void a_fault_is_the_child_s(void **state)
{
    (void)state;
    outcome o = run(&h200, "fault_of_a_child", "1", "32", (const char *[]){"u32x128=zero", NULL});
    assert_int_equal(o.status, IFL_FINDING);
    assert_non_null(strstr(o.error.text, "illegal address"));
    end(&o);
}

/* 16 bytes behind the start of its memory is what malloc gives (provided_calls.c). */
static void room_for_parameters_is_not_freed(void **state)
{
    (void)state;
    outcome o = run(&h200, "frees_parameters", "1", "1", (const char *[]){"u32x1=zero", NULL});
    assert_int_equal(o.status, IFL_FINDING);
    assert_non_null(strstr(o.error.text, "which the kernel's malloc did not give"));
    end(&o);
}

static void a_report_says_what_it_does_not_count(void **state)
{
    (void)state;
    outcome o =
        run_well(&h200, "recursion", "1", "1", (const char *[]){"u32x4=zero", "u32:4", NULL});
    assert_int_equal(o.profile->warnings.count, 1);
    assert_non_null(
        strstr(o.profile->warnings.at[0], "launched 7 grids")); /* a tree over four words */
    end(&o);
}

typedef struct printed {
    char text[8192];
    size_t length;
} printed;

static void keep_text(void *user, const char *text, size_t length)
{
    printed *p = user;
    length = length < sizeof p->text - p->length ? length : sizeof p->text - p->length;
    memcpy(p->text + p->length, text, length);
    p->length += length;
}

/* However many threads run them. */
static void what_a_kernel_prints_comes_in_the_order_of_its_blocks(void **state)
{
    printed p = {.length = 0};
    char expected[8192];
    size_t length = 0;
    (void)state;
    outcome o = run_well(&h200, "prints", "1000", "32", (const char *[]){"u32x1=zero", NULL});
    const ifl_run_options options = {.threads = 4, .print = keep_text, .print_user = &p};
    ifl_profile_free(o.profile);
    assert_int_equal(ifl_launch_run(o.launch, &options, &o.profile, &o.error), IFL_OK);
    for (unsigned block = 0; block < 1000; block++)
        length += (size_t)snprintf(expected + length, sizeof expected - length, "%u ", block);
    assert_int_equal(p.length, length);
    assert_memory_equal(p.text, expected, length);
    end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_run_in_the_order_of_their_streams),
        cmocka_unit_test(each_thread_launches_a_shape_of_its_own),
        cmocka_unit_test(grids_launch_grids),
        cmocka_unit_test(a_loop_of_tail_launches_has_no_depth),
        cmocka_unit_test(kernels_have_streams_and_events),
        cmocka_unit_test(a_wrong_shape_is_an_error_of_its_thread),
        cmocka_unit_test(a_fault_is_the_child_s),
        cmocka_unit_test(room_for_parameters_is_not_freed),
        cmocka_unit_test(a_report_says_what_it_does_not_count),
        cmocka_unit_test(what_a_kernel_prints_comes_in_the_order_of_its_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
