/* SPDX-License-Identifier: Apache-2.0
 * A table of calls of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, most of them wrong in one word, with
 * the codes that the CUDA Driver API reference (13.0) gives them: what it does not bar is expected to be taken. And random
 * calls, of which a driver says what it makes. */
#ifndef IFL_TESTS_TENSOR_CALLS_H
#define IFL_TESTS_TENSOR_CALLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tensor_call {
    bool is_image;
    int type;
    unsigned rank;
    uint64_t address; /* behind a multiple of 256 */
    uint64_t size[5], stride[4];
    uint32_t box[5], element_stride[5];
    int lower[3], upper[3];
    unsigned channels, pixels;
    int interleave, swizzle, promotion, fill;
    int expected; /* CUresult */
} tensor_call;

extern const unsigned tensor_call_count;
/* Its name. */
const char *tensor_call_make(unsigned index, tensor_call *out);

/* Any values of the small words; sizes, strides and boxes that are right but in one of sixteen. `expected` is not set. */
void tensor_call_random(uint32_t index, tensor_call *out);

#endif
