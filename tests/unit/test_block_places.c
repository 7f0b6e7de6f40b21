/* SPDX-License-Identifier: Apache-2.0
 * Where blocks run: the rule of block_places.h, by hand, and that equal blocks come out as by
 * arithmetic. */
#include "device/block_places.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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
        assert_int_equal(places.until[0], 7 * ifl_block_wave(&placing, 3, block));
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

/* A wave of clusters in a grid of two dimensions: an SM never has more than it holds, a cluster's blocks
 * are in one GPC and on SMs of their own, and as many run as the rows say. */
static void judge_wave(uint32_t size, uint32_t per_sm, uint32_t clusters)
{
    enum { SMS = 132, GPCS = 8, MOST_SIZE = 16, UNKNOWN = UINT32_MAX };
    const uint32_t high = size % 2 ? 1 : 2, wide = size / high;
    const ifl_placing placing = {.sms = SMS,
                                 .per_sm = per_sm,
                                 .blocks = 2ull * clusters * size,
                                 .cluster = {wide, high, 1},
                                 .grid = {wide * clusters, 2 * high, 1}};
    uint32_t count[SMS] = {0}, used = 0;
    uint64_t most = 0;
    for (uint64_t n = 0; n < (uint64_t)clusters * size; n++) {
        static uint32_t gpc, sm_of[MOST_SIZE];
        const uint64_t block = ifl_place_nth(&placing, n);
        const uint32_t sm = ifl_place_sm(&placing, block), rank = (uint32_t)(n % size);
        assert_int_equal(ifl_place_turn(&placing, block), n);
        assert_int_equal(block / placing.grid[0] / high, 0); /* the first row of clusters */
        gpc = rank ? gpc : ifl_place_gpc(SMS, GPCS, sm);
        assert_int_equal(ifl_place_gpc(SMS, GPCS, sm), gpc);
        for (uint32_t r = 0; r < rank; r++)
            assert_int_not_equal(sm_of[r], sm);
        sm_of[rank] = sm;
        used += count[sm]++ == 0;
        assert_true(count[sm] <= per_sm);
    }
    assert_int_equal(ifl_place_held(SMS, per_sm, size), (uint64_t)clusters * size);
    assert_int_equal(ifl_place_used(SMS, per_sm, size), used);
    const uint32_t busiest = ifl_place_busiest(&placing, &most);
    assert_int_equal(2 * count[busiest], most); /* two waves: twice as many on each */
    for (uint32_t sm = 0; sm < SMS; sm++)
        assert_true(2 * count[sm] <= most);
}

static void test_waves_of_clusters(void **unused)
{
    FILE *file = fopen("tests/gpu/h200/clusters.txt", "r");
    uint32_t size = 0, kib = 0, per_sm = 0, clusters = 0;
    (void)unused;
    assert_non_null(file);
    fscanf(file, "%*[^\n]");
    while (fscanf(file, "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32, &size, &kib, &per_sm,
                  &clusters) == 4)
        if (size > 1)
            judge_wave(size, per_sm, clusters);
    fclose(file);
}

/* Row "4 200 1 30": 264 blocks are 66 clusters, of which 30, 30 and 6 run at a time; by themselves they
 * are two waves. */
static void test_busiest_of_clusters(void **unused)
{
    const ifl_placing apart = {.sms = 132, .per_sm = 1, .blocks = 264},
                      clustered = {.sms = 132,
                                   .per_sm = 1,
                                   .blocks = 264,
                                   .cluster = {4, 1, 1},
                                   .grid = {264, 1, 1}};
    uint64_t most = 0;
    (void)unused;
    ifl_place_busiest(&apart, &most);
    assert_int_equal(most, 2);
    ifl_place_busiest(&clustered, &most);
    assert_int_equal(most, 3);
    assert_int_equal(ifl_block_wave(&clustered, 1, 119), 0);
    assert_int_equal(ifl_block_wave(&clustered, 1, 120), 1);
    assert_int_equal(ifl_block_wave(&clustered, 1, 263), 2);
}

/* Each turn of GPCs has as many clusters of each as on an H200, from whatever GPC on it begins. */
static void judge_turns(uint32_t size, uint32_t per_sm, const char *gpcs)
{
    enum { GPCS = 9, SMS = 132 };
    const uint32_t clusters = (uint32_t)strlen(gpcs);
    const ifl_placing placing = {.sms = SMS,
                                 .per_sm = per_sm,
                                 .blocks = (uint64_t)clusters * size,
                                 .cluster = {size, 1, 1},
                                 .grid = {clusters * size, 1, 1}};
    int apart[GPCS] = {0};
    uint32_t turn = 1;
    for (uint32_t c = 0; c < clusters; c++) {
        apart[gpcs[c] - '0']++;
        apart[ifl_place_gpc(SMS, 1, ifl_place_sm(&placing, (uint64_t)c * size))]--;
        if (c + 1 < ifl_place_clusters(SMS, turn, size))
            continue;
        for (int g = 0; g < GPCS; g++)
            assert_int_equal(apart[g], 0);
        turn++;
    }
}

static void test_clusters_of_a_gpu(void **unused)
{
    enum { SMS = 132 };
    FILE *file = fopen("tests/gpu/h200/cluster_places.txt", "r");
    char line[2048], gpcs[1024];
    uint32_t size, kib, clusters, rows = 0;
    (void)unused;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        const uint32_t held_by_memory = 233472 / 1024;
        if (sscanf(line, "first %u %u %u %1023[0-9]", &size, &kib, &clusters, gpcs) == 4) {
            judge_turns(size, held_by_memory / (kib + 1), gpcs);
            rows++;
        }
    }
    fclose(file);
    assert_int_equal(rows, 24);
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
        cmocka_unit_test(test_equal_blocks),
        cmocka_unit_test(test_first_free),
        cmocka_unit_test(test_gpcs),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_waves_of_clusters),
        cmocka_unit_test(test_busiest_of_clusters),
        cmocka_unit_test(test_clusters_of_a_gpu),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
