/* SPDX-License-Identifier: Apache-2.0
 * How products of tensor memory are added, by the published rules (arch/matrix_rules.def, TENSOR):
 * sums that show which bits are kept, computed by hand. And where metadata and sums lie. */
#include "code/matrix.h"
#include "code/tensor.h"
#include "exec/matrix_sum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ONE = 0x3f800000, COUNT = 32 };

/* 1 * 1, and `count` - 1 products of 2^-exponent each, in a format with 10 bits of mantissa. */
static uint32_t one_and(ifl_matrix_operands operands, unsigned count, int exponent)
{
    ifl_matrix_rule rule;
    ifl_number a[COUNT], b[COUNT];
    assert_true(ifl_matrix_rule_find(IFL_MATRIX_UNIT_TENSOR, operands, 100, &rule));
    for (unsigned i = 0; i < count; i++) {
        a[i] = (ifl_number){.significand = 1024, .exponent = (int16_t)(i ? -exponent : 0)};
        b[i] = (ifl_number){.significand = 1024};
    }
    const ifl_numbers row = {a, 10, true, {0}}, column = {b, 10, true, {0}};
    return ifl_matrix_sum(&rule, &row, &column, count, IFL_MATRIX_F32, 0);
}

/* 25 bits below the largest are kept: 8 times 2^-25 are 2^-22, 2 units of the result; 8 times 2^-26
 * are nothing. */
static void test_kept_bits(void **state)
{
    (void)state;
    assert_int_equal(one_and(IFL_MATRIX_OPERANDS_HALVES, 9, 25), ONE + 2);
    assert_int_equal(one_and(IFL_MATRIX_OPERANDS_HALVES, 9, 26), ONE);
    assert_int_equal(one_and(IFL_MATRIX_OPERANDS_TF32, 8, 25), ONE + 1); /* 7 / 4 units, cut */
    assert_int_equal(one_and(IFL_MATRIX_OPERANDS_BYTES, 9, 25), ONE + 2);
    assert_int_equal(one_and(IFL_MATRIX_OPERANDS_FOURS, 4, 24), ONE + 1); /* 3 / 2 units */
}

/* A sum of 16 halves takes all of 15 times 2^-25, 15 / 4 units; the next sum begins with what was
 * cut. Of tf32, 8 at once: 7 / 4 units are 1, and 8 / 4 more are 3. */
static void test_products_of_a_sum(void **state)
{
    (void)state;
    assert_int_equal(one_and(IFL_MATRIX_OPERANDS_HALVES, 16, 25), ONE + 3);
    assert_int_equal(one_and(IFL_MATRIX_OPERANDS_TF32, 16, 25), ONE + 3);
    assert_int_equal(one_and(IFL_MATRIX_OPERANDS_HALVES, 32, 25), ONE + 3 + 4);
    assert_int_equal(one_and(IFL_MATRIX_OPERANDS_BYTES, 32, 25), ONE + 7); /* 31 / 4 */
}

static void test_no_rule(void **state)
{
    (void)state;
    ifl_matrix_rule rule;
    assert_false(
        ifl_matrix_rule_find(IFL_MATRIX_UNIT_TENSOR, IFL_MATRIX_OPERANDS_HALVES, 120, &rule));
    assert_false(
        ifl_matrix_rule_find(IFL_MATRIX_UNIT_TENSOR, IFL_MATRIX_OPERANDS_HALVES, 90, &rule));
}

static const char *describe(ifl_tensor_kind kind, unsigned blocks, uint32_t bits,
                            ifl_tensor_description *out)
{
    const ifl_tensor_product product = {.kind = (uint8_t)kind, .blocks = (uint8_t)blocks};
    return ifl_tensor_describe(&product, bits, out);
}

/* PTX ISA 9.0, "Instruction descriptor": CUTLASS's for 128 x 256 of bf16 to f32 is 0x8400490; of
 * mxf8f6f4, e4m3 and e5m2, 256 x 128, scales 1 and 2. */
static void test_descriptions(void **state)
{
    (void)state;
    ifl_tensor_description d;
    assert_null(describe(IFL_TENSOR_F16, 1, 0x08400490, &d));
    assert_int_equal(d.m, 128);
    assert_int_equal(d.n, 256);
    assert_int_equal(d.k, 16);
    assert_int_equal(d.a_type, IFL_MATRIX_BF16);
    assert_int_equal(d.d_type, IFL_MATRIX_F32);
    assert_null(describe(IFL_TENSOR_MXF8F6F4, 2,
                         2u << 4 | 1u << 10 | 16u << 17 | 1u << 23 | 2u << 27 | 1u << 29, &d));
    assert_int_equal(d.m, 256);
    assert_int_equal(d.k, 32);
    assert_int_equal(d.b_type, IFL_MATRIX_E5M2);
    assert_int_equal(d.scale_a_id, 1);
    assert_int_equal(d.scale_b_id, 2);
    assert_non_null(describe(IFL_TENSOR_TF32, 1, 0x08400490, &d)); /* halves are no tf32 */
    assert_non_null(describe(IFL_TENSOR_F16, 2, 0x04400490, &d));  /* 64 rows of two blocks */
    assert_non_null(describe(IFL_TENSOR_MXF4, 1, 1u << 31 | 1u << 27, &d)); /* a depth of 96 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_bits), cmocka_unit_test(test_products_of_a_sum),
        cmocka_unit_test(test_no_rule), cmocka_unit_test(test_descriptions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
