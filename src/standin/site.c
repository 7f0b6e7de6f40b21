/* SPDX-License-Identifier: Apache-2.0
 * Where in the program a call stands: the source line where the program has debugging information
 * (nvcc -g), else function and offset. Programs ask from few places, again and again: what was
 * found is kept. */
#include "base/demangle.h"
#include "base/short_name.h"
#include "base/utf8.h"
#include "standin/dwarf_line.h"
#include "standin/state.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

enum { SITE_BYTES = 160, MOST_KEPT = 512 };

typedef struct site {
    const void *address;
    bool is_wrapper; /* a template of cuda_runtime.h that nobody inlined: its caller is meant */
    char text[SITE_BYTES];
} site;

static struct {
    pthread_mutex_t lock;
    size_t count;
    site list[MOST_KEPT];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- symbols --------------------------------------------------------------------------------- */

typedef struct symbol {
    char name[1024];
    uint64_t start;
    bool is_found;
} symbol;

static void look_in_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t at,
                          symbol *out)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    GElf_Sym one;
    for (size_t i = 0; i < count && gelf_getsym(data, (int)i, &one); i++) {
        const char *name = GELF_ST_TYPE(one.st_info) == STT_FUNC && at - one.st_value < one.st_size
                               ? elf_strptr(elf, header->sh_link, one.st_name)
                               : NULL;
        if (!name)
            continue;
        snprintf(out->name, sizeof out->name, "%s", name);
        out->start = one.st_value;
        out->is_found = true;
        return;
    }
}

static void look_in_file(const char *path, uint64_t at, symbol *out)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *elf = descriptor < 0 ? NULL : elf_begin(descriptor, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    while (elf && !out->is_found && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            look_in_table(elf, section, &header, at, out);
    }
    if (elf)
        elf_end(elf);
    if (descriptor >= 0)
        close(descriptor);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* "work(int, int*)" becomes "work". */
static void write_name(const char *mangled, char *to, size_t size)
{
    ifl_arena arena = {0};
    const char *signature = ifl_demangle(&arena, mangled);
    const char *name = signature ? ifl_short_name(&arena, signature) : NULL;
    snprintf(to, size, "%.*s", (int)size - 1, name ? name : mangled);
    to[ifl_utf8_clean_bytes(to, strlen(to))] = '\0';
    ifl_arena_free(&arena);
}

/* An executable that is linked to a fixed address has no base to take away. */
static uint64_t place_in_file(const Dl_info *info, const void *address)
{
    uint16_t kind;
    memcpy(&kind, (const char *)info->dli_fbase + offsetof(Elf64_Ehdr, e_type), sizeof kind);
    return kind == ET_EXEC ? (uintptr_t)address : (uintptr_t)address - (uintptr_t)info->dli_fbase;
}

/* cudaError cudaMalloc<float>(float**, unsigned long) */
static bool is_wrapper(const char *name)
{
    const char *word = strstr(name, "cuda");
    return word && (word == name || word[-1] == ' ') && strchr(word, '<');
}

/* The address behind a call: what stands before it is meant. */
static void describe(const void *address, site *out)
{
    Dl_info info;
    symbol found = {.is_found = false};
    char name[80], line[56];
    *out = (site){.address = address};
    if (!dladdr(address, &info) || !info.dli_fname) {
        snprintf(out->text, sizeof out->text, "%p", address);
        return;
    }
    const char *slash = strrchr(info.dli_fname, '/'), *file = slash ? slash + 1 : info.dli_fname;
    const uint64_t at = place_in_file(&info, address);
    look_in_file(slash ? info.dli_fname : "/proc/self/exe", at - 1, &found);
    if (!found.is_found) {
        snprintf(out->text, sizeof out->text, "+0x%llx (%s)", (unsigned long long)at, file);
        return;
    }
    write_name(found.name, name, sizeof name);
    out->is_wrapper = is_wrapper(name);
    name[strcspn(name, "<")] = '\0'; /* the offset tells those of one template apart */
    if (ifl_dwarf_line((uintptr_t)address - 1, line, sizeof line))
        snprintf(out->text, sizeof out->text, "%s at %s", name, line);
    else
        snprintf(out->text, sizeof out->text, "%s+0x%llx (%s)", name,
                 (unsigned long long)(at - found.start), file);
}

/* ---- callers --------------------------------------------------------------------------------- */

typedef struct walk {
    uintptr_t below, found;
    bool is_next;
} walk;

static _Unwind_Reason_Code step(struct _Unwind_Context *frame, void *user)
{
    walk *w = user;
    const uintptr_t at = _Unwind_GetIP(frame);
    if (w->is_next) {
        w->found = at;
        return _URC_END_OF_STACK;
    }
    w->is_next = at == w->below;
    return _URC_NO_REASON;
}

/* Where the function that holds the address was called from; 0 where the stack does not say. */
static const void *caller_of(const void *address)
{
    walk w = {.below = (uintptr_t)address};
    _Unwind_Backtrace(step, &w);
    return (const void *)w.found;
}

/* ---- all ------------------------------------------------------------------------------------- */

static const site *look_up(const void *address, site *spare)
{
    for (size_t i = 0; i < kept.count; i++)
        if (kept.list[i].address == address)
            return &kept.list[i];
    site *to = kept.count < MOST_KEPT ? &kept.list[kept.count++] : spare;
    describe(address, to);
    return to;
}

void ifl_site_describe(const void *address, char *to, size_t size)
{
    site spare[2];
    pthread_mutex_lock(&kept.lock);
    const site *found = look_up(address, &spare[0]);
    const void *caller = found->is_wrapper ? caller_of(address) : NULL;
    if (caller)
        found = look_up(caller, &spare[1]);
    snprintf(to, size, "%s", found->text);
    ifl_utf8_clean(
        to); /* names of the program's symbols and files; one may be cut off in a character */
    pthread_mutex_unlock(&kept.lock);
}
