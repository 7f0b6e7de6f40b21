/* SPDX-License-Identifier: Apache-2.0
 * The rows of isa/opcode.def for tests: found by an instruction's PTX name, evaluated for one lane,
 * and the samples that lane_h200.def was recorded with. It knows nothing of the engine. */
#ifndef IFL_TEST_LANE_ROWS_H
#define IFL_TEST_LANE_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "exec/approximate.h"
#include "exec/rounded_lane.h"
#include "ptx/program.h"

/* ---- the rows as a table --------------------------------------------------------------------- */

typedef uint16_t U16;
typedef int16_t S16;
typedef uint32_t U32;
typedef int32_t S32;
typedef uint64_t U64;
typedef int64_t S64;
typedef float F32;
typedef double F64;

#define GET_U16(x) (uint16_t)(x)
#define GET_S16(x) (int16_t)(uint16_t)(x)
#define GET_U32(x) (uint32_t)(x)
#define GET_S32(x) (int32_t)(uint32_t)(x)
#define GET_U64(x) (x)
#define GET_S64(x) (int64_t)(x)
#define GET_F32(x) ifl_bits_f32((uint32_t)(x))
#define GET_F64(x) ifl_bits_f64(x)
#define PUT_U16(x) (uint16_t)(x)
#define PUT_S16(x) (uint16_t)(x)
#define PUT_U32(x) (uint32_t)(x)
#define PUT_S32(x) (uint32_t)(x)
#define PUT_U64(x) (uint64_t)(x)
#define PUT_S64(x) (uint64_t)(x)
#define PUT_F32(x) canonical(x)
#define PUT_F64(x) ifl_f64_bits(x)

/* As the engine stores it. */
static uint64_t canonical(float x)
{
    return x != x ? 0x7fffffff : ifl_f32_bits(x);
}

enum { MAX_SOURCES = 4 };

typedef struct row_shape {
    ifl_opcode opcode;
    ifl_type type, from;
    int sources;
    size_t bytes[MAX_SOURCES];
} row_shape;

