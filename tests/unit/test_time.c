/* SPDX-License-Identifier: Apache-2.0
 * One SM on traces made by hand. What is expected follows from the rates that the test gives and
 * from the rules of issue: a scheduler issues one instruction a cycle; a warp's next one waits for
 * the stall of the one before it and for the scoreboards of its own wait mask (docs/model.md, "One
 * SM"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "time_bench.h"

/* n instructions that each wait for the one before take n times the latency that the compiler wrote
 * as their stall. */
static void test_chain(void **unused)
{
    (void)unused;
    bench b = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    set_all(50, plain(4));
    run_sites(&b, 0, 50);
    assert_in_range(follow(&b, &rates, 1, 1, 1), 49 * 4, 50 * 4 + 1);
    assert_int_equal(b.out.issued, 50);
    assert_int_equal(b.stalls[10].cycles[IFL_STALL_wait], 3);
}

/* Four schedulers issue one each a cycle: 16 warps of 50 instructions take 200 cycles, and no
 * warp's stall shows. */
static void test_independent(void **unused)
{
    (void)unused;
    bench b = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    set_all(50, plain(4));
    run_sites(&b, 0, 50);
    assert_in_range(follow(&b, &rates, 16, 1, 1), 199, 208);
    assert_int_equal(b.out.issued, 16 * 50);
    assert_int_equal(b.out.issue_cycles, 16 * 50);
}

/* A pipe that takes 2 cycles a warp instruction: 8 warps a scheduler, 10 instructions each, 160
 * cycles. */
static void test_pipe(void **unused)
{
    (void)unused;
    bench b = {.count = 0};
    ifl_sm_rates rates = quick_rates();
    ifl_site site = plain(1);
    site.pipe = IFL_PIPE_ALU;
    rates.units[IFL_PIPE_ALU] = 2;
    set_all(10, site);
    run_sites(&b, 0, 10);
    assert_in_range(follow(&b, &rates, 32, 1, 1), 158, 162);
    /* Every second cycle the pipe is free, and one of the warps that could issue does. */
    uint64_t throttled = 0, passed = 0;
    for (int i = 0; i < 10; i++) {
        throttled += b.stalls[i].cycles[IFL_STALL_math_pipe_throttle];
        passed += b.stalls[i].cycles[IFL_STALL_not_selected];
    }
    assert_in_range(passed, throttled * 3 / 4, throttled * 5 / 4);
}

/* Shuffles of all schedulers pass one a cycle: 32 warps, 10 each, 320 cycles. */
static void test_shuffles(void **unused)
{
    (void)unused;
    bench b = {.count = 0};
    ifl_sm_rates rates = quick_rates();
    ifl_site site = plain(1);
    site.pipe = IFL_PIPE_LSU;
    site.control.delay = IFL_DELAY_UNIT;
    site.control.writes = 0;
    set_all(10, site);
    run_sites(&b, 0, 10);
    assert_in_range(follow(&b, &rates, 32, 1, 1), 320, 350);
}

/* Integer products take one half of their pipe, two cycles each, and others have the other half beside them; their upper
 * halves take both for twice as long (an H100: 4.1 cycles). */
static void test_halves(void **unused)
{
    (void)unused;
    enum { PRODUCTS = 20, ON_SCHEDULER = 8 };
    for (int wide = 0; wide < 2; wide++) {
        bench b = {.count = 0};
        ifl_sm_rates rates = quick_rates();
        ifl_site site = plain(1);
        site.pipe = IFL_PIPE_FMA;
        set_all(PRODUCTS, site);
        for (int i = 0; i < PRODUCTS; i += wide ? 1 : 2)
            all_sites[i].control.is_half = true, all_sites[i].control.is_twice = wide;
        run_sites(&b, 0, PRODUCTS);
        const int cycles = ON_SCHEDULER * PRODUCTS * (wide ? 4 : 1);
        assert_in_range(follow(&b, &rates, 32, 1, 1), cycles - 4, cycles + 12);
    }
}

/* Three registers of one bank are read in three cycles. */
static void test_register_banks(void **unused)
{
    (void)unused;
    bench b = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    ifl_site site = plain(1);
    site.control.sources[0] = 3;
    set_all(40, site);
    run_sites(&b, 0, 40);
    assert_in_range(follow(&b, &rates, 16, 1, 1), 160 * 3 - 8, 160 * 3 + 3);
    assert_true(b.stalls[5].cycles[IFL_STALL_dispatch_stall] > 0);
}

/* A load that the L1 lacks ends after the DRAM's latency; what waits for its scoreboard stands so
 * long. */
static void test_load(void **unused)
{
    (void)unused;
    bench b = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    all_sites[0] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    all_sites[1] = waits_for(0);
    run_sites(&b, 0, 2);
    ask(&b, 0, (ifl_request_cost){.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL}, 100);
    assert_in_range(follow(&b, &rates, 1, 1, 1), 500, 503);
    assert_in_range(b.stalls[1].cycles[IFL_STALL_long_scoreboard], 495, 502);
    assert_int_equal(b.out.dram_sectors, 4);
}

