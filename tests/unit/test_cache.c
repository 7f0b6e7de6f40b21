/* SPDX-License-Identifier: Apache-2.0
 * The caches, fed with requests made by hand. The rules of old GPUs are document 004's ("Load
 * Operation", "Global Memory Operations") and document 002's ("Opt-in L1 caching"); of the others
 * see docs/caches.md. */
#include "cache/cache_turns.h"
#include "cache/l1.h"
#include "cache/l1_size.h"
#include "cache/l2.h"
#include "cache/l2_joins.h"
#include "cache/line.h"
#include "cache/set_shape.h"
#include "cache/trace_index.h"
#include "device/shared_size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static ifl_device *open_device(const char *name)
{
    ifl_device *device = NULL;
    ifl_error error;
    assert_int_equal(ifl_device_open(name, &device, &error), IFL_OK);
    return device;
}

/* Good for the next ROOM times. */
static const ifl_cache_rules *rules_of(const char *name)
{
    enum { ROOM = 16 };
    static ifl_cache_rules rules[ROOM];
    static size_t used;
    ifl_device *device = open_device(name);
    ifl_cache_rules *of = &rules[used++ % ROOM];
    assert_true(ifl_cache_rules_find(device->value[IFL_DEVICE_compute_capability], of));
    ifl_device_close(device);
    return of;
}

/* ---- sets ------------------------------------------------------------------------------------ */

#define KEY(l) (&(ifl_l1_key){.line = (l), .number = (l)})

static bool hits(ifl_l1 *l1, uint32_t line, uint64_t now)
{
    return ifl_l1_load(l1, KEY(line), 0x1, IFL_PATH_PLAIN, now).hits != 0;
}

static void test_oldest_goes_first(void **unused)
{
    ifl_l1 l1 = {0};
    (void)unused;
    assert_true(ifl_l1_open(&l1, rules_of("h200"), 3, 0));
    for (uint32_t l = 1; l <= 3; l++)
        assert_false(hits(&l1, l, l));
    assert_true(hits(&l1, 1, 4));
    assert_false(hits(&l1, 5, 5));
    assert_int_equal(l1.evictions, 1);
    assert_int_equal(l1.ages, 5 - 2);
    assert_true(hits(&l1, 3, 6) && hits(&l1, 1, 7) && hits(&l1, 5, 8));
    assert_false(hits(&l1, 2, 9));
    assert_int_equal(l1.ages, 5 - 2 + 9 - 6);
    ifl_l1_free(&l1);
}

/* The L1 of another SM, in the same memory. */
static void test_emptied(void **unused)
{
    ifl_l1 l1 = {0};
    (void)unused;
    assert_true(ifl_l1_open(&l1, rules_of("h200"), 64, 0));
    for (int sm = 0; sm < 3; sm++) {
        for (uint32_t l = 0; l < 32; l++)
            assert_false(hits(&l1, l, l));
        for (uint32_t l = 0; l < 32; l++)
            assert_true(hits(&l1, l, 32 + l));
        ifl_l1_empty(&l1);
    }
    assert_int_equal(l1.evictions, 0);
    ifl_l1_free(&l1);
}

/* Of 2^share × 14 × sets lines in a row, every set of 16 has room for those that a sample
 * takes. By chance it would hold 14 ± 3.7 of them. */
static void check_even(uint64_t first, uint32_t share)
{
    enum { SETS = 100, WAYS = 16, FILL = 14 };
    const ifl_set_shape shape = ifl_set_shape_of(SETS * WAYS + 1, WAYS);
    uint32_t in_set[SETS] = {0}, kept = 0;
    assert_int_equal(shape.sets, SETS);
    for (uint64_t l = first; l < first + ((uint64_t)SETS * FILL << share); l++) {
        if (share && ifl_line_place(l) >> (64 - share))
            continue;
        kept++;
        const uint32_t set = ifl_set_of(ifl_line_place(l), share, SETS);
        assert_in_range(++in_set[set], 1, WAYS);
    }
    assert_in_range(kept, SETS * FILL - 2, SETS * FILL + 2);
}

