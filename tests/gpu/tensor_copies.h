/* SPDX-License-Identifier: Apache-2.0
 * Random copies of boxes of tensors: what is asked for, and what it must come to by PTX ISA 9.0,
 * "Tensors". */
#ifndef IFL_TESTS_TENSOR_COPIES_H
#define IFL_TESTS_TENSOR_COPIES_H

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_RANKS = 5, TENSOR_SHARED_BYTES = 32768, TENSOR_GLOBAL_BYTES = 4 << 20 };

/* The words of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, and the coordinates. */
typedef struct tensor_copy {
    bool is_image, is_store, adds;
    int type; /* CUtensorMapDataType */
    unsigned rank, element_bytes;
    uint64_t size[TENSOR_RANKS], stride[TENSOR_RANKS - 1];
    uint32_t box[TENSOR_RANKS], element_stride[TENSOR_RANKS];
    int lower[TENSOR_RANKS - 2], upper[TENSOR_RANKS - 2];
    unsigned channels, pixels;
    int swizzle, fill;
    int coordinates[TENSOR_RANKS];
    unsigned offsets[TENSOR_RANKS - 2];
    uint32_t bytes; /* of the box */
    uint32_t pitch; /* of its rows in shared memory */
} tensor_copy;

void tensor_copy_make(uint32_t index, tensor_copy *out);
/* Does it: `shared` begins at a multiple of 1024. */
void tensor_copy_do(const tensor_copy *copy, uint8_t *shared, uint8_t *global);

#endif