/* The same line once more is found in the L1. */
static void test_hit(void **unused)
{
    (void)unused;
    bench b = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    const ifl_request_cost cost = {.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL};
    all_sites[0] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    all_sites[1] = waits_for(0);
    run_sites(&b, 0, 2);
    ask(&b, 0, cost, 100);
    run_sites(&b, 0, 2);
    ask(&b, 0, cost, 100);
    assert_in_range(follow(&b, &rates, 1, 1, 1), 500 + 30,
                    500 + 30 + 6 + 5); /* a branch leads back */
    assert_int_equal(b.out.l1_hits, 4);
}

/* Stores of whole lines leave them in the L1 (docs/caches.md, "Rules of the L1"): a load of one
 * finds it there. One sector alone may have been stored in part. */
static void test_stored_lines(void **unused)
{
    (void)unused;
    const ifl_sm_rates rates = quick_rates();
    const ifl_request_cost cost = {.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL};
    for (int whole = 0; whole < 2; whole++) {
        bench b = {.count = 0};
        all_sites[0] = memory(IFL_ACCESS_STORE, IFL_SPACE_GLOBAL, IFL_NO_BOARD);
        all_sites[1] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
        all_sites[2] = waits_for(0);
        run_sites(&b, 0, 3);
        ask(&b, 0, cost, 100);
        b.words[b.count - 1] = ifl_line_pack(100, whole ? 0xf : 0x1);
        ask(&b, 1, cost, 100);
        b.words[b.count - 1] = ifl_line_pack(100, 0x1);
        follow(&b, &rates, 1, 1, 1);
        assert_int_equal(b.out.l1_hits, whole);
        assert_in_range(b.stalls[2].cycles[IFL_STALL_long_scoreboard], whole ? 20 : 490,
                        whole ? 40 : 510);
    }
}

/* Shared memory takes one wavefront a cycle, of all warps together: 8 warps, 16 passes each. Those of one request are two
 * cycles apart. */
static void test_conflicts(void **unused)
{
    (void)unused;
    bench b = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    all_sites[0] = memory(IFL_ACCESS_LOAD, IFL_SPACE_SHARED, 0);
    all_sites[1] = waits_for(0);
    run_sites(&b, 0, 2);
    ask(&b, 0, (ifl_request_cost){.passes = 16, .served = IFL_REQUEST_SHARED}, 0);
    assert_in_range(follow(&b, &rates, 8, 1, 1), 8 * 16 - 1 + 29, 8 * 16 - 1 + 29 + 4);
    assert_true(b.stalls[1].cycles[IFL_STALL_short_scoreboard] > 0);
    all_sites[1] = all_sites[0], all_sites[2] = waits_for(0), b.count = 0; /* two in a row */
    run_sites(&b, 0, 3);
    for (int i = 0; i < 2; i++)
        ask(&b, 0, (ifl_request_cost){.passes = 16, .served = IFL_REQUEST_SHARED}, 0);
    assert_in_range(follow(&b, &rates, 1, 1, 1), 2 * 31 + 29, 2 * 31 + 29 + 4);
}

/* 32 lanes on one word take 32 passes, but one where they race to swap. */
static void test_lanes_that_race(void **unused)
{
    (void)unused;
    static bench b;
    const ifl_sm_rates rates = quick_rates();
    for (int races = 0; races < 2; races++) {
        set_all(2, plain(1));
        all_sites[0] = memory(IFL_ACCESS_ATOMIC, IFL_SPACE_SHARED, 0);
        all_sites[0].access.passes_merge = races;
        all_sites[1] = waits_for(0);
        b.count = 0;
        run_sites(&b, 0, 2);
        ask(&b, 0, (ifl_request_cost){.passes = 1, .serial = 32, .served = IFL_REQUEST_SHARED}, 0);
        const double cycles = follow(&b, &rates, 1, 1, 1);
        assert_in_range((uint64_t)cycles, races ? 29 : 29 + 2 * 31, races ? 31 : 29 + 2 * 31 + 2);
    }
}

/* A warp alone reaches the barrier at once; the other comes after its load, and both go on then. */
static void test_barrier(void **unused)
{
    (void)unused;
    bench b = {.count = 0}, late = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    ifl_site barrier = plain(1);
    barrier.control.step = IFL_STEP_BARRIER;
    all_sites[0] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    all_sites[1] = waits_for(0);
    all_sites[2] = barrier;
    all_sites[3] = plain(1);
    run_sites(&b, 2, 2);
    run_sites(&late, 0, 4);
    ask(&late, 0, (ifl_request_cost){.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL}, 100);
    ifl_warp_trace warps[2] = {{.kept = 0}, {.kept = 0}};
    warps[0].words.at = b.words;
    warps[0].words.count = b.count;
    warps[1].words.at = late.words;
    warps[1].words.count = late.count;
    const ifl_block_trace block = {.warps = warps}, *list[] = {&block};
    const ifl_sm_case of = {&sites, NULL, &rates, list, 1, 2, 1, 0};
    b.out = (ifl_sm_outcome){.sites = b.stalls};
    assert_true(ifl_sm_run(&of, &b.out));
    expect_same_uncounted(&of, &b.out);
    assert_in_range(b.stalls[3].cycles[IFL_STALL_barrier], 490, 560);
}

