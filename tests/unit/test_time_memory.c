/* SPDX-License-Identifier: Apache-2.0
 * Requests to the memory of one SM, one after the other. What is expected follows from what an H100 printed for
 * tools/gpu/latency_probe.cu, l1_probe.cu and fill_probe.cu, with the latencies of quick_rates.h in place of its own. */
#include "time/time_memory.h"

#include "quick_rates.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LANES = 32 };

static const ifl_site_access load = {
    .kind = IFL_ACCESS_LOAD, .space = IFL_SPACE_GLOBAL, .path = IFL_PATH_PLAIN, .bytes = 4};

static ifl_served ask_lines(ifl_time_memory *m, uint32_t first, uint32_t lines, unsigned sectors,
                            double now)
{
    const ifl_request_cost cost = {.passes = 1, .lines = lines, .served = IFL_REQUEST_GLOBAL};
    uint32_t words[LANES];
    for (uint32_t i = 0; i < lines; i++)
        words[i] = ifl_line_pack(first + i, sectors);
    return ifl_time_memory_take(m, &load, cost, words, now);
}

/* 23, 25, 29, 37, 53, 85 cycles for 1 to 32 wavefronts, and each time the next request begins as soon as all have passed. */
static void test_wavefronts(void **unused)
{
    (void)unused;
    const ifl_sm_rates rates = quick_rates();
    const ifl_site_access shared = {.kind = IFL_ACCESS_LOAD, .space = IFL_SPACE_SHARED, .bytes = 4};
    for (uint32_t passes = 1; passes <= LANES; passes *= 2) {
        ifl_time_memory m = {0};
        assert_true(ifl_time_memory_begin(&m, &rates));
        const ifl_request_cost cost = {.passes = passes, .served = IFL_REQUEST_SHARED};
        const ifl_served first = ifl_time_memory_take(&m, &shared, cost, NULL, 0),
                         second = ifl_time_memory_take(&m, &shared, cost, NULL, 0);
        assert_int_equal(first.ends, QUICK_SHARED + 2 * (passes - 1));
        assert_int_equal(second.begins, passes);
        ifl_time_memory_free(&m);
    }
}

/* Lines that the L1 lacks are asked for one a cycle: of requests for 8, 16, 32 of them the next one begins after as many. Of
 * lines that it has, four pass a cycle, and the last one's words come 2.25 cycles a line later. */
static void test_lines(void **unused)
{
    (void)unused;
    ifl_sm_rates rates = quick_rates();
    rates.l2_hit = 1;
    rates.data_beside_tags = 0.3;
    for (uint32_t lines = 8; lines <= LANES; lines *= 2) {
        ifl_time_memory m = {0};
        assert_true(ifl_time_memory_begin(&m, &rates));
        const ifl_served lacked = ask_lines(&m, 64, lines, 1, 0),
                         found = ask_lines(&m, 64, lines, 1, 1000),
                         next = ask_lines(&m, 64, 1, 1, 1000);
        assert_in_range(lacked.ends, QUICK_L2 + lines - 1, QUICK_L2 + 3 * lines);
        assert_int_equal(found.begins, 1000);
        assert_in_range(found.ends, 1000 + QUICK_L1 + 2 * (lines - 2),
                        1000 + QUICK_L1 + 5 * lines / 2);
        assert_in_range(next.begins, 1000 + lines / 4, 1000 + lines / 4 + 1);
        ask_lines(&m, 1024, lines, 1, 2000);
        assert_int_equal(ask_lines(&m, 1024, 1, 1, 2000).begins, 2000 + lines);
        ifl_time_memory_free(&m);
    }
}

/* Sectors that come with another SM's read take a part of the L2's time; the latency is theirs all the same. */
static void test_joined_sectors(void **unused)
{
    (void)unused;
    enum { LINES = 4096, SECTORS = 0xf };
    double took[2];
    for (int joins = 0; joins < 2; joins++) {
        ifl_sm_rates rates = quick_rates();
        ifl_time_memory m = {0};
        rates.l2_hit = 1;
        rates.l2_bytes_per_cycle = 16;
        rates.joined = joins ? 0.5 : 1;
        assert_true(ifl_time_memory_begin(&m, &rates));
        assert_int_equal(ask_lines(&m, LINES, 1, SECTORS, 0).ends / 8, QUICK_L2 / 8);
        for (uint32_t l = 0; l < LINES; l += LANES)
            took[joins] = ask_lines(&m, l, LANES, SECTORS, l).ends;
        ifl_time_memory_free(&m);
    }
    assert_in_range(took[0], 1.8 * took[1], 2.2 * took[1]);
}

