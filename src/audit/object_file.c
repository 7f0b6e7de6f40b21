/* SPDX-License-Identifier: Apache-2.0
 * See object_file.h. */
#include "audit/object_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* `count` entries of `entry` bytes at `offset`, aligned as tables of ELF are; NULL where they are
 * not all there. */
static const void *table_at(const ifl_object_file *file, uint64_t offset, uint64_t count,
                            size_t entry)
{
    if (offset % sizeof(uint64_t) || offset > file->size || count > (file->size - offset) / entry)
        return NULL;
    return file->bytes + offset;
}

/* The names of a table: bytes that end with 0. */
static const char *names_of(const ifl_object_file *file, const Elf64_Shdr *names)
{
    const char *text =
        names->sh_offset <= file->size && names->sh_size <= file->size - names->sh_offset
            ? (const char *)file->bytes + names->sh_offset
            : NULL;
    return text && names->sh_size && text[names->sh_size - 1] == '\0' ? text : NULL;
}

static void take_symbols(ifl_object_file *file)
{
    for (size_t i = 0; i < file->section_count; i++) {
        const Elf64_Shdr *section = &file->sections[i];
        if (section->sh_type != SHT_SYMTAB || section->sh_link >= file->section_count)
            continue;
        const size_t symbols = section->sh_size / sizeof(Elf64_Sym);
        file->names = names_of(file, &file->sections[section->sh_link]);
        file->symbols =
            file->names ? table_at(file, section->sh_offset, symbols, sizeof(Elf64_Sym)) : NULL;
        file->symbol_count = file->symbols ? symbols : 0;
        file->name_bytes = file->sections[section->sh_link].sh_size;
        return;
    }
}

static void take_sections(ifl_object_file *file, const Elf64_Ehdr *head)
{
    if (head->e_shentsize != sizeof(Elf64_Shdr))
        return;
    file->sections = table_at(file, head->e_shoff, head->e_shnum, sizeof(Elf64_Shdr));
    file->section_count = file->sections ? head->e_shnum : 0;
    if (head->e_shstrndx >= file->section_count)
        return;
    file->section_names = names_of(file, &file->sections[head->e_shstrndx]);
    file->section_name_bytes = file->sections[head->e_shstrndx].sh_size;
}

bool ifl_object_read(const uint8_t *bytes, size_t size, ifl_object_file *out)
{
    *out = (ifl_object_file){.bytes = bytes, .size = size};
    const Elf64_Ehdr *head = table_at(out, 0, 1, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_X86_64 ||
        (head->e_phnum && head->e_phentsize != sizeof(Elf64_Phdr)))
        return false;
    out->segments = table_at(out, head->e_phoff, head->e_phnum, sizeof(Elf64_Phdr));
    out->segment_count = head->e_phnum;
    if (!out->segments)
        return false;
    take_sections(out, head);
    take_symbols(out);
    return true;
}

bool ifl_object_open(const char *path, ifl_object_file *out)
{
    struct stat about;
    size_t size = 0;
    *out = (ifl_object_file){.bytes = NULL};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
        size = (size_t)about.st_size;
    void *bytes = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (bytes == MAP_FAILED)
        return false;
    if (ifl_object_read(bytes, size, out))
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
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
            address < segment->p_vaddr || into > segment->p_filesz ||
            bytes > segment->p_filesz - into)
            continue;
        return segment->p_offset <= file->size && into <= file->size - segment->p_offset &&
                       bytes <= file->size - segment->p_offset - into
                   ? file->bytes + segment->p_offset + into
                   : NULL;
    }
    return NULL;
}

const Elf64_Shdr *ifl_object_section(const ifl_object_file *file, const char *name)
{
    for (size_t i = 0; i < file->section_count && file->section_names; i++)
        if (file->sections[i].sh_name < file->section_name_bytes &&
            strcmp(file->section_names + file->sections[i].sh_name, name) == 0)
            return &file->sections[i];
    return NULL;
}

const ifl_function_start *ifl_object_starts(const ifl_object_file *file, size_t *count,
                                            uint64_t *address)
{
    enum { HEADER = 12 };
    /* Version 1, a pointer to .eh_frame, a count of 32 bits, and a table of 32 bits counted from
     * itself. */
    static const uint8_t form[] = {1, 0x1b, 0x03, 0x3b};
    for (size_t i = 0; i < file->segment_count; i++) {
        const Elf64_Phdr *segment = &file->segments[i];
        if (segment->p_type != PT_GNU_EH_FRAME || segment->p_offset % sizeof(int32_t) ||
            segment->p_offset > file->size || segment->p_filesz < HEADER ||
            segment->p_filesz > file->size - segment->p_offset)
            continue;
        const uint8_t *bytes = file->bytes + segment->p_offset;
        uint32_t found;
        memcpy(&found, bytes + 8, sizeof found);
        if (memcmp(bytes, form, sizeof form) != 0 ||
            found > (segment->p_filesz - HEADER) / sizeof(ifl_function_start))
            return NULL;
        *count = found;
        *address = segment->p_vaddr;
        return (const ifl_function_start *)(bytes + HEADER);
    }
    return NULL;
}
