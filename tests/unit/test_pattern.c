/* SPDX-License-Identifier: Apache-2.0
 * Address patterns: the four categories of document 004 (offset, large stride between threads, a
 * large contiguous region for each thread, irregular) and the good ones (coalesced, permuted,
 * broadcast), from events made by hand. */
#include "count/observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = IFL_WARP_LANES, INSTRUCTIONS = 24 };

static ifl_site all_sites[INSTRUCTIONS];
static const ifl_sites sites = {.at = all_sites, .count = INSTRUCTIONS};
static uint64_t address[LANES];

/* ---- a session ------------------------------------------------------------------------------- */

static void *start(void)
{
    void *state = ifl_observer_new(ifl_observe_pattern.observer, &sites, NULL);
    assert_non_null(state);
    return state;
}

static void send(void *state, const ifl_access *access)
{
    ifl_observe_pattern.observer->access(state, access);
}

/* The pattern of an instruction; the session goes on. */
static ifl_pattern pattern_of(const void *state, uint32_t instruction)
{
    int32_t line_of[INSTRUCTIONS];
    ifl_profile *profile = ifl_profile_new();
    assert_non_null(profile);
    for (int32_t i = 0; i < INSTRUCTIONS; i++) {
        line_of[i] = i;
        assert_true(ifl_vec_push(&profile->lines, (ifl_profile_line){.space = IFL_SPACE_GLOBAL}));
    }
    assert_int_equal(ifl_observe_pattern.report(state, &sites, line_of, profile, NULL), IFL_OK);
    ifl_pattern pattern = profile->lines.at[instruction].pattern;
    ifl_profile_destroy(profile);
    return pattern;
}

static void stop(void *state)
{
    ifl_observer_free(ifl_observe_pattern.observer, state);
}

static ifl_access load(unsigned bytes)
{
    return (ifl_access){
        .space = IFL_SPACE_GLOBAL, .bytes = (uint8_t)bytes, .mask = UINT32_MAX, .address = address};
}

static void fill(uint64_t base, int64_t stride)
{
    for (int i = 0; i < LANES; i++)
        address[i] = base + (uint64_t)(i * stride);
}

/* A fixed order without a pattern. */
static unsigned shuffled(unsigned i)
{
    return (i * 13 + 5) % LANES;
}

static ifl_pattern pattern_alone(const ifl_access *access)
{
    void *state = start();
    send(state, access);
    ifl_pattern pattern = pattern_of(state, access->site);
    stop(state);
    return pattern;
}

static void check_alone(const ifl_access *access, ifl_pattern_kind kind, int64_t stride_words)
{
    ifl_pattern pattern = pattern_alone(access);
    assert_string_equal(ifl_pattern_text(pattern.kind), ifl_pattern_text(kind));
    assert_int_equal(pattern.stride_words, stride_words);
    assert_int_equal(pattern.region_bytes, 0);
    assert_true(pattern.share == 1.0);
}

static void check(unsigned bytes, uint64_t base, int64_t stride, ifl_pattern_kind kind,
                  int64_t stride_words)
{
    ifl_access access = load(bytes);
    fill(base, stride);
    check_alone(&access, kind, stride_words);
}

/* ---- one request ----------------------------------------------------------------------------- */

static void neighbouring_words_are_coalesced(void **unused)
{
    (void)unused;
    for (unsigned bytes = 1; bytes <= 32; bytes *= 2)
        check(bytes, 4096, bytes, IFL_PATTERN_COALESCED, 0);
    check(4, 4096 + 31 * 4, -4, IFL_PATTERN_COALESCED, 0); /* backwards */
    check(4, 4096 + 32, 4, IFL_PATTERN_COALESCED, 0);      /* no sector more than needed */
}

