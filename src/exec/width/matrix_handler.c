/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices that the lanes of a warp hold in registers (code/matrix.h), 16 rows side by
 * side; sums as arch/matrix_rules.def says. Compiled once for each vector width. What is rare is
 * left to ../matrix_product.c: infinities and NaNs, sparse matrices, single bits, products in
 * halves. */
#include "exec/lane.h"
#include "exec/matrix_product.h"
#include "exec/width/quad.h"

enum {
    ROWS = IFL_MATRIX_ROWS,
    COLUMNS = IFL_MATRIX_COLUMNS,
    PLACES = 4, /* lanes of a group */
    GROUPS = IFL_WARP_LANES / PLACES,
    WORDS = 8, /* of a row along k */
    EACH = 8,  /* elements of a word, at most */
    B_WORDS = COLUMNS * WORDS,
    WORD_BITS = 32
};
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

/* A column of 16 rows. Vectors and not loops, so that sums stay in registers. */
enum { VECTOR = ROWS * 4 };
typedef uint32_t words __attribute__((vector_size(VECTOR)));
typedef int32_t ints __attribute__((vector_size(VECTOR)));
typedef float floats __attribute__((vector_size(VECTOR)));

#define CHOOSE(where, a, b) (((where) & (a)) | (~(where) & (b)))

IFL_INLINE void raise_to(ints *most, ints other)
{
    *most = CHOOSE(other > *most, other, *most);
}

IFL_INLINE void lower_to(ints *least, ints other)
{
    *least = CHOOSE(other < *least, other, *least);
}

/* 2^exponent, of normal numbers. */
#define POWER(exponent) ((floats)(((exponent) + F32_BIAS) << F32_BITS))

/* ---- between lanes and rows ------------------------------------------------------------------ */

/* A register: the place p of group g goes to row `first` + g of column p * step, and back. */
IFL_INLINE void to_rows(const uint32_t *lanes, uint32_t (*column)[ROWS], unsigned step,
                        unsigned first)
{
    for (unsigned g = 0; g < GROUPS; g += 4) {
        ifl_quad q[4];
        memcpy(q, lanes + PLACES * g, sizeof q);
        ifl_transpose(q);
        for (unsigned p = 0; p < PLACES; p++)
            memcpy(&column[p * step][first + g], &q[p], sizeof q[p]);
    }
}

IFL_INLINE void to_lanes(uint32_t *lanes, const uint32_t (*column)[ROWS], unsigned step,
                         unsigned first)
{
    for (unsigned g = 0; g < GROUPS; g += 4) {
        ifl_quad q[4];
        for (unsigned p = 0; p < PLACES; p++)
            memcpy(&q[p], &column[p * step][first + g], sizeof q[p]);
        ifl_transpose(q);
        memcpy(lanes + PLACES * g, q, sizeof q);
    }
}

IFL_INLINE const uint32_t *words_of(const char *frame, uint32_t slot)
{
    return (const uint32_t *)(const void *)(frame + slot);
}

static void read_a(const ifl_matrix_product *op, const char *frame, uint32_t (*a)[ROWS])
{
    const unsigned registers = ifl_matrix_register_count(op->a_type, (unsigned)op->m * op->k);
    if (op->m < ROWS)
        memset(a, 0, sizeof *a * WORDS);
    for (unsigned reg = 0; reg < registers; reg++) {
        const unsigned r = op->m == ROWS ? reg : 2 * reg;
        to_rows(words_of(frame, op->a[reg]), &a[r / 2 * PLACES], 1, GROUPS * (r & 1));
    }
}

/* Columns one behind the other. */
static void read_b(const ifl_matrix_product *op, const char *frame, unsigned depth_words,
                   uint32_t *b)
{
    for (unsigned reg = 0; reg < depth_words / PLACES; reg++)
        for (unsigned column = 0; column < COLUMNS; column++)
            memcpy(b + column * depth_words + reg * PLACES,
                   words_of(frame, op->b[reg]) + column * PLACES, sizeof(ifl_quad));
}