static void step_object(bench *b, uint32_t site, ifl_object_step step, uint32_t arrivals,
                        uint32_t copies)
{
    const uint32_t words[] = {site,
                              ifl_request_pack((ifl_request_cost){
                                  .passes = step, .lines = 3, .served = IFL_REQUEST_OBJECT}),
                              64, arrivals, copies};
    memcpy(b->words + b->count, words, sizeof words);
    b->count += sizeof words / sizeof *words;
}

/* A warp that waits for a barrier object goes on when the line that another warp has copied is
 * there, and its arrival has come; where the trace lacks the other warp, it does not wait
 * forever. */
static void test_barrier_object(void **unused)
{
    (void)unused;
    const ifl_sm_rates rates = quick_rates();
    all_sites[0] = plain(1);
    all_sites[1] = memory(IFL_ACCESS_COPY_LOAD, IFL_SPACE_GLOBAL, IFL_NO_BOARD);
    all_sites[2] = plain(1); /* the wait */
    all_sites[3] = plain(1);
    for (int copies = 0; copies < 2; copies++) {
        bench waiting = {.count = 0}, copying = {.count = 0};
        run_sites(&waiting, 2, 2);
        step_object(&waiting, 2, IFL_OBJECT_WAIT, 1, 1);
        run_sites(&copying, 0, copies ? 2 : 1);
        step_object(&copying, 0, IFL_OBJECT_ARRIVAL, 1, 0);
        ask(&copying, 1, (ifl_request_cost){.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL},
            100);
        step_object(&copying, 1, IFL_OBJECT_COPY, 0, 0);
        ifl_warp_trace warps[2] = {{.kept = 0}, {.kept = 0}};
        warps[0].words.at = waiting.words;
        warps[0].words.count = waiting.count;
        warps[1].words.at = copying.words;
        warps[1].words.count = copying.count;
        const ifl_block_trace block = {.warps = warps}, *list[] = {&block};
        const ifl_sm_case of = {&sites, NULL, &rates, list, 1, 2, 1, 0};
        waiting.out = (ifl_sm_outcome){.sites = waiting.stalls};
        assert_true(ifl_sm_run(&of, &waiting.out));
        if (copies)
            assert_in_range(waiting.stalls[3].cycles[IFL_STALL_long_scoreboard], 490, 510);
        else
            assert_in_range(waiting.out.cycles, 1, 20);
    }
}

/* Of three warps two meet at a barrier for 64 threads; the second comes after its load, and the
 * third, which works elsewhere, is not waited for. Who only passes there does not wait. */
static void test_barrier_of_some(void **unused)
{
    (void)unused;
    const ifl_sm_rates rates = quick_rates();
    ifl_site barrier = plain(1);
    barrier.control.step = IFL_STEP_BARRIER;
    set_all(SITES, plain(1));
    all_sites[0] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    all_sites[1] = waits_for(0);
    all_sites[2] = barrier;
    for (int passes = 0; passes < 2; passes++) {
        const ifl_object_step step = passes ? IFL_OBJECT_PASSING : IFL_OBJECT_MEETING;
        bench first = {.count = 0}, late = {.count = 0}, other = {.count = 0};
        all_sites[2].control.step = passes ? IFL_STEP_ARRIVE : IFL_STEP_BARRIER;
        run_sites(&first, 2, 2);
        step_object(&first, 2, step, 32, 64);
        run_sites(&late, 0, 4);
        ask(&late, 0, (ifl_request_cost){.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL},
            100);
        step_object(&late, 2, IFL_OBJECT_MEETING, 32, 64);
        for (int i = 0; i < 40; i++)
            run_sites(&other, 10, 50);
        ifl_warp_trace warps[3] = {{.kept = 0}, {.kept = 0}, {.kept = 0}};
        bench *const of_warp[] = {&first, &late, &other};
        for (int w = 0; w < 3; w++) {
            warps[w].words.at = of_warp[w]->words;
            warps[w].words.count = of_warp[w]->count;
        }
        const ifl_block_trace block = {.warps = warps}, *list[] = {&block};
        const ifl_sm_case of = {&sites, NULL, &rates, list, 1, 3, 1, 0};
        first.out = (ifl_sm_outcome){.sites = first.stalls};
        assert_true(ifl_sm_run(&of, &first.out));
        assert_in_range(first.out.cycles, 2000, 2400);
        if (passes)
            assert_in_range(first.stalls[3].cycles[IFL_STALL_barrier], 0, 20);
        else
            assert_in_range(first.stalls[3].cycles[IFL_STALL_barrier], 490, 560);
    }
}

/* One block of 8 warps: each barrier takes 2 cycles a warp and 12 more (an H200,
 * tools/gpu/sm_probe.cu). */
