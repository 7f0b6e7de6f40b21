/* SPDX-License-Identifier: Apache-2.0
 * Requests whose lanes lie side by side, as the handlers tell them: compared with the definition,
 * lane by lane. Each lane in turn is moved by a bit. */
#define IFL_WIDTH base
/* The pragmas only ask for vectors. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-function"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_side_by_side_are_found),
        cmocka_unit_test(no_lane_may_be_elsewhere),
        cmocka_unit_test(words_may_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
