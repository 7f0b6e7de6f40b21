/* SPDX-License-Identifier: Apache-2.0
 * Decodes mnemonics from the tables of isa/. Linear searches: the reader keeps what it has
 * decoded, and a text has a few hundred different mnemonics. */
#include "ptx/mnemonic.h"

#include "ptx/modifier.h"

#include <stdarg.h>
#include <string.h>

typedef struct slice {
    const char *at;
    size_t length;
} slice;

static const struct {
    const char *text, *why;
} unsupported[] = {
#define UNSUPPORTED(text, why) {text, why},
#include "ptx/unsupported.def"
};

static bool is_text(slice word, const char *text)
{
    return strlen(text) == word.length && !memcmp(text, word.at, word.length);
}

/* ---- words --------------------------------------------------------------------------------- */

ifl_type ifl_ptx_type(const char *text, size_t length)
{
    for (int type = IFL_TYPE_NONE + 1; type < IFL_TYPE_COUNT; type++)
        if (is_text((slice){text, length}, ifl_type_text((ifl_type)type)))
            return (ifl_type)type;
    return IFL_TYPE_NONE;
}

static const struct {
    const char *text;
    ifl_space space;
} space_words[] = {
    {"global", IFL_SPACE_GLOBAL},
    {"shared", IFL_SPACE_SHARED},
    {"local", IFL_SPACE_LOCAL},
    {"const", IFL_SPACE_CONST},
    {"param", IFL_SPACE_PARAM},
    {"shared::cta", IFL_SPACE_SHARED},
    {"shared::cluster", IFL_SPACE_SHARED},
    {"param::entry", IFL_SPACE_PARAM},
    {"param::func", IFL_SPACE_PARAM},
};

ifl_space ifl_ptx_space(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof space_words / sizeof *space_words; i++)
        if (is_text((slice){text, length}, space_words[i].text))
            return space_words[i].space;
    return IFL_SPACE_GENERIC;
}

/* ---- the opcode: the longest dotted prefix in either table ---------------------------------- */

static size_t prefix_length(slice mnemonic, const char *text)
{
    size_t length = strlen(text);
    bool fits = length && length <= mnemonic.length && !memcmp(text, mnemonic.at, length) &&
                (length == mnemonic.length || mnemonic.at[length] == '.');
    return fits ? length : 0;
}

static ifl_opcode find_opcode(slice mnemonic, size_t *length)
{
    ifl_opcode found = IFL_OP_NONE;
    *length = 0;
    for (int op = IFL_OP_NONE + 1; op < IFL_OP_COUNT; op++) {
        size_t fits = prefix_length(mnemonic, ifl_opcode_get((ifl_opcode)op)->name);
        if (fits > *length) {
            found = (ifl_opcode)op;
            *length = fits;
        }
    }
    return found;
}

static const char *find_unsupported(slice mnemonic, size_t *length)
{
    const char *why = NULL;
    *length = 0;
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++) {
        size_t fits = prefix_length(mnemonic, unsupported[i].text);
        if (fits > *length) {
            why = unsupported[i].why;
            *length = fits;
        }
    }
    return why;
}

/* ---- modifiers ------------------------------------------------------------------------------ */

static void IFL_PRINTF(3, 4)
    problem(ifl_ptx_mnemonic *out, ifl_ptx_known known, const char *format, ...)
{
    va_list list;
    out->known = known;
    va_start(list, format);
    vsnprintf(out->problem, sizeof out->problem, format, list);
    va_end(list);
}

static bool set_type(ifl_instruction *to, slice word)
{
    ifl_type type = ifl_ptx_type(word.at, word.length);
    if (type == IFL_TYPE_NONE || to->type_count == IFL_MAX_TYPES)
        return false;
    to->type[to->type_count++] = (uint8_t)type;
    return true;
}

