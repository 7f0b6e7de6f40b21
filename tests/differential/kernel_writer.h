/* SPDX-License-Identifier: Apache-2.0
 * Random small kernels in PTX, a seed each, whose results are the same on every right machine: no
 * races, no order that could show; results of approximations stand apart, and nothing goes on from
 * them. Knows PTX text only. */
#ifndef IFL_TEST_KERNEL_WRITER_H
#define IFL_TEST_KERNEL_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Of every kernel: blocks of so many threads, words of 8 bytes that a thread reads and writes,
 * words that all threads add to. A kernel takes the addresses of input, output and sums. */
enum {
    KERNEL_BLOCKS = 2,
    KERNEL_THREADS = 64,
    KERNEL_INPUTS = 8,
    KERNEL_OUTPUTS = 32,
    KERNEL_SUMS = 64
};

/* Kernels of these seeds and above take a fourth address: KERNEL_APPROXIMATIONS words of 8 bytes a
 * thread, which they write. */
enum { KERNEL_FIRST_APPROXIMATE = 1000000, KERNEL_APPROXIMATIONS = 4 };
/* Kernels of these seeds and above hold the statements of statement.h, in turn, and no
 * approximations. */
enum { KERNEL_FIRST_STATEMENTS = 2000000 };
/* Of approximation.h: what word `slot` of such a kernel is a result of. */
bool kernel_is_approximate(uint64_t seed);
size_t kernel_approximation(uint64_t seed, unsigned slot);

/* Writes the head of a module for sm_SM, then any number of kernels named kernel_SEED. */
void kernel_module_begin(const char *sm, FILE *out);
void kernel_write(uint64_t seed, FILE *out);

/* Before each piece that some target may not have stands a line with its number (scanf); a piece that
 * is left out is written no more. */
#define KERNEL_PIECE "//piece %zu"
void kernel_leave_out(size_t piece);

/* The arithmetic forms that kernels are made of ("add.sat.s32"), NULL past the end. Kernel `seed`
 * holds those from kernel_first_form(seed) on, KERNEL_FORMS of them, in an order mixed once for
 * all. */
enum { KERNEL_FORMS = 12 };
const char *kernel_form(size_t index);
size_t kernel_form_count(void);

/* The forms of one kernel, as written into it. */
const char *kernel_form_of(uint64_t seed, unsigned index);

#endif
