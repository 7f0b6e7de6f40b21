/* SPDX-License-Identifier: Apache-2.0
 * See memory_snapshot.h. Most of a program's memory may never have been touched: pages of zeros are neither
 * copied nor made. */
#include "exec/memory_snapshot.h"

#include "exec/memory_internal.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 };

static bool is_zero(const uint8_t *bytes, size_t count)
{
    return !bytes[0] && memcmp(bytes, bytes + 1, count - 1) == 0;
}

/* `is_fresh`: zeros so far, which are not even looked at. */
static void copy(uint8_t *to, const uint8_t *from, uint64_t bytes, bool is_fresh)
{
    for (uint64_t at = 0; at < bytes; at += PIECE) {
        const size_t count = bytes - at < PIECE ? bytes - at : PIECE;
        if (!is_zero(from + at, count) || (!is_fresh && !is_zero(to + at, count)))
            memcpy(to + at, from + at, count);
    }
}

/* NULL without memory. */
static uint8_t *copy_of(const uint8_t *from, uint64_t bytes)
{
    uint8_t *to = calloc(bytes + 1, 1);
    if (to)
        copy(to, from, bytes, true);
    return to;
}

/* The copy of the last snapshot, with what has changed since. */
static uint8_t *copy_now(ifl_allocation *a)
{
    ifl_memory_copy *last = ifl_memory_copy_of(a);
    uint8_t *bytes = last->bytes;
    if (!bytes)
        return copy_of(a->host, a->bytes);
    if (last->version != a->version || !ifl_memory_has_version(a))
        copy(bytes, a->host, a->bytes, false);
    last->bytes = NULL;
    return bytes;
}

static bool take_one(ifl_memory_snapshot *snapshot, ifl_allocation *a)
{
    const uint8_t *written = ifl_memory_written(a);
    const ifl_snapshot_part part = {.of = a,
                                    .address = a->address,
                                    .id = a->id,
                                    .before = copy_now(a),
                                    .version = a->version,
                                    .written = written ? copy_of(written, a->bytes) : NULL};
    if (part.before && (part.written || !written) && ifl_vec_push(&snapshot->parts, part))
        return true;
    free(part.before);
    free(part.written);
    return false;
}

ifl_status ifl_memory_snapshot_take(ifl_memory *memory, ifl_memory_snapshot *out, ifl_error *error)
{
    *out = (ifl_memory_snapshot){.memory = memory};
    for (size_t i = 0; i < ifl_memory_count(memory); i++) {
        ifl_allocation *a = ifl_memory_at(memory, i);
        if (a->flags & (IFL_ALLOCATION_FREED | IFL_ALLOCATION_READ_ONLY) || !a->host || !a->bytes)
            continue;
        if (take_one(out, a))
            continue;
        ifl_memory_snapshot_free(out);
        return ifl_fail(error, IFL_NO_MEMORY,
                        "no memory for a copy of the %.1f MB that the program has allocated",
                        (double)ifl_memory_total(memory) / 1e6);
    }
    return IFL_OK;
}

static bool put_back(ifl_memory *memory, ifl_snapshot_part *part)
{
    ifl_allocation *a = part->of;
    uint8_t *written = ifl_memory_written(a);
    if (written && part->written)
        memcpy(written, part->written, a->bytes);
    else if (written) /* since that launch */
        memset(written, !(a->flags & IFL_ALLOCATION_UNWRITTEN), a->bytes);
    if (a->changed_by != ifl_memory_launch(memory))
        return true;
    part->left = copy_of(a->host, a->bytes);
    memcpy(a->host, part->before, a->bytes);
    ifl_memory_changed(memory, a);
    part->version = a->version;
    return part->left != NULL;
}

ifl_status ifl_memory_snapshot_put_back(ifl_memory *memory, ifl_memory_snapshot *snapshot,
                                        ifl_error *error)
{
    bool is_kept = true;
    for (size_t i = 0; i < snapshot->parts.count; i++)
        is_kept &= put_back(memory, &snapshot->parts.at[i]);
    return is_kept ? IFL_OK : ifl_fail_memory(error, ifl_memory_total(memory));
}

/* A launch that waits may have been overtaken by calls that freed it. */
static ifl_memory_copy *place_of(const ifl_memory_snapshot *snapshot, const ifl_snapshot_part *part)
{
    ifl_allocation *a = ifl_memory_find(snapshot->memory, part->address);
    return a && a->id == part->id && a->host && !(a->flags & IFL_ALLOCATION_FREED)
               ? ifl_memory_copy_of(a)
               : NULL;
}

void ifl_memory_snapshot_free(ifl_memory_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->parts.count; i++) {
        const ifl_snapshot_part *part = &snapshot->parts.at[i];
        ifl_memory_copy *place = place_of(snapshot, part);
        free(place ? place->bytes : part->before);
        if (place)
            *place = (ifl_memory_copy){part->before, part->version};
        free(part->left);
        free(part->written);
    }
    ifl_vec_free(&snapshot->parts);
}
