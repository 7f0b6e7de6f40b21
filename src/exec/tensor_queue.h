/* SPDX-License-Identifier: Apache-2.0
 * Products, copies and commits that a block has begun on tensor memory, in order. */
#ifndef IFL_EXEC_TENSOR_QUEUE_H
#define IFL_EXEC_TENSOR_QUEUE_H

#include "exec/shared_matrix.h"
#include "exec/tensor_memory.h"

/* What its operands were when it was issued. */
typedef struct ifl_tensor_task {
    const ifl_code *code;
    ifl_warp *warp;
    uint32_t lane;
    uint8_t *object; /* of a commit */
    /* of a product, and `a` and `d` of a copy */
    uint64_t a, b;
    uint32_t d, a_held, metadata, scale_a, scale_b;
    ifl_tensor_description of;
    bool accumulates;
    uint32_t mask[IFL_TENSOR_MASK_WORDS];
} ifl_tensor_task;

/* Keeps one; false after a fault. */
bool ifl_tensor_begin(const ifl_tensor_task *task);
/* Does what is before commits that arrive at the object, and these. Any block of the cluster may
 * have begun them. False after a fault. */
bool ifl_tensor_finish_counted(ifl_warp *warp, const uint8_t *object);
/* Does all that the block has begun. */
bool ifl_tensor_finish_all(ifl_block *block);

/* The block's, or with two those of the pair, the one of even rank first. */
typedef struct ifl_tensor_blocks {
    ifl_block *at[2];
    unsigned count;
} ifl_tensor_blocks;
bool ifl_tensor_blocks_of(ifl_warp *warp, const ifl_code *code, unsigned count,
                          ifl_tensor_blocks *out);
/* Where the shared memory of one of them is for the warp: a space, and what is added to an
 * address. */
uint8_t ifl_tensor_shared_of(const ifl_warp *warp, const ifl_block *block, uint64_t *origin);

/* Of a descriptor of shared memory; false after a fault: its swizzle is none. */
bool ifl_tensor_matrix_place(const ifl_tensor_task *task, uint64_t descriptor,
                             ifl_matrix_place *out);

/* tensor_product.c, tensor_refill.c: false after a fault. */
bool ifl_tensor_product_run(const ifl_tensor_task *task);
bool ifl_tensor_copy_run(const ifl_tensor_task *task);
bool ifl_tensor_shift_run(const ifl_tensor_task *task);

/* A descriptor of shared memory in a lane. */
static inline uint64_t ifl_tensor_descriptor(const char *frame, uint32_t slot, bool are_planes,
                                             uint32_t lane)
{
    return are_planes ? ifl_lane_u32(frame, slot, lane) |
                            (uint64_t)ifl_lane_u32(frame, slot + IFL_PLANE, lane) << 32
                      : ifl_lane_u64(frame, slot, lane);
}

#endif
