/* SPDX-License-Identifier: Apache-2.0
 * The operands of the matrix products that tools/gpu-matrix.c has a GPU compute and
 * tests/gpu/matrix_replay.c the engine: both make them from numbers alone, so that only results
 * need to be kept. Knows neither. */
#ifndef IFL_TESTS_MATRIX_VALUES_H
#define IFL_TESTS_MATRIX_VALUES_H

#include <stdint.h>

/* A type of elements: floats have exponents, integers none. */
typedef struct matrix_type {
    uint8_t bits, exponent_bits, mantissa_bits;
    uint8_t
        is_finite; /* the largest exponent is a number's too, but for the last mantissa (e4m3) */
} matrix_type;

/* In the order of matrix_type_of. */
enum {
    MATRIX_F16,
    MATRIX_BF16,
    MATRIX_TF32,
    MATRIX_F32,
    MATRIX_F64,
    MATRIX_E4M3,
    MATRIX_E5M2,
    MATRIX_BITS1,
    MATRIX_BITS4,
    MATRIX_BITS8,
    MATRIX_BITS32,
    MATRIX_TYPES
};

/* Kinds of values; fragment f has kind f % MATRIX_KINDS. */
enum {
    MATRIX_NEAR,    /* exponents that differ by a few */
    MATRIX_SPREAD,  /* by some more */
    MATRIX_ANY,     /* any finite number */
    MATRIX_FEW,     /* most are zeros */
    MATRIX_POWERS,  /* mantissas of zeros or ones */
    MATRIX_SPECIAL, /* infinities, NaNs and zeros among others */
    MATRIX_SMALL,   /* denormals and next to them */
    MATRIX_LARGE,   /* next to the largest */
    MATRIX_KINDS,
    MATRIX_WHOLE = MATRIX_KINDS /* small whole numbers times a power of two of the fragment */
};
/* From here on all fragments are of whole numbers: a GPU was not asked for them. */
enum { MATRIX_WHOLE_FROM = 1 << 24 };

enum { MATRIX_OPERAND_A, MATRIX_OPERAND_B, MATRIX_OPERAND_C, MATRIX_OPERAND_METADATA };

static inline matrix_type matrix_type_of(int type)
{
    static const matrix_type types[MATRIX_TYPES] = {{16, 5, 10, 0}, {16, 8, 7, 0},   {32, 8, 23, 0},
                                                    {32, 8, 23, 0}, {64, 11, 52, 0}, {8, 4, 3, 1},
                                                    {8, 5, 2, 0},   {1, 0, 0, 0},    {4, 0, 0, 0},
                                                    {8, 0, 0, 0},   {32, 0, 0, 0}};
    return types[type];
}

