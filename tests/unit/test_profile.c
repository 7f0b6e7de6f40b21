/* SPDX-License-Identifier: Apache-2.0
 * The counter table and the profile. */
#include "profile/registers.h"
#include "profile/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void names_are_unique_and_found(void **unused)
{
    (void)unused;
    for (int i = 0; i < IFL_COUNTER_COUNT; i++) {
        const ifl_counter_info *info = ifl_counter_get((ifl_counter)i);
        assert_non_null(info);
        assert_true(*info->name && *info->unit && *info->doc);
        assert_int_equal(ifl_counter_find(info->name), i);
    }
    assert_int_equal(ifl_counter_find("no_such_counter"), IFL_COUNTER_COUNT);
    assert_int_equal(ifl_counter_find(""), IFL_COUNTER_COUNT);
    assert_null(ifl_counter_get(IFL_COUNTER_COUNT));
}

/* DESIGN.md section 5 names these; whoever reads the JSON relies on them. */
static void promised_counters_exist(void **unused)
{
    (void)unused;
    static const char *const spaces[] = {"global_load",  "global_store", "global_atomic",
                                         "local_load",   "local_store",  "shared_load",
                                         "shared_store", "shared_atomic"};
    static const char *const off_chip[] = {"requests", "sectors", "sectors_ideal", "useful_bytes"};
    static const char *const on_chip[] = {"requests", "wavefronts", "wavefronts_ideal",
                                          "useful_bytes"};
    static const char *const launch[] = {
        "ptx_instructions", "instructions",       "thread_instructions",
        "l1_load_hits",     "l2_read_sectors",    "l2_write_sectors",
        "l2_hits",          "dram_read_bytes",    "dram_write_bytes",
        "branches",         "divergent_branches", "barriers"};
    for (size_t s = 0; s < 8; s++) {
        for (size_t m = 0; m < 4; m++) {
            char name[64];
            snprintf(name, sizeof name, "%s_%s", spaces[s], s < 5 ? off_chip[m] : on_chip[m]);
            ifl_counter counter = ifl_counter_find(name);
            assert_int_not_equal(counter, IFL_COUNTER_COUNT);
            assert_int_equal(ifl_counter_get(counter)->level, IFL_LEVEL_LINE);
        }
    }
    for (size_t i = 0; i < sizeof launch / sizeof *launch; i++) {
        ifl_counter counter = ifl_counter_find(launch[i]);
        assert_int_not_equal(counter, IFL_COUNTER_COUNT);
        assert_int_equal(ifl_counter_get(counter)->level, IFL_LEVEL_LAUNCH);
    }
}

static void unknown_is_not_zero(void **unused)
{
    (void)unused;
    ifl_profile *profile = ifl_profile_new();
    assert_non_null(profile);
    for (int i = 0; i < IFL_COUNTER_COUNT; i++)
        assert_false(profile->counters.known[i]);
    ifl_counters_set(&profile->counters, IFL_COUNTER_branches, 0);
    assert_true(profile->counters.known[IFL_COUNTER_branches]);
    profile->counters.value[IFL_COUNTER_barriers] = 99; /* has no meaning: not known */
    ifl_counters_add(&profile->counters, IFL_COUNTER_barriers, 5);
    ifl_counters_add(&profile->counters, IFL_COUNTER_barriers, 6);
    assert_int_equal(profile->counters.value[IFL_COUNTER_barriers], 11);
    ifl_counters_set(&profile->counters, IFL_COUNTER_barriers, 3);
    assert_int_equal(profile->counters.value[IFL_COUNTER_barriers], 3);
    assert_false(profile->counters.known[IFL_COUNTER_instructions]);
    ifl_profile_destroy(profile);
    ifl_profile_destroy(NULL);
}

static void patterns_have_words(void **unused)
{
    (void)unused;
    static const char *const words[] = {"none",    "coalesced",  "broadcast", "offset",
                                        "strided", "contiguous", "irregular", "rows"};
    for (int k = 0; k < IFL_PATTERN_COUNT; k++)
        assert_string_equal(ifl_pattern_text((ifl_pattern_kind)k), words[k]);
    assert_string_equal(ifl_pattern_text(IFL_PATTERN_COUNT), "unknown");
}