static void test_sets(void **unused)
{
    (void)unused;
    check_even(0, 0);
    check_even(UINT64_C(0x7f120000), 0);
    check_even(0, 3);
    check_even(UINT64_C(0x7f120000), 8);
}

/* A sample of a large cache has few sets: they have its lines all the same. */
static void test_few_sets_have_all_lines(void **unused)
{
    (void)unused;
    for (uint32_t lines = 17; lines < 200; lines++) {
        const ifl_set_shape shape = ifl_set_shape_of(lines, 16);
        assert_in_range(shape.sets * shape.ways * 16, lines * 15, lines * 17);
    }
}

/* A line more of one set throws out a line of that set, and no other. */
static void test_one_set(void **unused)
{
    ifl_l1 l1 = {0};
    uint32_t count = 0;
    int lost = 0;
    (void)unused;
    assert_true(ifl_l1_open(&l1, rules_of("h200"), 80, 0));
    for (; !l1.evictions; count++)
        hits(&l1, count, count);
    const ifl_l1 before = l1;
    for (uint32_t l = 0; l < count; l++) /* a load past the L1's lines leaves nothing */
        lost += !ifl_l1_load(&l1, KEY(l), 0x1, IFL_PATH_NO_ALLOCATE, count).hits;
    assert_int_equal(lost, 1);
    assert_int_equal(l1.evictions, before.evictions);
    ifl_l1_free(&l1);
}

/* ---- L1 -------------------------------------------------------------------------------------- */

typedef struct step {
    char what; /* L load, S store, A atomic */
    uint64_t line;
    uint8_t sectors;
    ifl_path path;
    uint8_t hits, fetched; /* of a load */
} step;

static void play(const char *device, const step *steps, size_t count)
{
    ifl_l1 l1 = {0};
    bool stays;
    assert_true(ifl_l1_open(&l1, rules_of(device), 4, 4));
    for (size_t i = 0; i < count; i++) {
        const step *s = &steps[i];
        const ifl_l1_key key = {.line = s->line, .number = (uint32_t)s->line};
        if (s->what == 'L') {
            ifl_l1_answer answer = ifl_l1_load(&l1, &key, s->sectors, s->path, i);
            assert_int_equal(answer.hits, s->hits);
            assert_int_equal(answer.fetched, s->fetched);
        } else if (s->what == 'S') {
            ifl_l1_store(&l1, &key, s->sectors, s->sectors, s->path, i, &stays);
        } else {
            ifl_l1_atomic(&l1, &key);
        }
    }
    ifl_l1_free(&l1);
}
#define PLAY(device, ...)                                                                          \
    do {                                                                                           \
        const step steps[] = {__VA_ARGS__};                                                        \
        play(device, steps, sizeof steps / sizeof *steps);                                         \
    } while (0)

/* Volta and later: only the sectors that are missing are fetched. */
static void test_sectors(void **unused)
{
    (void)unused;
    PLAY("h200", {'L', 1, 0x1, IFL_PATH_PLAIN, 0x0, 0x1}, {'L', 1, 0x3, IFL_PATH_PLAIN, 0x1, 0x2},
         {'S', 1, 0x3, IFL_PATH_PLAIN, 0, 0}, {'L', 1, 0xf, IFL_PATH_READ_ONLY, 0x3, 0xc},
         {'A', 1, 0x1, IFL_PATH_PLAIN, 0, 0}, {'L', 1, 0x3, IFL_PATH_PLAIN, 0x0, 0x3});
}

/* tests/gpu/caches, store_load on an H200: what a block stored hits. */
static void test_stores_allocate(void **unused)
{
    (void)unused;
    PLAY("h200", {'S', 1, 0x3, IFL_PATH_PLAIN, 0, 0}, {'L', 1, 0xf, IFL_PATH_PLAIN, 0x3, 0xc});
    PLAY("m2090", {'S', 1, 0x3, IFL_PATH_PLAIN, 0, 0}, {'L', 1, 0x1, IFL_PATH_PLAIN, 0x0, 0xf});
}

