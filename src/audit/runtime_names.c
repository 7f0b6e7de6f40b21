/* SPDX-License-Identifier: Apache-2.0
 * See runtime_names.h. */
#include "audit/runtime_names.h"

#include <stdlib.h>
#include <string.h>

/* The first call by address that names itself in all builds, and how far others are from it at most (0x163d0 bytes before
 * and 0x69800 behind in 13.5). */
static const char ANCHOR[] = "__cudaInitModule";
enum { MOST_BEFORE = 0x20000, MOST_BEHIND = 0xa0000 };

/* Functions of an object by their addresses, ascending. */
typedef struct functions {
    const ifl_function_start *starts;
    size_t count;
    uint64_t table;
} functions;

static uint64_t start_of(const functions *f, size_t index)
{
    return f->table + (uint64_t)(int64_t)f->starts[index].start;
}

/* The first function behind `address`. */
static size_t first_behind(const functions *f, uint64_t address)
{
    size_t low = 0, high = f->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (start_of(f, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool starts_at(const functions *f, uint64_t address)
{
    const size_t behind = first_behind(f, address);
    return behind && start_of(f, behind - 1) == address;
}

/* A function's code ends no later than the next one begins. */
static bool has_room(const ifl_object_file *file, const functions *f, uint64_t address, size_t room)
{
    const size_t behind = first_behind(f, address);
    return (behind == f->count || start_of(f, behind) - address >= room) &&
           ifl_object_code(file, address, room);
}

/* ---- names in code --------------------------------------------------------------------------- */

/* The known call whose name stands at an address of the object, or NULL. */
static const char *name_at(const ifl_object_file *file, uint64_t address, ifl_known_call *known)
{
    enum { LONGEST = 80 };
    for (size_t i = 0; i < file->segment_count; i++) {
        const Elf64_Phdr *s = &file->segments[i];
        const uint64_t into = address - s->p_vaddr;
        if (s->p_type != PT_LOAD || address < s->p_vaddr || into >= s->p_filesz ||
            s->p_offset > file->size || into >= file->size - s->p_offset)
            continue;
        const uint64_t in_file = file->size - s->p_offset - into, in_segment = s->p_filesz - into;
        const size_t left = in_file < in_segment ? in_file : in_segment;
        const char *text = (const char *)file->bytes + s->p_offset + into;
        return memchr(text, 0, left < LONGEST ? left : LONGEST) ? known(text) : NULL;
    }
    return NULL;
}

/* What was found: `calls` by address of the code that loads a name. */
typedef struct names {
    ifl_own_call *calls;
    size_t count, most;
} names;

/* "lea REGISTER, [rip + distance]" at every byte of `code`, which may be another instruction's: what is no name is nothing. */
static bool gather(const ifl_object_file *file, const functions *f, const uint8_t *code,
                   size_t size, uint64_t address, ifl_known_call *known, names *out)
{
    enum { BYTES = 7, WIDE = 0x48, WIDE_HIGH = 0x4c, LEA = 0x8d, FORM = 0xc7, FROM_RIP = 0x05 };
    for (size_t i = 0; i + BYTES <= size; i++) {
        int32_t distance;
        if (code[i + 1] != LEA || (code[i] != WIDE && code[i] != WIDE_HIGH) ||
            (code[i + 2] & FORM) != FROM_RIP)
            continue;
        memcpy(&distance, code + i + 3, sizeof distance);
        const char *name = name_at(file, address + i + BYTES + (uint64_t)(int64_t)distance, known);
        const size_t behind = name ? first_behind(f, address + i) : 0;
        if (!behind)
            continue;
        if (out->count == out->most)
            return false;
        out->calls[out->count++] = (ifl_own_call){name, start_of(f, behind - 1)};
    }
    return true;
}

static bool gather_all(const ifl_object_file *file, const functions *f, ifl_known_call *known,
                       names *out)
{
    for (size_t i = 0; i < file->segment_count; i++) {
        const Elf64_Phdr *s = &file->segments[i];
        const uint8_t *code = s->p_type == PT_LOAD && s->p_flags & PF_X
                                  ? ifl_object_code(file, s->p_vaddr, s->p_filesz)
                                  : NULL;
        if (code && !gather(file, f, code, s->p_filesz, s->p_vaddr, known, out))
            return false;
    }
    return true;
}

static bool is_near(uint64_t address, uint64_t anchor)
{
    return address + MOST_BEFORE >= anchor && address <= anchor + MOST_BEHIND;
}

/* The only function near `anchor` (0: anywhere) that loads this name, as it is kept, and no other name; 0: there is none. */
static uint64_t only_one(const names *all, const char *name, uint64_t anchor)
{
    uint64_t found = 0;
    for (size_t i = 0; i < all->count; i++) {
        const ifl_own_call *c = &all->calls[i];
        if (c->name != name || c->address == found || (anchor && !is_near(c->address, anchor)))
            continue;
        if (found)
            return 0;
        found = c->address;
    }
    for (size_t i = 0; i < all->count; i++)
        if (all->calls[i].address == found && all->calls[i].name != name)
            return 0;
    return found;
}

/* ---- all calls of a build -------------------------------------------------------------------- */

static const ifl_layout_call *call_of(const ifl_runtime_layout *layout, const char *name)
{
    for (size_t i = 0; i < layout->call_count; i++)
        if (strcmp(layout->calls[i].name, name) == 0)
            return &layout->calls[i];
    return NULL;
}

enum { GROUP = 0x800 }; /* bytes on each side of the anchor: 0x2a0 and 0x3a0 in 13.5 */

static bool is_in_group(const ifl_layout_call *call, const ifl_layout_call *from)
{
    const int64_t distance = (int64_t)call->offset - (int64_t)from->offset;
    return call->offset < IFL_LAYOUT_BEFORE && distance > -GROUP && distance < GROUP;
}

/* The group has no other functions in between: distances of another build would miss some. */
static bool is_whole(const functions *f, uint64_t anchor, const ifl_runtime_layout *layout,
                     const ifl_layout_call *from)
{
    uint32_t least = from->offset, most = from->offset;
    size_t members = 0;
    for (size_t i = 0; i < layout->call_count; i++) {
        const ifl_layout_call *call = &layout->calls[i];
        if (!is_in_group(call, from))
            continue;
        members++;
        least = call->offset < least ? call->offset : least;
        most = call->offset > most ? call->offset : most;
    }
    const uint64_t base = anchor - from->offset;
    return first_behind(f, base + most) - first_behind(f, base + least) + 1 == members;
}

/* Where a call that does not name itself is, if it is of the anchor's group; 0: it is not. */
static uint64_t in_group(const functions *f, uint64_t anchor, const ifl_layout_call *call,
                         const ifl_layout_call *from)
{
    const uint64_t address = anchor - from->offset + call->offset;
    return is_in_group(call, from) && starts_at(f, address) ? address : 0;
}

/* Where each call of a known build is in the object; false where one is not. */
static bool place(const functions *f, const names *all, uint64_t anchor, ifl_known_call *known,
                  const ifl_runtime_layout *layout, ifl_own_call *calls)
{
    const ifl_layout_call *from = call_of(layout, ANCHOR);
    if (!from || !is_whole(f, anchor, layout, from))
        return false;
    for (size_t i = 0; i < layout->call_count; i++) {
        const char *name = known(layout->calls[i].name);
        const uint64_t by_name = name ? only_one(all, name, anchor) : 0;
        calls[i] =
            (ifl_own_call){name, by_name ? by_name : in_group(f, anchor, &layout->calls[i], from)};
        if (!name || !calls[i].address)
            return false;
    }
    return true;
}

/* Calls that the object has beside those of the build. */
static size_t add_others(const names *all, uint64_t anchor, ifl_own_call *calls, size_t count,
                         size_t most)
{
    for (size_t i = 0; i < all->count; i++) {
        const char *name = all->calls[i].name;
        const uint64_t address = only_one(all, name, anchor);
        bool is_new = address;
        for (size_t k = 0; k < count && is_new; k++)
            is_new = calls[k].name != name;
        if (is_new && count < most)
            calls[count++] = (ifl_own_call){name, address};
    }
    return count;
}

/* No two calls are one function, and each has room. */
static bool are_apart(const ifl_object_file *file, const functions *f, const ifl_own_call *calls,
                      size_t count, size_t room)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++)
            if (calls[k].address == calls[i].address)
                return false;
        if (!has_room(file, f, calls[i].address, room))
            return false;
    }
    return true;
}

