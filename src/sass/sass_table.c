/* SPDX-License-Identifier: Apache-2.0
 * The tables of machine code, made from the .def files. Data only. */
#include "sass/sass_table.h"

/* ---- fields ------------------------------------------------------------------------------------ */

#define BITS(...) {__VA_ARGS__}
#define RUN(at, width) {at, width}
#define NO NULL
#define TEXTS(...) (const char *const[]){__VA_ARGS__}

enum {
    FIELD_none,
#define FIELD(name, bits, ...) FIELD_##name,
#include "sass/sass_field.def"
#undef FIELD
};

const ifl_sass_field ifl_sass_fields[] = {
    [FIELD_none] = {BITS(), TEXTS(""), 1},
#define FIELD(name, bits, ...)                                                                         \
    [FIELD_##name] = {bits, TEXTS(__VA_ARGS__), sizeof TEXTS(__VA_ARGS__) / sizeof(char *)},
#include "sass/sass_field.def"
#undef FIELD
};
#undef BITS

/* ---- formats ----------------------------------------------------------------------------------- */

#define F(name) FIELD_##name
#define BITS(at, width, shift_) {.run = {{at, width}}, .shift = shift_}
#define SIGNED(at, width, shift_) {.run = {{at, width}}, .shift = shift_, .is_signed = true}
#define INVERTED(at, width, shift_) {.run = {{at, width}}, .shift = shift_, .inverted = true}
#define SPLIT(at, width, at2, width2, shift_)                                                          \
    {.run = {{at, width}, {at2, width2}}, .shift = shift_}
#define SPLIT_SIGNED(at, width, at2, width2, shift_)                                                   \
    {.run = {{at, width}, {at2, width2}}, .shift = shift_, .is_signed = true}
#define PLUS(at, width, add) {.run = {{at, width}}, .fixed = add}
#define FIXED(value) {.fixed = value}

enum {
#define FORMAT(name, ...) FORMAT_##name,
#include "sass/sass_format.def"
#undef FORMAT
};

const ifl_sass_format ifl_sass_formats[] = {
#define FORMAT(name, syntax_, ...) [FORMAT_##name] = {.syntax = IFL_SASS_AS_##syntax_, __VA_ARGS__},
#include "sass/sass_format.def"
#undef FORMAT
};
#undef BITS
#undef F

/* ---- counts ------------------------------------------------------------------------------------ */

#define BITS(...) {__VA_ARGS__}
#define REGISTERS(...) (const uint8_t[]){__VA_ARGS__}

/* The counts that no bit decides. */
#define CONSTANT_COUNTS(X) X(0) X(1) X(2) X(3) X(4) X(8) X(12) X(16) X(32) X(64) X(128)

enum {
#define COUNT(name, bits, ...) COUNT_##name,
#include "sass/sass_count.def"
#undef COUNT
#define X(n) COUNT_N##n,
    CONSTANT_COUNTS(X)
#undef X
};

const ifl_sass_count ifl_sass_counts[] = {
#define COUNT(name, bits, ...)                                                                         \
    [COUNT_##name] = {bits, REGISTERS(__VA_ARGS__), sizeof REGISTERS(__VA_ARGS__)},
#include "sass/sass_count.def"
#undef COUNT
#define X(n) [COUNT_N##n] = {BITS(), REGISTERS(n), 1},
    CONSTANT_COUNTS(X)
#undef X
};
#undef BITS

/* ---- rows -------------------------------------------------------------------------------------- */

/* Each architecture's bit, in ascending order, so that ranges are masks. */
#define ARCHITECTURES(X) X(75) X(80) X(86) X(87) X(89) X(90) X(100) X(103) X(120) X(121)

enum {
#define X(sm) PLACE_##sm,
    ARCHITECTURES(X) PLACES,
#undef X
#define X(sm)                                                                                          \
    SM_##sm = 1 << PLACE_##sm, TO_##sm = (2 << PLACE_##sm) - 1,                                        \
    FROM_##sm = ((1 << PLACES) - 1) & ~((1 << PLACE_##sm) - 1),
    ARCHITECTURES(X)
#undef X
    ALL = (1 << PLACES) - 1
};

enum {
#define OPCODE(name, sass_class) CLASS_OF_##name = IFL_SASS_##sass_class,
#include "sass/sass_opcode.def"
#undef OPCODE
};

/* Rows are numbered in the order of the file; FIRST_ is the number of the row that comes next. */
enum {
#define OPCODE(bits) FIRST_##bits, BEFORE_##bits = FIRST_##bits - 1,
#define ROW(...) ROW_AT(__LINE__)
#define ROW_AT(line) ROW_AT_(line)
#define ROW_AT_(line) ROW_##line,
#include "sass/sass_row.def"
#undef ROW_AT_
#undef ROW_AT
#undef ROW
#undef OPCODE
};

#define M(name) FIELD_##name
#define O(format, count) {FORMAT_##format, COUNT_##count}
#define ALWAYS .mask = {0, 0}
#define WHEN(high_mask, high_match) .mask = {0, high_mask}, .match = {0, high_match}
#define WHEN2(low_mask, low_match, high_mask, high_match)                                              \
    .mask = {low_mask, high_mask}, .match = {low_match, high_match}
#define GUARD .uniform_guard = false
#define UNIFORM_GUARD .uniform_guard = true
#define MODIFIERS(...) .modifier = {__VA_ARGS__}
#define OPERANDS(...)                                                                                  \
    .slot = {__VA_ARGS__},                                                                             \
    .slots = sizeof((const ifl_sass_slot[]){__VA_ARGS__}) / sizeof(ifl_sass_slot)

const ifl_sass_row ifl_sass_rows[] = {
#define OPCODE(bits)
#define ROW(bits_, name, architectures_, when, guard_, modifiers_, destinations_, memory_, operands_)   \
    {.bits = bits_,                                                                                    \
     .opcode = #name,                                                                                  \
     .architectures = architectures_,                                                                  \
     when,                                                                                             \
     guard_,                                                                                           \
     modifiers_,                                                                                       \
     .sass_class = CLASS_OF_##name,                                                                    \
     .destinations = destinations_,                                                                    \
     .memory = COUNT_##memory_,                                                                        \
     operands_},
#include "sass/sass_row.def"
#undef ROW
#undef OPCODE
};

const size_t ifl_sass_row_count = sizeof ifl_sass_rows / sizeof *ifl_sass_rows;

/* Rows of one opcode end where another's begin. */
const uint16_t ifl_sass_first_row[4096] = {
#define OPCODE(bits) [bits] = FIRST_##bits + 1,
#define ROW(...)
#include "sass/sass_row.def"
#undef ROW
#undef OPCODE
};

uint16_t ifl_sass_architecture_bit(uint32_t sm)
{
    static const struct {
        uint32_t sm;
        uint16_t bit;
    } bits[] = {
#define X(sm) {sm, SM_##sm},
        ARCHITECTURES(X)
#undef X
    };
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (bits[i].sm == sm)
            return bits[i].bit;
    return 0;
}