/* splitmix64. */
static inline uint64_t matrix_random(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* An exponent field between the two, moved into what the type has. */
static inline uint64_t matrix_exponent(uint32_t random, int from, int to, int highest)
{
    int at = from + (int)(random % (uint32_t)(to - from + 1));
    return (uint64_t)(at < 0 ? 0 : at > highest ? highest : at);
}

static inline uint64_t matrix_float(matrix_type t, int kind, int is_c, uint64_t random)
{
    const int all = (1 << t.exponent_bits) - 1, bias = all >> 1,
              highest = t.is_finite ? all : all - 1;
    const int wide = is_c ? 2 : 1;
    const uint64_t mantissas = (UINT64_C(1) << t.mantissa_bits) - 1, chance = random >> 58;
    const uint32_t pick = random >> 8 & 0xffff;
    uint64_t mantissa = (random * 0x2545f4914f6cdd1du) >> 7 & mantissas, sign = random & 1,
             exponent;
    switch (kind) {
    case MATRIX_NEAR:
        exponent = matrix_exponent(pick, bias - 2 * wide, bias + 2 * wide, highest);
        break;
    case MATRIX_SPREAD:
    case MATRIX_SPECIAL:
        exponent = matrix_exponent(pick, bias - 8 * wide, bias + 8 * wide, highest);
        break;
    case MATRIX_FEW:
        exponent = matrix_exponent(pick, bias - 14 * wide, bias + 14 * wide, highest);
        if (chance < 44)
            exponent = mantissa = 0;
        break;
    case MATRIX_POWERS:
        exponent = matrix_exponent(pick, bias - 14 * wide, bias + 14 * wide, highest);
        mantissa = chance < 40 ? 0 : chance < 56 ? mantissas : UINT64_C(1);
        break;
    case MATRIX_SMALL:
        exponent = matrix_exponent(pick, 0, chance < 32 ? 0 : 3 * wide, highest);
        break;
    case MATRIX_LARGE:
        exponent = matrix_exponent(pick, highest - (chance < 56 ? 2 : bias), highest, highest);
        break;
    default:
        exponent = matrix_exponent(pick, 0, highest, highest);
    }
    if (kind == MATRIX_SPECIAL && chance < 3) {
        exponent = chance == 2 ? 0 : (uint64_t)all; /* an infinity, any NaN, a zero */
        mantissa = chance == 1 ? mantissa : 0;
    }
    if (t.is_finite && kind != MATRIX_SPECIAL && exponent == (uint64_t)all && mantissa == mantissas)
        mantissa--;
    return sign << (t.bits - 1) | exponent << t.mantissa_bits | mantissa;
}

static inline int matrix_whole_power(uint32_t fragment)
{
    return (int)(fragment % 4) - 1;
}

/* Of a and b below 8, so that sums of their products often lose no bit; of c up to what its
 * mantissa holds. */
static inline uint64_t matrix_whole(matrix_type t, int power, int is_c, uint64_t random)
{
    const int bias = ((1 << t.exponent_bits) - 1) >> 1,
              most = is_c ? 1 + (int)(random >> 40) % t.mantissa_bits : 3;
    const uint64_t whole = random >> 8 & ((UINT64_C(1) << most) - 1), sign = random & 1;
    int top = 0;
    while (whole >> top > 1)
        top++;
    const uint64_t exponent = whole ? (uint64_t)(bias + top + (is_c ? 2 : 1) * power) : 0;
    const uint64_t mantissa =
        whole << (t.mantissa_bits - top) & ((UINT64_C(1) << t.mantissa_bits) - 1);
    return sign << (t.bits - 1) | exponent << t.mantissa_bits | mantissa;
}

static inline uint64_t matrix_integer(matrix_type t, int kind, uint64_t random)
{
    const uint64_t mask = t.bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << t.bits) - 1;
    const uint64_t value = random >> 5 & mask;
    if (kind == MATRIX_FEW && random >> 62)
        return 0;
    if (kind == MATRIX_LARGE || kind == MATRIX_POWERS) /* the largest and the smallest */
        return random >> 62 == 0 ? mask : random >> 62 == 1 ? mask >> 1 : (mask >> 1) + 1;
    return value;
}

static inline int matrix_kind_of(uint32_t fragment)
{
    return fragment < MATRIX_WHOLE_FROM ? (int)(fragment % MATRIX_KINDS) : (int)MATRIX_WHOLE;
}

/* Element `element` of register `reg` that `lane` holds of an operand. */
static inline uint64_t matrix_element(matrix_type t, uint32_t fragment, int operand, uint32_t lane,
                                      uint32_t reg, uint32_t element)
{
    const int kind = matrix_kind_of(fragment);
    const uint64_t place = ((uint64_t)fragment << 32) | (uint64_t)operand << 28 |
                           (uint64_t)lane << 16 | reg << 8 | element;
    const uint64_t random = matrix_random(place);
    if (kind == MATRIX_WHOLE && t.exponent_bits)
        return matrix_whole(t, matrix_whole_power(fragment), operand == MATRIX_OPERAND_C, random);
    return t.exponent_bits ? matrix_float(t, kind, operand == MATRIX_OPERAND_C, random)
                           : matrix_integer(t, kind, random);
}

/* A register of 32 bits, or of 64 where the type has those. */
static inline uint64_t matrix_register(int type, uint32_t fragment, int operand, uint32_t lane,
                                       uint32_t reg)
{
    const matrix_type t = matrix_type_of(type);
    const unsigned bits = t.bits, width = bits > 32 ? bits : 32;
    uint64_t value = 0;
    for (unsigned at = 0, i = 0; at < width; at += bits, i++)
        value |= matrix_element(t, fragment, operand, lane, reg, i) << at;
    return value;
}

/* Metadata of a sparse matrix: which two of four elements there are (of tf32 which one of two),
 * four bits each. */
static inline uint32_t matrix_metadata(int type, uint32_t fragment, uint32_t lane)
{
    static const uint32_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, of_two[] = {0xe, 0x4};
    uint32_t value = 0;
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t random = matrix_element(matrix_type_of(MATRIX_BITS32), fragment & ~7u,
                                               MATRIX_OPERAND_METADATA, lane, 0, i);
        value |= (type == MATRIX_TF32 ? of_two[random % 2] : pairs[random % 6]) << (4 * i);
    }
    return value;
}

/* Of a fragment's result words, in the order of lanes, then registers: FNV-1a over the bytes. */
static inline uint32_t matrix_hash(const uint32_t *words, unsigned count)
{
    uint32_t hash = 2166136261u;
    for (unsigned i = 0; i < count; i++)
        for (unsigned byte = 0; byte < 4; byte++)
            hash = (hash ^ (words[i] >> (8 * byte) & 0xff)) * 16777619u;
    return hash;
}

#endif
