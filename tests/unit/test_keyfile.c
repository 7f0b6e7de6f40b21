/* SPDX-License-Identifier: Apache-2.0
 * The reader of `key = value # comment` files. The shape is the one that base/keyfile.h states. */
#include "base/keyfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static ifl_keyfile reader_of(const char *text)
{
    ifl_keyfile reader;
    ifl_keyfile_start(&reader, "a.key", text, strlen(text));
    return reader;
}

static ifl_keyfile_entry next(ifl_keyfile *reader)
{
    ifl_keyfile_entry entry;
    bool found;
    ifl_error error;
    assert_int_equal(ifl_keyfile_next(reader, &entry, &found, &error), IFL_OK);
    assert_true(found);
    return entry;
}

static void assert_end(ifl_keyfile *reader)
{
    ifl_keyfile_entry entry;
    bool found;
    assert_int_equal(ifl_keyfile_next(reader, &entry, &found, NULL), IFL_OK);
    assert_false(found);
}

static void assert_error(const char *text, int line, int column, const char *part)
{
    ifl_keyfile reader = reader_of(text);
    ifl_keyfile_entry entry;
    bool found = true;
    ifl_error error;
    ifl_status status = IFL_OK;
    while (status == IFL_OK && found)
        status = ifl_keyfile_next(&reader, &entry, &found, &error);
    assert_int_equal(status, IFL_BAD_INPUT);
    assert_string_equal(error.file, "a.key");
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    assert_non_null(strstr(error.text, part));
}

static void reads_entries_in_order(void **state)
{
    (void)state;
    ifl_keyfile reader = reader_of("# head\n\nfile = a.ptx\narg=i32:5\n  arg\t=  f32x4=random  \n");
    ifl_keyfile_entry entry = next(&reader);
    assert_true(ifl_span_is(entry.key, "file"));
    assert_true(ifl_span_is(entry.value, "a.ptx"));
    assert_int_equal(entry.line, 3);
    assert_int_equal(entry.key_column, 1);
    assert_int_equal(entry.value_column, 8);
    entry = next(&reader);
    assert_true(ifl_span_is(entry.value, "i32:5"));
    assert_int_equal(entry.value_column, 5);
    entry = next(&reader);
    assert_true(ifl_span_is(entry.key, "arg"));
    assert_true(ifl_span_is(entry.value, "f32x4=random")); /* the first = alone divides */
    assert_int_equal(entry.key_column, 3);
    assert_end(&reader);
}

static void keeps_comments_and_hashes_inside_values(void **state)
{
    (void)state;
    ifl_keyfile reader =
        reader_of("dram = 4800 GB/s # data sheet\nkernel = k<a#1>\nempty =# x\n= 1");
    ifl_keyfile_entry entry = next(&reader);
    assert_true(ifl_span_is(entry.value, "4800 GB/s"));
    assert_true(ifl_span_is(entry.comment, "data sheet"));
    entry = next(&reader);
    assert_true(ifl_span_is(entry.value, "k<a#1>"));
    assert_int_equal(entry.comment.length, 0);
    entry = next(&reader); /* no blank before the #: it belongs to the value */
    assert_true(ifl_span_is(entry.value, "# x"));
}

static void accepts_windows_lines_and_a_byte_order_mark(void **state)
{
    (void)state;
    ifl_keyfile reader = reader_of("\xef\xbb\xbfgrid = 4\r\nblock = 2\r\n");
    assert_true(ifl_span_is(next(&reader).value, "4"));
    assert_true(ifl_span_is(next(&reader).value, "2"));
    assert_end(&reader);
}

static void last_line_needs_no_newline(void **state)
{
    (void)state;
    ifl_keyfile reader = reader_of("grid =");
    assert_int_equal(next(&reader).value.length, 0);
    assert_end(&reader);
    reader = reader_of("");
    assert_end(&reader);
}

static void names_the_place_of_a_mistake(void **state)
{
    (void)state;
    assert_error("grid = 1\n  nonsense\n", 2, 3, "key = value");
    assert_error("grid = 1\n = 5\n", 2, 2, "expected a key");
    assert_error("my grid = 5\n", 1, 3, "one word");
    ifl_keyfile reader;
    ifl_keyfile_entry entry;
    bool found;
    ifl_error error;
    ifl_keyfile_start(&reader, "a.key", "a = 1\0b", 7);
    assert_int_equal(ifl_keyfile_next(&reader, &entry, &found, &error), IFL_BAD_INPUT);
    assert_int_equal(error.column, 6);
}

static void gives_the_line_for_a_caret(void **state)
{
    (void)state;
    ifl_keyfile reader = reader_of("grid = 1,x\nblock = 2\n");
    ifl_keyfile_entry entry = next(&reader);
    const ifl_place place = ifl_keyfile_place(&reader, &entry, 2);
    ifl_error error;
    ifl_fail_at(&error, IFL_BAD_INPUT, &place, "no");
    assert_int_equal(error.column, 10);
    assert_string_equal(error.source, "grid = 1,x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_entries_in_order),
        cmocka_unit_test(keeps_comments_and_hashes_inside_values),
        cmocka_unit_test(accepts_windows_lines_and_a_byte_order_mark),
        cmocka_unit_test(last_line_needs_no_newline),
        cmocka_unit_test(names_the_place_of_a_mistake),
        cmocka_unit_test(gives_the_line_for_a_caret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
