/* SPDX-License-Identifier: Apache-2.0
 * See matrix_scale.h. How the sums are made: arch/matrix_rules.def, BYTES and FOURS. */
#include "exec/matrix_scale.h"

enum { GROUP = 16, MOST_DEPTH = 128 };

/* UE8M0 is a power of two, all ones a NaN; UE4M3 an e4m3 without its sign. The significand has
 * three bits behind the point. */
ifl_number ifl_matrix_scale_of(bool are_powers, uint32_t bits)
{
    enum { BIAS = 127, NAN_BITS = 0xff, ONE = 8, NO_SIGN = 0x7f };
    if (!are_powers)
        return ifl_number_of(IFL_MATRIX_E4M3, bits & NO_SIGN);
    bits &= UINT8_MAX;
    return (ifl_number){.significand = ONE,
                        .exponent = (int16_t)((int)bits - BIAS),
                        .kind = bits == NAN_BITS ? IFL_NUMBER_NAN : IFL_NUMBER_FINITE};
}

/* Of floats of 4 bits each 16 products are one exact number; that and a's scale are one factor, b's
 * scale is the other. */
static uint32_t sum_of_groups(const ifl_matrix_product *product, const ifl_number *a,
                              const ifl_number *b, unsigned count, const ifl_matrix_scales *s,
                              uint32_t c)
{
    enum { SCALE_BITS = 3, PRODUCT_BITS = 2, MOST_GROUPS = MOST_DEPTH / GROUP };
    ifl_number row[MOST_GROUPS], column[MOST_GROUPS];
    unsigned special = 0;
    const unsigned groups = count / GROUP;
    for (unsigned g = 0; g < groups; g++) {
        const unsigned which = g * product->scales / groups;
        int32_t sum = 0;
        for (unsigned i = g * GROUP; i < (g + 1) * GROUP; i++)
            sum += a[i].significand * b[i].significand *
                   (1 << (a[i].exponent + b[i].exponent)); /* of e2m1, 0 to 2 */
        row[g] = s->a[which];
        row[g].significand *= sum;
        column[g] = s->b[which];
        special |= row[g].kind | column[g].kind;
    }
    const ifl_numbers of_a = {row, SCALE_BITS + PRODUCT_BITS, !special, {0}},
                      of_b = {column, SCALE_BITS, !special, {0}};
    return ifl_matrix_sum(&product->rule, &of_a, &of_b, groups, product->c_type, c);
}

/* A scale that is a power of two moves exponents. */
static uint32_t moved_sum(const ifl_matrix_product *product, const ifl_numbers *row,
                          const ifl_numbers *column, unsigned count, const ifl_matrix_scales *s,
                          uint32_t c)
{
    ifl_number a[MOST_DEPTH];
    const ifl_number by_a = s->a[0], by_b = s->b[0];
    for (unsigned i = 0; i < count; i++) {
        a[i] = row->at[i];
        a[i].exponent = (int16_t)(a[i].exponent + by_a.exponent + by_b.exponent);
        if (by_a.kind || by_b.kind)
            a[i] = (ifl_number){.significand = 1, .kind = IFL_NUMBER_NAN};
    }
    const ifl_numbers of_a = {
        a, row->mantissa_bits, row->are_finite && !by_a.kind && !by_b.kind, {0}};
    const ifl_numbers of_b = {column->at, column->mantissa_bits, column->are_finite, {0}};
    return ifl_matrix_sum(&product->rule, &of_a, &of_b, count, product->c_type, c);
}

/* One scale of a line is a power of two; floats of 4 bits have several. */
uint32_t ifl_matrix_scaled_element(const ifl_matrix_product *product, const ifl_numbers *row,
                                   const ifl_numbers *column, unsigned count,
                                   const ifl_matrix_scales *scales, uint32_t c)
{
    return product->scales == 1 ? moved_sum(product, row, column, count, scales, c)
                                : sum_of_groups(product, row->at, column->at, count, scales, c);
}
