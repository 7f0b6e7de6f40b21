/* SPDX-License-Identifier: Apache-2.0
 * How often each stride occurred. If a memory instruction has very many strides, none is worth
 * naming: past a limit only that fact is kept, so that the size is bounded and a merge gives the
 * same result in any order. */
#ifndef IFL_COUNT_STRIDES_H
#define IFL_COUNT_STRIDES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IFL_MAX_STRIDES = 1024 };

typedef enum ifl_stride_use {
    IFL_STRIDE_ALONE,
    IFL_STRIDE_WALKING,
    IFL_STRIDE_USES
} ifl_stride_use;

typedef struct ifl_stride_entry {
    int64_t stride;
    int64_t times[IFL_STRIDE_USES];
    bool used;
} ifl_stride_entry;

/* Zeroed memory is an empty one. */
typedef struct ifl_strides {
    ifl_stride_entry *entry; /* a hash table of `capacity`, a power of two */
    uint32_t count;
    uint32_t capacity;
    bool many; /* more than IFL_MAX_STRIDES */
} ifl_strides;

/* False without memory. */
bool ifl_strides_add(ifl_strides *strides, int64_t stride, ifl_stride_use use, int64_t times);
bool ifl_strides_merge(ifl_strides *strides, const ifl_strides *other);
/* The stride that occurred most often in that use, 0 when there is none; of equals the shortest,
 * of those the positive one. */
int64_t ifl_strides_most(const ifl_strides *strides, ifl_stride_use use);
void ifl_strides_free(ifl_strides *strides);

#endif
