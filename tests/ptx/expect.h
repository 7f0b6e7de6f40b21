/* SPDX-License-Identifier: Apache-2.0
 * Launches and expectations written into the comments of a .ptx file. Knows text only: neither the
 * library nor a GPU driver, since both kinds of runner read the same files through it.
 *
 *     // launch: -k NAME -g 1 -b 32 [-s BYTES] ARG ARG ...        ARGs as on the command line of
 * inflight
 *     // expect: global_load_sectors = 32                          a counter of the launch above
 *     // expect: line 27 global_load_wavefronts = 4                of the memory instruction on
 * that line of the file
 *     // expect: line @name pattern = strided                      of the line that ends in the
 * comment "// @name"
 *     // expect: arg0[8] = 1 2 0x7fffffff 5*4 0..31 ?              elements of buffer argument 0
 * from index 8 on
 *     // expect: status = finding                                  a word of
 * ifl_expect_launch.status; "ok" if absent
 *     // expect: error contains "past the end of argument 0"
 *     // expect: print contains "x = 1\n"                          device printf
 *
 * Values: decimal or hexadecimal; hexadecimal is the element's bit pattern; a decimal float means
 * the bits nearest to it; ~1.5 within a relative 1e-6, ~1.5@1e-3 within 1e-3, ~0@!1e-3 within an
 * absolute 1e-3; nan is any NaN; ? is anything; V*N repeats; A..B counts up. */
#ifndef IFL_TESTS_EXPECT_H
#define IFL_TESTS_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ifl_expect_kind {
    IFL_EXPECT_COUNTER,
    IFL_EXPECT_LINE_COUNTER,
    IFL_EXPECT_LINE_PATTERN,
    IFL_EXPECT_BUFFER,
    IFL_EXPECT_STATUS,
    IFL_EXPECT_ERROR,
    IFL_EXPECT_PRINT
} ifl_expect_kind;

typedef struct ifl_expectation {
    ifl_expect_kind kind;
    int line;          /* where it is written */
    uint32_t ptx_line; /* LINE_*: the line of the instruction */
    char *name;        /* the counter, the pattern, the status, or the text to find */
    uint64_t count;    /* *COUNTER: the value */
    size_t argument;   /* BUFFER */
    size_t element;
    char **values; /* BUFFER: one word an element */
    size_t value_count;
} ifl_expectation;

typedef struct ifl_expect_launch {
    int line;
    char *kernel, *grid, *block, *shared; /* NULL: not written */
    char **args;
    size_t arg_count;
    ifl_expectation *expectations;
    size_t expectation_count;
} ifl_expect_launch;

typedef struct ifl_expect_file {
    const char *path;
    char *text; /* the whole file */
    size_t bytes;
    ifl_expect_launch *launches;
    size_t launch_count;
    char message[256]; /* "FILE:LINE: what is wrong" after a failure */
} ifl_expect_file;

/* `path` must outlive the file. False with a message when it cannot be read or says something that
 * is not an expectation: a typing error must never pass as a test. Free it in both cases. */
bool ifl_expect_read(const char *path, ifl_expect_file *out);
void ifl_expect_free(ifl_expect_file *file);
/* "ok" unless the launch expects another status. */
const char *ifl_expect_status(const ifl_expect_launch *launch);

/* The word of an argument; a structure's members are arguments of their own. "" past the last. */
const char *ifl_expect_argument(const ifl_expect_launch *launch, size_t index);

/* ---- elements of buffers ----------------------------------------------------------------- */

typedef struct ifl_expect_element {
    const char *name; /* "f16" */
    unsigned bytes;
    char kind; /* 'i' signed, 'u' unsigned, 'f' floating point */
    unsigned exponent_bits, mantissa_bits;
} ifl_expect_element;

/* The type at the start of a word such as "f32x1000=iota" or "i32:5"; NULL when there is none. */
const ifl_expect_element *ifl_expect_element_find(const char *word);
/* Writes the value of a decimal or hexadecimal word; false when it is not one. */
bool ifl_expect_element_write(const ifl_expect_element *element, const char *word, void *to);
bool ifl_expect_element_matches(const ifl_expect_element *element, const char *expected,
                                const void *at);
/* Both the bits and, for floats, the value. */
void ifl_expect_element_print(const ifl_expect_element *element, const void *at, char *to,
                              size_t size);

#endif
