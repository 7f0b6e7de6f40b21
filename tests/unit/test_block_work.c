/* SPDX-License-Identifier: Apache-2.0
 * What is known of each block's work, from events made by hand. */
#include "count/observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { BLOCKS = 4 };

/* A launch of four blocks, of which one or more run at a time. */
static ifl_profile *profile_of(const uint64_t instructions[BLOCKS], bool was_alone)
{
    static const ifl_sites sites = {0};
    const ifl_observer *observer = ifl_observe_block_work.observer;
    ifl_error error;
    void *state = ifl_observer_new(observer, &sites, NULL);
    assert_non_null(state);
    for (uint64_t b = 0; b < BLOCKS; b++)
        observer->block_end(state, &(ifl_block_end){b, BLOCKS, instructions[b], was_alone});
    ifl_profile *profile = ifl_profile_new();
    assert_non_null(profile);
    assert_int_equal(ifl_observe_block_work.report(state, &sites, NULL, profile, &error), IFL_OK);
    ifl_observer_free(observer, state);
    return profile;
}

static void expect_slices(const uint64_t instructions[BLOCKS], bool was_alone, uint32_t slices)
{
    ifl_profile *profile = profile_of(instructions, was_alone);
    assert_int_equal(profile->work.slice_count, slices);
    for (uint32_t i = 0; i < slices; i++)
        assert_int_equal(profile->work.slices[i].sum, instructions[i]);
    ifl_profile_destroy(profile);
}

/* Side by side they differ by how long each waits, which says nothing, or as some get no work, which does: those that do less
 * than a quarter of the average, or half of them, which do hardly more than the least, while others do four times as much. */
static void blocks_that_differ(void **unused)
{
    static const uint64_t waiting[BLOCKS] = {100, 300, 150, 120}, fetching[BLOCKS] = {9, 9, 900, 9},
                          preparing[BLOCKS] = {100, 105, 1200, 300}, alike[BLOCKS] = {7, 7, 7, 7};
    (void)unused;
    expect_slices(waiting, true, BLOCKS);
    expect_slices(waiting, false, 0);
    expect_slices(fetching, true, BLOCKS);
    expect_slices(fetching, false, BLOCKS);
    expect_slices(preparing, false, BLOCKS);
    expect_slices(alike, true, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_that_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
