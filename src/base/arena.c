/* SPDX-License-Identifier: Apache-2.0
 * The arena: a list of chunks, each filled from its start. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Most arenas hold little; of one that grows, each chunk is twice as large as the one before. */
enum { LEAST_CHUNK_BYTES = 2 * 1024, MOST_CHUNK_BYTES = 64 * 1024 };

struct ifl_arena_chunk {
    struct ifl_arena_chunk *next;
    size_t used;
    size_t size;
    size_t next_size; /* of the next chunk, if no more is asked for */
    alignas(max_align_t) unsigned char bytes[];
};

/* The chunk in use is the first. What is larger than the next one would be has one of its own behind
 * it, so that its rest is still used. */
static struct ifl_arena_chunk *add_chunk(ifl_arena *arena, size_t bytes)
{
    struct ifl_arena_chunk *first = arena->chunk;
    const size_t usual = first ? first->next_size : LEAST_CHUNK_BYTES,
                 size = bytes > usual ? bytes : usual;
    struct ifl_arena_chunk *chunk = calloc(1, sizeof *chunk + size),
                           **at = first && bytes > usual ? &first->next : &arena->chunk;
    if (!chunk)
        return NULL;
    chunk->size = size;
    chunk->next_size = bytes > usual || usual == MOST_CHUNK_BYTES ? usual : 2 * usual;
    chunk->next = *at;
    *at = chunk;
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