#define SHAPE(op, type, from, count, ...)                                                          \
    {IFL_OP_##op, IFL_TYPE_##type, IFL_TYPE_##from, count, {__VA_ARGS__}},
#define LANE1(op, type, when, D, A, ...) SHAPE(op, type, NONE, 1, sizeof(A))
#define LANE2(op, type, when, D, A, B, ...) SHAPE(op, type, NONE, 2, sizeof(A), sizeof(B))
#define LANE3(op, type, when, D, A, B, C, ...)                                                     \
    SHAPE(op, type, NONE, 3, sizeof(A), sizeof(B), sizeof(C))
#define LANE4(op, type, when, D, A, B, C, E, ...)                                                  \
    SHAPE(op, type, NONE, 4, sizeof(A), sizeof(B), sizeof(C), sizeof(E))
#define TEST1(op, type, when, A, ...) SHAPE(op, type, NONE, 1, sizeof(A))
#define TEST2(op, type, when, A, B, ...) SHAPE(op, type, NONE, 2, sizeof(A), sizeof(B))
#define CONVERT(op, type, from, when, D, A, ...) SHAPE(op, type, from, 1, sizeof(A))
#define CONVERT2(op, type, from, when, D, A, B, ...) SHAPE(op, type, from, 2, sizeof(A), sizeof(B))
#define LANE3T(op, type, from, when, D, A, B, C, ...)                                              \
    SHAPE(op, type, from, 3, sizeof(A), sizeof(B), sizeof(C))
static const row_shape shapes[] = {
#include "ptx/opcode.def"
};

enum { ROW_COUNT = sizeof shapes / sizeof *shapes };

/* The rows in the order of the table: __COUNTER__ numbers the cases. */
enum { FIRST_WHEN = __COUNTER__ + 1 };
#define WHEN(condition)                                                                            \
    case __COUNTER__ - FIRST_WHEN:                                                                 \
        return condition;
#define LANE1(op, type, when, D, A, ...) WHEN(when)
#define LANE2(op, type, when, D, A, B, ...) WHEN(when)
#define LANE3(op, type, when, D, A, B, C, ...) WHEN(when)
#define LANE4(op, type, when, D, A, B, C, E, ...) WHEN(when)
#define TEST1(op, type, when, A, ...) WHEN(when)
#define TEST2(op, type, when, A, B, ...) WHEN(when)
#define CONVERT(op, type, from, when, D, A, ...) WHEN(when)
#define CONVERT2(op, type, from, when, D, A, B, ...) WHEN(when)
#define LANE3T(op, type, from, when, D, A, B, C, ...) WHEN(when)
static bool row_holds(int row, const ifl_modifiers *m)
{
    switch (row) {
#include "ptx/opcode.def"
    }
    return false;
}

enum { FIRST_VALUE = __COUNTER__ + 1 };
#define VALUE1(D, A, expression)                                                                   \
    case __COUNTER__ - FIRST_VALUE: {                                                              \
        const A a = GET_##A(in[0]);                                                                \
        return PUT_##D(expression);                                                                \
    }
#define VALUE2(D, A, B, expression)                                                                \
    case __COUNTER__ - FIRST_VALUE: {                                                              \
        const A a = GET_##A(in[0]);                                                                \
        const B b = GET_##B(in[1]);                                                                \
        return PUT_##D(expression);                                                                \
    }
#define VALUE3(D, A, B, C, expression)                                                             \
    case __COUNTER__ - FIRST_VALUE: {                                                              \
        const A a = GET_##A(in[0]);                                                                \
        const B b = GET_##B(in[1]);                                                                \
        const C c = GET_##C(in[2]);                                                                \
        return PUT_##D(expression);                                                                \
    }
#define LANE1(op, type, when, D, A, ...) VALUE1(D, A, (__VA_ARGS__))
#define LANE2(op, type, when, D, A, B, ...) VALUE2(D, A, B, (__VA_ARGS__))
#define LANE3(op, type, when, D, A, B, C, ...) VALUE3(D, A, B, C, (__VA_ARGS__))
#define LANE4(op, type, when, D, A, B, C, E, ...)                                                  \
    case __COUNTER__ - FIRST_VALUE: {                                                              \
        const A a = GET_##A(in[0]);                                                                \
        const B b = GET_##B(in[1]);                                                                \
        const C c = GET_##C(in[2]);                                                                \
        const E e = GET_##E(in[3]);                                                                \
        return PUT_##D((__VA_ARGS__));                                                             \
    }
#define TEST1(op, type, when, A, ...) VALUE1(U32, A, ((__VA_ARGS__) ? 1 : 0))
#define TEST2(op, type, when, A, B, ...) VALUE2(U32, A, B, ((__VA_ARGS__) ? 1 : 0))
#define CONVERT(op, type, from, when, D, A, ...) VALUE1(D, A, (__VA_ARGS__))
#define CONVERT2(op, type, from, when, D, A, B, ...) VALUE2(D, A, B, (__VA_ARGS__))
#define LANE3T(op, type, from, when, D, A, B, C, ...) VALUE3(D, A, B, C, (__VA_ARGS__))
static uint64_t row_value(int row, const ifl_modifiers *m, const uint64_t *in)
{
    switch (row) {
#include "ptx/opcode.def"
    }
    (void)m;
    return 0;
}

/* ---- instructions by their PTX names --------------------------------------------------------- */

#define FIELD_OF(field) (uint32_t)(IFL_FIELD_##field)
static const struct {
    const char *text;
    uint32_t field;
    uint32_t value;
} modifiers[] = {
#define MODIFIER(text, field, value) {text, FIELD_OF(field), value},
#include "ptx/modifier.def"
#undef MODIFIER
};

static const char *const type_texts[] = {
    [IFL_TYPE_NONE] = "",
#define TYPE(name, text, bits, class) [IFL_TYPE_##name] = text,
#include "code/type.def"
#undef TYPE
};

static const struct {
    const char *text;
    ifl_opcode opcode;
    uint64_t fields;
} opcodes[] = {
#define FIELD(name) IFL_FIELD_##name
#define OPCODE(name, text, fields, signature, doc) {text, IFL_OP_##name, fields},
#include "ptx/opcode.def"
#undef FIELD
};

static void set_field(ifl_modifiers *m, uint32_t field, uint32_t value)
{
    if (field == IFL_FIELD_FLAG)
        m->flags |= value;
    else if (field == IFL_FIELD_rounding)
        m->rounding = (uint8_t)value;
    else if (field == IFL_FIELD_compare)
        m->compare = (uint8_t)value;
    else if (field == IFL_FIELD_mode)
        m->mode = (uint8_t)value;
    else if (field == IFL_FIELD_wrap)
        m->wrap = (uint8_t)value;
    else if (field == IFL_FIELD_half)
        m->half = (uint8_t)value;
}

static ifl_type type_of(const char *text)
{
    for (int t = 1; t < IFL_TYPE_COUNT; t++)
        if (type_texts[t][0] == text[0] && !strcmp(type_texts[t], text))
            return (ifl_type)t;
    return IFL_TYPE_NONE;
}

/* One word between the dots: a type or a modifier that the opcode takes. */
static void take_word(const char *word, uint64_t fields, ifl_modifiers *m, ifl_type *types,
                      int *count)
{
    ifl_type type = type_of(word);
    if (type != IFL_TYPE_NONE && *count < 3) {
        types[(*count)++] = type;
        return;
    }
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        if (modifiers[i].field & fields && modifiers[i].text[0] == word[0] &&
            !strcmp(modifiers[i].text, word)) {
            set_field(m, modifiers[i].field, modifiers[i].value);
            return;
        }
    fail_msg("no modifier .%s", word);
}

/* The row of "add.rn.ftz.f32" with that many sources, -1 without one. set's first type is left to
 * the engine. */
static int find_row(const char *name, int sources, ifl_modifiers *m)
{
    char words[64];
    size_t longest = 0, chosen = 0;
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
        if (name[0] !=
            opcodes[i].text[0]) /* most: compared here, which the sanitizers do not watch */
            continue;
        size_t length = strlen(opcodes[i].text);
        if (!strncmp(name, opcodes[i].text, length) && name[length] == '.' && length > longest)
            longest = length, chosen = i;
    }
    ifl_type types[3] = {IFL_TYPE_NONE, IFL_TYPE_NONE, IFL_TYPE_NONE};
    int count = 0;
    *m = (ifl_modifiers){0};
    snprintf(words, sizeof words, "%s", name + longest + 1);
    for (char *rest = words, *word; (word = strsep(&rest, "."));)
        take_word(word, opcodes[chosen].fields, m, types, &count);
    if (opcodes[chosen].opcode == IFL_OP_SET)
        types[0] = types[1], types[1] = IFL_TYPE_NONE;
    for (int i = 0; i < ROW_COUNT; i++)
        if (shapes[i].opcode == opcodes[chosen].opcode && shapes[i].type == types[0] &&
            shapes[i].from == types[1] && shapes[i].sources == sources && row_holds(i, m))
            return i;
    return -1;
}

