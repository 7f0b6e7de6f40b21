/* SPDX-License-Identifier: Apache-2.0
 * The description of a tensor in global memory that cuTensorMapEncode* makes and copies of boxes
 * read: 128 bytes, of which the first 64 say all. CUDA calls the content opaque. Where each field
 * of tiles lies is in the code that ptxas makes of tensormap.replace (sm_90a and sm_100a, CUDA
 * 13.0): kernels write them so. Those of im2col were read off descriptions that cuDNN 9.26 makes
 * for convolutions of known size. All 128 bytes are those that the driver of an H200 made of 955 random
 * calls (580.159.04; tests/gpu/h200/tensors_descriptions.txt). */
#ifndef IFL_CODE_TENSOR_MAP_H
#define IFL_CODE_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { IFL_TENSOR_RANKS = 5, IFL_TENSOR_TOLD_BYTES = 64, IFL_TENSOR_MAP_BYTES = 128 };

/* Values as those of CUtensorMapSwizzle and kin. */
typedef enum ifl_tensor_swizzle {
    IFL_TENSOR_SWIZZLE_NONE,
    IFL_TENSOR_SWIZZLE_32,
    IFL_TENSOR_SWIZZLE_64,
    IFL_TENSOR_SWIZZLE_128
} ifl_tensor_swizzle;

/* What a swizzle of 128 bytes moves as a whole (PTX ISA 9.0, "tensormap.replace", swizzle_atomicity): FLIPPED
 * also exchanges the halves of each 16 bytes in every other line, of loads alone. How, a public
 * emulator says (github.com/mlc-ai/TIRx-harness, tools/tests/numsim/runtime/test_tma_atomicity.py). */
typedef enum ifl_tensor_atom {
    IFL_TENSOR_ATOM_16,
    IFL_TENSOR_ATOM_32,
    IFL_TENSOR_ATOM_32_FLIPPED,
    IFL_TENSOR_ATOM_64
} ifl_tensor_atom;

/* Elements of 4 or 6 bits, some of which are a unit: bytes in global memory, and 16 bytes in shared
 * memory where they stand apart, so that 4 bytes (of 6 bits) or 8 are a gap (CUDA Driver API reference,
 * CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B and kin). */
typedef enum ifl_tensor_packing {
    IFL_TENSOR_WHOLE, /* no such elements */
    IFL_TENSOR_FOURS,
    IFL_TENSOR_FOURS_APART,
    IFL_TENSOR_SIXES_APART
} ifl_tensor_packing;

/* Channels in slices of 16 or 32 bytes (PTX ISA 9.0, "Interleave layout": NC/8DHWC8 and NC/16DHWC16 of
 * halves). A slice is what is copied, of whatever type its elements are: coordinates, sizes and boxes of
 * dimension 0 count slices side by side (W), the last dimension but one is the slices' number
 * (C / 8) of which a box has one, and an element's stride may part those of dimension 0 too. So says a
 * public emulator (github.com/mlc-ai/TIRx-harness, numsim), and what the authors of the Ventus GPGPU publish of
 * an H100 (their comparison of TMA cycles, July 2026) agrees: a box of 8 x 8 x 32 halves, strides 16 and 128,
 * comes back whole; one of 16 x 8 x 32 bytes, and theirs of halves in slices of 32, run past a buffer for their
 * elements. */
typedef enum ifl_tensor_interleave {
    IFL_TENSOR_NOT_INTERLEAVED,
    IFL_TENSOR_SLICES_16,
    IFL_TENSOR_SLICES_32
} ifl_tensor_interleave;

/* im2col along the innermost dimension of the image alone: as many pixels as the description says, or 128. */
typedef enum ifl_tensor_wide {
    IFL_TENSOR_NOT_WIDE,
    IFL_TENSOR_WIDE,
    IFL_TENSOR_WIDE_128
} ifl_tensor_wide;

