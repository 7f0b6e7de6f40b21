/* SPDX-License-Identifier: Apache-2.0
 * Which loops go on by a value that an instruction gives: graphs of a few instructions, drawn by
 * hand. */
#include "code/flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NONE = 99, REGISTERS = 8 };

typedef struct step {
    uint32_t writes, reads; /* a register each, NONE */
    uint32_t to;            /* a branch, NONE */
    bool guarded, shares;
    bool ends; /* the function; a guarded one may */
} step;

static void visit(const void *user, uint32_t i, ifl_flow_see *see, void *to)
{
    const step *s = (const step *)user + i;
    if (s->reads != NONE)
        see(to, s->reads, false);
    if (s->writes != NONE)
        see(to, s->writes, true);
}

static bool is_guarded(const void *user, uint32_t i)
{
    return ((const step *)user)[i].guarded;
}

static bool shares(const void *user, uint32_t i)
{
    return ((const step *)user)[i].shares;
}

static bool decides(const step *steps, uint32_t count, uint32_t from)
{
    ifl_flow_step shape[16] = {0};
    ifl_arena arena = {0};
    ifl_flow flow;
    bool out = false;
    for (uint32_t i = 0; i < count; i++)
        shape[i] =
            (ifl_flow_step){.targets = &steps[i].to,
                            .target_count = steps[i].to != NONE,
                            .falls = steps[i].guarded || (steps[i].to == NONE && !steps[i].ends),
                            .leaves = steps[i].ends,
                            .ends = steps[i].to != NONE || steps[i].ends};
    assert_int_equal(ifl_flow_build(shape, count, &arena, &flow, NULL), IFL_OK);
    const ifl_flow_touches touches = {
        .visit = visit, .is_guarded = is_guarded, .user = steps, .registers = REGISTERS};
    assert_int_equal(ifl_flow_decides(&flow, &touches, from, shares, &out, NULL), IFL_OK);
    ifl_arena_free(&arena);
    return out;
}

/* 0: r0 = fetch; 1: r1 = f(r0); 2: leaves if r1; 3: work; 4: back to 0. */
static void a_loop_that_ends_by_the_value(void **state)
{
    (void)state;
    const step steps[] = {{0, NONE, NONE, false, false, false},
                          {1, 0, NONE, false, false, false},
                          {NONE, 1, NONE, true, false, true},
                          {2, 0, NONE, false, false, false},
                          {NONE, NONE, 0, false, false, false}};
    assert_true(decides(steps, 5, 0));
    assert_false(decides(steps, 5, 3)); /* what the work gives decides nothing */
}

/* The same without the way back: one fetch. */
static void without_a_loop_nothing_is_decided(void **state)
{
    (void)state;
    const step steps[] = {{0, NONE, NONE, false, false, false},
                          {NONE, 0, NONE, true, false, true},
                          {2, 0, NONE, false, false, false},
                          {NONE, NONE, NONE, false, false, true}};
    assert_false(decides(steps, 4, 0));
}

/* A loop that goes on by a register of its own: what is fetched is only a place to store to. */
static void a_place_to_store_to_decides_nothing(void **state)
{
    (void)state;
    const step steps[] = {{0, NONE, NONE, false, false, false},
                          {NONE, 0, NONE, false, false, false},
                          {3, 3, NONE, false, false, false},
                          {NONE, 3, 0, true, false, false},
                          {NONE, NONE, NONE, false, false, true}};
    assert_false(decides(steps, 5, 0));
}

/* The register is written anew before the branch reads it; under a guard it may not be. */
static void what_is_written_anew_is_another_value(void **state)
{
    (void)state;
    step steps[] = {{0, NONE, NONE, false, false, false},
                    {0, 3, NONE, false, false, false},
                    {NONE, 0, 0, true, false, false},
                    {NONE, NONE, NONE, false, false, true}};
    assert_false(decides(steps, 4, 0));
    steps[1].guarded = true;
    assert_true(decides(steps, 4, 0));
}

/* What one lane fetches and gives to others may decide what they do. */
static void a_value_that_is_shared_decides(void **state)
{
    (void)state;
    const step steps[] = {{0, NONE, NONE, false, false, false},
                          {NONE, 0, NONE, false, true, false},
                          {NONE, 3, 0, true, false, false},
                          {NONE, NONE, NONE, false, false, true}};
    assert_true(decides(steps, 4, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_that_ends_by_the_value),
        cmocka_unit_test(without_a_loop_nothing_is_decided),
        cmocka_unit_test(a_place_to_store_to_decides_nothing),
        cmocka_unit_test(what_is_written_anew_is_another_value),
        cmocka_unit_test(a_value_that_is_shared_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
