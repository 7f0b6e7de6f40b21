/* SPDX-License-Identifier: Apache-2.0
 * PTX for the products of matrix_shape.def and matrix_more.def. Each thread reads its registers from memory and stores
 * its results, so that the same kernels run on a GPU and in the engine. */
#include "matrix_kernels.h"

#include "matrix_values.h"

#include <string.h>

enum { WARP = 32, WARP_GROUP = 128, WORD_BYTES = 4 };

#define KERNEL(name_, text_, a_type_, b_type_, c_type_, a_, b_, c_, ...)                           \
    {.name = #name_,                                                                               \
     .text = text_,                                                                                \
     .a_type = MATRIX_##a_type_,                                                                   \
     .b_type = MATRIX_##b_type_,                                                                   \
     .c_type = MATRIX_##c_type_,                                                                   \
     .a = a_,                                                                                      \
     .b = b_,                                                                                      \
     .c = c_,                                                                                      \
     __VA_ARGS__},
/* The tables undefine their rows' names. */
#define MMA_ROW(...) KERNEL(__VA_ARGS__, .threads = WARP)
#define MMA_SPARSE_ROW(name, text, a_type, b_type, c_type, a, b, c, selector_)                     \
    KERNEL(name, text, a_type, b_type, c_type, a, b, c, .threads = WARP, .selector = selector_)
#define WGMMA_ROW(name, text, a_type, b_type, c_type, a, c, of_a, of_b, start_of_a, start_of_b,    \
                  rest_)                                                                           \
    KERNEL(name, text, a_type, b_type, c_type, a, 0, c, .threads = WARP_GROUP,                     \
           .shared_words = 2 * MATRIX_SHARED_WORDS, .a_layout = of_a, .b_layout = of_b,            \
           .a_start = start_of_a, .b_start = start_of_b, .rest = rest_)
#define WGMMA_SPARSE_ROW(name, text, a_type, b_type, c_type, a, c, of_a, of_b, start_of_a,         \
                         start_of_b, rest_, selector_)                                             \
    KERNEL(name, text, a_type, b_type, c_type, a, 0, c, .threads = WARP_GROUP,                     \
           .shared_words = 2 * MATRIX_SHARED_WORDS, .a_layout = of_a, .b_layout = of_b,            \
           .a_start = start_of_a, .b_start = start_of_b, .rest = rest_, .selector = selector_)
#define MMA MMA_ROW
#define MMA_SPARSE MMA_SPARSE_ROW
#define WGMMA WGMMA_ROW
#define WGMMA_SPARSE WGMMA_SPARSE_ROW
const matrix_kernel matrix_kernels[] = {
#include "matrix_shape.def"
};
const size_t matrix_kernel_count = sizeof matrix_kernels / sizeof *matrix_kernels;

#define MMA MMA_ROW
#define MMA_SPARSE MMA_SPARSE_ROW
#define WGMMA WGMMA_ROW
#define WGMMA_SPARSE WGMMA_SPARSE_ROW
#define WMMA(name, shape, a_way, b_way, how, types, a_word, b_word, c_word, a_type, b_type,        \
             c_type, m, n, k, a, b, c, rest_)                                                      \
    KERNEL(name, types, a_type, b_type, c_type, a, b, c, .threads = WARP, .rest = rest_,           \
           .wmma = {shape, a_way, b_way, how, a_word, b_word, c_word, m, n, k})
const matrix_kernel matrix_more[] = {
#include "matrix_more.def"
};
const size_t matrix_more_count = sizeof matrix_more / sizeof *matrix_more;

static unsigned words_of(int type)
{
    return type == MATRIX_F64 ? 2 : 1;
}

static unsigned thread_words(const matrix_kernel *k)
{
    return words_of(k->a_type) * k->a + words_of(k->b_type) * k->b + words_of(k->c_type) * k->c +
           (k->selector != NULL);
}

/* Of a matrix in memory. */
static unsigned matrix_words(int type, unsigned elements)
{
    return elements * matrix_type_of(type).bits / 32;
}

static unsigned wmma_words_in(const matrix_kernel *k)
{
    return matrix_words(k->a_type, k->wmma.m * k->wmma.k) +
           matrix_words(k->b_type, k->wmma.k * k->wmma.n) +
           matrix_words(k->c_type, k->wmma.m * k->wmma.n);
}

