/* SPDX-License-Identifier: Apache-2.0
 * See texture.h. A handle is a place in the table and how often the place was taken before, so that
 * one that was destroyed is known as such for long. */
#include "code/texture.h"

enum { PLACE_BITS = 20, USE_MASK = 0xfff };
#define MOST_PLACES ((UINT32_C(1) << PLACE_BITS) - 1)

static uint32_t handle_of(const ifl_textures *table, uint32_t place)
{
    return (table->entries.at[place].uses & USE_MASK) << PLACE_BITS | (place + 1);
}

static uint32_t free_place(ifl_textures *table)
{
    uint32_t place = 0;
    while (place < table->entries.count && table->entries.at[place].texture)
        place++;
    if (place < table->entries.count)
        return place;
    const bool is_room =
        place < MOST_PLACES && ifl_vec_push(&table->entries, (ifl_texture_entry){0});
    return is_room ? place : UINT32_MAX;
}

uint32_t ifl_textures_add(ifl_textures *table, const ifl_texture *texture)
{
    ifl_texture *copy = malloc(sizeof *copy);
    const uint32_t place = copy ? free_place(table) : UINT32_MAX;
    if (place == UINT32_MAX) {
        free(copy);
        return 0;
    }
    *copy = *texture;
    table->entries.at[place].texture = copy;
    return handle_of(table, place);
}

const ifl_texture *ifl_textures_find(const ifl_textures *table, uint32_t handle)
{
    const uint32_t place = (handle & MOST_PLACES) - 1;
    const bool is_one = place < table->entries.count && handle_of(table, place) == handle;
    return is_one ? table->entries.at[place].texture : NULL;
}

void ifl_textures_remove(ifl_textures *table, uint32_t handle)
{
    if (!ifl_textures_find(table, handle))
        return;
    ifl_texture_entry *entry = &table->entries.at[(handle & MOST_PLACES) - 1];
    free(entry->texture);
    entry->texture = NULL;
    entry->uses++;
}

void ifl_textures_free(ifl_textures *table)
{
    for (size_t i = 0; i < table->entries.count; i++)
        free(table->entries.at[i].texture);
    ifl_vec_free(&table->entries);
}
