/* SPDX-License-Identifier: Apache-2.0
 * The operands, the styles of sources and the rows of instructions, made from sass/table. Data
 * only. */
#include "sass/sass_table.h"

/* Fields by their bare names, and their first bits. */
enum {
    none,
#define FIELD(name, ...) name,
#include "sass/table/bit_field.def"
};
#define FIRST_BITS(at, ...) at
#define FIRST_NOWHERE 0
enum {
#define FIELD(name, role, bits, ...) name##_AT = FIRST_##bits,
#include "sass/table/bit_field.def"
};

/* ---- operands -------------------------------------------------------------------------------- */

#define AT(at, width) .run = {{at, width}}
#define SIGNED(at, width) .run = {{at, width}}, .is_signed = true
#define SPLIT(at, width, at2, width2) .run = {{at, width}, {at2, width2}}
#define BESIDE(uniform, described)                                                                 \
    .base_at = 24, .uniform_at = uniform, .described_at = described, .base_suffix = wide_address,  \
    .base_stays = true

enum {
    NOTHING,
#define OPERAND(name, ...) name,
#include "sass/table/place.def"
#undef OPERAND
};

const ifl_sass_place ifl_sass_places[] = {
    {.name = "nothing"},
#define OPERAND(name_, role_, syntax_, ...)                                                        \
    {.name = #name_, .role = IFL_SASS_ROLE_##role_, .syntax = IFL_SASS_AS_##syntax_, __VA_ARGS__},
#include "sass/table/place.def"
#undef OPERAND
};
#undef AT

enum {
#define STYLE(name, ...) STYLE_##name,
#include "sass/table/style.def"
#undef STYLE
};

#define SELECT(a, b, c) .select = {a, b, c}
const ifl_sass_style ifl_sass_styles[] = {
#define STYLE(name_, sign_, has_absolute_, literal_, ...)                                          \
    {.name = #name_,                                                                               \
     .sign = sign_,                                                                                \
     .has_absolute = has_absolute_,                                                                \
     .literal = IFL_SASS_LITERAL_##literal_,                                                       \
     __VA_ARGS__},
#include "sass/table/style.def"
#undef STYLE
};

/* ---- rows ------------------------------------------------------------------------------------ */

/* Elements of fields. (FIELDS and OPERANDS become these in ENCODING only, so that a macro of the tables
 * can hand them on; likewise BITS of a field.) */
#define ROW_FIELDS(...) .element = {__VA_ARGS__}
#define IS(field, word) IFL_SASS_ELEMENT(field, IFL_SASS_WORD_##word, 0, 0, IFL_SASS_IS)
#define SAY(role, word)                                                                            \
    IFL_SASS_ELEMENT(IFL_SASS_VALUE_##role, IFL_SASS_WORD_##word, 0, 0, IFL_SASS_SAYS)
#define MEANS(role, word)                                                                          \
    IFL_SASS_ELEMENT(IFL_SASS_VALUE_##role, IFL_SASS_WORD_##word, 0, 0, IFL_SASS_MEANS)
#define FIXED(at, width, value) IFL_SASS_ELEMENT(0, value, at, width, IFL_SASS_FIXED)
#define AT(at, field) ((field) | IFL_SASS_ELEMENT(0, 0, at, 0, 0))
#define PRODUCT_NAME IFL_SASS_ELEMENT(0, 0, 0, 0, IFL_SASS_PRODUCT_NAME)
#define TYPES_DIFFER IFL_SASS_ELEMENT(0, 0, 0, 0, IFL_SASS_TYPES_DIFFER)
#define NONE_OF_64_BITS IFL_SASS_ELEMENT(0, 0, 0, 0, IFL_SASS_NONE_OF_64_BITS)
#define SOME_OF_64_BITS IFL_SASS_ELEMENT(0, 0, 0, 0, IFL_SASS_SOME_OF_64_BITS)

/* Operands. */
#define ROW_OPERANDS(...) .operand = {__VA_ARGS__}
#define STYLED(place, style) ((uint64_t)(place) | (uint64_t)STYLE_##style << 8)
#define A(style) STYLED(SOURCE_A, style)
#define B(style) STYLED(SOURCE_B, style)
#define C(style) STYLED(SOURCE_C, style)
#define ONE(style) STYLED(SOURCE_ONLY, style)
#define B_THIRD(style) STYLED(SOURCE_B_THIRD, style)
#define B_LAST(style) STYLED(SOURCE_B_LAST, style)
#define B_SCALED(style) STYLED(SOURCE_B_SCALED, style)
#define SCALE_OF(style) STYLED(SOURCE_SCALE, style)
#define COUNT(count, operand) ((operand) | (uint64_t)(count) << 14)
#define PAIR(operand) COUNT(2, operand)
#define QUAD(operand) COUNT(4, operand)
#define BY(role, operand) COUNT(IFL_SASS_COUNT_BY + IFL_SASS_VALUE_##role, operand)
#define OF_A(operand) COUNT(IFL_SASS_COUNT_MATRIX_A, operand)
#define OF_B(operand) COUNT(IFL_SASS_COUNT_MATRIX_B, operand)
#define OF_C(operand) COUNT(IFL_SASS_COUNT_MATRIX_C, operand)
#define OF_TENSOR(operand) COUNT(IFL_SASS_COUNT_TENSOR, operand)
#define OPT(operand) ((operand) | (uint64_t)IFL_SASS_HIDES << 22)
#define CARRY(operand) ((operand) | (uint64_t)IFL_SASS_HIDES_TO_90 << 22)

/* There where the field's first bit, or that bit, is set or clear. */
#define IF(field, operand) IF_BIT(field##_AT, operand)
#define UNLESS(field, operand) UNLESS_BIT(field##_AT, operand)
#define IF_BIT(at, operand) ((operand) | IFL_SASS_BY_BIT(at, 0))
#define UNLESS_BIT(at, operand) ((operand) | IFL_SASS_BY_BIT(at, 1))

/* Both. */
#define ON(architectures, x) ((x) | IFL_SASS_ONLY_ON(architectures))
#define ONLY(forms, x) ((x) | IFL_SASS_ONLY_IN(forms))

/* Forms. */
enum { N1 = 1 << 0, N2 = 1 << 1, N3 = 1 << 2, N4 = 1 << 3, N5 = 1 << 4, N7 = 1 << 6 };
enum { X1 = N1 << 7, X2 = N2 << 7, X3 = N3 << 7, X4 = N4 << 7, X5 = N5 << 7, X7 = N7 << 7 };
enum { X6 = 1 << 12, FREE = IFL_SASS_FREE_ON_75, BANKS = IFL_SASS_CONSTANTS_TO_90 };
enum { E1 = N1 | FREE, E2 = N2 | FREE, E4 = N4 | FREE, E5 = N5 | FREE, E7 = N7 | FREE };
enum { R = N1, I3 = N2, I2 = N4, U2 = X6, U3 = X7, C3 = N3 | X3 | BANKS, C2 = N5 | X5 | BANKS };
enum { AB = R | I2 | C2 | U2, AC = R | I3 | C3 | U3, ABC = AB | AC };
enum { UNIFORM_GUARD = IFL_SASS_UNIFORM_GUARD, UNIFORM = UNIFORM_GUARD | IFL_SASS_UNIFORM_FILE };

/* What the tables know by a name of their own. */
#define NONE 0
#define ORDER_OF_LOAD order_of_load, scope_of_load, private_of_load
#define ORDER_OF_STORE order_of_store, scope_of_store, sharing_of_store
#define ORDER_OF_ATOMIC order, scope, private
#define ORDER_OF_COPY order_of_copy, scope_of_copy, private_of_copy
#define ORDER_ON(when, order, scope, sharing) ON(when, order), ON(when, scope), ON(when, sharing)
#define TURING_ORDER(order) ORDER_ON(TO_75, order, scope_turing, private_turing)
#define LOAD_ORDER                                                                                 \
    TURING_ORDER(order_turing_load),                                                               \
        ORDER_ON(FROM_80, order_of_load, scope_of_load, private_of_load)
#define STORE_ORDER TURING_ORDER(order_turing_store), ORDER_ON(FROM_80, order, scope, private)
#define GLOBAL_STORE_ORDER                                                                         \
    TURING_ORDER(order_turing_store), ORDER_ON(FROM_80 &TO_90, order, scope, private),             \
        ORDER_ON(FROM_100, order_of_store, scope_of_store, sharing_of_store)
#define ATOMIC_ORDER TURING_ORDER(order_turing_atomic), ORDER_ON(FROM_80, order, scope, private)
#define E_ATOMIC(blackwell)                                                                        \
    ONLY(N1, e), ONLY(X4, ON(TO_90, e_atomic)), ONLY(X4, ON(FROM_100, blackwell))
#define AT_ATOMIC_OR(blackwell)                                                                    \
    ONLY(N1, AT_R), ONLY(X4, ON(TO_90, AT_ATOMIC)), ONLY(X4, ON(FROM_100, blackwell))
#define E_REDUCTION                                                                                \
    ONLY(N4, e), ONLY(X4, ON(TO_90, e_reduction)), ONLY(X4, ON(FROM_100, e_reduction_blackwell))
#define AT_REDUCTION_OR                                                                            \
    ONLY(N4, AT_R), ONLY(X4, ON(TO_90, AT_REDUCTION)),                                             \
        ONLY(X4, ON(FROM_100, AT_REDUCTION_BLACKWELL))
#define BARRIER_THREADS IF(barrier_sync, THREADS), UNLESS(barrier_sync, OPT(THREADS))
#define BLOCK_BARRIER                                                                              \
    ONLY(E1, R_BARRIER), ONLY(E1, R_THREADS), ONLY(E4 | E5, BARRIER_NUMBER),                       \
        ONLY(E4, IF(barrier_sync, R_THREADS)),                                                     \
        ONLY(E4, ON(TO_89, UNLESS(barrier_sync, R_THREADS))),                                      \
        ONLY(E4, ON(FROM_90, UNLESS(barrier_sync, OPT(R_THREADS)))),                               \
        ONLY(E5, IF(barrier_sync, THREADS)), ONLY(E5, UNLESS(barrier_sync, OPT(THREADS)))
#define PRODUCT(a, b, c)                                                                           \
    OF_C(D), OF_A(A(a)), OF_B(B(b)), OF_C(C(c)), ON(FROM_86, OPT(UP_ACCUMULATE))
#define SPARSITY(field)                                                                            \
    ON(TO_103, IF(field, R_METADATA_KEPT)), ON(FAMILY_120, IF(field, R_METADATA)),                 \
        IF(field, SELECTOR)
/* Where it is sparse the register behind the metadata has a's scales. */
#define SCALED_PRODUCT                                                                             \
    OF_C(D), OF_A(MATRIX_A_REGISTERS), OF_B(MATRIX_B_REGISTERS), OF_C(MATRIX_C),                   \
        OPT(UP_ACCUMULATE), UNLESS(scaled_sparse, R_SCALE_A), IF(scaled_sparse, PAIR(R_METADATA)), \
        R_SCALE_B, UR_SCALES, IF(scaled_sparse, SELECTOR)
#define GROUP_PRODUCT(both)                                                                        \
    OF_C(D), ONLY(X4, both), ONLY(X6, OF_A(MATRIX_A_REGISTERS)), ONLY(X6, MATRIX_B),               \
        OF_C(MATRIX_C), OPT(UP_ACCUMULATE)
#define TENSOR_PRODUCT                                                                             \
    ONLY(X2 | X6, TENSOR_A), ONLY(X4 | X7, TENSOR_A_HELD), TENSOR_B, TENSOR_D, TENSOR_SPARSE,      \
        TENSOR_KIND
#define STRONG_SYSTEM SAY(ORDER, STRONG), SAY(SCOPE, SYS)
#define ATOMIC_TYPE                                                                                \
    ON(TO_89, atomic_type_ampere), ON(TO_89, atomic_flush_ampere),                                 \
        ON(TO_89, atomic_rounding_ampere), ON(FROM_90, atomic_type)
#define SWAP_TYPE ON(TO_89, swap_type), ON(FROM_90, shared_type)
#define FLOAT_FIELDS float_op, eviction, float_type, float_flush, SAY(ROUNDING, RN)
#define TEXEL texel_type, texel_rounding
#define SURFACE_REDUCTION                                                                          \
    SAY(FORMAT, D), surface_bytes, surface_dimensions, reduction_op, eviction, surface_type,       \
        surface_flush, surface_rounding
#define SURFACE_ORDER_LOAD                                                                         \
    TURING_ORDER(order_turing_store),                                                              \
        ORDER_ON(FROM_80, order_of_load, scope_of_load, private_of_load)
#define BULK_COPY                                                                                  \
    bulk_to, bulk_from, multicast, ON(FROM_100, byte_mask), AT(81, prefetch), sequenced,           \
        ON(FAMILY_100, counted), bulk_order, bulk_scope
#define BULK_REDUCTION                                                                             \
    FIXED(74, 1, 1), bulk_to, SAY(SPACE2, S), reduction_op, ON(FAMILY_100, counted), bulk_type,    \
        bulk_flush, bulk_rounding, bulk_order, bulk_scope
#define TENSOR_LOAD                                                                                \
    dimensions, ON(SM_90, im2col), ON(FROM_100, im2col_any), multicast, ON(FAMILY_100, two_cta)
#define TENSOR_LOAD_PLAIN                                                                          \
    ON(FROM_100, FIXED(82, 2, 0)), ON(FAMILY_120, FIXED(85, 1, 0)), dimensions,                    \
        ON(FROM_100, gather), ON(FAMILY_100, two_cta)
#define COPY_FIELDS                                                                                \
    bypass, eviction, ON(TO_90, AT(71, prefetch)), ON(FROM_100, AT(72, prefetch)),                 \
        ON(TO_90, width_words), ON(FROM_100, AT(74, width_words)), zfill, ORDER_OF_COPY

const ifl_sass_row ifl_sass_rows[] = {
#define ENCODING(op_, base_, forms_, architectures_, fields_, operands_)                           \
    {.op = IFL_SASS_OP_##op_,                                                                      \
     .base = base_,                                                                                \
     .forms = forms_,                                                                              \
     .architectures = architectures_,                                                              \
     ROW_##fields_,                                                                                \
     ROW_##operands_},
#include "sass/table/instruction.def"
};

const unsigned ifl_sass_row_count = sizeof ifl_sass_rows / sizeof *ifl_sass_rows;
