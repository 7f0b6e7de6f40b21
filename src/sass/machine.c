/* SPDX-License-Identifier: Apache-2.0
 * Files with machine code: a cubin, or the fat binaries of an executable, object or library, read
 * entry by entry from a mapped file. It knows containers, not what a cubin says. */
#include "sass/sass.h"

#include "base/file.h"
#include "base/utf8.h"
#include "sass/cubin.h"
#include "sass/fatbin.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LISTED = 160, NAME_BYTES = 512 };

/* ---- a mapped file --------------------------------------------------------------------------- */

typedef struct mapping {
    uint8_t *bytes; /* NULL for an empty file */
    size_t size;
    bool is_borrowed; /* somebody's memory, not a file */
    bool is_kept;     /* for several walks: whoever mapped it unmaps it */
} mapping;

static ifl_status map_descriptor(int descriptor, const char *path, mapping *out, ifl_error *error)
{
    struct stat about;
    *out = (mapping){0};
    if (fstat(descriptor, &about) != 0)
        return ifl_fail_file(error, "read", path);
    if (!S_ISREG(about.st_mode))
        return ifl_fail(error, IFL_BAD_INPUT, "'%s' is not a regular file", path);
    if (about.st_size == 0)
        return IFL_OK;
    out->size = (size_t)about.st_size;
    void *at = mmap(NULL, out->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (at == MAP_FAILED)
        return ifl_fail_file(error, "read", path);
    out->bytes = at;
    return IFL_OK;
}

static ifl_status map_file(const char *path, mapping *out, ifl_error *error)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return ifl_fail_file(error, "open", path);
    const ifl_status status = map_descriptor(descriptor, path, out, error);
    close(descriptor);
    return status;
}

static void unmap(mapping *file)
{
    if (file->bytes && !file->is_borrowed)
        munmap(file->bytes, file->size);
}

/* Gives back the memory of pages that have been read; a later read brings them in again. */
static void release(const mapping *file, const uint8_t *from, const uint8_t *to)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (file->is_borrowed)
        return;
    const size_t first = ((size_t)(from - file->bytes) + page - 1) / page * page,
                 last = (size_t)(to - file->bytes) / page * page;
    if (last > first)
        madvise(file->bytes + first, last - first, MADV_DONTNEED);
}

/* ---- entries --------------------------------------------------------------------------------- */

/* A cubin, packed or not, that stands in the file. */
typedef struct cubin_entry {
    ifl_fatbin_entry fatbin; /* of a bare cubin: kind 0 */
    const uint8_t *bytes;
    size_t size;
    uint32_t sm;
} cubin_entry;

typedef struct walk {
    const char *path;
    mapping file;
    uint32_t sm; /* wanted; 0: all */
    ifl_status (*take)(struct walk *w, const cubin_entry *entry);
    size_t seen;  /* entries taken */
    bool has_ptx; /* and perhaps nothing else */
    bool has_fatbin;
    char passed[LISTED]; /* the targets that were not wanted */
    ifl_machine_visitor visit;
    ifl_cubin_visitor visit_bytes;
    void *user;
    ifl_machine *into;        /* the one machine of all, or NULL: one a cubin, for `visit` */
    const char *const *names; /* of kernels: only cubins that hold one are read */
    size_t name_count;
    ifl_machine_target_list *targets;
    bool wants_specific; /* visit_unpacked: of the entries those, or else the others */
    ifl_error *error;
} walk;

/* Once each. */
static void note_passed(walk *w, uint32_t sm)
{
    char text[16];
    snprintf(text, sizeof text, "sm_%u", sm);
    const char *found = strstr(w->passed, text);
    const size_t used = strlen(w->passed), length = strlen(text);
    if (found && (found[length] == '\0' || found[length] == ','))
        return;
    if (used + length + 2 < LISTED)
        snprintf(w->passed + used, LISTED - used, "%s%s", used ? ", " : "", text);
}

static ifl_status take_entry(walk *w, const cubin_entry *entry)
{
    if (w->sm && entry->sm != w->sm) {
        note_passed(w, entry->sm);
        return IFL_OK;
    }
    w->seen++;
    return w->take(w, entry);
}

