/* SPDX-License-Identifier: Apache-2.0
 * Products of fragments in 128-bit floats, by the figures of PTX ISA 9.0, "Matrix Fragments for
 * mma": element i of a thread's registers is in the row and column that they give. Integers must be
 * equal; of floats the error is at most what cutting each product and each sum once can make;
 * infinities and NaNs must be where IEEE 754 has them. */
#include "matrix_exact.h"

#include "matrix_values.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ROWS = 64, COLUMNS = 256, DEPTH = 256, WARP_ROWS = 16, LANES = 32, WORD_BITS = 32 };

typedef struct shape {
    unsigned m, n, k;
} shape;

/* As the instruction says: types of one size may have different signs. */
typedef struct factor {
    int type;
    bool is_signed;
} factor;

typedef struct matrices {
    long double a[ROWS][DEPTH], b[DEPTH][COLUMNS], c[ROWS][COLUMNS];
} matrices;

static long double value_of(factor f, uint64_t bits)
{
    const matrix_type t = matrix_type_of(f.type);
    if (!t.exponent_bits) {
        const bool is_negative = f.is_signed && bits >> (t.bits - 1) & 1;
        return (long double)bits - (is_negative ? ldexpl(1, t.bits) : 0);
    }
    const unsigned mantissa_bits = f.type == MATRIX_TF32 ? 10 : (unsigned)t.mantissa_bits;
    bits >>= (unsigned)t.mantissa_bits - mantissa_bits; /* of TF32 the last 13 bits do not count */
    const int all = (1 << t.exponent_bits) - 1, bias = all >> 1;
    const uint64_t mantissa = bits & ((UINT64_C(1) << mantissa_bits) - 1),
                   mantissas = (UINT64_C(1) << mantissa_bits) - 1;
    const int exponent = (int)(bits >> mantissa_bits) & all;
    const bool negative = bits >> (mantissa_bits + (unsigned)t.exponent_bits) & 1;
    if (exponent == all && t.is_finite && mantissa == mantissas)
        return NAN;
    if (exponent == all && !t.is_finite)
        return mantissa ? NAN : negative ? -INFINITY : INFINITY;
    const long double magnitude =
        exponent
            ? ldexpl((long double)(mantissa + mantissas + 1), exponent - bias - (int)mantissa_bits)
            : ldexpl((long double)mantissa, 1 - bias - (int)mantissa_bits);
    return negative ? -magnitude : magnitude;
}

/* Element `element` of the registers of a type from `words` on. */
static uint64_t element_bits(int type, const uint32_t *words, unsigned element)
{
    const unsigned bits = (unsigned)matrix_type_of(type).bits;
    if (bits == 2 * WORD_BITS)
        return words[2 * element] | (uint64_t)words[2 * element + 1] << WORD_BITS;
    const unsigned each = WORD_BITS / bits;
    const uint32_t word = words[element / each] >> (element % each * bits);
    return bits == WORD_BITS ? word : word & ((1u << bits) - 1);
}

static unsigned elements_of(int type, unsigned registers)
{
    const unsigned bits = (unsigned)matrix_type_of(type).bits;
    return bits > WORD_BITS ? registers : registers * (WORD_BITS / bits);
}

static unsigned words_of(int type, unsigned registers)
{
    return type == MATRIX_F64 ? 2 * registers : registers;
}

/* ---- figures --------------------------------------------------------------------------------- */

static void set_a(matrices *x, const matrix_kernel *k, shape s, factor f, unsigned lane,
                  const uint32_t *words)
{
    const unsigned each = elements_of(k->a_type, k->a) / k->a, group = lane / 4,
                   in_group = lane % 4;
    for (unsigned i = 0; i < elements_of(k->a_type, k->a); i++) {
        const unsigned part = s.m == WARP_ROWS ? i / (2 * each) : i / each;
        const unsigned row = group + (s.m == WARP_ROWS && i / each % 2 ? 8 : 0);
        x->a[row][in_group * each + i % each + part * 4 * each] =
            value_of(f, element_bits(k->a_type, words, i));
    }
}

