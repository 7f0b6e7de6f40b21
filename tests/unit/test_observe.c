/* SPDX-License-Identifier: Apache-2.0
 * The observers, fed with events made by hand. What is expected comes from document 004 (NVIDIA,
 * "GPU Performance Analysis and Optimization", GTC 2012) and from the counting rules of compute
 * capability 7.0 and later, see also test_footprint. */
#include "count/observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = IFL_WARP_LANES };

static const uint32_t every_lane = UINT32_MAX;

/* ---- a program and a session of one observation ---------------------------------------------- */

enum { INSTRUCTIONS = 24 };

static ifl_site all_sites[INSTRUCTIONS];
static int32_t line_of[INSTRUCTIONS];
static const ifl_sites sites = {.at = all_sites, .count = INSTRUCTIONS};

static ifl_profile *empty_profile(ifl_space space, ifl_access_kind kind)
{
    ifl_profile *profile = ifl_profile_new();
    assert_non_null(profile);
    for (int i = 0; i < INSTRUCTIONS; i++) {
        line_of[i] = i;
        assert_true(
            ifl_vec_push(&profile->lines, (ifl_profile_line){.space = space, .kind = kind}));
    }
    return profile;
}

static const char *const space_texts[IFL_SPACE_COUNT] = {
    [IFL_SPACE_GLOBAL] = "global", [IFL_SPACE_SHARED] = "shared", [IFL_SPACE_LOCAL] = "local"};
static const char *const kind_texts[IFL_ACCESS_KINDS] = {
    [IFL_ACCESS_LOAD] = "load", [IFL_ACCESS_STORE] = "store", [IFL_ACCESS_ATOMIC] = "atomic"};

static ifl_profile *report_of(const ifl_observation *observation, const void *state,
                              ifl_space space, ifl_access_kind kind)
{
    ifl_profile *profile = empty_profile(space, kind);
    ifl_error error;
    assert_int_equal(observation->report(state, &sites, line_of, profile, &error), IFL_OK);
    return profile;
}

/* One request alone, as line 0 of a profile. */
static ifl_profile *observe(const ifl_observation *observation, const ifl_access *access)
{
    void *state = ifl_observer_new(observation->observer, &sites, NULL);
    assert_non_null(state);
    observation->observer->access(state, access);
    ifl_profile *profile =
        report_of(observation, state, (ifl_space)access->space, (ifl_access_kind)access->kind);
    ifl_observer_free(observation->observer, state);
    return profile;
}

typedef struct figures {
    uint64_t requests, sectors, sectors_ideal, lines, lines_ideal, wavefronts, wavefronts_ideal,
        useful_bytes, serial;
} figures;

static uint64_t counter(const ifl_counters *counters, const ifl_access *access, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s_%s", space_texts[access->space], kind_texts[access->kind],
             what);
    ifl_counter found = ifl_counter_find(name);
    if (found == IFL_COUNTER_COUNT)
        return 0;
    assert_true(counters->known[found]);
    return counters->value[found];
}

static figures figures_of(const ifl_counters *c, const ifl_access *a)
{
    return (figures){counter(c, a, "requests"),
                     counter(c, a, "sectors"),
                     counter(c, a, "sectors_ideal"),
                     counter(c, a, "lines"),
                     counter(c, a, "lines_ideal"),
                     counter(c, a, "wavefronts"),
                     counter(c, a, "wavefronts_ideal"),
                     counter(c, a, "useful_bytes"),
                     counter(c, a, "serial")};
}

/* The launch and the line must agree. */
static figures measure(const ifl_access *access)
{
    ifl_profile *profile = observe(&ifl_observe_access, access);
    figures line = figures_of(&profile->lines.at[0].counters, access);
    figures launch = figures_of(&profile->counters, access);
    assert_memory_equal(&line, &launch, sizeof line);
    ifl_profile_destroy(profile);
    return line;
}

static ifl_access request(ifl_space space, ifl_access_kind kind, unsigned bytes, uint32_t mask,
                          const uint64_t *address)
{
    return (ifl_access){.space = (uint8_t)space,
                        .kind = (uint8_t)kind,
                        .bytes = (uint8_t)bytes,
                        .mask = mask,
                        .address = address};
}

