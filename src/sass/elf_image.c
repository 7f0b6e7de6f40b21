/* SPDX-License-Identifier: Apache-2.0
 * Sections and symbols through libelf, every range held against the file's size. It knows ELF,
 * not what NVIDIA keeps in it. */
#include "sass/elf_image.h"

#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <string.h>

/* Sections of cubins that have a size but no bytes, beside SHT_NOBITS: cuobjdump names them
 * CUDA_GLOBAL, CUDA_LOCAL and CUDA_SHARED. */
enum { CUDA_GLOBAL = 0x70000007, CUDA_LOCAL = 0x70000009, CUDA_SHARED = 0x7000000a };

uint64_t ifl_elf_read(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

bool ifl_elf_is_elf(const uint8_t *bytes, size_t size)
{
    return size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

const char *ifl_elf_name_after(const ifl_elf_section *section, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(section->name, prefix, length) == 0 ? section->name + length : NULL;
}

const ifl_elf_section *ifl_elf_find(const ifl_elf_image *image, const char *name)
{
    for (size_t i = 0; i < image->section_count; i++)
        if (image->sections[i].bytes && strcmp(image->sections[i].name, name) == 0)
            return &image->sections[i];
    return NULL;
}

/* The text at `offset` of a string table, "" when it does not end inside. */
static const char *text_at(const ifl_elf_section *table, uint64_t offset)
{
    if (!table || !table->bytes || offset >= table->size ||
        !memchr(table->bytes + offset, '\0', table->size - offset))
        return "";
    return (const char *)table->bytes + offset;
}

static bool has_bytes(uint32_t type)
{
    return type != SHT_NULL && type != SHT_NOBITS && type != CUDA_GLOBAL && type != CUDA_LOCAL &&
           type != CUDA_SHARED;
}

static ifl_status fail_damaged(const ifl_elf_image *image, ifl_error *error)
{
    const char *reason = elf_errmsg(-1);
    return ifl_fail(error, IFL_BAD_INPUT, "'%s' is a damaged or truncated ELF file: %s",
                    image->file, reason ? reason : "its header is not that of an ELF file");
}

static ifl_status take_section(ifl_elf_image *image, const GElf_Ehdr *header, size_t index,
                               const GElf_Shdr *from, ifl_elf_section *to, ifl_error *error)
{
    *to = (ifl_elf_section){.name = "",
                            .size = from->sh_size,
                            .offset = from->sh_offset,
                            .flags = from->sh_flags,
                            .type = from->sh_type,
                            .link = from->sh_link,
                            .info = from->sh_info};
    if (!has_bytes(from->sh_type))
        return IFL_OK;
    if (from->sh_offset > image->size || from->sh_size > image->size - from->sh_offset)
        return ifl_fail(error, IFL_BAD_INPUT,
                        "'%s' is damaged or cut: its section header at offset 0x%" PRIx64
                        " says that section %zu has 0x%" PRIx64 " bytes from offset 0x%" PRIx64
                        " on, but the ELF file ends at 0x%zx",
                        image->file, header->e_shoff + index * header->e_shentsize, index,
                        from->sh_size, from->sh_offset, image->size);
    to->bytes = image->bytes + from->sh_offset;
    return IFL_OK;
}

/* Some sections of cubins share their bytes with one other (.nv.merc.debug_str, .debug_str). Far
 * more than that is an attempt to make us read the same bytes again and again. */
static ifl_status check_overlap(const ifl_elf_image *image, const ifl_elf_section *sections,
                                ifl_error *error)
{
    enum { MAX_SHARING = 4 };
    uint64_t left = (uint64_t)image->size * MAX_SHARING;
    for (size_t i = 0; i < image->section_count; i++) {
        const uint64_t bytes = sections[i].bytes ? sections[i].size : 0;
        if (bytes > left)
            return ifl_fail(error, IFL_BAD_INPUT,
                            "'%s' is damaged: its sections overlap, and have more than %d times "
                            "its 0x%zx bytes",
                            image->file, MAX_SHARING, image->size);
        left -= bytes;
    }
    return IFL_OK;
}

static ifl_status take_sections(ifl_elf_image *image, Elf *elf, const GElf_Ehdr *header,
                                ifl_elf_section *sections, ifl_error *error)
{
    for (size_t i = 0; i < image->section_count; i++) {
        GElf_Shdr from;
        if (!gelf_getshdr(elf_getscn(elf, i), &from))
            return fail_damaged(image, error);
        const ifl_status status = take_section(image, header, i, &from, &sections[i], error);
        if (status != IFL_OK)
            return status;
    }
    return check_overlap(image, sections, error);
}

static ifl_status name_sections(const ifl_elf_image *image, Elf *elf, ifl_elf_section *sections,
                                ifl_error *error)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0 || names >= image->section_count)
        return fail_damaged(image, error);
    for (size_t i = 0; i < image->section_count; i++) {
        GElf_Shdr from;
        if (!gelf_getshdr(elf_getscn(elf, i), &from))
            return fail_damaged(image, error);
        sections[i].name = text_at(&sections[names], from.sh_name);
    }
    return IFL_OK;
}

