/* SPDX-License-Identifier: Apache-2.0
 * The tables of machine code, as decode.c and text.c read them: fields (bits that stand for words of text), formats of
 * operands, and rows (one encoding of one instruction). Knows nothing of files, kernels or the engine. */
#ifndef IFL_SASS_SASS_TABLE_H
#define IFL_SASS_SASS_TABLE_H

#include "sass/sass.h"

/* A run of bits of the 128-bit instruction word. Width 0 ends a list of them. */
typedef struct ifl_sass_run {
    uint8_t at, width;
} ifl_sass_run;

/* Bits that choose a text: a modifier, a sign, a suffix. A value without text fits no instruction. */
enum { IFL_SASS_FIELD_RUNS = 5 };
typedef struct ifl_sass_field {
    ifl_sass_run run[IFL_SASS_FIELD_RUNS];
    const char *const *text;
    uint16_t text_count;
} ifl_sass_field;

/* Bits that are a number: run[0] holds the low bits. The value is taken as signed or not, then shifted; `inverted` ones
 * are stored as their complement. `fixed` is added: without a run it is the number. */
enum { IFL_SASS_NUMBER_RUNS = 2 };
typedef struct ifl_sass_number {
    ifl_sass_run run[IFL_SASS_NUMBER_RUNS];
    uint8_t shift;
    bool is_signed, inverted;
    uint8_t fixed;
} ifl_sass_number;

/* How an operand is written. */
typedef enum ifl_sass_syntax {
    IFL_SASS_AS_REGISTER,
    IFL_SASS_AS_UNIFORM_REGISTER,
    IFL_SASS_AS_PREDICATE,
    IFL_SASS_AS_UNIFORM_PREDICATE,
    IFL_SASS_AS_BARRIER_REGISTER,
    IFL_SASS_AS_SCOREBOARD,
    IFL_SASS_AS_INTEGER,
    IFL_SASS_AS_FLOAT16,
    IFL_SASS_AS_BFLOAT16,
    IFL_SASS_AS_FLOAT32,
    IFL_SASS_AS_FLOAT64_HIGH, /* the upper half of a double */
    IFL_SASS_AS_TARGET,
    IFL_SASS_AS_CONSTANT,
    IFL_SASS_AS_MEMORY,
    IFL_SASS_AS_WORD          /* a name: the suffix is all there is */
} ifl_sass_syntax;

/* An operand is left out of the text at its default. */
enum { IFL_SASS_HIDE = 1, IFL_SASS_HIDE_PREFIXED = 2 };

enum { IFL_SASS_SUFFIXES = 4, IFL_SASS_NO_PORT = 255 };
typedef struct ifl_sass_format {
    uint8_t syntax;
    uint8_t hide;
    bool joined;          /* a blank and no comma before it */
    bool spaced;          /* c[0x0] [0x10] */
    const char *name;     /* "desc", "gdesc", "tmem", "cx" before the bracket */
    ifl_sass_number number;              /* register, immediate, offset */
    ifl_sass_number bank;                /* of a constant; descriptor's uniform register */
    ifl_sass_number base, uniform;       /* registers of an address */
    bool has_bank, has_base, has_uniform;
    bool uniform_hides;   /* URZ is left out beside others */
    bool base_stays;      /* RZ with a suffix is written beside a uniform register */
    uint8_t standard;     /* an immediate that is left out where `hide` says so */
    uint8_t port;         /* 1 + which reuse bit keeps it; 0: as its place in the word tells; IFL_SASS_NO_PORT */
    uint16_t prefix, absolute, base_suffix, uniform_suffix;
    uint16_t suffix[IFL_SASS_SUFFIXES];
} ifl_sass_format;

/* How many registers an operand takes: by the value of some bits. */
typedef struct ifl_sass_count {
    ifl_sass_run run[IFL_SASS_FIELD_RUNS];
    const uint8_t *registers;
    uint16_t values;
} ifl_sass_count;

typedef struct ifl_sass_slot {
    uint16_t format, count;
} ifl_sass_slot;

enum { IFL_SASS_CONDITIONS = 12, IFL_SASS_MODIFIERS = 10 };
typedef struct ifl_sass_row {
    const char *opcode;
    uint64_t mask[2], match[2];
    uint16_t architectures; /* IFL_SASS_SM_... */
    uint16_t bits;          /* opcode bits 11..0 */
    uint8_t sass_class;
    uint8_t destinations;
    uint8_t slots;
    bool uniform_guard;
    uint16_t memory;        /* a count: bytes of a lane's access */
    uint16_t modifier[IFL_SASS_MODIFIERS];
    ifl_sass_slot slot[IFL_SASS_OPERANDS];
} ifl_sass_row;

extern const ifl_sass_field ifl_sass_fields[];
extern const ifl_sass_format ifl_sass_formats[];
extern const ifl_sass_count ifl_sass_counts[];
extern const ifl_sass_row ifl_sass_rows[];
extern const size_t ifl_sass_row_count;
/* 1 + the first row of an opcode's bits 11..0, 0 for none; its further rows follow it. */
extern const uint16_t ifl_sass_first_row[4096];

/* The row that a word fits, or NULL. */
const ifl_sass_row *ifl_sass_find_row(uint32_t sm, const uint64_t word[2]);
int64_t ifl_sass_number_at(const ifl_sass_number *number, const uint64_t word[2]);
/* NULL where the bits have no text. */
const char *ifl_sass_field_text(uint16_t field, const uint64_t word[2]);

/* The architecture's bit in ifl_sass_row.architectures, 0 for one without rows. */
uint16_t ifl_sass_architecture_bit(uint32_t sm);

#endif
