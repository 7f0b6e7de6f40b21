/* SPDX-License-Identifier: Apache-2.0
 * Traces that are changed, word by word, and the times that then follow from the rates that the
 * test gives (profile/what_if.h). */
#include "time/time_change.h"
#include "time/time_kept.h"

#include "quick_rates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SITES = 8, MOST_BLOCKS = 8, MOST_WORDS = 256 };

static ifl_site all_sites[SITES];
static ifl_sites sites = {.at = all_sites, .count = SITES};

/* Blocks of one warp. */
typedef struct blocks {
    uint32_t words[MOST_BLOCKS][MOST_WORDS];
    ifl_warp_trace warps[MOST_BLOCKS];
    ifl_block_trace at[MOST_BLOCKS];
    const ifl_block_trace *list[MOST_BLOCKS];
    size_t count;
} blocks;

static void add_block(blocks *b)
{
    ifl_warp_trace *warp = &b->warps[b->count];
    b->at[b->count] = (ifl_block_trace){.number = b->count, .warps = warp};
    b->list[b->count] = &b->at[b->count];
    warp->words.at = b->words[b->count++];
}

static void put(blocks *b, uint32_t word)
{
    ifl_warp_trace *warp = &b->warps[b->count - 1];
    warp->words.at[warp->words.count++] = word;
}

static void run_sites(blocks *b, uint32_t first, uint32_t count)
{
    put(b, IFL_WORD_STRETCH | first);
    put(b, count);
}

/* `step`: lines between one of the request's and the next. */
static void ask(blocks *b, uint32_t site, uint64_t first, uint32_t lines, uint64_t step,
                uint32_t sectors)
{
    put(b, site);
    put(b, ifl_request_pack(
               (ifl_request_cost){.passes = lines, .lines = lines, .served = IFL_REQUEST_GLOBAL}));
    for (uint32_t i = 0; i < lines; i++)
        put(b, ifl_line_pack(first + i * step, sectors));
}

static ifl_site plain(void)
{
    return (ifl_site){
        .name = "IADD3",
        .pipe = IFL_PIPES,
        .flop = IFL_FLOPS,
        .access = {.kind = IFL_ACCESS_KINDS},
        .control = {.known = true, .stall = 1, .writes = IFL_NO_BOARD, .reads = IFL_NO_BOARD}};
}

/* Site 0 loads, site 1 waits for it, site 2 computes; site 3 loads local memory, site 4 waits. */
static int set_up(void **unused)
{
    (void)unused;
    for (int i = 0; i < SITES; i++)
        all_sites[i] = plain();
    for (int at = 0; at <= 3; at += 3) {
        all_sites[at].name = "LDG";
        all_sites[at].pipe = IFL_PIPE_LSU;
        all_sites[at].access = (ifl_site_access){.kind = IFL_ACCESS_LOAD,
                                                 .space = at ? IFL_SPACE_LOCAL : IFL_SPACE_GLOBAL,
                                                 .path = at ? IFL_PATH_LOCAL : IFL_PATH_PLAIN,
                                                 .bytes = 4};
        all_sites[at].control.writes = 0;
        all_sites[at].control.delay = IFL_DELAY_L1;
        all_sites[at + 1].control.waits = 1;
    }
    return 0;
}

static ifl_trace_set changed(const blocks *b, const ifl_change *change, uint32_t at_once)
{
    ifl_trace_set from, to;
    assert_true(ifl_trace_set_copy(b->list, b->count, 1, b->count, 1 << 16, &from));
    assert_true(ifl_trace_set_change(&from, change, &sites, at_once, &to));
    ifl_trace_set_free(&from);
    return to;
}

static void has_words(const ifl_trace_set *set, size_t block, const blocks *expected)
{
    const ifl_warp_trace *is = &set->at[block].warps[0], *should = &expected->warps[0];
    assert_int_equal(is->words.count, should->words.count);
    assert_memory_equal(is->words.at, should->words.at, should->words.count * sizeof(uint32_t));
}