/* The next instruction waits for the fence, those of other warps for their turn. */
static void test_fence(void **unused)
{
    (void)unused;
    static bench b;
    ifl_sm_rates rates = quick_rates();
    rates.arch.fence_cycles = 600;
    rates.arch.fence_stored_cycles = 200;
    rates.arch.fence_system_cycles = 1900;
    rates.arch.fence_turn_cycles = 30;
    set_all(2, plain(1));
    all_sites[0].control.step = IFL_STEP_FENCE;
    b.count = 0;
    run_sites(&b, 0, 2);
    assert_in_range((uint64_t)follow(&b, &rates, 1, 1, 1), 600, 602);
    assert_int_equal(b.stalls[1].cycles[IFL_STALL_membar], 599);
    assert_in_range((uint64_t)follow(&b, &rates, 8, 1, 1), 600 + 7 * 30, 602 + 7 * 30);
    all_sites[0].control.step = IFL_STEP_FENCE_SYSTEM;
    assert_in_range((uint64_t)follow(&b, &rates, 1, 1, 1), 1900, 1902);
    set_all(3, plain(1));
    all_sites[0] = memory(IFL_ACCESS_STORE, IFL_SPACE_SHARED, IFL_NO_BOARD);
    all_sites[1].control.step = IFL_STEP_FENCE;
    b.count = 0;
    run_sites(&b, 0, 3);
    assert_in_range((uint64_t)follow(&b, &rates, 1, 1, 1), 600 + 200, 600 + 206);
    all_sites[1].control.step = IFL_STEP_FENCE_BLOCK;
    b.count = 0;
    run_sites(&b, 0, 2);
    ask(&b, 0, (ifl_request_cost){.passes = 1, .served = IFL_REQUEST_SHARED}, 0);
    assert_in_range((uint64_t)follow(&b, &rates, 32, 1, 1), 32 * 6, 32 * 6 + 8);
}

/* A warp keeps its place until what it stored or added has left the SM, one that did neither does not. The L2 may have
 * an atomic later. */
static void test_drain(void **unused)
{
    (void)unused;
    static bench b;
    ifl_sm_rates rates = quick_rates();
    rates.leave_cycles = 100;
    set_all(2, plain(1));
    all_sites[0] = memory(IFL_ACCESS_STORE, IFL_SPACE_GLOBAL, IFL_NO_BOARD);
    for (int stores = 0; stores < 2; stores++) {
        b.count = 0;
        run_sites(&b, stores ? 0 : 1, stores ? 2 : 1);
        if (stores)
            ask(&b, 0, (ifl_request_cost){.passes = 5, .lines = 1, .served = IFL_REQUEST_GLOBAL},
                7);
        const double one = follow(&b, &rates, 1, 1, 1), two = follow(&b, &rates, 1, 2, 1);
        assert_in_range((uint64_t)(two - one), 100, stores ? 108 : 103);
        assert_in_range(b.stalls[1].cycles[IFL_STALL_drain], stores ? 2 * 102 : 0,
                        stores ? 2 * 105 : 0);
    }
    all_sites[0] = memory(IFL_ACCESS_ATOMIC, IFL_SPACE_GLOBAL, IFL_NO_BOARD);
    rates.atomic_turn = 500;
    follow(&b, &rates, 1, 1, 1);
    assert_in_range(b.stalls[1].cycles[IFL_STALL_drain], 100, 105);
}

/* What a warp stores in the same line by one store after the other, the L2 gets once; where others
 * come in between, each time. */
static void test_gathered(void **unused)
{
    (void)unused;
    enum { STORES = 3, TRIPS = 100 };
    static bench b;
    ifl_sm_rates rates = quick_rates();
    rates.l2_bytes_per_cycle = 1; /* a turn of 64 bytes for each line */
    const ifl_request_cost cost = {.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL};
    double cycles[2];
    for (int parted = 0; parted < 2; parted++) {
        b.count = 0;
        for (uint32_t i = 0; i < 2 * STORES; i++)
            all_sites[i] =
                memory(i % 2 ? IFL_ACCESS_LOAD : IFL_ACCESS_STORE, IFL_SPACE_GLOBAL, IFL_NO_BOARD);
        for (uint32_t i = 1; parted && i < 2 * STORES; i += 2)
            all_sites[i].control.stall = 15;
        for (uint32_t trip = 0; trip < TRIPS; trip++)
            for (uint32_t i = 0; i < STORES; i++) {
                run_sites(&b, 2 * i, 2);
                ask(&b, 2 * i, cost, 100 + trip);
            }
        cycles[parted] = follow(&b, &rates, 1, 1, 1);
    }
    assert_in_range((uint64_t)cycles[0], TRIPS * 64, TRIPS * 64 + 1000);
    assert_in_range((uint64_t)cycles[1], STORES * TRIPS * 64, STORES * TRIPS * 64 + 1500);
}

/* A line of which a store writes several sectors in part takes the L2 longer, one sector does not
 * (an H100, tools/gpu/local_probe.cu). */
static void test_stored_in_parts(void **unused)
{
    (void)unused;
    enum { TRIPS = 100 };
    static bench b;
    ifl_sm_rates rates = quick_rates();
    rates.l2_bytes_per_cycle = 1; /* a turn of 64 bytes for each line */
    rates.part_turns = 2;
    static const uint32_t sectors[] = {0x1, 0xa, 0xf};
    for (int in_parts = 0; in_parts < 2; in_parts++)
        for (int i = 0; i < 3; i++) {
            b.count = 0;
            all_sites[0] = memory(IFL_ACCESS_STORE, IFL_SPACE_GLOBAL, IFL_NO_BOARD);
            for (uint32_t trip = 0; trip < TRIPS; trip++) {
                run_sites(&b, 0, 1);
                ask(&b, 0,
                    (ifl_request_cost){.passes = 1,
                                       .ends = in_parts ? IFL_STORE_IN_PARTS : IFL_STORE_WHOLE,
                                       .lines = 1,
                                       .served = IFL_REQUEST_GLOBAL},
                    100 + trip);
                b.words[b.count - 1] = ifl_line_pack(100 + trip, sectors[i]);
            }
            const uint64_t turns = in_parts && i ? 3 : 1,
                           cycles = (uint64_t)follow(&b, &rates, 1, 1, 1);
            assert_in_range(cycles, TRIPS * turns * 64, TRIPS * turns * 64 + 1000);
        }
}