unsigned matrix_words_in(const matrix_kernel *k)
{
    if (k->wmma.shape)
        return wmma_words_in(k);
    return k->shared_words + k->threads * thread_words(k);
}

unsigned matrix_words_out(const matrix_kernel *k)
{
    if (k->wmma.shape)
        return matrix_words(k->c_type, k->wmma.m * k->wmma.n);
    return k->threads * words_of(k->c_type) * k->c;
}

/* ---- PTX ------------------------------------------------------------------------------------- */

void matrix_write_head(const char *target, FILE *out)
{
    fprintf(out, ".version 8.7\n.target %s\n.address_size 64\n", target);
}

static const char *width(int type)
{
    return type == MATRIX_F64 ? "b64" : "b32";
}

static void declare(char letter, int type, unsigned count, FILE *out)
{
    if (count)
        fprintf(out, "    .reg .%s %%%c<%u>;\n", width(type), letter, count);
}

static unsigned load(char letter, int type, unsigned count, unsigned at, FILE *out)
{
    for (unsigned i = 0; i < count; i++, at += words_of(type) * WORD_BYTES)
        fprintf(out, "    ld.global.%s %%%c%u, [%%in + %u];\n", width(type), letter, i, at);
    return at;
}

static void list(char letter, unsigned count, FILE *out)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s%%%c%u", i ? ", " : "{", letter, i);
    fprintf(out, "}");
}

/* The address of the thread's words: block * words of a block + shared words + thread * words of a
 * thread. */
static void write_address(const char *name, const char *param, unsigned block_words,
                          unsigned skipped, unsigned words, FILE *out)
{
    fprintf(out,
            "    ld.param.u64 %%%1$s, [%2$s];\n"
            "    mul.wide.u32 %%t64, %%block, %3$u;\n"
            "    add.s64 %%%1$s, %%%1$s, %%t64;\n"
            "    mul.wide.u32 %%t64, %%thread, %4$u;\n"
            "    add.s64 %%%1$s, %%%1$s, %%t64;\n"
            "    add.s64 %%%1$s, %%%1$s, %5$u;\n",
            name, param, block_words * WORD_BYTES, words * WORD_BYTES, skipped * WORD_BYTES);
}

static void write_begin(const matrix_kernel *k, FILE *out)
{
    fprintf(out, "\n.visible .entry %s(.param .u64 input, .param .u64 output)\n{\n", k->name);
    if (k->shared_words)
        fprintf(out, "    .shared .align 1024 .b8 matrices_%s[%u];\n", k->name,
                k->shared_words * WORD_BYTES);
    fprintf(out, "    .reg .b64 %%in, %%out, %%t64, %%da, %%db;\n"
                 "    .reg .b32 %%thread, %%block, %%m, %%at, %%word;\n"
                 "    .reg .pred %%p;\n");
    declare('a', k->a_type, k->a, out);
    declare('b', k->b_type, k->b, out);
    declare('c', k->c_type, k->c, out);
    declare('d', k->c_type, k->c, out);
    fprintf(out, "    mov.u32 %%thread, %%tid.x;\n"
                 "    mov.u32 %%block, %%ctaid.x;\n");
}

static void write_end(const matrix_kernel *k, char result, FILE *out)
{
    for (unsigned i = 0; i < k->c; i++)
        fprintf(out, "    st.global.%s [%%out + %u], %%%c%u;\n", width(k->c_type),
                i * words_of(k->c_type) * WORD_BYTES, result, i);
    fprintf(out, "    ret;\n}\n");
}

static unsigned write_loads(const matrix_kernel *k, FILE *out)
{
    write_address("in", "input", matrix_words_in(k), k->shared_words, thread_words(k), out);
    write_address("out", "output", matrix_words_out(k), 0, matrix_words_out(k) / k->threads, out);
    unsigned at = load('a', k->a_type, k->a, 0, out);
    at = load('b', k->b_type, k->b, at, out);
    return load('c', k->c_type, k->c, at, out);
}

