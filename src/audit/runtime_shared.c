/* SPDX-License-Identifier: Apache-2.0
 * See runtime_shared.h. */
#include "audit/runtime_shared.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A function that programs call. */
typedef struct exported {
    const char *name;
    size_t at; /* which start of the library it is */
} exported;

typedef struct library {
    const ifl_function_start *starts;
    size_t count;
    uint64_t table; /* that the starts count from */
    exported *calls;
    size_t call_count;
    const struct library *copy; /* whose distances are told; it has no calls */
} library;

static uint64_t address_of(const library *l, size_t at)
{
    return l->table + (uint64_t)(int64_t)l->starts[at].start;
}

static bool find_start(const library *l, uint64_t address, size_t *at)
{
    size_t low = 0, high = l->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (address_of(l, middle) < address)
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    return low < l->count && address_of(l, low) == address;
}

static const void *section_bytes(const ifl_object_file *file, const char *name, size_t *bytes)
{
    const Elf64_Shdr *section = ifl_object_section(file, name);
    const bool is_there = section && section->sh_offset <= file->size &&
                          section->sh_size <= file->size - section->sh_offset;
    *bytes = is_there ? section->sh_size : 0;
    return is_there ? file->bytes + section->sh_offset : NULL;
}

static const char *call_named(const Elf64_Sym *symbol, const char *names, size_t name_bytes,
                              ifl_known_call *known)
{
    const bool is_function =
        ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF;
    return is_function && symbol->st_name < name_bytes &&
                   memchr(names + symbol->st_name, '\0', name_bytes - symbol->st_name)
               ? known(names + symbol->st_name)
               : NULL;
}

static int by_place(const void *a, const void *b)
{
    const size_t x = ((const exported *)a)->at, y = ((const exported *)b)->at;
    return x < y ? -1 : x > y;
}

static bool gather(const ifl_object_file *file, ifl_known_call *known, library *l)
{
    size_t bytes, name_bytes;
    const uint8_t *symbols = section_bytes(file, ".dynsym", &bytes);
    const char *names = section_bytes(file, ".dynstr", &name_bytes);
    l->starts = ifl_object_starts(file, &l->count, &l->table);
    l->calls = calloc(bytes / sizeof(Elf64_Sym) + 1, sizeof *l->calls);
    for (size_t i = 0; symbols && names && l->starts && l->calls && i < bytes / sizeof(Elf64_Sym);
         i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, symbols + i * sizeof symbol, sizeof symbol);
        const char *name = call_named(&symbol, names, name_bytes, known);
        if (!name)
            continue;
        l->calls[l->call_count].name = name;
        if (!find_start(l, symbol.st_value, &l->calls[l->call_count++].at))
            return false;
    }
    if (l->call_count)
        qsort(l->calls, l->call_count, sizeof *l->calls, by_place);
    return l->call_count > 0;
}

static uint32_t distance(const library *l, size_t from, size_t to)
{
    return (uint32_t)(address_of(l, to) - address_of(l, from));
}

static bool has_room(const library *l, size_t at, size_t room)
{
    return at + 1 == l->count || distance(l, at, at + 1) >= room;
}

/* Whose size is another in the archive: what follows it lies elsewhere. */
static bool is_apart(const exported *call)
{
    return strcmp(call->name, "cudaGetExportTable") == 0;
}

/* Whether so many functions are as long as the library's, or a little shorter or longer: most not. */
static bool is_like(const library *l, size_t first, size_t count, size_t at)
{
    enum { STEP = 16 };
    size_t same = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        const uint32_t own = distance(l, first + i, first + i + 1),
                       other = distance(l->copy, at + i, at + i + 1);
        if (own != other && own != other + STEP && own + STEP != other)
            return false;
        same += own == other;
    }
    return same * 2 >= count;
}

/* Where the copy has the functions, in one place only. */
static bool find_copy(const library *l, size_t first, size_t count, size_t *at)
{
    size_t found = 0;
    for (size_t i = 0; i + count <= l->copy->count; i++)
        if (is_like(l, first, count, i)) {
            *at = i;
            found++;
        }
    return found == 1;
}

