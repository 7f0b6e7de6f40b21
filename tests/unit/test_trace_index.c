/* SPDX-License-Identifier: Apache-2.0
 * Traces put in order, and the orders in which all SMs make their requests, for a few warps made
 * by hand: trace_index.h and grid_order.h state the rules. */
#include "cache/cache_play.h"
#include "cache/grid_order.h"
#include "cache/line.h"
#include "made_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LOAD = IFL_ACCESS_LOAD, STORE = IFL_ACCESS_STORE, ATOMIC = IFL_ACCESS_ATOMIC };

/* ---- the index ------------------------------------------------------------------------------- */

/* Two workers made the records: the second one's blocks come first. Block 1 has none, a barrier
 * stands between turns. */
static void test_order(void **unused)
{
    static made m;
    ifl_trace_index x = {0};
    (void)unused;
    m.count = 0;
    add(&m, 5, 0, 0, LOAD, 50);
    add(&m, 4, 0, 0, LOAD, 40);
    add(&m, 5, 0, 1, STORE, 51);
    add(&m, 0, 0, 0, LOAD, 1);
    add(&m, 0, 0, 0, LOAD, 2);
    add(&m, 0, 0, 1, LOAD, 3);
    add(&m, 0, 1, 0, IFL_TRACE_BARRIER, 0);
    add(&m, 0, 2, 0, STORE, 4);
    assert_true(build(&x, &m, 2, true));
    assert_int_equal(x.block_count, 2);
    assert_true(x.blocks[0].number == 0 && x.blocks[1].number == 2);
    assert_int_equal(x.warp_count, 3);
    assert_true(x.warps[0].number == 0 && x.warps[1].number == 4 && x.warps[2].number == 5);
    assert_int_equal(x.request_count, 4 + 1 + 2);
    static const uint64_t lines[] = {1, 2, 3, 4, 40, 50, 51};
    assert_int_equal(x.touch_count, sizeof lines / sizeof *lines);
    for (uint32_t t = 0; t < x.touch_count; t++)
        assert_int_equal(x.touches[t].line, lines[t]);
    static const bool ends[] = {false, true, true, true, true, false, true};
    for (uint32_t r = 0; r < x.request_count; r++)
        assert_int_equal(x.requests[r].ends_turn, ends[r]);
    assert_true(x.requests[2].is_barrier && x.requests[0].touch + 2 == x.requests[1].touch);
    assert_int_equal(x.load_sectors, 5);
    assert_int_equal(x.sectors, 7);
    ifl_trace_index_free(&x);
}

/* Far more lines than slots of one probe: each has a number of its own, and the same one each
 * time. */
static void test_numbers(void **unused)
{
    static made m;
    ifl_trace_index x = {0};
    (void)unused;
    m.count = 0;
    for (uint64_t i = 0; i < MADE_MOST; i++)
        add(&m, i / 64, 0, i % 64, LOAD, i * i % 1021 << 40);
    assert_true(build(&x, &m, 1, true));
    for (uint32_t t = 0; t < x.touch_count; t++) {
        assert_in_range(x.touches[t].number, 0, x.line_count - 1);
        assert_int_equal(x.lines[x.touches[t].number], x.touches[t].line);
    }
    for (uint32_t a = 0; a < x.line_count; a++)
        for (uint32_t b = 0; b < a; b++)
            assert_true(x.lines[a] != x.lines[b]);
    ifl_trace_index_free(&x);
}

typedef struct use {
    uint64_t warp;
    uint32_t turn, sequence;
    uint8_t kind;
} use;

/* Whether the one line that is used so is reused, with numbers or without. */
static bool is_reused(const use *uses, size_t count)
{
    static made m;
    ifl_trace_index x = {0};
    m.count = 0;
    for (size_t i = 0; i < count; i++)
        add(&m, uses[i].warp, uses[i].turn, uses[i].sequence, uses[i].kind, 7);
    add(&m, 100, 0, 0, LOAD, 8);
    assert_true(build(&x, &m, 1, true));
    const bool reused = x.has_reuse;
    for (uint32_t t = 0; t < x.touch_count; t++)
        assert_int_equal(x.touches[t].reused, reused && x.touches[t].line == 7);
    assert_true(build(&x, &m, 1, false));
    assert_int_equal(x.has_reuse, reused);
    ifl_trace_index_free(&x);
    return reused;
}
#define REUSED(...)                                                                                \
    is_reused((const use[]){__VA_ARGS__}, sizeof(const use[]){__VA_ARGS__} / sizeof(use))

