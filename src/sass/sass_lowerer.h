/* SPDX-License-Identifier: Apache-2.0
 * Lowering machine code: what the files sass_lower*.c share.
 *
 * All instructions of the kernel and of the functions that it can reach stand one after the other,
 * and their index is their site. Registers lie side by side in the frame, so that two or four of
 * them are a wider value. */
#ifndef IFL_SASS_SASS_LOWERER_H
#define IFL_SASS_SASS_LOWERER_H

#include "code/build.h"
#include "code/flow.h"
#include "sass/sass_lower.h"

enum { IFL_SASS_NO_REGISTER = 255, IFL_SASS_PREDICATES = 7 /* and PT */ };

/* Code that is part of the routine. */
typedef struct ifl_sass_part {
    const ifl_object_text *text;
    uint32_t first, count; /* instructions of the routine */
} ifl_sass_part;

/* Words of constant bank 0 before the parameters, placed side by side. */
typedef struct ifl_sass_header {
    uint32_t offset, words, slot;
} ifl_sass_header;

/* Registers as flow analysis numbers them: words first, then predicates. */
enum {
    IFL_SASS_FROM_R0 = 0,
    IFL_SASS_FROM_UR0 = 256,
    IFL_SASS_WORD_REGISTERS = 512,
    IFL_SASS_FROM_P0 = IFL_SASS_WORD_REGISTERS,
    IFL_SASS_FROM_UP0 = 520,
    IFL_SASS_TOUCHED = 528
};

/* Where an operand's registers need not be read: the slot of what they are known to hold; of an
 * address the base's, and the uniform register's. 0: not known. */
typedef struct ifl_sass_known {
    uint32_t slot, uniform;
} ifl_sass_known;

typedef struct ifl_sass_lowerer {
    const ifl_sass_lowering *input;
    ifl_image *image;
    ifl_arena *arena; /* of the image */
    ifl_arena scratch;
    ifl_builder build;
    ifl_sass_part *parts; /* the kernel first */
    size_t part_count;
    const ifl_sass_part *part;
    ifl_sass_instruction *instructions;
    uint32_t count;
    const ifl_sass_instruction *instruction;
    uint32_t index;
    uint32_t registers, uniforms;            /* slots of R0, UR0 */
    uint32_t predicates, uniform_predicates; /* of P0, UP0 */
    uint32_t zeros, sink, barrier_result;
    uint32_t temporary;    /* a pair */
    uint32_t return_place; /* Rpc.LO, behind it Rpc.HI */
    IFL_VEC(ifl_sass_header) headers;
    ifl_flow flow;
    uint32_t *block_start;       /* by block of the flow: its first operation */
    const ifl_sass_known *known; /* by instruction, IFL_SASS_OPERANDS each; NULL: not found yet */
    bool *is_needless;           /* by instruction: a move whose result nobody reads */
    bool uses_local;
    uint8_t copy_boards;        /* scoreboards that groups of copies by lanes set */
    uint8_t bulk_boards;        /* and of bulk copies */
    uint32_t global_operations; /* bit IFL_OPERATION_*: atomics on global memory so far */
    const char *refused;        /* why the instruction at hand has no code; NULL: it has */
    ifl_status status;
    ifl_error *error;
} ifl_sass_lowerer;

typedef void ifl_sass_lower_function(ifl_sass_lowerer *l);

/* The instruction at hand has no code: its operations so far are dropped. The first reason
 * stays. */
void ifl_sass_refuse(ifl_sass_lowerer *l, const char *why);
void *ifl_sass_lower_allocate(ifl_sass_lowerer *l, size_t bytes);

/* ---- operations: under the guard of the instruction at hand ---------------------------------- */

ifl_code *ifl_sass_emit(ifl_sass_lowerer *l, ifl_operation operation);
ifl_code *ifl_sass_emit_row(ifl_sass_lowerer *l, uint32_t row);
ifl_code *ifl_sass_emit_stop(ifl_sass_lowerer *l, ifl_reason reason);
/* A branch to an instruction of the routine. */
void ifl_sass_emit_branch(ifl_sass_lowerer *l, uint32_t target);
/* Under the guard and a further predicate, which counts as the guard does; narrowed, it does
 * not. */
void ifl_sass_narrow(ifl_sass_lowerer *l, uint32_t predicate, uint32_t flip, ifl_code *code);
void ifl_sass_guard_with(ifl_sass_lowerer *l, uint32_t predicate, uint32_t flip, ifl_code *code);

/* For an indexed load of bank 0: the words in front of the parameters that it can mean. Code for
 * sm_100 and later takes 0xa0 x %SR_CgaSize from `offset` for some of them. NULL: no memory. */
const ifl_bank_header *ifl_sass_bank_header(ifl_sass_lowerer *l, uint32_t offset, unsigned words);

/* ---- operands -------------------------------------------------------------------------------- */

