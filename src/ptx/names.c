/* SPDX-License-Identifier: Apache-2.0
 * Open addressing with linear probing; tables are at most half full. */
#include "ptx/names.h"

#include <string.h>

enum { FIRST_SLOTS = 256 };

/* ---- numbers ------------------------------------------------------------------------------- */

static size_t key_slot(const ifl_ptx_map *map, uint64_t key)
{
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15); /* Fibonacci hashing */
    size_t at = (size_t)(mixed >> 32) & (map->capacity - 1);
    while (map->key[at] && map->key[at] != key)
        at = (at + 1) & (map->capacity - 1);
    return at;
}

uint32_t *ifl_ptx_map_find(const ifl_ptx_map *map, uint64_t key)
{
    if (!map->capacity)
        return NULL;
    size_t at = key_slot(map, key);
    return map->key[at] ? &map->value[at] : NULL;
}

static bool grow_map(ifl_ptx_map *map)
{
    ifl_ptx_map grown = {.capacity = map->capacity ? map->capacity * 2 : FIRST_SLOTS,
                         .count = map->count};
    grown.key = calloc(grown.capacity, sizeof *grown.key);
    grown.value = calloc(grown.capacity, sizeof *grown.value);
    if (!grown.key || !grown.value) {
        ifl_ptx_map_free(&grown);
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (!map->key[i])
            continue;
        size_t at = key_slot(&grown, map->key[i]);
        grown.key[at] = map->key[i];
        grown.value[at] = map->value[i];
    }
    ifl_ptx_map_free(map);
    *map = grown;
    return true;
}

bool ifl_ptx_map_set(ifl_ptx_map *map, uint64_t key, uint32_t value)
{
    if ((map->count + 1) * 2 > map->capacity && !grow_map(map))
        return false;
    size_t at = key_slot(map, key);
    map->count += !map->key[at];
    map->key[at] = key;
    map->value[at] = value;
    return true;
}

void ifl_ptx_map_free(ifl_ptx_map *map)
{
    free(map->key);
    free(map->value);
    *map = (ifl_ptx_map){0};
}

/* ---- names --------------------------------------------------------------------------------- */

/* FNV-1a, 32 bits, mixed once more for the low bits. */
static uint32_t hash_text(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static size_t name_slot(const ifl_ptx_names *names, uint32_t hash, const char *text, size_t length)
{
    size_t at = hash & (names->slot_count - 1);
    for (; names->slot[at]; at = (at + 1) & (names->slot_count - 1)) {
        const ifl_ptx_name *name = &names->list.at[names->slot[at]];
        if (name->hash == hash && name->length == length && !memcmp(name->text, text, length))
            break;
    }
    return at;
}

static bool grow_names(ifl_ptx_names *names)
{
    size_t count = names->slot_count ? names->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slot = calloc(count, sizeof *slot);
    if (!slot)
        return false;
    for (uint32_t i = 1; i < names->list.count; i++) {
        size_t at = names->list.at[i].hash & (count - 1);
        while (slot[at])
            at = (at + 1) & (count - 1);
        slot[at] = i;
    }
    free(names->slot);
    names->slot = slot;
    names->slot_count = count;
    return true;
}

uint32_t ifl_ptx_name_find(const ifl_ptx_names *names, const char *text, size_t length)
{
    if (!names->slot_count)
        return 0;
    return names->slot[name_slot(names, hash_text(text, length), text, length)];
}

uint32_t ifl_ptx_name_of(ifl_ptx_names *names, ifl_arena *arena, const char *text, size_t length)
{
    if (!names->list.count && !ifl_vec_push(&names->list, (ifl_ptx_name){.text = ""}))
        return 0;
    if ((names->list.count + 1) * 2 > names->slot_count && !grow_names(names))
        return 0;
    uint32_t hash = hash_text(text, length);
    size_t slot = name_slot(names, hash, text, length);
    if (names->slot[slot])
        return names->slot[slot];
    ifl_ptx_name name = {.hash = hash, .length = (uint32_t)length};
    name.text = ifl_arena_text(arena, text, length);
    if (!name.text || !ifl_vec_push(&names->list, name))
        return 0;
    return names->slot[slot] = (uint32_t)(names->list.count - 1);
}

void ifl_ptx_names_free(ifl_ptx_names *names)
{
    ifl_vec_free(&names->list);
    free(names->slot);
    *names = (ifl_ptx_names){0};
}