static void test_no_allocate(void **unused)
{
    (void)unused;
    PLAY("h200", {'L', 1, 0xf, IFL_PATH_NO_ALLOCATE, 0x0, 0xf},
         {'L', 1, 0xf, IFL_PATH_PLAIN, 0x0, 0xf}, {'L', 1, 0xf, IFL_PATH_NO_ALLOCATE, 0xf, 0x0},
         {'L', 1, 0xf, IFL_PATH_BYPASS, 0x0, 0xf});
}

/* Document 004: caching loads bring whole lines of 128 bytes, stores invalidate, non-caching
 * loads go at 32 bytes and throw out the line. */
static void test_fermi(void **unused)
{
    (void)unused;
    PLAY("m2090", {'L', 1, 0x1, IFL_PATH_PLAIN, 0x0, 0xf}, {'L', 1, 0xe, IFL_PATH_PLAIN, 0xe, 0x0},
         {'S', 1, 0x1, IFL_PATH_PLAIN, 0, 0}, {'L', 1, 0x2, IFL_PATH_PLAIN, 0x0, 0xf},
         {'L', 1, 0x2, IFL_PATH_BYPASS, 0x0, 0x2}, {'L', 1, 0x2, IFL_PATH_PLAIN, 0x0, 0xf});
}

/* Document 002: on a K40 plain loads do not use the L1, .ca ones bring lines of 128 bytes, __ldg
 * ones 32 bytes into a cache of their own. */
static void test_kepler(void **unused)
{
    (void)unused;
    PLAY("k40c", {'L', 1, 0x1, IFL_PATH_PLAIN, 0x0, 0x1}, {'L', 1, 0x1, IFL_PATH_PLAIN, 0x0, 0x1},
         {'L', 1, 0x1, IFL_PATH_ASKED, 0x0, 0xf}, {'L', 1, 0xf, IFL_PATH_ASKED, 0xf, 0x0},
         {'L', 1, 0x1, IFL_PATH_READ_ONLY, 0x0, 0x1}, {'L', 1, 0x3, IFL_PATH_READ_ONLY, 0x1, 0x2});
    PLAY("k10", {'L', 1, 0x1, IFL_PATH_ASKED, 0x0, 0x1}, {'L', 1, 0x1, IFL_PATH_ASKED, 0x0, 0x1},
         {'S', 2, 0xf, IFL_PATH_LOCAL, 0, 0}, {'L', 2, 0xf, IFL_PATH_LOCAL, 0xf, 0x0});
}

/* Local memory of old GPUs is written back when its line has to go. */
static void test_local_write_back(void **unused)
{
    ifl_l1 l1 = {0};
    bool stays = false;
    (void)unused;
    assert_true(ifl_l1_open(&l1, rules_of("m2090"), 2, 0));
    ifl_l1_store(&l1, KEY(1), 0x3, 0x3, IFL_PATH_LOCAL, 0, &stays);
    assert_true(stays);
    ifl_l1_load(&l1, KEY(2), 0xf, IFL_PATH_PLAIN, 1);
    ifl_l1_answer answer = ifl_l1_load(&l1, KEY(3), 0xf, IFL_PATH_PLAIN, 2);
    assert_int_equal(answer.written_back, 0x3);
    assert_int_equal(answer.victim, 1);
    ifl_l1_free(&l1);
}

static void test_age_limit(void **unused)
{
    ifl_l1 l1 = {0};
    (void)unused;
    assert_true(ifl_l1_open_aging(&l1, rules_of("h200"), 100, 10));
    ifl_l1_load(&l1, KEY(1), 0xf, IFL_PATH_PLAIN, 0);
    assert_int_equal(ifl_l1_load(&l1, KEY(1), 0xf, IFL_PATH_PLAIN, 10).hits, 0xf);
    assert_int_equal(ifl_l1_load(&l1, KEY(1), 0xf, IFL_PATH_PLAIN, 21).hits, 0x0);
    ifl_l1_empty(&l1);
    assert_int_equal(ifl_l1_load(&l1, KEY(1), 0xf, IFL_PATH_PLAIN, 22).hits, 0x0);
    ifl_l1_free(&l1);
}

