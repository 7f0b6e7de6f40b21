/* SPDX-License-Identifier: Apache-2.0
 * What is kept of requests and of blocks for the model of one SM, and which blocks it follows. */
#include "time/time_blocks.h"
#include "time/time_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SITES = 64 };

static ifl_site all_sites[SITES];
static const ifl_sites sites = {.at = all_sites, .count = SITES};

/* Lines and costs come out of a word as they went in. */
static void test_words(void **unused)
{
    (void)unused;
    const ifl_request_cost cost = {
        .passes = 200, .serial = 32, .ends = 2, .lines = 64, .served = IFL_REQUEST_SHARED};
    const ifl_request_cost back = ifl_request_unpack(ifl_request_pack(cost));
    assert_int_equal(back.passes, 200);
    assert_int_equal(back.serial, 32);
    assert_int_equal(back.ends, 2);
    assert_int_equal(back.lines, 64);
    assert_int_equal(back.served, IFL_REQUEST_SHARED);
    assert_int_equal(ifl_line_pack(5, 0xa), 5 << 4 | 0xa);
}

/* What is kept of one request. */
static ifl_request_cost kept_of(const ifl_access *access)
{
    ifl_time_plan plan = {
        .scopes = {ifl_time_scope_of(&(ifl_placing){.sms = 132, .per_sm = 0, .blocks = 1}, 2)},
        .scope_count = 1,
        .warps_per_block = 1,
        .blocks = 1};
    const ifl_block_trace *found = NULL;
    ifl_time_traces *traces = ifl_observer_new(&ifl_time_observer, &sites, &plan);
    assert_true(ifl_time_observer.follows(traces, 0));
    ifl_time_observer.access(traces, access);
    assert_int_equal(ifl_time_traces_of(traces, 0, &found, 1), 1);
    const ifl_request_cost cost = ifl_request_unpack(found->warps[0].words.at[1]);
    ifl_observer_free(&ifl_time_observer, traces);
    return cost;
}

/* Of a store of 32 floats from an address on: ends within a sector. */
static uint32_t ends_of(uint64_t first, uint64_t stride)
{
    uint64_t address[IFL_WARP_LANES];
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        address[lane] = first + lane * stride;
    return kept_of(&(ifl_access){.kind = IFL_ACCESS_STORE,
                                 .space = IFL_SPACE_GLOBAL,
                                 .bytes = 4,
                                 .mask = UINT32_MAX,
                                 .address = address})
        .ends;
}

/* A request of the texture unit takes as many cycles as the unit, whatever its words are. */
static void test_texture_cycles(void **unused)
{
    (void)unused;
    uint64_t address[IFL_WARP_LANES] = {0x1000, 0x1010, 0x1020, 0x1030};
    for (uint8_t cycles = 1; cycles <= 4; cycles *= 2)
        assert_int_equal(kept_of(&(ifl_access){.kind = IFL_ACCESS_TEXTURE_LOAD,
                                               .space = IFL_SPACE_GLOBAL,
                                               .bytes = 16,
                                               .mask = 0xf,
                                               .cycles = cycles,
                                               .address = address})
                             .passes,
                         cycles);
}

static void test_ends_within_sectors(void **unused)
{
    (void)unused;
    assert_int_equal(ends_of(0x1000, 4), 0);
    assert_int_equal(ends_of(0x1020, 4), 0);
    assert_int_equal(ends_of(0x1004, 4), 2);
    assert_int_equal(ends_of(0x1004, 8), IFL_STORE_IN_PARTS);
    assert_int_equal(ends_of(0x1000, 32), IFL_STORE_IN_PARTS);
}

/* Two waves of blocks are kept in any case. */
static ifl_time_plan plan_of(const ifl_placing *placing, uint32_t warps)
{
    return (ifl_time_plan){.scopes = {ifl_time_scope_of(placing, 2 * placing->per_sm)},
                           .scope_count = 1,
                           .warps_per_block = warps,
                           .blocks = placing->blocks};
}

