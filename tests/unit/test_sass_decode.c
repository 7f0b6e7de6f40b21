/* SPDX-License-Identifier: Apache-2.0
 * The decoder's tables hold together: no word fits two rows, values have texts, an
 * instruction has one operand and one value of a role. What the rows say is held against
 * nvdisasm's words by tests/sass. */
#include "sass/sass_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const uint32_t supported[] = {75, 80, 86, 87, 89, 90, 100, 103, 120, 121};
enum { SUPPORTED = sizeof supported / sizeof *supported };

/* ---- overlaps -------------------------------------------------------------------------------- */

typedef struct bit_set {
    uint64_t half[2];
} bit_set;

static void add_run(bit_set *set, unsigned at, unsigned width)
{
    for (unsigned bit = at; bit < at + width; bit++)
        set->half[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* The bits that an element looks at. */
static bit_set bits_of(uint64_t element)
{
    bit_set set = {{0, 0}};
    const unsigned kind = IFL_SASS_KIND_OF(element), at = IFL_SASS_AT_OF(element);
    if (kind == IFL_SASS_FIXED)
        add_run(&set, at, IFL_SASS_WIDTH_OF(element));
    if (kind != IFL_SASS_HAS && kind != IFL_SASS_IS)
        return set;
    const ifl_sass_run *run = ifl_sass_fields[IFL_SASS_WHAT(element)].run;
    for (unsigned i = 0; i < IFL_SASS_RUNS && run[i].width; i++)
        add_run(&set, i == 0 && at ? at : run[i].at, run[i].width);
    return set;
}

static bool holds(uint64_t element, const uint64_t word[2], uint16_t architecture)
{
    const uint16_t value =
        ifl_sass_field_word(IFL_SASS_WHAT(element), IFL_SASS_AT_OF(element), word, architecture);
    switch (IFL_SASS_KIND_OF(element)) {
    case IFL_SASS_HAS:
        return value;
    case IFL_SASS_IS:
        return (value & IFL_SASS_WORD_MASK) == IFL_SASS_WORD_OF(element);
    case IFL_SASS_FIXED:
        return ifl_sass_bits(word, IFL_SASS_AT_OF(element), IFL_SASS_WIDTH_OF(element)) ==
               IFL_SASS_WORD_OF(element);
    default:
        return true;
    }
}

/* The next choice of the bits of `set`, from all clear on; false after the last. */
static bool next_choice(const bit_set *set, uint64_t word[2])
{
    for (unsigned half = 0; half < 2; half++) {
        word[half] = ((word[half] | ~set->half[half]) + 1) & set->half[half];
        if (word[half])
            return true;
    }
    return false;
}

/* No choice of the bits of both is what both want. */
static bool exclude_each_other(uint64_t a, uint64_t b, uint16_t architecture)
{
    const unsigned kinds[] = {IFL_SASS_KIND_OF(a), IFL_SASS_KIND_OF(b)};
    for (unsigned i = 0; i < 2; i++)
        if (kinds[i] == IFL_SASS_NONE_OF_64_BITS && kinds[1 - i] == IFL_SASS_SOME_OF_64_BITS)
            return true;
    const bit_set of_a = bits_of(a), of_b = bits_of(b);
    const bit_set both = {{of_a.half[0] | of_b.half[0], of_a.half[1] | of_b.half[1]}};
    if (!(of_a.half[0] & of_b.half[0]) && !(of_a.half[1] & of_b.half[1]))
        return false;
    uint64_t word[2] = {0, 0};
    do
        if (holds(a, word, architecture) && holds(b, word, architecture))
            return false;
    while (next_choice(&both, word));
    return true;
}

/* Of one form, and a state of bit 91. */
static bool may_share_a_form(const ifl_sass_row *a, const ifl_sass_row *b, uint16_t architecture,
                             const uint64_t form[2])
{
    if (!ifl_sass_fits_form(a, architecture, form) || !ifl_sass_fits_form(b, architecture, form))
        return false;
    for (unsigned i = 0; i < IFL_SASS_ELEMENTS && a->element[i]; i++)
        for (unsigned j = 0; j < IFL_SASS_ELEMENTS && b->element[j]; j++)
            if (ifl_sass_is_on(a->element[i], architecture, form) &&
                ifl_sass_is_on(b->element[j], architecture, form) &&
                exclude_each_other(a->element[i], b->element[j], architecture))
                return false;
    return true;
}

enum { FORMS = 16 };

/* Opcodes without fields: of form number `which` mod 8, bit 91 set in the second half. */
static void make_form(unsigned which, uint64_t word[2])
{
    word[0] = (uint64_t)(which % 8) << 9;
    word[1] = (uint64_t)(which / 8) << 27;
}

static bool may_share_a_word(const ifl_sass_row *a, const ifl_sass_row *b, uint16_t architecture)
{
    bool may = false;
    for (unsigned which = 0; which < FORMS; which++) {
        uint64_t form[2];
        make_form(which, form);
        may |= may_share_a_form(a, b, architecture, form);
    }
    return may;
}

static void test_no_word_fits_two_rows(void **state)
{
    (void)state;
    unsigned overlaps = 0;
    for (unsigned i = 0; i < ifl_sass_row_count; i++)
        for (unsigned j = i + 1; j < ifl_sass_row_count; j++)
            for (unsigned s = 0; s < SUPPORTED && ifl_sass_rows[i].base == ifl_sass_rows[j].base;
                 s++) {
                const uint16_t bit = ifl_sass_architecture_bit(supported[s]);
                const ifl_sass_row *a = &ifl_sass_rows[i], *b = &ifl_sass_rows[j];
                if (!(a->architectures & b->architectures & bit) || !may_share_a_word(a, b, bit))
                    continue;
                print_error("sm_%u: rows %u and %u of 0x%03x, %s and %s, may fit one word\n",
                            supported[s], i, j, a->base, ifl_sass_op_text(a->op),
                            ifl_sass_op_text(b->op));
                overlaps++;
            }
    assert_int_equal(overlaps, 0);
}

/* ---- fields and roles ------------------------------------------------------------------------ */

static void test_fields_fit_their_bits(void **state)
{
    (void)state;
    for (unsigned f = 1; f < ifl_sass_field_count; f++) {
        const ifl_sass_field *field = &ifl_sass_fields[f];
        unsigned width = 0;
        for (unsigned i = 0; i < IFL_SASS_RUNS; i++)
            width += field->run[i].width;
        if (!field->count || field->count > 1u << width)
            fail_msg("field %s has %u values for %u bits", field->name, field->count, width);
    }
    for (unsigned word = 1; word < IFL_SASS_WORDS; word++)
        assert_non_null(ifl_sass_word_text((ifl_sass_word)word));
}

/* Both are there in some word: no bit keeps them apart. */
static bool may_meet(uint64_t a, uint64_t b)
{
    return !IFL_SASS_BIT_OF(a) || IFL_SASS_BIT_OF(a) != IFL_SASS_BIT_OF(b) ||
           IFL_SASS_IS_CLEAR_OF(a) == IFL_SASS_IS_CLEAR_OF(b);
}

static void check_operand_role(unsigned r, unsigned i, uint16_t architecture,
                               const uint64_t form[2])
{
    const uint64_t *operand = ifl_sass_rows[r].operand;
    const ifl_sass_place *place = &ifl_sass_places[IFL_SASS_PLACE_OF(operand[i])];
    for (unsigned j = 0; j < i; j++) {
        const ifl_sass_place *other = &ifl_sass_places[IFL_SASS_PLACE_OF(operand[j])];
        if (ifl_sass_is_on(operand[j], architecture, form) && place->role == other->role &&
            may_meet(operand[i], operand[j]))
            fail_msg("%s: row %u has operands %u and %u in one role",
                     ifl_sass_op_text(ifl_sass_rows[r].op), r, j, i);
    }
}

static void check_one_of_each_role(unsigned r, uint16_t architecture, const uint64_t form[2],
                                   const char *what)
{
    const ifl_sass_row *row = &ifl_sass_rows[r];
    bool values[IFL_SASS_VALUES] = {false};
    for (unsigned i = 0; i < IFL_SASS_ROW_OPERANDS && row->operand[i]; i++)
        if (ifl_sass_is_on(row->operand[i], architecture, form))
            check_operand_role(r, i, architecture, form);
    for (unsigned i = 0; i < IFL_SASS_ELEMENTS && row->element[i]; i++) {
        const unsigned role = ifl_sass_role_of_element(row->element[i]);
        if (!ifl_sass_is_on(row->element[i], architecture, form) || !role)
            continue;
        if (values[role])
            fail_msg("%s: row %u has value %u in a role that is taken", what, r, i);
        values[role] = true;
    }
}

static void check_roles(unsigned r, uint16_t architecture)
{
    for (unsigned which = 0; which < FORMS; which++) {
        uint64_t form[2];
        make_form(which, form);
        if (ifl_sass_rows[r].architectures & architecture &&
            ifl_sass_fits_form(&ifl_sass_rows[r], architecture, form))
            check_one_of_each_role(r, architecture, form, ifl_sass_op_text(ifl_sass_rows[r].op));
    }
}

static void test_roles_are_had_once(void **state)
{
    (void)state;
    for (unsigned r = 0; r < ifl_sass_row_count; r++) {
        assert_true(ifl_sass_rows[r].op && ifl_sass_rows[r].architectures);
        for (unsigned s = 0; s < SUPPORTED; s++)
            check_roles(r, ifl_sass_architecture_bit(supported[s]));
    }
    assert_true(ifl_sass_row_count <= IFL_SASS_MOST_ROWS);
}

static void test_every_opcode_has_a_row(void **state)
{
    static const char *const meanings[] = {
#define INSTRUCTION(name, pipe, latency, sass_class, function, meaning, ...)                       \
    [IFL_SASS_OP_##name] = meaning,
#include "sass/table/instruction.def"
    };
    (void)state;
    for (unsigned op = 1; op < IFL_SASS_OPS; op++) {
        unsigned rows = 0;
        for (unsigned r = 0; r < ifl_sass_row_count; r++)
            rows += ifl_sass_rows[r].op == op;
        if (!rows || !*meanings[op])
            fail_msg("%s has no row or no meaning", ifl_sass_op_text(op));
    }
}

/* ---- decoding -------------------------------------------------------------------------------- */

static void test_architectures(void **state)
{
    (void)state;
    uint16_t all = 0;
    for (size_t i = 0; i < SUPPORTED; i++) {
        const uint16_t bit = ifl_sass_architecture_bit(supported[i]);
        assert_true(ifl_sass_supports(supported[i]) && bit && !(all & bit));
        all |= bit;
    }
    assert_false(ifl_sass_supports(70) || ifl_sass_supports(0) || ifl_sass_supports(91));
}

static bool decode(uint32_t sm, const uint8_t *bytes, uint32_t offset, ifl_sass_instruction *in)
{
    ifl_sass_decoder decoder;
    ifl_sass_decoder_init(&decoder, sm);
    return ifl_sass_decode(&decoder, bytes, offset, in);
}

/* Bits that no instruction has stay as they are, and are counted by their callers. */
static void test_unknown_words(void **state)
{
    (void)state;
    const uint8_t bytes[16] = {0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    ifl_sass_instruction in;
    char line[64];
    assert_false(decode(90, bytes, 0x40, &in));
    assert_int_equal(in.op, IFL_SASS_OP_UNKNOWN);
    assert_null(ifl_sass_op_text(in.op));
    assert_int_equal(in.offset, 0x40);
    assert_int_equal(in.operand_count, 0);
    assert_true(in.word[0] == 0x04030201ffffffff && in.word[1] == 0x0c0b0a0908070605);
    assert_string_equal(ifl_sass_text(&in, line, sizeof line),
                        ".word 0x0c0b0a090807060504030201ffffffff");
    assert_false(decode(70, bytes, 0, &in));
}

static const uint8_t load[16] = {0x81, 0x79, 0x04, 0x04, 0x04, 0,    0,    0,
                                 0x00, 0x9d, 0x1e, 0x0c, 0,    0xea, 0x0e, 0};

static void test_text_is_cut_to_size(void **state)
{
    (void)state;
    ifl_sass_instruction in;
    char whole[128], part[128];
    assert_true(decode(90, load, 0, &in));
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

/* What that text says, without it. */
static void test_roles_of_a_load(void **state)
{
    (void)state;
    ifl_sass_instruction in;
    assert_true(decode(90, load, 0, &in));
    assert_int_equal(in.op, IFL_SASS_OP_LDG);
    assert_int_equal(ifl_sass_value(&in, IFL_SASS_VALUE_WIDTH), IFL_SASS_WORD_B128);
    assert_int_equal(ifl_sass_value(&in, IFL_SASS_VALUE_ORDER), IFL_SASS_WORD_CONSTANT);
    assert_int_equal(ifl_sass_value(&in, IFL_SASS_VALUE_ADDRESS_BITS), IFL_SASS_WORD_E);
    assert_int_equal(ifl_sass_value(&in, IFL_SASS_VALUE_ROUNDING), IFL_SASS_WORD_ABSENT);
    const ifl_sass_operand *to = ifl_sass_operand_of(&in, IFL_SASS_ROLE_DESTINATION);
    const ifl_sass_operand *from = ifl_sass_operand_of(&in, IFL_SASS_ROLE_ADDRESS);
    assert_true(to && to->is_destination && to->index == 4 && to->count == 4);
    assert_true(from && !from->is_destination && from->base == 4 && from->scale == 64);
    assert_true(from->has_descriptor && from->descriptor == 4 && from->uniform == 255 &&
                from->value == 0);
    assert_null(ifl_sass_operand_of(&in, IFL_SASS_ROLE_DATA));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_word_fits_two_rows), cmocka_unit_test(test_fields_fit_their_bits),
        cmocka_unit_test(test_roles_are_had_once),    cmocka_unit_test(test_every_opcode_has_a_row),
        cmocka_unit_test(test_architectures),         cmocka_unit_test(test_unknown_words),
        cmocka_unit_test(test_text_is_cut_to_size),   cmocka_unit_test(test_roles_of_a_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
