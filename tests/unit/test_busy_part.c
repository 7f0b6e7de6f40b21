/* SPDX-License-Identifier: Apache-2.0
 * What the busiest places of the L2 get of atomics and of stores of one or two sectors of a line, from events made by
 * hand (arch/atomics.h). */
#include "count/observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LANES = IFL_WARP_LANES };

static const uint32_t every_lane = UINT32_MAX;
static ifl_site one_site[1];
static const ifl_sites sites = {.at = one_site, .count = 1};
static const ifl_observer *observer;

static ifl_profile *report_of(const void *state)
{
    static const int32_t line_of[] = {0};
    ifl_profile *profile = ifl_profile_new();
    ifl_error error;
    assert_non_null(profile);
    assert_true(ifl_vec_push(&profile->lines, (ifl_profile_line){.space = IFL_SPACE_GLOBAL}));
    assert_int_equal(ifl_observe_busy_part.report(state, &sites, line_of, profile, &error), IFL_OK);
    return profile;
}

static void fill(uint64_t *address, uint64_t base, uint64_t stride)
{
    for (unsigned i = 0; i < LANES; i++)
        address[i] = base + i * stride;
}

static void add_request(void *state, ifl_access_kind kind, uint32_t mask, const uint64_t *address)
{
    const ifl_access access = {
        .kind = kind, .space = IFL_SPACE_GLOBAL, .bytes = 4, .mask = mask, .address = address};
    observer->access(state, &access);
}

static void add_words(void *state, ifl_access_kind kind, uint64_t first, uint64_t stride,
                      uint32_t mask)
{
    uint64_t address[LANES];
    fill(address, first, stride);
    add_request(state, kind, mask, address);
}

/* What one worker sees of a launch of blocks that differ. */
static void add_to_parts(void *state, uint64_t first, uint64_t lines, uint32_t mask)
{
    for (uint64_t line = first; line < first + lines; line++)
        add_words(state, IFL_ACCESS_ATOMIC, 0x10000 + 512 * line, 4, mask);
}

/* Two workers: 4 + 1 sectors of part 3, 4 of the others, and five lanes on one word; with more than
 * 1,024 KiB nothing is known. */
static void busiest_part_of_atomics(void **unused)
{
    void *a = ifl_observer_new(observer, &sites, NULL),
         *b = ifl_observer_new(observer, &sites, NULL);
    const ifl_counter which = IFL_COUNTER_global_atomic_busiest_part;
    (void)unused;
    add_to_parts(a, 0, 1024, every_lane);
    add_to_parts(b, 3, 1, 0x1f);
    add_to_parts(b, 1024, 1024, every_lane);
    observer->merge(a, b);
    ifl_profile *profile = report_of(a);
    assert_true(profile->counters.known[which]);
    assert_int_equal(profile->counters.value[which], 2 * (4 + 1));
    ifl_profile_destroy(profile);
    const uint64_t word[LANES] = {0x10000, 0x10000, 0x10000, 0x10000, 0x10000, 0x10004, 0x10020};
    add_request(a, IFL_ACCESS_ATOMIC, 0x7f, word);
    profile = report_of(a);
    assert_int_equal(profile->counters.value[which], 2 * (4 + 5 + 1));
    ifl_profile_destroy(profile);
    add_to_parts(a, 4000, 1, 1);
    profile = report_of(a);
    assert_false(profile->counters.known[which]);
    ifl_profile_destroy(profile);
    ifl_observer_free(observer, a);
    ifl_observer_free(observer, b);
}

/* Two workers on one word, 2 + 6 * 2 passes a request of seven lanes; the next 256 bytes are in
 * another slice, and 512 bytes on in the same. A line of which four sectors are stored does not count; one
 * of which two are does, as often as one of one. */
static void busiest_slice_of_atomics_and_stores(void **unused)
{
    void *a = ifl_observer_new(observer, &sites, NULL),
         *b = ifl_observer_new(observer, &sites, NULL);
    (void)unused;
    add_words(a, IFL_ACCESS_ATOMIC, 0x10000, 0, 0x7f);
    add_words(b, IFL_ACCESS_ATOMIC, 0x10000, 0, 0x7f);
    add_words(b, IFL_ACCESS_ATOMIC, 0x10100, 0, 0x7);
    for (int i = 0; i < 3; i++)
        add_words(a, IFL_ACCESS_STORE, 0x10000, 0, every_lane);
    add_words(b, IFL_ACCESS_STORE, 0x10020, 0, 1);
    add_words(b, IFL_ACCESS_STORE, 0x10100, 0, 1);
    add_words(b, IFL_ACCESS_STORE, 0x10000, 4, every_lane);
    add_words(b, IFL_ACCESS_STORE, 0x10040, 4, 0xffff);
    add_words(b, IFL_ACCESS_STORE, 0x10080, 128, 0xff); /* two lines of 256 bytes each */
    add_words(b, IFL_ACCESS_STORE, 0x10000, 128, 0x1ff);
    observer->merge(a, b);
    ifl_profile *profile = report_of(a);
    const uint64_t *value = profile->counters.value;
    assert_int_equal(value[IFL_COUNTER_global_atomic_busiest_slice], 2 * (2 + 6 * 2));
    assert_int_equal(value[IFL_COUNTER_global_store_busiest_slice], 3 + 1 + 1 + 1 + 2);
    assert_int_equal(value[IFL_COUNTER_global_store_lone_requests], 3 + 1 + 1 + 1 + 8);
    ifl_profile_destroy(profile);
    ifl_observer_free(observer, a);
    ifl_observer_free(observer, b);
}

