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

static ifl_constants_behind behind;
static ifl_constant_cache cache;

static void begin(double turn, bool side_by_side)
{
    behind = (ifl_constants_behind){.turn = turn, .first_cycles = L2};
    ifl_constant_cache_begin(&cache, &behind, LINES, NEAR, side_by_side);
}

/* Goes round through so many lines of a bank, each as soon as the one before is there. */
static uint64_t go_round(uint32_t lines, uint32_t bank)
{
    uint64_t now = 0;
    begin(0, false);
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
    begin(0, false);
    assert_int_equal(ifl_constant_cache_take(&cache, 1, 10), 10 + NEAR);
    assert_int_equal(ifl_constant_cache_take(&cache, 2, 10), 10 + 2 * NEAR);
    assert_int_equal(ifl_constant_cache_take(&cache, 1, 20), 10 + NEAR);
}

/* Lines that loads ask for come side by side from the cache behind, and one after the other from beyond. */
static void test_side_by_side(void **unused)
{
    (void)unused;
    begin(0, true);
    assert_int_equal(ifl_constant_cache_take(&cache, 1, 10), 10 + NEAR);
    assert_int_equal(ifl_constant_cache_take(&cache, 2, 10), 10 + NEAR);
    assert_int_equal(ifl_constant_cache_take(&cache, 1 + 3 * BANK, 10), 10 + NEAR + L2);
    assert_int_equal(ifl_constant_cache_take(&cache, 5 + 3 * BANK, 10), 10 + 2 * (NEAR + L2));
}

/* What one cache has asked for first another one waits for no longer. */
static void test_of_several(void **unused)
{
    (void)unused;
    ifl_constant_cache other;
    begin(0, false);
    ifl_constant_cache_begin(&other, &behind, LINES, NEAR, true);
    assert_int_equal(ifl_constant_cache_take(&cache, 1 + 3 * BANK, 10), 10 + NEAR + L2);
    assert_int_equal(ifl_constant_cache_take(&other, 1 + 3 * BANK, 20), 10 + NEAR + L2);
    assert_int_equal(ifl_constant_cache_take(&other, 2 + 3 * BANK, 400), 400 + NEAR);
}

/* An H200, tools/gpu/cold_start_probe.cu, `stamps_parameter`: 66 schedulers of a GPC get a line in 129
 * cycles (125 to 163), those of 66 SMs in 73 (50 to 155), and of one SM in 63 (54 to 69). */
static void test_of_a_gpc(void **unused)
{
    (void)unused;
    enum { SUBCORES = 4, FIRST = 59, ISSUES = 3, STEPS = 64 };
    static const struct {
        double sms, least, most; /* of a GPC; cycles */
    } rows[] = {{16.5, 125, 145}, {8.25, 60, 76}, {1, 60, 66}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        ifl_constant_cache caches[SUBCORES];
        uint64_t now[SUBCORES] = {0, 2, 4, 6};
        behind = (ifl_constants_behind){.turn = 1.95 * rows[r].sms};
        for (int i = 0; i < SUBCORES; i++)
            ifl_constant_cache_begin(&caches[i], &behind, LINES, FIRST, false);
        for (uint16_t step = 0; step < STEPS; step++)
            for (int i = 0; i < SUBCORES; i++)
                now[i] = ifl_constant_cache_take(&caches[i], (uint16_t)(1 + step), now[i]) + ISSUES;
        const double cycles = (double)now[0] / STEPS;
        if (cycles < rows[r].least || cycles > rows[r].most)
            fail_msg("%g SMs: %g cycles", rows[r].sms, cycles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_that_fit),      cmocka_unit_test(test_lines_of_the_l2),
        cmocka_unit_test(test_one_after_the_other), cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_of_several),          cmocka_unit_test(test_of_a_gpc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
