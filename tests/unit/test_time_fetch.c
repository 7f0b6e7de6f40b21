/* SPDX-License-Identifier: Apache-2.0
 * The instruction caches of an SM, gone through again and again by one warp that issues an instruction a cycle, as
 * tools/gpu/code_probe.cu does on an H100: cycles for an instruction of loops of so many KiB. */
#include "arch/arch.h"
#include "time/time_fetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LINE_BYTES = 128, TRIPS = 9 };

typedef struct pace {
    double first, others; /* cycles for an instruction, of the first trip and of the others */
} pace;

static ifl_code_levels levels_of(const ifl_arch *arch, bool is_cold)
{
    return (ifl_code_levels){
        {(size_t)(arch->near_code_bytes / LINE_BYTES), (uint64_t)arch->near_code_cycles},
        {(size_t)(arch->code_bytes / LINE_BYTES), (uint64_t)arch->code_cycles},
        {(size_t)(arch->kept_code_bytes / LINE_BYTES),
         is_cold ? (uint64_t)arch->cold_code_cycles : 0},
        0};
}

static pace pace_of(size_t kib, bool is_cold)
{
    const ifl_arch arch = ifl_arch_of(9.0);
    const ifl_code_levels levels = levels_of(&arch, is_cold);
    const size_t lines = kib * 1024 / LINE_BYTES;
    const double instructions = (double)(lines * IFL_CODE_SITES);
    ifl_code_cache cache;
    uint64_t now = 0, first = 0;
    assert_true(
        ifl_code_cache_begin(&cache, lines, lines, &levels, (uint32_t)arch.code_lines_ahead));
    for (int trip = 0; trip < TRIPS; trip++) {
        for (size_t line = 0; line < lines; line++)
            now = ifl_code_cache_fetch(&cache, line, now) + IFL_CODE_SITES;
        first = trip ? first : now;
    }
    ifl_code_cache_free(&cache);
    return (pace){(double)first / instructions, (double)(now - first) / (TRIPS - 1) / instructions};
}

static void test_loops(void **unused)
{
    (void)unused;
    static const struct {
        size_t kib;
        double least,
            most; /* an H100 driver 580.159.04, CUDA 13.0: 1.00, 1.00, 2.21, 2.21, 2.21, 5.71, 5.69 */
    } rows[] = {{8, 1, 1},     {24, 1, 1},    {48, 2, 2.4}, {64, 2, 2.4},
                {112, 2, 2.4}, {256, 5.4, 6}, {512, 5.4, 6}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double cycles = pace_of(rows[i].kib, false).others;
        if (cycles < rows[i].least || cycles > rows[i].most)
            fail_msg("%zu KiB: %.2f cycles", rows[i].kib, cycles);
    }
}

/* Under Nsight Compute, which empties the other caches and runs its own code between launches: the
 * first trip on an H200, driver 580.159.04, CUDA 13.0. */
static void test_first_trip(void **unused)
{
    (void)unused;
    static const struct {
        size_t kib;
        double cycles;
    } rows[] = {{8, 2.13},   {16, 2.15},  {32, 2.16},  {64, 2.32},  {80, 4.78}, {96, 6.47},
                {112, 7.65}, {128, 8.63}, {160, 9.82}, {256, 11.8}, {512, 13.4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double cycles = pace_of(rows[i].kib, true).first;
        if (cycles < 0.9 * rows[i].cycles || cycles > 1.1 * rows[i].cycles)
            fail_msg("%zu KiB: %.2f cycles for %.2f", rows[i].kib, cycles, rows[i].cycles);
    }
    assert_int_equal(pace_of(16, true).others, 1);
}

/* The first line of a kernel comes that much later, and once. */
static void test_first_line(void **unused)
{
    (void)unused;
    enum { LINES = 16, LATE = 80 };
    const ifl_arch arch = ifl_arch_of(9.0);
    ifl_code_levels levels = levels_of(&arch, true);
    ifl_code_cache cache;
    levels.late = LATE;
    assert_true(
        ifl_code_cache_begin(&cache, LINES, LINES, &levels, (uint32_t)arch.code_lines_ahead));
    assert_int_equal(ifl_code_cache_fetch(&cache, 0, 30), 30 + LATE + arch.near_code_cycles);
    assert_int_equal(ifl_code_cache_fetch(&cache, 9, 300), 300 + arch.near_code_cycles);
    ifl_code_cache_free(&cache);
}

/* Cycles for an instruction of a part of such a kernel's code, which a launch begins with. */
static double pace_of_part(size_t kib, size_t first_kib, size_t part_kib)
{
    const ifl_arch arch = ifl_arch_of(9.0);
    const ifl_code_levels levels = levels_of(&arch, true);
    const size_t lines = part_kib * 1024 / LINE_BYTES, first = first_kib * 1024 / LINE_BYTES;
    ifl_code_cache cache;
    uint64_t now = 0;
    assert_true(ifl_code_cache_begin(&cache, kib * 1024 / LINE_BYTES, lines, &levels,
                                     (uint32_t)arch.code_lines_ahead));
    for (size_t line = first; line < first + lines; line++)
        now = ifl_code_cache_fetch(&cache, line, now) + IFL_CODE_SITES;
    ifl_code_cache_free(&cache);
    return (double)now / (double)(lines * IFL_CODE_SITES);
}

/* How far it is from the kernel's beginning decides, not how much of the code has run: parts of 12
 * KiB take an H200 14.3 to 16.1 cycles an instruction if they lie behind the first 64 KiB, and as
 * many as what they compute if not (tests/gpu/h200/far_code.txt). */
static void test_far_parts(void **unused)
{
    (void)unused;
    for (size_t first = 72; first <= 180; first += 36) {
        const double cycles = pace_of_part(192, first, 12);
        if (cycles < 14.3 || cycles > 16.1)
            fail_msg("behind %zu KiB: %.2f cycles", first, cycles);
    }
    assert_true(pace_of_part(192, 36, 12) < 2.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops), cmocka_unit_test(test_first_trip),
        cmocka_unit_test(test_first_line), cmocka_unit_test(test_far_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
