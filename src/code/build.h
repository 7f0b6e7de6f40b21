/* SPDX-License-Identifier: Apache-2.0
 * Building the code of one routine: operations, and the slots of its frame with what stands in them
 * from the start. PTX and machine code are both lowered with it. */
#ifndef IFL_CODE_BUILD_H
#define IFL_CODE_BUILD_H

#include "base/vec.h"
#include "code/code.h"

/* Predicates that every frame has: all ones, one that nobody reads, and two for use within one
 * instruction. */
enum {
    IFL_PREDICATE_TRUE = 0,
    IFL_PREDICATE_SINK = 4,
    IFL_PREDICATE_CARRY = 8,
    IFL_PREDICATE_TEMPORARY = 12,
    IFL_FIRST_PREDICATE = 16
};

enum {
    IFL_SLOT_ALIGNMENT = 64,
    IFL_PLANE_BYTES = 4 * IFL_WARP_LANES /* a slot of 32 bits a lane */
};

enum { IFL_CONSTANT_BUCKET_BITS = 10 };

/* A zeroed one is empty; frame_bytes is set to the end of the predicates before the first slot. */
typedef struct ifl_builder {
    ifl_arena *arena; /* of the image */
    uint64_t frame_bytes;
    IFL_VEC(ifl_code) code;
    IFL_VEC(ifl_constant) constants;
    uint32_t newest
        [1 << IFL_CONSTANT_BUCKET_BITS]; /* by bucket: the number of a constant plus 1, 0: none */
    IFL_VEC(uint32_t) older; /* by constant: the one before it in its bucket, as in newest */
    IFL_VEC(ifl_bank_slot) banks;
    IFL_VEC(ifl_special_slot) specials;
    ifl_status
        /* IFL_NO_MEMORY, IFL_UNSUPPORTED: the frame is larger than a code can reach; the first
         * stays */
        status;
} ifl_builder;

void ifl_builder_free(ifl_builder *builder);
/* Empty again, for the next routine. */
void ifl_builder_clear(ifl_builder *builder);

/* The width of the slot that holds values of so many bits: 16, 32, 64, 128. */
unsigned ifl_slot_bits(unsigned bits);
/* `bytes` of the frame. */
uint32_t ifl_builder_room(ifl_builder *builder, uint64_t bytes);
uint32_t ifl_builder_slot(ifl_builder *builder, unsigned bits);
/* A slot with these bits in every lane; the same constant has the same slot. */
uint32_t ifl_builder_constant(ifl_builder *builder, uint64_t value, unsigned bits);
/* In a slot that is there. */
void ifl_builder_constant_at(ifl_builder *builder, uint32_t slot, uint64_t value, unsigned bits);
/* The lower words of 32 lanes, behind them the upper ones. */
uint32_t ifl_builder_constant_pair(ifl_builder *builder, uint64_t value);
/* `wanted` without its slot. */
uint32_t ifl_builder_bank(ifl_builder *builder, const ifl_bank_slot *wanted);
/* As many words of a bank, 32 lanes of each side by side. */
uint32_t ifl_builder_bank_words(ifl_builder *builder, uint8_t bank, uint32_t offset,
                                unsigned words);
uint32_t ifl_builder_special(ifl_builder *builder, ifl_special special);
/* A special register plus a number: 32 or 64 bits. */
uint32_t ifl_builder_special_sum(ifl_builder *builder, ifl_special special, uint64_t add,
                                 unsigned bits);

/* The operation for a load or store in its space; generic addresses are expected in global
 * memory. */
ifl_operation ifl_transfer_operation(const ifl_transfer *transfer);
/* Adds an operation; never NULL, and valid until the next one is added. */
ifl_code *ifl_builder_add(ifl_builder *builder, ifl_code code);
/* Moves all into the routine. */
void ifl_builder_keep(ifl_builder *builder, ifl_routine *routine);

#endif