/* Where the SM's L1 lost nothing, nothing grows old: any number of lines stays, as if in no
 * sets. */
static void test_no_age_limit(void **unused)
{
    enum { LINES = 10000 };
    ifl_l1 l1 = {0};
    (void)unused;
    assert_true(ifl_l1_open_aging(&l1, rules_of("h200"), LINES, UINT64_MAX));
    for (uint32_t l = 0; l < LINES; l++)
        assert_int_equal(ifl_l1_load(&l1, KEY(l), 0xf, IFL_PATH_PLAIN, l).hits, 0x0);
    for (uint32_t l = 0; l < LINES; l++)
        assert_int_equal(ifl_l1_load(&l1, KEY(l), 0xf, IFL_PATH_PLAIN, LINES + l).hits, 0xf);
    ifl_l1_free(&l1);
}

static unsigned hits_with_limit(uint64_t limit, uint64_t *same_from, uint64_t *same_to)
{
    static const uint64_t times[] = {0, 4, 12, 27, 29}; /* 4, 8, 15 and 2 apart */
    ifl_l1 l1 = {0};
    unsigned found = 0;
    assert_true(ifl_l1_open_aging(&l1, rules_of("h200"), 2, limit));
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        found = 2 * found + (ifl_l1_load(&l1, KEY(1), 0xf, IFL_PATH_PLAIN, times[i]).hits != 0);
    *same_from = l1.same_from;
    *same_to = l1.same_to;
    ifl_l1_free(&l1);
    return found;
}

/* With each limit of which an L1 says that it would have made no difference, it makes none; with
 * the next it does. */
static void test_same_limits(void **unused)
{
    enum { LIMITS = 20 };
    (void)unused;
    for (uint64_t limit = 0; limit < LIMITS; limit++) {
        uint64_t from, to, none[2];
        const unsigned found = hits_with_limit(limit, &from, &to);
        assert_in_range(limit, from, to);
        for (uint64_t other = 0; other < LIMITS; other++)
            assert_int_equal(hits_with_limit(other, &none[0], &none[1]) == found,
                             other >= from && other <= to);
    }
}

/* ---- L2 -------------------------------------------------------------------------------------- */

enum { L2_LINES = 64 };

/* Line n has the number n. */
static void open_l2(ifl_l2 *l2, const char *device, uint32_t capacity)
{
    static uint64_t lines[L2_LINES];
    for (uint64_t line = 0; line < L2_LINES; line++)
        lines[line] = line;
    assert_true(ifl_l2_open(l2, rules_of(device), capacity, 0, lines, L2_LINES, true));
}

static ifl_l2_request request_of(uint64_t line, uint8_t sectors, uint64_t now)
{
    return (ifl_l2_request){.number = (uint32_t)line,
                            .sectors = sectors,
                            .home = (uint8_t)ifl_line_home(line),
                            .now = now,
                            .ends = UINT64_MAX};
}

static ifl_l2_answer read_l2(ifl_l2 *l2, uint64_t line, uint8_t sectors, uint64_t now)
{
    ifl_l2_expect(l2, (uint32_t)line); /* changes nothing */
    const ifl_l2_request request = request_of(line, sectors, now);
    return ifl_l2_read(l2, &request);
}

static ifl_l2_answer write_l2(ifl_l2 *l2, uint64_t line, uint8_t sectors, uint8_t whole,
                              uint8_t bytes, uint64_t now, uint64_t ends)
{
    ifl_l2_request request = request_of(line, sectors, now);
    request.whole = whole;
    request.bytes = bytes;
    request.ends = ends;
    return ifl_l2_write(l2, &request);
}

/* From an SM at one of the halves. */
enum { left, right };

static ifl_l2_answer read_from(ifl_l2 *l2, uint32_t near, uint64_t line, uint8_t sectors)
{
    ifl_l2_expect(l2, (uint32_t)line); /* changes nothing */
    ifl_l2_request request = request_of(line, sectors, 0);
    request.near = near;
    return ifl_l2_read(l2, &request);
}

