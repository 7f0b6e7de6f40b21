/* SPDX-License-Identifier: Apache-2.0
 * Operations on matrices that the lanes of a warp hold together: code->extra of matrix_product,
 * matrix_load and the like. PTX and machine code both lower to them.
 *
 * How elements lie in registers is the same for all shapes (PTX ISA, "Matrix Fragments for mma").
 * Of lane l, group l / 4 and place l % 4, with e elements in a register:
 *     a: register r has row group + 8 (r & 1), columns (place + 4 (r / 2)) e and on
 *     b: register r has rows (place + 4 r) e and on, column group
 *     c, d: register r of 32-bit elements has row group + 8 (r / 2), column 2 place + (r & 1); of 16-bit elements row
 *        group + 8 r, columns 2 place and 2 place + 1; from the ninth column on the same again
 * Of a matrix with 8 rows a has its even registers only. */
#ifndef IFL_CODE_MATRIX_H
#define IFL_CODE_MATRIX_H

#include "arch/matrix_rate.h"
#include "arch/matrix_rules.h"
#include "code/code.h"

typedef enum ifl_matrix_type {
    IFL_MATRIX_NONE,
#define TYPE(name, bits, exponent, mantissa, class_, top) IFL_MATRIX_##name,
#include "code/matrix_type.def"
    IFL_MATRIX_TYPES
} ifl_matrix_type;

typedef enum ifl_matrix_top {
    IFL_MATRIX_TOP_IEEE,
    IFL_MATRIX_TOP_LAST,
    IFL_MATRIX_TOP_NUMBER
} ifl_matrix_top;

typedef struct ifl_matrix_format {
    uint8_t bits, exponent_bits, mantissa_bits;
    char class_; /* 'F', 'S', 'U' */
    uint8_t top; /* ifl_matrix_top */
} ifl_matrix_format;

const ifl_matrix_format *ifl_matrix_format_of(ifl_matrix_type type);

/* The lowest bit of an element in its place in a register: floats of 4 bits stand in the middle of a
 * byte (CUTLASS 4, mma_traits_sm120.hpp: ldmatrix puts them lower, and they are shifted by 2). */
static inline unsigned ifl_matrix_low_bit(ifl_matrix_type type)
{
    return type == IFL_MATRIX_E2M1 ? 2 : 0;
}

/* The most that a warp multiplies at once; the depth is that of single bits. */
enum {
    IFL_MATRIX_REGISTERS = 8,
    IFL_MATRIX_ROWS = 16,
    IFL_MATRIX_COLUMNS = 8,
    IFL_MATRIX_DEPTH = 256
};

/* Scales of a's rows or b's columns: a register holds four bytes, each of a part of a line; which byte is
 * the first part's, and which lanes of a group of four hold them, other slots tell (PTX ISA 9.0, "Block
 * Scaling for mma.sync"): of a lane 2 lane + row / 8 has rows l / 4 and 8 further on, of b lane `lane`
 * column l / 4. */
typedef struct ifl_matrix_scale {
    uint32_t slot, byte, lane; /* slots */
    uint8_t byte_at, lane_at;  /* from which bit on they stand in those */
} ifl_matrix_scale;

enum { IFL_MATRIX_SCALES = 4, IFL_MATRIX_MOST_SCALES = 6 };

/* d = a * b + c. Slots have 32 bits a lane; of f64 64, or two planes of 32. */
typedef struct ifl_matrix_product {
    uint16_t m, n, k;
    uint8_t a_type, b_type, c_type; /* ifl_matrix_type; c_type is that of d too */
    bool saturates;                 /* integers */
    bool is_and;                    /* single bits are combined by and, else by exclusive or */
    bool is_planes;                 /* an f64 is two slots of words */
    bool is_sparse;                 /* a has half of its elements: metadata tells which */
    uint8_t selector;
    uint8_t rounding;     /* of f64: IFL_ROUND_RN (or 0), RZ, RM, RP */
    ifl_matrix_rule rule; /* of floats up to 32 bits */
    uint32_t metadata;
    uint8_t scales;  /* of a line: 0, 1, 2, 4 */
    bool are_powers; /* they are ue8m0, powers of two; else ue4m3 */
    ifl_matrix_scale scale_a, scale_b;
    uint32_t a[IFL_MATRIX_REGISTERS], b[IFL_MATRIX_REGISTERS];
    uint32_t c[IFL_MATRIX_REGISTERS], d[IFL_MATRIX_REGISTERS];
} ifl_matrix_product;