static void fill(uint64_t *address, uint64_t base, uint64_t stride)
{
    for (unsigned i = 0; i < LANES; i++)
        address[i] = base + i * stride;
}

/* A fixed order without a pattern: i * 13 + 5 modulo 32 is a permutation. */
static unsigned shuffled(unsigned i)
{
    return (i * 13 + 5) % LANES;
}

static figures load(unsigned bytes, uint64_t base, uint64_t stride)
{
    uint64_t address[LANES];
    fill(address, base, stride);
    ifl_access access = request(IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD, bytes, every_lane, address);
    return measure(&access);
}

/* ---- global memory: the load scenarios of document 004 --------------------------------------- */

static void check_bus(figures f, uint64_t lines, uint64_t sectors, uint64_t useful)
{
    assert_int_equal(f.requests, 1);
    assert_int_equal(f.lines, lines);
    assert_int_equal(f.sectors, sectors);
    assert_int_equal(f.useful_bytes, useful);
}

static void aligned_words_use_the_whole_bus(void **unused)
{
    (void)unused;
    figures f = load(4, 1 << 20, 4);
    check_bus(f, 1, 4, 128); /* 100 % of one line, 100 % of four segments */
    assert_int_equal(f.sectors_ideal, 4);
    assert_int_equal(f.lines_ideal, 1);
    assert_int_equal(f.wavefronts, 1);
}

static void permuted_words_use_the_whole_bus(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 4096 + 4 * shuffled(i);
    ifl_access access = request(IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD, 4, every_lane, address);
    check_bus(measure(&access), 1, 4, 128);
}

static void misaligned_words_use_half_of_the_lines(void **unused)
{
    (void)unused;
    check_bus(load(4, 4096 + 4, 4), 2, 5, 128);  /* 50 %; at least 80 % of at most 5 segments */
    check_bus(load(4, 4096 + 32, 4), 2, 4, 128); /* "some misaligned patterns": 4 segments */
    check_bus(load(4, 4096 + 124, 4), 2, 5, 128);
}

static void one_word_uses_one_sector(void **unused)
{
    (void)unused;
    figures f = load(4, 4096 + 64, 0);
    check_bus(f, 1, 1, 4); /* 3.125 % of a line, 12.5 % of a segment */
    assert_int_equal(f.sectors_ideal, 1);
    assert_int_equal(f.wavefronts, 1);
}

static void scattered_words_use_a_line_each(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 4096 + 4096 * (uint64_t)shuffled(i) + 4 * i;
    ifl_access access = request(IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD, 4, every_lane, address);
    figures f = measure(&access);
    check_bus(f, 32, 32, 128); /* N = 32: 128 / (N * 128), 128 / (N * 32) */
    assert_int_equal(f.sectors_ideal, 4);
    assert_int_equal(f.wavefronts, 1); /* every lane in a bank of its own */
}

/* 32-, 64- and 128-bit lanes need 4, 8 and 16 sectors; 256-bit ones 32. */
static void wider_lanes_need_more_sectors(void **unused)
{
    (void)unused;
    for (unsigned bytes = 4; bytes <= 32; bytes *= 2) {
        figures f = load(bytes, 1 << 16, bytes);
        check_bus(f, bytes / 4, bytes, LANES * bytes);
        assert_int_equal(f.sectors_ideal, bytes);
        assert_int_equal(f.wavefronts, bytes / 4);
        assert_int_equal(f.wavefronts_ideal, bytes / 4);
    }
}

/* Case study 3: doubles, rows of 32 blocks of 32. */
static void transpose_of_doubles(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    check_bus(load(8, 1 << 20, 8), 2, 8, 256);
    fill(address, 1 << 20, 8192 * 8);
    ifl_access access = request(IFL_SPACE_GLOBAL, IFL_ACCESS_STORE, 8, every_lane, address);
    figures f = measure(&access);
    check_bus(f, 32, 32, 256);
    assert_int_equal(f.lines_ideal, 2);
    assert_int_equal(f.sectors_ideal, 8);
}