static ifl_status walk_entries(walk *w, ifl_fatbin container)
{
    ifl_fatbin_entry entry;
    bool found;
    for (;;) {
        ifl_status status = ifl_fatbin_entry_next(&container, &entry, &found, w->error);
        if (status != IFL_OK || !found)
            return status;
        w->has_ptx |= entry.kind == IFL_FATBIN_PTX;
        if (entry.kind != IFL_FATBIN_ELF)
            continue;
        status = take_entry(w, &(cubin_entry){entry, entry.payload, entry.payload_bytes, entry.sm});
        if (status != IFL_OK)
            return status;
        release(&w->file, entry.payload, entry.payload + entry.payload_bytes);
    }
}

static ifl_status walk_fatbin(walk *w, const uint8_t *bytes, uint64_t size)
{
    ifl_fatbin section = {bytes, bytes + size, w->path}, container;
    bool found;
    for (;;) {
        ifl_status status = ifl_fatbin_next(&section, &container, &found, w->error);
        if (status != IFL_OK || !found)
            return status;
        w->has_fatbin = true;
        if ((status = walk_entries(w, container)) != IFL_OK)
            return status;
    }
}

/* The linked code, if there is some; else that of objects which nvcc -rdc=true has not linked. */
static ifl_status walk_host(walk *w, const ifl_elf_image *image)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t j = 0; j < image->section_count; j++) {
            const ifl_elf_section *section = &image->sections[j];
            if (!section->bytes || strcmp(section->name, names[i]) != 0)
                continue;
            const ifl_status status = walk_fatbin(w, section->bytes, section->size);
            if (status != IFL_OK)
                return status;
        }
        if (w->seen || w->passed[0])
            return IFL_OK;
    }
    return IFL_OK;
}

static ifl_status walk_elf(walk *w)
{
    ifl_arena arena = {0};
    ifl_elf_image image;
    ifl_status status =
        ifl_elf_open(w->path, w->file.bytes, w->file.size, &arena, &image, w->error);
    if (status == IFL_OK && image.machine == IFL_ELF_CUDA_MACHINE)
        status = take_entry(w, &(cubin_entry){.bytes = w->file.bytes,
                                              .size = w->file.size,
                                              .sm = ifl_cubin_sm(&image)});
    else if (status == IFL_OK)
        status = walk_host(w, &image);
    ifl_arena_free(&arena);
    return status;
}

/* ---- what a file is -------------------------------------------------------------------------- */

static bool starts_with(const mapping *file, const char *magic, size_t bytes)
{
    return file->size >= bytes && memcmp(file->bytes, magic, bytes) == 0;
}

static bool looks_like_text(const mapping *file)
{
    enum { PROBE = 4096 };
    const size_t probe = file->size < PROBE ? file->size : PROBE;
    return !memchr(file->bytes, '\0', probe);
}

static bool is_text_with(const mapping *file, const char *word)
{
    return looks_like_text(file) && memmem(file->bytes, file->size, word, strlen(word));
}

static ifl_status fail_unknown(const walk *w)
{
    if (!w->file.size)
        return ifl_fail(w->error, IFL_BAD_INPUT, "'%s' is empty", w->path);
    if (starts_with(&w->file, "!<arch>\n", 8))
        return ifl_fail(w->error, IFL_UNSUPPORTED,
                        "'%s' is a static library: give the program that links it, or take an "
                        "object out of it with ar x",
                        w->path);
    if (is_text_with(&w->file, ".target"))
        return ifl_fail(w->error, IFL_BAD_INPUT,
                        "'%s' holds PTX text, not machine code: ptxas -arch=sm_90 makes a cubin "
                        "of it",
                        w->path);
    if (is_text_with(&w->file, "__global__"))
        return ifl_fail(w->error, IFL_BAD_INPUT,
                        "'%s' is CUDA source, not machine code: nvcc -arch=sm_90 -cubin makes a "
                        "cubin of it",
                        w->path);
    return ifl_fail(w->error, IFL_BAD_INPUT, "'%s' is %s an ELF file nor a fat binary", w->path,
                    looks_like_text(&w->file) ? "a text, neither" : "neither");
}