static void misaligned_words_are_offset(void **unused)
{
    (void)unused;
    check(4, 4096 + 4, 4, IFL_PATTERN_OFFSET, 0);
    check(8, 4096 + 8, 8, IFL_PATTERN_OFFSET, 0);
    check(16, 4096 + 16, 16, IFL_PATTERN_OFFSET, 0);
    check(4, 4096 + 31 * 4 + 4, -4, IFL_PATTERN_OFFSET, 0);
    ifl_access access = load(4);
    access.shape = IFL_SHAPE_CONTIGUOUS;
    fill(4096 + 4, 4);
    check_alone(&access, IFL_PATTERN_OFFSET, 0);
    access.space = IFL_SPACE_SHARED; /* any start is as good in shared memory */
    check_alone(&access, IFL_PATTERN_COALESCED, 0);
    access.shape = IFL_SHAPE_ANY;
    check_alone(&access, IFL_PATTERN_COALESCED, 0);
}

static void permuted_words_are_coalesced(void **unused)
{
    (void)unused;
    ifl_access access = load(4);
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 4096 + 4 * shuffled(i);
    check_alone(&access, IFL_PATTERN_COALESCED, 0);
    for (unsigned i = 0; i < LANES; i++)
        address[i] += 4;
    check_alone(&access, IFL_PATTERN_OFFSET, 0);
    for (unsigned i = 0; i < LANES; i++) /* four whole sectors, but not side by side */
        address[i] = 4096 + 4 * (shuffled(i) + (shuffled(i) < 24 ? 0 : 8));
    check_alone(&access, IFL_PATTERN_IRREGULAR, 0);
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 4096 + 4 * (i / 2); /* pairs of lanes on one word */
    check_alone(&access, IFL_PATTERN_COALESCED, 0);
}

static void rows_of_a_block_are_coalesced_when_sectors_are_whole(void **unused)
{
    (void)unused;
    ifl_access access = load(4);
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 4096 + i / 8 * 2048 + i % 8 * 4;
    check_alone(&access, IFL_PATTERN_COALESCED, 0);
    for (unsigned i = 0; i < LANES; i++)
        address[i] += 4;
    check_alone(&access, IFL_PATTERN_ROWS, 0);
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 4096 + i / 2 * 64 + i % 2 * 4; /* a quarter of each sector is used */
    check_alone(&access, IFL_PATTERN_ROWS, 0);
    for (unsigned i = 0; i < LANES; i++) /* 4 × 4 × 2 threads of an array of three dimensions */
        address[i] = 4096 + i / 16 * 65536 + i / 4 % 4 * 1024 + i % 4 * 4;
    check_alone(&access, IFL_PATTERN_ROWS, 0);
    address[31] += 4;
    check_alone(&access, IFL_PATTERN_IRREGULAR, 0);
}

static void columns_of_a_block_are_strides(void **unused)
{
    (void)unused;
    ifl_access access = load(4);
    for (unsigned i = 0; i < LANES; i++) /* the naive transpose in blocks of 16 × 16 */
        address[i] = 4096 + i % 16 * 16384 + i / 16 * 4;
    check_alone(&access, IFL_PATTERN_STRIDED, 4096);
    for (unsigned i = 0; i < LANES; i++) /* in blocks of 4 × 4 × 2 */
        address[i] = 4096 + i % 4 * 16384 + i / 4 % 4 * 4 + i / 16 * (1 << 20);
    check_alone(&access, IFL_PATTERN_STRIDED, 4096);
}

static void one_address_is_broadcast(void **unused)
{
    (void)unused;
    check(4, 4096 + 4, 0, IFL_PATTERN_BROADCAST, 0);
    ifl_access access = load(8);
    access.mask = 0x00100000;
    check_alone(&access, IFL_PATTERN_BROADCAST, 0);
    fill(8192, 0);
    access.mask = 0xff;
    access.shape = IFL_SHAPE_UNIFORM;
    check_alone(&access, IFL_PATTERN_BROADCAST, 0);
}

static void constant_distances_are_strides(void **unused)
{
    (void)unused;
    check(4, 4096, 8, IFL_PATTERN_STRIDED, 2);
    check(4, 4096, 12, IFL_PATTERN_STRIDED, 3);
    check(8, 4096, 256, IFL_PATTERN_STRIDED, 32); /* the transpose of document 004 */
    check(8, 1 << 20, -8192, IFL_PATTERN_STRIDED, -1024);
    check(32, 4096, 64, IFL_PATTERN_STRIDED, 2);
    ifl_access access = load(4);
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 4096 + i / 16 * 4096; /* two rows of a 16 × 16 block, one word each */
    check_alone(&access, IFL_PATTERN_STRIDED, 1024);
    access.space = IFL_SPACE_SHARED;
    fill(0, 128);
    check_alone(&access, IFL_PATTERN_STRIDED, 32);
}