/* The value of an instruction; its sources are bits. */
#define RUN(name, ...)                                                                             \
    run(name, (int)(sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)),                         \
        (const uint64_t[]){__VA_ARGS__})
static uint64_t run(const char *name, int sources, const uint64_t *in)
{
    ifl_modifiers m;
    int row = find_row(name, sources, &m);
    if (row < 0)
        fail_msg("no row for %s with %d sources", name, sources);
    return row_value(row, &m, in);
}

static bool has_row(const char *name, int sources)
{
    ifl_modifiers m;
    return find_row(name, sources, &m) >= 0;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static const uint16_t edges16[] = {
    0,      0x8000, 1,      0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x3c00, 0xbc00,
    0x3c01, 0x3bff, 0x4000, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe00, 0x7fff,
    0xffff, 0x3800, 0x6400, 0x0200, 0x7f80, 0xff80, 0x7f7f, 0xff7f, 0x7fc0, 0x3f80, 0xbf80,
    0x0080, 0x007f, 0x807f, 0x0040, 0x7f81, 5,      15,     16,     31,     32,     255,
    256,    0x4b00, 0x5c00, 0x7800, 0x3f00, 0x4300, 0x4248, 0x2000, 0x4700, 0x7bf0,
};

static const uint32_t edges32[] = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00800001, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40000000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffc00000, 0x7fffffff, 0xffffffff, 0xffa12345,
    0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000,
    0x5f000000, 0xdf000000, 0x5f800000, 0x5f7fffff, 0x477fe000, 0x477ff000, 0x477fefff, 0x33000000,
    0x33000001, 0x33800000, 0x38800000, 0x387fffff, 0x387fc000, 0x43600000, 0x43e00000, 0x43e80000,
    0x43f00000, 0x47600000, 0x47700000, 0x7f7f8000, 0x7f7f7fff, 0x7effffff, 0x7f000000, 0x7e800000,
    0x7e800001, 0x00400000, 0x00200000, 0x4b000000, 0x4b7fffff, 0x4b800000, 0x3effffff, 0x4effffff,
    0x42fe0000, 0x42ff0000, 0x43000000, 0x437f0000, 0x43800000, 0x46fffe00, 0x47000000, 0x477fff00,
    0x40490fdb, 0x42c80000, 2,          3,          4,          8,          15,         16,
    17,         31,         32,         33,         48,         63,         64,         65,
    100,        127,        128,        255,        256,        257,        0x00007fff, 0x00008000,
    0x0000ffff, 0x00010000, 0xffff8000, 0xffffff80, 0xfffffff0, 0x00ffffff, 0x01000001, 0x7ffffffe,
    0x3c003c00, 0x7c00fc00, 0x7e00fe01, 0x00018001, 0x7bff7bff, 0x3f803f80, 0x7f80ff80,
};