/* Blocks of two warps, of which the second ones do nothing, or as much as the first. */
static uint64_t followed_of_two(uint32_t first, uint32_t second, bool is_first_full)
{
    ifl_time_plan plan = plan_of(&(ifl_placing){.sms = 132, .per_sm = 1, .blocks = 2}, 2);
    const uint32_t count[] = {first, second};
    const ifl_block_trace *found[2] = {NULL};
    ifl_time_traces *traces = ifl_observer_new(&ifl_time_observer, &sites, &plan);
    for (uint64_t block = 0; block < 2; block++) {
        assert_true(ifl_time_observer.follows(traces, block));
        ifl_time_observer.stretch(traces, &(ifl_stretch){.last = count[block], .block = block});
        if (is_first_full && block == 0)
            ifl_time_observer.stretch(traces,
                                      &(ifl_stretch){.last = first, .block = block, .warp = 1});
    }
    assert_int_equal(ifl_time_traces_of(traces, 0, found, 2), 1);
    const uint64_t number = found[0]->number;
    ifl_observer_free(&ifl_time_observer, traces);
    return number;
}

/* Two blocks, each on its own SM: the launch ends with the longer one, which is followed. */
static void test_longer_of_two(void **unused)
{
    (void)unused;
    assert_int_equal(followed_of_two(60, 10, false), 0);
    assert_int_equal(followed_of_two(10, 60, false), 1);
    assert_int_equal(followed_of_two(10, 10, false), 1);
}

/* The last block has one warp that does as much, or hardly more, than those of the first, which has
 * two. */
static void test_fuller_of_two(void **unused)
{
    (void)unused;
    assert_int_equal(followed_of_two(10, 10, true), 0);
    assert_int_equal(followed_of_two(60, 61, true), 0);
    assert_int_equal(followed_of_two(60, 70, true), 1);
}

/* The last block is not full: it checks more and loads less, and is not the one that the launch ends with. */
static void test_longer_by_its_loads(void **unused)
{
    enum { LOADS = 8 };
    ifl_time_plan plan = plan_of(&(ifl_placing){.sms = 132, .per_sm = 1, .blocks = 2}, 1);
    ifl_access access = {.kind = IFL_ACCESS_LOAD,
                         .space = IFL_SPACE_GLOBAL,
                         .bytes = 4,
                         .mask = 1,
                         .address = (const uint64_t[IFL_WARP_LANES]){4096}};
    const ifl_block_trace *found = NULL;
    ifl_time_traces *traces = ifl_observer_new(&ifl_time_observer, &sites, &plan);
    (void)unused;
    assert_true(ifl_time_observer.follows(traces, 0));
    ifl_time_observer.stretch(traces, &(ifl_stretch){.last = 20, .block = 0});
    for (int i = 0; i < LOADS; i++)
        ifl_time_observer.access(traces, &access);
    assert_true(ifl_time_observer.follows(traces, 1));
    ifl_time_observer.stretch(traces, &(ifl_stretch){.last = 60, .block = 1});
    access.block = 1;
    ifl_time_observer.access(traces, &access);
    assert_int_equal(ifl_time_traces_of(traces, 0, &found, 1), 1);
    assert_int_equal(found->number, 0);
    ifl_observer_free(&ifl_time_observer, traces);
}

enum { SIDE = 32, PLANE = SIDE * SIDE, LIGHT = 6, HEAVY = 60 };

/* The first column of a grid has ten times the work of the others. */
static uint32_t work_of(uint64_t block)
{
    return block % SIDE ? LIGHT : HEAVY;
}

/* All blocks of the grid are resident, 8 on an SM at most. The followed SM gets what one with the
 * most heavy blocks gets. */
static void test_blocks_that_differ(void **unused)
{
    enum { SMS = 132, PER_SM = 8 };
    static ifl_work_slice slices[PLANE];
    const ifl_placing placing = {.sms = SMS, .per_sm = PER_SM, .blocks = PLANE};
    const ifl_block_work work = {.known = true, .slice_count = PLANE, .slices = slices};
    ifl_time_plan plan = plan_of(&placing, 1);
    ifl_time_blocks found;
    uint32_t heavy[SMS] = {0}, most = 0, found_heavy = 0;
    (void)unused;
    ifl_time_plan_samples(&plan, (const uint32_t[]){SIDE, SIDE, 1});
    ifl_time_traces *traces = ifl_observer_new(&ifl_time_observer, &sites, &plan);
    for (uint64_t block = 0; block < PLANE; block++) {
        slices[block] = (ifl_work_slice){1, work_of(block), work_of(block)};
        const uint32_t sm = ifl_place_sm(&placing, block);
        heavy[sm] += work_of(block) == HEAVY;
        most = heavy[sm] > most ? heavy[sm] : most;
        if (ifl_time_observer.follows(traces, block))
            ifl_time_observer.stretch(traces,
                                      &(ifl_stretch){.last = work_of(block), .block = block});
    }
    assert_true(ifl_time_blocks_differ(&plan, 0, PER_SM, &work));
    assert_true(ifl_time_blocks_last(traces, &plan, 0, PER_SM, PER_SM, &work, &found));
    for (size_t i = 0; i < found.count; i++)
        found_heavy += ifl_block_trace_instructions(found.at[i], 1) == HEAVY;
    assert_int_equal(found_heavy, most);
    assert_in_range(found.count, PLANE / SMS, PLANE / SMS + 1);
    assert_true(found.longer > 0.999 && found.longer < 1.001);
    const double all = SIDE * HEAVY + (PLANE - SIDE) * LIGHT,
                 own = found_heavy * HEAVY + ((double)found.count - found_heavy) * LIGHT;
    assert_true(found.sms > 0.999 * all / own && found.sms < 1.001 * all / own);
    ifl_time_blocks_free(&found);
    ifl_observer_free(&ifl_time_observer, traces);
}

