/* SPDX-License-Identifier: Apache-2.0
 * See object_file.h. */
#include "audit/object_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* `count` entries of `entry` bytes at `offset`, aligned as tables of ELF are; NULL where they are not all there. */
static const void *table_at(const ifl_object_file *file, uint64_t offset, uint64_t count, size_t entry)
{
    if (offset % sizeof(uint64_t) || offset > file->size || count > (file->size - offset) / entry)
        return NULL;
    return file->bytes + offset;
}

static void take_symbols(ifl_object_file *file, const Elf64_Shdr *sections, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= count)
            continue;
        const Elf64_Shdr *names = &sections[sections[i].sh_link];
        const size_t symbols = sections[i].sh_size / sizeof(Elf64_Sym);
        const char *text = names->sh_offset <= file->size && names->sh_size <= file->size - names->sh_offset
                               ? (const char *)file->bytes + names->sh_offset
                               : NULL;
        file->symbols = table_at(file, sections[i].sh_offset, symbols, sizeof(Elf64_Sym));
        if (!file->symbols || !text || !names->sh_size || text[names->sh_size - 1] != '\0') {
            file->symbols = NULL;
            return;
        }
        file->symbol_count = symbols;
        file->names = text;
        file->name_bytes = names->sh_size;
        return;
    }
}

static bool read_header(ifl_object_file *file)
{
    const Elf64_Ehdr *head = table_at(file, 0, 1, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_machine != EM_X86_64 || head->e_phentsize != sizeof(Elf64_Phdr))
        return false;
    file->segments = table_at(file, head->e_phoff, head->e_phnum, sizeof(Elf64_Phdr));
    file->segment_count = head->e_phnum;
    if (!file->segments)
        return false;
    const Elf64_Shdr *sections = head->e_shentsize == sizeof(Elf64_Shdr)
                                     ? table_at(file, head->e_shoff, head->e_shnum, sizeof(Elf64_Shdr))
                                     : NULL;
    if (sections)
        take_symbols(file, sections, head->e_shnum);
    return true;
}

bool ifl_object_open(const char *path, ifl_object_file *out)
{
    struct stat about;
    *out = (ifl_object_file){.bytes = NULL};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
        out->size = (size_t)about.st_size;
    void *bytes = out->size ? mmap(NULL, out->size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (bytes == MAP_FAILED)
        return false;
    out->bytes = bytes;
    if (read_header(out))
        return true;
    ifl_object_close(out);
    return false;
}

void ifl_object_close(ifl_object_file *file)
{
    munmap((void *)file->bytes, file->size);
    *file = (ifl_object_file){.bytes = NULL};
}

const char *ifl_object_function(const ifl_object_file *file, size_t index)
{
    const Elf64_Sym *symbol = &file->symbols[index];
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
        symbol->st_name >= file->name_bytes)
        return NULL;
    return file->names + symbol->st_name;
}

const uint8_t *ifl_object_code(const ifl_object_file *file, uint64_t address, size_t bytes)
{
    for (size_t i = 0; i < file->segment_count; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        const uint64_t into = address - segment->p_vaddr;
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || address < segment->p_vaddr ||
            into > segment->p_filesz || bytes > segment->p_filesz - into)
            continue;
        return segment->p_offset <= file->size && into <= file->size - segment->p_offset &&
                       bytes <= file->size - segment->p_offset - into
                   ? file->bytes + segment->p_offset + into
                   : NULL;
    }
    return NULL;
}
