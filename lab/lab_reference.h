/* SPDX-License-Identifier: Apache-2.0
 * What a case's reference is given, and how it makes itself known: the program finds every
 * LAB_REFERENCE of lab/CASE/NAME_reference.c by itself. */
#ifndef LAB_REFERENCE_H
#define LAB_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lab_argument {
    const char *type; /* "f32", "i32", ... of the value or the elements; NULL: plain bytes */
    bool is_buffer;
    void *data;   /* a buffer's contents, to be made what the kernel has to leave; or the value */
    size_t count; /* elements; 1 for a value */
    size_t bytes;
    size_t same; /* the argument whose buffer this is, its own index otherwise */
} lab_argument;

typedef struct lab_run {
    const char *version;
    uint32_t grid[3], block[3]; /* of the first kernel */
    size_t argument_count;
    const lab_argument *arguments;
    const void *variables; /* for lab_variable */
} lab_run;

typedef void lab_compute(const lab_run *run);

typedef struct lab_reference {
    const char *name;
    lab_compute *compute;
} lab_reference;

/* The value of a scalar argument; the contents of a buffer. They end the program where there is
 * no such argument: a mistake in the case. */
long long lab_integer(const lab_run *run, size_t argument);
double lab_real(const lab_run *run, size_t argument);
void *lab_data(const lab_run *run, size_t argument);
size_t lab_count(const lab_run *run, size_t argument);
/* A variable of the .lab file at this point of a sweep. */
double lab_variable(const lab_run *run, const char *name);

/* bf16 and f16 as the argument types have them: 16 bits. */
float lab_from_bf16(uint16_t bits);
uint16_t lab_to_bf16(float value); /* nearest, ties to even */
float lab_from_f16(uint16_t bits);
uint16_t lab_to_f16(float value);
/* A buffer of bf16 as floats; the caller frees them. NULL without memory. */
float *lab_floats_of_bf16(const lab_run *run, size_t argument);

/* The linker gathers the pointers of all cases in one section. */
#define LAB_REFERENCE(id)                                                                          \
    static lab_compute id##_compute;                                                               \
    static const lab_reference id##_entry = {#id, id##_compute};                                   \
    static const lab_reference *const id##_pointer                                                 \
        __attribute__((used, section("lab_references"))) = &id##_entry;                            \
    static void id##_compute(const lab_run *run)

#endif