/* Lines of 2 KiB come from the DRAM together; those of 2 KiB elsewhere when they will. Each is asked for long after the one
 * before. */
static void test_lines_that_come_together(void **unused)
{
    (void)unused;
    enum { TOGETHER = 16, PLACES = 64, LATER = 100000 };
    ifl_sm_rates rates = quick_rates();
    rates.l2_hit = 0;
    rates.dram_spread = 0.2;
    ifl_time_memory m = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    int others = 0;
    double took = 0;
    for (uint32_t l = 0; l < PLACES * TOGETHER; l++) {
        const double before = took;
        took = ask_lines(&m, 1024 + l, 1, 0xf, (double)l * LATER).ends - (double)l * LATER;
        if (l % TOGETHER)
            assert_true(fabs(took - before) < 1);
        else
            others += l && fabs(took - before) > 1;
    }
    assert_true(others > PLACES / 2);
    ifl_time_memory_free(&m);
}

/* Stores leave the SM a sector a cycle, one after the other. */
static void test_port(void **unused)
{
    (void)unused;
    const ifl_site_access store = {
        .kind = IFL_ACCESS_STORE, .space = IFL_SPACE_GLOBAL, .path = IFL_PATH_PLAIN, .bytes = 4};
    const ifl_request_cost cost = {.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL};
    const ifl_sm_rates rates = quick_rates();
    ifl_time_memory m = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t whole = ifl_line_pack(2 * i, 0xf), one = ifl_line_pack(2 * i + 1, 1);
        assert_in_range((uint64_t)ifl_time_memory_take(&m, &store, cost, &whole, 0).leaves,
                        5 * i + 4, 5 * i + 4);
        assert_in_range((uint64_t)ifl_time_memory_take(&m, &store, cost, &one, 0).leaves, 5 * i + 5,
                        5 * i + 5);
    }
    ifl_time_memory_free(&m);
}

/* In the first half of the launch all lines are on their way from the DRAM, and in the second half none is: not a sixteenth of
 * them all along, as on average. */
static void test_phases(void **unused)
{
    (void)unused;
    ifl_sm_rates rates = quick_rates();
    ifl_time_memory m = {0};
    rates.l2_hit = 1 - 1.0 / 32;
    rates.phases = (ifl_cache_phases){.known = true, .far_mean = 1.0 / 32, .late_mean = 0.5};
    for (int i = 0; i < IFL_CACHE_PHASES / 2; i++) {
        rates.phases.far[i] = 1.0 / 16;
        rates.phases.late[i] = 1;
    }
    assert_true(ifl_time_memory_begin(&m, &rates));
    for (uint32_t l = 0; l < 1000; l++) {
        m.phase = 0;
        assert_true(ask_lines(&m, 2 * l, 1, 0xf, l * 1000).ends - l * 1000 > 1.5 * QUICK_L2);
        m.phase = IFL_CACHE_PHASES - 1;
        assert_in_range(ask_lines(&m, 2 * l + 1, 1, 0xf, l * 1000 + 900).ends - (l * 1000 + 900),
                        QUICK_L2, QUICK_L2 + 8);
    }
    ifl_time_memory_free(&m);
}

/* Half of the sectors come from the DRAM: the others of their lines, asked for at the same time, are there no sooner
 * (lines_bytes of tests/model/everyday: four warps read 32 bytes of a line each). */
static void test_sectors_of_a_line(void **unused)
{
    (void)unused;
    enum { LINES = 200 };
    ifl_sm_rates rates = quick_rates();
    rates.l2_hit = 0.5;
    rates.dram_sector_bytes = 64;
    for (int apart = 0; apart < 2; apart++) {
        ifl_time_memory m = {0};
        assert_true(ifl_time_memory_begin(&m, &rates));
        m.is_later = true;
        double waited = 0;
        for (uint32_t i = 0; i < LINES; i++)
            for (unsigned s = 0; s < 4; s++) {
                const double now = 10000 * i + (apart ? 2000 * s : 0);
                const double takes = ask_lines(&m, 16 + i, 1, 1u << s, now).ends - now;
                waited += s == 3 ? takes : 0;
            }
        if (apart)
            assert_true(waited < LINES * QUICK_DRAM * 0.75);
        else
            assert_true(waited > LINES * QUICK_DRAM * 0.95);
        ifl_time_memory_free(&m);
    }
}

