/* SPDX-License-Identifier: Apache-2.0
 * The rows of matrix_shape.def and matrix_more.def: their kernels as PTX, and the words that these read. */
#ifndef IFL_TESTS_MATRIX_KERNELS_H
#define IFL_TESTS_MATRIX_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MATRIX_SHARED_WORDS = 2048 /* of a, and of b behind it */ };

typedef struct matrix_kernel {
    const char *name, *text;
    int a_type, b_type, c_type;
    unsigned a, b, c;      /* registers a thread */
    const char *selector;  /* NULL: not sparse */
    unsigned threads;      /* 32, of a warp group 128 */
    unsigned shared_words; /* that a block reads before the words of its threads */
    uint64_t a_layout, b_layout;
    unsigned a_start, b_start;
    const char *rest;
    struct
        matrix_wmma { /* .shape: matrices in memory, m * k, k * n and m * n elements; `text` are the types */
        const char *shape, *a_way, *b_way, *how, *a_word, *b_word, *c_word;
        unsigned m, n, k;
    } wmma;
} matrix_kernel;

extern const matrix_kernel matrix_kernels[];
extern const size_t matrix_kernel_count;
/* Those of matrix_more.def. */
extern const matrix_kernel matrix_more[];
extern const size_t matrix_more_count;

/* Words that a block reads and writes. */
unsigned matrix_words_in(const matrix_kernel *kernel);
unsigned matrix_words_out(const matrix_kernel *kernel);
/* Kernel NAME(in, out): block f computes fragment f. */
void matrix_write_ptx(const matrix_kernel *kernel, FILE *out);
void matrix_write_head(const char *target, FILE *out);
void matrix_fill(const matrix_kernel *kernel, uint32_t fragment, uint32_t *words);
/* Its parts: an operand in shared memory, MATRIX_SHARED_WORDS of them, and the words of the threads. */
void matrix_fill_shared(int type, int operand, uint32_t fragment, uint32_t *words);
void matrix_fill_lanes(const matrix_kernel *kernel, uint32_t fragment, uint32_t *words);

#endif