static void set_b(matrices *x, const matrix_kernel *k, factor f, unsigned lane,
                  const uint32_t *words)
{
    const unsigned each = elements_of(k->b_type, k->b) / k->b, group = lane / 4,
                   in_group = lane % 4;
    for (unsigned i = 0; i < elements_of(k->b_type, k->b); i++)
        x->b[in_group * each + i % each + i / each * 4 * each][group] =
            value_of(f, element_bits(k->b_type, words, i));
}

static unsigned row_of_c(unsigned lane, unsigned i)
{
    return lane / 4 + 8 * (i / 2 % 2);
}

static unsigned column_of_c(unsigned lane, unsigned i)
{
    return lane % 4 * 2 + i % 2 + i / 4 * 8;
}

static void read_matrices(matrices *x, const matrix_kernel *k, shape s, factor a, factor b,
                          factor c, const uint32_t *in)
{
    const unsigned a_words = words_of(k->a_type, k->a), b_words = words_of(k->b_type, k->b),
                   c_words = words_of(k->c_type, k->c);
    for (unsigned lane = 0; lane < LANES; lane++, in += a_words + b_words + c_words) {
        set_a(x, k, s, a, lane, in);
        set_b(x, k, b, lane, in + a_words);
        for (unsigned i = 0; i < elements_of(k->c_type, k->c); i++)
            x->c[row_of_c(lane, i)][column_of_c(lane, i)] =
                value_of(c, element_bits(k->c_type, in + a_words + b_words, i));
    }
}

/* ---- matrices in shared memory --------------------------------------------------------------- */

/* The first bit of element (line, k) by PTX ISA 9.0, "Strides", in units of 16 bytes as CUTLASS's
 * canonical layouts have them: along k ((8, m), 2) : ((w, stride), 1 or leading); across ((w, m),
 * (8, k)) : ((1, leading), (w, stride)), without swizzle ((1, m), (8, k)) : ((-, stride), (1,
 * leading)). w pieces are a row of the swizzle. */
static unsigned shared_bit(uint64_t layout, unsigned start, bool across, unsigned bits,
                           unsigned line, unsigned k)
{
    static const unsigned rows[] = {1, 8, 4, 2};
    const unsigned mode = (unsigned)(layout >> 62), w = rows[mode];
    const unsigned leading = layout >> 16 & 0x3fff, stride = layout >> 32 & 0x3fff,
                   each = 128 / bits;
    const unsigned piece = (across ? line : k) / each, other = across ? k : line,
                   within = (across ? line : k) % each;
    unsigned unit;
    if (!across)
        unit = other % 8 * w + other / 8 * stride + (mode ? piece : piece * leading);
    else if (mode)
        unit = piece % w + piece / w * leading + other % 8 * w + other / 8 * stride;
    else
        unit = piece * stride + other % 8 + other / 8 * leading;
    const unsigned at = start + unit * 16;
    return (at ^ ((at >> 7 & (w - 1)) << 4)) * 8 + within * bits;
}

static long double shared_element(factor f, unsigned base, uint64_t layout, unsigned start,
                                  bool across, unsigned line, unsigned depth, const uint32_t *in)
{
    const unsigned each = (unsigned)matrix_type_of(f.type).bits;
    const unsigned at = shared_bit(layout, start, across, each, line, depth);
    uint64_t bits = 0;
    memcpy(&bits, (const uint8_t *)in + base + at / 8, (each + 7) / 8);
    return value_of(f, each < 8 ? bits >> at % 8 & ((1u << each) - 1) : bits);
}

/* wgmma: the words of both matrices, then those of the threads. In `rest` two flags of
 * transposition stand behind the two scales, of b alone where a is in registers. */