/* The DRAM brings two sectors together: where all SMs ask side by side, each waits for both halves of a line, which it asks for
 * one after the other (an H200, product_probe: rows of 256 floats that 16 SMs read half a line at a time take 10.6 us; 7.6 were
 * predicted where the second half came with the first). */
static void test_halves_of_a_line(void **unused)
{
    (void)unused;
    enum { LINES = 100 };
    ifl_sm_rates rates = quick_rates();
    rates.l2_hit = 0.9;
    rates.dram_sector_bytes = 32;
    ifl_time_memory m = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    double waited = 0, found = 0;
    for (uint32_t i = 0; i < LINES; i++) {
        const double now = 10000 * i;
        ask_lines(&m, 16 + i, 1, 3, now);
        waited += ask_lines(&m, 16 + i, 1, 0xc, now + 4000).ends - now - 4000;
        found += ask_lines(&m, 16 + i, 1, 0xf, now + 8000).ends - now - 8000;
    }
    assert_true(waited > LINES * QUICK_DRAM * 0.7);
    assert_true(found < LINES * QUICK_DRAM * 0.2);
    ifl_time_memory_free(&m);
}

/* Of a load that finds half of its lines, those that it lacks take passes beside the others': two of
 * four lines, and one pass and more for the rest. */
static void test_lines_in_part(void **unused)
{
    (void)unused;
    ifl_sm_rates rates = quick_rates();
    rates.l2_hit = 1;
    ifl_time_memory m = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    ask_lines(&m, 64, 2, 1, 0);
    ask_lines(&m, 64, 4, 1, 1000);
    const double takes = ask_lines(&m, 64, 1, 1, 1000).begins - 1000;
    assert_true(takes > 1.5 + 2 && takes < 1.5 + 3);
    ifl_time_memory_free(&m);
}

/* What the L2 gives an SM, 32 bytes a cycle here (and loads reach a part of that): a line of one sector takes as long as 1.75
 * of them, of four as four. */
static void test_sectors_of_the_l2(void **unused)
{
    (void)unused;
    enum { LINES = 4000 };
    ifl_sm_rates rates = quick_rates();
    double ends[2];
    rates.l2_hit = 1;
    rates.l2_bytes_per_cycle = 32;
    rates.line_sectors = 1.75;
    for (int whole = 0; whole < 2; whole++) {
        ifl_time_memory m = {0};
        assert_true(ifl_time_memory_begin(&m, &rates));
        for (uint32_t i = 0; i < LINES; i++)
            ask_lines(&m, 64 + i, 1, whole ? 0xf : 1, 0);
        ends[whole] = m.l2.free;
        ifl_time_memory_free(&m);
    }
    assert_true(ends[0] >= LINES * 1.75);
    assert_true(ends[1] > ends[0] * 3.9 / 1.75 && ends[1] < ends[0] * 4.1 / 1.75);
}

/* What the DRAM brings takes turns of the L2 beside those of the request: an H100 copies 16 MiB, whose
 * stores stay in the L2, in 10.9 us where it reads them in 8.2 (tools/gpu/pattern_probe.cu). */
static void test_turns_of_fetches(void **unused)
{
    (void)unused;
    ifl_sm_rates rates = quick_rates();
    double ends[2];
    rates.l2_bytes_per_cycle = 32;
    rates.whole_fetch = 0.4;
    for (int missed = 0; missed < 2; missed++) {
        ifl_time_memory m = {0};
        rates.l2_hit = 1 - missed;
        assert_true(ifl_time_memory_begin(&m, &rates));
        for (uint32_t i = 0; i < LANES; i++)
            ask_lines(&m, 64 + i, 1, 0xf, 0);
        ends[missed] = m.l2.free;
        ifl_time_memory_free(&m);
    }
    assert_true(ends[1] > ends[0] * 1.39 && ends[1] < ends[0] * 1.41);
}

