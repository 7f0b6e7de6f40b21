/* SPDX-License-Identifier: Apache-2.0
 * Numbers of requests that are alike: the same number, the same layout. */
#include "exec/warp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SITES = 2, LAYOUTS = IFL_WARP_LANES, MANY = 4 * LAYOUTS }; /* LAYOUTS: that are kept */

static void begin(ifl_worker *worker)
{
    *worker = (ifl_worker){.likeness = calloc(SITES, sizeof *worker->likeness)};
    assert_non_null(worker->likeness);
}

static void end(ifl_worker *worker)
{
    for (int i = 0; i < SITES; i++)
        free(worker->likeness[i]);
    free(worker->likeness);
}

/* Lanes of a row that ends behind lane `layout` % 32, and the first of the next; some layouts differ
 * by their active lanes only. */
static uint64_t number_of(ifl_worker *worker, uint32_t layout, uint64_t from)
{
    uint64_t address[IFL_WARP_LANES];
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        address[lane] = from + 4 * lane + (lane > layout % IFL_WARP_LANES ? 1000 : 0);
    const ifl_access access = {.site = 1,
                               .kind = IFL_ACCESS_LOAD,
                               .space = IFL_SPACE_GLOBAL,
                               .bytes = 4,
                               .mask = layout / IFL_WARP_LANES % 2 ? 0xfffffffe : UINT32_MAX,
                               .address = address};
    return ifl_likeness_of(worker, &access);
}

/* As many layouts as there is room for, in turn: each is known when it comes again. */
static void layouts_that_come_again_are_known(void **unused)
{
    uint64_t first[LAYOUTS] = {0};
    ifl_worker worker;
    (void)unused;
    begin(&worker);
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t layout = i % (LAYOUTS - 1); /* behind the last lane no row ends */
        const uint64_t number = number_of(&worker, layout, 4096 + 128 * i);
        if (i < LAYOUTS - 1)
            assert_int_equal(number, 0);
        else if (!first[layout])
            first[layout] = number;
        assert_true(i < LAYOUTS - 1 || number);
        assert_true(!first[layout] || number == first[layout]);
        for (uint32_t other = 0; number && other < LAYOUTS; other++)
            assert_true(other == layout || first[other] != number);
    }
    end(&worker);
}

/* More layouts than there is room for, in no order: a number stands for one of them only. */
static void numbers_are_of_one_layout(void **unused)
{
    enum { ROUNDS = 5000 };
    static uint32_t layout_of[ROUNDS + 1]; /* 1 + layout */
    uint64_t state = 7;
    ifl_worker worker;
    (void)unused;
    begin(&worker);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint32_t layout = (uint32_t)(state >> 33) % (2 * IFL_WARP_LANES - 1);
        const uint64_t number = number_of(&worker, layout, 4096 + (state >> 50));
        assert_true(number <= ROUNDS);
        assert_true(!number || !layout_of[number] || layout_of[number] == layout + 1);
        layout_of[number] = layout + 1;
        assert_int_not_equal(number_of(&worker, layout, 1 << 20), 0); /* like the last one */
    }
    end(&worker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_that_come_again_are_known),
        cmocka_unit_test(numbers_are_of_one_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
