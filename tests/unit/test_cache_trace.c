/* SPDX-License-Identifier: Apache-2.0
 * What the caches' traces keep of requests made by hand: the turns that docs/caches.md tells of ("In which order"). */
#include "observe/cache_replay.h"
#include "observe/cache_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { INSTRUCTIONS = 4, MOST = 16 };

/* One warp's trace. Instructions 0 to 2 are a basic block with a wait before the last, 3 is another block. */
static ifl_site all_sites[INSTRUCTIONS] = {
    {.turn = 0}, {.turn = 0}, {.turn = 1}, {.turn = 1 << IFL_TRACE_SEQUENCE_BITS}};
static const ifl_sites sites = {.at = all_sites, .count = INSTRUCTIONS};

typedef struct step {
    uint32_t instruction;
    ifl_access_kind kind;
    uint32_t turn, sequence; /* expected */
} step;

static void ask(ifl_trace_state *state, const step *s)
{
    const uint64_t address[IFL_WARP_LANES] = {0};
    const ifl_access access = {.site = s->instruction,
                               .kind = (uint8_t)s->kind,
                               .space = IFL_SPACE_GLOBAL,
                               .bytes = 4,
                               .mask = 1,
                               .address = address};
    ifl_cache_observer.access(state, &access);
}

static void check(const step *steps, size_t count)
{
    const ifl_trace_scope scope = {0};
    const ifl_trace_plan plan = {.scopes = &scope,
                                 .scope_count = 1,
                                 .warps_per_block = 1,
                                 .blocks = 1};
    ifl_trace_state *state = ifl_cache_observer.create_with(&sites, &plan);
    assert_non_null(state);
    for (size_t i = 0; i < count; i++)
        ask(state, &steps[i]);
    const ifl_trace *trace = ifl_trace_of(state, 0);
    assert_int_equal(trace->records.count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(trace->records.at[i].position,
                         steps[i].turn << IFL_TRACE_SEQUENCE_BITS | steps[i].sequence);
    ifl_cache_observer.destroy(state);
}

static void test_waits_end_turns(void **unused)
{
    static const step steps[] = {{0, IFL_ACCESS_LOAD, 0, 0},
                                 {1, IFL_ACCESS_LOAD, 0, 1},
                                 {2, IFL_ACCESS_LOAD, 1, 0},
                                 {3, IFL_ACCESS_LOAD, 2, 0}};
    (void)unused;
    check(steps, sizeof steps / sizeof *steps);
}

/* A block that begins anew ends the turn, of one load as of many. */
static void test_loops_end_turns(void **unused)
{
    static const step one[] = {
        {3, IFL_ACCESS_LOAD, 0, 0}, {3, IFL_ACCESS_LOAD, 1, 0}, {3, IFL_ACCESS_LOAD, 2, 0}};
    static const step two[] = {{0, IFL_ACCESS_LOAD, 0, 0},
                               {1, IFL_ACCESS_LOAD, 0, 1},
                               {0, IFL_ACCESS_LOAD, 1, 0},
                               {1, IFL_ACCESS_LOAD, 1, 1}};
    (void)unused;
    check(one, sizeof one / sizeof *one);
    check(two, sizeof two / sizeof *two);
}

/* Nothing waits for a store. */
static void test_stores_do_not(void **unused)
{
    static const step steps[] = {
        {3, IFL_ACCESS_STORE, 0, 0}, {3, IFL_ACCESS_STORE, 0, 1}, {0, IFL_ACCESS_STORE, 0, 2}};
    (void)unused;
    check(steps, sizeof steps / sizeof *steps);
}

/* Every block reads a line of its own. What a trace is too short for it keeps of every fourth line only, then of the
 * first blocks. */
static void test_cuts(void **unused)
{
    enum { BLOCKS = 1 << 21, SHARE = 2, LEAST = 4 };
    const ifl_trace_scope scope = {.most_share = SHARE, .least_blocks = LEAST};
    const ifl_trace_plan plan = {.scopes = &scope,
                                 .scope_count = 1,
                                 .warps_per_block = 1,
                                 .blocks = BLOCKS};
    ifl_trace_state *state = ifl_cache_observer.create_with(&sites, &plan);
    (void)unused;
    assert_non_null(state);
    for (uint64_t b = 0; b < BLOCKS; b++) {
        const uint64_t address[IFL_WARP_LANES] = {b * 128};
        const ifl_access access = {.kind = IFL_ACCESS_LOAD,
                                   .space = IFL_SPACE_GLOBAL,
                                   .bytes = 4,
                                   .mask = 1,
                                   .block = b,
                                   .address = address};
        ifl_cache_observer.access(state, &access);
    }
    const ifl_trace *trace = ifl_trace_of(state, 0);
    assert_int_equal(trace->share, SHARE);
    assert_true(ifl_trace_is_cut(trace));
    assert_in_range(trace->records.count, IFL_TRACE_RECORDS / 2 - 2, IFL_TRACE_RECORDS);
    for (size_t i = 0; i < trace->records.count; i++)
        assert_true(trace->records.at[i].warp < (uint64_t)trace->records.count << SHARE);
    ifl_cache_observer.destroy(state);
}

/* A sample of every 2^13-th line leaves 60 of an H200's L2, which is played with all of the grid, and one of a K40c's,
 * which is not. */
static void test_small_caches_get_a_part(void **unused)
{
    const ifl_trace whole = {.share = 13}, part = {.share = 7};
    const struct {
        const char *name;
        const ifl_trace *trace;
    } expected[] = {{"h200", &whole}, {"k40c", &part}};
    (void)unused;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        ifl_device *device = NULL;
        ifl_error error;
        assert_int_equal(ifl_device_open(expected[i].name, &device, &error), IFL_OK);
        assert_ptr_equal(ifl_cache_grid_trace(device, &whole, &part), expected[i].trace);
        ifl_device_close(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits_end_turns),
        cmocka_unit_test(test_loops_end_turns),
        cmocka_unit_test(test_stores_do_not),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_small_caches_get_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