static void find_symbols(ifl_elf_image *image)
{
    const ifl_elf_section *sections = image->sections;
    for (size_t i = 0; i < image->section_count; i++) {
        if (sections[i].type == SHT_SYMTAB_SHNDX && sections[i].bytes)
            image->symbol_sections = &sections[i];
        if (sections[i].type != SHT_SYMTAB || image->symbols || !sections[i].bytes)
            continue;
        image->symbols = &sections[i];
        image->symbol_count = sections[i].size / sizeof(Elf64_Sym);
        if (sections[i].link < image->section_count)
            image->symbol_names = &sections[sections[i].link];
    }
}

/* libelf takes a table of sections that lies behind the file's end for none at all. */
static bool is_cut(const ifl_elf_image *image, const GElf_Ehdr *header)
{
    const uint64_t table = (uint64_t)header->e_shnum * header->e_shentsize;
    return header->e_shoff > image->size || table > image->size - header->e_shoff;
}

static ifl_status fail_cut(const ifl_elf_image *image, const GElf_Ehdr *header, ifl_error *error)
{
    return ifl_fail(error, IFL_BAD_INPUT,
                    "'%s' is damaged or cut: it says that its %u section headers start at offset "
                    "0x%" PRIx64 ", but the ELF file ends at 0x%zx",
                    image->file, header->e_shnum, header->e_shoff, image->size);
}

static ifl_status read_image(ifl_elf_image *image, Elf *elf, ifl_arena *arena, ifl_error *error)
{
    GElf_Ehdr header;
    if (!gelf_getehdr(elf, &header))
        return fail_damaged(image, error);
    if (is_cut(image, &header))
        return fail_cut(image, &header, error);
    if (elf_getshdrnum(elf, &image->section_count) != 0 || image->section_count < header.e_shnum)
        return fail_damaged(image, error);
    image->machine = header.e_machine;
    image->flags = header.e_flags;
    image->type = header.e_type;
    image->os_abi = header.e_ident[EI_OSABI];
    const size_t bytes = image->section_count * sizeof *image->sections;
    ifl_elf_section *sections = ifl_arena_alloc(arena, bytes);
    if (!sections)
        return ifl_fail_memory(error, bytes);
    image->sections = sections;
    ifl_status status = take_sections(image, elf, &header, sections, error);
    if (status == IFL_OK && image->section_count)
        status = name_sections(image, elf, sections, error);
    find_symbols(image);
    return status;
}

ifl_status ifl_elf_open(const char *file, const uint8_t *bytes, size_t size, ifl_arena *arena,
                        ifl_elf_image *out, ifl_error *error)
{
    *out = (ifl_elf_image){.file = file, .bytes = bytes, .size = size};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return ifl_fail(error, IFL_INTERNAL, "this libelf is too old");
    if (!ifl_elf_is_elf(bytes, size))
        return ifl_fail(error, IFL_BAD_INPUT, "'%s' is not an ELF file", file);
    Elf *elf = elf_memory((char *)(uintptr_t)bytes, size); /* which it only reads */
    if (!elf)
        return fail_damaged(out, error);
    const ifl_status status =
        elf_kind(elf) == ELF_K_ELF ? read_image(out, elf, arena, error) : fail_damaged(out, error);
    elf_end(elf);
    return status;
}

bool ifl_elf_symbol_at(const ifl_elf_image *image, size_t index, ifl_elf_symbol *out)
{
    Elf64_Sym from;
    if (index >= image->symbol_count)
        return false;
    memcpy(&from, image->symbols->bytes + index * sizeof from, sizeof from);
    *out = (ifl_elf_symbol){.name = text_at(image->symbol_names, from.st_name),
                            .value = from.st_value,
                            .size = from.st_size,
                            .section = from.st_shndx < SHN_LORESERVE ? from.st_shndx : SHN_UNDEF,
                            .type = ELF64_ST_TYPE(from.st_info),
                            .other = from.st_other};
    const ifl_elf_section *wide = image->symbol_sections;
    if (from.st_shndx == SHN_XINDEX && wide && index < wide->size / 4)
        out->section = (uint32_t)ifl_elf_read(wide->bytes + index * 4, 4);
    return true;
}