static void inactive_lanes_do_not_count(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    fill(address, 4096, 4);
    for (unsigned i = 8; i < LANES; i++)
        address[i] = 0xdead0000dead0000u * i; /* no meaning */
    ifl_access access = request(IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD, 4, 0xff, address);
    figures f = measure(&access);
    check_bus(f, 1, 1, 32);
    assert_int_equal(f.wavefronts_ideal, 1);
    access.mask = 0x1;
    check_bus(measure(&access), 1, 1, 4);
}

static void switched_off_request_has_no_sectors(void **unused)
{
    (void)unused;
    uint64_t address[LANES] = {0};
    static const ifl_access_shape shapes[] = {IFL_SHAPE_ANY, IFL_SHAPE_UNIFORM};
    for (int i = 0; i < 2; i++) {
        ifl_access access = request(IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD, 4, 0, address);
        access.shape = (uint8_t)shapes[i];
        figures f = measure(&access), wanted = {.requests = 1};
        assert_memory_equal(&f, &wanted, sizeof f);
    }
}

/* A pass of the texture unit after a request's first looks its sectors up, and is no request. */
static void later_passes_are_no_requests(void **unused)
{
    (void)unused;
    const uint64_t address[LANES] = {0x1000, 0x1010, 0x1040};
    ifl_access pass = request(IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD, 8, 7, address);
    void *state = ifl_observer_new(ifl_observe_access.observer, &sites, NULL);
    assert_non_null(state);
    for (int i = 0; i < 4; i++) {
        pass.continues = i != 0;
        ifl_observe_access.observer->access(state, &pass);
    }
    ifl_profile *profile = report_of(&ifl_observe_access, state, IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD);
    const figures f = figures_of(&profile->lines.at[0].counters, &pass);
    assert_int_equal(f.requests, 1);
    assert_int_equal(f.sectors, 8);
    ifl_profile_destroy(profile);
    ifl_observer_free(ifl_observe_access.observer, state);
}

static void unaligned_lanes_touch_two_sectors(void **unused)
{
    (void)unused;
    uint64_t address[LANES] = {4096 + 126};
    ifl_access access = request(IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD, 4, 1, address);
    check_bus(measure(&access), 2, 2, 4);
    access.bytes = 32;
    address[0] = 4096 + 1;
    check_bus(measure(&access), 1, 2, 32);
}

/* The hardware lays the lanes' words side by side: an element at one index is as good as can be. */
static void local_memory_at_one_index_is_ideal(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    for (unsigned bytes = 4; bytes <= 16; bytes *= 2) {
        fill(address, 1 << 20, bytes);
        ifl_access access = request(IFL_SPACE_LOCAL, IFL_ACCESS_LOAD, bytes, every_lane, address);
        figures f = measure(&access);
        check_bus(f, bytes / 4, bytes, LANES * bytes);
        assert_int_equal(f.sectors_ideal, bytes);
        assert_int_equal(f.wavefronts, bytes / 4);
        assert_int_equal(f.wavefronts_ideal, bytes / 4);
    }
}

/* ---- shared memory: the access examples of document 004 -------------------------------------- */

static void check_banks(unsigned bytes, const uint64_t *address, uint64_t wavefronts,
                        uint64_t ideal)
{
    ifl_access access = request(IFL_SPACE_SHARED, IFL_ACCESS_LOAD, bytes, every_lane, address);
    figures f = measure(&access);
    assert_int_equal(f.requests, 1);
    assert_int_equal(f.wavefronts, wavefronts);
    assert_int_equal(f.wavefronts_ideal, ideal);
}

static void a_bank_for_each_lane_has_no_conflict(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    fill(address, 0, 4);
    check_banks(4, address, 1, 1);
    fill(address, 20, 12); /* three words apart: 3 and 32 have no common divisor */
    check_banks(4, address, 1, 1);
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 4 * shuffled(i);
    check_banks(4, address, 1, 1);
}

static void lanes_on_one_word_are_served_together(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    fill(address, 64, 0);
    check_banks(4, address, 1, 1);
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 4 * (i / 2); /* several lanes a bank, the same word */
    check_banks(4, address, 1, 1);
    fill(address, 0, 1); /* different bytes of the same word */
    check_banks(1, address, 1, 1);
}

