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
/* Another word on some architectures; there, and nowhere else. */
#define BUT(usual, architectures, other)                                                           \
    ((usual) | (uint32_t)(other) << IFL_SASS_OTHER_AT |                                            \
     (uint32_t)(architectures) << IFL_SASS_OTHER_ON)
#define ON(architectures, word) BUT(NO, architectures, word)

#define RUN_BITS(...)                                                                              \
    {                                                                                              \
        BITS_OF(__VA_ARGS__, 0, 0, 0, 0, 0)                                                        \
    }
#define BITS_OF(at1, width1, at2, width2, at3, width3, ...)                                        \
    {at1, width1}, {at2, width2},                                                                  \
    {                                                                                              \
        at3, width3                                                                                \
    }
#define RUN_NOWHERE                                                                                \
    {                                                                                              \
        {                                                                                          \
            0, 0                                                                                   \
        }                                                                                          \
    }
/* The shapes of a warp group's product, N from 8 to 256; those of integers and bits. */
#define EACH_N(k)                                                                                  \
    W64x8x##k, W64x16x##k, W64x24x##k, W64x32x##k, W64x40x##k, W64x48x##k, W64x56x##k, W64x64x##k, \
        W64x72x##k, W64x80x##k, W64x88x##k, W64x96x##k, W64x104x##k, W64x112x##k, W64x120x##k,     \
        W64x128x##k, W64x136x##k, W64x144x##k, W64x152x##k, W64x160x##k, W64x168x##k, W64x176x##k, \
        W64x184x##k, W64x192x##k, W64x200x##k, W64x208x##k, W64x216x##k, W64x224x##k, W64x232x##k, \
        W64x240x##k, W64x248x##k, W64x256x##k
#define SPACED_N(k, first, step)                                                                   \
    [(first) + 0 * (step)] = W64x8x##k, [(first) + 1 * (step)] = W64x16x##k,                       \
                   [(first) + 2 * (step)] = W64x24x##k, [(first) + 3 * (step)] = W64x32x##k,       \
                   [(first) + 4 * (step)] = W64x48x##k, [(first) + 5 * (step)] = W64x64x##k,       \
                   [(first) + 6 * (step)] = W64x80x##k, [(first) + 7 * (step)] = W64x96x##k,       \
                   [(first) + 8 * (step)] = W64x112x##k, [(first) + 9 * (step)] = W64x128x##k,     \
                   [(first) + 10 * (step)] = W64x144x##k, [(first) + 11 * (step)] = W64x160x##k,   \
                   [(first) + 12 * (step)] = W64x176x##k, [(first) + 13 * (step)] = W64x192x##k,   \
                   [(first) + 14 * (step)] = W64x208x##k, [(first) + 15 * (step)] = W64x224x##k,   \
                   [(first) + 16 * (step)] = W64x240x##k, [(first) + 17 * (step)] = W64x256x##k
#define WORDS(...)                                                                                 \
    (const uint32_t[])                                                                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

const ifl_sass_field ifl_sass_fields[] = {
    {.name = "none", .count = 0},
#define FIELD(name_, role_, bits_, ...)                                                            \
    {.name = #name_,                                                                               \
     .role = IFL_SASS_VALUE_##role_,                                                               \
     .run = RUN_##bits_,                                                                           \
     .count = sizeof WORDS(__VA_ARGS__) / sizeof(uint32_t),                                        \
     .word = WORDS(__VA_ARGS__)},
#include "sass/table/bit_field.def"
};

const unsigned ifl_sass_field_count = sizeof ifl_sass_fields / sizeof *ifl_sass_fields;

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
    if (value >= row->count)
        return IFL_SASS_WORD_ABSENT;
    const uint32_t chosen = row->word[value];
    return chosen >> IFL_SASS_OTHER_ON & architecture
               ? chosen >> IFL_SASS_OTHER_AT & IFL_SASS_CHOICE_MASK
               : chosen & IFL_SASS_CHOICE_MASK;
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