/* An atomic whose old value is awaited: 482 cycles of one lane, 293 a load from the L2. */
static void test_atomic(void **unused)
{
    (void)unused;
    ifl_sm_rates rates = quick_rates();
    rates.l2_hit = 1;
    rates.atomic_latency = 189;
    const ifl_site_access atomic = {
        .kind = IFL_ACCESS_ATOMIC, .space = IFL_SPACE_GLOBAL, .path = IFL_PATH_PLAIN, .bytes = 4};
    const ifl_request_cost cost = {
        .passes = 1, .lines = 1, .serial = 1, .served = IFL_REQUEST_GLOBAL};
    const uint32_t word = ifl_line_pack(64, 1);
    ifl_time_memory m = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    assert_in_range(ifl_time_memory_take(&m, &atomic, cost, &word, 0).ends, QUICK_L2 + 189,
                    QUICK_L2 + 190);
    ifl_time_memory_free(&m);
}

/* Stores that take a fifth of the DRAM's bandwidth for 4,000 cycles: a load behind them waits 0.8 of
 * the latency times 0.2 (1 - 1 / e), and a little for the load of the DRAM. */
static void test_writes(void **unused)
{
    (void)unused;
    enum { STORES = 400, APART = 10 };
    const ifl_site_access store = {
        .kind = IFL_ACCESS_STORE, .space = IFL_SPACE_GLOBAL, .path = IFL_PATH_PLAIN, .bytes = 4};
    const ifl_request_cost cost = {.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL};
    double ends[2];
    for (int share = 0; share < 2; share++) {
        ifl_sm_rates rates = quick_rates();
        rates.dram_bytes_per_cycle = 64;
        rates.dram_store_share = share;
        ifl_time_memory m = {0};
        assert_true(ifl_time_memory_begin(&m, &rates));
        for (uint32_t i = 0; i < STORES; i++) {
            const uint32_t word = ifl_line_pack(1000 + i, 0xf);
            ifl_time_memory_take(&m, &store, cost, &word, i * APART);
        }
        ends[share] = ask_lines(&m, 64, 1, 0xf, STORES * APART).ends;
        ifl_time_memory_free(&m);
    }
    assert_in_range((uint64_t)(ends[1] - ends[0]), 50, 58);
}

/* What the DRAM's turns come to when a word of a line is stored once and twice, and this part of what is stored goes there. */
static void store_twice(double share, int turns[2])
{
    const ifl_site_access store = {
        .kind = IFL_ACCESS_STORE, .space = IFL_SPACE_GLOBAL, .path = IFL_PATH_PLAIN, .bytes = 4};
    const ifl_request_cost cost = {.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL};
    const uint32_t word = ifl_line_pack(64, 0xf);
    ifl_sm_rates rates = quick_rates();
    rates.dram_bytes_per_cycle = 1;
    rates.dram_store_share = share;
    ifl_time_memory m = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    for (int i = 0; i < 2; i++) {
        ifl_time_memory_take(&m, &store, cost, &word, 0);
        turns[i] = (int)m.dram.free;
    }
    assert_true((m.written.load > 0) == (share > 0));
    ifl_time_memory_free(&m);
}

/* The L1 gathers what a warp stores in one line after the other, and the DRAM gets its part of each:
 * an H100 copies structures of 12 bytes in 64 us, 50 without that (tools/gpu/pattern_probe.cu). */
static void test_gathered_stores(void **unused)
{
    (void)unused;
    int turns[2];
    store_twice(0.75, turns);
    assert_int_equal(turns[0], 96);
    assert_int_equal(turns[1], 192);
}

/* What stays in the L2 takes 0.65 of the turns that it would take if the DRAM brought it; what was gathered before it gets
 * there, none. */
static void test_stores_in_the_l2(void **unused)
{
    (void)unused;
    int turns[2];
    store_twice(0, turns);
    assert_int_equal(turns[0], 83); /* 0.65 * 128 */
    assert_int_equal(turns[1], 83);
}