static void read_group(matrices *x, const matrix_kernel *k, shape s, factor a, factor b, factor c,
                       const uint32_t *in)
{
    int scale_a = 1, scale_b = 1, a_across = 0, b_across = 0;
    if (sscanf(k->rest, ", %d, %d, %d, %d", &scale_a, &scale_b, &a_across, &b_across) == 3)
        b_across = a_across, a_across = 0;
    const uint32_t *words = in + k->shared_words;
    const unsigned each = words_of(k->a_type, k->a) + words_of(k->c_type, k->c);
    for (unsigned column = 0; column < s.n; column++)
        for (unsigned i = 0; i < s.k; i++)
            x->b[i][column] = scale_b * shared_element(b, 4 * MATRIX_SHARED_WORDS, k->b_layout,
                                                       k->b_start, b_across, column, i, in);
    for (unsigned row = 0; row < s.m && !k->a; row++)
        for (unsigned i = 0; i < s.k; i++)
            x->a[row][i] =
                scale_a * shared_element(a, 0, k->a_layout, k->a_start, a_across, row, i, in);
    for (unsigned thread = 0; thread < k->threads; thread++, words += each) {
        matrices one;
        const unsigned first = thread / LANES * WARP_ROWS;
        if (k->a)
            set_a(&one, k, (shape){WARP_ROWS, s.n, s.k}, a, thread % LANES, words);
        for (unsigned i = 0; k->a && i < elements_of(k->a_type, k->a); i++) {
            const unsigned per = elements_of(k->a_type, k->a) / k->a,
                           row = thread % LANES / 4 + (i / per % 2 ? 8 : 0);
            const unsigned at = thread % 4 * per + i % per + i / (2 * per) * 4 * per;
            x->a[first + row][at] = scale_a * one.a[row][at];
        }
        for (unsigned i = 0; i < elements_of(k->c_type, k->c); i++)
            x->c[first + row_of_c(thread % LANES, i)][column_of_c(thread % LANES, i)] =
                value_of(c, element_bits(k->c_type, words + words_of(k->a_type, k->a), i));
    }
}

/* ---- one element ----------------------------------------------------------------------------- */

typedef struct exact {
    __float128 sum, magnitude; /* of all terms; the sum of their absolute values */
    bool is_nan;
    int infinite; /* 1, -1 */
} exact;

static void add_term(exact *e, long double term)
{
    e->is_nan |= isnan(term) || (isinf(term) && e->infinite == (term > 0 ? -1 : 1));
    if (isinf(term))
        e->infinite = term > 0 ? 1 : -1;
    if (!isfinite(term))
        return;
    e->sum += term;
    e->magnitude += term < 0 ? -term : term;
}

/* Adds to a sum; false: a bit was lost, or it is no number (D. Knuth, The Art of Computer
 * Programming, 4.2.2, theorem B). */
static bool add_exactly(long double *sum, long double term)
{
    const long double before = *sum, after = before + term, added = after - before;
    *sum = after;
    return (before - (after - added)) + (term - added) == 0;
}

/* In long doubles, which hold the product of any two values but doubles; false: they lose bits. */
static bool sum_plainly(const matrices *x, shape s, unsigned row, unsigned column, exact *e)
{
    long double sum = x->c[row][column], magnitude = fabsl(sum);
    bool holds = isfinite(sum);
    for (unsigned i = 0; holds && i < s.k; i++) {
        const long double term = x->a[row][i] * x->b[i][column];
        holds = add_exactly(&sum, term) && add_exactly(&magnitude, fabsl(term));
    }
    *e = (exact){.sum = sum, .magnitude = magnitude};
    return holds;
}

static exact exact_of(const matrices *x, const matrix_kernel *k, shape s, unsigned row,
                      unsigned column)
{
    exact e = {0};
    const bool is_xor = strstr(k->text, ".xor.");
    if (!is_xor && k->a_type != MATRIX_F64 && sum_plainly(x, s, row, column, &e))
        return e;
    e = (exact){0};
    add_term(&e, x->c[row][column]);
    for (unsigned i = 0; i < s.k; i++) {
        const long double a = x->a[row][i], b = x->b[i][column];
        if (isfinite(a) && isfinite(b)) { /* a product may have more bits than a long double */
            const __float128 term = is_xor ? (__float128)(a != b) : (__float128)a * b;
            e.sum += term;
            e.magnitude += term < 0 ? -term : term;
        } else {
            add_term(&e, a * b);
        }
    }
    return e;
}

