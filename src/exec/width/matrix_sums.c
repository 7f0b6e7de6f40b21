/* SPDX-License-Identifier: Apache-2.0
 * See matrix_sums.h. Where no bit of a sum can be lost it is the host's; else every addend is cut
 * as the rule says. What is rare is left to ../matrix_sum.c: infinities and NaNs, sparse matrices,
 * single bits, products in halves. */
#include "exec/width/matrix_sums.h"

#include "exec/lane.h"
#include "exec/matrix_product.h"

enum {
    NOTHING = -1000,
    ZERO_EXPONENT = -9000, /* no exponent; no sum with one of these is above it */
    NO_BIT = 9000,         /* the lowest bit of zero */
    LEAST_POWER = -126,
    F32_BITS = 23,
    F32_BIAS = 127,
    F64_BITS = 52,
    F64_BIAS = 1023
};

#define CHOOSE(where, a, b) (((where) & (a)) | (~(where) & (b)))

/* gcc compares vectors that are wider than the processor's element by element; it shifts them in
 * parts. The numbers here are far from where a difference would overflow. */
#define IS_NEGATIVE(x) ((x) >> (WORD_BITS - 1))
#define IS_ZERO(x) IS_NEGATIVE((x)-1) /* of what is not negative */

/* Of a whole column or of some rows. */
#define raise_to(most, other)                                                                      \
    do {                                                                                           \
        const __typeof__(*(most)) more = (other) - *(most);                                        \
        *(most) += more & ~IS_NEGATIVE(more);                                                      \
    } while (0)
#define lower_to(least, other)                                                                     \
    do {                                                                                           \
        const __typeof__(*(least)) more = (other) - *(least);                                      \
        *(least) += more & IS_NEGATIVE(more);                                                      \
    } while (0)

/* So many rows at a time that what is made of them is in the processor's registers. */
#if defined __AVX512F__
#define ROWS_TOGETHER 16
#elif defined __AVX2__
#define ROWS_TOGETHER 8
#else
#define ROWS_TOGETHER 4
#endif
typedef float some_floats __attribute__((vector_size(4 * ROWS_TOGETHER)));
typedef int32_t some_ints __attribute__((vector_size(4 * ROWS_TOGETHER)));
typedef uint32_t some_words __attribute__((vector_size(4 * ROWS_TOGETHER)));

typedef struct some_numbers {
    some_floats significand;
    some_ints exponent;
} some_numbers;

/* 2^exponent, of normal numbers. */
#define POWER(exponent) ((floats)(((exponent) + F32_BIAS) << F32_BITS))

/* ---- numbers --------------------------------------------------------------------------------- */

/* Of all numbers that are not zero: the lowest bit, the largest exponent; what is not finite. */
typedef struct extremes {
    some_ints low, high, special;
} extremes;