/* Sectors of shared memory of another block pass one after the other; a load's come later, and
 * atomics take longer by lanes that meet on a word. */
static void test_remote(void **unused)
{
    (void)unused;
    enum { REQUESTS = 16, SECTORS = 4, LANES = 32 };
    static bench b;
    ifl_sm_rates rates = quick_rates();
    rates.remote_latency = 200;
    rates.remote_cycles[IFL_ACCESS_LOAD] = 3;
    rates.remote_cycles[IFL_ACCESS_ATOMIC] = 4;
    rates.remote_again_cycles = 1;
    rates.remote_line_cycles[IFL_ACCESS_LOAD] = 5;
    rates.remote_line_cycles[IFL_ACCESS_ATOMIC] = 2;
    static const struct {
        uint8_t kind, lines;
        uint64_t cycles; /* each */
    } rows[] = {{IFL_ACCESS_LOAD, IFL_REMOTE_FOURTH, 3 * SECTORS + 5},
                {IFL_ACCESS_LOAD, IFL_REMOTE_EACH, 3 * SECTORS + 5 * SECTORS},
                {IFL_ACCESS_ATOMIC, IFL_REMOTE_FEW, 4 * SECTORS + LANES},
                {IFL_ACCESS_ATOMIC, IFL_REMOTE_HALF, 4 * SECTORS + LANES + 2 * SECTORS / 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        b.count = 0;
        set_all(REQUESTS, memory(rows[i].kind, IFL_SPACE_GENERIC, 0));
        all_sites[REQUESTS] = waits_for(0);
        run_sites(&b, 0, REQUESTS + 1);
        for (uint32_t at = 0; at < REQUESTS; at++)
            ask(&b, at,
                (ifl_request_cost){.passes = SECTORS,
                                   .serial = LANES,
                                   .ends = rows[i].lines,
                                   .served = IFL_REQUEST_REMOTE},
                0);
        const uint64_t all = REQUESTS * rows[i].cycles + 200;
        assert_in_range((uint64_t)follow(&b, &rates, 1, 1, 1), all, all + 20);
    }
}

/* Nothing waits for a prefetch, and a load after it finds in the L2 what it brought. */
static void test_prefetch(void **unused)
{
    (void)unused;
    static bench b;
    ifl_sm_rates rates = quick_rates();
    rates.prefetch_miss = 1;
    rates.l2_hit = 1; /* of loads */
    const ifl_request_cost cost = {.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL};
    all_sites[0] = memory(IFL_ACCESS_PREFETCH, IFL_SPACE_GLOBAL, IFL_NO_BOARD);
    all_sites[1] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    all_sites[2] = waits_for(0);
    for (int late = 0; late < 2; late++) { /* right behind it, and when the line has come */
        all_sites[0].control.stall = late ? 255 : 1;
        b.count = 0;
        for (int i = 0; i < (late ? 3 : 1); i++) {
            run_sites(&b, 0, 1);
            ask(&b, 0, cost, 100);
        }
        run_sites(&b, 1, 2);
        ask(&b, 1, cost, 100);
        assert_in_range((uint64_t)follow(&b, &rates, 1, 1, 1), late ? 965 : 500, late ? 985 : 510);
        assert_int_equal(b.out.dram_sectors, 4);
    }
}

/* The first instruction of a warp has to be fetched, in the first wave from further away. */
static void test_first_fetch(void **unused)
{
    (void)unused;
    static bench b;
    ifl_sm_rates rates = quick_rates();
    rates.fetch_cycles = 30;
    rates.first_fetch_cycles = 120;
    set_all(1, plain(1));
    b.count = 0;
    run_sites(&b, 0, 1);
    assert_in_range((uint64_t)follow(&b, &rates, 1, 1, 1), 120, 122);
    assert_int_equal(b.stalls[0].cycles[IFL_STALL_no_instruction], 119);
    assert_in_range((uint64_t)follow(&b, &rates, 1, 2, 1), 150, 154);
}

static void test_barriers_in_turn(void **unused)
{
    (void)unused;
    enum { BARRIERS = 20, WARPS = 8 };
    bench b = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    ifl_site barrier = plain(1);
    barrier.control.step = IFL_STEP_BARRIER;
    set_all(BARRIERS, barrier);
    run_sites(&b, 0, BARRIERS);
    assert_in_range(follow(&b, &rates, WARPS, 1, 1), BARRIERS * (2 * WARPS + 12) - 28,
                    BARRIERS * (2 * WARPS + 12) + 28);
}

/* What holds a warp after a barrier is counted apart from the barrier. */
static void test_pipe_after_barrier(void **unused)
{
    (void)unused;
    bench b = {.count = 0};
    ifl_sm_rates rates = quick_rates();
    ifl_site barrier = plain(1);
    barrier.control.step = IFL_STEP_BARRIER;
    all_sites[0] = barrier;
    all_sites[1] = plain(1);
    all_sites[1].pipe = IFL_PIPE_ALU;
    rates.units[IFL_PIPE_ALU] = 2;
    run_sites(&b, 0, 2);
    follow(&b, &rates, 32, 1, 1);
    assert_true(b.stalls[1].cycles[IFL_STALL_barrier] > 32 * 20);
    assert_in_range(b.stalls[1].cycles[IFL_STALL_math_pipe_throttle], 1, 32 * 16);
}

/* A warp that waits for the tensor core is at a barrier if the product is of its warp group, as Nsight
 * Compute counts on an H100, otherwise throttled by its pipe. */
static void test_products_of_groups(void **unused)
{
    (void)unused;
    enum { PRODUCTS = 10, CYCLES = 16 };
    for (int of_group = 0; of_group < 2; of_group++) {
        bench b = {.count = 0};
        ifl_sm_rates rates = quick_rates();
        ifl_site product = plain(1);
        product.pipe = IFL_PIPE_TENSOR;
        product.matrix = (ifl_matrix_work){
            .kind = IFL_MATRIX_KIND_HALVES,
            .unit = of_group ? IFL_MATRIX_UNIT_GROUP : IFL_MATRIX_UNIT_WARP,
            .products = CYCLES,
        };
        rates.matrix.rate[IFL_MATRIX_KIND_HALVES] = 1;
        set_all(PRODUCTS, product);
        run_sites(&b, 0, PRODUCTS);
        follow(&b, &rates, 4, 1, 1);
        uint64_t waits = 0, others = 0;
        for (int i = 0; i < PRODUCTS; i++) {
            waits +=
                b.stalls[i].cycles[of_group ? IFL_STALL_barrier : IFL_STALL_math_pipe_throttle];
            others +=
                b.stalls[i].cycles[of_group ? IFL_STALL_math_pipe_throttle : IFL_STALL_barrier];
        }
        assert_true(waits > 4 * (PRODUCTS - 1) * (CYCLES - 2));
        assert_int_equal(others, 0);
    }
}

/* Groups of copies past the registers (LDGSTS, LDGDEPBAR), 100 cycles apart, and a wait until at most
 * `left` of them are outstanding (DEPBAR.LE): the last one that it waits for takes the DRAM's latency
 * of 500. */
static void test_groups_of_copies(void **unused)
{
    (void)unused;
    enum { GROUPS = 4, APART = 10 };
    for (uint8_t left = 0; left < GROUPS; left++) {
        bench b = {.count = 0};
        const ifl_sm_rates rates = quick_rates();
        uint32_t at = 0;
        for (uint32_t g = 0; g < GROUPS; g++) {
            all_sites[at] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, IFL_NO_BOARD);
            run_sites(&b, at, 1);
            ask(&b, at++, (ifl_request_cost){.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL},
                100 * g);
            all_sites[at] = plain(1);
            all_sites[at].control.writes = 0;
            all_sites[at].control.step = IFL_STEP_GROUP;
            for (uint32_t i = 1; i <= APART; i++)
                all_sites[at + i] = plain(10);
            run_sites(&b, at, 1 + APART);
            at += 1 + APART;
        }
        all_sites[at] = plain(1);
        all_sites[at].control.step = IFL_STEP_DRAIN;
        all_sites[at].control.board = 0;
        all_sites[at].control.left = left;
        all_sites[at + 1] = plain(1);
        run_sites(&b, at, 2);
        const double ends = 500 + (GROUPS - 1 - left) * (10 * APART + 2);
        assert_in_range(follow(&b, &rates, 1, 1, 1), (uint64_t)ends, (uint64_t)ends + 16);
    }
}

