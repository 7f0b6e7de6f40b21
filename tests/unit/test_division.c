/* SPDX-License-Identifier: Apache-2.0
 * Which divisions of floats take their long way, for all pairs of exponents:
 * tests/gpu/h200/fchk.txt. */
#include "exec/lane.h"
#include "exec/machine_lane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { EXPONENTS = 256 };

/* From the runs of divisors behind the dividend's exponent. */
static bool is_long_there(const char *runs, long divisor)
{
    char *end;
    for (long first = strtol(runs, &end, 10); end != runs; first = strtol(runs, &end, 10)) {
        const long last = strtol(end, &end, 10);
        if (divisor >= first && divisor <= last)
            return true;
        runs = end;
    }
    return false;
}

static void test_all_exponents(void **unused)
{
    static const uint32_t mantissas[] = {0, 1, 0x400000, 0x7fffff};
    char line[200];
    int rows = 0;
    (void)unused;
    FILE *file = fopen("tests/gpu/h200/fchk.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (line[0] == '#' || !colon)
            continue;
        const uint32_t a = (uint32_t)strtoul(line, NULL, 10);
        for (uint32_t b = 0; b < EXPONENTS; b++)
            for (int m = 0; m < 4; m++)
                assert_int_equal(
                    ifl_division_is_slow(a << 23 | mantissas[m], b << 23 | mantissas[3 - m]),
                    is_long_there(colon + 1, b));
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, EXPONENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_exponents)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
