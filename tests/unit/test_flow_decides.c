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

/* Steps that read this are alike. */
enum { QUEUE = 5 };

static bool fetches(const void *user, uint32_t i)
{
    return ((const step *)user)[i].reads == QUEUE;
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
    assert_int_equal(ifl_flow_decides(&flow, &touches, from, shares, fetches, &out, NULL), IFL_OK);
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

/* 0: r0 = fetch; 1: ends if r0; 2: work; 3: r0 = fetch; 4: back to 2 by r0; 5: ends. */
static void a_trip_taken_out_of_its_loop_decides_as_the_loop(void **state)
{
    (void)state;
    step steps[] = {{0, QUEUE, NONE, false, false, false}, {NONE, 0, NONE, true, false, true},
                    {2, 2, NONE, false, false, false},     {0, QUEUE, NONE, false, false, false},
                    {NONE, 0, 2, true, false, false},      {NONE, NONE, NONE, false, false, true}};
    assert_true(decides(steps, 6, 0));
    steps[3].reads = NONE; /* what decides the loop is of another kind */
    assert_false(decides(steps, 6, 0));
    steps[3].reads = QUEUE;
    steps[1].reads = 3; /* the first decides nothing */
    assert_false(decides(steps, 6, 0));
}

/* ---- from several instructions to others ------------------------------------------------------ */

/* Here steps that `share` are those that give values, and reads of r7 those that matter. */
enum { ASKED = 7 };

static bool matters(const void *user, uint32_t i, const uint64_t *held)
{
    return ((const step *)user)[i].reads == ASKED && (held[0] >> ASKED & 1);
}

/* All guarded steps have one guard, that r6 holds. */
enum { GUARD = 6 };

static uint32_t guard(const void *user, uint32_t i)
{
    return ((const step *)user)[i].guarded ? ifl_flow_guard(GUARD, false) : 0;
}

static bool reaches(const step *steps, uint32_t count)
{
    ifl_flow_step shape[16] = {0};
    ifl_arena arena = {0};
    ifl_flow flow;
    bool out = false;
    for (uint32_t i = 0; i < count; i++)
        shape[i] = (ifl_flow_step){.targets = &steps[i].to,
                                   .target_count = steps[i].to != NONE,
                                   .falls = steps[i].guarded || steps[i].to == NONE,
                                   .ends = steps[i].to != NONE};
    assert_int_equal(ifl_flow_build(shape, count, &arena, &flow, NULL), IFL_OK);
    const ifl_flow_touches touches = {
        .visit = visit, .is_guarded = is_guarded, .user = steps, .registers = REGISTERS};
    const ifl_flow_question question = {shares, matters, guard};
    assert_int_equal(ifl_flow_reaches(&flow, &touches, &question, &out, NULL), IFL_OK);
    ifl_arena_free(&arena);
    return out;
}

/* r0 = load; r7 = f(r0); use of r7 */
static void a_value_reaches_what_is_computed_of_it(void **state)
{
    (void)state;
    const step steps[] = {{0, NONE, NONE, false, true, false},
                          {ASKED, 0, NONE, false, false, false},
                          {NONE, ASKED, NONE, false, false, false}};
    assert_true(reaches(steps, 3));
}

/* The same, but r7 is written anew in between; only where a guard may keep it from that is the value
 * still there. */
static void a_value_that_is_overwritten_reaches_nothing(void **state)
{
    (void)state;
    step steps[] = {{ASKED, NONE, NONE, false, true, false},
                    {ASKED, 1, NONE, false, false, false},
                    {NONE, ASKED, NONE, false, false, false}};
    assert_false(reaches(steps, 3));
    steps[1].guarded = true;
    assert_true(reaches(steps, 3));
}

/* Who reads under the guard under which it was written anew finds what was written, until the guard
 * is another. */
static void a_value_is_overwritten_for_those_under_the_same_guard(void **state)
{
    (void)state;
    step steps[] = {{ASKED, NONE, NONE, false, true, false},
                    {ASKED, 1, NONE, true, false, false},
                    {2, 1, NONE, false, false, false},
                    {NONE, ASKED, NONE, true, false, false}};
    assert_false(reaches(steps, 4));
    steps[2].writes = GUARD;
    assert_true(reaches(steps, 4));
}

/* 0: use of r7; 1: r7 = load; 2: back to 0. */
static void a_value_goes_round_a_loop(void **state)
{
    (void)state;
    const step steps[] = {{NONE, ASKED, NONE, false, false, false},
                          {ASKED, NONE, NONE, false, true, false},
                          {NONE, NONE, 0, true, false, false}};
    assert_true(reaches(steps, 3));
    assert_false(reaches(steps, 2)); /* without the way back */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_that_ends_by_the_value),
        cmocka_unit_test(without_a_loop_nothing_is_decided),
        cmocka_unit_test(a_place_to_store_to_decides_nothing),
        cmocka_unit_test(what_is_written_anew_is_another_value),
        cmocka_unit_test(a_value_that_is_shared_decides),
        cmocka_unit_test(a_trip_taken_out_of_its_loop_decides_as_the_loop),
        cmocka_unit_test(a_value_reaches_what_is_computed_of_it),
        cmocka_unit_test(a_value_that_is_overwritten_reaches_nothing),
        cmocka_unit_test(a_value_is_overwritten_for_those_under_the_same_guard),
        cmocka_unit_test(a_value_goes_round_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
