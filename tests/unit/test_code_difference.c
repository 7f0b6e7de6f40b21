/* SPDX-License-Identifier: Apache-2.0
 * Where PTX and machine code of a launch differ: each change, and lines that have no source. */
#include "profile/profile.h"
#include "profile/traffic.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

typedef struct access {
    uint32_t line;
    ifl_space space;
    ifl_access_kind kind;
    uint64_t requests, bytes;
} access;

static void add(ifl_profile *profile, const char *file, const access *a)
{
    const ifl_traffic_counters of = ifl_traffic_counters_of(ifl_traffic_find(a->space, a->kind));
    ifl_profile_line line = {.file = file, .line = a->line, .space = a->space, .kind = a->kind};
    ifl_counters_set(&line.counters, of.requests, a->requests);
    ifl_counters_set(&line.counters, of.useful_bytes, a->bytes);
    assert_true(ifl_vec_push(&profile->lines, line));
}

static ifl_profile *profile_of(const char *file, const char *source, const access *list,
                               size_t count)
{
    ifl_profile *profile = ifl_profile_new();
    assert_non_null(profile);
    profile->file = file;
    for (size_t i = 0; i < count; i++)
        add(profile, source, &list[i]);
    return profile;
}

#define LOAD(line, space, requests, bytes)                                                         \
    {                                                                                              \
        line, IFL_SPACE_##space, IFL_ACCESS_LOAD, requests, bytes                                  \
    }
#define STORE(line, space, requests, bytes)                                                        \
    {                                                                                              \
        line, IFL_SPACE_##space, IFL_ACCESS_STORE, requests, bytes                                 \
    }

static const access ptx[] = {
    LOAD(1, GLOBAL, 8, 1024),                            /* the same */
    LOAD(2, GLOBAL, 8, 1024),                            /* unrolled */
    LOAD(3, GLOBAL, 4, 512),   LOAD(3, GLOBAL, 4, 512),  /* joined */
    LOAD(4, SHARED, 8, 1024),  LOAD(4, SHARED, 8, 1024), /* merged */
    LOAD(5, GLOBAL, 8, 4096),                            /* split */
    LOAD(6, GLOBAL, 8, 1024),                            /* fewer */
    LOAD(7, GLOBAL, 8, 1024),                            /* more */
    STORE(8, SHARED, 8, 1024),                           /* removed */
    LOAD(11, GLOBAL, 0, 0),                              /* never ran */
};
static const access machine[] = {
    LOAD(1, GLOBAL, 8, 1024), LOAD(2, GLOBAL, 4, 512),   LOAD(2, GLOBAL, 4, 512),
    LOAD(3, GLOBAL, 8, 1024), LOAD(4, SHARED, 4, 2048),  LOAD(5, GLOBAL, 8, 2048),
    LOAD(5, GLOBAL, 8, 2048), LOAD(6, GLOBAL, 4, 512),   LOAD(7, GLOBAL, 16, 2048),
    STORE(9, LOCAL, 8, 1024), LOAD(10, GLOBAL, 8, 1024),
};
static const struct {
    uint32_t line;
    ifl_code_change change;
} wanted[] = {
    {2, IFL_CHANGE_UNROLLED}, {3, IFL_CHANGE_JOINED},  {4, IFL_CHANGE_MERGED},
    {5, IFL_CHANGE_SPLIT},    {6, IFL_CHANGE_FEWER},   {7, IFL_CHANGE_MORE},
    {8, IFL_CHANGE_REMOVED},  {9, IFL_CHANGE_SPILLED}, {10, IFL_CHANGE_ADDED},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void each_change_has_its_name(void **unused)
{
    (void)unused;
    ifl_profile *a = profile_of("k.o", "/there/k.cu", ptx, COUNT(ptx)),
                *b = profile_of("k.o", "k.cu", machine, COUNT(machine));
    ifl_error error = {0};
    assert_int_equal(ifl_profile_compare_code(b, a, &error), IFL_OK);
    assert_true(b->ptx.known && b->ptx.has_lines);
    assert_int_equal(b->ptx.differences.count, COUNT(wanted));
    for (size_t i = 0; i < COUNT(wanted); i++) {
        assert_int_equal(b->ptx.differences.at[i].line, wanted[i].line);
        assert_string_equal(ifl_code_change_text(b->ptx.differences.at[i].change),
                            ifl_code_change_text(wanted[i].change));
        assert_string_equal(b->ptx.differences.at[i].file, "k.cu");
    }
    const ifl_code_difference *merged = &b->ptx.differences.at[2];
    assert_int_equal(merged->ptx.instructions, 2);
    assert_int_equal(merged->ptx.requests, 16);
    assert_int_equal(merged->machine.instructions, 1);
    assert_int_equal(merged->machine.requests, 4);
    /* Once more: what was found before is gone. */
    assert_int_equal(ifl_profile_compare_code(b, a, &error), IFL_OK);
    assert_int_equal(b->ptx.differences.count, COUNT(wanted));
    ifl_profile_destroy(a);
    ifl_profile_destroy(b);
}

/* Machine code without line information: all loads of a kind are one. */
static void without_lines_it_is_of_the_kernel(void **unused)
{
    (void)unused;
    static const access nowhere[] = {LOAD(0, GLOBAL, 4, 512), LOAD(0, GLOBAL, 2, 512)};
    static const access here[] = {LOAD(1, GLOBAL, 4, 512), LOAD(2, GLOBAL, 4, 512)};
    ifl_profile *a = profile_of("k.o", "k.cu", here, COUNT(here)),
                *b = profile_of("k.o", "k.o", nowhere, COUNT(nowhere));
    ifl_error error = {0};
    assert_int_equal(ifl_profile_compare_code(b, a, &error), IFL_OK);
    assert_false(b->ptx.has_lines);
    assert_int_equal(b->ptx.differences.count, 1);
    assert_null(b->ptx.differences.at[0].file);
    assert_int_equal(b->ptx.differences.at[0].change, IFL_CHANGE_MERGED);
    ifl_profile_destroy(a);
    ifl_profile_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_change_has_its_name),
        cmocka_unit_test(without_lines_it_is_of_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
