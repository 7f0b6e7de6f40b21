/* SPDX-License-Identifier: Apache-2.0
 * The rows of matrix_type.def, and which rule of adding a product follows. */
#include "code/matrix.h"

static const ifl_matrix_format formats[] = {
    [IFL_MATRIX_NONE] = {0},
#define TYPE(name, bits, exponent, mantissa, class_, top)                                          \
    [IFL_MATRIX_##name] = {bits, exponent, mantissa, #class_[0], IFL_MATRIX_TOP_##top},
#include "code/matrix_type.def"
};

const ifl_matrix_format *ifl_matrix_format_of(ifl_matrix_type type)
{
    return &formats[type < IFL_MATRIX_TYPES ? type : IFL_MATRIX_NONE];
}

unsigned ifl_matrix_register_count(ifl_matrix_type type, unsigned elements)
{
    enum { WORD_BITS = 32 };
    const unsigned bits = ifl_matrix_format_of(type)->bits,
                   width = bits > WORD_BITS ? bits : WORD_BITS;
    return elements * bits / width / IFL_WARP_LANES;
}

bool ifl_matrix_product_fits(const ifl_matrix_product *p)
{
    const unsigned a = (unsigned)p->m * p->k / (p->is_sparse ? 2 : 1);
    return (p->m == IFL_MATRIX_ROWS || p->m == IFL_MATRIX_ROWS / 2) && p->n == IFL_MATRIX_COLUMNS &&
           p->k >= 4 && p->k <= IFL_MATRIX_DEPTH &&
           ifl_matrix_register_count(p->a_type, a) - 1 < IFL_MATRIX_REGISTERS &&
           ifl_matrix_register_count(p->b_type, (unsigned)p->n * p->k) - 1 < IFL_MATRIX_REGISTERS &&
           ifl_matrix_register_count(p->c_type, (unsigned)p->m * p->n) - 1 < IFL_MATRIX_REGISTERS;
}

/* 8 columns and more, 32 bytes of each line along k. */
bool ifl_group_product_fits(const ifl_group_product *p)
{
    enum { LINE_BITS = 256 };
    const ifl_matrix_product *one = &p->one;
    return one->a_type && one->b_type && one->c_type &&
           (ifl_matrix_format_of(one->a_type)->bits >= 8 || one->a_type == IFL_MATRIX_B1) &&
           one->n >= IFL_MATRIX_COLUMNS && one->n <= IFL_GROUP_COLUMNS &&
           one->n % IFL_MATRIX_COLUMNS == 0 &&
           one->k * ifl_matrix_format_of(one->a_type)->bits == LINE_BITS << one->is_sparse &&
           ifl_matrix_format_of(one->b_type)->bits == ifl_matrix_format_of(one->a_type)->bits;
}

ifl_matrix_work ifl_matrix_work_of(const ifl_matrix_product *p, ifl_matrix_unit unit)
{
    const uint32_t all = (uint32_t)p->m * p->n * p->k;
    const ifl_matrix_format *f = ifl_matrix_format_of(p->a_type);
    const ifl_matrix_kind kind = p->a_type == IFL_MATRIX_F64        ? IFL_MATRIX_KIND_DOUBLES
                                 : p->a_type == IFL_MATRIX_TF32     ? IFL_MATRIX_KIND_TF32
                                 : f->bits == 16                    ? IFL_MATRIX_KIND_HALVES
                                 : f->bits == 1                     ? IFL_MATRIX_KIND_B1
                                 : f->class_ == 'F' && f->bits == 8 ? IFL_MATRIX_KIND_BYTES
                                 : f->class_ == 'F'                 ? IFL_MATRIX_KIND_FOURS
                                 : f->bits == 8                     ? IFL_MATRIX_KIND_S8
                                                                    : IFL_MATRIX_KIND_S4;
    return (ifl_matrix_work){.kind = (uint8_t)kind,
                             .unit = (uint8_t)unit,
                             .is_sparse = p->is_sparse,
                             .products = p->is_sparse ? all / 2 : all};
}

/* All 64 rows of a, and b. */
ifl_matrix_work ifl_group_work_of(const ifl_group_product *p)
{
    enum { WARPS = 4, BYTE_BITS = 8 };
    const ifl_matrix_product *one = &p->one;
    const uint32_t a = WARPS * (uint32_t)one->m * one->k / (one->is_sparse ? 2 : 1),
                   b = (uint32_t)one->n * one->k, bits = ifl_matrix_format_of(one->a_type)->bits;
    ifl_matrix_work work = ifl_matrix_work_of(one, IFL_MATRIX_UNIT_GROUP);
    work.shared_bytes = (b + (p->is_a_in_registers ? 0 : a)) * bits / BYTE_BITS;
    return work;
}

bool ifl_matrix_set_rule(ifl_matrix_product *product, ifl_matrix_unit unit, uint32_t sm)
{
    const ifl_matrix_format *a = ifl_matrix_format_of(product->a_type);
    if (a->class_ != 'F' || product->a_type == IFL_MATRIX_F64)
        return true;
    const ifl_matrix_operands operands = product->a_type == IFL_MATRIX_TF32
                                             ? IFL_MATRIX_OPERANDS_TF32
                                         : a->bits == 16 ? IFL_MATRIX_OPERANDS_HALVES
                                         : a->bits == 4  ? IFL_MATRIX_OPERANDS_FOURS
                                                         : IFL_MATRIX_OPERANDS_BYTES;
    return ifl_matrix_rule_find(unit, operands, sm, &product->rule);
}