static void read_c(const ifl_matrix_product *op, const char *frame, uint32_t (*c)[ROWS])
{
    uint32_t pair[PLACES][ROWS] = {{0}};
    if (op->m < ROWS)
        memset(c, 0, sizeof *c * COLUMNS);
    if (op->c_type != IFL_MATRIX_F16) {
        for (unsigned r = 0; r < op->m / 4u; r++)
            to_rows(words_of(frame, op->c[r]), c + (r & 1), 2, GROUPS * (r / 2));
        return;
    }
    for (unsigned r = 0; r < op->m / 8u; r++)
        to_rows(words_of(frame, op->c[r]), pair, 1, GROUPS * r);
    for (unsigned p = 0; p < PLACES; p++)
        IFL_SIMD for (unsigned i = 0; i < ROWS; i++)
        {
            c[2 * p][i] = pair[p][i] & 0xffff;
            c[2 * p + 1][i] = pair[p][i] >> 16;
        }
}

static void write_d(const ifl_matrix_product *op, char *frame, const uint32_t (*d)[ROWS])
{
    uint32_t pair[PLACES][ROWS];
    if (op->c_type != IFL_MATRIX_F16) {
        for (unsigned r = 0; r < op->m / 4u; r++)
            to_lanes(ifl_slot(frame, op->d[r]), d + (r & 1), 2, GROUPS * (r / 2));
        return;
    }
    for (unsigned p = 0; p < PLACES; p++)
        IFL_SIMD for (unsigned i = 0; i < ROWS; i++) pair[p][i] = d[2 * p][i] | d[2 * p + 1][i]
                                                                                    << 16;
    for (unsigned r = 0; r < op->m / 8u; r++)
        to_lanes(ifl_slot(frame, op->d[r]), (const uint32_t(*)[ROWS])pair, 1, GROUPS * r);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* significand * 2^(exponent - mantissa bits of its format): significands are whole numbers. */
typedef struct numbers {
    floats significand;
    ints exponent;
} numbers;

/* Of all numbers that are not zero: the lowest bit, the largest exponent; what is not finite. */
typedef struct extremes {
    ints low, high, special;
} extremes;

typedef struct bounds {
    int low, high;
    bool is_special;
} bounds;

/* The rows of matrix_type.def again, where the compiler sees them. */
static const ifl_matrix_format formats[IFL_MATRIX_TYPES] = {
#define TYPE(name, bits, exponent, mantissa, class_, top)                                          \
    [IFL_MATRIX_##name] = {bits, exponent, mantissa, #class_[0], IFL_MATRIX_TOP_##top},
#include "code/matrix_type.def"
};

static bounds bounds_of(extremes of)
{
    const extremes *e = &of;
    bounds b = {NO_BIT, ZERO_EXPONENT, false};
    for (unsigned i = 0; i < ROWS; i++) {
        b.low = e->low[i] < b.low ? e->low[i] : b.low;
        b.high = e->high[i] > b.high ? e->high[i] : b.high;
        b.is_special |= e->special[i] != 0;
    }
    return b;
}

/* As ifl_number_of. */
IFL_INLINE void take_floats(const ifl_matrix_format *f, ints x, numbers *to, extremes *of)
{
    const int bits = f->mantissa_bits, mantissas = (1 << bits) - 1,
              exponents = (1 << f->exponent_bits) - 1;
    const ints mantissa = x & mantissas, stated = x >> bits & exponents,
               is_top = stated == exponents, is_normal = stated != 0,
               significand = mantissa | (is_normal & (1 << bits)), is_zero = significand == 0,
               exponent = CHOOSE(is_normal, stated, 1) - (exponents >> 1),
               lowest = ((ints) __builtin_convertvector(significand & -significand, floats) >>
                         F32_BITS) -
                        F32_BIAS;
    if (f->top == IFL_MATRIX_TOP_IEEE)
        of->special |= is_top;
    if (f->top == IFL_MATRIX_TOP_LAST)
        of->special |= is_top & (mantissa == mantissas);
    to->significand = (floats)((ints) __builtin_convertvector(significand, floats) |
                               ((x >> (bits + f->exponent_bits) & 1) << (WORD_BITS - 1)));
    to->exponent = CHOOSE(is_zero, ZERO_EXPONENT, exponent);
    lower_to(&of->low, CHOOSE(is_zero, NO_BIT, exponent - bits + lowest));
    raise_to(&of->high, to->exponent);
}

IFL_INLINE void take_integers(const ifl_matrix_format *f, words x, numbers *to)
{
    const int rest = WORD_BITS - f->bits;
    x <<= rest;
    to->exponent = (ints){0};
    to->significand =
        __builtin_convertvector(f->class_ == 'S' ? (ints)x >> rest : (ints)(x >> rest), floats);
}

IFL_INLINE void take(const ifl_matrix_format *f, words x, numbers *to, extremes *of)
{
    if (f->class_ == 'F')
        take_floats(f, (ints)x, to, of);
    else
        take_integers(f, x, to);
}

/* How far element i of a word is up. TF32 is an f32 whose last 13 bits do not count. */
IFL_INLINE unsigned element_at(ifl_matrix_type type, unsigned i)
{
    enum { TF32_IGNORED = 13 };
    return type == IFL_MATRIX_TF32 ? TF32_IGNORED : i * formats[type].bits;
}

/* Of b by the number of the element in its word, then by column and word. */
typedef struct factors {
    const ifl_matrix_format *a_format, *b_format;
    unsigned words, each; /* along k; elements of a word */
    numbers a[WORDS * EACH];
    _Alignas(VECTOR) float b_significand[EACH][B_WORDS];
    _Alignas(VECTOR) int32_t b_exponent[EACH][B_WORDS];
    bounds a_bounds, b_bounds;
} factors;

IFL_INLINE extremes no_extremes(void)
{
    const ints zero = {0};
    return (extremes){zero + NO_BIT, zero + ZERO_EXPONENT, zero};
}

IFL_INLINE void take_words_of_a(ifl_matrix_type type, const uint32_t (*a)[ROWS], factors *f)
{
    extremes of = no_extremes();
    for (unsigned w = 0; w < f->words; w++) {
        words x;
        memcpy(&x, a[w], sizeof x);
        for (unsigned i = 0; i < f->each; i++)
            take(&formats[type], x >> element_at(type, i), &f->a[w * f->each + i], &of);
    }
    f->a_bounds = bounds_of(of);
}

IFL_INLINE void take_words_of_b(ifl_matrix_type type, const uint32_t *b, factors *f)
{
    extremes of = no_extremes();
    for (unsigned at = 0; at < f->words * COLUMNS; at += ROWS) {
        words x;
        numbers n;
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

static void take_a(const ifl_matrix_product *op, const uint32_t (*from)[ROWS], factors *f)
{
    TAKE_WORDS(take_words_of_a, op->a_type)
}

static void take_b(const ifl_matrix_product *op, const uint32_t *from, factors *f)
{
    TAKE_WORDS(take_words_of_b, op->b_type)
}

/* ---- sums that are exact in f32 -------------------------------------------------------------- */

enum { LEAST_FACTOR = -100 }; /* its power is normal, and those of its mantissa's bits are */

static void make_values(factors *f)
{
    const ints least = (ints){0} + LEAST_FACTOR;
    for (unsigned k = 0; k < f->words * f->each; k++) {
        ints exponent = f->a[k].exponent;
        raise_to(&exponent, least);
        f->a[k].significand *= POWER(exponent - f->a_format->mantissa_bits);
    }
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

/* sum += a * b, of significands as they are. */
static void add_products(const factors *f, floats sum[COLUMNS])
{
    const unsigned depth = f->words;
    floats s[COLUMNS];
    memcpy(s, sum, sizeof s);
    for (unsigned w = 0; w < depth; w++)
        for (unsigned i = 0; i < f->each; i++) {
            const floats a = f->a[w * f->each + i].significand;
            const float *b = &f->b_significand[i][w];
            s[0] += a * b[0];
            s[1] += a * b[depth];
            s[2] += a * b[2 * depth];
            s[3] += a * b[3 * depth];
            s[4] += a * b[4 * depth];
            s[5] += a * b[5 * depth];
            s[6] += a * b[6 * depth];
            s[7] += a * b[7 * depth];
        }
    memcpy(sum, s, sizeof s);
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
    make_values(f);
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

static void take_c(const ifl_matrix_format *f, column *to, extremes *of)
{
    ints x;
    memcpy(&x, to->bits, sizeof x);
    take_floats(f, x, &to->c, of);
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

/* False where c became an infinity. */
static bool add_column(const ifl_matrix_product *op, const factors *f, unsigned j, column *of)
{
    const ifl_matrix_format *c_format = &formats[op->c_type];
    const int fraction = op->rule.fraction_bits,
              product_bits = f->a_format->mantissa_bits + f->b_format->mantissa_bits;
    const unsigned part = op->rule.products / f->each;
    for (unsigned from = 0; from < f->words; from += part) {
        const unsigned to = from + part < f->words ? from + part : f->words;
        extremes found = no_extremes();
        take_c(c_format, of, &found);
        if (bounds_of(found).is_special)
            return false;
        const ints most = largest_of(f, j, from, to, of->c.exponent);
        pack(op, sum_of(f, j, from, to, fraction - product_bits - most),
             cut(of->c.significand, of->c.exponent - most + (fraction - c_format->mantissa_bits)),
             most - fraction, of->bits);
    }
    return true;
}

static bool add_cut(const ifl_matrix_product *op, const factors *f, uint32_t (*c)[ROWS])
{
    column of;
    for (unsigned j = 0; j < COLUMNS; j++) {
        memcpy(of.bits, c[j], sizeof of.bits);
        if (!add_column(op, f, j, &of))
            return false;
        memcpy(c[j], of.bits, sizeof of.bits);
    }
    return true;
}

/* ---- products -------------------------------------------------------------------------------- */

static void add_integers(const ifl_matrix_product *op, const factors *f, uint32_t (*c)[ROWS])
{
    floats sum[COLUMNS] = {{0}};
    add_products(f, sum); /* below 2^24: exact */
    for (unsigned j = 0; j < COLUMNS; j++) {
        ints old, added = __builtin_convertvector(sum[j], ints);
        memcpy(&old, c[j], sizeof old);
        ints next = (ints)((words)old + (words)added);
        const ints overflows = (next ^ old) & (next ^ added) & (op->saturates ? INT32_MIN : 0);
        next = CHOOSE(overflows < 0, (old >> (WORD_BITS - 1)) ^ INT32_MAX, next);
        memcpy(c[j], &next, sizeof next);
    }
}

static bool add_floats(const ifl_matrix_product *op, factors *f, uint32_t (*c)[ROWS])
{
    extremes of = no_extremes();
    for (unsigned j = 0; j < COLUMNS; j++) {
        column one;
        memcpy(one.bits, c[j], sizeof one.bits);
        take_c(&formats[op->c_type], &one, &of);
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
static bool is_common(const ifl_matrix_product *op)
{
    enum { SUM_BITS = 31, PRODUCT_CARRY = 2 };
    const ifl_matrix_format *a = &formats[op->a_type], *b = &formats[op->b_type];
    const bool is_integer = op->c_type == IFL_MATRIX_S32;
    return !op->is_sparse && !op->rule.in_halves && a->bits == b->bits && a->bits >= 4 &&
           a->bits <= WORD_BITS && op->k * a->bits <= WORDS * WORD_BITS &&
           (is_integer ||
            (op->rule.products * a->bits >= WORD_BITS &&
             (uint64_t)op->rule.products << (op->rule.fraction_bits + PRODUCT_CARRY) <=
                 UINT64_C(1) << SUM_BITS));
}

static bool multiply(const ifl_matrix_product *op, char *frame)
{
    uint32_t a[WORDS][ROWS], b[B_WORDS], c[COLUMNS][ROWS];
    factors f;
    if (!is_common(op))
        return false;
    f.a_format = &formats[op->a_type];
    f.b_format = &formats[op->b_type];
    f.each = WORD_BITS / f.a_format->bits;
    f.words = op->k / f.each;
    read_a(op, frame, a);
    read_b(op, frame, f.words, b);
    read_c(op, frame, c);
    take_a(op, (const uint32_t(*)[ROWS])a, &f);
    take_b(op, b, &f);
    if (op->c_type == IFL_MATRIX_S32)
        add_integers(op, &f, c);
    else if (!add_floats(op, &f, c))
        return false;
    write_d(op, frame, (const uint32_t(*)[ROWS])c);
    return true;
}

/* ---- doubles --------------------------------------------------------------------------------- */

enum { MOST_DEPTH = 32 };

typedef struct doubles {
    double a[MOST_DEPTH][ROWS], b[COLUMNS][MOST_DEPTH], c[COLUMNS][ROWS];
} doubles;

IFL_INLINE void read_doubles(const ifl_matrix_product *op, const char *frame, uint32_t slot,
                             double to[IFL_WARP_LANES])
{
    const uint32_t *low = words_of(frame, slot), *high = words_of(frame, slot + IFL_PLANE);
    if (!op->is_planes)
        memcpy(to, frame + slot, IFL_WARP_LANES * sizeof *to);
    else
        IFL_SIMD IFL_EACH_LANE(i) to[i] = ifl_bits_f64(low[i] | (uint64_t)high[i] << 32);
}

static void put_doubles(const ifl_matrix_product *op, char *frame, uint32_t slot, uint32_t mask,
                        const double from[IFL_WARP_LANES])
{
    uint32_t *low = ifl_slot(frame, slot), *high = ifl_slot(frame, slot + IFL_PLANE);
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        const uint64_t bits = ifl_f64_bits(from[lane]);
        if (op->is_planes)
            low[lane] = (uint32_t)bits, high[lane] = (uint32_t)(bits >> 32);
        else
            memcpy(frame + slot + lane * sizeof bits, &bits, sizeof bits);
    }
}

static void read_all_doubles(const ifl_matrix_product *op, const char *frame, doubles *f)
{
    double lanes[IFL_WARP_LANES];
    for (unsigned reg = 0; reg < (unsigned)op->m * op->k / IFL_WARP_LANES; reg++) {
        const unsigned r = op->m == ROWS ? reg : 2 * reg;
        read_doubles(op, frame, op->a[reg], lanes);
        IFL_EACH_LANE(i)
        f->a[r / 2 * PLACES + i % PLACES][GROUPS * (r & 1) + i / PLACES] = lanes[i];
    }
    for (unsigned reg = 0; reg < op->k / (unsigned)PLACES; reg++) {
        read_doubles(op, frame, op->b[reg], lanes);
        IFL_EACH_LANE(i) f->b[i / PLACES][reg * PLACES + i % PLACES] = lanes[i];
    }
    for (unsigned r = 0; r < op->m / 4u; r++) {
        read_doubles(op, frame, op->c[r], lanes);
        IFL_EACH_LANE(i) f->c[i % PLACES * 2 + (r & 1)][GROUPS * (r / 2) + i / PLACES] = lanes[i];
    }
}

/* Each product is fused with the sum before it, in the order of k. */
static void multiply_doubles(const ifl_matrix_product *op, char *frame, uint32_t mask)
{
    doubles f = {0};
    double lanes[IFL_WARP_LANES];
    read_all_doubles(op, frame, &f);
    for (unsigned j = 0; j < COLUMNS; j++)
        for (unsigned k = 0; k < op->k; k++) {
            const double b = f.b[j][k], *a = f.a[k];
            double *c = f.c[j];
            if (op->rounding <= IFL_ROUND_RN) {
                IFL_SIMD for (int i = 0; i < ROWS; i++) c[i] =
                    ifl_nan3(fma(a[i], b, c[i]), a[i], b, c[i]);
            } else {
                for (int i = 0; i < ROWS; i++)
                    c[i] = ifl_nan3(ifl_round_fma_f64(op->rounding, a[i], b, c[i]), a[i], b, c[i]);
            }
        }
    for (unsigned r = 0; r < op->m / 4u; r++) {
        IFL_EACH_LANE(i) lanes[i] = f.c[i % PLACES * 2 + (r & 1)][GROUPS * (r / 2) + i / PLACES];
        put_doubles(op, frame, op->d[r], mask, lanes);
    }
}

/* ---- the operation --------------------------------------------------------------------------- */

IFL_OPERATION(matrix_product)
{
    const ifl_matrix_product *op = code->extra;
    const uint32_t mask = IFL_EXECUTING;
    if (op->a_type == IFL_MATRIX_F64 && mask == warp->live) {
        multiply_doubles(op, frame, mask);
        IFL_NEXT;
    }
    if (mask == IFL_ALL_LANES && multiply(op, frame))
        IFL_NEXT;
    const ifl_reason reason = ifl_matrix_product_any(warp, code, frame, mask, active);
    if (reason != IFL_REASON_NONE)
        IFL_STOP(reason, code);
    IFL_NEXT;
}
