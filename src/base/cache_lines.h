/* SPDX-License-Identifier: Apache-2.0
 * Memory that one thread writes, apart from what others use: a cache line that several threads
 * write goes from core to core each time, though they write different words of it. */
#ifndef IFL_BASE_CACHE_LINES_H
#define IFL_BASE_CACHE_LINES_H

#include <stddef.h>

enum { IFL_CACHE_LINE = 64 };

/* Zeroed, in cache lines in which nothing else lies; freed by free. NULL without memory. */
void *ifl_lines_new(size_t items, size_t bytes);

#endif
