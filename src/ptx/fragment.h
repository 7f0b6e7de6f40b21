/* SPDX-License-Identifier: Apache-2.0
 * The fragments of wmma: which elements of a matrix a lane holds in which register, and in what
 * pieces they are moved. PTX leaves this open; here it is what ptxas 13.0 makes of wmma for
 * sm_80 to sm_90 (tests/ptx/wmma.ptx holds the machine code's results). */
#ifndef IFL_PTX_FRAGMENT_H
#define IFL_PTX_FRAGMENT_H

#include "ptx/program.h"

/* A matrix seen so that its tiles have 8 lines of `step` elements for each of four lanes: lines are
 * rows of the factor with 16 or 32 of them and of the result, columns of the other factor. */
typedef struct ifl_ptx_fragment {
    uint8_t lines, along; /* elements */
    uint8_t bits;         /* of one */
    uint8_t step;         /* elements of a lane in a tile, side by side */
    bool is_result;
    bool is_second; /* a line's tiles follow each other, else those of 16 lines */
    bool is_across; /* memory has the other lines */
} ifl_ptx_fragment;

/* How a load or store moves it. */
typedef enum ifl_fragment_way {
    IFL_FRAGMENT_ROWS,   /* as ldmatrix does */
    IFL_FRAGMENT_STEPS,  /* a lane's elements of a tile at once */
    IFL_FRAGMENT_TURNED, /* tiles of 16-bit elements by their other lines, turned in registers */
    IFL_FRAGMENT_SINGLES /* element by element */
} ifl_fragment_way;

/* The matrix that an instruction (wmma.load.*, wmma.store.d) moves, or a, b, c or d of wmma.mma by
 * the slot: 1, 2, 3, 0. False: PTX has none of this shape and type. */
bool ifl_fragment_of(const ifl_instruction *instruction, unsigned slot, ifl_ptx_fragment *out);
ifl_fragment_way ifl_fragment_moved(const ifl_ptx_fragment *fragment, ifl_space space);
/* Bytes of a lane's access. */
unsigned ifl_fragment_bytes(const ifl_ptx_fragment *fragment, ifl_fragment_way way);

unsigned ifl_fragment_tiles(const ifl_ptx_fragment *fragment);
/* Of the tiles' registers, those that are not copies of others. */
unsigned ifl_fragment_registers(const ifl_ptx_fragment *fragment);
/* Where a tile begins. */
void ifl_fragment_tile(const ifl_ptx_fragment *fragment, unsigned tile, unsigned *line,
                       unsigned *along);

#endif