typedef struct ifl_tensor_map {
    uint8_t rank, type /* ifl_type */,
        element_bytes /* of packed ones of a unit, in global memory; of a slice */, swizzle;
    uint8_t packing;    /* ifl_tensor_packing */
    uint8_t atom;       /* ifl_tensor_atom; with SWIZZLE_128 alone another than 16 bytes */
    bool fills_nan;     /* outside of the tensor, else with zeros */
    bool is_image;      /* im2col */
    uint8_t wide;       /* ifl_tensor_wide, of im2col */
    uint8_t interleave; /* ifl_tensor_interleave */
    bool flushes;       /* denormals where it is added up: f32 and tf32 with .ftz */
    uint8_t promotion;  /* CUtensorMapL2promotion: a hint, of which nothing is modelled */
    uint64_t address;
    uint64_t size[IFL_TENSOR_RANKS];           /* elements, the innermost first; 2^32 at most */
    uint32_t element_stride[IFL_TENSOR_RANKS]; /* that of dimension 0 counts in slices alone */
    uint64_t stride[IFL_TENSOR_RANKS - 1];     /* bytes, of all but the innermost; in units of 16 */
    uint16_t box[IFL_TENSOR_RANKS];            /* elements, before element_stride */
    struct {
        int16_t lower[IFL_TENSOR_RANKS - 2], upper[IFL_TENSOR_RANKS - 2];
        uint16_t channels, pixels;
    } image; /* where is_image: then there is no box */
} ifl_tensor_map;

/* A row of a box, or of a pixel's channels: a multiple of 16 bytes, and no wider than the swizzle's
 * pattern (CUDA Driver API reference, cuTensorMapEncodeTiled: boxDim). Of slices any number is. */
bool ifl_tensor_map_takes_row(const ifl_tensor_map *map, uint64_t elements);

/* How many elements are a unit, and its bytes in global and in shared memory. */
typedef struct ifl_tensor_unit {
    uint8_t elements, bytes, shared_bytes;
} ifl_tensor_unit;
ifl_tensor_unit ifl_tensor_unit_of(const ifl_tensor_map *map);

/* What the driver takes for the bytes of a box, or of an image's pixels, which it holds against the shared memory of an
 * SM: steps are rounded down, those of dimension 0 count, and elements of slices have the bytes of their type. */
uint64_t ifl_tensor_map_box_bytes(const ifl_tensor_map *map);

void ifl_tensor_map_write(const ifl_tensor_map *map, uint8_t out[static IFL_TENSOR_MAP_BYTES]);
/* False where the bytes describe no tensor, or one of a kind that is not supported: of another type, or
 * elements that stand apart in slices. */
bool ifl_tensor_map_read(const uint8_t bytes[static IFL_TENSOR_TOLD_BYTES], ifl_tensor_map *out);

/* A field that kernels change (PTX ISA 9.0, "tensormap.replace"); `ordinal` chooses the dimension of
 * those that each has. */
typedef enum ifl_tensor_map_field {
    IFL_TENSOR_MAP_ADDRESS,
    IFL_TENSOR_MAP_RANK, /* less 1 */
    IFL_TENSOR_MAP_BOX,
    IFL_TENSOR_MAP_SIZE,
    IFL_TENSOR_MAP_STRIDE, /* ordinal 0: of dimension 1 */
    IFL_TENSOR_MAP_ELEMENT_STRIDE,
    IFL_TENSOR_MAP_TYPE,
    IFL_TENSOR_MAP_INTERLEAVE,
    IFL_TENSOR_MAP_SWIZZLE,
    IFL_TENSOR_MAP_ATOM,
    IFL_TENSOR_MAP_FILL
} ifl_tensor_map_field;

void ifl_tensor_map_replace(uint8_t bytes[static IFL_TENSOR_TOLD_BYTES], ifl_tensor_map_field field,
                            unsigned ordinal, uint64_t value);

#endif
