/* SPDX-License-Identifier: Apache-2.0
 * The arena: a list of chunks, each filled from its start. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 * 1024 };

struct ifl_arena_chunk {
    struct ifl_arena_chunk *next;
    size_t used;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

static struct ifl_arena_chunk *add_chunk(ifl_arena *arena, size_t bytes)
{
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct ifl_arena_chunk *chunk = calloc(1, sizeof *chunk + size);
    if (!chunk)
        return NULL;
    chunk->size = size;
    chunk->next = arena->chunk;
    arena->chunk = chunk;
    return chunk;
}

void *ifl_arena_alloc(ifl_arena *arena, size_t bytes)
{
    const size_t align = alignof(max_align_t);
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + align - 1) / align * align;
    struct ifl_arena_chunk *chunk = arena->chunk;
    if (!chunk || chunk->size - chunk->used < bytes)
        chunk = add_chunk(arena, bytes);
    if (!chunk)
        return NULL;
    void *at = chunk->bytes + chunk->used;
    chunk->used += bytes;
    return at;
}

char *ifl_arena_text(ifl_arena *arena, const char *text, size_t length)
{
    char *copy = ifl_arena_alloc(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void ifl_arena_free(ifl_arena *arena)
{
    for (struct ifl_arena_chunk *chunk = arena->chunk, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    arena->chunk = NULL;
}