/* docs/counters.md: counters are named SPACE_KIND_MEASURE, those of copies KIND_MEASURE; what is on
 * chip has wavefronts and no sectors, what is copied sectors and no wavefronts; atomics alone count
 * the lanes that meet on one address. */
static void accesses_have_their_counters(void **unused)
{
    (void)unused;
    for (ifl_traffic_kind t = 0; t < IFL_TRAFFIC_COUNT; t++) {
        const ifl_traffic_info *info = ifl_traffic_info_get(t);
        const ifl_traffic_counters of = ifl_traffic_counters_of(t);
        const char *space = ifl_space_text(info->space), *kind = ifl_access_kind_text(info->kind);
        char name[64];
        snprintf(name, sizeof name, "%s%s%s_requests", info->is_past_lsu ? "" : space,
                 info->is_past_lsu ? "" : "_", kind);
        for (char *at = name; *at; at++)
            *at = *at == ' ' ? '_' : *at;
        assert_string_equal(ifl_counter_get(of.requests)->name, name);
        snprintf(name, sizeof name, "%s%s%ss", info->is_past_lsu ? "" : space,
                 info->is_past_lsu ? "" : " ", kind);
        assert_string_equal(info->many, name);
        assert_int_equal(of.wavefronts == IFL_COUNTER_COUNT, info->is_past_lsu);
        assert_int_equal(info->on_chip, info->space == IFL_SPACE_SHARED);
        assert_int_equal(of.sectors == IFL_COUNTER_COUNT, info->on_chip);
        assert_int_equal(of.serial == IFL_COUNTER_COUNT, info->kind != IFL_ACCESS_ATOMIC);
        assert_int_equal(ifl_traffic_find(info->space, info->kind), t);
    }
    assert_int_equal(ifl_traffic_find(IFL_SPACE_GENERIC, IFL_ACCESS_LOAD), IFL_TRAFFIC_COUNT);
    assert_int_equal(ifl_traffic_find(IFL_SPACE_LOCAL, IFL_ACCESS_ATOMIC), IFL_TRAFFIC_COUNT);
}

static void document_has_a_row_a_counter(void **unused)
{
    (void)unused;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    ifl_counters_document(out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(strncmp(text, "# Counters\n", 11), 0);
    size_t rows = 0;
    for (char *at = text; (at = strstr(at, "\n| `")); at++)
        rows++;
    assert_int_equal(rows, IFL_COUNTER_COUNT);
    for (int i = 0; i < IFL_COUNTER_COUNT; i++) {
        const ifl_counter_info *info = ifl_counter_get((ifl_counter)i);
        char row[512];
        snprintf(row, sizeof row, "\n| `%s` | %s | %s | %s | ", info->name, info->unit,
                 info->level == IFL_LEVEL_LINE ? "line" : "launch", info->doc);
        assert_non_null(strstr(text, row));
    }
    free(text);
}

/* __launch_bounds__(1024, 2): 64 warps share 65,536 registers, 32 a thread; (1024): 64 (PTX ISA,
 * .minnctapersm). */
static void launch_bounds_limit_the_guess_of_registers(void **state)
{
    (void)state;
    bool is_estimate;
    ifl_profile *profile = ifl_profile_new();
    profile->program.known = true;
    profile->program.registers = 90;
    assert_int_equal(ifl_profile_registers(profile, 255, &is_estimate), 96);
    assert_true(is_estimate);
    profile->program.bound_warps = 64;
    assert_int_equal(ifl_profile_registers(profile, 255, NULL), 32);
    profile->program.bound_warps = 32;
    assert_int_equal(ifl_profile_registers(profile, 255, NULL), 64);
    ifl_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_and_found),
        cmocka_unit_test(promised_counters_exist),
        cmocka_unit_test(unknown_is_not_zero),
        cmocka_unit_test(patterns_have_words),
        cmocka_unit_test(launch_bounds_limit_the_guess_of_registers),
        cmocka_unit_test(document_has_a_row_a_counter),
        cmocka_unit_test(accesses_have_their_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