static bool set_space(ifl_instruction *to, slice word)
{
    ifl_modifiers *m = &to->modifiers;
    ifl_space space = ifl_ptx_space(word.at, word.length);
    if (space == IFL_SPACE_GENERIC || m->space2)
        return false;
    if (m->space_written) {
        m->space2 = (uint8_t)space;
        return true;
    }
    m->space = (uint8_t)space;
    m->space_written = true;
    if (is_text(word, "shared::cluster"))
        m->flags |= IFL_FLAG_SHARED_CLUSTER;
    return true;
}

/* May a field be set again? .mmio.relaxed is one order, and a policy may name two priorities. */
static bool may_repeat(const ifl_modifiers *m, const ifl_modifier_row *row)
{
    return row->field == IFL_FIELD_eviction2 ||
           (row->field == IFL_FIELD_order && m->order == IFL_ORDER_MMIO &&
            row->value == IFL_ORDER_RELAXED);
}

static bool set_modifier(ifl_instruction *to, uint64_t fields, slice word)
{
    const ifl_modifier_row *row;
    for (size_t i = 0; (row = ifl_modifier_get(i)); i++) {
        if (!(row->field & fields) || !is_text(word, row->text))
            continue;
        if (!ifl_modifiers_field(&to->modifiers, row->field))
            ifl_modifiers_set(&to->modifiers, row);
        else if (!may_repeat(&to->modifiers, row))
            continue; /* the same word may stand in another field as well */
        return true;
    }
    return false;
}

/* One of "m16n8k16", "m8n8": a letter, a number, up to three of them. */
static bool set_shape(ifl_instruction *to, slice word)
{
    static const char letters[] = "mnk";
    enum { MOST = 1024 };
    uint16_t shape[3] = {0};
    size_t at = 0;
    unsigned part = 0;
    for (; part < 3 && at < word.length && word.at[at] == letters[part]; part++) {
        unsigned value = 0;
        for (at++; at < word.length && word.at[at] >= '0' && word.at[at] <= '9' && value < MOST;
             at++)
            value = value * 10 + (unsigned)(word.at[at] - '0');
        if (!value || value > MOST)
            return false;
        shape[part] = (uint16_t)value;
    }
    if (at != word.length || part < 2 || to->modifiers.shape[0])
        return false;
    memcpy(to->modifiers.shape, shape, sizeof shape);
    return true;
}

static bool next_word(slice *rest, slice *word)
{
    if (!rest->length)
        return false;
    word->at = rest->at + 1; /* behind the dot */
    const char *end = memchr(word->at, '.', rest->length - 1);
    word->length = end ? (size_t)(end - word->at) : rest->length - 1;
    rest->at = word->at + word->length;
    rest->length -= word->length + 1;
    return true;
}

static bool set_words(slice rest, slice opcode, ifl_ptx_mnemonic *out)
{
    ifl_instruction *to = &out->instruction;
    uint64_t fields = ifl_opcode_get(to->opcode)->fields;
    for (slice word; next_word(&rest, &word);) {
        bool is_set = set_type(to, word) || ((fields & IFL_FIELD_space) && set_space(to, word)) ||
                      ((fields & IFL_FIELD_shape) && set_shape(to, word)) ||
                      set_modifier(to, fields, word);
        if (!is_set) {
            problem(out, IFL_PTX_MISSING, "'%.*s' with the modifier '.%.*s' is not supported",
                    (int)opcode.length, opcode.at, (int)(word.length < 64 ? word.length : 64),
                    word.at);
            return false;
        }
    }
    return true;
}

/* ---- what every instruction of an opcode must say -------------------------------------------- */

