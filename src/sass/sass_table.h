/* SPDX-License-Identifier: Apache-2.0
 * The tables of sass/table as decode.c and text.c read them. A row (ENCODING) is a list of fields,
 * each of which must have a value, and a list of operands; both are numbers that the macros below
 * take apart. Knows nothing of files, kernels or the engine. */
#ifndef IFL_SASS_SASS_TABLE_H
#define IFL_SASS_SASS_TABLE_H

#include "sass/sass.h"

/* ---- architectures --------------------------------------------------------------------------- */

/* Each architecture's bit, in ascending order, so that ranges are masks. */
#define IFL_SASS_ARCHITECTURES(X) X(75) X(80) X(86) X(87) X(89) X(90) X(100) X(103) X(120) X(121)

enum {
#define X(sm) IFL_SASS_PLACE_##sm,
    IFL_SASS_ARCHITECTURES(X) IFL_SASS_PLACES,
#undef X
    ALL = (1 << IFL_SASS_PLACES) - 1,
#define X(sm)                                                                                      \
    SM_##sm = 1 << IFL_SASS_PLACE_##sm, TO_##sm = (2 << IFL_SASS_PLACE_##sm) - 1,                  \
    FROM_##sm = ALL & ~((1 << IFL_SASS_PLACE_##sm) - 1),
    IFL_SASS_ARCHITECTURES(X)
#undef X
        FAMILY_100 = FROM_100 & TO_103,
    FAMILY_120 = FROM_120
};

/* The architecture's bit, 0 for one without rows. */
uint16_t ifl_sass_architecture_bit(uint32_t sm);

/* ---- fields ---------------------------------------------------------------------------------- */

/* A run of bits of the 128-bit instruction word. Width 0 ends a list of them. */
typedef struct ifl_sass_run {
    uint8_t at, width;
} ifl_sass_run;

enum { IFL_SASS_RUNS = 3 };

/* What a value of a field is: an ifl_sass_word, with IFL_SASS_QUIET where it is not written; another
 * one at IFL_SASS_OTHER_AT on the architectures that stand above. */
enum {
    IFL_SASS_WORD_MASK = 0x3ff,
    IFL_SASS_QUIET = 0x400,
    IFL_SASS_CHOICE_MASK = IFL_SASS_WORD_MASK | IFL_SASS_QUIET,
    IFL_SASS_OTHER_AT = 11,
    IFL_SASS_OTHER_ON = 22
};

/* Bits that choose a word. A value past the end, or 0, is no instruction. */
typedef struct ifl_sass_field {
    const char *name;
    uint8_t role; /* ifl_sass_value_role */
    ifl_sass_run run[IFL_SASS_RUNS];
    uint16_t count;
    const uint32_t *word;
} ifl_sass_field;

extern const ifl_sass_field ifl_sass_fields[];
extern const unsigned ifl_sass_field_count;

/* An element of a row's fields, from low bits to high: what (field, or role of SAY), word (IS, SAY;
 * the value of FIXED), first bit where it is not the field's own, width (FIXED), kind,
 * architectures, forms (0: all). */
typedef enum ifl_sass_element_kind {
    IFL_SASS_HAS,             /* any value that is an instruction's */
    IFL_SASS_IS,              /* this value */
    IFL_SASS_SAYS,            /* no bits: this value, always */
    IFL_SASS_MEANS,           /* the same, and it is not written */
    IFL_SASS_FIXED,           /* bits without a meaning of their own */
    IFL_SASS_PRODUCT_NAME,    /* how nvdisasm names a product for what its operands make of it */
    IFL_SASS_TYPES_DIFFER,    /* TYPE_TO is not TYPE_FROM */
    IFL_SASS_NONE_OF_64_BITS, /* neither TYPE_TO nor TYPE_FROM has 64 bits */
    IFL_SASS_SOME_OF_64_BITS  /* one of them has */
} ifl_sass_element_kind;