static void test_reuse(void **unused)
{
    (void)unused;
    assert_false(REUSED({0, 0, 0, LOAD}));
    assert_false(REUSED({0, 0, 0, LOAD}, {0, 1, 0, STORE}, {0, 1, 1, STORE}));
    assert_false(REUSED({0, 0, 0, STORE}, {1, 0, 0, STORE}));
    assert_false(REUSED({0, 0, 0, ATOMIC}));
    assert_true(REUSED({0, 0, 0, LOAD}, {0, 1, 0, LOAD}));
    assert_true(REUSED({0, 0, 0, STORE}, {0, 1, 0, LOAD}));
    assert_true(REUSED({0, 0, 0, LOAD}, {1, 0, 0, STORE})); /* the store may come first */
    assert_true(REUSED({0, 0, 0, STORE}, {1, 0, 0, LOAD}));
    assert_true(REUSED({0, 0, 0, ATOMIC}, {1, 0, 0, ATOMIC}));
    assert_true(REUSED({0, 0, 0, STORE}, {0, 1, 0, STORE}, {1, 0, 0, LOAD}));
    assert_false(REUSED({0, 0, 80, LOAD}, {0, 1, 0, STORE}));
    assert_true(REUSED({0, 0, 90, LOAD},
                       {0, 1, 0, STORE})); /* 90 × 3 > 256: in rounds the store comes first */
}

/* Two warps take a sector each of line 1, one takes all of line 2. */
static void test_unused_sectors(void **unused)
{
    made m = {0};
    ifl_trace_index index = {0};
    (void)unused;
    add(&m, 0, 0, 0, IFL_ACCESS_LOAD, 1);
    add(&m, 1, 0, 0, IFL_ACCESS_LOAD, 1);
    add(&m, 1, 0, 1, IFL_ACCESS_LOAD, 2);
    m.records[1].sectors = 1 << 3;
    m.records[2].sectors = 0xf;
    assert_true(build(&index, &m, 1, true));
    assert_true(index.thin_unused == 0.5);
    m.records[2].line = 1;
    assert_true(build(&index, &m, 1, true));
    assert_true(index.thin_unused == 0);
    ifl_trace_index_free(&index);
}

/* Of eight loads past the L1 in a row for the same sector 0.57 to 0.7 were sent on by an H200
 * (docs/caches.md): every second waits for the one before. Not of another turn, line or kind. */
static void test_every_second_load_past_the_l1_joins(void **unused)
{
    static const struct {
        uint64_t warp;
        uint32_t turn, sequence;
        uint64_t line;
        uint8_t path;
        bool joins;
    } loads[] = {
        {0, 0, 0, 1, IFL_PATH_PAST, false},  {0, 0, 1, 1, IFL_PATH_PAST, true},
        {0, 0, 2, 1, IFL_PATH_PAST, false},  {0, 0, 3, 1, IFL_PATH_PAST, true},
        {0, 1, 0, 1, IFL_PATH_PAST, false},  {0, 1, 1, 2, IFL_PATH_PAST, false},
        {1, 1, 2, 2, IFL_PATH_PAST, false},  {1, 2, 0, 3, IFL_PATH_PLAIN, false},
        {1, 2, 1, 3, IFL_PATH_PLAIN, false},
    };
    static made m;
    ifl_trace_index x = {0};
    (void)unused;
    m.count = 0;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        add(&m, loads[i].warp, loads[i].turn, loads[i].sequence, LOAD, loads[i].line);
        m.records[i].path = loads[i].path;
    }
    assert_true(build(&x, &m, 1, true));
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        assert_int_equal(x.touches[i].joins, loads[i].joins);
    ifl_trace_index_free(&x);
}

