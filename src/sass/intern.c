/* SPDX-License-Identifier: Apache-2.0
 * The set is libc's balanced tree: a hostile file cannot make it slow. */
#include "sass/intern.h"

#include "base/utf8.h"

#include <search.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return strcmp(((const ifl_interned *)a)->text, ((const ifl_interned *)b)->text);
}

static ifl_interned *add(ifl_intern *set, const char *text)
{
    const size_t length = strlen(text);
    if (set->bytes > IFL_INTERN_MAX_BYTES || length > IFL_INTERN_MAX_BYTES - set->bytes)
        return NULL;
    ifl_interned *entry = ifl_arena_alloc(set->arena, sizeof *entry);
    char *copy = ifl_arena_text(set->arena, text, length);
    if (!entry || !copy)
        return NULL;
    *entry = (ifl_interned){.text = copy, .index = (uint32_t)set->list.count};
    if (!ifl_vec_reserve(&set->list, 1) || !tsearch(entry, &set->tree, compare))
        return NULL;
    set->bytes += length;
    set->list.at[set->list.count++] = entry;
    return entry;
}

/* The text, or a copy without what a terminal must not see: names of object files may hold
 * anything. */
static const char *clean(ifl_intern *set, const char *text)
{
    const size_t length = strlen(text);
    if (ifl_utf8_clean_bytes(text, length) == length)
        return text;
    return ifl_utf8_copy(set->arena, text);
}

ifl_interned *ifl_intern_text(ifl_intern *set, const char *text)
{
    const ifl_interned key = {.text = clean(set, text)};
    void *const *found = key.text ? tfind(&key, &set->tree, compare) : NULL;
    return found ? *found : key.text ? add(set, key.text) : NULL;
}

static void keep(void *entry)
{
    (void)entry; /* it is the arena's */
}

void ifl_intern_free(ifl_intern *set)
{
    tdestroy(set->tree, keep);
    set->tree = NULL;
    ifl_vec_free(&set->list);
}
