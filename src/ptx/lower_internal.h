/* SPDX-License-Identifier: Apache-2.0
 * Lowering one function: what the files lower*.c share. */
#ifndef IFL_PTX_LOWER_INTERNAL_H
#define IFL_PTX_LOWER_INTERNAL_H

#include "code/build.h"
#include "ptx/lower.h"
#include "ptx/row.h"
#include "ptx/shape.h"

typedef struct ifl_lowerer {
    const ifl_ptx_lowering *input;
    ifl_image *image;
    ifl_arena *arena;
    const ifl_function *function;
    ifl_ptx_part part;   /* the function */
    uint32_t first_site; /* of the function's first instruction */
    const ifl_instruction *instruction;
    ifl_operand_slots slots;
    ifl_flow flow;
    uint32_t *slot_of;        /* by register: byte offset in the frame */
    uint32_t temporaries[32]; /* slots of 512 bytes, 0: not made yet */
    unsigned temporaries_used;
    uint32_t *block_start;           /* by block of the flow: index into code */
    bool *is_join;                   /* by block of the flow */
    IFL_VEC(ifl_site) sites;         /* of all functions so far */
    IFL_VEC(ifl_block_range) blocks; /* likewise */
    ifl_builder build;               /* of the function */
    bool *is_needed;                 /* by function of the program: can be called */
    bool *is_noted;                  /* by variable of the program: the kernel names it */
    bool *is_read;                   /* by register of the function: something reads it */
    uint32_t *writes;                /* by register: instructions that write it */
    bool *is_undefined;              /* by register: may be read before it is written */
    bool *varies;   /* by register: may differ between the lanes of a warp; NULL: not asked yet */
    bool *is_alias; /* by register: its slot is that of what was moved into it; see lower_alias.c */
    bool calls_indirectly, uses_stack;
    uint32_t global_operations; /* bit IFL_OPERATION_*: atomics on global memory so far */
    ifl_error *error;
    ifl_status status; /* the first failure */
} ifl_lowerer;

typedef void ifl_lower_function(ifl_lowerer *l);

/* Fails with the place of the current instruction; the first failure stays. */
void ifl_lower_fail(ifl_lowerer *l, ifl_status status, const char *format, ...) IFL_PRINTF(3, 4);
/* "NAME is not supported: WHY", with the instruction's full name. */
void ifl_lower_unsupported(ifl_lowerer *l, const char *why);

/* A lowered instruction with the current guard; NULL after a failure. Valid until the next one is
 * added. */
ifl_code *ifl_lower_emit(ifl_lowerer *l, ifl_operation operation);
ifl_code *ifl_lower_emit_row(ifl_lowerer *l, const ifl_ptx_row *row);
ifl_code *ifl_lower_emit_stop(ifl_lowerer *l, ifl_reason reason);

/* A destination that nobody wants: left out, or "_". */
bool ifl_lower_is_sink(const ifl_operand *operand);

/* A slot with these bits in every lane. */
uint32_t ifl_lower_constant(ifl_lowerer *l, uint64_t value, unsigned bits);
/* A slot for use within one instruction; any width. */
uint32_t ifl_lower_temporary(ifl_lowerer *l);
unsigned ifl_lower_register_bits(const ifl_lowerer *l, const ifl_operand *operand);
/* A slot of `bits` bits a lane that holds a source operand, extended by sign when `is_signed`. */
uint32_t ifl_lower_source(ifl_lowerer *l, const ifl_operand *operand, unsigned bits,
                          bool is_signed);
/* Where a result of `bits` bits a lane goes; ifl_lower_finish then brings it into the register. */
uint32_t ifl_lower_destination(ifl_lowerer *l, const ifl_operand *operand, unsigned bits);
void ifl_lower_finish(ifl_lowerer *l, const ifl_operand *operand, uint32_t slot, unsigned bits,
                      bool is_signed);
void ifl_lower_resize(ifl_lowerer *l, uint32_t from, unsigned from_bits, uint32_t to,
                      unsigned to_bits, bool is_signed, unsigned shift);
/* A predicate operand: its place, and in *flip whether it is negated. */
uint32_t ifl_lower_predicate(ifl_lowerer *l, const ifl_operand *operand, uint32_t *flip);
uint32_t ifl_lower_predicate_destination(ifl_lowerer *l, const ifl_operand *operand);
/* The operand's slot is there and not left out. */
bool ifl_lower_has(const ifl_lowerer *l, unsigned slot);
/* Zeroed, of the image's arena; sets the failure and gives NULL without memory. */
void *ifl_lower_allocate(ifl_lowerer *l, size_t bytes);
/* A slot with the address of a MEMORY operand in its own space (64 bits). */
uint32_t ifl_lower_address(ifl_lowerer *l, const ifl_operand *memory, uint8_t space);

/* The sites of the function's instructions; false without memory. */
bool ifl_lower_add_sites(ifl_lowerer *l);
uint32_t ifl_lower_site(const ifl_lowerer *l, const ifl_instruction *instruction);

