/* SPDX-License-Identifier: Apache-2.0
 * Sectors of atomics whose lanes meet, as an H200 counts them (tests/gpu/h200/atomic_sectors.txt): of
 * all but 5 of 255 requests, of which it counts one more. */
#include "count/footprint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_LINE = 512 };

/* Reads a line; returns the sectors that the H200 counted. */
static uint32_t read_request(char *line, uint64_t address[IFL_WARP_LANES])
{
    char *word = strtok(line, " \n");
    assert_true(word && (strcmp(word, "red") == 0 || strcmp(word, "atom") == 0));
    word = strtok(NULL, " \n");
    assert_non_null(word);
    const uint32_t sectors = (uint32_t)strtoul(word, NULL, 10);
    for (int lane = 0; lane < IFL_WARP_LANES; lane++) {
        word = strtok(NULL, " \n");
        assert_non_null(word);
        address[lane] = sizeof(uint32_t) * strtoull(word, NULL, 10);
    }
    return sectors;
}

static void test_sectors(void **nothing)
{
    static ifl_lookup lookup;
    char line[MOST_LINE];
    FILE *file = fopen("tests/gpu/h200/atomic_sectors.txt", "r");
    unsigned count = 0, more = 0;
    (void)nothing;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        uint64_t address[IFL_WARP_LANES];
        if (line[0] == '#')
            continue;
        const uint32_t counted = read_request(line, address);
        const ifl_access access = {.kind = IFL_ACCESS_ATOMIC,
                                   .space = IFL_SPACE_GLOBAL,
                                   .bytes = sizeof(uint32_t),
                                   .mask = UINT32_MAX,
                                   .address = address};
        const ifl_measure m = ifl_footprint_find(NULL, &lookup, &access);
        assert_in_range(counted, m.passed_sectors, m.passed_sectors + 1);
        more += counted > m.passed_sectors;
        count++;
    }
    fclose(file);
    assert_int_equal(count, 255);
    assert_int_equal(more, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
