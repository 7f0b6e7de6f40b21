/* SPDX-License-Identifier: Apache-2.0
 * Whole cache lines. */
#include "base/cache_lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *ifl_lines_new(size_t items, size_t bytes)
{
    size_t size;
    if (__builtin_mul_overflow(items, bytes, &size) || size > SIZE_MAX - IFL_CACHE_LINE)
        return NULL;
    size = (size + IFL_CACHE_LINE - 1) / IFL_CACHE_LINE * IFL_CACHE_LINE;
    void *made = aligned_alloc(IFL_CACHE_LINE, size ? size : IFL_CACHE_LINE);
    return made ? memset(made, 0, size) : NULL;
}