static ifl_status fail_empty(const walk *w)
{
    if (w->passed[0])
        return ifl_fail(w->error, IFL_BAD_INPUT,
                        "'%s' has no machine code for sm_%u; it has some for %s", w->path, w->sm,
                        w->passed);
    if (w->has_ptx)
        return ifl_fail(w->error, IFL_BAD_INPUT,
                        "'%s' holds PTX only, no machine code\n"
                        "nvcc -arch=sm_90 keeps both",
                        w->path);
    return ifl_fail(w->error, IFL_BAD_INPUT, "'%s' holds no CUDA code%s", w->path,
                    w->has_fatbin ? ": its fat binaries are empty" : "");
}

static ifl_status walk_mapped(walk *w)
{
    static const char fatbin[4] = {0x50, (char)0xed, 0x55, (char)0xba};
    ifl_status status;
    if (ifl_elf_is_elf(w->file.bytes, w->file.size))
        status = walk_elf(w);
    else if (starts_with(&w->file, fatbin, sizeof fatbin))
        status = walk_fatbin(w, w->file.bytes, w->file.size);
    else
        return fail_unknown(w);
    return status == IFL_OK && !w->seen ? fail_empty(w) : status;
}

static ifl_status walk_file(walk *w)
{
    if (w->file.is_kept)
        return walk_mapped(w);
    ifl_status status = map_file(w->path, &w->file, w->error);
    if (status != IFL_OK)
        return status;
    status = walk_mapped(w);
    unmap(&w->file);
    return status;
}

/* ---- machines -------------------------------------------------------------------------------- */

ifl_machine *ifl_machine_new(const char *file)
{
    ifl_machine *machine = calloc(1, sizeof *machine);
    if (machine && !(machine->file = ifl_utf8_copy(&machine->arena, file))) {
        ifl_machine_free(machine);
        return NULL;
    }
    return machine;
}

void ifl_machine_free(ifl_machine *machine)
{
    if (!machine)
        return;
    free(machine->kernels);
    free(machine->files);
    ifl_arena_free(&machine->arena);
    free(machine);
}

/* What errors call a cubin: the file, or which one in it. */
static void name_entry(const walk *w, const cubin_entry *entry, char *to)
{
    if (entry->fatbin.kind)
        snprintf(to, NAME_BYTES, "%.400s[cubin %zu, sm_%u]", w->path, w->seen, entry->sm);
    else
        snprintf(to, NAME_BYTES, "%.400s", w->path);
}

static ifl_status read_unpacked(walk *w, const cubin_entry *entry, ifl_machine *into)
{
    char name[NAME_BYTES], *image;
    size_t size;
    name_entry(w, entry, name);
    if (!ifl_fatbin_is_packed(&entry->fatbin))
        return ifl_cubin_read(name, entry->bytes, entry->size,
                              (uint64_t)(entry->bytes - w->file.bytes), into, w->error);
    ifl_status status = ifl_fatbin_unpack(&entry->fatbin, &image, &size, w->error);
    if (status != IFL_OK)
        return status;
    status = ifl_cubin_read(name, (const uint8_t *)image, size, 0, into, w->error);
    free(image);
    return status;
}

static ifl_status add_to_one(walk *w, const cubin_entry *entry)
{
    return read_unpacked(w, entry, w->into);
}

static ifl_status visit_alone(walk *w, const cubin_entry *entry)
{
    ifl_machine *machine = ifl_machine_new(w->path);
    if (!machine)
        return ifl_fail_memory(w->error, sizeof *machine);
    ifl_status status = read_unpacked(w, entry, machine);
    if (status == IFL_OK)
        status = w->visit(w->user, machine, w->error);
    ifl_machine_free(machine);
    return status;
}

