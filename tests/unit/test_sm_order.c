/* SPDX-License-Identifier: Apache-2.0
 * The order of an SM's requests, for a few warps made by hand: the rules are those that
 * sm_order.h states. */
#include "cache/sm_order.h"
#include "made_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { WARPS = 8 };

static void ask(made *m, uint64_t warp, uint32_t turn, uint32_t sequence)
{
    add(m, warp, turn, sequence, IFL_ACCESS_LOAD, m->count);
}

static uint64_t warp_of(const ifl_trace_index *x, uint32_t request)
{
    uint32_t w = 0;
    while (x->warps[w + 1].request <= request)
        w++;
    return x->warps[w].number;
}

/* The warps in the order of their requests must be `expected`, ended by -1. */
static ifl_sm_order check(made *m, uint32_t warps_per_block, uint32_t blocks, uint32_t queue,
                          const int *expected)
{
    ifl_trace_index index = {0};
    ifl_sm_space space = {0};
    ifl_sm_order order;
    ifl_keyed steps[MADE_MOST];
    uint32_t all[MADE_MOST];
    assert_true(build(&index, m, warps_per_block, false));
    for (uint32_t b = 0; b < index.block_count; b++)
        all[b] = b;
    const ifl_sm_work work = {.index = &index,
                              .blocks = all,
                              .block_count = index.block_count,
                              .blocks_per_sm = blocks,
                              .queue_length = queue};
    assert_true(ifl_sm_order_find(&space, &work, steps, &order));
    for (uint32_t i = 0; i < order.count; i++)
        assert_int_equal((int)warp_of(&index, steps[i].index), expected[i]);
    assert_int_equal(expected[order.count], -1);
    ifl_sm_space_free(&space);
    ifl_trace_index_free(&index);
    return order;
}

static void check_sort(size_t count)
{
    static ifl_keyed at[5000];
    ifl_room room = {0};
    uint64_t state = 1;
    for (uint32_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        at[i] = (ifl_keyed){.key = state >> 52 << 40, .index = i};
    }
    assert_true(ifl_keyed_sort(at, count, &room));
    for (size_t i = 1; i < count; i++)
        assert_true(at[i - 1].key < at[i].key ||
                    (at[i - 1].key == at[i].key && at[i - 1].index < at[i].index));
    ifl_room_free(&room);
}

/* Few are sorted in another way than many. */
static void test_sort(void **unused)
{
    (void)unused;
    check_sort(5000);
    check_sort(50);
    check_sort(0);
}

/* Time: of eight turns on an SM of four places each takes a quarter of 256. */
static void test_time(void **unused)
{
    static made m;
    const int expected[] = {0, 1, 2, 3, 0, 1, 2, 3, -1};
    (void)unused;
    m.count = 0;
    for (uint32_t turn = 0; turn < 2; turn++)
        for (uint64_t w = 0; w < 4; w++)
            ask(&m, w, turn, 0);
    assert_int_equal(check(&m, 4, 1, 4, expected).end, 8 * 256 / 4);
}

/* A queue that was never full: with one that is just not shorter than that, and with a longer
 * one, the order is the same. */
static void test_fullest(void **unused)
{
    static made m;
    const int wide[] = {0, 1, 2, 3, 4, 0, 4, -1};
    (void)unused;
    m.count = 0;
    for (uint64_t w = 0; w < 5; w++)
        ask(&m, w, 0, 0);
    ask(&m, 0, 1, 0);
    ask(&m, 4, 1, 0);
    assert_int_equal(check(&m, 5, 1, 16, wide).fullest, 5);
    assert_int_equal(check(&m, 5, 1, 6, wide).fullest, 5);
    assert_int_equal(check(&m, 5, 1, 100, wide).fullest, 5);
}

/* One request each of warps 0 to 4: the first and the last share a sub-core. */
static void add_five(made *m)
{
    for (uint64_t w = 0; w < 5; w++)
        ask(m, w, 0, 0);
}

/* Sub-cores ask in turn; each keeps to a warp whose turn is not over. */
static void test_subcores(void **unused)
{
    static made m;
    m.count = 0;
    const int expected[] = {0, 1, 2, 3, 0, 4, -1};
    (void)unused;
    add_five(&m);
    ask(&m, 0, 0, 1);
    check(&m, WARPS, 1, 16, expected);
}

/* Records of one position are one request. */
static void test_one_request(void **unused)
{
    static made m;
    m.count = 0;
    const int expected[] = {0, -1};
    (void)unused;
    ask(&m, 0, 0, 0);
    ask(&m, 0, 0, 0);
    check(&m, WARPS, 1, 16, expected);
}

/* With room for all, a warp waits for the others' turns; with room for one, the oldest goes on
 * when its sub-core asks. */
static void test_queue(void **unused)
{
    static made m;
    m.count = 0;
    const int wide[] = {0, 1, 2, 3, 4, 0, 4, -1}, narrow[] = {0, 1, 2, 3, 0, 4, 4, -1};
    (void)unused;
    add_five(&m);
    ask(&m, 0, 1, 0);
    ask(&m, 4, 1, 0);
    check(&m, 5, 1, 5, wide);
    check(&m, 5, 1, 1, narrow);
}

/* Nobody passes a barrier before all are there; warps that are done are not waited for. */
static void test_barrier(void **unused)
{
    static made m;
    m.count = 0;
    const int expected[] = {0, 1, 0, 1, -1};
    (void)unused;
    for (uint64_t w = 0; w < 2; w++) {
        ask(&m, w, 0, 0);
        add(&m, w, 1, 0, IFL_TRACE_BARRIER, 0);
        add(&m, w, 2, 0, IFL_TRACE_BARRIER, 0);
        ask(&m, w, 3, 0);
    }
    add(&m, 2, 0, 0, IFL_TRACE_BARRIER, 0);
    check(&m, WARPS, 1, 1, expected);
}

/* A part of the block waits at a barrier that the rest never comes to. */
static void test_partial_barrier(void **unused)
{
    static made m;
    m.count = 0;
    const int expected[] = {1, 0, -1};
    (void)unused;
    add(&m, 0, 0, 0, IFL_TRACE_BARRIER, 0);
    ask(&m, 0, 1, 0);
    ask(&m, 1, 0, 0);
    add(&m, 1, 1, 0, IFL_TRACE_BARRIER, 0);
    add(&m, 1, 2, 0, IFL_TRACE_BARRIER, 0);
    check(&m, 2, 1, 4, expected);
}

/* Block 1 begins when block 0 is done. */
static void test_blocks(void **unused)
{
    static made m;
    m.count = 0;
    const int one[] = {0, 0, 1, 1, -1}, two[] = {0, 1, 0, 1, -1};
    (void)unused;
    for (uint64_t w = 0; w < 2; w++)
        for (uint32_t turn = 0; turn < 2; turn++)
            ask(&m, w, turn, 0);
    check(&m, 1, 1, 8, one);
    check(&m, 1, 2, 8, two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort),        cmocka_unit_test(test_subcores),
        cmocka_unit_test(test_queue),       cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_blocks),      cmocka_unit_test(test_partial_barrier),
        cmocka_unit_test(test_one_request), cmocka_unit_test(test_time),
        cmocka_unit_test(test_fullest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
