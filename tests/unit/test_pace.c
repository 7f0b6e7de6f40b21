/* SPDX-License-Identifier: Apache-2.0
 * Blocks that wait for each other run side by side (exec/pace.c). The kernels are written here; what a GPU
 * does with them follows from their few instructions: it holds all sixteen blocks at once. */
#include "profile/profile.h"
#include "session/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { BLOCKS = 16, APART = 64, WORDS = BLOCKS * APART + 1 };

/* chain: y[b] = y[b - 1] + 1, once that is there. sum: y[0] += 1 by compare and swap, of what a load found; sums: the
 * same, 32 times. keys: y[64 b] = b + 1 by compare and swap with 0, then y[1024] += 1 with an atomic in between, as no
 * two blocks may that run side by side. shared: as chain, with 32 volatile loads of shared memory before the store. */
static const char ptx[] =
    ".version 8.5\n.target sm_90\n.address_size 64\n"
    ".visible .entry chain(.param .u64 y)\n{\n"
    "\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n\t.reg .pred %p<3>;\n"
    "\tld.param.u64 %rd1, [y];\n\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, 0;\n"
    "\tmul.wide.u32 %rd2, %r1, 4;\n\tadd.s64 %rd3, %rd1, %rd2;\n"
    "\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra DONE;\n"
    "AGAIN:\n\tld.volatile.global.u32 %r2, [%rd3+-4];\n"
    "\tsetp.eq.u32 %p2, %r2, 0;\n\t@%p2 bra AGAIN;\n"
    "DONE:\n\tadd.u32 %r3, %r2, 1;\n\tst.volatile.global.u32 [%rd3], %r3;\n\tret;\n}\n"
    ".visible .entry sum(.param .u64 y)\n{\n"
    "\t.reg .b32 %r<5>;\n\t.reg .b64 %rd<2>;\n\t.reg .pred %p<2>;\n"
    "\tld.param.u64 %rd1, [y];\n\tld.global.u32 %r1, [%rd1];\n"
    "AGAIN:\n\tmov.u32 %r2, %r1;\n\tadd.u32 %r3, %r2, 1;\n"
    "\tatom.global.cas.b32 %r1, [%rd1], %r2, %r3;\n"
    "\tsetp.ne.u32 %p1, %r1, %r2;\n\t@%p1 bra AGAIN;\n\tret;\n}\n"
    ".visible .entry sums(.param .u64 y)\n{\n"
    "\t.reg .b32 %r<5>;\n\t.reg .b64 %rd<2>;\n\t.reg .pred %p<3>;\n"
    "\tld.param.u64 %rd1, [y];\n\tmov.u32 %r4, 0;\nNEXT:\n\tld.global.u32 %r1, [%rd1];\n"
    "AGAIN:\n\tmov.u32 %r2, %r1;\n\tadd.u32 %r3, %r2, 1;\n"
    "\tatom.global.cas.b32 %r1, [%rd1], %r2, %r3;\n"
    "\tsetp.ne.u32 %p1, %r1, %r2;\n\t@%p1 bra AGAIN;\n"
    "\tadd.u32 %r4, %r4, 1;\n\tsetp.lt.u32 %p2, %r4, 32;\n\t@%p2 bra NEXT;\n\tret;\n}\n"
    ".visible .entry keys(.param .u64 y)\n{\n"
    "\t.reg .b32 %r<5>;\n\t.reg .b64 %rd<4>;\n\t.reg .pred %p<2>;\n"
    "\tld.param.u64 %rd1, [y];\n\tmov.u32 %r1, %ctaid.x;\n"
    "\tmul.wide.u32 %rd2, %r1, 256;\n\tadd.s64 %rd3, %rd1, %rd2;\n\tadd.u32 %r2, %r1, 1;\n"
    "AGAIN:\n\tatom.global.cas.b32 %r3, [%rd3], 0, %r2;\n"
    "\tsetp.ne.u32 %p1, %r3, 0;\n\t@%p1 bra AGAIN;\n"
    "\tld.global.u32 %r3, [%rd1+4096];\n"
    "\tatom.global.add.u32 %r4, [%rd3], 0;\n\tsub.u32 %r4, %r4, %r2;\n\tadd.u32 %r3, %r3, %r4;\n"
    "\tadd.u32 %r3, %r3, 1;\n\tst.global.u32 [%rd1+4096], %r3;\n\tret;\n}\n"
    ".visible .entry shared(.param .u64 y)\n{\n"
    "\t.reg .b32 %r<6>;\n\t.reg .b64 %rd<4>;\n\t.reg .pred %p<4>;\n\t.shared .b32 word;\n"
    "\tld.param.u64 %rd1, [y];\n\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, 0;\n\tmov.u32 %r4, 0;\n"
    "\tmul.wide.u32 %rd2, %r1, 4;\n\tadd.s64 %rd3, %rd1, %rd2;\n\tst.shared.u32 [word], %r2;\n"
    "\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra DONE;\n"
    "AGAIN:\n\tld.volatile.global.u32 %r2, [%rd3+-4];\n"
    "\tsetp.eq.u32 %p2, %r2, 0;\n\t@%p2 bra AGAIN;\n"
    "DONE:\n\tld.volatile.shared.u32 %r5, [word];\n\tadd.u32 %r2, %r2, %r5;\n\tadd.u32 %r4, %r4, "
    "1;\n"
    "\tsetp.lt.u32 %p3, %r4, 32;\n\t@%p3 bra DONE;\n"
    "\tadd.u32 %r3, %r2, 1;\n\tst.volatile.global.u32 [%rd3], %r3;\n\tret;\n}\n";

