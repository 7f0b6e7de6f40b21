/* SPDX-License-Identifier: Apache-2.0
 * Instruction descriptors of tcgen05.mma, and where its matrices lie in tensor memory (PTX ISA 9.0,
 * "Instruction Descriptor", "Data Path Layout Organization", "Sparse Matrices"). */
#include "code/matrix.h"
#include "code/tensor.h"

enum { PIECE_BITS = 128, PART_LANES = 32, MOST_COLUMNS = 256 };

static uint32_t field(uint32_t bits, unsigned at, unsigned width)
{
    return bits >> at & ((1u << width) - 1);
}

/* ---- types ----------------------------------------------------------------------------------- */

/* Elements of 6 and 4 bits stand in groups of 16, which take 16 bytes each; only mxf4 packs. */
static uint8_t small_type(uint32_t code, uint8_t *bits)
{
    static const struct {
        uint8_t type, bits;
    } types[] = {{IFL_MATRIX_E4M3, 8}, {IFL_MATRIX_E5M2, 8}, {IFL_MATRIX_NONE, 0},
                 {IFL_MATRIX_E2M3, 6}, {IFL_MATRIX_E3M2, 6}, {IFL_MATRIX_E2M1, 4},
                 {IFL_MATRIX_NONE, 0}, {IFL_MATRIX_NONE, 0}};
    *bits = types[code].bits;
    return types[code].type;
}

static uint8_t type_of(uint8_t kind, uint32_t code, uint8_t *bits, uint8_t *each)
{
    static const uint8_t halves[] = {IFL_MATRIX_F16, IFL_MATRIX_BF16, IFL_MATRIX_TF32};
    uint8_t type = IFL_MATRIX_NONE;
    switch (kind) {
    case IFL_TENSOR_I8:
        type = code > 1 ? IFL_MATRIX_NONE : code ? IFL_MATRIX_S8 : IFL_MATRIX_U8;
        break;
    case IFL_TENSOR_F8F6F4:
    case IFL_TENSOR_MXF8F6F4:
        type = small_type(code, bits);
        *each = 16;
        return type;
    case IFL_TENSOR_MXF4:
        *bits = 4;
        *each = PIECE_BITS / 4;
        return code == 1 ? IFL_MATRIX_E2M1 : IFL_MATRIX_NONE;
    default:
        type = code < sizeof halves ? halves[code] : IFL_MATRIX_NONE;
        if ((kind == IFL_TENSOR_F16 && type == IFL_MATRIX_TF32) ||
            (kind == IFL_TENSOR_TF32 && type != IFL_MATRIX_TF32))
            type = IFL_MATRIX_NONE;
    }
    *bits = ifl_matrix_format_of(type)->bits;
    *each = *bits ? (uint8_t)(PIECE_BITS / *bits) : 0;
    return type;
}

static uint8_t sum_type(uint8_t kind, uint32_t code, uint8_t a_type)
{
    if (kind == IFL_TENSOR_I8)
        return code == 2 ? IFL_MATRIX_S32 : IFL_MATRIX_NONE;
    if (kind == IFL_TENSOR_MXF8F6F4 || kind == IFL_TENSOR_MXF4 || code == 1)
        return IFL_MATRIX_F32;
    return code == 0 && a_type != IFL_MATRIX_BF16 && a_type != IFL_MATRIX_TF32 ? IFL_MATRIX_F16
                                                                               : IFL_MATRIX_NONE;
}

/* ---- the descriptor -------------------------------------------------------------------------- */

static bool has_scales(const ifl_tensor_product *p)
{
    return p->kind == IFL_TENSOR_MXF8F6F4 || p->kind == IFL_TENSOR_MXF4;
}

static const char *check_shape(const ifl_tensor_product *p, const ifl_tensor_description *d)
{
    const bool is_known = p->keeps_weights
                              ? p->blocks == 1 && (d->m == 32 || d->m == 64 || d->m == 128)
                          : p->blocks == 2 ? d->m == 128 || d->m == 256
                                           : d->m == 64 || d->m == 128;
    if (!is_known || (has_scales(p) && d->m < 128))
        return "such a product cannot have this number of rows";
    if (!d->n || d->n > MOST_COLUMNS || (p->blocks == 2 && d->n % 16))
        return "such a product cannot have this number of columns";
    if (p->keeps_weights && d->n != 64 && d->n != 128 && (d->n != MOST_COLUMNS || d->is_sparse))
        return d->is_sparse ? "a sparse product .ws has 64 or 128 columns"
                            : "a product .ws has 64, 128 or 256 columns";
    if (p->blocks == 2 && d->m == 128 && d->is_sparse && has_scales(p))
        return "a sparse product with scales in two blocks has 256 rows";
    return NULL;
}

static const char *check_types(const ifl_tensor_description *d)
{
    const bool may_transpose = d->a_bits >= 8 && d->b_bits >= 8;
    if (!d->a_type || !d->b_type || !d->d_type)
        return "such a product cannot have these types";
    if ((d->a_type == IFL_MATRIX_TF32) != (d->b_type == IFL_MATRIX_TF32))
        return "such a product cannot have these types";
    if ((d->transposes_a || d->transposes_b) && !may_transpose)
        return "elements of fewer than 8 bits cannot lie across";
    return NULL;
}

