/* SPDX-License-Identifier: Apache-2.0
 * The element types that arguments have: names, sizes, NumPy's words, and a value's bits. */
#ifndef IFL_SESSION_ELEMENT_H
#define IFL_SESSION_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ifl_element_type {
#define ELEMENT(name, text, storage, class, npy, iota, random) IFL_ELEMENT_##name,
#include "session/element.def"
    IFL_ELEMENT_COUNT
} ifl_element_type;

typedef struct ifl_element {
    ifl_element_type type;
    const char *name;
    uint8_t bytes;
    char class;      /* 'I' signed, 'U' unsigned, 'F' floating point */
    const char *npy; /* NumPy's descr */
} ifl_element;

const ifl_element *ifl_element_get(ifl_element_type type);
/* The type whose name is the first `length` characters of `text`, or NULL. */
const ifl_element *ifl_element_find(const char *text, size_t length);
/* The integer or floating-point type of a class and size, or NULL. */
const ifl_element *ifl_element_of(char class, size_t bytes);

/* The nearest value of the format, ties to even; overflow gives infinity. */
uint16_t ifl_f16_bits(double value);
uint16_t ifl_bf16_bits(double value);

#endif