static void write_mma(const matrix_kernel *k, FILE *out)
{
    const unsigned metadata = write_loads(k, out);
    if (k->selector)
        fprintf(out, "    ld.global.b32 %%m, [%%in + %u];\n", metadata);
    fprintf(out, "    mma.%s.aligned.%s ", k->selector ? "sp::ordered_metadata.sync" : "sync",
            k->text);
    list('d', k->c, out), fprintf(out, ", ");
    list('a', k->a, out), fprintf(out, ", ");
    list('b', k->b, out), fprintf(out, ", ");
    list('c', k->c, out);
    if (k->selector)
        fprintf(out, ", %%m, %s", k->selector);
    fprintf(out, ";\n");
}

/* The block copies its matrices to shared memory. */
static void write_shared(const matrix_kernel *k, FILE *out)
{
    fprintf(out,
            "    ld.param.u64 %%in, [input];\n"
            "    mul.wide.u32 %%t64, %%block, %u;\n"
            "    add.s64 %%in, %%in, %%t64;\n"
            "    mul.wide.u32 %%t64, %%thread, 4;\n"
            "    add.s64 %%in, %%in, %%t64;\n"
            "    mov.u32 %%at, matrices_%s;\n"
            "    mad.lo.u32 %%at, %%thread, 4, %%at;\n",
            matrix_words_in(k) * WORD_BYTES, k->name);
    for (unsigned i = 0; i < k->shared_words; i += k->threads)
        fprintf(out,
                "    ld.global.b32 %%word, [%%in + %u];\n"
                "    st.shared.b32 [%%at + %u], %%word;\n",
                i * WORD_BYTES, i * WORD_BYTES);
    fprintf(out, "    fence.proxy.async.shared::cta;\n"
                 "    bar.sync 0;\n");
}

static void write_descriptor(const char *name, const matrix_kernel *k, unsigned start,
                             uint64_t layout, FILE *out)
{
    fprintf(out,
            "    mov.u32 %%at, matrices_%1$s;\n"
            "    add.u32 %%at, %%at, %2$u;\n"
            "    shr.u32 %%at, %%at, 4;\n"
            "    cvt.u64.u32 %%%3$s, %%at;\n"
            "    or.b64 %%%3$s, %%%3$s, 0x%4$016llx;\n",
            k->name, start, name, (unsigned long long)layout);
}

static void write_wgmma(const matrix_kernel *k, FILE *out)
{
    write_shared(k, out);
    const unsigned metadata = write_loads(k, out);
    if (k->selector)
        fprintf(out, "    ld.global.b32 %%m, [%%in + %u];\n", metadata);
    write_descriptor("da", k, k->a_start, k->a_layout, out);
    write_descriptor("db", k, MATRIX_SHARED_WORDS * WORD_BYTES + k->b_start, k->b_layout, out);
    fprintf(out,
            "    setp.eq.u32 %%p, %%thread, %%thread;\n"
            "    wgmma.fence.sync.aligned;\n"
            "    wgmma.mma_async%s.sync.aligned.%s ",
            k->selector ? ".sp" : "", k->text);
    list('c', k->c, out), fprintf(out, ", ");
    if (k->a)
        list('a', k->a, out);
    else
        fprintf(out, "%%da");
    fprintf(out, ", %%db");
    if (k->selector)
        fprintf(out, ", %%m, %s", k->selector);
    fprintf(out,
            ", %%p%s;\n"
            "    wgmma.commit_group.sync.aligned;\n"
            "    wgmma.wait_group.sync.aligned 0;\n",
            k->rest);
}

/* ---- wmma ------------------------------------------------------------------------------------ */

/* From a row of a, or a column, to the next. */
static unsigned wmma_pitch(const char *way, unsigned rows, unsigned columns)
{
    return strcmp(way, "row") == 0 ? columns : rows;
}

static void wmma_load(char letter, const struct matrix_wmma *w, const char *way, const char *word,
                      unsigned registers, unsigned at, unsigned pitch, FILE *out)
{
    fprintf(out, "    wmma.load.%c.sync.aligned.%s.%s.global.%s ", letter, way, w->shape, word);
    list(letter, registers, out);
    fprintf(out, ", [%%in + %u], %u;\n", at * WORD_BYTES, pitch);
}

