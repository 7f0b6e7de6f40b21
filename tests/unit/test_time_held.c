/* SPDX-License-Identifier: Apache-2.0
 * What holds a warp whose operands are there: queues, pipes, the ports of the registers. One scheduler, which
 * three warps of a block share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "time_bench.h"

enum { SHARERS = 3, APART = IFL_SM_SUBCORES, WARPS = (SHARERS - 1) * APART + 1 };

/* A block whose warps 0, `apart`, 2 * apart, ... have a trace each, and the others none; up to SHARERS. */
static void follow_warps(bench *const own[], uint32_t count, uint32_t apart,
                         const ifl_sm_rates *rates, ifl_site_stalls stalls[SITES])
{
    ifl_warp_trace warps[WARPS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        warps[i * apart].words.at = own[i]->words;
        warps[i * apart].words.count = own[i]->count;
    }
    const ifl_block_trace block = {.warps = warps}, *list[] = {&block};
    ifl_sm_outcome out = {.sites = stalls};
    memset(stalls, 0, SITES * sizeof *stalls);
    const ifl_sm_case of = {&sites, NULL, rates, list, 1, (count - 1) * apart + 1, 1, 0};
    assert_true(ifl_sm_run(&of, &out));
    expect_same_uncounted(&of, &out);
}

static void follow_three(bench *const own[SHARERS], const ifl_sm_rates *rates,
                         ifl_site_stalls stalls[SITES])
{
    follow_warps(own, SHARERS, APART, rates, stalls);
}

/* A block takes the place of the one whose last warp ends, and its own has nothing to do: it was stopped
 * before its first instruction. */
static void a_block_with_nothing_ends(void **state)
{
    (void)state;
    static bench some;
    static ifl_site_stalls stalls[SITES];
    const ifl_sm_rates rates = quick_rates();
    all_sites[0] = plain(1);
    run_sites(&some, 0, 1);
    ifl_warp_trace warps[2] = {0};
    warps[0].words.at = some.words;
    warps[0].words.count = some.count;
    const ifl_block_trace blocks[] = {{.warps = &warps[0]}, {.number = 1, .warps = &warps[1]}},
                          *list[] = {&blocks[0], &blocks[1]};
    ifl_sm_outcome out = {.sites = stalls};
    const ifl_sm_case of = {&sites, NULL, &rates, list, 2, 1, 1, 0};
    assert_true(ifl_sm_run(&of, &out));
    expect_same_uncounted(&of, &out);
    assert_int_equal(out.issued, 1);
}

/* Local and global memory have a queue and a stall reason of their own (Nsight Compute, "lg_throttle"
 * and "mio_throttle"): what stays within the SM does not wait behind what is full. */
static void queues_are_two(void **state)
{
    (void)state;
    enum { LOADS = 40, PASSES = 50, FAR = 0, NEAR = 1, LATER = 2 };
    static bench far, near, none;
    static ifl_site_stalls stalls[SITES];
    const ifl_sm_rates rates = quick_rates();
    all_sites[FAR] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, IFL_NO_BOARD);
    all_sites[NEAR] = memory(IFL_ACCESS_LOAD, IFL_SPACE_SHARED, IFL_NO_BOARD);
    all_sites[LATER] = plain(100);
    for (int i = 0; i < LOADS; i++) {
        run_sites(&far, FAR, 1);
        ask(&far, FAR,
            (ifl_request_cost){.passes = PASSES, .lines = 1, .served = IFL_REQUEST_GLOBAL}, 7);
    }
    run_sites(&near, LATER, 1);
    run_sites(&near, NEAR, 1);
    ask(&near, NEAR, (ifl_request_cost){.passes = 1, .served = IFL_REQUEST_SHARED}, 0);
    run_sites(&none, LATER, 1);
    follow_three((bench *const[]){&far, &near, &none}, &rates, stalls);
    assert_true(stalls[FAR].cycles[IFL_STALL_lg_throttle] > LOADS / 2 * PASSES);
    assert_int_equal(stalls[NEAR].issued, 1);
    assert_int_equal(stalls[NEAR].cycles[IFL_STALL_mio_throttle], 0);
}