/* Requests of one site lie side by side, and the stretch is issued for each. */
static void test_join(void **unused)
{
    (void)unused;
    blocks b = {0}, expected = {0};
    for (int i = 0; i < 3; i++) { /* of three blocks, two become one */
        add_block(&b);
        run_sites(&b, 0, 3);
        ask(&b, 0, (uint64_t)(100 * i + 1), 1, 0, 0xf);
    }
    add_block(&expected);
    run_sites(&expected, 0, 3 + (1 << IFL_STRETCH_BITS));
    ask(&expected, 0, 1, 1, 0, 0xf);
    ask(&expected, 0, 101, 1, 0, 0xf);
    ifl_trace_set set = changed(&b, &(ifl_change){.join = 2}, 1);
    assert_int_equal(set.count, 1);
    has_words(&set, 0, &expected);
    ifl_trace_set_free(&set);
}

/* From where they do not do the same, one goes on after the other. */
static void test_join_apart(void **unused)
{
    (void)unused;
    blocks b = {0}, expected = {0};
    add_block(&b);
    run_sites(&b, 0, 3);
    run_sites(&b, 5, 1);
    add_block(&b);
    run_sites(&b, 0, 3);
    run_sites(&b, 6, 2);
    add_block(&expected);
    run_sites(&expected, 0, 3 + (1 << IFL_STRETCH_BITS));
    run_sites(&expected, 5, 1);
    run_sites(&expected, 6, 2);
    ifl_trace_set set = changed(&b, &(ifl_change){.join = 2}, 1);
    has_words(&set, 0, &expected);
    ifl_trace_set_free(&set);
}

/* Five trips of two stretches, two at a time; what comes before and after stays. */
static void test_unroll(void **unused)
{
    (void)unused;
    blocks b = {0}, expected = {0};
    add_block(&b);
    run_sites(&b, 7, 1);
    for (uint64_t trip = 0; trip < 5; trip++) {
        run_sites(&b, 0, 2);
        ask(&b, 0, trip, 1, 0, 0xf);
        run_sites(&b, 4, 1);
    }
    run_sites(&b, 6, 1);
    add_block(&expected);
    run_sites(&expected, 7, 1);
    for (uint64_t trip = 0; trip < 4; trip += 2) {
        run_sites(&expected, 0, 2 + (1 << IFL_STRETCH_BITS));
        ask(&expected, 0, trip, 1, 0, 0xf);
        ask(&expected, 0, trip + 1, 1, 0, 0xf);
        run_sites(&expected, 4, 1 + (1 << IFL_STRETCH_BITS));
    }
    run_sites(&expected, 0, 2);
    ask(&expected, 0, 4, 1, 0, 0xf);
    run_sites(&expected, 4, 1);
    run_sites(&expected, 6, 1);
    ifl_trace_set set = changed(&b, &(ifl_change){.unroll = 2}, 1);
    has_words(&set, 0, &expected);
    ifl_trace_set_free(&set);
}

/* Three warps do what one did; all of it is still done. */
static void test_cut(void **unused)
{
    (void)unused;
    blocks b = {0};
    size_t words = 0;
    add_block(&b);
    for (uint64_t i = 0; i < 9; i++) {
        run_sites(&b, 0, 3);
        ask(&b, 0, i, 1, 0, 0xf);
    }
    ifl_trace_set set = changed(&b, &(ifl_change){.cut = 3}, 1);
    assert_int_equal(set.count, 3);
    for (size_t i = 0; i < 3; i++)
        words += set.at[i].warps[0].words.count;
    assert_int_equal(words, b.warps[0].words.count);
    assert_int_equal(set.at[2].warps[0].words.count, 15);
    ifl_trace_set_free(&set);
    all_sites[2].role = IFL_SITE_BARRIER;
    ifl_trace_set from;
    assert_true(ifl_trace_set_copy(b.list, b.count, 1, b.count, 1 << 16, &from));
    assert_false(ifl_trace_set_change(&from, &(ifl_change){.cut = 3}, &sites, 1, &set));
    ifl_trace_set_free(&from);
    ifl_trace_set_free(&set);
}