static unsigned types_needed(ifl_opcode opcode)
{
    static const struct {
        ifl_opcode opcode;
        unsigned types;
    } special[] = {
        {IFL_OP_CVT, 2},
        {IFL_OP_SET, 2},
        {IFL_OP_SLCT, 2},
        {IFL_OP_CVT_PACK, 2},
        {IFL_OP_CVT_RS, 2},
        {IFL_OP_DP4A, 2},
        {IFL_OP_ISSPACEP, 0},
        {IFL_OP_ELECT, 0},
        {IFL_OP_ISTYPEP_TEXTURE, 0},
        {IFL_OP_ISTYPEP_SAMPLER, 0},
        {IFL_OP_ISTYPEP_SURFACE, 0},
        {IFL_OP_DP2A, 2},
        {IFL_OP_LDMATRIX, 0},
    };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (special[i].opcode == opcode)
            return special[i].types;
    if (!strncmp(ifl_opcode_get(opcode)->name, "cp.",
                 3)) /* the coordinates of a box are no values */
        return 0;
    return strpbrk(ifl_opcode_get(opcode)->signature, "dDvVq") ? 1 : 0;
}

/* A lane accesses at most 32 bytes (PTX ISA: .v8.b32 and .v4.b64), and predicates have no place in
 * memory. */
static bool is_access_wrong(const ifl_instruction *instruction)
{
    bool is_access = instruction->opcode == IFL_OP_LD || instruction->opcode == IFL_OP_LDU ||
                     instruction->opcode == IFL_OP_ST || instruction->opcode == IFL_OP_ATOM ||
                     instruction->opcode == IFL_OP_RED;
    unsigned bits = ifl_type_bits(instruction->type[0]);
    unsigned elements = instruction->modifiers.vector ? instruction->modifiers.vector : 1;
    return is_access && (bits < 8 || bits * elements > 256);
}

/* The state spaces that an opcode reaches: PTX ISA, the instruction's own section. No row: all. */
static bool is_space_wrong(const ifl_instruction *instruction)
{
    enum {
        GLOBAL = 1 << IFL_SPACE_GLOBAL,
        SHARED = 1 << IFL_SPACE_SHARED,
        LOCAL = 1 << IFL_SPACE_LOCAL,
        PARAM = 1 << IFL_SPACE_PARAM
    };
    static const struct {
        ifl_opcode opcode;
        unsigned spaces;
    } table[] = {
        {IFL_OP_LDU, GLOBAL},
        {IFL_OP_ST, GLOBAL | SHARED | LOCAL | PARAM},
        {IFL_OP_ATOM, GLOBAL | SHARED},
        {IFL_OP_RED, GLOBAL | SHARED},
        {IFL_OP_MULTIMEM_LD_REDUCE, GLOBAL},
        {IFL_OP_MULTIMEM_ST, GLOBAL},
        {IFL_OP_MULTIMEM_RED, GLOBAL},
        {IFL_OP_MBARRIER_INIT, SHARED},
        {IFL_OP_MBARRIER_INVAL, SHARED},
        {IFL_OP_MBARRIER_ARRIVE, SHARED},
        {IFL_OP_MBARRIER_ARRIVE_DROP, SHARED},
        {IFL_OP_MBARRIER_EXPECT_TX, SHARED},
        {IFL_OP_MBARRIER_COMPLETE_TX, SHARED},
        {IFL_OP_MBARRIER_TEST_WAIT, SHARED},
        {IFL_OP_MBARRIER_TRY_WAIT, SHARED},
        {IFL_OP_CP_ASYNC_MBARRIER, SHARED},
        {IFL_OP_CP_ASYNC_BULK, GLOBAL | SHARED},
        {IFL_OP_MULTIMEM_BULK, GLOBAL},
        {IFL_OP_MULTIMEM_REDUCE_BULK, GLOBAL},
        {IFL_OP_CP_ASYNC_BULK_PREFETCH, GLOBAL},
        {IFL_OP_ST_BULK, SHARED},
    };
    if (!instruction->modifiers.space_written)
        return false;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].opcode == instruction->opcode)
            return !(table[i].spaces >> instruction->modifiers.space & 1);
    return false;
}