/* Sectors of atomics that the L2 lacks come from the DRAM first. */
static void test_atomic_from_dram(void **unused)
{
    (void)unused;
    const ifl_site_access atomic = {
        .kind = IFL_ACCESS_ATOMIC, .space = IFL_SPACE_GLOBAL, .path = IFL_PATH_PLAIN, .bytes = 4};
    const ifl_request_cost cost = {
        .passes = 1, .lines = 1, .serial = 1, .served = IFL_REQUEST_GLOBAL};
    const uint32_t word = ifl_line_pack(64, 1);
    for (int missed = 0; missed < 2; missed++) {
        ifl_sm_rates rates = quick_rates();
        rates.atomic_miss = missed;
        ifl_time_memory m = {0};
        assert_true(ifl_time_memory_begin(&m, &rates));
        const ifl_served served = ifl_time_memory_take(&m, &atomic, cost, &word, 0);
        const uint64_t latency = missed ? QUICK_DRAM : QUICK_L2;
        assert_in_range((uint64_t)served.ends, latency, latency + 1);
        ifl_time_memory_free(&m);
    }
}

/* All SMs' atomics on few words queue: blocks that end together pay for all of them then (an H100, 4,224
 * warps that have read 64 MiB and add to one word: 31.7 us, 24.5 for the reads and 7.4 for the adds;
 * tools/gpu/pattern_probe.cu, sum_atomic). */
static void test_atomics_queue(void **unused)
{
    (void)unused;
    enum { TURN = 100, REQUESTS = 8 };
    const ifl_site_access atomic = {
        .kind = IFL_ACCESS_ATOMIC, .space = IFL_SPACE_GLOBAL, .path = IFL_PATH_PLAIN, .bytes = 4};
    const ifl_request_cost cost = {
        .passes = 1, .lines = 1, .serial = 1, .served = IFL_REQUEST_GLOBAL};
    const uint32_t word = ifl_line_pack(64, 1);
    ifl_sm_rates rates = quick_rates();
    rates.atomic_turn = TURN;
    ifl_time_memory m = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    for (int i = 1; i <= REQUESTS; i++) {
        const ifl_served served = ifl_time_memory_take(&m, &atomic, cost, &word, 0);
        assert_in_range((uint64_t)served.ends, QUICK_L2 + (i - 1) * TURN,
                        QUICK_L2 + (i - 1) * TURN + 1);
    }
    assert_int_equal((int)ifl_time_memory_ends(&m), REQUESTS * TURN);
    ifl_time_memory_free(&m);
}

/* What the SM asks of the L2 next waits until that has taken its atomics; what the L1 has does not. Of 128
 * sectors on their way the first must have been taken before there is room for another. Histograms of an H200
 * (docs/suites.md, draw 22): warps that add to a word stand at their loads, and none drains, but where each
 * adds to 32. */
static void test_atomics_on_their_way(void **unused)
{
    (void)unused;
    enum { TURN = 100, LINE = 64, AWAY = 640 };
    const ifl_site_access read = {.kind = IFL_ACCESS_LOAD,
                                  .space = IFL_SPACE_GLOBAL,
                                  .path = IFL_PATH_PLAIN,
                                  .bytes = 4},
                          atomic = {.kind = IFL_ACCESS_ATOMIC,
                                    .space = IFL_SPACE_GLOBAL,
                                    .path = IFL_PATH_PLAIN,
                                    .bytes = 4};
    const ifl_request_cost cost = {
        .passes = 1, .lines = 1, .serial = 1, .served = IFL_REQUEST_GLOBAL};
    const uint32_t near = ifl_line_pack(LINE, 1), away = ifl_line_pack(AWAY, 1);
    ifl_sm_rates rates = quick_rates();
    rates.atomic_turn = TURN;
    rates.l2_hit = 1;
    ifl_time_memory m = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    ifl_time_memory_take(&m, &read, cost, &near, 0);
    for (int i = 0; i < (int)rates.arch.sent_requests; i++)
        assert_in_range((uint64_t)ifl_time_memory_take(&m, &atomic, cost, &away, 1000).begins, 1000,
                        1000 + (uint64_t)rates.arch.sent_requests);
    assert_in_range((uint64_t)ifl_time_memory_take(&m, &read, cost, &near, 1200).ends, 1200, 1300);
    const uint64_t taken = 1000 + ((uint64_t)rates.arch.sent_requests - 1) * TURN;
    assert_in_range((uint64_t)ifl_time_memory_take(&m, &read, cost, &away, 1200).ends,
                    taken + QUICK_L2, taken + QUICK_L2 + 5);
    for (int i = 0; i < 20; i++) /* the first 10 of those on their way have been taken at 2000 */
        ifl_time_memory_take(&m, &atomic, cost, &away, 1300);
    assert_in_range((uint64_t)ifl_time_memory_take(&m, &atomic, cost, &away, 1300).begins,
                    1000 + 20 * TURN, 1000 + 20 * TURN + 5);
    ifl_time_memory_free(&m);
}