/* Lines of different 2 KiB differ in how long the DRAM takes: each of many alone takes its latency on average, the
 * last of eight more. */
static void test_spread(void **unused)
{
    (void)unused;
    enum { LOADS = 64, TOGETHER = 8, APART = 16 };
    ifl_sm_rates rates = quick_rates();
    bench one = {.count = 0}, eight = {.count = 0};
    rates.dram_spread = 0.2;
    for (uint32_t i = 0; i < TOGETHER; i++)
        all_sites[i] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    all_sites[TOGETHER] = waits_for(0);
    for (uint64_t i = 0; i < LOADS; i++) {
        run_sites(&one, TOGETHER - 1, 2);
        ask(&one, TOGETHER - 1,
            (ifl_request_cost){.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL},
            APART * (100 + i));
        run_sites(&eight, 0, TOGETHER + 1);
        for (uint32_t l = 0; l < TOGETHER; l++)
            ask(&eight, l,
                (ifl_request_cost){.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL},
                APART * (1000 + i * TOGETHER + l));
    }
    const double alone = follow(&one, &rates, 1, 1, 1) / LOADS,
                 together = follow(&eight, &rates, 1, 1, 1) / LOADS;
    assert_in_range(alone, 470, 550);
    /* The largest of n exponential parts is 1 + 1/2 + ... + 1/n times one of them on average: 2.72
     * for eight. */
    assert_in_range(together, 500 * (1 + 0.2 * 1.72) - 60, 500 * (1 + 0.2 * 1.72) + 60);
}