static void check(slice opcode, ifl_ptx_mnemonic *out)
{
    const ifl_instruction *instruction = &out->instruction;
    unsigned needed = types_needed(instruction->opcode);
    bool copies = instruction->opcode == IFL_OP_CP_ASYNC;
    if (instruction->type_count < needed)
        problem(out, IFL_PTX_WRONG, "'%.*s' needs %s", (int)opcode.length, opcode.at,
                needed == 1 ? "a type" : "two types");
    else if (is_access_wrong(instruction))
        problem(out, IFL_PTX_WRONG, "'%.*s' cannot access memory in this type and vector size",
                (int)opcode.length, opcode.at);
    else if (is_space_wrong(instruction))
        problem(out, IFL_PTX_WRONG, "'%.*s' cannot access .%s memory", (int)opcode.length,
                opcode.at, ifl_space_text(instruction->modifiers.space));
    else if (copies && (instruction->modifiers.space != IFL_SPACE_SHARED ||
                        instruction->modifiers.space2 != IFL_SPACE_GLOBAL))
        problem(out, IFL_PTX_WRONG, "'cp.async' copies from .global to .shared and says so");
}

/* ---- words in another order ------------------------------------------------------------------ */

static bool is_any_of(slice word, const char *const *texts)
{
    for (; *texts; texts++)
        if (prefix_length(word, *texts) == word.length)
            return true;
    return false;
}

/* ptxas takes the mode of a tensor copy and its group before the spaces too, and CUTLASS writes them so; the PTX ISA has them
 * behind: "cp.async.bulk.tensor.3d.im2col.cta_group::2.shared::cluster.global" becomes
 * "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.cta_group::2".
 * False where nothing stands there. `to` has as much room as the mnemonic. */
static bool spaces_first(slice mnemonic, char *to)
{
    static const char *const early[] = {"im2col",        "im2col::w",    "im2col::w::128", "tile",
                                        "tile::gather4", "cta_group::1", "cta_group::2",   NULL};
    static const char copy[] = "cp.async.bulk.tensor.1d";
    const size_t head = sizeof copy - 1;
    if (mnemonic.length <= head || memcmp(mnemonic.at, copy, head - 2) != 0)
        return false;
    slice rest = {mnemonic.at + head, mnemonic.length - head}, word;
    const char *from = rest.at, *moved = rest.at;
    while (next_word(&rest, &word) && is_any_of(word, early))
        moved = rest.at;
    if (moved == from || !next_word(&rest, &word)) /* the second space */
        return false;
    const size_t spaces = (size_t)(rest.at - moved), words = (size_t)(moved - from);
    memcpy(to, mnemonic.at, head);
    memcpy(to + head, moved, spaces);
    memcpy(to + head + spaces, from, words);
    memcpy(to + head + spaces + words, rest.at, rest.length);
    return true;
}

static void decode(const char *text, size_t length, ifl_ptx_mnemonic *out)
{
    slice mnemonic = {text, length}, opcode = {text, 0};
    size_t unsupported_length;
    memset(out, 0, sizeof *out);
    ifl_opcode found = find_opcode(mnemonic, &opcode.length);
    const char *why = find_unsupported(mnemonic, &unsupported_length);
    if (why && unsupported_length > opcode.length) {
        problem(out, IFL_PTX_MISSING, "'%.*s' is not supported: %s", (int)unsupported_length, text,
                why);
    } else if (found == IFL_OP_NONE) {
        problem(out, IFL_PTX_WRONG, "unknown instruction '%.*s'", (int)(length < 80 ? length : 80),
                text);
    } else {
        out->instruction.opcode = (uint16_t)found;
        slice rest = {text + opcode.length, length - opcode.length};
        if (set_words(rest, opcode, out))
            check(opcode, out);
    }
}

void ifl_ptx_decode(const char *text, size_t length, ifl_ptx_mnemonic *out)
{
    char other[256];
    const bool is_other = length < sizeof other && spaces_first((slice){text, length}, other);
    decode(is_other ? other : text, length, out);
}