/* Bytes of a word are where scales begin: two of them at its halves, four at its begin. */
static const char *check_scales(const ifl_tensor_product *p, const ifl_tensor_description *d)
{
    const unsigned ids = d->scale_a_id | d->scale_b_id;
    return has_scales(p) && p->scales > 1 && ids & (p->scales - 1u)
               ? "so many scales cannot begin there"
               : NULL;
}

/* PTX ISA 9.0, "Block Scaling": a depth of 96 has half as many scales again, three of which begin at
 * any byte of a word and six at its halves. */
static const char *deepen(const ifl_tensor_product *p, ifl_tensor_description *d)
{
    enum { DEPTH = 96, FIRST_SM = 103, SIX = 6 };
    if (p->kind != IFL_TENSOR_MXF4 || d->is_sparse)
        return "a depth of 96 is for dense products of 4 bits only";
    if (p->sm < FIRST_SM)
        return "a depth of 96 needs sm_103";
    d->k = DEPTH;
    d->scales = (uint8_t)(p->scales * 3 / 2);
    return d->scales == SIX && (d->scale_a_id | d->scale_b_id) & 1
               ? "so many scales cannot begin there"
               : NULL;
}

const char *ifl_tensor_describe(const ifl_tensor_product *p, uint32_t bits,
                                ifl_tensor_description *out)
{
    const bool is_scaled = has_scales(p), is_fours = p->kind == IFL_TENSOR_MXF4;
    *out = (ifl_tensor_description){.selector = (uint8_t)field(bits, 0, 2),
                                    .is_sparse = field(bits, 2, 1),
                                    .saturates = p->kind == IFL_TENSOR_I8 && field(bits, 3, 1),
                                    .negates_a = field(bits, 13, 1),
                                    .negates_b = field(bits, 14, 1),
                                    .transposes_a = field(bits, 15, 1),
                                    .transposes_b = field(bits, 16, 1),
                                    .n = (uint16_t)(field(bits, 17, 6) * 8),
                                    .are_powers = field(bits, 23, 1),
                                    .m = (uint16_t)(field(bits, 24, 5) * 16)};
    out->a_type = type_of(p->kind, field(bits, 7, 3), &out->a_bits, &out->a_each);
    out->b_type = type_of(p->kind, field(bits, 10, is_fours ? 2 : 3), &out->b_bits, &out->b_each);
    out->d_type = sum_type(p->kind, field(bits, 4, 2), out->a_type);
    if (is_scaled) {
        out->scale_b_id = (uint8_t)field(bits, 4, 2);
        out->scale_a_id = (uint8_t)field(bits, 29, 2);
        out->m = (uint16_t)(field(bits, 27, 2) * 128);
        out->scales = p->scales;
        if (!is_fours && !out->are_powers)
            return "such a product cannot have these scales";
    }
    const char *wrong = check_types(out);
    if (!wrong)
        wrong = check_shape(p, out);
    if (!wrong && p->says_sparse && p->is_sparse != out->is_sparse)
        wrong = "it and .sp do not agree on whether a is sparse";
    if (wrong)
        return wrong;
    out->k = (uint16_t)((is_fours ? 64 : out->a_each * 2) << out->is_sparse);
    return is_scaled && field(bits, 31, 1) ? deepen(p, out) : check_scales(p, out);
}

/* ---- where matrices lie ---------------------------------------------------------------------- */

/* PTX ISA 9.0, "Data Path Layout Organization": layout F, of sparse matrices in two blocks C. */
bool ifl_tensor_takes_half(const ifl_tensor_product *p, const ifl_tensor_description *d)
{
    return d->m / p->blocks == 64 && !p->keeps_weights && (p->blocks == 1 || d->is_sparse);
}

ifl_tensor_place ifl_tensor_sum_place(const ifl_tensor_product *p, const ifl_tensor_description *d,
                                      unsigned row, unsigned column)
{
    enum { HALF_PART = 16 };
    const unsigned rows = d->m / p->blocks;
    if (ifl_tensor_takes_half(p, d))
        return (ifl_tensor_place){(uint8_t)(row / HALF_PART * PART_LANES + row % HALF_PART),
                                  (uint16_t)column};
    const unsigned part = d->n / (IFL_TENSOR_LANES / rows);
    return (ifl_tensor_place){(uint8_t)(row + rows * (column / part)), (uint16_t)(column % part)};
}

ifl_tensor_bit ifl_tensor_metadata_place(uint8_t a_type, uint8_t a_bits, unsigned row, unsigned bit)
{
    enum { HALF_WORD = 16, ROWS = 8 };
    if (a_type == IFL_MATRIX_TF32 || a_bits == 16)
        return (ifl_tensor_bit){(uint8_t)(row % ROWS + ROWS * (bit / HALF_WORD)), 0,
                                (uint8_t)(row / ROWS % 2 * HALF_WORD + bit % HALF_WORD)};
    return (ifl_tensor_bit){(uint8_t)(row % (2 * ROWS)), (uint8_t)(bit / 32), (uint8_t)(bit % 32)};
}