/* ---- the orders of all SMs ------------------------------------------------------------------- */

static uint64_t block_of(const ifl_grid_order *o, const ifl_keyed *step)
{
    return o->index->blocks[step->owner].number;
}

/* Three SMs, five blocks of a warp with a request each, one of them with two. */
static void make_grid(made *m, ifl_trace_index *x)
{
    m->count = 0;
    for (uint64_t block = 0; block < 5; block++)
        add(m, block, 0, 0, LOAD, block);
    add(m, 2, 1, 0, LOAD, 2);
    assert_true(build(x, m, 1, true));
}

static const ifl_grid_shape three_sms = {
    .placing = {.sms = 3, .blocks = 5}, .blocks_per_sm = 1, .blocks = 5, .turns = 6};

/* Block b is on SM b mod SMs, and each SM in its turn makes a request. */
static void test_sms_take_turns(void **unused)
{
    static const uint64_t by_sm[] = {0, 3, 1, 4, 2, 2}, all[] = {0, 1, 2, 3, 4, 2};
    static made m;
    ifl_trace_index x = {0};
    ifl_grid_order o = {0};
    (void)unused;
    make_grid(&m, &x);
    assert_true(ifl_grid_order_begin(&o, &x, &three_sms));
    assert_true(ifl_grid_order_of_sms(&o, 1, 16));
    assert_true(ifl_grid_order_join(&o));
    assert_int_equal(o.step_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(block_of(&o, &o.by_sm[i]), by_sm[i]);
        assert_int_equal(block_of(&o, &o.all[i]), all[i]);
    }
    ifl_grid_order_free(&o);
    ifl_trace_index_free(&x);
}

/* Two SMs read the same eight lines side by side, then two further blocks read them again: the first time one of them
 * brings a line from DRAM, and both wait for it. */
static void test_phases(void **unused)
{
    enum { LINES = 8, LEVELS = 1 << 10 };
    static const ifl_grid_shape two_sms = {.placing = {.sms = 2, .blocks = 4},
                                           .blocks_per_sm = 1,
                                           .l2_sm_groups = 2,
                                           .blocks = 4,
                                           .turns = 4 * LINES};
    static made m;
    ifl_trace_index x = {0};
    ifl_grid_order o = {0};
    ifl_cache_player p = {0};
    ifl_l1 l1 = {0};
    ifl_l2 l2 = {0};
    ifl_cache_rules rules;
    (void)unused;
    m.count = 0;
    for (uint64_t block = 0; block < 4; block++)
        for (uint32_t i = 0; i < LINES; i++)
            add(&m, block, i, 0, LOAD, i);
    for (size_t i = 0; i < m.count; i++)
        m.records[i].path = IFL_PATH_PAST;
    assert_true(build(&x, &m, 1, true));
    assert_true(ifl_cache_rules_find(9.0, &rules));
    assert_true(ifl_grid_order_begin(&o, &x, &two_sms));
    assert_true(ifl_grid_order_of_rounds(&o, false));
    assert_true(ifl_l1_open(&l1, &rules, LEVELS, 0));
    assert_true(ifl_l2_open(&l2, &rules, LEVELS, 0, x.lines, x.line_count, false));
    p.l1 = &l1;
    p.l2 = &l2;
    assert_true(ifl_cache_player_begin(&p, &o, &rules));
    ifl_cache_player_clear(&p);
    ifl_cache_play_missed(&p);
    ifl_cache_play_l1s(&p);
    ifl_l2_empty(&l2);
    ifl_cache_play_l2(&p);
    const ifl_cache_phases phases = ifl_cache_play_phases(&p);
    assert_true(phases.known);
    for (int i = 0; i < IFL_CACHE_PHASES / 2 - 1; i++)
        assert_true(phases.far[i] > 0.2 && phases.far[i] < 0.8 && phases.late[i] > 0.99);
    for (int i = IFL_CACHE_PHASES / 2 + 1; i < IFL_CACHE_PHASES; i++)
        assert_true(phases.far[i] < 0.01 && phases.late[i] < 0.01);
    ifl_cache_player_free(&p);
    ifl_l1_free(&l1);
    ifl_l2_free(&l2);
    ifl_grid_order_free(&o);
    ifl_trace_index_free(&x);
}