/* Four products of 8 by 8 by 4 halves at once, each in eight lanes (exec/matrix_quads.c): code->extra of
 * quad_product. Machine code makes a part of d's elements in each of several steps. */
enum { IFL_QUAD_DEPTH = 4, IFL_QUAD_ELEMENTS = 8, IFL_QUAD_FACTORS = 2 };

typedef struct ifl_quad_product {
    uint8_t c_type, d_type;        /* IFL_MATRIX_F16 or F32 */
    bool is_a_across, is_b_across; /* a lane has a column of a, a row of b */
    bool is_plain;                 /* sums as of sm_80 and later, without a tensor core */
    ifl_matrix_rule rule;          /* of the others */
    uint8_t first, count;          /* of d's elements */
    uint32_t a[IFL_QUAD_FACTORS], b[IFL_QUAD_FACTORS];   /* slots, of two halves each */
    uint32_t c[IFL_QUAD_ELEMENTS], d[IFL_QUAD_ELEMENTS]; /* of halves the first four */
} ifl_quad_product;

/* A warp group's product: each of its four warps has 16 rows. b, and a where it is not in
 * registers, lie in shared memory as descriptors of 64 bits say (PTX ISA 9.0, "Matrix Descriptor
 * Format", "Strides"). */
enum { IFL_GROUP_COLUMNS = 256, IFL_GROUP_SUMS = IFL_GROUP_COLUMNS / 2, IFL_GROUP_A_REGISTERS = 4 };

typedef struct ifl_group_product {
    ifl_matrix_product
        one; /* of a warp: 16 rows, n columns; types, rule, metadata; of its slots that alone */
    bool is_a_in_registers, transposes_a, transposes_b, negates_a, negates_b;
    bool are_planes; /* a descriptor is two slots of words */
    uint32_t a[IFL_GROUP_A_REGISTERS];
    uint32_t a_descriptor, b_descriptor;
    uint32_t accumulates, flip; /* predicate; where it is false c is 0 */
    uint32_t c[IFL_GROUP_SUMS],
        d[IFL_GROUP_SUMS]; /* as those of products with 8 columns, side by side */
} ifl_group_product;

/* Registers of a lane that hold so many elements of a warp's matrix: 32 bits each, of f64 64. */
unsigned ifl_matrix_register_count(ifl_matrix_type type, unsigned elements);
/* Has it no more elements than the arrays have room for, and whole registers of them? */
bool ifl_matrix_product_fits(const ifl_matrix_product *product);
bool ifl_group_product_fits(const ifl_group_product *product);
/* What a product of a warp is to the tensor cores. */
ifl_matrix_work ifl_matrix_work_of(const ifl_matrix_product *product, ifl_matrix_unit unit);
ifl_matrix_work ifl_group_work_of(const ifl_group_product *product);
/* Fills the rule that a product's types need; false where the architecture has none. */
bool ifl_matrix_set_rule(ifl_matrix_product *product, ifl_matrix_unit unit, uint32_t sm);

/* Where in a matrix in memory each lane has its place: code->extra of matrix_places. Lines follow
 * each other at a distance that is known when it runs. */
typedef struct ifl_matrix_places {
    uint8_t bits; /* of an element */
    uint8_t line[IFL_WARP_LANES], along[IFL_WARP_LANES];
} ifl_matrix_places;

/* Eight rows of 16 bytes are a matrix; lane 8 i + r has the address of row r of matrix i.
 * code->extra of matrix_load, matrix_store. Lane l holds, of each matrix, the 4 bytes l % 4 of row
 * l / 4; transposed, elements of 16 bits, those of column l / 4. Elements of 6 or 4 bits are packed in
 * the first bytes of a row of 16, and loaded into a byte each. Byte v of a register of transposed bytes
 * is in column l / 4 + 8 (v / 2): stored, of row 2 (l % 4) + v % 2; loaded, of 16 rows of two
 * registers, register r, of row 4 (l % 4) + 2 r + v % 2 (CUTLASS 4, copy_traits_sm100.hpp). */
typedef struct ifl_matrix_move {
    ifl_transfer at; /* the address; kind, space; bytes 16 */
    uint8_t count;   /* registers, of 8 rows each: 1, 2, 4 */
    bool transposes;
    uint8_t bits;     /* of an element in memory: 16, 8, 6, 4 */
    uint32_t data[4]; /* slots */
} ifl_matrix_move;

#endif
