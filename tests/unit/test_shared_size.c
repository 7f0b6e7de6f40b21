/* SPDX-License-Identifier: Apache-2.0
 * The size of shared memory that an H200's driver chose, launch by launch:
 * tests/gpu/h200/shared_sizes.txt. */
#include "device/shared_size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int preference_of(const char *word)
{
    static const struct {
        const char *word;
        int preference;
    } words[] = {{"default", IFL_SHARED_DEFAULT},
                 {"L1", IFL_SHARED_LEAST},
                 {"equal", IFL_SHARED_EQUAL},
                 {"shared", IFL_SHARED_MOST}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i].word) == 0)
            return words[i].preference;
    return 1 + atoi(word);
}

/* How many blocks an SM of it holds, but for what is asked for. */
static uint32_t blocks_of(const ifl_device *device, int threads, int shared_bytes)
{
    const ifl_occupancy_request request = {.threads = threads, .shared_bytes = shared_bytes};
    ifl_occupancy occupancy;
    ifl_error error;
    assert_int_equal(ifl_occupancy_compute(device, &request, &occupancy, &error), IFL_OK);
    return (uint32_t)occupancy.blocks_per_sm;
}

static void test_sizes_of_an_h200(void **unused)
{
    char line[200], word[20];
    int threads, shared_bytes, kib, rows = 0, wrong = 0;
    ifl_device *device = NULL;
    ifl_cache_rules rules;
    ifl_error error;
    (void)unused;
    FILE *file = fopen("tests/gpu/h200/shared_sizes.txt", "r");
    assert_non_null(file);
    assert_int_equal(ifl_device_open("h200", &device, &error), IFL_OK);
    assert_true(ifl_cache_rules_find(9.0, &rules));
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%d %d %19s %d", &threads, &shared_bytes, word, &kib) != 4)
            continue;
        const uint64_t found =
            ifl_shared_size(device, &rules, preference_of(word),
                            blocks_of(device, threads, shared_bytes), (uint64_t)shared_bytes) /
            1024;
        rows++;
        if (found == (uint64_t)kib)
            continue;
        wrong++;
        print_message("%d threads, %d bytes, %s: %d KiB, found %d\n", threads, shared_bytes, word,
                      kib, (int)found);
    }
    fclose(file);
    ifl_device_close(device);
    assert_int_equal(rows, 173);
    assert_int_equal(wrong, 0);
}

/* Only what a program asks for limits how many blocks an SM holds. */
static void test_limit(void **unused)
{
    ifl_device *device = NULL;
    ifl_error error;
    (void)unused;
    assert_int_equal(ifl_device_open("h200", &device, &error), IFL_OK);
    assert_int_equal(ifl_shared_limit(device, IFL_SHARED_DEFAULT, 6144), 0);
    assert_int_equal(ifl_shared_limit(device, IFL_SHARED_LEAST, 6144), 8192);
    assert_int_equal(ifl_shared_limit(device, IFL_SHARED_LEAST, 0), 0);
    const ifl_occupancy_request request = {
        .threads = 256, .shared_bytes = 6144, .shared_limit = 8192};
    ifl_occupancy occupancy;
    assert_int_equal(ifl_occupancy_compute(device, &request, &occupancy, &error), IFL_OK);
    assert_int_equal(occupancy.blocks_per_sm, 1);
    assert_string_equal(occupancy.limiter, "shared memory");
    ifl_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_of_an_h200),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
