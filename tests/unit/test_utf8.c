/* SPDX-License-Identifier: Apache-2.0
 * What of a text may reach a terminal: RFC 3629's characters, without ECMA-48's control functions,
 * which are C0 and C1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static void expect(const char *text, const char *clean)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    ifl_utf8_clean(copy);
    assert_string_equal(copy, clean);
    assert_int_equal(ifl_utf8_clean_bytes(text, strlen(text)) == strlen(text),
                     strcmp(text, clean) == 0);
}

static void texts_stay(void **state)
{
    (void)state;
    expect("", "");
    expect("a\tb ~", "a\tb ~");
    expect("µs, 漢, 😀", "µs, 漢, 😀");
    expect("\xc2\xa0", "\xc2\xa0"); /* U+00A0, the first behind C1 */
    expect("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf");
}

static void control_characters_go(void **state)
{
    (void)state;
    expect("\x1b[2J", "?[2J");
    expect("a\nb\rc\x7f", "a?b?c?");
    for (unsigned c = 0x80; c < 0xa0; c++) {
        const char utf8[] = {(char)0xc2, (char)c, 'x', '\0'}, raw[] = {(char)c, 'x', '\0'};
        expect(utf8, "??x");
        expect(raw, "?x");
    }
}

static void what_is_no_utf8_goes(void **state)
{
    (void)state;
    expect("caf\xe9.cu", "caf?.cu");
    expect("\xc0\xaf", "??"); /* overlong */
    expect("\xe0\x9f\xbf", "???");
    expect("\xc1\x9b", "??");           /* an overlong ESC */
    expect("\xed\xa0\x80", "???");      /* a surrogate */
    expect("\xf4\x90\x80\x80", "????"); /* past U+10FFFF */
    expect("\xe2\x80", "??");           /* cut off */
    expect("\xf0\x9f\x98z", "???z");
}

/* A character that goes on behind the last byte is none. */
static void bytes_are_counted_within_bounds(void **state)
{
    (void)state;
    assert_int_equal(ifl_utf8_clean_bytes("aµb", 4), 4);
    assert_int_equal(ifl_utf8_clean_bytes("aµb", 2), 1);
    assert_int_equal(ifl_utf8_clean_bytes("a\0b", 3), 1);
    assert_int_equal(ifl_utf8_clean_bytes("", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_stay),
        cmocka_unit_test(control_characters_go),
        cmocka_unit_test(what_is_no_utf8_goes),
        cmocka_unit_test(bytes_are_counted_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
