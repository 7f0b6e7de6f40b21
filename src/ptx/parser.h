/* SPDX-License-Identifier: Apache-2.0
 * The reader's state and what its files do for each other. The program is built as the text is
 * read; what needs a later part of the text (labels, functions, files, names in debug data) is
 * noted and settled in link.c.
 *
 * Functions that return bool return false when they failed: parser->status and parser->message
 * then say why. */
#ifndef IFL_PTX_PARSER_H
#define IFL_PTX_PARSER_H

#include "ptx/expression.h"
#include "ptx/lex.h"
#include "ptx/mnemonic.h"
#include "ptx/names.h"
#include "ptx/program.h"

#include "base/vec.h"

/* What a text may ask for. Far more than compilers write, little enough for any machine. */
enum {
    IFL_PTX_MAX_REGISTERS = 1 << 20, /* a function's */
    IFL_PTX_MAX_SCOPES = 64,
    IFL_PTX_MAX_DIMENSIONS = 8,
    IFL_PTX_MAX_ALIGN = 1 << 20,
    IFL_PTX_MAX_VECTOR = 128,  /* the sums of a warp group's product */
    IFL_PTX_MAX_OPERANDS = 10, /* of an instruction, a list counting as one */
    IFL_PTX_MAX_LIST =
        8192, /* parameters of a function, arguments of a call, targets of a branch */
    IFL_PTX_MAX_FRAME = 1 << 24, /* bytes of a function's parameters, bytes of a thread's frame */
    IFL_PTX_MAX_DATA = 1 << 28   /* bytes of all initialisers */
};
#define IFL_PTX_MAX_VARIABLE (UINT64_C(1) << 40)

/* ---- what names mean ------------------------------------------------------------------------- */

typedef enum ifl_ptx_meaning {
    IFL_PTX_NOTHING,
    IFL_PTX_REGISTER,     /* index: of the function's registers */
    IFL_PTX_RANGE,        /* "%r" of %r<12>; index: into ranges */
    IFL_PTX_VARIABLE,     /* index: into the program's variables */
    IFL_PTX_FUNCTION,     /* index: into the program's functions */
    IFL_PTX_LABEL,        /* index: an instruction */
    IFL_PTX_SPECIAL,      /* index: ifl_special; of a dotted one, its .x */
    IFL_PTX_PROTOTYPE,    /* index: into prototypes */
    IFL_PTX_CALL_TARGETS, /* index: into lists */
    IFL_PTX_BRANCH_TARGETS,
    IFL_PTX_OPAQUE /* declared, but of a kind that is not supported */
} ifl_ptx_meaning;

typedef struct ifl_ptx_binding {
    uint32_t name;
    uint32_t outer; /* the binding that this one hides */
    uint32_t index;
    uint16_t meaning; /* ifl_ptx_meaning */
    uint16_t depth;   /* of the scope: 0 the module */
} ifl_ptx_binding;

typedef struct ifl_ptx_range {
    uint32_t count;
    uint16_t bits;
} ifl_ptx_range;

/* ---- what is settled later ------------------------------------------------------------------ */

/* An operand that names something which stands further down. */
typedef struct ifl_ptx_pending {
    uint32_t name;
    uint32_t operand;
    uint32_t instruction;
    const char *at; /* in the text */
} ifl_ptx_pending;

typedef struct ifl_ptx_pending_word { /* a relocation of a variable's initialiser */
    uint32_t name;
    uint32_t variable;
    const char *at;
    ifl_relocation relocation;
} ifl_ptx_pending_word;

typedef struct ifl_ptx_pending_text { /* the name of the function that a place was inlined from */
    uint32_t name;
    uint32_t place;
    uint64_t offset;
} ifl_ptx_pending_text;

/* A call whose arguments are to be checked; `prototype` UINT32_MAX: that of the function called. */
typedef struct ifl_ptx_call {
    uint32_t instruction;
    uint32_t prototype;
    const char *at;
} ifl_ptx_call;

/* The sizes of returns, then of parameters: sizes[first ..]. */
typedef struct ifl_ptx_prototype {
    uint32_t first;
    uint32_t return_count;
    uint32_t param_count;
} ifl_ptx_prototype;

/* Names of a .calltargets or .branchtargets list: list_names[first ..]. */
typedef struct ifl_ptx_list {
    uint32_t first;
    uint32_t count;
    const char *at;
} ifl_ptx_list;

/* ---- an operand as written, before the signature gives it a meaning ------------------------- */

typedef struct ifl_ptx_written_part {
    ifl_operand operand;
    ifl_ptx_value value; /* of an IMMEDIATE */
    /* Of what is not known yet (the kind is then NONE) and of a list; of MEMORY its variable. */
    uint32_t name;
    const char *at;
} ifl_ptx_written_part;

typedef struct ifl_ptx_written {
    enum { IFL_PTX_PLAIN, IFL_PTX_BOTH, IFL_PTX_VECTOR } shape; /* a, a|b, {a, b} */
    uint32_t count;
    ifl_ptx_written_part part[IFL_PTX_MAX_VECTOR];
} ifl_ptx_written;

