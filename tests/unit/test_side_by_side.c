/* SPDX-License-Identifier: Apache-2.0
 * Requests whose lanes lie side by side, and those whose lanes are far apart, as the handlers tell
 * them: compared with the definition, lane by lane. Each lane in turn is moved by a bit. */
#define IFL_WIDTH base
/* The pragmas only ask for vectors. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "exec/width/apart.h"
#include "exec/width/side_by_side.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { LANES = IFL_WARP_LANES, SLOT = 64 };

typedef struct registers {
    _Alignas(64) char bytes[SLOT + 8 * LANES];
} registers;

static const ifl_address_form forms[] = {IFL_ADDRESS_64, IFL_ADDRESS_PAIR, IFL_ADDRESS_32};

static void put(registers *r, ifl_address_form form, const uint64_t *value)
{
    uint32_t *word = (uint32_t *)(void *)(r->bytes + SLOT);
    uint64_t *number = (uint64_t *)(void *)(r->bytes + SLOT);
    for (int i = 0; i < LANES; i++) {
        if (form == IFL_ADDRESS_64) {
            number[i] = value[i];
            continue;
        }
        word[i] = (uint32_t)value[i];
        if (form == IFL_ADDRESS_PAIR)
            word[LANES + i] = (uint32_t)(value[i] >> 32);
    }
}

/* By the definition. */
static bool are_side_by_side(ifl_address_form form, const uint64_t *value, uint64_t add,
                             unsigned bytes)
{
    uint64_t first = 0;
    for (int i = 0; i < LANES; i++) {
        uint64_t at = value[i] + add;
        at = form == IFL_ADDRESS_32 ? (uint32_t)at : at;
        first = i ? first : at;
        if (at != first + (uint64_t)i * bytes)
            return false;
    }
    return true;
}

static bool found(ifl_address_form form, const uint64_t *value, uint64_t add, unsigned shift)
{
    registers r;
    uint64_t first = 0;
    const ifl_transfer t = {.address = SLOT};
    put(&r, form, value);
    const bool is = lies_side_by_side(&t, r.bytes, form, shift, add, &first);
    const uint64_t at = value[0] + add;
    if (is)
        assert_true(first == (form == IFL_ADDRESS_32 ? (uint32_t)at : at));
    return is;
}

static void fill(uint64_t *value, uint64_t first, unsigned shift)
{
    for (int i = 0; i < LANES; i++)
        value[i] = first + ((uint64_t)i << shift);
}

static void lanes_side_by_side_are_found(void **state)
{
    (void)state;
    uint64_t value[LANES];
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (unsigned shift = 2; shift <= 3; shift++) {
            fill(value, 0x10000, shift);
            assert_true(found(forms[f], value, 0, shift));
            assert_true(found(forms[f], value, 64, shift));
            assert_false(found(forms[f], value, 0, 5 - shift));
        }
}

static void no_lane_may_be_elsewhere(void **state)
{
    (void)state;
    uint64_t value[LANES];
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int lane = 0; lane < LANES; lane++)
            for (unsigned bit = 0; bit < (forms[f] == IFL_ADDRESS_32 ? 32 : 64); bit++) {
                fill(value, 0x10000, 2);
                value[lane] ^= UINT64_C(1) << bit;
                assert_false(found(forms[f], value, 0, 2));
            }
}

/* Where lower words pass 2^32 they need not be found, but must not be found where they are not. */
static void words_may_wrap(void **state)
{
    (void)state;
    static const uint64_t firsts[] = {UINT64_C(0x5ffffffc0), UINT64_C(0x5ffffff84),
                                      UINT64_C(0xffffffffffffff84), 0xffffff80, 0xffffff84};
    uint64_t value[LANES];
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (size_t k = 0; k < sizeof firsts / sizeof *firsts; k++)
            for (int carries = 0; carries <= 1; carries++) {
                fill(value, firsts[k], 2);
                for (int i = 0; i < LANES && !carries; i++)
                    value[i] = (firsts[k] & ~UINT64_C(0xffffffff)) | (uint32_t)value[i];
                if (found(forms[f], value, 0, 2))
                    assert_true(are_side_by_side(forms[f], value, 0, 4));
            }
    fill(value, 0xfffffff0, 2);
    assert_false(found(IFL_ADDRESS_32, value, 0, 2));
    assert_true(found(IFL_ADDRESS_32, value, 16, 2));
}

/* ---- far apart ------------------------------------------------------------------------------- */

static uint64_t chance(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *seed >> 24;
}

static unsigned passes_by_definition(const uint64_t *address)
{
    unsigned bank[32] = {0}, most = 0;
    for (int i = 0; i < LANES; i++) {
        for (int j = 0; j < i; j++)
            if (address[i] / 128 == address[j] / 128)
                return 0;
        const unsigned count = ++bank[address[i] / 4 % 32];
        most = count > most ? count : most;
    }
    return most;
}

static void passes_of_words_apart(void **state)
{
    (void)state;
    uint64_t seed = 1, address[LANES];
    unsigned met[LANES + 1] = {0};
    for (int round = 0; round < 4000; round++) {
        const uint64_t lines = 64u << round % 10, banks = 1u << round % 6;
        for (int i = 0; i < LANES; i++)
            address[i] = 0x100000 + chance(&seed) % lines * 128 + chance(&seed) % banks * 4;
        const unsigned passes = passes_apart(address);
        assert_int_equal(passes, passes_by_definition(address));
        met[passes]++;
    }
    assert_true(met[0] && met[32] && met[3]);
}

static void every_pair_of_lines_is_compared(void **state)
{
    (void)state;
    uint64_t address[LANES];
    for (int i = 0; i < LANES; i++)
        for (int j = 0; j < LANES; j++) {
            for (int k = 0; k < LANES; k++)
                address[k] = 128 * (uint64_t)k + 4 * (uint64_t)k;
            address[i] = address[j] / 128 * 128 + 4 * (uint64_t)i;
            assert_int_equal(passes_apart(address), i == j ? 1 : 0);
        }
    fill(address, 0x1000, 7);
    assert_int_equal(passes_apart(address), 32);
    address[7] += 2;
    assert_int_equal(passes_apart(address), 0); /* no word */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_side_by_side_are_found),
        cmocka_unit_test(no_lane_may_be_elsewhere),
        cmocka_unit_test(words_may_wrap),
        cmocka_unit_test(passes_of_words_apart),
        cmocka_unit_test(every_pair_of_lines_is_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