static void test_shapes(void **unused)
{
    (void)unused;
    blocks b = {0};
    for (uint32_t i = 0; i < 6; i++) {
        add_block(&b);
        run_sites(&b, i, 1);
    }
    ifl_trace_set wide = changed(&b, &(ifl_change){.widen = 3}, 1);
    assert_int_equal(wide.count, 2);
    assert_int_equal(wide.warps, 3);
    assert_int_equal(wide.at[1].warps[2].words.at[0], IFL_WORD_STRETCH | 5);
    ifl_trace_set_free(&wide);
    ifl_trace_set chain = changed(&b, &(ifl_change){.in_one_wave = true}, 2);
    assert_int_equal(chain.count, 2);
    assert_int_equal(chain.at[1].warps[0].words.count, 6);
    assert_int_equal(chain.at[1].warps[0].words.at[2], IFL_WORD_STRETCH | 3);
    ifl_trace_set_free(&chain);
}

/* A column of four rows, then the next column: eight words fill the sectors of the rows. Each
 * request needs one sector, and all of them together those that there are. */
static void test_sectors(void **unused)
{
    (void)unused;
    const double needed[SITES] = {1};
    blocks b = {0}, expected = {0};
    add_block(&b);
    add_block(&expected);
    for (uint64_t i = 0; i < 5; i++) {
        run_sites(&b, 0, 3);
        ask(&b, 0, 0, 4, 10, 1);
        run_sites(&expected, 0, 3);
        ask(&expected, 0, i < 4 ? 0 : 10, 1, 0, i < 4 ? 1u << i : 1);
    }
    ifl_trace_set set = changed(&b, &(ifl_change){.sectors = needed, .site_count = SITES}, 1);
    has_words(&set, 0, &expected);
    ifl_trace_set_free(&set);
}

/* Half of the bytes; of shared memory one pass, as no two lanes meet in a bank. */
static void test_less(void **unused)
{
    (void)unused;
    const ifl_request_cost conflict = {.passes = 8, .served = IFL_REQUEST_SHARED},
                           free_of_it = {.passes = 1, .served = IFL_REQUEST_SHARED};
    blocks b = {0}, half = {0}, banks = {0};
    add_block(&b);
    add_block(&half);
    add_block(&banks);
    for (int i = 0; i < 3; i++) {
        blocks *to = i == 0 ? &b : i == 1 ? &half : &banks;
        run_sites(to, 0, 6);
        ask(to, 0, 7, i == 1 ? 1 : 2, 1, 0xf);
        put(to, 5);
        put(to, ifl_request_pack(i == 2 ? free_of_it : conflict));
    }
    all_sites[5].access = (ifl_site_access){
        .kind = IFL_ACCESS_LOAD, .space = IFL_SPACE_SHARED, .path = IFL_PATH_PLAIN, .bytes = 4};
    ifl_trace_set set = changed(&b, &(ifl_change){.half_words = true}, 1);
    has_words(&set, 0, &half);
    ifl_trace_set_free(&set);
    set = changed(&b, &(ifl_change){.no_conflicts = true}, 1);
    has_words(&set, 0, &banks);
    ifl_trace_set_free(&set);
}

/* ---- times ----------------------------------------------------------------------------------- */

enum { MOST_CHANGES = 8 };

/* Blocks of one warp, one at a time, that load and wait `trips` times. */
static void ratios_of(const blocks *b, const ifl_change *changes, size_t count, int threads,
                      double *ratios)
{
    const ifl_sm_rates rates = quick_rates();
    const ifl_time_sm sm = {.of = {.sites = &sites,
                                   .rates = &rates,
                                   .blocks = b->list,
                                   .block_count = b->count,
                                   .warps_per_block = 1,
                                   .blocks_per_sm = 1},
                            .sm_blocks = (double)b->count,
                            .blocks = (double)b->count,
                            .sms = 1};
    ifl_change known[MOST_CHANGES];
    const ifl_change *asked[MOST_CHANGES];
    void *kept = ifl_time_keep(&sm);
    assert_non_null(kept);
    for (size_t i = 0; i < count; i++) {
        known[i] = changes[i];
        known[i].known = true;
        asked[i] = &known[i];
    }
    ifl_time_kept_find(kept, threads, asked, count, ratios);
    ifl_time_kept_free(kept);
}

