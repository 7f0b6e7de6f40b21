/* SPDX-License-Identifier: Apache-2.0
 * The description of a tensor in global memory that cuTensorMapEncode* makes and copies of boxes read: 128 bytes. CUDA keeps
 * its content to itself ("opaque"); this one is ours. */
#ifndef IFL_CODE_TENSOR_MAP_H
#define IFL_CODE_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { IFL_TENSOR_RANKS = 5, IFL_TENSOR_MAP_BYTES = 128 };
#define IFL_TENSOR_MAP_MARK UINT32_C(0x6d666c69) /* "ilfm" */

/* Values as those of CUtensorMapSwizzle and kin. */
typedef enum ifl_tensor_swizzle {
    IFL_TENSOR_SWIZZLE_NONE,
    IFL_TENSOR_SWIZZLE_32,
    IFL_TENSOR_SWIZZLE_64,
    IFL_TENSOR_SWIZZLE_128
} ifl_tensor_swizzle;

typedef struct ifl_tensor_map {
    uint32_t mark;
    uint8_t rank, type /* ifl_type */, element_bytes, swizzle, interleave /* 0, 16, 32 bytes */;
    bool fills_nan; /* outside of the tensor, else with zeros */
    bool is_image;  /* im2col */
    uint8_t reserved;
    uint64_t address;
    uint32_t size[IFL_TENSOR_RANKS]; /* elements, the innermost first */
    uint32_t element_stride[IFL_TENSOR_RANKS];
    uint64_t stride[IFL_TENSOR_RANKS - 1]; /* bytes, of all but the innermost; in units of 16 */
    union {
        uint16_t box[IFL_TENSOR_RANKS]; /* elements, before element_stride */
        struct {
            int16_t lower[IFL_TENSOR_RANKS - 2], upper[IFL_TENSOR_RANKS - 2];
            uint16_t channels, pixels;
        } image;
    };
} ifl_tensor_map;

_Static_assert(sizeof(ifl_tensor_map) <= IFL_TENSOR_MAP_BYTES, "a description has 128 bytes");

#endif
