/* SPDX-License-Identifier: Apache-2.0
 * See texture.h. A handle is a place in the table and how often the place was taken before, so that
 * one that was destroyed is known as such for long. A texture that is made again as it was has the
 * same handle again: programs that make one before each launch launch the same then. */
#include "code/texture.h"

#include <string.h>

enum { PLACE_BITS = 20, USE_MASK = 0xfff };
#define MOST_PLACES ((UINT32_C(1) << PLACE_BITS) - 1)

static uint32_t handle_of(const ifl_textures *table, uint32_t place)
{
    return (table->entries.at[place].uses & USE_MASK) << PLACE_BITS | (place + 1);
}

/* The first free one, or the one that the same texture had: with `uses` as they are. */
static uint32_t free_place(ifl_textures *table, const ifl_texture *texture)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t place = 0; place < table->entries.count; place++) {
        const ifl_texture_entry *entry = &table->entries.at[place];
        if (!entry->is_free)
            continue;
        if (memcmp(entry->texture, texture, sizeof *texture) == 0)
            return place;
        first = first == UINT32_MAX ? place : first;
    }
    if (first != UINT32_MAX) {
        table->entries.at[first].uses++;
        return first;
    }
    const uint32_t place = (uint32_t)table->entries.count;
    const bool is_room =
        place < MOST_PLACES && ifl_vec_push(&table->entries, (ifl_texture_entry){0});
    return is_room ? place : UINT32_MAX;
}

uint32_t ifl_textures_add(ifl_textures *table, const ifl_texture *texture)
{
    ifl_texture *copy = malloc(sizeof *copy);
    const uint32_t place = copy ? free_place(table, texture) : UINT32_MAX;
    if (place == UINT32_MAX) {
        free(copy);
        return 0;
    }
    memcpy(copy, texture, sizeof *copy);
    ifl_texture_entry *entry = &table->entries.at[place];
    free(entry->texture);
    entry->texture = copy;
    entry->is_free = false;
    return handle_of(table, place);
}

const ifl_texture *ifl_textures_find(const ifl_textures *table, uint32_t handle)
{
    const uint32_t place = (handle & MOST_PLACES) - 1;
    const bool is_one = place < table->entries.count && handle_of(table, place) == handle &&
                        !table->entries.at[place].is_free;
    return is_one ? table->entries.at[place].texture : NULL;
}

void ifl_textures_remove(ifl_textures *table, uint32_t handle)
{
    if (ifl_textures_find(table, handle))
        table->entries.at[(handle & MOST_PLACES) - 1].is_free = true;
}

void ifl_textures_free(ifl_textures *table)
{
    for (size_t i = 0; i < table->entries.count; i++)
        free(table->entries.at[i].texture);
    ifl_vec_free(&table->entries);
}