static void different_words_of_a_bank_conflict(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    fill(address, 0, 8); /* every second word: 2-way */
    check_banks(4, address, 2, 1);
    for (unsigned i = 0; i < LANES; i++) /* 4 lanes a bank on 3 words: 3-way */
        address[i] = 4 * (i / 4) + 128 * (i % 4 == 3 ? 1 : i % 4);
    check_banks(4, address, 3, 1);
    fill(address, 0, 128); /* a column of 32 × 32 floats */
    check_banks(4, address, 32, 1);
    fill(address, 0, 132); /* padded by one float */
    check_banks(4, address, 1, 1);
}

/* Case study 7: a column of 32 × 32 doubles. The document's 8-byte banks replay a request 15
 * times; with 4-byte banks each of the two half-warps needs 16 passes, 15 more than it should.
 * Padded by one double: no conflict. */
static void column_of_doubles(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    fill(address, 0, 32 * 8);
    check_banks(8, address, 32, 2);
    fill(address, 0, 33 * 8);
    check_banks(8, address, 2, 2);
    fill(address, 0, 8);
    check_banks(8, address, 2, 2);
}

/* 64-bit lanes conflict within a half-warp only, 128-bit ones within 8 lanes. */
static void conflicts_stay_within_a_phase(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 8 * (i % 16) + 1024 * (i / 16);
    check_banks(8, address, 2, 2);
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 16 * (i % 8) + 1024 * (i / 8);
    check_banks(16, address, 4, 4);
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 16 * (i % 4) + 128 * (i / 4 % 2); /* two rows in every phase */
    check_banks(16, address, 8, 4);
}

static void pairs_of_64_bit_loads_pack(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 8 * (i / 2);
    check_banks(8, address, 1, 1);
    ifl_access store = request(IFL_SPACE_SHARED, IFL_ACCESS_STORE, 8, every_lane, address);
    assert_int_equal(measure(&store).wavefronts, 2);
    address[31] += 8;
    check_banks(8, address, 2, 2);
}

static void pairs_of_128_bit_loads_pack(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 16 * (i / 2); /* addr(n) = addr(n^1) */
    check_banks(16, address, 2, 2);
    for (unsigned i = 0; i < LANES; i++)
        address[i] = 16 * (i / 4 * 2 + i % 2); /* addr(n) = addr(n^2) */
    check_banks(16, address, 2, 2);
    ifl_access store = request(IFL_SPACE_SHARED, IFL_ACCESS_STORE, 16, every_lane, address);
    assert_int_equal(measure(&store).wavefronts, 4);
    address[31] += 16; /* one pair that differs: no packing */
    check_banks(16, address, 4, 4);
}

static void whole_phases_may_be_inactive(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    fill(address, 0, 16);
    ifl_access access = request(IFL_SPACE_SHARED, IFL_ACCESS_STORE, 16, 0xff, address);
    assert_int_equal(measure(&access).wavefronts_ideal, 1);
    access.mask = 0x01010000;
    assert_int_equal(measure(&access).wavefronts_ideal, 1); /* 32 bytes would go in one pass */
    assert_int_equal(measure(&access).wavefronts, 2);
}

/* ---- atomics --------------------------------------------------------------------------------- */

static void atomics_on_one_address_are_serial(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    static const ifl_space spaces[] = {IFL_SPACE_GLOBAL, IFL_SPACE_SHARED};
    for (int s = 0; s < 2; s++) {
        ifl_access access = request(spaces[s], IFL_ACCESS_ATOMIC, 4, every_lane, address);
        fill(address, 4096, 0);
        assert_int_equal(measure(&access).serial, 32);
        access.shape = IFL_SHAPE_UNIFORM;
        access.mask = 0x70;
        assert_int_equal(measure(&access).serial, 3);
        access = request(spaces[s], IFL_ACCESS_ATOMIC, 4, every_lane, address);
        fill(address, 4096, 4);
        assert_int_equal(measure(&access).serial, 1);
        access.shape = IFL_SHAPE_CONTIGUOUS;
        assert_int_equal(measure(&access).serial, 1);
        access.shape = IFL_SHAPE_ANY;
        for (unsigned i = 0; i < LANES; i++)
            address[i] = 4096 + 4 * (i < 5 ? 0 : i < 12 ? 77 : i); /* 5 lanes, 7 lanes, 1 each */
        assert_int_equal(measure(&access).serial, 7);
    }
}