static bool is_integer_right(const exact *e, const char *text, uint64_t got)
{
    const long double wide = (long double)e->sum;
    if (strstr(text, "satfinite"))
        return (int32_t)got == (wide > INT32_MAX   ? INT32_MAX
                                : wide < INT32_MIN ? INT32_MIN
                                                   : (int32_t)wide);
    return (uint32_t)got == (uint32_t)(int64_t)wide;
}

/* Whole numbers, whose sums hold with all their bits: then there is one result, and no zero is -0.
 * `bits` are of the mantissa. */
static bool loses_nothing(const exact *e, uint32_t fragment, unsigned bits)
{
    return fragment >= MATRIX_WHOLE_FROM &&
           e->magnitude <= ldexpl(1, (int)bits + 2 * matrix_whole_power(fragment));
}

static bool is_exact(const exact *e, int type, uint64_t bits)
{
    const long double got = value_of((factor){type, true}, bits);
    return got == (long double)e->sum && (got != 0 || type == MATRIX_F64 || !signbit(got));
}

/* A warp group sums bytes with 13 bits of fraction. */
static bool is_float_right(const exact *e, int type, uint32_t fragment, unsigned depth,
                           bool has_13_bits, uint64_t bits)
{
    const matrix_type t = matrix_type_of(type);
    if (loses_nothing(e, fragment, has_13_bits ? 13 : t.mantissa_bits))
        return is_exact(e, type, bits);
    const long double got = value_of((factor){type, true}, bits),
                      largest = ldexpl(2, (1 << (t.exponent_bits - 1)) - 1);
    const __float128 relative =
        ldexpl(1, -(has_13_bits && type == MATRIX_F32 ? 12 : t.mantissa_bits)) * (depth + 2);
    const __float128 bound =
        e->magnitude * relative + ldexpl(1, 2 - (1 << (t.exponent_bits - 1)) - t.mantissa_bits);
    if (e->is_nan)
        return isnan(got);
    if (e->magnitude >= largest / 2) /* a sum on the way may be too large, and meet an infinity */
        return true;
    if (e->infinite)
        return isinf(got) && (got > 0) == (e->infinite > 0);
    const __float128 off = (__float128)got - e->sum;
    return isfinite(got) && (off < 0 ? -off : off) <= bound;
}

int matrix_exact_check(const matrix_kernel *k, uint32_t fragment, const uint32_t *in,
                       const uint32_t *out)
{
    static matrices x;
    shape s;
    if (k->selector || k->c_type == MATRIX_BITS1 ||
        sscanf(k->text, "m%un%uk%u", &s.m, &s.n, &s.k) != 3)
        return -1;
    const bool a_unsigned = strstr(k->text, "s32.u") || k->a_type == MATRIX_BITS1,
               b_signed = strstr(k->text, "s8.s32") || strstr(k->text, "s4.s32") ||
                          (k->shared_words && strstr(k->text, ".s8"));
    int wrong = 0;
    (k->shared_words ? read_group : read_matrices)(&x, k, s, (factor){k->a_type, !a_unsigned},
                                                   (factor){k->b_type, b_signed},
                                                   (factor){k->c_type, true}, in);
    for (unsigned lane = 0; lane < k->threads; lane++)
        for (unsigned i = 0; i < elements_of(k->c_type, k->c); i++) {
            const uint64_t got = element_bits(k->c_type, out + lane * words_of(k->c_type, k->c), i);
            const exact e = exact_of(&x, k, s, lane / LANES * WARP_ROWS + row_of_c(lane % LANES, i),
                                     column_of_c(lane % LANES, i));
            if (k->c_type == MATRIX_BITS32
                    ? is_integer_right(&e, k->text, got)
                    : is_float_right(&e, k->c_type, fragment, s.k,
                                     k->shared_words && matrix_type_of(k->a_type).bits == 8, got))
                continue;
            if (!wrong++)
                printf("%s, fragment %u, lane %u, element %u: %llx, by exact arithmetic %Lg\n",
                       k->name, fragment, lane, i, (unsigned long long)got, (long double)e.sum);
        }
    return wrong;
}
