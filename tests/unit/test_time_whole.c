/* SPDX-License-Identifier: Apache-2.0
 * From the SM that was followed to all SMs. What is expected follows from statistics: sums of n
 * independent waits deviate by the root of n, and the last of N warps by sqrt(2 ln N) deviations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "time_bench.h"

enum { SMS = 132, WARPS = 8, LATENCY = 600 };

static ifl_sm_rates rates_of_many(double sms)
{
    ifl_sm_rates rates = quick_rates();
    rates.sms = sms;
    rates.dram_spread = 0.2;
    rates.dram_latency = LATENCY;
    return rates;
}

/* Each warp loads `loads` times from the DRAM and waits each time. */
static void load_in_turn(bench *b, uint32_t loads)
{
    const ifl_request_cost one_line = {.served = IFL_REQUEST_GLOBAL, .lines = 1, .passes = 1};
    ifl_site load = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    load.control.waits = 1;
    set_all(loads, load);
    all_sites[loads] = waits_for(0);
    run_sites(b, 0, loads + 1);
    for (uint32_t i = 0; i < loads; i++)
        ask(b, i, one_line, i);
}

static double behind(const ifl_sm_rates *rates, uint32_t loads, uint32_t blocks, uint32_t per_sm)
{
    bench b = {.count = 0};
    load_in_turn(&b, loads);
    follow(&b, rates, WARPS, blocks, per_sm);
    return b.out.behind_cycles;
}

static double last_of(double warps)
{
    return sqrt(2 * log(warps));
}

/* Of ten blocks four were followed, two at once: the third started after 100 cycles, the fourth 150 later.
 * The halves are a third apart, and six tenths of the blocks were not followed. */
static void test_halves_that_differ(void **unused)
{
    (void)unused;
    const ifl_sm_outcome differs = {
        .half_cycles = 100, .half_blocks = 3, .last_cycles = 250, .last_blocks = 4};
    assert_float_equal(ifl_sm_sampling_error(&differs, 4, 10, 2), 0.6 / 3, 1e-9);
    assert_float_equal(ifl_sm_sampling_error(&differs, 4, 4, 2), 0, 0);  /* all were followed */
    assert_float_equal(ifl_sm_sampling_error(&differs, 4, 10, 3), 0, 0); /* nothing is known */
}

static void test_waits_by_chance(void **unused)
{
    (void)unused;
    const ifl_sm_rates many = rates_of_many(SMS), alone = rates_of_many(1);
    const double deviations = last_of(SMS * WARPS) - last_of(WARPS);
    for (uint32_t loads = 1; loads <= 16; loads *= 4) {
        const double expected = 0.2 * LATENCY * sqrt(loads) * deviations;
        assert_float_equal(behind(&many, loads, 1, 1), expected, 0.01);
        assert_float_equal(behind(&alone, loads, 1, 1), 0, 0.01);
    }
}

/* What has all its data at hand is late nowhere; nor are blocks that come to where others ended. */
static void test_nothing_by_chance(void **unused)
{
    (void)unused;
    const ifl_sm_rates many = rates_of_many(SMS);
    assert_float_equal(behind(&many, 0, 1, 1), 0, 0.01);
    assert_true(behind(&many, 4, 2, 2) > 0);
    assert_float_equal(behind(&many, 4, 2, 1), 0, 0.01);
}

/* It is of the whole launch, and not of each of its waves. */
static void test_counts_once(void **unused)
{
    (void)unused;
    const ifl_sm_outcome o = {.cycles = 1000, .behind_cycles = 70};
    assert_float_equal(ifl_sm_cycles(&o, 2, 2, 1), 1070, 0.01);
    assert_float_equal(ifl_sm_cycles(&o, 2, 3, 1), 1570, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves_that_differ),
        cmocka_unit_test(test_waits_by_chance),
        cmocka_unit_test(test_nothing_by_chance),
        cmocka_unit_test(test_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