/* ---- the parser ----------------------------------------------------------------------------- */

typedef struct ifl_ptx_parser {
    ifl_program *program;
    ifl_ptx_lexer lexer;

    ifl_status status;
    const char *fault; /* where in the text; NULL: nowhere */
    char message[512];

    ifl_ptx_names names;
    IFL_VEC(ifl_ptx_binding) bindings; /* [0] is unused */
    uint16_t depth;
    IFL_VEC(ifl_ptx_range) ranges;
    ifl_ptx_map members; /* (range, number) -> register, made at its first use */

    IFL_VEC(ifl_instruction) instructions;
    IFL_VEC(ifl_operand) operands;
    IFL_VEC(ifl_variable) variables;
    IFL_VEC(ifl_function) functions;
    IFL_VEC(uint32_t) aliases;     /* by function: what it stands for; only functions below count */
    IFL_VEC(uint32_t) definitions; /* functions with a body, as they came */
    IFL_VEC(const char *) unsupported;

    IFL_VEC(ifl_ptx_pending) labels; /* those of open scopes */
    IFL_VEC(ifl_ptx_pending) symbols;
    IFL_VEC(ifl_ptx_pending_word) words;
    IFL_VEC(ifl_ptx_pending_text) texts;
    IFL_VEC(ifl_ptx_call) calls;
    IFL_VEC(ifl_ptx_prototype) prototypes;
    IFL_VEC(uint64_t) sizes;
    IFL_VEC(ifl_ptx_list) lists;
    IFL_VEC(uint32_t) list_names;

    /* debug data */
    IFL_VEC(ifl_source) places;
    IFL_VEC(const char *) files;
    ifl_ptx_map file_of;      /* the text's number + 1 -> files */
    ifl_ptx_map place_of;     /* file, line and column -> the latest place there */
    IFL_VEC(char) debug_text; /* .debug_str; a name's value is 1 + its place in it */
    uint32_t place;           /* of the instructions that follow */
    uint32_t first_place;     /* of this function */

    /* the function that is being read */
    int32_t function; /* -1: between functions */
    IFL_VEC(ifl_register) registers;
    uint64_t frame;    /* bytes of PARAM variables of the open scopes */
    uint32_t label_at; /* the instruction that the last label stands before */

    ifl_ptx_map mnemonic_of; /* name -> mnemonics */
    ifl_ptx_map missing_of;  /* name of a message -> unsupported */
    IFL_VEC(ifl_ptx_mnemonic) mnemonics;
    bool in_address; /* of a tensor or texture: its coordinates come */
    bool is_video;   /* registers may have parts and minus signs */
    bool is_texture; /* they may be one without braces, and a sampler may come before them */
    bool has_sampler;
    ifl_ptx_written written[IFL_PTX_MAX_OPERANDS];
    uint32_t written_count;
    uint64_t data_bytes; /* of all initialisers so far */
} ifl_ptx_parser;

/* ---- parser.c: errors and tokens ------------------------------------------------------------ */

bool ifl_ptx_fail(ifl_ptx_parser *parser, const char *at, const char *format, ...) IFL_PRINTF(3, 4);
bool ifl_ptx_miss(ifl_ptx_parser *parser, const char *at, const char *format, ...) IFL_PRINTF(3, 4);
bool ifl_ptx_no_memory(ifl_ptx_parser *parser);
/* The token is not what must stand here. */
bool ifl_ptx_unexpected(ifl_ptx_parser *parser, const char *expected);

void ifl_ptx_next(ifl_ptx_parser *parser);
bool ifl_ptx_is(const ifl_ptx_parser *parser, int punct);
bool ifl_ptx_is_kind(const ifl_ptx_parser *parser, ifl_ptx_kind kind);
bool ifl_ptx_is_text(const ifl_ptx_parser *parser, ifl_ptx_kind kind, const char *text);
bool ifl_ptx_accept(ifl_ptx_parser *parser, int punct);
/* `where` completes "expected ';' ...", for instance "after the operands". */
bool ifl_ptx_expect(ifl_ptx_parser *parser, int punct, const char *where);
/* Takes a WORD and gives the number of its name. */
bool ifl_ptx_take_name(ifl_ptx_parser *parser, const char *expected, uint32_t *name);
/* Takes a constant expression that is an integer in [0, most]. */
bool ifl_ptx_take_count(ifl_ptx_parser *parser, uint64_t most, const char *what, uint64_t *value);
/* Takes a (...) with all that is in it. */
bool ifl_ptx_skip_group(ifl_ptx_parser *parser);
/* Takes everything up to and with the next ';' outside of braces. */
bool ifl_ptx_skip_statement(ifl_ptx_parser *parser);
const char *ifl_ptx_text_of(const ifl_ptx_parser *parser, uint32_t name);