/* ---- many requests --------------------------------------------------------------------------- */

static void play_block(const ifl_observer *observer, void *state, uint64_t block)
{
    uint64_t address[LANES];
    for (uint32_t warp = 0; warp < 4; warp++) {
        for (uint32_t k = 0; k < 40; k++) {
            uint64_t mixed = (block * 131 + warp * 17 + k) * 0x9e3779b97f4a7c15u;
            ifl_access a =
                request(IFL_SPACE_GLOBAL, (ifl_access_kind)(k % 2), 4, every_lane, address);
            a.site = k % INSTRUCTIONS;
            a.block = block;
            a.warp = warp;
            for (unsigned i = 0; i < LANES; i++)
                address[i] = (1 << 20) + (k % 3 ? i * 4 * (1 + mixed % 7) + k * 4
                                                : (mixed >> (i % 48)) % 65536 * 4);
            if (k % 5 == 4) {
                fill(address, 4 * (mixed % 4096), 4);
                a.shape = IFL_SHAPE_CONTIGUOUS;
            }
            observer->access(state, &a);
        }
    }
}

/* Profiles of the same 64 blocks by `workers` workers, merged forwards or backwards. */
static ifl_profile *play(const ifl_observation *observation, unsigned workers, bool backwards)
{
    const ifl_observer *observer = observation->observer;
    void *state[8];
    for (unsigned w = 0; w < workers; w++)
        assert_non_null(state[w] = ifl_observer_new(observer, &sites, NULL));
    for (uint64_t block = 0; block < 64; block++)
        play_block(observer, state[(block * 5 + block / 7) % workers], block);
    for (unsigned w = 1; w < workers; w++) {
        unsigned from = backwards ? workers - 1 - w : w;
        observer->merge(state[backwards ? workers - 1 : 0], state[from]);
    }
    ifl_profile *profile = report_of(observation, state[backwards ? workers - 1 : 0],
                                     IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD);
    for (unsigned w = 0; w < workers; w++)
        ifl_observer_free(observer, state[w]);
    return profile;
}

static void assert_same(const ifl_profile *a, const ifl_profile *b)
{
    assert_memory_equal(&a->counters, &b->counters, sizeof a->counters);
    for (size_t i = 0; i < a->lines.count; i++) {
        const ifl_profile_line *x = &a->lines.at[i], *y = &b->lines.at[i];
        assert_memory_equal(&x->counters, &y->counters, sizeof x->counters);
        assert_int_equal(x->pattern.kind, y->pattern.kind);
        assert_true(x->pattern.share == y->pattern.share);
        assert_int_equal(x->pattern.stride_words, y->pattern.stride_words);
        assert_int_equal(x->pattern.region_bytes, y->pattern.region_bytes);
    }
}

static void merging_does_not_depend_on_order(void **unused)
{
    (void)unused;
    for (size_t o = 0; o < 2; o++) {
        const ifl_observation *observation = ifl_observations[o];
        ifl_profile *one = play(observation, 1, false);
        for (unsigned workers = 2; workers <= 8; workers += 3) {
            ifl_profile *forwards = play(observation, workers, false);
            ifl_profile *backwards = play(observation, workers, true);
            assert_same(one, forwards);
            assert_same(one, backwards);
            ifl_profile_destroy(forwards);
            ifl_profile_destroy(backwards);
        }
        ifl_profile_destroy(one);
    }
}

/* Requests of a few layouts in turn, each from many places; `gives_likeness`: as the engine does, a
 * number a layout. */
static ifl_profile *play_alike(const ifl_observation *observation, const ifl_access *of,
                               bool gives_likeness)
{
    static const struct {
        uint64_t inner, outer;
        unsigned run;
        uint32_t mask;
    } layouts[] = {{4, 512, 8, UINT32_MAX},
                   {12, 0, 32, UINT32_MAX},
                   {8, 1000, 16, 0x00ff0ff3},
                   {0, 33, 4, UINT32_MAX},
                   {1, 0, 32, 0x80000001}};
    enum { LAYOUTS = sizeof layouts / sizeof *layouts, PLACES = 300 };
    void *state = ifl_observer_new(observation->observer, &sites, NULL);
    uint64_t address[LANES];
    for (unsigned place = 0; place < PLACES; place++)
        for (unsigned r = 0; r < LAYOUTS; r++) {
            ifl_access access = *of;
            access.address = address;
            access.mask = layouts[r].mask;
            access.likeness = gives_likeness ? r + 1 : 0;
            access.warp = place % 4;
            for (unsigned i = 0; i < LANES; i++)
                address[i] = (1 << 20) + place * 7 + i % layouts[r].run * layouts[r].inner +
                             i / layouts[r].run * layouts[r].outer;
            observation->observer->access(state, &access);
        }
    ifl_profile *profile =
        report_of(observation, state, (ifl_space)of->space, (ifl_access_kind)of->kind);
    ifl_observer_free(observation->observer, state);
    return profile;
}

