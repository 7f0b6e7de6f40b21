/* SPDX-License-Identifier: Apache-2.0
 * Launches whose counts are known before they run. Kernels of bench/, whose sources say whether what
 * they load decides where they go or what they ask for; the sectors of a request follow from its
 * addresses: 4 for 32 words side by side from a line on, 5 from a word behind it, 32 for words that
 * are 128 bytes apart. */
#include "exec/memory.h"
#include "session/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 32, N = 1024, WARPS = N / LANES, BLOCK = 256 };

static size_t observers_of_last;

ifl_status __real_ifl_session_begin(ifl_session *session, const ifl_session_launch *launch,
                                    const ifl_session_way *way,
                                    const ifl_observer *const *observers, size_t count,
                                    ifl_session_result *out, ifl_error *error);

ifl_status __wrap_ifl_session_begin(ifl_session *session, const ifl_session_launch *launch,
                                    const ifl_session_way *way,
                                    const ifl_observer *const *observers, size_t count,
                                    ifl_session_result *out, ifl_error *error)
{
    observers_of_last = count;
    return __real_ifl_session_begin(session, launch, way, observers, count, out, error);
}

typedef struct bench {
    ifl_session *session;
    ifl_ready_kernel *kernel;
    ifl_allocation *x, *y, *index;
} bench;

static ifl_allocation *allocate(ifl_session *session, const char *name)
{
    ifl_allocation *a;
    assert_int_equal(
        ifl_memory_allocate(ifl_session_memory(session), (LANES * N + 1) * 4, 0, 0, name, &a, NULL),
        IFL_OK);
    memset(a->host, 0, a->bytes);
    return a;
}

static bench begin(const char *file, const char *kernel)
{
    static char image[1 << 16];
    char path[128];
    const ifl_session_options options = {
        .gpu = "h200", .analysis = true, .observed_launches = 4, .threads = 1};
    bench b;
    ifl_loaded *loaded;
    snprintf(path, sizeof path, "bench/%s.sm_90.cubin", file);
    FILE *from = fopen(path, "rb");
    assert_non_null(from);
    const size_t bytes = fread(image, 1, sizeof image, from);
    fclose(from);
    assert_int_equal(ifl_session_new(&options, &b.session, NULL), IFL_OK);
    assert_int_equal(ifl_session_load(b.session, path, image, bytes, &loaded, NULL), IFL_OK);
    assert_int_equal(ifl_session_find(b.session, loaded, kernel, &b.kernel, NULL), IFL_OK);
    b.x = allocate(b.session, "x");
    b.y = allocate(b.session, "y");
    b.index = allocate(b.session, "index");
    return b;
}

/* Whether it was observed; what lies in memory is another each time. */
static bool launch(const bench *b, const void *params)
{
    const ifl_session_launch to = {
        .kernel = b->kernel, .grid = {N / BLOCK, 1, 1}, .block = {BLOCK, 1, 1}, .params = params};
    ifl_fault_kind fault;
    *(float *)b->x->host += 1;
    ifl_memory_changed(ifl_session_memory(b->session), b->x);
    observers_of_last = 0;
    assert_int_equal(ifl_session_keep(b->session, &to, NULL, &fault, NULL), IFL_OK);
    return observers_of_last != 0;
}

static uint64_t counter(const ifl_profile *profile, const char *name)
{
    uint64_t value = 0;
    assert_true(ifl_profile_counter(profile, name, &value));
    return value;
}

static const ifl_profile *profile_of(const bench *b, uint64_t launches)
{
    const ifl_ledger_entry *entries;
    size_t count;
    assert_int_equal(ifl_session_entries(b->session, &entries, &count, NULL), IFL_OK);
    assert_int_equal(count, 1);
    assert_int_equal(entries->launches, launches);
    assert_int_equal(entries->observed, launches);
    return entries->profile;
}

static void what_loads_decide(void **state)
{
    static const struct {
        const char *file, *kernel;
        bool is_foreseeable;
    } rows[] = {
        {"contiguous", "contiguous", true}, {"strided", "strided", true},
        {"shared", "shared", true},         {"divergent", "divergent", true},
        {"scattered", "scattered", false},  {"loops", "saxpy", true},
        {"loops", "gather", false},         {"loops", "transpose", true},
        {"loops", "stencil", true},         {"loops", "reduction", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bench b = begin(rows[i].file, rows[i].kernel);
        if (b.kernel->image.demands.foreseeable != rows[i].is_foreseeable)
            fail_msg("%s", rows[i].kernel);
        ifl_session_free(b.session);
    }
}

typedef struct saxpy_params {
    uint32_t n;
    float a;
    uint64_t x, y;
} saxpy_params;

static void a_launch_like_one_before_is_counted_unobserved(void **state)
{
    enum { LAUNCHES = 4, SECTORS = WARPS * (4 + 4), BESIDE = WARPS * (4 + 5) };
    (void)state;
    const bench b = begin("contiguous", "contiguous");
    const saxpy_params own = {N, 2, b.x->address, b.y->address},
                       other = {N, 2, b.x->address, b.y->address + 4};
    assert_true(launch(&b, &own));
    const uint64_t once = counter(profile_of(&b, 1), "instructions");
    for (int i = 1; i < LAUNCHES; i++)
        assert_false(launch(&b, &own));
    assert_int_equal(counter(profile_of(&b, LAUNCHES), "instructions"), LAUNCHES * once);
    assert_int_equal(counter(profile_of(&b, LAUNCHES), "global_load_sectors"), LAUNCHES * SECTORS);
    assert_true(launch(&b, &other));
    assert_int_equal(counter(profile_of(&b, LAUNCHES + 1), "global_load_sectors"),
                     LAUNCHES * SECTORS + BESIDE);
    ifl_session_free(b.session);
}

static void indices_in_memory_are_observed(void **state)
{
    enum { LAUNCHES = 4 };
    (void)state;
    const bench b = begin("scattered", "scattered");
    const uint64_t params[] = {b.index->address, b.x->address, b.y->address};
    uint32_t *index = (uint32_t *)b.index->host;
    for (uint32_t round = 0; round < LAUNCHES; round++) {
        for (uint32_t i = 0; i < N; i++)
            index[i] = round % 2 ? i * LANES : i;
        ifl_memory_changed(ifl_session_memory(b.session), b.index);
        assert_true(launch(&b, params));
    }
    assert_int_equal(counter(profile_of(&b, LAUNCHES), "global_load_sectors"),
                     LAUNCHES * WARPS * 4 + LAUNCHES / 2 * WARPS * (4 + LANES));
    ifl_session_free(b.session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_loads_decide),
        cmocka_unit_test(a_launch_like_one_before_is_counted_unobserved),
        cmocka_unit_test(indices_in_memory_are_observed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