/* clang-format off */
static const uint64_t edges64[] = {
    0, 0x8000000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000,
    0x8010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff,
    0x4000000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff0000000000001, 0x7ff8000000000000, 0xfff8000000000000, 0x7fffffffffffffff, 0xffffffffffffffff,
    0xfff8123456789abc, 0x7ff0000012345678, 0x3fe0000000000000, 0xbfe0000000000000, 0x41e0000000000000,
    0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000, 0x43e0000000000000,
    0xc3e0000000000000, 0x43f0000000000000, 0x43efffffffffffff, 0x47efffffe0000000, 0x47efffffefffffff,
    0x47effffff0000000, 0x3690000000000000, 0x3690000000000001, 0x380fffffffffffff, 0x380ffffff0000000,
    0x380fffffc0000000, 0x40effe0000000000, 0x40effdffffffffff, 0x3e60000000000001, 0x7fffffff, 0x80000000,
    0xffffffff, 0x100000000, 0xffffffff80000000, 0x0020000000000001, 0x3ff0000010000000, 0x3ff0000030000000,
    0x3ff0000010000001, 0x3ff0020000000000, 0x3ff0020000000001, 0x3ff0100000000000, 0xffffff8000000001,
    0x7fffff4000000001, 0xfffffffffffffbff, 0xfffffffffffffc00, 0x7ffffffffffffdff, 0x7ffffffffffffe00, 2, 31, 32, 63,
    64, 65, 255, 256,
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* Edges, values whose exponents are near each other, subnormals, any bits. */
static uint16_t some16(uint64_t seed)
{
    unsigned kind = seed >> 60;
    if (kind < 9)
        return edges16[(seed >> 8) % COUNT(edges16)];
    if (kind < 12)
        return (uint16_t)((0x3000 + (seed >> 20 & 0x1fff)) | (seed & 1) << 15);
    return (uint16_t)(seed >> 20 & (kind < 14 ? 0x83ff : 0xffff));
}

static uint32_t some32(uint64_t seed)
{
    unsigned kind = seed >> 60;
    uint32_t bits = (uint32_t)mix(seed);
    if (kind < 7)
        return edges32[(seed >> 8) % COUNT(edges32)];
    if (kind < 9)
        return (uint32_t)some16(mix(seed + 1)) << 16 | some16(mix(seed + 2));
    if (kind < 12)
        return (bits & 0x807fffff) | (120 + (uint32_t)(seed >> 8 & 15)) << 23;
    return kind == 12 ? bits & 0x80ffffff : bits;
}

static uint64_t some64(uint64_t seed)
{
    unsigned kind = seed >> 60;
    uint64_t bits = mix(seed);
    if (kind < 7)
        return edges64[(seed >> 8) % COUNT(edges64)];
    if (kind < 9)
        return (uint64_t)some32(mix(seed + 1)) << 32 | some32(mix(seed + 2));
    if (kind < 11)
        return (bits & 0x800fffffffffffff) | (1015 + (seed >> 8 & 15)) << 52;
    if (kind == 11)
        return bits & 0x801fffffffffffff;
    if (kind == 12) /* the exponents of f32 and some beyond */
        return (bits & 0x800fffffe0000000) | (867 + (seed >> 8) % 310) << 52;
    return kind == 13 ? bits >> (seed >> 8 & 63) : bits;
}

/* Products, quotients and values around the smallest normal of f32 and f16, where .ftz decides. */
static uint64_t near_smallest(unsigned index, unsigned slot, size_t bytes, uint64_t seed)
{
    float x = ifl_bits_f32(0x3f800000 | ((uint32_t)seed & (bytes == 2 ? 0x7fe000 : 0x7fffff)));
    uint32_t offset = (uint32_t)(seed >> 40 & 3) - 1, sign = (uint32_t)(seed >> 50 & 1);
    if (bytes == 8)
        return ifl_f64_bits((sign ? -0x1p-126 : 0x1p-126) *
                            (1 - (double)(int)(seed >> 44 & 63) * 0x1p-28));
    if (bytes == 2) {
        uint32_t bits = ifl_f32_bits(slot == 0 ? x * 0x1p-7f : 0x1p-7f / x) - (112u << 23) + 0x1000;
        return slot == 2 ? sign << 15 : (uint16_t)((bits >> 13) + (slot == 0 ? 0 : offset));
    }
    if (slot == 2)
        return sign << 31 | ((seed >> 44 & 1) ? 0x800000 : 0);
    if (index % 4 < 2)
        return slot == 0 ? ifl_f32_bits(x * 0x1p-63f) : ifl_f32_bits(0x1p-63f / x) + offset;
    if (index % 4 == 2)
        return slot == 0 ? ifl_f32_bits(x * 0x1p-100f) + offset : ifl_f32_bits(x * 0x1p26f);
    return slot == 0 ? 0x7e800000 + (uint32_t)(seed >> 44 & 7) + (sign << 31)
                     : ifl_f32_bits(1 + x * 0x1p-13f);
}

enum { SAMPLES = 896, NEAR_SAMPLES = 128 };

/* Source `slot` of sample `index` of an instruction; every eighth sample has equal operands. */
static uint64_t sample(uint64_t instruction, unsigned index, unsigned slot, size_t bytes)
{
    uint64_t seed = mix(mix(instruction) + index);
    if (index >= SAMPLES - NEAR_SAMPLES)
        return near_smallest(index, slot, bytes, seed);
    seed = index % 8 == 7 ? seed : mix(seed + slot);
    return bytes == 2 ? some16(seed) : bytes == 4 ? some32(seed) : some64(seed);
}

#endif