/* 32 lanes walk through lines of their own: eight words of a sector are asked for one after the
 * other, and 7 of 8 requests find all in the L1. That the caches' simulation has a few more hits
 * does not break the requests that miss together apart. */
static void test_hits_stay_together(void **unused)
{
    (void)unused;
    enum { TRIPS = 200, LANES = 32 };
    static bench b;
    ifl_sm_rates rates = quick_rates();
    rates.l1_hit = 0.879;
    b.count = 0;
    all_sites[0] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    all_sites[1] = waits_for(0);
    for (uint32_t t = 0; t < TRIPS; t++) {
        run_sites(&b, 0, 2);
        b.words[b.count++] = 0;
        b.words[b.count++] = ifl_request_pack(
            (ifl_request_cost){.passes = 32, .lines = LANES, .served = IFL_REQUEST_GLOBAL});
        for (uint32_t l = 0; l < LANES; l++)
            b.words[b.count++] = ifl_line_pack(l * 16 + t / 32, 1u << t / 8 % 4);
    }
    const double apart = 2.25 * 30, hit = 30 + apart, miss = 500 + apart + 32; /* lines; places */
    assert_in_range(follow(&b, &rates, 1, 1, 1), TRIPS * (hit * 7 + miss) / 8 * 0.9,
                    TRIPS * (hit * 7 + miss) / 8 * 1.1);
}

/* 64 instructions are 8 lines of code. A cache of 8 has them from the launch before; of 4 lines at
 * least 4 of each pass come from the L2, in 200 cycles each where none is asked for ahead. */
static void test_code(void **unused)
{
    (void)unused;
    enum { PASSES = 2, LATENCY = 200 };
    bench b = {.count = 0};
    ifl_sm_rates rates = quick_rates();
    set_all(SITES, plain(1));
    for (int pass = 0; pass < PASSES; pass++)
        run_sites(&b, 0, SITES);
    rates.code_lines = 8, rates.code_cycles = LATENCY;
    const double fits = follow(&b, &rates, 1, 1, 1);
    assert_true(fits < PASSES * SITES + 10);
    assert_int_equal(b.stalls[8].cycles[IFL_STALL_no_instruction], 0);
    rates.code_lines = 4;
    assert_in_range(follow(&b, &rates, 1, 1, 1), fits + PASSES * 4 * (LATENCY - 1),
                    fits + PASSES * 8 * LATENCY);
    rates.code_ahead = 2;
    assert_true(follow(&b, &rates, 1, 1, 1) < fits + PASSES * 6 * LATENCY);
}

/* Many loads are served at the pace of the DRAM: 64 warps, 8 lines each, 4 sectors of 32 bytes at 8
 * bytes a cycle. */
static void test_dram_bound(void **unused)
{
    (void)unused;
    enum { LOADS = 8, WARPS = 64, BLOCKS = 16 };
    bench b = {.count = 0};
    ifl_sm_rates rates = quick_rates();
    rates.dram_bytes_per_cycle = 8;
    rates.l1_lines = 0;
    for (uint32_t i = 0; i < LOADS; i++)
        all_sites[i] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    all_sites[LOADS] = waits_for(0);
    run_sites(&b, 0, LOADS + 1);
    for (uint32_t i = 0; i < LOADS; i++)
        ask(&b, i, (ifl_request_cost){.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL}, i);
    const double pace = (double)BLOCKS * WARPS * LOADS * 128 / 8;
    const double cycles = follow(&b, &rates, WARPS, BLOCKS, 1);
    assert_true(cycles >= pace && cycles < 1.15 * pace + 4000);
}

/* A block comes when another has ended: four, one at a time, take four times as long. */
static void test_blocks_in_turn(void **unused)
{
    (void)unused;
    bench b = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    set_all(50, plain(4));
    run_sites(&b, 0, 50);
    const double one = follow(&b, &rates, 4, 1, 1), four = follow(&b, &rates, 4, 4, 1),
                 together = follow(&b, &rates, 4, 4, 4);
    assert_true(four > 3.9 * one && four < 4.1 * one);
    assert_true(together < 1.1 * one);
}

/* Warps with only arithmetic to do end block by block, in the order in which the blocks started (an
 * H100, tools/gpu/order_probe.cu, fma_waves: the first of eight blocks ends after an eighth of the
 * time): the third block starts when the first of two has had all the issue slots. */
static void test_oldest_block_first(void **unused)
{
    (void)unused;
    enum { STEPS = 20, SITES_A_STEP = 50, WARPS = 8, ON_SCHEDULER = WARPS / 4 };
    bench b = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    set_all(SITES_A_STEP, plain(1));
    for (int i = 0; i < STEPS; i++)
        run_sites(&b, 0, SITES_A_STEP);
    follow(&b, &rates, WARPS, 3, 2);
    const double block = STEPS * SITES_A_STEP * ON_SCHEDULER;
    assert_true(b.out.last_cycles > 0.95 * block && b.out.last_cycles < 1.2 * block);
}

/* So do those that load what the L1 has (an H200, tools/gpu/load_order_probe.cu: of two blocks of 1,024 threads the first ends
 * after 35,108 cycles, the other after 67,478). */
