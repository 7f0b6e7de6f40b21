/* SPDX-License-Identifier: Apache-2.0
 * Where warps stood still, by instruction and by source line: sums of what each instruction has. */
#include "time/time_stalls.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SITES = 5 };

static const char *const files[] = {"", "k.cu", "h.cuh"};
static const ifl_source places[] = {
    {0}, {.file = 1, .line = 7}, {.file = 2, .line = 7}, {.file = 1, .line = 9}};
static ifl_site sites[SITES] = {
    {.name = "LDG", .place = 1, .address = 0, .function = "k"},
    {.name = "FADD", .place = 1, .address = 16, .function = "k"},
    {.name = "STG", .place = 2, .address = 32, .function = "k"},
    {.name = "BRA", .place = 0, .address = 48, .function = "k"},
    {.name = "EXIT", .place = 3, .address = 64, .function = "k"},
};
static const ifl_sites code = {.at = sites,
                               .count = SITES,
                               .places = places,
                               .place_count = 4,
                               .files = files,
                               .file_count = 3};

/* 9,999 cycles of standing still, in 100 of issuing. Those of EXIT are less than a thousandth. */
static ifl_site_stalls stalls[SITES] = {
    {.issued = 10, .cycles = {[IFL_STALL_selected] = 10, [IFL_STALL_wait] = 990}},
    {.issued = 10, .cycles = {[IFL_STALL_selected] = 10, [IFL_STALL_long_scoreboard] = 4000}},
    {.issued = 5, .cycles = {[IFL_STALL_lg_throttle] = 3000}},
    {.issued = 5, .cycles = {[IFL_STALL_wait] = 2000}},
    {.issued = 5, .cycles = {[IFL_STALL_drain] = 9}},
};

static ifl_time_facts taken(ifl_profile *profile)
{
    const ifl_sm_outcome outcome = {.issue_cycles = 100, .sites = stalls};
    ifl_time_facts facts = {0};
    assert_true(ifl_time_stalls_take(&code, &outcome, profile, &facts));
    return facts;
}

static bool is_about(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void test_sums(void **state)
{
    (void)state;
    ifl_profile *profile = ifl_profile_new();
    const ifl_time_facts f = taken(profile);
    assert_true(is_about(f.stalls[IFL_STALL_selected], 0.2));
    assert_true(is_about(f.stalls[IFL_STALL_wait], 29.9));
    assert_true(is_about(f.stalls[IFL_STALL_drain], 0.09));
    ifl_profile_free(profile);
}

static void test_sites(void **state)
{
    (void)state;
    static const char *const order[] = {"FADD", "STG", "BRA", "LDG"};
    ifl_profile *profile = ifl_profile_new();
    const ifl_time_facts f = taken(profile);
    assert_int_equal(f.site_count, 4);
    for (size_t i = 0; i < f.site_count; i++)
        assert_string_equal(f.sites[i].op, order[i]);
    assert_true(is_about(f.sites[0].share, 4000.0 / 9999));
    assert_string_equal(f.sites[1].file, "h.cuh");
    assert_null(f.sites[2].file);
    ifl_profile_free(profile);
}

/* An atomicAdd's instruction is in the line that calls it; a header of the program's own has its lines. */
static void test_toolkit(void **state)
{
    (void)state;
    static const char *const names[] = {"", "k.cu", "/usr/include/device_atomic_functions.hpp",
                                        "h.cuh"};
    static const ifl_source within[] = {{0},
                                        {.file = 1, .line = 7},
                                        {.file = 2, .line = 112, .inlined_at = 1},
                                        {.file = 3, .line = 5, .inlined_at = 1}};
    ifl_sites with = code;
    with.places = within;
    with.files = names;
    with.file_count = 4;
    for (uint32_t place = 2; place < 4; place++) {
        ifl_site one = {.name = "RED", .place = place, .function = "k"};
        ifl_site_stalls own = {.issued = 1, .cycles = {[IFL_STALL_wait] = 5}};
        const ifl_sm_outcome outcome = {.issue_cycles = 1, .sites = &own};
        ifl_profile *profile = ifl_profile_new();
        ifl_time_facts facts = {0};
        with.at = &one;
        with.count = 1;
        assert_true(ifl_time_stalls_take(&with, &outcome, profile, &facts));
        assert_string_equal(facts.lines[0].file, place == 2 ? "k.cu" : "h.cuh");
        assert_int_equal(facts.lines[0].line, place == 2 ? 7 : 5);
        ifl_profile_free(profile);
    }
}

/* Line 7 of k.cu has two instructions, and line 7 of h.cuh is another one. */
static void test_lines(void **state)
{
    (void)state;
    ifl_profile *profile = ifl_profile_new();
    const ifl_time_facts f = taken(profile);
    assert_int_equal(f.line_count, 3);
    assert_string_equal(f.lines[0].file, "k.cu");
    assert_int_equal(f.lines[0].line, 7);
    assert_string_equal(f.lines[0].op, "FADD"); /* which has most of it */
    assert_int_equal(f.lines[0].address, 16);
    assert_int_equal(f.lines[0].issued, 20);
    assert_true(is_about(f.lines[0].share, 4990.0 / 9999));
    assert_true(is_about(f.lines[0].stalls[IFL_STALL_wait], 9.9));
    assert_true(is_about(f.lines[0].stalls[IFL_STALL_long_scoreboard], 40));
    assert_string_equal(f.lines[1].file, "h.cuh");
    assert_string_equal(f.lines[2].op, "BRA");
    assert_null(f.lines[2].file);
    ifl_profile_free(profile);
}

/* Without lines each instruction stands for itself. */
static void test_without_lines(void **state)
{
    (void)state;
    const ifl_sites bare = {.at = sites, .count = SITES, .files = files, .file_count = 1};
    const ifl_sm_outcome outcome = {.issue_cycles = 100, .sites = stalls};
    ifl_profile *profile = ifl_profile_new();
    ifl_time_facts f = {0};
    assert_true(ifl_time_stalls_take(&bare, &outcome, profile, &f));
    assert_int_equal(f.line_count, 4);
    assert_string_equal(f.lines[0].op, "FADD");
    ifl_profile_free(profile);
}

static void test_nothing(void **state)
{
    (void)state;
    static ifl_site_stalls none[SITES];
    const ifl_sm_outcome outcome = {.sites = none};
    ifl_profile *profile = ifl_profile_new();
    ifl_time_facts f = {0};
    assert_true(ifl_time_stalls_take(&code, &outcome, profile, &f));
    assert_int_equal(f.site_count + f.line_count, 0);
    ifl_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),          cmocka_unit_test(test_sites),
        cmocka_unit_test(test_toolkit),       cmocka_unit_test(test_lines),
        cmocka_unit_test(test_without_lines), cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