/* A warp reads a line three times; before the third time the L1 forgets what it holds. */
static void test_forgets(void **unused)
{
    enum { LINES = 1 << 10 };
    static const ifl_grid_shape one_sm = {.placing = {.sms = 1, .blocks = 1},
                                          .blocks_per_sm = 1,
                                          .l2_sm_groups = 2,
                                          .blocks = 1,
                                          .turns = 4};
    static made m;
    ifl_trace_index x = {0};
    ifl_grid_order o = {0};
    ifl_cache_player p = {0};
    ifl_l1 l1 = {0};
    ifl_cache_rules rules;
    uint64_t missed = 0;
    (void)unused;
    m.count = 0;
    add(&m, 0, 0, 0, LOAD, 7);
    add(&m, 0, 1, 0, LOAD, 7);
    add(&m, 0, 2, 0, IFL_TRACE_FORGET, 0);
    add(&m, 0, 3, 0, LOAD, 7);
    assert_true(build(&x, &m, 1, true));
    assert_int_equal(x.touch_count, 3);
    assert_true(ifl_cache_rules_find(9.0, &rules));
    assert_true(ifl_grid_order_begin(&o, &x, &one_sm));
    assert_true(ifl_grid_order_of_sms(&o, 1, 16));
    assert_true(ifl_l1_open(&l1, &rules, LINES, 0));
    p.l1 = &l1;
    assert_true(ifl_cache_player_begin(&p, &o, &rules));
    ifl_cache_player_clear(&p);
    ifl_cache_play_l1s(&p);
    for (int g = 0; g < IFL_LINE_GROUPS; g++)
        missed += p.sums.of[IFL_TALLY_L1_MISSES][g];
    uint64_t asked = 0;
    for (uint32_t t = 0; t < x.touch_count; t++)
        asked += (uint64_t)__builtin_popcount(x.touches[t].sectors & 0xf);
    assert_int_equal(missed, asked * 2 / 3);
    ifl_cache_player_free(&p);
    ifl_l1_free(&l1);
    ifl_grid_order_free(&o);
    ifl_trace_index_free(&x);
}

/* Waves of three blocks; within one a warp's place is a matter of chance, but the same each
 * time, and its own requests keep their order. Only the requests of the line that is read twice
 * need the L1s. */
static void test_rounds(void **unused)
{
    static made m;
    ifl_trace_index x = {0};
    ifl_grid_order o = {0};
    (void)unused;
    make_grid(&m, &x);
    assert_true(ifl_grid_order_begin(&o, &x, &three_sms));
    assert_int_equal(o.duration, 6 * 256 / 5);
    assert_true(ifl_grid_order_of_rounds(&o, true));
    assert_int_equal(o.step_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        const uint64_t block = block_of(&o, &o.all[i]), late = ifl_line_hash(block + 1) % 256;
        const uint64_t turn = o.index->requests[o.all[i].index].position >> IFL_TRACE_SEQUENCE_BITS;
        assert_int_equal(o.all[i].key, block / 3 * o.duration + late + turn * 256);
        assert_true(!i || o.all[i - 1].key <= o.all[i].key);
    }
    assert_int_equal(o.first_step[3], 2);
    assert_true(block_of(&o, &o.by_sm[0]) == 2 && block_of(&o, &o.by_sm[1]) == 2);
    assert_true(o.by_sm[0].key < o.by_sm[1].key);
    assert_true(ifl_grid_order_of_rounds(&o, false));
    assert_int_equal(o.first_step[3], 6);
    ifl_grid_order_free(&o);
    ifl_trace_index_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_unused_sectors),
        cmocka_unit_test(test_every_second_load_past_the_l1_joins),
        cmocka_unit_test(test_sms_take_turns),
        cmocka_unit_test(test_forgets),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
