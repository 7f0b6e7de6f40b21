/* SPDX-License-Identifier: Apache-2.0
 * Copies past registers from any place to any place, as an H200 counts them (tests/gpu/h200/copied.txt):
 * sectors of all, passes of all but 17 of 200 that keep the L1. */
#include "count/copied.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_LINE = 1024 };

typedef struct sample {
    uint32_t sectors, passes;
    ifl_access from, to;
    uint64_t source[IFL_WARP_LANES], target[IFL_WARP_LANES];
} sample;

static void read_lanes(char *text, sample *s)
{
    for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
        unsigned lane;
        unsigned long long from, to;
        assert_int_equal(sscanf(word, "%u:%llu:%llu", &lane, &from, &to), 3);
        s->source[lane] = from, s->target[lane] = to;
        s->from.mask |= UINT32_C(1) << lane;
    }
    s->to.mask = s->from.mask;
}

static void read_sample(char *line, sample *s)
{
    char way[3];
    unsigned bytes;
    int lanes;
    memset(s, 0, sizeof *s);
    assert_int_equal(sscanf(line, "%u %u %u %2s %n", &s->sectors, &s->passes, &bytes, way, &lanes),
                     4);
    s->from = (ifl_access){.kind = IFL_ACCESS_LOAD,
                           .bytes = (uint8_t)bytes,
                           .keeps_line = strcmp(way, "ca") == 0,
                           .address = s->source,
                           .other = s->target};
    s->to = (ifl_access){.kind = IFL_ACCESS_STORE,
                         .bytes = (uint8_t)bytes,
                         .keeps_line = s->from.keeps_line,
                         .address = s->target,
                         .other = s->source};
    read_lanes(line + lanes, s);
}

static void test_copies(void **nothing)
{
    (void)nothing;
    char line[MOST_LINE];
    FILE *file = fopen("tests/gpu/h200/copied.txt", "r");
    unsigned count = 0, apart = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        sample s;
        if (line[0] == '#')
            continue;
        read_sample(line, &s);
        count++;
        if (!s.from.keeps_line)
            assert_int_equal(ifl_copied_sectors(&s.from), s.sectors);
        const bool differs = ifl_copied_passes(&s.to) != s.passes;
        assert_true(!differs || s.to.keeps_line);
        apart += differs;
    }
    fclose(file);
    assert_int_equal(count, 381);
    assert_int_equal(apart, 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
