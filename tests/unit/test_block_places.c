/* SPDX-License-Identifier: Apache-2.0
 * Where blocks run: the rule of block_places.h, by hand, and that equal blocks come out as by
 * arithmetic. */
#include "device/block_places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

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
    (void)unused;
    ifl_block_places_init(&places, PLACES);
    for (uint64_t block = 0; block < 4 * PLACES; block++) {
        assert_int_equal(places.until[0], 7 * ifl_block_wave(block, PLACES));
        assert_int_equal(ifl_place_sm(put(&places, 7), SMS), ifl_place_sm(block, SMS));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_blocks),
        cmocka_unit_test(test_first_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