/* A quarter of the blocks does all the work, two on each SM; the others leave at once. The SM has one part in 132 of
 * the bandwidth, though it gets two of 1,024 blocks: run_aes of docs/suites.md, draw 22, an H200 498 us. */
static void test_blocks_that_leave(void **unused)
{
    enum { SMS = 132, PER_SM = 2, WORKING = PLANE / 4, LEAVING = 1 };
    static ifl_work_slice slices[PLANE];
    const ifl_placing placing = {.sms = SMS, .per_sm = PER_SM, .blocks = PLANE};
    const ifl_block_work work = {.known = true, .slice_count = PLANE, .slices = slices};
    ifl_time_plan plan = plan_of(&placing, 1);
    ifl_time_blocks found;
    (void)unused;
    ifl_time_plan_samples(&plan, (const uint32_t[]){PLANE, 1, 1});
    ifl_time_traces *traces = ifl_observer_new(&ifl_time_observer, &sites, &plan);
    for (uint64_t block = 0; block < PLANE; block++) {
        const uint32_t own = block < WORKING ? HEAVY : LEAVING;
        slices[block] = (ifl_work_slice){1, own, own};
        if (ifl_time_observer.follows(traces, block))
            ifl_time_observer.stretch(traces, &(ifl_stretch){.last = own, .block = block});
    }
    assert_true(ifl_time_blocks_last(traces, &plan, 0, PER_SM, 1, &work, &found));
    assert_true(found.of_sm < 12);
    assert_true(found.sms > 110 && found.sms <= SMS);
    ifl_time_blocks_free(&found);
    ifl_observer_free(&ifl_time_observer, traces);
}

/* A wave of blocks that do the same, and one more block for each SM: none gets two of these, though all places of the first SM
 * are free when the first of them starts. The last block, which is lighter, makes it a launch of blocks that differ. */
static void test_room_at_one_time(void **unused)
{
    enum { SMS = 4, PER_SM = 8, BLOCKS = SMS * (PER_SM + 1) };
    static ifl_work_slice slices[BLOCKS];
    const ifl_placing placing = {.sms = SMS, .per_sm = PER_SM, .blocks = BLOCKS};
    const ifl_block_work work = {.known = true, .slice_count = BLOCKS, .slices = slices};
    ifl_time_plan plan = plan_of(&placing, 1);
    ifl_time_blocks found;
    (void)unused;
    plan.blocks = BLOCKS;
    ifl_time_plan_samples(&plan, (const uint32_t[]){BLOCKS, 1, 1});
    ifl_time_traces *traces = ifl_observer_new(&ifl_time_observer, &sites, &plan);
    for (uint64_t block = 0; block < BLOCKS; block++) {
        const uint32_t own = block < BLOCKS - 1 ? HEAVY : LIGHT;
        slices[block] = (ifl_work_slice){1, own, own};
        if (ifl_time_observer.follows(traces, block))
            ifl_time_observer.stretch(traces, &(ifl_stretch){.last = own, .block = block});
    }
    assert_true(ifl_time_blocks_last(traces, &plan, 0, PER_SM, 1, &work, &found));
    assert_float_equal(found.of_sm, PER_SM + 1, 0);
    ifl_time_blocks_free(&found);
    ifl_observer_free(&ifl_time_observer, traces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_texture_cycles),
        cmocka_unit_test(test_ends_within_sectors),
        cmocka_unit_test(test_longer_of_two),
        cmocka_unit_test(test_fuller_of_two),
        cmocka_unit_test(test_longer_by_its_loads),
        cmocka_unit_test(test_blocks_that_differ),
        cmocka_unit_test(test_blocks_that_leave),
        cmocka_unit_test(test_room_at_one_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
