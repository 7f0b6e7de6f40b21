/* SPDX-License-Identifier: Apache-2.0
 * See runtime_archive.h. */
#include "audit/runtime_archive.h"

#include <ar.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the object file within ------------------------------------------------------------------ */

/* Objects that the archive pads to even addresses only are copied to where their tables are
 * aligned. */
typedef struct member {
    uint8_t *bytes;
    size_t size;
} member;

static size_t size_of(const struct ar_hdr *head)
{
    char text[sizeof head->ar_size + 1] = {0};
    memcpy(text, head->ar_size, sizeof head->ar_size);
    return strtoul(text, NULL, 10);
}

static bool next_member(const uint8_t *archive, size_t size, size_t *at, member *out)
{
    struct ar_hdr head;
    if (*at > size || size - *at < sizeof head)
        return false;
    memcpy(&head, archive + *at, sizeof head);
    out->size = size_of(&head);
    *at += sizeof head;
    if (memcmp(head.ar_fmag, ARFMAG, sizeof head.ar_fmag) != 0 || out->size > size - *at)
        return false;
    out->bytes = malloc(out->size + 1);
    if (out->bytes)
        memcpy(out->bytes, archive + *at, out->size);
    *at += out->size + out->size % 2;
    return out->bytes;
}

/* ---- its functions --------------------------------------------------------------------------- */

static const Elf64_Sym *function_named(const ifl_object_file *file, const char *name)
{
    for (size_t i = 0; i < file->symbol_count; i++) {
        const char *own = ifl_object_function(file, i);
        if (own && strcmp(own, name) == 0)
            return &file->symbols[i];
    }
    return NULL;
}

static int compare_starts(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static const char *function_in(const ifl_object_file *file, size_t index, uint16_t section)
{
    const char *name = ifl_object_function(file, index);
    return name && file->symbols[index].st_shndx == section &&
                   file->symbols[index].st_value < UINT32_MAX
               ? name
               : NULL;
}

/* The starts of all functions of a section, ascending, each once. */
static uint32_t *starts_of(const ifl_object_file *file, uint16_t section, size_t *count)
{
    size_t all = 0, kept = 0;
    uint32_t *starts = malloc((file->symbol_count + 1) * sizeof *starts);
    for (size_t i = 0; i < file->symbol_count && starts; i++)
        if (function_in(file, i, section))
            starts[all++] = (uint32_t)file->symbols[i].st_value;
    if (starts)
        qsort(starts, all, sizeof *starts, compare_starts);
    for (size_t i = 0; i < all; i++)
        if (!kept || starts[kept - 1] != starts[i])
            starts[kept++] = starts[i];
    *count = starts ? kept : 0;
    return starts;
}

static bool has_room(const uint32_t *starts, size_t count, uint32_t start, size_t room)
{
    const uint32_t *at = bsearch(&start, starts, count, sizeof *starts, compare_starts);
    return at && (at + 1 == starts + count || at[1] - at[0] >= room);
}

static bool gather_calls(const ifl_object_file *file, uint16_t section, const uint32_t *starts,
                         size_t room, ifl_known_call *known, ifl_runtime_layout *out)
{
    out->calls = calloc(file->symbol_count, sizeof *out->calls);
    for (size_t i = 0; i < file->symbol_count && out->calls; i++) {
        const char *own = function_in(file, i, section), *name = own ? known(own) : NULL;
        const uint32_t start = (uint32_t)file->symbols[i].st_value;
        if (!name)
            continue;
        if (!has_room(starts, out->functions, start, room)) {
            out->call_count = 0;
            break;
        }
        out->calls[out->call_count++] = (ifl_layout_call){name, start - starts[0]};
    }
    if (!out->call_count)
        free(out->calls);
    return out->call_count > 0;
}

static bool layout_of(const ifl_object_file *file, size_t room, ifl_known_call *known,
                      ifl_runtime_layout *out)
{
    const Elf64_Sym *version = function_named(file, "cudaRuntimeGetVersion");
    size_t count = 0;
    uint32_t *starts = version ? starts_of(file, version->st_shndx, &count) : NULL;
    if (!count) {
        free(starts);
        return false;
    }
    const uint32_t first = starts[0];
    *out = (ifl_runtime_layout){.functions = (uint32_t)count, .span = starts[count - 1] - first};
    const bool is_whole = gather_calls(file, version->st_shndx, starts, room, known, out);
    for (size_t i = 0; i < count; i++)
        starts[i] -= first;
    out->starts = ifl_starts_hash(starts, count);
    free(starts);
    return is_whole;
}

bool ifl_archive_layout(const uint8_t *archive, size_t size, size_t room, ifl_known_call *known,
                        ifl_runtime_layout *out)
{
    size_t at = SARMAG;
    member one;
    bool is_found = false;
    if (size < SARMAG || memcmp(archive, ARMAG, SARMAG) != 0)
        return false;
    while (!is_found && next_member(archive, size, &at, &one)) {
        ifl_object_file file;
        is_found = ifl_object_read(one.bytes, one.size, &file) && file.symbols &&
                   layout_of(&file, room, known, out);
        free(one.bytes);
    }
    return is_found;
}

bool ifl_archive_open(const char *path, size_t room, ifl_known_call *known, ifl_runtime_layout *out)
{
    struct stat about;
    bool is_found = false;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        const size_t size = (size_t)about.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        is_found = bytes != MAP_FAILED && ifl_archive_layout(bytes, size, room, known, out);
        if (bytes != MAP_FAILED)
            munmap(bytes, size);
    }
    close(file);
    return is_found;
}

/* ---- where archives are ---------------------------------------------------------------------- */

/* Files that match, in order, behind those before them. */
static void add_matches(glob_t *places, const char *pattern)
{
    glob(pattern, GLOB_APPEND, NULL, places);
}

static void add_below(glob_t *places, const char *folder, size_t length, const char *rest)
{
    char pattern[PATH_MAX];
    const int written = snprintf(pattern, sizeof pattern, "%.*s%s", (int)length, folder, rest);
    if (written > 0 && (size_t)written < sizeof pattern)
        add_matches(places, pattern);
}

static void add_listed(glob_t *places, const char *list)
{
    while (list && *list) {
        const size_t length = strcspn(list, ":");
        add_below(places, list, length, "");
        list += length + (list[length] == ':');
    }
}

glob_t ifl_archive_places(const char *object)
{
    static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
    static const char *const toolkits[] = {"/usr/local/cuda*/lib64/libcudart_static.a",
                                           "/opt/cuda*/lib64/libcudart_static.a",
                                           "/usr/lib/x86_64-linux-gnu/libcudart_static.a"};
    glob_t places = {0};
    const char *slash = strrchr(object, '/');
    add_listed(&places, getenv("INFLIGHT_CUDART_STATIC"));
    if (slash) {
        add_below(&places, object, (size_t)(slash - object), "/libcudart_static.a");
        /* NVIDIA's packages for Python: nvidia/cublas/lib, nvidia/cuda_runtime/lib */
        add_below(&places, object, (size_t)(slash - object), "/../../cuda_runtime/lib/libcudart*");
    }
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        if (getenv(homes[i]))
            add_below(&places, getenv(homes[i]), strlen(getenv(homes[i])),
                      "/lib64/libcudart_static.a");
    for (size_t i = 0; i < sizeof toolkits / sizeof *toolkits; i++)
        add_matches(&places, toolkits[i]);
    return places;
}