#define IFL_SASS_ELEMENT(what, word, at, width, kind)                                              \
    ((uint64_t)(what) | (uint64_t)(word) << 10 | (uint64_t)(at) << 20 | (uint64_t)(width) << 27 |  \
     (uint64_t)(kind) << 32)
#define IFL_SASS_ONLY_ON(architectures) ((uint64_t)(architectures) << 40)
#define IFL_SASS_ONLY_IN(forms)                                                                    \
    ((uint64_t)((forms)&IFL_SASS_FORMS) << 50 |                                                    \
     ((forms)&IFL_SASS_FREE_ON_75 ? (uint64_t)((forms)&IFL_SASS_FORMS) << 57 : 0))
#define IFL_SASS_WHAT(element) ((unsigned)(element)&0x3ff)
#define IFL_SASS_WORD_OF(element) ((unsigned)((element) >> 10) & 0x3ff)
#define IFL_SASS_AT_OF(element) ((unsigned)((element) >> 20) & 0x7f)
#define IFL_SASS_WIDTH_OF(element) ((unsigned)((element) >> 27) & 0x1f)
#define IFL_SASS_KIND_OF(element) ((unsigned)((element) >> 32) & 0xff)
#define IFL_SASS_ON_OF(element) ((unsigned)((element) >> 40) & 0x3ff)
#define IFL_SASS_FORMS_OF(element) ((unsigned)((element) >> 50))

/* ---- operands -------------------------------------------------------------------------------- */

/* How an operand is written. */
typedef enum ifl_sass_syntax {
    IFL_SASS_AS_SOURCE, /* what the form tells */
    IFL_SASS_AS_REGISTER,
    IFL_SASS_AS_UNIFORM_REGISTER,
    IFL_SASS_AS_PREDICATE,
    IFL_SASS_AS_UNIFORM_PREDICATE,
    IFL_SASS_AS_BARRIER_REGISTER,
    IFL_SASS_AS_SCOREBOARD,
    IFL_SASS_AS_SCOREBOARDS, /* {2,0}: a mask */
    IFL_SASS_AS_INTEGER,
    IFL_SASS_AS_TARGET,
    IFL_SASS_AS_CONSTANT,
    IFL_SASS_AS_MEMORY,
    IFL_SASS_AS_SPECIAL_REGISTER,
    IFL_SASS_AS_WORD, /* a field's word is all there is */
    IFL_SASS_AS_TEXT  /* a name, without bits */
} ifl_sass_syntax;

/* Where the form (bits 11..9) puts a source:
 *
 *     form   1        2           3          4           5          6        7
 *     b      R at 32  R at 64     R at 64    immediate   constant   UR at 32 R at 64
 *     c      R at 64  immediate   constant   R at 64     R at 64    R at 64  UR at 32
 *
 * a is always the register at 24. Immediates have 32 bits at 32; constants a bank at 54 and an
 * offset in words at 40, or, where bit 91 is set, a descriptor in the uniform registers at 32 in
 * place of the bank. LAST is where c stands, but at 32 in form 1: the second source of instructions
 * without a third. SCALED and SCALE are b and c of conversions with a scale, whose forms are others:
 *
 *     form    1        2        3        5          7
 *     scaled  UR at 32 R at 64  R at 32  immediate  R at 64
 *     scale   R at 64  UR at 32 R at 64  R at 64    immediate */
typedef enum ifl_sass_slot {
    IFL_SASS_FIRST,
    IFL_SASS_SECOND,
    IFL_SASS_THIRD,
    IFL_SASS_LAST,
    IFL_SASS_SCALED,
    IFL_SASS_SCALE
} ifl_sass_slot;

enum { IFL_SASS_SUFFIXES = 4 };

/* Where an operand's bits are. The first bit 0 means that there is none: bits 0 to 11 are the
 * opcode. */