static ifl_status walk_into_one(walk *w, ifl_machine **out)
{
    *out = NULL;
    w->into = ifl_machine_new(w->path);
    if (!w->into)
        return ifl_fail_memory(w->error, sizeof *w->into);
    const ifl_status status = walk_file(w);
    if (status == IFL_OK)
        *out = w->into;
    else
        ifl_machine_free(w->into);
    return status;
}

ifl_status ifl_machine_read(const char *path, uint32_t sm, ifl_machine **out, ifl_error *error)
{
    walk w = {.path = path, .sm = sm, .take = add_to_one, .error = error};
    return walk_into_one(&w, out);
}

/* ---- parts of large files -------------------------------------------------------------------- */

static bool has_named(const walk *w, const ifl_machine *cubin)
{
    for (size_t k = 0; k < cubin->kernel_count; k++)
        for (size_t n = 0; n < w->name_count; n++)
            if (strcmp(cubin->kernels[k].name, w->names[n]) == 0)
                return true;
    return false;
}

static ifl_status add_if_named(walk *w, const cubin_entry *entry)
{
    ifl_machine *cubin = ifl_machine_new(w->path);
    if (!cubin)
        return ifl_fail_memory(w->error, sizeof *cubin);
    ifl_status status = read_unpacked(w, entry, cubin);
    const bool wanted = status == IFL_OK && has_named(w, cubin);
    ifl_machine_free(cubin);
    return wanted ? read_unpacked(w, entry, w->into) : status;
}

ifl_status ifl_machine_read_named(const char *path, uint32_t sm, const char *const *names,
                                  size_t count, ifl_machine **out, ifl_error *error)
{
    walk w = {.path = path,
              .sm = sm,
              .take = add_if_named,
              .names = names,
              .name_count = count,
              .error = error};
    return walk_into_one(&w, out);
}

static const char *copy_name(ifl_machine *list, const char *name)
{
    return name ? ifl_arena_text(&list->arena, name, strlen(name)) : NULL;
}

static ifl_status list_cubin(void *user, const ifl_machine *cubin, ifl_error *error)
{
    ifl_machine *list = user;
    const size_t count = list->kernel_count + cubin->kernel_count;
    ifl_machine_kernel *grown = realloc(list->kernels, (count + 1) * sizeof *grown);
    if (!grown)
        return ifl_fail_memory(error, count * sizeof *grown);
    list->kernels = grown;
    for (size_t k = 0; k < cubin->kernel_count; k++) {
        ifl_machine_kernel *kernel = &list->kernels[list->kernel_count];
        *kernel = cubin->kernels[k];
        kernel->name = copy_name(list, cubin->kernels[k].name);
        kernel->demangled = copy_name(list, cubin->kernels[k].demangled);
        if (!kernel->name || (cubin->kernels[k].demangled && !kernel->demangled))
            return ifl_fail_memory(error, sizeof *kernel);
        kernel->code = NULL;
        kernel->parameters = NULL;
        kernel->exits = NULL;
        kernel->lines = NULL;
        kernel->symbols = NULL;
        kernel->lines_missing = NULL;
        kernel->parameter_count = kernel->exit_count = kernel->symbol_count = 0;
        kernel->line_count = 0;
        list->kernel_count++;
    }
    return IFL_OK;
}

ifl_status ifl_machine_list(const char *path, uint32_t sm, ifl_machine **out, ifl_error *error)
{
    *out = NULL;
    ifl_machine *list = ifl_machine_new(path);
    if (!list)
        return ifl_fail_memory(error, sizeof *list);
    list->is_list = true;
    list->sm = sm;
    const ifl_status status = ifl_machine_each(path, sm, list_cubin, list, error);
    if (status == IFL_OK)
        *out = list;
    else
        ifl_machine_free(list);
    return status;
}

/* ---- one at a time --------------------------------------------------------------------------- */

ifl_status ifl_machine_each(const char *path, uint32_t sm, ifl_machine_visitor visit, void *user,
                            ifl_error *error)
{
    walk w = {
        .path = path, .sm = sm, .take = visit_alone, .visit = visit, .user = user, .error = error};
    return walk_file(&w);
}

