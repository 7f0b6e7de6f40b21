/* SPDX-License-Identifier: Apache-2.0
 * Launches that did the same have the same digest, and others have another one. */
#include "count/observe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SITES = 2, MOST = 16 };

typedef struct launch {
    uint64_t stride;     /* of the second load's lanes, in bytes */
    uint32_t trips;      /* in which both sites load and issue */
    uint32_t lanes;      /* that execute */
    bool second_first;   /* which of the two loads first */
    uint64_t first_byte; /* of what is loaded */
} launch;

static void load(void *state, uint32_t site, uint64_t first, uint64_t stride)
{
    uint64_t address[IFL_WARP_LANES];
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        address[lane] = first + lane * stride;
    ifl_observe_access.observer->access(state, &(ifl_access){.kind = IFL_ACCESS_LOAD,
                                                             .space = IFL_SPACE_GLOBAL,
                                                             .bytes = 4,
                                                             .site = site,
                                                             .mask = UINT32_MAX,
                                                             .address = address});
}

static void tell(void *const states[MOST], const launch *l, uint32_t site)
{
    for (size_t i = 0; i < ifl_observation_count; i++) {
        if (ifl_observations[i] == &ifl_observe_access)
            load(states[i], site, l->first_byte, site ? l->stride : 4);
        if (ifl_observations[i] == &ifl_observe_mix)
            ifl_observe_mix.observer->issue(
                states[i],
                &(ifl_issue){.site = site, .warps = 1, .threads = 32, .executing = l->lanes});
    }
}

static uint64_t digest_of(const launch *l)
{
    static ifl_site at[SITES];
    const ifl_sites sites = {.at = at, .count = SITES};
    void *states[MOST] = {0};
    assert_true(ifl_observation_count <= MOST);
    for (size_t i = 0; i < ifl_observation_count; i++)
        assert_non_null(states[i] = ifl_observer_new(ifl_observations[i]->observer, &sites, NULL));
    for (uint32_t trip = 0; trip < l->trips; trip++)
        for (uint32_t i = 0; i < SITES; i++)
            tell(states, l, l->second_first ? 1 - i : i);
    const uint64_t digest = ifl_observations_digest(states);
    for (size_t i = 0; i < ifl_observation_count; i++)
        ifl_observer_free(ifl_observations[i]->observer, states[i]);
    return digest;
}

/* Other threads of the host come to other sites first, and other buffers lie elsewhere. */
static void test_same(void **unused)
{
    (void)unused;
    const launch one = {.stride = 64, .trips = 10, .lanes = 32, .first_byte = 4096};
    launch same = one;
    same.second_first = true;
    assert_true(digest_of(&one) == digest_of(&same));
    same.first_byte = 1 << 20;
    assert_true(digest_of(&one) == digest_of(&same));
}

static void test_others(void **unused)
{
    (void)unused;
    const launch one = {.stride = 64, .trips = 10, .lanes = 32, .first_byte = 4096};
    launch other[4] = {one, one, one, one};
    other[0].stride = 68;
    other[1].trips = 11;
    other[2].lanes = 31;
    other[3].first_byte = 4100;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_true(digest_of(&one) != digest_of(&other[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
