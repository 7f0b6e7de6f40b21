/* SPDX-License-Identifier: Apache-2.0
 * See handle.h. A hash table with open addressing: an object's slot is the first free one from its
 * address's hash on. */
#include "standin/handle.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

typedef struct slot {
    void *object; /* NULL: free */
    ifl_handle_kind kind;
} slot;

static struct {
    pthread_mutex_t lock;
    slot *slots;
    size_t count, taken; /* count is a power of two */
} table = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

void ifl_handles_forget(void)
{
    table.lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    table.slots = NULL;
    table.count = table.taken = 0;
}

void ifl_handles_lock(void)
{
    pthread_mutex_lock(&table.lock);
}

void ifl_handles_unlock(void)
{
    pthread_mutex_unlock(&table.lock);
}

/* Fibonacci hashing; the low bits of an address are its alignment. */
static size_t home_of(const void *object, size_t count)
{
    return (size_t)(((uintptr_t)object >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (count - 1);
}

/* The object's slot, or the free one where it belongs. */
static slot *place_of(slot *slots, size_t count, const void *object)
{
    size_t at = home_of(object, count);
    while (slots[at].object && slots[at].object != object)
        at = (at + 1) & (count - 1);
    return &slots[at];
}

/* At most three quarters are taken, so that a search ends. */
static bool grow(void)
{
    if (table.taken * 4 < table.count * 3)
        return true;
    const size_t count = table.count ? table.count * 2 : FIRST_SLOTS;
    slot *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < table.count; i++)
        if (table.slots[i].object)
            *place_of(slots, count, table.slots[i].object) = table.slots[i];
    free(table.slots);
    table.slots = slots;
    table.count = count;
    return true;
}

static bool add(ifl_handle_kind kind, void *object)
{
    if (!grow())
        return false;
    *place_of(table.slots, table.count, object) = (slot){object, kind};
    table.taken++;
    return true;
}

bool ifl_handle_add(ifl_handle_kind kind, void *object)
{
    ifl_handles_lock();
    const bool is_added = add(kind, object);
    ifl_handles_unlock();
    return is_added;
}

void ifl_handle_remove(const void *object)
{
    ifl_handles_lock();
    slot *gone = table.count ? place_of(table.slots, table.count, object) : NULL;
    if (gone && gone->object) {
        /* Those behind the gap are put in anew: a search stops at a free slot. */
        const size_t last = table.count - 1;
        gone->object = NULL;
        table.taken--;
        for (size_t at = (size_t)(gone - table.slots + 1) & last; table.slots[at].object;
             at = (at + 1) & last) {
            const slot moved = table.slots[at];
            table.slots[at].object = NULL;
            *place_of(table.slots, table.count, moved.object) = moved;
        }
    }
    ifl_handles_unlock();
}

void *ifl_handle_find(ifl_handle_kind kind, const void *handle)
{
    ifl_handles_lock();
    const slot *found = table.count && handle ? place_of(table.slots, table.count, handle) : NULL;
    void *object = found && found->kind == kind ? found->object : NULL;
    ifl_handles_unlock();
    return object;
}

void *ifl_handle_next(ifl_handle_kind kind, size_t *at)
{
    void *object = NULL;
    ifl_handles_lock();
    while (*at < table.count && !object) {
        const slot *now = &table.slots[(*at)++];
        object = now->kind == kind ? now->object : NULL;
    }
    ifl_handles_unlock();
    return object;
}