static void likeness_changes_no_figure(void **unused)
{
    (void)unused;
    static const ifl_space spaces[] = {IFL_SPACE_GLOBAL, IFL_SPACE_SHARED, IFL_SPACE_LOCAL};
    for (unsigned n = 0; n < 2 * 3 * 3 * 6; n++) {
        const ifl_access of = request(spaces[n / 2 % 3], (ifl_access_kind)(n / 6 % 3), 1u << n / 18,
                                      every_lane, NULL);
        ifl_profile *plain = play_alike(ifl_observations[n % 2], &of, false);
        ifl_profile *alike = play_alike(ifl_observations[n % 2], &of, true);
        assert_same(plain, alike);
        ifl_profile_destroy(plain);
        ifl_profile_destroy(alike);
    }
}

/* cp.async reads global and writes shared memory in one instruction: both count on its line. */
static void one_instruction_may_touch_two_spaces(void **unused)
{
    (void)unused;
    uint64_t address[LANES];
    void *state = ifl_observer_new(ifl_observe_access.observer, &sites, NULL);
    fill(address, 4096, 16);
    ifl_access read = request(IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD, 16, every_lane, address);
    ifl_access write = request(IFL_SPACE_SHARED, IFL_ACCESS_STORE, 16, every_lane, address);
    for (int i = 0; i < 3; i++) {
        ifl_observe_access.observer->access(state, &read);
        ifl_observe_access.observer->access(state, &write);
    }
    ifl_profile *profile = report_of(&ifl_observe_access, state, IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD);
    const ifl_counters *line = &profile->lines.at[0].counters;
    assert_int_equal(line->value[IFL_COUNTER_global_load_sectors], 48);
    assert_int_equal(line->value[IFL_COUNTER_shared_store_wavefronts], 12);
    assert_true(line->known[IFL_COUNTER_shared_store_wavefronts]);
    assert_false(line->known[IFL_COUNTER_shared_load_requests]);
    ifl_profile_destroy(profile);
    ifl_observer_free(ifl_observe_access.observer, state);
}

/* Known to be 0 for the launch and for lines of that kind; what the engine cannot see stays
 * unknown. */
static void what_did_not_happen_is_zero(void **unused)
{
    (void)unused;
    ifl_profile *profile = empty_profile(IFL_SPACE_SHARED, IFL_ACCESS_ATOMIC);
    for (size_t i = 0; i < ifl_observation_count; i++) {
        void *state = ifl_observer_new(ifl_observations[i]->observer, &sites, NULL);
        assert_int_equal(ifl_observations[i]->report(state, &sites, line_of, profile, NULL),
                         IFL_OK);
        ifl_observer_free(ifl_observations[i]->observer, state);
    }
    static const ifl_counter unknown[] = {
#define PIPE(name, counter, metric, what) IFL_COUNTER_##counter,
#include "code/pipeline.def"
#define FLOP(name, counter, metric, what) IFL_COUNTER_##counter,
#include "code/flop.def"
        IFL_COUNTER_thread_instructions_on, IFL_COUNTER_instructions,     IFL_COUNTER_l1_load_hits,
        IFL_COUNTER_l2_read_sectors,        IFL_COUNTER_l2_write_sectors, IFL_COUNTER_l2_hits,
        IFL_COUNTER_dram_read_bytes,        IFL_COUNTER_dram_write_bytes};
    for (int c = 0; c < IFL_COUNTER_COUNT; c++) {
        bool expected = true;
        for (size_t u = 0; u < sizeof unknown / sizeof *unknown; u++)
            expected &= (int)unknown[u] != c;
        assert_int_equal(profile->counters.known[c], expected);
        assert_int_equal(profile->counters.value[c], 0);
    }
    const ifl_profile_line *line = &profile->lines.at[0];
    assert_true(line->counters.known[IFL_COUNTER_shared_atomic_serial]);
    assert_false(line->counters.known[IFL_COUNTER_shared_load_requests]);
    assert_int_equal(line->pattern.kind, IFL_PATTERN_NONE);
    ifl_profile_destroy(profile);
}