static ifl_l2_answer write_from(ifl_l2 *l2, uint32_t near, uint64_t line, uint8_t sectors)
{
    ifl_l2_request request = request_of(line, sectors, 0);
    request.near = near;
    request.whole = sectors;
    return ifl_l2_write(l2, &request);
}

/* Sets are there where they can change something: where lines have to go, or are too many to be
 * dirty. Either way the line unused for longest of a set has to go, and no other. */
static void test_l2_sets(void **unused)
{
    ifl_l2 l2 = {0};
    int lost = 0;
    (void)unused;
    open_l2(&l2, "v100", 16 * L2_LINES);
    assert_false(ifl_l2_has_sets(&l2));
    open_l2(&l2, "v100", 2 * L2_LINES);
    assert_true(ifl_l2_has_sets(&l2)); /* 7 in 16 of them can be dirty */
    open_l2(&l2, "v100", 16);
    for (uint64_t line = 0; line < 16; line++)
        read_l2(&l2, line, 0x1, line);
    assert_int_equal(read_l2(&l2, 0, 0x1, 16).hits, 1);
    read_l2(&l2, 16, 0x1, 17);
    for (uint64_t line = 2; line < 17; line++)
        lost += read_l2(&l2, line, 0x1, 18).hits == 0;
    assert_int_equal(lost, 0);
    assert_int_equal(read_l2(&l2, 1, 0x1, 19).hits, 0);
    ifl_l2_free(&l2);
}

static void test_pairs_from_dram(void **unused)
{
    ifl_l2 l2 = {0};
    (void)unused;
    open_l2(&l2, "v100", 2);
    assert_int_equal(read_l2(&l2, 1, 0x1, 0).dram_reads, 2);
    assert_int_equal(read_l2(&l2, 1, 0x2, 1).hits, 1);
    assert_int_equal(read_l2(&l2, 1, 0xf, 2).dram_reads, 2);
    ifl_l2_free(&l2);
    open_l2(&l2, "k40c", 2);
    assert_int_equal(read_l2(&l2, 1, 0x1, 0).dram_reads, 1);
    ifl_l2_free(&l2);
}

/* L2::128B: an H200 reads 128 bytes from DRAM for one sector of a line and for two, 64 without it
 * (tools/gpu/prefetch_size_probe.cu). */
static void test_whole_line_from_dram(void **unused)
{
    ifl_l2 l2 = {0};
    ifl_l2_request request = request_of(1, 0x1, 0);
    (void)unused;
    open_l2(&l2, "h200", 4);
    request.brings_line = true;
    assert_int_equal(ifl_l2_read(&l2, &request).dram_reads, 4);
    assert_int_equal(read_l2(&l2, 1, 0x8, 1).dram_reads, 0);
    request.number = 2;
    request.sectors = 0xc;
    request.home = (uint8_t)ifl_line_home(2);
    assert_int_equal(ifl_l2_read(&l2, &request).dram_reads, 4);
    ifl_l2_free(&l2);
}

/* Written sectors stay until their line has to go; what is written in full needs not be read. */
static void test_write_back(void **unused)
{
    ifl_l2 l2 = {0};
    (void)unused;
    open_l2(&l2, "v100", 2);
    ifl_l2_answer answer = write_l2(&l2, 1, 0xf, 0xf, 0, 0, UINT64_MAX);
    assert_int_equal(answer.dram_reads + answer.dram_writes, 0);
    assert_int_equal(answer.hits, 4);
    assert_int_equal(read_l2(&l2, 1, 0xf, 1).hits, 4);
    read_l2(&l2, 2, 0x1, 2);
    answer = read_l2(&l2, 3, 0x1, 3);
    assert_int_equal(answer.dram_writes, 4);
    ifl_l2_free(&l2);
}

/* What is written in part is read before it is written to DRAM: 134 MB of sectors with 4 bytes
 * stored in each made an H200 read 128 MB (tests/gpu/caches, store_sparse). */
