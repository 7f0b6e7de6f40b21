/* SPDX-License-Identifier: Apache-2.0
 * Which registers an instruction names: as many for each operand as what computes it reads and
 * writes (LANE rows, bytes of memory). Words by chance, of each architecture. What registers
 * hold is followed by these numbers (sass_lower_known.c). */
#include "sass/sass.h"
#include "sass/sass_lane_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { WORDS_EACH = 400000 };

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void has_words(const ifl_sass_instruction *instruction, ifl_sass_role role, unsigned words)
{
    const ifl_sass_operand *o = ifl_sass_operand_of(instruction, role);
    char text[256];
    if (!o || (o->kind != IFL_SASS_REGISTER && o->kind != IFL_SASS_UNIFORM_REGISTER) ||
        words <= (o->count ? o->count : 1u))
        return;
    ifl_sass_text(instruction, text, sizeof text);
    fail_msg("sm_%u: an operand of '%s' has %u registers, and %u are used", instruction->sm, text,
             o->count, words);
}

static void check_rows(const ifl_sass_instruction *instruction)
{
    static const ifl_sass_role roles[] = {IFL_SASS_ROLE_DESTINATION, IFL_SASS_ROLE_A,
                                          IFL_SASS_ROLE_B, IFL_SASS_ROLE_C};
    for (unsigned facts = 0; facts < 8; facts++) {
        const ifl_sass_query query = {.instruction = instruction,
                                      .is_plain = facts & 1,
                                      .writes_predicate = facts & 2,
                                      .is_copy = facts & 4};
        const ifl_sass_lane_row *row = ifl_sass_lane_row_at(ifl_sass_lane_row_find(&query));
        for (unsigned i = 0; row && i < sizeof roles / sizeof *roles; i++)
            has_words(instruction, roles[i], row->words[i]);
    }
}

static void check_memory(const ifl_sass_instruction *instruction)
{
    enum { WORD = 4 };
    const bool is_halved = ifl_sass_operand_of(instruction, IFL_SASS_ROLE_DESTINATION2) ||
                           ifl_sass_operand_of(instruction, IFL_SASS_ROLE_DATA2);
    const unsigned words = (instruction->memory_bytes + WORD - 1) / WORD / (is_halved ? 2 : 1);
    switch (instruction->op) {
    case IFL_SASS_OP_LDG:
    case IFL_SASS_OP_LD:
    case IFL_SASS_OP_LDS:
    case IFL_SASS_OP_LDL:
    case IFL_SASS_OP_LDC:
    case IFL_SASS_OP_ULDC:
    case IFL_SASS_OP_LDCU:
        has_words(instruction, IFL_SASS_ROLE_DESTINATION, words);
        break;
    case IFL_SASS_OP_STG:
    case IFL_SASS_OP_ST:
    case IFL_SASS_OP_STS:
    case IFL_SASS_OP_STL:
        has_words(instruction, IFL_SASS_ROLE_DATA, words);
        break;
    default:
        break;
    }
}

static void counts_hold(void **unused)
{
    static const unsigned architectures[] = {75, 80, 86, 87, 89, 90, 100, 103, 120, 121};
    uint64_t state = 0x9e3779b97f4a7c15;
    unsigned known = 0;
    (void)unused;
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        ifl_sass_decoder decoder;
        ifl_sass_decoder_init(&decoder, architectures[a]);
        for (unsigned n = 0; n < WORDS_EACH; n++) {
            /* Few bits of the upper word are set in most instructions. */
            const uint64_t word[2] = {next(&state), next(&state) &
                                                        (n & 1 ? next(&state) : UINT64_MAX) &
                                                        (n & 2 ? next(&state) : UINT64_MAX)};
            ifl_sass_instruction instruction;
            ifl_sass_decode(&decoder, (const uint8_t *)word, 0, &instruction);
            if (instruction.op == IFL_SASS_OP_UNKNOWN)
                continue;
            known++;
            check_rows(&instruction);
            check_memory(&instruction);
        }
    }
    assert_true(known > WORDS_EACH / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