const ifl_sass_operand *ifl_sass_lower_operand(const ifl_sass_lowerer *l, ifl_sass_role role);
bool ifl_sass_is(const ifl_sass_lowerer *l, ifl_sass_value_role role, ifl_sass_word word);
/* A slot of so many words, one behind the other. NULL is zero. */
uint32_t ifl_sass_lower_source(ifl_sass_lowerer *l, const ifl_sass_operand *operand,
                               unsigned words);
uint32_t ifl_sass_lower_destination(ifl_sass_lowerer *l, const ifl_sass_operand *operand);
/* What of an operand of the instruction at hand is known. */
ifl_sass_known ifl_sass_known_of(const ifl_sass_lowerer *l, const ifl_sass_operand *operand);
uint32_t ifl_sass_register_slot(const ifl_sass_lowerer *l, unsigned index);
uint32_t ifl_sass_uniform_slot(const ifl_sass_lowerer *l, unsigned index);
/* Of constant banks. */
uint32_t ifl_sass_constant_slot(ifl_sass_lowerer *l, unsigned bank, int64_t offset, unsigned words);
/* Its slot, and in *flip whether it is inverted; NULL: `otherwise`. */
uint32_t ifl_sass_lower_predicate(const ifl_sass_lowerer *l, const ifl_sass_operand *operand,
                                  bool otherwise, uint32_t *flip);
uint32_t ifl_sass_lower_predicate_out(const ifl_sass_lowerer *l, const ifl_sass_operand *operand);
/* PT, or no operand at all. */
bool ifl_sass_is_true(const ifl_sass_operand *operand);
bool ifl_sass_is_uniform(const ifl_sass_lowerer *l);
/* The routine's instruction at a TARGET's offset, UINT32_MAX: none. */
uint32_t ifl_sass_target_of(const ifl_sass_lowerer *l, const ifl_sass_operand *target);

/* ---- what becomes of each instruction -------------------------------------------------------- */

#define INSTRUCTION(op, pipe, latency, sass_class, function, ...)                                  \
    ifl_sass_lower_function ifl_sass_lower_##function;
#include "sass/table/instruction.def"
/* By ifl_sass_op. */
extern ifl_sass_lower_function *const ifl_sass_lower_table[IFL_SASS_OPS];

/* sass_lower_memory.c. An operand's registers and offset, of memory in t->space. */
void ifl_sass_lower_address(ifl_sass_lowerer *l, const ifl_sass_operand *at, ifl_transfer *t);
/* IFL_OPERATION_* of an atomic operation; 0: none that the engine has. */
uint8_t ifl_sass_operation_of(const ifl_sass_lowerer *l);
/* sass_lower_bulk.c. Until at most so many groups of the warp's copies are left, where one of the
 * scoreboards is theirs; not guarded: whatever the instruction's guard says. */
void ifl_sass_lower_wait_for_groups(ifl_sass_lowerer *l, uint8_t boards, uint32_t left,
                                    bool is_guarded);

/* ---- sass_lower_flow.c ----------------------------------------------------------------------- */

/* Decodes the kernel and what it reaches; blocks, and the registers that may be read before they
 * are written. */
bool ifl_sass_lower_decode(ifl_sass_lowerer *l);
bool ifl_sass_lower_find_flow(ifl_sass_lowerer *l);
bool ifl_sass_lower_keep_undefined(ifl_sass_lowerer *l, ifl_routine *routine);

/* May what the instruction at hand writes decide how the loop around it goes on? */
bool ifl_sass_flow_decides(ifl_sass_lowerer *l);
/* Do all jumps lead where the code itself says? */
bool ifl_sass_flow_is_known(const ifl_sass_lowerer *l);
/* The registers that an instruction reads, but for those whose values are known, and writes. */
void ifl_sass_touch(const ifl_sass_lowerer *l, uint32_t index, ifl_flow_see *see, void *to);

/* ---- sass_lower_known.c ---------------------------------------------------------------------- */

/* Its operands name all registers that it touches. Others may touch any: what they leave is not
 * known, and all that they find may be wanted. */
bool ifl_sass_names_all(const ifl_sass_instruction *instruction);
/* Fills l->known and l->is_needless. */
bool ifl_sass_lower_find_known(ifl_sass_lowerer *l);

/* ---- sass_lower_foresee.c -------------------------------------------------------------------- */

/* Fills demands.foreseeable; before values are known, as those are left out of what is read. */
bool ifl_sass_lower_foresee(ifl_sass_lowerer *l);

/* ---- sass_lower_site.c ----------------------------------------------------------------------- */

/* It brings lines of memory, not of code or of constants, into a cache. */
bool ifl_sass_is_prefetch(const ifl_sass_instruction *instruction);
bool ifl_sass_is_forgetting(const ifl_sass_instruction *instruction);
bool ifl_sass_lower_add_sites(ifl_sass_lowerer *l);

#endif
