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

#endif
