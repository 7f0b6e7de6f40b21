/* SPDX-License-Identifier: Apache-2.0
 * SHA-256 against the examples that NIST publishes beside FIPS 180-4, and RFC 6234's. */
#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void holds(const char *message, size_t times, size_t piece, const char *expected)
{
    ifl_sha256 hash;
    char text[IFL_SHA256_TEXT];
    ifl_sha256_start(&hash);
    for (size_t i = 0; i < times; i++)
        for (size_t at = 0; at < strlen(message); at += piece) {
            const size_t left = strlen(message) - at;
            ifl_sha256_add(&hash, message + at, left < piece ? left : piece);
        }
    ifl_sha256_end(&hash, text);
    assert_string_equal(text, expected);
}

static void published_examples(void **state)
{
    (void)state;
    holds("abc", 1, 99, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    holds("", 1, 99, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    holds("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1, 7,
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    holds("aaaaaaaaaa", 100000, 3,
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(published_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