static double ratio_of(const blocks *b, const ifl_change *change)
{
    double ratio;
    ratios_of(b, change, 1, 1, &ratio);
    return ratio;
}

static void fill(blocks *b, size_t count, uint32_t trips)
{
    for (size_t i = 0; i < count; i++) {
        add_block(b);
        for (uint32_t trip = 0; trip < trips; trip++) {
            run_sites(b, 0, 3);
            ask(b, 0, 1000 * i + trip, 1, 0, 0xf);
        }
    }
}

static void is_near(double is, double should)
{
    assert_in_range((uint64_t)(1000 * is), (uint64_t)(950 * should), (uint64_t)(1050 * should));
}

/* All that takes time is to wait for the DRAM, 500 cycles. */
static void test_waits(void **unused)
{
    (void)unused;
    blocks b = {0};
    fill(&b, 4, 4);
    is_near(ratio_of(&b, &(ifl_change){0}), 1);
    is_near(ratio_of(&b, &(ifl_change){.join = 2}), 0.5);
    is_near(ratio_of(&b, &(ifl_change){.unroll = 4}), 0.25);
    is_near(ratio_of(&b, &(ifl_change){.blocks_per_sm = 4}), 0.25);
    is_near(ratio_of(&b, &(ifl_change){.from_l2 = true}), (double)QUICK_L2 / QUICK_DRAM);
    is_near(ratio_of(&b, &(ifl_change){.widen = 2}), 0.5);
}

/* The same to the bit, however many threads answer. */
static void test_side_by_side(void **unused)
{
    (void)unused;
    static const ifl_change changes[MOST_CHANGES] = {
        {.join = 2},  {.unroll = 4},     {.blocks_per_sm = 4}, {.from_l2 = true},
        {.loads = 1}, {.at_hand = true}, {.widen = 2},         {.known = false}};
    blocks b = {0};
    fill(&b, 4, 4);
    for (int threads = 1; threads <= 3; threads++) {
        double ratios[MOST_CHANGES];
        ratios_of(&b, changes, MOST_CHANGES, threads, ratios);
        for (size_t i = 0; i < MOST_CHANGES; i++) {
            const double alone = ratio_of(&b, &changes[i]);
            assert_memory_equal(&ratios[i], &alone, sizeof alone);
        }
    }
}

/* What cannot be said in these terms has no ratio. */
static void test_not_known(void **unused)
{
    (void)unused;
    const ifl_change change = {.known = false, .join = 2}, *asked = &change;
    double ratio = -1;
    ifl_time_kept_find(NULL, 1, &asked, 1, &ratio);
    assert_true(ratio == 0);
}

/* Asked for early enough, it takes what an L1 hit takes. */
static void test_at_hand(void **unused)
{
    (void)unused;
    const double issued =
        8; /* cycles of a trip beside the latency: three issues and the branch back */
    blocks b = {0};
    fill(&b, 4, 4);
    const double ratio = ratio_of(&b, &(ifl_change){.at_hand = true});
    assert_true(ratio >= (double)QUICK_L1 / (QUICK_DRAM + issued));
    assert_true(ratio <= (QUICK_L1 + issued) / QUICK_DRAM);
}

/* Addresses and tests are those of one word where words are joined, sums are as many as before. A
 * trip takes three cycles to issue and five to branch back. */
static void test_wide_words(void **unused)
{
    (void)unused;
    blocks b = {0};
    for (int i = 0; i < 4; i++) {
        add_block(&b);
        for (int trip = 0; trip < 50; trip++)
            run_sites(&b, 5, 3);
    }
    const ifl_change wide = {.join = 2, .joins_words = true};
    is_near(ratio_of(&b, &wide), 0.5);
    for (int i = 5; i < SITES; i++)
        all_sites[i].flop = 0;
    const double sums = (2 * 3 + 5) / (2 * (3 + 5.0));
    is_near(ratio_of(&b, &wide), sums);
    is_near(ratio_of(&b, &(ifl_change){.join = 2}), sums);
}