/* The rows of matrix_type.def again, where the compiler sees them. */
static const ifl_matrix_format formats[IFL_MATRIX_TYPES] = {
#define TYPE(name, bits, exponent, mantissa, class_, top)                                          \
    [IFL_MATRIX_##name] = {bits, exponent, mantissa, #class_[0], IFL_MATRIX_TOP_##top},
#include "code/matrix_type.def"
};

static bounds bounds_of(extremes of)
{
    int low = NO_BIT, high = ZERO_EXPONENT, special = 0;
    _Pragma("omp simd reduction(min:low) reduction(max:high) reduction(|:special)") //
        for (unsigned i = 0; i < ROWS_TOGETHER; i++)
    {
        low = of.low[i] < low ? of.low[i] : low;
        high = of.high[i] > high ? of.high[i] : high;
        special |= of.special[i];
    }
    return (bounds){low, high, special != 0};
}

/* As ifl_number_of. */
IFL_INLINE void take_floats(const ifl_matrix_format *f, some_ints x, some_numbers *to, extremes *of)
{
    const int bits = f->mantissa_bits, mantissas = (1 << bits) - 1,
              exponents = (1 << f->exponent_bits) - 1;
    const some_ints mantissa = x & mantissas, stated = x >> bits & exponents,
                    is_top = IS_ZERO(stated ^ exponents), is_normal = ~IS_ZERO(stated),
                    significand = mantissa | (is_normal & (1 << bits)),
                    is_zero = IS_ZERO(significand),
                    exponent = CHOOSE(is_normal, stated, 1) - (exponents >> 1),
                    lowest = ((some_ints) __builtin_convertvector(significand & -significand,
                                                                  some_floats) >>
                              F32_BITS) -
                             F32_BIAS;
    if (f->top == IFL_MATRIX_TOP_IEEE)
        of->special |= is_top;
    if (f->top == IFL_MATRIX_TOP_LAST)
        of->special |= is_top & IS_ZERO(mantissa ^ mantissas);
    to->significand = (some_floats)((some_ints) __builtin_convertvector(significand, some_floats) |
                                    ((x >> (bits + f->exponent_bits) & 1) << (WORD_BITS - 1)));
    to->exponent = CHOOSE(is_zero, ZERO_EXPONENT, exponent);
    lower_to(&of->low, CHOOSE(is_zero, NO_BIT, exponent - bits + lowest));
    raise_to(&of->high, to->exponent);
}

IFL_INLINE void take_integers(const ifl_matrix_format *f, some_words x, some_numbers *to)
{
    const int rest = WORD_BITS - f->bits;
    x <<= rest;
    to->exponent = (some_ints){0};
    to->significand = __builtin_convertvector(
        f->class_ == 'S' ? (some_ints)x >> rest : (some_ints)(x >> rest), some_floats);
}

IFL_INLINE void take(const ifl_matrix_format *f, some_words x, some_numbers *to, extremes *of)
{
    if (f->class_ == 'F')
        take_floats(f, (some_ints)x, to, of);
    else
        take_integers(f, x, to);
}

/* How far element i of a word is up. TF32 is an f32 whose last 13 bits do not count. */
IFL_INLINE unsigned element_at(ifl_matrix_type type, unsigned i)
{
    enum { TF32_IGNORED = 13 };
    return type == IFL_MATRIX_TF32 ? TF32_IGNORED
                                   : i * formats[type].bits + ifl_matrix_low_bit(type);
}

IFL_INLINE extremes no_extremes(void)
{
    const some_ints zero = {0};
    return (extremes){zero + NO_BIT, zero + ZERO_EXPONENT, zero};
}

IFL_INLINE void put_rows(const some_numbers *from, numbers *to, unsigned row)
{
    memcpy((float *)&to->significand + row, &from->significand, sizeof from->significand);
    memcpy((int32_t *)&to->exponent + row, &from->exponent, sizeof from->exponent);
}

IFL_INLINE void take_words_of_a(ifl_matrix_type type, const uint32_t (*a)[ROWS], factors *f)
{
    extremes of = no_extremes();
    for (unsigned row = 0; row < ROWS; row += ROWS_TOGETHER)
        for (unsigned w = 0; w < f->words; w++) {
            some_words x;
            some_numbers n;
            memcpy(&x, a[w] + row, sizeof x);
            for (unsigned i = 0; i < f->each; i++) {
                take(&formats[type], x >> element_at(type, i), &n, &of);
                put_rows(&n, &f->a[w * f->each + i], row);
            }
        }
    f->a_bounds = bounds_of(of);
}

IFL_INLINE void take_words_of_b(ifl_matrix_type type, const uint32_t *b, factors *f)
{
    extremes of = no_extremes();
    for (unsigned at = 0; at < f->words * COLUMNS; at += ROWS_TOGETHER) {
        some_words x;
        some_numbers n;
        memcpy(&x, b + at, sizeof x);
        for (unsigned i = 0; i < f->each; i++) {
            take(&formats[type], x >> element_at(type, i), &n, &of);
            memcpy(&f->b_significand[i][at], &n.significand, sizeof n.significand);
            memcpy(&f->b_exponent[i][at], &n.exponent, sizeof n.exponent);
        }
    }
    f->b_bounds = bounds_of(of);
}

/* The common types with their rows as constants. */
#define TAKE_WORDS(take_words, type)                                                               \
    switch (type) {                                                                                \
    case IFL_MATRIX_F16:                                                                           \
        take_words(IFL_MATRIX_F16, from, f);                                                       \
        break;                                                                                     \
    case IFL_MATRIX_BF16:                                                                          \
        take_words(IFL_MATRIX_BF16, from, f);                                                      \
        break;                                                                                     \
    case IFL_MATRIX_TF32:                                                                          \
        take_words(IFL_MATRIX_TF32, from, f);                                                      \
        break;                                                                                     \
    default:                                                                                       \
        take_words(type, from, f);                                                                 \
    }

void SUMS_NAME(take_a)(const ifl_matrix_product *op, const uint32_t (*from)[ROWS], factors *f)
{
    f->a_format = &formats[op->a_type];
    f->each = WORD_BITS / f->a_format->bits;
    f->words = op->k / f->each;
    f->has_a_values = false;
    TAKE_WORDS(take_words_of_a, op->a_type)
}

void SUMS_NAME(take_b)(const ifl_matrix_product *op, const uint32_t *from, factors *f)
{
    f->b_format = &formats[op->b_type];
    TAKE_WORDS(take_words_of_b, op->b_type)
}

/* ---- sums that are exact in f32 -------------------------------------------------------------- */

enum { LEAST_FACTOR = -100 }; /* its power is normal, and those of its mantissa's bits are */

/* Once for all columns that a meets. */
static void make_a_values(factors *f)
{
    const ints least = (ints){0} + LEAST_FACTOR;
    for (unsigned k = 0; k < f->words * f->each && !f->has_a_values; k++) {
        ints exponent = f->a[k].exponent;
        raise_to(&exponent, least);
        f->a_value[k] = f->a_format->class_ == 'F'
                            ? f->a[k].significand * POWER(exponent - f->a_format->mantissa_bits)
                            : f->a[k].significand;
    }
    f->has_a_values = true;
}

static void make_b_values(factors *f)
{
    const ints least = (ints){0} + LEAST_FACTOR;
    for (unsigned i = 0; i < f->each; i++)
        for (unsigned at = 0; at < f->words * COLUMNS; at += ROWS) {
            numbers n;
            memcpy(&n.significand, &f->b_significand[i][at], sizeof n.significand);
            memcpy(&n.exponent, &f->b_exponent[i][at], sizeof n.exponent);
            raise_to(&n.exponent, least);
            n.significand *= POWER(n.exponent - f->b_format->mantissa_bits);
            memcpy(&f->b_significand[i][at], &n.significand, sizeof n.significand);
        }
}

IFL_INLINE void add_products_of_rows(const factors *f, unsigned row, floats sum[COLUMNS])
{
    const unsigned depth = f->words;
    some_floats s[COLUMNS], a;
    for (unsigned j = 0; j < COLUMNS; j++)
        memcpy(&s[j], (const float *)&sum[j] + row, sizeof s[j]);
    for (unsigned w = 0; w < depth; w++)
        for (unsigned i = 0; i < f->each; i++) {
            const float *b = &f->b_significand[i][w];
            memcpy(&a, (const float *)&f->a_value[w * f->each + i] + row, sizeof a);
            s[0] += a * b[0];
            s[1] += a * b[depth];
            s[2] += a * b[2 * depth];
            s[3] += a * b[3 * depth];
            s[4] += a * b[4 * depth];
            s[5] += a * b[5 * depth];
            s[6] += a * b[6 * depth];
            s[7] += a * b[7 * depth];
        }
    for (unsigned j = 0; j < COLUMNS; j++)
        memcpy((float *)&sum[j] + row, &s[j], sizeof s[j]);
}

/* sum += a * b, of values. */
static void add_products(const factors *f, floats sum[COLUMNS])
{
    for (unsigned row = 0; row < ROWS; row += ROWS_TOGETHER)
        add_products_of_rows(f, row, sum);
}

/* Can the products be made from values, with all their bits, and be scaled by one power of two for a
 * row? What is not zero has a shift that is a normal power (`fraction` - its exponent). */
static bool are_values_products(const ifl_matrix_product *op, const factors *f)
{
    enum { MOST_EXPONENT = 124, MANTISSA = F32_BITS + 1, CARRIES = 2 };
    const bounds *a = &f->a_bounds, *b = &f->b_bounds;
    return a->low >= LEAST_FACTOR && b->low >= LEAST_FACTOR && a->high <= -LEAST_FACTOR &&
           b->high <= -LEAST_FACTOR && a->high + b->high <= MOST_EXPONENT &&
           a->low + b->low >= op->rule.fraction_bits - F32_BIAS &&
           f->a_format->mantissa_bits + f->b_format->mantissa_bits + CARRIES <= MANTISSA;
}

/* Are all numbers multiples of one power of two, and so small beside it that neither the rule nor
 * f32 loses a bit of any sum? Most matrices of whole numbers are. */
static bool are_sums_exact(const ifl_matrix_product *op, const factors *f, const bounds *c)
{
    enum { MOST_BITS = 126, CARRY = 1, PRODUCT_CARRY = 2 };
    const bounds *a = &f->a_bounds, *b = &f->b_bounds;
    const int kept = op->rule.fraction_bits < op->rule.result_bits ? op->rule.fraction_bits
                                                                   : op->rule.result_bits;
    const int depth_bits = WORD_BITS - __builtin_clz(op->k - 1u),
              products = a->high + b->high + PRODUCT_CARRY + depth_bits, sums = c->high + CARRY,
              high = (products > sums ? products : sums) + CARRY,
              low = a->low + b->low < c->low ? a->low + b->low : c->low;
    return op->c_type == IFL_MATRIX_F32 && a->low >= LEAST_FACTOR && b->low >= LEAST_FACTOR &&
           a->high <= -LEAST_FACTOR && b->high <= -LEAST_FACTOR && low >= LEAST_POWER &&
           high <= MOST_BITS && high <= low + kept + CARRY;
}

static void add_exactly(factors *f, uint32_t (*c)[ROWS])
{
    floats sum[COLUMNS];
    make_a_values(f);
    make_b_values(f);
    memcpy(sum, c, sizeof sum);
    add_products(f, sum);
    for (unsigned j = 0; j < COLUMNS; j++)
        sum[j] += 0.0f; /* no sum is -0 */
    memcpy(c, sum, sizeof sum);
}

/* ---- sums that are cut ----------------------------------------------------------------------- */

typedef struct column {
    numbers c;
    uint32_t bits[ROWS];
} column;

/* The common type with its row as constants. */
IFL_INLINE void take_c(ifl_matrix_type type, const uint32_t bits[ROWS], numbers *to, extremes *of)
{
    for (unsigned row = 0; row < ROWS; row += ROWS_TOGETHER) {
        some_ints x;
        some_numbers n;
        memcpy(&x, bits + row, sizeof x);
        if (type == IFL_MATRIX_F32)
            take_floats(&formats[IFL_MATRIX_F32], x, &n, of);
        else
            take_floats(&formats[type], x, &n, of);
        put_rows(&n, to, row);
    }
}

/* value * 2^shift, cut toward zero. */
IFL_INLINE ints cut(floats value, ints shift)
{
    raise_to(&shift, (ints){0} + LEAST_POWER);
    return __builtin_convertvector(value * POWER(shift), ints);
}

/* (products + addend) * 2^exponent: an f32 that is cut to so many bits. What is below its normal
 * numbers, and halves, one after another. */
static void pack(const ifl_matrix_product *op, ints products, ints addend, ints exponent,
                 uint32_t bits[ROWS])
{
    enum { LEAST_SCALE = -900 };
    const uint64_t kept = UINT64_MAX << (F64_BITS - op->rule.result_bits);
    uint32_t rest = op->c_type == IFL_MATRIX_F32 ? 0 : (1u << ROWS) - 1;
    if (!rest)
        _Pragma("omp simd reduction(|:rest)") for (int i = 0; i < ROWS; i++)
        {
            const int scale = exponent[i] < LEAST_SCALE ? LEAST_SCALE : exponent[i];
            const double sum = ((double)products[i] + (double)addend[i]) *
                               ifl_bits_f64((uint64_t)(scale + F64_BIAS) << F64_BITS);
            const double is_cut = ifl_bits_f64(ifl_f64_bits(sum) & kept);
            bits[i] = ifl_f32_bits((float)is_cut);
            rest |= (uint32_t)(sum != 0 && is_cut < 0x1p-126 && is_cut > -0x1p-126 ? 1 : 0) << i;
        }
    for (; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        bits[i] =
            ifl_matrix_pack(op->c_type, &op->rule, (int64_t)products[i] + addend[i], exponent[i]);
    }
}

/* The largest exponent among the products of words [from, to) and the addend. */
IFL_INLINE ints largest_of(const factors *f, unsigned j, unsigned from, unsigned to, ints addend)
{
    ints most = (ints){0} + NOTHING;
    raise_to(&most, addend);
    for (unsigned w = from; w < to; w++)
        for (unsigned i = 0; i < f->each; i++)
            raise_to(&most, f->a[w * f->each + i].exponent + f->b_exponent[i][j * f->words + w]);
    return most;
}

/* Whole numbers: their sums have no order. */
IFL_INLINE ints sum_of(const factors *f, unsigned j, unsigned from, unsigned to, ints shift)
{
    ints sum = {0};
    for (unsigned w = from; w < to; w++)
        for (unsigned i = 0; i < f->each; i++) {
            const numbers *a = &f->a[w * f->each + i];
            const unsigned b = j * f->words + w;
            sum += cut(a->significand * f->b_significand[i][b],
                       shift + a->exponent + f->b_exponent[i][b]);
        }
    return sum;
}

/* The same of values. A row's shift is of its largest exponent; where all of its products are zero
 * any will do. */
IFL_INLINE ints sum_of_values(const factors *f, unsigned j, unsigned from, unsigned to, ints shift)
{
    const ints most = (ints){0} + F32_BIAS;
    ints sum = {0};
    lower_to(&shift, most);
    raise_to(&shift, (ints){0} + LEAST_POWER);
    const floats scale = POWER(shift);
    for (unsigned w = from; w < to; w++)
        for (unsigned i = 0; i < f->each; i++)
            sum += __builtin_convertvector(
                f->a_value[w * f->each + i] * f->b_significand[i][j * f->words + w] * scale, ints);
    return sum;
}

/* False where c became an infinity. */
static bool add_column(const ifl_matrix_product *op, const factors *f, bool has_values, unsigned j,
                       column *of)
{
    const ifl_matrix_format *c_format = &formats[op->c_type];
    const int fraction = op->rule.fraction_bits,
              product_bits = f->a_format->mantissa_bits + f->b_format->mantissa_bits;
    const unsigned part = op->rule.products / f->each;
    for (unsigned from = 0; from < f->words; from += part) {
        const unsigned to = from + part < f->words ? from + part : f->words;
        extremes found = no_extremes();
        take_c(op->c_type, of->bits, &of->c, &found);
        if (bounds_of(found).is_special)
            return false;
        const ints most = largest_of(f, j, from, to, of->c.exponent);
        pack(op,
             has_values ? sum_of_values(f, j, from, to, fraction - most)
                        : sum_of(f, j, from, to, fraction - product_bits - most),
             cut(of->c.significand, of->c.exponent - most + (fraction - c_format->mantissa_bits)),
             most - fraction, of->bits);
    }
    return true;
}

static bool add_cut(const ifl_matrix_product *op, factors *f, uint32_t (*c)[ROWS])
{
    const bool has_values = are_values_products(op, f);
    column of;
    if (has_values) {
        make_a_values(f);
        make_b_values(f);
    }
    for (unsigned j = 0; j < COLUMNS; j++) {
        memcpy(of.bits, c[j], sizeof of.bits);
        if (!add_column(op, f, has_values, j, &of))
            return false;
        memcpy(c[j], of.bits, sizeof of.bits);
    }
    return true;
}

/* ---- products -------------------------------------------------------------------------------- */

static void add_integers(const ifl_matrix_product *op, factors *f, uint32_t (*c)[ROWS])
{
    floats sum[COLUMNS] = {{0}};
    make_a_values(f);
    add_products(f, sum); /* below 2^24: exact */
    for (unsigned j = 0; j < COLUMNS; j++) {
        ints old, added = __builtin_convertvector(sum[j], ints);
        memcpy(&old, c[j], sizeof old);
        ints next = (ints)((words)old + (words)added);
        const ints overflows = (next ^ old) & (next ^ added) & (op->saturates ? INT32_MIN : 0);
        next = CHOOSE(IS_NEGATIVE(overflows), (old >> (WORD_BITS - 1)) ^ INT32_MAX, next);
        memcpy(c[j], &next, sizeof next);
    }
}

static bool add_floats(const ifl_matrix_product *op, factors *f, uint32_t (*c)[ROWS])
{
    extremes of = no_extremes();
    for (unsigned j = 0; j < COLUMNS; j++) {
        numbers unused;
        take_c(op->c_type, c[j], &unused, &of);
    }
    const bounds c_bounds = bounds_of(of);
    if (f->a_bounds.is_special || f->b_bounds.is_special || c_bounds.is_special)
        return false;
    if (!are_sums_exact(op, f, &c_bounds))
        return add_cut(op, f, c);
    add_exactly(f, c);
    return true;
}

/* The sums of a part's products fit 32 bits: each is below 2^(fraction + 2). */
bool SUMS_NAME(can)(const ifl_matrix_product *op)
{
    enum { SUM_BITS = 31, PRODUCT_CARRY = 2 };
    const ifl_matrix_format *a = &formats[op->a_type], *b = &formats[op->b_type];
    const bool is_integer = op->c_type == IFL_MATRIX_S32;
    return !op->is_sparse && !op->scales && !op->rule.in_halves && a->bits == b->bits &&
           a->bits >= 4 && a->bits <= WORD_BITS && op->k * a->bits <= WORDS * WORD_BITS &&
           (is_integer ||
            (op->rule.products * a->bits >= WORD_BITS &&
             (uint64_t)op->rule.products << (op->rule.fraction_bits + PRODUCT_CARRY) <=
                 UINT64_C(1) << SUM_BITS));
}

bool SUMS_NAME(add)(const ifl_matrix_product *op, factors *f, uint32_t (*c)[ROWS])
{
    if (op->c_type != IFL_MATRIX_S32)
        return add_floats(op, f, c);
    add_integers(op, f, c);
    return true;
}