/* The first build whose calls the object has, all of them: which it is, is the same for what is found here. */
static size_t find_build(const functions *f, const names *all, uint64_t anchor,
                         ifl_known_call *known, ifl_own_call *calls, size_t most)
{
    ifl_runtime_layout layout;
    size_t count = 0;
    for (size_t i = 0; !count && ifl_layout_known(i, &layout); i++) {
        if (!layout.continues && layout.call_count <= most &&
            place(f, all, anchor, known, &layout, calls))
            count = layout.call_count;
        free(layout.calls);
    }
    return count;
}

bool ifl_names_find(const ifl_object_file *file, size_t room, ifl_known_call *known,
                    ifl_own_call *calls, size_t most, size_t *count)
{
    enum { LOADS = 4096 }; /* of names, in a whole object: about 500 */
    functions f = {0};
    names all = {calloc(LOADS, sizeof *all.calls), 0, LOADS};
    f.starts = ifl_object_starts(file, &f.count, &f.table);
    const bool is_gathered = all.calls && f.starts && gather_all(file, &f, known, &all);
    const uint64_t anchor = is_gathered ? only_one(&all, known(ANCHOR), 0) : 0;
    *count = anchor ? find_build(&f, &all, anchor, known, calls, most) : 0;
    if (*count)
        *count = add_others(&all, anchor, calls, *count, most);
    free(all.calls);
    return *count && are_apart(file, &f, calls, *count, room);
}
