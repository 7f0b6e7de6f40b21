/* SPDX-License-Identifier: Apache-2.0
 * What is kept of warps that go on for long: the observer is told of loops, and the trace is
 * followed. A sample's time is to be that of the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "time/time_window.h"
#include "time_bench.h"

enum { TRIP = 4, LOAD = 0, WAIT = 1, ARRIVE = TRIP };

/* Each trip loads a line and waits for it; pass after pass over the same lines. */
typedef struct loop {
    uint64_t trips, lines;
    uint32_t warps;
    uint64_t blocks; /* of the grid; one of them is told of */
    bool has_windows;
    bool has_objects;    /* one is met at the end */
    uint64_t most_words; /* 0: as usual */
} loop;

static ifl_time_plan plan_of(const loop *l)
{
    ifl_time_plan plan = {.scopes = {ifl_time_scope_of(
                              &(ifl_placing){.sms = 132, .per_sm = 0, .blocks = l->blocks}, 2)},
                          .scope_count = 1,
                          .warps_per_block = l->warps,
                          .blocks = l->blocks,
                          .most_words = l->most_words};
    if (l->has_windows)
        ifl_time_plan_windows(&plan);
    return plan;
}

static void tell_trip(void *traces, const loop *l, uint32_t warp, uint64_t trip)
{
    const uint64_t line = trip % l->lines + warp * l->lines;
    uint64_t address[IFL_WARP_LANES];
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        address[lane] = line * IFL_LINE_BYTES + lane * 4;
    ifl_time_observer.stretch(traces, &(ifl_stretch){.last = TRIP, .warp = warp});
    ifl_time_observer.access(traces, &(ifl_access){.kind = IFL_ACCESS_LOAD,
                                                   .space = IFL_SPACE_GLOBAL,
                                                   .bytes = 4,
                                                   .site = LOAD,
                                                   .warp = warp,
                                                   .mask = UINT32_MAX,
                                                   .address = address});
}

/* The engine runs one warp for a while, then the next one. */
static void tell(void *traces, const loop *l)
{
    enum { TURN = 1000 };
    assert_true(ifl_time_observer.follows(traces, 0));
    for (uint64_t first = 0; first < l->trips; first += TURN)
        for (uint32_t warp = 0; warp < l->warps; warp++)
            for (uint64_t trip = first; trip < first + TURN && trip < l->trips; trip++)
                tell_trip(traces, l, warp, trip);
    if (l->has_objects)
        ifl_time_observer.object(traces, &(ifl_object_event){.site = ARRIVE, .count = 1});
}

typedef struct kept {
    ifl_time_plan plan;
    ifl_time_traces *traces;
    const ifl_block_trace *block;
    double repeats;
} kept;

/* All that the block has issued; what is kept stands for it so many times. */
static uint64_t count_instructions(kept *k, uint32_t warps)
{
    uint64_t all = 0, held = 0;
    for (uint32_t w = 0; w < warps; w++) {
        all += k->block->warps[w].instructions;
        held += k->block->warps[w].kept;
    }
    k->repeats = (double)all / (double)held;
    return all;
}

/* The traces look at k's plan until they go. */
static void keep(const loop *l, kept *k)
{
    *k = (kept){.plan = plan_of(l)};
    all_sites[ARRIVE].is_counted = l->has_objects;
    k->traces = ifl_observer_new(&ifl_time_observer, &sites, &k->plan);
    tell(k->traces, l);
    assert_true(ifl_time_traces_are_whole(k->traces));
    assert_int_equal(ifl_time_traces_of(k->traces, 0, &k->block, 1), 1);
    assert_int_equal(count_instructions(k, l->warps), l->trips * TRIP * l->warps);
}