static void other_addresses_are_irregular(void **unused)
{
    (void)unused;
    ifl_access access = load(4);
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 4096 + 4 * (i * i * 7919 % 65536);
    check_alone(&access, IFL_PATTERN_IRREGULAR, 0);
    access.bytes = 32; /* whole sectors, but anywhere */
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 4096 + 32 * (i * i * 7919 % 65536);
    check_alone(&access, IFL_PATTERN_IRREGULAR, 0);
    access.bytes = 4;
    fill(4096, 4);
    address[31] += 4096;
    check_alone(&access, IFL_PATTERN_IRREGULAR, 0);
    fill(4096, 64);
    address[17] += 4;
    check_alone(&access, IFL_PATTERN_IRREGULAR, 0);
}

static void inactive_lanes_are_left_out(void **unused)
{
    (void)unused;
    static const uint32_t masks[] = {0x0000ffff, 0x55555555, 0xfffffffe, 0x80000001, 0x00f000f0};
    for (int m = 0; m < 5; m++) {
        ifl_access access = load(4);
        access.mask = masks[m];
        fill(4096, 4);
        for (unsigned i = 0; i < LANES; i++)
            if (!(masks[m] >> i & 1))
                address[i] = 0x123456789abcdef0u * (i + 1); /* no meaning */
        check_alone(&access, IFL_PATTERN_COALESCED, 0);
        for (unsigned i = 0; i < LANES; i++)
            if (masks[m] >> i & 1)
                address[i] = 4096 + 20 * i;
        check_alone(&access, IFL_PATTERN_STRIDED, 5);
    }
}

static void switched_off_requests_have_no_pattern(void **unused)
{
    (void)unused;
    void *state = start();
    ifl_access access = load(4);
    access.mask = 0;
    send(state, &access);
    assert_int_equal(pattern_of(state, 0).kind, IFL_PATTERN_NONE);
    access.mask = UINT32_MAX;
    fill(4096, 4);
    send(state, &access);
    assert_int_equal(pattern_of(state, 0).kind, IFL_PATTERN_COALESCED);
    assert_true(pattern_of(state, 0).share == 1.0); /* of the requests with active lanes */
    stop(state);
}

static void local_memory_is_coalesced_at_one_index(void **unused)
{
    (void)unused;
    for (unsigned bytes = 4; bytes <= 16; bytes *= 2) {
        ifl_access access = load(bytes);
        access.space = IFL_SPACE_LOCAL;
        fill(1 << 20, bytes);
        check_alone(&access, IFL_PATTERN_COALESCED, 0);
        for (unsigned i = 0; i < LANES; i++) /* an index of its own for every lane */
            address[i] += 32 * bytes * (i * i % 61);
        check_alone(&access, IFL_PATTERN_IRREGULAR, 0);
    }
}

/* ---- many requests --------------------------------------------------------------------------- */

static void the_commonest_kind_is_kept_with_its_share(void **unused)
{
    (void)unused;
    void *state = start();
    ifl_access access = load(4);
    for (int i = 0; i < 10; i++) {
        fill(4096, i < 6 ? 4 : 4 * (1 + i));
        send(state, &access);
    }
    ifl_pattern pattern = pattern_of(state, 0);
    assert_int_equal(pattern.kind, IFL_PATTERN_COALESCED);
    assert_true(pattern.share == 0.6);
    stop(state);
}

static void the_commonest_stride_is_named(void **unused)
{
    (void)unused;
    static const int64_t strides[] = {5, 9, -7, 9, 5, 9, 3};
    void *state = start();
    ifl_access access = load(4);
    for (uint32_t i = 0; i < 7; i++) {
        access.warp = i;
        fill(1 << 20, 4 * strides[i]);
        send(state, &access);
    }
    assert_int_equal(pattern_of(state, 0).stride_words, 9);
    access.warp = 7;
    fill(1 << 20, 20);
    send(state, &access);
    assert_int_equal(pattern_of(state, 0).stride_words, 5); /* of two equals the shorter */
    stop(state);
}