static char path[] = "/tmp/inflight-test.XXXXXX";
static ifl_module *module;

static int setup(void **state)
{
    (void)state;
    ifl_error error;
    const int file = mkstemp(path);
    if (file < 0 || write(file, ptx, sizeof ptx - 1) != sizeof ptx - 1 || close(file))
        return -1;
    if (ifl_module_open(path, NULL, &module, &error) == IFL_OK)
        return 0;
    print_error("%d: %s\n", error.line, error.text);
    return -1;
}

static int teardown(void **state)
{
    (void)state;
    ifl_module_close(module);
    return unlink(path);
}

/* Leaves y and gives a counter. */
static uint64_t run(const char *kernel, const char *grid, const char *block, uint32_t y[WORDS],
                    const char *name)
{
    const char *const words[][2] = {{"grid", grid}, {"block", block}, {"arg", "u32x1025=zero"}};
    ifl_launch *launch;
    ifl_profile *profile;
    ifl_error error;
    uint64_t count = 0;
    uint32_t *data;
    size_t bytes;
    assert_int_equal(ifl_launch_new(module, kernel, &launch, NULL), IFL_OK);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ifl_launch_set(launch, words[i][0], words[i][1], &error) != IFL_OK)
            fail_msg("%s", error.text);
    if (ifl_launch_run(launch, NULL, &profile, &error) != IFL_OK)
        fail_msg("%s", error.text);
    assert_int_equal(ifl_launch_buffer(launch, 0, (void **)&data, &bytes, NULL), IFL_OK);
    assert_int_equal(bytes, WORDS * sizeof *data);
    for (int i = 0; i < WORDS; i++)
        y[i] = data[i];
    assert_true(ifl_profile_counter(profile, name, &count));
    ifl_profile_free(profile);
    ifl_launch_free(launch);
    return count;
}

/* The blocks behind the second one look at least once too early. */
static void blocks_poll_until_the_one_before_has_stored(void **state)
{
    (void)state;
    uint32_t y[WORDS];
    const uint64_t loads = run("chain", "16", "1", y, "global_load_requests");
    for (uint32_t i = 0; i < BLOCKS; i++)
        assert_int_equal(y[i], i + 1);
    assert_in_range(loads, BLOCKS - 1 + BLOCKS - 2, BLOCKS * BLOCKS);
}

/* Blocks behind the second one load the word before one of them swaps it, and try again. */
static void blocks_that_swap_one_word_try_again(void **state)
{
    (void)state;
    uint32_t y[WORDS];
    const uint64_t swaps = run("sum", "16", "1", y, "global_atomic_requests");
    assert_int_equal(y[0], BLOCKS);
    assert_in_range(swaps, 2 * BLOCKS, BLOCKS * BLOCKS);
}

static void blocks_that_swap_words_of_their_own_do_not(void **state)
{
    (void)state;
    uint32_t y[WORDS];
    assert_int_equal(run("keys", "16", "1", y, "global_atomic_requests"), 2 * BLOCKS);
    for (uint32_t i = 0; i < BLOCKS; i++)
        assert_int_equal(y[i * APART], i + 1);
    assert_int_equal(y[BLOCKS * APART], BLOCKS);
}

/* They take no longer than a look at memory. */
static void volatile_words_of_shared_memory_are_no_looks(void **state)
{
    (void)state;
    uint32_t y[WORDS];
    assert_in_range(run("shared", "16", "1", y, "global_load_requests"), BLOCKS,
                    4 * BLOCKS * BLOCKS);
    assert_int_equal(y[BLOCKS - 1], BLOCKS);
}

/* The last block finds that the first one has swapped its word, and no other is left to run beside it. */
static void the_last_block_goes_on_alone(void **state)
{
    (void)state;
    uint32_t y[WORDS];
    run("sums", "2", "1", y, "global_atomic_requests");
    assert_int_equal(y[0], 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_poll_until_the_one_before_has_stored),
        cmocka_unit_test(blocks_that_swap_one_word_try_again),
        cmocka_unit_test(blocks_that_swap_words_of_their_own_do_not),
        cmocka_unit_test(volatile_words_of_shared_memory_are_no_looks),
        cmocka_unit_test(the_last_block_goes_on_alone),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