static void write_wmma(const matrix_kernel *k, FILE *out)
{
    const struct matrix_wmma *w = &k->wmma;
    const unsigned of_a = matrix_words(k->a_type, w->m * w->k),
                   of_b = matrix_words(k->b_type, w->k * w->n);
    write_begin(k, out);
    write_address("in", "input", matrix_words_in(k), 0, 0, out);
    write_address("out", "output", matrix_words_out(k), 0, 0, out);
    wmma_load('a', w, w->a_way, w->a_word, k->a, 0, wmma_pitch(w->a_way, w->m, w->k), out);
    wmma_load('b', w, w->b_way, w->b_word, k->b, of_a, wmma_pitch(w->b_way, w->k, w->n), out);
    wmma_load('c', w, "row", w->c_word, k->c, of_a + of_b, w->n, out);
    fprintf(out, "    wmma.mma%s.sync.aligned.%s.%s.%s%s%s ", w->how, w->a_way, w->b_way, w->shape,
            k->text, k->rest);
    list('d', k->c, out), fprintf(out, ", ");
    list('a', k->a, out), fprintf(out, ", ");
    list('b', k->b, out), fprintf(out, ", ");
    list('c', k->c, out), fprintf(out, ";\n");
    fprintf(out, "    wmma.store.d.sync.aligned.row.%s.global.%s [%%out], ", w->shape, w->c_word);
    list('d', k->c, out);
    fprintf(out, ", %u;\n    ret;\n}\n", w->n);
}

void matrix_write_ptx(const matrix_kernel *k, FILE *out)
{
    if (k->wmma.shape) {
        write_wmma(k, out);
        return;
    }
    write_begin(k, out);
    (k->shared_words ? write_wgmma : write_mma)(k, out);
    write_end(k, k->shared_words ? 'c' : 'd', out);
}

/* ---- input ----------------------------------------------------------------------------------- */

static uint32_t *fill_operand(int type, uint32_t fragment, int operand, uint32_t lane,
                              unsigned count, uint32_t *to)
{
    for (unsigned reg = 0; reg < count; reg++) {
        const uint64_t value = matrix_register(type, fragment, operand, lane, reg);
        *to++ = (uint32_t)value;
        if (words_of(type) == 2)
            *to++ = (uint32_t)(value >> 32);
    }
    return to;
}

void matrix_fill_shared(int type, int operand, uint32_t fragment, uint32_t *to)
{
    for (uint32_t i = 0; i < MATRIX_SHARED_WORDS; i++)
        to[i] = (uint32_t)matrix_register(type, fragment, operand, i, 0);
}

/* The words of a matrix in memory are those that a lane would hold. */
static uint32_t *fill_matrix(int type, uint32_t fragment, int operand, unsigned elements,
                             uint32_t *to)
{
    return fill_operand(type, fragment, operand, 0, matrix_words(type, elements) / words_of(type),
                        to);
}

static void fill_matrices(const matrix_kernel *k, uint32_t fragment, uint32_t *to)
{
    const struct matrix_wmma *w = &k->wmma;
    to = fill_matrix(k->a_type, fragment, MATRIX_OPERAND_A, w->m * w->k, to);
    to = fill_matrix(k->b_type, fragment, MATRIX_OPERAND_B, w->k * w->n, to);
    fill_matrix(k->c_type, fragment, MATRIX_OPERAND_C, w->m * w->n, to);
}

void matrix_fill_lanes(const matrix_kernel *k, uint32_t fragment, uint32_t *to)
{
    if (k->wmma.shape) {
        fill_matrices(k, fragment, to);
        return;
    }
    for (uint32_t lane = 0; lane < k->threads; lane++) {
        to = fill_operand(k->a_type, fragment, MATRIX_OPERAND_A, lane, k->a, to);
        to = fill_operand(k->b_type, fragment, MATRIX_OPERAND_B, lane, k->b, to);
        to = fill_operand(k->c_type, fragment, MATRIX_OPERAND_C, lane, k->c, to);
        if (k->selector)
            *to++ = matrix_metadata(k->a_type, fragment, lane);
    }
}

void matrix_fill(const matrix_kernel *k, uint32_t fragment, uint32_t *to)
{
    if (k->shared_words) {
        matrix_fill_shared(k->a_type, MATRIX_OPERAND_A, fragment, to);
        matrix_fill_shared(k->b_type, MATRIX_OPERAND_B, fragment, to + MATRIX_SHARED_WORDS);
    }
    matrix_fill_lanes(k, fragment, to + k->shared_words);
}
