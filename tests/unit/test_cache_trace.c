/* SPDX-License-Identifier: Apache-2.0
 * What the caches' traces keep of requests made by hand: the turns that docs/caches.md tells of
 * ("In which order"). */
#include "cache/cache_scope.h"
#include "cache/cache_trace.h"
#include "cache/line.h"
#include "cache/request_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { INSTRUCTIONS = 4, MOST = 16 };

/* One warp's trace. Instructions 0 to 2 are a basic block with a wait before the last, 3 is
 * another block. */
static ifl_site all_sites[INSTRUCTIONS] = {
    {.turn = 0}, {.turn = 0}, {.turn = 1}, {.turn = 1 << IFL_TURN_BITS}};
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
    const ifl_trace_plan plan = {
        .scopes = &scope, .scope_count = 1, .warps_per_block = 1, .blocks = 1};
    ifl_trace_state *state = ifl_observer_new(&ifl_cache_observer, &sites, &plan);
    assert_non_null(state);
    for (size_t i = 0; i < count; i++)
        ask(state, &steps[i]);
    const ifl_trace *trace = ifl_trace_of(state, 0);
    assert_int_equal(trace->records.count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(trace->records.at[i].position,
                         steps[i].turn << IFL_TRACE_SEQUENCE_BITS | steps[i].sequence);
    ifl_observer_free(&ifl_cache_observer, state);
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

/* Every block reads a line of its own. What a trace is too short for it keeps of every fourth
 * line only, then of the first blocks. */
static void test_cuts(void **unused)
{
    enum { BLOCKS = 1 << 21, SHARE = 2, LEAST = 4 };
    const ifl_trace_scope scope = {.most_share = SHARE, .least_blocks = LEAST};
    const ifl_trace_plan plan = {
        .scopes = &scope, .scope_count = 1, .warps_per_block = 1, .blocks = BLOCKS};
    ifl_trace_state *state = ifl_observer_new(&ifl_cache_observer, &sites, &plan);
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
    ifl_observer_free(&ifl_cache_observer, state);
}

/* A sample of every 2^13-th line leaves 60 of an H200's L2, which is played with all of the
 * grid, and one of a K40c's, which is not. */
static void test_small_caches_get_a_part(void **unused)
{
    const struct {
        const char *name;
        bool takes_part;
    } expected[] = {{"h200", false}, {"k40c", true}};
    (void)unused;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        ifl_device *device = NULL;
        ifl_error error;
        assert_int_equal(ifl_device_open(expected[i].name, &device, &error), IFL_OK);
        assert_int_equal(ifl_cache_takes_part(device, 13), expected[i].takes_part);
        ifl_device_close(device);
    }
}

/* ---- a scope that is like another ------------------------------------------------------------ */

enum { WHOLE, PART, ALONE, SCOPES };

static const ifl_trace_scope scopes[SCOPES] = {
    [WHOLE] = {.most_share = 60},
    [PART] = {.most_share = 2, .least_blocks = 4, .like = WHOLE + 1},
    [ALONE] = {.most_share = 2,
               .least_blocks =
                   4}, /* what the part is, with records of its own from the beginning */
};

/* Blocks from `first` on, each of which reads a line of its own. */
static void read_lines(ifl_trace_state *state, uint64_t first, uint64_t count)
{
    for (uint64_t b = first; b < first + count; b++) {
        const uint64_t address[IFL_WARP_LANES] = {b * 128};
        const ifl_access access = {.kind = IFL_ACCESS_LOAD,
                                   .space = IFL_SPACE_GLOBAL,
                                   .bytes = 4,
                                   .mask = 1,
                                   .block = b,
                                   .address = address};
        ifl_cache_observer.access(state, &access);
    }
}

static bool is_same_record(const ifl_trace_record *a, const ifl_trace_record *b)
{
    return a->line == b->line && a->warp == b->warp && a->position == b->position &&
           a->words == b->words && a->sectors == b->sectors && a->kind == b->kind &&
           a->path == b->path && a->bytes == b->bytes;
}

static void check_same(const ifl_trace *a, const ifl_trace *b)
{
    assert_int_equal(a->level, b->level);
    assert_int_equal(a->share, b->share);
    assert_int_equal(a->records.count, b->records.count);
    for (size_t i = 0; i < a->records.count; i++)
        assert_true(is_same_record(&a->records.at[i], &b->records.at[i]));
}

/* Whoever of two workers has so much that the part is no longer like the whole: it has the same
 * records as if it had never been, and is the whole itself as long as it is like it. */
