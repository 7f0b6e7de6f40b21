/* SPDX-License-Identifier: Apache-2.0
 * The decoder's tables hold together: rows, names and widths of accesses. What the rows say is held against nvdisasm's
 * words by tests/sass. */
#include "sass/sass_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { OPCODE_MASK = 0xfff };

/* Both rows fit some word: no bit that both of them fix differs. */
static bool share_a_word(const ifl_sass_row *a, const ifl_sass_row *b)
{
    for (unsigned half = 0; half < 2; half++)
        if ((a->match[half] ^ b->match[half]) & a->mask[half] & b->mask[half])
            return false;
    return true;
}

static void test_no_word_fits_two_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ifl_sass_row_count; i++)
        for (size_t j = i + 1; j < ifl_sass_row_count && ifl_sass_rows[j].bits == ifl_sass_rows[i].bits; j++) {
            const ifl_sass_row *a = &ifl_sass_rows[i], *b = &ifl_sass_rows[j];
            if (a->architectures & b->architectures && share_a_word(a, b))
                fail_msg("rows %zu and %zu of opcode 0x%03x, %s and %s, fit the same words", i, j, a->bits,
                         a->opcode, b->opcode);
        }
}

static void test_rows_of_an_opcode_stand_together(void **state)
{
    (void)state;
    size_t opcodes = 0, of_table = 0;
    for (size_t i = 0; i < ifl_sass_row_count; i++) {
        const bool is_first = i == 0 || ifl_sass_rows[i].bits != ifl_sass_rows[i - 1].bits;
        opcodes += is_first;
        if (is_first)
            assert_int_equal(ifl_sass_first_row[ifl_sass_rows[i].bits], i + 1);
    }
    for (size_t bits = 0; bits <= OPCODE_MASK; bits++)
        of_table += ifl_sass_first_row[bits] != 0;
    assert_int_equal(opcodes, of_table);
}

static void test_masks_cover_matches(void **state)
{
    (void)state;
    for (size_t i = 0; i < ifl_sass_row_count; i++) {
        const ifl_sass_row *row = &ifl_sass_rows[i];
        for (unsigned half = 0; half < 2; half++)
            if (row->match[half] & ~row->mask[half])
                fail_msg("row %zu, %s: match has bits that its mask has not", i, row->opcode);
        assert_true(row->architectures != 0);
        assert_true(row->slots <= IFL_SASS_OPERANDS && row->destinations <= row->slots);
    }
}

static void test_architectures(void **state)
{
    static const uint32_t supported[] = {75, 80, 86, 87, 89, 90, 100, 103, 120, 121};
    (void)state;
    uint16_t all = 0;
    for (size_t i = 0; i < sizeof supported / sizeof *supported; i++) {
        const uint16_t bit = ifl_sass_architecture_bit(supported[i]);
        assert_true(ifl_sass_supports(supported[i]) && bit && !(all & bit));
        all |= bit;
    }
    assert_false(ifl_sass_supports(70) || ifl_sass_supports(0) || ifl_sass_supports(91));
}

/* Bits that no instruction has stay as they are, and are counted by their callers. */
static void test_unknown_words(void **state)
{
    (void)state;
    const uint8_t bytes[16] = {0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    ifl_sass_instruction in;
    char line[64];
    assert_false(ifl_sass_decode(90, bytes, 0x40, &in));
    assert_null(in.opcode);
    assert_int_equal(in.offset, 0x40);
    assert_int_equal(in.operand_count, 0);
    assert_true(in.word[0] == 0x04030201ffffffff && in.word[1] == 0x0c0b0a0908070605);
    assert_string_equal(ifl_sass_text(&in, line, sizeof line), ".word 0x0c0b0a090807060504030201ffffffff");
    assert_false(ifl_sass_decode(70, bytes, 0, &in));
}

static void test_text_is_cut_to_size(void **state)
{
    (void)state;
    const uint8_t load[16] = {0x81, 0x79, 0x04, 0x04, 0x04, 0, 0, 0, 0x00, 0x9d, 0x1e, 0x0c, 0, 0xea, 0x0e, 0};
    ifl_sass_instruction in;
    char whole[128], part[128];
    assert_true(ifl_sass_decode(90, load, 0, &in));
    ifl_sass_text(&in, whole, sizeof whole);
    assert_string_equal(whole, "LDG.E.128.CONSTANT R4, desc[UR4][R4.64]");
    for (size_t size = 1; size <= strlen(whole) + 1; size++) {
        memset(part, 'x', sizeof part);
        ifl_sass_text(&in, part, size);
        assert_int_equal(strlen(part), size - 1);
        assert_memory_equal(part, whole, size - 1);
        assert_true(part[size] == 'x');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_word_fits_two_rows),
        cmocka_unit_test(test_rows_of_an_opcode_stand_together),
        cmocka_unit_test(test_masks_cover_matches),
        cmocka_unit_test(test_architectures),
        cmocka_unit_test(test_unknown_words),
        cmocka_unit_test(test_text_is_cut_to_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
