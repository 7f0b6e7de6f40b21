/* SPDX-License-Identifier: Apache-2.0
 * An arena: many small allocations that live and die together. A zeroed ifl_arena is an empty
 * one. */
#ifndef IFL_BASE_ARENA_H
#define IFL_BASE_ARENA_H

#include <stddef.h>

typedef struct ifl_arena {
    struct ifl_arena_chunk *chunk;
} ifl_arena;

/* Zeroed memory aligned for any type, or NULL when there is none left. */
void *ifl_arena_alloc(ifl_arena *arena, size_t bytes);
/* A NUL-terminated copy of `length` bytes, or NULL. */
char *ifl_arena_text(ifl_arena *arena, const char *text, size_t length);
void ifl_arena_free(ifl_arena *arena);

#endif
