/* SPDX-License-Identifier: Apache-2.0
 * Where blocks run: the rule of block_places.h, by hand, and that equal blocks come out as by
 * arithmetic. */
#include "device/block_places.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* The place that the next block takes. */
static uint32_t put(ifl_block_places *places, double duration)
{
    const uint32_t number = places->number[0];
    ifl_block_places_put(places, duration);
    return number;
}

static void test_equal_blocks(void **unused)
{
    enum { SMS = 5, PLACES = 3 * SMS };
    static ifl_block_places places;
    const ifl_placing placing = {.sms = SMS, .per_sm = 3, .blocks = 4 * PLACES};
    (void)unused;
    ifl_block_places_init(&places, PLACES);
    for (uint64_t block = 0; block < 4 * PLACES; block++) {
        assert_int_equal(places.until[0], 7 * ifl_block_wave(block, PLACES));
        assert_int_equal(ifl_place_sm(&placing, put(&places, 7)), ifl_place_sm(&placing, block));
    }
}

/* Three places; the first block takes long, so that the others go round it. */
static void test_first_free(void **unused)
{
    static ifl_block_places places;
    static const double durations[] = {5, 1, 2, 1, 1, 1, 1, 1, 1};
    static const uint32_t expected[] = {0, 1, 2, 1, 1, 2, 1, 2, 1};
    (void)unused;
    ifl_block_places_init(&places, 3);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(put(&places, durations[i]), expected[i]);
}

/* Blocks that an H200 had on one SM are on one SM here, and no others. */
static void judge_grid(uint32_t blocks, FILE *file, uint32_t per_sm)
{
    enum { SMS = 132, UNKNOWN = UINT32_MAX };
    const ifl_placing placing = {.sms = SMS, .per_sm = per_sm, .blocks = blocks};
    uint32_t ours[SMS], theirs[SMS];
    for (uint32_t i = 0; i < SMS; i++)
        ours[i] = theirs[i] = UNKNOWN;
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t there = SMS;
        assert_int_equal(fscanf(file, "%" SCNu32, &there), 1);
        const uint32_t here = ifl_place_sm(&placing, b);
        assert_true(there < SMS && here < SMS);
        if (ours[there] == UNKNOWN)
            ours[there] = here;
        if (theirs[here] == UNKNOWN)
            theirs[here] = there;
        assert_int_equal(ours[there], here);
        assert_int_equal(theirs[here], there);
    }
}

static void test_gpcs(void **unused)
{
    FILE *file = fopen("tests/gpu/h200/block_places.txt", "r");
    uint32_t blocks = 0, threads = 0, busy = 0, grids = 0;
    (void)unused;
    assert_non_null(file);
    fscanf(file, "%*[^\n]");
    while (fscanf(file, "%" SCNu32 " x %" SCNu32 ", %" SCNu32 " work:", &blocks, &threads, &busy) ==
           3) {
        judge_grid(blocks, file, 2048 / threads);
        grids++;
    }
    fclose(file);
    assert_int_equal(grids, 4);
}

static void test_clusters(void **unused)
{
    FILE *file = fopen("tests/gpu/h200/clusters.txt", "r");
    uint32_t size = 0, kib = 0, per_sm = 0, clusters = 0, rows = 0;
    (void)unused;
    assert_non_null(file);
    fscanf(file, "%*[^\n]");
    for (; fscanf(file, "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32, &size, &kib, &per_sm,
                  &clusters) == 4;
         rows++)
        assert_int_equal(ifl_place_clusters(132, per_sm, size), clusters);
    fclose(file);
    assert_int_equal(rows, 84);
    assert_int_equal(ifl_place_clusters(148, 1, 4), 37); /* a GPU of whose GPCs nothing is known */
}

/* What is too little for all SMs is one block each for as many. */
static void test_rest(void **unused)
{
    static const uint32_t grids[] = {1, 66, 132, 133, 300, 391, 1056, 1100, 4097};
    (void)unused;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        const ifl_placing placing = {.sms = 132, .per_sm = 8, .blocks = grids[i]};
        uint32_t count[132] = {0};
        uint64_t most = 0;
        for (uint32_t b = 0; b < grids[i]; b++)
            count[ifl_place_sm(&placing, b)]++;
        for (uint32_t sm = 0; sm < 132; sm++)
            assert_in_range(count[sm], grids[i] / 132, (grids[i] + 131) / 132);
        const uint32_t chosen = ifl_place_busiest(&placing, &most);
        assert_int_equal(count[chosen], most);
        assert_int_equal(most, (grids[i] + 131) / 132);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_blocks), cmocka_unit_test(test_first_free),
        cmocka_unit_test(test_gpcs),         cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
