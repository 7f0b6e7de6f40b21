/* SPDX-License-Identifier: Apache-2.0
 * Where in the program a call stands: function and offset, from the symbol table of the file that the address lies in.
 * Programs ask from few places, again and again: what was found is kept. */
#include "base/demangle.h"
#include "standin/state.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { SITE_BYTES = 160, MOST_KEPT = 512 };

static struct {
    pthread_mutex_t lock;
    size_t count;
    struct {
        const void *address;
        char text[SITE_BYTES];
    } list[MOST_KEPT];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- symbols --------------------------------------------------------------------------------- */

typedef struct symbol {
    char name[1024];
    uint64_t start;
    bool is_found;
} symbol;

static void look_in_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t at, symbol *out)
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
        if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
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
    const char *name = ifl_demangle(&arena, mangled);
    const char *text = name ? name : mangled;
    const size_t length = strcspn(text + 1, "(") + 1;
    snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), text);
    ifl_arena_free(&arena);
}

/* An executable that is linked to a fixed address has no base to take away. */
static uint64_t place_in_file(const Dl_info *info, const void *address)
{
    uint16_t kind;
    memcpy(&kind, (const char *)info->dli_fbase + offsetof(Elf64_Ehdr, e_type), sizeof kind);
    return kind == ET_EXEC ? (uintptr_t)address : (uintptr_t)address - (uintptr_t)info->dli_fbase;
}

/* The address behind a call: what stands before it is meant. */
static void describe(const void *address, char *to, size_t size)
{
    Dl_info info;
    symbol found = {.is_found = false};
    char name[96];
    if (!dladdr(address, &info) || !info.dli_fname) {
        snprintf(to, size, "%p", address);
        return;
    }
    const char *slash = strrchr(info.dli_fname, '/'), *file = slash ? slash + 1 : info.dli_fname;
    const uint64_t at = place_in_file(&info, address);
    look_in_file(slash ? info.dli_fname : "/proc/self/exe", at - 1, &found);
    if (!found.is_found) {
        snprintf(to, size, "+0x%llx (%s)", (unsigned long long)at, file);
        return;
    }
    write_name(found.name, name, sizeof name);
    snprintf(to, size, "%s+0x%llx (%s)", name, (unsigned long long)(at - found.start), file);
}

void ifl_site_describe(const void *address, char *to, size_t size)
{
    char text[SITE_BYTES];
    size_t i = 0;
    pthread_mutex_lock(&kept.lock);
    while (i < kept.count && kept.list[i].address != address)
        i++;
    if (i == kept.count) {
        describe(address, text, sizeof text);
        if (i < MOST_KEPT) {
            kept.list[i].address = address;
            memcpy(kept.list[i].text, text, sizeof text);
            kept.count++;
        }
    }
    snprintf(to, size, "%s", i < MOST_KEPT ? kept.list[i].text : text);
    pthread_mutex_unlock(&kept.lock);
}