static void test_oldest_block_loads_first(void **unused)
{
    (void)unused;
    enum { STEPS = 40, LOADS = 16, WARPS = 8 };
    bench b = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    const ifl_request_cost cost = {.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL};
    set_all(LOADS, memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0));
    for (int i = 0; i < STEPS; i++) {
        run_sites(&b, 0, LOADS);
        for (uint32_t k = 0; k < LOADS; k++)
            ask(&b, k, cost, 100);
    }
    follow(&b, &rates, WARPS, 3, 2);
    const double block = STEPS * LOADS * WARPS;
    assert_true(b.out.last_cycles > 0.95 * block && b.out.last_cycles < 1.3 * block);
}

/* Each block begins with the next scheduler: where every second warp has next to nothing to do, all
 * schedulers have as much (an H100 takes 162.6 us for arithmetic_grouped of the lab, half of what it
 * takes where all warps have both branches to do). */
static void test_schedulers_in_turn(void **unused)
{
    (void)unused;
    enum { STEPS = 20, SITES_A_STEP = 50, WARPS = 4, BLOCKS = 4, WORDS_OF_ONE = 2 };
    bench b = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    set_all(SITES_A_STEP, plain(1));
    for (int i = 0; i < STEPS; i++)
        run_sites(&b, 0, SITES_A_STEP);
    const double all = follow(&b, &rates, WARPS, BLOCKS, BLOCKS),
                 half = follow_uneven(&b, &rates, WARPS, BLOCKS, BLOCKS, WORDS_OF_ONE);
    assert_true(half < 0.6 * all);
}

/* What the XU does takes one and a half cycles of its scheduler (an H100, order_probe, `beside`: 18.2
 * cycles for 16 FFMAs and one, 16.6 for the FFMAs alone). */
static void test_dispatch(void **unused)
{
    (void)unused;
    enum { PLAIN = 9, TURNS = 50, WARPS = 16, ON_SCHEDULER = WARPS / 4 };
    double took[2];
    for (int has = 0; has < 2; has++) {
        bench b = {.count = 0};
        const ifl_sm_rates rates = quick_rates();
        set_all(PLAIN + 1, plain(1));
        all_sites[PLAIN].pipe = IFL_PIPE_XU;
        for (int i = 0; i < TURNS; i++)
            run_sites(&b, 0, PLAIN + (uint32_t)has);
        took[has] = follow(&b, &rates, WARPS, 1, 1);
    }
    const double each = (took[1] - took[0]) / TURNS / ON_SCHEDULER;
    assert_true(each > 1.4 && each < 1.6);
}

/* Of ten lines nine are in the L2 in the end. In the first wave all SMs ask for a line side by
 * side, so that each of them waits for the DRAM: nine of ten loads for what another SM has asked for
 * before. Where all lines are in the L2 before, none does. */
static void test_first_wave(void **unused)
{
    (void)unused;
    enum { LOADS = 20 };
    ifl_sm_rates rates = quick_rates();
    all_sites[0] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    all_sites[1] = waits_for(0);
    for (int all = 0; all < 2; all++) {
        bench b = {.count = 0};
        rates.l2_hit = all ? 1 : 0.9;
        for (uint64_t i = 0; i < LOADS; i++) {
            run_sites(&b, 0, 2);
            ask(&b, 0, (ifl_request_cost){.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL},
                100 + i);
        }
        const double others = 0.9 * rates.arch.on_its_way + 0.1;
        const double latency = all ? QUICK_L2 : QUICK_DRAM * others;
        assert_in_range(follow(&b, &rates, 1, 1, 1), LOADS * (latency - 10),
                        LOADS * (latency + 16));
    }
}

/* An instruction that reads more registers of a bank than the window has cycles keeps those behind
 * it, and is issued itself. */
static void test_wide_sources(void **unused)
{
    (void)unused;
    bench b = {.count = 0};
    const ifl_sm_rates rates = quick_rates();
    ifl_site site = plain(1);
    site.control.sources[0] = 64;
    set_all(10, site);
    run_sites(&b, 0, 10);
    assert_in_range(follow(&b, &rates, 1, 1, 1), 9 * 64 - 16, 10 * 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_independent),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_register_banks),
        cmocka_unit_test(test_hit),
        cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_barrier_of_some),
        cmocka_unit_test(test_dram_bound),
        cmocka_unit_test(test_blocks_in_turn),
        cmocka_unit_test(test_oldest_block_first),
        cmocka_unit_test(test_oldest_block_loads_first),
        cmocka_unit_test(test_schedulers_in_turn),
        cmocka_unit_test(test_dispatch),
        cmocka_unit_test(test_first_wave),
        cmocka_unit_test(test_wide_sources),
        cmocka_unit_test(test_barrier_object),
        cmocka_unit_test(test_fence),
        cmocka_unit_test(test_drain),
        cmocka_unit_test(test_gathered),
        cmocka_unit_test(test_stored_in_parts),
        cmocka_unit_test(test_remote),
        cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_first_fetch),
        cmocka_unit_test(test_lanes_that_race),
        cmocka_unit_test(test_barriers_in_turn),
        cmocka_unit_test(test_pipe_after_barrier),
        cmocka_unit_test(test_products_of_groups),
        cmocka_unit_test(test_groups_of_copies),

        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_hits_stay_together),
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_stored_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
