/* SPDX-License-Identifier: Apache-2.0
 * The contents that a buffer starts with. Every element depends on its index and the seed alone,
 * so that the bytes are the same whatever the number of threads. */
#ifndef IFL_SESSION_FILL_H
#define IFL_SESSION_FILL_H

#include "session/element.h"

typedef enum ifl_fill_kind {
    IFL_FILL_ZERO,
    IFL_FILL_CONST,
    IFL_FILL_IOTA,
    IFL_FILL_RANDOM,
    IFL_FILL_PERMUTATION,
    IFL_FILL_NONE, /* nothing has written it: 0xcd bytes, so that a use is seen */
    IFL_FILL_FILE
} ifl_fill_kind;

typedef struct ifl_fill {
    ifl_fill_kind kind;
    uint64_t seed;
    uint64_t limit;   /* RANDOM integers: how many there are to choose from; 0: the whole range */
    uint64_t first;   /* where limit is set: the least of them, */
    uint64_t step;    /* and how far the next is */
    uint8_t value[8]; /* CONST: the element's bits */
    const char *path; /* FILE */
} ifl_fill;

/* Fills `count` elements at `to`, which may stand at any address and is zeroed. FILE is not done
 * here. At most `threads` threads work; 0: one a core. False when *stop was set and not all is
 * filled; `stop` may be NULL. */
bool ifl_fill_run(const ifl_fill *fill, const ifl_element *element, void *to, uint64_t count,
                  int threads, const volatile int *stop);

#endif