typedef struct ifl_sass_place {
    const char *name;
    uint8_t role;        /* ifl_sass_role */
    uint8_t syntax;      /* ifl_sass_syntax */
    uint8_t slot;        /* ifl_sass_slot, of a SOURCE */
    ifl_sass_run run[2]; /* register, number, offset; low bits first */
    uint8_t lower_at;    /* from sm_90: 8 bits below them */
    uint8_t shift;
    bool is_signed, is_inverted;
    uint8_t sign_at; /* '!', '~' or '-' before it */
    char sign;
    uint8_t port;     /* 1 + the reuse bit of the control word that keeps it; 0: none */
    uint8_t reuse_at; /* a reuse bit of its own */
    uint8_t bank_at;  /* 5 bits */
    uint8_t base_at;  /* 8 bits */
    uint8_t uniform_at, uniform_add; /* uniform register, and what is added to its number */
    uint8_t
        /* from sm_80: where this bit is set that register holds a descriptor and is not added */
        described_at;
    bool only_described;   /* and where it is clear there is none */
    uint8_t descriptor_at; /* of a bindless constant */
    uint16_t base_suffix;  /* field: how wide, or scaled, the base is */
    uint8_t suffix_at;     /* where it is not the field's own place */
    bool base_stays;       /* from sm_90: RZ with a suffix is written beside a uniform register */
    bool uniform_hides;    /* URZ is left out beside others */
    bool uniform_hides_of_64; /* the same, where the base has 64 bits */
    bool keeps_sign;          /* from sm_80: an offset beside nothing else is still signed */
    bool is_joined;           /* a blank and no comma before it */
    bool hidden_at;           /* left out of the text at `standard` */
    uint8_t standard;
    const char *prefix; /* before the bracket: "gdesc", "tmem"; the text of AS_TEXT */
    uint16_t suffix[IFL_SASS_SUFFIXES]; /* fields */
} ifl_sass_place;

extern const ifl_sass_place ifl_sass_places[];

/* How the immediate of a SOURCE is written. */
typedef enum ifl_sass_literal {
    IFL_SASS_LITERAL_INTEGER,
    IFL_SASS_LITERAL_SIGNED,
    IFL_SASS_LITERAL_FLOAT16, /* the lower half */
    IFL_SASS_LITERAL_BFLOAT16,
    IFL_SASS_LITERAL_FLOAT32,
    IFL_SASS_LITERAL_FLOAT64, /* the upper half of a double */
    IFL_SASS_LITERAL_HALVES,  /* two, the upper one first: f16, or bf16 where TYPE says so */
    IFL_SASS_LITERAL_FROM     /* of TYPE_FROM */
} ifl_sass_literal;

/* What may stand around a SOURCE. */
typedef struct ifl_sass_style {
    const char *name;
    char sign;
    bool has_absolute;
    uint8_t literal;
    bool inverts_extended;    /* the sign is '~' where EXTENDED is X */
    bool absolute_unless_f32; /* from sm_86: |x| is not read where TYPE is F32 */
    bool lower_of_f32;        /* from sm_86: the immediate is the lower half where TYPE is F32 */
    uint8_t third_sign_at;    /* of a register at 64, where it is not 75; the bit before is |x|'s */
    bool
        /* the selection is at 74, 60 or 81, as the register at 24, 32 or 64; immediates have
         * none */
        select_moves;
    uint8_t third_select_at; /* where it is not 81 */
    bool
        /* it is there where TYPE_FROM has fewer bits than a register; immediates have none */
        select_by_type;
    uint16_t select[3]; /* fields: of a, b, c */
} ifl_sass_style;

extern const ifl_sass_style ifl_sass_styles[];

/* An operand of a row, from low bits to high: place, style of a SOURCE, registers (0: one; else
 * their number, or IFL_SASS_COUNT_BY + a role of values that tells it), whether it is left out
 * where it says nothing, the bit that it goes by (0: none; it is there where the bit is set, or
 * clear), architectures, forms. */