/* A load goes behind what the SM has stored, a sector a cycle, and so many lines wait to leave it: the
 * next store waits for the first of them. */
static void test_behind_stores(void **unused)
{
    (void)unused;
    enum { LINES = 64, MORE = 200, SECTORS = 4, AWAY = 100000 };
    const ifl_site_access store = {
        .kind = IFL_ACCESS_STORE, .space = IFL_SPACE_GLOBAL, .path = IFL_PATH_PLAIN, .bytes = 4};
    const ifl_request_cost cost = {.passes = 1, .lines = 1, .served = IFL_REQUEST_GLOBAL};
    ifl_sm_rates rates = quick_rates();
    rates.l2_hit = 1;
    ifl_time_memory m = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    uint32_t line = 0;
    for (; line < LINES; line++)
        ifl_time_memory_take(&m, &store, cost, &(uint32_t){ifl_line_pack(line, 0xf)}, 0);
    const ifl_served read = ask_lines(&m, AWAY, 1, 0xf, LINES);
    assert_in_range((uint64_t)read.ends, LINES * SECTORS + QUICK_L2,
                    LINES * SECTORS + QUICK_L2 + 10);
    for (; line < MORE; line++)
        ifl_time_memory_take(&m, &store, cost, &(uint32_t){ifl_line_pack(line, 0xf)}, 0);
    const uint64_t room = (MORE - (uint64_t)rates.arch.sent_requests) * SECTORS;
    assert_in_range((uint64_t)ifl_time_memory_take(&m, &store, cost, &line, 0).begins, room - 10,
                    room + 10);
    ifl_time_memory_free(&m);
}

/* Four loads of a warp whose lanes all meet in one bank are 64 cycles apart, those of four warps
 * 32: an H100 takes 65 and 34 cycles a load (tools/gpu/scatter_probe.cu, own_lines, by 32 lanes). Of
 * words of 16 bytes four wavefronts are no conflict. */
static void test_conflicts_of_loads(void **unused)
{
    (void)unused;
    const ifl_sm_rates rates = quick_rates();
    ifl_time_memory m = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    double alone = 0, others[4] = {0}, last = 0;
    for (int i = 0; i < 4; i++) {
        ifl_served served = {.begins = 32 * i, .ends = 32 * i + QUICK_L1};
        ifl_time_memory_keep_conflicts_apart(&m, &load, LANES, &alone, &served);
        last = served.ends;
    }
    assert_int_equal(last, 3 * 64 + 62 + QUICK_L1);
    for (int i = 0; i < 4; i++) {
        ifl_served served = {.begins = 32 * i, .ends = 32 * i + QUICK_L1};
        ifl_time_memory_keep_conflicts_apart(&m, &load, LANES, &others[i], &served);
        assert_int_equal(served.ends, 32 * i + 62 + QUICK_L1);
    }
    ifl_site_access wide = load;
    wide.bytes = 16;
    ifl_served served = {.begins = 0, .ends = QUICK_L1};
    ifl_time_memory_keep_conflicts_apart(&m, &wide, 4, &last, &served);
    assert_int_equal(served.ends, QUICK_L1);
    ifl_time_memory_free(&m);
}

static void take_twice(const ifl_site_access *access, const uint32_t *words, uint32_t lines,
                       double late, double found)
{
    ifl_sm_rates rates = quick_rates();
    rates.l2_hit = 1;
    const ifl_request_cost cost = {.passes = 1, .lines = lines, .served = IFL_REQUEST_GLOBAL};
    ifl_time_memory m = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    ifl_time_memory_take(&m, access, cost, words, 0);
    const double second = ifl_time_memory_take(&m, access, cost, words, 0).begins,
                 third = ifl_time_memory_take(&m, access, cost, words, 0).begins;
    assert_true(fabs(third - second - late) < 1e-9);
    ifl_time_memory_take(&m, access, cost, words, 1000);
    assert_int_equal(ifl_time_memory_take(&m, access, cost, words, 1000).begins, 1000 + found);
    ifl_time_memory_free(&m);
}