static void test_fill_of_parts(void **unused)
{
    ifl_l2 l2 = {0};
    (void)unused;
    open_l2(&l2, "v100", 1);
    write_l2(&l2, 1, 0x3, 0x1, 4, 0, UINT64_MAX);
    ifl_l2_answer answer = write_l2(&l2, 2, 0x1, 0x1, 0, 1, UINT64_MAX);
    assert_int_equal(answer.dram_writes, 2);
    assert_int_equal(answer.dram_reads, 1);
    assert_int_equal(answer.dram_padding, 1);
    ifl_l2_free(&l2);
}

/* An eighth of the lines may have sectors that are stored in part: those of what more comes are read,
 * and every second one is written too (an H200, tests/gpu/h200/parts.txt). */
static void test_parts_are_limited(void **unused)
{
    enum { LINES_OF_L2 = 64, MOST = LINES_OF_L2 / 8, STORED = 20 };
    ifl_l2 l2 = {0};
    int reads = 0, writes = 0;
    (void)unused;
    open_l2(&l2, "v100", LINES_OF_L2);
    for (uint32_t line = 0; line < STORED; line++) {
        const ifl_l2_answer answer = write_l2(&l2, line, 0x1, 0x0, 4, line, UINT64_MAX);
        reads += answer.dram_reads;
        writes += answer.dram_writes;
    }
    assert_int_equal(reads, STORED - MOST);
    assert_int_equal(writes, (STORED - MOST) / 2);
    ifl_l2_free(&l2);
}

/* A sector alone takes the DRAM as long as two, read and written: an H100 stores a word each 128
 * bytes in 46 ps, a word each 64 bytes, of which each line has two, in 25 (tools/gpu/scatter_probe.cu
 * and pattern_probe.cu, with as many bytes of the DRAM a word). */
static void test_lone_sectors(void **unused)
{
    static const struct {
        uint8_t sectors, whole;
        int padding;
    } cases[] = {{0x1, 0x0, 2}, {0x1, 0x1, 1}, {0x5, 0x0, 0}, {0x3, 0x3, 0}, {0xf, 0x0, 0}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ifl_l2 l2 = {0};
        open_l2(&l2, "v100", 1);
        write_l2(&l2, 1, cases[i].sectors, cases[i].whole, 4, 0, UINT64_MAX);
        assert_int_equal(write_l2(&l2, 2, 0xf, 0xf, 0, 1, UINT64_MAX).dram_padding,
                         cases[i].padding);
        ifl_l2_free(&l2);
    }
}

/* A line asked for from both sides of an H200 is read from DRAM once, and missed once by each
 * half. */
static void test_halves(void **unused)
{
    ifl_l2 l2 = {0};
    (void)unused;
    open_l2(&l2, "h200", 16);
    for (uint64_t line = 0; line < 4; line++) {
        ifl_l2_answer first = read_from(&l2, left, line, 0xf);
        ifl_l2_answer second = read_from(&l2, right, line, 0xf);
        assert_int_equal(first.hits, 0);
        assert_int_equal(first.dram_reads + second.dram_reads, 4);
        assert_true(first.from_dram && !second.from_dram);
        assert_int_equal(read_from(&l2, left, line, 0xf).hits, 4);
        assert_int_equal(read_from(&l2, right, line, 0xf).hits, 4);
    }
    ifl_l2_free(&l2);
}

/* What was stored is found in the half that it came through (an H200: all loads of store_reread
 * hit), and is not read from DRAM by the other. */
static void test_stores_in_halves(void **unused)
{
    ifl_l2 l2 = {0};
    int far = 0;
    (void)unused;
    open_l2(&l2, "h200", 32);
    for (uint64_t line = 0; line < 6; line++) {
        read_from(&l2, right, line, 0xf);
        write_from(&l2, left, line, 0x1);
        assert_int_equal(read_from(&l2, left, line, 0x1).hits, 1);
        ifl_l2_answer other = read_from(&l2, right, line, 0x1);
        assert_int_equal(other.dram_reads, 0);
        far += other.hits == 0;
    }
    assert_in_range(far, 1, 5); /* lines at home on the left */
    ifl_l2_free(&l2);
}

/* Of 16 lines 7 may be dirty: an H200 leaves 26.8 MB of 62.9 however much was stored
 * (store_grid). One more makes another clean, which stays. */