/* A conversion that is gone took the result of a load: what comes after it still waits for that. */
static void test_conversions(void **unused)
{
    (void)unused;
    blocks b = {0};
    all_sites[1].name = "F2F.F64.F32";
    fill(&b, 4, 4);
    is_near(ratio_of(&b, &(ifl_change){.single_precision = true}), 1);
}

/* Sums that wait for each other: eight cycles of double precision, four of single. A comparison's
 * predicate takes thirteen of either. */
static void test_single_precision(void **unused)
{
    enum { DOUBLE = 8, SINGLE = 4, PREDICATE = 13, SUMS = 2 };
    (void)unused;
    blocks b = {0};
    for (int i = 5; i < 5 + SUMS; i++) {
        all_sites[i].name = "DADD";
        all_sites[i].pipe = IFL_PIPE_FP64;
        all_sites[i].control.stall = DOUBLE;
    }
    add_block(&b);
    for (int trip = 0; trip < 50; trip++)
        run_sites(&b, 5, SUMS);
    const double sums = ratio_of(&b, &(ifl_change){.single_precision = true});
    assert_true(sums < 0.75);
    for (int i = 5; i < 5 + SUMS; i++) {
        all_sites[i].name = "DSETP.GT.AND";
        all_sites[i].traits = IFL_TRAIT_COMPARES;
        all_sites[i].control.stall = PREDICATE;
    }
    is_near(ratio_of(&b, &(ifl_change){.single_precision = true}), 1);
}

/* A grid that cannot be joined so is not known. */
static void test_unknown(void **unused)
{
    (void)unused;
    blocks b = {0};
    fill(&b, 1, 4);
    assert_true(ratio_of(&b, &(ifl_change){.join = 2}) == 0);
    assert_true(ratio_of(&b, &(ifl_change){.narrow = 2}) == 0);
}

/* Half of the waits are for local memory. */
static void test_local(void **unused)
{
    (void)unused;
    blocks b = {0};
    add_block(&b);
    for (uint64_t trip = 0; trip < 8; trip++) {
        run_sites(&b, 0, 5);
        ask(&b, 0, trip, 1, 0, 0xf);
        ask(&b, 3, 5000 + trip, 1, 0, 0xf);
    }
    is_near(ratio_of(&b, &(ifl_change){.no_local = true}), 0.5);
}

/* Of 64 trips that few lanes make two are left, beside what all lanes do: 65 waits become 3. */
static void test_lone_lanes(void **unused)
{
    (void)unused;
    static const uint8_t lone[SITES] = {0, 0, 0, 1, 1};
    blocks b = {0};
    add_block(&b);
    run_sites(&b, 0, 3);
    ask(&b, 0, 1, 1, 0, 0xf);
    for (uint64_t trip = 0; trip < 64; trip++) {
        run_sites(&b, 3, 2);
        ask(&b, 3, 5000 + trip, 1, 0, 0xf);
    }
    const ifl_change few = {.lone = lone, .site_count = SITES};
    is_near(ratio_of(&b, &few), 3 / 65.0);
    all_sites[4].role = IFL_SITE_BARRIER; /* all warps of the block come there */
    is_near(ratio_of(&b, &few), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_join, set_up),
        cmocka_unit_test_setup(test_join_apart, set_up),
        cmocka_unit_test_setup(test_unroll, set_up),
        cmocka_unit_test_setup(test_cut, set_up),
        cmocka_unit_test_setup(test_shapes, set_up),
        cmocka_unit_test_setup(test_sectors, set_up),
        cmocka_unit_test_setup(test_waits, set_up),
        cmocka_unit_test_setup(test_unknown, set_up),
        cmocka_unit_test_setup(test_local, set_up),
        cmocka_unit_test_setup(test_lone_lanes, set_up),
        cmocka_unit_test_setup(test_conversions, set_up),
        cmocka_unit_test_setup(test_single_precision, set_up),
        cmocka_unit_test_setup(test_less, set_up),
        cmocka_unit_test_setup(test_at_hand, set_up),
        cmocka_unit_test_setup(test_side_by_side, set_up),
        cmocka_unit_test(test_not_known),
        cmocka_unit_test_setup(test_wide_words, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