static double cycles_of(const kept *k, uint32_t warps)
{
    const ifl_sm_rates rates = quick_rates();
    ifl_site_stalls stalls[SITES] = {0};
    ifl_sm_outcome out = {.sites = stalls};
    const ifl_sm_case of = {&sites, NULL, &rates, &k->block, 1, warps, 1, 0};
    assert_true(ifl_sm_run(&of, &out));
    expect_same_uncounted(&of, &out);
    return ifl_sm_cycles(&out, 1, 1, k->repeats);
}

static double time_of(const loop *l, double *repeats)
{
    kept k;
    keep(l, &k);
    const double cycles = cycles_of(&k, l->warps);
    *repeats = k.repeats;
    ifl_observer_free(&ifl_time_observer, k.traces);
    return cycles;
}

static uint64_t count_of(const kept *k, ifl_request_class served)
{
    uint64_t requests = 0;
    const ifl_warp_trace *warp = &k->block->warps[0];
    for (size_t at = 0; at < warp->words.count; at += ifl_trace_words(warp->words.at + at))
        requests += !(warp->words.at[at] & IFL_WORD_STRETCH) &&
                    ifl_request_unpack(warp->words.at[at + 1]).served == served;
    return requests;
}

/* A part of what goes on for long is kept, not of what is short, nor where the grid has blocks for
 * many SMs, nor where counts of barrier objects would miss what was left out, whenever they come. */
static void test_what_is_kept(void **unused)
{
    static const loop loops[] = {
        {.trips = 1 << 20, .lines = 64, .warps = 1, .blocks = 1, .has_windows = true},
        {.trips = 1 << 16, .lines = 64, .warps = 1, .blocks = 1, .has_windows = true},
        {.trips = 1 << 20, .lines = 64, .warps = 1, .blocks = 100, .has_windows = true},
        {.trips = 1 << 20,
         .lines = 64,
         .warps = 1,
         .blocks = 1,
         .has_windows = true,
         .has_objects = true},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        kept k;
        keep(&loops[i], &k);
        if (i == 0)
            assert_in_range((uint64_t)(k.repeats * 1000), 7900, 16100);
        else
            assert_true(k.repeats == 1);
        assert_int_equal(count_of(&k, IFL_REQUEST_OBJECT), loops[i].has_objects);
        ifl_observer_free(&ifl_time_observer, k.traces);
    }
}

/* Windows are as far from each other as any other two, and the first is none of them: what is done
 * once is done there. */
static void test_where_they_are(void **unused)
{
    const loop l = {.trips = 1 << 20, .lines = 64, .warps = 2, .blocks = 1, .has_windows = true};
    kept k;
    keep(&l, &k);
    (void)unused;
    for (uint32_t w = 0; w < l.warps; w++) {
        const ifl_warp_trace *warp = &k.block->warps[w];
        assert_true(warp->windows.count >= IFL_TIME_WINDOWS / 2);
        assert_true(warp->windows.at[0].number > 0);
        for (size_t i = 1; i + 1 < warp->windows.count; i++)
            assert_int_equal(warp->windows.at[i + 1].number - warp->windows.at[i].number,
                             warp->windows.at[i].number - warp->windows.at[i - 1].number);
    }
    ifl_observer_free(&ifl_time_observer, k.traces);
}

static uint64_t count_gaps(const ifl_warp_trace *warp)
{
    uint64_t gaps = 0;
    for (size_t at = 0; at < warp->words.count; at += ifl_trace_words(warp->words.at + at))
        gaps += warp->words.at[at] & IFL_WORD_STRETCH && !warp->words.at[at + 1];
    return gaps;
}

/* Where there is too much of them, gaps go before windows do. */
static void test_without_gaps(void **unused)
{
    loop l = {.trips = 1 << 20, .lines = 65536, .warps = 1, .blocks = 1, .has_windows = true};
    (void)unused;
    kept with, without;
    keep(&l, &with);
    l.most_words = 1 << 21;
    keep(&l, &without);
    assert_true(count_gaps(&with.block->warps[0]) >= IFL_TIME_WINDOWS / 2);
    assert_int_equal(count_gaps(&without.block->warps[0]), 0);
    assert_true(with.repeats == without.repeats);
    ifl_observer_free(&ifl_time_observer, with.traces);
    ifl_observer_free(&ifl_time_observer, without.traces);
}

