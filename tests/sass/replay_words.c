/* SPDX-License-Identifier: Apache-2.0
 * Words of machine code and what nvdisasm says of them (tests/sass/words), replayed: text, guard,
 * and, by rules of the mnemonic alone, bytes of a lane's access and registers of its data. Knows
 * nothing of rows.
 *
 *     replay_words SM FILE
 *
 * A line: bits 127..64, bits 63..0, offset (branches), a tab, the text. */
#include "sass/sass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 16, LINE_BYTES = 512, REGISTER_BYTES = 4, NO_REGISTER = 255 };

static unsigned failures;

static void fail(const char *line, const char *what, const char *got)
{
    enum { SHOWN = 50 };
    if (failures++ < SHOWN)
        printf("%s    %s: %s\n", line, what, got);
}

/* ---- widths, as PTX and the mnemonics have them ---------------------------------------------- */

/* How the width is written: as a load or store does, as an atomic does, as a matrix load does. */
typedef enum width_kind { NO_ACCESS, PLAIN, ATOMIC, MATRIX } width_kind;

static const struct {
    const char *opcode;
    width_kind kind;
    uint8_t sass_class;
} accesses[] = {
    {"LDG", PLAIN, IFL_SASS_LOAD_GLOBAL},      {"STG", PLAIN, IFL_SASS_STORE_GLOBAL},
    {"LDS", PLAIN, IFL_SASS_LOAD_SHARED},      {"STS", PLAIN, IFL_SASS_STORE_SHARED},
    {"LDL", PLAIN, IFL_SASS_LOAD_LOCAL},       {"STL", PLAIN, IFL_SASS_STORE_LOCAL},
    {"LD", PLAIN, IFL_SASS_LOAD_GENERIC},      {"ST", PLAIN, IFL_SASS_STORE_GENERIC},
    {"LDC", PLAIN, IFL_SASS_LOAD_CONSTANT},    {"LDGSTS", PLAIN, IFL_SASS_COPY_ASYNC},
    {"LDSM", MATRIX, IFL_SASS_LOAD_SHARED},    {"STSM", MATRIX, IFL_SASS_STORE_SHARED},
    {"ATOMG", ATOMIC, IFL_SASS_ATOMIC_GLOBAL}, {"REDG", ATOMIC, IFL_SASS_ATOMIC_GLOBAL},
    {"RED", ATOMIC, IFL_SASS_ATOMIC_GLOBAL},   {"ATOM", ATOMIC, IFL_SASS_ATOMIC_GLOBAL},
    {"ATOMS", ATOMIC, IFL_SASS_ATOMIC_SHARED},
};

static const struct {
    const char *modifier;
    uint8_t bytes;
} widths[] = {
    {"U8", 1},     {"S8", 1},      {"U16", 2},   {"S16", 2},    {"64", 8},    {"128", 16},
    {"256", 32},   {"S64", 8},     {"U64", 8},   {"F64", 8},    {"F16x4", 8}, {"BF16x4", 8},
    {"F16x8", 16}, {"BF16x8", 16}, {"F32x2", 8}, {"F32x4", 16},
};

static unsigned matrix_bytes(const char *text)
{
    if (strstr(text, ".4 "))
        return 4 * REGISTER_BYTES;
    return (strstr(text, ".2 ") ? 2 : 1) * REGISTER_BYTES;
}

/* The last width among the modifiers counts: "LDS.U.128", "ATOMG.E.ADD.F64". */
static unsigned bytes_of(const char *text)
{
    unsigned bytes = REGISTER_BYTES;
    const size_t mnemonic = strcspn(text, " ");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        char dotted[16];
        snprintf(dotted, sizeof dotted, ".%s", widths[i].modifier);
        for (const char *at = strstr(text, dotted); at && at < text + mnemonic;
             at = strstr(at + 1, dotted)) {
            const char after = at[strlen(dotted)];
            if (after == '.' || after == ' ' || !after)
                bytes = widths[i].bytes;
        }
    }
    return bytes;
}

