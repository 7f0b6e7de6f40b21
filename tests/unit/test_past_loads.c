/* SPDX-License-Identifier: Apache-2.0
 * What the busiest slice of the L2 gets of loads past the L1, from events made by hand (arch/atomics.h). */
#include "count/observe.h"
#include "count/slice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = IFL_WARP_LANES, BASE = 1 << 20 };

static ifl_site sites_of_kernel[2]; /* past the L1, and through it */
static const ifl_sites sites = {.at = sites_of_kernel, .count = 2};
static const ifl_observer *observer;

static void load(void *state, uint32_t site, uint64_t first, uint64_t stride)
{
    uint64_t address[LANES];
    for (unsigned i = 0; i < LANES; i++)
        address[i] = first + i * stride;
    const ifl_access access = {.kind = IFL_ACCESS_LOAD,
                               .space = IFL_SPACE_GLOBAL,
                               .site = site,
                               .bytes = 4,
                               .mask = UINT32_MAX,
                               .address = address};
    observer->access(state, &access);
}

static uint64_t counter_of(const void *state, ifl_counter which)
{
    ifl_profile *profile = ifl_profile_new();
    ifl_error error;
    assert_non_null(profile);
    assert_int_equal(ifl_observe_past_loads.report(state, &sites, NULL, profile, &error), IFL_OK);
    assert_true(profile->counters.known[which]);
    const uint64_t value = (uint64_t)profile->counters.value[which];
    ifl_profile_destroy(profile);
    return value;
}

/* A line of one sector takes as long as one of two; what goes through the L1 does not count. */
static void turns_of_lines(void **unused)
{
    void *a = ifl_observer_new(observer, &sites, NULL),
         *b = ifl_observer_new(observer, &sites, NULL);
    (void)unused;
    load(a, 0, BASE, 0);   /* one word */
    load(a, 0, BASE, 4);   /* four sectors of a line */
    load(b, 0, BASE, 2);   /* two sectors */
    load(b, 1, BASE, 128); /* through the L1 */
    observer->merge(a, b);
    assert_int_equal(counter_of(a, IFL_COUNTER_global_past_lines), 3);
    assert_int_equal(counter_of(a, IFL_COUNTER_global_past_turns), 2 + 4 + 2);
    assert_int_equal(counter_of(a, IFL_COUNTER_global_past_busiest_slice), 2 + 4 + 2);
    ifl_observer_free(observer, a);
    ifl_observer_free(observer, b);
}

static uint32_t slices_of(uint64_t bytes)
{
    bool used[IFL_HALF_SLICES] = {false};
    uint32_t count = 0;
    for (uint64_t at = 0; at < bytes; at += IFL_SECTOR_BYTES) {
        const uint32_t slice = ifl_half_slice_of((BASE + at) / IFL_SECTOR_BYTES);
        assert_true(slice < IFL_HALF_SLICES);
        count += !used[slice];
        used[slice] = true;
    }
    return count;
}

/* An H200 serves tables of 256 bytes, 1, 4 and 16 KiB as if by 1, 2, 7 and 15 slices of each half
 * (tests/gpu/h200/hot_loads.txt), and large ones by all. */
static void slices_of_tables(void **unused)
{
    (void)unused;
    assert_int_equal(slices_of(256), 1);
    assert_int_equal(slices_of(1024), 2);
    assert_in_range(slices_of(4096), 6, 8);
    assert_in_range(slices_of(16384), 14, 16);
    assert_int_equal(slices_of(1 << 20), IFL_HALF_SLICES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_of_lines),
        cmocka_unit_test(slices_of_tables),
    };
    observer = ifl_observe_past_loads.observer;
    sites_of_kernel[0].access.path = IFL_PATH_PAST;
    sites_of_kernel[1].access.path = IFL_PATH_PLAIN;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