/* ---- instruction mix, divergence ------------------------------------------------------------- */

static void mix_counts_instructions_by_name(void **unused)
{
    (void)unused;
    static const struct {
        uint64_t warps, threads;
    } rows[] = {{10, 320}, {7, 200}, {4, 128}, {5, 5}, {7, 7}, {0, 0}};
    static ifl_site mixed[6] = {{.name = "add.s32"},
                                {.name = "bra", .role = IFL_SITE_BRANCH},
                                {.name = "bar.sync", .role = IFL_SITE_BARRIER},
                                {.name = "add.s32"},
                                {.name = "brx.idx", .role = IFL_SITE_BRANCH},
                                {.name = "barrier.red", .role = IFL_SITE_BARRIER}};
    const ifl_sites six = {.at = mixed, .count = 6};
    const ifl_observer *observer = ifl_observe_mix.observer;
    void *a = NULL, *b = NULL;
    assert_non_null(a = ifl_observer_new(observer, &six, NULL));
    assert_non_null(b = ifl_observer_new(observer, &six, NULL));
    for (uint32_t i = 0; i < 6; i++) {
        ifl_issue issue = {i, rows[i].warps, rows[i].threads, .executing = 0};
        observer->issue(i % 2 ? a : b, &issue);
    }
    observer->merge(a, b);
    ifl_profile *profile = ifl_profile_new();
    assert_int_equal(ifl_observe_mix.report(a, &six, line_of, profile, NULL), IFL_OK);
    assert_int_equal(profile->counters.value[IFL_COUNTER_ptx_instructions], 33);
    assert_int_equal(profile->counters.value[IFL_COUNTER_thread_instructions], 660);
    assert_int_equal(profile->counters.value[IFL_COUNTER_branches], 14);
    assert_int_equal(profile->counters.value[IFL_COUNTER_barriers], 4);
    static const ifl_opcode_count wanted[] = {{"add.s32", 15, {0}, 0},
                                              {"bra", 7, {0}, 0},
                                              {"brx.idx", 7, {0}, 0},
                                              {"bar.sync", 4, {0}, 0}};
    assert_int_equal(profile->ptx_opcodes.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(profile->ptx_opcodes.at[i].name, wanted[i].name);
        assert_int_equal(profile->ptx_opcodes.at[i].count, wanted[i].count);
    }
    ifl_profile_destroy(profile);
    ifl_observer_free(observer, a);
    ifl_observer_free(observer, b);
}

static void divergence_counts_branches_that_split(void **unused)
{
    (void)unused;
    const ifl_observer *observer = ifl_observe_divergence.observer;
    void *a = ifl_observer_new(observer, &sites, NULL),
         *b = ifl_observer_new(observer, &sites, NULL);
    ifl_divergence split = {3, 0xffff, 0xff};
    observer->divergence(a, &split);
    observer->divergence(b, &split);
    observer->divergence(b, &split);
    observer->merge(a, b);
    ifl_profile *profile = report_of(&ifl_observe_divergence, a, IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD);
    assert_int_equal(profile->counters.value[IFL_COUNTER_divergent_branches], 3);
    ifl_profile_destroy(profile);
    ifl_observer_free(observer, a);
    ifl_observer_free(observer, b);
}

