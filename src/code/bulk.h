/* SPDX-License-Identifier: Apache-2.0
 * Barrier objects in shared memory, and copies that a unit of its own does (cp.async.bulk, UBLKCP,
 * UTMALDG and kin): code->extra of their operations. PTX and machine code both lower to them. */
#ifndef IFL_CODE_BULK_H
#define IFL_CODE_BULK_H

#include "code/code.h"

/* A barrier object is a word of 64 bits. Its counts stand in it negated, as ptxas writes them for
 * sm_90 (mbarrier.init is a plain exchange there, mbarrier.pending_count shifts and masks), and as an
 * H100 shows them:
 *     1-20  2^20 - arrivals that a phase expects     21-41 2^21 - bytes that are still expected
 *     43-62 2^20 - arrivals that this phase still waits for       63 the phase's parity */
enum {
    IFL_MBARRIER_EXPECTED_AT = 1,
    IFL_MBARRIER_BYTES_AT = 21,
    IFL_MBARRIER_PENDING_AT = 43,
    IFL_MBARRIER_PHASE_AT = 63,
    IFL_MBARRIER_COUNT_BITS = 20,
    IFL_MBARRIER_BYTES_BITS = 21
};

/* Of mbarrier_update: so many arrive, so many bytes are expected more. */
typedef struct ifl_mbarrier_op {
    ifl_transfer at;   /* the object, shared or generic */
    uint32_t arrivals; /* slot, 32 bits; 0: fixed_arrivals */
    uint8_t fixed_arrivals;
    uint32_t bytes; /* slot, 32 bits; 0: none */
    bool completes; /* the bytes have come */
    bool drops;     /* whoever arrives will not come again */
    uint32_t
        state; /* slot: of a wait, what it began with, or its parity; of mbarrier_set the word, 0: it
                  stays, as where an object ends */
    uint8_t state_bits; /* 64, or 32: the upper half */
    bool by_parity;     /* the state is 0 or 1 */
    bool is_planes;     /* 64 bits are two slots of words */
    bool
        /* of d the lower word is the mask of lanes that arrived together, the upper one the
         * first's */
        tells_lanes;
    uint32_t d; /* slot of 64 bits: the word before; or a predicate */
    bool has_d;
} ifl_mbarrier_op;

typedef enum ifl_bulk_kind { IFL_BULK_BYTES, IFL_BULK_BOX, IFL_BULK_VALUE } ifl_bulk_kind;

enum { IFL_BULK_RANKS = 5, IFL_BULK_LINES = 4 };

/* Of bulk_copy. A box is of a tensor that a description in memory tells of (code/tensor_map.h): its
 * address stands in place of that of global memory. A value (st.async, red.async) comes from
 * registers: `from` says from which. */
typedef struct ifl_bulk_op {
    uint8_t kind; /* ifl_bulk_kind */
    ifl_transfer to, from;
    uint32_t size; /* slot, 32 bits: bytes & size_mask << size_shift */
    uint32_t size_mask;
    uint8_t size_shift;
    uint8_t operation, type; /* of a reduction: IFL_OPERATION_*, ifl_type; 0: a copy */
    bool has_barrier;        /* that counts the bytes; else a group of the lane's */
    ifl_transfer barrier;
    bool is_once; /* done once a warp, by whichever lane */
    uint32_t
        /* slot: blocks of the cluster that get it, from bit multicast_shift on; 0: those that
         * `to` says */
        multicast;
    uint8_t multicast_shift;
    uint32_t byte_mask; /* slot: which bytes of each 16 are written, from bit byte_mask_shift on */
    uint8_t byte_mask_shift;
    bool has_byte_mask;
    uint8_t rank;
    bool is_image;  /* im2col */
    uint8_t wide;   /* ifl_tensor_wide: offsets are the halo and the offset */
    bool are_lines; /* tile::gather4, scatter4: a column and four rows */
    bool is_pair;   /* of two blocks: which one's barrier counts, the barrier's address tells */
    bool for_all;   /* to all blocks of the cluster */
    uint32_t coordinates[IFL_BULK_RANKS];
    uint32_t offsets[IFL_BULK_RANKS - 2]; /* im2col: slots, or one with so many bits each */
    uint8_t packed_bits;
} ifl_bulk_op;

/* What is read of the answer to a request for a block that has not started. 128 bits, as ptxas of CUDA
 * 13.0 takes them apart: words x, y | z << 16, granted (bit 0), nothing. */
typedef enum ifl_answer {
    IFL_ANSWER_GRANTED, /* a predicate */
    IFL_ANSWER_X,
    IFL_ANSWER_Y,
    IFL_ANSWER_Z,
    IFL_ANSWER_NOTHING
} ifl_answer;

/* Of shared_fill: st.bulk, UMEMSETS. */
typedef struct ifl_fill_op {
    ifl_transfer to;
    uint32_t count;     /* slot: how many units */
    uint8_t count_bits; /* 32 or 64 */
    uint8_t unit_bytes; /* 1 or 8 */
    bool is_once;       /* once a warp */
} ifl_fill_op;

/* Of map_field, which changes a field of the description of a tensor (code/tensor_map.h), and of
 * map_copy, which copies one. */
typedef struct ifl_map_op {
    ifl_transfer to, from; /* from: of map_copy */
    uint8_t field;         /* ifl_tensor_map_field */
    uint8_t ordinal;       /* which dimension's */
    uint8_t value_bits;    /* 32 or 64 */
    uint32_t value;        /* slot */
} ifl_map_op;

#endif
