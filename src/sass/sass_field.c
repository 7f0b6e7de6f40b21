/* SPDX-License-Identifier: Apache-2.0
 * The fields, the words that they choose, the roles that they tell, and the special registers, made
 * from sass/table. Data and its look-up only. */
#include "sass/sass_table.h"

/* ---- words ----------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    uint16_t bits;                 /* of a type or a width */
    uint16_t rows, columns, depth; /* of a matrix product: M, N, K */
} words[] = {
    [IFL_SASS_WORD_ABSENT] = {.text = ""},
#define WORD(name, text_, ...) [IFL_SASS_WORD_##name] = {.text = text_, __VA_ARGS__},
#include "sass/table/value_word.def"
};

const char *ifl_sass_word_text(ifl_sass_word word)
{
    return (unsigned)word < IFL_SASS_WORDS ? words[word].text : "";
}

unsigned ifl_sass_word_bits(ifl_sass_word word)
{
    return (unsigned)word < IFL_SASS_WORDS ? words[word].bits : 0;
}

ifl_sass_matrix ifl_sass_word_matrix(ifl_sass_word word)
{
    if ((unsigned)word >= IFL_SASS_WORDS)
        return (ifl_sass_matrix){0};
    return (ifl_sass_matrix){words[word].rows, words[word].columns, words[word].depth};
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Words by their bare names, as bit_field.def writes them. */
enum {
    NO = IFL_SASS_WORD_ABSENT,
#define WORD(name, text, ...) name = IFL_SASS_WORD_##name,
#include "sass/table/value_word.def"
};

#define Q(word) ((word) | IFL_SASS_QUIET)
/* Words of some architectures only. */
#define CONDITIONS(X)                                                                              \
    X(UNTIL_75, TO_75)                                                                             \
    X(UNTIL_80, TO_80)                                                                             \
    X(UNTIL_89, TO_89)                                                                             \
    X(UNTIL_90, TO_90)                                                                             \
    X(SINCE_80, FROM_80)                                                                           \
    X(SINCE_86, FROM_86)                                                                           \
    X(SINCE_90, FROM_90) X(SINCE_100, FROM_100) X(LIKE_100, FAMILY_100) X(LIKE_120, FAMILY_120)
enum {
    ALWAYS,
#define X(name, architectures) AS_##name,
    CONDITIONS(X)
#undef X
};
static const uint16_t conditions[] = {[ALWAYS] = ALL,
#define X(name, architectures) [AS_##name] = architectures,
                                      CONDITIONS(X)
#undef X
};
#define WHERE(condition, word) ((word) | (condition) << IFL_SASS_CONDITION_AT)
#define UNTIL_75(word) WHERE(AS_UNTIL_75, word)
#define UNTIL_80(word) WHERE(AS_UNTIL_80, word)
#define UNTIL_89(word) WHERE(AS_UNTIL_89, word)
#define UNTIL_90(word) WHERE(AS_UNTIL_90, word)
#define SINCE_80(word) WHERE(AS_SINCE_80, word)
#define SINCE_86(word) WHERE(AS_SINCE_86, word)
#define SINCE_90(word) WHERE(AS_SINCE_90, word)
#define SINCE_100(word) WHERE(AS_SINCE_100, word)
#define LIKE_100(word) WHERE(AS_LIKE_100, word)
#define LIKE_120(word) WHERE(AS_LIKE_120, word)

#define BITS(...)                                                                                  \
    {                                                                                              \
        BITS_OF(__VA_ARGS__, 0, 0, 0, 0, 0)                                                        \
    }
#define BITS_OF(at1, width1, at2, width2, at3, width3, ...)                                        \
    {at1, width1}, {at2, width2},                                                                  \
    {                                                                                              \
        at3, width3                                                                                \
    }
#define NOWHERE                                                                                    \
    {                                                                                              \
        {                                                                                          \
            0, 0                                                                                   \
        }                                                                                          \
    }
/* The shapes of a warp group's product, N from 8 to 256; those of bytes. */
#define EACH_N(k)                                                                                  \
    W64x8x##k, W64x16x##k, W64x24x##k, W64x32x##k, W64x40x##k, W64x48x##k, W64x56x##k, W64x64x##k, \
        W64x72x##k, W64x80x##k, W64x88x##k, W64x96x##k, W64x104x##k, W64x112x##k, W64x120x##k,     \
        W64x128x##k, W64x136x##k, W64x144x##k, W64x152x##k, W64x160x##k, W64x168x##k, W64x176x##k, \
        W64x184x##k, W64x192x##k, W64x200x##k, W64x208x##k, W64x216x##k, W64x224x##k, W64x232x##k, \
        W64x240x##k, W64x248x##k, W64x256x##k
#define THIRD_N(k, first)                                                                          \
    [0 + (first)] = W64x8x##k, [3 + (first)] = W64x16x##k, [6 + (first)] = W64x24x##k,             \
         [9 + (first)] = W64x32x##k, [12 + (first)] = W64x48x##k, [15 + (first)] = W64x64x##k,     \
         [18 + (first)] = W64x80x##k, [21 + (first)] = W64x96x##k, [24 + (first)] = W64x112x##k,   \
         [27 + (first)] = W64x128x##k, [30 + (first)] = W64x144x##k, [33 + (first)] = W64x160x##k, \
         [36 + (first)] = W64x176x##k, [39 + (first)] = W64x192x##k, [42 + (first)] = W64x208x##k, \
         [45 + (first)] = W64x224x##k, [48 + (first)] = W64x240x##k, [51 + (first)] = W64x256x##k
#define WORDS(...)                                                                                 \
    (const uint16_t[])                                                                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

const ifl_sass_field ifl_sass_fields[] = {
    {.name = "none", .count = 0},
#define FIELD(name_, role_, bits_, ...)                                                            \
    {.name = #name_,                                                                               \
     .role = IFL_SASS_VALUE_##role_,                                                               \
     .run = bits_,                                                                                 \
     .count = sizeof WORDS(__VA_ARGS__) / sizeof(uint16_t),                                        \
     .word = WORDS(__VA_ARGS__)},
#include "sass/table/bit_field.def"
#undef FIELD
};

const unsigned ifl_sass_field_count = sizeof ifl_sass_fields / sizeof *ifl_sass_fields;

static bool is_there(uint16_t word, uint16_t architecture)
{
    return conditions[word >> IFL_SASS_CONDITION_AT & IFL_SASS_CONDITION_MASK] & architecture;
}

uint16_t ifl_sass_field_word(unsigned field, unsigned at, const uint64_t word[2],
                             uint16_t architecture)
{
    const ifl_sass_field *row = &ifl_sass_fields[field];
    uint64_t value = 0;
    unsigned width = 0;
    for (unsigned i = 0; i < IFL_SASS_RUNS && row->run[i].width; i++) {
        value |= ifl_sass_bits(word, i == 0 && at ? at : row->run[i].at, row->run[i].width)
                 << width;
        width += row->run[i].width;
    }
    return value < row->count && is_there(row->word[value], architecture) ? row->word[value] : 0;
}

/* ---- special registers ----------------------------------------------------------------------- */

static const struct {
    uint16_t number, architectures;
    const char *text;
} specials[] = {
#define SPECIAL_REGISTER(number, text, architectures, kind, what) {number, architectures, text},
#include "sass/table/special_register.def"
};

const char *ifl_sass_special_text(unsigned number, uint16_t architecture)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (specials[i].number == number && specials[i].architectures & architecture)
            return specials[i].text;
    return NULL;
}
