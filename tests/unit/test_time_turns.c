/* SPDX-License-Identifier: Apache-2.0
 * How long a warp takes to go on elsewhere, or where its lanes have met. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "time_bench.h"

/* A trip of a loop whose stalls are 24 cycles takes 29 (an H200, tools/gpu/sm_probe.cu); without a
 * branch it takes 24. */
static void a_branch_turns(void **state)
{
    (void)state;
    enum { TRIPS = 20 };
    bench loop = {.count = 0}, line = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    set_all(2 * TRIPS, plain(12));
    for (uint32_t t = 0; t < TRIPS; t++) {
        run_sites(&loop, 0, 2);
        run_sites(&line, 2 * t, 2);
    }
    assert_in_range(follow(&loop, &rates, 1, 1, 1), (TRIPS - 1) * 29, TRIPS * 29);
    assert_in_range(loop.stalls[0].cycles[IFL_STALL_branch_resolving], 5 * (TRIPS - 1),
                    5 * (TRIPS - 1));
    assert_in_range(follow(&line, &rates, 1, 1, 1), (TRIPS - 1) * 24, TRIPS * 24);
}

/* What stands behind a BSYNC or an EXIT of some lanes, and where a register has led, begins later than the stall says (an H200,
 * tests/gpu/h200/joins.txt: `if_one` of no lane takes 38.2 cycles where its stalls are 31, `call_one` 88.0
 * where they are 60 with both branches). */
static void lanes_meet_and_registers_lead(void **state)
{
    (void)state;
    enum { TRIPS = 20, STALL = 12 };
    static const struct {
        uint8_t step, more;
    } cases[] = {{IFL_STEP_PLAIN, 0}, {IFL_STEP_JOIN, 8}, {IFL_STEP_INDIRECT, 28}};
    const ifl_sm_rates rates = quick_rates();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b = {.count = 0};
        set_all(2 * TRIPS, plain(STALL));
        for (uint32_t t = 0; t < TRIPS; t++)
            all_sites[2 * t].control.step = cases[i].step;
        run_sites(&b, 0, 2 * TRIPS);
        const double took = (2 * STALL + cases[i].more) * TRIPS;
        assert_in_range(follow(&b, &rates, 1, 1, 1), took - STALL, took);
        assert_int_equal(b.stalls[1].cycles[IFL_STALL_branch_resolving], cases[i].more);
    }
}

/* While a scheduler goes where a register leads, it issues nothing else for four cycles (`call_one`: 32
 * warps take 31 cycles more). */
static void a_scheduler_goes_where_a_register_leads(void **state)
{
    (void)state;
    enum { TRIPS = 50, PLAIN = 40, WARPS = 32, ON_SCHEDULER = WARPS / 4 };
    double took[2];
    for (int is = 0; is < 2; is++) {
        bench b = {.count = 0};
        const ifl_sm_rates rates = quick_rates();
        set_all(PLAIN, plain(1));
        all_sites[0].control.step = is ? IFL_STEP_INDIRECT : IFL_STEP_PLAIN;
        for (int i = 0; i < TRIPS; i++)
            run_sites(&b, 0, PLAIN);
        took[is] = follow(&b, &rates, WARPS, 1, 1);
    }
    const double each = (took[1] - took[0]) / TRIPS / ON_SCHEDULER;
    assert_true(each > 3.5 && each < 4.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_branch_turns),
                                       cmocka_unit_test(lanes_meet_and_registers_lead),
                                       cmocka_unit_test(a_scheduler_goes_where_a_register_leads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