/* Of requests side by side observers are told how many begin where. */
static void contiguous_requests_may_come_in_sums(void **state)
{
    (void)state;
    enum { TIMES = 3 };
    static const ifl_observation *const of[] = {&ifl_observe_access, &ifl_observe_pattern};
    for (size_t o = 0; o < 2; o++)
        for (unsigned bytes = 1; bytes <= 16; bytes *= 2)
            for (unsigned first = 0; first < IFL_LINE_BYTES; first += bytes) {
                uint64_t address[LANES];
                for (unsigned i = 0; i < LANES; i++)
                    address[i] = 0x1000 + first + i * bytes;
                ifl_access access =
                    request(IFL_SPACE_GLOBAL, IFL_ACCESS_STORE, bytes, every_lane, address);
                void *each = ifl_observer_new(of[o]->observer, &sites, NULL),
                     *sum = ifl_observer_new(of[o]->observer, &sites, NULL);
                for (int n = 0; n < TIMES; n++)
                    of[o]->observer->access(each, &access);
                access.shape = IFL_SHAPE_CONTIGUOUS;
                of[o]->observer->contiguous(sum, &access, TIMES);
                ifl_profile *a = report_of(of[o], each, IFL_SPACE_GLOBAL, IFL_ACCESS_STORE),
                            *b = report_of(of[o], sum, IFL_SPACE_GLOBAL, IFL_ACCESS_STORE);
                assert_int_equal(a->lines.at[0].pattern.kind, b->lines.at[0].pattern.kind);
                if (o == 0) {
                    const figures one = figures_of(&a->counters, &access),
                                  other = figures_of(&b->counters, &access);
                    assert_int_equal(one.requests, TIMES);
                    assert_memory_equal(&one, &other, sizeof one);
                }
                ifl_profile_destroy(a);
                ifl_profile_destroy(b);
                ifl_observer_free(of[o]->observer, each);
                ifl_observer_free(of[o]->observer, sum);
            }
}

/* What the engine tells of lanes that are apart is what measuring them gives. */
static void lanes_apart_are_counted_alike(void **state)
{
    (void)state;
    for (unsigned alike = 1; alike <= LANES; alike *= 2) {
        uint64_t address[LANES];
        for (unsigned i = 0; i < LANES; i++)
            address[i] = (i * 7 + 3) % LANES * IFL_LINE_BYTES + i / alike * 4;
        ifl_access access = request(IFL_SPACE_GLOBAL, IFL_ACCESS_LOAD, 4, every_lane, address);
        const figures measured = measure(&access);
        access.apart = (uint8_t)alike;
        const figures told = measure(&access);
        assert_int_equal(measured.wavefronts, alike);
        assert_memory_equal(&measured, &told, sizeof told);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_words_use_the_whole_bus),
        cmocka_unit_test(permuted_words_use_the_whole_bus),
        cmocka_unit_test(misaligned_words_use_half_of_the_lines),
        cmocka_unit_test(one_word_uses_one_sector),
        cmocka_unit_test(scattered_words_use_a_line_each),
        cmocka_unit_test(wider_lanes_need_more_sectors),
        cmocka_unit_test(transpose_of_doubles),
        cmocka_unit_test(inactive_lanes_do_not_count),
        cmocka_unit_test(switched_off_request_has_no_sectors),
        cmocka_unit_test(later_passes_are_no_requests),
        cmocka_unit_test(unaligned_lanes_touch_two_sectors),
        cmocka_unit_test(local_memory_at_one_index_is_ideal),
        cmocka_unit_test(a_bank_for_each_lane_has_no_conflict),
        cmocka_unit_test(lanes_on_one_word_are_served_together),
        cmocka_unit_test(different_words_of_a_bank_conflict),
        cmocka_unit_test(column_of_doubles),
        cmocka_unit_test(conflicts_stay_within_a_phase),
        cmocka_unit_test(pairs_of_64_bit_loads_pack),
        cmocka_unit_test(pairs_of_128_bit_loads_pack),
        cmocka_unit_test(whole_phases_may_be_inactive),
        cmocka_unit_test(atomics_on_one_address_are_serial),
        cmocka_unit_test(merging_does_not_depend_on_order),
        cmocka_unit_test(likeness_changes_no_figure),
        cmocka_unit_test(contiguous_requests_may_come_in_sums),
        cmocka_unit_test(lanes_apart_are_counted_alike),
        cmocka_unit_test(one_instruction_may_touch_two_spaces),
        cmocka_unit_test(what_did_not_happen_is_zero),
        cmocka_unit_test(mix_counts_instructions_by_name),
        cmocka_unit_test(divergence_counts_branches_that_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
