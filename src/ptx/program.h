/* SPDX-License-Identifier: Apache-2.0
 * A PTX text as data: instructions, variables, functions. It is lowered to code (lower.h) before it
 * runs.
 *
 * One arena owns everything; a program never changes once it is built. All indexes are into the
 * arrays of the program unless their comment says otherwise. */
#ifndef IFL_PTX_PROGRAM_H
#define IFL_PTX_PROGRAM_H

#include "base/arena.h"
#include "base/error.h"
#include "code/modifiers.h"
#include "code/site.h"

#include <stdio.h>

typedef enum ifl_opcode {
    IFL_OP_NONE,
#define OPCODE(name, text, fields, signature, doc) IFL_OP_##name,
#include "ptx/opcode.def"
    IFL_OP_COUNT
} ifl_opcode;

/* The fields that an opcode's row allows (third column of opcode.def), one bit each. */
#define IFL_FIELD_rounding (UINT64_C(1) << 0)
#define IFL_FIELD_compare (UINT64_C(1) << 1)
#define IFL_FIELD_combine (UINT64_C(1) << 2)
#define IFL_FIELD_operation (UINT64_C(1) << 3)
#define IFL_FIELD_mode (UINT64_C(1) << 4)
#define IFL_FIELD_wrap (UINT64_C(1) << 5)
#define IFL_FIELD_half (UINT64_C(1) << 6)
#define IFL_FIELD_order (UINT64_C(1) << 7)
#define IFL_FIELD_scope (UINT64_C(1) << 8)
#define IFL_FIELD_cache (UINT64_C(1) << 9)
#define IFL_FIELD_vector (UINT64_C(1) << 10)
#define IFL_FIELD_level (UINT64_C(1) << 11)
#define IFL_FIELD_eviction (UINT64_C(1) << 12)
#define IFL_FIELD_eviction2 (UINT64_C(1) << 13)
#define IFL_FIELD_prefetch (UINT64_C(1) << 14)
#define IFL_FIELD_FLAG (UINT64_C(1) << 15)
#define IFL_FIELD_space (UINT64_C(1) << 16)
#define IFL_FIELD_shape (UINT64_C(1) << 17)
#define IFL_FIELD_layout (UINT64_C(1) << 18)
#define IFL_FIELD_layout2 (UINT64_C(1) << 19)
#define IFL_FIELD_matrices (UINT64_C(1) << 20)
#define IFL_FIELD_group (UINT64_C(1) << 21)
#define IFL_FIELD_part (UINT64_C(1) << 22)
#define IFL_FIELD_repeat (UINT64_C(1) << 23)
#define IFL_FIELD_pack (UINT64_C(1) << 24)
#define IFL_FIELD_kind (UINT64_C(1) << 25)
#define IFL_FIELD_scaling (UINT64_C(1) << 26)
#define IFL_FIELD_scales (UINT64_C(1) << 27)
#define IFL_FIELD_collector (UINT64_C(1) << 28)
#define IFL_FIELD_format (UINT64_C(1) << 29)
#define IFL_FIELD_geometry (UINT64_C(1) << 30)
#define IFL_FIELD_detail (UINT64_C(1) << 31)
#define IFL_FIELD_channels (UINT64_C(1) << 32)
#define IFL_FIELD_component (UINT64_C(1) << 33)
#define IFL_FIELD_outside (UINT64_C(1) << 34)
#define IFL_FIELD_query (UINT64_C(1) << 35)
#define IFL_FIELD_increment (UINT64_C(1) << 36)
#define IFL_FIELD_object (UINT64_C(1) << 37)
#define IFL_FIELD_region (UINT64_C(1) << 38)
#define IFL_FIELD_receivers (UINT64_C(1) << 39)
#define IFL_FIELD_scale_type (UINT64_C(1) << 40)

/* ---- operands -------------------------------------------------------------------------------- */