static void test_dirty_limit(void **unused)
{
    enum { LINES = 32, MOST = 14, STORED = 20 };
    ifl_l2 l2 = {0};
    int written = 0;
    (void)unused;
    open_l2(&l2, "v100", LINES);
    for (uint64_t line = 0; line < STORED; line++)
        written += write_l2(&l2, line, 0xf, 0xf, 0, line, UINT64_MAX).dram_writes;
    assert_int_equal(written, 4 * (STORED - MOST));
    for (uint64_t line = 0; line < STORED; line++)
        assert_int_equal(read_l2(&l2, line, 0xf, STORED + line).hits, 4);
    ifl_l2_free(&l2);
}

/* A sector written in parts is whole when all its bytes came; read before that, it has to be
 * fetched. */
static void test_parts(void **unused)
{
    ifl_l2 l2 = {0};
    (void)unused;
    open_l2(&l2, "k40c", 4);
    write_l2(&l2, 1, 0x1, 0x0, 8, 0, UINT64_MAX);
    assert_int_equal(read_l2(&l2, 1, 0x1, 1).dram_reads, 1);
    for (int part = 0; part < 4; part++)
        write_l2(&l2, 2, 0x1, 0x0, 8, 2, UINT64_MAX);
    assert_int_equal(read_l2(&l2, 2, 0x1, 3).dram_reads, 0);
    ifl_l2_free(&l2);
}

/* Before Volta a line of the L2 is a sector: as large as one line, it holds a sector of each of
 * four. */
static void test_lines_of_sectors(void **unused)
{
    ifl_l2 l2 = {0};
    (void)unused;
    open_l2(&l2, "k40c", 1);
    for (uint64_t line = 1; line <= 4; line++)
        assert_int_equal(read_l2(&l2, line, 0x2, line).dram_reads, 1);
    for (uint64_t line = 1; line <= 4; line++)
        assert_int_equal(read_l2(&l2, line, 0x2, 4 + line).hits, 1);
    assert_int_equal(read_l2(&l2, 4, 0xf, 9).hits, 1);
    assert_int_equal(read_l2(&l2, 1, 0x2, 10).hits, 0); /* the three sectors threw it out */
    ifl_l2_free(&l2);
    open_l2(&l2, "v100", 1);
    read_l2(&l2, 1, 0x2, 1);
    read_l2(&l2, 2, 0x2, 2);
    assert_int_equal(read_l2(&l2, 1, 0x2, 3).hits, 0);
    ifl_l2_free(&l2);
}

