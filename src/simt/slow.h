/* SPDX-License-Identifier: Apache-2.0
 * The operations that are compiled once: what their codes carry, and their functions. */
#ifndef IFL_SIMT_SLOW_H
#define IFL_SIMT_SLOW_H

#include "simt/code.h"

/* Atomics and reductions: code->extra. */
typedef struct ifl_atomic {
    ifl_transfer transfer; /* first: the address; data[] are the results (sink: not wanted) */
    uint8_t operation;     /* IFL_OPERATION_* */
    uint8_t type;          /* ifl_type of an element */
    uint32_t b[IFL_MAX_ELEMENTS]; /* slots, element_bytes wide (at least 2) */
    uint32_t c;            /* cas: the new value */
} ifl_atomic;

/* Named barriers 0 to 15 of a block, and one for the cluster's. */
enum { IFL_LAST_BARRIER = 16, IFL_BARRIERS = 17 };

/* Barriers of the block: code->extra. */
typedef struct ifl_barrier_op {
    uint32_t id;      /* slot, 32 bits */
    uint32_t count;   /* slot, or 0: all threads */
    bool waits;       /* false: arrive */
    uint8_t operation; /* IFL_OPERATION_* of a reduction, 0 none */
    uint32_t predicate, flip;
    bool to_predicate; /* the result is a predicate, else a 32-bit slot */
    uint32_t result;
} ifl_barrier_op;

/* Warp-wide operations: code->extra. Slots are 32 bits wide unless said otherwise. */
typedef struct ifl_warp_op ifl_warp_op;
typedef void ifl_warp_function(ifl_warp *warp, const ifl_warp_op *op, char *frame, uint32_t mask);
struct ifl_warp_op {
    ifl_warp_function *run; /* NULL: only waits (bar.warp.sync) */
    uint32_t members;       /* slot of the member mask, 0: the lanes that are there */
    uint8_t mode;           /* IFL_MODE_* or IFL_OPERATION_* */
    uint8_t type;
    uint8_t bytes;          /* of the operands' lanes: 4 or 8 */
    uint32_t flags;         /* IFL_FLAG_* */
    uint32_t d, a, b, c;    /* slots, or predicates where the operation has those */
    uint32_t flip;          /* of predicate a */
    uint32_t p;             /* second, predicate destination */
    bool to_predicate;
};

/* Calls: code->extra. */
typedef struct ifl_call_value {
    uint32_t from;  /* in the caller's params, or a slot */
    uint32_t to;    /* in the callee's params, or a slot */
    uint32_t bytes;
    uint8_t slot_bytes; /* 0: both in params; else the caller's side is a slot of this width */
} ifl_call_value;

typedef struct ifl_call_op {
    int32_t function;   /* of the program; -1: indirect */
    uint32_t target;    /* slot of the function's address, 64 bits */
    ifl_call_value *arguments;
    uint32_t argument_count;
    ifl_call_value *results;
    uint32_t result_count;
} ifl_call_op;

/* Asynchronous copies and the like: code->extra. */
typedef struct ifl_copy_op {
    ifl_transfer to;   /* .kind STORE, space SHARED (or GLOBAL for bulk) */
    ifl_transfer from; /* .kind LOAD */
    uint32_t size;     /* slot of the bytes to copy (32 bits), 0: all */
    uint32_t ignore;   /* predicate: source ignored */
    uint32_t ignore_flip;
    bool has_ignore;
    uint32_t barrier;  /* slot of an mbarrier address (64 bits, shared), 0 none */
} ifl_copy_op;

typedef struct ifl_mbarrier_op {
    uint32_t address; /* slot, 64 bits: shared offset or generic */
    bool generic;
    uint32_t count;   /* slot, 32 bits, or 0 */
    uint32_t state;   /* slot, 64 bits (test/try_wait: 32 when parity) */
    uint32_t d;       /* 64-bit slot, or predicate */
    bool has_d;
    uint8_t opcode_class;
    uint32_t flags;
} ifl_mbarrier_op;

ifl_slow ifl_slow_transfer, ifl_slow_frame_load, ifl_slow_frame_store, ifl_slow_atomic, ifl_slow_warp_op,
    ifl_slow_local_address, ifl_slow_special, ifl_slow_isspacep, ifl_slow_carry, ifl_slow_trap, ifl_slow_nanosleep,
    ifl_slow_copy, ifl_slow_bulk_copy, ifl_slow_mbarrier_init, ifl_slow_mbarrier_inval, ifl_slow_mbarrier_arrive,
    ifl_slow_mbarrier_tx, ifl_slow_mbarrier_wait, ifl_slow_mbarrier_pending,
    ifl_slow_nonzero, ifl_slow_take_byte, ifl_slow_put_byte;
ifl_warp_function ifl_warp_shfl, ifl_warp_vote, ifl_warp_match, ifl_warp_redux, ifl_warp_activemask, ifl_warp_elect;

#endif