typedef enum ifl_operand_kind {
    IFL_OPERAND_NONE,      /* an optional operand left out, or the sink "_" */
    IFL_OPERAND_REGISTER,  /* index: into the function's registers */
    IFL_OPERAND_IMMEDIATE, /* value: the bits, in the width of the instruction's type */
    IFL_OPERAND_SPECIAL,   /* index: ifl_special */
    IFL_OPERAND_VARIABLE, /* the address of variable `index`, plus value (in its own state space) */
    IFL_OPERAND_FUNCTION, /* the address of function `index` */
    IFL_OPERAND_MEMORY,   /* [base + value]; base: see ifl_operand.base */
    IFL_OPERAND_LABEL,    /* value: an instruction, counted from the first of the program */
    IFL_OPERAND_VECTOR    /* index: how many operands follow that belong together: {a,b}, (a,b) */
} ifl_operand_kind;

/* Which parts of a register are meant: .b3210, .h1. */
enum { IFL_SELECTS_COUNT = 7, IFL_SELECTS_BYTES = 1 << 3, IFL_SELECTS_HALVES = 1 << 4 };

typedef struct ifl_operand {
    uint8_t kind; /* ifl_operand_kind */
    uint8_t
        /* of MEMORY: kind of the base: REGISTER, VARIABLE, or IMMEDIATE (an absolute address) */
        base;
    bool negated;    /* !p, or -r where an instruction allows it */
    uint8_t element; /* of a video instruction's register: IFL_SELECTS_*; 0: the whole */
    uint32_t index;
    int64_t value; /* of a register with parts: their numbers, four bits each, the last first */
} ifl_operand;

/* ---- instructions ---------------------------------------------------------------------------- */

enum { IFL_MAX_TYPES = 4, IFL_NO_GUARD = -1 };

/* An instruction's operands stand in `operands` from `first_operand` on, in the order of the
 * signature in opcode.def: every slot of the signature is there, NONE where an optional one was
 * left out. */
typedef struct ifl_instruction {
    uint16_t opcode; /* ifl_opcode */
    uint8_t type[IFL_MAX_TYPES];
    uint8_t type_count;
    bool guard_negated;
    uint16_t operand_count;
    int32_t guard; /* register of the function, or IFL_NO_GUARD */
    uint32_t first_operand;
    uint32_t place; /* into places; 0 is "unknown" */
    uint32_t line;  /* in the text that was read, from 1; 0 when there is none */
    uint32_t column;
    ifl_modifiers modifiers;
} ifl_instruction;

/* ---- variables, functions -------------------------------------------------------------------- */

/* A word of an initialiser that is an address: `bytes` (8 or 4, or 1 for a byte of it, taken with
 * mask()) at `offset` hold the address of `index` plus `addend`, shifted right by `shift`. */
typedef struct ifl_relocation {
    uint64_t offset;
    int64_t addend;
    uint32_t index;
    bool is_function;
    bool generic; /* generic(symbol) */
    uint8_t bytes;
    uint8_t shift;
} ifl_relocation;

typedef struct ifl_variable {
    const char *name;
    uint8_t space;  /* ifl_space: GLOBAL, CONST, SHARED, LOCAL, PARAM */
    uint8_t type;   /* ifl_type of an element */
    bool is_extern; /* defined elsewhere; .extern .shared x[] is the dynamic shared memory */
    bool is_managed;
    uint32_t align;
    uint64_t bytes; /* 0: unsized */
    uint64_t
        offset; /* where it stands in its block: kernel parameters, a function's frame (PARAM, LOCAL), the
                             block's static shared memory (SHARED; dynamic: the end of the static part); 0 for GLOBAL
                             and CONST, which the loader places */
    int32_t function;    /* the function that declares it, or -1 */
    const uint8_t *data; /* the initialiser, `bytes` long, or NULL: zeros */
    const ifl_relocation *relocations;
    size_t relocation_count;
} ifl_variable;

