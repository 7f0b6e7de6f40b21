/* SPDX-License-Identifier: Apache-2.0
 * The cache of constants that are operands, as an H100's was measured (tools/gpu/cold_probe.cu): 32
 * lines of 64 bytes, the one that was not used for longest goes; a line takes so long, one after
 * the other; those beyond the parameters come from the L2 the first time, four together. */
#include "time/time_constants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LINES = 32, NEAR = 50, L2 = 200, BANK = 1 << 10, TRIPS = 3 };

/* Goes round through so many lines of a bank, each as soon as the one before is there. */
static uint64_t go_round(uint32_t lines, uint32_t bank)
{
    static ifl_constant_cache cache;
    uint64_t now = 0;
    ifl_constant_cache_begin(&cache, LINES, NEAR, L2, false);
    for (int t = 0; t < TRIPS; t++)
        for (uint32_t i = 0; i < lines; i++)
            now = ifl_constant_cache_take(&cache, (uint16_t)(1 + bank * BANK + i), now);
    return now;
}

static void test_lines_that_fit(void **unused)
{
    (void)unused;
    assert_int_equal(go_round(32, 0), 32 * NEAR);
    assert_int_equal(go_round(33, 0), TRIPS * 33 * NEAR);
}

static void test_lines_of_the_l2(void **unused)
{
    (void)unused;
    assert_int_equal(go_round(32, 3), 32 * NEAR + 8 * L2);
    assert_int_equal(go_round(33, 3), TRIPS * 33 * NEAR + 9 * L2);
}

/* Two warps that come to different lines at once: the second waits for both. */
static void test_one_after_the_other(void **unused)
{
    (void)unused;
    static ifl_constant_cache cache;
    ifl_constant_cache_begin(&cache, LINES, NEAR, L2, false);
    assert_int_equal(ifl_constant_cache_take(&cache, 1, 10), 10 + NEAR);
    assert_int_equal(ifl_constant_cache_take(&cache, 2, 10), 10 + 2 * NEAR);
    assert_int_equal(ifl_constant_cache_take(&cache, 1, 20), 10 + NEAR);
}

/* Lines that loads ask for come side by side from the cache behind, and one after the other from beyond. */
static void test_side_by_side(void **unused)
{
    (void)unused;
    static ifl_constant_cache cache;
    ifl_constant_cache_begin(&cache, LINES, NEAR, L2, true);
    assert_int_equal(ifl_constant_cache_take(&cache, 1, 10), 10 + NEAR);
    assert_int_equal(ifl_constant_cache_take(&cache, 2, 10), 10 + NEAR);
    assert_int_equal(ifl_constant_cache_take(&cache, 1 + 3 * BANK, 10), 10 + NEAR + L2);
    assert_int_equal(ifl_constant_cache_take(&cache, 5 + 3 * BANK, 10), 10 + 2 * (NEAR + L2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_that_fit),
        cmocka_unit_test(test_lines_of_the_l2),
        cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