/* Textures go to the queue of global memory, under a name of their own. */
static void textures_wait_under_their_own_name(void **state)
{
    (void)state;
    enum { LOADS = 40, PASSES = 50, SAMPLE = 0 };
    static bench some;
    static ifl_site_stalls stalls[SITES];
    const ifl_sm_rates rates = quick_rates();
    all_sites[SAMPLE] = memory(IFL_ACCESS_TEXTURE_LOAD, IFL_SPACE_GLOBAL, IFL_NO_BOARD);
    for (int i = 0; i < LOADS; i++) {
        run_sites(&some, SAMPLE, 1);
        ask(&some, SAMPLE,
            (ifl_request_cost){.passes = PASSES, .lines = 1, .served = IFL_REQUEST_GLOBAL}, 7);
    }
    follow_warps((bench *const[]){&some}, 1, APART, &rates, stalls);
    assert_true(stalls[SAMPLE].cycles[IFL_STALL_tex_throttle] > LOADS / 2 * PASSES);
    assert_int_equal(stalls[SAMPLE].cycles[IFL_STALL_lg_throttle], 0);
}

/* A pipe holds the second warp at it for 16 cycles; from the 13th on another keeps a port of the
 * registers busy, which holds it longer. */
static void holds_at(uint8_t pipe, ifl_stall why)
{
    enum { BUSY = 16, READS = 30, PIPE = 0, LATER = 1, READER = 2 };
    bench user = {.count = 0}, reader = {.count = 0};
    static ifl_site_stalls stalls[SITES];
    ifl_sm_rates rates = quick_rates();
    rates.units[pipe] = BUSY;
    all_sites[PIPE] = all_sites[READER] = plain(1);
    all_sites[PIPE].pipe = pipe;
    all_sites[LATER] = plain(12);
    all_sites[READER].control.sources[0] = READS;
    run_sites(&user, PIPE, 1);
    run_sites(&reader, LATER, 2);
    follow_three((bench *const[]){&user, &user, &reader}, &rates, stalls);
    assert_in_range(stalls[PIPE].cycles[why], BUSY - 4, BUSY);
    assert_in_range(stalls[PIPE].cycles[IFL_STALL_dispatch_stall], READS - 8, READS);
}

/* What waits for the XU waits in the MIO's queue (Nsight Compute, "mio_throttle": special math
 * instructions). */
static void each_reason_has_its_cycles(void **state)
{
    (void)state;
    holds_at(IFL_PIPE_ALU, IFL_STALL_math_pipe_throttle);
    holds_at(IFL_PIPE_XU, IFL_STALL_mio_throttle);
}

/* The one that issued last goes on: of two warps with runs of five instructions, each three cycles after the last one of the
 * run before, one computes while the other one waits, and no instruction within a run waits to be selected (an H200, two warps
 * a scheduler that compute forces between bodies, Nsight Compute's samples of draw 25). */
static void a_warp_goes_on(void **state)
{
    (void)state;
    enum { RUN = 5, RUNS = 12 };
    static bench one;
    static ifl_site_stalls stalls[SITES];
    const ifl_sm_rates rates = quick_rates();
    for (int i = 0; i < RUN * RUNS; i++)
        all_sites[i] = plain((i + 1) % RUN ? 1 : 3);
    run_sites(&one, 0, RUN * RUNS);
    follow_warps((bench *const[]){&one, &one}, 2, APART, &rates, stalls);
    uint64_t first = 0, other = 0;
    for (int i = 0; i < RUN * RUNS; i++)
        *(i % RUN ? &other : &first) += stalls[i].cycles[IFL_STALL_not_selected];
    assert_true(first >= RUNS);
    assert_int_equal(other, 0);
}

static ifl_site barrier(bool defers)
{
    ifl_site site = plain(1);
    site.control.step = IFL_STEP_BARRIER;
    site.control.defers = defers;
    site.pipe = IFL_PIPE_ADU;
    return site;
}

enum { LOAD, USE, BARRIER, SUM, READ, LATE = 400 };

/* Both meet at a barrier, sum and read shared memory: the late one when something has come from memory. */
static void meet(bench *early, bench *late, bool defers)
{
    const ifl_request_cost one = {.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL},
                           near = {.passes = 1, .served = IFL_REQUEST_SHARED};
    all_sites[LOAD] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    all_sites[USE] = waits_for(0);
    all_sites[BARRIER] = barrier(defers);
    all_sites[SUM] = plain(4);
    all_sites[SUM].pipe = IFL_PIPE_FMA;
    all_sites[SUM].control.writes = all_sites[SUM].control.reads = IFL_NO_BOARD;
    all_sites[READ] = memory(IFL_ACCESS_LOAD, IFL_SPACE_SHARED, 1);
    run_sites(early, BARRIER, 3);
    ask(early, READ, near, 0);
    run_sites(late, LOAD, 2);
    ask(late, LOAD, one, 100);
    run_sites(late, BARRIER, 3);
    ask(late, READ, near, 0);
}