/* What a block that is done left in local memory is never written. */
static void test_ended_contents(void **unused)
{
    ifl_l2 l2 = {0};
    (void)unused;
    open_l2(&l2, "v100", 1);
    write_l2(&l2, 1, 0xf, 0xf, 0, 0, 10);
    assert_int_equal(read_l2(&l2, 2, 0x1, 11).dram_writes, 0);
    ifl_l2_free(&l2);
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* Three turns by hand: one found in the L1, one with a line of each of L1 and L2, one with two
 * far lines of three; and one without loads. */
/* An H200, tools/gpu/shared_read_probe.cu: four reads of a line by SMs of one GPC are one for the L2,
 * the fifth is another; those of other GPCs, of other lines and much later ones are not joined. */
static void test_joined_reads(void **unused)
{
    enum {
        LINE = 7,
        OTHER_LINE = 8,
        GPC = 3,
        OTHER_GPC = 4,
        NOW = 1000,
        LATER = NOW + 10 * IFL_TURN_TIME,
        WHOLE = 0xf,
        HALF = 0x3
    };
    const ifl_cache_rules *rules = rules_of("h200");
    ifl_l2_joins joins = {0};
    (void)unused;
    assert_true(ifl_l2_joins_open(&joins, rules->joined_reads, OTHER_LINE + 1));
    assert_false(ifl_l2_joins_read(&joins, LINE, WHOLE, GPC, NOW));
    assert_false(ifl_l2_joins_read(&joins, LINE, WHOLE, OTHER_GPC, NOW));
    assert_false(ifl_l2_joins_read(&joins, OTHER_LINE, WHOLE, GPC, NOW));
    for (int i = 0; i < 3; i++)
        assert_true(ifl_l2_joins_read(&joins, LINE, WHOLE, GPC, NOW + i));
    assert_false(ifl_l2_joins_read(&joins, LINE, WHOLE, GPC, NOW));
    assert_true(ifl_l2_joins_read(&joins, LINE, WHOLE, GPC, NOW));
    assert_false(ifl_l2_joins_read(&joins, LINE, WHOLE, GPC, LATER));
    /* Where requests for other sectors come between, none are. */
    for (int i = 0; i < 8; i++)
        assert_false(ifl_l2_joins_read(&joins, LINE, i % 2 ? WHOLE : HALF, GPC, LATER));
    ifl_l2_joins_free(&joins);
    assert_int_equal(rules_of("a100-80")->joined_reads, 0); /* not measured */
}

static void test_turns_are_counted(void **unused)
{
    static const ifl_turn_lines lines[] = {
        {.l1 = 2}, {.l1 = 1, .l2 = 1}, {.dram = 2, .l2 = 1}, {0}};
    ifl_turns turns = {0};
    (void)unused;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ifl_turns_add(&turns, &lines[i]);
    assert_true(turns.loading == 3 && turns.in_l1 == 1);
    assert_true(turns.asked == 4 && turns.far == 2);
    assert_true(turns.far_beside == 4 && turns.far_together == 2);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static uint64_t l1_kib(const char *name, uint32_t blocks, uint64_t shared_bytes)
{
    ifl_device *device = open_device(name);
    const uint64_t bytes =
        ifl_cache_l1_bytes(device, rules_of(name), IFL_SHARED_DEFAULT, blocks, shared_bytes);
    ifl_device_close(device);
    return bytes / 1024;
}

/* Shared memory has one of a few sizes: launch__shared_mem_config_size of
 * tests/gpu/h200/caches.txt. */
static void test_l1_sizes(void **unused)
{
    (void)unused;
    assert_int_equal(l1_kib("h200", 2, 0), 256 - 8);
    assert_int_equal(l1_kib("h200", 4, 0), 256 - 16);
    assert_int_equal(l1_kib("h200", 8, 0), 256 - 32);
    assert_int_equal(l1_kib("h200", 13, 16384), 256 - 228);
    assert_int_equal(l1_kib("h200", 3, 65536), 256 - 196);
    assert_int_equal(l1_kib("h200", 1, 131072), 256 - 132);
    assert_int_equal(l1_kib("h200", 32, 0), 256 - 32);
    assert_int_equal(l1_kib("h200", 16, 8192), 256 - 164);
    assert_int_equal(l1_kib("v100", 8, 0), 128);
    assert_int_equal(l1_kib("v100", 2, 20000), 128 - 64);
    assert_int_equal(l1_kib("m2090", 8, 0), 16);
    assert_int_equal(l1_kib("k40c", 16, 0), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oldest_goes_first),
        cmocka_unit_test(test_emptied),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_one_set),
        cmocka_unit_test(test_few_sets_have_all_lines),
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_no_allocate),
        cmocka_unit_test(test_fermi),
        cmocka_unit_test(test_kepler),
        cmocka_unit_test(test_local_write_back),
        cmocka_unit_test(test_age_limit),
        cmocka_unit_test(test_no_age_limit),
        cmocka_unit_test(test_pairs_from_dram),
        cmocka_unit_test(test_write_back),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_ended_contents),
        cmocka_unit_test(test_lines_of_sectors),
        cmocka_unit_test(test_joined_reads),
        cmocka_unit_test(test_whole_line_from_dram),
        cmocka_unit_test(test_turns_are_counted),
        cmocka_unit_test(test_same_limits),
        cmocka_unit_test(test_l2_sets),
        cmocka_unit_test(test_l1_sizes),
        cmocka_unit_test(test_fill_of_parts),
        cmocka_unit_test(test_parts_are_limited),
        cmocka_unit_test(test_lone_sectors),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_stores_allocate),
        cmocka_unit_test(test_stores_in_halves),
        cmocka_unit_test(test_dirty_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