/* Calls `from` to `to` - 1 make a part; the one before it may be apart from it. */
static bool make_part(const library *l, size_t from, size_t to, size_t room,
                      ifl_runtime_layout *out)
{
    const bool has_before = is_apart(&l->calls[from]);
    const size_t begin = from + (has_before ? 1 : 0);
    enum { LEAST = 8 };
    if (begin + LEAST > to || (has_before && l->calls[begin].at != l->calls[from].at + 1))
        return false;
    const size_t first = l->calls[begin].at, last = l->calls[to - 1].at, count = last - first + 1;
    const library *told = l->copy ? l->copy : l;
    size_t at = first; /* of the first function there */
    if (l->copy && !find_copy(l, first, count, &at))
        return false;
    uint32_t *distances = malloc(count * sizeof *distances);
    *out = (ifl_runtime_layout){.functions = (uint32_t)count,
                                .span = distance(told, at, at + count - 1),
                                .calls = calloc(to - from, sizeof *out->calls)};
    bool is_whole = distances && out->calls;
    for (size_t i = 0; is_whole && i < count; i++)
        distances[i] = distance(told, at, at + i);
    for (size_t i = from; is_whole && i < to; i++) {
        const size_t place = l->calls[i].at + at - first;
        is_whole = (i >= begin || at) && has_room(told, place, room);
        out->calls[out->call_count++] = (ifl_layout_call){
            l->calls[i].name, i < begin ? IFL_LAYOUT_BEFORE : distance(told, at, place)};
    }
    if (is_whole)
        out->starts = ifl_starts_hash(distances, count);
    free(distances);
    return is_whole;
}

/* The end of the group of calls that begins with that one: few other functions lie between two of
 * them. */
static size_t end_of_group(const library *l, size_t from)
{
    enum { MOST_OTHERS = 15 };
    size_t to = from + 1;
    while (to < l->call_count && !is_apart(&l->calls[to]) &&
           l->calls[to].at - l->calls[to - 1].at <= MOST_OTHERS + 1)
        to++;
    return to;
}

static bool make_parts(const library *l, size_t room, ifl_runtime_layout *out)
{
    size_t parts = 0;
    for (size_t from = 0, to; from < l->call_count; from = to, parts++) {
        to = end_of_group(l, from);
        if (parts == IFL_SHARED_PARTS || !make_part(l, from, to, room, &out[parts]))
            return false;
        out[parts].continues = parts > 0;
    }
    return parts == IFL_SHARED_PARTS;
}

bool ifl_shared_layout(const uint8_t *bytes, size_t size, const ifl_object_file *object,
                       size_t room, ifl_known_call *known, ifl_runtime_layout out[IFL_SHARED_PARTS])
{
    ifl_object_file file;
    library copy = {0}, l = {.copy = object ? &copy : NULL};
    if (object)
        copy.starts = ifl_object_starts(object, &copy.count, &copy.table);
    memset(out, 0, IFL_SHARED_PARTS * sizeof *out);
    const bool is_found = (!object || copy.starts) && ifl_object_read(bytes, size, &file) &&
                          gather(&file, known, &l) && make_parts(&l, room, out);
    for (size_t i = 0; !is_found && i < IFL_SHARED_PARTS; i++) {
        free(out[i].calls);
        out[i] = (ifl_runtime_layout){0};
    }
    free(l.calls);
    return is_found;
}

bool ifl_shared_open(const char *path, const ifl_object_file *copy, size_t room,
                     ifl_known_call *known, ifl_runtime_layout out[IFL_SHARED_PARTS])
{
    ifl_object_file file;
    if (!ifl_object_open(path, &file))
        return false;
    const bool is_found = ifl_shared_layout(file.bytes, file.size, copy, room, known, out);
    ifl_object_close(&file);
    return is_found;
}