static void strides_that_always_change_are_irregular(void **unused)
{
    (void)unused;
    void *state = start();
    ifl_access access = load(4);
    for (int i = 0; i < 5000; i++) {
        access.block = (uint64_t)i;
        fill(1 << 20, 8 + 4 * i);
        send(state, &access);
    }
    ifl_pattern pattern = pattern_of(state, 0);
    assert_int_equal(pattern.kind, IFL_PATTERN_IRREGULAR);
    assert_true(pattern.share == 1.0);
    stop(state);
}

static void check_region(const void *state, uint32_t instruction, uint64_t bytes)
{
    ifl_pattern pattern = pattern_of(state, instruction);
    assert_string_equal(ifl_pattern_text(pattern.kind), "contiguous");
    assert_true(pattern.share == 1.0);
    assert_int_equal(pattern.region_bytes, bytes);
    assert_int_equal(pattern.stride_words, 0);
}

/* Case study 5: each thread loops through 16 doubles, threads 128 bytes apart. Warps may take
 * turns. */
static void a_thread_may_walk_its_region_in_a_loop(void **unused)
{
    (void)unused;
    for (int turns = 0; turns < 2; turns++) {
        void *state = start();
        ifl_access access = load(8);
        for (unsigned n = 0; n < 4 * 16; n++) {
            unsigned warp = turns ? n % 4 : n / 16, k = turns ? n / 4 : n % 16;
            access.warp = warp;
            fill((1 << 20) + warp * 4096 + k * 8, 128);
            send(state, &access);
        }
        check_region(state, 0, 128);
        stop(state);
    }
}

/* Case study 4: structures of 20 doubles, a member an instruction, in any order. */
static void members_of_a_structure_are_a_region(void **unused)
{
    (void)unused;
    static const unsigned order[] = {0, 2, 1, 3, 5, 4, 6, 7, 9, 8};
    void *state = start();
    ifl_access access = load(8);
    for (uint64_t block = 0; block < 3; block++) {
        for (uint32_t i = 0; i < 10; i++) {
            access.site = i;
            access.block = block;
            fill((1 << 20) + block * 5120 + order[i] * 8, 160);
            send(state, &access);
        }
    }
    for (uint32_t i = 0; i < 10; i++)
        check_region(state, i, 160);
    stop(state);
}

/* What looks like it but is not: other warps, other blocks, another stride, the same word again,
 * a word left out, another space. */
static void neighbours_must_be_of_one_thread(void **unused)
{
    (void)unused;
    static const struct {
        uint64_t block;
        uint32_t warp;
        int64_t base, stride;
        ifl_space space;
    } second[] = {{1, 0, 8, 160, IFL_SPACE_GLOBAL},  {0, 1, 8, 160, IFL_SPACE_GLOBAL},
                  {32, 0, 8, 160, IFL_SPACE_GLOBAL}, {0, 0, 8, 168, IFL_SPACE_GLOBAL},
                  {0, 0, 0, 160, IFL_SPACE_GLOBAL},  {0, 0, 16, 160, IFL_SPACE_GLOBAL},
                  {0, 0, 8, 160, IFL_SPACE_LOCAL},   {0, 0, 8, 160, IFL_SPACE_SHARED}};
    for (int i = 0; i < 8; i++) {
        void *state = start();
        ifl_access access = load(8);
        fill(1 << 20, 160);
        send(state, &access);
        access.site = 1;
        access.space = (uint8_t)second[i].space;
        access.block = second[i].block;
        access.warp = second[i].warp;
        fill((1 << 20) + (uint64_t)second[i].base, second[i].stride);
        send(state, &access);
        assert_int_equal(pattern_of(state, 0).kind, IFL_PATTERN_STRIDED);
        assert_int_equal(pattern_of(state, 0).stride_words, 20);
        assert_int_equal(pattern_of(state, 1).kind, IFL_PATTERN_STRIDED);
        stop(state);
    }
}