/* A slot with the generic address of the kernel's parameters, plus an offset. */
uint32_t ifl_lower_parameter_address(ifl_lowerer *l, uint64_t offset);
/* The kernel names a variable: shared memory then reaches up to it. */
void ifl_lower_note_variable(ifl_lowerer *l, const ifl_variable *variable);
/* Is it a parameter of the kernel that is being lowered? `variable` may be NULL. */
bool ifl_lower_is_kernel_parameter(const ifl_lowerer *l, const ifl_variable *variable);

/* Gives registers that only name another value that value's slot. */
void ifl_lower_find_aliases(ifl_lowerer *l);
/* Is the current instruction a move whose destination names its source? Nothing is left to do for
 * it. */
bool ifl_lower_is_alias(const ifl_lowerer *l);
/* A variable's address in shared memory, 32 or 64 bits; with the block's rank where the kernel's
 * addresses have ranks. */
uint32_t ifl_lower_shared_address(ifl_lowerer *l, uint64_t offset, unsigned bits);
/* The space that the current instruction's first one means: CLUSTER for shared::cluster. */
uint8_t ifl_lower_space(const ifl_lowerer *l);
/* The slot of a special register that does not change while a block runs. */
uint32_t ifl_lower_special(ifl_lowerer *l, ifl_special special);
/* A slot of `bits` bits with a kernel parameter, or 0 where MEMORY is none, or wider than 64
 * bits. */
uint32_t ifl_lower_parameter(ifl_lowerer *l, const ifl_operand *memory, unsigned bytes,
                             bool is_signed, unsigned bits);

/* What lowers each opcode that is not a matter of rows; NULL: rows. */
extern ifl_lower_function *const ifl_lower_table[IFL_OP_COUNT];
void ifl_lower_by_row(ifl_lowerer *l);

/* lower_memory.c */
ifl_lower_function ifl_lower_load, ifl_lower_store, ifl_lower_multicast_load, ifl_lower_atomic,
    ifl_lower_cvta, ifl_lower_isspacep, ifl_lower_prefetch, ifl_lower_cp_async,
    ifl_lower_cp_async_commit, ifl_lower_cp_async_wait, ifl_lower_policy, ifl_lower_mapa,
    ifl_lower_getctarank, ifl_lower_alloca, ifl_lower_stacksave, ifl_lower_stackrestore;
/* Of the copies that cp.async has issued, all. */
void ifl_lower_emit_copies_wait(ifl_lowerer *l);
/* lower_control.c */
ifl_lower_function ifl_lower_bra, ifl_lower_brx, ifl_lower_call, ifl_lower_ret, ifl_lower_exit,
    ifl_lower_trap, ifl_lower_barrier, ifl_lower_cluster_barrier, ifl_lower_warp_op,
    ifl_lower_nothing, ifl_lower_fence, ifl_lower_nanosleep;
/* lower_bulk.c */
ifl_lower_function ifl_lower_cp_async_bulk, ifl_lower_masked_bulk, ifl_lower_cp_reduce_bulk,
    ifl_lower_async_value, ifl_lower_box_load, ifl_lower_box_store, ifl_lower_image_load,
    ifl_lower_bulk_commit, ifl_lower_bulk_wait, ifl_lower_mbarrier_init, ifl_lower_mbarrier_inval,
    ifl_lower_mbarrier_arrive, ifl_lower_mbarrier_bytes, ifl_lower_mbarrier_of_copies,
    ifl_lower_mbarrier_wait, ifl_lower_mbarrier_pending, ifl_lower_shared_fill;
/* lower_next_block.c */
ifl_lower_function ifl_lower_next_block, ifl_lower_answer;
/* lower_map.c */
ifl_lower_function ifl_lower_map_field, ifl_lower_map_copy;
/* lower_matrix.c. PTX runs as on the GPU that its results are held against, an H200. */
enum { IFL_LOWER_PTX_SM = 90 };
ifl_lower_function ifl_lower_matrix_move, ifl_lower_matrix_transpose, ifl_lower_matrix_product,
    ifl_lower_group_product, ifl_lower_group_product_wait;
/* An ifl_matrix_type of an ifl_type; IFL_MATRIX_NONE: matrices have no such elements. */
uint8_t ifl_lower_matrix_type(uint8_t type);
/* Scales of a line with .block_scale; 255: none that the kind has. */
uint8_t ifl_lower_matrix_scales(const ifl_modifiers *modifiers);
/* lower_wmma.c */
ifl_lower_function ifl_lower_wmma_load, ifl_lower_wmma_store, ifl_lower_wmma_mma;
/* lower_tensor.c */
ifl_lower_function ifl_lower_tensor_alloc, ifl_lower_tensor_move, ifl_lower_tensor_wait,
    ifl_lower_tensor_product, ifl_lower_tensor_copy, ifl_lower_tensor_shift,
    ifl_lower_tensor_commit;
/* lower_video.c */
ifl_lower_function ifl_lower_video;
/* lower_texture.c */
ifl_lower_function ifl_lower_texture, ifl_lower_texture_query, ifl_lower_surface;

#endif
