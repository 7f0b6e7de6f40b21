/* SPDX-License-Identifier: Apache-2.0
 * When machine code is lowered: not where a kernel is looked up, whose file says what its launches need, but
 * where it is found to be launched. */
#include "session/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char path[] = "bench/contiguous.sm_90.cubin";

static ifl_session *load(ifl_loaded **loaded)
{
    static char image[1 << 16];
    const ifl_session_options options = {.gpu = "h200"};
    ifl_session *session;
    FILE *from = fopen(path, "rb");
    assert_non_null(from);
    const size_t bytes = fread(image, 1, sizeof image, from);
    fclose(from);
    assert_int_equal(ifl_session_new(&options, &session, NULL), IFL_OK);
    assert_int_equal(ifl_session_load(session, path, image, bytes, loaded, NULL), IFL_OK);
    return session;
}

static void what_is_looked_up_is_not_lowered(void **state)
{
    ifl_loaded *loaded;
    ifl_ready_kernel *kernel, *found;
    ifl_session *session = load(&loaded);
    (void)state;
    assert_int_equal(ifl_session_look_up(session, loaded, "contiguous", &kernel, NULL), IFL_OK);
    assert_false(kernel->is_lowered);
    assert_int_equal(kernel->image.sites.count, 0);
    const uint64_t bytes = kernel->image.demands.param_bytes;
    assert_true(bytes > 0 && kernel->registers > 0);
    assert_int_equal(ifl_session_find(session, loaded, "contiguous", &found, NULL), IFL_OK);
    assert_ptr_equal(found, kernel);
    assert_true(kernel->is_lowered && kernel->image.sites.count > 0);
    assert_int_equal(kernel->image.demands.param_bytes, bytes);
    assert_int_equal(ifl_session_look_up(session, loaded, "nothing", &kernel, NULL), IFL_USAGE);
    ifl_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_looked_up_is_not_lowered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