/* Behind BAR.SYNC.DEFER_BLOCKING a warp computes on, and is held at what is not of a fixed latency
 * (an H200, tools/gpu/defer_probe.cu); behind another barrier, at once. */
static void a_barrier_holds_what_is_blocked(void **state)
{
    (void)state;
    const ifl_sm_rates rates = quick_rates();
    for (int defers = 0; defers < 2; defers++) {
        bench early = {.count = 0}, late = {.count = 0};
        static ifl_site_stalls stalls[SITES];
        meet(&early, &late, defers);
        follow_warps((bench *const[]){&early, &late}, 2, 1, &rates, stalls);
        const uint64_t at_sum = stalls[SUM].cycles[IFL_STALL_barrier],
                       at_read = stalls[READ].cycles[IFL_STALL_barrier];
        assert_true(defers ? at_read > LATE && at_sum == 0 : at_sum > LATE && at_read < 40);
    }
}

/* The barrier of a lone warp opens 14 cycles after it has come (an H200, sm_probe). Of those it takes
 * one for the barrier and four for the sum, and waits for the others. */
static void the_last_to_come_waits(void **state)
{
    (void)state;
    enum { OPENS = 14, TAKEN = 5 };
    const ifl_sm_rates rates = quick_rates();
    bench early = {.count = 0}, late = {.count = 0};
    static ifl_site_stalls stalls[SITES];
    meet(&early, &late, true);
    follow_warps((bench *const[]){&early}, 1, 1, &rates, stalls);
    assert_int_equal(stalls[SUM].cycles[IFL_STALL_barrier], 0);
    assert_in_range(stalls[READ].cycles[IFL_STALL_barrier], OPENS - TAKEN - 1, OPENS - TAKEN + 1);
}

/* What a warp waits for when it comes to a barrier it waits for when that has opened. */
static void a_barrier_brings_no_data(void **state)
{
    (void)state;
    enum { ASKED = 0, MEETING = 1, NEEDED = 2 };
    const ifl_request_cost one = {.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL};
    const ifl_sm_rates rates = quick_rates();
    bench both = {.count = 0};
    static ifl_site_stalls stalls[SITES];
    all_sites[ASKED] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    all_sites[MEETING] = barrier(false);
    all_sites[NEEDED] = waits_for(0);
    run_sites(&both, ASKED, 3);
    ask(&both, ASKED, one, 100);
    follow_warps((bench *const[]){&both, &both}, 2, 1, &rates, stalls);
    assert_true(stalls[NEEDED].cycles[IFL_STALL_long_scoreboard] > 2 * LATE);
}

/* The trace of a warp ends behind a barrier that has not opened: the two others, which come later, meet
 * without it. */
static void a_trace_ends_behind_a_barrier(void **state)
{
    (void)state;
    const ifl_sm_rates rates = quick_rates();
    bench gone = {.count = 0}, early = {.count = 0}, late = {.count = 0};
    static ifl_site_stalls stalls[SITES];
    run_sites(&gone, BARRIER, 2);
    run_sites(&early, SUM, 1);
    run_sites(&early, SUM, 1);
    meet(&early, &late, true);
    follow_warps((bench *const[]){&gone, &early, &late}, SHARERS, 1, &rates, stalls);
    assert_int_equal(stalls[READ].issued, 2);
    assert_true(stalls[READ].cycles[IFL_STALL_barrier] > LATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_block_with_nothing_ends),
                                       cmocka_unit_test(queues_are_two),
                                       cmocka_unit_test(textures_wait_under_their_own_name),
                                       cmocka_unit_test(each_reason_has_its_cycles),
                                       cmocka_unit_test(a_warp_goes_on),
                                       cmocka_unit_test(a_barrier_holds_what_is_blocked),
                                       cmocka_unit_test(the_last_to_come_waits),
                                       cmocka_unit_test(a_barrier_brings_no_data),
                                       cmocka_unit_test(a_trace_ends_behind_a_barrier)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