/* ---- targets --------------------------------------------------------------------------------- */

static ifl_status add_target(walk *w, const cubin_entry *entry)
{
    ifl_machine_target_list *list = w->targets;
    size_t at = 0;
    while (at < list->count && list->sm[at] < entry->sm)
        at++;
    const bool known = at < list->count && list->sm[at] == entry->sm;
    if (known || list->count == IFL_MACHINE_TARGETS)
        return IFL_OK;
    memmove(&list->sm[at + 1], &list->sm[at], (list->count - at) * sizeof *list->sm);
    list->sm[at] = entry->sm;
    list->count++;
    return IFL_OK;
}

ifl_status ifl_machine_targets(const char *path, ifl_machine_target_list *out, ifl_error *error)
{
    walk w = {.path = path, .take = add_target, .targets = out, .error = error};
    out->count = 0;
    return walk_file(&w);
}

/* ---- what a GPU runs ------------------------------------------------------------------------- */

/* Machine code runs on its own target and on later ones of the same major number: CUDA C++
 * Programming Guide, "Binary Compatibility". 0: there is none that is known here. */
static uint32_t newest_runnable(const ifl_machine_target_list *targets, uint32_t sm)
{
    enum { MAJOR = 10 };
    uint32_t found = 0;
    for (size_t i = 0; i < targets->count; i++)
        if (targets->sm[i] <= sm && targets->sm[i] / MAJOR == sm / MAJOR &&
            ifl_sass_supports(targets->sm[i]))
            found = targets->sm[i];
    return found;
}

static ifl_status visit_unpacked(walk *w, const cubin_entry *entry)
{
    char name[NAME_BYTES], *image;
    size_t size;
    if (ifl_fatbin_is_specific(&entry->fatbin) != w->wants_specific)
        return IFL_OK;
    name_entry(w, entry, name);
    if (!ifl_fatbin_is_packed(&entry->fatbin))
        return w->visit_bytes(w->user, name, entry->bytes, entry->size, w->error);
    ifl_status status = ifl_fatbin_unpack(&entry->fatbin, &image, &size, w->error);
    if (status != IFL_OK)
        return status;
    status = w->visit_bytes(w->user, name, (const uint8_t *)image, size, w->error);
    free(image);
    return status;
}

/* A source whose file is mapped once, for all walks through it. */
typedef struct opened {
    const char *name;
    mapping file;
} opened;

static ifl_status open_source(const ifl_machine_source *source, opened *out, ifl_error *error)
{
    out->name = source->name;
    out->file = (mapping){(uint8_t *)(uintptr_t)source->bytes, source->size, .is_borrowed = true};
    const ifl_status status = source->bytes ? IFL_OK : map_file(source->name, &out->file, error);
    out->file.is_kept = true;
    return status;
}

static ifl_status targets_of(const opened *source, ifl_machine_target_list *out, ifl_error *error)
{
    walk w = {.path = source->name,
              .file = source->file,
              .take = add_target,
              .targets = out,
              .error = error};
    out->count = 0;
    return walk_file(&w);
}

typedef struct linked_only {
    ifl_cubin_visitor visit;
    void *user;
    bool is_linked; /* what is visited */
    size_t count;
} linked_only;

static ifl_status visit_kind(void *user, const char *name, const uint8_t *bytes, size_t size,
                             ifl_error *error)
{
    linked_only *only = user;
    uint16_t type = ET_NONE;
    if (size >= sizeof(Elf64_Ehdr))
        memcpy(&type, bytes + offsetof(Elf64_Ehdr, e_type), sizeof type);
    if ((type != ET_REL) != only->is_linked)
        return IFL_OK;
    only->count++;
    return only->visit(only->user, name, bytes, size, error);
}

/* Code for sm_90a comes before code for sm_90, wherever it stands: of kernels that are in both the first
 * counts. */
static ifl_status visit_all(walk *w)
{
    ifl_status status = IFL_OK;
    for (int pass = 0; pass < 2 && status == IFL_OK; pass++) {
        w->wants_specific = pass == 0;
        status = walk_file(w);
    }
    return status;
}

