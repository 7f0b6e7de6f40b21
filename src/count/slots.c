/* SPDX-License-Identifier: Apache-2.0
 * Records of memory instructions: a chain for each instruction, in one growing array. */
#include "count/slots.h"

#include "base/vec.h"

#include <string.h>

bool ifl_slots_init(ifl_slots *slots, const ifl_sites *sites, size_t record_bytes)
{
    *slots = (ifl_slots){.site_count = sites->count, .record_bytes = record_bytes};
    slots->first = calloc(sites->count + 1, sizeof *slots->first);
    return slots->first != NULL;
}

void ifl_slots_free(ifl_slots *slots)
{
    free(slots->first);
    free(slots->at);
    *slots = (ifl_slots){0};
}

static bool is_event(const ifl_slots *slots, uint32_t site, uint32_t key)
{
    unsigned bytes = key >> 16;
    return site < slots->site_count && (key & 0xff) < IFL_ACCESS_KINDS && bytes >= 1 && bytes <= 32;
}

static ifl_slot *add(ifl_slots *slots, uint32_t site, uint32_t key)
{
    if (slots->count >= UINT32_MAX - 1 ||
        !ifl_vec_reserve_bytes(&slots->at, &slots->capacity, slots->count, 1,
                               slots->record_bytes)) {
        slots->lost = true;
        return NULL;
    }
    ifl_slot *slot = ifl_slots_at(slots, slots->count);
    memset(slot, 0, slots->record_bytes);
    slot->site = site;
    slot->key = key;
    slot->next = slots->first[site];
    slots->first[site] = (uint32_t)++slots->count;
    return slot;
}

ifl_slot *ifl_slots_get(ifl_slots *slots, uint32_t site, uint32_t key)
{
    if (!is_event(slots, site, key))
        return NULL;
    for (uint32_t next = slots->first[site]; next;) {
        ifl_slot *slot = ifl_slots_at(slots, next - 1);
        if (slot->key == key)
            return slot;
        next = slot->next;
    }
    return add(slots, site, key);
}

void ifl_slots_merge(ifl_slots *slots, const ifl_slots *other,
                     void (*add_record)(void *user, ifl_slot *to, const ifl_slot *from), void *user)
{
    slots->lost |= other->lost;
    for (size_t i = 0; i < other->count; i++) {
        const ifl_slot *from = ifl_slots_at(other, i);
        ifl_slot *to = ifl_slots_get(slots, from->site, from->key);
        if (to)
            add_record(user, to, from);
    }
}

uint64_t ifl_slots_digest(const ifl_slots *slots, uint64_t (*digest)(const ifl_slot *slot))
{
    uint64_t sum = slots->count;
    for (size_t i = 0; i < slots->count; i++)
        sum += digest(ifl_slots_at(slots, i));
    return sum;
}
