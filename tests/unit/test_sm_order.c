/* SPDX-License-Identifier: Apache-2.0
 * The order of an SM's requests, for a few warps made by hand: the rules are those that sm_order.h states. */
#include "observe/sm_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 64, WARPS = 8 };

/* A trace made by hand. */
typedef struct made {
    ifl_trace_record records[MOST];
    ifl_keyed keyed[MOST];
    size_t count;
} made;

static void add(made *m, uint64_t warp, uint32_t turn, uint32_t sequence, uint8_t kind)
{
    ifl_trace_record *r = &m->records[m->count];
    *r = (ifl_trace_record){.warp = warp, .kind = kind, .sectors = 1, .line = m->count};
    r->position = turn << IFL_TRACE_SEQUENCE_BITS | sequence;
    m->keyed[m->count] = (ifl_keyed){warp, r};
    m->count++;
}

/* The warps in the order of their requests must be `expected`, ended by -1. */
static void check(made *m, uint32_t warps_per_block, uint32_t blocks, uint32_t queue, const int *expected)
{
    ifl_sm_order order;
    uint32_t count;
    assert_true(ifl_keyed_sort(m->keyed, m->count));
    assert_true(ifl_sm_order_init(&order, m->keyed, m->count, warps_per_block, blocks, queue));
    for (const ifl_keyed *r; (r = ifl_sm_order_next(&order, &count)); expected++)
        assert_int_equal((int)r->record->warp, *expected);
    assert_int_equal(*expected, -1);
    ifl_sm_order_free(&order);
}

static void test_sort(void **unused)
{
    enum { COUNT = 5000 };
    static ifl_trace_record records[COUNT];
    static ifl_keyed at[COUNT];
    uint64_t state = 1;
    (void)unused;
    for (int i = 0; i < COUNT; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        at[i] = (ifl_keyed){state >> 52 << 40, &records[i]};
    }
    assert_true(ifl_keyed_sort(at, COUNT));
    for (int i = 1; i < COUNT; i++)
        assert_true(at[i - 1].key < at[i].key || (at[i - 1].key == at[i].key && at[i - 1].record < at[i].record));
}

/* One request each of warps 0 to 4: the first and the last share a sub-core. */
static void add_five(made *m)
{
    for (uint64_t w = 0; w < 5; w++)
        add(m, w, 0, 0, IFL_ACCESS_LOAD);
}

/* Sub-cores ask in turn; each keeps to a warp whose turn is not over. */
static void test_subcores(void **unused)
{
    made m = {.count = 0};
    const int expected[] = {0, 1, 2, 3, 0, 4, -1};
    (void)unused;
    add_five(&m);
    add(&m, 0, 0, 1, IFL_ACCESS_LOAD);
    check(&m, WARPS, 1, 16, expected);
}

/* Records of one position are one request. */
static void test_one_request(void **unused)
{
    made m = {.count = 0};
    const int expected[] = {0, -1};
    (void)unused;
    add(&m, 0, 0, 0, IFL_ACCESS_LOAD);
    add(&m, 0, 0, 0, IFL_ACCESS_LOAD);
    check(&m, WARPS, 1, 16, expected);
}

/* With room for all, a warp waits for the others' turns; with room for one, the oldest goes on when its sub-core asks. */
static void test_queue(void **unused)
{
    made m = {.count = 0};
    const int wide[] = {0, 1, 2, 3, 4, 0, 4, -1}, narrow[] = {0, 1, 2, 3, 0, 4, 4, -1};
    (void)unused;
    add_five(&m);
    add(&m, 0, 1, 0, IFL_ACCESS_LOAD);
    add(&m, 4, 1, 0, IFL_ACCESS_LOAD);
    check(&m, 5, 1, 5, wide);
    check(&m, 5, 1, 1, narrow);
}

/* Nobody passes a barrier before all are there; warps that are done are not waited for. */
static void test_barrier(void **unused)
{
    made m = {.count = 0};
    const int expected[] = {0, 1, 0, 1, -1};
    (void)unused;
    for (uint64_t w = 0; w < 2; w++) {
        add(&m, w, 0, 0, IFL_ACCESS_LOAD);
        add(&m, w, 1, 0, IFL_TRACE_BARRIER);
        add(&m, w, 2, 0, IFL_TRACE_BARRIER);
        add(&m, w, 3, 0, IFL_ACCESS_LOAD);
    }
    add(&m, 2, 0, 0, IFL_TRACE_BARRIER);
    check(&m, WARPS, 1, 1, expected);
}

/* A part of the block waits at a barrier that the rest never comes to. */
static void test_partial_barrier(void **unused)
{
    made m = {.count = 0};
    const int expected[] = {1, 0, -1};
    (void)unused;
    add(&m, 0, 0, 0, IFL_TRACE_BARRIER);
    add(&m, 0, 1, 0, IFL_ACCESS_LOAD);
    add(&m, 1, 0, 0, IFL_ACCESS_LOAD);
    add(&m, 1, 1, 0, IFL_TRACE_BARRIER);
    add(&m, 1, 2, 0, IFL_TRACE_BARRIER);
    check(&m, 2, 1, 4, expected);
}

/* Block 1 begins when block 0 is done. */
static void test_blocks(void **unused)
{
    made m = {.count = 0};
    const int one[] = {0, 0, 1, 1, -1}, two[] = {0, 1, 0, 1, -1};
    (void)unused;
    for (uint64_t w = 0; w < 2; w++)
        for (uint32_t turn = 0; turn < 2; turn++)
            add(&m, w, turn, 0, IFL_ACCESS_LOAD);
    check(&m, 1, 1, 8, one);
    check(&m, 1, 2, 8, two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort),    cmocka_unit_test(test_subcores),
        cmocka_unit_test(test_queue),   cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_blocks),  cmocka_unit_test(test_partial_barrier),
        cmocka_unit_test(test_one_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