/* Loads for what is on its way: of a line 1.3 cycles, of bytes 2.2, of words in a row across a line 2.4 (an H200,
 * tools/gpu/late_probe.cu: 1.3 to 1.6, 2.2 to 2.4, 2.5). Two rows of a tile, in lines that do not follow each
 * other, are no such words. What is there takes one cycle each time. */
static void test_late_loads(void **unused)
{
    (void)unused;
    const uint32_t row[] = {ifl_line_pack(64, 0xf), ifl_line_pack(65, 0xf)},
                   tile[] = {ifl_line_pack(64, 0xf), ifl_line_pack(80, 0xf)};
    ifl_site_access bytes = load;
    bytes.bytes = 1;
    take_twice(&load, row, 1, 1.3, 1);
    take_twice(&bytes, row, 1, 2.2, 1);
    take_twice(&load, row, 2, 2.4, 1);
    take_twice(&load, tile, 2, 1.3, 1);
}

/* Where 240 loads wait for lines of their own, the next one waits until the first of them has its line;
 * what is on its way for another one does not count. */
static void test_room_for_loads(void **unused)
{
    (void)unused;
    ifl_sm_rates rates = quick_rates();
    rates.dram_latency = 5000;
    rates.l2_latency = 4000;
    ifl_time_memory m = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    double first = INFINITY;
    for (uint32_t i = 0; i < (uint32_t)rates.arch.lacking_loads; i++) {
        if (i > 0)
            assert_true(ask_lines(&m, 64, 1, 0xf, 0).begins < 1000);
        const ifl_served lacking = ask_lines(&m, 64 + i, 1, 0xf, 0);
        assert_true(lacking.begins < 1000);
        first = fmin(first, lacking.ends);
    }
    assert_true(ask_lines(&m, 1024, 1, 0xf, 0).begins >= first);
    ifl_time_memory_free(&m);
}

/* Stores of one sector that other stores stand between pass a slice of the L2 one after the other. */
enum { STORE_TURN = 277 };

static double done_of_stores(uint32_t lines, unsigned sectors)
{
    enum { STORES = 10 };
    const ifl_site_access store = {
        .kind = IFL_ACCESS_STORE, .space = IFL_SPACE_GLOBAL, .path = IFL_PATH_PLAIN, .bytes = 4};
    const ifl_request_cost cost = {
        .passes = lines, .lines = lines, .served = IFL_REQUEST_GLOBAL, .ends = IFL_STORE_IN_PARTS};
    ifl_sm_rates rates = quick_rates();
    rates.store_turn = STORE_TURN;
    uint32_t words[IFL_WARP_LANES];
    for (uint32_t i = 0; i < lines; i++)
        words[i] = ifl_line_pack(64 + 8 * i, sectors);
    ifl_time_memory m = {0};
    ifl_served served = {0};
    assert_true(ifl_time_memory_begin(&m, &rates));
    for (int i = 0; i < STORES; i++)
        served = ifl_time_memory_take(&m, &store, cost, words, 100 * i);
    ifl_time_memory_free(&m);
    return served.done / STORES;
}

static void test_stores_in_a_slice(void **unused)
{
    (void)unused;
    assert_true(done_of_stores(1, 1) == STORE_TURN);
    assert_true(done_of_stores(1, 3) == STORE_TURN);
    assert_true(done_of_stores(4, 3) == 4 * STORE_TURN);
    assert_true(done_of_stores(1, 7) < STORE_TURN);
    assert_true(done_of_stores(16, 1) < STORE_TURN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wavefronts),
        cmocka_unit_test(test_joined_sectors),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_lines_that_come_together),
        cmocka_unit_test(test_port),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_sectors_of_a_line),
        cmocka_unit_test(test_halves_of_a_line),
        cmocka_unit_test(test_lines_in_part),
        cmocka_unit_test(test_sectors_of_the_l2),
        cmocka_unit_test(test_turns_of_fetches),
        cmocka_unit_test(test_atomic),
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_gathered_stores),
        cmocka_unit_test(test_stores_in_the_l2),
        cmocka_unit_test(test_atomic_from_dram),
        cmocka_unit_test(test_atomics_queue),
        cmocka_unit_test(test_atomics_on_their_way),
        cmocka_unit_test(test_behind_stores),
        cmocka_unit_test(test_conflicts_of_loads),
        cmocka_unit_test(test_late_loads),
        cmocka_unit_test(test_room_for_loads),
        cmocka_unit_test(test_stores_in_a_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
