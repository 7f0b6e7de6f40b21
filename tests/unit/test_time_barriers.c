/* SPDX-License-Identifier: Apache-2.0
 * What barriers take of shared memory. Expectations are cycles that an H200 took for a trip of all warps, of
 * tests/gpu/h200/shared_order.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "time_bench.h"

enum { TRIPS = 40, STARTS = 20, USE = 8, STORE = 16, BARRIER = 24 };

static ifl_site barrier(void)
{
    ifl_site site = plain(1);
    site.control.step = IFL_STEP_BARRIER;
    site.pipe = IFL_PIPE_ADU;
    return site;
}

/* Trips of loads, which are awaited together, and stores, of so many wavefronts each, and a barrier. */
typedef struct trip {
    uint32_t loads, stores, passes;
} trip;

static void make(bench *b, trip t)
{
    const ifl_request_cost cost = {.passes = (uint16_t)t.passes, .served = IFL_REQUEST_SHARED};
    for (uint32_t i = 0; i < t.loads; i++)
        all_sites[i] = memory(IFL_ACCESS_LOAD, IFL_SPACE_SHARED, 0);
    all_sites[USE] = waits_for(0);
    for (uint32_t i = 0; i < t.stores; i++)
        all_sites[STORE + i] = memory(IFL_ACCESS_STORE, IFL_SPACE_SHARED, IFL_NO_BOARD);
    all_sites[BARRIER] = barrier();
    b->count = 0;
    for (int made = 0; made < TRIPS; made++) {
        for (uint32_t i = 0; i < t.loads; i++) {
            run_sites(b, i, 1);
            ask(b, i, cost, 0);
        }
        if (t.loads)
            run_sites(b, USE, 1);
        for (uint32_t i = 0; i < t.stores; i++) {
            run_sites(b, STORE + i, 1);
            ask(b, STORE + i, cost, 0);
        }
        run_sites(b, BARRIER, 1);
    }
}

static void takes(trip t, uint32_t blocks, uint32_t warps, double cycles)
{
    static bench b;
    ifl_sm_rates rates = quick_rates();
    rates.block_start_cycles = STARTS;
    make(&b, t);
    const double found =
        (follow(&b, &rates, warps, blocks, blocks) - STARTS * (blocks - 1)) / TRIPS;
    assert_in_range((uint64_t)found, (uint64_t)(0.85 * cycles), (uint64_t)(1.15 * cycles + 2));
}

/* One after the other, two cycles a warp; three where it is the block's only one (`barrier`). */
static void barriers_are_counted(void **state)
{
    (void)state;
    const trip none = {0};
    takes(none, 1, 8, 28.2);
    takes(none, 8, 4, 67.5);
    takes(none, 16, 1, 47.7);
}

/* `barrier_loads`, `barrier_store`: a barrier that opens takes some of the time of the wavefronts. */
static void barriers_pass_where_wavefronts_do(void **state)
{
    (void)state;
    takes((trip){.loads = 4, .passes = 1}, 16, 1, 112);
    takes((trip){.loads = 4, .passes = 1}, 16, 2, 198);
    takes((trip){.loads = 4, .passes = 1}, 16, 4, 328);
    takes((trip){.stores = 1, .passes = 1}, 32, 1, 133);
}

/* `barrier_store_32`, `barrier_all_32`: what comes behind a barrier that opens does not pass between the
 * wavefronts before it; those of one block do, which meet at one barrier. */
static void a_barrier_keeps_blocks_apart(void **state)
{
    (void)state;
    const trip store = {.stores = 1, .passes = 32}, all = {.loads = 3, .stores = 1, .passes = 32};
    takes(store, 1, 1, 65.7);
    takes(store, 1, 2, 66.8);
    takes(store, 4, 2, 296.7);
    takes(all, 2, 1, 393);
    takes(all, 1, 4, 516);
    takes(all, 4, 4, 2064);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(barriers_are_counted),
                                       cmocka_unit_test(barriers_pass_where_wavefronts_do),
                                       cmocka_unit_test(a_barrier_keeps_blocks_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
