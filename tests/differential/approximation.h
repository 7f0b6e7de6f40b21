/* SPDX-License-Identifier: Apache-2.0
 * Instructions whose results PTX bounds but does not fix. The engine gives an H200's, to the
 * bit. */
#ifndef IFL_TEST_APPROXIMATION_H
#define IFL_TEST_APPROXIMATION_H

#include <stddef.h>
#include <stdint.h>

typedef enum approximation_type {
    TYPE_F32,
    TYPE_F64,
    TYPE_F16,
    TYPE_BF16,
    TYPE_F16X2,
    TYPE_BF16X2
} approximation_type;

/* For which operands the error is stated: all, or those of [2^-7, 2) and below 0 likewise. */
typedef enum approximation_range { RANGE_ALL, RANGE_SECOND, RANGE_BOTH } approximation_range;

typedef struct approximation {
    const char *text;
    int sources;
    approximation_type type;
    approximation_range ordinary; /* which operands are kept ordinary */
} approximation;

const approximation *approximation_at(size_t index); /* NULL past the end */
size_t approximation_count(void);

#endif
