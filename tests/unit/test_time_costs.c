/* SPDX-License-Identifier: Apache-2.0
 * What a launch's counters and caches make of an H100's rates. Expectations are sums by hand from src/arch/atomics.h,
 * src/arch/fact.def and what the caches are said to have done. */
#include "profile/traffic.h"
#include "time/time_costs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { BLOCKS = 528, SMS = 132 };

static ifl_profile *make_profile(void)
{
    ifl_profile *p = ifl_profile_new();
    assert_non_null(p);
    p->grid[0] = BLOCKS;
    p->grid[1] = p->grid[2] = p->block[1] = p->block[2] = 1;
    p->block[0] = 256;
    return p;
}

static ifl_sm_rates rates_of(const ifl_profile *p)
{
    ifl_error error;
    ifl_device *device = NULL;
    ifl_sm_rates rates;
    assert_int_equal(ifl_device_open("h100", &device, &error), IFL_OK);
    ifl_sm_rates_find(device, p, (double)BLOCKS / SMS, &rates);
    ifl_device_close(device);
    return rates;
}

/* Where one SM has 4 of 528 blocks, 132 have as much to do. */
static void test_busy_sms(void **unused)
{
    (void)unused;
    ifl_profile *p = make_profile();
    assert_true(rates_of(p).sms == SMS);
    ifl_profile_destroy(p);
}

/* An H100 with products runs at 0.91 of 1.98 GHz (src/arch/fact.def), its DRAM as fast as without. */
static void test_clock_of_products(void **unused)
{
    (void)unused;
    ifl_profile *p = make_profile();
    ifl_counters_set(&p->counters, IFL_COUNTER_instructions, 100000);
    ifl_counters_set(&p->counters, IFL_COUNTER_pipe_tensor, 0);
    const ifl_sm_rates without = rates_of(p);
    ifl_counters_set(&p->counters, IFL_COUNTER_pipe_tensor, 100);
    const ifl_sm_rates with = rates_of(p);
    assert_true(fabs(without.clock_hz - 1.98e9) < 1);
    assert_true(fabs(with.clock_hz - 0.91 * 1.98e9) < 1);
    assert_true(fabs(with.clock_hz * with.dram_bytes_of_all -
                     without.clock_hz * without.dram_bytes_of_all) < 1e3);
    ifl_profile_destroy(p);
}

/* 4,224 warps that add a float to one word: five passes of 0.72 cycles each, in turn with those of all SMs. */
static void test_atomic_turn(void **unused)
{
    (void)unused;
    ifl_profile *p = make_profile();
    assert_true(rates_of(p).atomic_turn == 0);
    ifl_counters_set(&p->counters, IFL_COUNTER_global_atomic_requests, 4224);
    ifl_counters_set(&p->counters, IFL_COUNTER_global_atomic_busiest_part, 5 * 4224);
    assert_true(fabs(rates_of(p).atomic_turn - 5 * 0.72 * SMS) < 1e-6);
    ifl_profile_destroy(p);
}

/* Of 1,000 sectors stored 400 are written while the launch runs, and 600 stay in the L2: it pays for these only where it
 * follows others like it. 100 lone ones take the DRAM as long as 100 more. */
static void test_what_is_left(void **unused)
{
    (void)unused;
    ifl_profile *p = make_profile();
    const ifl_cache_facts facts = {.device = "h100",
                                   .l2_write_sectors = {1000, 1000, 1000},
                                   .dram_write_bytes = {400 * 32, 400 * 32, 400 * 32},
                                   .dirty_bytes = {600 * 32, 600 * 32, 600 * 32}};
    assert_true(ifl_vec_push(&p->caches, facts));
    assert_true(fabs(rates_of(p).dram_store_share - 0.4) < 1e-9);
    p->repeated = true;
    assert_true(fabs(rates_of(p).dram_store_share - 1) < 1e-9);
    p->repeated = false;
    p->caches.at[0].dram_padding = 100;
    assert_true(fabs(rates_of(p).dram_store_share - 0.5) < 1e-9);
    ifl_profile_destroy(p);
}

static void add_line(ifl_profile *p, ifl_pattern pattern, ifl_counter requests, ifl_counter lines,
                     ifl_counter sectors, uint64_t lines_a_request)
{
    ifl_profile_line line = {.access_bytes = 4, .pattern = pattern};
    ifl_counters_set(&line.counters, requests, 10);
    ifl_counters_set(&line.counters, lines, 10 * lines_a_request);
    ifl_counters_set(&line.counters, sectors, 10 * lines_a_request);
    assert_true(ifl_vec_push(&p->lines, line));
}

#define ADD_LINE(p, prefix, lines, ...)                                                            \
    add_line(p, (ifl_pattern){__VA_ARGS__}, IFL_COUNTER_##prefix##_requests,                       \
             IFL_COUNTER_##prefix##_lines, IFL_COUNTER_##prefix##_sectors, lines)

/* Stores in order do not thin out loads at random; lanes a line apart are in order, two lines apart not, and few lines a
 * request neither. */
static void test_random_share(void **unused)
{
    (void)unused;
    ifl_profile *p = make_profile();
    ADD_LINE(p, global_load, 32, .kind = IFL_PATTERN_IRREGULAR);
    ADD_LINE(p, global_store, 1, .kind = IFL_PATTERN_COALESCED);
    assert_true(ifl_traffic_random_share(p) == 1);
    ADD_LINE(p, global_load, 32, .kind = IFL_PATTERN_STRIDED, .stride_words = 32);
    assert_true(ifl_traffic_random_share(p) == 0.5);
    ADD_LINE(p, global_store, 32, .kind = IFL_PATTERN_STRIDED, .stride_words = -64);
    assert_true(fabs(ifl_traffic_random_share(p) - 2 / 3.0) < 1e-9);
    ADD_LINE(p, global_load, 3, .kind = IFL_PATTERN_IRREGULAR);
    assert_true(fabs(ifl_traffic_random_share(p) - 64 / 99.0) < 1e-9);
    ifl_profile_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_busy_sms),     cmocka_unit_test(test_clock_of_products),
        cmocka_unit_test(test_atomic_turn),  cmocka_unit_test(test_what_is_left),
        cmocka_unit_test(test_random_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
