/* SPDX-License-Identifier: Apache-2.0
 * Where an observer keeps what it saw of each memory instruction: one record for each
 * combination of instruction, space, kind and width that occurs (a generic load can touch two
 * spaces, cp.async reads one and writes another). Records are made when they are first needed.
 * Knows events only. */
#ifndef IFL_COUNT_SLOTS_H
#define IFL_COUNT_SLOTS_H

#include "code/event.h"

/* The head of every record. */
typedef struct ifl_slot {
    uint32_t site;
    uint32_t key;  /* ifl_slot_key */
    uint32_t next; /* 1 + index of the next record of the instruction, 0 at the end */
} ifl_slot;

typedef struct ifl_slots {
    uint32_t *first; /* by instruction: 1 + index of its first record, 0 for none */
    size_t site_count;
    void *at;
    size_t count;
    size_t capacity;
    size_t record_bytes;
    bool lost; /* there was no memory for a record: what was counted is not all */
} ifl_slots;

/* `record_bytes`: of a record with its head. Freed by ifl_slots_free in every case. */
bool ifl_slots_init(ifl_slots *slots, const ifl_sites *sites, size_t record_bytes);
void ifl_slots_free(ifl_slots *slots);

/* The record, made zeroed when there is none; NULL without memory, or for what is no event of
 * event.h. */
ifl_slot *ifl_slots_get(ifl_slots *slots, uint32_t site, uint32_t key);

/* Adds the records of other slots: `add` is told of `user` and each two records. */
void ifl_slots_merge(ifl_slots *slots, const ifl_slots *other,
                     void (*add)(void *user, ifl_slot *to, const ifl_slot *from), void *user);
/* Of all records, whatever their order: it is that in which threads of the host came to them. */
uint64_t ifl_slots_digest(const ifl_slots *slots, uint64_t (*digest)(const ifl_slot *slot));

static inline uint32_t ifl_slot_key(const ifl_access *access)
{
    return access->kind | (uint32_t)access->space << 8 | (uint32_t)access->bytes << 16;
}

static inline unsigned ifl_slot_kind(const ifl_slot *slot)
{
    return slot->key & 0xff;
}

static inline unsigned ifl_slot_space(const ifl_slot *slot)
{
    return slot->key >> 8 & 0xff;
}

static inline unsigned ifl_slot_bytes(const ifl_slot *slot)
{
    return slot->key >> 16;
}

static inline ifl_slot *ifl_slots_at(const ifl_slots *slots, size_t index)
{
    return (ifl_slot *)((unsigned char *)slots->at + index * slots->record_bytes);
}

/* The hot path: nearly always the instruction's first record is the one. */
static inline ifl_slot *ifl_slots_find(ifl_slots *slots, const ifl_access *access)
{
    uint32_t site = access->site;
    if (site < slots->site_count && slots->first[site]) {
        ifl_slot *slot = ifl_slots_at(slots, slots->first[site] - 1);
        if (slot->key == ifl_slot_key(access))
            return slot;
    }
    return ifl_slots_get(slots, site, ifl_slot_key(access));
}

#endif
