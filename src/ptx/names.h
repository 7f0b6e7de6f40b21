/* SPDX-License-Identifier: Apache-2.0
 * Names of a PTX text, each kept once under a number, and a small map from numbers to numbers. */
#ifndef IFL_PTX_NAMES_H
#define IFL_PTX_NAMES_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdint.h>

/* Maps non-zero keys to values. A zeroed map is empty. */
typedef struct ifl_ptx_map {
    uint64_t *key;
    uint32_t *value;
    size_t count;
    size_t capacity; /* a power of two */
} ifl_ptx_map;

/* The value's place, or NULL when the key is not there. */
uint32_t *ifl_ptx_map_find(const ifl_ptx_map *map, uint64_t key);
/* Sets a value; false without memory. */
bool ifl_ptx_map_set(ifl_ptx_map *map, uint64_t key, uint32_t value);
void ifl_ptx_map_free(ifl_ptx_map *map);

typedef struct ifl_ptx_name {
    const char *text; /* NUL-terminated, in the arena given */
    uint32_t length;
    uint32_t hash;
    uint32_t binding; /* what it means here: scope.c; 0 nothing */
    uint32_t range;   /* the same, followed by a number: "a" and a<2> may both be declared */
    uint32_t value;   /* for the owner of the table; 0 at first */
} ifl_ptx_name;

/* Name 0 is "no name". */
typedef struct ifl_ptx_names {
    IFL_VEC(ifl_ptx_name) list;
    uint32_t *slot;
    size_t slot_count; /* a power of two */
} ifl_ptx_names;

/* The number of a name, made if it is new; 0 without memory. */
uint32_t ifl_ptx_name_of(ifl_ptx_names *names, ifl_arena *arena, const char *text, size_t length);
/* 0 when the name is not there. */
uint32_t ifl_ptx_name_find(const ifl_ptx_names *names, const char *text, size_t length);
void ifl_ptx_names_free(ifl_ptx_names *names);

#endif