static void test_part_of_two_workers(void **unused)
{
    static const struct {
        uint64_t first, second;
        bool is_like;
    } cases[] = {{1 << 10, 1 << 10, true},  {3 << 18, 1 << 10, true},  {1 << 21, 1 << 10, false},
                 {1 << 10, 1 << 21, false}, {3 << 18, 3 << 18, false}, {1 << 21, 1 << 21, false}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ifl_trace_plan plan = {.scopes = scopes,
                                     .scope_count = SCOPES,
                                     .warps_per_block = 1,
                                     .blocks = cases[i].first + cases[i].second};
        ifl_trace_state *one = ifl_observer_new(&ifl_cache_observer, &sites, &plan);
        ifl_trace_state *two = ifl_observer_new(&ifl_cache_observer, &sites, &plan);
        read_lines(one, 0, cases[i].first);
        read_lines(two, cases[i].first, cases[i].second);
        ifl_cache_observer.merge(one, two);
        assert_int_equal(ifl_trace_of(one, PART) == ifl_trace_of(one, WHOLE), cases[i].is_like);
        check_same(ifl_trace_of(one, PART), ifl_trace_of(one, ALONE));
        assert_true(ifl_trace_is_whole(one));
        ifl_observer_free(&ifl_cache_observer, one);
        ifl_observer_free(&ifl_cache_observer, two);
    }
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* The lines of a request, one lane after the other. */
static void check_lanes(const ifl_access *access, uint32_t share)
{
    static ifl_request_lines lines;
    uint64_t expected[IFL_REQUEST_LINES], sectors[IFL_REQUEST_LINES] = {0}, count = 0;
    for (int lane = 0; lane < IFL_WARP_LANES; lane++)
        for (uint64_t byte = access->address[lane];
             access->mask >> lane & 1 && byte < access->address[lane] + access->bytes; byte++) {
            const uint64_t line = byte / 128;
            uint64_t i = 0;
            while (i < count && expected[i] != line)
                i++;
            if (share && ifl_line_place(line) >> (64 - share))
                continue;
            expected[i] = line;
            count += i == count;
            sectors[i] |= UINT64_C(1) << byte % 128 / 32;
        }
    ifl_request_lines_init(&lines);
    ifl_request_lines_want(&lines, share);
    ifl_request_lines_find(&lines, access);
    assert_int_equal(lines.count, count);
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(lines.at[i].line, expected[i]);
        assert_int_equal(lines.at[i].sectors & 0xf, sectors[i]);
    }
}

/* Lanes in one row of lines and in many, aligned and not, all of them active and half. */
static void test_lines_of_lanes(void **unused)
{
    static const uint64_t spans[] = {1 << 9, 1 << 16, UINT64_C(1) << 40};
    uint64_t state = 1, address[IFL_WARP_LANES];
    (void)unused;
    for (int round = 0; round < 3000; round++) {
        const bool is_aligned = round % 2 == 0;
        for (int lane = 0; lane < IFL_WARP_LANES; lane++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            address[lane] = (UINT64_C(5) << 41) + (state >> 20) % spans[round % 3];
            address[lane] &= is_aligned ? ~UINT64_C(7) : UINT64_MAX;
        }
        const ifl_access access = {.kind = round % 5 == 0 ? IFL_ACCESS_STORE : IFL_ACCESS_LOAD,
                                   .bytes = 8,
                                   .mask = round % 7 == 0 ? 0x5a5a1234 : UINT32_MAX,
                                   .address = address};
        check_lanes(&access, (uint32_t)round % 4);
    }
}

static void check_equal(const ifl_request_lines *a, const ifl_request_lines *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_int_equal(a->at[i].line, b->at[i].line);
        assert_int_equal(a->at[i].place, b->at[i].place);
        assert_int_equal(a->at[i].sectors, b->at[i].sectors);
        assert_int_equal(a->at[i].part_bytes, b->at[i].part_bytes);
        assert_int_equal(a->at[i].words, b->at[i].words);
    }
}

/* What is known of requests that are alike is so of all: layouts in turn, near and far, of loads and
 * stores, each from many places, in whole and in a sample. */
static void test_lines_of_likes(void **unused)
{
    static const uint64_t spans[] = {1 << 8, 1 << 13, UINT64_C(1) << 45};
    enum { LAYOUTS = 12, PLACES = 100 };
    static ifl_request_lines plain, known;
    (void)unused;
    ifl_request_lines_init(&plain);
    ifl_request_lines_init(&known);
    for (uint32_t place = 0; place < PLACES; place++)
        for (uint32_t layout = 0; layout < LAYOUTS; layout++) {
            uint64_t state = layout + 1, address[IFL_WARP_LANES];
            for (int lane = 0; lane < IFL_WARP_LANES; lane++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                address[lane] =
                    (UINT64_C(5) << 46) + (state >> 16) % spans[layout % 3] + place * 36;
            }
            ifl_access access = {.kind = layout % 4 == 0 ? IFL_ACCESS_STORE : IFL_ACCESS_LOAD,
                                 .bytes = (uint8_t)(1 << layout % 5),
                                 .mask = layout % 2 ? 0x5a5a1234 : UINT32_MAX,
                                 .address = address};
            ifl_request_lines_want(&plain, place % 3);
            ifl_request_lines_want(&known, place % 3);
            ifl_request_lines_find(&plain, &access);
            access.likeness = layout + 1;
            ifl_request_lines_find(&known, &access);
            check_equal(&plain, &known);
        }
    ifl_request_lines_free(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits_end_turns),         cmocka_unit_test(test_loops_end_turns),
        cmocka_unit_test(test_stores_do_not),           cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_small_caches_get_a_part), cmocka_unit_test(test_part_of_two_workers),
        cmocka_unit_test(test_lines_of_lanes),          cmocka_unit_test(test_lines_of_likes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
