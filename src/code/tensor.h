/* SPDX-License-Identifier: Apache-2.0
 * Tensor memory (compute capability 10.0): code->extra of tensor_alloc, tensor_move and the like.
 * PTX's tcgen05 and machine code (UTCATOMSWS, LDTM, STTM, UTCHMMA and kin) both lower to them.
 *
 * A block has 128 lanes of 512 columns of 32 bits. Bits 31-16 of an address are a lane, 15-0 a
 * column. Columns are taken and given back in units of 32 (PTX ISA 9.0, "Tensor Memory"). */
#ifndef IFL_CODE_TENSOR_H
#define IFL_CODE_TENSOR_H

#include "arch/matrix_rules.h"
#include "code/code.h"

enum {
    IFL_TENSOR_LANES = 128,
    IFL_TENSOR_COLUMNS = 512,
    IFL_TENSOR_UNIT = 32, /* columns */
    IFL_TENSOR_UNITS = IFL_TENSOR_COLUMNS / IFL_TENSOR_UNIT,
    IFL_TENSOR_LANE_SHIFT = 16,
    IFL_TENSOR_MOST_REGISTERS = 128,
    IFL_TENSOR_MASK_WORDS = 8
};

/* Slots have 32 bits a lane. */
typedef struct ifl_tensor_address {
    uint32_t slot;
    int32_t offset; /* columns */
} ifl_tensor_address;

/* How columns are taken: PTX's alloc writes an address to shared memory; UTCATOMSWS.FIND_AND_SET
 * gives the first unit and a predicate. dealloc gives columns back; UTCATOMSWS.AND units whose bit
 * is 0, and .OR takes those whose bit is 1. */
typedef enum ifl_tensor_alloc_kind {
    IFL_TENSOR_ALLOC,
    IFL_TENSOR_DEALLOC,
    IFL_TENSOR_RELINQUISH,
    IFL_TENSOR_FIND,
    IFL_TENSOR_AND,
    IFL_TENSOR_OR
} ifl_tensor_alloc_kind;

typedef struct ifl_tensor_alloc {
    uint8_t kind;     /* ifl_tensor_alloc_kind */
    uint8_t blocks;   /* 1, or 2: of both blocks of a pair */
    ifl_transfer at;  /* ALLOC: where the address goes */
    uint32_t address; /* DEALLOC: slot */
    uint32_t count;   /* slot: columns; FIND: units; AND, OR: the mask */
    uint32_t d, done; /* FIND: slot, predicate; AND, OR: d, the mask before */
} ifl_tensor_alloc;

/* Shapes of what a warp moves between registers and its 32 lanes of tensor memory (PTX ISA 9.0,
 * "Data Movement Shape"). Of 16x32bx2, machine code moves the halves of a warp one by one. */
typedef enum ifl_tensor_shape {
    IFL_TENSOR_32X32,
    IFL_TENSOR_16X64,
    IFL_TENSOR_16X128,
    IFL_TENSOR_16X256,
    IFL_TENSOR_16X32X2,
    IFL_TENSOR_16X32_LOW,
    IFL_TENSOR_16X32_HIGH
} ifl_tensor_shape;

typedef struct ifl_tensor_move {
    bool stores;
    bool packs;    /* a register is the lower halves of two columns */
    uint8_t shape; /* ifl_tensor_shape */
    uint8_t registers;
    ifl_tensor_address at;
    int32_t split; /* 16X32X2: columns to what the upper half of the warp moves */
    uint32_t data[IFL_TENSOR_MOST_REGISTERS];
    uint8_t operation; /* of all registers of a lane: IFL_OPERATION_MIN, _MAX; 0: none */
    uint8_t type;      /* ifl_type */
    bool is_absolute, keeps_nan;
    uint32_t result; /* slot */
} ifl_tensor_move;

/* Where register `reg` of a lane is, from the address on: a lane and a column, which counts
 * registers' words (two columns each where they are packed). */
typedef struct ifl_tensor_place {
    uint8_t lane;
    uint16_t column;
} ifl_tensor_place;

ifl_tensor_place ifl_tensor_place_of(ifl_tensor_shape shape, unsigned lane, unsigned reg);
/* Registers of one repetition (.x1). */
unsigned ifl_tensor_shape_registers(ifl_tensor_shape shape);

/* ---- products -------------------------------------------------------------------------------- */

/* What PTX writes as .kind. Machine code's UTCHMMA is of halves or tf32: its description tells. */
typedef enum ifl_tensor_kind {
    IFL_TENSOR_HALVES_OR_TF32,
    IFL_TENSOR_F16,
    IFL_TENSOR_TF32,
    IFL_TENSOR_F8F6F4,
    IFL_TENSOR_I8,
    IFL_TENSOR_MXF8F6F4,
    IFL_TENSOR_MXF4 /* and mxf4nvf4 */
} ifl_tensor_kind;