/* Of two spaces on one line (cp.async) the line's own space tells the pattern. */
/* The rows of a sparse matrix, strings: each lane goes on in its own region until that ends; two
 * instructions take turns. Another one gathers by what was loaded. */
static void regions_may_have_different_sizes(void **unused)
{
    (void)unused;
    void *state = start();
    uint64_t region[LANES], end = 1 << 20;
    for (unsigned i = 0; i < LANES; i++, end += 4 * (8 + shuffled(i)))
        region[i] = end;
    for (uint32_t k = 0; k < 8 + LANES - 1; k++) {
        ifl_access access = load(4);
        access.mask = 0;
        for (unsigned i = 0; i < LANES; i++) {
            address[i] = region[i] + 4 * k;
            access.mask |= (uint32_t)(k < 8 + shuffled(i)) << i;
        }
        access.site = k % 2;
        send(state, &access);
        for (unsigned i = 0; i < LANES; i++)
            address[i] = (1 << 24) + (uint64_t)(shuffled(i) * 37 + k * 911) % 1009 * 64;
        access.site = 2;
        send(state, &access);
    }
    for (uint32_t i = 0; i < 2; i++) {
        ifl_pattern pattern = pattern_of(state, i);
        assert_string_equal(ifl_pattern_text(pattern.kind), "contiguous");
        assert_int_equal(pattern.region_bytes, 0);
        assert_true(pattern.share > 0.9);
    }
    assert_string_equal(ifl_pattern_text(pattern_of(state, 2).kind), "irregular");
    stop(state);
}

/* Four members of structures anywhere are neighbours too, but no walk. */
static void members_of_structures_anywhere_are_irregular(void **unused)
{
    (void)unused;
    void *state = start();
    for (unsigned n = 0; n < 64; n++) {
        ifl_access access = load(4);
        access.site = n % 4;
        for (unsigned i = 0; i < LANES; i++)
            address[i] =
                (1 << 20) + (uint64_t)(shuffled(i) * 37 + n / 4 * 911) % 1009 * 64 + n % 4 * 4;
        send(state, &access);
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(ifl_pattern_text(pattern_of(state, i).kind), "irregular");
    stop(state);
}

static void the_space_of_the_line_decides(void **unused)
{
    (void)unused;
    void *state = start();
    ifl_access read = load(16), write = load(16);
    write.space = IFL_SPACE_SHARED;
    write.kind = IFL_ACCESS_STORE;
    fill(4096, 16);
    send(state, &read);
    fill(0, 64);
    for (int i = 0; i < 3; i++)
        send(state, &write);
    assert_int_equal(pattern_of(state, 0).kind, IFL_PATTERN_COALESCED);
    stop(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbouring_words_are_coalesced),
        cmocka_unit_test(misaligned_words_are_offset),
        cmocka_unit_test(permuted_words_are_coalesced),
        cmocka_unit_test(rows_of_a_block_are_coalesced_when_sectors_are_whole),
        cmocka_unit_test(columns_of_a_block_are_strides),
        cmocka_unit_test(one_address_is_broadcast),
        cmocka_unit_test(constant_distances_are_strides),
        cmocka_unit_test(other_addresses_are_irregular),
        cmocka_unit_test(inactive_lanes_are_left_out),
        cmocka_unit_test(switched_off_requests_have_no_pattern),
        cmocka_unit_test(local_memory_is_coalesced_at_one_index),
        cmocka_unit_test(the_commonest_kind_is_kept_with_its_share),
        cmocka_unit_test(the_commonest_stride_is_named),
        cmocka_unit_test(strides_that_always_change_are_irregular),
        cmocka_unit_test(a_thread_may_walk_its_region_in_a_loop),
        cmocka_unit_test(members_of_a_structure_are_a_region),
        cmocka_unit_test(neighbours_must_be_of_one_thread),
        cmocka_unit_test(regions_may_have_different_sizes),
        cmocka_unit_test(members_of_structures_anywhere_are_irregular),
        cmocka_unit_test(the_space_of_the_line_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