/* ---- scope.c -------------------------------------------------------------------------------- */

bool ifl_ptx_bind(ifl_ptx_parser *parser, uint32_t name, ifl_ptx_meaning meaning, uint32_t index,
                  const char *at);
/* The binding of a name, or NULL. */
const ifl_ptx_binding *ifl_ptx_find(const ifl_ptx_parser *parser, uint32_t name);
bool ifl_ptx_bind_specials(ifl_ptx_parser *parser);
/* The register with this name; *found false when there is none. Makes the members of ranges as
 * they are used. */
bool ifl_ptx_find_register(ifl_ptx_parser *parser, uint32_t name, bool *found, uint32_t *index);
bool ifl_ptx_add_register(ifl_ptx_parser *parser, const char *text, unsigned bits, const char *at,
                          uint32_t *index);

typedef struct ifl_ptx_scope {
    size_t bindings, labels;
    uint64_t frame;
} ifl_ptx_scope;

bool ifl_ptx_open_scope(ifl_ptx_parser *parser, ifl_ptx_scope *scope);
/* Settles the labels that the scope defines. */
void ifl_ptx_close_scope(ifl_ptx_parser *parser, const ifl_ptx_scope *scope);

/* ---- variable.c, initializer.c: declarations ------------------------------------------------ */

/* At the state space of `.global .align 4 .u32 x[3] = {1, 2, 3}, y;`: takes all of it. */
bool ifl_ptx_declare(ifl_ptx_parser *parser, bool is_extern);
/* At `.param`: takes one parameter of a header or prototype, without placing it. */
bool ifl_ptx_take_param(ifl_ptx_parser *parser, ifl_variable *out, uint32_t *name);
bool ifl_ptx_take_registers(ifl_ptx_parser *parser);
/* Places a variable of `bytes` at the end of a block of *used bytes. */
bool ifl_ptx_place(ifl_ptx_parser *parser, ifl_variable *variable, uint64_t *used, const char *at);

typedef struct ifl_ptx_shape {
    uint64_t dimension[IFL_PTX_MAX_DIMENSIONS];
    unsigned count;
    bool is_open; /* the first dimension is [] */
    unsigned element_bytes;
    unsigned vector; /* elements side by side; 1 for a scalar */
} ifl_ptx_shape;

/* At the value after '='. Sets bytes and data of the variable, which has the index `variable`. */
bool ifl_ptx_take_initializer(ifl_ptx_parser *parser, const ifl_ptx_shape *shape, uint32_t index,
                              ifl_variable *variable);

/* ---- function.c, body.c --------------------------------------------------------------------- */

/* At .entry or .func: a definition, or a declaration of what is defined elsewhere. */
bool ifl_ptx_take_function(ifl_ptx_parser *parser);
/* At .callprototype, .calltargets or .branchtargets, behind its name. */
bool ifl_ptx_take_targets(ifl_ptx_parser *parser, uint32_t name, const char *at);
/* At the '{' of a function. */
bool ifl_ptx_take_body(ifl_ptx_parser *parser);

/* ---- instruction.c, operand.c, call.c ------------------------------------------------------- */

/* At a guard or a mnemonic: takes one instruction with its ';'. */
bool ifl_ptx_take_instruction(ifl_ptx_parser *parser);
/* Adds an instruction that only returns, at the line of the token. */
bool ifl_ptx_add_return(ifl_ptx_parser *parser);
bool ifl_ptx_is_video(ifl_opcode opcode);
bool ifl_ptx_take_operand(ifl_ptx_parser *parser, ifl_ptx_written *out);
bool ifl_ptx_take_part(ifl_ptx_parser *parser, ifl_ptx_written_part *out);
/* Puts the written operands into the program as the signature wants them. */
bool ifl_ptx_match(ifl_ptx_parser *parser, const ifl_instruction *instruction);
bool ifl_ptx_take_call(ifl_ptx_parser *parser, ifl_instruction *instruction);
bool ifl_ptx_add_operand(ifl_ptx_parser *parser, ifl_operand operand);
/* Adds an operand that names something further down. */
bool ifl_ptx_add_symbol(ifl_ptx_parser *parser, const ifl_ptx_written_part *part);
/* May the variable be reached through an instruction that names `space`? */
bool ifl_ptx_check_space(ifl_ptx_parser *parser, const ifl_variable *variable, ifl_space space,
                         const char *at);

/* ---- debug.c: .file, .loc, .section --------------------------------------------------------- */

bool ifl_ptx_take_file(ifl_ptx_parser *parser);
bool ifl_ptx_take_loc(ifl_ptx_parser *parser);
bool ifl_ptx_take_section(ifl_ptx_parser *parser);
bool ifl_ptx_settle_places(ifl_ptx_parser *parser);

/* ---- link.c --------------------------------------------------------------------------------- */

/* Settles what is pending, lays out shared memory and moves everything into the program. */
bool ifl_ptx_link(ifl_ptx_parser *parser);

#endif