typedef struct ifl_register {
    const char *name;
    uint16_t bits; /* 1 (predicate), 16, 32, 64, 128; 8-bit registers are kept in 16 */
} ifl_register;

typedef struct ifl_function {
    const char *name;
    bool is_kernel;
    bool is_extern;        /* declared only */
    uint32_t first, count; /* instructions */
    const ifl_register *registers;
    uint32_t register_count;
    const uint32_t *params; /* variables (PARAM), in order; for a .func they stand in the frame */
    uint32_t param_count;
    const uint32_t *returns;
    uint32_t return_count;
    uint64_t param_bytes; /* of a kernel: its parameter block */
    uint64_t
        /* of PARAM variables declared in the body, and of a .func's own: bytes a thread */
        frame_bytes;
    uint64_t local_bytes;    /* of LOCAL variables: bytes a thread */
    uint64_t shared_bytes;   /* of SHARED variables that it declares */
    uint32_t max_threads[3]; /* .maxntid; 0: not given */
    uint32_t required_threads[3];
    uint32_t min_blocks;
    uint32_t cluster[3];         /* .reqnctapercluster; 0: not given */
    uint32_t max_cluster_blocks; /* .maxclusterrank; 0: not given */
    uint32_t needs_cluster;      /* 1: .explicitcluster */
    uint32_t line;
} ifl_function;

typedef struct ifl_program {
    ifl_arena arena;
    const char *file; /* the name errors use */
    const char *text; /* the text that was read, NUL-terminated */
    size_t text_bytes;
    uint32_t version; /* PTX version, major * 10 + minor */
    uint32_t sm;      /* .target: 90 for sm_90a */
    bool maps_f64;    /* .target map_f64_to_f32 */
    char target[16];
    bool is_debug; /* .target has `debug`: nvcc -G */
    ifl_instruction *instructions;
    size_t instruction_count;
    ifl_operand *operands;
    size_t operand_count;
    ifl_source *places;
    size_t place_count;
    const char **files; /* files[0] is "" */
    size_t file_count;
    ifl_variable *variables;
    size_t variable_count;
    ifl_function *functions;
    size_t function_count;
    const uint32_t *code_order; /* functions with instructions, ascending by `first` */
    size_t code_count;
    const char *
        *unsupported; /* what is missing for each IFL_OP_UNSUPPORTED: the value of its operand */
    size_t unsupported_count;
    uint64_t
        shared_bytes; /* static shared memory: of the module, of functions, and of the kernel that has most; the
                              variables of each kernel start at the same offset */
} ifl_program;

void ifl_program_free(ifl_program *program);

/* ---- the tables as functions ----------------------------------------------------------------- */

typedef struct ifl_opcode_info {
    const char *name;      /* "add", "cp.async.commit_group" */
    uint64_t fields;       /* IFL_FIELD_* */
    const char *signature; /* opcode.def says how to read it */
    const char *doc;
} ifl_opcode_info;

const ifl_opcode_info *ifl_opcode_get(ifl_opcode opcode);

/* The function that holds an instruction, NULL past the end. */
const ifl_function *ifl_program_function_of(const ifl_program *program, size_t instruction);
/* What is missing for an IFL_OP_UNSUPPORTED instruction, as a sentence; NULL for every other
 * instruction. */
const char *ifl_instruction_unsupported(const ifl_program *program,
                                        const ifl_instruction *instruction);
/* Finds where an instruction stands in the text read, for ifl_fail_at. */
ifl_place ifl_program_place(const ifl_program *program, const ifl_instruction *instruction);

/* Writes an instruction's opcode with all its modifiers as PTX spells them: "ld.global.nc.v4.f32".
 * At most `size` bytes with the NUL; returns `to`. */
char *ifl_instruction_name(const ifl_instruction *instruction, char *to, size_t size);
/* Writes the program as text, one instruction a line with its index, place and operands; `function`
 * -1: all. */
void ifl_program_print(const ifl_program *program, int function, FILE *out);

#endif
