/* SPDX-License-Identifier: Apache-2.0
 * Waits and registers by the order of PTX. The expectations follow from what may go before what: a
 * load behind a store that may alias it, behind a barrier, or with an address that another load
 * gives. */
#include "ptx/waits.h"

#include "ptx_snippet.h"

/* The sums over the blocks of a kernel with this body, each block once. */
static ifl_waits waits_of(const char *body)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", KERNEL_START, body, KERNEL_END);
    ifl_program *program = read_ok(text);
    const ifl_function *function = &program->functions[0];
    ifl_waits *waits = calloc(function->count, sizeof *waits), sum = {0};
    assert_int_equal(ifl_waits_find(program, function, NULL, waits, NULL), IFL_OK);
    for (uint32_t i = 0; i < function->count; i++) {
        sum.loads += waits[i].loads;
        sum.spread += waits[i].spread;
        sum.shared += waits[i].shared;
        sum.chain += waits[i].chain;
    }
    free(waits);
    ifl_program_free(program);
    return sum;
}

static void independent_loads_are_one_wait(void **state)
{
    (void)state;
    ifl_waits w =
        waits_of("ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; add.f32 %f3, %f1, %f2;");
    assert_true(w.loads == 1 && w.spread == 1);
    /* The compiler moves the second load before the first use. */
    w = waits_of("ld.global.f32 %f1, [%rd1]; add.f32 %f3, %f1, %f1; ld.global.f32 %f2, [%rd2]; "
                 "add.f32 %f3, %f3, %f2;");
    assert_true(w.loads == 1);
}

static void a_load_that_nobody_uses_is_not_waited_for(void **state)
{
    (void)state;
    assert_true(waits_of("ld.global.f32 %f1, [%rd1];").loads == 0);
}

static void addresses_from_loads_wait_one_after_the_other(void **state)
{
    (void)state;
    ifl_waits w =
        waits_of("ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd2]; add.u64 %rd4, %rd3, 1;");
    assert_true(w.loads == 2);
}

/* Document 001: without __restrict__ a load of x cannot go before the store to y; with it, it
 * can. */
static void a_store_holds_loads_back_but_not_read_only_ones(void **state)
{
    (void)state;
    static const char step[] = "ld.global%s.f32 %%f1, [%%rd1]; st.global.f32 [%%rd2], %%f1; "
                               "ld.global%s.f32 %%f2, [%%rd1+4]; st.global.f32 [%%rd2+4], %%f2;";
    char body[512];
    snprintf(body, sizeof body, step, "", "");
    assert_true(waits_of(body).loads == 2);
    snprintf(body, sizeof body, step, ".nc", ".nc");
    assert_true(waits_of(body).loads == 1);
}

static void a_barrier_holds_all_loads_back(void **state)
{
    (void)state;
    ifl_waits w = waits_of("ld.global.nc.f32 %f1, [%rd1]; add.f32 %f2, %f1, %f1; bar.sync 0; "
                           "ld.global.nc.f32 %f3, [%rd1+4]; add.f32 %f2, %f3, %f2;");
    assert_true(w.loads == 2);
}

/* A load for the next trip is waited for once a trip; its name changes by a move that costs
 * nothing. */
static void what_a_block_loads_may_be_waited_for_in_the_next(void **state)
{
    (void)state;
    ifl_waits w = waits_of(
        "ld.global.f32 %f1, [%rd1];\n"
        "L: ld.global.f32 %f2, [%rd2]; add.f32 %f3, %f3, %f1; mov.f32 %f1, %f2; @%p1 bra L;");
    assert_true(w.loads == 1);
}

/* With n groups in flight behind it, a wait for copies stands for its part of the latency. */
static void copies_in_flight_share_a_wait(void **state)
{
    (void)state;
    static const char copy[] = "cp.async.ca.shared.global [s], [%rd1], 4; cp.async.commit_group; ";
    char body[512];
    snprintf(body, sizeof body, "%s cp.async.wait_group 3;", copy);
    assert_true(waits_of(body).loads == 0.25);
    snprintf(body, sizeof body, "%s cp.async.wait_all;", copy);
    assert_true(waits_of(body).loads == 1);
}

static void shared_memory_is_counted_apart(void **state)
{
    (void)state;
    ifl_waits w = waits_of("ld.shared.f32 %f1, [s]; add.f32 %f2, %f1, %f1; ld.shared.f32 %f3, "
                           "[s+4]; add.f32 %f2, %f3, %f2;");
    assert_true(w.loads == 0 && w.shared == 1);
}

static void registers_are_the_values_that_live_at_once(void **state)
{
    (void)state;
    uint32_t alive = 0;
    /* Behind the two loads: f1, f2 and the 64-bit address that the store needs. */
    ifl_program *program = read_ok(
        KERNEL("ld.param.u64 %rd1, [a]; ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];"
               "add.f32 %f3, %f1, %f2; st.global.f32 [%rd1], %f3;"));
    assert_int_equal(ifl_registers_alive(program, &program->functions[0], &alive, NULL), IFL_OK);
    assert_int_equal(alive, 4);
    ifl_program_free(program);
}

/* A store to shared memory changes nothing that lies in global memory. */
static void a_store_holds_only_the_loads_of_its_memory(void **state)
{
    (void)state;
    ifl_waits w = waits_of("ld.global.f32 %f1, [%rd1]; st.shared.f32 [s], %f1; ld.global.f32 %f2, "
                           "[%rd1+4]; st.shared.f32 [s+4], %f2;");
    assert_true(w.loads == 1);
    w = waits_of("ld.global.f32 %f1, [%rd1]; st.f32 [%rd2], %f1; ld.global.f32 %f2, [%rd1+4]; "
                 "st.f32 [%rd2+4], %f2;");
    assert_true(w.loads == 2);
}

/* A loop of 64 trips uses a value that was loaded before it: that is one wait, not 64. */
static void what_came_before_a_loop_is_waited_for_once(void **state)
{
    (void)state;
    ifl_program *program = read_ok(
        KERNEL("ld.global.f32 %f1, [%rd1];\nagain: add.f32 %f2, %f2, %f1; add.u32 %r1, %r1, 1;"
               "setp.lt.u32 %p1, %r1, 64; @%p1 bra again; st.global.f32 [%rd1], %f2;"));
    const ifl_function *function = &program->functions[0];
    ifl_waits waits[16];
    uint64_t times[16];
    double sum = 0;
    assert_true(function->count <= 16);
    for (uint32_t i = 0; i < function->count; i++)
        times[i] = i >= 1 && i <= 4 ? 64 : 1;
    assert_int_equal(ifl_waits_find(program, function, times, waits, NULL), IFL_OK);
    for (uint32_t i = 0; i < function->count; i++)
        sum += (double)times[i] * waits[i].loads;
    assert_true(sum > 0.9 && sum < 1.1);
    ifl_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_loads_are_one_wait),
        cmocka_unit_test(a_load_that_nobody_uses_is_not_waited_for),
        cmocka_unit_test(addresses_from_loads_wait_one_after_the_other),
        cmocka_unit_test(a_store_holds_loads_back_but_not_read_only_ones),
        cmocka_unit_test(a_barrier_holds_all_loads_back),
        cmocka_unit_test(what_a_block_loads_may_be_waited_for_in_the_next),
        cmocka_unit_test(copies_in_flight_share_a_wait),
        cmocka_unit_test(shared_memory_is_counted_apart),
        cmocka_unit_test(registers_are_the_values_that_live_at_once),
        cmocka_unit_test(a_store_holds_only_the_loads_of_its_memory),
        cmocka_unit_test(what_came_before_a_loop_is_waited_for_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