/* What nvcc -rdc=true links stands beside the parts that it was linked from, which alone lack each
 * other's symbols: they are visited where there is nothing else. */
static ifl_status each_of_target(const opened *source, uint32_t sm, ifl_cubin_visitor visit,
                                 void *user, ifl_error *error)
{
    linked_only only = {.visit = visit, .user = user, .is_linked = true};
    walk w = {.path = source->name,
              .file = source->file,
              .sm = sm,
              .take = visit_unpacked,
              .visit_bytes = visit_kind,
              .user = &only,
              .error = error};
    const ifl_status status = visit_all(&w);
    if (status != IFL_OK || only.count)
        return status;
    only.is_linked = false;
    return visit_all(&w);
}

static ifl_status fail_to_run(const opened *source, uint32_t sm,
                              const ifl_machine_target_list *targets, ifl_error *error)
{
    char list[256] = "";
    size_t length = 0;
    for (size_t i = 0; i < targets->count && length < sizeof list; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%ssm_%u", i ? ", " : "",
                                   targets->sm[i]);
    return ifl_fail(error, IFL_UNSUPPORTED,
                    "'%s' has no machine code that sm_%u runs; it has machine code for %s%s",
                    source->name, sm, targets->count ? list : "no GPU",
                    ifl_sass_supports(sm) ? "" : ", and code older than sm_75 is not supported");
}

ifl_status ifl_machine_each_runnable(const ifl_machine_source *source, uint32_t sm,
                                     ifl_cubin_visitor visit, void *user, ifl_error *error)
{
    ifl_machine_target_list targets = {.count = 0};
    opened file;
    ifl_status status = open_source(source, &file, error);
    if (status != IFL_OK)
        return status;
    status = targets_of(&file, &targets, error);
    const uint32_t best = newest_runnable(&targets, sm);
    if (status == IFL_OK)
        status = best ? each_of_target(&file, best, visit, user, error)
                      : fail_to_run(&file, sm, &targets, error);
    unmap(&file.file);
    return status;
}

static ifl_status read_into(void *user, const char *name, const uint8_t *bytes, size_t size,
                            ifl_error *error)
{
    return ifl_machine_read_cubin(name, bytes, size, user, error);
}

static ifl_status read_target(const opened *source, uint32_t target, ifl_machine **out,
                              ifl_error *error)
{
    ifl_machine *machine = ifl_machine_new(source->name);
    if (!machine)
        return ifl_fail_memory(error, sizeof *machine);
    const ifl_status status = each_of_target(source, target, read_into, machine, error);
    if (status == IFL_OK)
        *out = machine;
    else
        ifl_machine_free(machine);
    return status;
}

ifl_status ifl_machine_read_best(const ifl_machine_source *source, uint32_t sm, bool or_newest,
                                 ifl_machine **out, ifl_error *error)
{
    ifl_machine_target_list targets = {.count = 0};
    opened file;
    ifl_status status = open_source(source, &file, error);
    if (status != IFL_OK)
        return status;
    status = targets_of(&file, &targets, error);
    const uint32_t runnable = newest_runnable(&targets, sm);
    if (status == IFL_OK && (!targets.count || (!runnable && !or_newest)))
        status = fail_to_run(&file, sm, &targets, error);
    else if (status == IFL_OK)
        status =
            read_target(&file, runnable ? runnable : targets.sm[targets.count - 1], out, error);
    unmap(&file.file);
    return status;
}

const ifl_machine_kernel *ifl_machine_find(const ifl_machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->kernel_count; i++)
        if (machine->kernels[i].is_kernel && strcmp(machine->kernels[i].name, name) == 0)
            return &machine->kernels[i];
    return NULL;
}

/* ---- lines ----------------------------------------------------------------------------------- */

const ifl_machine_line *ifl_machine_line_at(const ifl_machine_kernel *kernel, uint32_t offset)
{
    size_t low = 0, high = kernel->line_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (kernel->lines[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &kernel->lines[low - 1] : NULL;
}