enum {
    IFL_SASS_COUNT_MATRIX_A = 32,
    IFL_SASS_COUNT_MATRIX_B,
    IFL_SASS_COUNT_MATRIX_C,
    IFL_SASS_COUNT_TENSOR,
    IFL_SASS_COUNT_BY = 64,
    IFL_SASS_HIDES = 1,
    IFL_SASS_HIDES_TO_90 = 2
};

#define IFL_SASS_PLACE_OF(operand) ((unsigned)(operand)&0xff)
#define IFL_SASS_STYLE_OF(operand) ((unsigned)((operand) >> 8) & 0x3f)
#define IFL_SASS_COUNT_OF(operand) ((unsigned)((operand) >> 14) & 0xff)
#define IFL_SASS_HIDE_OF(operand) ((unsigned)((operand) >> 22) & 3)
#define IFL_SASS_BY_BIT(at, is_clear) ((uint64_t)(at) << 24 | (uint64_t)(is_clear) << 31)
#define IFL_SASS_BIT_OF(operand) ((unsigned)((operand) >> 24) & 0x7f)
#define IFL_SASS_IS_CLEAR_OF(operand) ((unsigned)((operand) >> 31) & 1)

/* ---- rows ------------------------------------------------------------------------------------ */

/* The forms of a row: a bit for each of 1 to 7 with bit 91 clear, then with it set, and more. */
enum {
    IFL_SASS_FORM_NUMBERS = 7,
    IFL_SASS_FORMS = (1 << 2 * IFL_SASS_FORM_NUMBERS) - 1,
    IFL_SASS_CONSTANTS_TO_90 = 1 << 14, /* 3 and 5, to sm_90 only */
    IFL_SASS_FREE_ON_75 = 1 << 15,      /* bit 91 may be either there */
    IFL_SASS_UNIFORM_FILE = 1 << 16,    /* registers and predicates are uniform ones */
    IFL_SASS_UNIFORM_GUARD = 1 << 17
};

enum { IFL_SASS_ELEMENTS = 18, IFL_SASS_ROW_OPERANDS = 14 };
typedef struct ifl_sass_row {
    uint16_t op;   /* ifl_sass_op */
    uint16_t base; /* bits 8..0 */
    uint16_t architectures;
    uint32_t forms;
    uint64_t element[IFL_SASS_ELEMENTS];
    uint64_t operand[IFL_SASS_ROW_OPERANDS];
} ifl_sass_row;

extern const ifl_sass_row ifl_sass_rows[];
extern const unsigned ifl_sass_row_count;

/* ---- reading --------------------------------------------------------------------------------- */

uint64_t ifl_sass_bits(const uint64_t word[2], unsigned at, unsigned width);
/* The word (and IFL_SASS_QUIET) that the bits choose, 0 where there is none; `at` 0: where the
 * field says. */
uint16_t ifl_sass_field_word(unsigned field, unsigned at, const uint64_t word[2],
                             uint16_t architecture);
/* How an immediate of the style is written. */
ifl_sass_literal ifl_sass_literal_of(const ifl_sass_style *style, const ifl_sass_instruction *in);
/* The role of values that an element tells; 0: none. */
unsigned ifl_sass_role_of_element(uint64_t element);
/* Has the row the word's form, and its bit 91? */
bool ifl_sass_fits_form(const ifl_sass_row *row, uint16_t architecture, const uint64_t word[2]);
/* Does an element or operand count for the architecture and the word's form? */
bool ifl_sass_is_on(uint64_t element, uint16_t architecture, const uint64_t word[2]);
/* Has a word of its row this operand? */
bool ifl_sass_has_operand(uint64_t operand, uint16_t architecture, const uint64_t word[2]);
/* Is the uniform register of an address added, not a descriptor? */
bool ifl_sass_adds_uniform(const ifl_sass_place *place, const ifl_sass_instruction *in);
const char *ifl_sass_special_text(unsigned number, uint16_t architecture); /* NULL: "SRn" */

#endif