/* Descriptors of shared memory are 64 bits a lane, or two slots of words. */
typedef struct ifl_tensor_product {
    uint8_t kind;   /* ifl_tensor_kind */
    uint8_t blocks; /* 1, or 2: a pair */
    uint8_t scales; /* of a line along k: 0, 1, 2, 4 */
    bool is_sparse; /* PTX says so; of machine code only the description */
    bool says_sparse, keeps_weights, is_a_held;
    bool are_planes, is_once; /* once a warp, by whichever lane */
    ifl_tensor_address d, a_held, metadata, scale_a, scale_b;
    uint32_t a, b, description; /* slots */
    uint32_t accumulates, flip; /* predicate */
    uint8_t scale_d;            /* d is first divided by 2 to this power */
    uint8_t mask_words;         /* of lanes that are not written */
    uint32_t mask[IFL_TENSOR_MASK_WORDS];
    uint16_t sm;
} ifl_tensor_product;

/* What an instruction descriptor says (PTX ISA 9.0, "Instruction Descriptor"). */
typedef struct ifl_tensor_description {
    uint16_t m, n, k;
    uint8_t a_type, b_type, d_type; /* ifl_matrix_type */
    uint8_t a_bits, b_bits;         /* of an element in shared memory */
    uint8_t a_each, b_each;         /* elements in 16 bytes of it */
    bool is_sparse, saturates, negates_a, negates_b, transposes_a, transposes_b;
    bool are_powers; /* scales are UE8M0, else UE4M3 */
    uint8_t selector, scale_a_id, scale_b_id;
    uint8_t scales; /* of a line along k: 0, 1, 2, 4; 3 and 6 of a depth of 96 */
} ifl_tensor_description;

/* NULL, or what is wrong with it for a product of that kind. */
const char *ifl_tensor_describe(const ifl_tensor_product *product, uint32_t bits,
                                ifl_tensor_description *out);
/* Where element (row, column) of d is, `row` counted in its block: lane and column. Of sums in two
 * or four parts the parts lie in other lanes (PTX ISA 9.0, "Data Path Layout Organization"). */
ifl_tensor_place ifl_tensor_sum_place(const ifl_tensor_product *product,
                                      const ifl_tensor_description *of, unsigned row,
                                      unsigned column);
/* Of 64 rows in a block, where its sums are not in parts: 16 lanes of each quarter. */
bool ifl_tensor_takes_half(const ifl_tensor_product *product, const ifl_tensor_description *of);
/* Bits of metadata of a sparse line: 1 for each element of b, of tf32 2, of four bits one for each
 * two. Where bit `bit` of a row's is: a lane, counted from the first of the 16 whose sums the
 * row's are among, a column, a bit in it. Each part of the sums has a copy of its own. */
typedef struct ifl_tensor_bit {
    uint8_t lane, column, bit;
} ifl_tensor_bit;
ifl_tensor_bit ifl_tensor_metadata_place(uint8_t a_type, uint8_t a_bits, unsigned row,
                                         unsigned bit);

/* ---- copies, commits ------------------------------------------------------------------------- */

typedef enum ifl_tensor_copied {
    IFL_TENSOR_128X256,
    IFL_TENSOR_128X128,
    IFL_TENSOR_64X128_02_13,
    IFL_TENSOR_64X128_01_23,
    IFL_TENSOR_32X128,
    IFL_TENSOR_4X256
} ifl_tensor_copied;

typedef struct ifl_tensor_copy {
    uint8_t shape; /* ifl_tensor_copied */
    uint8_t bits;  /* of elements that become bytes: 4 or 6; 0: none do */
    uint8_t blocks;
    bool are_planes, is_once;
    ifl_tensor_address to;
    uint32_t from; /* slot: descriptor */
} ifl_tensor_copy;

/* Each lane of 32, from an address of a multiple of 32 lanes on, takes eight columns of the lane
 * behind it; the last one keeps its own. */
typedef struct ifl_tensor_shift {
    uint8_t blocks;
    bool is_once;
    ifl_tensor_address at;
} ifl_tensor_shift;

/* When all that the block has begun before is done one arrives at a barrier, in each block of a
 * mask. */
typedef struct ifl_tensor_commit {
    ifl_transfer barrier;
    uint32_t multicast; /* slot, 0: only where `barrier` is */
    bool is_once;
} ifl_tensor_commit;

#endif
