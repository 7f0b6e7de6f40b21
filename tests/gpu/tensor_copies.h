/* SPDX-License-Identifier: Apache-2.0
 * Random copies of boxes of tensors: what is asked for, and what it must come to by PTX ISA 9.0,
 * "Tensors". */
#ifndef IFL_TESTS_TENSOR_COPIES_H
#define IFL_TESTS_TENSOR_COPIES_H

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_RANKS = 5, TENSOR_SHARED_BYTES = 32768, TENSOR_GLOBAL_BYTES = 4 << 20 };

/* SLICES: channels in slices of 16 or 32 bytes, and the types that flush denormals. REDUCTIONS: every
 * operation on every type that the PTX ISA lets it have. WIDE_SLICES: slices of 32 bytes without a swizzle and with those
 * that the Driver API reference bars. */
typedef enum tensor_family {
    TENSOR_PLAIN,
    TENSOR_SLICES,
    TENSOR_REDUCTIONS,
    TENSOR_WIDE_SLICES
} tensor_family;

/* In the order of tensor_operation_names. */
typedef enum tensor_operation {
    TENSOR_COPY,
    TENSOR_ADD,
    TENSOR_MIN,
    TENSOR_MAX,
    TENSOR_INC,
    TENSOR_DEC,
    TENSOR_AND,
    TENSOR_OR,
    TENSOR_XOR
} tensor_operation;
extern const char *const tensor_operation_names[];

/* The words of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, and the coordinates. */
typedef struct tensor_copy {
    bool is_image, is_store;
    tensor_operation operation; /* of a store */
    int type;                   /* CUtensorMapDataType */
    unsigned rank, element_bytes;
    uint64_t size[TENSOR_RANKS], stride[TENSOR_RANKS - 1];
    uint32_t box[TENSOR_RANKS], element_stride[TENSOR_RANKS];
    int lower[TENSOR_RANKS - 2], upper[TENSOR_RANKS - 2];
    unsigned channels, pixels;
    int interleave, swizzle, fill;
    int coordinates[TENSOR_RANKS];
    unsigned offsets[TENSOR_RANKS - 2];
    uint32_t bytes; /* of the box */
    uint32_t pitch; /* of its rows in shared memory */
} tensor_copy;

void tensor_copy_make(tensor_family family, uint32_t index, tensor_copy *out);
/* Does it: `shared` begins at a multiple of 1024. */
void tensor_copy_do(const tensor_copy *copy, uint8_t *shared, uint8_t *global);

#endif
