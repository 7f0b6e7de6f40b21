/* SPDX-License-Identifier: Apache-2.0
 * A launch whose counters say the same as those of a launch of its kind that was modelled takes that
 * one's time, and the model is not asked; one that did something else has a time of its own. The
 * kernel finds in memory how often it is to go round, so that the arguments do not tell. */
#include "exec/memory.h"
#include "session/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry rounds(.param .u64 at)\n{\n"
                           ".reg .pred %p; .reg .b32 %r<4>; .reg .b64 %a;\n"
                           "ld.param.u64 %a, [at];\n"
                           "ld.global.u32 %r0, [%a];\n"
                           "again:\n"
                           "ld.volatile.global.u32 %r1, [%a+4];\n"
                           "add.u32 %r1, %r1, 1;\n"
                           "st.volatile.global.u32 [%a+4], %r1;\n"
                           "sub.u32 %r0, %r0, 1;\n"
                           "setp.ne.u32 %p, %r0, 0;\n"
                           "@%p bra again;\n"
                           "ret;\n}\n";

static unsigned asked;

ifl_status __real_ifl_model_find(const ifl_profile *profile, const ifl_device *device,
                                 ifl_modelled *out, ifl_error *error);

ifl_status __wrap_ifl_model_find(const ifl_profile *profile, const ifl_device *device,
                                 ifl_modelled *out, ifl_error *error)
{
    asked++;
    return __real_ifl_model_find(profile, device, out, error);
}

typedef struct bench {
    ifl_session *session;
    ifl_ready_kernel *kernel;
    ifl_allocation *words; /* rounds to go, rounds gone */
} bench;

static bench begin(void)
{
    const ifl_session_options options = {
        .gpu = "h200", .code = IFL_CHOOSE_PTX, .analysis = true, .threads = 1};
    bench b;
    ifl_loaded *loaded;
    assert_int_equal(ifl_session_new(&options, &b.session, NULL), IFL_OK);
    assert_int_equal(ifl_session_load(b.session, "rounds.ptx", text, sizeof text, &loaded, NULL),
                     IFL_OK);
    assert_int_equal(ifl_session_find(b.session, loaded, "rounds", &b.kernel, NULL), IFL_OK);
    assert_int_equal(ifl_memory_allocate(ifl_session_memory(b.session), 2 * sizeof(uint32_t), 0, 0,
                                         "words", &b.words, NULL),
                     IFL_OK);
    asked = 0;
    return b;
}

/* The time that the GPU's clock goes on by. */
static double launch(const bench *b, uint32_t rounds)
{
    const double before = ifl_session_clock(b->session);
    uint32_t *words = (uint32_t *)b->words->host;
    const uint32_t gone = words[1];
    const ifl_session_launch to = {.kernel = b->kernel,
                                   .grid = {1, 1, 1},
                                   .block = {1, 1, 1},
                                   .params = (const uint8_t *)&b->words->address};
    ifl_fault_kind fault;
    words[0] = rounds;
    ifl_memory_changed(ifl_session_memory(b->session), b->words);
    assert_int_equal(ifl_session_keep(b->session, &to, NULL, &fault, NULL), IFL_OK);
    assert_int_equal(words[1] - gone, rounds); /* it has run */
    return ifl_session_clock(b->session) - before;
}

static void test_the_same_is_modelled_once(void **unused)
{
    enum { LAUNCHES = 9 };
    (void)unused;
    const bench b = begin();
    const double us = launch(&b, 1000);
    const unsigned once = asked;
    assert_true(us > 0 && once > 0);
    for (int i = 1; i < LAUNCHES; i++)
        assert_true(launch(&b, 1000) > 0.999 * us);
    assert_int_equal(asked, once);
    ifl_session_free(b.session);
}

/* The second launch of a kind is modelled, the third is not: it is compared by the formula. */
static void test_others_have_their_own_time(void **unused)
{
    enum { FEW = 10, MORE = 10000, MOST = 20000 };
    (void)unused;
    const bench alone = begin();
    const double own = launch(&alone, MORE);
    ifl_session_free(alone.session);

    const bench b = begin();
    const double few = launch(&b, FEW);
    const unsigned first = asked;
    const double more = launch(&b, MORE);
    assert_int_equal(asked, 2 * first);
    assert_true(more > 2 * few);
    assert_true(more > 0.99 * own && more < 1.01 * own);
    assert_true(launch(&b, MOST) > 1.5 * more);
    assert_true(asked > 2 * first);
    ifl_session_free(b.session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_is_modelled_once),
        cmocka_unit_test(test_others_have_their_own_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