/* Registers that an access moves: what it loads, and what it stores. */
static void check_registers(const char *line, const ifl_sass_instruction *in, unsigned bytes)
{
    enum { MOST_EACH = 4 };
    unsigned wanted = (bytes + REGISTER_BYTES - 1) / REGISTER_BYTES;
    if (wanted > MOST_EACH)
        wanted = MOST_EACH; /* of 256 bits each half is an operand */
    for (unsigned i = 0; i < in->operand_count; i++)
        if (in->operand[i].kind == IFL_SASS_REGISTER && in->operand[i].count != wanted) {
            char got[64];
            snprintf(got, sizeof got, "operand %u has %u, not %u", i, in->operand[i].count, wanted);
            fail(line, "registers", got);
        }
}

static void check_access(const char *line, const char *text, const ifl_sass_instruction *in)
{
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        if (strcmp(ifl_sass_op_text(in->op), accesses[i].opcode) != 0)
            continue;
        const unsigned bytes = accesses[i].kind == MATRIX ? matrix_bytes(text) : bytes_of(text);
        char got[64];
        snprintf(got, sizeof got, "%u bytes, not %u; class %u", in->memory_bytes, bytes,
                 in->sass_class);
        if (in->memory_bytes != bytes || in->sass_class != accesses[i].sass_class)
            fail(line, "access", got);
        if (accesses[i].kind != NO_ACCESS && in->op != IFL_SASS_OP_LDGSTS)
            check_registers(line, in, bytes);
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* "@!UP0 " of a text; where the text goes on. */
static const char *check_guard(const char *line, const char *text, const ifl_sass_instruction *in)
{
    enum { ALWAYS = 7 };
    const bool has_guard = *text == '@';
    if (!has_guard) {
        if (in->guard != ALWAYS || in->guard_negated)
            fail(line, "guard", "one that is not written");
        return text;
    }
    const char *at = text + 1;
    const bool is_negated = *at == '!';
    at += is_negated;
    const bool is_uniform = *at == 'U';
    at += 1 + is_uniform;
    const unsigned number = *at == 'T' ? ALWAYS : (unsigned)(*at - '0');
    if (number != in->guard || is_negated != in->guard_negated || is_uniform != in->guard_uniform)
        fail(line, "guard", "another");
    return at + 2;
}

static void check_line(const ifl_sass_decoder *decoder, char *line)
{
    uint64_t word[2];
    uint32_t offset;
    char *text = strchr(line, '\t');
    line[strcspn(line, "\n")] = 0;
    if (!text ||
        sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx32, &word[1], &word[0], &offset) != 3) {
        fail(line, "line", "is not one of this kind");
        return;
    }
    text++;
    uint8_t bytes[WORD_BYTES];
    for (unsigned i = 0; i < WORD_BYTES; i++)
        bytes[i] = (uint8_t)(word[i / 8] >> (8 * (i % 8)));
    ifl_sass_instruction in;
    char got[LINE_BYTES];
    if (!ifl_sass_decode(decoder, bytes, offset, &in)) {
        fail(line, "unknown", "to the decoder");
        return;
    }
    const char *rest = check_guard(line, text, &in);
    if (strcmp(ifl_sass_text(&in, got, sizeof got), rest) != 0)
        fail(line, "text", got);
    check_access(line, rest, &in);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[2], "r") : NULL;
    if (!file) {
        fputs("usage: replay_words SM FILE\n", stderr);
        return EXIT_FAILURE;
    }
    char line[LINE_BYTES];
    unsigned lines = 0;
    ifl_sass_decoder decoder;
    ifl_sass_decoder_init(&decoder, (uint32_t)strtoul(argv[1], NULL, 10));
    for (; fgets(line, sizeof line, file); lines++)
        check_line(&decoder, line);
    fclose(file);
    printf("%u words, %u failures\n", lines, failures);
    return lines && !failures ? EXIT_SUCCESS : EXIT_FAILURE;
}
