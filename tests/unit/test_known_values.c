/* SPDX-License-Identifier: Apache-2.0
 * Which moves of machine code are left when it is lowered. Expectations are read from nvdisasm's
 * listings of the benchmarks: their moves are LDC, ULDC, S2R, S2UR and IMAD.MOV. */
#include "base/file.h"
#include "sass/sass_lower.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Bit i: instruction i has code that moves a register. */
static uint64_t moves_of(const char *path)
{
    enum { MOST_BYTES = 1 << 20 };
    ifl_error error = {0};
    ifl_object *object;
    ifl_image image;
    char *bytes;
    size_t size;
    uint64_t moves = 0;
    assert_int_equal(ifl_file_read(path, MOST_BYTES, &bytes, &size, &error), IFL_OK);
    assert_int_equal(ifl_object_open(path, (const uint8_t *)bytes, size, &object, &error), IFL_OK);
    ifl_object_place(object, 0);
    const ifl_sass_lowering lowering = {.object = object, .kernel = &object->texts[0]};
    assert_int_equal(ifl_sass_lower(&lowering, &image, &error), IFL_OK);
    const ifl_routine *routine = &image.routines[0];
    for (size_t i = 0; i < routine->code_count; i++)
        if (routine->code[i].table == IFL_TABLE_COMMON &&
            routine->code[i].operation == IFL_CODE_move32)
            moves |= UINT64_C(1) << routine->code[i].site;
    ifl_image_free(&image);
    ifl_object_close(object);
    free(bytes);
    return moves;
}

/* Every word that is moved is read as a whole, and nothing else is ever in its register there. */
static void constants_need_no_moves(void **unused)
{
    (void)unused;
    assert_int_equal(moves_of("bench/contiguous.sm_90.cubin"), 0);
    assert_int_equal(moves_of("bench/scattered.sm_90.cubin"), 0);
}

/* R4 = 0 and R7 = 1 (0x50, 0x60) are what two loops begin with, and have other values when they
 * come round again. */
static void what_loops_change_is_moved(void **unused)
{
    (void)unused;
    assert_int_equal(moves_of("bench/divergent.sm_90.cubin"), UINT64_C(1) << 5 | UINT64_C(1) << 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(constants_need_no_moves),
                                       cmocka_unit_test(what_loops_change_is_moved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
