/* SPDX-License-Identifier: Apache-2.0
 * Memory of every size, written from end to end, and sizes that there are no addresses for. */
#include "base/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void any_size_can_be_written(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {1, 4096, IFL_LARGE_PAGE - 1, IFL_LARGE_PAGE, IFL_LARGE_PAGE + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *at = ifl_pages_take(sizes[i]);
        assert_non_null(at);
        assert_true(sizes[i] < IFL_LARGE_PAGE || (uintptr_t)at % IFL_LARGE_PAGE == 0);
        memset(at, 1, sizes[i]);
        free(at);
    }
}

static void too_large_a_size_gets_nothing(void **unused)
{
    (void)unused;
    assert_null(
        ifl_pages_take(SIZE_MAX)); /* fewer are malloc's to refuse, which a sanitizer ends */
    assert_null(ifl_pages_take(SIZE_MAX - IFL_LARGE_PAGE + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_size_can_be_written),
        cmocka_unit_test(too_large_a_size_gets_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