/* Lines that a gap has asked for are in the L1 behind it, where they fit: without that, each window
 * would fetch all of its lines. Where they do not fit, each load misses, in windows as elsewhere. */
static void test_time_of_a_part(void **unused)
{
    (void)unused;
    set_all(TRIP, plain(1));
    all_sites[LOAD] = memory(IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL, 0);
    all_sites[WAIT] = waits_for(0);
    for (int fits = 0; fits < 2; fits++)
        for (uint32_t warps = 1; warps <= 2; warps++) {
            loop l = {.trips = (1 << 20) / warps, .lines = 65536, .warps = warps, .blocks = 1};
            double repeats;
            l.lines = fits ? 512 / warps : l.lines;
            const double whole = time_of(&l, &repeats);
            assert_true(repeats == 1);
            l.has_windows = true;
            const double part = time_of(&l, &repeats);
            assert_true(repeats > 7);
            assert_true(part > 0.98 * whole && part < 1.02 * whole);
        }
}

static uint64_t count_barriers(const ifl_warp_trace *warp)
{
    uint64_t found = 0;
    for (size_t i = 0; i < warp->words.count; i += ifl_trace_words(&warp->words.at[i]))
        found += warp->words.at[i] == (IFL_WORD_STRETCH | ARRIVE);
    return found;
}

/* Between barriers one warp or the other does 40 times as much, and the other waits for it. */
static void tell_phases(void *traces)
{
    enum { PHASES = 16000, TRIPS = 40 };
    assert_true(ifl_time_observer.follows(traces, 0));
    for (uint32_t phase = 0; phase < PHASES; phase++)
        for (uint32_t warp = 0; warp < 2; warp++) {
            const int trips = phase % 2 == warp ? TRIPS : 1;
            for (int trip = 0; trip < trips; trip++)
                ifl_time_observer.stretch(traces, &(ifl_stretch){.last = TRIP, .warp = warp});
            ifl_time_observer.stretch(
                traces, &(ifl_stretch){.first = ARRIVE, .last = ARRIVE + 1, .warp = warp});
        }
}

/* Windows leave out the same barriers of both, so that a sample's time is that of the whole. */
static void warps_that_wait_keep_their_barriers(void **unused)
{
    (void)unused;
    double cycles[2];
    set_all(TRIP, plain(1));
    all_sites[ARRIVE] = plain(1);
    all_sites[ARRIVE].control.step = IFL_STEP_BARRIER;
    for (int parts = 0; parts < 2; parts++) {
        const loop l = {.trips = 1, .lines = 1, .warps = 2, .blocks = 1, .has_windows = parts};
        kept k = {.plan = plan_of(&l)};
        k.traces = ifl_observer_new(&ifl_time_observer, &sites, &k.plan);
        tell_phases(k.traces);
        assert_int_equal(ifl_time_traces_of(k.traces, 0, &k.block, 1), 1);
        assert_int_equal(count_barriers(&k.block->warps[0]), count_barriers(&k.block->warps[1]));
        count_instructions(&k, l.warps);
        cycles[parts] = cycles_of(&k, l.warps);
        assert_true(parts ? k.repeats > 4 : k.repeats == 1);
        ifl_observer_free(&ifl_time_observer, k.traces);
    }
    assert_true(cycles[1] > 0.98 * cycles[0] && cycles[1] < 1.02 * cycles[0]);
    all_sites[ARRIVE] = plain(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_kept),
        cmocka_unit_test(test_where_they_are),
        cmocka_unit_test(test_without_gaps),
        cmocka_unit_test(test_time_of_a_part),
        cmocka_unit_test(warps_that_wait_keep_their_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