/* Warps whose first lane adds: to one word, and in turn to two sectors of a part (an H100: 33,792 of
 * them 61.8 and 29 us of floats, 27 and 26 of integers; scatter_probe.cu, few). */
static void floats_of_one_lane_keep_their_sector(void **unused)
{
    enum { REQUESTS = 12 };
    static const uint64_t expected[2][2] = {{24, 24}, {60, 30}};
    (void)unused;
    for (int is_float = 0; is_float < 2; is_float++)
        for (int sectors = 1; sectors <= 2; sectors++) {
            one_site[0].access.is_float = is_float;
            void *state = ifl_observer_new(observer, &sites, NULL);
            for (int i = 0; i < REQUESTS; i++) {
                const uint64_t address[LANES] = {4096 + 32 * (uint64_t)(i % sectors)};
                add_request(state, IFL_ACCESS_ATOMIC, 1, address);
            }
            ifl_profile *profile = report_of(state);
            assert_int_equal(profile->counters.value[IFL_COUNTER_global_atomic_busiest_part],
                             expected[is_float][sectors - 1]);
            ifl_profile_destroy(profile);
            ifl_observer_free(observer, state);
        }
}

/* 16 lanes of float on each of two words, of one sector, of two of one part, or of two parts: an
 * H100 takes 2 passes a sector and 2 more for each further lane on a word, and of floats 5 a lane, in
 * which other sectors go on (tools/gpu/atomic_probe.cu, scatter_float and scatter_red;
 * scatter_probe.cu, few). */
static void floats_on_one_address_take_longer(void **unused)
{
    const ifl_counter which = IFL_COUNTER_global_atomic_busiest_part;
    const uint64_t apart[] = {4, 32, 512}, expected[2][3] = {{32, 64, 32}, {80, 80, 80}};
    (void)unused;
    for (int is_float = 0; is_float < 2; is_float++)
        for (int i = 0; i < 3; i++) {
            uint64_t address[LANES];
            one_site[0].access.is_float = is_float;
            void *state = ifl_observer_new(observer, &sites, NULL);
            for (unsigned lane = 0; lane < LANES; lane++)
                address[lane] = 4096 + apart[i] * (lane % 2);
            add_request(state, IFL_ACCESS_ATOMIC, every_lane, address);
            ifl_profile *profile = report_of(state);
            assert_int_equal(profile->counters.value[which], expected[is_float][i]);
            ifl_profile_destroy(profile);
            ifl_observer_free(observer, state);
        }
}

/* 32 bytes or halves in a row, of which no place is told, are one or two sectors each; 32 words are not. They fall on
 * all slices alike. */
static void rows_are_stores_of_few_sectors(void **unused)
{
    void *state = ifl_observer_new(observer, &sites, NULL);
    const uint64_t place[] = {32}, in_line[] = {64}, across[] = {16};
    ifl_access row = {.kind = IFL_ACCESS_STORE,
                      .space = IFL_SPACE_GLOBAL,
                      .bytes = 1,
                      .shape = IFL_SHAPE_CONTIGUOUS,
                      .mask = every_lane,
                      .address = place};
    (void)unused;
    observer->contiguous(state, &row, 96 * 4);
    row.bytes = 2, row.address = in_line;
    observer->contiguous(state, &row, 96);
    row.bytes = 1, row.address = across;
    observer->contiguous(state, &row, 7);
    row.bytes = 4;
    observer->contiguous(state, &row, 1000);
    add_words(state, IFL_ACCESS_STORE, 0x10000, 0, 1);
    ifl_profile *profile = report_of(state);
    assert_int_equal(profile->counters.value[IFL_COUNTER_global_store_lone_requests], 96 * 5 + 1);
    assert_int_equal(profile->counters.value[IFL_COUNTER_global_store_busiest_slice], 5 + 1);
    assert_false(profile->counters.known[IFL_COUNTER_global_store_lone_blocks]);
    ifl_profile_destroy(profile);
    ifl_observer_free(observer, state);
}

/* Of four blocks on two workers one adds and stores, and one stores: twice. */
static void blocks_that_add_and_store(void **unused)
{
    void *a = ifl_observer_new(observer, &sites, NULL),
         *b = ifl_observer_new(observer, &sites, NULL);
    (void)unused;
    add_words(a, IFL_ACCESS_ATOMIC, 0x10000, 0, 1);
    add_words(a, IFL_ACCESS_STORE, 0x10000, 0, 1);
    observer->block_end(a, &(ifl_block_end){0, 4, 10, true});
    observer->block_end(a, &(ifl_block_end){2, 4, 10, true});
    add_words(b, IFL_ACCESS_STORE, 0x10000, 0, 1);
    add_words(b, IFL_ACCESS_STORE, 0x20000, 0, 1);
    observer->block_end(b, &(ifl_block_end){1, 4, 10, true});
    observer->block_end(b, &(ifl_block_end){3, 4, 10, true});
    observer->merge(a, b);
    ifl_profile *profile = report_of(a);
    assert_int_equal(profile->counters.value[IFL_COUNTER_global_atomic_blocks], 1);
    assert_int_equal(profile->counters.value[IFL_COUNTER_global_store_lone_blocks], 2);
    ifl_profile_destroy(profile);
    ifl_observer_free(observer, a);
    ifl_observer_free(observer, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busiest_part_of_atomics),
        cmocka_unit_test(busiest_slice_of_atomics_and_stores),
        cmocka_unit_test(floats_on_one_address_take_longer),
        cmocka_unit_test(floats_of_one_lane_keep_their_sector),
        cmocka_unit_test(rows_are_stores_of_few_sectors),
        cmocka_unit_test(blocks_that_add_and_store),
    };
    observer = ifl_observe_busy_part.observer;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
