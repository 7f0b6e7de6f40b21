/* SPDX-License-Identifier: Apache-2.0
 * The arena: what it gives out is zeroed, aligned and apart, whatever the sizes; what is large does
 * not end the chunk that small things come from. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void is_zeroed_and_apart(void **state)
{
    enum { COUNT = 400 };
    unsigned char *at[COUNT];
    size_t bytes[COUNT];
    ifl_arena arena = {0};
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        bytes[i] = i % 50 == 49 ? 200 * 1000 : i * 37 % 5000;
        at[i] = ifl_arena_alloc(&arena, bytes[i]);
        assert_non_null(at[i]);
        assert_int_equal((uintptr_t)at[i] % alignof(max_align_t), 0);
        for (size_t b = 0; b < bytes[i]; b++)
            assert_int_equal(at[i][b], 0);
        memset(at[i], (int)(i % 251 + 1), bytes[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t b = 0; b < bytes[i]; b++)
            assert_int_equal(at[i][b], i % 251 + 1);
    ifl_arena_free(&arena);
}

static void goes_on_behind_what_is_large(void **state)
{
    enum { SMALL = 64, LARGE = 1 << 20 };
    ifl_arena arena = {0};
    (void)state;
    const unsigned char *first = ifl_arena_alloc(&arena, SMALL);
    const unsigned char *large = ifl_arena_alloc(&arena, LARGE);
    const unsigned char *second = ifl_arena_alloc(&arena, SMALL);
    assert_non_null(first);
    assert_non_null(large);
    assert_ptr_equal(second, first + SMALL);
    ifl_arena_free(&arena);
}

static void has_no_room_for_everything(void **state)
{
    ifl_arena arena = {0};
    (void)state;
    assert_null(ifl_arena_alloc(&arena, SIZE_MAX));
    assert_non_null(ifl_arena_alloc(&arena, 0));
    ifl_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_zeroed_and_apart),
        cmocka_unit_test(goes_on_behind_what_is_large),
        cmocka_unit_test(has_no_room_for_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
